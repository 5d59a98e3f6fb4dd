/* input.h - read the decompressed bytes of an input.
 *
 * A path or "-"; plain, or compressed with gzip, zstd, xz or bzip2; or an entry of a zip.
 * Readers see bytes only. The format chooses one of two ways to read: the whole input
 * (input_all: memory, or the mapping of a large file), or block after block in constant
 * memory (input_next). Both start at the beginning; call input_rewind() to start again.
 *
 * Must not depend on heaps: which file of a zip is wanted is decided by a callback. */
#ifndef INPUT_H
#define INPUT_H

#include "heapdrift.h"

#include "base/arena.h"
#include <sys/types.h>

struct bytes {
    const unsigned char *data;
    size_t size;
};

/* How much of the beginning input_head() shows; less if the input is shorter. */
enum { INPUT_HEAD_SIZE = 64 * 1024 };

struct input;

struct input_options {
    /* True if a zip entry that begins like this is wanted. Two are an error. */
    bool (*wanted)(struct bytes head);
    /* Which file of a zip is meant, from 1 in its order; 0: the only one that is wanted. */
    unsigned entry;
    /* True if a pipe that begins like this and is not packed is read on. Otherwise it ends
     * after its head. NULL: true for all. */
    bool (*may_be)(struct bytes head);
    /* Refuse to hold more decompressed bytes than this; 0: no limit. */
    uint64_t max_memory;
    /* As in hd_read_options; NULL: no progress. */
    void (*progress)(void *context, enum hd_phase phase, uint64_t more, uint64_t all);
    void *progress_context;
};

/* Returns NULL and err if path cannot be opened or decompressed. A folder is an error.
 * Standard input and pipes are read to their end immediately. */
struct input *input_open(const char *path, const struct input_options *opt,
                         struct hd_error *err);

/* The same over memory that the caller owns; never decompresses. */
struct input *input_over(const void *data, size_t size);

/* The same, unpacked if it is packed; ignores options about files. */
struct input *input_unpack(const void *data, size_t size, const struct input_options *opt,
                           struct hd_error *err);

/* Bytes of another source, such as a socket. take works like read(2): stores at most
 * capacity bytes, waits only for the first, returns 0 at the end, and -1 and errno on
 * failure; it may copy them, watch a clock, or give up. The input has no head, and does not
 * decompress, keep or rewind: for callers that know the format. */
struct input *input_stream(ssize_t (*take)(void *from, void *to, size_t capacity),
                           void *from);

/* A file that is still being written. `more` waits until it has more than `have` bytes and
 * returns the number in *now, or the same number when the file is complete. False: it will
 * never be complete. fd stays the caller's and must be a regular file; bytes once written
 * never change. It is read like any other file, from the beginning, except that reads
 * wait. */
struct growing_file {
    bool (*more)(void *from, uint64_t have, uint64_t *now);
    void *from;
    int fd;
};

struct input *input_growing(const struct growing_file *file);

/* True if input_growing() created it. */
bool input_is_growing(const struct input *in);

void input_close(struct input *in);

/* True of a file that was chosen by input_options.entry. */
bool input_is_entry(const struct input *in);

/* Returns the first bytes; does not move the position. Valid until input_close(). */
struct bytes input_head(const struct input *in);

/* Returns all bytes, until input_close() or input_forget(). A file of more than 16 MiB, or
 * of more than an eighth of max_memory, is mapped: its bytes may change from one read to
 * the next, and if it is truncated, reading raises SIGBUS. */
bool input_all(struct input *in, struct bytes *all, struct hd_error *err);

/* Reads the next block, valid until the next call; size 0 at the end. */
bool input_next(struct input *in, struct bytes *block, struct hd_error *err);

/* Reports progress, 0 to 1, for readers that use input_all(). */
void input_passed(struct input *in, double share);

/* True if input_read_at() works, with the number of bytes: for files and memory, not for
 * unpacked bytes and streams. */
