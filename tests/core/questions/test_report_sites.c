/* Sites that allocated the objects of suspects: from samples to every format. */
#include "identity/places.h"
#include "render/written.h"
#include "report/phrases.h"
#include "support/made_sites.h"

#include <jansson.h>

enum { SERIES = 5, PER_STEP = 400, LARGE = 1000 };

/* Collection of snapshot k: 10 * (k + 1). */
static uint32_t collection_of(size_t k)
{
    return 10 * ((uint32_t)k + 1);
}

/* A constant table, and a list to which orders are added in each step; each order has a
 * text. Nodes: 0 shop, 1 array, 2 table, then orders, then texts. */
enum { FIRST_ORDER = 3 };

static uint32_t orders_in(size_t k)
{
    return PER_STEP * ((uint32_t)k + 1);
}

static node_id order_at(size_t k, uint32_t i)
{
    cr_assert_lt(i, orders_in(k));
    return FIRST_ORDER + i;
}

static node_id text_at(size_t k, uint32_t i)
{
    return FIRST_ORDER + orders_in(k) + i;
}

static struct hd_snapshot *shop_at(size_t k)
{
    struct forge f = {0};
    uint32_t orders = orders_in(k);
    node_id top = forge_object(&f, "Shop.Checkout", 24);
    node_id array = forge_object(&f, "Shop.Order[]", 16 + 8 * (uint64_t)orders);
    node_id table = forge_object(&f, "Shop.Table", 500000);
    node_id order = forge_objects(&f, "Shop.Order", LARGE, orders);
    node_id text = forge_objects(&f, "System.String", 40, orders);
    forge_reference(&f, top, array);
    for (uint32_t i = 0; i < orders; i++) {
        forge_reference(&f, array, order + i);
        forge_reference(&f, order + i, text + i);
    }
    for (node_id n = 0; n < text + orders; n++)
        forge_generation(&f, n, HD_GEN2);
    forge_root(&f, HD_ROOT_STATIC, "Shop.Checkout.s_orders", top);
    forge_root(&f, HD_ROOT_STATIC, "Shop.Table.s_table", table);
    struct hd_snapshot *snap = forge_finish(&f);
    snap->clock = 60.0 * (double)k;
    snap->clock_is_date = true;
    return snap;
}

#define ADD "Shop.Checkout.Add@Checkout.cs:42"
#define POST "Shop.OrdersController.Post"
#define HOST " < -System.Net.Listen < -System.Threading.Run"
#define USUAL ADD " < " POST HOST

/* Samples: one order per interval, and a second of interval 2; a text of the last. Not
 * counted: objects of the first snapshot, the table, and an object without a suspect above
 * it. */
static size_t samples_at(size_t k, struct made_sample *all)
{
    size_t count = 0;
    all[count++] = (struct made_sample){order_at(k, 7), USUAL, collection_of(0)};
    all[count++] = (struct made_sample){2, "Shop.Table.Load" HOST, collection_of(0) + 1};
    for (uint32_t j = 1; j <= k; j++) {
        uint32_t i = PER_STEP * j + 5;
        all[count++] = (struct made_sample){order_at(k, i), USUAL, collection_of(j)};
        if (j == 2)
            all[count++] = (struct made_sample){
                order_at(k, i + 9), ADD " < Shop.Import.Run" HOST, collection_of(j)};
        if (j == 4)
            all[count++] = (struct made_sample){
                text_at(k, i), "-System.String.Concat < Shop.Order.ToText" HOST,
                collection_of(j)};
    }
    return count;
}

static void sampled_series(struct hd_snapshot *snaps[SERIES])
{
    for (size_t k = 0; k < SERIES; k++) {
        struct made_sample all[2 * SERIES + 4];
        snaps[k] = shop_at(k);
        made_sites(snaps[k], collection_of(k), all, samples_at(k, all));
    }
}

static struct hd_report *sampled_diff(void)
{
    struct hd_snapshot *snaps[SERIES];
    sampled_series(snaps);
    return diff_of(snaps, SERIES, NULL);
}

static const struct hd_allocations *allocated(const struct hd_report *r)
{
    const struct hd_diff *d = hd_report_model(r)->diff;
    cr_assert(d->suspect_count > 0);
    cr_expect_str_eq(d->suspects[0].type, "Shop.Order");
    return d->suspects[0].allocated;
}

/* --- found --------------------------------------------------------------------------- */

