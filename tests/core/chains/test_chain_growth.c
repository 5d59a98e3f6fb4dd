#include "chains/chain_growth.h"

#include <criterion/criterion.h>
#include <string.h>

/* --- answers ----------------------------------------------------------------------- */

/* Number of instances, or samples, with chains 1, 2, ... in one snapshot. */
enum { MAX_CHAINS = 6 };

struct counted {
    uint64_t of[MAX_CHAINS];
    uint64_t instances, samples; /* total; 0: the sum */
};

static struct chains answer(const struct counted *c, struct arena *a)
{
    struct chains out = {.instances = c->instances, .samples = c->samples};
    for (size_t i = 0; i < MAX_CHAINS; i++)
        out.samples += c->samples == 0 ? c->of[i] : 0;
    out.instances = c->instances > 0 ? c->instances : out.samples;
    out.all = arena_array(a, struct hd_chain, MAX_CHAINS);
    for (size_t i = 0; i < MAX_CHAINS; i++) {
        if (c->of[i] == 0)
            continue;
        struct hd_chain *chain = &out.all[out.len++];
        chain->hash = i + 1;
        chain->count = c->of[i];
        chain->share = (double)chain->count / (double)out.samples;
        chain->exact = out.samples == out.instances;
        chain->low = chain->high = chain->share;
        if (!chain->exact)
            wilson_interval(chain->count, out.samples, &chain->low, &chain->high);
    }
    return out;
}

static struct grown_chains grown(const struct counted *counts, size_t count,
                                 struct arena *a)
{
    const struct chains **in = arena_array(a, const struct chains *, count);
    for (size_t k = 0; k < count; k++) {
        struct chains *one = arena_alloc(a, sizeof(*one));
        *one = answer(&counts[k], a);
        in[k] = one;
    }
    return chain_growth(in, count, a);
}

static const struct grown_chain *chain_number(const struct grown_chains *g, uint64_t hash)
{
    const struct grown_chain *found = NULL;
    for (size_t i = 0; i < g->len; i++)
        if (g->all[i].chain.hash == hash) {
            cr_assert_null(found, "one row per chain");
            found = &g->all[i];
        }
    cr_assert_not_null(found, "no chain %d", (int)hash);
    return found;
}

/* The status of chain 1, given its number of instances in each snapshot. */
static void expect_status(const uint64_t *counts, size_t count, enum hd_chain_status wanted)
{
    struct arena a = {0};
    struct counted all[SERIES_MAX_SNAPSHOTS] = {0};
    for (size_t k = 0; k < count; k++)
        all[k] = (struct counted){.of = {counts[k], 1}};
    struct grown_chains g = grown(all, count, &a);
    const struct grown_chain *c = chain_number(&g, 1);
    cr_expect_eq(c->status, wanted, "%llu .. %llu: %d", (unsigned long long)counts[0],
                 (unsigned long long)counts[count - 1], c->status);
    cr_assert_not_null(c->instances);
    for (size_t k = 0; k < count; k++)
        cr_expect_eq(c->instances[k], counts[k]);
    arena_free(&a);
}

#define expect_exact(status, ...)                  \
    expect_status((const uint64_t[]){__VA_ARGS__}, \
                  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), status)

/* --- exact counts ------------------------------------------------------------------- */

Test(chain_growth, exact_counts_show_every_change)
{
    expect_exact(HD_CHAIN_GROWING, 1, 2, 3, 4);
    expect_exact(HD_CHAIN_GROWING, 1, 2);
    expect_exact(HD_CHAIN_SHRINKING, 4, 3, 2, 1);
    expect_exact(HD_CHAIN_STEADY, 5, 5, 5);
    expect_exact(HD_CHAIN_NEW, 0, 0, 7);
    expect_exact(HD_CHAIN_NEW, 0, 9, 7);
    expect_exact(HD_CHAIN_GONE, 7, 0);
    expect_exact(HD_CHAIN_GONE, 7, 8, 0);
}

Test(chain_growth, rising_and_falling_counts_are_left_open)
{
    expect_exact(HD_CHAIN_UNKNOWN, 5, 9, 2, 6);
    expect_exact(HD_CHAIN_UNKNOWN, 5, 6, 5);
    expect_exact(HD_CHAIN_UNKNOWN, 5, 9, 8, 4, 9, 4);
}

Test(chain_growth, fifty_snapshots_are_lined_up)
{
    uint64_t counts[SERIES_MAX_SNAPSHOTS];
    for (uint64_t k = 0; k < SERIES_MAX_SNAPSHOTS; k++)
        counts[k] = 10 + k;
    expect_status(counts, SERIES_MAX_SNAPSHOTS, HD_CHAIN_GROWING);
}

Test(chain_growth, one_snapshot_shows_no_change)
{
    expect_exact(HD_CHAIN_UNKNOWN, 7);
    struct arena a = {0};
    struct grown_chains g =
        grown(&(struct counted){.of = {3}, .instances = 1000, .samples = 3}, 1, &a);
    cr_assert_eq(g.len, 1);
    cr_expect_eq(g.all[0].status, HD_CHAIN_UNKNOWN);
    cr_expect_null(g.all[0].instances, "three of a thousand were looked at");
    arena_free(&a);
}

