#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "clr/process/process_image.h"

#include "base/arrays.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- mappings ------------------------------------------------------------------------ */

static int by_start(const void *x, const void *y)
{
    const struct image_mapping *a = x, *b = y;
    return a->start != b->start ? compare_numbers(a->start, b->start)
           : a->end != b->end   ? compare_numbers(a->end, b->end)
                                : compare_numbers(a->offset, b->offset);
}

static void drop_empty(struct process_image *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->mapping_count; i++)
        if (p->mappings[i].start < p->mappings[i].end)
            p->mappings[kept++] = p->mappings[i];
    p->mapping_count = kept;
}

/* The kernel's are in order. */
void image_mappings_sort(struct process_image *p)
{
    drop_empty(p);
    if (p->mapping_count > 0)
        qsort(p->mappings, p->mapping_count, sizeof(*p->mappings), by_start);
    for (size_t i = 0; i + 1 < p->mapping_count; i++)
        if (p->mappings[i].end > p->mappings[i + 1].start)
            p->mappings[i].end = p->mappings[i + 1].start;
    drop_empty(p);
}

static bool process_image_ends_before(const void *all, size_t i, const void *wanted)
{
    return ((const struct image_mapping *)all)[i].end <= *(const uint64_t *)wanted;
}

const struct image_mapping *image_mapping_at(const struct process_image *p,
                                             uint64_t address)
{
    size_t i =
        search_first(p->mappings, 0, p->mapping_count, process_image_ends_before, &address);
    return i < p->mapping_count && p->mappings[i].start <= address ? &p->mappings[i] : NULL;
}

const struct image_file *image_file_at(const struct process_image *p, uint64_t base)
{
    for (size_t i = 0; i < p->file_count; i++)
        if (p->files[i].base == base && p->files[i].bytes.size > 0)
            return &p->files[i];
    return NULL;
}

/* --- mapped files -------------------------------------------------------------------- */

enum { PAGE = 4096, MAX_FILES = 4096 };

/* A core may list the same file a million times; the total size as memory is bounded, since
 * readers iterate over memory. */
#define MAX_FROM_DISK (UINT64_C(4) << 30)
enum { MAX_TIMES = 8 };

/* The mappings of a file. */
struct file_group {
    const struct image_mapping **all; /* by start */
    size_t count;
    const char *path;
    bool was_deleted;
};

struct mapped_pieces {
    struct process_image *p;
    struct arena *a;
    struct memory_pieces pieces;
    uint64_t taken;
};

/* --- opening them -------------------------------------------------------------------- */

/* Regular files only, seen to be such before they are opened: to open a device may do
 * something. Then by the descriptor, so that it cannot be replaced in between; by its name
 * where /proc is missing or closed to the sandbox. */
static struct bytes map_path(const char *path)
{
    const int safely = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    struct stat st;
    struct bytes file = {0};
    char name[64];
    int held = open(path, O_PATH | O_CLOEXEC), fd = -1;
    if (held >= 0 && fstat(held, &st) == 0 && S_ISREG(st.st_mode)) {
        snprintf(name, sizeof(name), "/proc/self/fd/%d", held);
        fd = open(name, safely);
        if (fd < 0 && (errno == ENOENT || errno == EACCES))
            fd = open(path, safely);
    }
    if (held >= 0)
        close(held);
    if (fd < 0)
        return file;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > PAGE) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED)
            file = (struct bytes){bytes, (size_t)st.st_size};
    }
    close(fd);
    return file;
}

static bool is_elf(struct bytes file)
{
    return memcmp(file.data, "\177ELF", 4) == 0;
}

/* --- is it the same? ----------------------------------------------------------------- */

static bool is_same_elf(const struct process_image *p, uint64_t base, struct bytes file,
                        struct arena *a)
{
    struct elf_image there, here;
    struct memory laid_out;
    if (!elf_image_at(&there, &p->memory, base) ||
        !elf_image_of_file(&here, &laid_out, file, base, a))
        return false;
    struct bytes wanted = elf_build_id(&there, base), has = elf_build_id(&here, base);
    return wanted.size > 0 && wanted.size == has.size &&
           memcmp(wanted.data, has.data, has.size) == 0;
}

static struct bytes part_in(const struct image_mapping *m, struct bytes file)
{
    return bytes_within(file, m->offset, m->end - m->start);
}

struct likeness {
    bool has_head, same_head; /* the file's first page */
    bool same_page;           /* one of the others has content */
};

