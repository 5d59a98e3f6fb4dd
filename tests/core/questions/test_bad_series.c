/* Series unfit for comparison: each doubt alone and in pairs, and heaps that shrink, grow
 * everywhere, are empty, or are in the wrong order. A second doubt must neither turn a
 * failure into a pass nor raise the confidence. */
#include "render/written.h"
#include "report/phrased.h"
#include "support/asked.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MAX_SNAPSHOTS = 6 };

/* --- doubts ----------------------------------------------------------------------------
 */

enum doubt {
    FIRST_CUT,
    MIDDLE_CUT,
    LAST_CUT,
    SAMPLED,
    RESTARTED,
    OTHER_PROGRAM,
    OUT_OF_ORDER,
    REPEATED,
    TOO_FEW,
    UNEXPLAINED,
    STOPPED,
    DOUBTS
};

static const char *const names[DOUBTS] = {
    "first incomplete", "middle incomplete",  "last incomplete", "sampled",
    "restarted",        "other program",      "out of order",    "repeated",
    "too few",          "unexplained growth", "growth stopped"};

#define DOUBT(d) (1U << (d))

/* The series in doubt: a constant heap, or a leaking one. */
enum content { QUIET, LEAKING, CONTENTS };

static size_t snapshots_of(unsigned doubts)
{
    return doubts & DOUBT(TOO_FEW) ? 3 : MAX_SNAPSHOTS;
}

static void add_list(struct forge *f, const char *variable, const char *type, uint64_t size,
                     uint32_t count, const char *part)
{
    char array[64];
    snprintf(array, sizeof(array), "%s[]", type);
    node_id list = forge_object(f, array, 8000);
    forge_root(f, HD_ROOT_STATIC, variable, list);
    node_id first = forge_objects(f, type, size, count);
    for (uint32_t i = 0; i < count; i++) {
        forge_reference(f, list, first + i);
        if (part != NULL)
            forge_reference(f, first + i, forge_object(f, part, 300));
    }
}

/* The sum grows evenly, neither of the two does. */
static const uint32_t documents[MAX_SNAPSHOTS] = {300, 500, 200, 450, 250, 400};

static struct hd_snapshot *other_heap(void)
{
    struct forge f = {0};
    add_list(&f, "Other.Host.s_a", "Other.A", 1000, 100, NULL);
    add_list(&f, "Other.Host.s_b", "Other.B", 1000, 100, NULL);
    add_list(&f, "Other.Host.s_c", "Other.C", 1000, 100, NULL);
    return forge_finish(&f);
}

static struct hd_snapshot *heap_with(unsigned doubts, enum content content, uint32_t k)
{
    if ((doubts & DOUBT(OTHER_PROGRAM)) && k + 1 == snapshots_of(doubts))
        return other_heap();
    struct forge f = {0};
    add_list(&f, "App.Shop.s_blobs", "App.Blob", 50000, 10, NULL);
    add_list(&f, "App.Shop.s_names", "App.Name", 20, 50, NULL);
    add_list(&f, "App.Shop.s_orders", "App.Order", 300,
             content == LEAKING ? 100 + 100 * k : 100, NULL);
    if (doubts & DOUBT(UNEXPLAINED)) {
        add_list(&f, "App.Shop.s_documents", "App.Document", 24, documents[k],
                 "System.String");
        add_list(&f, "App.Shop.s_pages", "App.Page", 24, 600 + 60 * k - documents[k],
                 "System.String");
    }
    if (doubts & DOUBT(STOPPED))
        add_list(&f, "App.Shop.s_cache", "App.Entry", 500, 100 + 100 * (k < 2 ? k : 2),
                 NULL);
    if (doubts & DOUBT(SAMPLED))
        forge_multiplier(&f, "App.Order", 10);
    return forge_finish(&f);
}