Test(report_sites, samples_of_a_suspect_are_those_at_and_below_its_places)
{
    struct hd_report *r = sampled_diff();
    const struct hd_allocations *a = allocated(r);
    cr_assert_not_null(a);
    cr_expect_eq(a->samples, 6,
                 "of orders and what they hold, without the first snapshot's");
    cr_assert_eq(a->site_count, 2);
    cr_expect_str_eq(a->sites[0].code->method, "Shop.Checkout.Add");
    cr_expect_str_eq(a->sites[0].code->file, "Checkout.cs");
    cr_expect_eq(a->sites[0].code->line, 42);
    cr_expect_str_eq(a->sites[0].caller->method, POST, "of most of its samples");
    cr_expect_eq(a->sites[0].samples, 5);
    cr_expect_eq(a->sites[0].stack_count, 2);
    cr_expect_str_eq(a->sites[1].code->method, "Shop.Order.ToText", "own frames count");
    hd_report_free(r);
}

Test(report_sites, samples_are_counted_by_the_interval_that_made_them)
{
    struct hd_report *r = sampled_diff();
    const struct hd_allocations *a = allocated(r);
    static const uint64_t wanted[SERIES] = {HD_UNKNOWN, 1, 2, 1, 2};
    cr_assert_not_null(a->at);
    cr_expect_arr_eq(a->at, wanted, sizeof(wanted));
    cr_expect(a->in_every_interval);
    cr_expect_eq(a->sites[1].at[4], 1);
    cr_expect_eq(a->sites[1].at[2], 0);
    hd_report_free(r);
}

/* One stack has three samples of line 42; three stacks have seven of line 10: four from
 * Import, three from Post. */
Test(report_sites, the_first_line_and_the_caller_are_those_of_most_samples)
{
    static const char *const stacks[] = {
        ADD " < Shop.Other.Run",
        "Shop.Checkout.Add@Checkout.cs:10 < Shop.Import.Run@I.cs:1",
        "Shop.Checkout.Add@Checkout.cs:10 < Shop.Import.Run@I.cs:2",
        "Shop.Checkout.Add@Checkout.cs:10 < " POST};
    static const uint32_t counts[] = {3, 2, 2, 3};
    struct hd_snapshot *snaps[SERIES];
    for (size_t k = 0; k < SERIES; k++) {
        struct made_sample all[10];
        size_t count = 0;
        snaps[k] = shop_at(k);
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t j = 0; j < counts[i]; j++, count++)
                all[count] = (struct made_sample){
                    order_at(k, PER_STEP * (uint32_t)k + (uint32_t)count), stacks[i],
                    collection_of(k)};
        made_sites(snaps[k], collection_of(k), all, count);
    }
    struct hd_report *r = diff_of(snaps, SERIES, NULL);
    const struct hd_allocations *a = allocated(r);
    cr_assert_eq(a->site_count, 1);
    cr_expect_eq(a->sites[0].samples, 10);
    cr_expect_eq(a->sites[0].code->line, 10);
    cr_expect_str_eq(a->sites[0].caller->method, "Shop.Import.Run");
    char *text = written(r, "text");
    expect_line(text, "allocated",
                "Shop.Checkout.Add (Checkout.cs:10, 42) ← Import.Run   10 of 10 samples");
    free(text);
    hd_report_free(r);
}

/* The data of a page must not be dominated by stacks. */
Test(report_sites, the_first_of_many_sites_and_stacks_are_kept)
{
    enum { EACH = 60 };
    struct hd_snapshot *snaps[SERIES];
    for (size_t k = 0; k < SERIES; k++) {
        struct made_sample all[EACH];
        char names[EACH][64];
        snaps[k] = shop_at(k);
        for (uint32_t i = 0; i < EACH; i++) {
            snprintf(names[i], sizeof(names[i]), "Shop.Make%u < Shop.By%u", i % 15, i);
            all[i] = (struct made_sample){order_at(k, PER_STEP * (uint32_t)k + i), names[i],
                                          collection_of(k)};
        }
        made_sites(snaps[k], collection_of(k), all, EACH);
    }
    struct hd_report *r = diff_of(snaps, SERIES, NULL);
    const struct hd_allocations *a = allocated(r);
    cr_expect_eq(a->samples, EACH);
    cr_assert_eq(a->site_count, 10);
    cr_expect_eq(a->sites[0].samples, 4);
    hd_report_free(r);
    for (size_t k = 0; k < SERIES; k++) {
        struct made_sample all[EACH];
        char names[EACH][64];
        snaps[k] = shop_at(k);
        for (uint32_t i = 0; i < EACH; i++) {
            snprintf(names[i], sizeof(names[i]), "Shop.Make < Shop.By%u", i);
            all[i] = (struct made_sample){order_at(k, PER_STEP * (uint32_t)k + i), names[i],
                                          collection_of(k)};
        }
        made_sites(snaps[k], collection_of(k), all, EACH);
    }
    r = diff_of(snaps, SERIES, NULL);
    a = allocated(r);
    cr_assert_eq(a->site_count, 1);
    cr_expect_eq(a->sites[0].samples, EACH);
    cr_expect_eq(a->sites[0].stack_count, 5);
    hd_report_free(r);
}

