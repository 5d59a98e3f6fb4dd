/* headed.h - headed growth: the topmost types whose instances keep growing, each with
 * what it gained and retains that no growing owner above it explains.
 *
 * The ranking of a diff whose snapshots all have graphs. Formula, worked examples and
 * reasons: docs/ranking.md. */
#ifndef HEADED_H
#define HEADED_H

#include "analysis/trie.h"

struct headed_type {
    label_id label;
    double score;
    double tau;          /* of the head with the largest credit */
    uint64_t *count;     /* per snapshot, summed over the type's heads */
    uint64_t *retained;  /* the same for retained bytes */
    path_id head;        /* with the largest credit */
    const char *subject; /* the name for the title */
    bool pooled;         /* buffers that a pool holds: not ranked */
};

struct headed {
    struct headed_type *all; /* by score, growth in count, name; then the pooled; in a */
    size_t len;              /* ranked */
    size_t pooled;           /* behind them */
};

/* Rank an aligned trie over the fit snapshots of s, whose numbers the trie's snapshots
 * are (trie snapshot i is s->fit[i]). */
struct headed headed_rank(const struct trie *t, const struct series *s,
                          const struct ranking_rules *rules, struct arena *a);

/* Labels from below the root down to a path in trie snapshot k, in a; nothing cut. */
size_t headed_full_path(const struct trie *t, path_id p, size_t k, const label_id **labels,
                        struct arena *a);

#endif
