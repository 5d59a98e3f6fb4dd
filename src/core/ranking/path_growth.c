#include "ranking/path_growth.h"

#include "base/search.h"
#include "heap/root_kind.h"
#include "heap/sample.h"
#include "owners/ownership_tree.h"
#include "owners/referrers.h"
#include "series/ranking_constants.h"
#include "series/runtime_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what migrated ------------------------------------------------------------------- */

/* Paths whose objects come from another path: what one gains in each step the
 * other loses, and nothing was made. Rule: docs/ranking.md. */

/* Paths that lose objects, by label and by how many they lost. {0} has none. */
struct migrated {
    const struct ownership_tree *t;
    struct falling_path *falling;
    size_t len;
};

struct falling_path {
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
    const struct falling_path *x = a, *y = b;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    if (x->delta != y->delta)
        return x->delta < y->delta ? -1 : 1;
    return (x->path > y->path) - (x->path < y->path);
}

/* O(paths log paths); t must outlive it. */
static struct migrated migrated_find(const struct ownership_tree *t)
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
        m.falling[m.len++] = (struct falling_path){t->label[p], p, delta};
    }
    if (m.len > 0)
        qsort(m.falling, m.len, sizeof(*m.falling), by_label_and_delta);
    return m;
}

static bool comes_before(const void *falling, size_t i, const void *key)
{
    return by_label_and_delta((const struct falling_path *)falling + i, key) < 0;
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

/* Whether what the path gained is what another one of its type lost. */
static bool migrated_away(const struct migrated *m, path_id p)
{
    const struct ownership_tree *t = m->t;
    if (m->len == 0)
        return false;
    uint64_t steps = 0;
    for (size_t k = 1; k < t->snapshots; k++)
        steps += magnitude(delta_of(t, p, k - 1, k));
    uint64_t most = steps / rank_by.of_migration;
    int64_t gained = delta_of(t, p, 0, t->snapshots - 1);
    /* The first of a label that lost no more than -delta. */
    const struct falling_path key = {.label = t->label[p],
                                     .delta = -gained - (int64_t)most};
    size_t i = search_first(m->falling, 0, m->len, comes_before, &key);
    for (size_t looked = 0; looked < rank_by.most_migrated && i < m->len; looked++, i++) {
        const struct falling_path *f = &m->falling[i];
        if (f->label != t->label[p] || f->delta > -gained + (int64_t)most)
            return false;
        if (mismatch(t, p, f->path, most) <= most)
            return true;
    }
    return false;
}

static const uint64_t *counts_at(const struct path_growths *g, path_id p)
{
    return &g->t->count[p * g->n];
}

static int64_t delta(const uint64_t *y, size_t first, size_t last)
{
    return (int64_t)(y[last] - y[first]);
}

struct trend path_trend(const struct ownership_tree *t, const struct series *s,
                        label_id label, const uint64_t *counts, const uint64_t *values,
                        struct path_points *points)
{
    const double *scale = t->labels.all[label].scale;
    bool sampled = false;
    for (size_t k = 0; k < t->snapshots; k++) {
        points->y[k] = (double)values[k];
        points->noise[k] = sample_share(scale[k], (double)counts[k]) * points->y[k];
        sampled |= scale[k] > 0;
    }
    return (struct trend){t->snapshots, s->x, points->y, sampled ? points->noise : NULL};
}

double path_sustained_growth(const struct trend *y, size_t half)
{
    double rate = trend_sustained(y, half);
    if (rate <= 0)
        return 0;
    return rate * (y->x[y->n - 1] - y->x[0]) * trend_slowing(y, half);
}

/* --- growth of one path -------------------------------------------------- */

/* Objects of the label anywhere below a path of the aligned ownership tree. */
static uint64_t objects_below(const struct path_growths *g, path_id base, label_id label,
                              size_t k)
{
    path_id full = base == 0 ? 0 : g->t->full_of[base * g->n + k];
    return full != NO_PATH ? full_tree_below(&g->t->full[k], full, label) : 0;
}

/* What only moves up, because it gained a second owner, grows nowhere. This and whatever
 * else guesses who moved is for counts alone: births tell it. */
static double migration(const struct path_growths *g, path_id p)
{
    label_id label = g->t->label[p];
    path_id base = g->all[p].base;
    int64_t here = delta(counts_at(g, p), 0, g->n - 1);
    int64_t around = (int64_t)(objects_below(g, base, label, g->n - 1) -
                               objects_below(g, base, label, 0));
    double ratio = here > 0 ? (double)around / (double)here : 0;
    return ratio < 0 ? 0 : ratio > 1 ? 1 : ratio;
}

/* What came in the window, stayed, and is at or below the path. */
static bool keeps_what_it_gets(struct path_growths *g, path_id p)
{
    struct path_growth *here = &g->all[p];
    here->stays = (struct stays){.chance = 1};
    if (g->t->labels.all[g->t->label[p]].kind != TYPE_OBJECT)
        return false;
    here->stays = stays_of(g->births, p);
    if (!here->stays.keeps)
        return false;
    here->kind = GROWS_IN_COUNT;
    here->tau = 1;
    /* Of a store that turns over much of what is there will go; but it grew by what it
     * grew. */
    double stayed = (double)g->births->stayed_below[p];
    const uint64_t *retained = &g->t->retained[p * g->t->snapshots];
    double more = (double)retained[g->t->snapshots - 1] - (double)retained[0];
    here->growth = fmax(here->stays.share * stayed, fmin(stayed, more));
    return true;
}

/* How far its counts rise, or its bytes. */
static void measure_counts(struct path_growths *g, const struct migrated *migrated,
                           path_id p)
{
    struct path_points counts, sizes;
    struct path_growth *here = &g->all[p];
    label_id label = g->t->label[p];
    struct trend c =
        path_trend(g->t, g->s, label, counts_at(g, p), counts_at(g, p), &counts);
    struct trend y;
    if (trend_grows(&c)) {
        here->kind = GROWS_IN_COUNT;
        here->tau = trend_tau(&c);
        if (g->births == NULL)
            here->migration = migrated_away(migrated, p) ? 0 : migration(g, p);
        y = path_trend(g->t, g->s, label, counts_at(g, p), &g->t->retained[p * g->n],
                       &sizes);
        here->growth = path_sustained_growth(&y, trend_half(g->n));
        here->growth *= here->migration;
        return;
    }
    y = path_trend(g->t, g->s, label, counts_at(g, p), &g->t->bytes[p * g->n], &sizes);
    if (!trend_grows(&y))
        return;
    here->kind = GROWS_IN_SIZE;
    here->tau = trend_tau(&y);
    here->growth = path_sustained_growth(&y, trend_half_of_sizes(g->n));
}

static void measure_growth(struct path_growths *g, const struct migrated *migrated,
                           path_id p)
{
    struct path_growth *here = &g->all[p];
    here->migration = 1;
    if (g->births == NULL) {
        /* What hangs from something that moved is judged where that came from. */
        path_id parent = g->t->parent[p];
        bool parent_grows = parent != 0 && g->all[parent].kind == GROWS_IN_COUNT;
        here->counted = parent_grows ? parent : g->all[parent].counted;
        here->base = parent;
        if (here->counted != 0 && g->all[here->counted].migration < 1)
            here->base = g->all[here->counted].base;
    } else if (keeps_what_it_gets(g, p)) {
        return;
    }
    measure_counts(g, migrated, p);
    /* It gained no more than what came and stayed: the rest was there, and moved. */
    if (g->births != NULL && here->growth > (double)g->births->stayed_below[p])
        here->growth = (double)g->births->stayed_below[p];
}

/* --- what owners explain ------------------------------------------------- */

/* Owners that multiplied explain as many more objects; the rest is more per owner. */
static double share_from(const uint64_t *owner, const uint64_t *owned, size_t a, size_t n)
{
    int64_t more_owners = delta(owner, a, n - 1), more_owned = delta(owned, a, n - 1);
    if (more_owned <= 0 || more_owners <= 0)
        return 0;
    if (owner[a] == 0)
        return 1;
    double share =
        (double)owned[a] * (double)more_owners / ((double)owner[a] * (double)more_owned);
    return share < 1 ? share : 1;
}

/* A first snapshot with few owners may be untypical: then the second half counts too. */
double path_explained_share(const uint64_t *owner, const uint64_t *owned, size_t n)
{
    double whole = share_from(owner, owned, 0, n);
    if (owner[n - 1] <= rank_by.untypical_owners * owner[0])
        return whole;
    double late = share_from(owner, owned, n - trend_half(n), n);
    return late > whole ? late : whole;
}

static bool is_stack_root(const struct label *root)
{
    return root->kind == TYPE_PSEUDO && root_kind_of(root->name) == HD_ROOT_STACK;
}

bool path_is_thread_statics(const struct labels *l, const struct full_tree *f, path_id p)
{
    path_id above = p != 0 ? f->parent[p] : 0;
    return above != 0 && f->parent[above] == 0 &&
           strcmp(l->all[f->label[p]].name, THREAD_STATICS_ARRAY) == 0 &&
           is_stack_root(&l->all[f->label[above]]);
}

bool path_is_pooled(const struct ownership_tree *t, path_id p)
{
    const struct labels *l = &t->labels;
    const struct full_tree *f = &t->full[t->snapshots - 1];
    path_id full = t->full_of[p * t->snapshots + t->snapshots - 1];
    const struct label *here = &l->all[t->label[p]];
    const char *name = here->name;
    size_t len = strlen(name);
    bool array = len > 0 && name[len - 1] == ']';
    size_t most = is_pool_block(name, here->origin) ? SIZE_MAX : array ? 2 : 0;
    for (size_t steps = 0; full != NO_PATH && full != 0 && steps <= most;
         full = f->parent[full], steps++)
        if (is_buffer_pool(l->all[f->label[full]].name, l->all[f->label[full]].origin))
            return true;
    return false;
}

/* A grown thread pool has more arrays of thread statics; a leak in a thread static
 * outgrows the threads. */
static double thread_share(const struct path_growths *g, path_id p)
{
    const struct ownership_tree *t = g->t;
    path_id above = t->parent[p];
    if (above == 0 || t->parent[above] != 0 ||
        strcmp(t->labels.all[t->label[p]].name, THREAD_STATICS_ARRAY) != 0 ||
        !is_stack_root(&t->labels.all[t->label[above]]))
        return 0;
    double most = 0;
    const uint64_t *owners[] = {g->threads, g->pool_threads};
    for (size_t i = 0; i < 2; i++) {
        double s =
            owners[i] != NULL ? path_explained_share(owners[i], counts_at(g, p), g->n) : 0;
        most = s > most ? s : most;
    }
    return most;
}

static void find_owner(struct path_growths *g, path_id p)
{
    struct path_growth *here = &g->all[p];
    path_id parent = g->t->parent[p];
    const struct path_growth *above = &g->all[parent];
    here->single = true;
    for (size_t k = 0; k < g->n; k++)
        here->single &= counts_at(g, p)[k] <= 1;
    bool owns = parent != 0 && above->kind == GROWS_IN_COUNT && above->growth > 0;
    /* A root group is no finding, so it must not explain a population away. */
    bool group = g->t->labels.all[g->t->label[parent]].kind == TYPE_PSEUDO;
    here->single_owner = owns ? parent : above->single_owner;
    here->owner = owns && !above->single && !group ? parent : above->owner;
}

static void path_growth_explain(struct path_growths *g, path_id p)
{
    struct path_growth *here = &g->all[p];
    if (here->growth <= 0)
        return;
    path_id q = here->single ? here->single_owner : here->owner;
    if (q != 0)
        here->explained =
            here->kind == GROWS_IN_SIZE
                ? 1
                : path_explained_share(counts_at(g, q), counts_at(g, p), g->n);
    if (here->kind == GROWS_IN_COUNT) {
        double threads = thread_share(g, p);
        here->explained = threads > here->explained ? threads : here->explained;
    }
    here->own = here->explained <= rank_by.most_explained
                    ? (1 - here->explained) * here->growth
                    : 0;
}

/* --- containers and credit ----------------------------------------------- */

/* Own growth of what a path refers to without owning it alone: entries of a table that
 * have a second holder stand beside the table. */
static double referred_growth(const struct path_growths *g, path_id p)
{
    const struct referrers *r = g->referrers;
    double sum = 0;
    for (size_t i = referrers_begin(r, p); i < referrers_end(r, p); i++) {
        path_id to = r->links[i].target;
        if (g->all[to].kind == GROWS_IN_COUNT && g->t->parent[to] != p &&
            referrers_cover(r, &r->links[i]))
            sum += g->all[to].own;
    }
    return sum;
}

/* The array of a growing list is no second finding. */
static void drop_containers(struct path_growths *g)
{
    double *below = alloc_zeroed(array_bytes(g->t->len, sizeof(*below)));
    for (size_t i = 1; i < g->t->len; i++) {
        path_id p = g->in_order[i];
        if (g->all[p].kind == GROWS_IN_COUNT)
            below[g->t->parent[p]] += g->all[p].own;
    }
    for (path_id p = 1; p < g->t->len; p++) {
        struct path_growth *here = &g->all[p];
        if (here->kind != GROWS_IN_SIZE || here->own <= 0)
            continue;
        if (here->growth > below[p])
            below[p] += referred_growth(g, p);
        if (here->growth <= below[p]) {
            here->explained = 1;
            here->own = 0;
        }
    }
    free(below);
}

/* Own growth without that of the topmost heads below. */
static void give_credit(struct path_growths *g)
{
    path_id *head_above = alloc_zeroed(array_bytes(g->t->len, sizeof(*head_above)));
    for (path_id p = 1; p < g->t->len; p++)
        g->all[p].credit = g->all[p].own;
    for (path_id p = 1; p < g->t->len; p++) {
        path_id above = g->t->parent[p];
        head_above[p] = g->all[above].own > 0 ? above : head_above[above];
    }
    for (size_t i = 1; i < g->t->len; i++) {
        path_id p = g->in_order[i], head = head_above[p];
        if (g->all[p].own > 0 && head != 0 && g->all[head].kind == GROWS_IN_COUNT)
            g->all[head].credit -= g->all[p].own;
    }
    free(head_above);
}

/* --- all of it ----------------------------------------------------------- */

static const uint64_t *type_counts(const struct series *s, const char *type,
                                   struct arena *a)
{
    if (type_origin_in(s->snaps, s->count, type) == ORIGIN_PROGRAM)
        return NULL;
    for (size_t i = 0; i < s->row_count; i++) {
        if (strcmp(s->rows[i].name, type) != 0)
            continue;
        uint64_t *counts = arena_array(a, uint64_t, s->usable_count);
        for (size_t k = 0; k < s->usable_count; k++)
            counts[k] = s->rows[i].at[s->usable[k]].count;
        return counts;
    }
    return NULL;
}

struct path_growths path_growths_of(const struct ownership_tree *t, const struct series *s,
                                    const struct births *births)
{
    struct path_growths g = {.t = t, .s = s, .births = births, .n = t->snapshots};
    g.all = alloc_zeroed(array_bytes(t->len, sizeof(*g.all)));
    g.order = ownership_tree_order(t);
    g.in_order = arena_array(&g.arena, path_id, t->len);
    for (path_id p = 0; p < t->len; p++)
        g.in_order[g.order[p]] = p;
    g.threads = type_counts(s, THREAD_TYPE, &g.arena);
    g.pool_threads = type_counts(s, POOL_THREAD_TYPE, &g.arena);
    struct migrated migrated = {0};
    if (births == NULL)
        migrated = migrated_find(t);
    for (path_id p = 1; p < t->len; p++)
        measure_growth(&g, &migrated, p);
    free(migrated.falling);
    for (path_id p = 1; p < t->len; p++)
        find_owner(&g, p);
    for (path_id p = 1; p < t->len; p++)
        path_growth_explain(&g, p);
    bool *heads = arena_array(&g.arena, bool, t->len);
    for (path_id p = 1; p < t->len; p++)
        heads[p] = g.all[p].own > 0 && t->labels.all[t->label[p]].kind == TYPE_OBJECT;
    g.referrers = referrers_find(t, s->snaps[s->usable[g.n - 1]], heads, &g.arena);
    drop_containers(&g);
    give_credit(&g);
    return g;
}

void path_growths_free(struct path_growths *g)
{
    free(g->all);
    free(g->order);
    arena_free(&g->arena);
    *g = (struct path_growths){0};
}

double path_score(const struct path_growths *g, path_id p)
{
    const struct path_growth *here = &g->all[p];
    return here->credit > 0 ? here->credit * here->tau * here->tau : 0;
}
