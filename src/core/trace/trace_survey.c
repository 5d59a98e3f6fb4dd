#include "trace/trace_survey.h"

#include "base/arena.h"
#include "base/arrays.h"

#include <stdlib.h>
#include <string.h>

/* A collection of all generations. Its start and end may be in any order. */
struct heap_gc {
    uint32_t count;
    uint64_t pid, start, end; /* ticks; HD_UNKNOWN: not seen */
};

enum { FULL = 2, BACKGROUND = 1, LOOK_BACK = 16 };

/* --- collections --------------------------------------------------------- */

/* Numbers rise, so the one that is wanted is among the last. */
static struct heap_gc *use_gc(struct trace_survey *s, uint32_t count, uint64_t pid)
{
    size_t oldest = s->gc_count > LOOK_BACK ? s->gc_count - LOOK_BACK : 0;
    for (size_t i = s->gc_count; i > oldest; i--)
        if (s->gcs[i - 1].count == count && s->gcs[i - 1].pid == pid)
            return &s->gcs[i - 1];
    s->gcs = account_grow(s->account, s->gcs, s->gc_count, &s->gc_cap, sizeof(*s->gcs));
    s->gcs[s->gc_count] = (struct heap_gc){count, pid, HD_UNKNOWN, HD_UNKNOWN};
    return &s->gcs[s->gc_count++];
}

/* --- walks --------------------------------------------------------------- */

static uint32_t *walk_of(struct trace_survey *s, const struct trace_event *e)
{
    size_t before = s->threads.len;
    uint32_t n = id_numbers_add(&s->threads, e->thread);
    if (n == before) {
        s->walk_of_thread = account_grow(s->account, s->walk_of_thread, before,
                                         &s->thread_cap, sizeof(*s->walk_of_thread));
        s->walk_of_thread[n] = NO_ID;
    }
    return &s->walk_of_thread[n];
}

static bool has_numbers(enum trace_heap_event kind)
{
    return kind >= EVENT_NODES && kind <= EVENT_PAIRS;
}

/* For numbered kinds. */
static struct heap_sequence *sequence_of(struct heap_walk *w, enum trace_heap_event kind)
{
    struct heap_sequence *const all[] = {&w->nodes, &w->edges, &w->roots, &w->pairs};
    return all[kind - EVENT_NODES];
}

/* Numbers begin again with each walk. Statics are unnumbered, but precede all others. */
static bool begins_walk(struct heap_walk *w, enum trace_heap_event kind, uint32_t index)
{
    if (!has_numbers(kind))
        return kind == EVENT_STATICS &&
               w->nodes.events + w->edges.events + w->roots.events > 0;
    const struct heap_sequence *q = sequence_of(w, kind);
    return q->events > 0 && index < q->next;
}

static struct heap_walk *use_walk(struct trace_survey *s, const struct trace_event *e,
                                  enum trace_heap_event kind, uint32_t index)
{
    uint32_t *current = walk_of(s, e);
    if (*current != NO_ID && !begins_walk(&s->walks[*current], kind, index))
        return &s->walks[*current];
    s->walks =
        account_grow(s->account, s->walks, s->walk_count, &s->walk_cap, sizeof(*s->walks));
    *current = (uint32_t)s->walk_count;
    s->walks[s->walk_count] = (struct heap_walk){.thread = e->thread,
                                                 .pid = e->pid,
                                                 .begin_at = e->at,
                                                 .first_time = e->time,
                                                 .gc_start = HD_UNKNOWN,
                                                 .gc_end = HD_UNKNOWN};
    return &s->walks[s->walk_count++];
}

static bool add_nodes(struct heap_walk *w, struct nettrace *t, const struct bulk *b,
                      uint64_t time)
{
    unsigned pointer_size = nettrace_header(t)->pointer_size;
    size_t edges_at = pointer_size + 16;
    const unsigned char *p = b->records;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b->count; i++, p += b->size) {
        uint64_t edges = le_u64(p + edges_at);
        if (edges > UINT32_MAX)
            return nettrace_refuse(t, "an object with 2^32 references or more");
        sum += edges;
    }
    if (w->nodes.events == 0)
        w->first_node_time = time;
    w->last_node_time = time;
    w->edges_wanted += sum;
    return true;
}

