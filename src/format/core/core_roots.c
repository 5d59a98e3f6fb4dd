#include "format/core/core_roots.h"

#include "base/alloc.h"
#include "process/gc_globals.h"
#include "format/core/gc_heap.h"
#include "heap/ids.h"
#include "heap/place.h"
#include "process/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- collectible types --------------------------------------------------------- */

/* Types that can be unloaded, and what they keep alive.
 *
 * An object of such a type keeps its LoaderAllocator alive, an object of the runtime, and
 * the collector treats that as its first reference. The runtime's own pointer to it is
 * told nowhere, but the way back is: LoaderAllocator.m_scout leads to a
 * LoaderAllocatorScout, whose m_nativeLoaderAllocator is what modules point to. */

/* LoaderAllocator objects by the address of the native one. */
struct allocators {
    struct id_numbers numbers;
    node_id *objects;
    size_t cap;
};

static const struct gc_type *type_named(const struct gc_heap *h, const char *name)
{
    for (size_t i = 0; i < h->type_count; i++)
        if (h->types[i].clr != NULL && strcmp(h->types[i].clr->name, name) == 0)
            return &h->types[i];
    return NULL;
}

/* 0: it has no such field. */
static uint32_t offset_of(const struct gc_type *t, const char *field)
{
    for (size_t i = 0; i < t->clr->field_count; i++)
        if (strcmp(t->clr->fields[i].name, field) == 0)
            return t->clr->fields[i].offset;
    return 0;
}

const struct gc_type *core_roots_number(const struct gc_heap *h, uint32_t *at)
{
    const struct gc_type *scout = type_named(h, "System.Reflection.LoaderAllocatorScout");
    *at = scout != NULL ? offset_of(scout, "m_nativeLoaderAllocator") : 0;
    return *at != 0 ? scout : NULL;
}

static void find_allocators(const struct gc_heap *h, const struct gc_type *allocator,
                            uint32_t scout_at, uint32_t native_at, struct allocators *all)
{
    const struct memory *m = &h->runtime->image->memory;
    for (node_id n = 0; n < h->count; n++) {
        bool ok = true;
        if (h->builder->graph->type[n] != allocator->built_as)
            continue;
        uint64_t scout = memory_u64(m, gc_heap_address(h, n) + scout_at, &ok),
                 native = memory_u64(m, scout + native_at, &ok);
        if (!ok || native == 0 || id_numbers_find(&all->numbers, native) != NO_ID)
            continue;
        size_t number = id_numbers_add(&all->numbers, native);
        all->objects = grow(all->objects, number, &all->cap, sizeof(*all->objects));
        all->objects[number] = n;
    }
}

/* An instantiation over types of several modules belongs to the one that the runtime chose
 * for it, which its auxiliary data names behind 8 bytes of flags. */
static node_id allocator_of(const struct gc_heap *h, const struct gc_type *t,
                            const struct allocators *all)
{
    enum { LOADER_MODULE = 8 };
    const struct memory *m = &h->runtime->image->memory;
    const struct runtime_layout *at = &h->runtime->at;
    bool ok = true, has_own = at->method_table.auxiliary_data != RUNTIME_NO_OFFSET;
    uint64_t modules[2] = {0};
    if (has_own) {
        uint64_t auxiliary =
            memory_u64(m, t->method_table + at->method_table.auxiliary_data, &ok);
        modules[0] = memory_u64(m, auxiliary + LOADER_MODULE, &ok);
    }
    ok = true;
    modules[1] = memory_u64(m, t->method_table + at->method_table.module, &ok);
    for (size_t i = 0; i < 2; i++) {
        ok = modules[i] != 0;
        uint64_t native = memory_u64(m, modules[i] + at->module.loader_allocator, &ok);
        uint32_t number = ok ? id_numbers_find(&all->numbers, native) : NO_ID;
        if (number != NO_ID)
            return all->objects[number];
    }
    return NO_NODE;
}

