#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "collect/process_copy.h"

#include "base/error.h"
#include "base/little_endian.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* --- areas ------------------------------------------------------------------------ */

/* Parses the number at *at and moves it after the separator. */
static uint64_t address_space_number(const char **at, int base)
{
    char *end;
    uint64_t n = strtoull(*at, &end, base);
    *at = *end != '\0' && *end != '\n' ? end + 1 : end;
    return n;
}

/* "7f00-7f01 rw-p 00000000 08:01 1234    /path" */
static struct area parse_line(const char *line, size_t len, struct arena *arena)
{
    const char *at = line, *end = line + len;
    struct area a = {.start = address_space_number(&at, 16), .path = ""};
    a.end = address_space_number(&at, 16);
    if (end - at < 5)
        return a;
    a.readable = at[0] == 'r';
    a.writable = at[1] == 'w';
    a.executable = at[2] == 'x';
    a.is_private = at[3] == 'p';
    at += 5;
    a.offset = address_space_number(&at, 16);
    address_space_number(&at, 16);
    address_space_number(&at, 16);
    a.inode = address_space_number(&at, 10);
    while (at < end && *at == ' ')
        at++;
    if (at < end)
        a.path = arena_strdup(arena, at, (size_t)(end - at));
    return a;
}

bool address_space_read(struct address_space *space, pid_t pid, struct arena *arena)
{
    enum { BLOCK = 1 << 16 };
    char block[BLOCK];
    struct text t = {0};
    struct area *all = NULL;
    size_t count = 0, cap = 0;
    int fd = others_open(pid, "maps", O_RDONLY);
    ssize_t n = fd < 0 ? -1 : 0;
    while (fd >= 0 && (n = read(fd, block, BLOCK)) > 0)
        text_add(&t, block, (size_t)n);
    int why = n == 0 ? ESRCH : errno;
    close_quietly(fd);
    for (const char *line = text_string(&t); n == 0 && *line != '\0';) {
        size_t len = strcspn(line, "\n");
        all = grow(all, count, &cap, sizeof(*all));
        all[count++] = parse_line(line, len, arena);
        line += len + (line[len] == '\n');
    }
    space->areas = arena_array(arena, struct area, count);
    space->count = count;
    if (count > 0)
        memcpy(space->areas, all, count * sizeof(*all));
    free(all);
    text_free(&t);
    errno = why;
    return count > 0;
}

bool is_in_memory(int fd)
{
    const long tmpfs = 0x01021994;
    struct statfs st;
    return fstatfs(fd, &st) == 0 && (long)st.f_type == tmpfs;
}

bool area_is_of_file(const struct area *a)
{
    return a->path[0] == '/' && !path_ends_in(a->path, " (deleted)") &&
           strncmp(a->path, "/dev/", 5) != 0 && strncmp(a->path, "/memfd:", 7) != 0;
}

/* --- where pages are looked up ---------------------------------------------------- */

/* Opens the file of a descriptor of the process again; -1 with errno 0: another file. Any
 * file can have that name, so only a regular file in memory is opened. */
static int open_shared(int folder, const char *name, uint64_t *inode)
{
    static const char doublemapper[] = "/memfd:doublemapper";
    char target[64];
    struct stat st;
    ssize_t len = readlinkat(folder, name, target, sizeof(target) - 1);
    errno = 0;
    if (len < (ssize_t)strlen(doublemapper) ||
        memcmp(target, doublemapper, strlen(doublemapper)) != 0)
        return -1;
    int held = openat(folder, name, O_PATH | O_CLOEXEC);
    if (held >= 0 && fstat(held, &st) == 0 && S_ISREG(st.st_mode) && is_in_memory(held)) {
        *inode = (uint64_t)st.st_ino;
        return others_open_held(held);
    }
    errno = held >= 0 ? 0 : errno;
    close_quietly(held);
    return -1;
}

/* p->shared stays -1 if the process has no such file. If one cannot know, pages that only
 * it has would be missing. */
