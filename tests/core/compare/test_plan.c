#include "compare/comparison.h"

#include "render/written.h"

#include <pthread.h>
#include <sys/stat.h>

/* --- how many fit ------------------------------------------------------------ */

static uint64_t hundred(uint64_t objects, uint64_t references)
{
    (void)references;
    return objects > 0 ? 100 : 0;
}

/* Snapshots with sizes of graphs only: 1000, 2000, ... bytes. */
enum { COUNT = 4 };

struct sized {
    struct hd_snapshot all[COUNT];
    struct hd_snapshot *snaps[COUNT];
};

static void size_them(struct sized *s)
{
    *s = (struct sized){0};
    for (size_t k = 0; k < COUNT; k++) {
        s->all[k].node_count = 7;
        s->all[k].graph_bytes = 1000 * (k + 1);
        s->snaps[k] = &s->all[k];
    }
}

static struct plan plan_for(unsigned threads, uint64_t max_memory)
{
    struct sized s;
    size_them(&s);
    struct plan p = {0};
    struct hd_read_options opt = {.threads = threads, .max_memory = max_memory};
    struct hd_error err = {0};
    cr_assert(plan_graphs(&p, s.snaps, COUNT, hundred, &opt, &err), "%s", err.message);
    return p;
}

Test(plan, without_a_limit_each_thread_has_a_graph)
{
    cr_expect_eq(plan_for(0, 0).at_once, 1);
    cr_expect_eq(plan_for(1, 0).at_once, 1);
    cr_expect_eq(plan_for(3, 0).at_once, 3);
    cr_expect_eq(plan_for(8, 0).at_once, COUNT);
    cr_expect(plan_for(1, 0).keep);
    cr_expect(plan_for(2, 0).keep);
}

Test(plan, any_that_are_in_memory_together_fit)
{
    /* The two largest need 4100 + 3100, and the third 2100. */
    cr_expect_eq(plan_for(8, 4100).at_once, 1);
    cr_expect_eq(plan_for(8, 7199).at_once, 1);
    cr_expect_eq(plan_for(8, 7200).at_once, 2);
    cr_expect_eq(plan_for(8, 9299).at_once, 2);
    cr_expect_eq(plan_for(8, 9300).at_once, 3);
    cr_expect_eq(plan_for(8, 10400).at_once, 4);
    cr_expect_eq(plan_for(2, 10400).at_once, 2);
}

Test(plan, graphs_are_kept_if_all_fit_together_with_the_work)
{
    cr_expect_not(plan_for(2, 10199).keep);
    cr_expect(plan_for(2, 10200).keep, "10000 of graphs, 200 of work");
}

Test(plan, one_that_does_not_fit_is_an_error_with_the_need)
{
    struct sized s;
    size_them(&s);
    s.all[2].graph_bytes = 20 << 20;
    struct plan p;
    struct hd_read_options opt = {.threads = 2, .max_memory = 1 << 20};
    struct hd_error err = {0};
    cr_expect_not(plan_graphs(&p, s.snaps, COUNT, hundred, &opt, &err));
    cr_expect_eq(err.status, HD_TOO_BIG);
    cr_expect_eq(err.snapshot, 3);
    cr_expect_str_eq(
        err.message,
        "analyzing its graph of 7 objects takes 21 MiB of memory; the limit is 1024 KiB");
    cr_expect_eq(err.topic, HD_ABOUT_GRAPH_MEMORY);
    cr_expect_not(plan_graphs(&p, s.snaps, COUNT, hundred, &opt, NULL));
}

Test(plan, snapshots_without_graphs_need_no_memory)
{
    struct hd_snapshot none = {0}, *snaps[] = {&none, &none};
    struct plan p;
    struct hd_read_options opt = {.threads = 2, .max_memory = 1};
    cr_expect(plan_graphs(&p, snaps, 2, plan_dominators, &opt, NULL));
    cr_expect_eq(p.at_once, 2);
    cr_expect(plan_graphs(&p, snaps, 0, plan_dominators, &opt, NULL));
    cr_expect_eq(p.at_once, 1);
}

Test(plan, dominators_take_more_the_more_references_there_are)
{
    cr_expect_eq(plan_dominators(1000, 0), 34000);
    cr_expect_eq(plan_dominators(1000, 1000), 34000);
    cr_expect_eq(plan_dominators(1000, 1600), 34000 + 600 * 12);
    cr_expect_eq(plan_walk(1000, 1600), 12000);
}

/* --- reports do not depend on it ------------------------------------------------- */

static void open_four(struct hd_snapshot **snaps)
{
    for (uint32_t k = 0; k < COUNT; k++)
        snaps[k] = shop(100 * (k + 1));
}

typedef struct hd_report *question(struct hd_comparison *, const struct hd_options *,
                                   struct hd_error *);

