#include "clr/managed/gc_heap.h"

#include "base/arrays.h"
#include "base/error.h"
#include "base/workers.h"
#include "heap/free_space.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- references ---------------------------------------------------------------- */

enum { POINTER = 8, PAIR = 16, HEADER = 8 };

static const struct gc_descriptor damaged = {.shape = GC_DAMAGED};

/* Reads pairs of (bytes minus the object's size, offset), the first one next to the number.
 * The runs must be inside the object and disjoint, since each reference is walked once. */
static struct gc_descriptor read_runs(const struct memory *m, uint64_t below,
                                      uint64_t count, uint32_t base_size, struct arena *a)
{
    if (count > base_size / POINTER)
        return damaged;
    const unsigned char *pairs = memory_at(m, below - PAIR * count, PAIR * count);
    if (pairs == NULL)
        return damaged;
    struct gc_descriptor d = {.shape = GC_RUNS,
                              .runs = arena_array(a, struct gc_run, (size_t)count)};
    uint64_t all = 0, end = base_size - HEADER;
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *pair = pairs + PAIR * (count - 1 - i);
        uint64_t bytes = le_u64(pair) + base_size, offset = le_u64(pair + POINTER);
        bool inside = offset >= HEADER && offset < end && bytes > 0 &&
                      bytes <= end - offset && bytes % POINTER == 0;
        all += bytes;
        if (!inside || all > end)
            return damaged;
        d.runs[d.run_count++] =
            (struct gc_run){(uint32_t)offset, (uint32_t)(bytes / POINTER)};
    }
    d.pointers = (uint32_t)(all / POINTER);
    return d;
}

/* Reads one run that extends to the end of the object, whatever its length: of references,
 * or of structs that consist of references. */
static struct gc_descriptor read_array(const struct memory *m, uint64_t below,
                                       uint32_t base_size, uint32_t component_size,
                                       struct arena *a)
{
    const unsigned char *pair = memory_at(m, below - PAIR, PAIR);
    if (pair == NULL || component_size % POINTER != 0)
        return damaged;
    uint64_t offset = le_u64(pair + POINTER);
    if (offset != base_size - HEADER)
        return damaged;
    struct gc_descriptor d = {.shape = GC_ARRAY,
                              .first = (uint32_t)offset,
                              .element = component_size,
                              .pointers = component_size / POINTER};
    if (component_size > POINTER) {
        d.shape = GC_ELEMENTS;
        d.runs = arena_array(a, struct gc_run, 1);
        d.runs[d.run_count++] = (struct gc_run){0, d.pointers};
    }
    return d;
}

/* Reads (u32 pointers, u32 bytes to skip), the first one next to the offset of the first
 * pointer. Together they are as long as an element: the last one skips the rest after its
 * last pointer, and what precedes the first one of the next element. */
static struct gc_descriptor read_elements(const struct memory *m, uint64_t below,
                                          uint64_t count, uint32_t base_size,
                                          uint32_t component_size, struct arena *a)
{
    if (count > component_size / POINTER)
        return damaged;
    const unsigned char *items =
        memory_at(m, below - POINTER - POINTER * count, POINTER * (count + 1));
    if (items == NULL)
        return damaged;
    uint64_t start = base_size - HEADER, first = le_u64(items + POINTER * count);
    uint64_t lead = first - start, at = 0, end = 0;
    struct gc_descriptor d = {.shape = GC_ELEMENTS,
                              .first = (uint32_t)start,
                              .element = component_size,
                              .runs = arena_array(a, struct gc_run, (size_t)count)};
    for (uint64_t i = 0; i < count && lead < component_size; i++) {
        const unsigned char *item = items + POINTER * (count - 1 - i);
        uint64_t pointers = le_u32(item), skip = le_u32(item + 4);
        end = lead + at + POINTER * pointers;
        at += POINTER * pointers + skip;
        if (pointers == 0 || end > component_size || at > component_size)
            return damaged;
        d.runs[d.run_count++] =
            (struct gc_run){(uint32_t)(end - POINTER * pointers), (uint32_t)pointers};
        d.pointers += (uint32_t)pointers;
    }
    return at == component_size && lead % POINTER == 0 ? d : damaged;
}

