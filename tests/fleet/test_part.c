/* Shards: records added in any way give the same bytes, and bad shards are rejected with
 * one line. */
#include "fleet/made_runs.h"
#include "report/report.h"
#include "support/random.h"
#include "support/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct scratch scratch;
static void begin(void)
{
    scratch_open(&scratch);
}
static void end(void)
{
    scratch_remove(&scratch);
}
TestSuite(fleet_part, .init = begin, .fini = end);

enum { RUNS = 60, SHARDS = 7 };

static const char *file(const char *name)
{
    return scratch_path(&scratch, name);
}

/* Run number i of a fleet, with every field of a record. */
static struct made_run run(unsigned i)
{
    static char host[32];
    static const char *const services[] = {"Shop", "Cart \"x\"\n", NULL};
    static const char *const builds[] = {"1.0", "2.0", NULL};
    snprintf(host, sizeof(host), "h\xc3\xa9%u", i % 9);
    return (struct made_run){.service = services[i % 3],
                             .host = i % 10 == 9 ? NULL : host,
                             .build = builds[i % 2 + i % 7 / 6],
                             .started = i % 11 / 3.0,
                             .type = i % 4 == 0   ? NULL
                                     : i % 4 == 1 ? "App.Or\xff"
                                                  : "App.Ü",
                             .holder = i % 5 == 0 ? NULL : "[static var a] → B",
                             .share = 1.0 / (3 + i),
                             .per_hour = 1e5 / 7 * i,
                             .doubt = i % 8 == 7 ? HD_DOUBT_FEW : HD_DOUBT_NONE,
                             .heap_per_hour = i % 6 == 0 ? (double)NAN : 1e6 / 3,
                             .limit = i % 3 == 0 ? 1 << 30 : 0,
                             .chain = i % 5 == 1   ? NULL
                                      : i % 2 == 0 ? "[a] → B ×2–9"
                                                   : "[\xff]"};
}

static struct hd_fleet *of_shard(unsigned shard)
{
    struct hd_fleet *f = made_fleet(shard, shard > 0 ? SHARDS : 0);
    for (unsigned i = 0; i < RUNS; i++)
        if (shard == 0 || i % SHARDS == shard - 1)
            made_add(f, 1000 + i, run(i));
    return f;
}

static void save(struct hd_fleet *f, const char *path)
{
    struct hd_error err = {0};
    FILE *to = fopen(path, "w");
    cr_assert_not_null(to);
    cr_assert(hd_fleet_write_part(f, hd_sink_file(to), &err), "%s", err.message);
    fclose(to);
}

static char *as_json(struct hd_fleet *f)
{
    struct hd_memory memory = {0};
    struct hd_error err = {0};
    struct hd_report *r = hd_report_fleet(f, NULL);
    cr_assert(hd_report_write(r, "json", NULL, hd_sink_memory(&memory), &err));
    hd_report_free(r);
    return memory.bytes;
}

static char *as_part(struct hd_fleet *f)
{
    struct hd_memory memory = {0};
    struct hd_error err = {0};
    cr_assert(hd_fleet_write_part(f, hd_sink_memory(&memory), &err));
    return memory.bytes;
}

static void read_into(struct hd_fleet *f, const char *path)
{
    struct hd_error err = {0};
    cr_assert(hd_fleet_read_part(f, path, &err), "%s: %s", path, err.message);
}

static void save_shards(void)
{
    for (unsigned i = 1; i <= SHARDS; i++) {
        char name[16];
        struct hd_fleet *f = of_shard(i);
        snprintf(name, sizeof(name), "%u.part", i);
        save(f, file(name));
        hd_fleet_free(f);
    }
}

/* Merges random shards until a single one is left. */
static char *merged_at_random(struct random *r, unsigned round)
{
    char names[2 * SHARDS][32];
    size_t n = SHARDS;
    for (unsigned i = 0; i < SHARDS; i++)
        snprintf(names[i], sizeof(names[i]), "%u.part", i + 1);
    for (unsigned step = 0; n > 1; step++) {
        size_t take = 2 + random_below(r, (uint32_t)n - 1);
        struct hd_fleet *f = hd_fleet_new(NULL);
        for (; take > 0; take--) {
            size_t k = random_below(r, (uint32_t)n);
            read_into(f, file(names[k]));
            memmove(names[k], names[--n], sizeof(names[k]));
        }
        snprintf(names[n], sizeof(names[n]), "%u-%u.part", round, step);
        save(f, file(names[n++]));
        hd_fleet_free(f);
    }
    struct hd_fleet *all = hd_fleet_new(NULL);
    read_into(all, file(names[0]));
    char *json = as_json(all);
    hd_fleet_free(all);
    return json;
}

Test(fleet_part, any_order_and_grouping_gives_the_bytes_of_one_run)
{
    struct random r = random_from(3);
    struct hd_fleet *whole = of_shard(0);
    char *wanted = as_json(whole);
    /* Only the number of shards differs. */
    char *shards = strstr(wanted, "\"shards\": 1,");
    cr_assert_not_null(shards);
    shards[strlen("\"shards\": ")] = '0' + SHARDS;
    save_shards();
    for (unsigned round = 0; round < 20; round++) {
        char *got = merged_at_random(&r, round);
        cr_expect_str_eq(got, wanted);
        free(got);
    }
    free(wanted);
    hd_fleet_free(whole);
}

