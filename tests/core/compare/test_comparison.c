/* Several questions to one comparison. */
#include "compare/comparison.h"
#include "compare/steps.h"
#include "format/open.h"
#include "format/usual_gcdump.h"
#include "render/written.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <pthread.h>

/* --- what is analysed ------------------------------------------------------- */

static void count_owners(void *context, enum hd_phase phase, uint64_t more, uint64_t all)
{
    uint64_t *objects = context;
    (void)all;
    *objects += phase == HD_FINDING_OWNERS ? more : 0;
}

static char *json_of(struct hd_comparison *c, const struct hd_options *opt)
{
    struct hd_error err = {0};
    struct hd_report *r = hd_report_diff(c, opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    char *json = written(r, "json");
    hd_report_free(r);
    return json;
}

/* Expects the answer of a new comparison. */
static void expect_as_if_asked_alone(struct hd_comparison *c, struct hd_snapshot **snaps,
                                     const struct hd_options *opt)
{
    struct hd_report *alone = ask_diff(snaps, SHOPS, opt, NULL);
    char *wanted = written(alone, "json"), *got = json_of(c, opt);
    cr_expect_str_eq(got, wanted);
    free(got);
    free(wanted);
    hd_report_free(alone);
}

Test(comparison, a_second_question_finds_no_owners_again)
{
    struct hd_snapshot *snaps[SHOPS];
    open_shops(snaps);
    uint64_t objects = 0, once = 0;
    for (size_t k = 0; k < SHOPS; k++)
        once += snaps[k]->node_count;
    struct hd_read_options how = {.progress = count_owners, .progress_context = &objects};
    struct hd_comparison *c = hd_comparison_of(snaps, SHOPS, &how);
    struct hd_options opt = hd_default_options();
    free(json_of(c, &opt));
    cr_expect_eq(objects, once);

    static const char *const types[] = {"App.*"};
    opt.sort = HD_SORT_RETAINED;
    expect_as_if_asked_alone(c, snaps, &opt);
    opt.types = types;
    opt.type_count = 1;
    expect_as_if_asked_alone(c, snaps, &opt);
    opt.exact = true;
    expect_as_if_asked_alone(c, snaps, &opt);
    opt.by = HD_BY_NAMESPACE;
    expect_as_if_asked_alone(c, snaps, &opt);
    opt.by = HD_BY_TYPE;
    opt.min_share = 0.9;
    expect_as_if_asked_alone(c, snaps, &opt);
    hd_report_free(hd_report_roots(c, &opt, NULL));
    hd_report_free(hd_report_check(c, &opt, NULL, NULL));
    cr_expect_eq(objects, once);

    opt.reachable = true;
    expect_as_if_asked_alone(c, snaps, &opt);
    cr_expect_eq(objects, 2 * once, "other objects have other owners");
    hd_comparison_free(c);
    close_all(snaps, SHOPS);
}

Test(comparison, caches_holders_and_retained_sizes_of_types)
{
    struct hd_snapshot *snaps[SHOPS];
    open_shops(snaps);
    uint64_t objects = 0;
    struct hd_read_options how = {.progress = count_owners, .progress_context = &objects};
    struct hd_comparison *c = hd_comparison_of(snaps, SHOPS, &how),
                         *one = hd_comparison_of(snaps, 1, &how);
    struct hd_options opt = hd_default_options();
    opt.by = HD_BY_HOLDER;
    expect_as_if_asked_alone(c, snaps, &opt);
    struct hd_snapshot *const *holders = comparison_holders(c, SELECT_ALL, NULL);
    expect_as_if_asked_alone(c, snaps, &opt);
    cr_expect_eq(comparison_holders(c, SELECT_ALL, NULL), holders);
    opt.by = HD_BY_TYPE;
    hd_report_free(hd_report_top(one, &opt, NULL));
    uint64_t once = objects;
    opt.sort = HD_SORT_RETAINED;
    hd_report_free(hd_report_top(one, &opt, NULL));
    cr_expect_eq(objects, once);
    hd_comparison_free(one);
    hd_comparison_free(c);
    close_all(snaps, SHOPS);
}

/* --- after a failure --------------------------------------------------------- */

Test(comparison, answers_after_a_question_that_failed)
{
    struct hd_snapshot *snaps[SHOPS];
    open_shops(snaps);
    struct hd_comparison *c = hd_comparison_of(snaps, SHOPS, NULL);
    static const char *const types[] = {"Nobody"};
    struct hd_options wrong = hd_default_options(), right = hd_default_options();
    struct hd_error err = {0};
    wrong.types = types;
    wrong.type_count = 1;
    cr_expect_null(hd_report_roots(c, &wrong, &err));
    cr_expect_eq(err.status, HD_USAGE);
    static const uint64_t falling[] = {4, 3, 2, 1};
    wrong.iterations = falling;
    cr_expect_null(hd_report_diff(c, &wrong, NULL));
    cr_expect_null(hd_report_top(c, &right, NULL));
    expect_as_if_asked_alone(c, snaps, &right);
    hd_comparison_free(c);
    close_all(snaps, SHOPS);
}

Test(comparison, with_an_unreadable_input_answers_only_with_an_error)
{
    struct hd_input inputs[] = {{.path = "fixtures/heap-text/before.txt"},
                                {.path = "fixtures/heap-text/no-such-file.txt"}};
    struct hd_read_options how = {.threads = 2};
    struct hd_comparison *c = hd_comparison_open(inputs, 2, &how);
    struct hd_options opt = hd_default_options();
    struct hd_error err = {0};
    cr_expect_null(hd_report_diff(c, &opt, &err));
    cr_expect_eq(err.status, HD_IO);
    cr_expect_eq(err.snapshot, 2);
    size_t count;
    const struct hd_info_entry *entries = hd_comparison_entries(c, &count);
    cr_assert_eq(count, 2);
    cr_expect_not_null(entries[0].snap);
    cr_expect_null(entries[1].snap);
    cr_expect_not(entries[1].skipped);
    struct hd_report *info = hd_report_info(c);
    char *text = written(info, "text");
    expect_part(text, "cannot be used");
    free(text);
    hd_report_free(info);
    hd_comparison_free(c);
}

Test(comparison, skips_other_files_in_a_folder)
{
    struct hd_inputs inputs = {0};
    cr_assert(hd_inputs_add(&inputs, "fixtures/heap-text", NULL));
    struct hd_input readme = {.path = "fixtures/README.md", .from_folder = true};
    struct hd_comparison *c = hd_comparison_open(&readme, 1, NULL);
    size_t count;
    const struct hd_info_entry *entries = hd_comparison_entries(c, &count);
    cr_assert_eq(count, 1);
    cr_expect(entries[0].skipped);
    cr_expect_null(hd_comparison_snapshot(c, 0));
    hd_comparison_free(c);
    readme.from_folder = false;
    c = hd_comparison_open(&readme, 1, NULL);
    cr_expect_not(hd_comparison_entries(c, &count)[0].skipped);
    hd_comparison_free(c);
    hd_inputs_free(&inputs);
}

/* --- files that change --------------------------------------------------------- */

/* A file with so many undefined nodes that three graphs do not fit LARGE_MEMORY together
 * with dominators: the first is dropped, and read again for the next question that needs
 * it. */
enum { LARGE_MEMORY = 48 << 20 };

static const char *large_file(struct scratch *scratch, const char *name, uint32_t order)
{
    struct made_node nodes[COUNT(usual_nodes)];
    memcpy(nodes, usual_nodes, sizeof(nodes));
    nodes[2].size = (int32_t)order;
    struct made_gcdump made = with_nodes(nodes, COUNT(nodes));
    made.undefined_nodes += 800000;
    struct gcdump_bytes b = gcdump_bytes_make(&made);
    const char *path = scratch_file(scratch, name, b.data.data, b.data.len);
    gcdump_bytes_free(&b);
    return path;
}

Test(comparison, names_a_snapshot_that_changed_between_two_questions)
{
    struct scratch scratch = {0};
    scratch_open(&scratch);
    struct hd_input inputs[] = {{.path = large_file(&scratch, "1.gcdump", 24)},
                                {.path = large_file(&scratch, "2.gcdump", 32)},
                                {.path = large_file(&scratch, "3.gcdump", 40)}};
    struct hd_read_options how = {.max_memory = LARGE_MEMORY};
    struct hd_comparison *c = hd_comparison_open(inputs, 3, &how);
    static const char *const types[] = {"App.Order"};
    struct hd_options opt = hd_default_options(), roots = opt;
    struct hd_error err = {0};
    roots.types = types;
    roots.type_count = 1;
    opt.no_ages = true; /* which read graphs again, as chains do */
    opt.chains = 0;
    free(json_of(c, &opt));
    cr_expect_null(hd_comparison_snapshot(c, 0)->graph);
    hd_report_free(hd_report_roots(c, &roots, &err));
    cr_expect_eq(err.status, HD_OK, "%s", err.message);

    large_file(&scratch, "1.gcdump", 48);
    cr_expect_null(hd_report_roots(c, &roots, &err));
    cr_expect_eq(err.status, HD_IO);
    cr_expect_eq(err.snapshot, 1);
    cr_expect_str_eq(err.message, "was modified after it was first read");
    opt.by = HD_BY_NAMESPACE;
    free(json_of(c, &opt)); /* questions that need no graph are answered */
    hd_comparison_free(c);
    scratch_remove(&scratch);
}

struct steps_seen {
    const struct hd_comparison *c;
    size_t count;
    uint64_t most; /* bytes of graphs and reserved ones */
};

static bool see_step(void *context, size_t i, const struct hd_snapshot *older,
                     const struct hd_snapshot *newer, const struct same *same)
{
    struct steps_seen *seen = context;
    uint64_t held = seen->c->reserved;
    (void)i, (void)older, (void)newer, (void)same;
    for (size_t k = 0; k < seen->c->count; k++)
        held += seen->c->snaps[k]->graph != NULL ? seen->c->snaps[k]->graph_bytes : 0;
    seen->most = held > seen->most ? held : seen->most;
    seen->count++;
    return true;
}

/* Both graphs are read after memory for the step is reserved. */
Test(comparison, graphs_of_a_step_are_within_the_limit)
{
    struct scratch scratch = {0};
    scratch_open(&scratch);
    struct hd_input inputs[] = {{.path = large_file(&scratch, "1.gcdump", 24)},
                                {.path = large_file(&scratch, "2.gcdump", 32)},
                                {.path = large_file(&scratch, "3.gcdump", 40)}};
    struct hd_comparison *c = hd_comparison_open(inputs, 3, NULL);
    struct series s = {.snaps = c->snaps, .usable = {0, 1, 2}, .usable_count = 3};
    uint64_t graph = c->snaps[0]->graph_bytes;
    uint64_t step = UINT64_C(2) * 48 * c->snaps[0]->node_count;
    for (uint64_t graphs = 1; graphs <= 3; graphs++) {
        struct hd_error err = {0};
        struct steps_seen seen = {.c = c};
        for (size_t k = 0; k < 3; k++)
            snapshot_release_graph(c->snaps[k]);
        c->how.max_memory = step + graphs * graph + graph / 2;
        bool ok = steps_follow(c, &s, see_step, &seen, &err);
        cr_expect_eq(ok, graphs > 1, "%s", err.message);
        cr_expect_eq(seen.count, graphs > 1 ? 2 : 0);
        cr_expect_leq(seen.most, c->how.max_memory);
        cr_expect_eq(c->reserved, 0);
    }
    hd_comparison_free(c);
    scratch_remove(&scratch);
}

/* --- side by side ------------------------------------------------------------ */

struct asker {
    struct hd_comparison *c;
    struct hd_options opt;
    char *json;
};

static void *ask(void *context)
{
    struct asker *a = context;
    for (int i = 0; i < 5; i++) {
        free(a->json);
        a->json = json_of(a->c, &a->opt);
    }
    return NULL;
}

Test(comparison, answers_two_threads_concurrently)
{
    struct hd_snapshot *snaps[SHOPS];
    open_shops(snaps);
    struct hd_read_options how = {.threads = 2};
    struct hd_comparison *c = hd_comparison_of(snaps, SHOPS, &how);
    struct asker askers[] = {{.c = c, .opt = hd_default_options()},
                             {.c = c, .opt = hd_default_options()},
                             {.c = c, .opt = hd_default_options()}};
    askers[1].opt.by = HD_BY_HOLDER;
    askers[2].opt.reachable = true;
    pthread_t threads[3];
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < 3; i++) {
        struct hd_report *alone = ask_diff(snaps, SHOPS, &askers[i].opt, NULL);
        expect_written(alone, "json", askers[i].json);
        hd_report_free(alone);
        free(askers[i].json);
    }
    hd_comparison_free(c);
    close_all(snaps, SHOPS);
}