struct gc_descriptor gc_descriptor_read(const struct memory *m, uint64_t method_table,
                                        uint32_t base_size, uint32_t component_size,
                                        struct arena *a)
{
    bool ok = true;
    uint64_t below = method_table - POINTER;
    int64_t count = (int64_t)memory_u64(m, below, &ok);
    if (!ok || count == 0 || base_size < HEADER)
        return damaged;
    if (count < 0)
        return read_elements(m, below, 0 - (uint64_t)count, base_size, component_size, a);
    if (component_size > 0)
        return count == 1 ? read_array(m, below, base_size, component_size, a) : damaged;
    return read_runs(m, below, (uint64_t)count, base_size, a);
}

/* --- regions ------------------------------------------------------------------- */

/* Members of a region or segment (dac_heap_segment). */
enum {
    SEGMENT_ALLOCATED = 0,
    SEGMENT_START = 32,
    SEGMENT_FLAGS = 40,
    SEGMENT_NEXT = 48,
    SEGMENT_IS_FROZEN = 1
};

/* Alignment of objects; the collector reserves space for the smallest one after each
 * limit. */
enum { ALIGNMENT = 8, SMALLEST_OBJECT = 24 };

struct region_finder {
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

static void add_range(struct region_finder *f, uint64_t start, uint64_t end,
                      enum hd_generation generation)
{
    f->ranges = grow(f->ranges, f->range_count, &f->range_cap, sizeof(*f->ranges));
    f->ranges[f->range_count++] = (struct range){start, end, generation};
}

static void add_gap(struct region_finder *f, uint64_t pointer, uint64_t limit)
{
    if (pointer == 0 || limit < pointer || limit > UINT64_MAX - SMALLEST_OBJECT)
        return;
    f->gaps = grow(f->gaps, f->gap_count, &f->gap_cap, sizeof(*f->gaps));
    f->gaps[f->gap_count++] = (struct gc_gap){pointer, limit + SMALLEST_OBJECT};
}

/* --- segments ------------------------------------------------------------------ */

static void add_segment(struct region_finder *f, const struct gc_part *part,
                        uint64_t segment, enum hd_generation generation)
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

static void add_list(struct region_finder *f, const struct gc_part *part,
                     unsigned generation)
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
    table += f->g->allocation_at;
    add_gap(f, memory_u64(f->m, table, NULL), memory_u64(f->m, table + 8, NULL));
}

/* In heaps of segments, the youngest objects are at the end of a segment in the list of
 * generation 2, and the start of each generation is stored. */
static void add_young(struct region_finder *f, const struct gc_part *part)
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

/* --- putting them in order ----------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct gc_region *x = a, *y = b;
    return x->start != y->start ? compare_numbers(x->start, y->start)
                                : compare_numbers(y->end, x->end);
}

static int by_gap(const void *a, const void *b)
{
    const struct gc_gap *x = a, *y = b;
    return x->start != y->start ? compare_numbers(x->start, y->start)
                                : compare_numbers(y->end, x->end);
}

/* Truncates a region at the first hole of the memory. */
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

/* Each byte belongs to one region: overlapping ones are dropped. */
static void take_disjoint(struct region_finder *f, struct arena *a)
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

/* --- large objects that are being made ------------------------------------------- */

/* Large objects that threads were allocating when the process was stopped, as far as their
 * stacks show.
 *
 * For an object that exceeds the piece of its thread, the collector fills in an allocation
 * context on the stack (alloc_context in gcinterface.h: pointer, limit, bytes), lets others
 * allocate, and clears the memory: until then its rest has old content. A thread allocates
 * one object at a time; its stack may have a few older contexts. */
