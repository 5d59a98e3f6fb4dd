#include "render/written.h"
#include "report/phrases.h"

#include <math.h>

/* --- a report of nothing but what the sentence is made of ---------------------------- */

enum { MOST = 12 };

struct made {
    struct hd_report r;
    struct hd_snapshot_facts snapshots[MOST];
    struct hd_tally totals[MOST], at[MOST], subject_at[MOST];
    uint64_t held[MOST];
    struct hd_suspect suspects[3], minor[1];
    struct hd_type_row rows[1];
    struct hd_no_match unmatched;
    struct hd_warning warnings[1];
    const char *holder[2];
    struct hd_chain_row chain;
};

static void tell_types(struct made *m, uint64_t first, uint64_t last)
{
    size_t n = m->r.snapshot_count;
    for (size_t k = 0; k < n; k++)
        m->at[k] = (struct hd_tally){first + (last - first) * k / (n - 1), 100 * k};
}

/* App.Order, 0 to 600, in so many snapshots: a third of the heap, held by s_orders. */
static struct made *make(size_t snapshots, size_t suspects)
{
    struct made *m = calloc(1, sizeof(*m));
    struct hd_diff *d = &m->r.diff;
    m->r.kind = HD_REPORT_DIFF;
    m->r.options = hd_default_options();
    m->r.snapshots = m->snapshots;
    m->r.snapshot_count = snapshots;
    tell_types(m, 0, 600);
    m->holder[0] = "[static vars]";
    m->holder[1] = "[static var App.Shop.s_orders]";
    for (size_t i = 0; i < 3; i++)
        m->suspects[i] = (struct hd_suspect){.rank = i + 1,
                                             .type = "App.Order",
                                             .subject = "App.Order",
                                             .basis = HD_BASIS_GRAPH,
                                             .suspicion = HD_SUSPECT_SIZE,
                                             .at = m->at,
                                             .more = 2048,
                                             .more_share = 1.0 / 3,
                                             .per_iteration = HD_UNKNOWN,
                                             .holder = m->holder,
                                             .holder_len = 2};
    for (size_t k = 0; k < snapshots; k++)
        m->totals[k] = (struct hd_tally){6000, 3 * m->at[k].bytes};
    d->suspects = m->suspects;
    d->suspect_count = suspects;
    d->usable_count = snapshots;
    d->confidence = HD_CONFIDENCE_HIGH;
    d->by_graph = true;
    d->types.bytes_known = true;
    d->types.totals = m->totals;
    d->growth.explained = NAN;
    m->r.found.diff.suspect_count = suspects;
    m->r.found.diff.types.rows = m->rows;
    return m;
}

/* Frees it. */
static void expect_words(struct made *m, enum hd_tone tone, const char *wanted)
{
    struct headline h;
    phrase_verdict(&h, &m->r);
    cr_expect_str_eq(text_string(&h.words), wanted, "%s", text_string(&h.words));
    cr_expect_eq(h.tone, tone, "%s", wanted);
    headline_free(&h);
    free(m);
}

#define PILE "Order objects pile up: 0 → 600 in six snapshots, +2.00 KiB, 33 % of the heap"
#define HELD ", held by the static s_orders"

/* --- suspects ------------------------------------------------------------------------ */

Test(phrase_verdict, one_suspect_is_a_sentence)
{
    expect_words(make(6, 1), HD_TONE_BAD, PILE HELD ".");
}

Test(phrase_verdict, of_several_the_first_is_told)
{
    expect_words(make(6, 2), HD_TONE_BAD, PILE HELD "; and 1 more suspect.");
    expect_words(make(6, 3), HD_TONE_BAD, PILE HELD "; and 2 more suspects.");
}

Test(phrase_verdict, two_snapshots_show_no_leak)
{
    expect_words(make(2, 1), HD_TONE_UNSURE,
                 "Order objects grew in number: 0 → 600 between two snapshots, +2.00 KiB, "
                 "33 % of the heap" HELD
                 ". But two snapshots cannot tell a leak from warm-up.");
}

