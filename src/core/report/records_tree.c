/* The ownership tree: its places, and the suspects that they mark. */
#include "report/records.h"

#include "base/hash.h"
#include "base/say.h"

#include <math.h>
#include <string.h>

/* --- frames ------------------------------------------------------------------------ */

/* Frames of each end of a long stack. */
enum { HALF = TREE_MAX_FRAMES / 2 };

static const char others_name[] = "[others]", left_out[] = "…";

struct known_name {
    UT_hash_handle hh;
    size_t number;
};

struct frame_names {
    struct tree_frames *f;
    struct known_name *known;
};

/* Returns the number of the frame of a node (NULL: the omitted part) with this name. */
static size_t frames_number_of(struct frame_names *n, const char *name,
                               const struct hd_tree_node *node)
{
    bool is_line = node != NULL && node->kind == HD_NODE_METHOD && node->full_name != NULL;
    const char *key = is_line ? node->full_name : name;
    struct known_name *found = NULL;
    HASH_FIND(hh, n->known, key, strlen(key), found);
    if (found == NULL) {
        found = arena_alloc(&n->f->arena, sizeof(*found));
        found->number = n->f->count++;
        HASH_ADD_KEYPTR(hh, n->known, key, strlen(key), found);
        n->f->names[found->number] = name;
        n->f->codes[found->number] = is_line ? node->code : NULL;
    }
    return found->number;
}

static const char *node_name(const struct hd_tree *t, const struct hd_tree_node *n,
                             size_t tops, struct arena *a)
{
    const char *point = n->field != NULL && n->field[0] == '[' ? "" : ".";
    switch (n->kind) {
    case HD_NODE_ROOTS:
    case HD_NODE_METHOD:
        return n->type;
    case HD_NODE_TYPE:
        /* Places separated only by a field need names of their own. */
        if (!t->parts_fields || n->field == NULL)
            return n->type;
        return t->is_holders ? arena_printf(a, "%s%s%s", n->type, point, n->field)
                             : arena_printf(a, "%s%s → %s", point, n->field, n->type);
    case HD_NODE_PATTERN:
        return tops > 1 ? n->type : NULL;
    case HD_NODE_OTHERS:
        return others_name;
    case HD_NODE_HEAP:
    case HD_NODE_KIND_COUNT:
        break;
    }
    return NULL;
}

struct tree_frames tree_frames_of(const struct hd_tree *t)
{
    struct tree_frames f = {.tree = t};
    struct frame_names n = {.f = &f};
    size_t tops = 0;
    for (size_t i = 0; i < t->len; i = t->nodes[i].end)
        tops++;
    f.names = arena_array(&f.arena, const char *, t->len + 2);
    f.codes = arena_array(&f.arena, const struct hd_code *, t->len + 2);
    f.name_of = arena_array(&f.arena, size_t, t->len);
    f.depth = arena_array(&f.arena, size_t, t->len);
    f.high = arena_array(&f.arena, size_t, t->len);
    f.root_kind = arena_array(&f.arena, const char *, t->len);
    for (size_t i = 0; i < t->len; i++) {
        const struct hd_tree_node *node = &t->nodes[i];
        const char *name = node_name(t, node, tops, &f.arena);
        f.name_of[i] = name != NULL ? frames_number_of(&n, name, node) : NO_FRAME;
        bool is_top = node->parent == HD_NO_NODE;
        f.depth[i] = (is_top ? 0 : f.depth[node->parent]) + (name != NULL);
        f.high[i] = is_top || f.depth[i] <= HALF ? i : f.high[node->parent];
        if (f.depth[i] > TREE_MAX_FRAMES)
            f.gap = frames_number_of(&n, left_out, NULL);
        if (node->kind == HD_NODE_ROOTS)
            f.root_kind[i] = hd_root_kind_name(node->root_kind);
        else if (node->parent != HD_NO_NODE)
            f.root_kind[i] = f.root_kind[node->parent];
    }
    HASH_CLEAR(hh, n.known);
    return f;
}

void tree_frames_free(struct tree_frames *f)
{
    arena_free(&f->arena);
}

/* Writes frames from a node upwards, backwards from *end; at most `most`. */
static void frames_add_frames(const struct tree_frames *f, size_t node, size_t *end,
                              size_t most)
{
    for (; node != HD_NO_NODE && most > 0; node = f->tree->nodes[node].parent) {
        if (f->name_of[node] == NO_FRAME)
            continue;
        *--end = f->name_of[node];
        most--;
    }
}

