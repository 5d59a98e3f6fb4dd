/* input.h - the decompressed bytes of one input, wherever they come from.
 *
 * A path or "-"; plain, or compressed with gzip, zstd, xz or bzip2; or an entry
 * of a zip. Readers see bytes only. There are two ways to take them, chosen by
 * the format: all at once (input_all: memory, or the mapping of a large file), or
 * block after block in constant memory (input_next). Both start at the beginning; call
 * input_rewind() to start again.
 *
 * It must not know what a heap is: what to look for in a zip is a callback. */
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
    /* Whether a zip entry that begins like this is meant. Two are an error. */
    bool (*wanted)(struct bytes head);
    /* Which file of a zip is meant, from 1 in its order; 0: the only one that is wanted. */
    unsigned entry;
    /* Whether a pipe that begins like this and is not packed is worth reading on. What is
     * not ends behind its head. NULL: all are. */
    bool (*may_be)(struct bytes head);
    /* Refuse to hold more decompressed bytes than this; 0 is no limit. */
    uint64_t max_memory;
    /* As in hd_read_options; NULL: nobody wants to know. */
    void (*progress)(void *context, enum hd_phase phase, uint64_t more, uint64_t all);
    void *progress_context;
};

/* NULL and err when path cannot be opened or decompressed. A folder is an
 * error. Standard input and pipes are read to their end at once. */
struct input *input_open(const char *path, const struct input_options *opt,
                         struct hd_error *err);

/* The same over memory that the caller keeps; never decompresses. */
struct input *input_over(const void *data, size_t size);

/* The same, unpacked if it is packed; of opt what is not about files. */
struct input *input_unpack(const void *data, size_t size, const struct input_options *opt,
                           struct hd_error *err);

/* Bytes as they come from elsewhere, such as a socket. take does what read(2) does: put at
 * most room bytes, wait only when there are none, 0 at the end, -1 and errno on failure;
 * it may keep a copy, watch a clock, or give up. There is no head, and nothing is
 * decompressed, kept or rewound: for who knows what the bytes will be. */
struct input *input_stream(ssize_t (*take)(void *from, void *to, size_t room), void *from);

/* A file that is still being written, by whoever answers more: wait until there are more
 * than have bytes of it, say how many, or the same again when it is complete. False: it
 * never will be. fd stays the caller's and must be a regular file; what has come is never
 * written again. From the beginning on it is read as any other file is, each read waits. */
struct growing_file {
    bool (*more)(void *from, uint64_t have, uint64_t *now);
    void *from;
    int fd;
};

struct input *input_growing(const struct growing_file *file);

/* True of what input_growing() made. */
bool input_is_growing(const struct input *in);

void input_close(struct input *in);

/* True of a file that was chosen by input_options.entry. */
bool input_is_entry(const struct input *in);

/* The first bytes; does not move the position. Valid until input_close(). */
struct bytes input_head(const struct input *in);

/* All bytes, until input_close() or input_forget(). A file of more than 16 MiB, or of
 * more than an eighth of max_memory, is mapped: its bytes may change from one look to the
 * next, and where it becomes shorter, looking raises SIGBUS. */
bool input_all(struct input *in, struct bytes *all, struct hd_error *err);

/* The next block, valid until the next call; size 0 at the end. */
bool input_next(struct input *in, struct bytes *block, struct hd_error *err);

/* Who has all bytes at once says which share of them is done, 0 to 1. */
void input_passed(struct input *in, double share);

/* Whether bytes can be had from anywhere with input_read_at(), and how many there are:
 * true for files and memory, false for what is unpacked or comes as it comes. */
bool input_has_places(const struct input *in, uint64_t *size);

/* Up to size bytes from that place on, without moving anything: several threads may do so
 * at once. 0 behind the end, -1 and errno on failure. Only if input_has_places(). */
ssize_t input_read_at(const struct input *in, uint64_t place, void *to, size_t size);

bool input_rewind(struct input *in, struct hd_error *err);

/* Give the memory of a file back: after a reader has gone through it, only a few bytes of
 * it are of use. Those of a mapping come back when they are touched; what is held in memory
 * but lies in a file, packed or not (input_is_held), does not, but can be read again. Its
 * input_next() begins at the beginning. */
void input_forget(struct input *in); /* NULL is fine */
bool input_is_held(const struct input *in);

/* Which file it is, and what shows that nobody has written to it. Not known (and all equal)
 * of memory, pipes and streams. */
struct file_stamp {
    bool known;
    uint64_t device, number, size; /* number: the inode */
    int64_t seconds, nanoseconds;  /* when it was last written */
};

bool file_stamps_equal(const struct file_stamp *a, const struct file_stamp *b);

/* As it was opened. */
struct file_stamp input_stamp(const struct input *in);

/* Whether it is still so; true where nothing can be known. */
bool input_is_as_opened(const struct input *in);

/* Whether what input_all() gave may be something else by now: the mapping of a file that
 * was written to. */
bool input_is_stale(const struct input *in); /* NULL is not */

/* True for a file that input_open() could open once more; false for memory and pipes. */
bool input_can_reopen(const struct input *in);

/* --- packed bytes ----------------------------------------------------------- */

/* The bytes of what is compressed, or of the one file of a zip that is meant.
 *
 * The only user of libarchive. A few thousand bytes can stand for terabytes, so what is
 * unpacked is bounded by the size of what it comes from, in time as in memory. It must not
 * know what a heap is, nor where the bytes go. */

/* Whether it begins like something that is packed. */
bool is_packed(struct bytes head);

struct packed {
    int fd;             /* of a file; or -1: */
    struct bytes bytes; /* all of it, which the caller keeps */
    uint64_t size;      /* of the file or of these bytes */
    /* As input_options.wanted; the head has up to INPUT_HEAD_SIZE bytes. */
    bool (*wanted)(struct bytes head);
    unsigned
        entry; /* of a zip: which of its files, from 1; 0: the only one that is wanted */
};

/* A file of a zip. Its name comes from the archive: it is compared, never opened. */
struct zip_file {
    const char *name; /* "" if the archive has none that can be read */
    unsigned entry;   /* as in struct packed */
    bool is_wanted;
    struct bytes text; /* all of it, if it was to be kept and could be unpacked */
};

struct zip_listing {
    struct zip_file *all;
    size_t count;
};

/* Lists the files of a zip in its order, with all bytes of those that keep wants by their
 * name, up to 1 MiB together. Names and bytes live in a. False and err if it cannot be
 * unpacked, or has more files than are looked at. */
bool zip_list(const struct packed *from, bool (*keep)(const char *name),
              struct zip_listing *listing, struct arena *a, struct hd_error *err);

struct unpacker;

/* At the first byte. NULL and err when it cannot be unpacked, or when it is a zip without
 * one file that is meant. fd is closed by the caller, who does not move it either. */
struct unpacker *unpacker_open(const struct packed *from, struct hd_error *err);

/* The next size bytes; fewer are there at the end only. False and err if it is damaged or
 * beyond what is believed. */
bool unpacker_read(struct unpacker *u, unsigned char *to, size_t size, size_t *got,
                   struct hd_error *err);

bool unpacker_rewind(struct unpacker *u, struct hd_error *err);

/* How many packed bytes that took since the beginning. */
uint64_t unpacker_taken(const struct unpacker *u);

void unpacker_close(struct unpacker *u); /* NULL is fine */

#endif
