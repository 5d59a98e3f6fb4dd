#include "collect/gc_move_events.h"

#include "base/alloc.h"
#include "base/arrays.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Maximum of stretches held, 24 bytes each: more than a full collection of a heap of ten
 * million objects needs. A runtime has some hundred territories, at most 1000 heaps. */
enum { MAX_STRETCHES = 6 << 20, MAX_PENDING = 1 << 20, MAX_TERRITORIES = 1 << 16 };

struct pending_event {
    uint64_t time;
    uint32_t order; /* in the stream */
    enum trace_heap_event kind;
    struct gc_event gc;
    struct heap_territory territory;
    size_t first, count; /* stretches */
};

struct pending_sample {
    uint64_t time;
    struct sample it; /* without born */
};

static bool spoil(struct gc_move_events *e)
{
    e->failed = true;
    return false;
}

/* --- samples ------------------------------------------------------------------------- */

/* Bytes of allocations from one event to the next. */
enum { BYTES_PER_EVENT = 100 * 1024 };

static uint32_t stride_of(const struct gc_move_events *e)
{
    return e->stride > 0 ? e->stride : 1;
}

/* Decides by a hash of the number: a program may allocate alternately, and every second
 * event would have the same type. */
static bool is_kept(const struct gc_move_events *e, uint32_t number)
{
    return (mix(number) & (stride_of(e) - 1)) == 0;
}

/* Drops about half of the samples, and from now on half of the events. */
static void thin_out(struct gc_move_events *e)
{
    struct gc_moves *m = &e->gc_moves;
    size_t kept = 0;
    e->stride = 2 * stride_of(e);
    for (size_t i = 0; i < e->allocated_len; i++)
        if (is_kept(e, e->allocated[i].it.number))
            e->allocated[kept++] = e->allocated[i];
    e->allocated_len = kept;
    kept = 0;
    for (size_t i = 0; i < m->sample_count; i++)
        if (is_kept(e, m->samples[i].number))
            m->samples[kept++] = m->samples[i];
    m->sample_count = kept;
}

/* Drops the stacks of dead samples; with keeps_busy only rare stacks. */
static void forget_stacks(struct gc_move_events *e, bool keeps_busy)
{
    const struct gc_moves *m = &e->gc_moves;
    uint64_t *needed = bits_new(e->stacks.len);
    for (size_t i = 0; i < e->allocated_len; i++)
        bits_set(needed, e->allocated[i].it.stack);
    for (size_t i = 0; i < m->sample_count; i++)
        bits_set(needed, m->samples[i].stack);
    for (uint32_t i = 0; keeps_busy && i < e->stacks.len; i++)
        if (stack_table_uses(&e->stacks, i) > e->events / BUSY_SHARE)
            bits_set(needed, i);
    stack_table_forget(&e->stacks, needed);
    free(needed);
}

/* Frees a quarter of the stack table at least, so that a sample costs O(1). */
static void clear_stacks(struct gc_move_events *e)
{
    forget_stacks(e, false);
    while (stack_table_is_crowded(&e->stacks)) {
        thin_out(e);
        forget_stacks(e, false);
    }
}

bool gc_move_events_add_sample(struct gc_move_events *e, uint64_t time,
                               const struct heap_allocation *a, struct bytes stack)
{
    enum { MAX_EXCESS = 32 };
    if (e->failed)
        return false;
    uint32_t number = e->events++;
    if (time <= e->done || !is_kept(e, number))
        return true;
    if (e->allocated_len + e->gc_moves.sample_count >= MAX_SAMPLES) {
        thin_out(e);
        if (!is_kept(e, number))
            return true;
    }
    if (stack_table_is_due(&e->stacks))
        forget_stacks(e, true);
    uint32_t n = stack_table_add(&e->stacks, stack);
    if (n == NO_STACK && stack.size > 0) {
        clear_stacks(e);
        n = is_kept(e, number) ? stack_table_add(&e->stacks, stack) : NO_STACK;
    }
    if (n == NO_STACK)
        return true;
    bool may_exceed = a->is_tick && a->kind == ALLOCATED_LARGE;
    struct sample s = {.address = a->address,
                       .size = a->size,
                       .type = a->type,
                       .stack = n,
                       .number = number,
                       .excess = may_exceed ? MAX_EXCESS : 0};
    *APPEND(e->allocated, e->allocated_len, e->allocated_cap) =
        (struct pending_sample){time, s};
    return true;
}

