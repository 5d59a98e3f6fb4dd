/* json_out.h - values for jansson as this program writes them: unknown is null, integers
 * are exact, names are UTF-8.
 *
 * jansson returns NULL or -1 when memory runs out, and takes NULL for what it is given:
 * left alone, rows would be missing. json_put(), json_append() and json_write() ask, so
 * whatever was made before is asked for too; a value made of a string that is no UTF-8
 * would look the same, and must not be made (json_string_or_null). */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include "base/out.h"

#include <jansson.h>

/* null for NULL. What is not UTF-8 in a name becomes U+FFFD here, and only here. */
json_t *json_string_or_null(const char *s);

/* null for HD_UNKNOWN. */
json_t *json_number_or_null(uint64_t n);

/* null for what is no finite number. */
json_t *json_real_or_null(double x);

/* Arrays, with null for what is unknown. */
json_t *json_numbers(const uint64_t *all, size_t count);
json_t *json_reals(const double *all, size_t count);
json_t *json_strings(const char *const *all, size_t count);

/* And back: null is unknown. False for what is neither that nor a whole number. */
bool json_parse_uint64(const json_t *value, uint64_t *n);

/* Take over value, as all makers of values here expect. */
void json_put(json_t *object, const char *key, json_t *value);
void json_append(json_t *array, json_t *value);

/* The whole value in one line, or in many and a line end; frees it. */
void json_write_line(json_t *value, struct out *o);
void json_write(json_t *value, struct out *o);

/* A string alone, or null, within what the caller writes. */
void json_write_string(const char *s, struct out *o);

/* The same by a function that takes o, and the pieces that jansson makes with its flags:
 * for places with an escape of their own. */
void json_write_with(json_t *value, struct out *o, json_dump_callback_t piece,
                     size_t flags);

#endif
