#include "format/core/gc_regions.h"

#include "heap/ids.h"

#include <stdlib.h>
#include <string.h>

/* Members of a region or segment (dac_heap_segment). */
enum {
    SEGMENT_ALLOCATED = 0,
    SEGMENT_START = 32,
    SEGMENT_FLAGS = 40,
    SEGMENT_NEXT = 48,
    SEGMENT_IS_FROZEN = 1
};

/* Objects begin at multiples of it. */
enum { ALIGNMENT = 8, SMALLEST_OBJECT = 24 };

struct finding {
    const struct gc_globals *g;
    const struct memory *m;
    struct id_numbers seen; /* addresses of segments */
    struct gc_region *all;
    size_t len, cap;
    struct range *ranges;
    size_t range_count, range_cap;
    struct gc_gap *gaps;
    size_t gap_count, gap_cap;
    struct gc_regions *found;
};

static void add_range(struct finding *f, uint64_t start, uint64_t end,
                      enum hd_generation generation)
{
    f->ranges = grow(f->ranges, f->range_count, &f->range_cap, sizeof(*f->ranges));
    f->ranges[f->range_count++] = (struct range){start, end, generation};
}

/* The collector leaves room for the smallest object behind each limit. */
static void add_gap(struct finding *f, uint64_t pointer, uint64_t limit)
{
    if (pointer == 0 || limit < pointer || limit > UINT64_MAX - SMALLEST_OBJECT)
        return;
    f->gaps = grow(f->gaps, f->gap_count, &f->gap_cap, sizeof(*f->gaps));
    f->gaps[f->gap_count++] = (struct gc_gap){pointer, limit + SMALLEST_OBJECT};
}

/* --- segments ------------------------------------------------------------ */

static void add_segment(struct finding *f, const struct gc_part *part, uint64_t segment,
                        enum hd_generation generation)
{
    bool ok = true;
    uint64_t start = memory_u64(f->m, segment + SEGMENT_START, &ok),
             end = memory_u64(f->m, segment + SEGMENT_ALLOCATED, &ok),
             flags = memory_u64(f->m, segment + SEGMENT_FLAGS, &ok);
    if (segment == part->ephemeral_segment)
        end = part->allocated;
    if (!ok || start % ALIGNMENT != 0 || end < start) {
        f->found->overlapping++;
        return;
    }
    if (start == end)
        return;
    add_range(f, start, end, flags & SEGMENT_IS_FROZEN ? HD_GEN_FROZEN : generation);
    f->all = grow(f->all, f->len, &f->cap, sizeof(*f->all));
    f->all[f->len++] =
        (struct gc_region){.start = start, .end = end / ALIGNMENT * ALIGNMENT};
}

static void add_list(struct finding *f, const struct gc_part *part, unsigned generation)
{
    static const enum hd_generation generations[GC_GENERATIONS] = {
        HD_GEN0, HD_GEN1, HD_GEN2, [GC_LARGE] = HD_GEN_LOH, [GC_PINNED] = HD_GEN_POH};
    bool ok = true;
    uint64_t table = part->generations + generation * f->g->generation_size;
    uint64_t segment = memory_u64(f->m, table + f->g->start_segment_at, &ok);
    while (ok && segment != 0 && id_numbers_find(&f->seen, segment) == NO_ID) {
        id_numbers_add(&f->seen, segment);
        add_segment(f, part, segment, generations[generation]);
        segment = memory_u64(f->m, segment + SEGMENT_NEXT, &ok);
    }
    if (!ok)
        f->found->overlapping++;
    ok = true;
    uint64_t pointer = memory_u64(f->m, table + f->g->allocation_at, &ok),
             limit = memory_u64(f->m, table + f->g->allocation_at + 8, &ok);
    if (ok)
        add_gap(f, pointer, limit);
}

/* Where heaps consist of segments, the youngest objects stand at the end of one of the
 * list of generation 2, and where each generation begins is told. */
static void add_young(struct finding *f, const struct gc_part *part)
{
    bool ok = true;
    uint64_t table = part->generations + f->g->allocation_start_at,
             gen0 = memory_u64(f->m, table, &ok),
             gen1 = memory_u64(f->m, table + f->g->generation_size, &ok);
    if (!ok)
        return;
    add_range(f, gen0, part->allocated, HD_GEN0);
    add_range(f, gen1, gen0, HD_GEN1);
}

static void find_segments(struct finding *f)
{
    for (size_t i = 0; i < f->g->part_count; i++) {
        const struct gc_part *part = &f->g->parts[i];
        if (f->g->has_segments) {
            add_young(f, part);
            add_list(f, part, 2);
        }
        for (unsigned generation = 0; generation < GC_GENERATIONS; generation++)
            add_list(f, part, generation);
    }
}

/* --- putting them in order ----------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct gc_region *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

static int by_gap(const void *a, const void *b)
{
    const struct gc_gap *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

/* As far as memory goes without a hole. */
static void clip(struct gc_region *region, const struct memory *m)
{
    uint64_t at = region->start;
    struct bytes there = memory_from(m, at);
    region->bytes = there.size >= region->end - at ? there.data : NULL;
    while (at < region->end && there.size > 0) {
        at += there.size < region->end - at ? there.size : region->end - at;
        there = memory_from(m, at);
    }
    at -= (at - region->start) % ALIGNMENT;
    region->missing = region->end - at;
    region->end = at;
}

/* Each byte is of one region: what overlaps another is left out. */
static void take_disjoint(struct finding *f, struct arena *a)
{
    struct gc_regions *found = f->found;
    uint64_t end = 0;
    if (f->len > 0)
        qsort(f->all, f->len, sizeof(*f->all), by_start);
    found->all = arena_array(a, struct gc_region, f->len);
    for (size_t i = 0; i < f->len; i++) {
        struct gc_region region = f->all[i];
        if (region.start < end) {
            found->overlapping++;
            continue;
        }
        end = region.end;
        clip(&region, f->m);
        found->missing += region.missing;
        if (region.end > region.start)
            found->all[found->len++] = region;
    }
}

static void take_gaps(struct finding *f, struct arena *a)
{
    struct gc_regions *found = f->found;
    if (f->gap_count > 0)
        qsort(f->gaps, f->gap_count, sizeof(*f->gaps), by_gap);
    found->gaps = arena_array(a, struct gc_gap, f->gap_count);
    found->gap_count = f->gap_count;
    if (f->gap_count > 0)
        memcpy(found->gaps, f->gaps, f->gap_count * sizeof(*f->gaps));
}

struct gc_regions gc_regions_find(const struct gc_globals *g, const struct gc_threads *t,
                                  const struct memory *m, struct arena *a)
{
    struct gc_regions found = {.len = 0};
    struct finding f = {.g = g, .m = m, .found = &found};
    find_segments(&f);
    for (size_t i = 0; i < t->len; i++)
        add_gap(&f, t->all[i].allocation_pointer, t->all[i].allocation_limit);
    take_disjoint(&f, a);
    take_gaps(&f, a);
    found.ranges = ranges_build(f.ranges, f.range_count, a);
    free(f.all);
    free(f.ranges);
    free(f.gaps);
    id_numbers_free(&f.seen);
    return found;
}