Test(report_sites, the_ways_up_from_a_site_share_what_they_have_in_common)
{
    struct hd_report *r = sampled_diff();
    const struct hd_allocations *a = allocated(r);
    cr_assert_eq(a->node_count, 4);
    cr_expect_eq(a->nodes[0].samples, 5);
    cr_expect_eq(a->nodes[0].code_count, 1);
    cr_expect_eq(a->nodes[1].depth, 1);
    cr_expect_str_eq(a->nodes[1].codes[0].method, POST, "most samples first");
    cr_expect_eq(a->nodes[1].samples, 4);
    cr_expect_str_eq(a->nodes[2].codes[0].method, "Shop.Import.Run");
    cr_expect_eq(a->nodes[3].depth, 0);
    cr_assert_eq(a->nodes[3].code_count, 2, "the innermost frame, and the program's");
    cr_expect_str_eq(a->nodes[3].codes[0].method, "System.String.Concat");
    hd_report_free(r);
}

/* PGO inlines delegates into the framework: samples with own frames are better evidence. */
Test(report_sites, methods_of_the_program_precede_those_of_the_framework)
{
    struct hd_snapshot *snaps[SERIES];
    for (size_t k = 0; k < SERIES; k++) {
        struct made_sample all[3 * SERIES];
        size_t count = 0;
        snaps[k] = shop_at(k);
        for (uint32_t j = 1; j <= k; j++) {
            uint32_t i = PER_STEP * j;
            all[count++] = (struct made_sample){order_at(k, i), "-System.Run < -System.Go",
                                                collection_of(j)};
            all[count++] = (struct made_sample){
                order_at(k, i + 1), "-System.Run < -System.Go", collection_of(j)};
            if (j == 1)
                all[count++] =
                    (struct made_sample){order_at(k, i + 2), ADD HOST, collection_of(j)};
        }
        made_sites(snaps[k], collection_of(k), all, count);
    }
    struct hd_report *r = diff_of(snaps, SERIES, NULL);
    const struct hd_allocations *a = allocated(r);
    cr_assert_eq(a->site_count, 2);
    cr_expect_str_eq(a->sites[0].code->method, "Shop.Checkout.Add");
    cr_expect_null(a->sites[0].caller);
    cr_expect_eq(a->sites[0].samples, 1);
    cr_expect_str_eq(a->sites[1].code->method, "System.Run");
    cr_expect_str_eq(a->sites[1].caller->method, "System.Go");
    char *text = written(r, "text");
    expect_line(text, "allocated", "Shop.Checkout.Add (Checkout.cs:42)   1 of 9 samples");
    free(text);
    hd_report_free(r);
}

/* Writes the survivor map: all objects survived except the array, which was replaced. */
static void tell(struct hd_snapshot *newer, const struct hd_snapshot *older, size_t k)
{
    struct places a = places_of(older), b = places_of(newer);
    uint32_t *older_of = calloc(b.len, sizeof(*older_of));
    for (uint32_t i = 0; i < b.len; i++) {
        node_id n = b.all[i].object, text = text_at(k, 0);
        uint32_t order = n >= text ? n - text : n - FIRST_ORDER;
        if (n < FIRST_ORDER)
            older_of[i] = n != 1 ? n : UINT32_MAX;
        else if (order >= orders_in(k - 1))
            older_of[i] = UINT32_MAX;
        else
            older_of[i] = n >= text ? text_at(k - 1, order) : order_at(k - 1, order);
    }
    struct survivor_side from = {places_token(&a), (uint32_t)a.len},
                         to = {places_token(&b), (uint32_t)b.len};
    struct survivor_map *map = arena_alloc(&newer->arena, sizeof(*map));
    *map = survivor_map_write(&from, &to, older_of, &newer->arena);
    newer->survivor_map = map;
    free(older_of);
    places_free(&a);
    places_free(&b);
}

