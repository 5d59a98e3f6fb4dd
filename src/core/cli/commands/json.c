#include "cli/commands/json.h"

#include "cli/guard/allocate.h"
#include "heapdrift.h"

#include <stdio.h>
#include <stdlib.h>

json_t *json_made(json_t *value)
{
    if (value == NULL)
        no_memory(0);
    return value;
}

json_t *json_of_string(const char *s)
{
    struct hd_memory printed = {0};
    if (s == NULL)
        return json_made(json_null());
    json_t *value = json_string(s);
    if (value != NULL)
        return value;
    hd_put_name(hd_sink_memory(&printed), s);
    value = json_made(json_string(printed.bytes != NULL ? printed.bytes : ""));
    hd_memory_free(&printed);
    return value;
}

json_t *json_of_count(uint64_t n)
{
    return json_made(n <= INT64_MAX ? json_integer((json_int_t)n) : json_null());
}

void json_member(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, json_made(value)) != 0)
        no_memory(0);
}

void json_add(json_t *array, json_t *value)
{
    if (json_array_append_new(array, json_made(value)) != 0)
        no_memory(0);
}

json_t *json_document(const char *schema, const char *store)
{
    json_t *all = json_made(json_object());
    json_member(all, "schema", json_string(schema));
    json_member(all, "schema_version", json_integer(1));
    json_member(all, "tool_version", json_string(hd_version()));
    json_member(all, "store", json_of_string(store));
    return all;
}

void json_end(json_t *document)
{
    /* ASCII only, as terminals obey control characters beyond it. */
    char *text = json_dumps(document, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    if (text == NULL)
        no_memory(0);
    puts(text);
    free(text);
    json_decref(document);
}