/* Set gc_type.keeps of all collectible types whose LoaderAllocator can be found. */
static void gc_collectible_find(struct gc_heap *h)
{
    uint32_t scout_at = 0, native_at;
    const struct gc_type *allocator = type_named(h, "System.Reflection.LoaderAllocator");
    if (allocator == NULL || core_roots_number(h, &native_at) == NULL ||
        h->runtime->at.module.loader_allocator == RUNTIME_NO_OFFSET ||
        (scout_at = offset_of(allocator, "m_scout")) == 0)
        return;
    struct allocators all = {.cap = 0};
    find_allocators(h, allocator, scout_at, native_at, &all);
    for (size_t i = 0; i < h->type_count; i++)
        if (h->types[i].clr != NULL && h->types[i].clr->is_collectible)
            h->types[i].keeps = allocator_of(h, &h->types[i], &all);
    free(all.objects);
    id_numbers_free(&all.numbers);
}

/* --- handles ------------------------------------------------------------------- */

/* The handles of a .NET process: what keeps objects alive by hand.
 *
 * They stand in tables, one per heap of the collector, which consist of segments of 64 KiB
 * (handletablepriv.h). It must not know what an object is. */

/* The runtime's numbers (gcinterface.h). */
enum gc_handle_kind {
    GC_HANDLE_WEAK = 0,
    GC_HANDLE_WEAK_LONG = 1,
    GC_HANDLE_STRONG = 2,
    GC_HANDLE_PINNED = 3,
    GC_HANDLE_REF_COUNTED = 5,
    GC_HANDLE_DEPENDENT = 6,
    GC_HANDLE_ASYNC_PINNED = 7,
    GC_HANDLE_SIZED_REF = 8
};

struct gc_handle {
    unsigned kind;      /* enum gc_handle_kind, or one that is none of them */
    uint64_t object;    /* never 0 */
    uint64_t secondary; /* of a dependent one: what object keeps alive; or 0 */
};

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
    HANDLE_SIZE = 8
};

struct handle_search {
    const struct memory *m;
    uint32_t types; /* of handles; 0: not known yet */
    struct id_numbers segments, maps;
    void (*take)(void *context, const struct gc_handle *h);
    void *context;
};

static uint64_t next_segment_at(uint32_t types)
{
    return SEGMENT_BEHIND_TAILS + SEGMENT_PER_TYPE * (uint64_t)types;
}

/* --- a segment ----------------------------------------------------------------- */

static uint64_t secondary(const struct handle_search *s, uint64_t segment, unsigned block,
                          unsigned i)
{
    bool ok = true;
    unsigned data = memory_u8(s->m, segment + SEGMENT_USER_DATA + block, &ok);
    if (!ok || data >= SEGMENT_BLOCKS)
        return 0;
    return memory_u64(
        s->m, segment + SEGMENT_VALUES + HANDLE_SIZE * (uint64_t)(data * BLOCK_HANDLES + i),
        &ok);
}

static void visit_block(const struct handle_search *s, uint64_t segment, unsigned block)
{
    bool ok = true;
    unsigned kind = memory_u8(s->m, segment + SEGMENT_TYPES + block, &ok);
    uint64_t values =
        segment + SEGMENT_VALUES + HANDLE_SIZE * (uint64_t)(block * BLOCK_HANDLES);
    /* The last type is of blocks with second halves; free ones have 255. */
    if (!ok || kind + 1 >= s->types)
        return;
    for (unsigned i = 0; i < BLOCK_HANDLES; i++) {
        struct gc_handle h = {
            .kind = kind,
            .object = memory_u64(s->m, values + HANDLE_SIZE * (uint64_t)i, &ok)};
        if (h.object == 0)
            continue;
        if (kind == GC_HANDLE_DEPENDENT)
            h.secondary = secondary(s, segment, block, i);
        s->take(s->context, &h);
    }
}

