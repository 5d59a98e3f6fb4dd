/* Decompression, and rejected input: the choice of a file in a zip, and archives that are
 * damaged, encrypted, or endless. */
#include "base/inputs_made.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(unpack, .init = open_scratch, .fini = remove_scratch, .timeout = 60);

/* --- zips ------------------------------------------------------------------------ */

static const char *make_zip(const char *const *names, const char *const *contents,
                            size_t count)
{
    const char *path = scratch_path(&scratch, "a.zip");
    struct archive *a = open_writer(path, ZIP);
    for (size_t i = 0; i < count; i++) {
        bool folder = contents[i] == NULL;
        add_entry(a, names[i], folder ? AE_IFDIR : AE_IFREG, contents[i],
                  folder ? 0 : strlen(contents[i]));
    }
    close_writer(a);
    return path;
}

Test(unpack, a_zip_gives_the_one_snapshot_among_other_files)
{
    static const char snapshot[] = "SNAPSHOT";
    for (size_t place = 0; place < 4; place++) {
        const char *names[] = {"a/", "a/readme.txt", "empty", "z"};
        const char *contents[] = {NULL, "read me", "", "last"};
        names[place] = "the.gcdump";
        contents[place] = snapshot;
        const char *path = make_zip(names, contents, 4);
        struct input *in = open_good(path);
        expect_all(path, in, (const unsigned char *)snapshot, strlen(snapshot));
        expect_bytes(path, input_head(in), (const unsigned char *)snapshot,
                     strlen(snapshot));
        input_close(in);
    }
}

Test(unpack, a_zip_with_two_snapshots_is_not_for_us_to_choose_from)
{
    static const char *const names[] = {"1", "readme", "2"};
    static const char *const contents[] = {"SNAP1", "x", "SNAP2"};
    expect_refused(make_zip(names, contents, 3), &options, HD_UNSUPPORTED);
}

Test(unpack, a_zip_without_a_snapshot_is_refused)
{
    static const char *const names[] = {"folder/", "readme", "empty"};
    static const char *const contents[] = {NULL, "SNA", ""};
    expect_refused(make_zip(names, contents, 3), &options, HD_NOT_A_SNAPSHOT);
    expect_refused(make_zip(NULL, NULL, 0), &options, HD_NOT_A_SNAPSHOT);
}

/* A pipe or a build server may have compressed it again. */
Test(unpack, a_compressed_zip_is_a_zip)
{
    static const struct {
        const char *names[2], *contents[2];
        enum hd_status status;
    } cases[] = {
        {{"1", "2"}, {"SNAP1", "SNAP2"}, HD_UNSUPPORTED},
        {{"readme", "other"}, {"x", "y"}, HD_NOT_A_SNAPSHOT},
        {{"readme", "2"}, {"x", "SNAP2"}, HD_OK},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned char zip[4096];
        FILE *from = fopen(make_zip(cases[i].names, cases[i].contents, 2), "rb");
        cr_assert_not_null(from);
        size_t size = fread(zip, 1, sizeof(zip), from);
        fclose(from);
        for (size_t kind = 0; kind < KINDS; kind++) {
            if (kinds[kind].filter < 0)
                continue;
            const char *path = make_file(kind, zip, size);
            if (cases[i].status == HD_OK) {
                struct input *in = open_good(path);
                expect_all(path, in, (const unsigned char *)"SNAP2", 5);
                input_close(in);
            } else {
                expect_refused(path, &options, cases[i].status);
            }
        }
    }
}

Test(unpack, without_a_preference_the_only_entry_is_returned)
{
    static const char *const names[] = {"folder/", "readme"};
    static const char *const contents[] = {NULL, "hello"};
    struct input *in = input_open(make_zip(names, contents, 2), NULL, NULL);
    cr_assert_not_null(in);
    expect_all("zip", in, (const unsigned char *)"hello", 5);
    input_close(in);
}

/* --- what is damaged ------------------------------------------------------------- */

/* In ascending order. A zip can be read without the directory at its end. */
static size_t cuts_of(size_t kind, size_t size, size_t *cuts)
{
    size_t n = 0;
    cuts[n++] = 100;
    cuts[n++] = size / 4;
    cuts[n++] = size / 2;
    cuts[n++] = size / 4 * 3;
    if (kinds[kind].filter != ZIP) {
        cuts[n++] = size - 20;
        cuts[n++] = size - 8;
        cuts[n++] = size - 1;
    }
    return n;
}

Test(unpack, a_cut_archive_is_an_error_wherever_it_was_cut)
{
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (kinds[kind].filter == PLAIN)
            continue;
        struct stat st;
        const char *path = make_file(kind, content, LARGE);
        cr_assert_eq(stat(path, &st), 0);
        size_t cuts[8], count = cuts_of(kind, (size_t)st.st_size, cuts);
        while (count-- > 0) {
            cr_assert_eq(truncate(path, (off_t)cuts[count]), 0);
            expect_refused(path, &options, HD_BAD_FORMAT);
        }
    }
    free(content);
}

/* In blocks, the bytes before the cut arrive, then the error. */
Test(unpack, a_cut_archive_is_an_error_block_by_block)
{
    unsigned char *content = make_content(LARGE);
    const char *path = make_file(1, content, LARGE);
    cr_assert_eq(truncate(path, 300000), 0);
    struct input *in = open_good(path);
    struct hd_error err = {0};
    struct bytes block = {0};
    size_t seen = 0;
    bool ok;
    while ((ok = input_next(in, &block, &err)) && block.size > 0) {
        expect_bytes(path, block, content + seen, block.size);
        seen += block.size;
    }
    cr_expect_not(ok);
    cr_expect_gt(seen, 0);
    cr_expect_lt(seen, LARGE);
    cr_expect_eq(err.status, HD_BAD_FORMAT, "%s", err.message);
    input_close(in);
    free(content);
}

