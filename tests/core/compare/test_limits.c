/* Every question under any memory limit: the answer is that without a limit, or a refusal
 * that names the snapshot; the comparison remains usable. */
#include "compare/comparison.h"
#include "render/written.h"
#include "support/forge.h"

#include <criterion/criterion.h>

enum { FILES = 2 };

static const struct hd_input files[FILES] = {
    {.path = "fixtures/core/net10.gcdump.xz"},
    {.path = "fixtures/core/net10-later.gcdump.xz"}};

/* --- questions ---------------------------------------------------------------------- */

static void by_holder(struct hd_options *opt)
{
    opt->by = HD_BY_HOLDER;
}

static void reachable(struct hd_options *opt)
{
    opt->reachable = true;
    opt->exact = true;
}

static void with_tree(struct hd_options *opt)
{
    opt->tree = true;
    opt->sort = HD_SORT_RETAINED;
}

static void of_sessions(struct hd_options *opt)
{
    static const char *const types[] = {"Shop.*"};
    opt->types = types;
    opt->type_count = 1;
    opt->min_share = 0;
}

static struct hd_report *check(struct hd_comparison *c, const struct hd_options *opt,
                               struct hd_error *err)
{
    return hd_report_check(c, opt, NULL, err);
}

typedef struct hd_report *asked(struct hd_comparison *c, const struct hd_options *opt,
                                struct hd_error *err);

static const struct question {
    const char *name;
    asked *ask;
    void (*set)(struct hd_options *opt);
    size_t files;
} questions[] = {
    {"diff", hd_report_diff, NULL, 2},
    {"diff of types", hd_report_diff, of_sessions, 2},
    {"diff of what is reachable", hd_report_diff, reachable, 2},
    {"diff with the tree", hd_report_diff, with_tree, 2},
    {"diff by holder", hd_report_diff, by_holder, 2},
    {"check", check, NULL, 2},
    {"roots", hd_report_roots, of_sessions, 2},
    {"tree", hd_report_tree, NULL, 2},
    {"top", hd_report_top, with_tree, 1},
    {"top by holder", hd_report_top, by_holder, 1},
};

enum { QUESTIONS = sizeof(questions) / sizeof(questions[0]) };

static char *answer(const struct question *q, struct hd_comparison *c, struct hd_error *err)
{
    struct hd_options opt = hd_default_options();
    if (q->set != NULL)
        q->set(&opt);
    struct hd_report *r = q->ask(c, &opt, err);
    char *json = r != NULL ? written(r, "json") : NULL;
    hd_report_free(r);
    return json;
}

/* --- any limit ---------------------------------------------------------------------- */

/* True if it was answered. */
static bool try_limit(const struct question *q, uint64_t limit, unsigned threads,
                      const char *wanted)
{
    struct hd_read_options how = {.max_memory = limit, .threads = threads};
    struct hd_comparison *c = hd_comparison_open(files, q->files, &how);
    struct hd_error err = {0};
    char *got = answer(q, c, &err);
    if (got != NULL) {
        cr_assert_str_eq(got, wanted, "%s with %llu bytes", q->name,
                         (unsigned long long)limit);
    } else {
        cr_assert_eq(err.status, HD_TOO_BIG, "%s: %s", q->name, err.message);
        cr_assert_leq(err.snapshot, q->files);
        /* A caller without an error, or with an earlier one, gets no answer either. */
        struct hd_error other = {.status = HD_IO, .message = "other"};
        cr_assert_null(answer(q, c, NULL), "%s", q->name);
        cr_assert_null(answer(q, c, &other), "%s", q->name);
        cr_assert_str_eq(other.message, "other");
    }
    cr_assert_eq(c->reserved, 0, "%s with %llu bytes", q->name, (unsigned long long)limit);
    bool answered = got != NULL;
    free(got);
    hd_comparison_free(c);
    return answered;
}

Test(limits, any_question_under_any_limit, .timeout = 60)
{
    enum { FIRST = 32 << 10, LAST = 1 << 30 };
    for (size_t i = 0; i < QUESTIONS; i++) {
        const struct question *q = &questions[i];
        struct hd_comparison *c = hd_comparison_open(files, q->files, NULL);
        struct hd_error err = {0};
        char *wanted = answer(q, c, &err);
        cr_assert_not_null(wanted, "%s: %s", q->name, err.message);
        hd_comparison_free(c);
        uint64_t limit = FIRST;
        unsigned refused = 0;
        while (!try_limit(q, limit, 1 + refused % 2, wanted)) {
            cr_assert_lt(limit, LAST, "%s", q->name);
            limit += limit / 2;
            refused++;
        }
        cr_expect_gt(refused, 0, "%s", q->name);
        free(wanted);
    }
}

/* Reservations of others count; released memory is available again. */
Test(limits, reservations_of_others_count)
{
    for (size_t i = 0; i < QUESTIONS; i++) {
        const struct question *q = &questions[i];
        struct hd_read_options how = {.max_memory = UINT64_C(1) << 30};
        struct hd_comparison *c = hd_comparison_open(files, q->files, &how);
        struct hd_error err = {0};
        comparison_begin_any(c);
        cr_assert(comparison_reserve(c, how.max_memory / 2, "by a test", &err));
        c->reserved += how.max_memory / 2;
        cr_assert_not(comparison_reserve(c, 1, "by a test", &err));
        cr_assert_eq(err.status, HD_TOO_BIG);
        comparison_end(c);
        err = (struct hd_error){0};
        char *none = answer(q, c, &err);
        cr_expect_null(none, "%s", q->name);
        cr_expect_eq(err.status, HD_TOO_BIG, "%s", q->name);
        free(none);
        comparison_unreserve(c, how.max_memory);
        err = (struct hd_error){0};
        char *all = answer(q, c, &err);
        cr_expect_not_null(all, "%s: %s", q->name, err.message);
        free(all);
        hd_comparison_free(c);
    }
}

