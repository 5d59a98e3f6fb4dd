/* Invalid series: several processes, wrong order, a repeated snapshot. */
#include "owners/aligned.h"

#include "series/series.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static void add_any(struct aligned *a, size_t count)
{
    for (size_t k = 0; k < count; k++)
        aligned_add(a, any_table(10 + k));
}

static const struct series_warning *warning_of(const struct aligned *a,
                                               enum warning_code code)
{
    for (size_t i = 0; i < a->warnings.len; i++)
        if (a->warnings.all[i].code == code)
            return &a->warnings.all[i];
    return NULL;
}

/* Expects one warning of this kind about the snapshot, with this part in its message. */
static void expect_warning(const struct aligned *a, enum warning_code code, size_t snapshot,
                           uint64_t times, const char *part)
{
    const struct series_warning *w = warning_of(a, code);
    cr_assert_not_null(w, "no warning");
    cr_expect_eq(w->snapshot, snapshot, "about %zu", w->snapshot);
    cr_expect_eq(w->times, times, "%llu times", (unsigned long long)w->times);
    cr_expect(w->detail != NULL && strstr(w->detail, part) != NULL, "no \"%s\" in: %s",
              part, w->detail);
}

/* --- another process ---------------------------------------------------------- */

/* Reasons why a series cannot show the absence of growth, as a check needs it. */
enum doubt { DOUBT_NONE, DOUBT_OUT_OF_ORDER, DOUBT_REPEATS, DOUBT_RESTARTED };

static enum doubt doubt_of(const struct series *s)
{
    return s->out_of_order  ? DOUBT_OUT_OF_ORDER
           : s->has_repeats ? DOUBT_REPEATS
           : s->restarted   ? DOUBT_RESTARTED
                            : DOUBT_NONE;
}

Test(series_identity, one_process_with_all_facts_has_no_warning)
{
    struct aligned a = {0};
    add_any(&a, 4);
    for (size_t k = 0; k < 4; k++) {
        struct hd_info *info = &a.snaps[k]->info;
        info->pid = 1;
        info->process = "shop";
        info->host = k % 2 > 0 ? "WEB-3" : "web-3";
        info->container = "3f2a91c0d2e1";
        info->runtime = "10.0.12";
        info->started = "2026-11-22T00:51:24";
        a.snaps[k]->identity.instance = 5;
    }
    align(&a, NULL);
    cr_expect_eq(a.warnings.len, 0);
    cr_expect_not(a.series.restarted);
    cr_expect_eq(a.series.confidence, HD_CONFIDENCE_HIGH);
    cr_expect_eq(doubt_of(&a.series), DOUBT_NONE);
    aligned_free(&a);
}

Test(series_identity, containers_of_one_program_with_pid_1_are_told_apart)
{
    static const char *const ids[] = {"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb",
                                      "cccccccccccccccc"};
    struct aligned a = {0};
    add_any(&a, 4);
    for (size_t k = 0; k < 4; k++) {
        a.snaps[k]->info.pid = 1;
        a.snaps[k]->info.process = "shop";
        a.snaps[k]->info.container = ids[k < 2 ? 0 : k - 1];
    }
    align(&a, NULL);
    expect_warning(&a, WARN_DIFFERENT_PROCESS, 2, 2,
                   "container bbbbbbbbbbbb instead of aaaaaaaaaaaa");
    cr_expect_eq(a.warnings.len, 1, "one for each kind");
    cr_expect(a.series.restarted);
    cr_expect_eq(a.series.confidence, HD_CONFIDENCE_MEDIUM);
    cr_expect_eq(doubt_of(&a.series), DOUBT_RESTARTED);
    aligned_free(&a);
}

Test(series_identity, a_restart_has_its_time)
{
    struct aligned a = {0};
    add_any(&a, 4);
    for (size_t k = 0; k < 4; k++) {
        a.snaps[k]->info.pid = 1;
        a.snaps[k]->info.started = k < 2 ? "2026-11-22T00:51:24" : "2026-11-22T01:10:00";
        a.snaps[k]->identity.instance = k < 2 ? 5 : 6;
    }
    align(&a, NULL);
    expect_warning(
        &a, WARN_DIFFERENT_PROCESS, 2, 1,
        "it was started at 2026-11-22T01:10:00, that one at 2026-11-22T00:51:24");
    aligned_free(&a);
}