struct stack_word {
    uint64_t word, at;
};

struct pending_search {
    const struct gc_regions *regions;
    const struct memory *memory;
    struct stack_word last[2];
    struct gc_gap *all;
    size_t len, cap;
};

static bool gc_heap_ends_before(const void *regions, size_t i, const void *address)
{
    const struct gc_region *all = regions;
    return all[i].end <= *(const uint64_t *)address;
}

const struct gc_region *gc_region_from(const struct gc_regions *regions, uint64_t address)
{
    size_t i = search_first(regions->all, 0, regions->len, gc_heap_ends_before, &address);
    return i < regions->len ? &regions->all[i] : NULL;
}

/* Checks three consecutive words: start, limit, and total bytes, all in one region. */
static void gc_heap_look_at(void *context, uint64_t word, uint64_t at)
{
    enum { WORD = 8, MAX_PENDING = 1 << 16 };
    struct pending_search *s = context;
    const struct stack_word first = s->last[0], second = s->last[1];
    uint64_t start = first.word, limit = second.word;
    s->last[0] = second;
    s->last[1] = (struct stack_word){word, at};
    if (first.at == 0 || second.at != first.at + WORD || at != second.at + WORD ||
        limit <= start || word != limit - start + SMALLEST_OBJECT || word % WORD != 0 ||
        start % WORD != 0 || s->len == MAX_PENDING)
        return;
    const struct gc_region *in = gc_region_from(s->regions, start);
    if (in == NULL || start < in->start || limit + SMALLEST_OBJECT > in->end)
        return;
    memory_keep(s->memory, first.at, 3 * (uint64_t)WORD);
    s->all = grow(s->all, s->len, &s->cap, sizeof(*s->all));
    s->all[s->len++] = (struct gc_gap){start, limit + SMALLEST_OBJECT};
}

static int by_pending(const void *a, const void *b)
{
    const struct gc_gap *x = a, *y = b;
    return x->start != y->start ? compare_numbers(x->start, y->start)
                                : compare_numbers(x->end, y->end);
}

/* --- list of regions -------------------------------------------------------------- */

/* Finds all regions; allocated in a. Lists with cycles or invalid pointers are cut
 * there. */
static void find_regions(struct gc_regions *found, const struct gc_globals *g,
                         const struct gc_threads *t, const struct process_image *p,
                         struct arena *a)
{
    struct region_finder f = {.g = g, .m = &p->memory, .found = found};
    struct pending_search pending = {.regions = found, .memory = &p->memory};
    for (size_t i = 0; i < g->part_count; i++) {
        const struct gc_part *part = &g->parts[i];
        if (g->has_segments) {
            add_young(&f, part);
            add_list(&f, part, 2);
        }
        for (unsigned generation = 0; generation < GC_GENERATIONS; generation++)
            add_list(&f, part, generation);
    }
    for (size_t i = 0; i < t->len; i++)
        add_gap(&f, t->all[i].allocation_pointer, t->all[i].allocation_limit);
    take_disjoint(&f, a);
    found->gaps = arena_take_array(a, f.gaps, f.gap_count, sizeof(*f.gaps), by_gap);
    found->gap_count = f.gap_count;
    found->ranges = ranges_build(f.ranges, f.range_count, a);
    free(f.all);
    free(f.ranges);
    id_numbers_free(&f.seen);
    gc_stacks_each(p, t, gc_heap_look_at, &pending);
    found->pending =
        arena_take_array(a, pending.all, pending.len, sizeof(*pending.all), by_pending);
    found->pending_count = pending.len;
}

/* --- objects ------------------------------------------------------------------- */

/* Flags of a MethodTable, and of the pointer to it in an object, which the collector marks
 * while it works. */
