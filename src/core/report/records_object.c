/* One object: what it is, its fields and their values, its neighbours, its chain; objects
 * of some types; static variables. */
#include "base/say.h"
#include "report/object_words.h"
#include "report/records.h"

#include <math.h>
#include <string.h>

NAMES(object_kind)
NAMES(field_kind)
NAMES(generation)
NAMES(root_kind)
NAMES(identity_source)

/* --- an object ------------------------------------------------------------------- */

#define T struct hd_object

KNOWN(is_object, x->kind == HD_OBJECT)

CELLS(object_number, HD_CELL_OBJECT, .b = x->number)
CELLS(object_address, HD_CELL_OBJECT, .a = x->address, .b = HD_NO_OBJECT)
CELLS(object_bytes, HD_CELL_SIZE, .a = x->bytes)
CELLS(object_generation, HD_CELL_WORD,
      .text = x->generation != HD_GEN_UNKNOWN ? hd_generation_name(x->generation) : "-")
CELLS(object_references, HD_CELL_COUNT, .a = x->references)
CELLS(object_referrers, HD_CELL_COUNT, .a = x->referrers)

static const struct record_field object_fields[] = {
    FIELD("object", UINT32(number), NEVER_NULL,
          "Number in the snapshot's graph: '#N' for `heapdrift object`.",
          COLUMN("object", COUNT, object_number)),
    FIELD("kind", CHOICE(kind, object_kind_word, HD_OBJECT_UNDEFINED + 1), NEVER_NULL,
          "An object; a group of roots or a variable; an object without a description in "
          "the file."),
    FIELD("address", ADDRESS(address), MAY_BE_NULL,
          "Address in the process; null if the snapshot has none.", SCHEMA_ADDRESS,
          COLUMN("address", OBJECT, object_address)),
    FIELD("type", TEXT(type), NEVER_NULL,
          "Canonical name of the type; the name of a group of roots or a variable.",
          COLUMN("type", TYPE, NULL)),
    FIELD_FULL_NAME(full_name),
    FIELD("bytes", UINT64(bytes), MAY_BE_NULL,
          "Shallow size in bytes; null for roots and variables.", NULL, is_object,
          COLUMN("bytes", SIZE, object_bytes)),
    FIELD("generation", CHOICE(generation, generation_word, HD_GEN_UNKNOWN), MAY_BE_NULL,
          "Generation; null if the snapshot has none.",
          COLUMN("gen", WORD, object_generation)),
    LISTED("references", "refers to", COUNT, object_references),
    LISTED("referrers", "referrers", COUNT, object_referrers),
};
const struct record record_any_object = {
    FIELDS(object_fields),
    .screen = "bytes:10 generation:7@50 references:9@100 referrers:9@70 address:15 "
              "object:11@90 type"};
#undef T

#define T struct hd_instance_link
static const struct record_field link_fields[] = {
    FIELDS_OF(PART(object, record_any_object)),
    FIELD("field", TEXT(field), MAY_BE_NULL,
          "Field that refers to the next element; null if unknown."),
};
static const RECORD_OF(link, "link", link_fields, "An element of a chain.");
#undef T

#define T struct hd_instance_group
static const struct record_field group_fields[] = {
    FIELD("type", TEXT(group.type), NEVER_NULL, "Canonical name of the type."),
    FIELD_FULL_NAME(group.full_name),
    FIELD("kind", CHOICE(group.kind, object_kind_word, HD_OBJECT_UNDEFINED + 1), NEVER_NULL,
          "An object; a group of roots or a variable; an object without a description in "
          "the file."),
    FIELD("field", TEXT(group.field), MAY_BE_NULL,
          "Field of the referring object: '_items', '[]', '[].value'; null if unknown."),
    FIELD("objects", UINT64(group.objects), NEVER_NULL, "Objects, each counted once.",
          ONE_OR_MORE),
    FIELD("references", UINT64(group.references), NEVER_NULL,
          "References from or to these objects.", ONE_OR_MORE),
    FIELD("bytes", UINT64(group.bytes), NEVER_NULL, "Shallow bytes of these objects."),
    FIELD("object", UINT32(group.first), NEVER_NULL,
          "Number of one of these objects in the snapshot's graph: '#N' for `heapdrift "
          "object`."),
    FIELD("address", ADDRESS(address), MAY_BE_NULL,
          "Address of that object; null if the snapshot has none.", SCHEMA_ADDRESS),
};
static const RECORD_OF(group, "group", group_fields,
                       "Neighbours of one type, through one field.");