Test(phrase_verdict, steady_growth_is_told_as_such)
{
    struct made *m = make(6, 1);
    m->suspects[0].suspicion = HD_SUSPECT_STEADY;
    expect_words(m, HD_TONE_BAD,
                 "Order objects are added in every step: 0 → 600 in six snapshots, "
                 "+2.00 KiB, 33 % of the heap" HELD ".");
}

/* 2026-11-23 14:05:59 UTC is no part of a minute less. */
Test(phrase_verdict, what_began_late_has_its_beginning)
{
    static const size_t of[] = {0, 1, 2, 3, 4, 5};
    static const uint64_t none[21] = {0};
    struct hd_births births = {
        .count = 6, .snapshot = of, .at = none, .keeps = true, .since = 2};
    struct made *m = make(6, 1);
    m->suspects[0].births = &births;
    m->suspects[0].suspicion = HD_SUSPECT_AGE;
    expect_words(m, HD_TONE_BAD,
                 "Order objects come and stay: 0 → 600 in six snapshots, since snapshot 3, "
                 "+2.00 KiB, 33 % of the heap" HELD ".");
    m = make(6, 1);
    m->suspects[0].births = &births;
    m->snapshots[2].clock_is_date = true;
    m->snapshots[2].clock = 1795442759;
    expect_words(m, HD_TONE_BAD,
                 "Order objects pile up: 0 → 600 in six snapshots, since snapshot 3 (14:05 "
                 "UTC), +2.00 KiB, 33 % of the heap" HELD ".");
    m = make(6, 1);
    births.keeps = false;
    m->suspects[0].births = &births;
    expect_words(m, HD_TONE_BAD, PILE HELD ".");
}

Test(phrase_verdict, an_exact_rate_is_told)
{
    struct made *m = make(6, 1);
    m->suspects[0].per_iteration = 20;
    expect_words(m, HD_TONE_BAD,
                 "Order objects pile up: 0 → 600 in six snapshots, exactly 20 per "
                 "iteration, +2.00 KiB, 33 % of the heap" HELD ".");
}

/* The count of the title, if it is of objects that pile up; else that of the type. */
Test(phrase_verdict, a_number_belongs_to_the_name_beside_it)
{
    static const uint64_t last[] = {599, 200, 1};
    static const char *const told[] = {"Cart objects pile up: 0 → 599",
                                       "Order objects pile", "Order objects pile"};
    for (size_t i = 0; i < 3; i++) {
        struct made *m = make(6, 1);
        struct headline h;
        m->suspects[0].subject = "App.Cart";
        m->rows[0] = (struct hd_type_row){.type = "App.Cart", .at = m->subject_at};
        m->subject_at[5].count = last[i];
        m->r.found.diff.types.len = 1;
        phrase_verdict(&h, &m->r);
        expect_part(text_string(&h.words), told[i]);
        headline_free(&h);
        free(m);
    }
}

/* A count that is flat in the whole heap is no reason. */
Test(phrase_verdict, the_count_is_that_of_the_place_where_the_heap_tells_another_story)
{
    struct made *m = make(6, 1);
    tell_types(m, 900, 900);
    m->suspects[0].held = m->held;
    for (size_t k = 0; k < 6; k++)
        m->held[k] = 10 + 100 * k;
    struct headline h;
    phrase_verdict(&h, &m->r);
    expect_part(text_string(&h.words), "Order objects pile up: 10 → 510 in six");
    headline_free(&h);
    free(m);
}

Test(phrase_verdict, what_grows_in_size_does_not_pile_up)
{
    struct made *m = make(6, 1);
    tell_types(m, 3, 3);
    expect_words(m, HD_TONE_BAD,
                 "Order objects grow in size in six snapshots, +2.00 KiB, 33 % of the "
                 "heap" HELD ".");
}

/* --- what holds it ------------------------------------------------------------------- */

static struct made *held(double share, enum hd_basis basis)
{
    struct made *m = make(6, 1);
    m->suspects[0].basis = basis;
    m->chain.chain.share = share;
    m->chain.chain.owner_frame = HD_NO_OWNER;
    m->chain.chain.kind = HD_ROOT_STACK;
    m->suspects[0].chains = (struct hd_chains){.all = &m->chain, .len = 1};
    return m;
}

