/* Invariants of every report, on random series: stores that leak, shrink, fluctuate, burst,
 * level off, hand over and jump, with shared objects, pools, thread statics, garbage,
 * samples and generations; 2 to 6 snapshots each. */
#include "render/written.h"
#include "support/asked.h"

#include "ranking/leak_ranking.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <math.h>

enum { SERIES = 600, MAX_SNAPSHOTS = 6, MAX_SITES = 8, MAX_DEPTH = 4, MAX_PARTS = 3 };

/* --- series as plain data ------------------------------------------------------------- */

enum behaviour {
    STAYS,
    LEAKS,
    SHRINKS,
    SWINGS,
    BURSTS,
    STOPS,
    AT_RANDOM,
    JUMPS,
    BEHAVIOURS
};

struct site {
    enum hd_root_kind root; /* HD_ROOT_UNREACHABLE: unreachable */
    enum behaviour behaviour;
    uint32_t depth, parts, base, step, with;
    const char *chain[MAX_DEPTH], *item, *part[MAX_PARTS];
    bool is_shared; /* another site's store also refers to the items */
};

struct made_series {
    size_t snapshots, sites;
    struct site site[MAX_SITES];
    uint32_t loose; /* references between arbitrary objects */
    uint64_t seed;
    bool sampled, has_generations;
};

static const char *const types[] = {
    "App.Order",
    "App.Session",
    "App.Line",
    "App.Cache.Entry",
    "Shop.Basket",
    "Shop.Customer",
    "App.Job",
    "System.String",
    "System.Byte[]",
    "System.Object[]",
    "App.Order[]",
    "System.Collections.Generic.List<App.Order>",
    "Node<System.String,App.Session>",
    "System.Threading.TimerQueueTimer",
    "System.Threading.Tasks.Task",
    "System.Buffers.SharedArrayPool<System.Byte>",
    "System.Threading.Thread",
};

static const char *any_type(struct random *r)
{
    return types[random_below(r, sizeof(types) / sizeof(*types))];
}

static struct site any_site(struct random *r, size_t sites)
{
    static const enum hd_root_kind roots[] = {
        HD_ROOT_STATIC,    HD_ROOT_STATIC,        HD_ROOT_STATIC,
        HD_ROOT_STACK,     HD_ROOT_STRONG_HANDLE, HD_ROOT_THREAD_STATIC,
        HD_ROOT_FINALIZER, HD_ROOT_OTHER,         HD_ROOT_UNREACHABLE};
    struct site s = {.root = roots[random_below(r, sizeof(roots) / sizeof(*roots))],
                     .behaviour = (enum behaviour)random_below(r, BEHAVIOURS),
                     .depth = random_below(r, MAX_DEPTH + 1),
                     .parts = random_below(r, MAX_PARTS + 1),
                     .base = random_below(r, 40),
                     .step = 1 + random_below(r, 30),
                     .with = random_below(r, (uint32_t)sites),
                     .item = any_type(r),
                     .is_shared = random_below(r, 3) == 0};
    for (size_t i = 0; i < MAX_DEPTH; i++)
        s.chain[i] = any_type(r);
    for (size_t i = 0; i < MAX_PARTS; i++)
        s.part[i] = any_type(r);
    if (s.root == HD_ROOT_STACK && random_below(r, 2) == 0)
        s.chain[0] = "System.Object[]"; /* thread statics */
    return s;
}

static struct made_series make_series(uint64_t seed)
{
    struct random r = random_from(seed);
    struct made_series m = {.snapshots = 2 + random_below(&r, MAX_SNAPSHOTS - 1),
                            .sites = 1 + random_below(&r, MAX_SITES),
                            .loose = random_below(&r, 3) == 0 ? random_below(&r, 40) : 0,
                            .seed = seed,
                            .sampled = random_below(&r, 6) == 0,
                            .has_generations = random_below(&r, 3) == 0};
    for (size_t i = 0; i < m.sites; i++)
        m.site[i] = any_site(&r, m.sites);
    return m;
}

static bool has_roots(const struct made_series *m)
{
    for (size_t i = 0; i < m->sites; i++)
        if (m->site[i].root != HD_ROOT_UNREACHABLE)
            return true;
    return false;
}