static void visit_segments(struct handle_search *s, uint64_t segment)
{
    bool ok = true;
    while (ok && segment != 0 && segment % SEGMENT_SIZE == 0 &&
           id_numbers_find(&s->segments, segment) == NO_ID) {
        id_numbers_add(&s->segments, segment);
        for (unsigned block = 0; block < SEGMENT_BLOCKS; block++)
            visit_block(s, segment, block);
        segment = memory_u64(s->m, segment + next_segment_at(s->types), &ok);
    }
}

/* --- tables -------------------------------------------------------------------- */

/* The first segment of a table stands behind 4 bytes for each type, and leads back to it.
 * 0: this is no table. */
static uint64_t first_segment(const struct handle_search *s, uint64_t table, uint32_t types)
{
    bool ok = true;
    uint64_t at = ((uint64_t)types * 4 + HANDLE_SIZE - 1) / HANDLE_SIZE * HANDLE_SIZE,
             segment = memory_u64(s->m, table + at, &ok);
    if (!ok || segment == 0 || segment % SEGMENT_SIZE != 0)
        return 0;
    uint64_t back = memory_u64(s->m, segment + next_segment_at(types) + HANDLE_SIZE, &ok);
    return back == table && ok ? segment : 0;
}

static bool visit_table(struct handle_search *s, uint64_t table)
{
    if (table == 0)
        return false;
    for (uint32_t types = FEWEST_TYPES; s->types == 0 && types <= MOST_TYPES; types++)
        if (first_segment(s, table, types) != 0)
            s->types = types;
    uint64_t segment = s->types > 0 ? first_segment(s, table, s->types) : 0;
    if (segment != 0)
        visit_segments(s, segment);
    return segment != 0;
}

static void visit_bucket(struct handle_search *s, const struct gc_globals *g,
                         uint64_t bucket)
{
    bool ok = true;
    uint64_t tables = memory_u64(s->m, bucket, &ok);
    for (unsigned i = 0; ok && i < MOST_TABLES; i++) {
        uint64_t table = memory_u64(s->m, tables + HANDLE_SIZE * (uint64_t)i, &ok);
        if (!visit_table(s, table) && i >= g->part_count)
            return;
    }
}

/* Calls take for each, always in the same order. Every segment is looked at once. */
static void gc_handles_each(const struct gc_globals *g, const struct memory *m,
                            void (*take)(void *context, const struct gc_handle *h),
                            void *context)
{
    struct handle_search s = {.m = m, .take = take, .context = context};
    uint64_t map = g->handle_map;
    unsigned left = MOST_BUCKETS;
    bool ok = true;
    while (ok && map != 0 && id_numbers_find(&s.maps, map) == NO_ID) {
        id_numbers_add(&s.maps, map);
        uint64_t buckets = memory_u64(m, map + MAP_BUCKETS, &ok);
        uint32_t count = memory_u32(m, map + MAP_COUNT, &ok);
        for (uint32_t i = 0; ok && i < count && left > 0; i++, left--) {
            bool there = true;
            uint64_t bucket = memory_u64(m, buckets + HANDLE_SIZE * (uint64_t)i, &there);
            if (!there)
                break;
            if (bucket != 0)
                visit_bucket(&s, g, bucket);
        }
        map = memory_u64(m, map + MAP_NEXT, &ok);
    }
    id_numbers_free(&s.segments);
    id_numbers_free(&s.maps);
}

/* --- stacks and registers of threads ------------------------------------------- */

/* What stacks and registers of threads may refer to.
 *
 * Nothing in a dump says which words of a stack are references, so each may be one: what
 * does not lead into an object is none, what does keeps it alive. A few objects more stay
 * alive that way than the runtime would keep. */

enum { WORD = 8 };

/* Managed threads by the ids of the system. */
struct managed {
    struct id_numbers ids;
    uint64_t *stack_bases; /* by number */
};

