#include "base/unpack.h"

#include "base/alloc.h"
#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_SIZE = 256 * 1024, ROOM_TO_UNPACK = 1 << 20 };

/* gzip cannot do more than 1,032 to 1; zstd, xz and bzip2 can, but no heap is that regular:
 * text of ten million equal objects comes to 40 to 1. Below the first number nobody waits.
 */
enum { NEVER_TOO_MUCH = 64 << 20, MOST_PER_BYTE = 1000 };

/* Looking at one takes some 0.1 ms. */
enum { MOST_ENTRIES = 1000 };

struct unpacker {
    struct packed from;
    struct archive *archive; /* open at the entry wanted */
    unsigned entry;          /* of a zip: its number from 0 */
    bool is_bare;            /* it unpacks to nothing at all */
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
    return u->unpacked > NEVER_TOO_MUCH && u->unpacked / MOST_PER_BYTE > u->from.size;
}

/* --- the archive --------------------------------------------------------------------- */

/* libarchive goes through 25 layers, and refuses more: each may stand for a thousand times
 * the one around it. The last of those counted is none. */
static bool has_one_layer(const struct unpacker *u, struct hd_error *err)
{
    enum { MOST_FILTERS = 2 };
    return archive_filter_count(u->archive) <= MOST_FILTERS ||
           fail(err, HD_UNSUPPORTED, "compressed more than once; decompress it first");
}

static bool open_archive(struct unpacker *u, struct hd_error *err)
{
    if (u->archive != NULL)
        archive_read_free(u->archive);
    /* libarchive asks for its large buffers only: small ones end the process, or crash. */
    alloc_room(ROOM_TO_UNPACK);
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

/* Step to the next entry that is a file: 1, 0 at the end, -1 on failure. */
static int next_entry(struct unpacker *u, struct archive_entry **entry,
                      struct hd_error *err)
{
    for (;;) {
        alloc_room(ROOM_TO_UNPACK);
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
    for (unsigned i = 0; i <= u->entry; i++) {
        struct archive_entry *entry;
        int found = next_entry(u, &entry, err);
        if (found < 0)
            return false;
        u->is_bare = found == 0;
        if (u->is_bare)
            return u->entry == 0 || fail(err, HD_IO, "was modified while being read");
    }
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
                        MOST_PER_BYTE);
    }
    return true;
}

/* --- zips ---------------------------------------------------------------------------- */

struct choice {
    unsigned char *head;
    unsigned wanted, unreadable;
    bool any_encrypted;
    struct hd_error why; /* the first could not be read */
};

/* What cannot be unpacked is passed over: it need not be the one that is meant. */
static bool look_at_entry(struct unpacker *u, struct archive_entry *entry, unsigned number,
                          struct choice *c, struct hd_error *err)
{
    size_t size = 0;
    bool encrypted = archive_entry_is_encrypted(entry) != 0;
    c->any_encrypted |= encrypted;
    struct hd_error why = {0};
    if (encrypted || !unpacker_read(u, c->head, INPUT_HEAD_SIZE, &size, &why)) {
        if (is_too_much(u)) {
            if (err != NULL)
                *err = why;
            return false;
        }
        if (c->unreadable++ == 0)
            c->why = why;
        return true;
    }
    if (u->from.wanted == NULL || u->from.wanted((struct bytes){c->head, size})) {
        if (c->wanted++ == 0)
            u->entry = number;
    }
    return true;
}

static bool settle(const struct choice *c, struct hd_error *err)
{
    if (c->wanted == 1)
        return true;
    if (c->wanted > 1)
        return fail(err, HD_UNSUPPORTED,
                    "a zip with %u snapshots; extract it, and name the folder", c->wanted);
    if (c->any_encrypted)
        return fail(err, HD_UNSUPPORTED,
                    "a zip with encrypted files and no other snapshot; extract it");
    if (c->unreadable > 0)
        return fail(err, HD_BAD_FORMAT, "%s", c->why.message);
    return fail(err, HD_NOT_A_SNAPSHOT, "a zip without a snapshot");
}

/* Look at the beginning of every file of a zip. */
static bool choose_entry(struct unpacker *u, struct hd_error *err)
{
    if (!open_archive(u, err))
        return false;
    struct choice c = {.head = alloc_resize(NULL, INPUT_HEAD_SIZE)};
    struct archive_entry *entry;
    unsigned number = 0;
    int found;
    bool ok = true;
    while (ok && (found = next_entry(u, &entry, err)) != 0) {
        ok = found > 0;
        if (ok && number == MOST_ENTRIES)
            ok = fail(err, HD_UNSUPPORTED,
                      "a zip of more than %d files; extract it, and name the snapshot",
                      MOST_ENTRIES);
        ok = ok && look_at_entry(u, entry, number++, &c, err);
    }
    free(c.head);
    return ok && settle(&c, err);
}

/* What was unpacked may be a zip, too: then it is one with files to choose from. */
static bool is_zip(const struct unpacker *u)
{
    int format = archive_format(u->archive) & ARCHIVE_FORMAT_BASE_MASK;
    return format == ARCHIVE_FORMAT_ZIP;
}

/* --- all of it ----------------------------------------------------------------------- */

struct unpacker *unpacker_open(const struct packed *from, struct hd_error *err)
{
    struct unpacker *u = alloc_zeroed(sizeof(*u));
    u->from = *from;
    bool ok = seek_entry(u, err);
    if (ok && is_zip(u))
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
