/* Static variables: one each, and what was asked for. */
#include "report/records.h"

#include "base/say.h"
#include "report/object_words.h"

#include <string.h>

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

CELLS(static_retained, x->retained != HD_UNKNOWN ? HD_CELL_SIZE : HD_CELL_NONE,
      .a = x->retained)
CELLS(static_bytes, x->bytes != HD_UNKNOWN ? HD_CELL_SIZE : HD_CELL_NONE, .a = x->bytes)
CELLS(static_value, x->is_set ? HD_CELL_FIELD : HD_CELL_WORD, .text = "not set yet",
      .field = &x->field)
CELLS(static_type, x->field.to_type != NULL ? HD_CELL_TYPE : HD_CELL_NAME,
      .text = x->field.to_type != NULL ? x->field.to_type : x->field.type)

/* Threads by the number that the system has for them. */
static void add_thread(struct text *t, const void *of, const struct record_walk *w)
{
    const uint64_t thread = ((const T *)of)->thread;
    if (has_thread(of, w))
        say(t, thread != HD_UNKNOWN ? as_digits(thread) : say_words("-"));
}

static struct hd_cell static_module(const struct hd_model *m, const void *of)
{
    const char *module = ((const T *)of)->module;
    const char *end = module != NULL ? strrchr(module, '/') : NULL;
    (void)m;
    return (struct hd_cell){HD_CELL_NAME, .text = end != NULL ? end + 1 : module};
}

/* Whether any row shown has it. */
#define ANY_STATIC(name, expression)                   \
    static bool name(const struct hd_model *m)         \
    {                                                  \
        for (size_t i = 0; i < m->statics->len; i++) { \
            const T *x = &m->statics->rows[i];         \
            if (expression)                            \
                return true;                           \
        }                                              \
        return false;                                  \
    }
ANY_STATIC(any_thread, x->thread != 0)
ANY_STATIC(any_module, x->module != NULL)

static const struct record_field static_fields[] = {
    FIELD(
        "declared_by", TEXT(declared_by), MAY_BE_NULL,
        "Its class with the outer one; null when the snapshot tells the type of the value "
        "only."),
    FIELD("module", TEXT(module), MAY_BE_NULL, "Assembly of the class; null when unknown.",
          COLUMN("module", NAME, static_module, .gives_way = true, .is_known = any_module)),
    FIELD("thread_static", TRUTH(of_thread), NEVER_NULL, "Whether it is [ThreadStatic]."),
    FIELD("thread", UINT64(thread), MAY_BE_NULL,
          "Of a [ThreadStatic] one: the thread, as the system numbers it. Null when no "
          "thread has used it, and when unknown.",
          NULL, has_thread,
          COLUMN("thread", COUNT, NULL, .words = add_thread, .is_known = any_thread)),
    FIELD("set", TRUTH(is_set), NEVER_NULL,
          "Whether it has a value: its class, or the thread, may not have used it yet."),
    FIELD("bytes", UINT64(bytes), MAY_BE_NULL,
          "Shallow size of the object it refers to; null of what refers to none.",
          COLUMN("bytes", SIZE, static_bytes)),
    FIELD(
        "retained", UINT64(retained), MAY_BE_NULL,
        "Bytes that only that object keeps alive, itself included; null of what refers to "
        "none.",
        COLUMN("retained", SIZE, static_retained)),
    FIELD("field", RECORD(field, record_field), NEVER_NULL,
          "Its name, declared type and value."),
    IN_TABLES("name", TEXT(field.name)),
    IN_TABLES("kind", CHOICE(field.kind, field_kind_word, HD_FIELD_STRUCT + 1)),
    {.key = "type",
     .shape = CSV_CELL(add_type),
     .null = LISTS_ONLY,
     COLUMN("type", TYPE, static_type, .gives_way = true)},
    {.key = "value",
     .shape = CSV_CELL(add_value),
     .null = LISTS_ONLY,
     COLUMN("value", FIELD, static_value)},
    LISTED("variable", "variable", NAME, NULL, .is_subject = true),
    IN_TABLES("object", CSV_CELL(add_object)),
    IN_TABLES("address", CSV_CELL(add_address)),
};
const struct record record_static_row = {
    .name = "static",
    .doc = "A static variable.",
    FIELDS(static_fields),
    .csv = "declared_by name type kind value object address bytes retained thread_static "
           "thread set module",
    .lines = "retained bytes@120 variable value type thread module@160"};
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
