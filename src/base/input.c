/* Four sources behind one face: a plain file (mapped, or read block by block),
 * memory, a libarchive stream for what is compressed, and a stream of someone else's.
 * A path that is no regular file is read into memory first, so that it can be rewound. */
#include "base/input.h"

#include "base/alloc.h"
#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Small enough to stay in the second-level cache. */
enum { BLOCK_SIZE = 256 * 1024 };
enum { ROOM_TO_UNPACK = 1 << 20 };

struct input {
    struct input_options opt;
    int fd;           /* of a plain or compressed file; -1 for memory */
    struct bytes raw; /* compressed bytes of a pipe */
    struct bytes all; /* decompressed, when at hand */
    void *owned_raw, *owned_all;
    size_t mapped;      /* bytes of all that are a mapping */
    uint64_t file_size; /* of a file, compressed or not */
    uint64_t told;      /* bytes of it that progress was told of */

    struct archive *archive; /* open at the entry wanted; NULL if not compressed */
    unsigned entry;          /* of a zip: its number from 0 */
    bool is_bare;            /* it unpacks to nothing at all */
    ssize_t (*take)(void *from, void *to, size_t room); /* of a stream, else NULL */
    void *from;
    int stream_fd; /* of input_stream_fd() */

    unsigned char *head;
    size_t head_size;
    uint64_t position; /* of input_next() */
    unsigned char *block;
};

static const struct {
    const char *magic;
    size_t size;
} compressed[] = {
    {"\x1f\x8b", 2},         /* gzip */
    {"\x28\xb5\x2f\xfd", 4}, /* zstd */
    {"\xfd"
     "7zXZ",
     5},        /* xz */
    {"BZh", 3}, /* bzip2 */
    {"PK\x03\x04", 4},
    {"PK\x05\x06", 4}, /* an empty zip */
};

static bool is_compressed(const unsigned char *head, size_t size)
{
    for (size_t i = 0; i < sizeof(compressed) / sizeof(compressed[0]); i++)
        if (size >= compressed[i].size &&
            memcmp(head, compressed[i].magic, compressed[i].size) == 0)
            return true;
    return false;
}

static bool over_limit(const struct input *in, uint64_t size)
{
    return in->opt.max_memory > 0 && size > in->opt.max_memory;
}

/* Once, from fd; or if that is negative, from the archive's current entry. -1 on error. */
static ssize_t read_some(struct input *in, int fd, unsigned char *to, size_t size)
{
    if (fd < 0 && in->is_bare)
        return 0;
    for (;;) {
        errno = 0;
        ssize_t n = fd >= 0 ? read(fd, to, size) : archive_read_data(in->archive, to, size);
        bool again = fd >= 0 ? n < 0 && errno == EINTR : n == ARCHIVE_RETRY;
        if (!again)
            return n < 0 ? -1 : n;
    }
}

