/* triggering.h - `watch --at`: looks at the memory of the processes that an agent watches,
 * and has a snapshot taken earlier than by the clock where a rule asks for it. What asks is
 * decided by trigger.h. */
#ifndef TRIGGERING_H
#define TRIGGERING_H

#include "cli/live/trigger.h"

struct agent;
struct watched;

/* Of one process. */
struct triggering {
    struct trigger trigger;
    int rule;             /* that its next snapshot is for; NO_TRIGGER: the clock */
    double clock_due;     /* when that would have been */
    uint64_t limit;       /* as told by options or its environment; HD_UNKNOWN */
    uint64_t group_limit; /* of its control groups */
    double looked;        /* at that; seconds_now() */
    bool told_blind;
};

void triggering_begin(struct agent *a);

/* Once a second, or less. */
void triggering_look(struct agent *a);

/* A snapshot of w was tried, and w->due is set by the clock. */
void triggering_tried(struct agent *a, struct watched *w, bool is_taken);

#endif
