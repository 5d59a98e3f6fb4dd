#include "clr/managed/core_roots.h"

#include "heap/place.h"

#include <stdlib.h>
#include <string.h>

enum { POINTER = 8 };

struct root_search {
    struct core_roots *r;
    struct gc_heap *h;
    const struct memory *m;
    const struct gc_globals *g;
    uint64_t weak;
    node_id *found; /* from stacks */
    size_t found_count, found_cap;
    struct text name;
};

static void note_lost(struct root_search *s, uint64_t object)
{
    s->r->lost += gc_heap_has(s->h, object);
    builder_warn(s->h->builder, WARN_DANGLING_ROOT, 0);
}

static void add_root(struct root_search *s, enum root_group group, uint64_t object)
{
    node_id n = gc_heap_find(s->h, object);
    if (n != NO_NODE)
        root_tree_add(&s->r->tree, group, NULL, 0, n);
    else
        note_lost(s, object);
}

/* --- collectible types --------------------------------------------------------- */

/* Collectible types, and what they keep alive.
 *
 * An object of a collectible type keeps its LoaderAllocator object alive; the collector
 * treats that as its first reference. The runtime's pointer to it is not available, but the
 * inverse is: LoaderAllocator.m_scout refers to a LoaderAllocatorScout, whose
 * m_nativeLoaderAllocator is what modules point to. */

/* LoaderAllocator objects by address of the native one. */
struct allocators {
    struct id_numbers numbers;
    node_id *objects;
    size_t cap;
};

/* Finds a type by name, and the offset of its field, or NULL. */
static const struct gc_type *type_with(const struct gc_heap *h, const char *name,
                                       const char *field, uint32_t *at)
{
    size_t i = 0;
    while (i < h->type_count &&
           (h->types[i].clr == NULL || strcmp(h->types[i].clr->name, name) != 0))
        i++;
    const struct clr_type *t = i < h->type_count ? h->types[i].clr : NULL;
    *at = 0;
    for (size_t k = 0; t != NULL && k < t->field_count && *at == 0; k++)
        if (strcmp(t->fields[k].name, field) == 0)
            *at = t->fields[k].offset;
    return *at != 0 ? &h->types[i] : NULL;
}

const struct gc_type *core_roots_number(const struct gc_heap *h, uint32_t *at)
{
    return type_with(h, "System.Reflection.LoaderAllocatorScout", "m_nativeLoaderAllocator",
                     at);
}

/* An instantiation over types of several modules belongs to the one that the runtime chose,
 * stored in its auxiliary data after 8 bytes of flags. */
static node_id allocator_of(const struct root_search *s, const struct gc_type *t,
                            const struct allocators *all)
{
    enum { LOADER_MODULE = 8 };
    const struct runtime_layout *at = &s->h->runtime->at;
    bool ok = true;
    uint64_t modules[2] = {0};
    if (at->method_table_auxiliary_data != RUNTIME_NO_OFFSET) {
        uint64_t auxiliary =
            memory_u64(s->m, t->method_table + at->method_table_auxiliary_data, &ok);
        modules[0] = memory_u64(s->m, auxiliary + LOADER_MODULE, &ok);
    }
    modules[1] = memory_u64(s->m, t->method_table + at->method_table_module, &ok);
    for (size_t i = 0; i < 2; i++) {
        ok = modules[i] != 0;
        uint64_t native = memory_u64(s->m, modules[i] + at->module_loader_allocator, &ok);
        uint32_t number = ok ? id_numbers_find(&all->numbers, native) : NO_ID;
        if (number != NO_ID)
            return all->objects[number];
    }
    return NO_NODE;
}

/* Sets gc_type.keeps of all collectible types with a known LoaderAllocator. */
static void find_collectible(const struct root_search *s)
{
    struct gc_heap *h = s->h;
    uint32_t scout_at, native_at;
    struct allocators all = {.cap = 0};
    const struct gc_type *allocator =
        type_with(h, "System.Reflection.LoaderAllocator", "m_scout", &scout_at);
    if (allocator == NULL || core_roots_number(h, &native_at) == NULL ||
        h->runtime->at.module_loader_allocator == RUNTIME_NO_OFFSET)
        return;
    for (node_id n = 0; n < h->count; n++) {
        bool ok = true;
        if (h->builder->graph->type[n] != allocator->built_as)
            continue;
        uint64_t scout = memory_u64(s->m, gc_heap_address(h, n) + scout_at, &ok),
                 native = memory_u64(s->m, scout + native_at, &ok);
        if (!ok || native == 0 || id_numbers_find(&all.numbers, native) != NO_ID)
            continue;
        size_t number = id_numbers_add(&all.numbers, native);
        all.objects = grow(all.objects, number, &all.cap, sizeof(*all.objects));
        all.objects[number] = n;
    }
    for (size_t i = 0; i < h->type_count; i++)
        if (h->types[i].clr != NULL && h->types[i].clr->is_collectible)
            h->types[i].keeps = allocator_of(s, &h->types[i], &all);
    free(all.objects);
    id_numbers_free(&all.numbers);
}