/* The same until size bytes are there or the input ends. */
static ssize_t read_fully(struct input *in, int fd, unsigned char *to, size_t size)
{
    size_t len = 0;
    while (len < size) {
        ssize_t n = read_some(in, fd, to + len, size - len);
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return (ssize_t)len;
}

static bool cannot_unpack(struct archive *a, struct hd_error *err)
{
    alloc_blame();
    if (archive_errno(a) == ENOMEM)
        out_of_memory(0);
    const char *why = archive_error_string(a);
    return fail(err, HD_BAD_FORMAT, "cannot decompress: damaged, or cut short (%s)",
                why != NULL ? why : "no reason given");
}

/* Append everything that is left of fd, or of the archive, to a malloc'd
 * buffer that begins with len bytes of what was read before. */
static bool slurp(struct input *in, int fd, unsigned char *buffer, size_t len,
                  struct bytes *to, struct hd_error *err)
{
    size_t cap = len;
    for (;;) {
        if (len == cap) {
            cap = cap < BLOCK_SIZE ? BLOCK_SIZE : array_bytes(cap, 2);
            buffer = alloc_resize(buffer, cap);
        }
        ssize_t n = read_fully(in, fd, buffer + len, cap - len);
        bool too_big = n > 0 && over_limit(in, len + (size_t)n);
        if (n < 0 || too_big) {
            free(buffer);
            if (too_big)
                return fail_about(err, HD_ABOUT_MEMORY, HD_TOO_BIG,
                                  "needs more than the %llu bytes of memory it may use",
                                  (unsigned long long)in->opt.max_memory);
            return fd >= 0 ? fail(err, HD_IO, "%s", strerror(errno))
                           : cannot_unpack(in->archive, err);
        }
        len += (size_t)n;
        if (len < cap)
            break;
    }
    *to = (struct bytes){buffer, len};
    return true;
}

static bool open_archive(struct input *in, struct hd_error *err)
{
    if (in->archive != NULL)
        archive_read_free(in->archive);
    /* libarchive asks for its large buffers only: small ones end the process, or crash. */
    alloc_room(ROOM_TO_UNPACK);
    errno = 0;
    struct archive *a = in->archive = archive_read_new();
    if (a == NULL)
        out_of_memory(0);
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_format_zip(a);
    archive_read_support_format_raw(a);
    archive_read_support_format_empty(a);
    int status = ARCHIVE_FATAL;
    if (in->fd < 0)
        status = archive_read_open_memory(a, in->raw.data, in->raw.size);
    else if (lseek(in->fd, 0, SEEK_SET) == 0)
        status = archive_read_open_fd(a, in->fd, BLOCK_SIZE);
    return status == ARCHIVE_OK || cannot_unpack(a, err);
}

/* Step to the next entry that is a file: 1, 0 at the end, -1 on failure. */
static int next_entry(struct input *in, struct hd_error *err)
{
    struct archive_entry *entry;
    for (;;) {
        alloc_room(ROOM_TO_UNPACK);
        errno = 0;
        int status = archive_read_next_header(in->archive, &entry);
        if (status == ARCHIVE_EOF)
            return 0;
        if (status == ARCHIVE_RETRY)
            continue;
        if (status < ARCHIVE_WARN)
            return cannot_unpack(in->archive, err) ? 1 : -1;
        /* The raw format knows no types of entries. */
        mode_t type = archive_entry_filetype(entry);
        if (type == AE_IFREG || type == 0)
            return 1;
    }
}

static bool read_archive_head(struct input *in, struct hd_error *err)
{
    ssize_t n = read_fully(in, -1, in->head, INPUT_HEAD_SIZE);
    if (n < 0)
        return cannot_unpack(in->archive, err);
    in->head_size = (size_t)n;
    return true;
}

static bool seek_entry(struct input *in, struct hd_error *err)
{
    if (!open_archive(in, err))
        return false;
    for (unsigned i = 0; i <= in->entry; i++) {
        int found = next_entry(in, err);
        if (found < 0)
            return false;
        in->is_bare = found == 0;
        if (in->is_bare)
            return in->entry == 0 || fail(err, HD_IO, "changed while it was read");
    }
    return true;
}

/* Look at the beginning of every entry of a zip. */
static bool choose_entry(struct input *in, struct hd_error *err)
{
    if (!open_archive(in, err))
        return false;
    unsigned wanted = 0, number = 0;
    int found;
    while ((found = next_entry(in, err)) > 0) {
        if (!read_archive_head(in, err))
            return false;
        if (in->opt.wanted == NULL || in->opt.wanted(input_head(in))) {
            if (wanted++ == 0)
                in->entry = number;
        }
        number++;
    }
    if (found < 0)
        return false;
    if (wanted == 0)
        return fail(err, HD_NOT_A_SNAPSHOT, "a zip without a snapshot in it");
    if (wanted > 1)
        return fail(err, HD_UNSUPPORTED,
                    "a zip with %u snapshots in it; unpack it and name the folder", wanted);
    return true;
}

/* What was unpacked may be a zip, too: then it is one with entries to choose from. */
static bool is_zip_inside(const struct input *in)
{
    int format = archive_format(in->archive) & ARCHIVE_FORMAT_BASE_MASK;
    return format == ARCHIVE_FORMAT_ZIP;
}

static bool start_archive(struct input *in, bool zip, struct hd_error *err)
{
    if (!zip && !seek_entry(in, err))
        return false;
    if ((zip || is_zip_inside(in)) && !(choose_entry(in, err) && seek_entry(in, err)))
        return false;
    return read_archive_head(in, err);
}

static bool is_zip(const struct input *in)
{
    return in->head_size >= 2 && memcmp(in->head, "PK", 2) == 0;
}

static bool start_file(struct input *in, const struct stat *st, struct hd_error *err)
{
    if (S_ISDIR(st->st_mode))
        return fail(err, HD_IO, "%s", strerror(EISDIR));
    if (!S_ISREG(st->st_mode)) {
        struct bytes got;
        if (!slurp(in, in->fd, NULL, 0, &got, err))
            return false;
        in->fd = -1;
        in->owned_raw = (void *)got.data;
        in->raw = in->all = got;
        in->head_size = got.size < INPUT_HEAD_SIZE ? got.size : INPUT_HEAD_SIZE;
        if (got.size > 0)
            memcpy(in->head, got.data, in->head_size);
    } else {
        in->file_size = (uint64_t)st->st_size;
        ssize_t n = pread(in->fd, in->head, INPUT_HEAD_SIZE, 0);
        if (n < 0)
            return fail(err, HD_IO, "%s", strerror(errno));
        in->head_size = (size_t)n;
    }
    if (!is_compressed(in->head, in->head_size))
        return true;
    in->all = (struct bytes){0};
    return start_archive(in, is_zip(in), err);
}

struct input *input_open(const char *path, const struct input_options *opt,
                         struct hd_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0) {
        fail(err, HD_IO, "%s", strerror(errno));
        if (fd >= 0 && !standard)
            close(fd);
        return NULL;
    }
    struct input *in = alloc_zeroed(sizeof(*in));
    in->fd = fd;
    in->head = alloc_zeroed(INPUT_HEAD_SIZE);
    if (opt != NULL)
        in->opt = *opt;
    bool started = start_file(in, &st, err);
    /* A pipe was read to its end. */
    if (in->fd < 0 && !standard)
        close(fd);
    if (started)
        return in;
    input_close(in);
    return NULL;
}

