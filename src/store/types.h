/* types.h - names of types in the store: table `type`. */
#ifndef STORE_TYPES_H
#define STORE_TYPES_H

#include "base/json_out.h"
#include "store/store.h"

/* A list that statements take as one value, [[...], [...]], as text. Freed by free(). */
char *json_to_text(const json_t *value);

/* See that there is a row for each type whose name is element `at` of a row of rows (text
 * of JSON). For others to see within the same transaction. */
bool types_add(struct hd_store *s, const char *rows, unsigned at, struct hd_error *err);

#endif
