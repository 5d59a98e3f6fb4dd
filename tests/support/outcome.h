/* outcome.h - the outcome of a session with a peer: complete or failed, and what the peer
 * received. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "support/peer.h"
#include "support/scratch.h"

enum { SILENCE_MS = 400 };

struct outcome {
    bool ok;
    struct hd_collected got;
    struct hd_error err;
    struct peer_log log;
    struct bytes written; /* free() its data */
    double seconds;
};

/* Collects from a peer that listens at a socket in the folder, with SILENCE_MS unless how
 * has a timeout. */
struct outcome outcome_of(struct scratch *scratch, const struct peer_script *script,
                          struct hd_collect_options how);

void outcome_fails_with(struct outcome o, enum hd_status status, const char *words);

/* A complete compressed recording; free() its data. */
struct bytes outcome_recording(const char *path);

/* Seconds on a clock that is never set. */
double outcome_now(void);

/* Returns the factor by which time limits grow with the load: 1 on an idle machine, plus 1
 * per process that waits for a processor. */
double outcome_busy(void);

#endif
