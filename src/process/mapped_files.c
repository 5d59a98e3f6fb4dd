#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "process/mapped_files.h"

#include "process/elf_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_FILES = 4096 };

/* A core may name the same file a million times; what all that would be as memory is
 * bounded, since readers go through memory. */
#define MOST_FROM_DISK (UINT64_C(4) << 30)
enum { MOST_TIMES = 8 };

static const char deleted[] = " (deleted)";

/* The mappings of one file. */
struct group {
    const struct image_mapping **all; /* by start */
    size_t count;
    const char *path;
    bool was_deleted; /* the kernel's words for a file that was gone already */
};

struct adding {
    struct process_image *p;
    struct arena *a;
    struct memory_piece *pieces;
    size_t len, cap;
    uint64_t taken;
};

/* --- files --------------------------------------------------------------------------- */

/* Opens the file of a descriptor, so that it cannot be replaced in between; by its name
 * where /proc is missing or closed to the sandbox. */
static int open_held(int held, const char *path)
{
    const int safely = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    char name[64];
    snprintf(name, sizeof(name), "/proc/self/fd/%d", held);
    int fd = open(name, safely);
    return fd < 0 && (errno == ENOENT || errno == EACCES) ? open(path, safely) : fd;
}

/* Regular files only, seen to be such before they are opened: to open a device may do
 * something. */
static struct bytes map_path(const char *path)
{
    struct stat st;
    struct bytes file = {0};
    int held = open(path, O_PATH | O_CLOEXEC), fd = -1;
    if (held >= 0 && fstat(held, &st) == 0 && S_ISREG(st.st_mode))
        fd = open_held(held, path);
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

static struct bytes map_group(const struct group *g, struct arena *a)
{
    size_t len = strlen(g->path);
    if (g->was_deleted)
        return map_path(arena_strdup(a, g->path, len - strlen(deleted)));
    return map_path(g->path);
}

static bool is_elf(struct bytes file)
{
    return memcmp(file.data, "\177ELF", 4) == 0;
}

static bool is_pe(struct bytes file)
{
    return memcmp(file.data, "MZ", 2) == 0;
}

/* --- is it the same? ----------------------------------------------------------------- */

static const struct image_mapping *beginning(const struct group *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->all[i]->offset == 0)
            return g->all[i];
    return NULL;
}

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