static bool add_walk_event(struct trace_survey *s, struct nettrace *t,
                           const struct trace_event *e, enum trace_heap_event kind)
{
    struct bytes payload;
    struct bulk b;
    if (!nettrace_payload(t, &payload))
        return true;
    if (!bulk_parse(kind, payload, nettrace_header(t)->pointer_size, &b))
        return nettrace_refuse(t, "more records than fit into the event");
    if (kind == EVENT_WRAPPERS && b.count == 0)
        return true;
    struct heap_walk *w = use_walk(s, e, kind, b.index);
    if (kind == EVENT_NODES && !add_nodes(w, t, &b, e->time))
        return false;
    if (has_numbers(kind)) {
        struct heap_sequence *q = sequence_of(w, kind);
        if (b.index > q->next)
            q->missing += b.index - q->next;
        q->next = b.index + 1;
        q->events++;
        q->records += b.count;
    }
    w->end_at = e->at;
    w->last_time = e->time;
    return true;
}

static bool add_event(struct trace_survey *s, struct nettrace *t,
                      const struct trace_event *e)
{
    enum trace_heap_event kind = trace_heap_event_kind(e);
    if (trace_heap_event_is_walk(kind))
        return add_walk_event(s, t, e, kind);
    if (kind == EVENT_GC_START || kind == EVENT_GC_END) {
        *walk_of(s, e) = NO_ID;
        bool start = kind == EVENT_GC_START;
        struct bytes payload;
        struct gc_event gc;
        if (!nettrace_payload(t, &payload))
            return true;
        if (!(start ? gc_start_parse(payload, &gc) : gc_end_parse(payload, &gc)))
            return nettrace_refuse(t, "the event of a collection is too short");
        if (gc.depth < FULL || (start && gc.type == BACKGROUND))
            return true;
        struct heap_gc *known = use_gc(s, gc.count, e->pid);
        *(start ? &known->start : &known->end) = e->time;
        return true;
    }
    s->ranges += kind == EVENT_RANGE;
    return true;
}

bool trace_survey_add(struct trace_survey *s, struct nettrace *t,
                      const struct trace_event *e)
{
    /* The survey may outlive the trace and its account. */
    s->account = s->threads.account = nettrace_account(t);
    bool ok = add_event(s, t, e);
    s->account = s->threads.account = NULL;
    return ok;
}

/* --- judging ------------------------------------------------------------- */

static bool may_hold(const struct heap_gc *gc, const struct heap_walk *w)
{
    return gc->pid == w->pid && gc->start != HD_UNKNOWN && gc->start <= w->first_time &&
           (gc->end == HD_UNKNOWN || gc->end >= w->last_time);
}

bool trace_survey_done(const struct trace_survey *s)
{
    size_t oldest_gc = s->gc_count > LOOK_BACK ? s->gc_count - LOOK_BACK : 0;
    size_t oldest_walk = s->walk_count > LOOK_BACK ? s->walk_count - LOOK_BACK : 0;
    for (size_t w = s->walk_count; w > oldest_walk; w--)
        for (size_t i = s->gc_count; i > oldest_gc; i--)
            if (s->walks[w - 1].nodes.records > 0 && s->gcs[i - 1].end != HD_UNKNOWN &&
                may_hold(&s->gcs[i - 1], &s->walks[w - 1]))
                return true;
    return false;
}