#undef T

#define T struct hd_object_holder

KNOWN(holder_has_roots, MODEL->instance->has_roots)

static const struct record_field holder_fields[] = {
    FIELDS_OF(PART(object, record_any_object)),
    FIELD("field", TEXT(field), MAY_BE_NULL,
          "Field of the referring object: '_items', '[].value'; null if unknown, and for "
          "roots."),
    FIELD("references", UINT64(references), NEVER_NULL, "References through that field.",
          ONE_OR_MORE),
    FIELD("root_kind", CHOICE(root, root_kind_word, HD_ROOT_KIND_COUNT), MAY_BE_NULL,
          "For a root its kind; for an object the kind of root that keeps it alive, "
          "`unreachable` for garbage. Null if the snapshot has no roots.",
          NULL, holder_has_roots),
};
static const RECORD_OF(holder, "holder", holder_fields,
                       "An object or a root that refers to the object through one field.");
#undef T

/* --- a field --------------------------------------------------------------------- */

#define T struct hd_field

KNOWN(has_target,
      x->kind == HD_FIELD_REFERENCE && (x->number != 0 || x->to != HD_NO_OBJECT))
KNOWN(target_has_length, x->has_length)
KNOWN(target_is_object, x->to != HD_NO_OBJECT)

static json_t *value_in_words(const T *f)
{
    struct text t = {0};
    object_add_plain(&t, f);
    json_t *s = json_string_or_null(text_string(&t));
    text_free(&t);
    return s;
}

#define A_VALUE "\"type\": [\"number\", \"boolean\", \"string\", \"null\"]"
#define A_STRING_OR_NULL "\"type\": [\"string\", \"null\"]"

/* Strings for integers that JSON readers or jansson cannot represent, and for non-finite
 * reals. */
static json_t *field_value(const void *of, const struct record_walk *w)
{
    const T *f = of;
    (void)w;
    if (f->is_hidden || f->is_redacted || f->is_null)
        return json_null();
    switch (f->kind) {
    case HD_FIELD_BOOLEAN:
        return json_boolean(f->number != 0);
    case HD_FIELD_CHAR:
    case HD_FIELD_SIGNED:
        return json_integer((json_int_t)f->number);
    case HD_FIELD_ENUM:
        if (!f->is_unsigned)
            return json_integer((json_int_t)f->number);
        /* fall through */
    case HD_FIELD_UNSIGNED:
        return f->number <= INT64_MAX ? json_integer((json_int_t)f->number)
                                      : value_in_words(f);
    case HD_FIELD_FLOAT:
        return isfinite(f->real) ? json_real(f->real) : value_in_words(f);
    case HD_FIELD_STRUCT:
        return json_string_or_null(f->words);
    case HD_FIELD_REFERENCE:
    case HD_FIELD_UNKNOWN:
        break;
    }
    return json_null();
}

VALUE(boxed_value, x->boxed != NULL ? field_value(x->boxed, w) : json_null())
VALUE(boxed_member, json_string_or_null(x->boxed != NULL ? x->boxed->member : NULL))

VALUE(is_cut, json_boolean(x->text != NULL && x->is_cut))