static bool are_known(const struct gc_threads *threads, struct managed *managed)
{
    bool known = threads->whole && threads->len > 0;
    managed->stack_bases = alloc_zeroed(array_bytes(threads->len, sizeof(uint64_t)));
    for (size_t i = 0; known && i < threads->len; i++) {
        known = threads->all[i].os_id != 0;
        if (known)
            managed->stack_bases[id_numbers_add(&managed->ids, threads->all[i].os_id)] =
                threads->all[i].stack_base;
    }
    return known;
}

/* Of a process in another pid namespace a debugger writes ids that the process does not
 * know. */
static bool has_any(const struct process_image *p, const struct managed *managed)
{
    for (size_t i = 0; i < p->thread_count; i++)
        if (id_numbers_find(&managed->ids, p->threads[i].id) != NO_ID)
            return true;
    return false;
}

/* The C library, glibc or musl, puts what the thread pointer points to on top of a thread's
 * stack: above it begins other memory. Of the first thread it lies elsewhere. Where nothing
 * tells it, as in what createdump writes on aarch64, the runtime knows where the stack
 * ends; else it ends with its mapping. */
static uint64_t stack_end(const struct image_thread *t, uint64_t base, uint64_t start,
                          uint64_t size)
{
    uint64_t end = start + size, top = t->thread_pointer != 0 ? t->thread_pointer : base;
    return top > start && top < end ? top : end;
}

/* left: bytes of memory in all. Stacks of one process share none. */
static void visit_thread(const struct process_image *p, const struct image_thread *t,
                         uint64_t base, uint64_t *left, word_taker *take, void *context)
{
    for (unsigned i = 0; i < p->processor->registers; i++)
        if (t->registers[i] != 0)
            take(context, t->registers[i], 0);
    uint64_t start = (t->registers[p->processor->stack_pointer] + WORD - 1) / WORD * WORD;
    struct bytes stack = memory_from(&p->memory, start);
    uint64_t size = stack_end(t, base, start, stack.size) - start;
    memory_hold(&p->memory, start, size);
    for (uint64_t at = 0; at + WORD <= size && *left >= WORD; at += WORD) {
        uint64_t word = le_u64(stack.data + at);
        *left -= WORD;
        if (word != 0)
            take(context, word, start + at);
    }
}

static uint64_t size_of(const struct memory *m)
{
    uint64_t size = 0;
    for (size_t i = 0; i < m->len; i++)
        size += m->all[i].size;
    return size;
}

void gc_stacks_each(const struct process_image *p, const struct gc_threads *threads,
                    word_taker *take, void *context)
{
    struct managed managed = {0};
    uint64_t left = size_of(&p->memory);
    bool known = are_known(threads, &managed) && has_any(p, &managed);
    for (size_t i = 0; i < p->thread_count; i++) {
        uint32_t n = id_numbers_find(&managed.ids, p->threads[i].id);
        if (!known || n != NO_ID)
            visit_thread(p, &p->threads[i], n != NO_ID ? managed.stack_bases[n] : 0, &left,
                         take, context);
    }
    id_numbers_free(&managed.ids);
    free(managed.stack_bases);
}

/* --- objects that wait for their finalizer ------------------------------------- */

/* A queue is one array in parts: one for each generation, then what is due, first the
 * critical ones. Where each part ends stands in front of the pointer to the array. */
enum { POINTER = 8, PARTS = GC_GENERATIONS + 2, LAST_REGISTERED = GC_GENERATIONS - 1 };

static void visit_queue(const struct memory *m, uint64_t queue, uint64_t *left,
                        void (*take)(void *context, uint64_t object), void *context)
{
    bool ok = true;
    uint64_t begin = memory_u64(m, queue + POINTER * (uint64_t)LAST_REGISTERED, &ok),
             end = memory_u64(m, queue + POINTER * (uint64_t)(PARTS - 1), &ok);
    for (uint64_t at = begin; ok && at < end && end - at >= POINTER && *left > 0;
         at += POINTER, --*left) {
        uint64_t object = memory_u64(m, at, &ok);
        if (ok && object != 0)
            take(context, object);
    }
}

