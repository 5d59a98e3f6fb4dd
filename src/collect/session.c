#include "collect/session.h"

#include "base/alloc.h"
#include "base/error.h"
#include "heap/ids.h"
#include "trace/trace_heap_events.h"
#include "trace/trace_survey.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- types that are new -------------------------------------------------------- */

/* Detects whether the types of a heap walk have names.
 *
 * A runtime sends the name of a type once, and again only after every session has disabled
 * the keyword for types. If a second tracing client is active, later snapshots have no
 * names. Records the types of objects and the named types; bounded, 25 bytes per type.
 * docs/collect.md. */

/* Maximum of types; no program has that many. */
enum { MAX_TYPES = 1 << 17, IN_HEAP = 1, NAMED = 2 };

/* --- session ------------------------------------------------------------------- */

/* A peer that sends a byte now and then must not delay us indefinitely. */
enum { MAX_SILENCES = 20 };

/* Stream size of a heap: per object 32 bytes and 12 per reference (28 and 8 with 4-byte
 * pointers), so less than 2 bytes (3) per byte of the object in memory, plus the walks of
 * other sessions. A fixed part is for names, and for the methods that old runtimes list.
 * The memory of an invisible process is unknown; until .NET 10 a runtime holds at most 1 GB
 * for us. */
static const uint64_t per_byte = 8, fixed = (uint64_t)64 << 20, unseen = (uint64_t)2 << 30;

/* Never reached by a runtime: events have at most 64 KiB, and a session sees few walks. */
enum { MAX_MEMORY = 4 << 20, MAX_WALKS = 1000, MAX_GCS = 20000 };

/* For answer and end of the session that forces the collection, after that. */
enum { TO_ANSWER_MS = 5000 };

/* Until a process sends on its own. */
enum { TO_SEND_MS = 50 };

/* Maximum time for a collection without a walk, in another kind of runtime. */
enum { NO_WALK_MS = 3000 };

