#include "base/input.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/out.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_SIZE = 256 * 1024, MEMORY_TO_UNPACK = 1 << 20 };

/* gzip is limited to 1,032 to 1; zstd, xz and bzip2 are not, but no heap is that regular:
 * text of ten million equal objects compresses 40 to 1. Anything below the first number
 * unpacks without a noticeable wait. */
enum { NEVER_TOO_MUCH = 64 << 20, MAX_PER_BYTE = 1000 };

/* Inspecting an entry takes some 0.1 ms; a manifest of fifty snapshots has some 10 kB. */
enum { MAX_ENTRIES = 1000, MAX_KEPT = 1 << 20 };

struct unpacker {
    struct packed from;
    struct archive *archive; /* open at the entry wanted */
    unsigned entry;          /* of a zip: its number from 1; 0 otherwise */
    bool is_bare;            /* it unpacks to zero bytes */
    uint64_t unpacked;       /* bytes since the archive was opened */
};

static const struct {
    const char *magic;
    size_t size;
} magics[] = {
    {"\x1f\x8b", 2},         /* gzip */
    {"\x28\xb5\x2f\xfd", 4}, /* zstd */
    {"\xfd"
     "7zXZ",
     5},        /* xz */
    {"BZh", 3}, /* bzip2 */
    {"PK\x03\x04", 4},
    {"PK\x05\x06", 4}, /* an empty zip */
};

bool is_packed(struct bytes head)
{
    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
        if (head.size >= magics[i].size &&
            memcmp(head.data, magics[i].magic, magics[i].size) == 0)
            return true;
    return false;
}

static bool cannot_unpack(const struct unpacker *u, struct hd_error *err)
{
    alloc_blame();
    if (archive_errno(u->archive) == ENOMEM)
        out_of_memory(0);
    /* Its own errors are these two, or less than 0; others are of reading. */
    int number = archive_errno(u->archive);
    if (number > 0 && number != EILSEQ && number != EINVAL)
        return fail(err, HD_IO, "%s", strerror(number));
    const char *why = archive_error_string(u->archive);
    return fail(err, HD_BAD_FORMAT, "cannot decompress: damaged or truncated (%s)",
                why != NULL ? why : "no reason given");
}

static bool is_too_much(const struct unpacker *u)
{
    return u->unpacked > NEVER_TOO_MUCH && u->unpacked / MAX_PER_BYTE > u->from.size;
}

/* --- the archive --------------------------------------------------------------------- */

/* libarchive unpacks up to 25 layers, each of which may expand a thousandfold, and rejects
 * more. Its count includes the unpacked bytes. */
static bool has_one_layer(const struct unpacker *u, struct hd_error *err)
{
    enum { MAX_FILTERS = 2 };
    return archive_filter_count(u->archive) <= MAX_FILTERS ||
           fail(err, HD_UNSUPPORTED, "compressed more than once; decompress it first");
}

static bool open_archive(struct unpacker *u, struct hd_error *err)
{
    if (u->archive != NULL)
        archive_read_free(u->archive);
    /* libarchive asks for its large buffers only: small ones end the process, or crash. */
    alloc_check(MEMORY_TO_UNPACK);
    errno = 0;
    struct archive *a = u->archive = archive_read_new();
    if (a == NULL)
        out_of_memory(0);
    u->unpacked = 0;
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_format_zip(a);
    archive_read_support_format_raw(a);
    archive_read_support_format_empty(a);
    int status = ARCHIVE_FATAL;
    if (u->from.fd < 0)
        status = archive_read_open_memory(a, u->from.bytes.data, u->from.bytes.size);
    else if (lseek(u->from.fd, 0, SEEK_SET) == 0)
        status = archive_read_open_fd(a, u->from.fd, BLOCK_SIZE);
    return has_one_layer(u, err) && (status == ARCHIVE_OK || cannot_unpack(u, err));
}

