#include "heapdrift.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(inputs, .init = open_scratch, .fini = remove_scratch);

static void make_files(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        scratch_file(&scratch, names[i], "x", 1);
}

/* Expects these files in this order; suffix is appended to the folder's path. */
static void expect_folder(const char *suffix, const char *const *names, size_t count)
{
    struct hd_error err = {0};
    struct hd_inputs inputs = {0};
    char folder[300], path[600];
    snprintf(folder, sizeof(folder), "%s%s", scratch.folder, suffix);
    cr_assert(hd_inputs_add(&inputs, folder, &err), "%s", err.message);
    cr_assert_eq(inputs.count, count, "%zu files, not %zu", inputs.count, count);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s", scratch.folder, names[i]);
        cr_expect_str_eq(inputs.all[i].path, path);
        cr_expect(inputs.all[i].from_folder);
    }
    hd_inputs_free(&inputs);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

Test(inputs, are_in_the_order_in_which_they_were_named)
{
    static const char *const files[] = {"b", "a", "10", "b"};
    make_files(files, COUNT(files));
    struct hd_inputs inputs = {0};
    for (size_t i = 0; i < COUNT(files); i++)
        cr_assert(hd_inputs_add(&inputs, scratch_path(&scratch, files[i]), NULL));
    cr_assert_eq(inputs.count, COUNT(files), "the same file twice is two inputs");
    for (size_t i = 0; i < COUNT(files); i++) {
        cr_expect_str_eq(inputs.all[i].path, scratch_path(&scratch, files[i]));
        cr_expect_not(inputs.all[i].from_folder);
    }
    hd_inputs_free(&inputs);
    cr_expect_null(inputs.all);
    cr_expect_eq(inputs.count, 0);
}

Test(inputs, a_dash_is_standard_input_and_no_file)
{
    struct hd_inputs inputs = {0};
    cr_assert(hd_inputs_add(&inputs, "-", NULL));
    cr_expect_str_eq(inputs.all[0].path, "-");
    cr_expect_not(inputs.all[0].from_folder);
    hd_inputs_free(&inputs);
}

Test(inputs, from_a_folder_are_in_natural_order)
{
    static const char *const files[] = {"1.gcdump",    "2.gcdump",     "9.gcdump",
                                        "10.gcdump",   "11.gcdump",    "100.gcdump",
                                        "a1b9.gcdump", "a1b10.gcdump", "a2b1.gcdump",
                                        "after",       "before"};
    make_files(files, COUNT(files));
    expect_folder("", files, COUNT(files));
    expect_folder("/", files, COUNT(files));
}

Test(inputs, leading_zeros_decide_last)
{
    static const char *const files[] = {"s000", "s0",   "s001a", "s01a",
                                        "s1a",  "s002", "s10",   "s0011"};
    /* s0 precedes s000: equal except for its length. */
    static const char *const order[] = {"s0",  "s000", "s001a", "s01a",
                                        "s1a", "s002", "s10",   "s0011"};
    make_files(files, COUNT(files));
    expect_folder("", order, COUNT(order));
}

Test(inputs, numbers_may_have_more_digits_than_any_integer)
{
    static const char *const files[] = {"20260101000000000000000000000000000000001",
                                        "20260101000000000000000000000000000000002",
                                        "20260101000000000000000000000000000000010",
                                        "120260101000000000000000000000000000000001"};
    make_files(files, COUNT(files));
    expect_folder("", files, COUNT(files));
}

Test(inputs, a_name_precedes_names_that_begin_with_it)
{
    static const char *const files[] = {"1", "1.gcdump", "1.gcdump.gz", "1a", "12"};
    make_files(files, COUNT(files));
    expect_folder("", files, COUNT(files));
}

Test(inputs, hidden_files_and_folders_are_left_out)
{
    static const char *const files[] = {"1", ".hidden", "2", ".3"};
    static const char *const seen[] = {"1", "2"};
    make_files(files, COUNT(files));
    scratch_folder(&scratch, "deeper");
    scratch_file(&scratch, "deeper/0", "x", 1);
    expect_folder("", seen, COUNT(seen));
}

Test(inputs, files_that_block_are_skipped_in_a_folder)
{
    static const char *const seen[] = {"1"};
    scratch_file(&scratch, "1", "x", 1);
    cr_assert_eq(mkfifo(scratch_path(&scratch, "2"), 0600), 0);
    cr_assert_eq(symlink("2", scratch_path(&scratch, "3")), 0);
    expect_folder("", seen, COUNT(seen));
}

Test(inputs, links_count_as_their_targets)
{
    static const char *const seen[] = {"1", "2", "4"};
    scratch_file(&scratch, "1", "x", 1);
    scratch_folder(&scratch, "deeper");
    cr_assert_eq(symlink("1", scratch_path(&scratch, "2")), 0);
    cr_assert_eq(symlink("deeper", scratch_path(&scratch, "3")), 0);
    cr_assert_eq(symlink("missing", scratch_path(&scratch, "4")), 0);
    expect_folder("", seen, COUNT(seen));
}

