/* The steps are those of docs/ranking.md, one function each, in its order. A path is a
 * node of the aligned trie; q is an owner above it. */
#include "analysis/headed.h"

#include "analysis/runtime_names.h"
#include "analysis/sample_error.h"
#include "analysis/subject.h"
#include "heap/root_kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than half explained: the owner's matter. */
#define EXPLAIN_THRESHOLD 0.5

struct path_growth {
    enum growth_kind kind;
    double tau;
    double growth;        /* g: bytes at the rate of the second half */
    double explained;     /* e: share of it that a growing owner explains */
    double own;           /* o; a head has more than 0 */
    double credit;        /* o without the heads below */
    path_id owner;        /* nearest that grows in count, of more than one object */
    path_id single_owner; /* the same, of any number */
    bool single;          /* never more than one object */
};

struct ranker {
    const struct trie *t;
    const struct series *s;
    const struct ranking_rules *rules;
    size_t n;
    struct path_growth *paths;
    const uint64_t *threads, *pool_threads; /* per snapshot; NULL if there are none */
};

static const uint64_t *counts_at(const struct ranker *r, path_id p)
{
    return &r->t->count[p * r->n];
}

static int64_t delta(const uint64_t *y, size_t first, size_t last)
{
    return (int64_t)(y[last] - y[first]);
}

struct points {
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
};

/* The values of a path as a trend. A count of c that stands for m each is off by
 * 2 sqrt(m c) in a sampled file, and bytes by the same share. */
static struct trend trend_of(const struct ranker *r, path_id p, const uint64_t *values,
                             struct points *points)
{
    const double *scale = r->t->labels.all[r->t->label[p]].scale;
    bool sampled = false;
    for (size_t k = 0; k < r->n; k++) {
        double count = (double)counts_at(r, p)[k];
        points->y[k] = (double)values[k];
        points->noise[k] = sample_share(scale[k], count) * points->y[k];
        sampled |= scale[k] > 0;
    }
    return (struct trend){r->n, r->s->x, points->y, sampled ? points->noise : NULL};
}

/* --- growth of one path -------------------------------------------------- */

/* Objects of the type anywhere below what the path hangs from. One that only moves up,
 * because it gained a second owner, grows nowhere. */
static uint64_t in_neighbourhood(const struct ranker *r, path_id p, size_t k)
{
    path_id above = r->t->parent[p];
    path_id full = above == 0 ? 0 : r->t->full_of[above * r->n + k];
    return full != NO_PATH ? full_trie_below(&r->t->full[k], full, r->t->label[p]) : 0;
}

static double migration(const struct ranker *r, path_id p)
{
    if (r->rules->no_migration)
        return 1;
    int64_t here = delta(counts_at(r, p), 0, r->n - 1);
    int64_t around =
        (int64_t)(in_neighbourhood(r, p, r->n - 1) - in_neighbourhood(r, p, 0));
    double ratio = here > 0 ? (double)around / (double)here : 0;
    return ratio < 0 ? 0 : ratio > 1 ? 1 : ratio;
}

static void measure_growth(const struct ranker *r, path_id p)
{
    struct points counts, sizes;
    struct path_growth *g = &r->paths[p];
    struct trend c = trend_of(r, p, counts_at(r, p), &counts);
    struct trend y;
    size_t half;
    if (trend_grows(&c)) {
        g->kind = GROWS_IN_COUNT;
        g->tau = trend_tau(&c);
        y = trend_of(r, p, &r->t->retained[p * r->n], &sizes);
        half = trend_half(r->n);
    } else {
        y = trend_of(r, p, &r->t->bytes[p * r->n], &sizes);
        if (!trend_grows(&y))
            return;
        g->kind = GROWS_IN_SIZE;
        g->tau = trend_tau(&y);
        half = trend_half_of_sizes(r->n);
    }
    double rate = trend_sustained(&y, half);
    if (rate <= 0)
        return;
    g->growth = rate * (r->s->x[r->n - 1] - r->s->x[0]);
    if (!r->rules->no_slowing)
        g->growth *= trend_slowing(&y, half);
    if (g->kind == GROWS_IN_COUNT)
        g->growth *= migration(r, p);
}

