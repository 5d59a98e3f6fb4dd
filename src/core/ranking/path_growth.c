#include "ranking/path_growth.h"

#include "base/arrays.h"
#include "heap/root_kind.h"
#include "heap/snapshot.h"
#include "owners/ownership_tree.h"
#include "series/ranking_constants.h"
#include "series/runtime_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- references between growth sites ---------------------------------------------- */

/* References: high half the target, low half the place of the referrer. {0} is empty. */
struct referrers_references {
    uint64_t *all; /* malloc'd */
    size_t len, cap;
};

static void references_add(struct referrers_references *r, uint32_t to, path_id from)
{
    r->all = grow(r->all, r->len, &r->cap, sizeof(*r->all));
    r->all[r->len++] = (uint64_t)to << 32 | from;
}

/* Few heads are nested; a heap made to be deep must not cost a walk to the root for every
 * reference. */
enum { MAX_HEADS_ABOVE = 64 };

/* Targets are numbered: in a graph by node; in a digest by group of objects
 * (heap/digest.h), followed by the places, for their other objects. */
struct referrers_search {
    const struct ownership_tree *t;
    const struct full_tree *f;
    const struct graph *g;       /* or */
    const struct digest *digest; /* exactly one of the two */
    const bool *heads;           /* per aligned path */
    path_id *head_at; /* per full path: nearest head at or above it, aligned; or 0 */
    path_id
        *head_above; /* per aligned head: the next head above in the full ownership tree */
    uint64_t *alone; /* per place: objects with references from their parent only */
    struct referrers_references references;
};

/* Paths of the full ownership tree follow their parents. */
static void find_heads(struct referrers_search *s, struct arena *scratch)
{
    s->head_at = arena_array(scratch, path_id, s->f->len);
    s->head_above = arena_array(scratch, path_id, s->t->len);
    for (size_t p = 1; p < s->f->len; p++) {
        path_id cut = s->f->cut[p], above = s->head_at[s->f->parent[p]];
        s->head_at[p] = s->heads[cut] ? cut : above;
        if (s->heads[cut])
            s->head_above[cut] = above;
    }
}

/* The nearest head at or above `from`, if objects at `to` are news to it; else 0. */
static path_id head_that_refers(const struct referrers_search *s, path_id from, path_id to)
{
    if (s->head_at[from] == 0 || to == NO_PATH || to == from || !s->heads[s->f->cut[to]])
        return 0;
    /* directly below its only referrer: no new information */
    return s->head_at[from] == s->f->cut[to] ? 0 : s->head_at[from];
}

static void gather_from_graph(struct referrers_search *s)
{
    const struct graph *g = s->g;
    for (node_id n = 0; n < g->node_count; n++) {
        path_id at = s->f->at_node[n];
        if (at == NO_PATH || s->head_at[at] == 0)
            continue;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            path_id head = head_that_refers(s, at, s->f->at_node[g->edge_to[e]]);
            if (head != 0)
                references_add(&s->references, g->edge_to[e], head);
        }
    }
}

static void gather_from_digest(struct referrers_search *s, struct arena *scratch)
{
    const struct shared_groups *groups = &s->digest->sharing;
    const struct digest_places *places = &s->digest->places;
    const path_id *path = s->f->at_place;
    s->alone = arena_array(scratch, uint64_t, places->len);
    for (uint32_t i = 1; i < places->len; i++)
        s->alone[i] = places->at[i].count;
    for (uint32_t i = 0; i < groups->len; i++) {
        s->alone[groups->target[i]] -= groups->objects[i];
        for (uint32_t k = groups->begin[i]; k < groups->begin[i + 1]; k++) {
            path_id head =
                head_that_refers(s, path[groups->from[k]], path[groups->target[i]]);
            if (head != 0)
                references_add(&s->references, i, head);
        }
    }
    for (uint32_t i = 1; i < places->len; i++) {
        path_id head =
            s->alone[i] > 0 ? head_that_refers(s, path[places->parent[i]], path[i]) : 0;
        if (head != 0)
            references_add(&s->references, groups->len + i, head);
    }
}

/* Returns the path of a numbered target, and its number of objects. */
static path_id referrers_path_of(const struct referrers_search *s, uint32_t to,
                                 uint64_t *objects)
{
    *objects = 1;
    if (s->g != NULL)
        return s->f->at_node[to];
    const struct shared_groups *groups = &s->digest->sharing;
    uint32_t place = to < groups->len ? groups->target[to] : to - groups->len;
    *objects = to < groups->len ? groups->objects[to] : s->alone[place];
    return s->f->at_place[place];
}

