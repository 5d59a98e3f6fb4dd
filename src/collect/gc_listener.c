/* Tracks the objects of a series from each snapshot to the next (hd_gc_listener).
 *
 * Each interval has its own session, open from before the first of its two snapshots until
 * after the second: the end of a session reports lost events, and no session lasts for
 * days. Opening one makes the runtime name types again, which it would not do for a second
 * snapshot during another session. docs/collect.md. */
#include "base/error.h"
#include "collect/find_target.h"
#include "collect/gc_move_events.h"
#include "collect/session.h"
#include "collect/site_keeper.h"
#include "heap/process_facts.h"
#include "heap/snapshot.h"
#include "heapdrift.h"
#include "trace/nettrace.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- listening ----------------------------------------------------------------- */

/* A tracing session that is held open for the collector's events of survivors and moves.
 *
 * A separate thread reads the events: without a reader the runtime buffers them in memory
 * and then drops them. The thread ends if the process exceeds the limits below, or exits.
 * An error here fails no snapshot: identities are unknown then. */

struct listener;

/* Time limits for a process to begin, and to stop. */
enum { TO_BEGIN_MS = 2000, TO_STOP_MS = 5000 };

/* Bytes of events in ten seconds: writing them takes the process about 4 % of its time. */
enum { WINDOW_MS = 10000, MAX_IN_WINDOW = 120 << 20 };

/* Bytes that a hostile stream may occupy in addition; and for stacks between two sequence
 * points, whose table doubles as it grows: 10,000 distinct ones in a second took 9.4 MB. */
enum { MAX_MEMORY = 4 << 20, MAX_STACK_MEMORY = 12 << 20 };

/* Samples in ten seconds, at 7 microseconds for an allocation with its stack: 4 %. */
enum { MAX_ALLOCATIONS_IN_WINDOW = 60000 };

enum hearing { HEARING, HEARD_OUT, TOO_MUCH, TOO_MANY_ALLOCATIONS, CUT_OFF, NONSENSE };

struct listener {
    struct arena arena; /* of target */
    struct target target;
    struct event_session tracing;
    pthread_t thread;
    bool with_sites;
    bool stop_requested;
    bool is_stopped; /* and has been heard out */

    pthread_mutex_t lock; /* of all that follows */
    struct gc_move_events events;
    uint64_t stop_by; /* clock_ms(); 0: no end */
    enum hearing why;

    /* of the thread */
    uint64_t window, in_window, allocations_in_window;
};

/* --- the thread ---------------------------------------------------------------- */

static uint64_t stop_by(struct listener *l)
{
    pthread_mutex_lock(&l->lock);
    uint64_t when = l->stop_by;
    pthread_mutex_unlock(&l->lock);
    return when;
}

static void end_for(struct listener *l, enum hearing why)
{
    pthread_mutex_lock(&l->lock);
    if (l->why == HEARING)
        l->why = why;
    pthread_mutex_unlock(&l->lock);
}

/* read(2) for input_stream(). After the stop only the events in transit are left. */
static ssize_t gc_listener_take(void *from, void *to, size_t capacity)
{
    struct listener *l = from;
    for (;;) {
        uint64_t deadline = stop_by(l), now = clock_ms();
        if (deadline != 0 && now > deadline)
            return 0;
        ssize_t n = transport.read(l->tracing.stream, to, capacity, PATIENCE_TICK_MS);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n <= 0)
            return 0;
        now = clock_ms();
        if (now - l->window >= WINDOW_MS) {
            l->window = now;
            l->in_window = l->allocations_in_window = 0;
        }
        l->in_window += (size_t)n;
        if (l->in_window <= MAX_IN_WINDOW)
            return n;
        end_for(l, TOO_MUCH);
        return 0;
    }
}

/* Adds an allocation, under the lock. False where there are more than a process should pay
 * for. */
static bool add_allocation(struct listener *l, struct nettrace *t,
                           const struct trace_event *e, struct bytes payload)
{
    struct heap_allocation a;
    if (++l->allocations_in_window > MAX_ALLOCATIONS_IN_WINDOW) {
        l->why = l->why == HEARING ? TOO_MANY_ALLOCATIONS : l->why;
        return false;
    }
    return !heap_allocation_parse(e, payload, nettrace_header(t)->pointer_size, &a) ||
           gc_move_events_add_sample(&l->events, e->time, &a, nettrace_stack(t));
}

