/* Verdicts by the shape of a change: number of snapshots, start and kind of objects must
 * not matter. Growth never gets an all-clear; fluctuating or shrinking heaps never fail. */
#include "render/written.h"
#include "report/report.h"
#include "support/random.h"
#include "support/scratch.h"

enum {
    MIN_SNAPSHOTS = 4,
    MAX_SNAPSHOTS = 30,
    HIGH = 100,
    UNIT = 4000,
    KINDS_OF_TYPES = 40
};

/* Objects that change: a list, one object, many types of which none is large, thread
 * statics of ten threads, rows of a table, and one of these rows. */
enum matter { A_LIST, AN_ARRAY, MANY_TYPES, IN_THREADS, A_TABLE, ONE_ROW, MATTERS };

static const char *const matters[MATTERS] = {
    "a list", "an array", "many types", "in threads", "a table", "one row of a table"};

enum truth {
    GROWS,   /* no all-clear */
    STAYS,   /* grew, and is constant now: a pass with a reservation at most */
    JUMPS,   /* grew once, not long ago: no all-clear, and no leak either */
    TIRES,   /* grew in half of the steps at most: low or medium confidence */
    BOUNDED, /* an all-clear */
    UNKNOWN
};

struct shape {
    const char *name;
    uint32_t level[MAX_SNAPSHOTS]; /* 0 to HIGH */
    uint32_t at, n;                /* where it changes; snapshots */
    enum truth truth;
    size_t since; /* expected growth.since without a suspect; 0: not checked */
};

/* --- heaps ----------------------------------------------------------------------- */

static void add_list(struct forge *f, const char *type, uint64_t size, uint32_t count)
{
    char array[64], variable[64];
    snprintf(array, sizeof(array), "%s[]", type);
    snprintf(variable, sizeof(variable), "App.Shop.s_%s", type + strlen("App."));
    node_id list = forge_object(f, array, 1000);
    forge_root(f, HD_ROOT_STATIC, variable, list);
    node_id first = forge_objects(f, type, size, count);
    for (uint32_t i = 0; i < count; i++)
        forge_reference(f, list, first + i);
}

static void add_threads(struct forge *f, uint32_t per_thread)
{
    for (uint32_t i = 0; i < 10; i++) {
        node_id statics = forge_object(f, "System.Object[]", 1000);
        forge_root(f, HD_ROOT_STACK, NULL, statics);
        node_id first = forge_objects(f, "App.Scratch", 400, per_thread);
        for (uint32_t n = 0; n < per_thread; n++)
            forge_reference(f, statics, first + n);
    }
}

static void add_row(struct forge *f, uint32_t i, uint32_t level)
{
    char type[32];
    snprintf(type, sizeof(type), "App.Type%02u", i);
    forge_row(f, type, 10 + level / 4, 4000 + level * UNIT / KINDS_OF_TYPES);
}

static struct hd_snapshot *heap_at(enum matter matter, uint32_t level)
{
    struct forge f = {0};
    char type[32];
    if (matter == A_TABLE || matter == ONE_ROW) {
        forge_row(&f, "App.Blob", 10, 500000);
        for (uint32_t i = 0; i < KINDS_OF_TYPES && matter == A_TABLE; i++)
            add_row(&f, i, level);
        if (matter == ONE_ROW)
            forge_row(&f, "App.Leaked", 10 + level, 4000 + level * UNIT);
        return forge_finish(&f);
    }
    add_list(&f, "App.Blob", 50000, 10);
    if (matter == A_LIST)
        add_list(&f, "App.Leaked", 400, 10 + level * UNIT / 400);
    for (uint32_t i = 0; i < KINDS_OF_TYPES && matter == MANY_TYPES; i++) {
        snprintf(type, sizeof(type), "App.Type%02u", i);
        add_list(&f, type, 100, 3 + level * UNIT / 100 / KINDS_OF_TYPES);
    }
    if (matter == AN_ARRAY)
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all",
                   forge_object(&f, "System.Int64[]", 4000 + level * UNIT));
    if (matter == IN_THREADS)
        add_threads(&f, 1 + level);
    return forge_finish(&f);
}

/* --- what is said ---------------------------------------------------------------- */

