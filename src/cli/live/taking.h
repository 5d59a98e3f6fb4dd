/* taking.h - one snapshot of a running process as a digest: by this process, or by one of
 * its own.
 *
 * A process of its own costs a fork, and what goes wrong in it (no memory, a crash, a peer
 * that lies) costs its snapshot; its memory goes with it. But it cannot know the snapshot
 * before, so whoever follows objects from one to the next takes them here. It knows no
 * store. */
#ifndef TAKING_H
#define TAKING_H

#include "cli/live/collecting.h"

#include <sys/types.h>

/* What came of it. */
struct taken {
    int status;                    /* EXIT_TROUBLE: there is none */
    struct hd_error err;           /* why; not said yet */
    bool has_crashed;              /* that was because its process was killed, or failed */
    struct hd_collected collected; /* of it */
    struct hd_memory digest;       /* of it; the caller's */
};

/* One that is being taken; {0}: none is. */
struct taking {
    struct collecting *c;
    const char *who;
    pid_t child;
    FILE *result;   /* in memory, where the child writes */
    double give_up; /* when it is stopped, and two seconds later killed; seconds_now() */
    unsigned stops; /* how hard it was told to end */
};

/* Take it now, of the process that c->how names; by that name in messages. */
void taking_here(struct collecting *c, const char *who, struct taken *t);

/* Begin it in a process of its own, which has most_seconds for it; false with errno. c and
 * who are to stay until it is done. Signals do not reach it; taking_stop() does. */
bool taking_begin(struct taking *taking, struct collecting *c, const char *who,
                  double most_seconds);

/* Whether it is done; then *t is what came of it. Also stops it when its time is over. */
bool taking_is_done(struct taking *taking, struct taken *t);

/* End it in good order: its process tells the other one, and no digest comes of it. */
void taking_stop(struct taking *taking);

#endif