Test(phrase_verdict, a_holder_is_named_as_far_as_it_holds)
{
    expect_words(held(1, HD_BASIS_GRAPH), HD_TONE_BAD, PILE HELD ".");
    expect_words(held(0.7, HD_BASIS_GRAPH), HD_TONE_BAD,
                 PILE ", mostly held by the static s_orders.");
    expect_words(held(0.3, HD_BASIS_GRAPH), HD_TONE_BAD, PILE ", held in several ways.");
    expect_words(held(1, HD_BASIS_TYPE), HD_TONE_BAD, PILE ", held in changing places.");
}

Test(phrase_verdict, without_a_variable_it_is_a_class_of_the_program_or_the_kind_of_root)
{
    struct hd_frame frames[] = {
        {.types = {"[local vars]"}, .type_count = 1},
        {.types = {"App.Innocent"}, .type_count = 1, .is_program = true},
        {.types = {"App.Cache"}, .type_count = 1, .is_program = true},
        {.types = {"App.Order[]"}, .type_count = 1, .is_program = true},
        {.types = {"App.Order"}, .type_count = 1, .is_program = true}};
    struct made *m = held(1, HD_BASIS_GRAPH);
    m->suspects[0].holder_len = 1;
    expect_words(m, HD_TONE_BAD, PILE ", held by a local variable.");
    m = held(1, HD_BASIS_GRAPH);
    m->suspects[0].holder_len = 1;
    m->chain.chain.frames = frames;
    m->chain.chain.frame_count = 5;
    expect_words(m, HD_TONE_BAD, PILE ", held by Cache.");
    /* What is above the owner is innocent. */
    m = held(1, HD_BASIS_GRAPH);
    m->suspects[0].holder_len = 1;
    m->chain.chain.frames = frames;
    m->chain.chain.frame_count = 5;
    m->chain.chain.owner_frame = 3;
    m->chain.chain.owner = "Lib.MemoryCache";
    m->chain.chain.service = HD_SERVICE_SINGLETON;
    expect_words(m, HD_TONE_BAD, PILE ", held by the singleton MemoryCache.");
}

/* --- nothing ------------------------------------------------------------------------- */

Test(phrase_verdict, nothing_is_said_plainly_only_where_nothing_is_in_doubt)
{
    expect_words(make(6, 0), HD_TONE_GOOD, "Nothing keeps growing.");
}

static void add_minor(struct made *m, double share)
{
    m->minor[0] = m->suspects[0];
    m->minor[0].more_share = share;
    m->r.found.diff.minor = m->minor;
    m->r.found.diff.minor_count = 1;
}

Test(phrase_verdict, what_grows_below_the_line_is_not_nothing)
{
    struct made *m = make(6, 0);
    add_minor(m, 0.001);
    expect_words(m, HD_TONE_GOOD, "Nothing keeps growing.");
    m = make(6, 0);
    add_minor(m, 0.01);
    expect_words(m, HD_TONE_GOOD, "Nothing keeps growing by 2 % of the heap or more.");
    m = make(2, 0);
    add_minor(m, 0.001);
    expect_words(m, HD_TONE_UNSURE,
                 "Nothing grew by 2 % of the heap or more between two snapshots. But two "
                 "snapshots are too few to be sure.");
}

/* What can make it unsure, alone and with a suspect. */
static void change(struct made *m, int what)
{
    struct hd_diff *d = &m->r.diff;
    switch (what) {
    case 0:
        d->growth.is_open = d->growth.unexplained = true;
        d->growth.open_share = 0.4;
        break;
    case 1:
        d->growth.has_stopped = true;
        d->growth.stopped_share = 0.12;
        break;
    case 2:
        d->hidden_count = 2;
        break;
    case 3:
        d->usable_count = 5;
        break;
    case 4:
        m->snapshots[2].info.sampled = true;
        break;
    case 5:
        d->confidence = HD_CONFIDENCE_MEDIUM;
        break;
    case 6:
        d->by_graph = false;
        break;
    case 7:
        m->r.options.gen2 = true;
        break;
    case 8:
        m->r.options.reachable = true;
        break;
    case 9:
        m->warnings[0].code = "different-process";
        m->r.warnings = m->warnings;
        m->r.warning_count = 1;
        break;
    default:
        d->growth.unexplained = true;
        d->growth.explained = 0.41;
        break;
    }
}

