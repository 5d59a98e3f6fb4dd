/* inputs_made.h - the same content as a file of every kind, made with libarchive's writer,
 * and the expected results of reading it. */
#ifndef INPUTS_MADE_H
#define INPUTS_MADE_H

#include "base/input.h"
#include "support/random.h"
#include "support/scratch.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct scratch scratch;

static inline void open_scratch(void)
{
    scratch_open(&scratch);
}

static inline void remove_scratch(void)
{
    scratch_remove(&scratch);
}

/* --- content --------------------------------------------------------------------- */

static const char magic[] = "SNAP";

static inline bool is_wanted(struct bytes head)
{
    return head.size >= 4 && memcmp(head.data, magic, 4) == 0;
}

static const struct input_options options = {.wanted = is_wanted};

/* More than two blocks of 256 KiB, with a remainder; still large when compressed. */
enum { LARGE = 700001 };

static inline unsigned char *make_content(size_t size)
{
    struct random random = random_from(5);
    unsigned char *content = malloc(size > 0 ? size : 1);
    cr_assert_not_null(content);
    for (size_t i = 0; i < size; i++)
        content[i] = (unsigned char)('a' + random_below(&random, 16));
    memcpy(content, magic, size < 4 ? size : 4);
    return content;
}

/* --- archives -------------------------------------------------------------------- */

enum { PLAIN = -1, ZIP = -2 };

static const struct {
    const char *name;
    int filter; /* a filter of libarchive; or PLAIN, ZIP */
} kinds[] = {
    {"plain", PLAIN},          {"gz", ARCHIVE_FILTER_GZIP},   {"zst", ARCHIVE_FILTER_ZSTD},
    {"xz", ARCHIVE_FILTER_XZ}, {"bz2", ARCHIVE_FILTER_BZIP2}, {"zip", ZIP},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static inline struct archive *open_writer(const char *path, int filter)
{
    struct archive *a = archive_write_new();
    cr_assert_not_null(a);
    if (filter == ZIP)
        archive_write_set_format_zip(a);
    else
        archive_write_set_format_raw(a);
    if (filter >= 0)
        cr_assert_eq(archive_write_add_filter(a, filter), ARCHIVE_OK, "%s",
                     archive_error_string(a));
    archive_write_set_bytes_in_last_block(a, 1);
    cr_assert_eq(archive_write_open_filename(a, path), ARCHIVE_OK);
    return a;
}

static inline void add_entry(struct archive *a, const char *name, mode_t type,
                             const void *data, size_t size)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0600);
    archive_entry_set_size(entry, (la_int64_t)size);
    cr_assert_eq(archive_write_header(a, entry), ARCHIVE_OK, "%s", archive_error_string(a));
    cr_assert(size == 0 || archive_write_data(a, data, size) == (la_ssize_t)size);
    archive_entry_free(entry);
}

static inline void close_writer(struct archive *a)
{
    cr_assert_eq(archive_write_close(a), ARCHIVE_OK, "%s", archive_error_string(a));
    archive_write_free(a);
}

/* Makes a file of this kind. */
static const char *make_file(size_t kind, const unsigned char *content, size_t size)
{
    if (kinds[kind].filter == PLAIN)
        return scratch_file(&scratch, "plain", content, size);
    const char *path = scratch_path(&scratch, kinds[kind].name);
    struct archive *a = open_writer(path, kinds[kind].filter);
    add_entry(a, "content", AE_IFREG, content, size);
    close_writer(a);
    return path;
}

/* --- reading --------------------------------------------------------------------- */

static inline struct input *open_good(const char *path)
{
    struct hd_error err = {0};
    struct input *in = input_open(path, &options, &err);
    cr_assert_not_null(in, "%s: %s", path, err.message);
    return in;
}

static inline void expect_bytes(const char *what, struct bytes got,
                                const unsigned char *content, size_t size)
{
    cr_assert_eq(got.size, size, "%s: %zu bytes, not %zu", what, got.size, size);
    cr_assert(size == 0 || memcmp(got.data, content, size) == 0, "%s", what);
}

static inline void expect_all(const char *what, struct input *in,
                              const unsigned char *content, size_t size)
{
    struct hd_error err = {0};
    struct bytes all;
    cr_assert(input_all(in, &all, &err), "%s: %s", what, err.message);
    expect_bytes(what, all, content, size);
}

/* Reads at most `blocks` blocks, which continue the content. */
static inline void expect_blocks(const char *what, struct input *in, size_t blocks,
                                 const unsigned char *content, size_t size)
{
    size_t seen = 0;
    for (size_t i = 0; i < blocks; i++) {
        struct hd_error err = {0};
        struct bytes block;
        cr_assert(input_next(in, &block, &err), "%s: %s", what, err.message);
        if (block.size == 0) {
            cr_assert_eq(seen, size, "%s ends after %zu bytes", what, seen);
            return;
        }
        cr_assert_leq(block.size, size - seen, "%s", what);
        expect_bytes(what, block, content + seen, block.size);
        seen += block.size;
    }
}

enum { TO_THE_END = 1000 };

static inline void rewind_input(struct input *in)
{
    struct hd_error err = {0};
    cr_assert(input_rewind(in, &err), "%s", err.message);
}

static inline void expect_refused(const char *path, const struct input_options *opt,
                                  enum hd_status status)
{
    struct hd_error err = {0};
    struct input *in = input_open(path, opt, &err);
    struct bytes all;
    bool read = in != NULL && input_all(in, &all, &err);
    cr_expect_not(read, "%s can be read", path);
    cr_expect_eq(err.status, status, "%s: %s", path, err.message);
    cr_expect_gt(strlen(err.message), 0);
    cr_expect_null(strchr(err.message, '\n'), "%s", err.message);
    input_close(in);
}

#endif
