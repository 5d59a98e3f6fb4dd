/* questions.h - common to several questions: ages of objects, clues for hints, and
 * requested types. */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "compare/comparison.h"
#include "compare/steps.h"
#include "owners/ownership_tree.h"
#include "ranking/hints.h"
#include "report/report.h"

#include <string.h>

/* Ages of the objects of the last snapshot, for questions about objects that were new in
 * one of the snapshots (--born). */
struct since {
    struct ages ages;                      /* .since is NULL if unknown */
    size_t snapshot[SERIES_MAX_SNAPSHOTS]; /* numbers of the snapshots that ages counts */
    struct since_range born;               /* the requested ones */
};

/* Finds ages; empty for a single snapshot, and if the last one cannot be compared with the
 * others. False and err if a graph cannot be read again; with born, HD_USAGE also if ages
 * are unknown, or the requested snapshots do not exist. since_free() in any case. */
bool since_find(struct since *since, struct hd_comparison *c, const struct hd_options *opt,
                bool born, struct hd_error *err);
void since_free(struct since *since);

/* True if opt requests objects that were new in some snapshots. */
static inline bool since_is_asked(const struct hd_options *opt)
{
    return opt->born_first > 0 || opt->born_last > 0;
}

/* --- clues for hints ---------------------------------------------------------------- */

/* Evidence for hints (ranking/hints.h), gathered from chains: for suspects of the ranking
 * and for chains of roots. */

/* Classes of the program with names of the framework, to which hints would apply by
 * mistake; nearly always empty. */
struct disguised {
    const char **names;
    size_t len;
};

/* t may be NULL: unknown. Names live as long as their source. */
struct disguised disguised_of_tree(const struct ownership_tree *t, struct arena *scratch);
struct disguised disguised_of_snapshots(struct hd_snapshot *const *snaps, size_t count,
                                        struct arena *scratch);

struct clue_search {
    struct hint_clues clues;
    struct disguised disguised;
    struct arena *scratch;
};

/* Returns the name, unless it is disguised. */
const char *looking_honest(const struct clue_search *l, const char *name);

/* Adds a way from a root: types from the root on, without the object at its end. */
void looking_add_way(struct clue_search *l, const char *const *types, size_t len,
                     enum hd_root_kind root, double share);

/* Adds a chain without the suspect at its end. Repeated types are added twice, to
 * distinguish an array of arrays from one array. */
void looking_add_chain(struct clue_search *l, const struct hd_chain *c);

/* Returns the hint for a chain: of the element between owner and instance with the most
 * specific hint, at least `broadest`; the nearest to the instance if equal. An id, or NULL,
 * as for unreachable objects. */
const char *hint_of_chain(const struct hd_chain *c, const struct disguised *disguised,
                          enum hint_breadth broadest);

/* --- requested types -------------------------------------------------------------- */

/* The maximum number of listed objects or variables. */
static inline size_t report_object_rows(const struct hd_report *r)
{
    return r->rows == 0 || r->rows > HD_MAX_OBJECT_ROWS ? HD_MAX_OBJECT_ROWS : r->rows;
}

/* Compares names that may be NULL, which are first. */
static inline int compare_known(const char *x, const char *y)
{
    return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

/* Returns the patterns of opt in the report's arena; the second joined by blanks. */
const char **report_patterns(struct hd_report *r, const struct hd_options *opt);
const char *asked_pattern(struct hd_report *r, const struct hd_options *opt);

/* Adds a warning about the snapshots together. */
void report_warn_series(struct hd_report *r, const struct series_warning *w);

/* Warns about the patterns in r->diff.unmatched. */
void report_warn_unmatched(struct hd_report *r);

/* Fails, with a suggestion, since no type of a snapshot matches the pattern: false and
 * err. */
bool asked_types_fail(const struct hd_report *r, const char *pattern,
                      const struct hd_snapshot *snap, struct hd_error *err);

#endif