uint64_t gc_move_events_per_sample(const struct gc_move_events *e)
{
    return (uint64_t)BYTES_PER_EVENT * stride_of(e);
}

uint64_t gc_move_events_allocated(const struct gc_move_events *e)
{
    return BYTES_PER_EVENT * e->sampled;
}

static int sample_by_time(const void *a, const void *b)
{
    const struct pending_sample *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->it.number > y->it.number) - (x->it.number < y->it.number);
}

/* Gives the samples before that time to the moves, except those that are not between the
 * two snapshots. They must be in order. */
static void take_samples(struct gc_move_events *e, uint64_t time)
{
    bool is_wanted = e->last >= e->after && (e->until == 0 || e->last < e->until);
    for (; e->taken < e->allocated_len && e->allocated[e->taken].time < time; e->taken++) {
        struct sample s = e->allocated[e->taken].it;
        s.born = e->last;
        if (!is_wanted)
            continue;
        gc_moves_add_sample(&e->gc_moves, &s);
        e->sampled += stride_of(e);
    }
}

/* Drops those that the moves have. */
static void drop_taken(struct gc_move_events *e)
{
    e->allocated_len -= e->taken;
    if (e->taken > 0)
        memmove(e->allocated, e->allocated + e->taken,
                e->allocated_len * sizeof(*e->allocated));
    e->taken = 0;
}

/* --- adding events
 * ---------------------------------------------------------------------- */

static bool gc_move_events_note(struct gc_move_events *e, uint64_t time,
                                enum trace_heap_event kind, struct bytes payload,
                                unsigned pointer_size)
{
    struct pending_event p = {
        .time = time, .order = (uint32_t)e->pending_len, .kind = kind};
    struct bulk b;
    bool ok = true;
    if (kind == EVENT_RANGE) {
        ok = heap_territory_parse(payload, pointer_size, &p.territory);
    } else if (kind == EVENT_GC_START) {
        ok = gc_start_parse(payload, &p.gc);
    } else if (kind == EVENT_GC_END) {
        ok = gc_end_parse(payload, &p.gc);
    } else {
        /* Records of another size would be read as nonsense. */
        ok = bulk_parse(kind, payload, pointer_size, &b) &&
             b.rest.size == b.count * b.size && e->stretch_len + b.count <= MAX_STRETCHES;
        p.first = e->stretch_len;
        p.count = ok ? b.count : 0;
        e->names_survivors = e->names_survivors || p.count > 0;
    }
    if (!ok)
        return spoil(e);
    for (uint32_t i = 0; i < p.count; i++) {
        struct heap_stretch s = heap_stretch_at(kind, b.records + i * b.size, pointer_size);
        e->stretches =
            grow(e->stretches, e->stretch_len, &e->stretch_cap, sizeof(*e->stretches));
        e->stretches[e->stretch_len++] = (struct stretch){s.from, s.to, s.size};
    }
    e->pending = grow(e->pending, e->pending_len, &e->pending_cap, sizeof(*e->pending));
    e->pending[e->pending_len++] = p;
    return true;
}

/* --- in order ------------------------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
    const struct pending_event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static struct open_collection *latest(struct gc_move_events *e)
{
    return e->open_count > 0 ? &e->open[e->open_count - 1] : NULL;
}

/* Applies what is known so far of a collection, if it is in the interval. */
static bool gc_move_events_fold(struct gc_move_events *e, struct open_collection *o)
{
    bool is_wanted = o->number > e->after && (e->until == 0 || o->number <= e->until);
    bool ok = !is_wanted || gc_moves_fold(&e->gc_moves, &o->it);
    o->it.moved_count = o->it.unmoved_count = 0;
    o->is_under_way = true;
    return ok || spoil(e);
}