Test(fleet_part, is_read_back_to_the_same_bytes)
{
    struct hd_fleet *whole = of_shard(0), *back = hd_fleet_new(NULL);
    save(whole, file("whole"));
    read_into(back, file("whole"));
    char *a = as_part(whole), *b = as_part(back);
    cr_expect_str_eq(a, b);
    free(a);
    free(b);
    hd_fleet_free(whole);
    hd_fleet_free(back);
}

Test(fleet_part, a_missing_shard_is_reported)
{
    save_shards();
    struct hd_fleet *f = hd_fleet_new(NULL);
    for (unsigned i = 1; i <= SHARDS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%u.part", i);
        if (i != 3 && i != 5)
            read_into(f, file(name));
    }
    struct hd_report *r = hd_report_fleet(f, NULL);
    hd_fleet_free(f);
    cr_expect_eq(hd_report_model(r)->fleet->shards_missing, 2);
    cr_expect_not(hd_report_conclusive(r));
    cr_expect_not_null(strstr(hd_report_model(r)->fleet->headline, "2 of 7 shards"), "%s",
                       hd_report_model(r)->fleet->headline);
    hd_report_free(r);
}

static void expect_refused(struct hd_fleet *f, const char *path, enum hd_status status,
                           const char *why)
{
    struct hd_error err = {0};
    cr_expect_not(hd_fleet_read_part(f, path, &err));
    cr_expect_eq(err.status, status, "%d: %s", err.status, err.message);
    cr_expect_not_null(strstr(err.message, why), "%s", err.message);
    hd_fleet_free(f);
}

static struct hd_fleet *with_first(void)
{
    struct hd_fleet *f = hd_fleet_new(NULL);
    save_shards();
    read_into(f, file("1.part"));
    return f;
}

Test(fleet_part, given_twice_is_an_error)
{
    expect_refused(with_first(), file("1.part"), HD_USAGE, "shard 1 of 7 is given twice");
    struct hd_fleet *ab = with_first();
    read_into(ab, file("2.part"));
    save(ab, file("ab"));
    expect_refused(ab, file("ab"), HD_USAGE, "given twice");
    struct hd_fleet *f = of_shard(0);
    save(f, file("whole"));
    expect_refused(f, file("whole"), HD_USAGE, "given twice");
}

static void save_with(struct hd_fleet_rules rules, const char *name)
{
    rules.shard = 2;
    rules.shards = SHARDS;
    struct hd_fleet *f = hd_fleet_new(&rules);
    save(f, file(name));
    hd_fleet_free(f);
}

Test(fleet_part, of_another_question_is_refused)
{
    struct hd_fleet *first = with_first();
    struct hd_fleet_rules same = *hd_fleet_rules(first), other = same;
    hd_fleet_free(first);
    save_with(same, "same");
    read_into(first = with_first(), file("same"));
    hd_fleet_free(first);
    other.since = 5;
    save_with(other, "other");
    expect_refused(with_first(), file("other"), HD_USAGE, "for another window");
    other = same;
    other.service = "Shop";
    save_with(other, "other");
    expect_refused(with_first(), file("other"), HD_USAGE, "for another service");
    other = same;
    other.min_bytes = 1;
    save_with(other, "other");
    expect_refused(with_first(), file("other"), HD_USAGE, "--min-score");
    struct hd_fleet *f = made_fleet(2, SHARDS + 1);
    save(f, file("other"));
    hd_fleet_free(f);
    expect_refused(with_first(), file("other"), HD_USAGE, "number of shards");
}

static void write_file(const char *name, const char *bytes, size_t size)
{
    FILE *to = fopen(file(name), "w");
    cr_assert_eq(fwrite(bytes, 1, size, to), size);
    fclose(to);
}

Test(fleet_part, of_another_program_or_version_is_refused)
{
    static const char stranger[] = "what is this?";
    static const char other[] = "{\"heapdrift_part\": 1, \"tool_version\": \"9.9.9\"}\n";
    write_file("x", "", 0);
    expect_refused(hd_fleet_new(NULL), file("x"), HD_NOT_A_SNAPSHOT, "not a part");
    write_file("x", stranger, sizeof(stranger) - 1);
    expect_refused(hd_fleet_new(NULL), file("x"), HD_NOT_A_SNAPSHOT, "not a part");
    write_file("x", "{}\n", 3);
    expect_refused(hd_fleet_new(NULL), file("x"), HD_NOT_A_SNAPSHOT, "not a part");
    write_file("x", other, sizeof(other) - 1);
    expect_refused(hd_fleet_new(NULL), file("x"), HD_UNSUPPORTED, "heapdrift 9.9.9");
}

/* Every prefix, and every changed byte. */
Test(fleet_part, cut_or_changed_anywhere_is_refused)
{
    struct hd_fleet *f = made_fleet(1, SHARDS);
    for (unsigned i = 0; i < 4; i++)
        made_add(f, 1000 + i, run(i));
    char *bytes = as_part(f);
    size_t size = strlen(bytes);
    hd_fleet_free(f);
    for (size_t len = 0; len < size; len++) {
        struct hd_error err = {0};
        f = hd_fleet_new(NULL);
        write_file("cut", bytes, len);
        cr_expect_not(hd_fleet_read_part(f, file("cut"), &err), "%zu bytes", len);
        cr_expect_neq(err.message[0], '\0');
        hd_fleet_free(f);
    }
    for (size_t at = 0; at + 1 < size; at++) {
        struct hd_error err = {0};
        f = hd_fleet_new(NULL);
        bytes[at] ^= 1;
        write_file("cut", bytes, size);
        cr_expect_not(hd_fleet_read_part(f, file("cut"), &err), "byte %zu", at);
        bytes[at] ^= 1;
        hd_fleet_free(f);
    }
    free(bytes);
}