/* --- inputs in memory ------------------------------------------------------------- */

Test(comparison, inputs_in_memory_are_as_files_by_their_names)
{
    struct bytes_of_file {
        char *all;
        size_t len;
    } file = {0};
    FILE *from = fopen("fixtures/heap-text/before.txt", "r");
    cr_assert_not_null(from);
    file.all = malloc(1 << 20);
    file.len = fread(file.all, 1, 1 << 20, from);
    fclose(from);
    struct hd_inputs inputs = {0};
    char name[] = "host/1";
    hd_inputs_add_memory(&inputs, name, file.all, file.len);
    name[5] = '2';
    hd_inputs_add_memory(&inputs, name, "nothing", 7);
    hd_inputs_add_memory(&inputs, "host/3", "", 0);
    struct hd_comparison *c = hd_comparison_open(inputs.all, inputs.count, NULL);
    size_t count;
    const struct hd_info_entry *entries = hd_comparison_entries(c, &count);
    struct hd_snapshot *whole =
        hd_snapshot_open("fixtures/heap-text/before.txt", NULL, NULL);
    cr_assert_eq(count, 3);
    cr_expect_str_eq(entries[0].path, "host/1");
    cr_expect_str_eq(entries[1].path, "host/2");
    cr_assert_not_null(entries[0].snap);
    cr_expect_str_eq(hd_snapshot_info(entries[0].snap)->path, "host/1");
    cr_expect_eq(hd_snapshot_info(entries[0].snap)->bytes, hd_snapshot_info(whole)->bytes);
    cr_expect_null(entries[1].snap);
    cr_expect_eq(entries[1].error.status, HD_NOT_A_SNAPSHOT);
    cr_expect_null(entries[2].snap);
    cr_expect(!entries[1].skipped && !entries[2].skipped);
    hd_comparison_free(c);
    hd_inputs_free(&inputs);
    hd_snapshot_close(whole);
    free(file.all);
}