static char *json_of(question *ask, const struct hd_options *opt, unsigned threads)
{
    struct hd_snapshot *snaps[COUNT];
    open_four(snaps);
    struct hd_read_options how = {.threads = threads};
    struct hd_comparison *c = hd_comparison_of(snaps, COUNT, &how);
    struct hd_error err = {0};
    struct hd_report *r = ask(c, opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    char *json = written(r, "json");
    hd_report_free(r);
    hd_comparison_free(c);
    close_all(snaps, COUNT);
    return json;
}

static struct hd_report *roots(struct hd_comparison *c, const struct hd_options *opt,
                               struct hd_error *err)
{
    static const char *const types[] = {"App.Order"};
    struct hd_options with_type = *opt;
    with_type.types = types;
    with_type.type_count = 1;
    return hd_report_roots(c, &with_type, err);
}

Test(plan, reports_are_the_same_with_any_number_of_threads)
{
    question *const ask[] = {hd_report_diff, roots};
    for (size_t q = 0; q < 2; q++)
        for (unsigned how = 0; how < 4; how++) {
            struct hd_options opt = hd_default_options();
            opt.exact = how & 1;
            opt.by = how & 2 && q == 0 ? HD_BY_HOLDER : HD_BY_TYPE;
            char *one = json_of(ask[q], &opt, 1);
            static const unsigned threads[] = {1, 2, 3, 8};
            for (size_t t = 0; t < 4; t++) {
                char *several = json_of(ask[q], &opt, threads[t]);
                cr_expect_str_eq(several, one, "report %zu, options %u, %u threads", q, how,
                                 threads[t]);
                free(several);
            }
            free(one);
        }
}

/* --- progress ----------------------------------------------------------------------- */

struct told {
    pthread_mutex_t lock;
    uint64_t done[3], all[3];
};

static void listen(void *context, enum hd_phase phase, uint64_t more, uint64_t all)
{
    struct told *t = context;
    pthread_mutex_lock(&t->lock);
    t->done[phase] += more;
    t->all[phase] = all;
    pthread_mutex_unlock(&t->lock);
}

Test(plan, progress_counts_every_object_once)
{
    struct told t = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct hd_snapshot *snaps[COUNT];
    open_four(snaps);
    uint64_t nodes = 0;
    for (size_t k = 0; k < COUNT; k++)
        nodes += snaps[k]->node_count;
    struct hd_options opt = hd_default_options();
    struct hd_read_options how = {.threads = 3, .progress = listen, .progress_context = &t};
    struct hd_comparison *c = hd_comparison_of(snaps, COUNT, &how);
    opt.exact = true;
    hd_report_free(hd_report_diff(c, &opt, NULL));
    hd_comparison_free(c);
    cr_expect_eq(t.all[HD_FINDING_OWNERS], nodes);
    cr_expect_eq(t.done[HD_FINDING_OWNERS], nodes);
    cr_expect_eq(t.done[HD_FINDING_CHAINS], nodes, "exact chains look at all snapshots");
    cr_expect_eq(t.done[HD_READING], 0, "nothing was read");
    t = (struct told){.lock = PTHREAD_MUTEX_INITIALIZER};
    c = hd_comparison_of(snaps, 1, &how);
    hd_report_free(hd_report_top(c, &opt, NULL));
    hd_comparison_free(c);
    cr_expect_eq(t.all[HD_FINDING_OWNERS], snaps[0]->node_count);
    cr_expect_leq(t.done[HD_FINDING_OWNERS], snaps[0]->node_count);
    for (size_t k = 0; k < COUNT; k++)
        hd_snapshot_close(snaps[k]);
}

Test(plan, progress_of_reading_ends_at_the_size_of_the_file)
{
    struct told t = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct hd_read_options opt = {.progress = listen, .progress_context = &t};
    struct stat st;
    const char *text = "fixtures/heap-text/before.txt";
    struct hd_snapshot *snap = hd_snapshot_open(text, &opt, NULL);
    cr_assert_not_null(snap);
    cr_assert_eq(stat(text, &st), 0);
    cr_expect_eq(t.done[HD_READING], (uint64_t)st.st_size);
    cr_expect(snap->read.progress == NULL, "reading again is part of something else");
    hd_snapshot_close(snap);
}

Test(plan, every_report_of_a_graph_has_an_estimate_of_memory)
{
    struct hd_snapshot *snaps[COUNT];
    open_four(snaps);
    struct hd_options opt = hd_default_options();
    struct hd_read_options how = {.threads = 2, .max_memory = 10000};
    struct hd_comparison *all = hd_comparison_of(snaps, COUNT, &how),
                         *one = hd_comparison_of(&snaps[3], 1, &how);
    struct hd_error errors[5] = {{0}};
    cr_expect_null(hd_report_diff(all, &opt, &errors[0]));
    cr_expect_null(roots(all, &opt, &errors[1]));
    cr_expect_null(hd_report_top(one, &opt, &errors[2]));
    opt.by = HD_BY_HOLDER;
    cr_expect_null(hd_report_diff(all, &opt, &errors[3]));
    cr_expect_null(hd_report_top(one, &opt, &errors[4]));
    hd_comparison_free(all);
    hd_comparison_free(one);
    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(errors[i].status, HD_TOO_BIG, "%zu: %s", i, errors[i].message);
        cr_expect_eq(errors[i].topic, HD_ABOUT_GRAPH_MEMORY);
    }
    cr_expect_gt(errors[1].snapshot, 0);
    for (size_t k = 0; k < COUNT; k++)
        hd_snapshot_close(snaps[k]);
}
