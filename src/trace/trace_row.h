/* trace_row.h - the heads of events in a trace, and what their ids stand for.
 *
 * Pure decoding: a head comes from a few bytes and the head before it, a definition from
 * its record. Whose bytes these are, and what is wrong if they are short, is nettrace.c's.
 */
#ifndef TRACE_ROW_H
#define TRACE_ROW_H

#include "trace/nettrace.h"
#include "trace/trace_bytes.h"

/* A row's header; what a row leaves out is that of the row before. */
struct trace_row {
    uint32_t metadata, sequence, processor, stack, labels, size;
    uint64_t capture_thread, thread, time;
};

/* No head is longer, compressed or not. */
enum { TRACE_ROW_LONGEST = 96 };

/* Take the next head; r is the one before and becomes this one. f fails if it is short.
 * is_new: of version 6. */
void trace_row_compressed(struct trace_fields *f, struct trace_row *r, bool is_new);

/* The same of fixed layout; the distance to the next row. */
uint64_t trace_row_plain(struct trace_fields *f, struct trace_row *r, unsigned version);

/* What a metadata record says about the events that refer to it. */
struct trace_meta {
    enum trace_provider provider;
    uint32_t id, version;
};

/* The payload of a metadata row of versions 3 to 5: the id that it defines. False if it is
 * too short; what follows the version is never needed. */
bool trace_meta_parse(struct trace_fields *f, uint32_t *number, struct trace_meta *meta);

/* The same of a record of version 6. */
bool trace_meta_parse_new(struct trace_fields *f, uint32_t *number,
                          struct trace_meta *meta);

#endif