Test(inputs, a_dangling_link_is_not_a_snapshot)
{
    struct hd_inputs inputs = {0};
    cr_assert_eq(symlink("loop", scratch_path(&scratch, "loop")), 0);
    cr_assert_eq(symlink("missing", scratch_path(&scratch, "nowhere")), 0);
    cr_assert(hd_inputs_add(&inputs, scratch.folder, NULL));
    cr_assert_eq(inputs.count, 2);
    for (size_t i = 0; i < inputs.count; i++)
        cr_expect_eq(inputs.all[i].error.status, HD_NOT_A_SNAPSHOT);
    hd_inputs_free(&inputs);
}

/* Files whose first letter is not "s" are skipped; those with "!" must be claimed back. */
static void expect_claimed(const char *const *marked, size_t count)
{
    struct hd_input inputs[16] = {0};
    bool skipped[16] = {0};
    for (size_t i = 0; i < count; i++) {
        inputs[i] = (struct hd_input){.path = marked[i] + 1, .from_folder = true};
        skipped[i] = marked[i][0] != 's';
    }
    hd_inputs_claim(inputs, count, skipped);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(skipped[i], marked[i][0] == '-', "%s", marked[i]);
}

Test(inputs, files_with_the_name_of_a_snapshot_are_claimed)
{
    static const char *const files[] = {
        "!d/a.gcdump",  "!d/b.nettrace", "!d/c.digest",       "!d/e.core",
        "!d/f.dmp",     "!g.core.xz",    "!d/h.gcdump.zst",   "!i.dmp.gz",
        "!.digest.bz2", "-d/README",     "-d.gcdump/notes",   "-d/a.gcdump.txt",
        "-d/a.gcdump~", "-gcdump",       "-d/b.gcdump.sha256"};
    expect_claimed(files, COUNT(files));
}

Test(inputs, files_in_the_numbering_of_snapshots_are_claimed)
{
    static const char *const files[] = {"sd/app-1.txt",
                                        "!d/app-2.txt",
                                        "!d/app-10.txt.gz",
                                        "-d/app.txt",
                                        "-d/app-2.csv",
                                        "-d/app-2b.txt",
                                        "-e/app-2.txt",
                                        "-d/log-1.txt",
                                        "-d/log-2.txt",
                                        "sd/7",
                                        "!d/8",
                                        "-d/8-9",
                                        "s2026-01-09T.csv",
                                        "!2026-02-10T.csv"};
    expect_claimed(files, COUNT(files));
}

Test(inputs, a_named_file_claims_no_file_in_a_folder)
{
    struct hd_input inputs[] = {{.path = "d/1.txt"},
                                {.path = "d/2.txt", .from_folder = true}};
    bool skipped[] = {false, true};
    hd_inputs_claim(inputs, 2, skipped);
    cr_expect(skipped[1]);
}

Test(inputs, two_folders_are_not_mixed)
{
    struct hd_inputs inputs = {0};
    const char *b = scratch_folder(&scratch, "b"), *a = scratch_folder(&scratch, "a");
    static const char *const files[] = {"b/2", "b/10", "a/1"};
    make_files(files, COUNT(files));
    cr_assert(hd_inputs_add(&inputs, b, NULL));
    cr_assert(hd_inputs_add(&inputs, a, NULL));
    cr_assert_eq(inputs.count, 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect_str_eq(inputs.all[i].path, scratch_path(&scratch, files[i]));
    hd_inputs_free(&inputs);
}

static void expect_refused(const char *path, enum hd_status status)
{
    struct hd_error err = {0};
    struct hd_inputs inputs = {0};
    cr_expect_not(hd_inputs_add(&inputs, path, &err), "%s", path);
    cr_expect_eq(err.status, status, "%s: %s", path, err.message);
    cr_expect_gt(strlen(err.message), 0);
    cr_assert_eq(inputs.count, 1, "it stands in its place");
    cr_expect_str_eq(inputs.all[0].path, path);
    cr_expect_eq(inputs.all[0].error.status, status);
    hd_inputs_free(&inputs);
}

Test(inputs, an_empty_folder_is_an_error)
{
    expect_refused(scratch.folder, HD_NOT_A_SNAPSHOT);
    scratch_file(&scratch, ".hidden", "x", 1);
    scratch_folder(&scratch, "deeper");
    expect_refused(scratch.folder, HD_NOT_A_SNAPSHOT);
}

Test(inputs, a_missing_path_is_an_error)
{
    expect_refused(scratch_path(&scratch, "missing"), HD_IO);
    expect_refused("", HD_IO);
}

Test(inputs, those_before_an_error_stay)
{
    struct hd_inputs inputs = {0};
    cr_assert(hd_inputs_add(&inputs, "-", NULL));
    cr_expect_not(hd_inputs_add(&inputs, scratch_path(&scratch, "missing"), NULL));
    cr_expect_not(hd_inputs_add(&inputs, scratch.folder, NULL));
    cr_assert_eq(inputs.count, 3);
    cr_expect_eq(inputs.all[0].error.status, HD_OK);
    cr_expect_eq(inputs.all[1].error.status, HD_IO);
    hd_inputs_free(&inputs);
}

Test(inputs, freeing_none_is_fine)
{
    struct hd_inputs inputs = {0};
    hd_inputs_free(&inputs);
}