/* The first pages of a mapping that are in the dump. */
static void compare_mapping(const struct process_image *p, const struct image_mapping *m,
                            struct bytes file, struct likeness *l)
{
    enum { MAX_PAGES = 64 };
    struct bytes here = part_in(m, file);
    for (size_t at = 0; at < here.size && at < (size_t)MAX_PAGES * PAGE; at += PAGE) {
        size_t part = here.size - at < PAGE ? here.size - at : PAGE;
        const unsigned char *there = memory_at(&p->memory, m->start + at, part),
                            *page = here.data + at;
        bool is_zero = page[0] == 0 && memcmp(page, page + 1, part - 1) == 0;
        if (there == NULL || is_zero)
            continue;
        bool same = memcmp(there, page, part) == 0, is_head = m->offset + at == 0;
        l->has_head |= is_head;
        l->same_head |= is_head && same;
        l->same_page |= same;
    }
}

/* True if the mapped range is in the file, and extends to its end if it is contiguous. The
 * page size is from the kernel, if plausible: aarch64 has 4, 16 or 64 KiB. */
static bool size_fits(const struct process_image *p, const struct file_group *g,
                      struct bytes file)
{
    enum { LARGEST = 64 << 10 };
    bool may_be = p->page > PAGE && p->page <= LARGEST && (p->page & (p->page - 1)) == 0;
    uint64_t page = may_be ? p->page : PAGE;
    uint64_t pages = (file.size + page - 1) / page * page, end = 0;
    for (size_t i = 0; i < g->count; i++) {
        uint64_t size = g->all[i]->end - g->all[i]->start;
        if (g->all[i]->offset > pages || size > pages - g->all[i]->offset)
            return false;
        if (g->all[i]->offset + size > end)
            end = g->all[i]->offset + size;
    }
    return g->count > 1 || end == pages;
}

/* Compares an assembly, which has no build id, with the file. Its first page has a stamp, a
 * hash of the whole, and is in most dumps; other pages may differ if the loader or the
 * program wrote to them. */
static enum image_file_state state_of(const struct mapped_pieces *to,
                                      const struct file_group *g, uint64_t base,
                                      struct bytes file)
{
    const struct process_image *p = to->p;
    struct likeness l = {0};
    if (file.size == 0)
        return IMAGE_FILE_MISSING;
    if (is_elf(file) && is_same_elf(p, base, file, to->a))
        return IMAGE_FILE_SAME;
    if (memcmp(file.data, "MZ", 2) != 0)
        return IMAGE_FILE_DIFFERENT;
    for (size_t i = 0; i < g->count; i++)
        compare_mapping(p, g->all[i], file, &l);
    if (l.has_head ? l.same_head : l.same_page)
        return IMAGE_FILE_SAME;
    if (l.has_head || g->was_deleted || !size_fits(p, g, file))
        return IMAGE_FILE_DIFFERENT;
    return IMAGE_FILE_LIKELY;
}

/* --- what is taken from it ----------------------------------------------------------- */

static void add_piece(struct mapped_pieces *to, uint64_t address, struct bytes bytes)
{
    if (bytes.size > MAX_FROM_DISK - to->taken)
        return;
    to->taken += bytes.size;
    memory_pieces_add(&to->pieces, address, bytes);
}

/* Adds the pieces of a file: in an ELF file only segments that are never written, not even
 * by the loader, whose relocations are not in the file. */
static void add_file_pieces(struct mapped_pieces *to, const struct file_group *g,
                            uint64_t base, struct bytes file)
{
    struct memory_piece pieces[MAX_IMAGE_SEGMENTS];
    uint64_t left = (uint64_t)file.size * MAX_TIMES;
    if (is_elf(file)) {
        size_t count = elf_constant_pieces(file, base, pieces);
        for (size_t i = 0; i < count; i++)
            add_piece(to, pieces[i].address,
                      (struct bytes){pieces[i].bytes, (size_t)pieces[i].size});
        return;
    }
    for (size_t i = 0; i < g->count; i++) {
        struct bytes part = part_in(g->all[i], file);
        if (part.size > left)
            break;
        left -= part.size;
        add_piece(to, g->all[i]->start, part);
    }
}

/* --- list of files -------------------------------------------------------------------- */

