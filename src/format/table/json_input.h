/* json_input.h - JSON inputs, through jansson.
 *
 * Numbers are 64-bit signed integers, nesting ends at 2,048 levels: jansson's
 * limits, beyond which the text is `bad-json` like any other mistake in it. */
#ifndef JSON_INPUT_H
#define JSON_INPUT_H

#include "base/input.h"
#include "heap/builder.h"

#include <jansson.h>

/* The first byte that is no white space; 0 if there is none. */
char json_input_first_byte(struct bytes head);

/* The whole input; the caller releases it with json_decref(). NULL and err if it
 * cannot be read or is no JSON. */
json_t *json_input_load(struct input *in, struct builder *b, struct hd_error *err);

/* Strings of hd_info that a table may tell of its snapshot besides the process, by key. */
enum { JSON_FACTS = 5 };
extern const struct json_fact {
    const char *key;
    size_t field; /* its offset */
} json_facts[JSON_FACTS];

/* True if value is a whole number from 0 on. Wrong types and NULL are not. */
bool json_input_number(const json_t *value, uint64_t *number);

#endif
