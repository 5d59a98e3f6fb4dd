/* tracing.h - a tracing session of a process: asked for, stopped, put away.
 *
 * What kinds there are, and in which words each form of the command asks for them. It does
 * not know what comes: session.h reads a heap, following.c where objects move. */
#ifndef TRACING_H
#define TRACING_H

#include "collect/proc.h"

enum tracing_kind {
    TRACING_HEAP,       /* a collection, and the walk of the heap in it */
    TRACING_WALK,       /* the walk in a collection that another session forces */
    TRACING_COLLECTION, /* that session: nothing else */
    TRACING_FLUSH,      /* nothing, without the keyword for types */
    TRACING_MOVEMENT    /* what survives each collection, and where it goes */
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

#endif
