/* buffer.h - how much of its own memory a process may use for a snapshot of it.
 *
 * A runtime holds events until they are read, and is charged for them: one near the limit
 * of its control group is killed for that. docs/collect.md#near-a-limit has the
 * measurements. Must not depend on how limits are read. */
#ifndef BUFFER_H
#define BUFFER_H

#include "collect/session.h"

/* What is known of the process before it is asked. */
struct buffer_facts {
    uint64_t left;       /* bytes up to its limit; HD_UNKNOWN without one */
    uint64_t expected;   /* bytes of its trace, by the one before; 0: unknown */
    uint64_t memory;     /* bytes in memory, an upper bound of its heap; 0: unknown */
    const char *runtime; /* version, such as "10.0.12"; NULL: unknown */
};

/* Sets the size of the buffer, and whether the walk is asked for in one session. HD_TOO_BIG
 * if what the snapshot may need could reach the limit. */
bool buffer_plan(struct session_buffer *buffer, const struct buffer_facts *facts,
                 struct hd_error *err);

/* Fails the same way if events were lost because of the limit. */
bool buffer_was_enough(const struct session_buffer *buffer,
                       const struct session_result *result, struct hd_error *err);

#endif
