/* collect_options.h - what every way of collecting takes of its options. */
#ifndef COLLECT_OPTIONS_H
#define COLLECT_OPTIONS_H

#include "heapdrift.h"

/* Copy theirs, which may be NULL; afterwards silence_ms is never 0. HD_USAGE. */
bool collect_options_take(struct hd_collect_options *how,
                          const struct hd_collect_options *theirs, struct hd_error *err);

/* Whether who asked still wants it. so_far may be NULL: nothing yet. */
bool collect_goes_on(const struct hd_collect_options *how,
                     const struct hd_collect_progress *so_far);

#endif