/* Counts each object once for each head above any of its referrers. */
static void referrers_count(const struct referrers_search *s, struct referrers *r,
                            struct pair_table *numbers, size_t *cap)
{
    uint32_t *seen_for = alloc_zeroed(array_bytes(s->t->len, sizeof(*seen_for)));
    uint32_t stamp = 0;
    for (size_t i = 0; i < s->references.len; i++) {
        const uint64_t *now = &s->references.all[i];
        if (i == 0 || now[0] >> 32 != now[-1] >> 32)
            stamp++;
        uint64_t objects;
        path_id target = s->f->cut[referrers_path_of(s, (uint32_t)(*now >> 32), &objects)];
        path_id from = (path_id)*now;
        for (int steps = 0; from != 0 && steps < MAX_HEADS_ABOVE;
             from = s->head_above[from], steps++) {
            if (seen_for[from] == stamp)
                break;
            seen_for[from] = stamp;
            uint32_t next = (uint32_t)r->len;
            uint32_t number = pair_table_put(numbers, from, target, next);
            if (number == next) {
                r->links = grow(r->links, r->len, cap, sizeof(*r->links));
                r->links[r->len++] = (struct referrer_link){from, target, 0};
            }
            r->links[number].objects += objects;
        }
    }
    free(seen_for);
}

static int by_from(const void *a, const void *b)
{
    const struct referrer_link *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

/* Counts all objects at each path. */
static void count_objects(const struct referrers_search *s, uint64_t *objects)
{
    const struct full_tree *f = s->f;
    for (node_id n = 0; s->g != NULL && n < s->g->node_count; n++)
        if (f->at_node[n] != NO_PATH)
            objects[f->cut[f->at_node[n]]]++;
    for (uint32_t i = 1; s->g == NULL && i < s->digest->places.len; i++)
        objects[f->cut[f->at_place[i]]] += s->digest->places.at[i].count;
}

/* Sorts, and drops duplicates. */
static void sort_references(struct referrers_references *r)
{
    size_t kept = 0;
    uint64_t *spare = alloc_resize(NULL, array_bytes(r->len + 1, sizeof(*spare)));
    radix_sort(r->all, NULL, r->len, spare, NULL);
    for (size_t i = 0; i < r->len; i++)
        if (i == 0 || r->all[i] != r->all[kept - 1])
            r->all[kept++] = r->all[i];
    r->len = kept;
    free(spare);
}

/* heads: per path of the aligned ownership tree. snap is the last snapshot of t; links need
 * its graph or digest. In a. */
static struct referrers *referrers_find(const struct ownership_tree *t,
                                        const struct hd_snapshot *snap, const bool *heads,
                                        struct arena *a)
{
    struct referrers *r = arena_alloc(a, sizeof(*r));
    struct arena scratch = {0};
    struct referrers_search s = {.t = t,
                                 .f = &t->full[t->snapshots - 1],
                                 .g = snap->graph,
                                 .digest = snap->digest,
                                 .heads = heads};
    r->objects = arena_array(a, uint64_t, t->len);
    if (s.g != NULL ? s.f->at_node == NULL : s.f->at_place == NULL)
        return r;
    find_heads(&s, &scratch);
    count_objects(&s, r->objects);
    if (s.g != NULL)
        gather_from_graph(&s);
    else
        gather_from_digest(&s, &scratch);
    sort_references(&s.references);
    struct pair_table numbers = {0};
    size_t cap = 0;
    referrers_count(&s, r, &numbers, &cap);
    pair_table_free(&numbers);
    if (r->len > 0)
        qsort(r->links, r->len, sizeof(*r->links), by_from);
    struct referrer_link *links = arena_array(a, struct referrer_link, r->len);
    if (r->len > 0)
        memcpy(links, r->links, r->len * sizeof(*links));
    free(r->links);
    r->links = links;
    free(s.references.all);
    arena_free(&scratch);
    return r;
}

static bool is_from_earlier(const void *links, size_t i, const void *from)
{
    return ((const struct referrer_link *)links)[i].from < *(const uint64_t *)from;
}

static size_t first_from(const struct referrers *r, uint64_t from)
{
    return search_first(r->links, 0, r->len, is_from_earlier, &from);
}

bool referrers_cover(const struct referrers *r, const struct referrer_link *link)
{
    return rank_by.of_covering * link->objects >=
           rank_by.covering * r->objects[link->target];
}

/* --- migration ----------------------------------------------------------------------- */

/* Paths whose objects moved from another path: in each step the gains here are the losses
 * there, without allocations. Rule: docs/ranking.md. */

/* Paths that lose objects, by label and number of lost objects. {0} is empty. */
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

/* Returns the sum over the steps of |d(p) + d(other)|, up to about `most`. */
static uint64_t mismatch(const struct ownership_tree *t, path_id p, path_id other,
                         uint64_t most)
{
    uint64_t sum = 0;
    for (size_t k = 1; k < t->snapshots && sum <= most; k++)
        sum += magnitude(delta_of(t, p, k - 1, k) + delta_of(t, other, k - 1, k));
    return sum;
}

/* True if the gains of the path are the losses of another one of its type. */
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

/* --- growth of a path ---------------------------------------------------- */

/* Returns the objects of the label anywhere below a path of the aligned ownership tree. */
static uint64_t objects_below(const struct path_growths *g, path_id base, label_id label,
                              size_t k)
{
    path_id full = base == 0 ? 0 : g->t->full_of[base * g->n + k];
    return full != NO_PATH ? full_tree_below(&g->t->full[k], full, label) : 0;
}

/* An object that gains a second owner moves up the tree; that is not growth. Needed only
 * without cohorts, which identify moved objects. */
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

/* True if objects at or below the path that were allocated in the window survive. */
static bool path_accumulates(struct path_growths *g, path_id p)
{
    struct path_growth *here = &g->all[p];
    here->retention = (struct retention){.chance = 1};
    if (g->t->labels.all[g->t->label[p]].kind != TYPE_OBJECT)
        return false;
    here->retention = retention_test(g->cohorts, p);
    if (!here->retention.accumulates)
        return false;
    here->kind = GROWS_IN_COUNT;
    here->tau = 1;
    /* With turnover many survivors will still die, so only their share counts, but at least
     * the net growth. */
    double survived = (double)g->cohorts->survived_below[p];
    const uint64_t *retained = &g->t->retained[p * g->t->snapshots];
    double more = (double)retained[g->t->snapshots - 1] - (double)retained[0];
    here->growth = fmax(here->retention.share * survived, fmin(survived, more));
    return true;
}

/* Measures the rise of its counts, or of its bytes. */
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
        if (g->cohorts == NULL)
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
    if (g->cohorts == NULL) {
        /* Children of a moved object are judged at its origin. */
        path_id parent = g->t->parent[p];
        bool parent_grows = parent != 0 && g->all[parent].kind == GROWS_IN_COUNT;
        here->counted = parent_grows ? parent : g->all[parent].counted;
        here->base = parent;
        if (here->counted != 0 && g->all[here->counted].migration < 1)
            here->base = g->all[here->counted].base;
    } else if (path_accumulates(g, p)) {
        return;
    }
    measure_counts(g, migrated, p);
    /* It gained at most its surviving births: the rest was moved. */
    if (g->cohorts != NULL && here->growth > (double)g->cohorts->survived_below[p])
        here->growth = (double)g->cohorts->survived_below[p];
}