static const struct record_field target_fields[] = {
    FIELD("object", UINT32(to), MAY_BE_NULL,
          "Number of the object; null if the snapshot has no object there.", NULL,
          target_is_object),
    FIELD("address", ADDRESS(number), MAY_BE_NULL,
          "Address in the process; null if the snapshot has none.", SCHEMA_ADDRESS),
    FIELD("type", TEXT(to_type), MAY_BE_NULL,
          "Canonical name of the type; null if unknown."),
    FIELD("value", MADE(boxed_value), MAY_BE_NULL,
          "Value of the object: the number or struct of a boxed value, as `value` of a "
          "field; a Version as a string; null for all others.",
          A_VALUE),
    FIELD("member", MADE(boxed_member), MAY_BE_NULL,
          "Name of the value of a boxed enum; null for all others.", A_STRING_OR_NULL),
    FIELD("length", UINT64(length), MAY_BE_NULL,
          "Length: UTF-16 units of a string, elements of an array; null for all others.",
          NULL, target_has_length),
};
static const RECORD_OF(target, NULL, target_fields,
                       "The referenced object; null for a null reference and for values.");

static const struct record_field field_fields[] = {
    FIELD("name", TEXT(name), MAY_BE_NULL,
          "'_items', 'Extra.Item3' of a struct, '[17]', '[17].value'; null if the snapshot "
          "has no field names."),
    FIELD("declared_by", TEXT(declared_by), MAY_BE_NULL,
          "The class that declares the field, possibly a base class; null for elements."),
    FIELD("type", TEXT(type), MAY_BE_NULL, "The declared type; null if unknown."),
    FIELD("kind", CHOICE(kind, field_kind_word, HD_FIELD_STRUCT + 1), NEVER_NULL,
          "Kind of `value`; for a reference see `to`. A struct is one of the core library "
          "that is a single value: DateTime, decimal, Guid, ..."),
    FIELD("value", MADE(field_value), MAY_BE_NULL,
          "Value: a char as its UTF-16 unit; integers beyond 2^63, NaN, Infinity and "
          "-Infinity as strings; a struct as a string like ToString() in the invariant "
          "culture; a DateTime as '2026-11-24 15:04:05.1234567Z' (docs/object.md). Null "
          "for references, a Nullable without a value, hidden or redacted values, and if "
          "unknown.",
          A_VALUE),
    FIELD("member", TEXT(member), MAY_BE_NULL,
          "Name of the value of an enum; null for all others."),
    FIELD("to", GROUP(record_target), MAY_BE_NULL, NULL, NULL, has_target),
    FIELD("text", TEXT(text), MAY_BE_NULL,
          "Text of a referenced string or Uri, with --values, at most 200 UTF-16 units; "
          "null otherwise."),
    FIELD("text_cut", MADE(is_cut), NEVER_NULL, "True if `text` is truncated.", A_BOOLEAN),
    FIELD("hidden", TRUTH(is_hidden), NEVER_NULL,
          "True if there is a value that --values would show."),
    FIELD("redacted", TRUTH(is_redacted), NEVER_NULL,
          "True if the value, or with --values the text of a referenced string, was "
          "overwritten in the file."),
    FIELD("no_value", TRUTH(is_null), NEVER_NULL, "True for a Nullable without a value."),
};
const RECORD_OF(field, "field", field_fields, "A field, or an element of an array.");
#undef T

/* --- the whole record ------------------------------------------------------------ */

#define T struct hd_instance

KNOWN(has_roots, x->has_roots)

KNOWN(is_held, x->has_roots && x->object.is_reachable)
KNOWN(is_one_object, x->object.kind == HD_OBJECT)
KNOWN(was_address, x->asked != 0)
KNOWN(has_text, x->fields.text != NULL || x->fields.is_hidden)
KNOWN(is_shortened, x->chain_skipped > 0)
KNOWN(has_since, x->since != (size_t)-1)

static const struct record_field asked_fields[] = {
    FIELD("address", ADDRESS(asked), MAY_BE_NULL,
          "Address in the process; null if the snapshot has none.", SCHEMA_ADDRESS),
    FIELD("offset", UINT64(offset), MAY_BE_NULL,
          "Bytes from the start of the object to that address; null if the object was "
          "given by its number.",
          NULL, was_address),
    FIELD("values", TRUTH(values), NEVER_NULL,
          "True if text and the contents of arrays were requested (--values)."),
};
static const RECORD_OF(asked, NULL, asked_fields, "The requested object.");