Test(phrase_verdict, every_doubt_is_said)
{
    static const char *const told[] = {
        "Inconclusive: the heap grew by 40 %, and nothing explains it; take "
        "more "
        "snapshots, further apart.",
        "Nothing keeps growing. But what grew by 12 % of the heap has stayed there: was "
        "the "
        "load still on?",
        "Nothing of what is shown keeps growing. But 2 suspects are hidden by --type, "
        "--exclude or --app-only.",
        "Nothing keeps growing. But one of six snapshots could not be compared.",
        "Nothing keeps growing. But counts are estimates of a sample.",
        "Nothing keeps growing. But the confidence is medium.",
        "No type keeps growing. But what holds what is not known.",
        "Nothing keeps growing. But only objects in gen2, LOH, POH and frozen segments "
        "count.",
        "Nothing keeps growing. But only objects on a chain from a root count.",
        "Nothing keeps growing. But the snapshots are not of one process."};
    for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
        struct made *m = make(6, 0);
        change(m, (int)i);
        expect_words(m, HD_TONE_UNSURE, told[i]);
    }
}

Test(phrase_verdict, doubts_beside_a_suspect)
{
    static const struct {
        int what;
        const char *told;
    } all[] = {
        {2, PILE HELD ". But 2 suspects are hidden by --type, --exclude or --app-only."},
        {4, PILE HELD ". But counts are estimates of a sample."},
        {5, PILE HELD ". But the confidence is medium."},
        {9, PILE HELD ". But the snapshots are not of one process."},
        {10, PILE HELD ". But this explains only 41 % of all growth."}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct made *m = make(6, 1);
        change(m, all[i].what);
        expect_words(m, HD_TONE_BAD, all[i].told);
    }
}

Test(phrase_verdict, doubts_are_told_together)
{
    struct made *m = make(3, 0);
    change(m, 4);
    change(m, 7);
    expect_words(
        m, HD_TONE_UNSURE,
        "Nothing keeps growing. But three snapshots are too few to be sure; counts "
        "are estimates of a sample; only objects in gen2, LOH, POH and frozen "
        "segments count.");
}

/* Four are enough where the collector said who stayed. */
Test(phrase_verdict, four_snapshots_may_miss_a_slow_leak)
{
    struct made *m = make(4, 0);
    expect_words(m, HD_TONE_UNSURE,
                 "Nothing keeps growing. But a slow leak may not show in four snapshots: "
                 "take six.");
    m = make(4, 0);
    m->r.diff.identity = HD_SAME_BY_EVENTS;
    expect_words(m, HD_TONE_GOOD, "Nothing keeps growing.");
    expect_words(make(5, 0), HD_TONE_GOOD, "Nothing keeps growing.");
}

Test(phrase_verdict, what_cannot_be_judged_is_no_nothing)
{
    struct made *m = make(2, 0);
    m->r.diff.usable_count = 1;
    expect_words(m, HD_TONE_UNSURE,
                 "Inconclusive: fewer than two of the snapshots can be compared.");
    m = make(6, 0);
    m->unmatched = (struct hd_no_match){"Ordre", "App.Order"};
    m->r.diff.no_match = &m->unmatched;
    expect_words(m, HD_TONE_UNSURE,
                 "Nothing can be said: no type matches Ordre; did you mean App.Order?");
}

/* --- units and tables ---------------------------------------------------------------- */