/* The boot time reported by the kernel varies by a second. */
Test(series_identity, slightly_different_start_times_prove_nothing)
{
    struct aligned a = {0};
    add_any(&a, 4);
    for (size_t k = 0; k < 4; k++) {
        a.snaps[k]->info.started = k < 2 ? "2026-11-22T00:51:24" : "2026-11-22T00:51:25";
        a.snaps[k]->identity.instance = 5;
    }
    align(&a, NULL);
    cr_expect_eq(a.warnings.len, 0);
    aligned_free(&a);
}

Test(series_identity, hosts_and_runtimes_tell_processes_apart)
{
    struct aligned a = {0};
    add_any(&a, 3);
    a.snaps[0]->info.host = a.snaps[1]->info.host = "web-3";
    a.snaps[2]->info.host = "web-4";
    align(&a, NULL);
    expect_warning(&a, WARN_DIFFERENT_PROCESS, 2, 1, "host web-4 instead of web-3");
    aligned_free(&a);
    add_any(&a, 2);
    a.snaps[0]->info.runtime = "10.0.12";
    a.snaps[1]->info.runtime = "10.0.13";
    align(&a, NULL);
    expect_warning(&a, WARN_DIFFERENT_PROCESS, 1, 1, ".NET 10.0.13 instead of 10.0.12");
    aligned_free(&a);
}

Test(series_identity, fifty_processes_are_one_warning)
{
    struct aligned a = {0};
    add_any(&a, ALIGNED_MAX);
    for (size_t k = 0; k < ALIGNED_MAX; k++)
        a.snaps[k]->info.pid = 100 + k;
    align(&a, NULL);
    cr_expect_eq(a.warnings.len, 1);
    expect_warning(&a, WARN_DIFFERENT_PROCESS, 1, ALIGNED_MAX - 1, "pid 101 instead of");
    aligned_free(&a);
}

Test(series_identity, names_in_messages_stay_on_their_line)
{
    struct aligned a = {0};
    add_any(&a, 2);
    a.snaps[0]->info.process = "shop";
    a.snaps[1]->info.process = "ba\x1b[31m\nnk";
    align(&a, NULL);
    expect_warning(&a, WARN_DIFFERENT_PROCESS, 1, 1, "ba?[31m?nk instead of shop");
    aligned_free(&a);
}

/* --- real files ----------------------------------------------------------------- */

static void add_file(struct aligned *a, const char *path)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path, NULL, &err);
    cr_assert_not_null(snap, "%s: %s", path, err.message);
    aligned_add(a, snap);
}

static const struct {
    const char *folder, *end;
} runs[] = {{"cache", "gz"}, {"density", "gz"}, {"events", "zst"},
            {"list", "bz2"}, {"none", "gz"},    {"timers", "xz"}};

enum { RUNS = sizeof(runs) / sizeof(*runs), LENGTH = 6, EVENTS = 2, NONE = 4 };

static void add_run(struct aligned *a, size_t run, size_t from, size_t to)
{
    for (size_t k = from; k <= to; k++) {
        char path[96];
        snprintf(path, sizeof(path), "fixtures/leaklab/%s/%zu.gcdump.%s", runs[run].folder,
                 k, runs[run].end);
        add_file(a, path);
    }
}

Test(series_identity, no_window_of_a_true_series_is_warned_about)
{
    for (size_t i = 0; i < RUNS; i++)
        for (size_t from = 0; from < LENGTH; from++)
            for (size_t to = from + 1; to < LENGTH; to++) {
                struct aligned a = {0};
                add_run(&a, i, from, to);
                align(&a, NULL);
                cr_expect_eq(a.warnings.len, 0, "%s %zu to %zu", runs[i].folder, from, to);
                cr_expect_not(a.series.restarted);
                aligned_free(&a);
            }
}