static size_t open_doubtful(struct hd_snapshot **snaps, unsigned doubts,
                            enum content content)
{
    size_t n = snapshots_of(doubts), repeated = n - 2;
    for (size_t k = 0; k < n; k++) {
        bool again = (doubts & DOUBT(REPEATED)) && k == repeated;
        snaps[k] = heap_with(doubts, content, (uint32_t)(again ? k - 1 : k));
        snaps[k]->clock = doubts & DOUBT(OUT_OF_ORDER) ? 1000.0 - (double)k : (double)k;
        snaps[k]->clock_is_date = true;
        snaps[k]->info.pid = (doubts & DOUBT(RESTARTED)) && k >= n / 2 ? 8 : 7;
        snaps[k]->info.xxh3 = again ? k - 1 : k;
    }
    snaps[0]->info.complete = !(doubts & DOUBT(FIRST_CUT));
    snaps[n / 2]->info.complete = !(doubts & DOUBT(MIDDLE_CUT));
    snaps[n - 1]->info.complete = !(doubts & DOUBT(LAST_CUT));
    return n;
}

/* --- reports ---------------------------------------------------------------------------
 */

static void write_all(const struct hd_report *r)
{
    for (size_t i = 0; hd_format_name(i) != NULL; i++) {
        if (!can_be_written(r, i))
            continue;
        char *bytes = written(r, hd_format_name(i));
        bool may_be_empty = strcmp(hd_format_name(i), "github") == 0; /* all pass */
        cr_expect(may_be_empty || bytes[0] != '\0', "%s", hd_format_name(i));
        /* The script of a page may contain it; the numbers are those of JSON. */
        if (strcmp(hd_format_name(i), "html") != 0)
            cr_expect_null(strstr(bytes, "nan"), "%s: %s", hd_format_name(i), bytes);
        free(bytes);
    }
}

/* A check, and a diff, in every format. */
static struct hd_report *looked_at(struct hd_snapshot **snaps, size_t count)
{
    struct hd_error err = {0};
    struct hd_report *diff = ask_diff(snaps, count, NULL, &err);
    cr_assert_not_null(diff, "%s", err.message);
    write_all(diff);
    hd_report_free(diff);
    struct hd_report *r = check_of(snaps, count, NULL, NULL);
    write_all(r);
    return r;
}

static bool warns_of(const struct hd_report *r, const char *code)
{
    size_t count;
    const struct hd_warning *all = hd_report_warnings(r, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].code, code) == 0)
            return true;
    return false;
}

struct outcome {
    enum hd_verdict verdict;
    enum hd_confidence confidence;
    int status, strict;
};

static struct outcome outcome_of(unsigned doubts, enum content content)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    size_t n = open_doubtful(snaps, doubts, content);
    struct hd_report *r = looked_at(snaps, n);
    struct outcome o = {hd_report_verdict(r), r->diff.confidence,
                        hd_report_status(r, false), hd_report_status(r, true)};
    const struct hd_growth *g = &r->diff.growth;
    cr_expect(!g->known || g->bytes == g->suspects + g->pools + g->rest, "%x", doubts);
    hd_report_free(r);
    return o;
}

Test(bad_series, each_doubt_alone_is_seen)
{
    static const struct {
        enum hd_verdict quiet, leaking;
        enum hd_confidence confidence; /* of the quiet one */
        int strict;
    } expected[DOUBTS] = {
        [FIRST_CUT] = {HD_INCONCLUSIVE, HD_FAIL, HD_CONFIDENCE_HIGH, 3},
        [MIDDLE_CUT] = {HD_PASS, HD_FAIL, HD_CONFIDENCE_HIGH, 3},
        [LAST_CUT] = {HD_INCONCLUSIVE, HD_FAIL, HD_CONFIDENCE_HIGH, 3},
        [SAMPLED] = {HD_INCONCLUSIVE, HD_FAIL, HD_CONFIDENCE_MEDIUM, 3},
        [RESTARTED] = {HD_INCONCLUSIVE, HD_FAIL, HD_CONFIDENCE_MEDIUM, 3},
        [OTHER_PROGRAM] = {HD_INCONCLUSIVE, HD_INCONCLUSIVE, HD_CONFIDENCE_MEDIUM, 3},
        [OUT_OF_ORDER] = {HD_INCONCLUSIVE, HD_FAIL, HD_CONFIDENCE_MEDIUM, 3},
        [REPEATED] = {HD_INCONCLUSIVE, HD_FAIL, HD_CONFIDENCE_HIGH, 3},
        [TOO_FEW] = {HD_INCONCLUSIVE, HD_INCONCLUSIVE, HD_CONFIDENCE_MEDIUM, 3},
        [UNEXPLAINED] = {HD_INCONCLUSIVE, HD_FAIL, HD_CONFIDENCE_MEDIUM, 3},
        [STOPPED] = {HD_PASS, HD_FAIL, HD_CONFIDENCE_MEDIUM, 3},
    };
    for (unsigned d = 0; d < DOUBTS; d++) {
        struct outcome quiet = outcome_of(DOUBT(d), QUIET);
        struct outcome leaking = outcome_of(DOUBT(d), LEAKING);
        cr_expect_eq(quiet.verdict, expected[d].quiet, "%s: %s", names[d],
                     verdict_names[quiet.verdict]);
        cr_expect_eq(leaking.verdict, expected[d].leaking, "%s, leaking: %s", names[d],
                     verdict_names[leaking.verdict]);
        cr_expect_eq(quiet.confidence, expected[d].confidence, "%s: %s", names[d],
                     confidence_names[quiet.confidence]);
        cr_expect_eq(quiet.strict, expected[d].strict, "%s", names[d]);
    }
    struct outcome none = outcome_of(0, QUIET);
    cr_expect_eq(none.verdict, HD_PASS);
    cr_expect_eq(none.strict, 0);
    cr_expect_eq(none.confidence, HD_CONFIDENCE_HIGH);
}