static const struct record_field instance_fields[] = {
    FIELDS_OF(PART(object, record_any_object)),
    FIELD("module", TEXT(object.module), MAY_BE_NULL,
          "Assembly of the type; null if unknown, or if there are several."),
    FIELD("reachable", TRUTH(object.is_reachable), MAY_BE_NULL,
          "True if the object is on a chain of references from a root; null if the "
          "snapshot has no roots.",
          NULL, has_roots),
    FIELD("root_kind", CHOICE(root, root_kind_word, HD_ROOT_UNREACHABLE), MAY_BE_NULL,
          "Kind of the root of `chain`; null if the object is unreachable.", NULL, is_held),
    FIELD("instances", UINT64(object.instances), MAY_BE_NULL,
          "Objects of the same type in the snapshot; null if unknown.", NULL,
          is_one_object),
    FIELD("references", UINT64(object.references), NEVER_NULL,
          "References from the object; repeated ones counted."),
    FIELD("referrers", UINT64(object.referrers), NEVER_NULL,
          "References to the object; repeated ones counted."),
    FIELD("retained", UINT64(retained), MAY_BE_NULL,
          "Bytes that only this object keeps alive, itself included; null if the snapshot "
          "has no roots, and for unreachable objects."),
};
static const RECORD_OF(
    instance, NULL, instance_fields,
    "The object, or the group of roots or variable with the given number.");

VALUE(text_is_cut, json_boolean(x->fields.text != NULL && x->fields.is_cut))

static json_t *self_value(const void *of, const struct record_walk *w)
{
    const struct hd_field *self = ((const T *)of)->fields.self;
    if (self == NULL)
        return json_null();
    return self->kind == HD_FIELD_REFERENCE ? json_string_or_null(self->text)
                                            : field_value(self, w);
}

VALUE(fields_omitted,
      json_number_or_null(has_text(x, w)
                              ? 0
                              : x->fields.count - x->fields.first - x->fields.len))

