/* json_out.h - values for jansson as this program writes them: unknown is null, integers
 * are exact, names are UTF-8. */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include "base/out.h"

#include <jansson.h>

/* null for NULL. What is not UTF-8 in a name becomes U+FFFD here, and only here. */
json_t *json_string_or_null(const char *s);

/* null for HD_UNKNOWN. */
json_t *json_number_or_null(uint64_t n);

/* Takes over value, as all makers of values here expect. */
void json_put(json_t *object, const char *key, json_t *value);

/* The whole value and a line end; frees it. */
void json_write(json_t *value, struct out *o);

#endif