/* By start; those without a start last, by end. */
static int gcs_by_start(const void *a, const void *b)
{
    const struct heap_gc *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static bool starts_by(const void *gcs, size_t i, const void *time)
{
    return ((const struct heap_gc *)gcs)[i].start <= *(const uint64_t *)time;
}

/* Finds the collection of a walk: the last that began before it. If its start was lost, the
 * first that ends after it. Collections of a process do not overlap, so only those of other
 * processes have to be skipped. */
static void find_gc(const struct trace_survey *s, struct heap_walk *w)
{
    enum { MAX_OTHERS = 1000 };
    size_t i = search_first(s->gcs, 0, s->gc_count, starts_by, &w->first_time);
    size_t first = i > MAX_OTHERS ? i - MAX_OTHERS : 0;
    while (i > first && s->gcs[i - 1].pid != w->pid)
        i--;
    if (i > first && may_hold(&s->gcs[i - 1], w)) {
        w->gc_start = s->gcs[i - 1].start;
        w->gc_end = s->gcs[i - 1].end;
        w->gc = s->gcs[i - 1].count;
    }
}

/* Losses and sums of their events, by the ends of the gaps or by their beginnings. */
struct loss_sums {
    struct trace_loss *by_from, *by_to;
    size_t len;
};

static int losses_by_to(const void *a, const void *b)
{
    const struct trace_loss *x = a, *y = b;
    return (x->to > y->to) - (x->to < y->to);
}

static struct trace_loss *sum_losses(const struct trace_loss *losses, size_t len,
                                     int (*order)(const void *, const void *),
                                     struct arena *a)
{
    struct trace_loss *all = arena_array(a, struct trace_loss, len);
    if (len > 0) {
        memcpy(all, losses, len * sizeof(*all));
        qsort(all, len, sizeof(*all), order);
    }
    for (size_t i = 1; i < len; i++)
        all[i].events += all[i - 1].events;
    return all;
}

static bool began_by(const void *losses, size_t i, const void *time)
{
    return ((const struct trace_loss *)losses)[i].from <= *(const uint64_t *)time;
}

static bool was_over_before(const void *losses, size_t i, const void *time)
{
    return ((const struct trace_loss *)losses)[i].to < *(const uint64_t *)time;
}

static uint64_t begin_of(const struct heap_walk *w)
{
    return w->gc_start != HD_UNKNOWN ? w->gc_start : w->first_time;
}

/* next is the walk after it, or NULL. A writer notices late how many events it has dropped:
 * the gap of a walk that lost its second half appeared after its end. So all losses up to
 * the next walk count. */
static void judge_walk(struct heap_walk *w, const struct heap_walk *next,
                       const struct loss_sums *losses)
{
    uint64_t to = next != NULL && next->pid == w->pid ? begin_of(next) : UINT64_MAX;
    /* Events of losses that overlap [from, to]: those that began by to, without those that
     * were over before from. */
    uint64_t from = begin_of(w);
    size_t began = search_first(losses->by_from, 0, losses->len, began_by, &to);
    size_t over = search_first(losses->by_to, 0, losses->len, was_over_before, &from);
    uint64_t sum = began > 0 ? losses->by_from[began - 1].events : 0;
    w->events_lost = sum - (over > 0 ? losses->by_to[over - 1].events : 0);
    bool bracketed = w->gc_start != HD_UNKNOWN && w->gc_end != HD_UNKNOWN;
    w->is_complete = bracketed && w->events_lost == 0 &&
                     w->edges.records == w->edges_wanted && w->nodes.missing == 0 &&
                     w->edges.missing == 0 && w->roots.missing == 0 &&
                     w->pairs.missing == 0;
}

static int walks_by_time(const void *a, const void *b)
{
    const struct heap_walk *x = a, *y = b;
    if (x->first_time != y->first_time)
        return x->first_time < y->first_time ? -1 : 1;
    return (x->begin_at > y->begin_at) - (x->begin_at < y->begin_at);
}

void trace_survey_finish(struct trace_survey *s, const struct nettrace *t)
{
    struct arena scratch = {0};
    size_t kept = 0;
    struct loss_sums sums;
    const struct trace_loss *losses = nettrace_losses(t, &sums.len);
    sums.by_from = sum_losses(losses, sums.len, by_first_number, &scratch);
    sums.by_to = sum_losses(losses, sums.len, losses_by_to, &scratch);
    s->events_lost = sums.len > 0 ? sums.by_to[sums.len - 1].events : 0;
    if (s->gc_count > 0)
        qsort(s->gcs, s->gc_count, sizeof(*s->gcs), gcs_by_start);
    for (size_t i = 0; i < s->walk_count; i++)
        if (s->walks[i].nodes.records > 0)
            s->walks[kept++] = s->walks[i];
    s->walk_count = kept;
    if (s->walk_count > 0)
        qsort(s->walks, s->walk_count, sizeof(*s->walks), walks_by_time);
    for (size_t i = 0; i < s->walk_count; i++)
        find_gc(s, &s->walks[i]);
    for (size_t i = 0; i < s->walk_count; i++)
        judge_walk(&s->walks[i], i + 1 < s->walk_count ? &s->walks[i + 1] : NULL, &sums);
    arena_free(&scratch);
}

const struct heap_walk *trace_survey_walk(const struct trace_survey *s, unsigned number)
{
    if (number > 0)
        return number <= s->walk_count ? &s->walks[number - 1] : NULL;
    for (size_t i = s->walk_count; i > 0; i--)
        if (s->walks[i - 1].is_complete)
            return &s->walks[i - 1];
    return s->walk_count > 0 ? &s->walks[s->walk_count - 1] : NULL;
}

void trace_survey_free(struct trace_survey *s)
{
    free(s->walks);
    free(s->gcs);
    free(s->walk_of_thread);
    id_numbers_free(&s->threads);
    *s = (struct trace_survey){0};
}
