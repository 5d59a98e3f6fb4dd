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
 * threads. */
#ifndef MOVEMENT_EVENTS_H
#define MOVEMENT_EVENTS_H

#include "identity/movement.h"
#include "trace/trace_heap_events.h"

struct pending_event;

struct open_collection {
    uint32_t number;
    struct collection it;
    size_t moved_cap, stayed_cap, territory_cap, later_cap;
    bool is_under_way; /* what is told of territories now is later */
};

/* {0} is fresh. */
struct movement_events {
    bool failed;
    bool names_survivors;  /* some collection did */
    uint64_t newest, done; /* ticks: of the newest event, and those that were worked on */
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
    uint32_t after, until; /* what is between these counts; until 0: no end yet */
    struct movement movement;
};

/* Whether events of that kind are of use here. */
bool movement_events_want(enum trace_heap_event kind);

/* Take note of one, of the trace with that header. False once it has failed. */
bool movement_events_add(struct movement_events *e, enum trace_heap_event kind,
                         uint64_t time, struct bytes payload,
                         const struct trace_header *header);

/* The objects of a snapshot that was taken in the collection of that number. Takes over the
 * places. */
void movement_events_begin(struct movement_events *e, struct places *places,
                           uint32_t after);

/* All events were given: work on those up to the collection of that number. False if what
 * happened to the objects is not known. */
bool movement_events_end(struct movement_events *e, uint32_t until);

void movement_events_free(struct movement_events *e);

#endif
