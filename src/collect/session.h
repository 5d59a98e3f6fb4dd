/* session.h - one tracing session: started, read to its end, stopped.
 *
 * The runtime collects garbage when the session starts, walks the heap meanwhile, and
 * sends the events as a .nettrace. What comes is copied as it is; the session is stopped
 * as soon as the walk is complete. The stream must be read while the stop is pending, or
 * both ends wait for each other. docs/collect.md. */
#ifndef SESSION_H
#define SESSION_H

#include "collect/target.h"

struct session_result {
    uint64_t bytes; /* written */
    uint64_t objects, object_bytes, references;
    uint64_t events_lost;
    uint64_t types, nameless;
    uint64_t stopped_us; /* by the collection and the walk; 0: not known */
    bool complete;       /* every object and reference is there */
};

/* How to wait; and what there is to tell meanwhile. */
struct session_patience {
    unsigned silence_ms;
    bool (*go_on)(void *context, const struct hd_collect_progress *so_far);
    void *context;
};

/* The memory that the process may use for events that were not read yet, and how the heap
 * is asked for. */
struct session_buffer {
    uint32_t mb;   /* MiB at most; 0: as much as is of use */
    bool is_alone; /* in one session, of a shorter pause, also where two need less memory */
    bool is_in_vain; /* out: two sessions brought no walk; the stream is of no use */
};

/* Collect one heap walk into to, from its current position on. Whatever happens the
 * session is stopped, if the process still answers. */
bool session_collect(const struct target *t, const struct session_patience *p,
                     struct session_buffer *buffer, FILE *to, struct session_result *result,
                     struct hd_error *err);

/* Have the runtime forget which types it has named, unless another client asks for types: a
 * short session without that keyword. */
bool session_flush(const struct target *t, const struct session_patience *p,
                   struct hd_error *err);

#endif