#define HAS_COMPONENT_SIZE UINT32_C(0x80000000)
#define CONTAINS_POINTERS UINT32_C(0x01000000)
#define COMPONENT_SIZE UINT32_C(0xFFFF)
#define POINTER_MASK (~UINT64_C(7))

/* In front of free space that is listed, where objects have their header (gcpriv.h). */
enum { UNDO_EMPTY = 1 };

/* HEADERS: the object's MethodTable pointer, and the header of the next object. */
enum { GRANULE = 8, PLACES = 64, HEADERS = 16 };

/* --- types --------------------------------------------------------------------- */

static uint32_t build_type(struct gc_heap *h, const struct clr_type *clr, uint32_t number)
{
    struct builder *b = h->builder;
    uint32_t built = builder_type(b, TYPE_OBJECT, clr->name, strlen(clr->name));
    if (clr->full_name != NULL && strcmp(clr->full_name, clr->name) != 0)
        builder_full_name(b, built,
                          builder_name(b, clr->full_name, strlen(clr->full_name)));
    if (clr->module != NULL)
        builder_module(b, built, clr->module, strlen(clr->module));
    h->types_built = account_grow(&b->account, h->types_built, h->built_count,
                                  &h->built_cap, sizeof(*h->types_built));
    h->types_built[h->built_count++] = number;
    return built;
}

/* Adds the type of an object that may have at most `available` bytes: this bounds the data
 * kept per type by the heap. */
static struct gc_type *add_gc_type(struct gc_heap *h, uint64_t method_table,
                                   uint64_t available)
{
    const struct runtime *r = h->runtime;
    const struct memory *m = &r->image->memory;
    bool ok = true, is_free = method_table == r->free_object;
    if (!is_free && !runtime_is_method_table(r, method_table))
        return NULL;
    uint32_t flags = memory_u32(m, method_table + r->at.method_table_flags, &ok);
    struct gc_type t = {.method_table = method_table, .keeps = NO_NODE};
    t.base_size = memory_u32(m, method_table + r->at.method_table_base_size, &ok);
    if (flags & HAS_COMPONENT_SIZE)
        t.component_size = flags & COMPONENT_SIZE;
    if (!ok || t.base_size < HEADERS || t.base_size > available)
        return NULL;
    uint32_t number = id_numbers_add(&h->type_numbers, method_table);
    if (!is_free) {
        t.clr = clr_type_of(h->clr, method_table);
        t.built_as = build_type(h, t.clr, number);
    }
    if (!is_free && flags & CONTAINS_POINTERS)
        t.refers =
            gc_descriptor_read(m, method_table, t.base_size, t.component_size, h->arena);
    h->damaged_types += t.refers.shape == GC_DAMAGED;
    h->types = account_grow(&h->builder->account, h->types, h->type_count, &h->type_cap,
                            sizeof(*h->types));
    h->types[h->type_count] = t;
    return &h->types[h->type_count++];
}

/* Returns the type; NULL if that is not a MethodTable. */
static inline struct gc_type *type_of(struct gc_heap *h, uint64_t method_table,
                                      uint64_t available)
{
    enum { LOW = 3, HIGH = 11 };
    uint32_t *recent =
        &h->recent[(method_table >> LOW ^ method_table >> HIGH) % GC_RECENT_TYPES];
    if (*recent > 0 && h->types[*recent - 1].method_table == method_table)
        return &h->types[*recent - 1];
    uint32_t number = id_numbers_find(&h->type_numbers, method_table);
    struct gc_type *t =
        number != NO_ID ? &h->types[number] : add_gc_type(h, method_table, available);
    if (t != NULL)
        *recent = (uint32_t)(t - h->types) + 1;
    return t;
}

/* --- walking a region ---------------------------------------------------------- */

struct walk {
    struct gc_heap *h;
    const struct memory *m;
    const struct gc_region *region;
    size_t gap, range;    /* the next ones */
    uint64_t free_before; /* a large old free block that ends here; or 0 */
};