static uint32_t items(const struct made_series *m, size_t i, size_t k)
{
    const struct site *s = &m->site[i];
    struct random r = random_from(m->seed * 1000 + i * 10 + k);
    uint32_t n = (uint32_t)k;
    switch (s->behaviour) {
    case LEAKS:
        return s->base + s->step * n;
    case SHRINKS:
        return s->base + s->step * (MAX_SNAPSHOTS - n);
    case SWINGS:
        return s->base + s->step * (n % 2);
    case BURSTS:
        return s->base + s->step * (n / 2 * 2);
    case STOPS:
        return s->base + 10 * s->step * (n < 2 ? n : 2);
    case AT_RANDOM:
        return s->base + random_below(&r, 1 + 4 * s->step);
    case JUMPS:
        return (n + i) % 2 ? s->base + s->step * n : 0;
    default:
        return s->base;
    }
}

/* --- heaps, in either order ------------------------------------------------------------
 */

struct heap_object {
    const char *type;
    uint32_t size;
};

struct heap_edge {
    uint32_t from, to; /* from NO_OBJECT: a root */
    enum hd_root_kind root;
    size_t site;
};

#define NO_OBJECT UINT32_MAX
enum { MAX_OBJECTS = 20000 };

struct heap {
    struct heap_object objects[MAX_OBJECTS];
    struct heap_edge edges[2 * MAX_OBJECTS];
    uint32_t object_count, edge_count;
    uint32_t store[MAX_SITES];
};

static uint32_t add_object(struct heap *h, const char *type, uint32_t size)
{
    cr_assert_lt(h->object_count, MAX_OBJECTS);
    h->objects[h->object_count] = (struct heap_object){type, size};
    return h->object_count++;
}

static void add_edge(struct heap *h, uint32_t from, uint32_t to)
{
    cr_assert_lt(h->edge_count, 2 * MAX_OBJECTS);
    h->edges[h->edge_count++] = (struct heap_edge){.from = from, .to = to};
}

static void add_store(struct heap *h, const struct site *s, size_t i, size_t k)
{
    uint32_t at = add_object(h, s->depth > 0 ? s->chain[0] : "App.Host", 24);
    if (s->root != HD_ROOT_UNREACHABLE)
        h->edges[h->edge_count++] =
            (struct heap_edge){.from = NO_OBJECT, .to = at, .root = s->root, .site = i};
    for (uint32_t d = 1; d < s->depth; d++) {
        uint32_t below = add_object(h, s->chain[d], 24 + 8 * (uint32_t)k);
        add_edge(h, at, below);
        at = below;
    }
    h->store[i] = at;
}

static void add_items(struct heap *h, const struct made_series *m, size_t i, size_t k)
{
    const struct site *s = &m->site[i];
    for (uint32_t n = items(m, i, k); n > 0; n--) {
        uint32_t item = add_object(h, s->item, 24 + 8 * s->parts);
        add_edge(h, h->store[i], item);
        if (s->is_shared && n % 3 == 0)
            add_edge(h, h->store[s->with], item);
        for (uint32_t p = 0; p < s->parts; p++) {
            uint32_t part = add_object(h, s->part[p], 16 * (p + 2));
            add_edge(h, item, part);
            if (s->is_shared)
                add_edge(h, h->store[s->with], part);
        }
    }
}

static void make_heap_of(struct heap *h, const struct made_series *m, size_t k)
{
    h->object_count = h->edge_count = 0;
    for (size_t i = 0; i < m->sites; i++)
        add_store(h, &m->site[i], i, k);
    for (size_t i = 0; i < m->sites; i++)
        add_items(h, m, i, k);
    struct random r = random_from(m->seed + 77 * k);
    for (uint32_t e = 0; e < m->loose; e++)
        add_edge(h, random_below(&r, h->object_count), random_below(&r, h->object_count));
}

/* Backwards: all numbers differ, those of types, objects, references and roots. */
static struct hd_snapshot *forge_heap(const struct heap *h, const struct made_series *m,
                                      bool backwards)
{
    struct forge f = {0};
    uint32_t n = h->object_count, e = h->edge_count;
    for (uint32_t i = 0; i < n; i++) {
        const struct heap_object *o = &h->objects[backwards ? n - 1 - i : i];
        node_id node = forge_object(&f, o->type, o->size);
        if (m->has_generations)
            forge_generation(&f, node,
                             (backwards ? n - 1 - i : i) % 4 == 0 ? HD_GEN0 : HD_GEN2);
    }
    for (uint32_t i = 0; i < e; i++) {
        const struct heap_edge *edge = &h->edges[backwards ? e - 1 - i : i];
        node_id to = backwards ? n - 1 - edge->to : edge->to;
        char name[32];
        snprintf(name, sizeof(name), "App.Shop.s_%zu", edge->site);
        if (edge->from != NO_OBJECT)
            forge_reference(&f, backwards ? n - 1 - edge->from : edge->from, to);
        else
            forge_root(&f, edge->root, edge->root == HD_ROOT_STATIC ? name : NULL, to);
    }
    static const double multipliers[] = {1, 10, 2.5, 0.3};
    for (size_t t = 0; m->sampled && t < sizeof(types) / sizeof(*types); t++)
        for (uint32_t i = 0; i < n; i++)
            if (h->objects[i].type == types[t]) {
                forge_multiplier(&f, types[t], multipliers[(t + m->seed) % 4]);
                break;
            }
    return forge_finish(&f);
}