static void expect_pair(const struct outcome *a, const struct outcome *b,
                        const struct outcome *both, const char *what, const char *and)
{
    enum hd_confidence least =
        a->confidence < b->confidence ? a->confidence : b->confidence;
    cr_expect(both->verdict != HD_PASS || (a->verdict == HD_PASS && b->verdict == HD_PASS),
              "%s and %s: passes", what, and);
    cr_expect(both->strict != 0 || (a->strict == 0 && b->strict == 0), "%s and %s, strict",
              what, and);
    cr_expect_leq(both->confidence, least, "%s and %s: %s", what, and,
                  confidence_names[both->confidence]);
}

Test(bad_series, two_doubts_are_no_better_than_one, .timeout = 120)
{
    for (int content = 0; content < CONTENTS; content++) {
        struct outcome alone[DOUBTS];
        for (unsigned d = 0; d < DOUBTS; d++)
            alone[d] = outcome_of(DOUBT(d), (enum content)content);
        for (unsigned a = 0; a < DOUBTS; a++)
            for (unsigned b = a + 1; b < DOUBTS; b++) {
                struct outcome both =
                    outcome_of(DOUBT(a) | DOUBT(b), (enum content)content);
                expect_pair(&alone[a], &alone[b], &both, names[a], names[b]);
            }
    }
}

/* --- heaps that shrink, or grow everywhere
 * ------------------------------------------------ */

Test(bad_series, a_heap_that_shrinks_has_no_suspect)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++) {
        struct forge f = {0};
        add_list(&f, "App.Shop.s_a", "App.A", 100, 1000 - 100 * k, "System.String");
        add_list(&f, "App.Shop.s_b", "App.B", 100, 1000 - 150 * k, NULL);
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
    cr_expect_eq(r->diff.suspect_count + r->diff.below_threshold_count +
                     r->diff.leveled_off_count,
                 0);
    cr_expect(isnan(r->diff.growth.explained), "nothing to explain");
    cr_expect_lt(r->diff.growth.bytes, 0);
    cr_expect_eq(r->check.verdict, HD_PASS);
    cr_expect_eq(r->diff.confidence, HD_CONFIDENCE_HIGH);
    hd_report_free(r);
}

enum { TYPES = 1000 };

/* One more of each type in every step, in one list or in separate ones. */
static struct hd_report *all_types_grow(bool one_list)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++) {
        struct forge f = {0};
        node_id list = forge_object(&f, "App.Event[]", 80000);
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_events", list);
        for (uint32_t i = 0; i < TYPES; i++) {
            char type[32], variable[32];
            snprintf(type, sizeof(type), "App.T%u", i);
            snprintf(variable, sizeof(variable), "App.Shop.s_t%u", i);
            if (!one_list) {
                add_list(&f, variable, type, 1000, 10 + k, NULL);
                continue;
            }
            node_id first = forge_objects(&f, type, 1000, 10 + k);
            for (uint32_t n = 0; n < 10 + k; n++)
                forge_reference(&f, list, first + n);
        }
        snaps[k] = forge_finish(&f);
    }
    return looked_at(snaps, MAX_SNAPSHOTS);
}

