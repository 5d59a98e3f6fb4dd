/* Static variables: one each, and what was asked for. */
#include "base/say.h"
#include "render/records.h"
#include "report/object_words.h"

NAMES(field_kind)

/* --- a variable ---------------------------------------------------------------------- */

#define T struct hd_static

KNOWN(has_thread, x->thread != 0)

WORDS(add_value, if (x->is_set) object_add_cell(t, &x->field))
WORDS(add_type, say(t, x->field.to_type != NULL ? x->field.to_type
                       : x->field.type != NULL  ? x->field.type
                                                : ""))
WORDS(add_object, if (x->field.to != HD_NO_OBJECT) say(t, as_digits(x->field.to)))
WORDS(add_address, if (x->field.kind == HD_FIELD_REFERENCE && x->field.number != 0)
                       say(t, as_hex(x->field.number)))

static const struct record_field static_fields[] = {
    FIELD(
        "declared_by", TEXT(declared_by), MAY_BE_NULL,
        "Its class with the outer one; null when the snapshot tells the type of the value "
        "only."),
    FIELD("module", TEXT(module), MAY_BE_NULL, "Assembly of the class; null when unknown."),
    FIELD("thread_static", TRUTH(of_thread), NEVER_NULL, "Whether it is [ThreadStatic]."),
    FIELD("thread", UINT64(thread), MAY_BE_NULL,
          "Of a [ThreadStatic] one: the thread, as the system numbers it. Null when no "
          "thread has used it, and when unknown.",
          NULL, has_thread),
    FIELD("set", TRUTH(is_set), NEVER_NULL,
          "Whether it has a value: its class, or the thread, may not have used it yet."),
    FIELD("bytes", UINT64(bytes), MAY_BE_NULL,
          "Shallow size of the object it refers to; null of what refers to none."),
    FIELD(
        "retained", UINT64(retained), MAY_BE_NULL,
        "Bytes that only that object keeps alive, itself included; null of what refers to "
        "none."),
    FIELD("field", RECORD(field, record_field), NEVER_NULL,
          "Its name, declared type and value."),
    IN_TABLES("name", TEXT(field.name)),
    IN_TABLES("kind", CHOICE(field.kind, field_kind_word, HD_FIELD_STRUCT + 1)),
    IN_TABLES("type", CSV_CELL(add_type)),
    IN_TABLES("value", CSV_CELL(add_value)),
    IN_TABLES("object", CSV_CELL(add_object)),
    IN_TABLES("address", CSV_CELL(add_address)),
};
const struct record record_static_row = {
    .name = "static",
    .doc = "A static variable.",
    FIELDS(static_fields),
    .csv = "declared_by name type kind value object address bytes retained thread_static "
           "thread set module"};
#undef T

/* --- all of them --------------------------------------------------------------------- */

#define T struct hd_static_set
static const struct record_field static_set_fields[] = {
    FIELD("types", TEXTS(patterns, pattern_count), NEVER_NULL,
          "The patterns asked for (--type); empty: all."),
    FIELD("values", TRUTH(values), NEVER_NULL, "Whether texts were asked for (--values)."),
    FIELD("has_values", TRUTH(has_values), NEVER_NULL,
          "Whether the snapshot tells all variables with values: else `statics` are those "
          "that refer to an object."),
    FIELD("count", UINT64(count), NEVER_NULL, "Chosen variables, per thread."),
    FIELD("unset", UINT64(unset), NEVER_NULL, "Those of them without a value yet."),
    FIELD("statics", RECORDS(rows, len, record_static_row), NEVER_NULL,
          "What retains most first, then the largest, then by name; cut by --rows, and "
          "behind 100,000.",
          "\"maxItems\": 100000"),
    FIELD("statics_omitted", SIZE(omitted), NEVER_NULL,
          "Variables that are not in `statics`."),
};
static const RECORD_OF(static_set, NULL, static_set_fields, NULL);
#undef T

#define T struct hd_model
static const struct record_field statics_document_fields[] = {
    FIELD("snapshot", POINTER(snapshots, record_snapshot), NEVER_NULL, NULL),
    FIELDS_OF(PART_AT(statics, record_static_set)),
    FIELD_WARNINGS,
};
const RECORD_OF(statics, "statics", statics_document_fields,
                "Static variables of a snapshot: what they hold, and what that retains.");
#undef T
