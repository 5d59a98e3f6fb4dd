/* Read four sources through one interface: a plain file (read whole if it is
 * small, mapped, or read by blocks), memory, packed bytes (packed.c), and a stream of the
 * caller.
 *
 * A path that is not a regular file is read into memory first, so that it can be rewound. A
 * mapping ends where its file ends, even if the file is truncated later: reading past that
 * raises SIGBUS, and writes by another process change the mapped bytes. So only files that
 * are too large to be held are mapped. */
#include "base/input.h"

#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Small enough to stay in the second-level cache. */
enum { BLOCK_SIZE = 256 * 1024 };

/* A file is held in memory up to this size, and up to this share (1/n) of the memory
 * limit. */
enum { MAX_HELD = 1 << 20, SHARE_HELD = 8 };

struct input {
    struct input_options opt;
    int fd;           /* of a plain or packed file; -1 for memory */
    struct bytes raw; /* packed bytes of a pipe */
    struct bytes all; /* unpacked, when at hand */
    void *owned_raw, *owned_all;
    size_t mapped;      /* bytes of all that are a mapping */
    size_t held;        /* bytes in owned_all that can be had again */
    uint64_t file_size; /* of a file, packed or not */
    uint64_t reported;  /* bytes of the file reported to progress */
    struct file_stamp stamp;

    struct unpacker *unpacker; /* NULL if it is not packed */
    bool is_spent;             /* the unpacker is at its end, and position is 0 */
    ssize_t (*take)(void *from, void *to, size_t capacity); /* of a stream, else NULL */
    void *from;
    struct growing_file growing;

    unsigned char head[INPUT_HEAD_SIZE];
    size_t head_size;
    uint64_t position; /* of input_next() */
    unsigned char *block;
};

/* --- which file it is ---------------------------------------------------------------- */

static struct file_stamp stamp_of(const struct stat *st)
{
    return (struct file_stamp){.known = S_ISREG(st->st_mode),
                               .device = (uint64_t)st->st_dev,
                               .number = (uint64_t)st->st_ino,
                               .size = (uint64_t)st->st_size,
                               .seconds = (int64_t)st->st_mtim.tv_sec,
                               .nanoseconds = (int64_t)st->st_mtim.tv_nsec};
}

bool file_stamps_equal(const struct file_stamp *a, const struct file_stamp *b)
{
    return a->known == b->known && a->device == b->device && a->number == b->number &&
           a->size == b->size && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds;
}

struct file_stamp input_stamp(const struct input *in)
{
    return in->stamp;
}

bool input_is_as_opened(const struct input *in)
{
    struct stat st;
    if (!in->stamp.known)
        return true;
    struct file_stamp now = {0};
    if (fstat(in->fd, &st) == 0)
        now = stamp_of(&st);
    return file_stamps_equal(&in->stamp, &now);
}

bool input_is_stale(const struct input *in)
{
    return in != NULL && in->mapped > 0 && !input_is_as_opened(in);
}

/* --- reading on ---------------------------------------------------------------------- */

/* Reads until size bytes are there or the input ends: at `place`, or, if it is negative, at
 * the position of fd. -1 and errno on error. */
