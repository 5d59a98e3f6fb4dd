#include "support/schema.h"

#include "report/records.h"

#include <stdlib.h>
#include <string.h>

/* Recursion as deep as tables of records nest. NOLINTBEGIN(misc-no-recursion) */
static json_t *object_schema(const struct record *r, bool maybe, json_t *defs);

/* --- values ----------------------------------------------------------------------------
 */

static void put_type(json_t *schema, const char *type, bool maybe)
{
    json_put(schema, "type", maybe ? json_pack("[ss]", type, "null") : json_string(type));
}

static json_t *number_schema(const char *type, bool maybe)
{
    json_t *schema = json_object();
    put_type(schema, type, maybe);
    return schema;
}

static json_t *count_schema(bool maybe)
{
    json_t *schema = number_schema("integer", maybe);
    json_put(schema, "minimum", json_integer(0));
    return schema;
}

static json_t *array_schema(json_t *items, bool maybe)
{
    json_t *schema = number_schema("array", maybe);
    json_put(schema, "items", items);
    return schema;
}

/* The names that a value may have. Lists of strings end at NULL; an enum may have a value
 * without a name. */
static json_t *names_schema(const struct field_shape *s, bool maybe)
{
    json_t *schema = json_object(), *names = json_array();
    bool ends = s->kind == FIELD_STRING;
    for (unsigned i = 0; i < s->end && !(ends && s->name(i) == NULL); i++)
        if (s->name(i) != NULL)
            json_append(names, json_string(s->name(i)));
    if (maybe)
        json_append(names, json_null());
    json_put(schema, "enum", names);
    return schema;
}

/* --- records ---------------------------------------------------------------------------
 */

static json_t *reference_to(const struct record *r, json_t *defs)
{
    char path[64];
    snprintf(path, sizeof(path), "#/$defs/%s", r->name);
    if (json_object_get(defs, r->name) == NULL) {
        json_put(defs, r->name, json_null()); /* reserves its place, and ends a cycle */
        json_put(defs, r->name, object_schema(r, false, defs));
    }
    return json_pack("{ss}", "$ref", path);
}

static json_t *either(json_t *one, json_t *other)
{
    json_t *schema = json_object(), *both = json_array();
    json_append(both, one);
    json_append(both, other);
    json_put(schema, "oneOf", both);
    return schema;
}

static json_t *record_schema(const struct record *r, bool maybe, json_t *defs)
{
    if (r->name == NULL)
        return object_schema(r, maybe, defs);
    json_t *reference = reference_to(r, defs);
    return maybe ? either(number_schema("null", false), reference) : reference;
}

static json_t *elements_schema(const struct field_shape *s, json_t *defs)
{
    json_t *items = record_schema(s->record, false, defs);
    return s->other != NULL ? either(items, record_schema(s->other, false, defs)) : items;
}

/* --- fields ----------------------------------------------------------------------------
 */

/* Numbers of a type that has no other value are never null. */
static bool may_be_null(const struct record_field *f)
{
    switch (f->shape.kind) {
    case FIELD_SIZE:
    case FIELD_UINT32:
    case FIELD_INT64:
    case FIELD_BOOL:
        return f->null == NULL_AT_ZERO || f->known != NULL;
    default:
        return f->null != NEVER_NULL;
    }
}

static json_t *shape_schema(const struct record_field *f, json_t *defs)
{
    bool maybe = may_be_null(f);
    const struct field_shape *s = &f->shape;
    switch (s->kind) {
    case FIELD_STRING:
        return s->name != NULL ? names_schema(s, maybe) : number_schema("string", maybe);
    case FIELD_ADDRESS:
    case FIELD_XXH3:
        return number_schema("string", maybe);
    case FIELD_INT64:
        return number_schema("integer", maybe);
    case FIELD_DOUBLE:
        return number_schema("number", maybe);
    case FIELD_BOOL:
        return number_schema("boolean", maybe);
    case FIELD_ENUM:
        return names_schema(s, maybe);
    case FIELD_SERIES:
    case FIELD_COUNTS:
    case FIELD_BYTES:
    case FIELD_NUMBERS:
        return array_schema(count_schema(true), maybe);
    case FIELD_DOUBLES:
        return array_schema(number_schema("number", true), maybe);
    case FIELD_STRINGS:
        return array_schema(number_schema("string", false), maybe);
    case FIELD_RECORD:
    case FIELD_POINTER:
        return record_schema(s->record, maybe, defs);
    case FIELD_RECORDS:
        return array_schema(elements_schema(s, defs), maybe);
    case FIELD_MADE:
        if (s->record == NULL)
            return json_object();
        return s->stride > 0 ? array_schema(elements_schema(s, defs), maybe)
                             : record_schema(s->record, maybe, defs);
    default:
        return count_schema(maybe);
    }
}