static struct heap heap;

static void open_series(struct hd_snapshot **snaps, const struct made_series *m,
                        bool backwards)
{
    for (size_t k = 0; k < m->snapshots; k++) {
        make_heap_of(&heap, m, k);
        snaps[k] = forge_heap(&heap, m, backwards);
    }
}

/* --- what holds ------------------------------------------------------------------------
 */

static const char *told(const struct made_series *m)
{
    static char text[64];
    snprintf(text, sizeof(text), "series %llu, %zu snapshots%s",
             (unsigned long long)m->seed, m->snapshots, m->sampled ? ", sampled" : "");
    return text;
}

static const struct hd_suspect *row(const struct hd_report *r, size_t i)
{
    return i < r->diff.suspect_count ? &r->diff.suspects[i]
                                     : &r->diff.below_threshold[i - r->diff.suspect_count];
}

static void expect_row(const struct hd_report *r, size_t i, const char *where)
{
    const struct hd_suspect *s = row(r, i);
    double sum = 0;
    cr_expect_eq(s->rank, i + 1, "%s: %s", where, s->type);
    cr_expect_eq(s->suspicion != HD_SUSPECT_NOT, i < r->diff.suspect_count,
                 "%s: suspects first", where);
    cr_expect(isfinite(s->score) && s->score > 0, "%s: %s %g", where, s->type, s->score);
    cr_expect(isfinite(s->tau) && isfinite(s->score_share), "%s: %s", where, s->type);
    for (size_t h = 0; h < s->head_count; h++) {
        cr_expect_geq(s->heads[h].score, 0, "%s: %s", where, s->type);
        sum += s->heads[h].score;
    }
    if (r->diff.by_graph)
        cr_expect_float_eq(sum, s->score, 1e-9 * (1 + s->score), "%s: %s %g != %g", where,
                           s->type, sum, s->score);
    for (size_t a = 0; a < s->also_count; a++) {
        cr_expect_str_neq(s->also[a], s->type, "%s: not with itself", where);
        for (size_t b = 0; b < a; b++)
            cr_expect_str_neq(s->also[a], s->also[b], "%s: %s, once", where, s->type);
    }
    for (size_t j = 0; j < i; j++)
        cr_expect_str_neq(row(r, j)->type, s->type, "%s: one row each", where);
    if (r->diff.usable_count < 4)
        cr_expect_neq(s->suspicion, HD_SUSPECT_STEADY, "%s: %s", where, s->type);
}

static void expect_growth(const struct hd_report *r, bool sampled, const char *where)
{
    const struct hd_growth *g = &r->diff.growth;
    if (!g->known)
        return;
    cr_expect_eq(g->bytes, g->suspects + g->pools + g->rest, "%s", where);
    cr_expect(isnan(g->explained) || (g->explained >= 0 && g->explained <= 1), "%s: %g",
              where, g->explained);
    cr_expect_eq(isnan(g->explained), g->bytes <= 0, "%s", where);
    cr_expect(isfinite(g->share) && isfinite(g->rest_share) &&
                  isfinite(g->leveled_off_share),
              "%s", where);
    if (!sampled && r->diff.usable_count == r->snapshot_count)
        cr_expect_eq(g->bytes,
                     (int64_t)(r->diff.reachable[r->snapshot_count - 1].bytes -
                               r->diff.reachable[0].bytes),
                     "%s: that of the reachable heap", where);
}

