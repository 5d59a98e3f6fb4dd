#include "collect/session.h"

#include "base/error.h"
#include "base/little_endian.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* Timeouts for ending sessions, in milliseconds. */
enum { TO_CONNECT_MS = 2000, TO_STOP_MS = 5000, TO_LEAVE_MS = 200 };

/* --- requests
 * -------------------------------------------------------------------------- */

/* Keywords of the runtime's provider. */
enum {
    GC = 0x1,
    LOADER = 0x8,
    TYPES = 0x80000,
    HEAP_DUMP = 0x100000,
    SURVIVAL_AND_MOVEMENT = 0x400000, /* brings the ranges of the generations */
    HEAP_COLLECT = 0x800000,          /* forces the collection */
    TYPE_NAMES = 0x1000000
};

enum { INFORMATIONAL = 4, VERBOSE = 5, FORMAT_NETTRACE = 1 };

/* On Linux each collection derives the collector's level from a few enabled events
 * (UpdateGCEventStatus() in vm/gcenv.ee.cpp). Without this one, allocations would end at
 * the next collection. A collection sends it 50 times per heap, 30 bytes, no stacks. */
enum { GC_JOIN = 203 };

/* Keywords for the lists at the end of a session: JITTED methods, with AT_END those
 * compiled before and still in use; OFFSETS the IL offsets of their instructions. */
enum { JITTED = 0x10, AT_END = 0x100, OFFSETS = 0x20000 };

/* Not a provider of any runtime: a session needs one. */
#define NO_PROVIDER "heapdrift-nothing"

/* The events of each kind of session. The buffer is a limit: the process allocates it
 * gradually, for unread events. For a heap these are some 50 bytes per object if the
 * process sends only after the walk, else what it walks in two tenths of a second. */
static const struct {
    uint64_t keywords;
    uint64_t listed; /* keywords of the list at the end, which has the names of modules */
    uint32_t buffer_mb;
    bool blocks;     /* the process waits for us instead of dropping events */
    bool is_verbose; /* level 5 */
    bool has_stacks; /* each event has one */
    bool only;       /* the listed events; false: all but these */
    bool is_of_none; /* NO_PROVIDER instead of the runtime's */
    uint32_t events[7];
    uint32_t event_count;
} kinds[] = {
    [TRACING_HEAP] = {.keywords = GC | TYPES | HEAP_DUMP | SURVIVAL_AND_MOVEMENT |
                                  HEAP_COLLECT | TYPE_NAMES,
                      .buffer_mb = TRACING_MAX_BUFFER_MB,
                      .listed = LOADER,
                      .blocks = true,
                      .events = {21, 22}, /* what survived and moved */
                      .event_count = 2},
    [TRACING_COLLECTION] = {.keywords = HEAP_COLLECT, .buffer_mb = 1, .only = true},
    [TRACING_FLUSH] = {.keywords = LOADER,
                       .buffer_mb = 16,
                       .blocks = true,
                       .events = {21, 22},
                       .event_count = 2},
    [TRACING_GC_MOVES] = {.keywords = GC | SURVIVAL_AND_MOVEMENT,
                          .buffer_mb = 64,
                          .only = true,
                          .events = {1, 2, 21, 22, 23},
                          .event_count = 5},
    [TRACING_ALLOCATIONS] = {.keywords = GC | SURVIVAL_AND_MOVEMENT,
                             .buffer_mb = 64,
                             .is_verbose = true, /* as allocations are */
                             .has_stacks = true,
                             .only = true,
                             .events = {1, 2, 10, 21, 22, 23, GC_JOIN},
                             .event_count = 7},
    [TRACING_NAMES] = {.keywords = 1,
                       .buffer_mb = 64,
                       .listed = LOADER | JITTED | AT_END | OFFSETS,
                       .is_of_none = true},
};

/* MiB of a process that waits for us: with more it is not paused for a shorter time. */
enum { BLOCKING_MB = 64 };

/* The versions differ in their parameters. At the end of the session runtimes list their
 * modules, older ones also all methods; module names are in no other events, and 3.1 names
 * types again only after that list. */