bool page_source_open(struct page_source *p, pid_t pid, struct hd_error *err)
{
    *p = (struct page_source){.shared = -1, .page = (uint64_t)sysconf(_SC_PAGESIZE)};
    p->pages = others_open(pid, "pagemap", O_RDONLY);
    if (p->pages < 0 && (errno == ENOENT || errno == ESRCH))
        return fail(err, HD_IO, "the process has exited");
    if (p->pages < 0)
        return denied_fail(pid, err);
    DIR *all = others_list_of(pid, "fd");
    int why = all == NULL ? errno : 0;
    for (const struct dirent *e;
         all != NULL && why == 0 && p->shared < 0 && (e = readdir(all)) != NULL;) {
        p->shared = open_shared(dirfd(all), e->d_name, &p->shared_inode);
        why = p->shared < 0 ? errno : 0;
    }
    if (all != NULL)
        closedir(all);
    if (all != NULL && why == 0)
        return true;
    fail(err, HD_IO, "cannot list the open files of the process: %s", strerror(why));
    page_source_close(p);
    return false;
}

void page_source_close(struct page_source *p)
{
    close_quietly(p->pages);
    close_quietly(p->shared);
    p->pages = p->shared = -1;
}

/* --- pages ------------------------------------------------------------------------ */

static void address_space_add(struct runs *r, const struct area *a, uint64_t address,
                              uint64_t size, bool is_shared)
{
    struct run *last = r->count > 0 ? &r->all[r->count - 1] : NULL;
    r->size += size;
    if (last != NULL && last->area == a && last->address + last->size == address) {
        last->size += size;
        return;
    }
    r->all = grow(r->all, r->count, &r->cap, sizeof(*r->all));
    r->all[r->count++] = (struct run){address, size, a, is_shared, 0};
}

/* Linux 6.7 and later (include/uapi/linux/fs.h): runs of pages by category, among them
 * pages that were only ever read and are mapped to the zero page. */
struct scan {
    uint64_t size, flags, start, end, walked_to, regions, region_count, most_pages;
    uint64_t inverted, all_of, any_of, return_mask;
};

struct scan_region {
    uint64_t start, end, categories;
};

/* Returns the end of the scan: the end of the area, unless the kernel lacks support. */
static uint64_t scan_private(struct runs *r, const struct page_source *from,
                             const struct area *a)
{
    enum { REGIONS = 512, OF_FILE = 1 << 2, PRESENT = 1 << 3, SWAPPED = 1 << 4 };
    enum { ZERO = 1 << 5 };
    struct scan_region found[REGIONS];
    struct scan scan = {.size = sizeof(scan),
                        .start = a->start,
                        .end = a->end,
                        .regions = (uint64_t)(uintptr_t)found,
                        .region_count = REGIONS,
                        .inverted = OF_FILE | ZERO,
                        .all_of = OF_FILE | ZERO,
                        .any_of = PRESENT | SWAPPED,
                        .return_mask = PRESENT};
    while (scan.start < a->end) {
        long count = ioctl(from->pages, _IOWR('f', 16, struct scan), &scan);
        if (count < 0 || scan.walked_to <= scan.start)
            break;
        for (long i = 0; i < count; i++)
            address_space_add(r, a, found[i].start, found[i].end - found[i].start, false);
        scan.start = scan.walked_to;
    }
    return scan.start;
}

/* Those that are present or swapped out, and not (any more) of a file. */
static bool find_private(struct runs *r, const struct page_source *from,
                         const struct area *a)
{
    enum { PAGES = 8192, ENTRY = 8 };
    const uint64_t present = (uint64_t)1 << 63, swapped = (uint64_t)1 << 62,
                   of_file = (uint64_t)1 << 61;
    unsigned char entries[PAGES * ENTRY];
    for (uint64_t at = scan_private(r, from, a); at < a->end;) {
        uint64_t pages = (a->end - at) / from->page;
        size_t want = (size_t)(pages < PAGES ? pages : PAGES) * ENTRY;
        ssize_t n = pread(from->pages, entries, want, (off_t)(at / from->page * ENTRY));
        if (n < ENTRY)
            return false;
        for (ssize_t i = 0; i + ENTRY <= n; i += ENTRY, at += from->page) {
            uint64_t entry = le_u64(entries + i);
            if ((entry & (present | swapped)) != 0 && (entry & of_file) == 0)
                address_space_add(r, a, at, from->page, false);
        }
    }
    return true;
}