/* --- handles ------------------------------------------------------------------- */

/* GC handles. They are in tables, one per heap of the collector, which consist of segments
 * of 64 KiB (handletablepriv.h). */

/* The runtime's numbers (gcinterface.h). */
enum handle_kind {
    HANDLE_WEAK = 0,
    HANDLE_WEAK_LONG = 1,
    HANDLE_STRONG = 2,
    HANDLE_PINNED = 3,
    HANDLE_REF_COUNTED = 5,
    HANDLE_DEPENDENT = 6,
    HANDLE_ASYNC_PINNED = 7,
    HANDLE_SIZED_REF = 8
};

/* A segment: a header, then blocks of handles. Types of blocks and numbers of their user
 * data blocks are at fixed offsets; what follows depends on the number of handle types: six
 * bytes for each, the next segment, its table. */
enum {
    SEGMENT_SIZE = 64 * 1024,
    SEGMENT_BLOCKS = 120,
    SEGMENT_TYPES = 1560,
    SEGMENT_USER_DATA = 1680,
    SEGMENT_AFTER_TAILS = 1920,
    SEGMENT_PER_TYPE = 6,
    SEGMENT_VALUES = 4096,
    BLOCK_HANDLES = 64
};

struct handle_search {
    struct root_search *s;
    uint32_t types; /* of handles; 0: not known yet */
    struct id_numbers segments, maps;
};

static uint64_t next_segment_at(uint32_t types)
{
    return SEGMENT_AFTER_TAILS + SEGMENT_PER_TYPE * (uint64_t)types;
}

/* Adds the link of a dependent handle: object keeps secondary alive; or 0. */
static void add_link(struct root_search *s, uint64_t object, uint64_t secondary)
{
    struct core_roots *r = s->r;
    struct builder *b = s->h->builder;
    node_id from = gc_heap_find(s->h, object), to = gc_heap_find(s->h, secondary);
    if (secondary == 0)
        return;
    if (from == NO_NODE || to == NO_NODE) {
        builder_warn(b, WARN_DANGLING_ROOT, 0);
        if (from != NO_NODE)
            builder_lacks(b, from);
        return;
    }
    r->links =
        account_grow(&b->account, r->links, r->link_count, &r->link_cap, sizeof(*r->links));
    r->links[r->link_count++] = (struct core_link){from, to};
}

static void visit_handle(const struct handle_search *hs, unsigned kind, uint64_t object,
                         uint64_t segment, unsigned block, unsigned i)
{
    struct root_search *s = hs->s;
    bool ok = true;
    s->r->handles.met++;
    s->r->handles.objects += gc_heap_find(s->h, object) != NO_NODE;
    if (kind == HANDLE_WEAK || kind == HANDLE_WEAK_LONG) {
        s->weak++;
    } else if (kind == HANDLE_STRONG || kind == HANDLE_SIZED_REF) {
        add_root(s, GROUP_STRONG, object);
    } else if (kind == HANDLE_PINNED || kind == HANDLE_ASYNC_PINNED) {
        add_root(s, GROUP_PINNING, object);
    } else if (kind == HANDLE_REF_COUNTED) {
        add_root(s, GROUP_REF_COUNTED, object);
    } else if (kind == HANDLE_DEPENDENT) {
        unsigned data = memory_u8(s->m, segment + SEGMENT_USER_DATA + block, &ok);
        uint64_t at =
            segment + SEGMENT_VALUES + POINTER * ((uint64_t)data * BLOCK_HANDLES + i);
        ok = ok && data < SEGMENT_BLOCKS;
        add_link(s, object, ok ? memory_u64(s->m, at, &ok) : 0);
    }
}

/* Visits every segment once. */
static void visit_segments(struct handle_search *hs, uint64_t segment)
{
    const struct memory *m = hs->s->m;
    bool ok = true;
    while (ok && segment != 0 && segment % SEGMENT_SIZE == 0 &&
           id_numbers_find(&hs->segments, segment) == NO_ID) {
        id_numbers_add(&hs->segments, segment);
        for (unsigned block = 0; block < SEGMENT_BLOCKS; block++) {
            bool there = true;
            unsigned kind = memory_u8(m, segment + SEGMENT_TYPES + block, &there);
            uint64_t values =
                segment + SEGMENT_VALUES + POINTER * (uint64_t)(block * BLOCK_HANDLES);
            /* The last type is of blocks with second halves; free ones have 255. */
            for (unsigned i = 0; there && kind + 1 < hs->types && i < BLOCK_HANDLES; i++) {
                uint64_t object = memory_u64(m, values + POINTER * (uint64_t)i, NULL);
                if (object != 0)
                    visit_handle(hs, kind, object, segment, block, i);
            }
        }
        segment = memory_u64(m, segment + next_segment_at(hs->types), &ok);
    }
}