Test(report_sites, without_collections_the_interval_comes_from_ages)
{
    struct hd_snapshot *snaps[SERIES];
    for (size_t k = 0; k < SERIES; k++) {
        struct made_sample all[2 * SERIES + 4];
        size_t count = samples_at(k, all);
        snaps[k] = shop_at(k);
        made_sites(snaps[k], 0, all, count);
        if (k > 0)
            tell(snaps[k], snaps[k - 1], k);
    }
    struct hd_report *r = diff_of(snaps, SERIES, NULL);
    const struct hd_allocations *a = allocated(r);
    cr_assert_not_null(a);
    cr_assert_not_null(a->at);
    cr_expect_eq(a->samples, 6);
    cr_expect_eq(a->at[1], 1);
    char *text = written(r, "text");
    expect_part(text, "allocated in every interval, and all objects survive");
    free(text);
    hd_report_free(r);
}

/* --- said nothing --------------------------------------------------------------------- */

Test(report_sites, without_sampling_nothing_is_reported)
{
    struct hd_snapshot *snaps[SERIES];
    for (size_t k = 0; k < SERIES; k++)
        snaps[k] = shop_at(k);
    struct hd_report *r = diff_of(snaps, SERIES, NULL);
    cr_expect_null(allocated(r));
    char *text = written(r, "text");
    expect_no_part(text, "allocated");
    expect_no_part(text, "ALLOCATED");
    free(text);
    hd_report_free(r);
}

Test(report_sites, sites_of_another_snapshot_are_ignored)
{
    struct hd_snapshot *snaps[SERIES];
    sampled_series(snaps);
    struct allocation_sites other = *snaps[SERIES - 1]->sites;
    other.token++;
    snaps[SERIES - 1]->sites = &other;
    struct hd_report *r = diff_of(snaps, SERIES, NULL);
    const struct hd_allocations *a = allocated(r);
    cr_assert(a != NULL && a->samples == 0 && !a->is_whole);
    hd_report_free(r);
}

static struct hd_report *without_samples(uint64_t unnamed, double seconds)
{
    struct hd_snapshot *snaps[SERIES];
    struct allocation_sites *last;
    for (size_t k = 0; k < SERIES; k++) {
        snaps[k] = shop_at(k);
        snaps[k]->clock = seconds * (double)k;
        made_sites(snaps[k], collection_of(k), NULL, 0);
        last = (struct allocation_sites *)snaps[k]->sites;
        last->unnamed = unnamed;
        last->per_sample = 1 << 20;
        last->sampled = 40;
    }
    return diff_of(snaps, SERIES, NULL);
}

/* 1.6 MB in four minutes; 4 MiB would be enough. */
Test(report_sites, a_suspect_without_a_sample_has_a_time_to_wait)
{
    struct hd_report *r = without_samples(0, 60);
    const struct hd_allocations *a = allocated(r);
    cr_assert_not_null(a);
    cr_expect_eq(a->samples, 0);
    cr_expect_eq(a->site_count, 0);
    cr_expect(a->wait_seconds > 300 && a->wait_seconds < 420, "%llu",
              (unsigned long long)a->wait_seconds);
    char *text = written(r, "text");
    expect_part(text,
                "allocated   too little for a sample: 1.59 MiB so far, at most about");
    expect_part(text, " more minutes");
    free(text);
    hd_report_free(r);
    r = without_samples(0, 6000);
    text = written(r, "text");
    expect_part(text, " more hours");
    free(text);
    hd_report_free(r);
    r = without_samples(3, 60);
    text = written(r, "text");
    expect_part(text, "allocated   unknown: 3 samples without names of methods");
    free(text);
    hd_report_free(r);
}

/* As when the process does not answer in time, another tool consumes the samples, or an
 * interval exceeded a limit. */
