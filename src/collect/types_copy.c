/* What a process knows of its types, copied while it runs on: runtime, assemblies, and the
 * smallest areas of what it has written. A large heap lies in large areas, which are left
 * out: whoever reads the copy asks the process for the few words of it that he needs. */
#include "base/error.h"
#include "base/options.h"
#include "collect/copying.h"
#include "collect/core_writer.h"
#include "collect/denied.h"
#include "collect/direct_target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t most_written = (uint64_t)64 << 20;

struct types_copy {
    struct direct_target target;
    int mem;
    struct page_source pages;
    struct copy_room room;
    struct address_space space, small; /* small: the areas that are copied */
    struct runs runs;
    struct images images;
    struct arena arena;
};

/* --- which areas ------------------------------------------------------------------ */

struct written {
    const struct area *area;
    uint64_t bytes;
};

static int by_bytes(const void *a, const void *b)
{
    const struct written *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->area > y->area) - (x->area < y->area);
}

static int by_address(const void *a, const void *b)
{
    const struct area *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static size_t sum_areas(const struct runs *runs, struct written *all)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct run *run = &runs->all[i];
        if (count == 0 || all[count - 1].area != run->area)
            all[count++] = (struct written){run->area, 0};
        all[count - 1].bytes += run->size;
    }
    return count;
}

static void choose(struct types_copy *c)
{
    struct written *all = arena_array(&c->arena, struct written, c->runs.count);
    size_t count = sum_areas(&c->runs, all);
    uint64_t bytes = 0;
    if (count > 0)
        qsort(all, count, sizeof(*all), by_bytes);
    c->small.areas = arena_array(&c->arena, struct area, count);
    for (size_t i = 0; i < count && (bytes += all[i].bytes) <= most_written; i++)
        c->small.areas[c->small.count++] = *all[i].area;
    if (c->small.count > 0)
        qsort(c->small.areas, c->small.count, sizeof(*c->small.areas), by_address);
}

/* --- copying ---------------------------------------------------------------------- */

static bool gone_or_denied(const struct types_copy *c, struct hd_error *err)
{
    if (errno == ENOENT || errno == ESRCH)
        return fail(err, HD_IO, "the process has ended");
    return denied_fail(c->target.pid, err);
}

static bool look(struct types_copy *c, struct hd_error *err)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%ld/mem", (long)c->target.pid);
    c->mem = open(path, O_RDONLY | O_CLOEXEC);
    if (c->mem < 0 || !address_space_read(&c->space, c->target.pid, &c->arena))
        return gone_or_denied(c, err);
    if (!page_source_open(&c->pages, c->target.pid, err) ||
        !runs_find(&c->runs, &c->pages, &c->space, err))
        return false;
    choose(c);
    images_find(&c->images, &c->space, c->target.pid);
    return runs_find(&c->runs, &c->pages, &c->small, err);
}

/* What was given back meanwhile stays zero. */
static void copy_run(const struct types_copy *c, const struct run *run)
{
    unsigned char *to = c->room.bytes + CORE_MEMORY_AT + c->images.size + run->at;
    uint64_t from = run->address;
    if (run->is_shared)
        from = run->area->offset + (run->address - run->area->start);
    for (uint64_t done = 0; done < run->size;) {
        ssize_t n = pread(run->is_shared ? c->pages.shared : c->mem, to + done,
                          (size_t)(run->size - done), (off_t)(from + done));
        if (n <= 0)
            return;
        done += (uint64_t)n;
    }
}

static bool copy(struct types_copy *c, uint64_t most, struct hd_error *err)
{
    uint64_t size = CORE_MEMORY_AT + c->images.size + c->runs.span_size;
    if (most > 0 && c->images.size + c->runs.size > most)
        return fail_memory(err, "to copy what the process knows of its types",
                           c->images.size + c->runs.size, most);
    if (!copy_room_make(&c->room, size, err))
        return false;
    images_copy(&c->images, c->target.pid, &c->room, CORE_MEMORY_AT);
    for (size_t i = 0; i < c->runs.count; i++)
        copy_run(c, &c->runs.all[i]);
    return direct_target_is_same(&c->target) || fail(err, HD_IO, "the process has ended");
}

/* Whoever reads a core wants a thread: one that stands nowhere. */
static bool finish(struct types_copy *c, int to, struct hd_error *err)
{
    const struct core_thread thread = {.id = c->target.pid};
    const struct text *auxv = &c->target.auxv;
    const struct core_content content = {.pid = c->target.pid,
                                         .name = c->target.name,
                                         .arguments = c->target.arguments,
                                         .auxv = {(unsigned char *)auxv->data, auxv->len},
                                         .space = &c->space,
                                         .images = &c->images,
                                         .runs = &c->runs,
                                         .threads = &thread,
                                         .thread_count = 1};
    uint64_t size;
    return core_write_rest(to, &content, &size, err);
}

static void close_all(struct types_copy *c)
{
    copy_room_free(&c->room);
    if (c->mem >= 0)
        close(c->mem);
    page_source_close(&c->pages);
    runs_free(&c->runs);
    images_free(&c->images);
    arena_free(&c->arena);
    direct_target_close(&c->target);
}

bool hd_collect_types(FILE *to, const struct hd_collect_options *opt, struct hd_error *err)
{
    struct hd_error own = {0};
    struct hd_collect_options how;
    err = err != NULL ? err : &own;
    if (!options_take(&how, sizeof(how), OPTIONS_END(struct hd_collect_options, context),
                      opt, err))
        return false;
    struct types_copy c = {
        .mem = -1, .pages = {.pages = -1, .shared = -1}, .room = {.fd = fileno(to)}};
    bool ok = direct_target_open(&c.target, &how, err) && look(&c, err) &&
              copy(&c, how.max_memory, err) && finish(&c, fileno(to), err);
    close_all(&c);
    return ok;
}
