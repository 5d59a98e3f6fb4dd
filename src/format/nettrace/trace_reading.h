/* trace_reading.h - what is known of a trace while it becomes a snapshot, and what its two
 * readers share: read_nettrace.c goes through a file several times, read_along.c once
 * through one that is still being written.
 *
 * It knows what stands around the objects. Objects and references themselves are taken by
 * the readers, which differ in what they know beforehand. */
#ifndef TRACE_READING_H
#define TRACE_READING_H

#include "base/text.h"
#include "format/nettrace/trace_graph.h"
#include "heap/snapshot.h"
#include "trace/nettrace.h"
#include "trace/told_event.h"
#include "trace/trace_survey.h"

/* --- the process --------------------------------------------------------------- */

/* Which process a trace is of, and when it was taken. */

/* Keep the command line out of its event. */
void trace_process_parse(struct text *command, struct bytes payload);

/* The name of the program: of "/usr/bin/dotnet /app/Shop.dll --port 80" it is Shop. */
void trace_process_name(struct hd_snapshot *snap, struct text *command);

/* What was started, and nothing of its arguments, which may be secrets: of the same line
 * "/usr/bin/dotnet /app/Shop.dll". */
void trace_process_program(struct hd_snapshot *snap, struct text *command);

/* The time of ticks, UTC. */
void trace_process_time(struct hd_snapshot *snap, const struct trace_header *h,
                        uint64_t ticks);

/* --- own ----------------------------------------------------------------------- */

struct reading {
    struct input *in;
    struct builder *b;
    struct hd_error *err;
    struct trace_survey survey;
    const struct heap_walk *walk;
    struct trace_header header;
    enum trace_end end;
    unsigned passes; /* of the pass under way */

    struct trace_types types;
    struct range *ranges;
    size_t range_count, range_cap;
    struct trace_root_events outside;
    struct text command;
    struct told_event told;

    /* of the graph */
    struct trace_nodes nodes;
    uint32_t *edge_counts; /* by node */
    size_t next_link;
    node_id node;  /* whose references are being read; NO_NODE before the first */
    uint32_t left; /* of them */
    uint64_t dangling, surplus;
};

/* Objects and references have 32-bit numbers, and groups of roots want some too. */
#define TRACE_MOST_OBJECTS (UINT32_MAX - 4096)

/* Ranges are told before and after the walk; those after it are where things are now. */
bool trace_reading_wants_range(const struct reading *r, uint64_t time);

/* Take what is said in one event about types, roots, generations, modules and the process.
 * False when it is damaged, which t then says. */
bool trace_reading_around(struct reading *r, struct nettrace *t, enum trace_heap_event kind,
                          struct bytes payload);

/* All events have come: the snapshot has what they tell of the one before, if they do. */
void trace_reading_told(struct reading *r);

/* All ranges have come: the snapshot has generations, if there are any. */
void trace_reading_build_ranges(struct reading *r);

/* Count one object of a type of the builder. False and r->err if that is too much. */
bool trace_reading_count(struct reading *r, uint32_t type, uint64_t size, uint64_t address);

/* The same for all nodes of the graph. */
bool trace_reading_count_nodes(struct reading *r);

#endif
