/* ownership.h - who owns the heap in each of several snapshots, lined up, and what
 * certainly survived from the first to the last, and who of what came in each step stayed.
 *
 * Full paths, counts, bytes and retained bytes per snapshot (owners/ownership_tree.h). It
 * costs the dominators of every graph, so a comparison keeps it. It knows no question. */
#ifndef OWNERSHIP_H
#define OWNERSHIP_H

#include "ages/births.h"
#include "compare/plan.h"
#include "digest/survivors.h"
#include "owners/ownership_tree.h"

struct ownership {
    enum selection selection;
    size_t
        usable[SERIES_MAX_SNAPSHOTS]; /* ownership tree snapshot i is snapshot usable[i] */
    size_t usable_count;
    bool restarted; /* as of the series: then nothing is said of survivors */
    struct ownership_tree tree;
    struct survived *survivors; /* per type of the last; NULL: not known */
    struct births births;       /* source HD_SAME_UNKNOWN: not known */
    bool looked_for_births;
    struct arena arena;
};

struct hd_comparison;

/* Find it; NULL and err if a graph cannot be read again. */
struct ownership *ownership_of(struct hd_comparison *c, const struct series *s,
                               enum ownership_fields fields, bool all_chains_follow,
                               struct hd_error *err);

/* Find births once, if they can be known: of snapshots of one process, in order, whole and
 * with graphs. False and err if a graph cannot be read again, or if there is not the memory
 * for two of them and what identity takes. */
bool ownership_need_births(struct hd_comparison *c, struct ownership *o,
                           const struct series *s, struct hd_error *err);

/* Whether it is that of the usable snapshots of s, with no less of fields. */
bool ownership_fits(const struct ownership *o, const struct series *s,
                    enum ownership_fields fields);
void ownership_free(struct ownership *o); /* NULL is fine */

#endif
