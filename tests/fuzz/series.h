/* series.h - four constant snapshots, for inputs that are questions. */
#ifndef SERIES_H
#define SERIES_H

#include "heapdrift.h"

enum { SERIES_STEPS = 4 };

/* Type tables, or graphs of a static list that gains two objects in each step; for
 * series_close(). */
void series_open(struct hd_snapshot *snaps[SERIES_STEPS], bool graphs);
void series_close(struct hd_snapshot *snaps[SERIES_STEPS]);

#endif