Test(bad_series, types_that_all_grow_are_one_suspect_if_one_store_has_them)
{
    struct hd_report *r = all_types_grow(true);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].type, "App.T0");
    cr_expect_eq(r->diff.suspects[0].also_count, TYPES - 1);
    cr_expect_eq(r->diff.below_threshold_count, 0);
    cr_expect_eq(r->diff.growth.suspects, 5 * TYPES * 1000);
    cr_expect_eq(r->check.verdict, HD_FAIL);
    hd_report_free(r);
}

Test(bad_series, types_that_all_grow_by_themselves_leave_the_gate_open)
{
    struct hd_report *r = all_types_grow(false);
    cr_expect_eq(r->diff.suspect_count, 0);
    cr_expect_eq(r->diff.below_threshold_count, TYPES);
    cr_expect(r->diff.growth.is_open);
    cr_expect_eq(r->check.verdict, HD_INCONCLUSIVE);
    cr_expect_eq(r->diff.confidence, HD_CONFIDENCE_MEDIUM);
    hd_report_free(r);
}

/* --- heaps with nothing in them
 * ------------------------------------------------------------ */

/* Objects that refer to each other, unreachable from any root. */
static void add_garbage(struct forge *f, uint32_t count)
{
    node_id first = forge_objects(f, "App.Garbage", 1000, count);
    for (uint32_t i = 0; i < count; i++)
        forge_reference(f, first + i, first + (i + 1) % count);
}

Test(bad_series, without_reachable_objects_owners_are_unknown)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++) {
        struct forge f = {0};
        add_garbage(&f, 100 * (k + 1));
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
    cr_expect_not(r->diff.by_graph);
    cr_expect_eq(r->check.verdict, HD_FAIL, "types are ranked as in a table");
    hd_report_free(r);
}

/* All roots are null. */
Test(bad_series, empty_roots_show_no_growth)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++) {
        struct forge f = {0};
        node_id root = forge_pseudo(&f, "[roots]");
        forge_reference(&f, root, forge_pseudo(&f, "[static vars]"));
        forge_start(&f, root);
        add_garbage(&f, 100 * (k + 1));
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
    cr_expect_neq(r->check.verdict, HD_PASS, "%s, by %s", verdict_names[r->check.verdict],
                  r->diff.by_graph ? "graph" : "table");
    hd_report_free(r);
}

Test(bad_series, growing_garbage_is_not_a_suspect)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++) {
        struct forge f = {0};
        add_list(&f, "App.Shop.s_a", "App.A", 100, 1000, NULL);
        add_garbage(&f, 100 * (k + 1));
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
    cr_expect(r->diff.by_graph);
    cr_expect_eq(r->diff.suspect_count + r->diff.below_threshold_count, 0);
    cr_expect_eq(r->diff.growth.bytes, 0);
    hd_report_free(r);
}

Test(bad_series, a_heap_that_was_empty_once)
{
    for (uint32_t empty = 0; empty < MAX_SNAPSHOTS; empty++) {
        struct hd_snapshot *snaps[MAX_SNAPSHOTS];
        for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++) {
            struct forge f = {0};
            if (k != empty)
                add_list(&f, "App.Shop.s_a", "App.A", 100, 100 * (k + 1), NULL);
            snaps[k] = forge_finish(&f);
        }
        struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
        cr_expect_neq(r->check.verdict, HD_PASS, "snapshot %u", empty);
        cr_expect_eq(r->diff.usable_count, MAX_SNAPSHOTS - 1, "it is left out");
        cr_expect_eq(r->check.verdict, HD_FAIL, "the others show a leak");
        cr_expect(warns_of(r, "total-drops"));
        hd_report_free(r);
    }
}

Test(bad_series, heaps_that_are_all_empty)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++) {
        struct forge f = {0};
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
    cr_expect_eq(r->diff.suspect_count + r->diff.below_threshold_count, 0);
    cr_expect_eq(r->check.verdict, HD_INCONCLUSIVE);
    hd_report_free(r);
}

