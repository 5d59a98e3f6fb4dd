/* session.h - one tracing session: started, read to its end, stopped.
 *
 * The runtime collects garbage when the session starts, walks the heap meanwhile, and
 * sends the events as a .nettrace. What comes is copied as it is; the session is stopped
 * as soon as the walk is complete. The stream must be read while the stop is pending, or
 * both ends wait for each other. docs/collect.md. */
#ifndef SESSION_H
#define SESSION_H

#include "collect/proc.h"

/* The memory that the process may use for events that were not read yet, and how the heap
 * is asked for. */
struct session_buffer {
    uint32_t mb;   /* MiB at most; 0: as much as is of use */
    bool is_alone; /* in one session, of a shorter pause, also where two need less memory */
    bool is_in_vain; /* out: two sessions brought no walk; the stream is of no use */
};

/* Collect one heap walk into to, from its current position on; of the result what comes of
 * that is set. Whatever happens the session is stopped, if the process still answers. */
bool session_collect(const struct target *t, const struct hd_collect_options *how,
                     struct session_buffer *buffer, FILE *to, struct hd_collected *result,
                     struct hd_error *err);

/* Have the runtime forget which types it has named, unless another client asks for types: a
 * short session without that keyword. */
bool session_flush(const struct target *t, const struct hd_collect_options *how,
                   struct hd_error *err);

/* --- the buffer ------------------------------------------------------------------ */

/* How much of its own memory a process may use for a snapshot of it. A runtime holds events
 * until they are read, and is charged for them: one near the limit of its control group is
 * killed for that. docs/collect.md#near-a-limit has the measurements. */

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
                       const struct hd_collected *result, struct hd_error *err);

#endif
