/* Digests of random series and the original heaps: every report is equal except for data
 * that a digest lacks. */
#include "owners/random_heap.h"
#include "render/written.h"
#include "support/asked.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = 40, MAX_SNAPSHOTS = 5, MAX_OBJECTS = 60 };

/* Members that must or may differ. */
static bool may_differ(const char *line, size_t len)
{
    static const char *const members[] = {"\"format\"",   "\"path\"",    "\"has_graph\"",
                                          "\"survivors",  "\"address\"", "\"source_xxh3\"",
                                          "\"producer\"", "\"xxh3\"",    "\"warnings\""};
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        for (size_t at = 0; at + strlen(members[i]) <= len; at++)
            if (memcmp(line + at, members[i], strlen(members[i])) == 0)
                return true;
    return false;
}

/* JSON without these members and without warnings, since a digest adds one. Takes
 * ownership. */
static char *comparable(char *json)
{
    char *to = json, *warnings = strstr(json, "\n \"warnings\": [");
    char *rest = warnings != NULL ? strstr(warnings, "\n ]") : NULL;
    for (char *line = json; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        len += line[len] == '\n';
        bool warned = rest != NULL && line > warnings && line <= rest + 1;
        if (!warned && !may_differ(line, len)) {
            memmove(to, line, len);
            to += len;
        }
        line += len;
    }
    *to = '\0';
    return json;
}

static struct hd_snapshot *digest_of(struct hd_snapshot *snap, struct hd_memory *bytes)
{
    struct hd_error err = {0};
    cr_assert(hd_snapshot_write(snap, "digest", hd_sink_memory(bytes), NULL, &err), "%s",
              err.message);
    struct hd_snapshot *digest =
        hd_snapshot_from_memory(bytes->bytes, bytes->size, NULL, &err);
    cr_assert_not_null(digest, "%s", err.message);
    return digest;
}

struct pair {
    struct hd_snapshot *heaps[MAX_SNAPSHOTS], *digests[MAX_SNAPSHOTS];
    struct hd_memory bytes[MAX_SNAPSHOTS];
    size_t count;
};

static void make_pair(struct pair *p, struct random *r, bool generations)
{
    p->count = 2 + random_below(r, MAX_SNAPSHOTS - 1);
    for (size_t k = 0; k < p->count; k++) {
        p->heaps[k] =
            random_small_heap(r, MAX_OBJECTS, random_below(r, 2) == 0, generations);
        p->heaps[k]->clock = 60 * (double)(k + 1);
        p->heaps[k]->clock_is_date = true;
        p->digests[k] = digest_of(p->heaps[k], &p->bytes[k]);
    }
}

static void free_pair(struct pair *p)
{
    for (size_t k = 0; k < p->count; k++) {
        hd_snapshot_close(p->heaps[k]);
        hd_snapshot_close(p->digests[k]);
        hd_memory_free(&p->bytes[k]);
    }
    *p = (struct pair){0};
}

typedef struct hd_report *question(struct hd_snapshot *const *snaps, size_t count,
                                   const struct hd_options *opt, struct hd_error *err);

static struct hd_report *ask_last(struct hd_snapshot *const *snaps, size_t count,
                                  const struct hd_options *opt, struct hd_error *err)
{
    return ask_top(snaps[count - 1], opt, err);
}

/* Prints the first different line. */
static void expect_same_lines(const char *got, const char *wanted, int series)
{
    size_t at = 0, begin = 0;
    while (got[at] != '\0' && got[at] == wanted[at])
        begin = got[at++] == '\n' ? at : begin;
    cr_expect(got[at] == wanted[at], "series %d: %.*s instead of %.*s", series,
              (int)strcspn(got + begin, "\n"), got + begin,
              (int)strcspn(wanted + begin, "\n"), wanted + begin);
}

static void expect_equal(const struct pair *p, question *ask, const struct hd_options *opt,
                         int series)
{
    struct hd_error first = {0}, second = {0};
    struct hd_report *of_heaps = ask(p->heaps, p->count, opt, &first);
    struct hd_report *of_digests = ask(p->digests, p->count, opt, &second);
    cr_assert_eq(of_heaps != NULL, of_digests != NULL, "series %d: %s; %s", series,
                 first.message, second.message);
    if (of_heaps == NULL)
        return;
    char *wanted = comparable(written(of_heaps, "json"));
    char *got = comparable(written(of_digests, "json"));
    expect_same_lines(got, wanted, series);
    free(wanted);
    free(got);
    hd_report_free(of_heaps);
    hd_report_free(of_digests);
}