/* At most --rows groups, and the number of the others. */
#define GROUPS(what)                                                                   \
    VALUE(what,                                                                        \
          records_json(&record_group, x->what, model_rows(MODEL, x->what##_count), w)) \
    VALUE(what##_omitted, json_integer((json_int_t)(x->what##_count -                  \
                                                    model_rows(MODEL, x->what##_count))))
GROUPS(refers_to)
GROUPS(referred_by)

static const struct record_field begin_of_object_fields[] = {
    FIELD("asked", GROUP(record_asked), NEVER_NULL, NULL),
    FIELD("object", GROUP(record_instance), NEVER_NULL, NULL),
    FIELD("text", TEXT(fields.text), MAY_BE_NULL,
          "Text of a string, with --values, at most 4,000 UTF-16 units. NUL is U+2400, an "
          "unpaired surrogate U+FFFD. Null otherwise."),
    FIELD("text_length", UINT64(fields.count), MAY_BE_NULL,
          "UTF-16 units of a string; null for other objects, and if the snapshot lacks the "
          "text.",
          NULL, has_text),
    FIELD("text_cut", MADE(text_is_cut), NEVER_NULL, "True if `text` is truncated.",
          A_BOOLEAN),
    FIELD("fields_named", TRUTH(fields.are_named), NEVER_NULL,
          "True if the snapshot has fields and values. If not, `fields` has the references "
          "in the order of the file."),
    FIELD("fields", RECORDS(fields.all, fields.len, record_field), NEVER_NULL,
          "Fields, or the first elements of an array (--rows). Empty for a string with "
          "text."),
    FIELD("fields_omitted", MADE(fields_omitted), NEVER_NULL,
          "Fields or elements omitted after these.", A_COUNT),
    FIELD("refers_to", MADE_RECORDS(refers_to, record_group), NEVER_NULL,
          "Referenced objects by type and field, most objects first, truncated by --rows."),
    FIELD("refers_to_omitted", MADE(refers_to_omitted), NEVER_NULL,
          "Groups omitted by --rows.", A_COUNT),
    FIELD("referred_by", MADE_RECORDS(referred_by, record_group), NEVER_NULL,
          "Referring objects by type and by the field of that type."),
    FIELD("referred_by_omitted", MADE(referred_by_omitted), NEVER_NULL,
          "Groups omitted by --rows.", A_COUNT),
    FIELD(
        "chain", RECORDS(chain, chain_len, record_link), NEVER_NULL,
        "A shortest chain from the strongest root that reaches the object: the root first, "
        "the object last. If the object is unreachable, the chain begins with an object."),
    FIELD("chain_omitted", UINT64(chain_skipped), NEVER_NULL,
          "Elements omitted from a long chain."),
    FIELD("chain_omitted_before", SIZE(chain_skipped_at), MAY_BE_NULL,
          "Index, from 0, of the element of `chain` before the omitted ones; null if "
          "nothing is omitted.",
          NULL, is_shortened),
};
static const RECORD_OF(begin_of_object, NULL, begin_of_object_fields, NULL);

VALUE(of_snapshots, json_integer((json_int_t)w->snapshots))

static const struct record_field since_fields[] = {
    FIELD("snapshot", SIZE(since), NEVER_NULL,
          "Index, from 0, of the first snapshot with the object; 0: it was there before."),
    FIELD("of", MADE(of_snapshots), NEVER_NULL, "Number of snapshots.",
          "\"type\": \"integer\", \"minimum\": 2"),
    FIELD("identity", CHOICE(identity, identity_source_word, HD_SAME_SOURCE_COUNT),
          NEVER_NULL, "Method that matches the objects of consecutive snapshots."),
};
static const RECORD_OF(
    since, NULL, since_fields,
    "First appearance of the object, with several snapshots of which the last has it. Null "
    "with one snapshot, and if the objects cannot be matched.");

static const struct record_field end_of_object_fields[] = {
    FIELD("since", GROUP(record_since), MAY_BE_NULL, NULL, NULL, has_since),
    FIELD("value", MADE(self_value), MAY_BE_NULL,
          "Value of the object in addition to its fields: of a boxed value; a Version as a "
          "string; with --values a Uri as given. Null for all others.",
          A_VALUE),
    FIELD("holders", RECORDS(holders, holder_count, record_holder), NEVER_NULL,
          "All references to the object, one by one: roots first, then reachable objects, "
          "the strongest kind of root first, then garbage; truncated by --rows."),
    FIELD("holders_omitted", SIZE(holders_omitted), NEVER_NULL,
          "References omitted from `holders`."),
};
static const RECORD_OF(end_of_object, NULL, end_of_object_fields, NULL);
#undef T

#define T struct hd_model

VALUE(last_snapshot, record_json(&record_snapshot, &x->snapshots[x->snapshot_count - 1], w))

static const struct record_field object_document_fields[] = {
    FIELD("snapshot", MADE_RECORD(last_snapshot, record_snapshot), NEVER_NULL, NULL),
    FIELDS_OF(PART_AT(instance, record_begin_of_object)),
    FIELD_WARNINGS,
    FIELDS_OF(PART_AT(instance, record_end_of_object)),
};
const RECORD_OF(object, "object", object_document_fields,
                "One object: its fields, the objects that it refers to and that refer to "
                "it, and the chain that keeps it alive.");
#undef T

/* --- those of some types --------------------------------------------------------- */

#define T struct hd_object_sum

#define FIELD_HELD(kind, key, words) FIELD(key, UINT64(held[kind]), NEVER_NULL, words)
static const struct record_field held_fields[] = {
    FIELD_HELD(HD_ROOT_STATIC, "static", "Objects kept alive by a static variable."),
    FIELD_HELD(HD_ROOT_THREAD_STATIC, "thread_static",
               "Objects kept alive by a [ThreadStatic] variable."),
    FIELD_HELD(HD_ROOT_STRONG_HANDLE, "strong_handle",
               "Objects kept alive by a strong handle."),
    FIELD_HELD(HD_ROOT_PINNED_HANDLE, "pinned_handle",
               "Objects kept alive by a pinned handle."),
    FIELD_HELD(HD_ROOT_REF_COUNTED_HANDLE, "ref_counted_handle",
               "Objects kept alive by a COM reference, or an async pinned handle."),
    FIELD_HELD(HD_ROOT_DEPENDENT_HANDLE, "dependent_handle",
               "Objects kept alive by a ConditionalWeakTable."),
    FIELD_HELD(HD_ROOT_STACK, "stack", "Objects kept alive by a local variable."),
    FIELD_HELD(HD_ROOT_FINALIZER, "finalizer",
               "Objects kept alive by the finalizer queue."),
    FIELD_HELD(HD_ROOT_OTHER, "other", "Objects kept alive by other roots."),
    FIELD_HELD(HD_ROOT_UNREACHABLE, "unreachable",
               "Objects that no root reaches: garbage, or frozen; all objects if the "
               "snapshot has no roots."),
};
static const RECORD_OF(held, "held", held_fields,
                       "Objects by kind of root: the strongest kind that reaches an object "
                       "counts (docs/chains.md), so the numbers sum to `count`.");

static const struct record_field sum_fields[] = {
    FIELD("count", UINT64(count), NEVER_NULL, "Instances in the last snapshot's file."),
    FIELD("bytes", UINT64(bytes), NEVER_NULL, "Shallow bytes of the instances."),
    FIELD("retained", UINT64(retained), MAY_BE_NULL,
          "Retained bytes of the instances that no other instance dominates, so no byte "
          "counts twice. Null if the snapshot has no roots."),
    FIELD("held", GROUP(record_held), NEVER_NULL, NULL),
    FIELD("held_by_older", UINT64(held_by_older), MAY_BE_NULL,
          "Objects of `held.stack` to which an object older than `born` refers, directly "
          "or indirectly: they are stored in a long-lived structure. Null without `born`."),
};
static const RECORD_OF(object_sum, NULL, sum_fields, NULL);

static const struct record_field type_of_objects_fields[] = {
    FIELD("type", TEXT(type), NEVER_NULL, "Canonical name."),
    FIELD_FULL_NAME(full_name),
    FIELD("module", TEXT(module), MAY_BE_NULL,
          "Assembly of the type; null if unknown, or if there are several."),
    FIELDS_OF(SAME(record_object_sum)),
};
static const RECORD_OF(type_of_objects, "object_type", type_of_objects_fields,
                       "The chosen instances of one type.");
#undef T

#define T struct hd_object_row

KNOWN(row_has_since, x->since != (size_t)-1)

KNOWN(row_has_root, MODEL->objects->has_roots)

CELLS(row_object, HD_CELL_OBJECT, .a = x->object.address, .b = x->object.number)
CELLS(row_bytes, HD_CELL_SIZE, .a = x->object.bytes)
CELLS(row_retained, HD_CELL_SIZE, .a = x->retained)
CELLS(row_generation, HD_CELL_WORD,
      .text = x->object.generation != HD_GEN_UNKNOWN
                  ? hd_generation_name(x->object.generation)
                  : "-")
CELLS(row_type, HD_CELL_TYPE, .text = x->object.type)
/* Its owner; without one the kind of root, or that no root reaches it. */
CELLS(row_held_by,
      !m->objects->has_roots ? HD_CELL_WORD
      : x->held_by != NULL   ? HD_CELL_NAME
                             : HD_CELL_ROOT_KIND,
      .text = x->held_by, .a = x->root)
/* Snapshots count from 0 here, and from 1 for people. */
CELLS(row_since, x->since == 0 ? HD_CELL_WORD : HD_CELL_COUNT, .text = "before",
      .a = x->since + 1)

IN_REPORT(bool, has_rows_of_roots, m->objects->has_roots)
IN_REPORT(bool, is_identity_known, m->objects->identity != HD_SAME_UNKNOWN)
IN_REPORT(bool, has_several_types, m->objects->type_count > 1)
IN_REPORT(bool, has_generations, m->snapshots[m->snapshot_count - 1].info.has_generations)

static const struct record_field object_row_fields[] = {
    FIELD("object", UINT32(object.number), NEVER_NULL,
          "Number in the snapshot's graph: '#N' for `heapdrift object`.",
          COLUMN("object", OBJECT, row_object)),
    FIELD("address", ADDRESS(object.address), MAY_BE_NULL,
          "Address in the process; null if the snapshot has none.", SCHEMA_ADDRESS),
    FIELD(
        "type", TEXT(object.type), NEVER_NULL, "Canonical name.",
        COLUMN("type", TYPE, row_type, .is_subject = true, .is_known = has_several_types)),
    FIELD("bytes", UINT64(object.bytes), NEVER_NULL, "Shallow size in bytes.",
          COLUMN("size", SIZE, row_bytes)),
    FIELD("retained", UINT64(retained), MAY_BE_NULL,
          "Bytes that only this object keeps alive, itself included; null if the snapshot "
          "has no roots, and for unreachable objects.",
          COLUMN("retained", SIZE, row_retained, .is_known = has_rows_of_roots)),
    FIELD("generation", CHOICE(object.generation, generation_word, HD_GEN_UNKNOWN),
          MAY_BE_NULL, "Generation; null if the snapshot has none.",
          COLUMN("gen", WORD, row_generation, .is_known = has_generations)),
    FIELD("root_kind", CHOICE(root, root_kind_word, HD_ROOT_KIND_COUNT), MAY_BE_NULL,
          "Kind of the root that keeps the object alive, as in `held`; null if the "
          "snapshot has no roots.",
          NULL, row_has_root),
    FIELD("since", SIZE(since), MAY_BE_NULL,
          "Index, from 0, of the first snapshot with the object; 0: it was there before. "
          "Null with one snapshot, and if unknown.",
          NULL, row_has_since,
          COLUMN("since", COUNT, row_since, .is_known = is_identity_known)),
    FIELD("held_by", TEXT(held_by), MAY_BE_NULL,
          "The owner of its chain in a few words: static s_all, singleton PriceFeed, "
          "Session; null without an owner.",
          COLUMN("held by", NAME, row_held_by, .gives_way = true)),
};
const struct record record_object_row = {
    .name = "object",
    .doc = "One of the chosen instances.",
    FIELDS(object_row_fields),
    .csv = "object address type bytes retained generation root_kind since held_by",
    .lines = "object bytes retained generation@70 since type held_by"};
#undef T

#define T struct hd_object_set

VALUE(born, x->born_first == 0
                ? json_null()
                : json_pack("[II]", (json_int_t)x->born_first, (json_int_t)x->born_last))

static const struct record_field object_set_fields[] = {
    FIELD("types", TEXTS(patterns, pattern_count), NEVER_NULL, "The patterns of --type.",
          "\"minItems\": 1"),
    FIELD("born", MADE(born), MAY_BE_NULL,
          "N and M of --born=N..M, snapshot numbers from 1: only instances that were new "
          "in this range count. Null without --born: all count.",
          "\"type\": [\"array\", \"null\"], \"items\": {\"type\": \"integer\", "
          "\"minimum\": 1}, \"minItems\": 2, \"maxItems\": 2"),
    FIELD("identity", CHOICE(identity, identity_source_word, HD_SAME_SOURCE_COUNT),
          MAY_BE_NULL,
          "Method that matches the objects of consecutive snapshots; null with one "
          "snapshot, and if they cannot be matched."),
    FIELDS_OF(PART(all, record_object_sum)),
    FIELD("by_type", RECORDS(types, type_count, record_type_of_objects), NEVER_NULL,
          "Types of the instances, most instances first, then by name and module. Never "
          "truncated."),
    FIELD("objects", RECORDS(rows, len, record_object_row), NEVER_NULL,
          "Instances by retained size, largest first, then by address and number; "
          "truncated by --rows, and after 100,000.",
          "\"maxItems\": 100000"),
    FIELD("objects_omitted", SIZE(omitted), NEVER_NULL,
          "Instances omitted from `objects`."),
};
static const RECORD_OF(object_set, NULL, object_set_fields, NULL);
#undef T

#define T struct hd_model
static const struct record_field objects_document_fields[] = {
    FIELD_SNAPSHOTS("1"),
    FIELDS_OF(PART_AT(objects, record_object_set)),
    FIELD_WARNINGS,
    FIELD_COUNTS_REACHABLE,
};
const RECORD_OF(objects, "objects", objects_document_fields,
                "The instances of some types in the last snapshot: their number, the roots "
                "that keep them alive, and their retained size.");
#undef T

/* --- a static variable ----------------------------------------------------------- */

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

/* Threads by their number in the system. */
WORDS(add_thread, if (x->thread != 0) say(t, x->thread != HD_UNKNOWN ? as_digits(x->thread)
                                                                     : say_words("-")))

static struct hd_cell static_module(const struct hd_model *m, const void *of)
{
    const char *module = ((const T *)of)->module;
    const char *end = module != NULL ? strrchr(module, '/') : NULL;
    (void)m;
    return (struct hd_cell){HD_CELL_NAME, .text = end != NULL ? end + 1 : module};
}

/* True if any visible row has it. */
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
    FIELD("declared_by", TEXT(declared_by), MAY_BE_NULL,
          "The declaring class with its outer class; null if the snapshot has only the "
          "type of the value."),
    FIELD("module", TEXT(module), MAY_BE_NULL, "Assembly of the class; null if unknown.",
          COLUMN("module", NAME, static_module, .gives_way = true, .is_known = any_module)),
    FIELD("thread_static", TRUTH(of_thread), NEVER_NULL,
          "True if the variable is [ThreadStatic]."),
    FIELD("thread", UINT64(thread), MAY_BE_NULL,
          "Thread id of the operating system, for a [ThreadStatic] variable. Null for all "
          "others, if no thread has used the variable, and if unknown.",
          NULL, has_thread,
          COLUMN("thread", COUNT, NULL, .words = add_thread, .is_known = any_thread)),
    FIELD("set", TRUTH(is_set), NEVER_NULL,
          "False if the variable has no value yet, because its class or the thread was not "
          "used."),
    FIELD("bytes", UINT64(bytes), MAY_BE_NULL,
          "Shallow size of the referenced object; null without a reference.",
          COLUMN("bytes", SIZE, static_bytes)),
    FIELD("retained", UINT64(retained), MAY_BE_NULL,
          "Bytes that only the referenced object keeps alive, itself included; null "
          "without a reference.",
          COLUMN("retained", SIZE, static_retained)),
    FIELD("field", RECORD(field, record_field), NEVER_NULL,
          "Name, declared type and value."),
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

/* --- the whole set --------------------------------------------------------------- */

#define T struct hd_static_set
static const struct record_field static_set_fields[] = {
    FIELD("types", TEXTS(patterns, pattern_count), NEVER_NULL,
          "The patterns of --type; empty for all."),
    FIELD("values", TRUTH(values), NEVER_NULL, "True if texts were requested (--values)."),
    FIELD("has_values", TRUTH(has_values), NEVER_NULL,
          "True if the snapshot has all variables with values; if not, `statics` has only "
          "those that refer to an object."),
    FIELD("count", UINT64(count), NEVER_NULL,
          "Chosen variables; a [ThreadStatic] one counts per thread."),
    FIELD("unset", UINT64(unset), NEVER_NULL, "Chosen variables without a value yet."),
    FIELD("statics", RECORDS(rows, len, record_static_row), NEVER_NULL,
          "Variables by retained size, largest first, then by shallow size, then by name; "
          "truncated by --rows, and after 100,000.",
          "\"maxItems\": 100000"),
    FIELD("statics_omitted", SIZE(omitted), NEVER_NULL,
          "Variables omitted from `statics`."),
};
static const RECORD_OF(static_set, NULL, static_set_fields, NULL);
#undef T

#define T struct hd_model
static const struct record_field statics_document_fields[] = {
    FIELD("snapshot", POINTER(snapshots, record_snapshot), NEVER_NULL, NULL),
    FIELDS_OF(PART_AT(statics, record_static_set)),
    FIELD_WARNINGS,
};
const RECORD_OF(
    statics, "statics", statics_document_fields,
    "Static variables of a snapshot: values, referenced objects and retained sizes.");
#undef T
