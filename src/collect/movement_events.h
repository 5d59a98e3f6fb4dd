/* movement_events.h - from the events of collections to where objects lie.
 *
 * Events come in the order of the stream, which is not that of time: a runtime writes what
 * its threads recorded one thread after the other, a tenth of a second at a time. So they
 * are held for a second and put in order; one that comes too late spoils everything. Those
 * between the start and the end of a collection belong to it, to the later one where one
 * interrupts another, which is in the background then. Collections have numbers without
 * gaps, by which a missing one shows. Native AOT announces collections and never names what
 * survives them.
 *
 * Whatever is odd makes an end of knowing; nothing is guessed. It knows neither sockets nor
 * threads.
 *
 * It also follows samples of allocations, with their stacks: those between two snapshots,
 * to the newer one. They never spoil the rest: a sample that is late, or has no stack, is
 * left out. At most MAX_SAMPLES are kept at a time, the number that a heap of 6 GB has, and
 * no more than have room for their stacks (stack_table.h). If there are more, half of them
 * are dropped at random, and the same share of later ones, so that each of the others
 * stands for twice the bytes. */
#ifndef MOVEMENT_EVENTS_H
#define MOVEMENT_EVENTS_H

#include "identity/movement.h"
#include "trace/stack_table.h"
#include "trace/trace_heap_events.h"

enum { MAX_SAMPLES = 1 << 16 };

/* What the program did between the two snapshots, without the collections of these. */
struct interval_activity {
    uint64_t begin, end;     /* ticks: when their collections began; 0: not known */
    uint64_t collecting;     /* ticks in collections that stop the program */
    uint64_t last_gen2;      /* ticks: when the last such collection began; 0: none did */
    uint32_t collections[3]; /* of each generation */
    uint32_t of_allocations; /* of these: because the program used up a budget */
};

/* Stacks with more than one in this number of samples stay as long as there is room,
 * whatever becomes of their objects: they are what the program allocates most. */
enum { BUSY_SHARE = 64 };

struct pending_event;
struct pending_sample;

struct open_collection {
    uint32_t number;
    uint64_t began; /* ticks */
    struct collection it;
    size_t moved_cap, stayed_cap, territory_cap, later_cap;
    bool is_under_way; /* what is told of territories now is later */
};

/* {0} is fresh. */
struct movement_events {
    bool failed;
    bool names_survivors;  /* some collection did */
    uint64_t newest, done; /* ticks: of the newest event, and those that were worked on */
    unsigned pointer_size; /* of the process, in bytes */
    /* what is not worked on yet, in the order of the stream */
    struct pending_event *pending;
    size_t pending_len, pending_cap;
    struct stretch *stretches; /* of those */
    size_t stretch_len, stretch_cap;
    /* collections that have started and not ended: one, or one in the background too */
    struct open_collection open[2];
    size_t open_count;
    uint32_t first, last; /* numbers of those that started; 0: none yet */
    bool is_held;         /* nothing is worked on until the end */
    bool is_begun;
    bool follows_all;      /* begun without a snapshot */
    uint32_t after, until; /* what is between these counts; until 0: no end yet */
    struct movement movement;
    struct interval_activity activity;
    uint64_t frequency; /* ticks per second */
    /* samples that are not worked on yet, in the order of the stream */
    struct pending_sample *allocated;
    size_t allocated_len, allocated_cap;
    size_t taken;    /* of these; the movement has them */
    uint32_t events; /* of allocations, those left out included */
    uint32_t stride; /* one event in this number is kept, a power of two; 0 is 1 */
    uint64_t
        sampled; /* events between the snapshots, estimated from those that were kept */
    struct stack_table stacks; /* of the samples, and some that died */
};

/* Whether events of that kind are of use here. */
bool movement_events_want(enum trace_heap_event kind);

/* Take note of one, of the trace with that header. False once it has failed. */
bool movement_events_add(struct movement_events *e, enum trace_heap_event kind,
                         uint64_t time, struct bytes payload,
                         const struct trace_header *header);

/* Adds an allocation. False once it has failed, but never because of the allocation. */
bool movement_events_add_sample(struct movement_events *e, uint64_t time,
                                const struct heap_allocation *a, struct bytes stack);

/* Returns the bytes of allocations that a sample stands for, about. */
uint64_t movement_events_per_sample(const struct movement_events *e);

/* Returns the bytes allocated between the two snapshots, about. */
uint64_t movement_events_allocated(const struct movement_events *e);

/* The objects of a snapshot that was taken in the collection of that number. Takes over the
 * places. Earlier samples are left out: the session before has them. NULL and 0 if there is
 * no such snapshot: samples are then followed from the first event on. */
void movement_events_begin(struct movement_events *e, struct places *places,
                           uint32_t after);

/* All events were given: work on those up to the collection of that number. False if what
 * happened to the objects is not known. */
bool movement_events_end(struct movement_events *e, uint32_t until);

void movement_events_free(struct movement_events *e);

#endif
