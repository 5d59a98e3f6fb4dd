/* find_target.h - the process that the options of a collection name. */
#ifndef FIND_TARGET_H
#define FIND_TARGET_H

#include "collect/origin.h"

/* Strings live in the arena. Waits for sockets a second each. */
bool find_target(struct target *t, const struct hd_collect_options *how,
                 struct arena *arena, struct hd_error *err);

#endif