/* True if a collection is between the two snapshots, excluding that of the newer one. */
static bool is_between(const struct gc_move_events *e, uint32_t number)
{
    return number > e->after && (e->until == 0 || number < e->until);
}

/* Takes note of the start of a collection. */
static void note_start(struct gc_move_events *e, const struct gc_event *gc, uint64_t time)
{
    struct interval_activity *a = &e->activity;
    if (gc->count == e->after)
        a->begin = time;
    if (gc->count == e->until)
        a->end = time;
    if (!is_between(e, gc->count))
        return;
    a->collections[gc->depth < 2 ? gc->depth : 2]++;
    a->of_allocations += gc->is_of_allocations;
    if (gc->depth >= 2)
        a->last_gen2 = time;
}

static bool start(struct gc_move_events *e, const struct gc_event *gc, uint64_t time)
{
    enum { BACKGROUND = 1, MAX_OPEN = 2 };
    bool in_background = gc->type == BACKGROUND;
    struct open_collection *outer = latest(e);
    bool follows = e->last == 0 || gc->count == e->last + 1;
    bool can_be = outer == NULL ||
                  (e->open_count < MAX_OPEN && outer->it.is_background && !in_background);
    /* The first part of a background collection precedes this one. */
    if (!follows || !can_be || (outer != NULL && !gc_move_events_fold(e, outer)))
        return spoil(e);
    struct open_collection *o = &e->open[e->open_count++];
    note_start(e, gc, time);
    o->began = time;
    o->number = o->it.number = e->last = gc->count;
    o->it.depth = gc->depth;
    o->it.is_background = in_background;
    o->it.territory_count = o->it.later_count = 0;
    o->is_under_way = false;
    e->first = e->first == 0 ? gc->count : e->first;
    return true;
}

static bool finish(struct gc_move_events *e, uint32_t number, uint64_t time)
{
    size_t i = e->open_count;
    while (i > 0 && e->open[i - 1].number != number)
        i--;
    if (i == 0)
        return e->last == 0 || spoil(e); /* it began before us */
    if (!gc_move_events_fold(e, &e->open[i - 1]))
        return false;
    struct open_collection done = e->open[i - 1];
    if (!done.it.is_background && is_between(e, number))
        e->activity.collecting += time - done.began;
    e->open_count--;
    e->open[i - 1] = e->open[e->open_count];
    e->open[e->open_count] = done; /* its memory is used again */
    return true;
}

static bool work_on(struct gc_move_events *e, const struct pending_event *p)
{
    struct open_collection *o = latest(e);
    if (p->kind == EVENT_GC_START) {
        take_samples(e, p->time);
        return start(e, &p->gc, p->time);
    }
    if (p->kind == EVENT_GC_END)
        return finish(e, p->gc.count, p->time);
    if (o == NULL)
        return true;
    struct collection *c = &o->it;
    if (p->kind == EVENT_RANGE) {
        const struct heap_territory *t = &p->territory;
        if (o->is_under_way && !c->is_background)
            return true;
        struct territory **all = o->is_under_way ? &c->later : &c->territories;
        size_t *count = o->is_under_way ? &c->later_count : &c->territory_count;
        size_t *cap = o->is_under_way ? &o->later_cap : &o->territory_cap;
        if (*count >= MAX_TERRITORIES)
            return spoil(e);
        *all = grow(*all, *count, cap, sizeof(**all));
        (*all)[(*count)++] =
            (struct territory){t->generation, t->start, t->used, t->reserved};
        return true;
    }
    bool moved = p->kind == EVENT_MOVED;
    struct stretch **all = moved ? &c->moved : &c->unmoved;
    size_t *count = moved ? &c->moved_count : &c->unmoved_count;
    size_t *cap = moved ? &o->moved_cap : &o->unmoved_cap;
    o->is_under_way = true;
    if (*count + p->count > MAX_STRETCHES)
        return spoil(e);
    while (*cap < *count + p->count)
        *all = grow(*all, *cap, cap, sizeof(**all));
    if (p->count > 0)
        memcpy(*all + *count, e->stretches + p->first, p->count * sizeof(**all));
    *count += p->count;
    return true;
}

