/* A table that recreates all of its entries when it grows: by snapshots and by digests the
 * old ones survived. */
#include "ages/followed.h"

#include <criterion/criterion.h>

enum { STEPS = 4, FIRST = 30, MORE = 15, MAX_ENTRIES = FIRST + STEPS * MORE };

struct entries {
    node_id key[MAX_ENTRIES], entry[MAX_ENTRIES];
    size_t count;
};

/* In the last step the table has spare capacity: only added entries are new. */
static bool grows(size_t k)
{
    return k + 1 < STEPS;
}

static struct hd_snapshot *table_of(struct entries *e, size_t k)
{
    struct forge f = {0};
    node_id statics = heap_group(&f, heap_root(&f), "[static vars]");
    laid_object(&f, statics, "App.Data", 60000);
    node_id table = laid_object(&f, statics, "App.Table", 24);
    e->count = FIRST + k * MORE;
    for (size_t i = e->count; i-- > 0;) { /* node order is independent of age */
        e->entry[i] = laid_object(&f, table, "App.Entry", 40);
        e->key[i] = laid_object(&f, e->entry[i], "App.Key", 200);
        if (i % 3 == 0 && i + 1 < e->count)
            forge_reference(&f, e->entry[i], e->entry[i + 1]);
    }
    return forge_finish(&f);
}

static void tell_keys(struct hd_snapshot *snap, const struct hd_snapshot *older,
                      const struct entries *before, const struct entries *now, size_t k)
{
    node_id from[2 * MAX_ENTRIES], to[2 * MAX_ENTRIES];
    size_t count = 0;
    for (size_t i = 0; i < before->count; i++) {
        from[count] = before->key[i];
        to[count++] = now->key[i];
        from[count] = before->entry[i];
        to[count] = now->entry[i];
        count += !grows(k);
    }
    tell_pairs(snap, older, from, to, count);
}

static void expect_all_there(struct hd_snapshot *const *snaps, const char *what)
{
    struct hd_comparison *c = hd_comparison_of(snaps, STEPS, NULL);
    struct hd_options opt = hd_default_options();
    struct hd_error err = {0};
    struct hd_report *report = hd_report_diff(c, &opt, &err);
    cr_assert_not_null(report, "%s: %s", what, err.message);
    const struct hd_diff *d = hd_report_model(report)->diff;
    cr_assert_eq(d->identity, HD_SAME_BY_EVENTS, "%s", what);
    cr_assert_gt(d->suspect_count, 0, "%s", what);
    const struct hd_cohorts *b = d->suspects[0].cohorts;
    cr_expect_str_eq(d->suspects[0].type, "App.Entry", "%s", what);
    cr_assert(b != NULL && b->accumulates, "%s", what);
    for (size_t j = 0, cell = 0; j < STEPS; j++)
        for (size_t k = j; k < STEPS; k++)
            cr_expect_eq(b->at[cell++], j == 0 ? FIRST : MORE, "%s: cohort %zu in %zu",
                         what, j, k);
    hd_report_free(report);
    hd_comparison_free(c);
}

Test(ages_recreated, entries_of_a_table_that_grew_are_those_from_before)
{
    struct hd_snapshot *snaps[STEPS], *digests[STEPS];
    struct entries e[STEPS];
    struct hd_ages *ages = hd_ages_begin();
    for (size_t k = 0; k < STEPS; k++) {
        snaps[k] = table_of(&e[k], k);
        if (k > 0)
            tell_keys(snaps[k], snaps[k - 1], &e[k - 1], &e[k], k);
        digests[k] = digest_of(snaps[k], ages);
    }
    hd_ages_end(ages);
    expect_all_there(snaps, "snapshots");
    expect_all_there(digests, "digests");
    for (size_t k = 0; k < STEPS; k++) {
        hd_snapshot_close(snaps[k]);
        hd_snapshot_close(digests[k]);
    }
}