/* Steps to the next entry that is a file: 1, 0 at the end, -1 on failure. */
static int next_entry(struct unpacker *u, struct archive_entry **entry,
                      struct hd_error *err)
{
    for (;;) {
        alloc_check(MEMORY_TO_UNPACK);
        errno = 0;
        int status = archive_read_next_header(u->archive, entry);
        if (status == ARCHIVE_EOF)
            return 0;
        if (status == ARCHIVE_RETRY)
            continue;
        if (status < ARCHIVE_WARN)
            return cannot_unpack(u, err) ? 1 : -1;
        /* The raw format knows no types of entries. */
        mode_t type = archive_entry_filetype(*entry);
        if (type == AE_IFREG || type == 0)
            return 1;
    }
}

static bool seek_entry(struct unpacker *u, struct hd_error *err)
{
    if (!open_archive(u, err))
        return false;
    unsigned i = 0;
    do {
        struct archive_entry *entry;
        int found = next_entry(u, &entry, err);
        if (found < 0)
            return false;
        u->is_bare = found == 0;
        if (u->is_bare)
            return u->entry == 0 || fail(err, HD_IO, "was modified while being read");
    } while (++i < u->entry);
    return true;
}

bool unpacker_read(struct unpacker *u, unsigned char *to, size_t size, size_t *got,
                   struct hd_error *err)
{
    *got = 0;
    while (*got < size && !u->is_bare) {
        errno = 0;
        la_ssize_t n = archive_read_data(u->archive, to + *got, size - *got);
        if (n == ARCHIVE_RETRY)
            continue;
        if (n < 0)
            return cannot_unpack(u, err);
        if (n == 0)
            break;
        *got += (size_t)n;
        u->unpacked += (uint64_t)n;
        if (is_too_much(u))
            return fail(err, HD_BAD_FORMAT,
                        "decompresses to more than %d times its size: not a snapshot",
                        MAX_PER_BYTE);
    }
    return true;
}

/* --- zips ---------------------------------------------------------------------------- */

/* A file that cannot be read does not matter if another one is wanted. */
struct unpack_look {
    unsigned char *head;
    unsigned unreadable;
    bool any_encrypted;
    struct hd_error why; /* the first could not be read */
    bool (*keep)(const char *name);
    struct zip_listing *listing;
    size_t cap, kept;
    struct arena *arena;
};

/* Reads the rest of a file after its head; all such files share one bound. */
static bool read_kept(struct unpacker *u, struct unpack_look *l, size_t size,
                      struct bytes *text, struct hd_error *err)
{
    size_t left = MAX_KEPT - l->kept, more = 0;
    if (left <= size)
        return true;
    unsigned char *all = alloc_resize(NULL, left);
    memcpy(all, l->head, size);
    bool ok =
        size < INPUT_HEAD_SIZE || unpacker_read(u, all + size, left - size, &more, err);
    size += more;
    if (ok && size < left) {
        *text = (struct bytes){memcpy(arena_alloc(l->arena, size + 1), all, size), size};
        l->kept += size;
    }
    free(all);
    return ok;
}

/* Skips a file that cannot be unpacked: it need not be the one that is wanted. */
static bool look_at_entry(struct unpacker *u, struct archive_entry *entry,
                          struct unpack_look *l, struct hd_error *err)
{
    const char *name = archive_entry_pathname(entry);
    size_t size = 0;
    bool encrypted = archive_entry_is_encrypted(entry) != 0;
    struct hd_error why = {0};
    struct zip_listing *list = l->listing;
    struct zip_file *file = APPEND(list->all, list->count, l->cap);
    *file = (struct zip_file){.name = "", .entry = (unsigned)list->count};
    if (name != NULL)
        file->name = arena_strdup(l->arena, name, strlen(name));
    l->any_encrypted |= encrypted;
    if (!encrypted && unpacker_read(u, l->head, INPUT_HEAD_SIZE, &size, &why)) {
        struct bytes head = {l->head, size};
        file->is_wanted = u->from.wanted == NULL || u->from.wanted(head);
        if (l->keep == NULL || !l->keep(file->name) ||
            read_kept(u, l, size, &file->text, &why))
            return true;
    }
    if (is_too_much(u)) {
        if (err != NULL)
            *err = why;
        return false;
    }
    if (l->unreadable++ == 0)
        l->why = why;
    return true;
}

