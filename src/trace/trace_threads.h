/* trace_threads.h - the threads of a trace, and the events that were thrown away.
 *
 * Every thread numbers its events, so a gap between two of them is a loss; where nothing
 * follows, a sequence point says how far a thread had come. Threads of one stream stand
 * here by the id that its rows use. It does not know blocks or what an event says. A {0}
 * has seen nothing. */
#ifndef TRACE_THREADS_H
#define TRACE_THREADS_H

#include "heap/ids.h"
#include "trace/nettrace.h"
#include "trace/trace_bytes.h"

struct trace_threads {
    struct id_numbers ids;
    struct trace_thread *all; /* by number */
    size_t cap;
    uint32_t last; /* the number used last, which most rows share; if there is any */
    struct trace_loss *losses;
    size_t loss_count, loss_cap;
};

/* An event of a thread. The process that it belongs to; HD_UNKNOWN if nothing said so. */
uint64_t trace_threads_event(struct trace_threads *t, uint64_t id, uint32_t sequence,
                             uint64_t time);

/* Take the threads of a sequence point at that time; f fails if they are short. is_new: of
 * version 6. */
void trace_threads_point(struct trace_threads *t, struct trace_fields *f, uint64_t time,
                         bool is_new);

/* Take the definitions of version 6; false when one is damaged. */
bool trace_threads_define(struct trace_threads *t, struct trace_fields *all);

void trace_threads_free(struct trace_threads *t);

#endif
