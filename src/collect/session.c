#include "collect/session.h"

#include "base/alloc.h"
#include "base/error.h"
#include "collect/tracing.h"
#include "trace/trace_heap_events.h"
#include "trace/trace_survey.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- types that are new -------------------------------------------------------- */

/* Whether the types of a heap walk have names.
 *
 * A runtime sends the name of a type once, and again only after every session has let go
 * of the keyword for types. With a second tracing client around, later snapshots come
 * without names. This notes which types objects have and which were named; bounded, 16
 * bytes a type. docs/collect.md. */

struct seen_type {
    uint64_t id; /* 0: a free slot */
    bool in_heap, named;
};

struct type_watch {
    struct seen_type *slots; /* open addressing */
    size_t used, cap;
};

/* Of objects: how many types, and how many of them nobody named. */
struct type_counts {
    uint64_t types, nameless;
};

/* More types than this are not told apart; no program has so many. */
enum { FIRST_CAP = 4096, MOST_TYPES = 1 << 17 };

static size_t slot_of(const struct type_watch *w, uint64_t id)
{
    size_t at = (size_t)(id * 0x9E3779B97F4A7C15u >> 32) & (w->cap - 1);
    while (w->slots[at].id != 0 && w->slots[at].id != id)
        at = (at + 1) & (w->cap - 1);
    return at;
}

static void make_room(struct type_watch *w)
{
    if (w->cap > 0 && (w->used + 1) * 4 <= w->cap * 3)
        return;
    struct type_watch larger = {.used = w->used,
                                .cap = w->cap > 0 ? w->cap * 2 : FIRST_CAP};
    larger.slots = alloc_zeroed(array_bytes(larger.cap, sizeof(*larger.slots)));
    for (size_t i = 0; i < w->cap; i++)
        if (w->slots[i].id != 0)
            larger.slots[slot_of(&larger, w->slots[i].id)] = w->slots[i];
    free(w->slots);
    *w = larger;
}

/* NULL when there are too many, or it is no type. */
static struct seen_type *type_of(struct type_watch *w, uint64_t id)
{
    if (id == 0)
        return NULL;
    make_room(w);
    struct seen_type *type = &w->slots[slot_of(w, id)];
    if (type->id == id)
        return type;
    if (w->used >= MOST_TYPES)
        return NULL;
    w->used++;
    type->id = id;
    return type;
}

static void type_watch_nodes(struct type_watch *w, const struct bulk *nodes,
                             unsigned pointer_size)
{
    uint64_t before = 0;
    const unsigned char *p = nodes->records;
    for (uint32_t i = 0; i < nodes->count; i++, p += nodes->size) {
        uint64_t id = heap_node_at(p, pointer_size).type;
        struct seen_type *type = id != before ? type_of(w, id) : NULL;
        if (type != NULL)
            type->in_heap = true;
        before = id;
    }
}

static void type_watch_types(struct type_watch *w, const struct bulk *types)
{
    enum { OF_NATIVE_IMAGE = 0x10 }; /* its names are in the program's symbols */
    struct trace_fields f = {types->rest.data, types->rest.data + types->rest.size, false};
    struct heap_type t;
    for (uint32_t i = 0; i < types->count && heap_type_next(&f, &t); i++) {
        struct seen_type *type = type_of(w, t.id);
        if (type != NULL && (t.name.size > 0 || (t.flags & OF_NATIVE_IMAGE)))
            type->named = true;
    }
}

static struct type_counts type_watch_count(const struct type_watch *w)
{
    struct type_counts n = {0};
    for (size_t i = 0; i < w->cap; i++) {
        n.types += w->slots[i].in_heap;
        n.nameless += w->slots[i].in_heap && !w->slots[i].named;
    }
    return n;
}

static void type_watch_free(struct type_watch *w)
{
    free(w->slots);
    *w = (struct type_watch){0};
}

/* --- session ------------------------------------------------------------------- */

/* A peer that sends a byte now and then is no reason to wait for ever. */
enum { MOST_SILENCES = 20 };

/* What a heap needs in a stream: per object 32 bytes and 12 for each reference (28 and 8
 * where pointers have 4), so less than 2 bytes (3) for each that the object itself has in
 * memory, and the walks of other sessions come with it. A fixed part is for names, and for
 * the methods that old runtimes list. Of a process that is not visible the memory is not
 * known; until .NET 10 a runtime holds 1 GB for us at most. */
static const uint64_t per_byte = 8, fixed = (uint64_t)64 << 20, unseen = (uint64_t)2 << 30;

