/* ranked_paths.h - paths ranked as rows: heads summed up by type, with what goes along, and
 * stores that leak several types. The middle of leak_ranking.c, which adds whole types; for
 * nobody else. */
#ifndef RANKED_PATHS_H
#define RANKED_PATHS_H

#include "base/pair_table.h"
#include "ranking/leak_ranking.h"
#include "ranking/path_growth.h"
#include "ranking/suspect_title.h"

/* A place where something grows. */
struct head {
    label_id label;
    uint32_t order; /* of the path, bytewise by its names */
    path_id path;
    bool pooled;
    bool steady;
    bool keeps;      /* what it gets (retention.h) */
    double score;    /* max(0, credit) tau^2 */
    double total;    /* that and of all that it carries; 0 if it is carried itself */
    path_id carrier; /* at the end of its chain; 0: it stands for itself */
};

struct leak_ranker {
    const struct ownership_tree *t;
    const struct series *s;
    const struct suspect_line *line;
    size_t n;
    double heap; /* reachable bytes of the last snapshot */
    struct path_growths growths;
    struct title_tree titles;
    struct head *heads; /* the ranked by label, then path; then the pooled */
    size_t head_count;
    struct ranked_row *rows; /* by score; the pooled behind */
    size_t row_count;
    size_t *row_of;         /* per label: its ranked row; NO_ROW */
    bool *turns_over;       /* per label: where it gained most as many go as come */
    bool *queues;           /* per label: where it gained most the oldest go first */
    struct pair_table also; /* which types go with that of a row */
    struct arena *a;
    struct arena scratch;
};

#define NO_ROW SIZE_MAX

/* qsort knows no context. */
struct ranked_row {
    struct ranked_type type;
    const char *name;
    int64_t more_objects;
    double steady; /* part of the score that steady heads have */
    double keeps;  /* the same of those that keep what they get */
    bool gone;     /* it is a part of another row */
    label_id into; /* of which type */
    size_t place_room;
};

/* Last minus first. */
static inline int64_t ranked_delta(const uint64_t *y, size_t n)
{
    return (int64_t)(y[n - 1] - y[0]);
}

static inline const char *ranked_name(const struct leak_ranker *r, label_id label)
{
    return r->t->labels.all[label].name;
}

/* Fill in heads, rows and row_of, from the growths and titles of r. */
void ranked_paths_of(struct leak_ranker *r);

/* Suspects first, each part by score; rows that are parts of others behind. */
void ranked_sort_rows(struct leak_ranker *r);

#endif
