/* error.h - report failures and their remedies, and check option structs of callers built
 * against an older or newer header.
 *
 * Every function here records a failure and returns false, so a caller can write
 *     return fail(err, HD_IO, "%s", strerror(errno));
 * The first failure wins: err is left alone when it already holds one. */
#ifndef ERROR_H
#define ERROR_H

#include "heapdrift.h"

bool fail(struct hd_error *err, enum hd_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about an option that the user knows by another name. */
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

/* HD_TOO_BIG and HD_ABOUT_GRAPH_MEMORY: `what`, as in "analyzing its graph", needs needed
 * bytes of memory, and the limit is limit. */
bool fail_memory(struct hd_error *err, const char *what, uint64_t needed, uint64_t limit);

/* --- options ---------------------------------------------------------------------- */

/* Option structs of callers built against an older or newer header.
 *
 * Each begins with a size_t, its size for the caller; 0 is its size in version 0.1. New
 * members are appended, and 0 must mean the behaviour before the member existed. */

/* Size of a struct that ends with the member `last`: its size in version 0.1. */
#define OPTIONS_END(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* Copies theirs, of which version 0.1 had `first` bytes, to ours, which has `known`.
 * Members that theirs lacks are 0; HD_USAGE if bytes past `known` are not 0. theirs may be
 * NULL: all zeros. */
bool options_copy(void *ours, size_t known, size_t first, const void *theirs,
                  struct hd_error *err);

/* --- remedy ----------------------------------------------------------------------- */

/* The remedy, appended to the reason why a file is rejected. */

#define TAKE_GCDUMP \
    "; take a gcdump of the process with `heapdrift collect PID -o app.gcdump`"

#endif