static ssize_t read_fully(int fd, off_t place, unsigned char *to, size_t size)
{
    /* Linux reads 2 GiB and no more; the size may be an int elsewhere. */
    enum { AT_ONCE = 1 << 30 };
    size_t len = 0;
    while (len < size) {
        size_t left = size - len < AT_ONCE ? size - len : AT_ONCE;
        ssize_t n = place < 0 ? read(fd, to + len, left)
                              : pread(fd, to + len, left, place + (off_t)len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return (ssize_t)len;
}

/* Reads up to size bytes from the unpacker, or from a pipe. */
static bool read_on(struct input *in, unsigned char *to, size_t size, size_t *got,
                    struct hd_error *err)
{
    if (in->unpacker != NULL)
        return unpacker_read(in->unpacker, to, size, got, err);
    ssize_t n = read_fully(in->fd, -1, to, size);
    *got = n > 0 ? (size_t)n : 0;
    return n >= 0 || fail(err, HD_IO, "%s", strerror(errno));
}

/* Doubles cap, up to the memory limit and one byte to detect that it is exceeded. */
static size_t next_capacity(const struct input *in, size_t cap)
{
    size_t more = cap < BLOCK_SIZE ? BLOCK_SIZE : array_bytes(cap, 2);
    uint64_t most = in->opt.max_memory;
    return most > 0 && most < more ? (size_t)most + 1 : more;
}

/* Appends the rest of the input to a malloc'd buffer that begins with len bytes read
 * before. Frees the buffer on failure. */
static bool slurp(struct input *in, unsigned char *buffer, size_t len, struct bytes *to,
                  struct hd_error *err)
{
    size_t cap = len, got;
    uint64_t most = in->opt.max_memory;
    do {
        bool too_big = most > 0 && len > most;
        if (too_big)
            fail_about(err, HD_ABOUT_MEMORY, HD_TOO_BIG,
                       "exceeds the memory limit of %llu bytes%s", (unsigned long long)most,
                       in->unpacker == NULL ? ""
                                            : " while compressed; decompress it to a file");
        else if (len == cap)
            buffer = alloc_resize(buffer, cap = next_capacity(in, cap));
        if (too_big || !read_on(in, buffer + len, cap - len, &got, err)) {
            free(buffer);
            return false;
        }
        len += got;
    } while (len == cap);
    *to = (struct bytes){buffer, len};
    return true;
}

/* --- opening ------------------------------------------------------------------------- */

static bool unpack_head(struct input *in, struct hd_error *err)
{
    return unpacker_read(in->unpacker, in->head, INPUT_HEAD_SIZE, &in->head_size, err);
}

static bool start_unpacking(struct input *in, struct hd_error *err)
{
    struct packed from = {
        .fd = in->fd,
        .bytes = in->raw,
        .size = in->fd >= 0 ? in->file_size : in->raw.size,
        .wanted = in->opt.wanted,
        .entry = in->opt.entry,
    };
    in->unpacker = unpacker_open(&from, err);
    return in->unpacker != NULL && unpack_head(in, err);
}

/* Reads all of a pipe; only the head if no format begins like it, since a pipe may never
 * end. */
static bool read_pipe(struct input *in, struct hd_error *err)
{
    unsigned char *start = alloc_resize(NULL, BLOCK_SIZE);
    struct bytes got = {start, 0};
    if (!read_on(in, start, INPUT_HEAD_SIZE, &got.size, err)) {
        free(start);
        return false;
    }
    bool worth = got.size == INPUT_HEAD_SIZE &&
                 (is_packed(got) || in->opt.may_be == NULL || in->opt.may_be(got));
    if (worth && !slurp(in, start, got.size, &got, err))
        return false;
    in->fd = -1;
    in->owned_raw = (void *)got.data;
    in->raw = in->all = got;
    in->head_size = got.size < INPUT_HEAD_SIZE ? got.size : INPUT_HEAD_SIZE;
    memcpy(in->head, got.data, in->head_size);
    return true;
}

static bool start_file(struct input *in, const struct stat *st, struct hd_error *err)
{
    if (S_ISDIR(st->st_mode))
        return fail(err, HD_IO, "%s", strerror(EISDIR));
    if (S_ISREG(st->st_mode)) {
        in->file_size = (uint64_t)st->st_size;
        in->stamp = stamp_of(st);
        ssize_t n = read_fully(in->fd, 0, in->head, INPUT_HEAD_SIZE);
        if (n < 0)
            return fail(err, HD_IO, "%s", strerror(errno));
        in->head_size = (size_t)n;
    } else if (!read_pipe(in, err)) {
        return false;
    }
    if (!is_packed(input_head(in)))
        return true;
    in->all = (struct bytes){0};
    return start_unpacking(in, err);
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
    if (size > 0)
        memcpy(in->head, data, in->head_size);
    return in;
}

struct input *input_unpack(const void *data, size_t size, const struct input_options *opt,
                           struct hd_error *err)
{
    struct input *in = input_over(data, size);
    in->opt = *opt;
    if (!is_packed(input_head(in)))
        return in;
    in->raw = in->all;
    in->all = (struct bytes){0};
    if (start_unpacking(in, err))
        return in;
    input_close(in);
    return NULL;
}

struct input *input_stream(ssize_t (*take)(void *from, void *to, size_t capacity),
                           void *from)
{
    struct input *in = alloc_zeroed(sizeof(*in));
    in->fd = -1;
    in->take = take;
    in->from = from;
    return in;
}

/* file_size is the size so far. */
struct input *input_growing(const struct growing_file *file)
{
    struct input *in = alloc_zeroed(sizeof(*in));
    in->fd = file->fd;
    in->growing = *file;
    uint64_t before = 1;
    while (in->file_size < INPUT_HEAD_SIZE && in->file_size != before) {
        before = in->file_size;
        if (!file->more(file->from, before, &in->file_size))
            break;
    }
    ssize_t n = read_fully(in->fd, 0, in->head, INPUT_HEAD_SIZE);
    in->head_size = n > 0 ? (size_t)n : 0;
    return in;
}

bool input_is_growing(const struct input *in)
{
    return in->growing.more != NULL;
}

bool input_is_entry(const struct input *in)
{
    return in->opt.entry > 0;
}

void input_close(struct input *in)
{
    if (in == NULL)
        return;
    unpacker_close(in->unpacker);
    if (in->mapped > 0)
        munmap((void *)in->all.data, in->mapped);
    if (in->fd > STDIN_FILENO && !input_is_growing(in))
        close(in->fd);
    free(in->owned_raw);
    free(in->owned_all);
    free(in->block);
    free(in);
}

struct bytes input_head(const struct input *in)
{
    return (struct bytes){in->head, in->head_size};
}

/* --- all at once --------------------------------------------------------------------- */

static bool can_be_held(const struct input *in)
{
    uint64_t most = in->opt.max_memory / SHARE_HELD;
    return in->file_size <= MAX_HELD && (in->opt.max_memory == 0 || in->file_size <= most);
}

static bool hold_file(struct input *in, struct hd_error *err)
{
    size_t size = (size_t)in->file_size;
    in->owned_all = alloc_resize(in->owned_all, size);
    ssize_t n = read_fully(in->fd, 0, in->owned_all, size);
    if (n < 0)
        return fail(err, HD_IO, "%s", strerror(errno));
    if ((size_t)n < size)
        return fail(err, HD_IO, "was truncated while being read");
    in->all = (struct bytes){in->owned_all, size};
    in->held = size;
    return true;
}

static bool map_file(struct input *in, struct hd_error *err)
{
    if (in->file_size > SIZE_MAX)
        return fail(err, HD_TOO_BIG, "larger than this machine can address");
    size_t size = (size_t)in->file_size;
    void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, in->fd, 0);
    if (p == MAP_FAILED)
        return fail(err, HD_IO, "%s", strerror(errno));
    in->all = (struct bytes){p, size};
    in->mapped = size;
    return true;
}

/* Restarts, at the end of the head. */
static bool unpack_again(struct input *in, struct hd_error *err)
{
    in->is_spent = false;
    return unpacker_rewind(in->unpacker, err) && unpack_head(in, err);
}

static bool hold_unpacked(struct input *in, struct hd_error *err)
{
    if (in->position > 0 && !input_rewind(in, err))
        return false;
    if (in->is_spent && !unpack_again(in, err))
        return false;
    unsigned char *start = alloc_resize(NULL, BLOCK_SIZE);
    memcpy(start, in->head, in->head_size);
    if (!slurp(in, start, in->head_size, &in->all, err))
        return false;
    in->owned_all = (void *)in->all.data;
    in->held = in->all.size;
    return true;
}

bool input_all(struct input *in, struct bytes *all, struct hd_error *err)
{
    bool ok = true;
    if (in->take != NULL || input_is_growing(in))
        return fail(err, HD_UNSUPPORTED, "cannot be read: it is a stream");
    if (in->all.data == NULL && in->unpacker != NULL)
        ok = hold_unpacked(in, err);
    else if (in->all.data == NULL && in->fd >= 0 && in->file_size > 0)
        ok = can_be_held(in) ? hold_file(in, err) : map_file(in, err);
    *all = in->all;
    return ok;
}

/* --- block after block --------------------------------------------------------------- */

static void report_progress(struct input *in, uint64_t at)
{
    if (in->opt.progress == NULL || at <= in->reported)
        return;
    in->opt.progress(in->opt.progress_context, HD_READING, at - in->reported, 0);
    in->reported = at;
}

void input_passed(struct input *in, double share)
{
    report_progress(in, (uint64_t)((double)in->file_size * share));
}

/* Reads the bytes written so far after the position, at most a block; waits for the first
 * byte. */
static ssize_t next_arrived(struct input *in)
{
    const struct growing_file *file = &in->growing;
    if (in->position == in->file_size &&
        !file->more(file->from, in->position, &in->file_size)) {
        errno = ECANCELED;
        return -1;
    }
    uint64_t left = in->file_size - in->position;
    return read_fully(in->fd, (off_t)in->position, in->block,
                      left < BLOCK_SIZE ? (size_t)left : BLOCK_SIZE);
}

static bool next_from_file(struct input *in, struct bytes *block, struct hd_error *err)
{
    ssize_t n;
    *block = (struct bytes){in->block, 0};
    if (in->is_spent && !unpack_again(in, err))
        return false;
    if (in->unpacker != NULL && in->position > 0)
        return unpacker_read(in->unpacker, in->block, BLOCK_SIZE, &block->size, err);
    if (in->unpacker != NULL) {
        memcpy(in->block, in->head, in->head_size);
        n = (ssize_t)in->head_size;
    } else if (in->take != NULL) {
        n = in->take(in->from, in->block, BLOCK_SIZE);
    } else if (input_is_growing(in)) {
        n = next_arrived(in);
    } else {
        n = read_fully(in->fd, (off_t)in->position, in->block, BLOCK_SIZE);
    }
    if (n < 0)
        return fail(err, HD_IO, "%s", strerror(errno));
    block->size = (size_t)n;
    return true;
}

bool input_next(struct input *in, struct bytes *block, struct hd_error *err)
{
    bool in_memory =
        in->all.data != NULL || (in->fd < 0 && in->unpacker == NULL && in->take == NULL);
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
    report_progress(in, in->unpacker != NULL ? unpacker_taken(in->unpacker) : in->position);
    return true;
}

bool input_has_places(const struct input *in, uint64_t *size)
{
    bool in_memory = in->all.data != NULL;
    *size = in_memory ? in->all.size : in->file_size;
    return in_memory || (in->fd >= 0 && in->unpacker == NULL && in->take == NULL);
}

ssize_t input_read_at(const struct input *in, uint64_t place, void *to, size_t size)
{
    if (in->all.data == NULL)
        return read_fully(in->fd, (off_t)place, to, size);
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
    /* These bytes will be read again. */
    if (in->reported > 0)
        in->opt.progress(in->opt.progress_context, HD_READING, 0, in->reported);
    in->reported = 0;
    if (in->unpacker == NULL || in->all.data != NULL || in->is_spent || unread)
        return true;
    return unpack_again(in, err);
}

bool input_can_reopen(const struct input *in)
{
    return in->fd > STDIN_FILENO;
}

bool input_is_held(const struct input *in)
{
    return in->held > 0;
}

/* Remapping the same file drops its pages from this process. */
void input_forget(struct input *in)
{
    if (in != NULL && in->mapped > 0)
        (void)!mmap((void *)in->all.data, in->mapped, PROT_READ, MAP_PRIVATE | MAP_FIXED,
                    in->fd, 0);
    if (in == NULL || in->held == 0)
        return;
    free(in->owned_all);
    in->owned_all = NULL;
    in->all = (struct bytes){0};
    in->held = 0;
    in->position = 0;
    in->is_spent = in->unpacker != NULL;
}
