/* fleet_feed.h - from a store to a fleet: the series of a window, one after the other, each
 * with the digests that stand for it. */
#ifndef FLEET_FEED_H
#define FLEET_FEED_H

#include "heapdrift_fleet.h"

#include "cli/options/settings.h"

/* Compare everything that the rules of f ask for. False after saying what is wrong. */
bool fleet_feed(struct hd_fleet *f, const struct settings *s);

/* Write the findings of every record to the store. False after saying what is wrong. */
bool fleet_save(struct hd_fleet *f, const struct settings *s);

#endif
