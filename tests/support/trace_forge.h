/* trace_forge.h - readable builders of traces, for tests and benchmarks.
 *
 *     struct trace_forge f = {.pointer_size = 8};
 *     trace_forge_begin(&f);
 *     trace_forge_gc(&f, 11, true, 7);
 *     trace_forge_types(&f, 11, &(struct forged_type){.id = 0x10, .name = "App.A"}, 1);
 *     trace_forge_node(&f, 0x7000, 24, 0x10, 1);
 *     trace_forge_edge(&f, 0x7000);
 *     trace_forge_walk(&f, 11);
 *     trace_forge_gc(&f, 11, false, 7);
 *     trace_forge_end(&f);
 *
 * By default a file of version 4 with compressed rows and one event per block. Objects,
 * references and roots are buffered and written by trace_forge_walk(), in events as full
 * as a runtime's. Time advances by 10 ns (10 ticks) per event. From the description of the
 * format; must not share code with the reader. */
#ifndef TRACE_FORGE_H
#define TRACE_FORGE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>

enum { FORGED_THREADS = 8 };

struct trace_forge {
    unsigned pointer_size;
    unsigned events_per_block;  /* of one thread; 0: 1 */
    unsigned records_per_event; /* maximum; 0: that of a runtime */
    bool plain_rows;            /* rows of fixed layout */
    FILE *to;                   /* destination; NULL: bytes */
    struct text bytes;
    uint64_t written; /* bytes so far, for the alignment of blocks */
    uint64_t time;    /* of the next event, ticks */
    uint32_t stack;   /* stack id of the next event; 0: none */
    uint64_t threads[FORGED_THREADS];
    uint32_t sequence[FORGED_THREADS]; /* last number used */
    struct text block;                 /* rows of a block that is not written yet */
    unsigned block_events;
    uint64_t block_thread, block_time;
    uint32_t block_sequence, block_stack;
    struct text nodes, edges, roots, pairs;
    uint32_t node_events, edge_events, trace_root_events,
        pair_events; /* numbers of the next events */
};

struct forged_type {
    uint64_t id, module;
    uint32_t flags;
    const char *name; /* ASCII; NULL or "": none */
    uint64_t parameters[4];
    uint32_t parameter_count;
};

void trace_forge_begin(struct trace_forge *f);

/* Any event of the runtime's provider; of the rundown's with RUNDOWN added to its id, of
 * the event pipe's with EVENTPIPE, of heapdrift's own with OURS. */
enum { FORGED_RUNDOWN = 1000, FORGED_EVENTPIPE = 2000, FORGED_OURS = 3000 };
void trace_forge_event(struct trace_forge *f, uint64_t thread, unsigned id,
                       const void *payload, size_t size);

/* Stacks, numbered from the given id on. */
struct forged_stack {
    const void *bytes;
    uint32_t size;
};
void trace_forge_stacks(struct trace_forge *f, uint32_t first,
                        const struct forged_stack *stacks, uint32_t count);

/* Start or end of a collection of all generations. */
void trace_forge_gc(struct trace_forge *f, uint64_t thread, bool start, uint32_t count);
void trace_forge_types(struct trace_forge *f, uint64_t thread,
                       const struct forged_type *types, uint32_t count);
void trace_forge_static(struct trace_forge *f, uint64_t thread, uint64_t object,
                        uint64_t type, uint32_t flags, const char *field);
void trace_forge_range(struct trace_forge *f, uint64_t thread, unsigned generation,
                       uint64_t start, uint64_t used);

/* Buffered until the next trace_forge_walk(). */
void trace_forge_node(struct trace_forge *f, uint64_t address, uint64_t size, uint64_t type,
                      uint64_t edges);
void trace_forge_edge(struct trace_forge *f, uint64_t target);
void trace_forge_root(struct trace_forge *f, uint64_t object, unsigned kind,
                      uint32_t flags);
void trace_forge_pair(struct trace_forge *f, uint64_t key, uint64_t value);

/* Writes the buffered records. Numbers of events continue until trace_forge_next_walk(). */
void trace_forge_walk(struct trace_forge *f, uint64_t thread);
void trace_forge_next_walk(struct trace_forge *f);

/* Skips this number of events of a thread. */
void trace_forge_lose(struct trace_forge *f, uint64_t thread, uint32_t events);

/* A sequence point with all threads. */
void trace_forge_point(struct trace_forge *f);
void trace_forge_end(struct trace_forge *f);
void trace_forge_free(struct trace_forge *f);

/* Little-endian values and wide strings for payloads. */
void forge_u8(struct text *t, unsigned value);
void forge_u16(struct text *t, unsigned value);
void forge_u32(struct text *t, uint32_t value);
void forge_u64(struct text *t, uint64_t value);
void forge_wide(struct text *t, const char *ascii);

#endif