/* A constant heap, then an empty snapshot: not known to have stayed constant. */
Test(bad_series, a_last_snapshot_without_objects_does_not_pass)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k + 1 < MAX_SNAPSHOTS; k++)
        snaps[k] = heap_with(0, QUIET, k);
    struct forge f = {0};
    snaps[MAX_SNAPSHOTS - 1] = forge_finish(&f);
    struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
    cr_expect_eq(r->check.verdict, HD_INCONCLUSIVE);
    cr_expect_eq(hd_report_status(r, true), 3);
    cr_expect_str_eq(text_of_reason(&r->check.rules[0]),
                     "the first or the last snapshot was left out");
    hd_report_free(r);
}

/* --- long ones, and ones in the wrong order
 * -------------------------------------------------- */

Test(bad_series, the_maximum_number_of_snapshots)
{
    struct hd_snapshot *snaps[HD_MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < HD_MAX_SNAPSHOTS; k++) {
        struct forge f = {0};
        add_list(&f, "App.Shop.s_blobs", "App.Blob", 50000, 20, NULL);
        add_list(&f, "App.Shop.s_a", "App.A", 40, 100 + k, "System.String");
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = looked_at(snaps, HD_MAX_SNAPSHOTS);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].type, "App.A");
    cr_expect_eq(r->diff.suspects[0].suspicion, HD_SUSPECT_STEADY);
    cr_expect_eq(r->diff.suspects[0].step_least, 1);
    cr_expect_float_eq(r->diff.suspects[0].score, 49 * 340, 1e-6);
    hd_report_free(r);
}

/* Every doubt about each snapshot is reported once. */
Test(bad_series, the_maximum_number_of_snapshots_all_in_doubt)
{
    struct hd_snapshot *snaps[HD_MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < HD_MAX_SNAPSHOTS; k++) {
        snaps[k] = k % 2 ? other_heap() : heap_with(0, LEAKING, k);
        snaps[k]->clock = 1000.0 - k;
        snaps[k]->clock_is_date = true;
        snaps[k]->info.pid = k;
        snaps[k]->info.xxh3 = k % 3;
        snaps[k]->info.complete = k % 5 > 0;
    }
    struct hd_report *r = looked_at(snaps, HD_MAX_SNAPSHOTS);
    cr_expect_neq(r->check.verdict, HD_PASS);
    cr_expect_leq(r->diff.confidence, HD_CONFIDENCE_MEDIUM);
    hd_report_free(r);
}

/* A leak in reverse order looks like a shrinking heap. */
Test(bad_series, a_leak_in_the_wrong_order_does_not_pass)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++) {
        snaps[k] = heap_with(0, LEAKING, MAX_SNAPSHOTS - 1 - k);
        snaps[k]->clock = MAX_SNAPSHOTS - k;
        snaps[k]->clock_is_date = true;
    }
    struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
    cr_expect_eq(r->diff.suspect_count, 0);
    cr_expect_eq(r->check.verdict, HD_INCONCLUSIVE);
    cr_expect_eq(r->diff.confidence, HD_CONFIDENCE_MEDIUM);
    cr_expect(warns_of(r, "out-of-order"));
    hd_report_free(r);
}

/* --- pools and threads
 * ------------------------------------------------------------------------ */

/* A pool of buffers and a constant heap, finally of the same size. The module decides whose
 * class the pool is. */
static struct hd_snapshot *heap_with_pool(const char *pool_type, const char *module,
                                          uint32_t count)
{
    struct forge f = {0};
    add_list(&f, "App.Shop.s_a", "App.A", 100, 1000, NULL);
    node_id pool = forge_object(&f, pool_type, 64);
    forge_root(&f, HD_ROOT_STATIC, "System.Buffers.ArrayPool.s_shared", pool);
    node_id first = forge_objects(&f, "System.Byte[]", 1000, count);
    for (uint32_t i = 0; i < count; i++)
        forge_reference(&f, pool, first + i);
    if (module != NULL)
        forge_module(&f, pool_type, module);
    return forge_finish(&f);
}

