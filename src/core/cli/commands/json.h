/* json.h - write JSON of commands that are not reports; running out of memory ends the
 * program, as everywhere else. */
#ifndef COMMANDS_JSON_H
#define COMMANDS_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Returns value, which is not NULL afterwards. */
json_t *json_made(json_t *value);

/* jansson accepts UTF-8 only: other bytes are printed as in names. NULL: null. */
json_t *json_of_string(const char *s);

/* null if unknown, or larger than JSON's numbers. */
json_t *json_of_count(uint64_t n);

void json_member(json_t *object, const char *key, json_t *value);
void json_add(json_t *array, json_t *value);

/* Returns a document with its schema and the other common members. */
json_t *json_document(const char *schema, const char *store);

/* Prints it to standard output, and frees it. */
void json_end(json_t *document);

#endif
