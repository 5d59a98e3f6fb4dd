/* process_lookup.h - whether the process that is meant is there, and how large it is.
 *
 * One that was seen is meant for as long as it lives, whatever else has its name. Then it
 * may have another pid: of the options a number is tried first, then a name. It asks all
 * runtimes of this machine who they are, and none for its heap. */
#ifndef PROCESS_LOOKUP_H
#define PROCESS_LOOKUP_H

#include "cli/options/settings.h"

struct sighted {
    uint64_t pid;
    uint64_t memory;  /* bytes (RSS); HD_UNKNOWN */
    char who[160];    /* "Shop (pid 4711)" */
    char host[65];    /* that it sees; "" unknown */
    char socket[256]; /* its diagnostics socket */
    char started[32]; /* as ps tells it; "" unknown */
    uint64_t born;    /* the same by the kernel, in its ticks; 0: it cannot be seen */
};

enum process_lookup {
    SIGHT_THERE,
    SIGHT_GONE,
    SIGHT_SEVERAL, /* of that name */
    SIGHT_DENIED   /* it is there, and this user may not ask it; or nothing can be seen */
};

/* Look for *seen, unless it is {0} or has ended, then for the process of --process-id,
 * --name or --diagnostic-port. err says what is wrong unless it is there. */
enum process_lookup sight(struct sighted *seen, const struct settings *s,
                          struct hd_error *err);

#endif