static const struct pool_case {
    const char *type, *module;
    bool is_pool, by_name;
} pool_cases[] = {
    {"System.Buffers.SharedArrayPool<System.Byte>", "System.Private.CoreLib.dll", true,
     false},
    {"System.Buffers.SharedArrayPool<App.Mine>", "System.Private.CoreLib.dll", true, false},
    {"System.Buffers.ConfigurableArrayPool<App.Mine>", "System.Private.CoreLib.dll", true,
     false},
    {"Microsoft.AspNetCore.PinnedBlockMemoryPool",
     "/usr/share/dotnet/Microsoft.AspNetCore.Server.Kestrel.Core.dll", true, false},
    {"System.Buffers.SharedArrayPool<App.Mine>", NULL, true, true},
    {"System.Buffers.SharedArrayPool<System.Byte>", NULL, true, true},
    {"System.Buffers.SharedArrayPool<App.Mine>", "App.dll", false, false},
    {"System.Buffers.SharedArrayPool<System.Byte>", "/app/App.dll", false, false},
    {"Microsoft.AspNetCore.PinnedBlockMemoryPool", "App.dll", false, false},
    {"SharedArrayPool<App.Mine>", NULL, false, false},
    {"App.SharedArrayPool<System.Byte>", NULL, false, false},
    {"System.Buffers.SharedArrayPoolOfMine", NULL, false, false},
};

static void expect_pool(const struct pool_case *c, uint32_t each)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++)
        snaps[k] = heap_with_pool(c->type, c->module, 20 + each * k);
    struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
    const struct hd_growth *g = &r->diff.growth;
    const struct hd_finding *f = &r->check.rules[0];
    bool told = c->is_pool && each > 1;
    char *text = written(r, "text"), *json = written(r, "json");
    const char *words = c->by_name ? "pools (known by name only) and threads grew by"
                                   : "uffer pools and threads grew by";
    cr_expect_eq(r->check.verdict, c->is_pool || each == 0 ? HD_PASS : HD_FAIL,
                 "%s, %s, +%u", c->type, c->module, each);
    cr_expect_eq(hd_report_status(r, true),
                 !c->is_pool && each > 0 ? 1
                 : told && c->by_name    ? 3
                                         : 0,
                 "%s, %s, +%u", c->type, c->module, each);
    cr_expect_eq(g->pools, c->is_pool ? (int64_t)(MAX_SNAPSHOTS - 1) * each * 1000 : 0);
    cr_expect_eq(g->pools_are_reported, told);
    cr_expect_eq(warns_of(r, "pool-growth"), told);
    cr_expect_eq(strstr(r->diff.headline, words) != NULL, told, "%s", r->diff.headline);
    cr_expect_eq(strstr(text, words) != NULL, told, "%s", text);
    cr_expect_eq(strstr(json, words) != NULL, told);
    for (size_t i = 0; i < r->diff.suspect_count; i++) {
        const char *hint = r->diff.suspects[i].hint;
        bool of_pools = hint != NULL && strcmp(hint, "array-pool-not-returned") == 0;
        cr_expect_not(of_pools && c->module != NULL, "%s, %s", c->type, c->module);
    }
    if (told) {
        cr_expect_eq(f->reason.code,
                     c->by_name ? HD_REASON_POOLS_BY_NAME : HD_REASON_POOLS);
        cr_expect_null(strstr(text, "othing grows"), "%s", text);
        cr_expect_null(strstr(r->diff.headline, "No leak"), "%s", r->diff.headline);
    }
    free(text);
    free(json);
    hd_report_free(r);
}

/* Blocks added per step: 0; less than a tenth of the heap; half of it. */
Test(bad_series, pools_are_the_runtimes_by_their_module_and_their_growth_is_reported)
{
    static const uint32_t each[] = {0, 1, 40};
    for (size_t i = 0; i < sizeof(pool_cases) / sizeof(*pool_cases); i++)
        for (size_t k = 0; k < sizeof(each) / sizeof(*each); k++)
            if (each[k] != 1 || pool_cases[i].is_pool)
                expect_pool(&pool_cases[i], each[k]);
}