/* --- what would take for ever ---------------------------------------------------- */

Test(unpack, doubly_compressed_input_of_any_kind_is_refused)
{
    unsigned char *content = make_content(1000), twice[4096];
    for (size_t inner = 0; inner < KINDS; inner++)
        for (size_t outer = 0; outer < KINDS; outer++) {
            if (kinds[inner].filter < 0 || kinds[outer].filter < 0)
                continue;
            FILE *from = fopen(make_file(inner, content, 1000), "rb");
            cr_assert_not_null(from);
            size_t size = fread(twice, 1, sizeof(twice), from);
            fclose(from);
            expect_refused(make_file(outer, twice, size), &options, HD_UNSUPPORTED);
        }
    free(content);
}

/* A zip with `count` files, of which the last is wanted. */
static const char *make_full_zip(size_t count)
{
    const char *path = scratch_path(&scratch, "full.zip");
    struct archive *a = open_writer(path, ZIP);
    for (size_t i = 1; i < count; i++)
        add_entry(a, "other", AE_IFREG, "x", 1);
    add_entry(a, "snapshot", AE_IFREG, "SNAPSHOT", 8);
    close_writer(a);
    return path;
}

Test(unpack, the_search_of_a_zip_is_bounded)
{
    struct input *in = open_good(make_full_zip(1000));
    expect_all("1000", in, (const unsigned char *)"SNAPSHOT", 8);
    input_close(in);
    expect_refused(make_full_zip(1001), &options, HD_UNSUPPORTED);
}

enum { MIB = 1024 * 1024 };

/* A valid head, followed by zeros, compressed by zstd. */
static const char *make_bomb(size_t mib)
{
    const char *path = scratch_path(&scratch, "bomb.zst");
    unsigned char *zeros = calloc(1, MIB);
    cr_assert_not_null(zeros);
    struct archive *a = open_writer(path, ARCHIVE_FILTER_ZSTD);
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, "bomb");
    archive_entry_set_filetype(entry, AE_IFREG);
    cr_assert_eq(archive_write_header(a, entry), ARCHIVE_OK);
    archive_entry_free(entry);
    for (size_t i = 0; i < mib; i++) {
        memcpy(zeros, magic, i == 0 ? sizeof(magic) : 0);
        cr_assert_eq(archive_write_data(a, zeros, MIB), MIB);
        memset(zeros, 0, sizeof(magic));
    }
    close_writer(a);
    free(zeros);
    return path;
}

static uint64_t count_blocks(const char *path, bool *ok, struct hd_error *err)
{
    struct input *in = open_good(path);
    struct bytes block = {0};
    uint64_t seen = 0;
    while ((*ok = input_next(in, &block, err)) && block.size > 0)
        seen += block.size;
    input_close(in);
    return seen;
}

Test(unpack, input_that_expands_a_thousand_times_is_refused)
{
    struct hd_error err = {0};
    bool ok;
    cr_expect_eq(count_blocks(make_bomb(60), &ok, &err), 60 * MIB);
    cr_expect(ok, "what is small in the end may be regular: %s", err.message);
    uint64_t seen = count_blocks(make_bomb(300), &ok, &err);
    cr_expect_not(ok);
    cr_expect_eq(err.status, HD_BAD_FORMAT, "%s", err.message);
    cr_expect_leq(seen, 65 * MIB, "%llu bytes", (unsigned long long)seen);
    expect_refused(scratch_path(&scratch, "bomb.zst"), &options, HD_BAD_FORMAT);
}

/* --- neighbours ------------------------------------------------------------------ */

/* Three files, of which the second is wanted. Those marked x are flagged as encrypted, both
 * before their bytes and in the directory at the end. */
static const char *make_encrypted(const char *which)
{
    static const char *const names[] = {"1", "2", "3"};
    static const char *const contents[] = {"hello", "SNAPSHOT", "world"};
    unsigned char zip[4096];
    FILE *file = fopen(make_zip(names, contents, 3), "rb");
    cr_assert_not_null(file);
    size_t size = fread(zip, 1, sizeof(zip), file), local = 0, listed = 0;
    fclose(file);
    for (size_t i = 0; i + 10 < size; i++) {
        if (memcmp(&zip[i], "PK\3\4", 4) == 0)
            zip[i + 6] |= which[local++] == 'x';
        if (memcmp(&zip[i], "PK\1\2", 4) == 0)
            zip[i + 8] |= which[listed++] == 'x';
    }
    cr_assert(local == 3 && listed == 3);
    return scratch_file(&scratch, "encrypted.zip", zip, size);
}

Test(unpack, encrypted_files_other_than_the_snapshot_do_not_matter)
{
    static const char *const good[] = {"...", "x..", "..x", "x.x"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct input *in = open_good(make_encrypted(good[i]));
        expect_all(good[i], in, (const unsigned char *)"SNAPSHOT", 8);
        input_close(in);
    }
    expect_refused(make_encrypted(".x."), &options, HD_UNSUPPORTED);
    expect_refused(make_encrypted("xxx"), &options, HD_UNSUPPORTED);
}
