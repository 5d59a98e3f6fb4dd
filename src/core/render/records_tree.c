/* The ownership tree: its places, and the suspects that they mark. */
#include "base/say.h"
#include "render/records.h"
#include "render/tree_frames.h"

NAMES(node_kind)
NAMES(root_kind)

#define T struct hd_tree_node

KNOWN(has_parent, x->parent != HD_NO_NODE)
KNOWN(is_roots, x->kind == HD_NODE_ROOTS)
KNOWN(is_others, x->kind == HD_NODE_OTHERS)
KNOWN(has_field, x->field != NULL)

/* By the types on the way to it, as holders are written elsewhere. */
static void add_path(struct text *t, const void *of, const struct record_walk *w)
{
    const struct tree_frames *f = w->context;
    size_t stack[TREE_MAX_FRAMES];
    size_t len = tree_stack(f, (size_t)((const T *)of - f->tree->nodes), stack);
    for (size_t i = 0; i < len; i++) {
        say(t, i > 0 ? " → " : "", f->names[stack[i]]);
    }
}

static const struct record_field node_fields[] = {
    FIELD("depth", UINT32(depth), NEVER_NULL, "0 at a top."),
    FIELD("parent", SIZE(parent), MAY_BE_NULL,
          "Number of the node above, from 0; null at a top.", NULL, has_parent),
    FIELD("kind", CHOICE(kind, node_kind_word, HD_NODE_KIND_COUNT), NEVER_NULL,
          "heap: all that is reachable; roots: a group of roots or a variable; type: "
          "objects of it; pattern: what a pattern of --type matches; others: places that "
          "are summed up."),
    FIELD("type", TEXT(type), MAY_BE_NULL,
          "Canonical name of the type, name of the roots, or the pattern; null of heap and "
          "others."),
    FIELD("root_kind", CHOICE(root_kind, root_kind_word, HD_ROOT_KIND_COUNT), MAY_BE_NULL,
          "Of roots.", NULL, is_roots),
    FIELD("count", COUNTS(at), NEVER_NULL, "Objects at the place itself."),
    FIELD("bytes", BYTES(at), NEVER_NULL, "Their shallow sizes."),
    FIELD("objects", COUNTS(owned), NEVER_NULL, "Objects at the place and below it."),
    FIELD("retained", BYTES(owned), NEVER_NULL,
          "Their bytes: what is gone with the place."),
    FIELD("growth", INT64(growth), NEVER_NULL,
          "Of `retained`, from the first snapshot that is compared to the last."),
    FIELD("suspect", SIZE(suspect), NULL_AT_ZERO, "Rank of the suspect that is held here.",
          ONE_OR_MORE),
    FIELD("single", TRUTH(is_single), NEVER_NULL,
          "No snapshot has a second object of the type."),
    FIELD("others", SIZE(others), MAY_BE_NULL, "Of others: how many places.", ONE_OR_MORE,
          is_others),
    FIELD("full_name", TEXT(full_name), MAY_BE_NULL,
          "The name that people know the type by, with its outer class; null where `type` "
          "is that."),
    FIELD(
        "field", TEXT(field), MAY_BE_NULL,
        "By which field the place above holds it, as in frames of chains: _items, [], "
        "[].value; with `holders` by which it holds the place above. The most frequent "
        "where there are several; null when none is known, or most are not held directly."),
    FIELD("field_share", REAL(field_share), MAY_BE_NULL,
          "The share of its objects that this is true of, in the last snapshot that has "
          "any; null without a field.",
          A_SHARE, has_field),
    FIELD("stayed", UINT64(stayed), MAY_BE_NULL,
          "Objects of the place and of all below it in the last snapshot that came after "
          "the first, the last one's newest too; null where nobody knows which object of "
          "one snapshot is which of the next."),

    IN_TABLES("path", CSV_CELL(add_path)),
};
const struct record record_node = {
    .name = "node",
    .doc =
        "A place: the objects that are held in one way. `bytes`, and the `retained` of its "
        "children, sum to its `retained` in every snapshot; so do `count` and `objects`.",
    FIELDS(node_fields),
    .csv = "depth kind path type root_kind suspect growth others count bytes objects "
           "retained"};
#undef T

#define T struct hd_tree

VALUE(compared, json_pack("[II]", (json_int_t)x->first, (json_int_t)x->last))

static const struct record_field begin_of_tree_fields[] = {
    FIELD("compared", MADE(compared), NEVER_NULL,
          "Numbers, from 0, of the first and the last snapshot that can be compared; twice "
          "the same of one.",
          TWO_SNAPSHOTS),
    FIELD("least", UINT64(least), NEVER_NULL,
          "Bytes. A place that retains less in the last snapshot, and changed by less, is "
          "among the others (--min)."),
    FIELD("holders", TRUTH(is_holders), NEVER_NULL,
          "Whether ways lead up from objects (--holders), not down to them."),
};
static const RECORD_OF(begin_of_tree, NULL, begin_of_tree_fields, NULL);

static const struct record_field nodes_fields[] = {
    FIELD("nodes", RECORDS(nodes, len, record_node), NEVER_NULL,
          "In preorder: a parent stands before its children, and they before its next "
          "sibling. Siblings come by growth, then by what they retain, then by name; "
          "others last."),
};
static const RECORD_OF(nodes, NULL, nodes_fields, NULL);
#undef T

#define T struct hd_model

VALUE(confidence,
      json_string_or_null(x->diff != NULL ? hd_confidence_name(x->diff->confidence) : NULL))

static json_t *marked(const void *of, const struct record_walk *w)
{
    const struct hd_diff *d = ((const T *)of)->diff;
    return d != NULL ? records_json(&record_marked, d->suspects, d->suspect_count, w)
                     : json_array();
}

static const struct record_field tree_fields[] = {
    FIELD_SNAPSHOTS("1"),
    FIELD("confidence", MADE(confidence), MAY_BE_NULL,
          "How far the ranking can be trusted; null of one snapshot, which has none.",
          "\"enum\": [\"low\", \"medium\", \"high\", null]"),
    FIELDS_OF(PART_AT(tree, record_begin_of_tree)),
    FIELD("suspects", MADE_RECORDS(marked, record_marked), NEVER_NULL,
          "Those of `diff`, in brief; what `suspect` of a node means."),
    FIELDS_OF(PART_AT(tree, record_nodes)),
    FIELD_WARNINGS,
    FIELD_COUNTS_REACHABLE,
};
const RECORD_OF(tree, "tree", tree_fields,
                "Who owns the heap, as a tree of types, and where its growth went.");
#undef T
