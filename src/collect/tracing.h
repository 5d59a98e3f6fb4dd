/* tracing.h - a tracing session of a process: asked for, stopped, put away.
 *
 * What kinds there are, and in which words each form of the command asks for them. It does
 * not know what comes: session.h reads a heap, following.c where objects move. */
#ifndef TRACING_H
#define TRACING_H

#include "collect/target.h"

enum tracing_kind {
    TRACING_HEAP,    /* a collection, and the walk of the heap in it */
    TRACING_FLUSH,   /* nothing, without the keyword for types */
    TRACING_MOVEMENT /* what survives each collection, and where it goes */
};

struct tracing {
    const struct target *target;
    int stream, control; /* -1: closed; control carries the stop */
    uint64_t id;         /* 0: none */
    bool stopping;
};

/* One that is not started. */
static inline struct tracing tracing_of(const struct target *t)
{
    return (struct tracing){.target = t, .stream = -1, .control = -1};
}

/* What is asked for, by that form of CollectTracing. */
struct request tracing_request(enum ipc_command command, enum tracing_kind kind);

/* From the newest command down to the first that the runtime knows. tracing_end() is due
 * whatever comes of it. */
bool tracing_start(struct tracing *t, enum tracing_kind kind, const struct patience *p,
                   struct hd_error *err);

/* Ask for its end; what still comes must be read. */
bool tracing_stop(struct tracing *t, struct hd_error *err);

/* A client that just goes away leaves a session behind, and a next snapshot without names
 * perhaps: whole says that its end was read. What was not credible is waited for
 * less. */
void tracing_end(struct tracing *t, bool whole, bool credible);

#endif
