#include "format/core/gc_pending.h"

#include "base/alloc.h"
#include "base/search.h"
#include "format/core/core_roots.h"
#include "process/memory.h"

#include <stdlib.h>
#include <string.h>

/* What the collector keeps free behind a limit: the smallest object. A thread makes one
 * object at a time, and a few may be left of older ones. */
enum { BEHIND_LIMIT = 24, WORD = 8, MOST_PENDING = 1 << 16 };

struct stack_word {
    uint64_t word, at;
};

struct search {
    const struct gc_regions *regions;
    const struct memory *memory;
    struct stack_word last[2];
    struct gc_gap *all;
    size_t len, cap;
};

static bool ends_before(const void *regions, size_t i, const void *address)
{
    const struct gc_region *all = regions;
    return all[i].end <= *(const uint64_t *)address;
}

/* All of it in one region. */
static bool is_in_heap(const struct gc_regions *regions, uint64_t start, uint64_t end)
{
    size_t i = search_first(regions->all, 0, regions->len, ends_before, &start);
    return i < regions->len && start >= regions->all[i].start && end <= regions->all[i].end;
}

/* Three words in a row: where it begins, its limit, and how many bytes that are in all. */
static void look_at(void *context, uint64_t word, uint64_t at)
{
    struct search *s = context;
    const struct stack_word first = s->last[0], second = s->last[1];
    uint64_t start = first.word, limit = second.word;
    s->last[0] = second;
    s->last[1] = (struct stack_word){word, at};
    if (first.at == 0 || second.at != first.at + WORD || at != second.at + WORD ||
        limit <= start || word != limit - start + BEHIND_LIMIT || word % WORD != 0 ||
        start % WORD != 0 || s->len == MOST_PENDING ||
        !is_in_heap(s->regions, start, limit + BEHIND_LIMIT))
        return;
    memory_keep(s->memory, first.at, 3 * (uint64_t)WORD);
    s->all = grow(s->all, s->len, &s->cap, sizeof(*s->all));
    s->all[s->len++] = (struct gc_gap){start, limit + BEHIND_LIMIT};
}

static int by_start(const void *a, const void *b)
{
    const struct gc_gap *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

void gc_pending_find(struct gc_regions *regions, const struct process_image *p,
                     const struct gc_threads *threads, struct arena *a)
{
    struct search s = {.regions = regions, .memory = &p->memory};
    gc_stacks_each(p, threads, look_at, &s);
    if (s.len > 0)
        qsort(s.all, s.len, sizeof(*s.all), by_start);
    regions->pending = arena_array(a, struct gc_gap, s.len);
    regions->pending_count = s.len;
    if (s.len > 0)
        memcpy(regions->pending, s.all, s.len * sizeof(*s.all));
    free(s.all);
}

static bool starts_before(const void *pending, size_t i, const void *address)
{
    const struct gc_gap *all = pending;
    return all[i].start < *(const uint64_t *)address;
}

size_t gc_pending_from(const struct gc_regions *regions, uint64_t start)
{
    return search_first(regions->pending, 0, regions->pending_count, starts_before, &start);
}