/* Those from number i on are all that is left. */
static void keep_rest(struct gc_move_events *e, size_t i)
{
    struct stretch *rest = NULL;
    size_t len = 0, cap = 0, kept = 0;
    for (size_t k = i; k < e->pending_len; k++)
        cap += e->pending[k].count;
    rest = cap > 0 ? alloc_resize(NULL, array_bytes(cap, sizeof(*rest))) : NULL;
    for (; i < e->pending_len; i++) {
        struct pending_event p = e->pending[i];
        if (p.count > 0)
            memcpy(rest + len, e->stretches + p.first, p.count * sizeof(*rest));
        p.first = len;
        p.order = (uint32_t)kept;
        len += p.count;
        e->pending[kept++] = p;
    }
    free(e->stretches);
    e->stretches = rest;
    e->stretch_len = len;
    e->stretch_cap = cap;
    e->pending_len = kept;
}

static bool work_up_to(struct gc_move_events *e, uint64_t time)
{
    size_t i = 0;
    if (e->pending_len > 0)
        qsort(e->pending, e->pending_len, sizeof(*e->pending), by_time);
    if (e->allocated_len > 0)
        qsort(e->allocated, e->allocated_len, sizeof(*e->allocated), sample_by_time);
    for (; i < e->pending_len && e->pending[i].time <= time; i++)
        if (!work_on(e, &e->pending[i]))
            return false;
    take_samples(e, time);
    drop_taken(e);
    e->done = time;
    keep_rest(e, i);
    return true;
}

/* --- from outside -------------------------------------------------------------------- */

bool gc_move_events_want(enum trace_heap_event kind)
{
    return kind == EVENT_GC_START || kind == EVENT_GC_END || kind == EVENT_RANGE ||
           kind == EVENT_SURVIVED || kind == EVENT_MOVED;
}

bool gc_move_events_add(struct gc_move_events *e, enum trace_heap_event kind, uint64_t time,
                        struct bytes payload, const struct trace_header *header)
{
    if (e->failed)
        return false;
    if (time <= e->done || e->pending_len >= MAX_PENDING)
        return spoil(e);
    e->pointer_size = header->pointer_size;
    e->frequency = header->frequency;
    e->newest = time > e->newest ? time : e->newest;
    if (!gc_move_events_note(e, time, kind, payload, header->pointer_size))
        return false;
    /* Twice as long, so that the work is done once a second. */
    uint64_t second = header->frequency, oldest = e->pending[0].time;
    if (!e->is_begun || e->is_held || e->newest < oldest || e->newest - oldest < 2 * second)
        return true;
    return work_up_to(e, e->newest - second);
}

void gc_move_events_begin(struct gc_move_events *e, struct places *places, uint32_t after)
{
    if (places != NULL)
        gc_moves_begin(&e->gc_moves, places);
    e->after = after;
    e->follows_all = places == NULL;
    e->is_begun = true;
}

bool gc_move_events_end(struct gc_move_events *e, uint32_t until)
{
    e->until = until;
    if (e->failed || !e->is_begun || !work_up_to(e, UINT64_MAX))
        return false;
    /* A running background collection has not moved objects. */
    for (size_t i = 0; i < e->open_count; i++)
        if (!e->open[i].it.is_background && e->open[i].number <= until)
            return false;
    return until > e->after && e->first != 0 &&
           (e->follows_all || e->first <= e->after + 1) && e->last >= until;
}

void gc_move_events_free(struct gc_move_events *e)
{
    for (size_t i = 0; i < sizeof(e->open) / sizeof(*e->open); i++) {
        free(e->open[i].it.moved);
        free(e->open[i].it.unmoved);
        free(e->open[i].it.territories);
        free(e->open[i].it.later);
    }
    free(e->pending);
    free(e->stretches);
    free(e->allocated);
    stack_table_free(&e->stacks);
    gc_moves_free(&e->gc_moves);
    *e = (struct gc_move_events){0};
}
