/* Snapshots stored as deltas: reading them, choosing a new base, thinning, and bad bases.
 */
#include "base/input.h"
#include "support/stored.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct stored t;

static void begin(void)
{
    stored_begin(&t);
}

static void end(void)
{
    stored_end(&t);
}

TestSuite(store_base, .init = begin, .fini = end);

enum { HOUR = 3600, DAY = 24 * HOUR };

static const double noon = 1795262400;

static int64_t number(const char *sql)
{
    return stored_number(t.store, sql);
}

/* Snapshot i of a run, with more objects each time. */
static void put(uint64_t pid, unsigned count, double taken)
{
    struct hd_run run = stored_run("shop", "web-1", pid);
    cr_assert_eq(stored_record(t.store, count, &run, taken), HD_RECORDED);
}

static struct hd_snapshot *parsed(const char *text, size_t size)
{
    struct hd_error err = {0};
    const struct hd_read_options how = {
        .size = sizeof(how), .to_write = true, .checksum = true};
    struct hd_snapshot *snap = hd_snapshot_from_memory(text, size, &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    return snap;
}

static void record(struct hd_snapshot *snap, const struct hd_run *run, double taken)
{
    struct hd_error err = {0};
    const struct hd_recording how = {.size = sizeof(how), .run = run, .taken = taken};
    cr_assert(hd_store_record(t.store, snap, &how, NULL, &err), "%s", err.message);
}

/* The JSON in the file of a digest. */
static struct input *json_of(const struct hd_memory *digest, struct bytes *json)
{
    struct hd_error err = {0};
    struct input *in = digest_open(digest->bytes, digest->size, 0, json, &err);
    cr_assert_not_null(in, "%s", err.message);
    return in;
}

static void expect_stored(struct hd_snapshot *snap, uint64_t id)
{
    struct hd_error err = {0};
    struct hd_memory made = {0}, read = {0};
    struct bytes a, b;
    cr_assert(hd_snapshot_write(snap, "digest", hd_sink_memory(&made), NULL, &err));
    cr_assert(hd_store_digest(t.store, id, &read, &err), "%s", err.message);
    struct input *x = json_of(&made, &a), *y = json_of(&read, &b);
    cr_expect(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    input_close(x);
    input_close(y);
    hd_memory_free(&made);
    hd_memory_free(&read);
}

/* --- what is stored, and read again ----------------------------------------- */

Test(store_base, of_a_series_is_its_first_snapshot)
{
    for (unsigned i = 0; i < 4; i++)
        put(7, 100 + i, noon + i);
    put(8, 200, noon);
    cr_expect_eq(number("SELECT COUNT(*) FROM snapshot WHERE base_id IS NULL"), 2);
    cr_expect_eq(number("SELECT COUNT(*) FROM snapshot WHERE base_id = 1"), 3);
    cr_expect_eq(number("SELECT COUNT(*) FROM snapshot AS this JOIN snapshot AS base ON "
                        "base.id = this.base_id WHERE LENGTH(this.digest) >= "
                        "LENGTH(base.digest)"),
                 0);
    for (unsigned i = 0; i < 4; i++) {
        struct hd_snapshot *snap = stored_snapshot(100 + i);
        expect_stored(snap, 1 + i);
        hd_snapshot_close(snap);
    }
}

/* App.Cache is missing in the second, App.New was added, and App.Text has grown. */
Test(store_base, has_the_rows_that_are_the_same)
{
    static const char first[] =
        "a 2 App.exe 1\nt 1 App.Order\nt 2 App.Cache\nt 3 App.Rest\nt 5 App.Text\n"
        "o 10 1 18\no 20 2 20 10\no 30 3 28\no 50 5 18\nr 20 3 0\nr 30 3 0\nr 50 3 0\n"
        "c App.exe 4\n",
                      second[] = "a 2 App.exe 1\nt 1 App.Order\nt 3 App.Rest\nt 4 App.New\n"
                                 "t 5 App.Text\n"
                                 "o 10 1 18\no 18 1 18\no 20 4 20 10 18\no 30 3 28\n"
                                 "o 50 5 38\nr 20 3 0\nr 30 3 0\nr 50 3 0\nc App.exe 4\n";
    struct hd_run run = stored_run("shop", "web-1", 7);
    struct hd_snapshot *snaps[] = {parsed(first, sizeof(first) - 1),
                                   parsed(second, sizeof(second) - 1)};
    for (unsigned i = 0; i < 2; i++) {
        record(snaps[i], &run, noon + i);
        hd_snapshot_close(snaps[i]);
    }
    stored_change(t.store,
                  "CREATE TABLE \"all\" AS SELECT snapshot_id, name, type_size.objects, "
                  "type_size.bytes FROM type_size JOIN type ON type.id = type_id");
    cr_expect_eq(number("SELECT COUNT(*) FROM type_row WHERE snapshot_id = 2"), 4,
                 "what is different");
    cr_expect_eq(number("SELECT COUNT(*) FROM \"all\""), 10);
    static const char *const rows[] = {
        "1 AND name = 'App.Order' AND objects = 1 AND bytes = 24",
        "1 AND name = 'App.Cache' AND objects = 1 AND bytes = 32",
        "1 AND name = 'App.Rest' AND objects = 1 AND bytes = 40",
        "1 AND name = 'App.New' AND objects = 0 AND bytes = 0",
        "2 AND name = 'App.Order' AND objects = 2 AND bytes = 48",
        "2 AND name = 'App.Cache' AND objects = 0 AND bytes = 0",
        "2 AND name = 'App.Rest' AND objects = 1 AND bytes = 40",
        "2 AND name = 'App.New' AND objects = 1 AND bytes = 32",
        "1 AND name = 'App.Text' AND objects = 1 AND bytes = 24",
        "2 AND name = 'App.Text' AND objects = 1 AND bytes = 56"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char sql[200];
        snprintf(sql, sizeof(sql), "SELECT COUNT(*) FROM \"all\" WHERE snapshot_id = %s",
                 rows[i]);
        cr_expect_eq(number(sql), 1, "%s", rows[i]);
    }
    stored_change(t.store, "DROP TABLE \"all\"");
}

/* Rows of a base are those of its snapshot, and are compared with those of its digest. */
Test(store_base, has_the_rows_of_its_digest)
{
    static const char *const files[] = {
        "fixtures/leaklab/list/5.gcdump.bz2",
        "fixtures/heap-text/after.txt",
        "fixtures/nettrace-real/leak31_gens_rundown.nettrace.zst",
        "fixtures/core/net8.core.xz",
        "fixtures/type-tables/histogram.json",
        "fixtures/gcdump-made/sampled.gcdump"};
    size_t compared = 0;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        struct arena a = {0};
        struct hd_error err = {0};
        const struct hd_read_options how = {.size = sizeof(how), .to_write = true},
                                     tables = {.size = sizeof(tables), .tables_only = true};
        struct hd_memory digest = {0};
        struct hd_snapshot *snap = hd_snapshot_open(files[i], &how, &err);
        cr_assert_not_null(snap, "%s: %s", files[i], err.message);
        cr_assert(hd_snapshot_write(snap, "digest", hd_sink_memory(&digest), NULL, &err));
        struct hd_snapshot *again =
            hd_snapshot_from_memory(digest.bytes, digest.size, &tables, &err);
        cr_assert_not_null(again, "%s", err.message);
        struct type_sums x = type_sums_of(snap, &a), y = type_sums_of(again, &a);
        struct type_sums changed, new;
        type_sums_compare(&x, &y, &changed, &new, &a);
        cr_expect_eq(changed.count + new.count, 0, "%s", files[i]);
        cr_expect(x.count > 0 && x.count == y.count);
        compared++;
        hd_snapshot_close(again);
        hd_snapshot_close(snap);
        hd_memory_free(&digest);
        arena_free(&a);
    }
    cr_expect_eq(compared, sizeof(files) / sizeof(*files));
}

Test(store_base, is_read_by_another_writer_or_kept_for_the_next)
{
    struct hd_store_bases *bases = hd_store_bases_new();
    for (unsigned i = 0; i < 3; i++) {
        hd_store_use_bases(t.store, bases);
        put(7, 100 + i, noon + i);
        hd_store_close(t.store);
        t.store = stored_connect(&t, HD_STORE_WRITE);
    }
    hd_store_bases_free(bases);
    put(7, 110, noon + 10); /* asks the store */
    cr_expect_eq(number("SELECT COUNT(*) FROM snapshot WHERE base_id = 1"), 3);
}

static void open_again(void)
{
    hd_store_close(t.store);
    t.store = stored_connect(&t, HD_STORE_WRITE);
}

/* Sum of the objects of full snapshots, among 80 of a growing heap; each stored by its own
 * writer, or all by one. */
static int64_t wholes_by(bool each_alone)
{
    stored_change(t.store, "DELETE FROM type_row");
    stored_change(t.store, "DELETE FROM snapshot");
    for (unsigned i = 0; i < 80; i++) {
        if (i == 0 || each_alone)
            open_again();
        put(7, 100 + 7 * i, noon + i);
    }
    cr_expect_gt(number("SELECT COUNT(*) FROM snapshot WHERE base_id IS NULL"), 2);
    return number("SELECT SUM(objects) FROM snapshot WHERE base_id IS NULL");
}

Test(store_base, is_new_as_soon_for_writers_that_ask_the_store)
{
    cr_expect_eq(wholes_by(false), wholes_by(true));
}

Test(store_base, that_the_store_is_asked_for_is_the_last)
{
    put(7, 100, noon);
    put(7, 101, noon + 8 * DAY);
    open_again();
    put(7, 102, noon + 8 * DAY + 1);
    cr_expect_eq(number("SELECT base_id FROM snapshot WHERE id = 3"), 2);
}

/* Three bases that are too large together. */
Test(store_base, that_was_not_asked_for_longest_is_forgotten)
{
    enum { SIZE = 12 << 20 };
    static const char *const runs[] = {"a", "b", "c"};
    char *bytes = calloc(1, SIZE);
    const struct hd_memory digest = {bytes, SIZE, SIZE};
    for (int i = 0; i < 3; i++) {
        base_keep(t.store, runs[i], 1 + i, "0123456789abcdef", noon, &digest);
        cr_expect_not_null(base_find(t.store, "a", noon));
    }
    cr_expect_null(base_find(t.store, "b", noon));
    cr_expect_not_null(base_find(t.store, "c", noon));
    free(bytes);
}

Test(store_base, is_replaced_when_deltas_have_cost_more)
{
    unsigned first = 0;
    for (unsigned i = 0; i < 80; i++) {
        put(7, 100 + 7 * i, noon + i);
        if (first == 0 &&
            number("SELECT COUNT(*) FROM snapshot WHERE base_id IS NULL") == 2)
            first = i;
    }
    int64_t whole = number("SELECT LENGTH(digest) FROM snapshot WHERE id = 1");
    int64_t spent = number("SELECT SUM(LENGTH(digest)) FROM snapshot WHERE base_id = 1");
    cr_expect(first > 2 && spent > 2 * whole && spent < 3 * whole);
    /* New bases pay off less and less. */
    int64_t wholes = number("SELECT COUNT(*) FROM snapshot WHERE base_id IS NULL");
    cr_expect(wholes > 2 && wholes < 8, "%lld", (long long)wholes);
}

Test(store_base, is_a_week_old_at_most)
{
    put(7, 100, noon);
    put(7, 101, noon + 7 * DAY);
    put(7, 102, noon + 7 * DAY + 1);
    put(7, 103, noon + 7 * DAY + 2);
    cr_expect_eq(number("SELECT base_id FROM snapshot WHERE id = 2"), 1);
    cr_expect_eq(number("SELECT COUNT(*) FROM snapshot WHERE id = 3 AND base_id IS NULL"),
                 1);
    cr_expect_eq(number("SELECT base_id FROM snapshot WHERE id = 4"), 3);
}

/* SQLite reuses ids for other rows. */
Test(store_base, that_is_gone_is_not_needed)
{
    put(7, 100, noon);
    stored_change(t.store, "DELETE FROM type_row");
    stored_change(t.store, "DELETE FROM snapshot");
    struct hd_store *other = stored_connect(&t, HD_STORE_WRITE);
    struct hd_run run = stored_run("other", "web-1", 7);
    stored_record(other, 500, &run, noon);
    hd_store_close(other);
    put(7, 101, noon + 1);
    put(7, 102, noon + 2);
    cr_expect_eq(number("SELECT COUNT(*) FROM snapshot WHERE base_id IS NULL"), 2);
    cr_expect_eq(
        number("SELECT COUNT(*) FROM snapshot AS this JOIN snapshot AS base ON base.id = "
               "this.base_id WHERE base.objects = 102 AND this.objects = 103"),
        1);
}

/* The same series, or the same snapshot. */
Test(store_base, that_is_gone_is_not_confused_with_another_with_its_id)
{
    struct hd_run shop = stored_run("shop", "web-1", 7), other = shop;
    other.service = "other";
    for (int is_series = 0; is_series < 2; is_series++) {
        stored_change(t.store, "DELETE FROM type_row");
        stored_change(t.store, "DELETE FROM snapshot");
        put(7, 100, noon);
        stored_change(t.store, "DELETE FROM type_row");
        stored_change(t.store, "DELETE FROM snapshot");
        struct hd_store *writer = stored_connect(&t, HD_STORE_WRITE);
        stored_record(writer, is_series ? 500 : 100, is_series ? &shop : &other, noon);
        hd_store_close(writer);
        put(7, 101, noon + 1);
        cr_expect_eq(number("SELECT COUNT(*) FROM snapshot WHERE base_id IS NULL"), 2);
    }
}

/* A writer of version 2 stores no deltas. */
Test(store_base, may_be_of_an_older_writer)
{
    put(7, 100, noon);
    stored_change(t.store, "UPDATE snapshot SET base_id = NULL");
    hd_store_close(t.store);
    t.store = stored_connect(&t, HD_STORE_WRITE);
    put(7, 101, noon + 1);
    cr_expect_eq(number("SELECT base_id FROM snapshot WHERE id = 2"), 1);
}

/* --- thinning ---------------------------------------------------------------- */

static uint64_t thin(double keep, double now)
{
    struct hd_thinned done;
    struct hd_error err = {0};
    stored_change(t.store, "UPDATE snapshot SET recorded_at = taken_at");
    cr_assert(hd_store_thin(t.store, keep, now, &done, &err), "%s", err.message);
    return done.snapshots;
}

static void expect_readable(int64_t count)
{
    struct hd_error err = {0};
    struct hd_series_list *l = hd_store_series(t.store, NULL, &err);
    const struct hd_stored_series *series;
    int64_t found = 0;
    while (hd_series_next(l, &series, &err) && series != NULL)
        for (size_t i = 0; i < series->snapshot_count; i++, found++) {
            struct hd_memory digest = {0};
            cr_expect(hd_store_digest(t.store, series->snapshots[i].id, &digest, &err),
                      "%s", err.message);
            hd_memory_free(&digest);
        }
    hd_series_list_free(l);
    cr_expect_eq(found, count);
}

Test(store_base, stays_as_long_as_it_is_needed)
{
    for (unsigned i = 0; i < 4; i++)
        put(7, 100 + i, noon + i * DAY);
    cr_expect_eq(thin(2.5 * DAY, noon + 4 * DAY), 1, "the second");
    expect_readable(3);
    cr_expect_eq(thin(0.5 * DAY, noon + 4 * DAY), 3, "all, the base behind the others");
    cr_expect_eq(number("SELECT COUNT(*) FROM type_row"), 0);
    cr_expect_eq(number("SELECT COUNT(*) FROM series"), 0);
}

/* Otherwise it would be thinned in the middle of its series. */
Test(store_base, stays_in_the_middle_of_a_series)
{
    put(7, 100, noon);
    for (unsigned i = 0; i < 4; i++)
        put(7, 101 + i, noon + 8 * DAY + 60 * i);
    cr_expect_eq(number("SELECT COUNT(*) FROM snapshot WHERE base_id = 2"), 3);
    cr_expect_eq(thin(90.0 * DAY, noon + 12 * DAY), 2);
    expect_readable(3);
    cr_expect_eq(thin(90.0 * DAY, noon + 12 * DAY), 0);
}

/* --- what is not as it should be ------------------------------------------------ */

static void expect_damaged(uint64_t id, const char *message)
{
    struct hd_error err = {0};
    struct hd_memory digest = {0};
    cr_expect(!hd_store_digest(t.store, id, &digest, &err));
    cr_expect_eq(err.status, HD_BAD_FORMAT);
    cr_expect_str_eq(err.message, message);
    hd_memory_free(&digest);
}

Test(store_base, of_another_series_or_missing_is_refused)
{
    put(7, 100, noon);
    put(7, 101, noon + 1);
    put(7, 102, noon + 2);
    put(8, 200, noon);
    stored_change(t.store, "UPDATE snapshot SET base_id = 4 WHERE id = 2");
    expect_damaged(2, "is a delta on snapshot 4, which is not a base of the same series");
    stored_change(t.store, "UPDATE snapshot SET base_id = 2 WHERE id = 2");
    expect_damaged(2, "is a delta on snapshot 2, which is not a base of the same series");
    stored_change(t.store, "UPDATE snapshot SET base_id = 3 WHERE id = 2");
    stored_change(t.store, "UPDATE snapshot SET base_id = 2 WHERE id = 3");
    expect_damaged(3, "is a delta on snapshot 2, which is not a base of the same series");
    if (!stored_is_sqlite())
        return;
    stored_change(t.store, "PRAGMA foreign_keys = OFF");
    stored_change(t.store, "UPDATE snapshot SET base_id = 99 WHERE id = 2");
    expect_damaged(2, "is a delta on snapshot 99, which is not a base of the same series");
}

static const char misfit[] = "does not fit the digest that it is a difference to",
                  damaged[] = "a damaged difference to another digest";

Test(store_base, that_was_changed_is_noticed)
{
    put(7, 100, noon);
    put(7, 101, noon + 1);
    put(8, 200, noon);
    stored_change(t.store,
                  "UPDATE snapshot SET digest = (SELECT digest FROM snapshot WHERE id = "
                  "3) WHERE id = 1");
    expect_damaged(2, misfit);
    stored_change(t.store,
                  "UPDATE snapshot SET digest = CAST('none' AS {bytes}) WHERE id = 2");
    expect_damaged(2, damaged);
    hd_store_close(t.store);
    t.store = stored_connect(&t, HD_STORE_WRITE);
    stored_change(t.store, "UPDATE snapshot SET digest = CAST('' AS {bytes}) WHERE id = 1");
    expect_damaged(2, damaged);
}

/* Replaces the digest in a row with the unpacked one. */
static void unpack_base(void)
{
    struct hd_error err = {0};
    struct hd_memory packed = {0};
    struct bytes json;
    cr_assert(hd_store_digest(t.store, 1, &packed, &err), "%s", err.message);
    struct input *in = digest_open(packed.bytes, packed.size, 0, &json, &err);
    cr_assert_not_null(in, "%s", err.message);
    const struct value plain = of_bytes(json.data, json.size);
    cr_assert(store_run(t.store, "UPDATE snapshot SET digest = $1 WHERE id = 1", &plain, 1,
                        &err));
    input_close(in);
    hd_memory_free(&packed);
}

/* Its bytes belong to the row, which ends before they are used. */
Test(store_base, that_is_not_packed_is_read_like_any_other)
{
    put(7, 100, noon);
    put(7, 101, noon + 1);
    put(7, 102, noon + 2);
    unpack_base();
    expect_readable(3);
}

Test(store_base, that_cannot_be_read_is_done_without)
{
    put(7, 100, noon);
    stored_change(t.store, "UPDATE snapshot SET digest = CAST('none' AS {bytes})");
    hd_store_close(t.store);
    t.store = stored_connect(&t, HD_STORE_WRITE);
    put(7, 101, noon + 1);
    cr_expect_eq(number("SELECT COUNT(*) FROM snapshot WHERE base_id IS NULL"), 2);
}

Test(store_base, takes_no_more_memory_than_it_may)
{
    struct hd_error err = {0};
    struct hd_memory digest = {0};
    put(7, 100, noon);
    put(7, 101, noon + 1);
    hd_store_set_memory(t.store, 1000);
    cr_expect(!hd_store_digest(t.store, 2, &digest, &err));
    cr_expect_eq(err.status, HD_TOO_BIG);
    hd_memory_free(&digest);
    put(7, 102, noon + 2); /* a full one */
    cr_expect_eq(number("SELECT COUNT(*) FROM snapshot WHERE id = 3 AND base_id IS NULL"),
                 1);
}

/* --- bytes ------------------------------------------------------------------------ */

static struct bytes noise(unsigned seed, size_t size)
{
    unsigned char *all = malloc(size);
    srandom(seed);
    for (size_t i = 0; i < size; i++)
        all[i] = (unsigned char)random();
    return (struct bytes){all, size};
}

Test(store_delta, reaches_as_far_back_as_its_base_is_large)
{
    enum { LARGE = 20 << 20 };
    struct bytes base = noise(1, LARGE), now = noise(1, LARGE);
    struct hd_memory delta = {0}, whole = {0};
    struct hd_error err = {0};
    cr_assert(delta_make(now, base, &delta));
    cr_expect_lt(delta.size, 10000, "%zu", delta.size);
    cr_assert(delta_apply((struct bytes){(unsigned char *)delta.bytes, delta.size}, base,
                          NULL, &whole, &err),
              "%s", err.message);
    cr_expect(whole.size == LARGE && memcmp(whole.bytes, base.data, LARGE) == 0);
    hd_memory_free(&delta);
    hd_memory_free(&whole);
    free((void *)base.data);
    free((void *)now.data);
}

/* Both consist of zeros, so the delta has some kilobytes. */
static bool reads_zeros(size_t size, size_t base_size, struct hd_error *err)
{
    struct bytes now = {calloc(1, size), size}, base = {calloc(1, base_size), base_size};
    struct hd_memory delta = {0}, whole = {0};
    cr_assert(delta_make(now, base, &delta));
    bool ok = delta_apply((struct bytes){(unsigned char *)delta.bytes, delta.size}, base,
                          NULL, &whole, err);
    hd_memory_free(&delta);
    hd_memory_free(&whole);
    free((void *)now.data);
    free((void *)base.data);
    return ok;
}

Test(store_delta, of_repetitive_data_needs_a_base_of_a_sixteenth_of_its_size)
{
    enum { MIB = 1 << 20 };
    struct hd_error err = {0};
    cr_expect(reads_zeros(80 * MIB, 5 * MIB, &err), "%s", err.message);
    cr_expect_not(reads_zeros(80 * MIB, 4 * MIB, &err));
    cr_expect_eq(err.status, HD_BAD_FORMAT);
    cr_expect(reads_zeros(64 * MIB, MIB, &err), "so much nobody waits for");
}

/* Only the size is changed: 4 bytes after the head of a frame of more than 64 KiB. */
Test(store_delta, with_a_huge_declared_size_is_refused_before_allocating)
{
    struct bytes base = noise(1, 100000), now = noise(1, 100000);
    struct hd_memory delta = {0}, whole = {0};
    struct hd_error err = {0};
    struct account account = {.limit = 50000};
    cr_assert(delta_make(now, base, &delta));
    struct bytes it = {(unsigned char *)delta.bytes, delta.size};
    cr_expect(!delta_apply(it, base, &account, &whole, &err));
    cr_expect_eq(err.status, HD_TOO_BIG);
    size_t at = 4 + 1; /* magic number, descriptor */
    delta.bytes[at + 3] = 0x7f;
    err = (struct hd_error){0};
    cr_expect(!delta_apply(it, base, NULL, &whole, &err));
    cr_expect_eq(err.status, HD_BAD_FORMAT);
    cr_expect(strstr(err.message, "that expands to 21") != NULL, "%s", err.message);
    cr_expect_null(whole.bytes);
    hd_memory_free(&delta);
    free((void *)base.data);
    free((void *)now.data);
}

Test(store_delta, that_is_cut_or_changed_anywhere_is_refused)
{
    struct bytes base = noise(1, 5000), now = noise(2, 3000);
    struct hd_memory delta = {0};
    memcpy((void *)(now.data + 100), base.data, 2500);
    cr_assert(delta_make(now, base, &delta));
    for (size_t i = 0; i < delta.size; i++)
        for (int how = 0; how < 2; how++) {
            struct hd_memory whole = {0};
            struct bytes it = {(unsigned char *)delta.bytes, how == 0 ? i : delta.size};
            delta.bytes[i] = (char)(delta.bytes[i] ^ (how == 1 ? 0x55 : 0));
            bool same = delta_apply(it, base, NULL, &whole, NULL) &&
                        whole.size == now.size &&
                        memcmp(whole.bytes, now.data, now.size) == 0;
            delta.bytes[i] = (char)(delta.bytes[i] ^ (how == 1 ? 0x55 : 0));
            cr_expect(!same, "%zu", i);
            hd_memory_free(&whole);
        }
    hd_memory_free(&delta);
    free((void *)base.data);
    free((void *)now.data);
}
