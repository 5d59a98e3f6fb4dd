/* trace_blocks.h - the container of a trace: its head, what it says about itself, and the
 * blocks behind that, one after the other.
 *
 * Nothing is believed: a size is only a promise of how many bytes will be skipped or
 * waited for, and what is kept in memory has come from the input. Bytes that are not all
 * there mean a trace that was cut; bytes that cannot be are damage. It does not know what
 * stands in a block, except in the first one. */
#ifndef TRACE_BLOCKS_H
#define TRACE_BLOCKS_H

#include "trace/nettrace.h"
#include "trace/trace_bytes.h"

/* What stands in a block; of version 6 these are also the numbers on disk. */
enum trace_block {
    BLOCK_END,
    BLOCK_TRACE,
    BLOCK_EVENTS,
    BLOCK_METADATA,
    BLOCK_SEQUENCE_POINT,
    BLOCK_STACKS,
    BLOCK_THREADS,
    BLOCK_REMOVED_THREADS,
    BLOCK_LABELS,
    BLOCK_OTHER
};

struct trace_blocks {
    struct trace_bytes bytes;
    struct hd_error *err;
    enum trace_end end; /* once it is not TRACE_GOES_ON, nothing more comes */
    struct trace_header header;
    size_t most; /* nettrace_distrust(); 0: anything */

    enum trace_block block; /* BLOCK_END before the first */
    uint64_t block_end;     /* where its bytes end */

    unsigned begin_tag; /* of an object: 5, in .netperf 4; 0 in version 6 */
    bool has_end_tag;   /* an object of versions 3 to 5 must be closed */
};

struct trace_blocks trace_blocks_begin(struct input *in, struct hd_error *err);
void trace_blocks_free(struct trace_blocks *b);

/* Go to the beginning of the next block; the first, which the trace has about itself, has
 * been read then. False when there is none, and b->end says why. */
bool trace_blocks_next(struct trace_blocks *b);

/* The next size bytes, until the next call; NULL after saying why not. */
const unsigned char *trace_blocks_read(struct trace_blocks *b, size_t size);

/* All that is left of the block. False after saying why not. */
bool trace_blocks_rest(struct trace_blocks *b, struct trace_fields *rest);

/* Go to an offset that is not behind. False after saying why not. */
bool trace_blocks_skip_to(struct trace_blocks *b, uint64_t end);

/* What bytes that are not there mean. Always false. */
bool trace_blocks_cut(struct trace_blocks *b, enum trace_end how);

/* Refuse the trace, for what is here or elsewhere. Always false. */
bool trace_blocks_refuse(struct trace_blocks *b, const char *what);
bool trace_blocks_refuse_at(struct trace_blocks *b, uint64_t at, const char *what);

#endif