struct request tracing_request(enum ipc_command command, enum tracing_kind kind,
                               uint32_t buffer_mb)
{
    struct request r = request_for(command);
    /* For a walk, another session forces the collection. */
    uint64_t without = kind == TRACING_WALK ? HEAP_COLLECT : 0;
    kind = kind == TRACING_WALK ? TRACING_HEAP : kind;
    uint64_t listed = kinds[kind].listed;
    uint32_t most = kinds[kind].buffer_mb;
    if (command >= IPC_COLLECT_TRACING6 && kinds[kind].blocks && most > BLOCKING_MB)
        most = BLOCKING_MB;
    if (command >= IPC_COLLECT_TRACING5)
        request_put(&r, 0, 4); /* a session with a stream */
    request_put(&r, buffer_mb > 0 && buffer_mb < most ? buffer_mb : most, 4);
    request_put(&r, FORMAT_NETTRACE, 4);
    if (command >= IPC_COLLECT_TRACING4)
        request_put(&r, listed, 8);
    else if (command >= IPC_COLLECT_TRACING2)
        request_put(&r, listed != 0, 1);
    if (command >= IPC_COLLECT_TRACING3)
        request_put(&r, kinds[kind].has_stacks, 1); /* older ones send them always */
    request_put(&r, 1, 4);
    request_put(&r, kinds[kind].keywords & ~without, 8);
    request_put(&r, kinds[kind].is_verbose ? VERBOSE : INFORMATIONAL, 4);
    request_string(&r, kinds[kind].is_of_none ? NO_PROVIDER
                                              : "Microsoft-Windows-DotNETRuntime");
    request_string(&r, "");
    if (command >= IPC_COLLECT_TRACING5) {
        request_put(&r, kinds[kind].only, 1);
        request_put(&r, kinds[kind].event_count, 4);
        for (uint32_t i = 0; i < kinds[kind].event_count; i++)
            request_put(&r, kinds[kind].events[i], 4);
    }
    if (command >= IPC_COLLECT_TRACING6)
        request_put(&r, kinds[kind].blocks, 4);
    return r;
}

/* --- starting ---------------------------------------------------------------------- */

static void close_fd(int *fd)
{
    close_quietly(*fd);
    *fd = -1;
}

/* Receives the answer, which follows the heap walk (.NET 5 to 10). Without it a cancelled
 * session could not be stopped, so the answer gets a last chance. */
static bool receive_start(struct event_session *t, struct reply *reply,
                          const struct patience *p, struct hd_error *to)
{
    struct hd_error err = {0};
    if (ipc_receive(t->stream, reply, p, &err))
        return true;
    if (err.status == HD_CANCELLED) {
        const struct patience last = {.silence_ms = TO_STOP_MS};
        if (ipc_receive(t->stream, reply, &last, NULL) && reply->ok)
            t->id = reply->size >= 8 ? le_u64(reply->payload) : 0;
    }
    if (err.status == HD_TIMED_OUT)
        return fail_about(
            to, HD_ABOUT_SILENCE, HD_TIMED_OUT,
            "the heap was not walked within %g s: the process hangs or is stopped, "
            "or its heap is large",
            (double)p->silence_ms / 1e3);
    return fail(to, err.status, "%s", err.message);
}

static bool send_request(struct event_session *t, enum ipc_command command,
                         enum tracing_kind kind, const struct patience *p,
                         struct hd_error *err)
{
    struct request r = tracing_request(command, kind, t->buffer_mb);
    /* After the request its answer must be awaited. */
    if (!patience_goes_on(p))
        return fail(err, HD_CANCELLED, "stopped");
    t->stream = target_connect(t->target, p, err);
    return t->stream >= 0 && ipc_send(t->stream, &r, p, err);
}