static bool is_all_clear(const struct hd_report *check, const struct hd_report *diff)
{
    return check->check.verdict == HD_PASS && hd_report_conclusive(check) &&
           hd_report_conclusive(diff) && diff->diff.suspect_count == 0;
}

static bool calms(const struct hd_report *diff)
{
    char *text = written(diff, "text");
    bool calm = strstr(text, "NO LEAK FOUND") != NULL;
    free(text);
    return calm ||
           (diff->diff.suspect_count == 0 && diff->diff.confidence == HD_CONFIDENCE_HIGH);
}

static void expect_truth(const struct shape *shape, enum matter matter,
                         const struct hd_report *check, const struct hd_report *diff)
{
    char where[160];
    snprintf(where, sizeof(where),
             "%s from %u, %u snapshots, %s: %s, %zu suspects, open %.3f", shape->name,
             (unsigned)shape->at, (unsigned)shape->n, matters[matter],
             hd_verdict_name(check->check.verdict), diff->diff.suspect_count,
             diff->diff.growth.open_share);
    bool clear = is_all_clear(check, diff);
    switch (shape->truth) {
    case GROWS:
        cr_expect_neq(check->check.verdict, HD_PASS, "%s", where);
        cr_expect_not(calms(diff), "%s", where);
        if (shape->since > 0 && diff->diff.suspect_count == 0)
            cr_expect_eq(diff->diff.growth.since, shape->since, "%s since %zu", where,
                         diff->diff.growth.since);
        break;
    case STAYS:
        cr_expect_not(clear, "%s", where);
        cr_expect_not(calms(diff), "%s", where);
        break;
    case JUMPS:
        cr_expect_eq(diff->diff.suspect_count, 0, "%s", where);
        cr_expect_eq(check->check.verdict, HD_INCONCLUSIVE, "%s", where);
        cr_expect_not(calms(diff), "%s", where);
        break;
    case TIRES:
        cr_expect_neq(check->check.verdict, HD_PASS, "%s", where);
        cr_expect_neq(diff->diff.confidence, HD_CONFIDENCE_HIGH, "%s", where);
        break;
    case BOUNDED:
        cr_expect(clear, "%s", where);
        break;
    case UNKNOWN:
        break;
    }
}

static void try_matter(const struct shape *shape, enum matter matter)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    struct hd_error err = {0};
    struct hd_options opt = hd_default_options();
    opt.chains = 0;
    for (size_t k = 0; k < shape->n; k++)
        snaps[k] = heap_at(matter, shape->level[k]);
    struct hd_report *check = ask_check(snaps, shape->n, &opt, NULL, &err);
    cr_assert_not_null(check, "%s", err.message);
    struct hd_report *diff = ask_diff(snaps, shape->n, &opt, &err);
    cr_assert_not_null(diff, "%s", err.message);
    expect_truth(shape, matter, check, diff);
    hd_report_free(check);
    hd_report_free(diff);
    for (size_t k = 0; k < shape->n; k++)
        hd_snapshot_close(snaps[k]);
}

static void expect_shape(const struct shape *shape)
{
    for (enum matter m = 0; m < MATTERS; m++)
        try_matter(shape, m);
}

/* 4, 5, 6, 8, 12, 20, 30: few shapes are tried with every number of snapshots. */
static uint32_t next_length(uint32_t n)
{
    return n < 6     ? n + 1
           : n == 6  ? 8
           : n == 8  ? 12
           : n == 12 ? 20
           : n == 20 ? MAX_SNAPSHOTS
                     : MAX_SNAPSHOTS + 1;
}

/* --- shapes ---------------------------------------------------------------------- */

Test(shapes, flat_shapes_are_cleared, .timeout = 60)
{
    for (uint32_t n = MIN_SNAPSHOTS; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        struct shape flat = {.name = "flat", .n = n, .truth = BOUNDED};
        struct shape noisy = {.name = "noise", .n = n, .truth = BOUNDED};
        struct random random = random_from(n);
        for (uint32_t k = 0; k < n; k++)
            noisy.level[k] = random_below(&random, 3);
        expect_shape(&flat);
        expect_shape(&noisy);
    }
}

Test(shapes, shrinking_shapes_are_cleared, .timeout = 60)
{
    for (uint32_t n = MIN_SNAPSHOTS; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        struct shape s = {.name = "reversed", .n = n, .truth = BOUNDED};
        for (uint32_t k = 0; k < n; k++)
            s.level[k] = (n - 1 - k) * HIGH / (n - 1);
        expect_shape(&s);
    }
}