static void *listen_on(void *context)
{
    struct listener *l = context;
    struct hd_error err = {0};
    struct trace_event e;
    struct input *in = input_stream(gc_listener_take, l);
    struct nettrace *t = nettrace_begin(in, &err);
    bool ok = true;
    size_t losses;
    nettrace_distrust(t, MAX_MEMORY + (l->with_sites ? 2 * MAX_STACK_MEMORY : 0));
    if (l->with_sites)
        nettrace_keep_stacks(t, MAX_STACK_MEMORY);
    while (ok && nettrace_next(t, &e)) {
        enum trace_heap_event kind = trace_gc_move_kind(&e);
        struct bytes payload;
        nettrace_losses(t, &losses);
        ok = losses == 0;
        /* nettrace_payload() may wait: only for wanted events. */
        bool is_wanted =
            gc_move_events_want(kind) || (l->with_sites && kind == EVENT_ALLOCATED);
        if (!ok || !is_wanted || !nettrace_payload(t, &payload))
            continue;
        pthread_mutex_lock(&l->lock);
        ok = kind == EVENT_ALLOCATED ? add_allocation(l, t, &e, payload)
                                     : gc_move_events_add(&l->events, kind, e.time, payload,
                                                          nettrace_header(t));
        pthread_mutex_unlock(&l->lock);
    }
    nettrace_losses(t, &losses);
    if (!ok || losses > 0 || nettrace_end(t) == TRACE_CANNOT_BE_READ)
        end_for(l, NONSENSE);
    else
        end_for(l, nettrace_end(t) == TRACE_ENDS && stop_by(l) != 0 ? HEARD_OUT : CUT_OFF);
    nettrace_free(t);
    input_close(in);
    /* Nobody reads from here on, so the process must not write. */
    if (stop_by(l) == 0)
        tracing_end(&l->tracing, false, ok);
    return NULL;
}

/* --- from outside -------------------------------------------------------------- */

/* Requests the end of the stream. A runtime takes 100 ms for it, in which the thread reads
 * the rest. */
static void tell_to_stop(struct listener *l)
{
    if (l->stop_requested)
        return;
    l->stop_requested = true;
    pthread_mutex_lock(&l->lock);
    l->stop_by = clock_ms() + TO_STOP_MS;
    bool goes = l->why == HEARING;
    pthread_mutex_unlock(&l->lock);
    if (goes)
        tracing_stop(&l->tracing, NULL);
}

/* Waits for the rest of the stream: it ends after the stop, and the answer follows. */
static void stop(struct listener *l)
{
    if (l->is_stopped)
        return;
    tell_to_stop(l);
    l->is_stopped = true;
    pthread_join(l->thread, NULL);
}

/* Stops what was not stopped; NULL is fine. */
static void listening_end(struct listener *l)
{
    if (l == NULL)
        return;
    stop(l);
    tracing_end(&l->tracing, l->why == HEARD_OUT, l->why != NONSENSE);
    pthread_mutex_destroy(&l->lock);
    gc_move_events_free(&l->events);
    arena_free(&l->arena);
    free(l);
}

/* Begin to listen to the process that how names; NULL and err. Waits two seconds at most.
 */
static struct listener *listening_begin(struct hd_collect_options *how, bool with_sites,
                                        struct hd_error *err)
{
    struct patience p = collect_patience(how);
    p.silence_ms = p.silence_ms < TO_BEGIN_MS ? p.silence_ms : TO_BEGIN_MS;
    struct listener *l = alloc_zeroed(sizeof(*l));
    l->tracing = tracing_of(&l->target);
    l->window = clock_ms();
    l->with_sites = with_sites;
    enum tracing_kind kind = with_sites ? TRACING_ALLOCATIONS : TRACING_GC_MOVES;
    pthread_mutex_init(&l->lock, NULL);
    bool ok = find_target(&l->target, how, &l->arena, err) &&
              tracing_start(&l->tracing, kind, &p, err);
    if (ok && pthread_create(&l->thread, NULL, listen_on, l) != 0)
        ok = fail(err, HD_IO, "no thread: %s", strerror(errno));
    if (ok)
        return l;
    l->is_stopped = true;
    listening_end(l);
    return NULL;
}

/* Stops, reads the remaining events, and applies them up to collection `until`. NULL, why
 * and err if the objects' addresses are unknown; the result lives until listening_end(). */