static bool read_answer(struct event_session *t, const struct reply *reply,
                        struct hd_error *err)
{
    if (!reply->ok)
        return fail(err, HD_UNSUPPORTED, "no heap snapshot: %s (0x%08" PRIX32 ")",
                    ipc_refusal(reply->refusal), (uint32_t)reply->refusal);
    t->id = reply->size >= 8 ? le_u64(reply->payload) : 0;
    return t->id != 0 ||
           fail(err, HD_UNSUPPORTED, "the process responds without a tracing session");
}

bool tracing_start(struct event_session *t, enum tracing_kind kind,
                   const struct patience *p, struct hd_error *err)
{
    struct reply *reply = alloc_zeroed(sizeof(*reply));
    enum ipc_command command = IPC_COLLECT_TRACING6;
    bool answered = false;
    for (int number = command; number >= IPC_COLLECT_TRACING; number--) {
        command = (enum ipc_command)number;
        /* .NET 10, the only version with this as its newest command: until then, the end of
         * a session checks the keywords of all sessions, and would collect again; later
         * versions send during the walk anyway. */
        t->is_without_collection =
            kind == TRACING_HEAP && !t->is_alone && command == IPC_COLLECT_TRACING5;
        answered = send_request(t, command, t->is_without_collection ? TRACING_WALK : kind,
                                p, err) &&
                   receive_start(t, reply, p, err);
        if (!answered || !reply_is_too_new(reply))
            break;
        close_fd(&t->stream);
    }
    bool ok = answered && read_answer(t, reply, err);
    /* .NET 6 to 10 answer late; from version 5 of the command, which 3.1 has, too. */
    t->has_walked = ok && kind == TRACING_HEAP && command >= IPC_COLLECT_TRACING3 &&
                    command <= IPC_COLLECT_TRACING5 && !t->is_without_collection;
    free(reply);
    return ok;
}

bool tracing_ask(struct event_session *t, enum tracing_kind kind, const struct patience *p,
                 struct hd_error *err)
{
    return send_request(t, IPC_COLLECT_TRACING5, kind, p, err);
}

bool tracing_has_answered(const struct event_session *t)
{
    const struct patience now = {.silence_ms = 0};
    return transport.await(t->stream, clock_ms(), &now) == READY;
}

bool tracing_answer(struct event_session *t, const struct patience *p, struct hd_error *err)
{
    struct reply *reply = alloc_zeroed(sizeof(*reply));
    bool ok = ipc_receive(t->stream, reply, p, err) && read_answer(t, reply, err);
    free(reply);
    return ok;
}

/* --- stopping ---------------------------------------------------------------------- */

/* Requests the stop on a separate connection. Its answer follows the end of the stream. */
bool tracing_stop(struct event_session *t, struct hd_error *err)
{
    const struct patience brief = {.silence_ms = TO_CONNECT_MS};
    struct request r = request_for(IPC_STOP_TRACING);
    t->stopping = true;
    request_put(&r, t->id, 8);
    t->control = target_connect(t->target, &brief, err);
    return t->control >= 0 && ipc_send(t->control, &r, &brief, err);
}

/* Discards remaining events, for a limited time; then waits until the runtime has closed
 * the session, so that the next one starts clean. */
void tracing_end(struct event_session *t, bool whole, bool credible)
{
    unsigned char block[16384];
    const struct patience brief = {.silence_ms = credible ? TO_CONNECT_MS : TO_LEAVE_MS};
    if (t->id != 0 && !whole && !t->stopping)
        tracing_stop(t, NULL);
    uint64_t deadline = clock_ms() + (credible ? TO_STOP_MS : TO_LEAVE_MS);
    bool reads = t->id != 0 && !whole && t->control >= 0 && t->stream >= 0;
    while (reads && clock_ms() < deadline) {
        ssize_t n =
            transport.read(t->stream, block, sizeof(block), patience_step(deadline));
        reads = n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
    }
    if (t->id != 0 && t->stopping && t->control >= 0) {
        struct reply *reply = alloc_zeroed(sizeof(*reply));
        ipc_receive(t->control, reply, &brief, NULL);
        free(reply);
    }
    close_fd(&t->stream);
    close_fd(&t->control);
}