Test(shapes, growth_is_never_denied_however_late_it_begins, .timeout = 120)
{
    for (uint32_t n = MIN_SNAPSHOTS; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        for (uint32_t tail = 1; tail < n; tail += tail < 8 ? 1 : 4) {
            struct shape s = {.name = "late", .at = n - tail, .n = n, .truth = GROWS};
            for (uint32_t k = n - tail; k < n; k++)
                s.level[k] = (k + 1 - (n - tail)) * HIGH / tail;
            s.since = tail <= 8 ? n - 1 - tail : 0;
            expect_shape(&s);
        }
    }
}

Test(shapes, growth_in_bursts_is_never_denied, .timeout = 120)
{
    for (uint32_t n = MIN_SNAPSHOTS; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        for (uint32_t bursts = 2; bursts < n && bursts < 6; bursts++) {
            struct shape s = {.name = "bursts", .n = n, .truth = GROWS};
            for (uint32_t k = 0; k < n; k++)
                s.level[k] = k * bursts / (n - 1) * HIGH / bursts;
            expect_shape(&s);
        }
        struct shape one = {.name = "one late burst", .n = n, .truth = GROWS};
        for (uint32_t k = n - n / 3; k < n; k++)
            one.level[k] = HIGH;
        expect_shape(&one);
    }
}

Test(shapes, growth_after_a_dip_is_never_denied, .timeout = 120)
{
    for (uint32_t n = MIN_SNAPSHOTS + 1; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        for (uint32_t dip = 1; dip + MIN_SNAPSHOTS <= n; dip += dip < 4 ? 1 : 5) {
            struct shape s = {.name = "after a dip", .at = dip, .n = n, .truth = GROWS};
            for (uint32_t k = 0; k < dip; k++)
                s.level[k] = HIGH;
            for (uint32_t k = dip; k < n; k++)
                s.level[k] = (k - dip) * 90 / (n - 1 - dip);
            expect_shape(&s);
        }
    }
}

Test(shapes, a_slow_rise_is_told_from_the_noise_around_it, .timeout = 60)
{
    for (uint32_t n = 12; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        struct shape s = {.name = "in noise", .n = n, .truth = GROWS};
        struct random random = random_from(n);
        for (uint32_t k = 0; k < n; k++)
            s.level[k] = k * 40 / (n - 1) + random_below(&random, 25);
        expect_shape(&s);
    }
}

Test(shapes, a_dip_is_not_growth, .timeout = 60)
{
    for (uint32_t n = MIN_SNAPSHOTS + 1; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        for (uint32_t dip = 1; dip + 1 < n; dip += 1 + n / 8) {
            struct shape s = {.name = "dip", .at = dip, .n = n, .truth = BOUNDED};
            for (uint32_t k = 0; k < n; k++)
                s.level[k] = k == dip ? 0 : HIGH;
            expect_shape(&s);
        }
    }
}

Test(shapes, fluctuation_is_cleared_once_it_is_visible, .timeout = 120)
{
    for (uint32_t n = MIN_SNAPSHOTS; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        for (uint32_t period = 2; period < 7; period++) {
            struct shape s = {.name = "saw", .n = n};
            for (uint32_t k = 0; k < n; k++)
                s.level[k] = k % period * HIGH / (period - 1);
            s.truth = (n - 1) / period >= 2 || (n - 1) % period == 0 ? BOUNDED : UNKNOWN;
            expect_shape(&s);
        }
    }
}

/* Each tooth leaves a rest. */
Test(shapes, teeth_that_rise_are_growth, .timeout = 120)
{
    for (uint32_t n = 6; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        struct shape s = {.name = "rising saw", .n = n, .truth = GROWS};
        for (uint32_t k = 0; k < n; k++)
            s.level[k] = k % 2 * 20 + k * 80 / (n - 1);
        expect_shape(&s);
    }
}

/* In the last third, so that it may not have leveled off. */
Test(shapes, a_single_jump_stays_unexplained, .timeout = 60)
{
    for (uint32_t n = MIN_SNAPSHOTS; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        for (uint32_t at = n - n / 3; at < n; at += 1 + n / 8) {
            struct shape s = {.name = "jump", .at = at, .n = n, .truth = JUMPS};
            for (uint32_t k = at; k < n; k++)
                s.level[k] = HIGH;
            expect_shape(&s);
        }
    }
}