static struct gc_moves *listening_stop(struct listener *l, uint32_t until,
                                       enum hd_survivors_unknown *why, struct hd_error *err)
{
    bool was_on = !l->is_stopped;
    stop(l);
    if (l->why == HEARD_OUT && was_on && gc_move_events_end(&l->events, until))
        return &l->events.gc_moves;
    bool is_too_much = l->why == TOO_MUCH || l->why == TOO_MANY_ALLOCATIONS;
    *why = is_too_much                 ? HD_SURVIVORS_UNKNOWN_TOO_MUCH
           : l->why == CUT_OFF         ? HD_SURVIVORS_UNKNOWN_ENDED
           : l->why != HEARD_OUT       ? HD_SURVIVORS_UNKNOWN_LOST
           : l->events.names_survivors ? HD_SURVIVORS_UNKNOWN_GAPS
                                       : HD_SURVIVORS_UNKNOWN_SILENT;
    if (l->why == TOO_MUCH)
        fail(err, HD_TOO_BIG, "%s (%d MiB of events in %d s)",
             hd_survivors_unknown_words(*why), MAX_IN_WINDOW >> 20, WINDOW_MS / 1000);
    else if (l->why == TOO_MANY_ALLOCATIONS)
        fail(err, HD_TOO_BIG,
             "it allocates more than can be sampled without slowing it down (%d samples in "
             "%d s); the series continues without samples",
             MAX_ALLOCATIONS_IN_WINDOW, WINDOW_MS / 1000);
    else
        fail(err, l->why == CUT_OFF ? HD_IO : HD_BAD_FORMAT, "%s",
             hd_survivors_unknown_words(*why));
    return NULL;
}

/* --- the listener -------------------------------------------------------------- */

struct hd_gc_listener {
    struct listener *now;  /* since before the last snapshot */
    struct listener *next; /* since before the one that is being taken */
    struct why {
        enum hd_survivors_unknown survivors_unknown;
        struct hd_error error;
    } why_no_now, why_no_next;
    struct survivor_side older; /* the last snapshot */
    uint64_t instance;          /* its process */
    bool has_older;
    bool is_off;           /* the process sends too many events, or no survivors at all */
    bool is_without_sites; /* it allocates too much */
    struct site_keeper sites;
    struct hd_activity activity;
    uint64_t last_gen2; /* ticks of the process: its last gen2 collection; 0: unknown */
    struct hd_collect_options how; /* of the current snapshot */
};

struct hd_gc_listener *hd_gc_listener_begin(void)
{
    return alloc_zeroed(sizeof(struct hd_gc_listener));
}

void hd_gc_listener_before(struct hd_gc_listener *f, const struct hd_collect_options *opt)
{
    /* The session of a failed snapshot. */
    listening_end(f->next);
    f->next = NULL;
    if (f->now != NULL) {
        /* Keeps all events until the snapshot is complete. */
        pthread_mutex_lock(&f->now->lock);
        f->now->events.is_held = true;
        f->is_without_sites |= f->now->why == TOO_MANY_ALLOCATIONS;
        pthread_mutex_unlock(&f->now->lock);
    }
    if (f->is_off)
        return;
    f->why_no_next = (struct why){.survivors_unknown = HD_SURVIVORS_UNKNOWN_REFUSED};
    if (collect_options_copy(&f->how, opt, &f->why_no_next.error))
        f->next = listening_begin(&f->how, f->how.with_sites && !f->is_without_sites,
                                  &f->why_no_next.error);
}

void hd_gc_listener_after(struct hd_gc_listener *f)
{
    if (f->now != NULL && f->has_older)
        tell_to_stop(f->now);
}

static bool give_reason(struct hd_snapshot *snap, enum hd_survivors_unknown why,
                        struct hd_error *err)
{
    snap->survivors_unknown = why;
    return fail(err, HD_BAD_FORMAT, "%s", hd_survivors_unknown_words(why));
}

static double seconds_of(const struct gc_move_events *e, uint64_t ticks)
{
    return (double)ticks / (double)e->frequency;
}

static struct hd_activity activity_of(const struct gc_move_events *e)
{
    const struct interval_activity *i = &e->activity;
    struct hd_activity a = {.allocated = HD_UNKNOWN};
    if (e->frequency == 0 || i->begin == 0 || i->end <= i->begin)
        return a;
    a.seconds = seconds_of(e, i->end - i->begin);
    a.collecting = seconds_of(e, i->collecting);
    memcpy(a.collections, i->collections, sizeof(a.collections));
    return a;
}

/* Adds the facts of the program's own collections since the previous snapshot. All sessions
 * of a process have one clock. */
static void add_collections(struct hd_gc_listener *f, struct hd_process_facts *facts)
{
    const struct interval_activity *i = &f->now->events.activity;
    if (f->activity.seconds <= 0) {
        f->last_gen2 = 0;
        return;
    }
    const double pause = fmin(f->activity.collecting / f->activity.seconds, 1);
    hd_fact_set(facts, HD_FACT_GC_PAUSE, (uint64_t)(pause * 1e6));
    if (i->last_gen2 != 0)
        f->last_gen2 = i->last_gen2;
    if (f->last_gen2 != 0 && f->last_gen2 <= i->end)
        hd_fact_set(facts, HD_FACT_SINCE_GEN2,
                    (uint64_t)seconds_of(&f->now->events, i->end - f->last_gen2));
}

