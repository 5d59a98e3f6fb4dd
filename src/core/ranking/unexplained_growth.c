#include "ranking/unexplained_growth.h"

#include "ranking/path_growth.h"
#include "series/ranking_constants.h"
#include "series/runtime_names.h"

#include <string.h>

/* What a label alone says. Names are compared once per label, not once per path. */
static enum unexplained_part *parts_of(const struct labels *l, struct arena *scratch)
{
    enum unexplained_part *parts = arena_array(scratch, enum unexplained_part, l->len);
    for (size_t i = 0; i < l->len; i++)
        parts[i] = is_buffer_pool(l->all[i].name, l->all[i].origin) ? PART_POOLS
                   : strcmp(l->all[i].name, RUNTIME_LISTENER) == 0  ? PART_LISTENER
                                                                    : PART_REST;
    return parts;
}

struct partition {
    const struct ownership_tree *t;
    const bool *heads, *labels;
    const enum unexplained_part *parts;
};

static enum unexplained_part part_of(const struct partition *by, const struct full_tree *f,
                                     path_id p, enum unexplained_part above)
{
    if (above == PART_SUSPECTS || by->heads[f->cut[p]])
        return PART_SUSPECTS;
    if (above != PART_REST)
        return above;
    if (by->parts[f->label[p]] != PART_REST)
        return by->parts[f->label[p]];
    if (path_is_thread_statics(&by->t->labels, f, p))
        return PART_THREADS;
    return by->labels != NULL && by->labels[f->label[p]] ? PART_SUSPECTS : PART_REST;
}

static void part_snapshot(struct unexplained *r, size_t k, const struct partition *by,
                          struct arena *a)
{
    const struct full_tree *f = &r->t->full[k];
    unsigned char *part = r->part[k] = arena_array(a, unsigned char, f->len);
    uint64_t *left = r->left[k] = arena_array(a, uint64_t, f->len);
    for (path_id p = 1; p < f->len; p++) {
        part[p] = (unsigned char)part_of(by, f, p, part[f->parent[p]]);
        r->bytes[part[p]][k] += f->bytes[p];
        if (part[p] == PART_THREADS && part[f->parent[p]] != PART_THREADS)
            r->threads[k] += f->count[p];
        left[p] = unexplained_is_left(part[p]) ? f->bytes[p] : 0;
    }
    for (path_id p = (path_id)f->len; p-- > 1;)
        left[f->parent[p]] += left[p];
}

struct unexplained unexplained_of(const struct ownership_tree *t, const bool *heads,
                                  const bool *labels, struct arena *a)
{
    struct arena scratch = {0};
    struct partition by = {t, heads, labels, parts_of(&t->labels, &scratch)};
    struct unexplained r = {.t = t,
                            .threads = arena_array(a, uint64_t, t->snapshots),
                            .part = arena_array(a, unsigned char *, t->snapshots),
                            .left = arena_array(a, uint64_t *, t->snapshots)};
    for (int i = 0; i < PART_COUNT; i++)
        r.bytes[i] = arena_array(a, uint64_t, t->snapshots);
    for (size_t k = 0; k < t->snapshots; k++)
        part_snapshot(&r, k, &by, a);
    arena_free(&scratch);
    return r;
}

void unexplained_share(const struct unexplained *r, const size_t *of_head,
                       const size_t *of_label, uint64_t *own)
{
    struct arena scratch = {0};
    for (size_t k = 0; k < r->t->snapshots; k++) {
        const struct full_tree *f = &r->t->full[k];
        size_t *owner = arena_array(&scratch, size_t, f->len);
        for (path_id p = 0; p < f->len; p++) {
            owner[p] = NO_OWNER;
            if (p == 0 || r->part[k][p] != PART_SUSPECTS)
                continue;
            owner[p] = of_head[f->cut[p]];
            if (owner[p] == NO_OWNER)
                owner[p] = owner[f->parent[p]];
            if (owner[p] == NO_OWNER)
                owner[p] = of_label[f->label[p]];
            own[owner[p] * r->t->snapshots + k] += f->bytes[p];
        }
    }
    arena_free(&scratch);
}

/* --- has it grown? ------------------------------------------------------------------- */

/* Up, and not up again in the last half. */
static bool has_settled(const double *y, size_t n)
{
    double part = (y[n - 1] - y[0]) / rank_by.settled_part, least = y[n - trend_half(n)];
    for (size_t k = n - trend_half(n); k < n; k++) {
        least = y[k] < least ? y[k] : least;
        if (y[k] - least > part)
            return false;
    }
    return part > 0;
}

/* Whether y rose by `far` or more and fell as far again often enough. */
static bool swings(const double *y, size_t n, double far)
{
    double low = y[0], high = y[0];
    bool up = false;
    unsigned times = 0;
    for (size_t k = 1; k < n; k++) {
        low = y[k] < low ? y[k] : low;
        high = y[k] > high ? y[k] : high;
        if (!up && y[k] - low >= far) {
            up = true;
            high = y[k];
        } else if (up && high - y[k] >= far) {
            up = false;
            low = y[k];
            times++;
        }
    }
    return times >= rank_by.swings;
}

/* From a later point on, from which it has to be seen to go on. Its first step is left out:
 * out of a dip it leads back to where the heap was. */
static double later_growth(const struct trend *t, size_t first)
{
    struct trend tail = {t->n - first, t->x + first, t->y + first, NULL};
    if (tail.n < rank_by.enough_snapshots || !trend_grows(&tail) ||
        has_settled(tail.y, tail.n))
        return 0;
    double from = tail.y[1] > tail.y[0] ? tail.y[1] : tail.y[0];
    return tail.y[tail.n - 1] - from;
}

/* The last point that is no more than a part of the growth above where that began. */
static size_t onset(const struct trend *t, size_t first)
{
    size_t k = t->n - 1;
    double part = (t->y[k] - t->y[first]) / rank_by.settled_part;
    while (k > first && t->y[k] > t->y[first] + part)
        k--;
    return k;
}

struct rest_growth rest_growth_of(const struct trend *rest, double heap, double stopped)
{
    struct rest_growth found = {.share = 0};
    double least = rank_by.open_share * heap, most = 0;
    if (rest->n < 2 || heap <= 0)
        return found;
    bool sure = trend_rises_surely(rest);
    /* From the first point on, whatever the way there. Many points may tell a slow rise
     * from the noise around it, though the ends do not. */
    double ends = rest->y[rest->n - 1] - rest->y[0];
    double slope =
        sure ? trend_slope(rest, 0, rest->n) * (rest->x[rest->n - 1] - rest->x[0]) : 0;
    double whole = slope > ends ? slope : ends, left = whole - stopped;
    if (left >= least && !has_settled(rest->y, rest->n) &&
        (sure || !swings(rest->y, rest->n, left - least)))
        found = (struct rest_growth){true, false, left / heap, onset(rest, 0)};
    for (size_t k = 1; !found.grew && k < rest->n; k++) {
        double growth = later_growth(rest, k);
        if (growth < least || growth <= most || swings(rest->y, rest->n, growth - least))
            continue;
        most = growth;
        found.share = growth / heap;
        found.since = onset(rest, k);
    }
    found.grew |= most > 0;
    if (!found.grew && whole >= least && (left < least || has_settled(rest->y, rest->n)))
        found = (struct rest_growth){false, true, whole / heap, 0};
    return found;
}
