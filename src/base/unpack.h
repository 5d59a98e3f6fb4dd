/* unpack.h - the bytes of what is compressed, or of the one file of a zip that is meant.
 *
 * The only user of libarchive. A few thousand bytes can stand for terabytes, so what is
 * unpacked is bounded by the size of what it comes from, in time as in memory. It must not
 * know what a heap is, nor where the bytes go. */
#ifndef UNPACK_H
#define UNPACK_H

#include "base/arena.h"
#include "base/input.h"

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