/* Looks at the beginning of every file of a zip. */
static bool look_at_all(struct unpacker *u, struct unpack_look *l, struct hd_error *err)
{
    if (!open_archive(u, err))
        return false;
    l->head = alloc_resize(NULL, INPUT_HEAD_SIZE);
    struct archive_entry *entry;
    int found;
    bool ok = true;
    while (ok && (found = next_entry(u, &entry, err)) != 0) {
        ok = found > 0;
        if (ok && l->listing->count == MAX_ENTRIES)
            ok = fail(err, HD_UNSUPPORTED,
                      "a zip of more than %d files; extract it, and name the snapshot",
                      MAX_ENTRIES);
        ok = ok && look_at_entry(u, entry, l, err);
    }
    free(l->head);
    return ok;
}

static bool unpack_settle(struct unpacker *u, const struct unpack_look *l,
                          struct hd_error *err)
{
    unsigned wanted = 0;
    for (size_t i = l->listing->count; i-- > 0;)
        if (l->listing->all[i].is_wanted) {
            wanted++;
            u->entry = l->listing->all[i].entry;
        }
    if (wanted == 1)
        return true;
    if (wanted > 1)
        return fail(err, HD_UNSUPPORTED,
                    "a zip with %u snapshots; name one, from FILE#1 to FILE#%u", wanted,
                    wanted);
    if (l->any_encrypted)
        return fail(err, HD_UNSUPPORTED,
                    "a zip with encrypted files and no other snapshot; extract it");
    if (l->unreadable > 0)
        return fail(err, HD_BAD_FORMAT, "%s", l->why.message);
    return fail(err, HD_NOT_A_SNAPSHOT, "a zip without a snapshot");
}

static bool choose_entry(struct unpacker *u, struct hd_error *err)
{
    struct arena arena = {0};
    struct zip_listing listing = {0};
    struct unpack_look l = {.listing = &listing, .arena = &arena};
    bool ok = look_at_all(u, &l, err) && unpack_settle(u, &l, err);
    free(listing.all);
    arena_free(&arena);
    return ok;
}

bool zip_list(const struct packed *from, bool (*keep)(const char *name),
              struct zip_listing *listing, struct arena *a, struct hd_error *err)
{
    struct unpacker u = {.from = *from};
    struct zip_listing found = {0};
    struct unpack_look l = {.keep = keep, .listing = &found, .arena = a};
    bool ok = look_at_all(&u, &l, err);
    *listing = (struct zip_listing){.count = found.count};
    listing->all = arena_array(a, struct zip_file, found.count);
    if (found.count > 0)
        memcpy(listing->all, found.all, found.count * sizeof(*found.all));
    free(found.all);
    if (u.archive != NULL)
        archive_read_free(u.archive);
    return ok;
}

/* A compressed zip is treated as a zip, too: one with files to choose from. */
static bool is_zip(const struct unpacker *u)
{
    int format = archive_format(u->archive) & ARCHIVE_FORMAT_BASE_MASK;
    return format == ARCHIVE_FORMAT_ZIP;
}

/* --- unpacking ----------------------------------------------------------------------- */

struct unpacker *unpacker_open(const struct packed *from, struct hd_error *err)
{
    struct unpacker *u = alloc_zeroed(sizeof(*u));
    u->from = *from;
    u->entry = from->entry;
    bool ok = seek_entry(u, err);
    if (ok && u->entry == 0 && is_zip(u))
        ok = choose_entry(u, err) && seek_entry(u, err);
    if (ok)
        return u;
    unpacker_close(u);
    return NULL;
}

bool unpacker_rewind(struct unpacker *u, struct hd_error *err)
{
    return seek_entry(u, err);
}

uint64_t unpacker_taken(const struct unpacker *u)
{
    return (uint64_t)archive_filter_bytes(u->archive, -1);
}

void unpacker_close(struct unpacker *u)
{
    if (u == NULL)
        return;
    if (u->archive != NULL)
        archive_read_free(u->archive);
    free(u);
}

/* --- packing ---------------------------------------------------------------------- */

static la_ssize_t pass_on(struct archive *a, void *context, const void *bytes, size_t size)
{
    (void)a;
    out_bytes(context, bytes, size);
    return (la_ssize_t)size;
}

/* Writing into an out never fails here, so a failure is one of memory. */
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
    /* No padding to a block of a tape. */
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