/* --- what owners explain ------------------------------------------------- */

/* Owners that multiplied explain as many more objects; the rest is more per owner. */
static double share_from(const struct ranker *r, const uint64_t *owner,
                         const uint64_t *owned, size_t a)
{
    int64_t more_owners = delta(owner, a, r->n - 1), more_owned = delta(owned, a, r->n - 1);
    if (more_owned <= 0 || more_owners <= 0)
        return 0;
    if (owner[a] == 0)
        return 1;
    double share =
        (double)owned[a] * (double)more_owners / ((double)owner[a] * (double)more_owned);
    return share < 1 ? share : 1;
}

/* A first snapshot with few owners may be untypical: then the second half counts too. */
static double share(const struct ranker *r, const uint64_t *owner, const uint64_t *owned)
{
    double whole = share_from(r, owner, owned, 0);
    if (r->rules->no_late_share || owner[r->n - 1] <= 2 * owner[0])
        return whole;
    double late = share_from(r, owner, owned, r->n - trend_half(r->n));
    return late > whole ? late : whole;
}

/* A grown thread pool has more arrays of thread statics; a leak in a thread static
 * outgrows the threads. */
static double thread_share(const struct ranker *r, path_id p)
{
    const struct trie *t = r->t;
    path_id above = t->parent[p];
    if (above == 0 || t->parent[above] != 0 ||
        strcmp(t->labels.all[t->label[p]].name, THREAD_STATICS_ARRAY) != 0)
        return 0;
    const struct label *root = &t->labels.all[t->label[above]];
    if (root->kind != TYPE_PSEUDO || root_kind_of(root->name) != ROOT_STACK)
        return 0;
    double most = 0;
    const uint64_t *owners[] = {r->threads, r->pool_threads};
    for (size_t i = 0; i < 2; i++) {
        double s = owners[i] != NULL ? share(r, owners[i], counts_at(r, p)) : 0;
        most = s > most ? s : most;
    }
    return most;
}

static void find_owner(const struct ranker *r, path_id p)
{
    struct path_growth *g = &r->paths[p], *above = &r->paths[r->t->parent[p]];
    path_id parent = r->t->parent[p];
    g->single = true;
    for (size_t k = 0; k < r->n; k++)
        g->single &= counts_at(r, p)[k] <= 1;
    bool owns = parent != 0 && above->kind == GROWS_IN_COUNT && above->growth > 0;
    g->single_owner = owns ? parent : above->single_owner;
    g->owner = owns && !above->single ? parent : above->owner;
}

static void explain(const struct ranker *r, path_id p)
{
    struct path_growth *g = &r->paths[p];
    if (g->growth <= 0)
        return;
    path_id q = g->single ? g->single_owner : g->owner;
    if (q != 0 && !r->rules->no_owners)
        g->explained =
            g->kind == GROWS_IN_SIZE ? 1 : share(r, counts_at(r, q), counts_at(r, p));
    if (g->kind == GROWS_IN_COUNT && !r->rules->no_threads) {
        double threads = thread_share(r, p);
        g->explained = threads > g->explained ? threads : g->explained;
    }
    g->own = g->explained <= EXPLAIN_THRESHOLD ? (1 - g->explained) * g->growth : 0;
}

/* The array of a growing list is no second finding. */
static void drop_containers(const struct ranker *r)
{
    double *below = alloc_zeroed(array_bytes(r->t->len, sizeof(*below)));
    for (path_id p = 1; p < r->t->len; p++)
        if (r->paths[p].kind == GROWS_IN_COUNT)
            below[r->t->parent[p]] += r->paths[p].own;
    for (path_id p = 1; p < r->t->len; p++) {
        struct path_growth *g = &r->paths[p];
        if (g->kind == GROWS_IN_SIZE && g->own > 0 && g->growth <= below[p]) {
            g->explained = 1;
            g->own = 0;
        }
    }
    free(below);
}