/* A share of less than one byte is not without a limit. */
Test(limits, a_limit_of_bytes_is_one_for_several_files, .timeout = 60)
{
    enum { SEVERAL = 8 };
    struct hd_input inputs[SEVERAL];
    for (size_t i = 0; i < SEVERAL; i++)
        inputs[i] = files[i % FILES];
    for (uint64_t limit = 1; limit <= 2 * SEVERAL; limit *= 4) {
        struct hd_read_options how = {.max_memory = limit, .threads = SEVERAL};
        struct hd_comparison *c = hd_comparison_open(inputs, SEVERAL, &how);
        size_t count;
        const struct hd_info_entry *entries = hd_comparison_entries(c, &count);
        for (size_t i = 0; i < count; i++)
            cr_expect_eq(entries[i].error.status, HD_TOO_BIG, "%zu of %llu bytes", i,
                         (unsigned long long)limit);
        hd_comparison_free(c);
    }
}

/* --- many snapshots ------------------------------------------------------------------- */

enum { SNAPSHOTS = 50, LINKS = 400, LINK_TYPES = 20 };

/* A chain of objects below a type of its own. */
static struct hd_snapshot *chain(size_t k, bool alike)
{
    struct forge f = {0};
    char name[40];
    snprintf(name, sizeof(name), "App.Store%zu", alike ? 0 : k);
    node_id all = forge_object(&f, "System.Object[]", 64);
    node_id last = forge_object(&f, name, 24), other = forge_object(&f, name, 24);
    forge_reference(&f, all, last);
    forge_reference(&f, all, other);
    for (size_t i = 0; i < LINKS; i++) {
        snprintf(name, sizeof(name), "App.Link%zu", i % LINK_TYPES);
        node_id next = forge_object(&f, name, 32);
        forge_reference(&f, last, next);
        last = next;
    }
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", all);
    struct hd_snapshot *snap = forge_finish(&f);
    snap->clock = 60.0 * (double)(k + 1);
    return snap;
}

static enum hd_status status_of_chains(bool alike, uint64_t max_memory)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    for (size_t k = 0; k < SNAPSHOTS; k++)
        snaps[k] = chain(k, alike);
    struct hd_read_options how = {.max_memory = max_memory, .threads = 1};
    struct hd_options opt = hd_default_options();
    struct hd_comparison *c = hd_comparison_of(snaps, SNAPSHOTS, &how);
    struct hd_error err = {0};
    hd_report_free(hd_report_diff(c, &opt, &err));
    cr_expect_eq(c->reserved, 0);
    hd_comparison_free(c);
    for (size_t k = 0; k < SNAPSHOTS; k++)
        hd_snapshot_close(snaps[k]);
    return err.status;
}

/* 20,000 paths in 50 snapshots are a million cells of 40 bytes. */
Test(limits, paths_of_many_snapshots_count_in_each)
{
    enum { MIB = 1 << 20 };
    cr_expect_eq(status_of_chains(false, 8 * MIB), HD_TOO_BIG);
    cr_expect_eq(status_of_chains(false, 64 * MIB), HD_OK);
    cr_expect_eq(status_of_chains(true, 8 * MIB), HD_OK, "all have the same");
}

/* Identity needs the path of each object later: 600 kB for 50 stars of 3,000 objects. */
Test(limits, paths_of_all_objects_count_in_each_snapshot)
{
    enum { OBJECTS = 3000, KIB = 1 << 10 };
    struct hd_snapshot *snaps[SNAPSHOTS];
    for (size_t k = 0; k < SNAPSHOTS; k++) {
        struct forge f = {0};
        node_id all = forge_object(&f, "System.Object[]", 64);
        node_id first = forge_objects(&f, "App.Link", 32, OBJECTS);
        for (node_id i = 0; i < OBJECTS; i++)
            forge_reference(&f, all, first + i);
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", all);
        snaps[k] = forge_finish(&f);
        snaps[k]->clock = 60.0 * (double)(k + 1);
    }
    uint64_t graphs = SNAPSHOTS * snaps[0]->graph_bytes;
    static const struct {
        uint64_t more;
        enum hd_status wanted;
    } limits[] = {{400 * KIB, HD_TOO_BIG}, {1000 * KIB, HD_OK}};
    for (size_t i = 0; i < 2; i++) {
        struct hd_read_options how = {.max_memory = graphs + limits[i].more, .threads = 1};
        struct hd_options opt = hd_default_options();
        struct hd_comparison *c = hd_comparison_of(snaps, SNAPSHOTS, &how);
        struct hd_error err = {0};
        opt.no_ages = true;
        opt.chains = 0;
        hd_report_free(hd_report_diff(c, &opt, &err));
        cr_expect_eq(err.status, limits[i].wanted, "%zu: %s", i, err.message);
        cr_expect_eq(c->reserved, 0);
        hd_comparison_free(c);
    }
    for (size_t k = 0; k < SNAPSHOTS; k++)
        hd_snapshot_close(snaps[k]);
}