static void expect_same_answers(const struct pair *p, bool generations, int series)
{
    struct hd_options opt = hd_default_options();
    opt.no_ages = true; /* a digest has no objects to follow */
    opt.rows = 0;
    for (int all = 0; all < (generations ? 4 : 2); all++) {
        opt.reachable = all & 1;
        opt.gen2 = all & 2;
        opt.by = HD_BY_TYPE;
        expect_equal(p, ask_diff, &opt, series);
        expect_equal(p, ask_last, &opt, series);
        expect_equal(p, ask_tree, &opt, series);
        opt.by = HD_BY_HOLDER;
        expect_equal(p, ask_diff, &opt, series);
    }
}

Test(writing, digests_answer_like_the_heaps_that_they_are_of)
{
    struct random r = random_from(17);
    for (int series = 0; series < SERIES; series++) {
        struct pair p = {0};
        bool generations = series % 3 == 0;
        make_pair(&p, &r, generations);
        expect_same_answers(&p, generations, series);
        free_pair(&p);
    }
}

/* The first was made from memory, without a source; the others name their source. */
Test(writing, a_digest_of_a_digest_is_the_same_file)
{
    struct random r = random_from(5);
    struct hd_memory bytes[3] = {{0}};
    struct hd_snapshot *snaps[4] = {random_small_heap(&r, MAX_OBJECTS, true, true)};
    for (size_t i = 0; i < 3; i++)
        snaps[i + 1] = digest_of(snaps[i], &bytes[i]);
    cr_assert_eq(bytes[1].size, bytes[2].size);
    cr_expect_eq(memcmp(bytes[1].bytes, bytes[2].bytes, bytes[2].size), 0);
    for (size_t i = 0; i < 3; i++)
        hd_memory_free(&bytes[i]);
    for (size_t i = 0; i < 4; i++)
        hd_snapshot_close(snaps[i]);
}

Test(writing, a_digest_of_a_table_is_a_table)
{
    struct hd_memory bytes = {0};
    struct hd_snapshot *table = any_table(1000);
    struct hd_snapshot *digest = digest_of(table, &bytes);
    cr_expect_eq(digest->info.objects, table->info.objects);
    cr_expect_eq(digest->info.bytes, table->info.bytes);
    cr_expect_not(digest->info.has_owners);
    cr_expect_eq(digest->info.reachable_objects, HD_UNKNOWN);
    hd_snapshot_close(table);
    hd_snapshot_close(digest);
    hd_memory_free(&bytes);
}

/* Found by fuzzing: the digest claimed to have roots, and had no places. */
Test(writing, a_digest_that_was_read_as_a_table_is_written_as_one)
{
    struct random r = random_from(3);
    struct hd_memory bytes = {0}, again = {0};
    struct hd_error err = {0};
    struct hd_read_options tables = {.tables_only = true};
    struct hd_snapshot *heap = random_small_heap(&r, MAX_OBJECTS, true, true);
    hd_snapshot_close(digest_of(heap, &bytes));
    struct hd_snapshot *table =
        hd_snapshot_from_memory(bytes.bytes, bytes.size, &tables, &err);
    cr_assert_not_null(table, "%s", err.message);
    cr_expect_not(table->info.has_owners);
    struct hd_snapshot *digest = digest_of(table, &again);
    cr_expect_eq(digest->info.objects, heap->info.objects);
    cr_expect_not(digest->info.has_roots);
    hd_snapshot_close(digest);
    hd_snapshot_close(table);
    hd_snapshot_close(heap);
    hd_memory_free(&bytes);
    hd_memory_free(&again);
}

/* Found by replaying fuzzed inputs: heap text declares that it has roots. */
Test(writing, a_table_of_a_file_with_roots_is_a_table)
{
    struct hd_memory bytes = {0};
    struct hd_error err = {0};
    struct hd_read_options tables = {.tables_only = true};
    struct hd_snapshot *table =
        hd_snapshot_open("fixtures/heap-text/example.txt", &tables, &err);
    cr_assert_not_null(table, "%s", err.message);
    struct hd_snapshot *digest = digest_of(table, &bytes);
    cr_expect_eq(digest->info.bytes, table->info.bytes);
    cr_expect_not(digest->info.has_owners);
    hd_snapshot_close(table);
    hd_snapshot_close(digest);
    hd_memory_free(&bytes);
}
