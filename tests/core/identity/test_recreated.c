/* Entries that a table recreated, among dead, new and changed ones. */
#include "identity/same.h"

#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* The fate of an entry of a table that recreates all entries. */
enum fate {
    STAYS,
    GOES,
    COMES,
    GETS_ANOTHER_VALUE,
    GROWS, /* its new node is larger */
    GETS_ANOTHER_TYPE,
    LOSES_ITS_VALUE,
    SWAPS_KEY_AND_VALUE,
    GETS_A_SECOND_NODE, /* both refer to key and value */
    FATES
};

enum { ENTRIES = 400 };

struct table {
    node_id key[ENTRIES], value[ENTRIES], entry[ENTRIES];
    struct hd_snapshot *snap;
};

static void refer(struct forge *f, node_id from, node_id first, node_id second,
                  node_id next)
{
    forge_reference(f, from, first);
    if (second != NO_NODE)
        forge_reference(f, from, second);
    if (next != NO_NODE)
        forge_reference(f, from, next);
}

/* The entries are chained in another order each time. */
static struct table make_table(const enum fate *fate, bool is_newer, struct random *rnd)
{
    struct table t;
    struct forge f = {0};
    for (size_t i = 0; i < ENTRIES; i++) {
        t.key[i] = t.value[i] = t.entry[i] = NO_NODE;
        if (fate[i] == (is_newer ? GOES : COMES))
            continue;
        t.key[i] = forge_object(&f, "App.Key", 24);
        t.value[i] = forge_object(&f, "App.Value", 32);
    }
    node_id last = NO_NODE;
    for (size_t n = 0, first = random_below(rnd, ENTRIES); n < ENTRIES; n++) {
        size_t i = (first + 7 * n) % ENTRIES;
        enum fate now = is_newer ? fate[i] : STAYS;
        if (t.key[i] == NO_NODE)
            continue;
        node_id a = t.key[i], b = now == LOSES_ITS_VALUE ? NO_NODE : t.value[i];
        if (now == SWAPS_KEY_AND_VALUE)
            a = t.value[i], b = t.key[i];
        for (int twice = 0; twice <= (now == GETS_A_SECOND_NODE); twice++) {
            t.entry[i] =
                forge_object(&f, now == GETS_ANOTHER_TYPE ? "App.Link" : "App.Entry",
                             now == GROWS ? 56 : 48);
            refer(&f, t.entry[i], a, b, now == GETS_ANOTHER_TYPE ? NO_NODE : last);
        }
        last = random_below(rnd, 2) == 0 ? t.entry[i] : NO_NODE;
        if (now == GETS_ANOTHER_TYPE)
            last = NO_NODE;
    }
    forge_root(&f, HD_ROOT_STATIC, "App.Table.s_all", 0);
    t.snap = forge_finish(&f);
    return t;
}

static struct same same_things(const struct table *a, const struct table *b,
                               const enum fate *fate)
{
    struct same s = {.source = HD_SAME_BY_EVENTS, .count = a->snap->graph->node_count};
    s.next = alloc_resize(NULL, array_bytes(s.count, sizeof(*s.next)));
    for (node_id n = 0; n < s.count; n++)
        s.next[n] = NO_NODE;
    for (size_t i = 0; i < ENTRIES; i++) {
        if (fate[i] == GOES || fate[i] == COMES)
            continue;
        s.next[a->key[i]] = b->key[i];
        if (fate[i] != GETS_ANOTHER_VALUE)
            s.next[a->value[i]] = b->value[i];
    }
    return s;
}

Test(recreated, is_an_entry_that_holds_what_it_held_and_no_other)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct random rnd = random_from(seed);
        enum fate fate[ENTRIES];
        for (size_t i = 0; i < ENTRIES; i++)
            fate[i] =
                random_below(&rnd, 3) > 0 ? STAYS : (enum fate)random_below(&rnd, FATES);
        struct table a = make_table(fate, false, &rnd), b = make_table(fate, true, &rnd);
        struct same s = same_things(&a, &b, fate);
        same_add_recreated(&s, a.snap, b.snap);
        for (size_t i = 0; i < ENTRIES; i++)
            if (fate[i] != COMES)
                cr_assert_eq(s.next[a.entry[i]], fate[i] == STAYS ? b.entry[i] : NO_NODE,
                             "seed %llu, entry %zu, fate %d", (unsigned long long)seed, i,
                             (int)fate[i]);
        same_free(&s);
        hd_snapshot_close(a.snap);
        hd_snapshot_close(b.snap);
    }
}

/* If two entries held the same object, the survivor is unknown. */
Test(recreated, leaves_two_entries_of_one_object_unknown)
{
    struct forge f = {0}, g = {0};
    node_id thing = forge_object(&f, "App.Thing", 24);
    for (int i = 0; i < 2; i++)
        forge_reference(&f, forge_object(&f, "App.Entry", 24), thing);
    node_id again = forge_object(&g, "App.Thing", 24);
    forge_reference(&g, forge_object(&g, "App.Entry", 24), again);
    forge_root(&f, HD_ROOT_STACK, NULL, 1);
    forge_root(&g, HD_ROOT_STACK, NULL, 1);
    struct hd_snapshot *a = forge_finish(&f), *b = forge_finish(&g);
    struct same s = {.source = HD_SAME_BY_ORDER, .count = a->graph->node_count};
    s.next = alloc_resize(NULL, array_bytes(s.count, sizeof(*s.next)));
    for (node_id n = 0; n < s.count; n++)
        s.next[n] = n == thing ? again : NO_NODE;
    same_add_recreated(&s, a, b);
    for (node_id n = 0; n < s.count; n++)
        cr_expect_eq(s.next[n], n == thing ? again : NO_NODE);
    same_free(&s);
    hd_snapshot_close(a);
    hd_snapshot_close(b);
}