static inline uint64_t word_at(const struct walk *w, uint64_t at)
{
    if (w->region->bytes != NULL)
        return le_u64(w->region->bytes + (at - w->region->start));
    return memory_u64(w->m, at, NULL);
}

/* --- holes --------------------------------------------------------------------- */

/* A stopped process may be allocating an object that exceeds the thread's piece: memory is
 * taken from free space or after the last object; it is cleared; it gets its MethodTable.
 * Until then there is a hole: empty, with old content, or both. Its thread may have its
 * length. */

/* Returns the space that an object occupies in its region, by its size. */
static inline uint64_t length_of(uint64_t size)
{
    uint64_t length = (size + GRANULE - 1) / GRANULE * GRANULE;
    return length < SMALLEST_OBJECT ? SMALLEST_OBJECT : length;
}

/* Returns the space of the object that may begin there, or 0. Adds no type. */
static uint64_t length_at(const struct walk *w, uint64_t at)
{
    const struct runtime *r = w->h->runtime;
    uint64_t available = w->region->end - at, type = word_at(w, at);
    bool ok = type == r->free_object || runtime_is_method_table(r, type);
    uint32_t flags = ok ? memory_u32(w->m, type + r->at.method_table_flags, &ok) : 0;
    uint64_t size = ok ? memory_u32(w->m, type + r->at.method_table_base_size, &ok) : 0;
    if (!ok || size < HEADERS || available < SMALLEST_OBJECT)
        return 0;
    if (flags & HAS_COMPONENT_SIZE)
        size += (word_at(w, at + GRANULE) & UINT32_MAX) * (flags & COMPONENT_SIZE);
    return length_of(size) <= available ? length_of(size) : 0;
}

static bool starts_before(const void *pending, size_t i, const void *address)
{
    const struct gc_gap *all = pending;
    return all[i].start < *(const uint64_t *)address;
}

/* Returns the end of the hole that a thread is filling, or 0. Old contexts on a stack end
 * at no object boundary. Another hole may follow. */
static uint64_t pending_end(const struct walk *w, uint64_t at)
{
    const struct gc_regions *all = &w->h->regions;
    size_t i = search_first(all->pending, 0, all->pending_count, starts_before, &at);
    uint64_t before_zeros = 0;
    for (; i < all->pending_count && all->pending[i].start == at; i++) {
        uint64_t end = all->pending[i].end;
        if (w->region->end - end < SMALLEST_OBJECT || length_at(w, end) > 0)
            return end;
        if (word_at(w, end) == 0)
            before_zeros = end;
    }
    return before_zeros;
}

/* Advances to the next object; the word before it is its header. */
static uint64_t skip_hole(const struct walk *w, uint64_t at)
{
    uint64_t word = 0, end = w->region->end, known = pending_end(w, at);
    if (known != 0)
        return known;
    while (at < end && (word = word_at(w, at)) == 0)
        at += GRANULE;
    bool may_be_header = at < end && ((uint32_t)word == 0 || word == UNDO_EMPTY);
    bool before = memory_look_away(w->m, true);
    if (may_be_header && length_at(w, at) == 0)
        at += GRANULE;
    memory_look_away(w->m, before);
    return at;
}

/* Data may look like one object, but not like several in a row: large ones are preceded by
 * free space for padding. Another hole may follow. */
static bool begin_objects(const struct walk *w, uint64_t at)
{
    enum { ENOUGH = 2 };
    for (int i = 0; i < ENOUGH; i++) {
        uint64_t length = length_at(w, at);
        if (length == 0)
            return false;
        at += length;
        if (w->region->end - at < SMALLEST_OBJECT)
            return true;
    }
    return word_at(w, at) == 0 || length_at(w, at) > 0;
}

