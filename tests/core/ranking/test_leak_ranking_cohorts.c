/* Survivors from GC events in the ranking: entries of one store, each with a fixed number
 * of steps to live, and a constant table. */
#include "ranking/ranked.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { SNAPSHOTS = 6, MAX_ENTRIES = 4096, FOR_EVER = 1000 };

struct entry {
    size_t from, until; /* snapshots */
    node_id node[SNAPSHOTS];
};

struct store {
    struct entry all[MAX_ENTRIES];
    size_t len;
    enum hd_identity_source source;
    const char *variable, *full_name; /* above the store, or NULL */
    bool may_leak;                    /* found: no suspect, and no all-clear either */
};

static void add_entries(struct store *s, size_t from, size_t steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        s->all[s->len++] = (struct entry){.from = from, .until = from + steps};
}

static bool is_there(const struct entry *e, size_t k)
{
    return e->from <= k && k < e->until;
}

static struct hd_snapshot *snapshot_of(struct store *s, size_t k)
{
    struct forge f = {0};
    node_id statics = heap_group(&f, heap_root(&f), "[static vars]");
    heap_object(&f, statics, "App.Table", 2000000);
    node_id above = s->variable != NULL ? heap_group(&f, statics, s->variable) : statics;
    node_id store = heap_object(&f, above, "App.Store", 24);
    for (size_t i = 0; i < s->len; i++)
        if (is_there(&s->all[i], k))
            s->all[i].node[k] = heap_object(&f, store, "App.Entry", 500);
    struct hd_snapshot *snap = forge_finish(&f);
    if (s->variable != NULL)
        snap->types[forge_type_id(snap, TYPE_PSEUDO, s->variable)].full_name = s->full_name;
    return snap;
}

static void tell(struct cohorts *b, const struct store *s, size_t k,
                 const struct aligned *a)
{
    const struct hd_snapshot *older = a->snaps[k - 1];
    struct same same = {.source = s->source,
                        .count = older->graph->node_count,
                        .next = calloc(older->graph->node_count, sizeof(node_id))};
    for (node_id n = 0; n < same.count; n++)
        same.next[n] = NO_NODE;
    for (size_t i = 0; i < s->len; i++)
        if (is_there(&s->all[i], k - 1) && is_there(&s->all[i], k))
            same.next[s->all[i].node[k - 1]] = s->all[i].node[k];
    cohorts_add(b, k, a->snaps[k], &same);
    same_free(&same);
}

static enum hd_suspicion suspicion_of_entries(struct store *s)
{
    struct ranked r = {0};
    struct cohorts b = {0};
    struct series_question ask = {.selection = SELECT_ALL};
    for (size_t k = 0; k < SNAPSHOTS; k++)
        aligned_add(&r.a, snapshot_of(s, k));
    align(&r.a, &ask);
    fold_series(&r);
    cohorts_begin(&b, &r.tree, r.a.snaps[0], SELECT_ALL);
    for (size_t k = 1; k < SNAPSHOTS; k++)
        tell(&b, s, k, &r.a);
    cohorts_end(&b);
    r.ranking = leak_ranking_of(&r.tree, &r.a.series, &b, &usual_line, &r.a.arena);
    enum hd_suspicion found = HD_SUSPECT_NOT;
    for (size_t i = 0; i < r.ranking.len; i++)
        if (strcmp(r.tree.labels.all[r.ranking.all[i].label].name, "App.Entry") == 0)
            found = r.ranking.all[i].suspicion;
    s->may_leak = r.ranking.undecided < r.ranking.len;
    cohorts_free(&b);
    ranked_free(&r);
    return found;
}

/* 60 are added in each step, of which `going` die after `steps`. */
static enum hd_suspicion suspicion_of(size_t going, size_t steps)
{
    static struct store s;
    s = (struct store){.source = HD_SAME_BY_EVENTS};
    add_entries(&s, 0, FOR_EVER, 100);
    for (size_t k = 1; k < SNAPSHOTS; k++) {
        add_entries(&s, k, FOR_EVER, 60 - going);
        add_entries(&s, k, steps, going);
    }
    return suspicion_of_entries(&s);
}

Test(leak_ranking_cohorts, a_store_that_keeps_everything_is_a_suspect_by_its_size)
{
    cr_expect_eq(suspicion_of(0, 1), HD_SUSPECT_SIZE);
}

/* Short jobs, among others that are never freed. */
Test(leak_ranking_cohorts, early_deaths_do_not_clear_survivors)
{
    cr_expect_eq(suspicion_of(9, 1), HD_SUSPECT_SIZE);
}

/* Equal objects in a region of their own look new in every snapshot. */
Test(leak_ranking_cohorts, objects_that_order_cannot_match_are_not_cleared)
{
    static const size_t counts[SNAPSHOTS] = {100, 160, 160, 270, 360, 410};
    static struct store s;
    for (int by_events = 0; by_events < 2; by_events++) {
        s = (struct store){.source = by_events ? HD_SAME_BY_EVENTS : HD_SAME_BY_ORDER};
        for (size_t k = 0; k < SNAPSHOTS; k++)
            add_entries(&s, k, 1, counts[k]);
        cr_expect_eq(suspicion_of_entries(&s), HD_SUSPECT_NOT);
        cr_expect_eq(s.may_leak, !by_events);
    }
}

#define OWN "[static var App.Store.s_smallNumberCache]"

/* Entries rise in every step and survive, above the line for suspects or below. Files may
 * name a variable by the type of its value. */
Test(leak_ranking_cohorts, entries_below_the_bound_of_a_named_variable_are_expected)
{
    static const size_t each_step[] = {38, 3};
    static const struct {
        const char *variable, *full_name;
        bool is_known;
    } cases[] = {{OWN, "[static var System.Number.s_smallNumberCache]", true},
                 {OWN, "[static var App.Number.s_smallNumberCache]", false},
                 {OWN, NULL, false},
                 {"[static var System.String[].s_smallNumberCache]", NULL, true}};
    static struct store s;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (size_t fast = 0; fast < 2; fast++) {
            s = (struct store){.source = HD_SAME_BY_EVENTS,
                               .variable = cases[i].variable,
                               .full_name = cases[i].full_name};
            for (size_t k = 0; k < SNAPSHOTS; k++)
                add_entries(&s, k, FOR_EVER, k == 0 ? 100 : each_step[fast]);
            bool is_cleared = suspicion_of_entries(&s) == HD_SUSPECT_NOT && !s.may_leak;
            cr_expect_eq(is_cleared, cases[i].is_known, "%zu, %zu", i, fast);
        }
}