struct session {
    struct event_session tracing;
    struct event_session collection; /* if one must be forced: from the request on */
    bool is_asked, is_ended;         /* state of collection */
    uint64_t over;                   /* clock_ms() of its answer; or 0 */
    bool is_in_vain;                 /* finished without a walk */
    bool is_cut;                     /* finished, but the walk is incomplete */
    const struct hd_collect_options *how;
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

/* Ends the collection's session before that of the walk: a runtime that still has its
 * keyword when another session ends collects again. */
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

/* --- the stream ---------------------------------------------------------------- */

static bool is_overdue(struct session *s)
{
    uint64_t now = clock_ms(), silence = s->patience.silence_ms;
    if (now - s->last_byte >= silence)
        return !fail_about(s->err, HD_ABOUT_SILENCE, HD_TIMED_OUT,
                           "no data for %g s, and the heap walk is not finished",
                           (double)silence / 1e3);
    if (now - s->began >= silence * MAX_SILENCES)
        return !fail_about(s->err, HD_ABOUT_SILENCE, HD_TIMED_OUT,
                           "the heap walk did not finish within %g s",
                           (double)(silence * MAX_SILENCES) / 1e3);
    return false;
}

/* True if a process of this size, which may have grown, can send this number of bytes.
 * Protects the disk. */
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

/* Called when the process is silent: its sending thread must have started before a
 * collection stops all threads. The session that forces the collection is answered when
 * that is over; then the walk may still be in transit, but not for long. If a buffer was
 * too small, its end may be among the lost events: held events follow at the end of the
 * session. */
static bool see_silence(struct session *s)
{
    uint64_t now = clock_ms();
    bool is_apart = s->tracing.is_without_collection, is_answered = false;
    bool is_small =
        s->tracing.buffer_mb > 0 && s->tracing.buffer_mb < TRACING_MAX_BUFFER_MB;
    if (is_apart && !s->is_ended && !s->is_asked) {
        s->is_asked = true;
        if (!tracing_ask(&s->collection, TRACING_COLLECTION, &s->patience, s->err))
            return false;
    } else if (is_apart && !s->is_ended && s->over == 0) {
        is_answered = tracing_has_answered(&s->collection);
        if (is_answered && !tracing_answer(&s->collection, &s->patience, s->err))
            return false;
        s->over = is_answered ? clock_ms() : 0;
    }
    if (s->tracing.stopping || s->over == 0 || now < s->over + NO_WALK_MS ||
        now - s->last_byte < NO_WALK_MS)
        return true;
    s->is_in_vain = is_apart && s->so_far.objects == 0;
    s->is_cut = is_small && !s->is_in_vain;
    if (s->is_in_vain)
        return fail(s->err, HD_UNSUPPORTED, "no heap walk was sent");
    return !s->is_cut || stop(s);
}

static bool see_bytes(struct session *s, const void *bytes, size_t n)
{
    s->last_byte = clock_ms();
    s->so_far.bytes += n;
    if (!is_plausible(s))
        return false;
    /* Somebody may read it along. */
    if (fwrite(bytes, 1, n, s->to) != n || fflush(s->to) != 0)
        return fail(s->err, HD_IO, "cannot write: %s", strerror(errno));
    return true;
}

/* read(2) for input_stream(): writes data to the file before it is parsed. */
static ssize_t session_take(void *from, void *to, size_t capacity)
{
    struct session *s = from;
    for (;;) {
        if (!ask_to_go_on(s)) {
            fail(s->err, HD_CANCELLED, "stopped");
            return -1;
        }
        bool begins = s->tracing.is_without_collection && !s->is_asked;
        unsigned wait_ms = begins ? TO_SEND_MS : PATIENCE_TICK_MS;
        ssize_t n = transport.read(s->tracing.stream, to, capacity, wait_ms);
        if (n == 0 || (n == -1 && errno == ECONNRESET))
            return 0;
        if (n == -1 && errno != EAGAIN && errno != EINTR) {
            fail(s->err, HD_IO, "cannot read from the process: %s", strerror(errno));
            return -1;
        }
        bool goes_on = n < 0 || see_bytes(s, to, (size_t)n);
        if (!goes_on || is_overdue(s) || (n < 0 && !see_silence(s)))
            return -1;
        if (n > 0)
            return n;
    }
}

/* --- the walk ------------------------------------------------------------------ */

struct session_watch {
    struct trace_survey survey;
    struct id_numbers types;
    unsigned char *flags; /* of types, by number */
    size_t flag_cap;
    uint64_t object_bytes;
    bool done;
};

static void see_type(struct session_watch *w, uint64_t id, unsigned char flag)
{
    uint32_t number = id != 0 ? id_numbers_find(&w->types, id) : NO_ID;
    if (number == NO_ID && (id == 0 || w->types.len >= MAX_TYPES))
        return;
    if (number == NO_ID) {
        number = id_numbers_add(&w->types, id);
        w->flags = grow(w->flags, number, &w->flag_cap, sizeof(*w->flags));
        w->flags[number] = 0;
    }
    w->flags[number] |= flag;
}

static void watch_records(struct session *s, struct session_watch *w, struct nettrace *t,
                          enum trace_heap_event kind)
{
    enum { OF_NATIVE_IMAGE = 0x10 }; /* its names are in the program's symbols */
    struct bytes payload;
    struct bulk b;
    struct heap_type type;
    uint64_t before = 0;
    unsigned pointer_size = nettrace_header(t)->pointer_size;
    if (!nettrace_payload(t, &payload) || !bulk_parse(kind, payload, pointer_size, &b))
        return;
    if (kind == EVENT_TYPES) {
        struct trace_fields f = {b.rest.data, b.rest.data + b.rest.size, false};
        for (uint32_t i = 0; i < b.count && heap_type_next(&f, &type); i++)
            see_type(w, type.id,
                     type.name.size > 0 || (type.flags & OF_NATIVE_IMAGE) ? NAMED : 0);
        return;
    }
    /* The walk of another session may follow. */
    if (w->done)
        return;
    for (uint32_t i = 0; i < b.count; i++) {
        const struct heap_node node = heap_node_at(b.records + i * b.size, pointer_size);
        if (node.type != before)
            see_type(w, node.type, IN_HEAP);
        before = node.type;
        w->object_bytes += node.size;
    }
    s->so_far.objects += b.count;
}

static const char too_much[] = "more than any runtime sends";

static bool watch_event(struct session *s, struct session_watch *w, struct nettrace *t,
                        const struct trace_event *e)
{
    enum trace_heap_event kind = trace_heap_event_kind(e);
    if (kind == EVENT_OTHER)
        return true;
    if (w->survey.walk_count > MAX_WALKS || w->survey.gc_count > MAX_GCS)
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

/* Returns the duration from the start of the forced collection to its end, or that of the
 * walk. Untrusted times are limited by the time that really passed. */
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

static bool session_judge(const struct session *s, struct session_watch *w,
                          struct nettrace *t, struct hd_collected *result)
{
    trace_survey_finish(&w->survey, t);
    const struct heap_walk *walk = trace_survey_walk(&w->survey, 0);
    *result = (struct hd_collected){
        .bytes = s->so_far.bytes, .objects = s->so_far.objects, .events_lost = 1};
    if (s->is_cut && !w->done)
        return true;
    if (walk == NULL || !w->done)
        return fail(
            s->err, HD_IO,
            "the process ended the session before the heap walk was finished (%" PRIu64
            " objects received); has it exited?",
            s->so_far.objects);
    result->objects = walk->nodes.records;
    result->object_bytes = w->object_bytes;
    result->references = walk->edges.records;
    result->events_lost = walk->events_lost;
    result->paused_us = stopped_us(s, walk, t);
    result->complete = walk->is_complete;
    for (size_t i = 0; i < w->types.len; i++) {
        result->types += (w->flags[i] & IN_HEAP) != 0;
        result->unnamed += w->flags[i] == IN_HEAP;
    }
    return true;
}

static bool follow(struct session *s, struct hd_collected *result)
{
    struct session_watch w = {0};
    struct trace_event e;
    struct hd_error err = {0};
    struct input *in = input_stream(session_take, s);
    struct nettrace *t = nettrace_begin(in, &err);
    bool ok = true;
    nettrace_distrust(t, MAX_MEMORY);
    while (ok && nettrace_next(t, &e))
        ok = watch_event(s, &w, t, &e);
    enum trace_end end = nettrace_end(t);
    if (s->err->status == HD_OK && err.status != HD_OK)
        fail(s->err, HD_BAD_FORMAT,
             "the process did not send a trace: byte 0x%" PRIx64 ": %s", err.at,
             err.status == HD_TOO_BIG ? too_much : err.message);
    else if (s->err->status == HD_OK && end != TRACE_ENDS)
        fail(s->err, HD_IO,
             "the process closed the stream early, after %" PRIu64 " bytes; has it exited?",
             s->so_far.bytes);
    ok = s->err->status == HD_OK && session_judge(s, &w, t, result);
    trace_survey_free(&w.survey);
    id_numbers_free(&w.types);
    free(w.flags);
    nettrace_free(t);
    input_close(in);
    return ok;
}

/* One of a kind: started, read to its end if there is a file for it, stopped. */
static bool run_session(struct session *s, enum tracing_kind kind, const struct target *t,
                        const struct hd_collect_options *how, struct hd_collected *result)
{
    s->collection = tracing_of(t);
    s->memory = t->visible ? proc_memory(t->pid) : 0;
    s->how = how;
    s->patience = (struct patience){
        .silence_ms = how->silence_ms, .go_on = ask_to_go_on, .context = s};
    bool started = tracing_start(&s->tracing, kind, &s->patience, s->err);
    s->began = s->last_byte = clock_ms();
    s->over = s->tracing.has_walked ? s->began : 0;
    bool is_read = started && s->to != NULL && follow(s, result);
    end_collection(s, NULL);
    tracing_end(&s->tracing, is_read, s->err->status != HD_BAD_FORMAT);
    return started && (s->to == NULL || is_read);
}

bool session_collect(const struct target *t, const struct hd_collect_options *how,
                     struct session_buffer *buffer, FILE *to, struct hd_collected *result,
                     struct hd_error *err)
{
    struct hd_error own = {0};
    struct session s = {
        .tracing = tracing_of(t), .err = err != NULL ? err : &own, .to = to};
    s.tracing.buffer_mb = buffer->mb;
    s.tracing.is_alone = buffer->is_alone;
    bool ok = run_session(&s, TRACING_HEAP, t, how, result);
    buffer->is_in_vain = s.is_in_vain;
    return ok;
}

bool session_flush(const struct target *t, const struct hd_collect_options *how,
                   struct hd_error *err)
{
    struct hd_error own = {0};
    struct session s = {.tracing = tracing_of(t), .err = err != NULL ? err : &own};
    return run_session(&s, TRACING_FLUSH, t, how, NULL);
}

/* --- the buffer ------------------------------------------------------------------ */

static const uint64_t mib = UINT64_C(1) << 20;

/* MiB. Two sessions: what a process walks before it sends, more than was seen of 10,000,000
 * objects on a busy machine. A process that waits for us (.NET 11) pauses twice as long
 * with MIN_BLOCKING, and no longer with more than the usual buffer. Less than MIN_TRIED
 * is not worth a pause, if it is not known whether it is enough. */
enum { STREAMING = 160, MIN_BLOCKING = 16, MIN_TRIED = 32 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the size of the whole trace, held by a runtime that sends only after the walk:
 * that of the last trace and a fifth. A trace has 54 bytes for a small object of 32 bytes
 * with two references, and resident memory exceeds the heap, so the same holds for that. If
 * both are unknown, the useful maximum. */
static uint64_t whole(const struct buffer_facts *facts)
{
    const uint64_t names = 8 * mib, most = TRACING_MAX_BUFFER_MB * mib;
    uint64_t bytes = facts->expected > 0 ? facts->expected : facts->memory;
    if (bytes == 0 || bytes >= most)
        return most;
    return smaller(bytes + bytes / 5 + names, most);
}

bool buffer_plan(struct session_buffer *buffer, const struct buffer_facts *facts,
                 struct hd_error *err)
{
    *buffer = (struct session_buffer){.is_alone = true};
    if (facts->left == HD_UNKNOWN)
        return true;
    /* The bytes required for a try. Resident memory does not measure the heap, and a buffer
     * that is too small costs a pause, not the process: if only that is known, a small one
     * is tried. */
    const unsigned long streaming = 10, waiting = 11;
    unsigned long version = facts->runtime != NULL ? strtoul(facts->runtime, NULL, 10) : 0;
    uint64_t most = version >= waiting     ? MIN_BLOCKING * mib
                    : facts->expected == 0 ? MIN_TRIED * mib
                    : version == streaming ? STREAMING * mib
                                           : UINT64_MAX;
    uint64_t needed = version >= waiting ? most : smaller(whole(facts), most);
    /* The rest is for the collection, and for other processes in the group. */
    uint64_t reserve = 8 * mib + facts->left / 8;
    uint64_t spare = facts->left > reserve ? facts->left - reserve : 0;
    buffer->is_alone = spare >= whole(facts);
    buffer->mb = (uint32_t)smaller(spare / mib, TRACING_MAX_BUFFER_MB);
    return spare >= needed ||
           fail_about(err, HD_ABOUT_LIMIT, HD_TOO_BIG,
                      "a snapshot may take %" PRIu64
                      " MiB in the process, and its memory limit leaves %" PRIu64
                      ": it could be killed",
                      (needed + reserve) / mib, facts->left / mib);
}

bool buffer_was_enough(const struct session_buffer *buffer,
                       const struct hd_collected *result, struct hd_error *err)
{
    return buffer->mb == 0 || buffer->mb >= TRACING_MAX_BUFFER_MB ||
           result->events_lost == 0 ||
           fail_about(err, HD_ABOUT_LIMIT, HD_TOO_BIG,
                      "a snapshot needs more than the %" PRIu32
                      " MiB that the memory limit of the process leaves for it",
                      buffer->mb);
}