size_t tree_stack(const struct tree_frames *f, size_t node, size_t *stack)
{
    size_t depth = f->depth[node];
    if (depth <= TREE_MAX_FRAMES) {
        frames_add_frames(f, node, stack + depth, depth);
        return depth;
    }
    frames_add_frames(f, f->high[node], stack + HALF, HALF);
    stack[HALF] = f->gap;
    frames_add_frames(f, node, stack + TREE_MAX_FRAMES, TREE_MAX_FRAMES - HALF - 1);
    return TREE_MAX_FRAMES;
}

/* --- places -------------------------------------------------------------------------- */

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

/* The place and its whole subtree. */
#define LAST x->owned[m->tree->last]
CELLS(node_growth, HD_CELL_SIZE_CHANGE, .a = x->owned[m->tree->first].bytes,
      .b = LAST.bytes)
CELLS(node_retained, HD_CELL_SIZE, .a = LAST.bytes)
CELLS(node_objects, HD_CELL_COUNT, .a = LAST.count)
CELLS(node_survived, HD_CELL_COUNT, .a = x->survived)

static struct hd_cell node_share(const struct hd_model *m, const void *of)
{
    const uint64_t all = m->tree->reachable[m->tree->last].bytes;
    const T *x = of;
    return (struct hd_cell){.kind = HD_CELL_SHARE,
                            .share = all > 0 ? (double)LAST.bytes / (double)all : NAN};
}

static struct hd_cell node_bar(const struct hd_model *m, const void *of)
{
    struct hd_cell c = node_share(m, of);
    c.kind = HD_CELL_BAR;
    return c;
}
#undef LAST

IN_REPORT(bool, is_compared, m->tree == NULL || m->tree->first != m->tree->last)
/* Known or unknown for all places alike. */
IN_REPORT(bool, has_survived,
          m->tree != NULL && m->tree->len > 0 && m->tree->nodes[0].survived != HD_UNKNOWN)
IN_REPORT(bool, is_of_sites, m->tree != NULL && m->tree->is_sites)
IN_REPORT(const char *, title_of_owner,
          is_of_sites(m)                           ? "allocated by"
          : m->tree != NULL && m->tree->is_holders ? "held by"
                                                   : "owner")
IN_REPORT(const char *, title_of_objects, is_of_sites(m) ? "samples" : "objects")
IN_REPORT(const char *, title_of_retained, is_of_sites(m) ? "bytes" : "retained")
IN_REPORT(const char *, title_of_growth, is_of_sites(m) ? "Δbytes" : "Δretained")
IN_REPORT(const char *, title_of_bar, is_of_sites(m) ? "of all" : "of heap")

