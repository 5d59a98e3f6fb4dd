/* Snapshots of real programs. The true identities are unknown; checks the share of objects
 * that are found against the share expected from such a heap. Comparisons with the
 * collector's own account are in docs/identity.md. */
#include "identity/laid_out.h"

#include <string.h>

struct neighbours {
    const char *older, *newer;
    unsigned percent;  /* of the older objects that are found, rounded down */
    unsigned in_place; /* of these, at the same address */
};

static const struct neighbours all[] = {
    {"fixtures/leaklab/cache/3.gcdump.gz", "fixtures/leaklab/cache/4.gcdump.gz", 82, 27},
    {"fixtures/leaklab/list/2.gcdump.bz2", "fixtures/leaklab/list/3.gcdump.bz2", 58, 68},
    {"fixtures/services/consumer/leak-slow-random/3.gcdump.xz",
     "fixtures/services/consumer/leak-slow-random/4.gcdump.xz", 69, 71},
    {"fixtures/leaklab2/svc-idle/0.gcdump.xz", "fixtures/leaklab2/svc-idle/1.gcdump.xz", 91,
     36},
};
enum { PAIRS = sizeof(all) / sizeof(all[0]) };

static struct hd_snapshot *open_fixture(const char *path)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path, NULL, &err);
    cr_assert_not_null(snap, "%s: %s", path, err.message);
    return snap;
}

static size_t objects_in(const struct hd_snapshot *snap)
{
    size_t count = 0;
    for (node_id n = 0; n < snap->graph->node_count; n++)
        count += snap->types[snap->graph->type[n]].kind == TYPE_OBJECT;
    return count;
}

Test(align_fixtures, finds_what_it_found)
{
    for (size_t i = 0; i < PAIRS; i++) {
        struct hd_snapshot *a = open_fixture(all[i].older), *b = open_fixture(all[i].newer);
        struct same s = {0};
        size_t found = 0, in_place = 0;
        same_find(&s, a, b, 2);
        cr_assert_eq(s.source, HD_SAME_BY_ORDER);
        expect_sound(&s, a, b);
        for (node_id n = 0; n < s.count; n++) {
            found += s.next[n] != NO_NODE;
            in_place += s.next[n] != NO_NODE &&
                        graph_address(a->graph, n) == graph_address(b->graph, s.next[n]);
        }
        cr_expect_eq(100 * found / objects_in(a), all[i].percent, "%s: %zu of %zu",
                     all[i].older, found, objects_in(a));
        cr_expect_eq(100 * in_place / found, all[i].in_place, "%s: %zu of %zu in place",
                     all[i].older, in_place, found);
        same_free(&s);
        hd_snapshot_close(a);
        hd_snapshot_close(b);
    }
}

/* Identical snapshots: every object is found. */
Test(align_fixtures, finds_a_snapshot_in_itself)
{
    struct hd_snapshot *a = open_fixture(all[0].older), *b = open_fixture(all[0].older);
    struct same s = {0};
    size_t objects = objects_in(a), found = 0;
    same_find(&s, a, b, 1);
    for (node_id n = 0; n < s.count; n++)
        if (s.next[n] != NO_NODE) {
            cr_expect_eq(s.next[n], n);
            found++;
        }
    cr_expect_eq(found, objects);
    same_free(&s);
    hd_snapshot_close(a);
    hd_snapshot_close(b);
}

Test(align_fixtures, leaves_samples_unknown)
{
    struct hd_snapshot *a = open_fixture("fixtures/gcdump-made/sampled.gcdump");
    struct same s = {0};
    same_find(&s, a, a, 1);
    cr_expect_eq(s.source, HD_SAME_UNKNOWN);
    cr_expect_null(s.next);
    same_free(&s);
    hd_snapshot_close(a);
}
