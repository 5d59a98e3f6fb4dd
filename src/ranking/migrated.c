#include "ranking/migrated.h"

#include "base/search.h"
#include "series/ranking_constants.h"

#include <stdlib.h>

struct falling {
    label_id label;
    path_id path;
    int64_t delta; /* below 0 */
};

static int64_t delta_of(const struct ownership_tree *t, path_id p, size_t first,
                        size_t last)
{
    const uint64_t *counts = &t->count[p * t->snapshots];
    return (int64_t)(counts[last] - counts[first]);
}

static int by_label_and_delta(const void *a, const void *b)
{
    const struct falling *x = a, *y = b;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    if (x->delta != y->delta)
        return x->delta < y->delta ? -1 : 1;
    return (x->path > y->path) - (x->path < y->path);
}

struct migrated migrated_find(const struct ownership_tree *t)
{
    struct migrated m = {.t = t};
    size_t cap = 0;
    if (t->snapshots < rank_by.some_snapshots)
        return m;
    for (path_id p = 1; p < t->len; p++) {
        int64_t delta = delta_of(t, p, 0, t->snapshots - 1);
        if (delta >= 0)
            continue;
        m.falling = grow(m.falling, m.len, &cap, sizeof(*m.falling));
        m.falling[m.len++] = (struct falling){t->label[p], p, delta};
    }
    if (m.len > 0)
        qsort(m.falling, m.len, sizeof(*m.falling), by_label_and_delta);
    return m;
}

void migrated_free(struct migrated *m)
{
    free(m->falling);
    *m = (struct migrated){0};
}

static bool comes_before(const void *falling, size_t i, const void *key)
{
    return by_label_and_delta((const struct falling *)falling + i, key) < 0;
}

/* The first of a label that lost no more than -delta. */
static size_t first_from(const struct migrated *m, label_id label, int64_t delta)
{
    const struct falling key = {.label = label, .delta = delta};
    return search_first(m->falling, 0, m->len, comes_before, &key);
}

static uint64_t magnitude(int64_t n)
{
    return n < 0 ? (uint64_t)-n : (uint64_t)n;
}

/* Sum over the steps of |d(p) + d(other)|, up to about `most`. */
static uint64_t mismatch(const struct ownership_tree *t, path_id p, path_id other,
                         uint64_t most)
{
    uint64_t sum = 0;
    for (size_t k = 1; k < t->snapshots && sum <= most; k++)
        sum += magnitude(delta_of(t, p, k - 1, k) + delta_of(t, other, k - 1, k));
    return sum;
}

bool migrated_away(const struct migrated *m, path_id p)
{
    const struct ownership_tree *t = m->t;
    if (m->len == 0)
        return false;
    uint64_t steps = 0;
    for (size_t k = 1; k < t->snapshots; k++)
        steps += magnitude(delta_of(t, p, k - 1, k));
    uint64_t most = steps / rank_by.of_migration;
    int64_t gained = delta_of(t, p, 0, t->snapshots - 1);
    size_t i = first_from(m, t->label[p], -gained - (int64_t)most);
    for (size_t looked = 0; looked < rank_by.most_migrated && i < m->len; looked++, i++) {
        const struct falling *f = &m->falling[i];
        if (f->label != t->label[p] || f->delta > -gained + (int64_t)most)
            return false;
        if (mismatch(t, p, f->path, most) <= most)
            return true;
    }
    return false;
}