static const struct record_field node_fields[] = {
    FIELD("depth", UINT32(depth), NEVER_NULL, "Depth in the tree, from 0."),
    FIELD("parent", SIZE(parent), MAY_BE_NULL,
          "Index of the parent in `nodes`, from 0; null at a top.", NULL, has_parent),
    FIELD("kind", CHOICE(kind, node_kind_word, HD_NODE_KIND_COUNT), NEVER_NULL,
          "heap: all reachable objects; roots: a group of roots or a variable; type: "
          "objects of the type; pattern: objects that match a pattern of --type; others: a "
          "sum of small places; method: code that allocated samples, or its callers "
          "(--by=site): objects are samples, bytes an estimate from them."),
    FIELD("type", TEXT(type), MAY_BE_NULL,
          "Canonical name of the type, name of the roots, the pattern, or the method; null "
          "for heap and others."),
    FIELD("root_kind", CHOICE(root_kind, root_kind_word, HD_ROOT_KIND_COUNT), MAY_BE_NULL,
          "Kind of the roots; null for other nodes.", NULL, is_roots),
    FIELD("count", COUNTS(at), NEVER_NULL, "Objects at the place itself."),
    FIELD("bytes", BYTES(at), NEVER_NULL,
          "Shallow bytes of the objects at the place itself."),
    FIELD("objects", COUNTS(owned), NEVER_NULL, "Objects at the place and below it.",
          COLUMN("objects", COUNT, node_objects, .title_in = title_of_objects)),
    FIELD("retained", BYTES(owned), NEVER_NULL,
          "Retained bytes of the objects at the place.",
          COLUMN("retained", SIZE, node_retained, .title_in = title_of_retained)),
    FIELD("growth", INT64(growth), NEVER_NULL,
          "Growth of `retained` from the first to the last compared snapshot.",
          COLUMN("Δretained", SIZE_CHANGE, node_growth, .is_known = is_compared,
                 .title_in = title_of_growth, .file = "delta_retained")),
    FIELD("suspect", SIZE(suspect), NULL_AT_ZERO,
          "Rank of the suspect that grows here; null if there is none.", ONE_OR_MORE),
    FIELD("single", TRUTH(is_single), NEVER_NULL,
          "True if no snapshot has a second object of the type."),
    FIELD("others", SIZE(others), MAY_BE_NULL,
          "Number of places in a node `others`; null for other nodes.", ONE_OR_MORE,
          is_others),
    FIELD("full_name", TEXT(full_name), MAY_BE_NULL,
          "Usual name of the type, with its outer class; null if `type` is that. For a "
          "method with its place in a file: Shop.Add (Shop.cs:42)."),
    FIELD("field", TEXT(field), MAY_BE_NULL,
          "Field through which the parent refers to the objects, as in frames of chains: "
          "_items, [], [].value; with `holders` the field through which they refer to the "
          "parent. The most frequent if there are several; null if unknown, or if most are "
          "referred to indirectly."),
    FIELD("field_share", REAL(field_share), MAY_BE_NULL,
          "Share of the objects that are referred to through `field`, in the last snapshot "
          "that has any; null without a field.",
          A_SHARE, has_field),
    FIELD("stayed", UINT64(survived), MAY_BE_NULL,
          "Objects of the place and of all below, in the last snapshot, that were added "
          "after the first, including the newest; null if objects of consecutive snapshots "
          "cannot be matched.",
          COLUMN(
              "stayed", COUNT, node_survived, .is_known = has_survived,
              .meaning =
                  "Objects that were added after the first snapshot and are in the last.")),
    LISTED("share", "share", SHARE, node_share, .file = ""),
    LISTED("of_heap", "", BAR, node_bar, .title_in = title_of_bar),
    LISTED("bar", "", BAR, node_bar, .file = ""),
    LISTED("owner", "", NAME, NULL, .title_in = title_of_owner, .is_subject = true),
    IN_TABLES("path", CSV_CELL(add_path)),
};
const struct record record_node = {
    .name = "node",
    .doc =
        "A place: the objects with one chain of owners. `bytes` and the `retained` of its "
        "children sum to its `retained` in every snapshot; `count` and `objects` likewise.",
    FIELDS(node_fields),
    .csv = "depth kind path type root_kind suspect growth others count bytes objects "
           "retained",
    .lines = "growth retained@56 objects@72 stayed@100 of_heap@100 owner",
    .screen = "growth:11 bar:8@100 retained:10@50 objects:11@90 stayed:11@100 owner",
    .last_screen = "share:7 bar:8@100 retained:10 objects:11@90 stayed:11@100 owner"};
#undef T

#define T struct hd_tree

VALUE(compared, json_pack("[II]", (json_int_t)x->first, (json_int_t)x->last))

static const struct record_field begin_of_tree_fields[] = {
    FIELD("compared", MADE(compared), NEVER_NULL,
          "Indexes, from 0, of the first and the last comparable snapshot; the same index "
          "twice with one snapshot.",
          TWO_SNAPSHOTS),
    FIELD("least", UINT64(least), NEVER_NULL,
          "Minimum size in bytes (--min): a place that retains less in the last snapshot, "
          "and changed by less, is part of `others`."),
    FIELD("holders", TRUTH(is_holders), NEVER_NULL,
          "True if paths lead up from objects (--holders), not down to them."),
};
static const RECORD_OF(begin_of_tree, NULL, begin_of_tree_fields, NULL);

static const struct record_field nodes_fields[] = {
    FIELD("nodes", RECORDS(nodes, len, record_node), NEVER_NULL,
          "Nodes in preorder: a parent, its children, its next sibling. Siblings are "
          "sorted by growth, then by retained size, then by name; others last."),
};
static const RECORD_OF(nodes, NULL, nodes_fields, NULL);
#undef T

#define T struct hd_model

VALUE(confidence,
      json_string_or_null(x->diff != NULL ? hd_confidence_name(x->diff->confidence) : NULL))

VALUE(marked, x->diff == NULL ? json_array()
                              : records_json(&record_marked, x->diff->suspects,
                                             x->diff->suspect_count, w))

static const struct record_field tree_fields[] = {
    FIELD_SNAPSHOTS("1"),
    FIELD("confidence", MADE(confidence), MAY_BE_NULL,
          "Confidence in the ranking; null with one snapshot.",
          "\"enum\": [\"low\", \"medium\", \"high\", null]"),
    FIELDS_OF(PART_AT(tree, record_begin_of_tree)),
    FIELD("suspects", MADE_RECORDS(marked, record_marked), NEVER_NULL,
          "The suspects of `diff`, in brief; `suspect` of a node refers to them."),
    FIELDS_OF(PART_AT(tree, record_nodes)),
    FIELD_WARNINGS,
    FIELD_COUNTS_REACHABLE,
};
const RECORD_OF(tree, "tree", tree_fields,
                "The owners of the heap, as a tree of types, and their growth.");
#undef T