static json_t *field_schema(const struct record_field *f, json_t *defs)
{
    json_t *schema = shape_schema(f, defs);
    struct text more = {0};
    if (f->schema != NULL) {
        text_add_string(&more, "{");
        text_add_string(&more, f->schema);
        text_add_string(&more, "}");
        json_t *members = json_loads(text_string(&more), 0, NULL);
        json_object_update(schema, members); /* errors are found by the test */
        json_decref(members);
    }
    if (f->doc != NULL)
        json_put(schema, "description", json_string(f->doc));
    text_free(&more);
    return schema;
}

static void put_fields(const struct record *r, json_t *properties, json_t *required,
                       json_t *defs)
{
    for (const struct record_field *f = r->fields; f < r->fields + r->count; f++) {
        bool part = f->shape.kind == FIELD_PART || f->shape.kind == FIELD_PART_AT;
        if (part) {
            put_fields(f->shape.record, properties, required, defs);
        } else if (f->shape.kind != FIELD_CELL && f->null != LISTS_ONLY) {
            json_put(properties, f->key, field_schema(f, defs));
            json_append(required, json_string(f->key));
        }
    }
}

static json_t *object_schema(const struct record *r, bool maybe, json_t *defs)
{
    json_t *schema = json_object(), *properties = json_object(), *required = json_array();
    if (r->doc != NULL)
        json_put(schema, "description", json_string(r->doc));
    put_type(schema, "object", maybe);
    json_put(schema, "additionalProperties", json_false());
    put_fields(r, properties, required, defs);
    json_put(schema, "required", required);
    json_put(schema, "properties", properties);
    return schema;
}

/* NOLINTEND(misc-no-recursion) */

/* --- a document ------------------------------------------------------------------------
 */

/* The head of every document, before its own properties. */
static void put_head(json_t *schema, const char *name)
{
    static const char head[] =
        "{\"schema\": {\"description\": \"Name of the schema.\"},"
        "\"schema_version\": {\"description\": \"Version of the schema; it rises if a key "
        "changes its meaning or is removed, not if keys are appended to an object.\"},"
        "\"tool_version\": {\"type\": \"string\", \"pattern\": "
        "\"^[0-9]+\\\\.[0-9]+\\\\.[0-9]+\", \"description\": \"Version of heapdrift.\"}}";
    json_t *properties = json_loads(head, 0, NULL), *required = json_array();
    json_t *own = json_object_get(schema, "properties");
    char title[64];
    snprintf(title, sizeof(title), "heapdrift-%s", name);
    json_put(json_object_get(properties, "schema"), "const", json_string(title));
    json_put(json_object_get(properties, "schema_version"), "const",
             json_integer(SCHEMA_VERSION));
    json_object_update(properties, own);
    const char *key;
    json_t *value;
    json_object_foreach(properties, key, value) json_append(required, json_string(key));
    json_put(schema, "properties", properties);
    json_put(schema, "required", required);
}

json_t *schema_of(const struct record *document)
{
    json_t *schema = json_object(), *defs = json_object();
    char title[64];
    snprintf(title, sizeof(title), "heapdrift %s --format=json", document->name);
    json_put(schema, "$schema",
             json_string("https://json-schema.org/draft/2020-12/schema"));
    json_put(schema, "title", json_string(title));
    json_t *body = object_schema(document, false, defs);
    json_object_update(schema, body);
    json_decref(body);
    put_head(schema, document->name);
    json_put(schema, "$defs", defs);
    return schema;
}