/* Stores the survivors of the previous snapshot, by the collector's events, in this one. */
static bool identify(struct hd_gc_listener *f, struct hd_snapshot *snap,
                     const struct places *places, const struct survivor_side *side,
                     struct hd_error *err)
{
    uint32_t survivors;
    if (f->now == NULL) {
        snap->survivors_unknown = f->why_no_now.survivors_unknown;
        return fail(err, f->why_no_now.error.status, "%s", f->why_no_now.error.message);
    }
    if (snap->identity.instance != f->instance)
        return give_reason(snap, HD_SURVIVORS_UNKNOWN_RESTARTED, err);
    struct gc_moves *m =
        listening_stop(f->now, snap->identity.collection, &snap->survivors_unknown, err);
    bool is_too_much = snap->survivors_unknown == HD_SURVIVORS_UNKNOWN_TOO_MUCH &&
                       f->now->why != TOO_MANY_ALLOCATIONS;
    if (is_too_much || snap->survivors_unknown == HD_SURVIVORS_UNKNOWN_SILENT) {
        f->is_off = true;
        f->why_no_next = (struct why){snap->survivors_unknown, *err};
    }
    if (m == NULL)
        return false;
    uint32_t *older_of = gc_moves_end(m, places, &survivors);
    if (older_of == NULL)
        return give_reason(snap, HD_SURVIVORS_UNKNOWN_MISPLACED, err);
    struct survivor_map *map = arena_alloc(&snap->arena, sizeof(*map));
    *map = survivor_map_write(&f->older, side, older_of, &snap->arena);
    free(older_of);
    snap->survivor_map = map;
    f->activity = activity_of(&f->now->events);
    add_collections(f, &snap->facts);
    if (f->now->with_sites)
        site_keeper_add(&f->sites, &f->now->events, snap, places, &f->how, &f->activity);
    return true;
}

bool hd_gc_listener_snapshot(struct hd_gc_listener *f, struct hd_snapshot *snap,
                             struct hd_error *err)
{
    const bool is_whole =
        snap->graph != NULL && snap->info.complete && snap->identity.collection != 0;
    bool ok = is_whole;
    struct places places = {0};
    struct survivor_side side = {0};
    f->activity = (struct hd_activity){.allocated = HD_UNKNOWN};
    if (is_whole) {
        places = places_of(snap);
        side = (struct survivor_side){places_token(&places), (uint32_t)places.len};
        if (f->has_older)
            ok = identify(f, snap, &places, &side, err);
        else if (f->next != NULL && f->next->with_sites)
            site_keeper_begin(snap, side.token);
    } else {
        give_reason(snap, HD_SURVIVORS_UNKNOWN_INCOMPLETE, err);
    }
    if (snap->survivor_map == NULL) {
        site_keeper_forget(&f->sites);
        f->last_gen2 = 0;
    }
    listening_end(f->now);
    f->now = f->next;
    f->next = NULL;
    if (f->is_off || !is_whole) {
        listening_end(f->now);
        f->now = NULL;
    }
    f->has_older = true;
    if (!is_whole) {
        f->why_no_now.survivors_unknown = HD_SURVIVORS_UNKNOWN_INCOMPLETE;
        fail(&f->why_no_now.error, HD_BAD_FORMAT, "%s",
             hd_survivors_unknown_words(HD_SURVIVORS_UNKNOWN_INCOMPLETE));
        return false;
    }
    f->why_no_now = f->why_no_next;
    f->older = side;
    f->instance = snap->identity.instance;
    /* From now on the objects of this snapshot are followed. */
    if (f->now != NULL) {
        pthread_mutex_lock(&f->now->lock);
        gc_move_events_begin(&f->now->events, &places, snap->identity.collection);
        pthread_mutex_unlock(&f->now->lock);
    }
    places_free(&places);
    return ok;
}

const struct hd_error *hd_gc_listener_sites_error(const struct hd_gc_listener *f)
{
    return &f->sites.error;
}

const struct hd_activity *hd_gc_listener_activity(const struct hd_gc_listener *f)
{
    return &f->activity;
}

void hd_gc_listener_end(struct hd_gc_listener *f)
{
    if (f == NULL)
        return;
    listening_end(f->now);
    listening_end(f->next);
    site_keeper_free(&f->sites);
    free(f);
}