/* Own growth without that of the topmost heads below. */
static void give_credit(const struct ranker *r)
{
    path_id *head_above = alloc_zeroed(array_bytes(r->t->len, sizeof(*head_above)));
    for (path_id p = 1; p < r->t->len; p++)
        r->paths[p].credit = r->paths[p].own;
    for (path_id p = 1; p < r->t->len; p++) {
        path_id above = r->t->parent[p];
        head_above[p] = r->paths[above].own > 0 ? above : head_above[above];
        path_id head = head_above[p];
        if (r->paths[p].own > 0 && head != 0 && r->paths[head].kind == GROWS_IN_COUNT)
            r->paths[head].credit -= r->paths[p].own;
    }
    free(head_above);
}

/* --- pools --------------------------------------------------------------- */

size_t headed_full_path(const struct trie *t, path_id p, size_t k, const label_id **labels,
                        struct arena *a)
{
    const struct full_trie *f = &t->full[k];
    path_id full = t->full_of[p * t->snapshots + k];
    size_t len = 0;
    if (full == NO_PATH)
        return 0;
    for (path_id at = full; at != 0; at = f->parent[at])
        len++;
    label_id *path = arena_array(a, label_id, len);
    for (size_t i = len; i-- > 0; full = f->parent[full])
        path[i] = f->label[full];
    *labels = path;
    return len;
}

/* The pool itself, a block of it, or an array at most one step below it. */
static bool is_pooled(const struct ranker *r, path_id p)
{
    const struct labels *l = &r->t->labels;
    const struct full_trie *f = &r->t->full[r->n - 1];
    path_id full = r->t->full_of[p * r->n + r->n - 1];
    const char *name = l->all[r->t->label[p]].name;
    size_t len = strlen(name);
    bool array = len > 0 && name[len - 1] == ']';
    for (size_t steps = 0; full != NO_PATH && full != 0; full = f->parent[full], steps++)
        if (is_buffer_pool(l->all[f->label[full]].name))
            return steps == 0 || is_pool_block(name) || (array && steps <= 2);
    return false;
}

/* --- types --------------------------------------------------------------- */

struct head {
    label_id label;
    uint32_t order; /* of the path, bytewise by its names */
    path_id path;
    bool pooled;
};

/* By type, then in the order of paths: sums of doubles, and which of two heads with equal
 * credit counts, are the same everywhere. */
static int by_type(const void *a, const void *b)
{
    const struct head *x = a, *y = b;
    if (x->pooled != y->pooled)
        return x->pooled ? 1 : -1;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static struct headed_type sum_heads(const struct ranker *r, const struct head *heads,
                                    size_t count, struct arena *a)
{
    struct headed_type sum = {.label = heads[0].label,
                              .pooled = heads[0].pooled,
                              .head = heads[0].path,
                              .count = arena_array(a, uint64_t, r->n),
                              .retained = arena_array(a, uint64_t, r->n)};
    for (size_t i = 0; i < count; i++) {
        path_id p = heads[i].path;
        const struct path_growth *g = &r->paths[p];
        if (g->credit > 0)
            sum.score += g->credit * g->tau * g->tau;
        if (g->credit > r->paths[sum.head].credit)
            sum.head = p;
        for (size_t k = 0; k < r->n; k++) {
            sum.count[k] += r->t->count[p * r->n + k];
            sum.retained[k] += r->t->retained[p * r->n + k];
        }
    }
    sum.tau = r->paths[sum.head].tau;
    return sum;
}

/* qsort knows no context. */
struct ranked {
    struct headed_type type;
    const char *name;
    int64_t more;
};

static int by_score(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->type.pooled != y->type.pooled)
        return x->type.pooled ? 1 : -1;
    if (x->type.score != y->type.score)
        return x->type.score < y->type.score ? 1 : -1;
    if (x->more != y->more)
        return x->more < y->more ? 1 : -1;
    return strcmp(x->name, y->name);
}

