/* error.h - one way to say what went wrong, and what to do instead; and to refuse options
 * of callers who know more of them.
 *
 * Every function here records a failure and returns false, so a caller can
 * write
 *     return fail(err, HD_IO, "%s", strerror(errno));
 * The first failure wins: err is left alone when it already holds one. */
#ifndef ERROR_H
#define ERROR_H

#include "heapdrift.h"

bool fail(struct hd_error *err, enum hd_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about something that the caller's user knows by another name. */
bool fail_about(struct hd_error *err, enum hd_topic topic, enum hd_status status,
                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* HD_BAD_FORMAT at a byte offset of a binary input. */
bool fail_at_byte(struct hd_error *err, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* HD_BAD_FORMAT at a line (from 1; 0 when unknown) of a text input. kind is a
 * string literal from the format's list of errors. */
bool fail_at_line(struct hd_error *err, uint64_t line, const char *kind, const char *fmt,
                  ...) __attribute__((format(printf, 4, 5)));

bool fail_at_line_about(struct hd_error *err, enum hd_topic topic, uint64_t line,
                        const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* HD_TOO_BIG: what, "analyzing its graph", would take needed bytes of memory, but only
 * limit may be used. HD_ABOUT_GRAPH_MEMORY. */
bool fail_memory(struct hd_error *err, const char *what, uint64_t needed, uint64_t limit);

/* --- options ---------------------------------------------------------------------- */

/* Option structs of callers who know less or more of them than we do.
 *
 * Each begins with a size_t, its size for the caller; 0 is what it was in version 0.1. New
 * members go to the end, where 0 must mean what was done before there was one. */

/* Where a struct ends whose last member is that one: what version 0.1 had. */
#define OPTIONS_END(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* Copy theirs, of which version 0.1 had `first` bytes, to ours, which has `known`: zeros
 * where it ends before, HD_USAGE if it goes on with anything but zeros. theirs may be NULL:
 * all zeros. */
bool options_copy(void *ours, size_t known, size_t first, const void *theirs,
                  struct hd_error *err);

/* --- remedy ----------------------------------------------------------------------- */

/* What to do instead, behind why a file is refused. */

#define TAKE_GCDUMP \
    "; take a gcdump of the process with `heapdrift collect PID -o app.gcdump`"

#endif
