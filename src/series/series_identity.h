/* series_identity.h - whether the snapshots of a series are what they are taken for: of
 * one process, in order of time, and each another one.
 *
 * Warns once of each kind, about the first snapshot, and says how many there are. A rule
 * speaks only when files prove it: a warning about a true series would cost more than a
 * missing one about a mixture. docs/warnings.md. */
#ifndef SERIES_IDENTITY_H
#define SERIES_IDENTITY_H

#include "series/series.h"

/* Which snapshots are in the series already, byte for byte: s->repeats. Reads only files
 * whose numbers are all equal. */
void identity_find_repeats(struct series *s, struct series_warnings *w, struct arena *a);

/* Neighbours of different processes or in wrong order: s->restarted. */
void identity_check_neighbours(struct series *s, struct series_warnings *w,
                               struct arena *a);

#endif
