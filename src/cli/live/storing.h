/* storing.h - a snapshot of a running process, and what is known of its run, on the way
 * into a store. It knows neither when nor how often. */
#ifndef STORING_H
#define STORING_H

#include "cli/live/collecting.h"
#include "cli/live/store_queue.h"

/* A queue for --store and --keep, which says what it stored unless s is quiet. */
struct store_queue storing_begin(const struct settings *s);

/* A process to store a snapshot of. */
struct stored_process {
    const char *who; /* in messages */
    uint64_t pid;    /* by which it can be looked at here; 0: it cannot be seen */
};

/* Take a snapshot of the process that c->how names, and append it to q. An exit status:
 * EXIT_TROUBLE after saying why there is none. */
int storing_take(struct collecting *c, const struct settings *s,
                 const struct stored_process *process, struct store_queue *q);

/* Store what waits, at most half a minute long, and lose what is left. Whether nothing was
 * lost since storing_begin(). A signal ends the waiting. */
bool storing_end(struct collecting *c, struct store_queue *q);

#endif
