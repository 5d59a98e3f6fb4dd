/* schema.h - the JSON schemas of what reports say, made of the tables that the JSON is made
 * of (docs/json-schema). */
#ifndef SCHEMA_H
#define SCHEMA_H

#include "base/record.h"

/* That of a document: its record has a name and says what a report says behind schema,
 * schema_version and tool_version. To be freed by the caller. */
json_t *schema_of(const struct record *document);

#endif