Test(series_identity, no_two_snapshots_of_a_true_series_are_of_two_processes)
{
    for (size_t i = 0; i < RUNS; i++) {
        struct aligned a = {0};
        add_run(&a, i, 0, LENGTH - 1);
        for (size_t k = 0; k < LENGTH; k++)
            for (size_t m = 0; m < LENGTH; m++)
                cr_expect_eq(identity_compare(&a.snaps[k]->identity, &a.snaps[m]->identity),
                             PROCESS_SAME, "%s %zu %zu", runs[i].folder, k, m);
        aligned_free(&a);
    }
}

Test(series_identity, runs_of_one_program_may_differ_only_in_addresses)
{
    for (size_t i = 1; i < RUNS; i++) {
        struct aligned a = {0};
        add_run(&a, i - 1, 2, 3);
        add_run(&a, i, 4, 5);
        align(&a, NULL);
        expect_warning(&a, WARN_DIFFERENT_PROCESS, 2, 1,
                       "not from the same process as 3.gcdump");
        cr_expect_eq(a.warnings.len, 1);
        cr_expect_eq(a.series.confidence, HD_CONFIDENCE_MEDIUM);
        aligned_free(&a);
    }
}

/* Tools name the process differently: dotnet, or the assembly. */
Test(series_identity, addresses_outweigh_what_tools_call_a_process)
{
    struct aligned a = {0};
    add_run(&a, NONE, 2, 3);
    a.snaps[0]->info.process = "dotnet";
    a.snaps[1]->info.process = "Shop";
    align(&a, NULL);
    cr_expect_eq(a.warnings.len, 0);
    a.snaps[0]->info.pid = 1;
    a.snaps[1]->info.pid = 2;
    align(&a, NULL);
    expect_warning(&a, WARN_DIFFERENT_PROCESS, 1, 1, "Shop instead of dotnet");
    aligned_free(&a);
}

/* --- the same one twice --------------------------------------------------------- */

Test(series_identity, a_snapshot_that_is_there_twice_counts_once)
{
    struct aligned a = {0};
    add_run(&a, EVENTS, 1, 3);
    add_run(&a, EVENTS, 3, 3);
    align(&a, NULL);
    expect_warning(&a, WARN_SAME_SNAPSHOT, 3, 1, "the same snapshot as fixtures/leaklab");
    cr_expect_eq(a.series.usable_count, 3);
    cr_expect_eq(a.series.confidence, HD_CONFIDENCE_MEDIUM);
    cr_expect_eq(doubt_of(&a.series), DOUBT_REPEATS);
    cr_expect_not(a.series.restarted, "it is of the same process");
    aligned_free(&a);
}

Test(series_identity, one_snapshot_is_not_a_series)
{
    struct aligned a = {0};
    for (size_t k = 0; k < 4; k++)
        add_run(&a, NONE, 1, 1);
    align(&a, NULL);
    expect_warning(&a, WARN_SAME_SNAPSHOT, 1, 3, "byte for byte");
    cr_expect_eq(a.series.usable_count, 1);
    cr_expect_eq(a.series.confidence, HD_CONFIDENCE_LOW);
    aligned_free(&a);
}

Test(series_identity, bytes_that_were_given_are_compared_as_well)
{
    static char heap[1 << 16];
    FILE *from = fopen("fixtures/heap-text/before.txt", "rb");
    cr_assert_not_null(from);
    size_t size = fread(heap, 1, sizeof(heap), from);
    fclose(from);
    struct aligned a = {0};
    struct hd_error err = {0};
    for (size_t k = 0; k < 2; k++)
        aligned_add(&a, hd_snapshot_from_memory(heap, size, NULL, &err));
    cr_assert_not_null(a.snaps[0], "%s", err.message);
    align(&a, NULL);
    expect_warning(&a, WARN_SAME_SNAPSHOT, 1, 1, "the same snapshot as");
    aligned_free(&a);
}