struct input *input_over(const void *data, size_t size)
{
    struct input *in = alloc_zeroed(sizeof(*in));
    in->fd = -1;
    in->all = (struct bytes){data, size};
    in->head_size = size < INPUT_HEAD_SIZE ? size : INPUT_HEAD_SIZE;
    in->head = alloc_zeroed(INPUT_HEAD_SIZE);
    if (size > 0)
        memcpy(in->head, data, in->head_size);
    return in;
}

struct input *input_stream(ssize_t (*take)(void *from, void *to, size_t room), void *from)
{
    struct input *in = alloc_zeroed(sizeof(*in));
    in->fd = -1;
    in->take = take;
    in->from = from;
    return in;
}

static ssize_t take_from_fd(void *from, void *to, size_t room)
{
    ssize_t n;
    const struct input *in = from;
    while ((n = read(in->stream_fd, to, room)) < 0 && errno == EINTR)
        continue;
    return n;
}

struct input *input_stream_fd(int fd)
{
    struct input *in = input_stream(take_from_fd, NULL);
    in->from = in;
    in->stream_fd = fd;
    return in;
}

void input_close(struct input *in)
{
    if (in == NULL)
        return;
    if (in->archive != NULL)
        archive_read_free(in->archive);
    if (in->mapped > 0)
        munmap((void *)in->all.data, in->mapped);
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    free(in->owned_raw);
    free(in->owned_all);
    free(in->head);
    free(in->block);
    free(in);
}

struct bytes input_head(const struct input *in)
{
    return (struct bytes){in->head, in->head_size};
}

static bool map_file(struct input *in, struct hd_error *err)
{
    if (in->file_size > SIZE_MAX)
        return fail(err, HD_TOO_BIG, "larger than this machine can address");
    size_t size = (size_t)in->file_size;
    if (size == 0)
        return true;
    void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, in->fd, 0);
    if (p == MAP_FAILED)
        return fail(err, HD_IO, "%s", strerror(errno));
    in->all = (struct bytes){p, size};
    in->mapped = size;
    return true;
}