/* Returns the first segment of a table, after 4 bytes per type; it points back to the
 * table. 0: not a table. */
static uint64_t first_segment(const struct memory *m, uint64_t table, uint32_t types)
{
    bool ok = true;
    uint64_t at = ((uint64_t)types * 4 + POINTER - 1) / POINTER * POINTER,
             segment = memory_u64(m, table + at, &ok);
    if (!ok || segment == 0 || segment % SEGMENT_SIZE != 0)
        return 0;
    uint64_t back = memory_u64(m, segment + next_segment_at(types) + POINTER, &ok);
    return back == table && ok ? segment : 0;
}

/* A bucket has a table per heap. A server collector creates as many as there are
 * processors, and may use those of currently unused heaps. */
static void visit_bucket(struct handle_search *hs, uint64_t bucket)
{
    enum { MAX_TABLES = 1024, MIN_TYPES = 8, MAX_TYPES = 24 };
    const struct memory *m = hs->s->m;
    bool ok = true;
    uint64_t tables = memory_u64(m, bucket, &ok);
    for (unsigned i = 0; ok && i < MAX_TABLES; i++) {
        uint64_t table = memory_u64(m, tables + POINTER * (uint64_t)i, &ok), segment = 0;
        for (uint32_t types = MIN_TYPES; table != 0 && hs->types == 0 && types <= MAX_TYPES;
             types++)
            if (first_segment(m, table, types) != 0)
                hs->types = types;
        if (table != 0 && hs->types > 0)
            segment = first_segment(m, table, hs->types);
        visit_segments(hs, segment);
        if (segment == 0 && i >= hs->s->g->part_count)
            return;
    }
}

/* A map of tables: buckets, the next map, how many buckets there are room for. Always in
 * the same order. */
static void add_handles(struct root_search *s)
{
    enum { BUCKETS = 0, NEXT = 8, COUNT = 16, MAX_BUCKETS = 1 << 16 };
    struct handle_search hs = {.s = s};
    uint64_t map = s->g->handle_map;
    unsigned left = MAX_BUCKETS;
    bool ok = true;
    while (ok && map != 0 && id_numbers_find(&hs.maps, map) == NO_ID) {
        id_numbers_add(&hs.maps, map);
        uint64_t buckets = memory_u64(s->m, map + BUCKETS, &ok);
        uint32_t count = memory_u32(s->m, map + COUNT, &ok);
        bool there = ok;
        for (uint32_t i = 0; there && i < count && left > 0; i++, left--) {
            uint64_t bucket = memory_u64(s->m, buckets + POINTER * (uint64_t)i, &there);
            if (bucket != 0)
                visit_bucket(&hs, bucket);
        }
        map = memory_u64(s->m, map + NEXT, &ok);
    }
    id_numbers_free(&hs.segments);
    id_numbers_free(&hs.maps);
}

/* The order of equal ones does not show. */
static int links_by_from(const void *a, const void *b)
{
    const struct core_link *x = a, *y = b;
    return x->from != y->from ? compare_numbers(x->from, y->from)
                              : compare_numbers(x->to, y->to);
}

/* --- objects that wait for their finalizer ------------------------------------- */

/* A queue is one array in parts: one per generation, then objects to be finalized, critical
 * ones first. The ends of the parts precede the pointer to the array. */
enum { PARTS = GC_GENERATIONS + 2, LAST_REGISTERED = GC_GENERATIONS - 1 };

/* Adds objects to be finalized, which need no other root; or counts those that are only
 * registered, which the queue does not keep alive. Redacted words are zero. left: limit of
 * words for all queues, since they are disjoint. */
static void visit_queue(struct root_search *s, uint64_t queue, bool is_due, uint64_t *left)
{
    const unsigned from = is_due ? LAST_REGISTERED : PARTS,
                   to = is_due ? PARTS - 1 : LAST_REGISTERED;
    bool ok = true;
    uint64_t at = memory_u64(s->m, queue + POINTER * (uint64_t)from, &ok),
             end = memory_u64(s->m, queue + POINTER * (uint64_t)to, &ok);
    for (; ok && at < end && end - at >= POINTER && *left > 0; at += POINTER, --*left) {
        uint64_t object = memory_u64(s->m, at, &ok);
        if (ok && is_due && object != 0)
            add_root(s, GROUP_FINALIZER, object);
        if (!ok || is_due)
            continue;
        s->r->finalizable.met++;
        s->r->finalizable.objects += object == 0 || gc_heap_find(s->h, object) != NO_NODE;
    }
}