Test(shapes, growth_in_half_of_the_steps_is_not_sure, .timeout = 60)
{
    static const uint32_t levels[][5] = {{0, 50, 50, 100, 100}, {0, 0, 50, 50, 100}};
    for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
        struct shape s = {.name = "in two of four steps", .n = 5, .truth = TIRES};
        memcpy(s.level, levels[i], sizeof(levels[i]));
        expect_shape(&s);
    }
}

Test(shapes, growth_that_leveled_off_is_reported, .timeout = 60)
{
    for (uint32_t n = MIN_SNAPSHOTS; n <= MAX_SNAPSHOTS; n = next_length(n)) {
        for (uint32_t at = 1; at <= n / 2; at += 1 + n / 8) {
            struct shape s = {.name = "stays", .at = at, .n = n, .truth = STAYS};
            for (uint32_t k = at; k < n; k++)
                s.level[k] = HIGH;
            expect_shape(&s);
        }
    }
}

/* --- what is excused -------------------------------------------------------------- */

enum suppression_match { SUPPRESSED, HIDDEN, ALL_HIDDEN, ACCEPTED, EXCUSES };

static const char *const suppression_matches[EXCUSES] = {"suppressed", "hidden",
                                                         "all hidden", "accepted"};

/* A leak, and many other types that grow from the fifth of eight snapshots on, or do not.
 */
static size_t open_next_to(struct hd_snapshot **snaps, bool late)
{
    enum { COUNT = 8 };
    for (uint32_t k = 0; k < COUNT; k++) {
        struct forge f = {0};
        char type[32];
        add_list(&f, "App.Blob", 50000, 10);
        add_list(&f, "App.Leaked", 400, 10 + 100 * k);
        for (uint32_t i = 0; i < KINDS_OF_TYPES; i++) {
            snprintf(type, sizeof(type), "App.Type%02u", i);
            add_list(&f, type, 100, late && k > 4 ? 3 + 20 * (k - 4) : 3);
        }
        snaps[k] = forge_finish(&f);
    }
    return COUNT;
}

static struct hd_budgets *suppression_match(enum suppression_match by,
                                            struct hd_options *opt)
{
    static const char file[] =
        "version: 1\nsuppress:\n - {type: App.Leaked, reason: known}\n";
    static const char *const hidden[] = {"App.Leaked"}, *const all[] = {"*"};
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    struct scratch scratch = {0};
    scratch_open(&scratch);
    if (by == SUPPRESSED)
        cr_assert(hd_budgets_read(
            b, scratch_file(&scratch, "heapdrift.yml", file, sizeof(file) - 1), &err));
    if (by == HIDDEN || by == ALL_HIDDEN) {
        opt->excludes = by == HIDDEN ? hidden : all;
        opt->exclude_count = 1;
    }
    scratch_remove(&scratch);
    return b;
}

Test(shapes, suppressed_growth_excuses_nothing_else)
{
    for (enum suppression_match by = 0; by < EXCUSES; by++) {
        for (int late = 0; late < 2; late++) {
            struct hd_snapshot *snaps[MAX_SNAPSHOTS];
            struct hd_error err = {0};
            struct hd_options opt = hd_default_options();
            size_t n = open_next_to(snaps, late);
            struct hd_budgets *b = suppression_match(by, &opt);
            if (by == ACCEPTED)
                hd_budgets_accept(b);
            struct hd_report *r = ask_check(snaps, n, &opt, b, &err);
            cr_assert_not_null(r, "%s", err.message);
            cr_expect_eq(r->check.verdict, late ? HD_INCONCLUSIVE : HD_PASS, "%s, %d: %s",
                         suppression_matches[by], late, hd_verdict_name(r->check.verdict));
            bool kept = late || by == HIDDEN || by == ALL_HIDDEN;
            cr_expect_eq(hd_report_conclusive(r), !kept, "%s, %d", suppression_matches[by],
                         late);
            hd_report_free(r);
            hd_budgets_free(b);
            for (size_t k = 0; k < n; k++)
                hd_snapshot_close(snaps[k]);
        }
    }
}
