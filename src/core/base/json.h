/* json.h - JSON, written by jansson and read without it. */
#ifndef JSON_H
#define JSON_H

#include "base/cursor.h"
#include "base/out.h"
#include "base/text.h"

#include <jansson.h>

/* --- json out --------------------------------------------------------------------- */

/* Values for jansson as this program writes them: unknown is null, integers are exact,
 * names are UTF-8.
 *
 * jansson returns NULL or -1 when memory runs out, and accepts NULL as a value: unchecked,
 * rows would be missing. json_put(), json_append() and json_write() check, and so all
 * values made before are checked too. A value made of a string that is not UTF-8 would fail
 * in the same way, so it must not be made (json_string_or_null). */

/* null for NULL. Bytes that are not UTF-8 become U+FFFD here, and only here. */
json_t *json_string_or_null(const char *s);

/* null for HD_UNKNOWN. */
json_t *json_number_or_null(uint64_t n);

/* null unless x is finite. */
json_t *json_real_or_null(double x);

/* Arrays; unknown elements are null. */
json_t *json_numbers(const uint64_t *all, size_t count);
json_t *json_reals(const double *all, size_t count);
json_t *json_strings(const char *const *all, size_t count);

/* Reads a number back; null is unknown. False for anything else but a whole number. */
bool json_parse_uint64(const json_t *value, uint64_t *n);

/* Consumes value, as all makers of values here expect. */
void json_put(json_t *object, const char *key, json_t *value);
void json_append(json_t *array, json_t *value);

/* Writes the value in one line, or in many and a line end; frees it. */
void json_write_line(json_t *value, struct out *o);
void json_write(json_t *value, struct out *o);

/* Writes a string, or null, inside output of the caller. */
void json_write_string(const char *s, struct out *o);

/* The same by a function that receives o and the pieces that jansson makes with its flags:
 * for places with an escape of their own. */
void json_write_with(json_t *value, struct out *o, json_dump_callback_t piece,
                     size_t flags);

/* --- json scan -------------------------------------------------------------------- */

/* Reads JSON in the order of its bytes without building values.
 *
 * For files with a million numbers: jansson allocates for each, which takes twenty times as
 * long. The caller names the expected kind; any other, or invalid JSON, is the scanner's
 * first failure. After that every read fails, too, as with a cursor. */

struct json_scan {
    struct cursor at;
    struct text string; /* the last one that was read */
};

struct json_scan json_scan_over(struct bytes bytes, struct hd_error *err);
void json_scan_free(struct json_scan *j);

/* Enters an object or array: the next byte must be its bracket, '{' or '['. Then, before
 * each member or element, json_scan_more() with the bracket that ends it: true if there is
 * one; false past the end, or after a failure. first is true once. */
bool json_scan_enter(struct json_scan *j, char bracket);
bool json_scan_more(struct json_scan *j, char end, bool first);

/* Reads the name of a member, into j->string; and the colon. */
bool json_scan_name(struct json_scan *j);

/* Reads a whole number from 0 to 2^64 - 2, or null as HD_UNKNOWN. */
uint64_t json_scan_number(struct json_scan *j);

/* After such a number in an array: reads further ones into `to`, at most capacity, up to
 * the first that is written differently. Returns their number. Three times as fast as one
 * by one. */
size_t json_scan_numbers(struct json_scan *j, uint64_t *to, size_t capacity);

/* Reads any number; NAN for null. */
double json_scan_real(struct json_scan *j);

/* Reads a string as UTF-8 into j->string; false for null, too. */
bool json_scan_string(struct json_scan *j);

bool json_scan_truth(struct json_scan *j);

/* Skips a value of any kind; at most 64 levels deep. */
void json_scan_skip(struct json_scan *j);

/* True if only blanks are left. */
bool json_scan_end(struct json_scan *j);

static inline bool json_scan_ok(const struct json_scan *j)
{
    return cursor_ok(&j->at);
}

#endif