Test(series_identity, equal_tables_of_two_files_are_two_snapshots)
{
    struct aligned a = {0};
    for (size_t k = 0; k < 4; k++)
        aligned_add(&a, any_table(10));
    align(&a, NULL);
    cr_expect_eq(a.warnings.len, 0);
    cr_expect_eq(a.series.usable_count, 4);
    aligned_free(&a);
}

Test(series_identity, a_table_listed_twice_is_one_for_any_spelling_of_its_path)
{
    struct aligned a = {0};
    struct hd_error err = {0};
    static const char *const paths[] = {
        "fixtures/dumpheap-stat/managed-powershell-utf16.txt",
        "./fixtures//dumpheap-stat/managed-powershell-utf16.txt"};
    for (size_t k = 0; k < 2; k++)
        aligned_add(&a, hd_snapshot_open(paths[k], NULL, &err));
    cr_assert_not_null(a.snaps[1], "%s", err.message);
    align(&a, NULL);
    expect_warning(&a, WARN_SAME_SNAPSHOT, 1, 1, "the same snapshot as");
    aligned_free(&a);
}

/* --- the order ------------------------------------------------------------------ */

/* Snapshots with these clocks: dates, stamps of heap text (s), or none; the last may be out
 * of order. */
static void expect_order(const char *clocks, bool out_of_order, const char *part)
{
    struct aligned a = {0};
    size_t count = 0;
    for (const char *at = clocks; *at != '\0'; at += *at == ' ', count++) {
        aligned_add(&a, any_table(10 + count));
        struct hd_snapshot *snap = a.snaps[count];
        snap->clock_is_date = *at == 'd';
        snap->clock = *at == '-' ? NAN : atof(at + 1);
        at += strcspn(at, " ");
    }
    align(&a, NULL);
    const struct series_warning *w = warning_of(&a, WARN_OUT_OF_ORDER);
    cr_expect_eq(w != NULL && w->snapshot == count - 1, out_of_order, "%s", clocks);
    cr_expect_eq(doubt_of(&a.series) == DOUBT_OUT_OF_ORDER, out_of_order, "%s", clocks);
    cr_expect(part == NULL || (w != NULL && w->detail != NULL && strstr(w->detail, part)),
              "%s: %s", clocks, w != NULL ? w->detail : "no warning");
    aligned_free(&a);
}

Test(series_identity, whatever_the_clock_it_must_not_fall)
{
    expect_order("s1 s2 s3 s4", false, NULL);
    expect_order("s1 s2 s3 s2.5", true, "its stamp is 2500 ms, less than that of");
    expect_order("s1 s2 s3 s2.5", true, "(3000 ms)");
    expect_order("d1 d2 d3 d2", true, NULL);
    expect_order("s5 -  -  s4", true, NULL);
    expect_order("d5 - d4", true, NULL);
    expect_order("d5 s9 d6", false, NULL);
    expect_order("s5 d9 s4", true, NULL);
    expect_order("d5 s9 d4", true, NULL);
}

Test(series_identity, equal_or_unknown_stamps_of_heap_text_are_ignored)
{
    expect_order("s4 s4 s4 s4", false, NULL);
    expect_order("s4 s5 s0", false, NULL);
    expect_order("s4 s0 s3", true, NULL);
    expect_order("- - -", false, NULL);
}

Test(series_identity, snapshots_that_were_swapped_are_named_with_their_times)
{
    struct aligned a = {0};
    add_any(&a, 4);
    static const char *const times[] = {"2026-11-22T00:00:00", "2026-11-22T00:02:00",
                                        "2026-11-22T00:01:00", "2026-11-22T00:03:00"};
    static const double clocks[] = {0, 120, 60, 180};
    for (size_t k = 0; k < 4; k++) {
        a.snaps[k]->info.time = times[k];
        a.snaps[k]->clock = clocks[k];
        a.snaps[k]->clock_is_date = true;
    }
    align(&a, NULL);
    expect_warning(&a, WARN_OUT_OF_ORDER, 2, 1, "taken at 2026-11-22T00:01:00, before");
    cr_expect_eq(doubt_of(&a.series), DOUBT_OUT_OF_ORDER);
    aligned_free(&a);
}
