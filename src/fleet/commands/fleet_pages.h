/* fleet_pages.h - a folder of pages: of a fleet, and of the runs that show its suspects. */
#ifndef FLEET_PAGES_H
#define FLEET_PAGES_H

#include "cli/options/settings.h"
#include "heapdrift_fleet.h"
#include "heapdrift_store.h"

/* The own options of fleet. */
struct fleet_options {
    enum hd_fleet_by by;
    unsigned shard, shards; /* 0 of 0: all */
    uint64_t max_hosts, min_hosts;
    double max_hosts_share, min_hosts_share; /* -1: it is a number */
    bool max_hosts_given;
    uint64_t min_span_ms;
    uint64_t limit; /* bytes of memory that a process may use; 0: as recorded */
    bool merge;
    struct fleet_pages *pages; /* that own those of the settings; NULL */
};

/* Whether -o names a folder, to be filled with pages. */
bool fleet_pages_are_wanted(const struct settings *s);

/* Make the folder, where that is still allowed. False after saying why it cannot be made.
 */
bool fleet_pages_begin(const struct settings *s);

/* Make the pages of the runs that a report tells of its suspects, and note them in *s for
 * the page of the fleet, which is to be written to s->output then. What is wrong with a run
 * is said there and on stderr. False if a page could not be written, after saying so. */
bool fleet_pages_make(struct settings *s, struct hd_store *store,
                      const struct hd_report *report);
void fleet_pages_free(struct settings *s);

#endif
