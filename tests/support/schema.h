/* schema.h - JSON schemas of reports, made from the tables that the JSON is made from
 * (docs/json-schema). */
#ifndef SCHEMA_H
#define SCHEMA_H

#include "base/record.h"

/* Schema of a document: its record has a name and the fields after schema, schema_version
 * and tool_version. The caller frees it. */
json_t *schema_of(const struct record *document);

#endif
