#include "base/pack.h"

#include "base/alloc.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

static la_ssize_t pass_on(struct archive *a, void *context, const void *bytes, size_t size)
{
    (void)a;
    out_bytes(context, bytes, size);
    return (la_ssize_t)size;
}

/* Writing into an out never fails here, so what fails is memory. */
static void need(bool done)
{
    if (!done)
        out_of_memory(0);
}

static void pack(struct archive *a, const void *bytes, size_t size, struct out *to)
{
    struct archive_entry *e = archive_entry_new();
    need(e != NULL);
    archive_entry_set_filetype(e, AE_IFREG);
    need(archive_write_set_format_raw(a) == ARCHIVE_OK);
    /* Nothing behind the end: it would be filled up to a block of a tape. */
    need(archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK);
    need(archive_write_open(a, to, NULL, pass_on, NULL) == ARCHIVE_OK);
    need(archive_write_header(a, e) == ARCHIVE_OK);
    need(archive_write_data(a, bytes, size) == (la_ssize_t)size);
    need(archive_write_close(a) == ARCHIVE_OK);
    archive_entry_free(e);
    archive_write_free(a);
}

void pack_gzip(const void *bytes, size_t size, struct out *to)
{
    struct archive *a = archive_write_new();
    need(a != NULL);
    need(archive_write_add_filter_gzip(a) == ARCHIVE_OK);
    need(archive_write_set_filter_option(a, "gzip", "timestamp", NULL) == ARCHIVE_OK);
    pack(a, bytes, size, to);
}

void pack_zstd(const void *bytes, size_t size, const char *level, struct out *to)
{
    struct archive *a = archive_write_new();
    need(a != NULL);
    need(archive_write_add_filter_zstd(a) == ARCHIVE_OK);
    need(archive_write_set_filter_option(a, "zstd", "compression-level", level) ==
         ARCHIVE_OK);
    pack(a, bytes, size, to);
}