/* No runtime comes near: events have at most 64 KiB, and a session sees a few walks. */
enum { MOST_MEMORY = 4 << 20, MOST_WALKS = 1000, MOST_GCS = 20000 };

/* For the answer and the end of the session that forces the collection, when that is over.
 */
enum { TO_ANSWER_MS = 5000 };

/* Until a process that was asked sends by itself. */
enum { TO_SEND_MS = 50 };

/* A collection that nothing came of until then: another kind of runtime. */
enum { NO_WALK_MS = 3000 };

struct session {
    struct tracing tracing;
    struct tracing collection; /* where one must be forced: from the request on */
    bool is_asked, is_ended;   /* that one */
    uint64_t over;             /* clock_ms() of its answer; 0: none yet */
    bool is_in_vain;           /* it is over, and no walk came of it */
    bool is_cut;               /* it is over, and the walk has no end */
    const struct session_patience *how;
    struct patience patience; /* the same, for ipc */
    struct hd_error *err;
    FILE *to;
    uint64_t began, last_byte; /* clock_ms() */
    struct hd_collect_progress so_far;
    uint64_t most;   /* bytes that are believed; 0: not known yet */
    uint64_t memory; /* that the process had when it began, before its collection */
};

static bool ask_to_go_on(void *context)
{
    struct session *s = context;
    return s->how->go_on == NULL || s->how->go_on(s->how->context, &s->so_far);
}

static bool start(struct session *s, enum tracing_kind kind)
{
    bool ok = tracing_start(&s->tracing, kind, &s->patience, s->err);
    s->began = s->last_byte = clock_ms();
    s->over = s->tracing.has_walked ? s->began : 0;
    return ok;
}

/* Its end comes before that of the walk: a runtime that still has its keyword when another
 * session ends collects once more. */
static bool end_collection(struct session *s, struct hd_error *err)
{
    const struct patience last = {.silence_ms = TO_ANSWER_MS};
    if (!s->is_asked || s->is_ended)
        return true;
    s->is_ended = true;
    bool ok = s->over != 0 ||
              (s->collection.stream >= 0 && tracing_answer(&s->collection, &last, err));
    tracing_end(&s->collection, false, ok);
    return ok;
}

static bool stop(struct session *s)
{
    return end_collection(s, s->err) && tracing_stop(&s->tracing, s->err);
}

static void end(struct session *s, bool whole)
{
    end_collection(s, NULL);
    tracing_end(&s->tracing, whole, s->err->status != HD_BAD_FORMAT);
}

/* --- the stream ---------------------------------------------------------------- */

static bool is_overdue(struct session *s)
{
    uint64_t now = clock_ms(), silence = s->patience.silence_ms;
    if (now - s->last_byte >= silence)
        return !fail_about(s->err, HD_ABOUT_SILENCE, HD_TIMED_OUT,
                           "no data for %g s, and the heap walk is not finished",
                           (double)silence / 1e3);
    if (now - s->began >= silence * MOST_SILENCES)
        return !fail_about(s->err, HD_ABOUT_SILENCE, HD_TIMED_OUT,
                           "the heap walk did not finish within %g s",
                           (double)(silence * MOST_SILENCES) / 1e3);
    return false;
}

/* Whether so much may come from a process of that size, which may grow meanwhile. What it
 * sends goes to a disk. */
static bool is_plausible(struct session *s)
{
    if (s->so_far.bytes <= fixed || s->so_far.bytes <= s->most)
        return true;
    uint64_t memory = s->tracing.target->visible ? proc_memory(s->tracing.target->pid) : 0;
    memory = memory > s->memory ? memory : s->memory;
    s->most = memory > 0 ? fixed + per_byte * memory : unseen;
    if (s->so_far.bytes <= s->most)
        return true;
    if (memory > 0)
        return fail(s->err, HD_BAD_FORMAT,
                    "the process sent more than %" PRIu64
                    " MiB, which a heap in %.1f MiB of memory cannot need",
                    s->most >> 20, (double)memory / 1048576);
    return fail(s->err, HD_BAD_FORMAT,
                "the process sent more than %" PRIu64
                " MiB; more is accepted only if /proc shows the size of the process",
                s->most >> 20);
}

static bool keep(struct session *s, const void *data, size_t size)
{
    s->last_byte = clock_ms();
    s->so_far.bytes += size;
    if (!is_plausible(s))
        return false;
    /* Somebody may read it along. */
    if (fwrite(data, 1, size, s->to) != size || fflush(s->to) != 0)
        return fail(s->err, HD_IO, "cannot write: %s", strerror(errno));
    return !is_overdue(s);
}

