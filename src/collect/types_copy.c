/* What a process knows of its types, copied while it runs on: runtime, assemblies, and the
 * smallest areas of what it has written. A large heap lies in large areas, which are left
 * out: whoever reads the copy asks the process for the few words of it that he needs. */
#include "base/error.h"
#include "collect/find_target.h"
#include "collect/process_copy.h"

#include <stdlib.h>

static const uint64_t most_written = (uint64_t)64 << 20;

struct types_copy {
    struct process_copy of;
    struct address_space small; /* the areas that are copied */
    const struct hd_collect_options *how;
    struct patience patience;
};

/* --- which areas --------------------------------------------------------------- */

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

/* Those with the least written memory, as long as all of it is not too much. */
static void choose(struct types_copy *c)
{
    struct arena *a = &c->of.arena;
    const struct runs *runs = &c->of.runs;
    struct written *all = arena_array(a, struct written, runs->count);
    size_t count = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < runs->count; i++) {
        if (count == 0 || all[count - 1].area != runs->all[i].area)
            all[count++] = (struct written){runs->all[i].area, 0};
        all[count - 1].bytes += runs->all[i].size;
    }
    if (count > 0)
        qsort(all, count, sizeof(*all), by_bytes);
    c->small.areas = arena_array(a, struct area, count);
    for (size_t i = 0; i < count && (bytes += all[i].bytes) <= most_written; i++)
        c->small.areas[c->small.count++] = *all[i].area;
    if (c->small.count > 0)
        qsort(c->small.areas, c->small.count, sizeof(*c->small.areas), by_address);
}

/* --- copying ------------------------------------------------------------------- */

static bool look(struct types_copy *c, struct hd_error *err)
{
    struct process_copy *of = &c->of;
    if (!process_copy_look(of, err) || !page_source_open(&of->pages, of->pid, err) ||
        !runs_find(&of->runs, &of->pages, &of->space, err))
        return false;
    choose(c);
    images_find(of);
    images_leave_to_disk(of, &c->patience);
    return runs_find(&of->runs, &of->pages, &c->small, err);
}

/* What was given back meanwhile stays zero. Whoever reads a core wants a thread: one that
 * stands nowhere. */
static bool copy(struct types_copy *t, int to, struct hd_error *err)
{
    struct process_copy *c = &t->of;
    const struct core_thread thread = {.id = c->pid};
    uint64_t at = process_copy_runs_at(c), size = at + c->runs.span_size;
    uint64_t takes = c->images.size + c->runs.size, most = t->how->max_memory;
    if (most > 0 && takes > most)
        return fail_memory(err, "copying the type information of the process", takes, most);
    c->room.fd = to;
    if (!copy_room_make(&c->room, size, err))
        return false;
    images_copy(c, &t->patience);
    for (size_t i = 0; i < c->runs.count; i++) {
        const struct run *run = &c->runs.all[i];
        uint64_t offset = run->area->offset + (run->address - run->area->start);
        copy_from(run->is_shared ? c->pages.shared : c->mem, c->room.bytes + at + run->at,
                  run->size, run->is_shared ? offset : run->address);
    }
    return process_copy_is_same(c, err) && core_write_rest(to, c, &thread, 1, &size, err);
}

bool hd_collect_types(FILE *to, const struct hd_collect_options *opt, struct hd_error *err)
{
    struct hd_error own = {0};
    struct hd_collect_options how;
    err = err != NULL ? err : &own;
    if (!collect_options_copy(&how, opt, err))
        return false;
    struct types_copy c = {.how = &how, .patience = collect_patience(&how)};
    bool ok =
        process_copy_open(&c.of, &how, err) && look(&c, err) && copy(&c, fileno(to), err);
    process_copy_close(&c.of);
    return ok;
}