Test(chain_growth, without_instances_there_are_no_chains)
{
    struct arena a = {0};
    static const struct counted none[3];
    cr_expect_eq(grown(none, 3, &a).len, 0);
    arena_free(&a);
}

/* --- order --------------------------------------------------------------------------- */

Test(chain_growth, rows_are_in_the_order_of_the_last_snapshot_followed_by_removed_ones)
{
    static const struct counted counts[] = {
        {.of = {9, 0, 3, 0, 1}}, {.of = {0, 2, 3, 8}}, {.of = {0, 5, 0, 8, 0, 1}}};
    static const uint64_t wanted[] = {2, 4, 6, 3, 1, 5};
    struct arena a = {0};
    struct grown_chains g = grown(counts, 3, &a);
    cr_assert_eq(g.len, 6);
    for (size_t i = 0; i < 6; i++)
        cr_expect_eq(g.all[i].chain.hash, wanted[i], "%zu", i);
    arena_free(&a);
}

Test(chain_growth, a_chain_is_shown_as_it_was_last)
{
    static const struct counted counts[] = {{.of = {9, 9}}, {.of = {4, 0}}, {.of = {6, 0}}};
    struct arena a = {0};
    struct grown_chains g = grown(counts, 3, &a);
    cr_expect_eq(chain_number(&g, 1)->chain.count, 6);
    const struct hd_chain *gone = &chain_number(&g, 2)->chain;
    cr_expect_eq(gone->count, 0, "there is none any more");
    cr_expect(gone->share == 0 && gone->low == 0 && gone->high == 0);
    arena_free(&a);
}

/* --- samples -------------------------------------------------------------------------- */

static enum hd_chain_status of_samples(struct counted first, struct counted last)
{
    struct arena a = {0};
    struct grown_chains g = grown((const struct counted[]){first, last}, 2, &a);
    const struct grown_chain *c = chain_number(&g, 1);
    cr_expect_null(c->instances, "not all were looked at");
    enum hd_chain_status status = c->status;
    arena_free(&a);
    return status;
}

Test(chain_growth, samples_show_changes_beyond_chance)
{
    struct counted few = {{16, 16}, 100, 32}, many = {{16, 16}, 1000, 32};
    struct counted none = {{0, 32}, 100, 32}, none_of_many = {{0, 32}, 1000, 32};
    cr_expect_eq(of_samples(few, many), HD_CHAIN_GROWING);
    cr_expect_eq(of_samples(many, few), HD_CHAIN_SHRINKING);
    cr_expect_eq(of_samples(none, many), HD_CHAIN_NEW);
    cr_expect_eq(of_samples(many, none), HD_CHAIN_GONE);
    cr_expect_eq(of_samples(few, none_of_many), HD_CHAIN_UNKNOWN,
                 "none of 32 may be 107 of 1000");
}

Test(chain_growth, samples_with_overlapping_intervals_show_nothing)
{
    struct counted a = {{16, 16}, 100, 32}, b = {{20, 12}, 110, 32};
    cr_expect_eq(of_samples(a, b), HD_CHAIN_UNKNOWN);
    cr_expect_eq(of_samples(b, a), HD_CHAIN_UNKNOWN);
    cr_expect_eq(of_samples(a, a), HD_CHAIN_UNKNOWN,
                 "as many samples are not as many instances");
}

/* All 20 of 20 instances were examined, so that number is exact. */
Test(chain_growth, an_exact_end_has_no_interval)
{
    struct counted none = {.of = {0, 20}}, some = {{8, 24}, 100, 32};
    cr_expect_eq(of_samples(none, some), HD_CHAIN_NEW);
    cr_expect_eq(of_samples(some, none), HD_CHAIN_GONE);
    struct counted five = {.of = {5, 15}};
    cr_expect_eq(of_samples(five, some), HD_CHAIN_GROWING);
    struct counted thirty = {.of = {30}};
    cr_expect_eq(of_samples(thirty, some), HD_CHAIN_UNKNOWN);
}

Test(chain_growth, from_a_snapshot_without_instances_all_chains_are_new)
{
    static const struct counted none;
    cr_expect_eq(of_samples(none, (struct counted){{32}, 1000, 32}), HD_CHAIN_NEW);
    cr_expect_eq(of_samples((struct counted){{32}, 1000, 32}, none), HD_CHAIN_GONE);
}

Test(chain_growth, one_sampled_snapshot_leaves_the_numbers_out)
{
    static const struct counted counts[] = {
        {.of = {5}}, {.of = {32}, .instances = 100, .samples = 32}, {.of = {9}}};
    struct arena a = {0};
    struct grown_chains g = grown(counts, 3, &a);
    cr_expect_null(g.all[0].instances);
    cr_expect_eq(g.all[0].status, HD_CHAIN_GROWING, "both ends are known");
    arena_free(&a);
}

/* --- words -----------------------------------------------------------------------------
 */

Test(chain_growth, every_known_status_has_a_word)
{
    static const char *const words[] = {"new", "gone", "growing", "steady", "shrinking"};
    cr_expect_null(chain_status_names[HD_CHAIN_UNKNOWN]);
    for (int i = HD_CHAIN_NEW; i < HD_CHAIN_STATUS_COUNT; i++)
        cr_expect_str_eq(chain_status_names[i], words[i - HD_CHAIN_NEW]);
}