/* Those that are registered without marking the memory as read, since a dump without values
 * does not need it. */
static void add_finalizers(struct root_search *s)
{
    uint64_t words = 0;
    for (size_t i = 0; i < s->m->len; i++)
        words += s->m->all[i].size / POINTER;
    for (int is_due = 1; is_due >= 0; is_due--) {
        uint64_t left = words;
        bool before = memory_look_away(s->m, !is_due);
        for (size_t i = 0; i < s->g->part_count; i++)
            if (s->g->parts[i].finalizers != 0)
                visit_queue(s, s->g->parts[i].finalizers, is_due, &left);
        memory_look_away(s->m, before);
    }
}

/* --- static variables ---------------------------------------------------------- */

static void name_variable(struct root_search *s, const char *type, const char *field)
{
    text_clear(&s->name);
    place_add_static(&s->name, name_part(type), name_part(field));
}

static void add_static(void *context, const struct clr_static *variable)
{
    struct root_search *s = context;
    const char *full_name = NULL;
    node_id n = gc_heap_find(s->h, variable->object);
    s->r->statics.met++;
    s->r->statics.objects += n != NO_NODE;
    if (n == NO_NODE) {
        note_lost(s, variable->object);
        return;
    }
    name_variable(s, variable->declared_by, variable->field);
    /* As a gcdump names them: it knows the type of the value only. */
    if (s->h->builder->plain_names) {
        full_name = builder_name(s->h->builder, s->name.data, s->name.len);
        name_variable(s, gc_heap_type(s->h, n)->clr->name, variable->field);
    }
    root_tree_add_variable(&s->r->tree,
                           variable->of_thread ? GROUP_THREAD_STATICS : GROUP_STATICS,
                           s->name.data, s->name.len, full_name, n);
}

/* --- stacks -------------------------------------------------------------------- */

/* A word that points into an object keeps it alive, also if it is not a reference: a few
 * more objects stay alive than in the runtime. */
static void add_word(void *context, uint64_t word, uint64_t at)
{
    struct root_search *s = context;
    node_id n = gc_heap_containing(s->h, word);
    if (n == NO_NODE)
        return;
    if (at != 0)
        memory_keep(s->m, at, POINTER);
    s->found = account_grow(&s->h->builder->account, s->found, s->found_count,
                            &s->found_cap, sizeof(*s->found));
    s->found[s->found_count++] = n;
}

static int by_number(const void *a, const void *b)
{
    return compare_numbers(*(const node_id *)a, *(const node_id *)b);
}

/* Each object once: the number of words on stacks is meaningless. */
static void add_stacks(struct root_search *s, const struct gc_threads *threads)
{
    gc_stacks_each(s->h->runtime->image, threads, add_word, s);
    if (s->found_count > 0)
        qsort(s->found, s->found_count, sizeof(*s->found), by_number);
    for (size_t i = 0; i < s->found_count; i++)
        if (i == 0 || s->found[i] != s->found[i - 1])
            root_tree_add(&s->r->tree, GROUP_STACK, NULL, 0, s->found[i]);
    free(s->found);
}

/* --- all ----------------------------------------------------------------------- */

void core_roots_find(struct core_roots *r, struct gc_heap *h, const struct gc_globals *g,
                     const struct gc_threads *threads)
{
    struct root_search s = {.r = r, .h = h, .m = &h->runtime->image->memory, .g = g};
    *r = (struct core_roots){.tree = {.names = {.account = &h->builder->account}}};
    clr_types_statics(h->clr, add_static, &s);
    /* The arrays of thread statics belong to the runtime: they have no other references. */
    for (size_t i = 0; i < threads->len; i++)
        if (threads->all[i].statics != 0)
            add_root(&s, GROUP_OTHER, threads->all[i].statics);
    add_stacks(&s, threads);
    add_finalizers(&s);
    add_handles(&s);
    find_collectible(&s);
    if (r->link_count > 0)
        qsort(r->links, r->link_count, sizeof(*r->links), links_by_from);
    h->builder->snap->weak_roots = s.weak;
    text_free(&s.name);
}

void core_roots_free(struct core_roots *r)
{
    root_set_free(&r->tree);
    free(r->links);
    *r = (struct core_roots){.link_count = 0};
}