/* When the process is silent: a thread of it that sends must have begun before a collection
 * stops all others. The session that forces the collection is answered when that is over.
 */
static bool see_collection(struct session *s)
{
    if (!s->tracing.is_without_collection || s->is_ended)
        return true;
    if (!s->is_asked) {
        s->is_asked = true;
        return tracing_ask(&s->collection, TRACING_COLLECTION, &s->patience, s->err);
    }
    if (s->over == 0 && tracing_has_answered(&s->collection)) {
        if (!tracing_answer(&s->collection, &s->patience, s->err))
            return false;
        s->over = clock_ms();
    }
    return true;
}

/* The collection is over, and what was walked may still be on its way, but not for long.
 * Where a buffer was too small, its end may be lost with other events: what is held comes
 * at the end of the session. */
static bool see_silence(struct session *s)
{
    uint64_t now = clock_ms();
    bool is_small =
        s->tracing.buffer_mb > 0 && s->tracing.buffer_mb < TRACING_MOST_BUFFER_MB;
    if (s->tracing.stopping || s->over == 0 || now - s->over < NO_WALK_MS ||
        now - s->last_byte < NO_WALK_MS)
        return true;
    s->is_in_vain = s->tracing.is_without_collection && s->so_far.objects == 0;
    s->is_cut = is_small && !s->is_in_vain;
    if (s->is_in_vain)
        return fail(s->err, HD_UNSUPPORTED, "no heap walk was sent");
    return !s->is_cut || stop(s);
}

/* read(2) for input_stream(): what comes is written before it is looked at. */
static ssize_t take(void *from, void *to, size_t room)
{
    struct session *s = from;
    for (;;) {
        if (!ask_to_go_on(s)) {
            fail(s->err, HD_STOPPED, "stopped");
            return -1;
        }
        bool begins = s->tracing.is_without_collection && !s->is_asked;
        unsigned wait_ms = begins ? TO_SEND_MS : PATIENCE_TICK_MS;
        ssize_t n = transport.read(s->tracing.stream, to, room, wait_ms);
        if (n == 0 || (n == -1 && errno == ECONNRESET))
            return 0;
        if (n > 0)
            return keep(s, to, (size_t)n) ? n : -1;
        if (n == -1 && errno != EAGAIN && errno != EINTR) {
            fail(s->err, HD_IO, "cannot read from the process: %s", strerror(errno));
            return -1;
        }
        if (is_overdue(s) || !see_collection(s) || !see_silence(s))
            return -1;
    }
}

/* --- the walk ------------------------------------------------------------------ */

struct watch {
    struct trace_survey survey;
    struct type_watch types;
    uint64_t object_bytes;
    bool done;
};

static void watch_free(struct watch *w)
{
    trace_survey_free(&w->survey);
    type_watch_free(&w->types);
}

static void watch_records(struct session *s, struct watch *w, struct nettrace *t,
                          enum trace_heap_event kind)
{
    struct bytes payload;
    struct bulk b;
    unsigned pointer_size = nettrace_header(t)->pointer_size;
    if (!nettrace_payload(t, &payload) || !bulk_parse(kind, payload, pointer_size, &b))
        return;
    if (kind == EVENT_TYPES) {
        type_watch_types(&w->types, &b);
        return;
    }
    /* Behind the walk comes that of another session, if any. */
    if (w->done)
        return;
    type_watch_nodes(&w->types, &b, pointer_size);
    for (uint32_t i = 0; i < b.count; i++)
        w->object_bytes += heap_node_at(b.records + i * b.size, pointer_size).size;
    s->so_far.objects += b.count;
}

static const char too_much[] = "more than any runtime sends";

static bool is_credible(const struct watch *w)
{
    return w->survey.walk_count <= MOST_WALKS && w->survey.gc_count <= MOST_GCS;
}

static bool watch_event(struct session *s, struct watch *w, struct nettrace *t,
                        const struct trace_event *e)
{
    enum trace_heap_event kind = trace_heap_event_kind(e);
    if (kind == EVENT_OTHER)
        return true;
    if (!is_credible(w))
        return nettrace_refuse(t, too_much);
    if (!trace_survey_add(&w->survey, t, e))
        return false;
    if (kind == EVENT_TYPES || kind == EVENT_NODES)
        watch_records(s, w, t, kind);
    if ((kind != EVENT_GC_START && kind != EVENT_GC_END) || w->done ||
        !trace_survey_done(&w->survey))
        return true;
    w->done = true;
    return s->tracing.stopping || stop(s);
}

