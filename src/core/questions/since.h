/* since.h - since when each object of the last snapshot is there, for questions about
 * those that were new in one of the snapshots (--born). */
#ifndef SINCE_H
#define SINCE_H

#include "compare/comparison.h"
#include "compare/steps.h"

struct since {
    struct ages ages;                      /* .since NULL: nobody knows */
    size_t snapshot[SERIES_MAX_SNAPSHOTS]; /* of those that ages counts, their numbers */
    struct since_range born; /* those that were asked for; since_find_born() */
};

/* Nothing of a single snapshot, and of a last one that cannot be compared with the others.
 * False and err if a graph cannot be read again. since_free() in any case. */
bool since_find(struct since *since, struct hd_comparison *c, const struct hd_options *opt,
                struct hd_error *err);

/* The same, and where nobody knows: false and err, HD_USAGE. Also for snapshots that there
 * are not. */
bool since_find_born(struct since *since, struct hd_comparison *c,
                     const struct hd_options *opt, struct hd_error *err);
void since_free(struct since *since);

/* Whether opt asks for those that were new in some snapshots. */
static inline bool since_is_asked(const struct hd_options *opt)
{
    return opt->born_first > 0 || opt->born_last > 0;
}

#endif