/* --- growth explained by owners ------------------------------------------ */

/* Owners that multiplied explain an equal multiple of objects; the rest is more per
 * owner. */
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
    /* A root group is not a finding, so it must not explain a population away. */
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

/* Returns the own growth of objects that a path refers to without owning them alone:
 * entries of a table with a second holder are next to the table in the tree. */
static double referred_growth(const struct path_growths *g, path_id p)
{
    const struct referrers *r = g->referrers;
    double sum = 0;
    for (size_t i = first_from(r, p); i < first_from(r, (uint64_t)p + 1); i++) {
        path_id to = r->links[i].target;
        if (g->all[to].kind == GROWS_IN_COUNT && g->t->parent[to] != p &&
            referrers_cover(r, &r->links[i]))
            sum += g->all[to].own;
    }
    return sum;
}

/* The array of a growing list is not a second finding. */
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

/* --- all paths ----------------------------------------------------------- */

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
                                    const struct cohorts *cohorts)
{
    struct path_growths g = {.t = t, .s = s, .cohorts = cohorts, .n = t->snapshots};
    g.all = alloc_zeroed(array_bytes(t->len, sizeof(*g.all)));
    g.order = ownership_tree_order(t);
    g.in_order = arena_array(&g.arena, path_id, t->len);
    for (path_id p = 0; p < t->len; p++)
        g.in_order[g.order[p]] = p;
    g.threads = type_counts(s, THREAD_TYPE, &g.arena);
    g.pool_threads = type_counts(s, POOL_THREAD_TYPE, &g.arena);
    struct migrated migrated = {0};
    if (cohorts == NULL)
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