static uint64_t part_in(const struct image_mapping *m, struct bytes file)
{
    uint64_t left = m->offset < file.size ? file.size - m->offset : 0;
    return left < m->end - m->start ? left : m->end - m->start;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

struct likeness {
    bool has_head, same_head; /* the file's first page */
    bool same_page;           /* of the others one that says something */
};

/* The first pages of a mapping that are in the dump. */
static void compare_mapping(const struct process_image *p, const struct image_mapping *m,
                            struct bytes file, struct likeness *l)
{
    enum { MOST_PAGES = 64 };
    uint64_t size = part_in(m, file);
    for (uint64_t at = 0, n = 0; at < size && n < MOST_PAGES; at += PAGE, n++) {
        size_t part = size - at < PAGE ? (size_t)(size - at) : PAGE;
        const unsigned char *there = memory_at(&p->memory, m->start + at, part);
        const unsigned char *here = file.data + m->offset + at;
        if (there == NULL || is_zero(here, part))
            continue;
        bool same = memcmp(there, here, part) == 0;
        bool is_head = m->offset + at == 0;
        l->has_head |= is_head;
        l->same_head |= is_head && same;
        l->same_page |= same;
    }
}

/* Of a kernel, as far as its word may be believed: aarch64 has 4, 16 or 64 KiB. */
static uint64_t page_of(const struct process_image *p)
{
    enum { LARGEST = 64 << 10 };
    bool may_be = p->page > PAGE && p->page <= LARGEST && (p->page & (p->page - 1)) == 0;
    return may_be ? p->page : PAGE;
}

/* What was mapped lies in the file, and goes to its end where it is mapped in one piece. */
static bool size_fits(const struct group *g, struct bytes file, uint64_t page)
{
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

/* An assembly has no build id. Its first page has a stamp that is a hash of all of it, and
 * is in most dumps; of other pages those may differ that the loader or the program wrote
 * to. */
static enum image_file_state compare_pe(const struct process_image *p,
                                        const struct group *g, struct bytes file)
{
    struct likeness l = {0};
    for (size_t i = 0; i < g->count; i++)
        compare_mapping(p, g->all[i], file, &l);
    if (l.has_head ? l.same_head : l.same_page)
        return IMAGE_FILE_SAME;
    if (l.has_head || g->was_deleted || !size_fits(g, file, page_of(p)))
        return IMAGE_FILE_DIFFERENT;
    return IMAGE_FILE_LIKELY;
}

/* --- what is taken from it ----------------------------------------------------------- */

static void add_piece(struct adding *to, uint64_t address, uint64_t size,
                      const unsigned char *bytes)
{
    if (size == 0 || size > MOST_FROM_DISK - to->taken)
        return;
    to->taken += size;
    to->pieces = grow(to->pieces, to->len, &to->cap, sizeof(*to->pieces));
    to->pieces[to->len++] = (struct memory_piece){address, size, bytes};
}

/* Segments that nobody could write to, not even the loader: its relocations are not in the
 * file. */
static void add_elf(struct adding *to, uint64_t base, struct bytes file)
{
    struct memory_piece pieces[ELF_SEGMENTS];
    size_t count = elf_constant_pieces(file, base, pieces);
    for (size_t i = 0; i < count; i++)
        add_piece(to, pieces[i].address, pieces[i].size, pieces[i].bytes);
}

static void add_pe(struct adding *to, const struct group *g, struct bytes file)
{
    uint64_t left = (uint64_t)file.size * MOST_TIMES;
    for (size_t i = 0; i < g->count; i++) {
        uint64_t size = part_in(g->all[i], file);
        if (size > left)
            break;
        left -= size;
        if (size > 0)
            add_piece(to, g->all[i]->start, size, file.data + g->all[i]->offset);
    }
}

/* --- all of them --------------------------------------------------------------------- */

/* Whether a page of it is not in the dump. */
static bool lacks_pages(const struct process_image *p, const struct group *g)
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

static enum image_file_state look_at(struct adding *to, const struct group *g,
                                     uint64_t base, struct bytes file)
{
    if (file.size == 0)
        return IMAGE_FILE_MISSING;
    if (is_elf(file))
        return is_same_elf(to->p, base, file, to->a) ? IMAGE_FILE_SAME
                                                     : IMAGE_FILE_DIFFERENT;
    return is_pe(file) ? compare_pe(to->p, g, file) : IMAGE_FILE_DIFFERENT;
}

static void add_group(struct adding *to, struct group *g)
{
    const struct image_mapping *first = beginning(g);
    size_t len = strlen(g->path), tail = strlen(deleted);
    g->was_deleted = len > tail && strcmp(g->path + len - tail, deleted) == 0;
    if (first == NULL || g->path[0] != '/' || !lacks_pages(to->p, g))
        return;
    struct image_file *f = &to->p->files[to->p->file_count++];
    struct bytes file = map_group(g, to->a);
    *f = (struct image_file){.path = g->path, .base = first->start, .bytes = file};
    f->state = look_at(to, g, first->start, file);
    if (f->state < IMAGE_FILE_LIKELY) {
        if (file.size > 0)
            munmap((void *)file.data, file.size);
        f->bytes = (struct bytes){0};
    } else if (is_elf(file)) {
        add_elf(to, first->start, file);
    } else {
        add_pe(to, g, file);
    }
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
    return a->base < b->base ? -1 : a->base > b->base;
}

static void add_groups(struct adding *to)
{
    struct process_image *p = to->p;
    const struct image_mapping **all =
        alloc_resize(NULL, array_bytes(p->mapping_count, sizeof(const void *)));
    for (size_t i = 0; i < p->mapping_count; i++)
        all[i] = &p->mappings[i];
    qsort(all, p->mapping_count, sizeof(const void *), by_path);
    for (size_t i = 0, next; i < p->mapping_count && p->file_count < MOST_FILES; i = next) {
        for (next = i + 1;
             next < p->mapping_count && strcmp(all[next]->path, all[i]->path) == 0;)
            next++;
        struct group g = {.all = all + i, .count = next - i, .path = all[i]->path};
        add_group(to, &g);
    }
    free(all);
}

void mapped_files_add(struct process_image *p, struct arena *a)
{
    struct adding to = {.p = p, .a = a};
    if (p->mapping_count == 0)
        return;
    size_t most = p->mapping_count < MOST_FILES ? p->mapping_count : MOST_FILES;
    p->files = arena_array(a, struct image_file, most);
    for (size_t i = 0; i < p->memory.len; i++) {
        to.pieces = grow(to.pieces, to.len, &to.cap, sizeof(*to.pieces));
        to.pieces[to.len++] = p->memory.all[i];
    }
    size_t dumped = to.len;
    add_groups(&to);
    if (p->file_count > 0)
        qsort(p->files, p->file_count, sizeof(*p->files), by_base);
    if (to.len > dumped)
        p->memory = memory_of(to.pieces, to.len, a);
    free(to.pieces);
}

static bool is_lacking_assembly(const struct image_file *f)
{
    static const char ending[] = ".dll";
    size_t len = strlen(f->path), tail = strlen(ending);
    return f->state < IMAGE_FILE_LIKELY && len > tail &&
           strcmp(f->path + len - tail, ending) == 0;
}

const char *mapped_files_lacking(const struct process_image *p, struct arena *a)
{
    const char *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < p->file_count; i++) {
        if (!is_lacking_assembly(&p->files[i]))
            continue;
        count++;
        if (first == NULL)
            first = p->files[i].path;
    }
    return count > 1 ? arena_printf(a, "%s and others", first) : first;
}

void mapped_files_close(struct process_image *p)
{
    for (size_t i = 0; i < p->file_count; i++)
        if (p->files[i].bytes.size > 0)
            munmap((void *)p->files[i].bytes.data, p->files[i].bytes.size);
    p->file_count = 0;
}