Test(report_sites, without_samples_of_every_interval_no_time_is_given)
{
    for (size_t lost = 1; lost <= SERIES; lost++) {
        struct hd_snapshot *snaps[SERIES];
        for (size_t k = 0; k < SERIES; k++) {
            snaps[k] = shop_at(k);
            snaps[k]->clock = 60 * (double)k;
            made_sites(snaps[k], collection_of(k), NULL, 0);
            struct allocation_sites *made = (struct allocation_sites *)snaps[k]->sites;
            made->sampled = lost == SERIES ? 0 : 40;
            made->per_sample = 1 << 20;
            if (k == lost)
                snaps[k]->sites = NULL;
        }
        struct hd_report *r = diff_of(snaps, SERIES, NULL);
        const struct hd_allocations *a = allocated(r);
        cr_assert(a != NULL && !a->is_whole, "%zu", lost);
        cr_expect_eq(a->wait_seconds, HD_UNKNOWN);
        char *text = written(r, "text");
        /* Without the last interval the weight of a sample is unknown. */
        expect_part(text, lost == SERIES - 1
                              ? "allocated   unknown: none of its objects was sampled"
                              : "allocated   unknown: not every interval was sampled");
        free(text);
        hd_report_free(r);
    }
}

/* --- shown ---------------------------------------------------------------------------- */

static char *brief(const struct hd_report *r)
{
    return written_with(r, "text", NULL);
}

Test(report_sites, the_first_screen_has_a_line_about_sites)
{
    struct hd_report *r = sampled_diff();
    char *text = brief(r);
    size_t lines = 0;
    expect_line(text, "allocated", "Checkout.Add (Checkout.cs:42) ← OrdersController.Post");
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    cr_expect_leq(lines, 14, "%s", text);
    free(text);
    hd_report_free(r);
}

static struct hd_report *few_samples(void)
{
    struct hd_snapshot *snaps[SERIES];
    for (size_t k = 0; k < SERIES; k++) {
        struct made_sample one = {order_at(k, k > 0 ? PER_STEP : 0), USUAL,
                                  collection_of(1)};
        snaps[k] = shop_at(k);
        made_sites(snaps[k], collection_of(k), &one, k > 0);
    }
    return diff_of(snaps, SERIES, NULL);
}

Test(report_sites, below_three_samples_it_is_as_far_as_seen)
{
    struct hd_report *r = few_samples();
    char *text = brief(r);
    expect_part(text, "as far as seen: 1 sample");
    cr_expect_not(allocated(r)->in_every_interval);
    expect_no_part(text, "every interval");
    free(text);
    hd_report_free(r);
}

Test(report_sites, details_have_a_tree_with_counts_by_interval)
{
    struct hd_report *r = sampled_diff();
    char *text = written(r, "text"), *markdown = written(r, "md"),
         *html = written(r, "html");
    expect_part(text, "\nALLOCATED");
    expect_line(text, "Shop.Checkout.Add", "5");
    expect_line(text, "Shop.OrdersController.Post", "1 1 1 1");
    expect_line(text, "System.String.Concat", "Shop.Order.ToText");
    expect_part(markdown, "Shop.OrdersController.Post");
    expect_part(html, "Shop.OrdersController.Post");
    free(text);
    free(markdown);
    free(html);
    hd_report_free(r);
}

Test(report_sites, json_has_sites_with_their_stacks)
{
    struct hd_report *r = sampled_diff();
    char *text = written(r, "json");
    json_t *document = json_loads(text, 0, NULL);
    const json_t *suspect = json_array_get(json_object_get(document, "suspects"), 0),
                 *sites = json_object_get(suspect, "sites"),
                 *first = json_array_get(sites, 0),
                 *sampling = json_object_get(suspect, "sampling");
    const char *method, *caller;
    int samples, all;
    cr_assert_eq(json_array_size(sites), 2);
    cr_assert_eq(json_unpack((json_t *)first, "{s{ss}s{ss}si}", "at", "method", &method,
                             "caller", "method", &caller, "samples", &samples),
                 0, "%s", text);
    cr_expect_str_eq(method, "Shop.Checkout.Add");
    cr_expect_str_eq(caller, POST);
    cr_expect_eq(samples, 5);
    cr_expect_eq(json_array_size(json_object_get(
                     json_array_get(json_object_get(first, "stacks"), 0), "frames")),
                 4);
    cr_assert_eq(json_unpack((json_t *)sampling, "{si}", "samples", &all), 0);
    cr_expect_eq(all, 6);
    cr_expect(json_is_true(json_object_get(sampling, "in_every_interval")));
    json_decref(document);
    free(text);
    hd_report_free(r);
}