/* Suspects, pools and the rest are disjoint and sum to the whole, in each snapshot. */
static void expect_parts(const struct hd_report *r, bool sampled, const char *where)
{
    const struct hd_diff *all = &r->found.diff;
    const struct hd_growth *g = &r->diff.growth;
    for (size_t k = 0; g->known && k < r->snapshot_count; k++) {
        uint64_t sum = 0;
        if (g->rest_at[k] == HD_UNKNOWN)
            continue;
        for (size_t i = 0; i < all->suspect_count; i++)
            sum += all->suspects[i].own[k];
        cr_expect_eq(sum, g->suspects_at[k], "%s: suspects in snapshot %zu", where, k);
        if (!sampled)
            cr_expect_eq(sum + g->pools_at[k] + g->rest_at[k], r->diff.reachable[k].bytes,
                         "%s: all in snapshot %zu", where, k);
    }
    for (size_t i = 0; i < all->below_threshold_count; i++)
        cr_expect_null(all->below_threshold[i].own, "%s: no suspect", where);
}

/* Counts per snapshot equal to those of the type in the rest of the heap. */
static bool are_all_of(const struct hd_leveled_off *s, const struct hd_suspect *of,
                       size_t snapshots)
{
    for (size_t k = 0; k < snapshots; k++)
        if (s->count[k] != of->at[k].count)
            return false;
    return strcmp(s->type, of->type) == 0;
}

static void expect_leveled_off(const struct hd_report *r, const char *where)
{
    if (r->diff.usable_count < 4)
        cr_expect_eq(r->diff.leveled_off_count, 0, "%s", where);
    for (size_t i = 0; i < r->diff.leveled_off_count; i++) {
        const struct hd_leveled_off *s = &r->diff.leveled_off[i];
        cr_expect(isfinite(s->growth) && s->growth > 0, "%s: %s", where, s->type);
        for (size_t j = 0; j < r->diff.suspect_count; j++)
            cr_expect_not(are_all_of(s, &r->diff.suspects[j], r->snapshot_count),
                          "%s: %s is growing or has stopped", where, s->type);
    }
}

/* Number of times that each case occurred. */
static struct {
    size_t suspects, steady, whole_types, with_others, pooled, leveled_off, open,
        at_many_places;
} met;

static void count_kinds(const struct hd_report *r)
{
    for (size_t i = 0; i < r->diff.suspect_count + r->diff.below_threshold_count; i++) {
        const struct hd_suspect *s = row(r, i);
        met.suspects += s->suspicion != HD_SUSPECT_NOT;
        met.steady += s->suspicion == HD_SUSPECT_STEADY;
        met.whole_types += s->basis == HD_BASIS_TYPE;
        met.with_others += s->also_count > 0;
        met.at_many_places += s->head_count > 1;
    }
    met.pooled += r->diff.pooled_count;
    met.leveled_off += r->diff.leveled_off_count;
    met.open += r->diff.growth.is_open;
}

/* The ranks of the rows in text have no gaps. */
static void expect_ranks(const struct hd_report *r, const char *where)
{
    const struct hd_diff *found = &r->found.diff;
    struct hd_write_options opt = {.size = sizeof(opt), .width = 200, .details = true};
    char *text = written_with(r, "text", &opt);
    unsigned wanted = 1;
    for (const char *at = strstr(text, "SUSPECTS"), *end; at != NULL; at = end) {
        unsigned rank;
        char sign;
        end = strchr(at, '\n');
        end = end != NULL && end[1] != '\n' && end[1] != '\0' ? end + 1 : NULL;
        if (sscanf(at, "%u  %c", &rank, &sign) == 2 && strchr("+-0", sign)) {
            cr_expect_eq(rank, wanted, "%s: rank %u for %u in\n%s", where, rank, wanted,
                         text);
            wanted++;
        }
    }
    for (size_t i = 0; i < found->below_threshold_count; i++)
        cr_expect_eq(found->below_threshold[i].rank, found->suspect_count + i + 1, "%s",
                     where);
    free(text);
}

static void expect_report(const struct hd_report *r, bool sampled, const char *where)
{
    count_kinds(r);
    for (size_t i = 0; i < r->diff.suspect_count + r->diff.below_threshold_count; i++) {
        expect_row(r, i, where);
        if (sampled)
            cr_expect_neq(row(r, i)->suspicion, HD_SUSPECT_STEADY, "%s: of a sample",
                          where);
    }
    for (size_t i = 0; i < r->diff.pooled_count; i++)
        cr_expect_eq(r->diff.pooled[i].suspicion, HD_SUSPECT_NOT, "%s", where);
    expect_growth(r, sampled, where);
    expect_parts(r, sampled, where);
    expect_leveled_off(r, where);
    expect_ranks(r, where);
}