Test(phrase_verdict, a_row_may_stand_for_other_things_than_types)
{
    static const struct {
        enum hd_unit by;
        const char *subject, *told, *nothing;
    } units[] = {
        {HD_BY_NAMESPACE, "App.Shop",
         "Namespace App.Shop keeps growing: 0 → 600 objects in six snapshots, +2.00 KiB, "
         "33 % "
         "of the heap.",
         "No namespace keeps growing."},
        {HD_BY_MODULE, "Shop.dll",
         "Module Shop.dll keeps growing: 0 → 600 objects in six snapshots, +2.00 KiB, 33 % "
         "of "
         "the heap.",
         "No module keeps growing."},
        {HD_BY_HOLDER, "[static vars] → [static var App.Shop.s_orders]",
         "What the static s_orders holds keeps growing: 0 → 600 objects in six snapshots, "
         "+2.00 KiB, 33 % of the heap.",
         "No holder keeps growing."}};
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        for (size_t suspects = 0; suspects < 2; suspects++) {
            struct made *m = make(6, suspects);
            m->r.options.by = units[i].by;
            m->suspects[0].type = m->suspects[0].subject = units[i].subject;
            expect_words(m, suspects ? HD_TONE_BAD : HD_TONE_GOOD,
                         suspects ? units[i].told : units[i].nothing);
        }
}

Test(phrase_verdict, without_bytes_it_is_a_share_of_the_objects)
{
    struct made *m = make(6, 1);
    m->r.diff.by_graph = m->r.diff.types.bytes_known = false;
    m->suspects[0].holder_len = 0;
    expect_words(
        m, HD_TONE_BAD,
        "Order objects pile up: 0 → 600 in six snapshots, 10 % of the objects. But "
        "what holds what is not known.");
}

/* --- hostile names ------------------------------------------------------------------- */

Test(phrase_verdict, names_are_short_visible_and_known_as_names)
{
    struct made *m = make(6, 1);
    char name[200000];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    memcpy(name, "App.\x1b[2J\n<b>", 12);
    m->suspects[0].type = m->suspects[0].subject = name;
    m->holder[1] = "[static var App.Shop.\x1b]0;s_all]";
    struct headline h;
    phrase_verdict(&h, &m->r);
    const char *words = text_string(&h.words);
    cr_expect_lt(h.words.len, 400);
    cr_expect_null(strpbrk(words, "\x1b\n"), "%s", words);
    cr_assert_eq(h.name_count, 2);
    for (const char *c = words; *c != '\0'; c++) {
        size_t at = (size_t)(c - words);
        bool in_name = (at >= h.names[0].from && at < h.names[0].to) ||
                       (at >= h.names[1].from && at < h.names[1].to);
        cr_expect(in_name || strchr("<\\x;]", *c) == NULL || (*c == 'x' && c[-1] == 'i'),
                  "%s", c);
    }
    headline_free(&h);
    free(m);
}

/* --- where it is said ---------------------------------------------------------------- */

Test(phrase_verdict, all_formats_for_people_and_the_model_say_the_same)
{
    struct hd_report *r = shop_diff(NULL);
    const char *headline = hd_report_model(r)->diff->headline;
    cr_expect_str_eq(headline,
                     "Order objects pile up: 10 → 40 in four snapshots, +3.98 KiB, "
                     "70 % of the heap, held by the static s_orders.");
    cr_expect_eq(hd_report_model(r)->diff->tone, HD_TONE_BAD);
    char *text = written(r, "text"), *page = written(r, "md"), *json = written(r, "json");
    cr_expect_eq(strncmp(text, headline, strlen(headline)), 0, "%s", text);
    expect_part(page,
                "**heapdrift**: `Order` objects pile up: 10 → 40 in four snapshots, ");
    expect_part(json, "\"headline\": \"Order objects pile up: ");
    free(text);
    free(page);
    free(json);
    hd_report_free(r);
}

Test(phrase_verdict, it_is_said_again_where_its_beginning_has_scrolled_away)
{
    struct hd_report *r = shop_diff(NULL);
    static const struct {
        unsigned lines;
        size_t times;
    } terminals[] = {{0, 1}, {10, 2}, {200, 1}};
    for (size_t i = 0; i < 3; i++) {
        struct hd_write_options opt = {
            .size = sizeof(opt), .width = 200, .lines = terminals[i].lines};
        char *text = written_with(r, "text", &opt);
        size_t times = 0;
        for (const char *at = text; (at = strstr(at, "Order objects pile up")) != NULL;
             at++)
            times++;
        cr_expect_eq(times, terminals[i].times, "%s", text);
        if (terminals[i].times == 2)
            expect_part(text, "held by the static s_orders.\n\0");
        free(text);
    }
    hd_report_free(r);
}
