/* open.h - from an input to a snapshot: find the reader, run the builder. */
#ifndef OPEN_H
#define OPEN_H

#include "base/input.h"
#include "heap/snapshot.h"

/* Read in, which the snapshot then owns (it is closed on failure too). path is
 * for hd_info only. */
struct hd_snapshot *snapshot_read(struct input *in, const char *path,
                                  const struct hd_read_options *opt, struct hd_error *err);

#endif