static char *json_of(struct hd_snapshot **snaps, const struct made_series *m,
                     struct hd_options opt, unsigned threads)
{
    struct hd_error err = {0};
    struct hd_read_options how = {.threads = threads};
    struct hd_comparison *c = hd_comparison_of(snaps, m->snapshots, &how);
    struct hd_report *r = hd_report_check(c, &opt, NULL, &err);
    hd_comparison_free(c);
    cr_assert_not_null(r, "%s: %s", told(m), err.message);
    expect_report(r, m->sampled, told(m));
    for (size_t i = 0; m->seed % 10 == 0 && hd_format_name(i) != NULL; i++)
        if (can_be_written(r, i))
            free(written(r, hd_format_name(i)));
    char *json = written(r, "json");
    hd_report_free(r);
    return json;
}

/* Nothing in a report depends on the order of a file. */
static void expect_same(const char *a, const char *b, const char *what,
                        const struct made_series *m)
{
    size_t i = 0;
    while (a[i] != '\0' && a[i] == b[i])
        i++;
    size_t from = i > 60 ? i - 60 : 0;
    cr_expect_eq(a[i], b[i], "%s, %s: \"%.160s\" and \"%.160s\"", told(m), what, a + from,
                 b + from);
}

/* Addresses depend on numbers, and survivors on addresses. */
static void drop_survivors(char *json)
{
    char *line;
    while ((line = strstr(json, "\"survivors\"")) != NULL) {
        size_t len = strcspn(line, "\n");
        memmove(line, line + len, strlen(line + len) + 1);
    }
}

static void expect_series(const struct made_series *m, struct hd_options opt)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS], *backwards[MAX_SNAPSHOTS];
    open_series(snaps, m, false);
    open_series(backwards, m, true);
    opt.chains = 0;     /* sampled instances differ */
    opt.no_ages = true; /* survivors also depend on addresses */
    char *one = json_of(snaps, m, opt, 1), *two = json_of(snaps, m, opt, 2);
    char *other = json_of(backwards, m, opt, 1);
    expect_same(one, two, "-j2", m);
    drop_survivors(one);
    drop_survivors(other);
    expect_same(one, other, "backwards", m);
    free(one);
    free(two);
    free(other);
    close_all(snaps, m->snapshots);
    close_all(backwards, m->snapshots);
}

Test(bad_random, every_report_keeps_what_it_promises, .timeout = 300)
{
    for (uint64_t seed = 0; seed < SERIES; seed++) {
        struct made_series m = make_series(seed);
        struct hd_options opt = hd_default_options();
        opt.reachable = seed % 5 == 1 && has_roots(&m);
        opt.gen2 = m.has_generations && seed % 2 == 0;
        opt.min_share = seed % 3 == 0 ? 0.2 : opt.min_share; /* for rows that are merged */
        expect_series(&m, opt);
    }
    const size_t kinds[] = {met.suspects,    met.steady,        met.whole_types,
                            met.with_others, met.pooled,        met.leveled_off,
                            met.open,        met.at_many_places};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        cr_expect_gt(kinds[i], 50, "kind %zu: %zu", i, kinds[i]);
}

/* --- each snapshot by itself
 * -------------------------------------------------------------- */

Test(bad_random, suspects_pools_and_the_rest_sum_to_the_reachable_bytes)
{
    static const struct suspect_line line = {.share = 0.02, .steady_share = 0.001};
    for (uint64_t seed = 0; seed < SERIES; seed++) {
        struct made_series m = make_series(seed);
        struct hd_snapshot *snaps[MAX_SNAPSHOTS];
        struct arena a = {0};
        struct series s;
        struct series_warnings w = {0};
        struct series_question ask = {SELECT_ALL, HD_BY_TYPE, NULL};
        m.sampled = false;
        open_series(snaps, &m, false);
        cr_assert(series_align(&s, snaps, m.snapshots, &ask, &a, &w, NULL));
        struct ownership_tree t;
        ownership_tree_begin(&t, s.usable_count);
        for (size_t k = 0; k < s.usable_count; k++)
            ownership_tree_add(&t, k, snaps[s.usable[k]], SELECT_ALL);
        ownership_tree_align(&t);
        struct leak_ranking h = leak_ranking_of(&t, &s, NULL, &line, &a);
        for (size_t k = 0; k < s.usable_count; k++)
            cr_expect_eq(h.growth.suspects[k] + h.growth.pools[k] + h.growth.rest[k],
                         snaps[s.usable[k]]->info.reachable_bytes, "%s, snapshot %zu",
                         told(&m), k);
        ownership_tree_free(&t);
        arena_free(&a);
        close_all(snaps, m.snapshots);
    }
}