Test(bad_series, growth_within_a_pool_is_reported_but_not_a_suspect)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++) {
        struct forge f = {0};
        node_id pool = forge_object(&f, "System.Buffers.SharedArrayPool<System.Byte>", 64);
        forge_root(&f, HD_ROOT_STATIC, "System.Buffers.ArrayPool.s_shared", pool);
        uint32_t count = 100 * (k + 1);
        node_id first = forge_objects(&f, "System.Byte[]", 4096, count);
        for (uint32_t i = 0; i < count; i++)
            forge_reference(&f, pool, first + i);
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
    cr_expect_eq(r->diff.suspect_count + r->diff.below_threshold_count, 0);
    cr_assert_eq(r->diff.pooled_count, 1);
    cr_expect_eq(r->diff.pooled[0].rank, 0);
    cr_expect_eq(r->diff.growth.pools, 500 * 4096);
    cr_expect_eq(r->diff.growth.bytes, r->diff.growth.pools);
    cr_expect_float_eq(r->diff.growth.explained, 0, 0);
    cr_expect_not(r->diff.growth.unexplained);
    hd_report_free(r);
}

/* Each thread has its array, with per_thread objects. */
static struct hd_snapshot *threads(uint32_t count, uint32_t per_thread)
{
    struct forge f = {0};
    add_list(&f, "App.Shop.s_blobs", "App.Blob", 50000, 10, NULL);
    node_id all = forge_objects(&f, "System.Threading.Thread", 72, count);
    for (uint32_t i = 0; i < count; i++) {
        node_id statics = forge_object(&f, "System.Object[]", 8000);
        forge_root(&f, HD_ROOT_STACK, NULL, all + i);
        forge_root(&f, HD_ROOT_STACK, NULL, statics);
        node_id first = forge_objects(&f, "App.Scratch", 400, per_thread);
        for (uint32_t n = 0; n < per_thread; n++)
            forge_reference(&f, statics, first + n);
    }
    return forge_finish(&f);
}

Test(bad_series, thread_statics_follow_the_threads_except_for_a_leak_in_them)
{
    for (int leaks = 0; leaks < 2; leaks++) {
        struct hd_snapshot *snaps[MAX_SNAPSHOTS];
        for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++)
            snaps[k] = leaks ? threads(10, 10 + 20 * k) : threads(10 + 10 * k, 10);
        struct hd_report *r = looked_at(snaps, MAX_SNAPSHOTS);
        bool found = r->diff.suspect_count > 0 &&
                     strcmp(r->diff.suspects[0].type, "App.Scratch") == 0;
        cr_expect_eq(found, leaks == 1);
        cr_expect_eq(r->diff.growth.bytes,
                     r->diff.growth.suspects + r->diff.growth.pools + r->diff.growth.rest);
        hd_report_free(r);
    }
}

/* --- samples
 * ------------------------------------------------------------------------------------ */

static struct hd_report *sampled_leak(double multiplier, uint32_t step, bool in_size)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < MAX_SNAPSHOTS; k++) {
        struct forge f = {0};
        add_list(&f, "App.Shop.s_blobs", "App.Blob", 5000, 10, NULL);
        add_list(&f, "App.Shop.s_a", "App.A", in_size ? 100000 * (k + 1) : 2000,
                 in_size ? 1 : 100 + step * k, NULL);
        forge_multiplier(&f, "App.A", multiplier);
        snaps[k] = forge_finish(&f);
    }
    return looked_at(snaps, MAX_SNAPSHOTS);
}

Test(bad_series, a_sample_is_never_steady)
{
    struct hd_report *r = sampled_leak(10, 100, false);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_eq(r->diff.suspects[0].suspicion, HD_SUSPECT_SIZE);
    cr_expect_eq(r->diff.suspects[0].per_iteration, HD_UNKNOWN);
    cr_expect_eq(r->diff.suspects[0].survivors, HD_UNKNOWN);
    hd_report_free(r);
    r = sampled_leak(10, 1, false);
    cr_expect_eq(r->diff.suspect_count, 0, "as even, but within what it may be off by");
    hd_report_free(r);
}

/* Its bytes are still known. */
Test(bad_series, less_than_half_an_object_is_ranked_by_its_size)
{
    struct hd_report *r = sampled_leak(0.3, 0, true);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].type, "App.A");
    cr_expect_eq(r->diff.suspects[0].at[MAX_SNAPSHOTS - 1].count, 0);
    cr_expect_eq(r->diff.suspects[0].suspicion, HD_SUSPECT_SIZE);
    cr_expect_eq(r->diff.growth.bytes,
                 r->diff.growth.suspects + r->diff.growth.pools + r->diff.growth.rest);
    hd_report_free(r);
}
