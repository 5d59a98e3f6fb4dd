/* sidecar.h - watch --store: snapshots into a store, of one process and whatever comes in
 * its place, or of all of a host side by side.
 *
 * docs/collect.md says what it promises: it never takes two snapshots at once on one host,
 * never stops a process that is larger than it may be, ends with the snapshot in hand, and
 * calls nothing stored that is not. */
#ifndef SIDECAR_H
#define SIDECAR_H

#include "cli/options/settings.h"

/* Until a signal, --count, or the end of a process that was named by its number alone.
 * is_once, of `collect`: --count snapshots, or one, and no jitter; what goes wrong ends it.
 * EXIT_DONE, or EXIT_TROUBLE if a snapshot was lost or none could be taken. */
int sidecar_run(const struct settings *s, bool is_once);

#endif
