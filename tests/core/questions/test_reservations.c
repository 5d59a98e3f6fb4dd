/* Types that grew like a leak and are not suspects, since their holder is known to release
 * them. */
#include "heap/snapshot.h"
#include "report/report.h"
#include "support/asked.h"
#include "support/forge.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SNAPSHOTS = 5 };

/* Entries of App.Page below an object of this type, 20 more in each snapshot. */
static struct hd_report *watched_with(const struct hd_options *opt, const char *holder,
                                      double seconds_apart)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_error err = {0};
    for (uint32_t k = 0; k < SNAPSHOTS; k++) {
        struct forge f = {0};
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_blob",
                   forge_object(&f, "App.Blob", 20000));
        node_id store = forge_object(&f, holder, 24);
        forge_root(&f, HD_ROOT_STRONG_HANDLE, NULL, store);
        node_id first = forge_objects(&f, "App.Page", 64, 20 + 20 * k);
        for (uint32_t i = 0; i < 20 + 20 * k; i++)
            forge_reference(&f, store, first + i);
        snaps[k] = forge_finish(&f);
        if (seconds_apart > 0) {
            snaps[k]->clock = 1 + k * seconds_apart;
            snaps[k]->clock_is_date = false;
        }
    }
    struct hd_report *r = ask_diff(snaps, SNAPSHOTS, opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    for (size_t k = 0; k < SNAPSHOTS; k++)
        hd_snapshot_close(snaps[k]);
    return r;
}

static struct hd_report *watched(const char *holder, double seconds_apart)
{
    return watched_with(NULL, holder, seconds_apart);
}

static const char circuits[] =
    "Microsoft.AspNetCore.Components.Server.Circuits.CircuitRegistry";

Test(reservations, within_the_lifetime_of_its_entries_a_store_is_not_a_suspect)
{
    struct hd_report *r = watched(circuits, 10);
    cr_expect_eq(r->diff.suspect_count, 0);
    cr_expect_str_eq(
        r->diff.headline,
        "UNSURE App.Page: 20 → 100 objects, but CircuitRegistry keeps closed circuits for "
        "3 "
        "min (CircuitOptions.DisconnectedCircuitRetentionPeriod): watch for longer than 7 "
        "min.");
    cr_assert_not_null(r->diff.undecided);
    cr_expect_eq(r->diff.undecided->reservation, HD_RESERVED_LIFETIME);
    hd_report_free(r);
}

Test(reservations, options_that_hide_its_type_hide_it_from_the_first_line)
{
    const char *page = "App.Page";
    struct hd_options opt = hd_default_options();
    opt.excludes = &page;
    opt.exclude_count = 1;
    struct hd_report *r = watched_with(&opt, circuits, 10);
    cr_expect_null(r->diff.undecided);
    cr_expect_eq(r->diff.hidden_count, 1);
    cr_expect_str_eq(r->diff.headline,
                     "UNSURE 1 suspect is hidden by --type, --exclude or --app-only.");
    hd_report_free(r);
}

Test(reservations, after_it_or_without_times_it_is_one)
{
    static const double apart[] = {60, 0};
    for (size_t i = 0; i < 2; i++) {
        struct hd_report *r = watched(circuits, apart[i]);
        cr_expect_eq(r->diff.suspect_count, 1, "%g", apart[i]);
        cr_expect_null(r->diff.undecided);
        hd_report_free(r);
    }
}

Test(reservations, a_short_series_is_reported_as_a_leak_so_far)
{
    struct hd_report *r = watched("App.Store", 10);
    cr_expect_eq(strncmp(r->diff.headline, "LEAK so far, App.Page", 21), 0, "%s",
                 r->diff.headline);
    cr_expect_eq(r->diff.confidence, HD_CONFIDENCE_MEDIUM);
    cr_expect_eq(r->diff.time_limit, HD_TIME_SHORT);
    hd_report_free(r);
}

Test(reservations, caches_with_one_entry_per_type_may_grow_until_all_are_used)
{
    struct hd_report *r =
        watched("Newtonsoft.Json.Serialization.DefaultContractResolver", 300);
    cr_assert_not_null(r->diff.undecided);
    cr_expect_eq(r->diff.undecided->reservation, HD_RESERVED_PER_TYPE);
    hd_report_free(r);
}

Test(reservations, below_its_bound_a_store_is_not_reported)
{
    struct hd_report *r =
        watched("Microsoft.EntityFrameworkCore.Query.Internal.CompiledQueryCache", 300);
    cr_expect_eq(r->diff.suspect_count, 0);
    cr_expect_neq(strncmp(r->diff.headline, "LEAK", 4), 0);
    hd_report_free(r);
}

/* From every second snapshot on one more test waits for the variable, and holds a large
 * array. */
static struct hd_report *waited_for(const char *variable)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_error err = {0};
    for (uint32_t k = 0; k < SNAPSHOTS; k++) {
        struct forge f = {0};
        uint32_t waiting = 1 + k / 2;
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_blob",
                   forge_object(&f, "App.Blob", 4000000));
        node_id gate = forge_object(&f, "System.Threading.SemaphoreSlim", 48);
        forge_root(&f, HD_ROOT_STATIC, variable, gate);
        for (uint32_t i = 0; i < waiting; i++) {
            node_id test = forge_object(&f, "App.Tests.CheckoutTests", 64);
            forge_reference(&f, gate, test);
            forge_reference(&f, test, forge_object(&f, "System.Byte[]", 283000));
        }
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = ask_diff(snaps, SNAPSHOTS, NULL, &err);
    cr_assert_not_null(r, "%s", err.message);
    for (size_t k = 0; k < SNAPSHOTS; k++)
        hd_snapshot_close(snaps[k]);
    return r;
}

Test(reservations, a_test_that_waits_for_another_is_not_a_suspect)
{
    struct hd_report *waits = waited_for("Heapdrift.Testing.Turn.gate");
    struct hd_report *leaks = waited_for("App.Tests.s_gate");
    cr_expect_eq(waits->diff.suspect_count, 0, "%s", waits->diff.headline);
    cr_expect_gt(leaks->diff.suspect_count, 0, "%s", leaks->diff.headline);
    hd_report_free(waits);
    hd_report_free(leaks);
}
