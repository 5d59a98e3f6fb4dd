#include "format/core/gc_handles.h"

#include "heap/ids.h"

/* A map of tables: buckets, the next map, how many buckets there are room for. */
enum { MAP_BUCKETS = 0, MAP_NEXT = 8, MAP_COUNT = 16, MOST_BUCKETS = 1 << 16 };

/* One table per heap. A server collector makes as many as there are processors, and may use
 * those of heaps that it does without at the moment. */
enum { MOST_TABLES = 1024 };

/* A segment: a header, then blocks of handles. Types of the blocks and numbers of the
 * blocks with their second halves stand at fixed places; what comes behind depends on how
 * many types of handles there are: six bytes for each, the next segment, its table. */
enum {
    SEGMENT_SIZE = 64 * 1024,
    SEGMENT_BLOCKS = 120,
    SEGMENT_TYPES = 1560,
    SEGMENT_USER_DATA = 1680,
    SEGMENT_BEHIND_TAILS = 1920,
    SEGMENT_PER_TYPE = 6,
    SEGMENT_VALUES = 4096,
    BLOCK_HANDLES = 64,
    FEWEST_TYPES = 8,
    MOST_TYPES = 24,
    POINTER = 8
};

struct search {
    const struct memory *m;
    uint32_t types; /* of handles; 0: not known yet */
    struct id_numbers segments, maps;
    void (*take)(void *context, const struct gc_handle *h);
    void *context;
};

static uint64_t next_segment_at(const struct search *s)
{
    return SEGMENT_BEHIND_TAILS + SEGMENT_PER_TYPE * (uint64_t)s->types;
}

/* --- a segment ----------------------------------------------------------- */

static uint64_t secondary(const struct search *s, uint64_t segment, unsigned block,
                          unsigned i)
{
    bool ok = true;
    unsigned data = memory_u8(s->m, segment + SEGMENT_USER_DATA + block, &ok);
    if (!ok || data >= SEGMENT_BLOCKS)
        return 0;
    return memory_u64(
        s->m, segment + SEGMENT_VALUES + POINTER * (uint64_t)(data * BLOCK_HANDLES + i),
        &ok);
}

static void take_block(const struct search *s, uint64_t segment, unsigned block)
{
    bool ok = true;
    unsigned kind = memory_u8(s->m, segment + SEGMENT_TYPES + block, &ok);
    uint64_t values =
        segment + SEGMENT_VALUES + POINTER * (uint64_t)(block * BLOCK_HANDLES);
    /* The last type is of blocks with second halves; free ones have 255. */
    if (!ok || kind + 1 >= s->types)
        return;
    for (unsigned i = 0; i < BLOCK_HANDLES; i++) {
        struct gc_handle h = {
            .kind = kind, .object = memory_u64(s->m, values + POINTER * (uint64_t)i, &ok)};
        if (h.object == 0)
            continue;
        if (kind == GC_HANDLE_DEPENDENT)
            h.secondary = secondary(s, segment, block, i);
        s->take(s->context, &h);
    }
}

static void take_segments(struct search *s, uint64_t segment)
{
    bool ok = true;
    while (ok && segment != 0 && segment % SEGMENT_SIZE == 0 &&
           id_numbers_find(&s->segments, segment) == NO_ID) {
        id_numbers_add(&s->segments, segment);
        for (unsigned block = 0; block < SEGMENT_BLOCKS; block++)
            take_block(s, segment, block);
        segment = memory_u64(s->m, segment + next_segment_at(s), &ok);
    }
}

/* --- tables -------------------------------------------------------------- */

/* The first segment of a table stands behind 4 bytes for each type, and leads back to it.
 * 0: this is no table. */
static uint64_t first_segment(const struct search *s, uint64_t table, uint32_t types)
{
    bool ok = true;
    uint64_t at = ((uint64_t)types * 4 + POINTER - 1) / POINTER * POINTER,
             segment = memory_u64(s->m, table + at, &ok);
    if (!ok || segment == 0 || segment % SEGMENT_SIZE != 0)
        return 0;
    uint64_t back =
        segment + SEGMENT_BEHIND_TAILS + SEGMENT_PER_TYPE * (uint64_t)types + POINTER;
    return memory_u64(s->m, back, &ok) == table && ok ? segment : 0;
}

static bool take_table(struct search *s, uint64_t table)
{
    uint64_t segment = 0;
    if (table == 0)
        return false;
    for (uint32_t types = FEWEST_TYPES; s->types == 0 && types <= MOST_TYPES; types++)
        if (first_segment(s, table, types) != 0)
            s->types = types;
    if (s->types > 0)
        segment = first_segment(s, table, s->types);
    if (segment != 0)
        take_segments(s, segment);
    return segment != 0;
}

static void take_bucket(struct search *s, const struct gc_globals *g, uint64_t bucket)
{
    bool ok = true;
    uint64_t tables = memory_u64(s->m, bucket, &ok);
    for (unsigned i = 0; ok && i < MOST_TABLES; i++) {
        uint64_t table = memory_u64(s->m, tables + POINTER * (uint64_t)i, &ok);
        if (!take_table(s, table) && i >= g->part_count)
            return;
    }
}

void gc_handles_each(const struct gc_globals *g, const struct memory *m,
                     void (*take)(void *context, const struct gc_handle *h), void *context)
{
    struct search s = {.m = m, .take = take, .context = context};
    uint64_t map = g->handle_map;
    unsigned left = MOST_BUCKETS;
    bool ok = true;
    while (ok && map != 0 && id_numbers_find(&s.maps, map) == NO_ID) {
        id_numbers_add(&s.maps, map);
        uint64_t buckets = memory_u64(m, map + MAP_BUCKETS, &ok);
        uint32_t count = memory_u32(m, map + MAP_COUNT, &ok);
        for (uint32_t i = 0; ok && i < count && left > 0; i++, left--) {
            bool there = true;
            uint64_t bucket = memory_u64(m, buckets + POINTER * (uint64_t)i, &there);
            if (!there)
                break;
            if (bucket != 0)
                take_bucket(&s, g, bucket);
        }
        map = memory_u64(m, map + MAP_NEXT, &ok);
    }
    id_numbers_free(&s.segments);
    id_numbers_free(&s.maps);
}
