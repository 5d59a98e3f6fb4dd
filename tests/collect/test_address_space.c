/* Mapped memory of the test's own process: makes each kind of memory and compares the runs
 * that are found with the pages that were written. */
#define _GNU_SOURCE /* memfd_create */
#include "collect/process_copy.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(address_space, .timeout = 60);

enum { PAGES = 64 };
/* Names a memory file as the runtime does. */
static const char doublemapper[] = "doublemapper";

/* Draws the part of the runs inside a mapping, a letter per page: `.` not found, `w`
 * private, `s` shared. */
static void picture(const struct runs *r, const unsigned char *at, char to[PAGES + 1])
{
    uint64_t start = (uintptr_t)at;
    memset(to, '.', PAGES);
    to[PAGES] = '\0';
    for (size_t i = 0; i < r->count; i++)
        for (uint64_t p = r->all[i].address; p < r->all[i].address + r->all[i].size;
             p += PAGE)
            if (p >= start && p < start + PAGES * PAGE)
                to[(p - start) / PAGE] = r->all[i].is_shared ? 's' : 'w';
}

static unsigned char *mapped(int flags, int fd, off_t offset)
{
    unsigned char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, flags, fd, offset);
    cr_assert_neq(p, MAP_FAILED);
    return p;
}

/* Finds the runs of one mapping through FROM, not of the whole process, in which a
 * sanitizer has mapped terabytes. */
static bool find(struct runs *r, const struct page_source *from, const unsigned char *at,
                 struct hd_error *err)
{
    struct arena arena = {0};
    struct address_space space, only = {.count = 0};
    cr_assert(address_space_read(&space, getpid(), &arena));
    for (size_t i = 0; i < space.count; i++)
        if (space.areas[i].start < (uintptr_t)at + PAGES * PAGE &&
            space.areas[i].end > (uintptr_t)at) {
            only.areas = only.count == 0 ? &space.areas[i] : only.areas;
            only.count++;
        }
    cr_assert_gt(only.count, 0);
    bool ok = runs_find(r, from, &only, err);
    uint64_t sum = 0;
    for (size_t i = 0; i < r->count; i++) {
        sum += r->all[i].size;
        r->all[i].area = NULL; /* freed with the arena */
        cr_assert(i == 0 ||
                  r->all[i - 1].address + r->all[i - 1].size <= r->all[i].address);
    }
    cr_assert_eq(sum, r->size);
    arena_free(&arena);
    return ok;
}

static struct page_source source(void)
{
    struct page_source from;
    struct hd_error err = {0};
    cr_assert(page_source_open(&from, getpid(), &err), "%s", err.message);
    return from;
}

/* A file with the kernel's data about pages, which cannot be asked for runs. */
static int copy_of_page_map(int pages, const unsigned char *at)
{
    enum { ENTRY = 8 };
    unsigned char entries[PAGES * ENTRY];
    off_t place = (off_t)((uintptr_t)at / PAGE * ENTRY);
    int fd = memfd_create("pages", MFD_CLOEXEC);
    cr_assert_eq(pread(pages, entries, sizeof(entries), place), sizeof(entries));
    cr_assert_eq(pwrite(fd, entries, sizeof(entries), place), sizeof(entries));
    /* The rest of the file is zero: other memory has no pages. */
    cr_assert_eq(ftruncate(fd, (off_t)1 << 50), 0);
    return fd;
}

Test(address_space, finds_the_pages_that_were_written)
{
    unsigned char *p = mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p[0] = p[3 * PAGE] = p[4 * PAGE] = p[(PAGES - 1) * PAGE] = 1;
    /* Pages that were only read are zeros; a kernel that can distinguish them leaves them
     * out. */
    cr_assert_eq(*(volatile unsigned char *)(p + 7 * PAGE), 0);
    struct page_source from = source();
    struct runs r = {0};
    struct hd_error err = {0};
    char found[PAGES + 1];
    cr_assert(find(&r, &from, p, &err), "%s", err.message);
    picture(&r, p, found);
    cr_expect_eq(memcmp(found, "w..ww..", 7), 0, "%s", found);
    cr_expect_eq(found[PAGES - 1], 'w');
    runs_free(&r);

    /* A kernel before 6.7 is asked page by page. */
    int before = from.pages;
    from.pages = copy_of_page_map(before, p);
    r = (struct runs){0};
    cr_assert(find(&r, &from, p, &err), "%s", err.message);
    picture(&r, p, found);
    cr_expect_eq(memcmp(found, "w..ww..", 7), 0, "%s", found);
    cr_expect_eq(found[PAGES - 1], 'w');
    runs_free(&r);

    /* Or it reports no pages. */
    close(from.pages);
    from.pages = open("/dev/null", O_RDONLY | O_CLOEXEC);
    r = (struct runs){0};
    cr_expect_not(find(&r, &from, p, &err));
    cr_expect_eq(err.status, HD_UNSUPPORTED);
    runs_free(&r);
    close(before);
    page_source_close(&from);
}

