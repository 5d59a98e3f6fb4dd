/* questions.h - what several questions need: since when objects are there, clues for hints,
 * and the types that were asked for. */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "compare/comparison.h"
#include "compare/steps.h"
#include "owners/ownership_tree.h"
#include "ranking/hints.h"
#include "report/report.h"

#include <string.h>

/* Since when each object of the last snapshot is there, for questions about those that were
 * new in one of the snapshots (--born). */
struct since {
    struct ages ages;                      /* .since NULL: nobody knows */
    size_t snapshot[SERIES_MAX_SNAPSHOTS]; /* of those that ages counts, their numbers */
    struct since_range born;               /* those that were asked for */
};

/* Nothing of a single snapshot, and of a last one that cannot be compared with the others.
 * False and err if a graph cannot be read again; for born, which the options name, also
 * where nobody knows, and for snapshots that there are not: HD_USAGE. since_free() in any
 * case. */
bool since_find(struct since *since, struct hd_comparison *c, const struct hd_options *opt,
                bool born, struct hd_error *err);
void since_free(struct since *since);

/* Whether opt asks for those that were new in some snapshots. */
static inline bool since_is_asked(const struct hd_options *opt)
{
    return opt->born_first > 0 || opt->born_last > 0;
}

/* --- clues for hints ---------------------------------------------------------------- */

/* What hints are chosen by (ranking/hints.h), gathered from chains: for suspects of the
 * ranking and for chains of roots alike. */

/* Classes of the program that are called like those of the framework, which hints are
 * about; nearly always there are none. */
struct disguised {
    const char **names;
    size_t len;
};

/* t may be NULL: nothing is known. Names live as long as what they are from. */
struct disguised disguised_of_tree(const struct ownership_tree *t, struct arena *scratch);
struct disguised disguised_of_snapshots(struct hd_snapshot *const *snaps, size_t count,
                                        struct arena *scratch);

struct clue_search {
    struct hint_clues clues;
    struct disguised disguised;
    struct arena *scratch;
};

/* The name, unless it says what is not so. */
const char *looking_honest(const struct clue_search *l, const char *name);

/* One more way from a root: types from the root on, without what they lead to. */
void looking_add_way(struct clue_search *l, const char *const *types, size_t len,
                     enum hd_root_kind root, double share);

/* A chain without the suspect at its end. What is repeated stands there twice, so that an
 * array of arrays can be told from one array. */
void looking_add_chain(struct clue_search *l, const struct hd_chain *c);

/* What a chain usually is, whoever asks for its last object: that of the element between
 * owner and instance whose hint says most, and no less than this; of several the nearest to
 * the instance. An id, or NULL: nothing holds what is unreachable. */
const char *hint_of_chain(const struct hd_chain *c, const struct disguised *disguised,
                          enum hint_breadth broadest);

/* --- types that were asked for ------------------------------------------------------ */

/* How many objects or variables are listed at most. */
static inline size_t report_object_rows(const struct hd_report *r)
{
    return r->rows == 0 || r->rows > HD_MAX_OBJECT_ROWS ? HD_MAX_OBJECT_ROWS : r->rows;
}

/* By names that may be NULL, which come first. */
static inline int compare_known(const char *x, const char *y)
{
    return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

/* The patterns of opt in the report's arena; and joined, a blank between them. */
const char **report_patterns(struct hd_report *r, const struct hd_options *opt);
const char *asked_pattern(struct hd_report *r, const struct hd_options *opt);

/* That no type of a snapshot matches the pattern, and which may be meant: false and err. */
bool asked_types_fail(const struct hd_report *r, const char *pattern,
                      const struct hd_snapshot *snap, struct hd_error *err);

#endif
