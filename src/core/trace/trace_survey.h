/* trace_survey.h - find the heap walks of a trace, and whether they are complete.
 *
 * Pass every event of a trace, in the order of the file; it stores some 200 bytes per walk
 * and 40 per full collection. Afterwards it has the begin and end of each walk, its numbers
 * of objects and references, and whether any are missing. trace_survey_done() also works on
 * a trace that is still being received: a collector can stop it then.
 *
 *     struct input *in = input_stream(take, &session);
 *     struct nettrace *t = nettrace_begin(in, &err);
 *     struct trace_survey s = {0};
 *     struct trace_event e;
 *     while (nettrace_next(t, &e) && trace_survey_add(&s, t, &e))
 *         if (trace_survey_done(&s))
 *             ... ask the process to stop, and read on until the stream ends
 *     trace_survey_finish(&s, t);
 *     walk = trace_survey_walk(&s, 0); // its numbers, or NULL
 *
 * take() may copy the bytes, which can then be read as any other file. */
#ifndef TRACE_SURVEY_H
#define TRACE_SURVEY_H

#include "heap/ids.h"
#include "trace/trace_heap_events.h"

/* The events of a kind, numbered from 0. */
struct heap_sequence {
    uint64_t events, records;
    uint64_t missing; /* events, by gaps in the numbers */
    uint32_t next;    /* expected number */
};

struct heap_walk {
    uint64_t thread, pid;
    uint64_t begin_at, end_at;      /* payloads of its first and last event */
    uint64_t first_time, last_time; /* of the same, in ticks */
    uint64_t first_node_time, last_node_time;
    struct heap_sequence nodes, edges, roots, pairs;
    uint64_t edges_wanted; /* sum of the nodes' counts */
    /* filled in by trace_survey_finish() */
    uint64_t gc_start, gc_end; /* ticks; HD_UNKNOWN if it was not seen */
    uint32_t gc;               /* its number; 0: not known */
    uint64_t events_lost;      /* from its start to the next one's */
    bool is_complete;
};

struct trace_survey {
    struct account *account; /* of the trace, while an event is added */
    struct heap_walk *walks; /* without those that have no node; by time when finished */
    size_t walk_count, walk_cap;
    struct heap_gc *gcs;
    size_t gc_count, gc_cap;
    struct id_numbers threads;
    uint32_t *walk_of_thread; /* index of its unfinished walk, or NO_ID */
    size_t thread_cap;
    uint64_t ranges;      /* events */
    uint64_t events_lost; /* of the whole trace */
};

/* Adds the latest event of t. False if it is damaged, with the failure in t. */
bool trace_survey_add(struct trace_survey *s, struct nettrace *t,
                      const struct trace_event *e);

/* True if some walk has nodes and the start and end of its collection have both been seen,
 * in any order. */
bool trace_survey_done(const struct trace_survey *s);

/* Call after the last event: finds each walk's collection, and judges it. */
void trace_survey_finish(struct trace_survey *s, const struct nettrace *t);

/* Returns a walk by its number from 1 in order of time; 0: the last complete one, else the
 * last. NULL without one. */
const struct heap_walk *trace_survey_walk(const struct trace_survey *s, unsigned number);

/* True if the event belongs to the walk. */
static inline bool heap_walk_has(const struct heap_walk *w, const struct trace_event *e)
{
    return e->thread == w->thread && e->at >= w->begin_at && e->at <= w->end_at &&
           e->pid == w->pid;
}

void trace_survey_free(struct trace_survey *s);

#endif
