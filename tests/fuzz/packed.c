/* Compressed input: libarchive, and the limits on its output. Bytes changed by an engine
 * are hardly ever an archive, so archives are made from them. */
#include "fuzz/memory_file.h"
#include "fuzz/meter.h"
#include "fuzz/questions.h"
#include "fuzz/surfaces.h"

#include "base/text.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>

enum how { AS_IT_IS, GZIP, ZSTD, BZIP2, XZ, ZIP, ZIP_OF_MANY, ZIP_IN_GZIP, WAYS };

static la_ssize_t take(struct archive *a, void *context, const void *bytes, size_t size)
{
    (void)a;
    text_add(context, bytes, size);
    return (la_ssize_t)size;
}

static void add_entry(struct archive *a, const char *name, struct bytes content)
{
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, name);
    archive_entry_set_size(e, (la_int64_t)content.size);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_write_header(a, e);
    archive_write_data(a, content.data, content.size);
    archive_entry_free(e);
}

/* The content once, or in pieces, with relevant and irrelevant names. */
static void add_entries(struct archive *a, struct bytes content, bool many)
{
    static const char *const names[] = {"a.txt", "b.nettrace", "c.gcdump", "../d", "e/"};
    size_t count = many ? sizeof(names) / sizeof(names[0]) : 1;
    for (size_t i = 0; i < count; i++) {
        size_t from = content.size / count * i;
        size_t to = i + 1 < count ? content.size / count * (i + 1) : content.size;
        add_entry(a, names[i], (struct bytes){content.data + from, to - from});
    }
}

static void compress_as(struct archive *a, enum how how)
{
    if (how == GZIP || how == ZIP_IN_GZIP)
        archive_write_add_filter_gzip(a);
    else if (how == ZSTD)
        archive_write_add_filter_zstd(a);
    else if (how == BZIP2)
        archive_write_add_filter_bzip2(a);
    else if (how == XZ)
        archive_write_add_filter_xz(a);
}

static void pack(struct text *to, enum how how, struct bytes content)
{
    struct archive *a = archive_write_new();
    compress_as(a, how);
    if (how >= ZIP)
        archive_write_set_format_zip(a);
    else
        archive_write_set_format_raw(a);
    archive_write_set_options(a, how == ZIP_OF_MANY ? "zip:compression=store" : NULL);
    archive_write_set_filter_option(a, NULL, "compression-level", "1");
    archive_write_set_bytes_per_block(a, 0);
    if (archive_write_open(a, to, NULL, take, NULL) == ARCHIVE_OK)
        add_entries(a, content, how == ZIP_OF_MANY);
    archive_write_close(a);
    archive_write_free(a);
}

/* The first byte of the first part chooses the compression, and its bits 3 to 5 the number
 * of repetitions of the content, which compress well. */
static struct bytes pack_part(struct bytes part, struct text *packed, struct text *content)
{
    if (part.size == 0)
        return part;
    enum how how = part.data[0] % WAYS;
    unsigned times = 1U << (part.data[0] >> 3 & 7);
    struct bytes rest = {part.data + 1, part.size - 1};
    if (how == AS_IT_IS)
        return rest;
    for (unsigned i = 0; i < times; i++)
        text_add(content, rest.data, rest.size);
    pack(packed, how, (struct bytes){(unsigned char *)content->data, content->len});
    return (struct bytes){(unsigned char *)packed->data, packed->len};
}

static struct hd_snapshot *open_file(size_t number, struct bytes part,
                                     const struct hd_read_options *how,
                                     struct hd_error *err)
{
    const char *path = memory_file(number, part);
    hd_path_is_snapshot(path);
    return hd_snapshot_open(path, how, err);
}

void surface_packed(struct bytes input)
{
    struct frame f = frame_of(input);
    struct text packed = {0}, content = {0};
    meter_pause();
    f.parts[0] = pack_part(f.parts[0], &packed, &content);
    meter_go_on();
    question_ask_parts(&f, input.size, open_file);
    text_free(&packed);
    text_free(&content);
}