/* Skips non-objects, up to the next object or the end. */
static uint64_t skip_unread(struct walk *w, uint64_t from)
{
    struct gc_heap *h = w->h;
    bool before = memory_look_away(w->m, true);
    uint64_t at = from + GRANULE;
    while (at < w->region->end && !begin_objects(w, at))
        at += GRANULE;
    memory_look_away(w->m, before);
    if (h->unread == 0)
        h->unread_at = from;
    h->unread += at - from;
    return at;
}

/* --- objects ------------------------------------------------------------------- */

/* Counts objects per type in batches: those of a generation are adjacent. */
static void count_met(struct gc_heap *h, struct gc_type *t)
{
    builder_objects(h->builder, t->built_as, &t->met, t->generation);
    t->met = (struct hd_tally){0};
}

/* Addresses ascend. */
static enum hd_generation generation_at(struct walk *w, uint64_t at)
{
    const struct ranges *r = &w->h->regions.ranges;
    while (w->range < r->len && r->all[w->range].end <= at)
        w->range++;
    bool is_known = w->range < r->len && r->all[w->range].start <= at;
    return is_known ? r->all[w->range].generation : HD_GEN_UNKNOWN;
}

/* Counts free space. The object after a block that is larger than padding and in an old
 * generation is recorded, since free space remains between objects that are not moved. */
static void take_free(struct walk *w, uint64_t at, uint64_t size)
{
    enum { LARGE_FREE = 4096 };
    enum hd_generation generation = generation_at(w, at);
    free_space_add(&w->h->free, length_of(size), generation);
    if (size >= LARGE_FREE && generation_is_old(generation))
        w->free_before += size;
}

/* All objects are in disjoint regions, so the sum of their sizes cannot overflow. */
static inline void take_object(struct walk *w, struct gc_type *t, uint64_t at,
                               uint64_t size)
{
    struct builder *b = w->h->builder;
    if (w->region->places != NULL) {
        uint64_t place = (at - w->region->start) / GRANULE;
        uint32_t before = b->graph != NULL ? b->graph->node_count : 0;
        builder_node(b, t->built_as, size);
        if (b->graph->node_count == before)
            return; /* out of memory: reported at the end */
        w->region->places[place / PLACES].bits |= UINT64_C(1) << place % PLACES;
    }
    enum hd_generation generation = generation_at(w, at);
    if (w->free_before > 0)
        tally_add(&t->next_to_free, &(struct hd_tally){1, w->free_before});
    w->free_before = 0;
    if (t->generation != generation)
        count_met(w->h, t);
    t->generation = generation;
    t->met.count++;
    t->met.bytes += size;
}

/* Counts the object at an address. Returns the address after it. */
static uint64_t pass(struct walk *w, uint64_t at)
{
    uint64_t available = w->region->end - at, word = word_at(w, at);
    struct gc_type *t = type_of(w->h, word & POINTER_MASK, available);
    uint64_t size = t != NULL ? t->base_size : 0;
    if (t != NULL && t->component_size > 0)
        size += (word_at(w, at + GRANULE) & UINT32_MAX) * t->component_size;
    if (t == NULL || length_of(size) > available)
        return skip_unread(w, at);
    if (t->clr != NULL)
        take_object(w, t, at, size);
    else
        take_free(w, at, size);
    return at + length_of(size);
}

static void walk_objects(struct walk *w)
{
    const struct gc_regions *all = &w->h->regions;
    const struct gc_region *region = w->region;
    uint64_t at = region->start;
    for (;;) {
        /* Nothing is in a gap that begins here. */
        for (; w->gap < all->gap_count && all->gaps[w->gap].start <= at; w->gap++)
            at = all->gaps[w->gap].start == at ? all->gaps[w->gap].end : at;
        if (at >= region->end || region->end - at < SMALLEST_OBJECT)
            return;
        at = word_at(w, at) == 0 ? skip_hole(w, at) : pass(w, at);
    }
}

