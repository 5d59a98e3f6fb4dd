#include "chains/chain_owner.h"
#include "heap/names.h"
#include "render/written.h"
#include "support/asked.h"
#include "support/forge.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <jansson.h>

/* --- made heaps ------------------------------------------------------------------ */

Test(report_roots, instances_are_counted_in_every_snapshot_and_traced_in_the_last)
{
    struct hd_snapshot *snaps[SHOPS];
    open_shops(snaps);
    static const char *const types[] = {"Order"};
    struct hd_options opt = hd_default_options();
    opt.types = types;
    opt.type_count = 1;
    struct hd_report *r = ask_roots(snaps, SHOPS, &opt, NULL);
    close_all(snaps, SHOPS);
    cr_assert_not_null(r);
    for (size_t k = 0; k < SHOPS; k++)
        cr_expect_eq(r->roots.instances[k].count, 10 * (k + 1));
    cr_expect_eq(r->roots.matched_count, 1);
    cr_expect_str_eq(r->roots.matched[0], "App.Order");
    cr_expect_str_eq(r->roots.pattern, "Order");
    cr_assert_eq(r->roots.chains.len, 1);
    cr_expect_eq(r->roots.chains.instances, 40);
    cr_expect_eq(r->roots.chains.samples, 32);
    cr_expect_not(r->roots.chains.all[0].chain.exact);
    hd_report_free(r);
}

/* With any number of snapshots, the heading wraps to the next line ("held in"). */
Test(report_roots, the_heading_fits_any_width)
{
    enum { COUNT = 12 };
    struct hd_snapshot *snaps[COUNT];
    for (uint32_t k = 0; k < COUNT; k++)
        snaps[k] = shop(1000 + k);
    static const char *const types[] = {"Order"};
    struct hd_options ask = hd_default_options();
    ask.types = types;
    ask.type_count = 1;
    struct hd_report *r = ask_roots(snaps, COUNT, &ask, NULL);
    close_all(snaps, COUNT);
    cr_assert_not_null(r);
    for (unsigned width = 40; width <= 120; width += 10) {
        const struct hd_write_options opt = {.width = width};
        char *text = written_with(r, "text", &opt);
        cr_expect_not_null(strstr(text, "1,011"), "%s", text);
        for (const char *line = text; line[0] != 'h'; line += strcspn(line, "\n") + 1) {
            size_t len = strcspn(line, "\n");
            cr_assert_leq(utf8_columns(line, len), width, "%u: %.*s", width, (int)len,
                          line);
        }
        free(text);
    }
    hd_report_free(r);
}

/* Orders with addresses, in a list of this owner. */
static struct hd_snapshot *orders_of(const char *owner, uint32_t count)
{
    struct forge f = {0};
    node_id list = forge_object(&f, owner, 24 + 8 * (uint64_t)count);
    node_id orders = forge_objects(&f, "App.Order", 96, count);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", list);
    for (node_id i = 0; i < count; i++) {
        forge_reference(&f, list, orders + i);
        forge_generation(&f, orders + i, HD_GEN2);
    }
    return forge_finish(&f);
}

Test(report_roots, a_chain_that_is_gone_has_no_example)
{
    struct hd_snapshot *snaps[] = {orders_of("App.Old", 50), orders_of("App.New", 80)};
    static const char *const types[] = {"Order"};
    struct hd_options opt = hd_default_options();
    opt.types = types;
    opt.type_count = 1;
    struct hd_report *r = ask_roots(snaps, 2, &opt, NULL);
    cr_assert_not_null(r);
    size_t gone = 0, there = 0;
    for (size_t i = 0; i < r->roots.chains.len; i++) {
        const struct hd_chain_row *c = &r->roots.chains.all[i];
        bool is_there = c->chain.count > 0;
        cr_expect_eq(c->address != 0, is_there, "%llx", (unsigned long long)c->address);
        cr_expect_eq(c->generation, is_there ? HD_GEN2 : HD_GEN_UNKNOWN);
        *(is_there ? &there : &gone) += 1;
    }
    cr_expect_eq(there, 1);
    cr_expect_eq(gone, 1);
    close_all(snaps, 2);
    hd_report_free(r);
}

