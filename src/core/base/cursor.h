/* cursor.h - read little-endian values from untrusted bytes, and the header of files of
 * .NET's tracing library.
 *
 * The cursor remembers its first failure. After that every read returns zero without
 * moving, so decode a whole record, then check cursor_ok() once. A loop over a count from
 * the file is bounded by cursor_count(), never by the count itself. Copy a cursor to return
 * to its position later. */
#ifndef CURSOR_H
#define CURSOR_H

#include "base/input.h"

struct cursor {
    const unsigned char *start, *at, *end;
    struct hd_error *err; /* NULL for a trial that may fail */
    bool failed;
};

struct cursor cursor_over(struct bytes bytes, struct hd_error *err);
bool cursor_ok(const struct cursor *c);
size_t cursor_left(const struct cursor *c);
uint64_t cursor_offset(const struct cursor *c);

/* Fails at the cursor; why is a printf format. Always false. */
bool cursor_fail(struct cursor *c, const char *why, ...)
    __attribute__((format(printf, 2, 3)));

/* Moves to an offset from the start; outside of the bytes is a failure. */
void cursor_seek(struct cursor *c, uint64_t offset);

uint8_t cursor_u8(struct cursor *c);
uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);
int32_t cursor_i32(struct cursor *c);
float cursor_f32(struct cursor *c);

/* Returns the next byte without consuming it; -1 at the end. */
int cursor_peek(const struct cursor *c);

/* Reads an element count of count_size bytes, 4 or 8. Rejected unless that number of
 * elements of at least min_size bytes can still follow. `what` is a plural. */
uint64_t cursor_count(struct cursor *c, size_t count_size, size_t min_size,
                      const char *what);

/* Borrows size bytes from the input without copying; NULL if there are fewer. */
const unsigned char *cursor_bytes(struct cursor *c, size_t size);

/* --- fast serialization ----------------------------------------------------------- */

/* The header of files of .NET's tracing library: .gcdump, .netperf and .nettrace up to
 * version 5. A container for objects of any kind; the type of the first one, its entry
 * object, identifies the format. The content is up to the format's reader. */

#define FAST_SERIALIZATION "!FastSerialization.1"

/* With its length, as at the start of a file. */
#define FAST_SERIALIZATION_HEAD "\x14\0\0\0" FAST_SERIALIZATION

/* Finds the name of the entry object's type. False if head does not begin like such a file,
 * or ends before the name does. */
bool fast_serialization_entry(struct bytes head, struct bytes *name);

#endif