static bool walk_region(struct gc_heap *h, size_t number, struct hd_error *err)
{
    const struct gc_region *region = &h->regions.all[number];
    struct walk w = {.h = h, .m = &h->runtime->image->memory, .region = region};
    while (w.gap < h->regions.gap_count && h->regions.gaps[w.gap].start < region->start)
        w.gap++;
    w.range = ranges_below(&h->regions.ranges, region->start);
    walk_objects(&w);
    if (h->unread > 0 && h->type_count == 0)
        return fail(
            err, HD_UNSUPPORTED,
            "the first object, at 0x%" PRIx64
            ", has no type: the known layout of .NET %s (%s) does not match this process",
            h->unread_at, h->runtime->version, h->runtime->described_by);
    return true;
}

/* --- numbers of addresses ------------------------------------------------------ */

static size_t gc_heap_places_of(const struct gc_region *region)
{
    return (size_t)((region->end - region->start) / GRANULE / PLACES) + 1;
}

static void list_addresses(struct gc_heap *h)
{
    node_id nodes = h->builder->graph != NULL ? h->builder->graph->node_count : 0;
    account_charge(&h->builder->account, 8 * (uint64_t)nodes);
    h->addresses = alloc_resize(NULL, array_bytes((size_t)nodes + 1, 8));
    for (size_t i = 0; i < h->regions.len; i++) {
        const struct gc_region *region = &h->regions.all[i];
        for (size_t k = 0; k < gc_heap_places_of(region); k++) {
            struct gc_places *p = &region->places[k];
            p->before = h->count;
            for (uint64_t bits = p->bits; bits != 0; bits &= bits - 1) {
                uint64_t place = k * PLACES + (unsigned)__builtin_ctzll(bits);
                le_put(h->addresses + 8 * (size_t)h->count++,
                       region->start + place * GRANULE, 8);
            }
        }
    }
}

/* Returns the region of an address; NULL. */
static inline const struct gc_region *region_of(const struct gc_heap *h, uint64_t address)
{
    size_t first = 0, count = h->regions.len;
    while (count > 1) {
        size_t half = count / 2;
        first = h->regions.all[first + half].start <= address ? first + half : first;
        count -= half;
    }
    const struct gc_region *found = &h->regions.all[first];
    return count > 0 && address >= found->start && address < found->end ? found : NULL;
}

bool gc_heap_has(const struct gc_heap *h, uint64_t address)
{
    return region_of(h, address) != NULL;
}

/* References are usually to nearby objects. */
node_id gc_heap_find_near(const struct gc_heap *h, const struct gc_region **near,
                          uint64_t address)
{
    const struct gc_region *in = *near;
    if (in == NULL || address < in->start || address >= in->end)
        in = region_of(h, address);
    if (in == NULL || address % GRANULE != 0)
        return NO_NODE;
    *near = in;
    uint64_t place = (address - in->start) / GRANULE;
    const struct gc_places *p = &in->places[place / PLACES];
    uint64_t bit = UINT64_C(1) << place % PLACES;
    return p->bits & bit ? p->before + (uint32_t)__builtin_popcountll(p->bits & (bit - 1))
                         : NO_NODE;
}

node_id gc_heap_find(const struct gc_heap *h, uint64_t address)
{
    const struct gc_region *none = NULL;
    return gc_heap_find_near(h, &none, address);
}

node_id gc_heap_containing(const struct gc_heap *h, uint64_t address)
{
    const struct gc_region *in = region_of(h, address);
    if (in == NULL)
        return NO_NODE;
    uint64_t place = (address - in->start) / GRANULE;
    const struct gc_places *p = &in->places[place / PLACES];
    uint64_t upto = ((UINT64_C(1) << place % PLACES) - 1) << 1 | 1;
    node_id count = p->before + (uint32_t)__builtin_popcountll(p->bits & upto);
    if (count == 0 || gc_heap_address(h, count - 1) < in->start)
        return NO_NODE;
    uint64_t size = graph_size(h->builder->graph, count - 1);
    bool inside = address - gc_heap_address(h, count - 1) < size - GRANULE;
    return inside ? count - 1 : NO_NODE;
}

