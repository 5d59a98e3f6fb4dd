/* session.h - one tracing session: started, read to its end, stopped.
 *
 * The runtime collects garbage when the session starts, walks the heap meanwhile, and
 * sends the events as a .nettrace. What comes is copied as it is; the session is stopped
 * as soon as the walk is complete. The stream must be read while the stop is pending, or
 * both ends wait for each other. docs/collect.md. */
#ifndef SESSION_H
#define SESSION_H

#include "collect/proc.h"

/* --- asked for, stopped, put away ------------------------------------------- */

/* tracing.c: what kinds of sessions there are, and in which words each form of the command
 * asks for them. It does not know what comes: session.c reads a heap, following.c where
 * objects move. */

enum tracing_kind {
    TRACING_HEAP,        /* a collection, and the walk of the heap in it */
    TRACING_WALK,        /* the walk in a collection that another session forces */
    TRACING_COLLECTION,  /* that session: nothing else */
    TRACING_FLUSH,       /* nothing, without the keyword for types */
    TRACING_MOVEMENT,    /* what survives each collection, and where it goes */
    TRACING_ALLOCATIONS, /* the same, and one allocation in 100 KB with its stack */
    TRACING_NAMES        /* nothing, and at its end all methods */
};

/* MiB of a heap; no more is of use. */
enum { TRACING_MAX_BUFFER_MB = 1024 };

struct event_session {
    const struct target *target;
    int stream, control; /* -1: closed; control carries the stop */
    uint64_t id;         /* 0: none */
    bool stopping;
    uint32_t buffer_mb;         /* less than the kind's; 0: as the kind has it */
    bool is_alone;              /* asked for: TRACING_HEAP in one session */
    bool is_without_collection; /* TRACING_HEAP began as TRACING_WALK */
    bool has_walked; /* the answer came behind the walk, which may be on its way */
};

/* One that is not started. */
static inline struct event_session tracing_of(const struct target *t)
{
    return (struct event_session){.target = t, .stream = -1, .control = -1};
}

/* What is asked for, by that form of CollectTracing; buffer_mb as in struct event_session.
 */
struct request tracing_request(enum ipc_command command, enum tracing_kind kind,
                               uint32_t buffer_mb);

/* From the newest command down to the first that the runtime knows. tracing_end() is due
 * whatever comes of it. Of TRACING_HEAP, is_without_collection says that the process sends
 * already, and a second session must force the collection, so that the heap is read while
 * it is walked: else the process holds all of it until the answer, which comes after it. */
bool tracing_start(struct event_session *t, enum tracing_kind kind,
                   const struct patience *p, struct hd_error *err);

/* For such a second session: the request alone, whether there is an answer, and the answer.
 * Whoever has asked must have the answer before tracing_end(). */
bool tracing_ask(struct event_session *t, enum tracing_kind kind, const struct patience *p,
                 struct hd_error *err);
bool tracing_has_answered(const struct event_session *t);
bool tracing_answer(struct event_session *t, const struct patience *p,
                    struct hd_error *err);

/* Ask for its end; what still comes must be read. */
bool tracing_stop(struct event_session *t, struct hd_error *err);

/* A client that just goes away leaves a session behind, and a next snapshot without names
 * perhaps: whole says that its end was read. What was not credible is waited for
 * less. */
void tracing_end(struct event_session *t, bool whole, bool credible);

/* --- a heap ----------------------------------------------------------------- */

/* The memory that the process may use for events that were not read yet, and how the heap
 * is asked for. */
struct session_buffer {
    uint32_t mb;   /* MiB at most; 0: as much as is of use */
    bool is_alone; /* in one session, of a shorter pause, also where two need less memory */
    bool is_in_vain; /* out: two sessions brought no walk; the stream is of no use */
};

/* Collect one heap walk into to, from its current position on; of the result what comes of
 * that is set. Whatever happens the session is stopped, if the process still answers. */
bool session_collect(const struct target *t, const struct hd_collect_options *how,
                     struct session_buffer *buffer, FILE *to, struct hd_collected *result,
                     struct hd_error *err);

/* Have the runtime forget which types it has named, unless another client asks for types: a
 * short session without that keyword. */
bool session_flush(const struct target *t, const struct hd_collect_options *how,
                   struct hd_error *err);

/* --- the buffer ------------------------------------------------------------------ */

/* How much of its own memory a process may use for a snapshot of it. A runtime holds events
 * until they are read, and is charged for them: one near the limit of its control group is
 * killed for that. docs/performance.md has the measurements. */

/* What is known of the process before it is asked. */
struct buffer_facts {
    uint64_t left;       /* bytes up to its limit; HD_UNKNOWN without one */
    uint64_t expected;   /* bytes of its trace, by the one before; 0: unknown */
    uint64_t memory;     /* bytes in memory, an upper bound of its heap; 0: unknown */
    const char *runtime; /* version, such as "10.0.12"; NULL: unknown */
};

/* Sets the size of the buffer, and whether the walk is asked for in one session. HD_TOO_BIG
 * if what the snapshot may need could reach the limit. */
bool buffer_plan(struct session_buffer *buffer, const struct buffer_facts *facts,
                 struct hd_error *err);

/* Fails the same way if events were lost because of the limit. */
bool buffer_was_enough(const struct session_buffer *buffer,
                       const struct hd_collected *result, struct hd_error *err);

#endif