bool input_all(struct input *in, struct bytes *all, struct hd_error *err)
{
    if (in->archive != NULL && in->all.data == NULL) {
        if (in->position > 0 && !input_rewind(in, err))
            return false;
        unsigned char *start = alloc_resize(NULL, BLOCK_SIZE);
        memcpy(start, in->head, in->head_size);
        if (!slurp(in, -1, start, in->head_size, &in->all, err))
            return false;
        in->owned_all = (void *)in->all.data;
    } else if (in->take != NULL) {
        return fail(err, HD_UNSUPPORTED, "cannot be read whole: it comes as it comes");
    } else if (in->fd >= 0 && in->all.data == NULL && !map_file(in, err)) {
        return false;
    }
    *all = in->all;
    return true;
}

static void tell(struct input *in, uint64_t at)
{
    if (in->opt.progress == NULL || at <= in->told)
        return;
    in->opt.progress(in->opt.progress_context, HD_READING, at - in->told, 0);
    in->told = at;
}

/* What was read is to be read once more. */
static void tell_again(struct input *in)
{
    if (in->told > 0)
        in->opt.progress(in->opt.progress_context, HD_READING, 0, in->told);
    in->told = 0;
}

void input_passed(struct input *in, double share)
{
    tell(in, (uint64_t)((double)in->file_size * share));
}

static bool next_from_file(struct input *in, struct bytes *block, struct hd_error *err)
{
    ssize_t n;
    if (in->take != NULL) {
        n = in->take(in->from, in->block, BLOCK_SIZE);
        if (n < 0)
            return fail(err, HD_IO, "%s", strerror(errno));
    } else if (in->archive == NULL) {
        n = pread(in->fd, in->block, BLOCK_SIZE, (off_t)in->position);
        if (n < 0)
            return fail(err, HD_IO, "%s", strerror(errno));
    } else if (in->position == 0) {
        memcpy(in->block, in->head, in->head_size);
        n = (ssize_t)in->head_size;
    } else {
        n = read_fully(in, -1, in->block, BLOCK_SIZE);
        if (n < 0)
            return cannot_unpack(in->archive, err);
    }
    *block = (struct bytes){in->block, (size_t)n};
    return true;
}

bool input_next(struct input *in, struct bytes *block, struct hd_error *err)
{
    bool in_memory =
        in->all.data != NULL || (in->fd < 0 && in->archive == NULL && in->take == NULL);
    if (in_memory) {
        size_t left = in->all.size - (size_t)in->position;
        size_t size = left < BLOCK_SIZE ? left : BLOCK_SIZE;
        *block = (struct bytes){in->all.data + in->position, size};
    } else {
        if (in->block == NULL)
            in->block = alloc_resize(NULL, BLOCK_SIZE);
        if (!next_from_file(in, block, err))
            return false;
    }
    in->position += block->size;
    tell(in, in->archive != NULL ? (uint64_t)archive_filter_bytes(in->archive, -1)
                                 : in->position);
    return true;
}

bool input_has_places(const struct input *in, uint64_t *size)
{
    bool in_memory = in->all.data != NULL;
    *size = in_memory ? in->all.size : in->file_size;
    return in_memory || (in->fd >= 0 && in->archive == NULL && in->take == NULL);
}

ssize_t input_read_at(const struct input *in, uint64_t place, void *to, size_t size)
{
    if (in->all.data == NULL)
        return pread(in->fd, to, size, (off_t)place);
    uint64_t left = place < in->all.size ? in->all.size - place : 0;
    size = size < left ? size : (size_t)left;
    if (size > 0)
        memcpy(to, in->all.data + place, size);
    return (ssize_t)size;
}

bool input_rewind(struct input *in, struct hd_error *err)
{
    bool unread = in->position == 0;
    if (in->take != NULL)
        return unread || fail(err, HD_UNSUPPORTED, "cannot be read twice");
    in->position = 0;
    tell_again(in);
    if (in->archive == NULL || in->all.data != NULL || unread)
        return true;
    return seek_entry(in, err) && read_archive_head(in, err);
}

bool input_can_reopen(const struct input *in)
{
    return in->fd > STDIN_FILENO;
}

/* Mapping the same file over itself drops its pages from this process. */
void input_forget_pages(struct input *in)
{
    if (in != NULL && in->mapped > 0)
        (void)!mmap((void *)in->all.data, in->mapped, PROT_READ, MAP_PRIVATE | MAP_FIXED,
                    in->fd, 0);
}