/* Finds data written through another mapping of the file, even if no page of this one was
 * touched. False if the kernel lacks support. */
static bool find_shared_data(struct runs *r, const struct page_source *from,
                             const struct area *a)
{
    enum { DATA = 3, HOLE = 4 }; /* SEEK_DATA and SEEK_HOLE, which are GNU's */
    off_t end = (off_t)(a->offset + (a->end - a->start));
    for (off_t at = (off_t)a->offset, hole; at < end; at = hole) {
        at = lseek(from->shared, at, DATA);
        if (at < 0)
            return errno == ENXIO; /* there is no more */
        hole = lseek(from->shared, at, HOLE);
        if (hole < 0)
            return false;
        hole = hole < end ? hole : end;
        if (at < hole)
            address_space_add(r, a, a->start + (uint64_t)at - a->offset,
                              (uint64_t)(hole - at), true);
    }
    return true;
}

/* --- layout of the copy -------------------------------------------------------------- */

/* Untouched arrays can be large. A longer gap may be anything, such as a reservation. */
static const uint64_t largest_gap = (uint64_t)64 << 20;

static bool has_zeros(const struct area *a)
{
    return a->is_private && a->path[0] != '/';
}

static void end_span(struct runs *r)
{
    if (r->span_count == 0)
        return;
    struct span *s = &r->spans[r->span_count - 1];
    uint64_t end = s->address + s->size;
    if (has_zeros(s->area) && s->area->end - end <= largest_gap)
        s->size = s->area->end - s->address;
    r->span_size += s->size;
}

/* A span extends into the area around a run by a limited size, so that the layout hardly
 * changes while the process continues to run. */
static void address_space_place(struct runs *r)
{
    r->span_count = 0;
    r->span_size = 0;
    for (size_t i = 0; i < r->count; i++) {
        struct run *run = &r->all[i];
        struct span *s = r->span_count > 0 ? &r->spans[r->span_count - 1] : NULL;
        if (s == NULL || s->area != run->area || !has_zeros(run->area) ||
            run->address - (s->address + s->size) > largest_gap) {
            uint64_t start = run->address;
            if (has_zeros(run->area) && start - run->area->start <= largest_gap)
                start = run->area->start;
            end_span(r);
            r->spans = grow(r->spans, r->span_count, &r->span_cap, sizeof(*r->spans));
            s = &r->spans[r->span_count++];
            *s = (struct span){.address = start, .area = run->area, .at = r->span_size};
        }
        run->at = s->at + (run->address - s->address);
        s->size = run->address + run->size - s->address;
    }
    end_span(r);
}

bool runs_find(struct runs *r, const struct page_source *from,
               const struct address_space *space, struct hd_error *err)
{
    r->count = 0;
    r->size = 0;
    for (size_t i = 0; i < space->count; i++) {
        const struct area *a = &space->areas[i];
        bool is_of_kernel =
            strncmp(a->path, "[v", 2) == 0 || strncmp(a->path, "/dev/", 5) == 0;
        if (!a->readable || is_of_kernel)
            continue;
        bool is_shared =
            !a->is_private && from->shared >= 0 && a->inode == from->shared_inode;
        if ((is_shared && !find_shared_data(r, from, a)) ||
            (a->is_private && !find_private(r, from, a)))
            return fail(err, HD_UNSUPPORTED,
                        "the kernel does not report the pages of the process");
    }
    address_space_place(r);
    return true;
}

void runs_free(struct runs *r)
{
    free(r->all);
    free(r->spans);
    *r = (struct runs){0};
}