/* --- the whole ----------------------------------------------------------------- */

void gc_heap_open(struct gc_heap *h, const struct runtime *r, const struct gc_globals *g,
                  const struct gc_threads *threads, struct clr_types *clr,
                  struct builder *b, struct arena *a)
{
    *h = (struct gc_heap){.runtime = r,
                          .clr = clr,
                          .builder = b,
                          .arena = a,
                          .type_numbers = {.account = &b->account}};
    find_regions(&h->regions, g, threads, r->image, a);
    h->first_built = (uint32_t)b->type_count;
}

struct heap_walker {
    struct gc_heap *h;
    struct hd_error *err;
    bool is_alone, ok; /* on one thread; so far */
};

/* Maps all pages in one call, which costs less than a fault every few pages. */
static void map_region(const struct gc_region *region)
{
#ifdef MADV_POPULATE_READ
    enum { PAGE = 4096 };
    size_t into_page = (uintptr_t)region->bytes % PAGE;
    if (region->bytes != NULL) /* Advice only: it may be refused. */
        (void)madvise((unsigned char *)region->bytes - into_page,
                      into_page + (size_t)(region->end - region->start),
                      MADV_POPULATE_READ);
#else
    (void)region;
#endif
}

/* Mapping the pages of a file takes as long as walking them: one thread does it ahead. */
static bool take_turn(void *walking, size_t turn)
{
    struct heap_walker *w = walking;
    struct gc_heap *h = w->h;
    for (size_t i = 0; i < h->regions.len; i++) {
        if (turn == (w->is_alone ? 1 : 0))
            map_region(&h->regions.all[i]);
        if (turn == 1 && !(w->ok = walk_region(h, i, w->err)))
            return true;
    }
    for (size_t i = 0; turn == 1 && i < h->type_count; i++)
        if (h->types[i].clr != NULL)
            count_met(h, &h->types[i]);
    return true;
}

/* Finds the type after most of the large free blocks, by bytes. */
static void find_next_to_free(struct gc_heap *h)
{
    struct free_holder *best = &h->builder->snap->next_to_free;
    for (size_t i = 0; i < h->type_count; i++)
        if (h->types[i].next_to_free.bytes > best->at.bytes)
            *best = (struct free_holder){h->builder->types[h->types[i].built_as].name,
                                         h->types[i].next_to_free};
}

bool gc_heap_walk(struct gc_heap *h, struct hd_error *err)
{
    enum { TURNS = 2 };
    struct heap_walker w = {
        .h = h, .err = err, .is_alone = h->builder->threads < TURNS, .ok = true};
    for (size_t i = 0; h->builder->want_graph && i < h->regions.len; i++) {
        struct gc_region *region = &h->regions.all[i];
        size_t bytes = array_bytes(gc_heap_places_of(region), sizeof(*region->places));
        account_charge(&h->builder->account, bytes);
        region->places = alloc_zeroed(bytes);
    }
    workers_run(TURNS, h->builder->threads, take_turn, &w);
    if (w.ok && h->builder->want_graph)
        list_addresses(h);
    if (w.ok)
        find_next_to_free(h);
    return w.ok;
}

void gc_heap_forget_places(struct gc_heap *h)
{
    for (size_t i = 0; i < h->regions.len; i++) {
        free(h->regions.all[i].places);
        h->regions.all[i].places = NULL;
    }
    free(h->types_built);
    h->types_built = NULL;
}

void gc_heap_close(struct gc_heap *h)
{
    gc_heap_forget_places(h);
    free(h->types);
    free(h->addresses);
    id_numbers_free(&h->type_numbers);
    *h = (struct gc_heap){0};
}