static void count_registered(const struct gc_heap *h, uint64_t queue, uint64_t *left,
                             struct core_tally *tally)
{
    enum { ARRAY = POINTER * PARTS };
    const struct memory *m = &h->runtime->image->memory;
    bool ok = true;
    uint64_t at = memory_u64(m, queue + ARRAY, &ok),
             end = memory_u64(m, queue + POINTER * (uint64_t)LAST_REGISTERED, &ok);
    for (; ok && at < end && end - at >= POINTER && *left > 0; at += POINTER, --*left) {
        uint64_t object = memory_u64(m, at, &ok);
        tally->met += ok;
        /* Zeros stand for words that were taken out of a dump. */
        tally->objects += ok && (object == 0 || gc_heap_find(h, object) != NO_NODE);
    }
}

/* Counts without marking the memory as read: a dump without values does not need it. */
static void gc_finalizable_count(const struct gc_globals *g, const struct gc_heap *h,
                                 struct core_tally *tally)
{
    const struct memory *m = &h->runtime->image->memory;
    uint64_t left = size_of(m) / POINTER;
    bool before = memory_look_away(m, true);
    for (size_t i = 0; i < g->part_count; i++)
        if (g->parts[i].finalizers != 0)
            count_registered(h, g->parts[i].finalizers, &left, tally);
    memory_look_away(m, before);
}

/* Calls take for every object that nothing else need hold, as its finalizer is due. Those
 * that merely have one are not: it is registered, and holds nothing. */
static void gc_finalizers_each(const struct gc_globals *g, const struct memory *m,
                               void (*take)(void *context, uint64_t object), void *context)
{
    /* Queues share nothing, so there are no more than words of memory. */
    uint64_t left = size_of(m) / POINTER;
    for (size_t i = 0; i < g->part_count; i++)
        if (g->parts[i].finalizers != 0)
            visit_queue(m, g->parts[i].finalizers, &left, take, context);
}

/* --- roots of all kinds -------------------------------------------------------- */

struct search {
    struct core_roots *r;
    struct gc_heap *h;
    uint64_t weak;
    node_id *found; /* from stacks */
    size_t found_count, found_cap;
    struct text name;
};

static void note_lost(struct search *s, uint64_t object)
{
    s->r->lost += gc_heap_has(s->h, object);
    builder_warn(s->h->builder, WARN_DANGLING_ROOT, 0);
}

static void add(struct search *s, enum root_group group, uint64_t object)
{
    node_id n = gc_heap_find(s->h, object);
    if (n != NO_NODE)
        root_tree_add(&s->r->tree, group, NULL, 0, n);
    else
        note_lost(s, object);
}

/* --- static variables ---------------------------------------------------------- */

static void name_variable(struct search *s, const char *type, const char *field)
{
    text_clear(&s->name);
    place_add_static(&s->name, name_part(type), name_part(field));
}