Test(report_sites, the_browser_gets_the_line_and_the_ways)
{
    struct hd_report *r = sampled_diff();
    struct hd_memory text = {0};
    const struct hd_suspect *s = &hd_report_model(r)->diff->suspects[0];
    cr_expect(hd_put_allocated(hd_sink_memory(&text), s, 200));
    expect_part(text.bytes,
                "Shop.Checkout.Add (Checkout.cs:42) ← OrdersController.Post   5 of "
                "6 samples, in every interval");
    hd_memory_free(&text);
    hd_put_site_node(hd_sink_memory(&text), &s->allocated->nodes[3]);
    cr_expect_str_eq(text.bytes, "String.Concat ← Order.ToText");
    hd_memory_free(&text);
    hd_report_free(r);
}

/* --- words ------------------------------------------------------------------------------
 */

Test(report_sites, short_names_of_methods_have_their_class)
{
    static const char *const names[][2] = {
        {"Shop.Checkout.Add", "Checkout.Add"},
        {"Main", "Main"},
        {"Program.Main", "Program.Main"},
        {"Shop.Order..ctor", "Order..ctor"},
        {"Shop.Cache<Shop.Order>.Get", "Cache<Shop.Order>.Get"},
        {"Shop.Cache.Get<System.Collections.List<A.B>>",
         "Cache.Get<System.Collections.List<A.B>>"},
        {"Shop.Outer+Inner.Run(System.Int32)", "Outer+Inner.Run(System.Int32)"},
        {"", ""},
        {".", "."},
        {">>.a", ">>.a"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        cr_expect_str_eq(short_method(names[i][0]), names[i][1], "%s", names[i][0]);
}

/* --- names of anybody ------------------------------------------------------------------
 */

Test(report_sites, names_of_methods_cannot_command_a_terminal)
{
    struct hd_snapshot *snaps[SERIES];
    for (size_t k = 0; k < SERIES; k++) {
        struct made_sample all[SERIES];
        size_t count = 0;
        snaps[k] = shop_at(k);
        for (uint32_t j = 1; j <= k; j++)
            all[count++] = (struct made_sample){
                order_at(k, PER_STEP * j),
                "\x1b[2JShop.\xff##vso[x]<b>Add</b>@\x07x.cs:1 < a\nb", collection_of(j)};
        made_sites(snaps[k], collection_of(k), all, count);
    }
    struct hd_report *r = diff_of(snaps, SERIES, NULL);
    static const char *const formats[] = {"text", "md", "html", "json"};
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        char *text = written(r, formats[i]);
        expect_no_part(text, "\x1b");
        expect_no_part(text, "\x07");
        if (i < 2) /* pages and JSON are never printed into a log */
            expect_no_part(text, "##vso[x]");
        expect_no_part(text, i == 2 ? "<b>Add" : "a\nb");
        free(text);
    }
    hd_report_free(r);
}

/* --- the tree by site -------------------------------------------------------------------
 */

static struct hd_report *tree_of(struct hd_snapshot **snaps, size_t count)
{
    struct hd_error err = {0};
    struct hd_options opt = hd_default_options();
    opt.tree_by = HD_TREE_BY_SITE;
    struct hd_report *r = ask_tree(snaps, count, &opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    close_all(snaps, count);
    return r;
}

static void expect_sums(const struct hd_tree *t, size_t snapshots)
{
    for (size_t k = 0; k < snapshots; k++)
        for (size_t i = 0; i < t->len; i++) {
            uint64_t sum = t->nodes[i].at[k].count;
            for (size_t c = i + 1; c < t->nodes[i].end; c = t->nodes[c].end) {
                cr_assert_eq(t->nodes[c].parent, i);
                cr_assert_eq(t->nodes[c].depth, t->nodes[i].depth + 1);
                sum += t->nodes[c].owned[k].count;
            }
            cr_assert_eq(sum, t->nodes[i].owned[k].count, "node %zu of snapshot %zu", i, k);
        }
}

Test(report_sites, the_tree_by_site_adds_up_and_starts_at_the_outermost_method)
{
    struct hd_snapshot *snaps[SERIES];
    sampled_series(snaps);
    struct hd_report *r = tree_of(snaps, SERIES);
    const struct hd_tree *t = hd_report_model(r)->tree;
    cr_assert(t->is_sites);
    cr_expect_eq(t->nodes[0].owned[SERIES - 1].count, 8, "of all objects that are there");
    cr_expect_eq(t->nodes[0].owned[SERIES - 1].bytes, 8 * (100 << 10));
    cr_expect_str_eq(t->nodes[1].type, "System.Threading.Run");
    cr_expect_eq((int)t->nodes[1].kind, HD_NODE_METHOD);
    expect_sums(t, SERIES);
    char *folded = written(r, "folded");
    expect_part(folded, "System.Threading.Run;System.Net.Listen;Shop.OrdersController.Post;"
                        "Shop.Checkout.Add 102400 512000\n");
    free(folded);
    static const char *const formats[] = {"text", "json", "csv", "md", "speedscope", "dot"};
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        char *text = written(r, formats[i]);
        expect_part(text, "Shop.Checkout.Add");
        free(text);
    }
    hd_report_free(r);
}

/* As when samples are drawn in the last snapshot. */
Test(report_sites, bytes_of_each_snapshot_are_those_of_its_samples)
{
    struct hd_snapshot *snaps[SERIES];
    sampled_series(snaps);
    ((struct allocation_sites *)snaps[SERIES - 1]->sites)->per_sample = 4 * (100 << 10);
    struct hd_report *r = tree_of(snaps, SERIES);
    const struct hd_tree *t = hd_report_model(r)->tree;
    cr_expect_eq(t->nodes[0].owned[0].count, 2);
    cr_expect_eq(t->nodes[0].owned[0].bytes, 2 * (100 << 10));
    cr_expect_eq(t->nodes[0].owned[SERIES - 1].bytes, 8 * 4 * (100 << 10));
    cr_expect_eq(t->nodes[0].growth, (8 * 4 - 2) * (100 << 10));
    hd_report_free(r);
}

/* A sample of the second snapshot represents four times the bytes. */
Test(report_sites, ways_of_a_tree_are_in_the_order_of_bytes)
{
    struct hd_snapshot *snaps[2];
    for (size_t k = 0; k < 2; k++) {
        struct made_sample all[16];
        size_t count = 0;
        snaps[k] = shop_at(k + 1);
        for (uint32_t i = 0; i < (k == 0 ? 10 : 5); i++, count++)
            all[count] = (struct made_sample){order_at(1, i), "Shop.Grows < Shop.Main", 1};
        for (uint32_t i = 10; i < (k == 0 ? 11 : 12); i++, count++)
            all[count] = (struct made_sample){order_at(1, i), "Shop.Adds < Shop.Main", 1};
        made_sites(snaps[k], collection_of(k), all, count);
        ((struct allocation_sites *)snaps[k]->sites)->per_sample = k == 0 ? 100 : 400;
    }
    struct hd_report *r = tree_of(snaps, 2);
    const struct hd_tree *t = hd_report_model(r)->tree;
    cr_assert_eq(t->len, 4);
    cr_expect_str_eq(t->nodes[2].type, "Shop.Grows", "by more bytes, of fewer samples");
    cr_expect_eq(t->nodes[2].growth, 5 * 400 - 10 * 100);
    cr_expect_str_eq(t->nodes[3].type, "Shop.Adds");
    cr_expect_eq(t->nodes[3].growth, 2 * 400 - 100);
    hd_report_free(r);
}

/* Snapshots with only different stacks exceed the limit of a tree. */
Test(report_sites, stacks_beyond_the_limit_are_others_and_sums_hold)
{
    enum { EACH = 700 };
    struct hd_snapshot *snaps[2];
    for (size_t k = 0; k < 2; k++) {
        struct made_sample *all = calloc(EACH, sizeof(*all));
        char(*names)[64] = calloc(EACH, sizeof(*names));
        snaps[k] = shop_at(k + 1);
        for (uint32_t i = 0; i < EACH; i++) {
            snprintf(names[i], sizeof(names[i]), "Shop.Run%zu_%u < Shop.Main", k, i);
            all[i] = (struct made_sample){order_at(k + 1, i), names[i], 1};
        }
        made_sites(snaps[k], collection_of(k), all, EACH);
        free(names);
        free(all);
    }
    struct hd_report *r = tree_of(snaps, 2);
    const struct hd_tree *t = hd_report_model(r)->tree;
    expect_sums(&((const struct hd_report *)r)->found.tree, 2);
    cr_expect_eq(t->nodes[0].owned[0].count, EACH);
    cr_expect_eq(t->nodes[0].owned[1].count, EACH);
    cr_expect_eq((int)t->nodes[t->len - 1].kind, HD_NODE_OTHERS);
    cr_expect_geq(t->nodes[t->len - 1].at[1].count, 2 * EACH - MAX_SITE_STACKS);
    hd_report_free(r);
}

Test(report_sites, a_single_snapshot_has_a_tree_by_site_too)
{
    struct hd_snapshot *snaps[SERIES];
    sampled_series(snaps);
    close_all(snaps, SERIES - 1);
    struct hd_report *r = tree_of(&snaps[SERIES - 1], 1);
    expect_sums(hd_report_model(r)->tree, 1);
    char *folded = written(r, "folded");
    expect_part(folded, "Shop.OrdersController.Post;Shop.Checkout.Add 512000\n");
    free(folded);
    hd_report_free(r);
}

Test(report_sites, a_tree_by_site_without_samples_explains_how_to_take_them)
{
    struct hd_snapshot *snap = shop_at(0);
    struct hd_error err = {0};
    struct hd_options opt = hd_default_options();
    opt.tree_by = HD_TREE_BY_SITE;
    cr_expect_null(ask_tree(&snap, 1, &opt, &err));
    expect_part(err.message, "heapdrift watch");
    hd_snapshot_close(snap);
}

/* --- digests ----------------------------------------------------------------------------
 */

static struct hd_snapshot *digest_of(struct hd_snapshot *snap)
{
    struct hd_memory packed = {0};
    struct hd_error err = {0};
    cr_assert(hd_snapshot_write(snap, "digest", hd_sink_memory(&packed), NULL, &err), "%s",
              err.message);
    const struct hd_read_options how = {.to_write = true};
    struct hd_snapshot *digest =
        hd_snapshot_from_memory(packed.bytes, packed.size, &how, &err);
    cr_assert_not_null(digest, "%s", err.message);
    hd_memory_free(&packed);
    hd_snapshot_close(snap);
    return digest;
}

Test(report_sites, digests_give_the_same_report)
{
    struct hd_snapshot *snaps[SERIES];
    sampled_series(snaps);
    for (size_t k = 0; k < SERIES; k++)
        snaps[k] = digest_of(digest_of(snaps[k]));
    struct hd_report *r = diff_of(snaps, SERIES, NULL);
    const struct hd_allocations *a = allocated(r);
    cr_assert_not_null(a);
    cr_expect_eq(a->samples, 6);
    cr_assert_eq(a->site_count, 2);
    cr_expect_str_eq(a->sites[0].code->method, "Shop.Checkout.Add");
    cr_expect_eq(a->sites[0].samples, 5);
    cr_expect(a->in_every_interval);
    hd_report_free(r);
    sampled_series(snaps);
    for (size_t k = 0; k < SERIES; k++)
        snaps[k] = digest_of(snaps[k]);
    r = tree_of(snaps, SERIES);
    cr_expect_eq(hd_report_model(r)->tree->nodes[0].owned[SERIES - 1].count, 8);
    hd_report_free(r);
}

/* With too many stacks, those with most objects are kept. */
Test(report_sites, a_digest_keeps_the_stacks_of_most_objects)
{
    enum { STACKS = 900 };
    size_t last = SERIES - 1, count = 0;
    struct hd_snapshot *snap = shop_at(last);
    struct made_sample *all = calloc(2 * STACKS, sizeof(*all));
    char(*names)[256] = calloc(STACKS, sizeof(*names));
    for (uint32_t i = 0; i < STACKS; i++) {
        snprintf(names[i], sizeof(names[i]), "Shop.Class%04u.Method%080u < Shop.Main",
                 i * 7919 % 10000, i);
        all[count++] = (struct made_sample){order_at(last, i), names[i], 20};
    }
    for (uint32_t i = 0; i < 20; i++)
        all[count++] = (struct made_sample){order_at(last, STACKS + i), USUAL, 20};
    made_sites(snap, collection_of(last), all, count);
    struct hd_snapshot *digest = digest_of(snap);
    const struct allocation_sites *sites = digest->digest->sites;
    struct text t = {0};
    cr_assert_not_null(sites);
    allocation_sites_put(sites, &t);
    cr_expect_leq(t.len, 64 << 10);
    cr_expect_gt(sites->object_count, 50);
    bool is_there = false;
    for (uint32_t i = 0; i < sites->frame_count; i++)
        is_there |= strcmp(sites->frames[i].method, POST) == 0;
    cr_expect(is_there);
    text_free(&t);
    free(names);
    free(all);
    hd_snapshot_close(digest);
}