/* True if a page of the file is not in the dump. */
static bool lacks_pages(const struct process_image *p, const struct file_group *g)
{
    for (size_t i = 0; i < g->count; i++) {
        uint64_t next = g->all[i]->start;
        while (next < g->all[i]->end) {
            struct bytes there = memory_from(&p->memory, next);
            if (there.size == 0)
                return true;
            next += there.size;
        }
    }
    return false;
}

/* The kernel appends this to the name of a deleted file. */
static void add_group(struct mapped_pieces *to, struct file_group *g)
{
    static const char deleted[] = " (deleted)";
    size_t len = strlen(g->path), tail = strlen(deleted), first = 0;
    g->was_deleted = len > tail && strcmp(g->path + len - tail, deleted) == 0;
    while (first < g->count && g->all[first]->offset != 0)
        first++;
    if (first == g->count || g->path[0] != '/' || !lacks_pages(to->p, g))
        return;
    uint64_t base = g->all[first]->start;
    struct bytes file =
        map_path(g->was_deleted ? arena_strdup(to->a, g->path, len - tail) : g->path);
    enum image_file_state state = state_of(to, g, base, file);
    if (state < IMAGE_FILE_LIKELY && file.size > 0)
        munmap((void *)file.data, file.size);
    if (state < IMAGE_FILE_LIKELY)
        file = (struct bytes){0};
    else
        add_file_pieces(to, g, base, file);
    to->p->files[to->p->file_count++] =
        (struct image_file){.path = g->path, .base = base, .bytes = file, .state = state};
}

static int by_path(const void *x, const void *y)
{
    const struct image_mapping *a = *(const struct image_mapping *const *)x,
                               *b = *(const struct image_mapping *const *)y;
    int order = strcmp(a->path, b->path);
    return order != 0 ? order : a < b ? -1 : a > b;
}

static int by_base(const void *x, const void *y)
{
    const struct image_file *a = x, *b = y;
    return compare_numbers(a->base, b->base);
}

static void add_groups(struct mapped_pieces *to)
{
    struct process_image *p = to->p;
    const struct image_mapping **all =
        alloc_resize(NULL, array_bytes(p->mapping_count, sizeof(const void *)));
    for (size_t i = 0; i < p->mapping_count; i++)
        all[i] = &p->mappings[i];
    qsort(all, p->mapping_count, sizeof(const void *), by_path);
    for (size_t i = 0, next; i < p->mapping_count && p->file_count < MAX_FILES; i = next) {
        for (next = i + 1;
             next < p->mapping_count && strcmp(all[next]->path, all[i]->path) == 0;)
            next++;
        struct file_group g = {.all = all + i, .count = next - i, .path = all[i]->path};
        add_group(to, &g);
    }
    free(all);
}

void mapped_files_add(struct process_image *p, struct arena *a)
{
    struct mapped_pieces to = {.p = p, .a = a};
    if (p->mapping_count == 0)
        return;
    size_t most = p->mapping_count < MAX_FILES ? p->mapping_count : MAX_FILES;
    p->files = arena_array(a, struct image_file, most);
    size_t dumped = p->memory.len;
    for (size_t i = 0; i < dumped; i++)
        memory_pieces_add(&to.pieces, p->memory.all[i].address,
                          (struct bytes){p->memory.all[i].bytes, p->memory.all[i].size});
    add_groups(&to);
    if (p->file_count > 0)
        qsort(p->files, p->file_count, sizeof(*p->files), by_base);
    if (to.pieces.len > dumped)
        p->memory = memory_of(to.pieces.all, to.pieces.len, a);
    free(to.pieces.all);
}

const char *mapped_files_lacking(const struct process_image *p, struct arena *a)
{
    const char *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < p->file_count; i++) {
        const struct image_file *f = &p->files[i];
        if (f->state >= IMAGE_FILE_LIKELY || !path_ends_in(f->path, ".dll"))
            continue;
        first = count++ == 0 ? f->path : first;
    }
    return count > 1 ? arena_printf(a, "%s and others", first) : first;
}

/* --- the image ----------------------------------------------------------------------- */

bool process_image_open(struct process_image *p, struct bytes file, struct arena *a,
                        struct hd_error *err)
{
    return minidump_is(file) ? minidump_open(p, file, a, err)
                             : core_file_open(p, file, a, err);
}

void process_image_close(struct process_image *p)
{
    for (size_t i = 0; i < p->file_count; i++)
        if (p->files[i].bytes.size > 0)
            munmap((void *)p->files[i].bytes.data, p->files[i].bytes.size);
    p->file_count = 0;
}
