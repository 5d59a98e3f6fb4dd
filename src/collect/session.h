/* session.h - one tracing session: started, read to its end, stopped.
 *
 * The runtime collects garbage when the session starts, walks the heap during that, and
 * sends the events as a .nettrace, which is copied unchanged; the session is stopped as
 * soon as the walk is complete. The stream must be read while the stop is pending, or both
 * ends wait for each other. docs/collect.md. */
#ifndef SESSION_H
#define SESSION_H

#include "collect/proc.h"

/* --- start, stop and end ----------------------------------------------------- */

/* tracing.c: kinds of sessions, and their requests in each version of the command. Must not
 * depend on the events: session.c reads a heap, gc_listener.c the moves of objects. */

enum tracing_kind {
    TRACING_HEAP,        /* a collection, and the walk of the heap in it */
    TRACING_WALK,        /* the walk, in a collection that another session forces */
    TRACING_COLLECTION,  /* that session: only the collection */
    TRACING_FLUSH,       /* no events, and without the keyword for types */
    TRACING_GC_MOVES,    /* survivors of each collection, and their new addresses */
    TRACING_ALLOCATIONS, /* the same, and one allocation in 100 KB with its stack */
    TRACING_NAMES        /* no events except the list of all methods at its end */
};

/* Useful maximum for a heap, in MiB. */
enum { TRACING_MAX_BUFFER_MB = 1024 };

struct event_session {
    const struct target *target;
    int stream, control; /* -1: closed; control carries the stop */
    uint64_t id;         /* 0: not started */
    bool stopping;
    uint32_t buffer_mb;         /* less than the kind's default; 0: the default */
    bool is_alone;              /* requested: TRACING_HEAP in one session */
    bool is_without_collection; /* TRACING_HEAP was started as TRACING_WALK */
    bool has_walked;            /* the answer followed the walk, which may be in transit */
};

/* Returns an unstarted session. */
static inline struct event_session tracing_of(const struct target *t)
{
    return (struct event_session){.target = t, .stream = -1, .control = -1};
}

/* Builds the request for that version of CollectTracing; buffer_mb as in struct
 * event_session. */
struct request tracing_request(enum ipc_command command, enum tracing_kind kind,
                               uint32_t buffer_mb);

/* Starts a session with the newest command that the runtime supports. tracing_end() is
 * required in any case. For TRACING_HEAP, is_without_collection means that the process
 * already sends, and a second session must force the collection, so that the heap is read
 * during the walk: otherwise the process holds the whole trace until the answer, which
 * follows the walk. */
bool tracing_start(struct event_session *t, enum tracing_kind kind,
                   const struct patience *p, struct hd_error *err);

/* For such a second session: send the request; check for the answer; receive it. The answer
 * must be received before tracing_end(). */
bool tracing_ask(struct event_session *t, enum tracing_kind kind, const struct patience *p,
                 struct hd_error *err);
bool tracing_has_answered(const struct event_session *t);
bool tracing_answer(struct event_session *t, const struct patience *p,
                    struct hd_error *err);

/* Requests the end of the session; remaining events must be read. */
bool tracing_stop(struct event_session *t, struct hd_error *err);

/* Ends the session. Closing the connection alone would leave the session open, and possibly
 * a later snapshot without names. whole: the end of the stream was read; credible: false
 * shortens the wait. */
void tracing_end(struct event_session *t, bool whole, bool credible);

/* --- a heap ----------------------------------------------------------------- */

/* Memory that the process may use for unread events, and how the heap is requested. */
struct session_buffer {
    uint32_t mb;     /* MiB at most; 0: the useful maximum */
    bool is_alone;   /* in one session with a shorter pause, even if two need less memory */
    bool is_in_vain; /* out: two sessions gave no walk; the stream is useless */
};

/* Collects one heap walk into `to`, from its current position, and sets the members of the
 * result that depend on it. Always stops the session if the process still answers. */
bool session_collect(const struct target *t, const struct hd_collect_options *how,
                     struct session_buffer *buffer, FILE *to, struct hd_collected *result,
                     struct hd_error *err);

/* Resets the types that the runtime has named, unless another client has types enabled: a
 * short session without that keyword. */
bool session_flush(const struct target *t, const struct hd_collect_options *how,
                   struct hd_error *err);

/* --- the buffer ------------------------------------------------------------------ */

/* The memory that a process may use for a snapshot of itself. A runtime holds events until
 * they are read, in its own memory: near the limit of its control group it is killed for
 * that. docs/performance.md has the measurements. */

/* Facts known before the request. */
struct buffer_facts {
    uint64_t left;       /* bytes left up to its limit; HD_UNKNOWN without one */
    uint64_t expected;   /* bytes of its trace, from the previous one; 0: unknown */
    uint64_t memory;     /* resident bytes, an upper bound of its heap; 0: unknown */
    const char *runtime; /* version, such as "10.0.12"; NULL: unknown */
};

/* Sets the size of the buffer, and whether the walk is requested in one session. HD_TOO_BIG
 * if the snapshot might reach the limit. */
bool buffer_plan(struct session_buffer *buffer, const struct buffer_facts *facts,
                 struct hd_error *err);

/* Fails in the same way if events were lost because of the limit. */
bool buffer_was_enough(const struct session_buffer *buffer,
                       const struct hd_collected *result, struct hd_error *err);

#endif