/* A file of the runtime's own; its second half is mapped here. */
static unsigned char *shared_with_itself(int *fd)
{
    unsigned char page[PAGE];
    memset(page, 1, sizeof(page));
    *fd = memfd_create(doublemapper, MFD_CLOEXEC);
    cr_assert_eq(ftruncate(*fd, 2 * PAGES * PAGE), 0);
    static const int written[] = {2, PAGES - 1, PAGES, PAGES + 5, PAGES + 6};
    for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++)
        cr_assert_eq(pwrite(*fd, page, PAGE, (off_t)written[i] * PAGE), PAGE);
    return mapped(MAP_SHARED, *fd, (off_t)PAGES * PAGE);
}

Test(address_space, finds_what_was_written_through_another_mapping)
{
    int fd;
    const unsigned char *p = shared_with_itself(&fd);
    struct page_source from = source();
    cr_assert_geq(from.shared, 0);
    struct runs r = {0};
    struct hd_error err = {0};
    char found[PAGES + 1];
    cr_assert(find(&r, &from, p, &err), "%s", err.message);
    picture(&r, p, found);
    cr_expect_eq(memcmp(found, "s....ss.", 8), 0, "%s", found);
    cr_expect_eq(found[PAGES - 1], '.');
    runs_free(&r);

    /* Everything: data up to the end of the mapping, and of the file. */
    unsigned char *all = mmap(NULL, 2 * PAGES * PAGE, PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert_neq(all, MAP_FAILED);
    memset(all, 1, 2 * PAGES * PAGE);
    r = (struct runs){0};
    cr_assert(find(&r, &from, p, &err), "%s", err.message);
    picture(&r, p, found);
    cr_expect_eq(strspn(found, "s"), PAGES, "%s", found);
    runs_free(&r);
    int pages = from.pages, shared = from.shared;
    page_source_close(&from);
    cr_expect_eq(fcntl(pages, F_GETFD), -1);
    cr_expect_eq(fcntl(shared, F_GETFD), -1);
}

/* Pages of unknown state would be missing in the copy without a warning. */
Test(address_space, a_page_map_without_answers_is_an_error)
{
    int fd, ends[2];
    const unsigned char *p = shared_with_itself(&fd);
    struct page_source from = source();
    struct runs r = {0};
    struct hd_error err = {0};
    cr_assert_eq(pipe(ends), 0);
    close(from.shared);
    from.shared = ends[0];
    cr_expect_not(find(&r, &from, p, &err));
    cr_expect_eq(err.status, HD_UNSUPPORTED);
    runs_free(&r);
    close(ends[1]);
    page_source_close(&from);
}

Test(address_space, recognizes_file_mappings_and_unreadable_memory)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const unsigned char *file = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    const unsigned char *none =
        mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct arena arena = {0};
    struct address_space space;
    cr_assert(address_space_read(&space, getpid(), &arena));
    bool saw_file = false, saw_none = false;
    for (size_t i = 0; i < space.count; i++) {
        const struct area *a = &space.areas[i];
        cr_assert_lt(a->start, a->end);
        if (a->start == (uintptr_t)file) {
            saw_file = true;
            cr_expect(area_is_of_file(a));
            cr_expect(a->readable && !a->writable && a->is_private);
        }
        if (a->start <= (uintptr_t)none && (uintptr_t)none < a->end) {
            saw_none = true;
            cr_expect_not(a->readable);
            cr_expect_not(area_is_of_file(a));
        }
    }
    cr_expect(saw_file && saw_none);
    arena_free(&arena);
    static const struct {
        const char *path;
        bool is_of_file;
    } paths[] = {{"/usr/lib/libc.so.6", true},
                 {"/usr/lib/libc.so.6 (deleted)", false},
                 {"/dev/zero", false},
                 {"/memfd:doublemapper (deleted)", false},
                 {"/memfd:x", false},
                 {"[heap]", false},
                 {"", false}};
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
        cr_expect_eq(area_is_of_file(&(struct area){.path = paths[i].path}),
                     paths[i].is_of_file, "%s", paths[i].path);
}

Test(address_space, a_process_that_is_not_there_has_ended)
{
    enum { NOBODY = 1 << 22 };
    struct arena arena = {0};
    struct address_space space;
    struct page_source from;
    struct hd_error err = {0};
    cr_expect_not(address_space_read(&space, NOBODY, &arena));
    cr_expect(errno == ENOENT || errno == ESRCH);
    cr_expect_not(page_source_open(&from, NOBODY, &err));
    cr_expect_str_eq(err.message, "the process has exited");
    page_source_close(&from);
    arena_free(&arena);
}