bool input_has_places(const struct input *in, uint64_t *size);

/* Reads up to size bytes at `place` without moving the position; thread-safe. Returns 0
 * past the end, -1 and errno on failure. Only if input_has_places(). */
ssize_t input_read_at(const struct input *in, uint64_t place, void *to, size_t size);

bool input_rewind(struct input *in, struct hd_error *err);

/* Frees the memory of a file, for the time when only few of its bytes are still needed. A
 * mapping is read again when it is touched; bytes held in memory that a file also has,
 * packed or not (input_is_held), are lost until the file is read again. input_next() then
 * restarts at the beginning. */
void input_forget(struct input *in); /* NULL is fine */
bool input_is_held(const struct input *in);

/* Identity of a file and signs that it was not written to. Not known (and all equal) for
 * memory, pipes and streams. */
struct file_stamp {
    bool known;
    uint64_t device, number, size; /* number: the inode */
    int64_t seconds, nanoseconds;  /* when it was last written */
};

bool file_stamps_equal(const struct file_stamp *a, const struct file_stamp *b);

/* As it was opened. */
struct file_stamp input_stamp(const struct input *in);

/* True unless the stamp has changed. */
bool input_is_as_opened(const struct input *in);

/* True if the bytes of input_all() may have changed: the mapping of a file that was written
 * to. */
bool input_is_stale(const struct input *in); /* NULL is not */

/* True for a file that input_open() could open again; false for memory and pipes. */
bool input_can_reopen(const struct input *in);

/* --- packed bytes ----------------------------------------------------------- */

/* The bytes of a compressed file, or of the wanted file of a zip. The only user of
 * libarchive.
 *
 * A few thousand bytes can unpack to terabytes, so the unpacked size is bounded by the
 * packed size, and the time with it. Must not depend on heaps, nor on the use of the
 * bytes. */

/* True if it begins like a packed file. */
bool is_packed(struct bytes head);

struct packed {
    int fd;             /* of a file; or -1: */
    struct bytes bytes; /* the whole file, which the caller owns */
    uint64_t size;      /* of the file or of `bytes` */
    /* As input_options.wanted; the head has up to INPUT_HEAD_SIZE bytes. */
    bool (*wanted)(struct bytes head);
    unsigned
        entry; /* of a zip: which of its files, from 1; 0: the only one that is wanted */
};

/* A file of a zip. Its name is compared, never opened: it was read from the archive. */
struct zip_file {
    const char *name; /* "" if the archive has no readable name */
    unsigned entry;   /* as in struct packed */
    bool is_wanted;
    struct bytes
        text; /* all bytes, if `keep` accepted the name and they could be unpacked */
};

struct zip_listing {
    struct zip_file *all;
    size_t count;
};

/* Lists the files of a zip in its order, with all bytes if `keep` accepts the name, up to 1
 * MiB in total. Names and bytes live in a. False and err if it cannot be unpacked, or has
 * too many files. */
bool zip_list(const struct packed *from, bool (*keep)(const char *name),
              struct zip_listing *listing, struct arena *a, struct hd_error *err);

struct unpacker;

/* Opens at the first byte. NULL and err if it cannot be unpacked, or is a zip without
 * exactly one wanted file. fd is closed by the caller, who does not move it either. */
struct unpacker *unpacker_open(const struct packed *from, struct hd_error *err);

/* Reads the next size bytes; fewer only at the end. False and err if it is damaged or
 * exceeds its limit. */
bool unpacker_read(struct unpacker *u, unsigned char *to, size_t size, size_t *got,
                   struct hd_error *err);

bool unpacker_rewind(struct unpacker *u, struct hd_error *err);

/* Returns the number of packed bytes read since the beginning. */
uint64_t unpacker_taken(const struct unpacker *u);

void unpacker_close(struct unpacker *u); /* NULL is fine */

#endif
