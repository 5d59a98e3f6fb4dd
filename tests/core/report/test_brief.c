/* Shortened chains: from their owner, in few elements. */
#include "render/written.h"
#include "report/text_parts.h"
#include "support/asked.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#define CACHE "Microsoft.Extensions.Caching.Memory.MemoryCache"
#define CALL_SITE \
    "Microsoft.Extensions.DependencyInjection.ServiceLookup.ConstructorCallSite"

/* --- a service ----------------------------------------------------------------------- */

static node_id line(struct forge *f, node_id above, const char *const *types)
{
    for (; *types != NULL; types++) {
        node_id n = forge_object(f, *types, 24);
        forge_reference(f, above, n);
        above = n;
    }
    return above;
}

#define LINE(f, above, ...) line((f), (above), (const char *const[]){__VA_ARGS__, NULL})

/* A cache that two loops refer to, App.Pump and App.Cleanup; the shortest path is through
 * the one whose timer is due first, which differs between snapshots. Another cache
 * elsewhere; and optionally the container's call sites. */
static struct hd_snapshot *service(uint32_t pages, bool pump_first, bool container)
{
    struct forge f = {0};
    node_id queue = forge_object(&f, "System.Threading.TimerQueue", 24);
    forge_root(&f, HD_ROOT_STATIC, "System.Threading.TimerQueue[].s_all", queue);
    node_id cache = forge_object(&f, CACHE, 24), other = forge_object(&f, CACHE, 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Other.s_cache", other);
    for (int i = 0; i < 2; i++) {
        bool first = (i == 0) == pump_first;
        node_id timer = LINE(&f, queue, "System.Threading.TimerQueueTimer");
        if (!first)
            timer = LINE(&f, timer, "System.Threading.TimerQueueTimer", "CallbackNode");
        node_id loop = LINE(&f, timer, "DelayPromise", i == 0 ? "App.Pump" : "App.Cleanup");
        forge_reference(&f, loop, cache);
    }
    for (int i = 0; container && i < 2; i++) {
        node_id site = forge_object(&f, CALL_SITE, 24);
        forge_reference(&f, site, i == 0 ? cache : other);
        forge_root(&f, HD_ROOT_STACK, NULL, site);
    }
    node_id table = LINE(&f, cache, "CoherentState", "Dictionary<System.String,App.Page>",
                         "Tables<App.Page>", "VolatileNode<App.Page>[]");
    node_id page = forge_objects(&f, "App.Page", 96, pages);
    for (uint32_t i = 0; i < pages; i++)
        forge_reference(&f, table, page + i);
    return forge_finish(&f);
}

static void open_services(struct hd_snapshot **snaps, bool container)
{
    for (uint32_t k = 0; k < SHOPS; k++)
        snaps[k] = service(10 * (k + 1), k % 2 == 0, container);
}

static struct hd_report *services(const struct hd_options *opt)
{
    struct hd_snapshot *snaps[SHOPS];
    open_services(snaps, true);
    return diff_of(snaps, SHOPS, opt);
}

/* --- owners ----------------------------------------------------------------------------
 */

Test(brief, a_chain_with_another_entry_but_the_same_owner_is_the_same_chain)
{
    struct hd_options opt = hd_default_options();
    opt.exact = true;
    struct hd_report *r = services(&opt);
    cr_assert_geq(r->diff.suspect_count, 1);
    const struct hd_suspect *s = &r->diff.suspects[0];
    cr_expect_str_eq(s->type, "App.Page");
    cr_assert_eq(s->chains.len, 1);
    const struct hd_chain_row *c = &s->chains.all[0];
    cr_expect_eq(c->status, HD_CHAIN_GROWING);
    for (size_t k = 0; k < SHOPS; k++)
        cr_expect_eq(c->instances[k], 10 * (k + 1));
    cr_expect_str_eq(c->chain.owner, CACHE);
    cr_expect_str_eq(c->chain.frames[6].types[0], CACHE);
    cr_expect_str_eq(c->chain.frames[5].types[0], "App.Cleanup", "the last snapshot's way");
    cr_expect_eq(c->frames_above, 6);
    hd_report_free(r);
}

Test(brief, held_by_begins_at_the_owner)
{
    struct hd_report *r = services(NULL);
    char *text = unfolded(written(r, "text"));
    expect_part(text,
                "[static …] → … 4 more → singleton MemoryCache → CoherentState → "
                "Dictionary<String,Page> → Tables<Page> → VolatileNode<Page>[] → Page");
    expect_no_part(text, "→ Cleanup");
    expect_no_part(text, "→ TimerQueue");
    free(text);
    char *markdown = written(r, "md");
    expect_part(markdown, "    [static …]\n  … 4 more\n  → singleton " CACHE "\n");
    free(markdown);
    hd_report_free(r);
    struct hd_snapshot *snaps[SHOPS];
    open_services(snaps, false);
    r = diff_of(snaps, SHOPS, NULL);
    text = unfolded(written(r, "text"));
    expect_part(text, "… 4 more → MemoryCache → ");
    free(text);
    hd_report_free(r);
}

Test(brief, a_requested_depth_shows_this_number_of_elements)
{
    struct hd_options opt = hd_default_options();
    opt.depth = 64;
    struct hd_report *r = services(&opt);
    char *text = unfolded(written(r, "text"));
    expect_part(text, "TimerQueue → TimerQueueTimer → DelayPromise → Cleanup → "
                      "singleton MemoryCache → CoherentState");
    expect_no_part(text, "more →");
    free(text);
    hd_report_free(r);
    opt.depth = 4;
    r = services(&opt);
    text = unfolded(written(r, "text"));
    expect_part(text, "[static var System.Threading.TimerQueue[].s_all] → … 8 more → "
                      "VolatileNode<Page>[] → Page");
    free(text);
    hd_report_free(r);
}

Test(brief, json_has_the_whole_chain_and_its_owner)
{
    struct hd_report *r = services(NULL);
    char *bytes = written(r, "json");
    json_t *all = json_loads(bytes, 0, NULL);
    const json_t *suspect = json_array_get(json_object_get(all, "suspects"), 0);
    const json_t *chain = json_array_get(json_object_get(suspect, "chains"), 0);
    cr_expect_eq(json_array_size(json_object_get(chain, "frames")), 12);
    const json_t *owners[] = {json_object_get(chain, "owner"),
                              json_object_get(suspect, "owner")};
    for (size_t i = 0; i < 2; i++) {
        cr_assert(json_is_object(owners[i]));
        cr_expect_str_eq(json_string_value(json_object_get(owners[i], "type")), CACHE);
        cr_expect_eq(json_integer_value(json_object_get(owners[i], "frames_above")), 6);
        cr_expect_str_eq(json_string_value(json_object_get(owners[i], "service")),
                         "singleton");
    }
    json_decref(all);
    free(bytes);
    hd_report_free(r);
}

/* Only App.Feed refers to its channel; a waiting loop refers to App.Feed. */
Test(brief, a_channel_belongs_to_the_class_that_has_it_in_a_field)
{
    struct hd_snapshot *snaps[SHOPS];
    for (uint32_t k = 0; k < SHOPS; k++) {
        struct forge f = {0};
        node_id queue = forge_object(&f, "System.Threading.TimerQueue", 24);
        forge_root(&f, HD_ROOT_STATIC, "System.Threading.TimerQueue[].s_all", queue);
        node_id slots =
            LINE(&f, queue, "System.Threading.TimerQueueTimer", "DelayPromise", "App.Feed",
                 "System.Threading.Channels.UnboundedChannel<App.Q>", "Slot<App.Q>[]");
        node_id first = forge_objects(&f, "App.Q", 96, 10 * (k + 1));
        for (uint32_t i = 0; i < 10 * (k + 1); i++)
            forge_reference(&f, slots, first + i);
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = diff_of(snaps, SHOPS, NULL);
    cr_assert_geq(r->diff.suspect_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].chains.all[0].chain.owner, "App.Feed");
    char *text = unfolded(written(r, "text"));
    expect_part(text, "→ Feed → UnboundedChannel<Q> → Slot<Q>[] → Q");
    free(text);
    hd_report_free(r);
}

Test(brief, an_unknown_owner_is_null)
{
    struct hd_snapshot *snaps[SHOPS];
    for (uint32_t k = 0; k < SHOPS; k++) {
        struct forge f = {0};
        node_id list = forge_object(&f, "App.Job[]", 24);
        forge_root(&f, HD_ROOT_STACK, NULL, list);
        node_id first = forge_objects(&f, "App.Job", 96, 10 * (k + 1));
        for (uint32_t i = 0; i < 10 * (k + 1); i++)
            forge_reference(&f, list, first + i);
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = diff_of(snaps, SHOPS, NULL);
    char *json = written(r, "json");
    expect_part(json, "\"owner\": null");
    free(json);
    hd_report_free(r);
}

/* --- what retains -------------------------------------------------------------------- */

Test(brief, a_chain_of_all_instances_retains_what_its_suspect_does)
{
    for (int exact = 0; exact < 2; exact++) {
        struct hd_options opt = hd_default_options();
        opt.exact = exact;
        struct hd_report *r = services(&opt);
        const struct hd_suspect *s = &r->diff.suspects[0];
        uint64_t all = s->retained[SHOPS - 1];
        cr_expect_eq(all, UINT64_C(40) * 96);
        cr_expect_eq(s->chains.all[0].retained, exact ? all : HD_UNKNOWN,
                     "of 32 samples nobody knows");
        hd_report_free(r);
    }
}

/* --- which elements --------------------------------------------------------------------
 */

/* "0123": the types of a made chain; o: the owner, P: a class of the program, .: others. In
 * `shown`, - replaces omitted ones. */
static void expect_brief(const char *chain, const char *shown)
{
    struct arena a = {0};
    struct hd_chain c = {.frame_count = strlen(chain), .owner_frame = HD_NO_OWNER};
    c.frames = arena_array(&a, struct hd_frame, c.frame_count);
    for (size_t i = 0; i < c.frame_count; i++) {
        c.frames[i] =
            (struct hd_frame){.types = {chain[i] == '['   ? "[static vars]"
                                        : chain[i] == 'V' ? "[static var App.s_x]"
                                        : chain[i] == 'v' ? "[static var System.X.s_x]"
                                                          : "X"},
                              .type_count = 1,
                              .repeat_min = 1,
                              .repeat_max = 1,
                              .is_program = chain[i] == 'P'};
        if (chain[i] == 'o')
            c.owner_frame = i;
    }
    struct report_brief b = report_brief_of(&c, false, &a);
    char got[128] = "";
    for (size_t i = 0; i < c.frame_count; i++)
        got[i] = !b.shown[i] ? '-' : i == b.first && b.root_by_kind ? 'k' : chain[i];
    cr_expect_str_eq(got, shown, "%s: %s", chain, got);
    arena_free(&a);
}

Test(brief, short_chains_are_shown_whole)
{
    expect_brief("[Vo.X", "-Vo.X");
    expect_brief("[V.o.X", "-V.o.X");
    expect_brief("[V", "-V");
    expect_brief("V", "V");
    expect_brief("[.......", "[.......");
}

Test(brief, frames_above_the_owner_are_folded)
{
    expect_brief("[V..o.X", "-V--o.X");
    expect_brief("[v..o.X", "-k--o.X");
    expect_brief("[v.o.X", "-v.o.X");
    expect_brief("[vPPPPPPoX", "-k------oX");
    expect_brief("[v..o", "-k--o");
}

Test(brief, at_most_eight_elements_are_left_those_around_the_programs_own)
{
    expect_brief("[Vo...............X", "-Vo..----------...X");
    expect_brief("[V...........P....X", "-V----------.P....X");
    expect_brief("[v......o.........P.....X", "-k------o.-------.P.---.X");
    expect_brief("[v..oPPPPPPPPPPPPPPPX", "-k--o----------PPPPPX");
}

Test(brief, one_element_is_never_left_out_alone)
{
    expect_brief("[V.......X", "-V.......X");
    expect_brief("[V........X", "-V--......X");
}

/* --- limits ----------------------------------------------------------------------------
 */

Test(brief, an_error_of_before_survives_a_report_that_fails)
{
    struct hd_snapshot *snaps[] = {shop(10), shop(20)};
    static const char *const types[] = {"Order"};
    struct hd_options opt = hd_default_options();
    opt.types = types;
    opt.type_count = 1;
    struct hd_read_options how = {.max_memory = 1};
    struct hd_comparison *c = hd_comparison_of(snaps, 2, &how);
    struct hd_error err = {.status = HD_IO, .message = "of before"};
    cr_expect_null(hd_report_roots(c, &opt, &err));
    cr_expect_str_eq(err.message, "of before");
    cr_expect_eq(err.snapshot, 0);
    cr_expect_null(hd_report_roots(c, &opt, NULL));
    struct hd_error fresh = {0};
    cr_expect_null(hd_report_roots(c, &opt, &fresh));
    cr_expect_eq(fresh.status, HD_TOO_BIG);
    cr_expect_eq(fresh.snapshot, 1);
    hd_comparison_free(c);
    close_all(snaps, 2);
}

/* A path for each object. */
static struct hd_snapshot *many_ways(uint32_t ways)
{
    struct forge f = {0};
    node_id top = forge_object(&f, "App.Top[]", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Top.s_all", top);
    for (uint32_t i = 0; i < ways; i++) {
        char name[32];
        snprintf(name, sizeof(name), "Node<App.T%u>", i);
        LINE(&f, top, name, "App.Order");
    }
    return forge_finish(&f);
}

Test(brief, more_chains_than_can_be_shown_are_not_promised)
{
    struct hd_options opt = hd_default_options();
    opt.exact = true;
    opt.chains = 300;
    struct hd_report *r = roots_of(many_ways(300), "App.Order", opt);
    cr_expect_eq(r->roots.chains.len, CHAINS_WITH_FRAMES);
    char *text = unfolded(written(r, "text"));
    expect_line(text, "44 other chains", "; no more than 256 can be shown");
    free(text);
    hd_report_free(r);
    opt.chains = 20;
    r = roots_of(many_ways(300), "App.Order", opt);
    text = unfolded(written(r, "text"));
    expect_line(text, "280 other chains", "; --chains=256 shows the most frequent");
    free(text);
    hd_report_free(r);
}

Test(brief, more_samples_than_objects_are_limited_to_the_objects)
{
    struct hd_options opt = hd_default_options();
    opt.samples = UINT32_MAX;
    struct hd_report *r = roots_of(shop(5), "App.Order", opt);
    cr_expect_eq(r->roots.chains.samples, 5);
    hd_report_free(r);
}