static void add_static(void *context, const struct clr_static *variable)
{
    struct search *s = context;
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

/* The arrays that have the values of thread statics are the runtime's own: nothing else
 * refers to them. */
static void add_thread_statics(struct search *s, const struct gc_threads *threads)
{
    for (size_t i = 0; i < threads->len; i++)
        if (threads->all[i].statics != 0)
            add(s, GROUP_OTHER, threads->all[i].statics);
}

/* --- handles ------------------------------------------------------------------- */

static void add_link(struct search *s, const struct gc_handle *handle)
{
    struct core_roots *r = s->r;
    node_id from = gc_heap_find(s->h, handle->object),
            to = gc_heap_find(s->h, handle->secondary);
    if (handle->secondary == 0)
        return;
    if (from == NO_NODE || to == NO_NODE) {
        builder_warn(s->h->builder, WARN_DANGLING_ROOT, 0);
        if (from != NO_NODE)
            builder_lacks(s->h->builder, from);
        return;
    }
    r->links = account_grow(&s->h->builder->account, r->links, r->link_count, &r->link_cap,
                            sizeof(*r->links));
    r->links[r->link_count++] = (struct core_link){from, to};
}

static void add_handle(void *context, const struct gc_handle *handle)
{
    struct search *s = context;
    s->r->handles.met++;
    s->r->handles.objects += gc_heap_find(s->h, handle->object) != NO_NODE;
    switch (handle->kind) {
    case GC_HANDLE_WEAK:
    case GC_HANDLE_WEAK_LONG:
        s->weak++;
        return;
    case GC_HANDLE_STRONG:
    case GC_HANDLE_SIZED_REF:
        add(s, GROUP_STRONG, handle->object);
        return;
    case GC_HANDLE_PINNED:
    case GC_HANDLE_ASYNC_PINNED:
        add(s, GROUP_PINNING, handle->object);
        return;
    case GC_HANDLE_REF_COUNTED:
        add(s, GROUP_REF_COUNTED, handle->object);
        return;
    case GC_HANDLE_DEPENDENT:
        add_link(s, handle);
        return;
    default:
        return;
    }
}

/* The order of equal ones does not show. */
static int by_from(const void *a, const void *b)
{
    const struct core_link *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* --- stacks and finalizers ----------------------------------------------------- */

/* A number that happens to be the address of an object is taken for a root as well. */
static void add_word(void *context, uint64_t word, uint64_t at)
{
    struct search *s = context;
    node_id n = gc_heap_containing(s->h, word);
    if (n == NO_NODE)
        return;
    if (at != 0)
        memory_keep(&s->h->runtime->image->memory, at, WORD);
    s->found = account_grow(&s->h->builder->account, s->found, s->found_count,
                            &s->found_cap, sizeof(*s->found));
    s->found[s->found_count++] = n;
}

static int by_number(const void *a, const void *b)
{
    node_id x = *(const node_id *)a, y = *(const node_id *)b;
    return (x > y) - (x < y);
}

/* Each once: how often a word stands on stacks tells nothing. */
static void add_stacks(struct search *s, const struct gc_threads *threads)
{
    gc_stacks_each(s->h->runtime->image, threads, add_word, s);
    if (s->found_count > 0)
        qsort(s->found, s->found_count, sizeof(*s->found), by_number);
    for (size_t i = 0; i < s->found_count; i++)
        if (i == 0 || s->found[i] != s->found[i - 1])
            root_tree_add(&s->r->tree, GROUP_STACK, NULL, 0, s->found[i]);
}

static void add_finalizer(void *context, uint64_t object)
{
    add(context, GROUP_FINALIZER, object);
}

/* --- all ----------------------------------------------------------------------- */

void core_roots_find(struct core_roots *r, struct gc_heap *h, const struct gc_globals *g,
                     const struct gc_threads *threads)
{
    struct search s = {.r = r, .h = h};
    const struct memory *m = &h->runtime->image->memory;
    *r = (struct core_roots){.tree = {.names = {.account = &h->builder->account}}};
    clr_types_statics(h->clr, add_static, &s);
    add_thread_statics(&s, threads);
    add_stacks(&s, threads);
    gc_finalizers_each(g, m, add_finalizer, &s);
    gc_finalizable_count(g, h, &r->finalizable);
    gc_handles_each(g, m, add_handle, &s);
    gc_collectible_find(h);
    if (r->link_count > 0)
        qsort(r->links, r->link_count, sizeof(*r->links), by_from);
    h->builder->snap->weak_roots = s.weak;
    free(s.found);
    text_free(&s.name);
}

void core_roots_free(struct core_roots *r)
{
    root_tree_free(&r->tree);
    free(r->links);
    *r = (struct core_roots){.link_count = 0};
}