/* Few orders of the first snapshot have another holder, none of the last; samples cannot
 * exclude chance. */
static struct hd_snapshot *held_two_ways(uint32_t otherwise)
{
    enum { ALL = 2000 };
    struct forge f = {0};
    node_id list = forge_object(&f, "App.List", 24),
            queue = forge_object(&f, "App.Queue", 24);
    node_id first = forge_objects(&f, "App.Order", 32, ALL);
    for (uint32_t i = 0; i < ALL; i++)
        forge_reference(&f, i < otherwise ? queue : list, first + i);
    forge_root(&f, HD_ROOT_STATIC, "App.s_list", list);
    forge_root(&f, HD_ROOT_STATIC, "App.s_queue", queue);
    return forge_finish(&f);
}

Test(report_roots, a_chain_without_instances_is_omitted)
{
    struct hd_snapshot *snaps[] = {held_two_ways(100), held_two_ways(0)};
    struct hd_options opt = hd_default_options();
    const char *type = "App.Order";
    struct hd_error err = {0};
    opt.types = &type;
    opt.type_count = 1;
    opt.samples = 60;
    opt.chains = 10;
    struct hd_report *r = ask_roots(snaps, 2, &opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    close_all(snaps, 2);
    double sum = 0;
    for (size_t i = 0; i < r->roots.chains.len; i++) {
        cr_expect_gt(r->roots.chains.all[i].chain.share, 0);
        sum += r->roots.chains.all[i].chain.share;
    }
    cr_expect_float_eq(sum + r->roots.chains.omitted_share, 1, 1e-9);
    char *text = written(r, "text");
    expect_no_part(text, "0 % (0");
    free(text);
    hd_report_free(r);
}

Test(report_roots, several_types_are_taken_together)
{
    struct hd_report *r = roots_of(shop(3), "App.*", hd_default_options());
    cr_assert_eq(r->roots.matched_count, 3);
    cr_expect_str_eq(r->roots.matched[0], "App.Order");
    cr_expect_str_eq(r->roots.matched[1], "App.Order[]");
    cr_expect_str_eq(r->roots.matched[2], "App.Shop");
    cr_expect_eq(r->roots.chains.instances, 5);
    char *text = written(r, "text");
    expect_part(text, "App.*  (3 types)  5 instances");
    free(text);
    hd_report_free(r);
}

Test(report_roots, groups_beyond_the_wanted_ones_are_summed)
{
    struct hd_options opt = hd_default_options();
    opt.chains = 1;
    struct hd_report *r = roots_of(shop(3), "System.String", opt);
    cr_assert_eq(r->roots.chains.len, 1);
    cr_expect_float_eq(r->roots.chains.all[0].chain.share, 0.75, 1e-12);
    cr_expect_eq(r->roots.chains.omitted, 1);
    cr_expect_float_eq(r->roots.chains.omitted_share, 0.25, 1e-12);
    char *text = written(r, "text");
    expect_part(text, "\n\n1 other chain holds 25 %");
    free(text);
    hd_report_free(r);
}

Test(report_roots, long_chains_are_cut_in_the_middle)
{
    struct hd_options opt = hd_default_options();
    opt.depth = 3;
    struct hd_report *r = roots_of(shop(3), "App.Order", opt);
    const struct hd_chain_row *c = &r->roots.chains.all[0];
    cr_assert_eq(c->chain.frame_count, 3);
    cr_expect_str_eq(c->chain.frames[0].types[0], "[static vars]");
    cr_expect_str_eq(c->chain.frames[1].types[0], "[static var App.Shop.s_orders]");
    cr_expect_str_eq(c->chain.frames[2].types[0], "App.Order");
    cr_expect_eq(c->frames_omitted, 2);
    cr_expect_eq(c->omitted_at, 2);
    hd_report_free(r);
}

Test(report_roots, the_example_has_an_address_and_a_generation_if_they_are_known)
{
    struct forge f = {0};
    node_id order = forge_object(&f, "App.Order", 24);
    forge_generation(&f, order, HD_GEN_LOH);
    forge_root(&f, HD_ROOT_STACK, NULL, order);
    struct hd_report *r = roots_of(forge_finish(&f), "Order", hd_default_options());
    cr_expect_eq(r->roots.chains.all[0].address, forge_address(HD_GEN_LOH, order));
    cr_expect_eq(r->roots.chains.all[0].generation, HD_GEN_LOH);
    hd_report_free(r);
    r = roots_of(shop(1), "Order", hd_default_options());
    cr_expect_eq(r->roots.chains.all[0].address, 0);
    cr_expect_eq(r->roots.chains.all[0].generation, HD_GEN_UNKNOWN);
    hd_report_free(r);
}

Test(report_roots, unknown_bytes_of_one_type_make_the_sum_unknown)
{
    struct forge f = {0};
    forge_row(&f, "App.Order", 1, HD_UNKNOWN);
    forge_row(&f, "App.Shop", 1, 10);
    struct hd_snapshot *snaps[] = {forge_finish(&f), shop(3)};
    static const char *const types[] = {"App.*"};
    struct hd_options opt = hd_default_options();
    opt.types = types;
    opt.type_count = 1;
    struct hd_report *r = ask_roots(snaps, 2, &opt, NULL);
    close_all(snaps, 2);
    cr_assert_not_null(r);
    cr_expect_eq(r->roots.instances[0].count, 2);
    cr_expect_eq(r->roots.instances[0].bytes, HD_UNKNOWN);
    hd_report_free(r);
}

/* --- questions that cannot be answered ------------------------------------------------ */

static void expect_refused(struct hd_snapshot *first, struct hd_snapshot *last,
                           const char *type, bool gen2, unsigned snapshot)
{
    struct hd_snapshot *snaps[] = {first, last};
    struct hd_options opt = hd_default_options();
    opt.types = &type;
    opt.type_count = type != NULL;
    opt.gen2 = gen2;
    struct hd_error err = {0};
    cr_expect_null(ask_roots(snaps, 2, &opt, &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_eq(err.snapshot, snapshot, "%u: %s", err.snapshot, err.message);
    cr_expect_null(ask_roots(snaps, 2, &opt, NULL));
    close_all(snaps, 2);
}

Test(report_roots, no_type_no_graph_no_root_no_match_are_refused)
{
    struct forge f = {0};
    forge_object(&f, "App.Order", 24);
    expect_refused(shop(1), shop(2), NULL, false, 0);
    expect_refused(shop(1), table_of("App.Order", 1, 24), "Order", false, 2);
    expect_refused(shop(1), forge_finish(&f), "Order", false, 2);
    expect_refused(shop(1), shop(2), "Missing", false, 2);
    expect_refused(shop(1), shop(2), "Order", true, 1);
}

Test(report_roots, a_group_of_roots_is_not_a_type)
{
    expect_refused(shop(1), shop(2), "[static vars]", false, 2);
}

/* --- real heaps ------------------------------------------------------ */

/* Chains as canonical names, folded; numbers represent names. */
struct namer {
    char *names[512];
    uint32_t count;
};

static uint32_t number_of(struct namer *n, const char *name)
{
    uint32_t i = 0;
    while (i < n->count && strcmp(n->names[i], name) != 0)
        i++;
    if (i == n->count) {
        cr_assert_lt(n->count, sizeof(n->names) / sizeof(*n->names));
        n->names[n->count++] = strdup(name);
    }
    return i;
}

static struct signature expected_path(struct namer *n, const json_t *truth)
{
    const json_t *path = json_object_get(truth, "holder_path");
    struct signature s = {0};
    for (size_t i = 0; i < json_array_size(path); i++) {
        const char *raw = json_string_value(json_array_get(path, i));
        struct text name = {0};
        names_canonical(&name, raw, strlen(raw));
        signature_push(&s, number_of(n, text_string(&name)), NO_FIELD);
        text_free(&name);
    }
    cr_assert_gt(s.len, 2);
    return s;
}

static struct signature found_path(struct namer *n, const struct hd_chain *c)
{
    struct signature s = {0};
    for (size_t i = 0; i < c->frame_count; i++)
        for (unsigned t = 0; t < c->frames[i].type_count; t++)
            signature_push(&s, number_of(n, c->frames[i].types[t]), NO_FIELD);
    return s;
}

static bool ends_with(const struct signature *s, const struct signature *tail)
{
    if (s->len < tail->len)
        return false;
    for (size_t i = 0; i < tail->len; i++)
        if (s->all[s->len - tail->len + i].type != tail->all[i].type)
            return false;
    return true;
}

/* The share of the group of chains that ends with the path of truth.json. */
static double share_of_path(const struct hd_report *r, const json_t *truth)
{
    struct namer names = {0};
    struct signature wanted = expected_path(&names, truth);
    double share = 0;
    for (size_t i = 0; i < r->roots.chains.len; i++) {
        struct signature got = found_path(&names, &r->roots.chains.all[i].chain);
        if (ends_with(&got, &wanted))
            share += r->roots.chains.all[i].chain.share;
        signature_free(&got);
    }
    signature_free(&wanted);
    for (uint32_t i = 0; i < names.count; i++)
        free(names.names[i]);
    return share;
}

static const char *primary_culprit(const json_t *truth)
{
    const json_t *all = json_object_get(truth, "culprits");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *c = json_array_get(all, i);
        if (strcmp(json_string_value(json_object_get(c, "role")), "primary") == 0)
            return json_string_value(json_object_get(c, "type"));
    }
    return NULL;
}

/* In the last snapshot the culprit is at the path from the program's source, with at least
 * this share of its instances. */
static void expect_holder(const char *series, double least_share, struct hd_options opt)
{
    char path[128];
    snprintf(path, sizeof(path), "fixtures/leaklab/expected/%s/truth.json", series);
    json_t *truth = json_load_file(path, 0, NULL);
    cr_assert_not_null(truth, "%s", path);
    snprintf(path, sizeof(path), "fixtures/leaklab/%s/5.gcdump*", series);
    glob_t found = {0};
    cr_assert_eq(glob(path, 0, NULL, &found), 0, "%s", path);
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(found.gl_pathv[0], NULL, &err);
    cr_assert_not_null(snap, "%s", err.message);
    struct hd_report *r = roots_of(snap, primary_culprit(truth), opt);
    double share = share_of_path(r, truth);
    cr_expect_geq(share, least_share, "%s: %.3f", series, share);
    hd_report_free(r);
    globfree(&found);
    json_decref(truth);
}

Test(report_roots, the_holders_of_real_leaks_are_found)
{
    expect_holder("cache", 0.9, hd_default_options());
    expect_holder("density", 0.9, hd_default_options());
    expect_holder("events", 0.9, hd_default_options());
    expect_holder("timers", 0.9, hd_default_options());
}

/* Half of the strings are elsewhere: all have to be examined. */
Test(report_roots, a_leak_among_many_holders_is_found_with_enough_samples)
{
    struct hd_options opt = hd_default_options();
    opt.samples = 100000;
    opt.chains = 10000;
    expect_holder("list", 7500.0 / 15521, opt);
}

/* The first failure is kept, and names its snapshot. */
Test(report_roots, an_error_that_is_already_set_stays_as_it_is)
{
    static const char *const pattern[] = {"App.Order"};
    struct hd_snapshot *snaps[] = {shop(10), shop(20)};
    struct hd_options opt = hd_default_options();
    opt.types = pattern;
    opt.type_count = 1;
    for (int how = 0; how < 3; how++) {
        struct hd_error err = {.status = HD_IO, .message = "before"};
        struct hd_read_options limit = {.max_memory = how == 0 ? 1 : 0};
        struct hd_comparison *c = hd_comparison_of(snaps, 2, &limit);
        opt.type_count = how == 1 ? 0 : 1;
        opt.gen2 = how == 2;
        cr_expect_null(hd_report_roots(c, &opt, &err));
        hd_comparison_free(c);
        cr_expect_eq(err.status, HD_IO);
        cr_expect_eq(err.snapshot, 0, "case %d", how);
        cr_expect_str_eq(err.message, "before");
    }
    close_all(snaps, 2);
}

/* Found by fuzzing: a node above all root groups has no chain. */
Test(report_roots, the_root_of_all_roots_may_itself_be_an_instance)
{
    struct forge f = {0};
    node_id top = forge_object(&f, "App.Order", 24);
    node_id statics = forge_pseudo(&f, "[static vars]");
    forge_reference(&f, top, statics);
    forge_reference(&f, statics, forge_object(&f, "App.Order", 24));
    forge_start(&f, top);
    struct hd_options opt = hd_default_options();
    opt.exact = true;
    struct hd_report *r = roots_of(forge_finish(&f), "App.Order", opt);
    cr_expect_eq(r->roots.chains.instances, 2);
    cr_expect_eq(r->roots.chains.len + r->roots.chains.omitted, 2);
    hd_report_free(r);
}

/* --- what it usually is ---------------------------------------------------------- */

/* `count` views that listen to one feed, and a list of the same number of names in it. */
static struct hd_snapshot *feed_of(uint32_t count)
{
    struct forge f = {0};
    node_id feed = forge_object(&f, "App.Feed", 40);
    node_id handler = forge_object(&f, "System.EventHandler", 64);
    node_id handlers = forge_object(&f, "System.Object[]", 24 + 8 * (uint64_t)count);
    node_id list = forge_object(&f, "System.Collections.Generic.List<App.Name>", 32);
    node_id names = forge_object(&f, "App.Name[]", 24 + 8 * (uint64_t)count);
    forge_reference(&f, feed, handler);
    forge_reference(&f, handler, handlers);
    forge_reference(&f, feed, list);
    forge_reference(&f, list, names);
    for (uint32_t i = 0; i < count; i++) {
        node_id each = forge_object(&f, "System.EventHandler", 64);
        forge_reference(&f, handlers, each);
        forge_reference(&f, each, forge_object(&f, "App.View", 48));
        forge_reference(&f, names, forge_object(&f, "App.Name", 24));
    }
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_feed", feed);
    return forge_finish(&f);
}

static struct hd_report *roots_of_feeds(const char *type, uint32_t first, uint32_t last,
                                        size_t count)
{
    struct hd_snapshot *snaps[] = {feed_of(first), feed_of(last)};
    struct hd_options opt = hd_default_options();
    opt.types = &type;
    opt.type_count = 1;
    opt.exact = true;
    struct hd_report *r = ask_roots(snaps + 2 - count, count, &opt, NULL);
    close_all(snaps, 2);
    cr_assert_not_null(r);
    cr_assert_eq(r->roots.chains.len, 1);
    return r;
}

static void expect_hint_of(const char *type, uint32_t first, uint32_t last, size_t count,
                           const char *wanted)
{
    struct hd_report *r = roots_of_feeds(type, first, last, count);
    const char *hint = r->roots.chains.all[0].hint;
    cr_expect_str_eq(hint != NULL ? hint : "none", wanted, "%s of %u and %u", type, first,
                     last);
    hd_report_free(r);
}

Test(report_roots, a_chain_has_the_hint_of_a_type_on_it)
{
    expect_hint_of("App.View", 10, 40, 2, "event-not-unsubscribed");
    expect_hint_of("App.View", 10, 40, 1, "event-not-unsubscribed");
    expect_hint_of("App.Name", 10, 40, 2, "collection-never-emptied");
}

Test(report_roots, types_that_do_not_pile_up_have_no_hint)
{
    expect_hint_of("App.View", 40, 40, 2, "none");
    expect_hint_of("App.View", 40, 10, 2, "none");
    /* A generic collection proves nothing. */
    expect_hint_of("App.Name", 10, 40, 1, "none");
}

Test(report_roots, owner_and_hint_are_given_in_words)
{
    struct hd_report *r = roots_of_feeds("App.View", 10, 40, 2);
    char *json = written(r, "json"), *text = written(r, "text");
    cr_expect_str_eq(r->roots.chains.all[0].held_by, "Feed");
    expect_part(json, "\"held_by\": \"Feed\"");
    expect_part(json, "\"hint\": \"event-not-unsubscribed\"");
    expect_part(text, "FIX  Handlers are added");
    expect_part(text, "heapdrift help hint event-not-unsubscribed");
    free(json);
    free(text);
    hd_report_free(r);
}