/* --- kept in the trace --------------------------------------------------------- */

/* Identities, facts and sites, stored in the trace itself (hd_gc_listener_write). */

static ssize_t read_fd(void *fd, void *to, size_t capacity)
{
    ssize_t n;
    while ((n = read(*(int *)fd, to, capacity)) < 0 && errno == EINTR)
        continue;
    return n;
}

static bool fail_to_write(struct hd_error *err)
{
    return fail(err, HD_IO, "cannot write: %s", strerror(errno));
}

/* Reads the trace again: the offset and time of its end, and a free definition number. The
 * contents are untrusted, and were checked when the snapshot was built. */
static bool find_place(int fd, struct survivor_event_place *place, struct hd_error *err)
{
    enum { END = 1 };
    struct hd_error unused = {0};
    struct input *in = input_stream(read_fd, &fd);
    struct nettrace *t = nettrace_begin(in, &unused);
    struct trace_event e;
    bool has_it = false;
    *place = (struct survivor_event_place){0};
    while (nettrace_next(t, &e)) {
        place->time = e.time > place->time ? e.time : place->time;
        has_it = has_it || e.provider == TRACE_HEAPDRIFT;
    }
    unsigned version = nettrace_header(t)->version;
    bool ends = nettrace_end(t) == TRACE_ENDS;
    place->definition = nettrace_last_definition(t) + 1;
    nettrace_free(t);
    input_close(in);
    off_t end = lseek(fd, 0, SEEK_END);
    unsigned char last = 0;
    if (has_it)
        return fail(err, HD_USAGE, "the trace has such events");
    if (version != 4 || place->definition > INT32_MAX)
        return fail(err, HD_UNSUPPORTED, "not possible in a trace of version %u", version);
    if (!ends || end < 1 || pread(fd, &last, 1, end - 1) != 1 || last != END)
        return fail(err, HD_BAD_FORMAT, "the trace ends unexpectedly");
    place->at = (uint64_t)end - 1;
    return true;
}

static bool write_at(int fd, const char *bytes, size_t size, uint64_t at)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(fd, bytes + done, size - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* Appends blocks after the end mark, which readers ignore, and replaces the mark by their
 * first byte last: the file is a valid trace at every moment. */
static bool gc_listener_keep(int fd, const struct text texts[OUR_EVENTS],
                             struct hd_error *err)
{
    struct survivor_event_place place;
    struct text blocks = {0};
    if (lseek(fd, 0, SEEK_SET) != 0)
        return fail_to_write(err);
    if (!find_place(fd, &place, err))
        return false;
    survivor_event_put(&blocks, &place, texts);
    bool ok = write_at(fd, blocks.data + 1, blocks.len - 1, place.at + 1) &&
              write_at(fd, blocks.data, 1, place.at);
    if (!ok) {
        fail_to_write(err);
        if (ftruncate(fd, (off_t)place.at + 1) != 0)
            fail_to_write(err); /* readers ignore the bytes after the end mark */
    }
    text_free(&blocks);
    return ok;
}

bool hd_gc_listener_write(FILE *trace, const struct hd_snapshot *snap,
                          const struct hd_origin *origin, struct hd_error *err)
{
    struct text texts[OUR_EVENTS] = {0};
    struct text *map = &texts[SURVIVORS_EVENT_ID - 1];
    struct hd_process_facts facts = origin->facts;
    for (enum hd_fact n = HD_FACT_GC_PAUSE; snap != NULL && n <= HD_FACT_SINCE_GEN2; n++)
        hd_fact_set(&facts, n, hd_fact(&snap->facts, n));
    bool ok = fflush(trace) == 0 || fail_to_write(err), any = false;
    if (snap != NULL && snap->survivor_map != NULL)
        survivor_map_put(snap->survivor_map, map);
    else if (snap != NULL && snap->survivors_unknown != HD_SURVIVORS_UNKNOWN_NONE)
        text_add_string(map, hd_survivors_unknown_name(snap->survivors_unknown));
    process_facts_put(&facts, &texts[PROCESS_EVENT_ID - 1]);
    if (snap != NULL && snap->sites != NULL)
        allocation_sites_put(snap->sites, &texts[SITES_EVENT_ID - 1]);
    for (int i = 0; i < OUR_EVENTS; i++)
        any |= texts[i].len > 0;
    if (any)
        ok = ok && gc_listener_keep(fileno(trace), texts, err);
    for (int i = 0; i < OUR_EVENTS; i++)
        text_free(&texts[i]);
    return (fseeko(trace, 0, SEEK_END) == 0 || fail_to_write(err)) && ok;
}