static size_t collect_heads(const struct ranker *r, struct head *heads)
{
    size_t count = 0;
    uint32_t *order = trie_order(r->t);
    for (path_id p = 1; p < r->t->len; p++) {
        const struct label *label = &r->t->labels.all[r->t->label[p]];
        if (r->paths[p].own > 0 && label->kind == TYPE_OBJECT &&
            strcmp(label->name, "Free") != 0)
            heads[count++] = (struct head){r->t->label[p], order[p], p,
                                           !r->rules->no_pools && is_pooled(r, p)};
    }
    free(order);
    qsort(heads, count, sizeof(*heads), by_type);
    return count;
}

static struct headed rank_types(const struct ranker *r, struct arena *a)
{
    struct arena scratch = {0};
    struct head *heads = arena_array(&scratch, struct head, r->t->len);
    size_t head_count = collect_heads(r, heads), count = 0;
    struct ranked *ranked = arena_array(&scratch, struct ranked, head_count);
    for (size_t i = 0, end; i < head_count; i = end) {
        for (end = i + 1; end < head_count && heads[end].label == heads[i].label &&
                          heads[end].pooled == heads[i].pooled;)
            end++;
        struct headed_type sum = sum_heads(r, &heads[i], end - i, a);
        if (sum.score <= 0)
            continue;
        ranked[count++] = (struct ranked){.type = sum,
                                          .name = r->t->labels.all[sum.label].name,
                                          .more = delta(sum.count, 0, r->n - 1)};
    }
    qsort(ranked, count, sizeof(*ranked), by_score);
    struct headed result = {.all = arena_array(a, struct headed_type, count)};
    for (size_t i = 0; i < count; i++) {
        result.all[i] = ranked[i].type;
        result.pooled += ranked[i].type.pooled;
    }
    result.len = count - result.pooled;
    arena_free(&scratch);
    return result;
}

/* --- all of it ----------------------------------------------------------- */

/* Counts of a type over the fit snapshots, from the type table; NULL without it. */
static const uint64_t *type_counts(const struct series *s, const char *name,
                                   struct arena *a)
{
    for (size_t i = 0; i < s->row_count; i++) {
        if (strcmp(s->rows[i].name, name) != 0)
            continue;
        uint64_t *counts = arena_array(a, uint64_t, s->fit_count);
        for (size_t k = 0; k < s->fit_count; k++)
            counts[k] = s->rows[i].at[s->fit[k]].count;
        return counts;
    }
    return NULL;
}

struct headed headed_rank(const struct trie *t, const struct series *s,
                          const struct ranking_rules *rules, struct arena *a)
{
    struct arena scratch = {0};
    struct ranker r = {.t = t,
                       .s = s,
                       .rules = rules,
                       .n = t->snapshots,
                       .paths =
                           alloc_zeroed(array_bytes(t->len, sizeof(struct path_growth))),
                       .threads = type_counts(s, THREAD_TYPE, &scratch),
                       .pool_threads = type_counts(s, POOL_THREAD_TYPE, &scratch)};
    for (path_id p = 1; p < t->len; p++)
        measure_growth(&r, p);
    for (path_id p = 1; p < t->len; p++)
        find_owner(&r, p);
    for (path_id p = 1; p < t->len; p++)
        explain(&r, p);
    if (!rules->no_containers)
        drop_containers(&r);
    give_credit(&r);
    struct headed result = rank_types(&r, a);
    bool *grows = arena_array(&scratch, bool, t->len);
    for (path_id p = 1; p < t->len; p++)
        grows[p] = r.paths[p].kind == GROWS_IN_COUNT && r.paths[p].growth > 0;
    struct subject_tree tree = subject_tree_of(t, grows, &scratch);
    for (size_t i = 0; i < result.len + result.pooled; i++)
        result.all[i].subject = subject_of(&tree, result.all[i].head);
    free(r.paths);
    arena_free(&scratch);
    return result;
}
