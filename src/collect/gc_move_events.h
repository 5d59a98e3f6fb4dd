/* gc_move_events.h - computes the moves of objects from the events of collections.
 *
 * Events are in the order of the stream, not of time: a runtime writes the events thread by
 * thread, a tenth of a second at a time. They are therefore held for a second and sorted;
 * an event that is later invalidates everything. Events between the start and the end of a
 * collection belong to it, or to the inner one if it interrupts a background collection.
 * Collections are numbered without gaps, which reveals missing ones. Native AOT reports
 * collections but never their survivors.
 *
 * Never guesses: any inconsistency invalidates the result. Must not depend on sockets or
 * threads.
 *
 * Also follows samples of allocations, with their stacks, between two snapshots to the
 * newer one. They never invalidate the rest: a sample that is late, or has no stack, is
 * skipped. At most MAX_SAMPLES are kept, the number for a heap of 6 GB, and no more than
 * the stack table can hold (stack_table.h). If there are more, a random half is dropped,
 * and the same share of later ones, so that each remaining one represents twice the
 * bytes. */
#ifndef GC_MOVE_EVENTS_H
#define GC_MOVE_EVENTS_H

#include "identity/gc_moves.h"
#include "trace/stack_table.h"
#include "trace/trace_heap_events.h"

enum { MAX_SAMPLES = 1 << 16 };

/* Activity between the two snapshots, without their own collections. */
struct interval_activity {
    uint64_t begin, end;     /* ticks: start of their collections; 0: unknown */
    uint64_t collecting;     /* ticks in collections that pause the program */
    uint64_t last_gen2;      /* ticks: start of the last such collection; or 0 */
    uint32_t collections[3]; /* per generation */
    uint32_t of_allocations; /* triggered by allocation */
};

/* Stacks with more than this share of samples (1/n) are kept while there is space, even if
 * their objects die: they are the most frequent allocations. */
enum { BUSY_SHARE = 64 };

struct pending_event;
struct pending_sample;

struct open_collection {
    uint32_t number;
    uint64_t began; /* ticks */
    struct collection it;
    size_t moved_cap, unmoved_cap, territory_cap, later_cap;
    bool is_under_way; /* events about territories now belong to the later part */
};

/* Initialised with {0}. */
struct gc_move_events {
    bool failed;
    bool names_survivors;  /* some collection reported survivors */
    uint64_t newest, done; /* ticks: of the newest event, and of the last processed one */
    unsigned pointer_size; /* of the process, in bytes */
    /* unprocessed events, in the order of the stream */
    struct pending_event *pending;
    size_t pending_len, pending_cap;
    struct stretch *stretches; /* of the pending events */
    size_t stretch_len, stretch_cap;
    /* collections that have started and not ended: one, possibly with one in the
     * background */
    struct open_collection open[2];
    size_t open_count;
    uint32_t first, last; /* numbers of started ones; or 0 */
    bool is_held;         /* events are processed only at the end */
    bool is_begun;
    bool follows_all;      /* begun without a snapshot */
    uint32_t after, until; /* interval of numbers, exclusive; until 0: open */
    struct gc_moves gc_moves;
    struct interval_activity activity;
    uint64_t frequency; /* ticks per second */
    /* unprocessed samples, in the order of the stream */
    struct pending_sample *allocated;
    size_t allocated_len, allocated_cap;
    size_t taken;     /* samples that are now in gc_moves */
    uint32_t events;  /* of allocations, including dropped ones */
    uint32_t stride;  /* one event in this number is kept, a power of two; 0 means 1 */
    uint64_t sampled; /* events between the snapshots, estimated from those kept */
    struct stack_table stacks; /* of the samples, and of some dead ones */
};

/* True if events of this kind are used. */
bool gc_move_events_want(enum trace_heap_event kind);

/* Adds an event of the trace with that header. False after a failure. */
bool gc_move_events_add(struct gc_move_events *e, enum trace_heap_event kind, uint64_t time,
                        struct bytes payload, const struct trace_header *header);

/* Adds an allocation. False after a failure, but never because of the allocation. */
bool gc_move_events_add_sample(struct gc_move_events *e, uint64_t time,
                               const struct heap_allocation *a, struct bytes stack);

/* Returns the approximate bytes of allocations per sample. */
uint64_t gc_move_events_per_sample(const struct gc_move_events *e);

/* Returns the approximate bytes allocated between the two snapshots. */
uint64_t gc_move_events_allocated(const struct gc_move_events *e);

/* Starts an interval with the objects of a snapshot taken in collection number `after`.
 * Takes ownership of places. Earlier samples are dropped: they belong to the previous
 * session. NULL and 0 without a snapshot: samples are then followed from the first
 * event. */
void gc_move_events_begin(struct gc_move_events *e, struct places *places, uint32_t after);

/* Ends the interval at collection number `until`, after all events were added. False if the
 * moves are unknown. */
bool gc_move_events_end(struct gc_move_events *e, uint32_t until);

void gc_move_events_free(struct gc_move_events *e);

#endif
