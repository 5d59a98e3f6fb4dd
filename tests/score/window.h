/* window.h - some snapshots of a made series, aligned, folded and ranked. */
#ifndef SCORE_WINDOW_H
#define SCORE_WINDOW_H

#include "ranking/leak_ranking.h"

/* A rank beyond all others; ranks count from 1. */
enum { NOT_RANKED = 1000000 };

struct window {
    size_t len;
    struct arena arena;
    struct series series;
    struct ownership_tree tree;
    struct leak_ranking ranking; /* of the last judge_window() */
};

/* The verdict on a window. */
struct judgement {
    size_t suspects; /* number of leading rows of the ranking */

    /* About the growth that no suspect explains. */
    const char *const *leveled_off; /* types that leveled off */
    size_t leveled_off_count;
    bool inconclusive; /* unexplained growth is most of it */
};

/* Uses len snapshots, which must outlive w. */
void window_begin(struct window *w, struct hd_snapshot *const *snaps, size_t len);
void window_free(struct window *w);

struct judgement judge_window(struct window *w);

/* The type of a row. */
const char *window_name(const struct window *w, size_t row);

/* The score of a row as a share of the heap in the last snapshot. */
double window_share(const struct window *w, size_t row);

/* "2. 1200 App.Order: [static vars] > App.Order (10, 20, 30)", indented. */
void window_print_row(const struct window *w, size_t row);

#endif