/* From the start of the forced collection to its end, or that of the walk. What a stranger
 * says is no more than the time that really went by. */
static uint64_t stopped_us(const struct session *s, const struct heap_walk *walk,
                           const struct nettrace *t)
{
    uint64_t end = walk->last_time;
    if (walk->gc_start == HD_UNKNOWN)
        return 0;
    if (walk->gc_end != HD_UNKNOWN && walk->gc_end > end)
        end = walk->gc_end;
    if (end <= walk->gc_start)
        return 0;
    double us =
        (double)(end - walk->gc_start) * 1e6 / (double)nettrace_header(t)->frequency;
    double most = (double)(clock_ms() - s->began + 1) * 1e3;
    return (uint64_t)(us < most ? us : most);
}

static bool judge(const struct session *s, struct watch *w, struct nettrace *t,
                  struct session_result *result)
{
    trace_survey_finish(&w->survey, t);
    const struct heap_walk *walk = trace_survey_walk(&w->survey, 0);
    struct type_counts types = type_watch_count(&w->types);
    if (s->is_cut && !w->done) {
        *result = (struct session_result){
            .bytes = s->so_far.bytes, .objects = s->so_far.objects, .events_lost = 1};
        return true;
    }
    if (walk == NULL || !w->done)
        return fail(
            s->err, HD_IO,
            "the process ended the session before the heap walk was finished (%" PRIu64
            " objects received); has it exited?",
            s->so_far.objects);
    *result = (struct session_result){.bytes = s->so_far.bytes,
                                      .objects = walk->nodes.records,
                                      .object_bytes = w->object_bytes,
                                      .references = walk->edges.records,
                                      .events_lost = walk->events_lost,
                                      .types = types.types,
                                      .nameless = types.nameless,
                                      .stopped_us = stopped_us(s, walk, t),
                                      .complete = walk->is_complete};
    return true;
}

static bool follow(struct session *s, struct session_result *result)
{
    struct watch w = {0};
    struct trace_event e;
    struct hd_error err = {0};
    struct input *in = input_stream(take, s);
    struct nettrace *t = nettrace_begin(in, &err);
    bool ok = true;
    nettrace_distrust(t, MOST_MEMORY);
    while (ok && nettrace_next(t, &e))
        ok = watch_event(s, &w, t, &e);
    enum trace_end how = nettrace_end(t);
    if (s->err->status == HD_OK && err.status != HD_OK)
        fail(s->err, HD_BAD_FORMAT,
             "the process did not send a trace: byte 0x%" PRIx64 ": %s", err.at,
             err.status == HD_TOO_BIG ? too_much : err.message);
    else if (s->err->status == HD_OK && how != TRACE_ENDS)
        fail(s->err, HD_IO,
             "the process closed the stream early, after %" PRIu64 " bytes; has it exited?",
             s->so_far.bytes);
    ok = s->err->status == HD_OK && judge(s, &w, t, result);
    watch_free(&w);
    nettrace_free(t);
    input_close(in);
    return ok;
}

static struct session prepare(const struct target *t, const struct session_patience *p,
                              FILE *to, struct hd_error *err)
{
    return (struct session){.tracing = tracing_of(t),
                            .collection = tracing_of(t),
                            .memory = t->visible ? proc_memory(t->pid) : 0,
                            .how = p,
                            .patience = {.silence_ms = p->silence_ms},
                            .err = err,
                            .to = to};
}

bool session_collect(const struct target *t, const struct session_patience *p,
                     struct session_buffer *buffer, FILE *to, struct session_result *result,
                     struct hd_error *err)
{
    struct hd_error own = {0};
    struct session s = prepare(t, p, to, err != NULL ? err : &own);
    s.patience.go_on = ask_to_go_on;
    s.patience.context = &s;
    s.tracing.buffer_mb = buffer->mb;
    s.tracing.is_alone = buffer->is_alone;
    bool ok = start(&s, TRACING_HEAP) && follow(&s, result);
    end(&s, ok);
    buffer->is_in_vain = s.is_in_vain;
    return ok;
}

bool session_flush(const struct target *t, const struct session_patience *p,
                   struct hd_error *err)
{
    struct hd_error own = {0};
    struct session s = prepare(t, p, NULL, err != NULL ? err : &own);
    s.patience.go_on = ask_to_go_on;
    s.patience.context = &s;
    bool ok = start(&s, TRACING_FLUSH);
    end(&s, false);
    return ok;
}
