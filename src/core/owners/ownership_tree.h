/* ownership_tree.h - who owns the heap, as paths of types, aligned over a series.
 *
 * Every snapshot's tree of owners (dominators among the strongest class of roots that
 * reaches an object) is folded into an ownership tree of type paths. Types that never have
 * more than one object are anchors: a new path begins at each, so that changes above a
 * single service or static variable leave the paths below it as they are. The ownership
 * trees of a series are merged by path. Steps and reasons: docs/ranking.md. */
#ifndef OWNERSHIP_TREE_H
#define OWNERSHIP_TREE_H

#include "heap/graph.h"
#include "owners/dominators.h"
#include "series/series.h"
#include "series/type_rank.h"

typedef uint32_t label_id; /* a type name (and kind), over all snapshots */
typedef uint32_t path_id;  /* a node of an ownership tree; 0 is the root */
#define NO_PATH UINT32_MAX
#define NO_LABEL UINT32_MAX

/* Use of the fields by which owners hold their objects, if known. */
enum ownership_fields {
    OWNERSHIP_NO_FIELDS,
    OWNERSHIP_TELLS_FIELDS, /* each path has the field that holds most of its objects */
    OWNERSHIP_PARTS_FIELDS  /* and two fields of a type are two paths */
};

/* The field by which the owners at the path above hold the objects of a path, except
 * objects folded as recursion. */
struct path_field {
    field_id field; /* the most frequent; NO_FIELD if that is unknown */
    uint64_t held, all;
};

struct label {
    const char *name;
    const char *full_name; /* with the outer class, or that of a variable; NULL if unknown,
                              the name if two snapshots contradict */
    enum type_kind kind;
    enum type_origin origin; /* of all snapshots, as is the rank */
    enum type_rank rank;
    bool is_anchor;
    uint64_t *count; /* per snapshot: reachable objects (nodes, for pseudo-nodes) */
    double *scale;   /* per snapshot: factor of a sampled file, or 0 */
};

struct labels {
    struct label *all; /* malloc'd */
    size_t len, cap;
    struct label_slot *by_name;
    size_t snapshots;
    const char **fields; /* names by field_id, once aligned; in the arena */
    size_t field_count;
    struct arena arena;
};

/* The name of a field, once aligned, or "". */
static inline const char *label_field(const struct labels *l, field_id field)
{
    return field < l->field_count ? l->fields[field] : "";
}

/* One snapshot's ownership tree, without cuts: parents precede their children. */
struct full_tree {
    path_id *parent;
    label_id *label;
    uint64_t *count, *bytes; /* selected objects that are at the path itself; count of a
                                root group: its nodes */
    size_t len, cap;
    size_t most;              /* maximum number of paths; 0: no limit */
    struct path_field *field; /* of each path; NULL if not requested or unknown. Ids index
                                 field_names, and labels.fields once aligned */
    const char **field_names;
    size_t field_count;
    struct arena arena; /* of this tree */
    label_id *label_of; /* of each type of the snapshot, until the snapshot was added */
    path_id *at_node;   /* path of each node of the graph; NO_PATH if unreachable */
    path_id *at_place;  /* of a digest instead: path of each of its places */
    path_id
        *cut; /* path in the aligned ownership tree; filled in by ownership_tree_align() */

    /* Index for objects of a label below a path, in preorder. */
    uint32_t *position, *end; /* preorder interval of each path */
    uint32_t *by_label;       /* paths sorted by label, then position */
    uint32_t *label_begin;    /* labels + 1 offsets into by_label */
    uint64_t *before;         /* sum of count before each element of by_label */
};

/* The aligned ownership tree: paths cut at anchors, with a number per snapshot. */
struct ownership_tree {
    struct labels labels;
    size_t snapshots;
    enum ownership_fields
        fields;             /* set between ownership_tree_begin() and the first snapshot */
    struct full_tree *full; /* per snapshot */

    path_id *parent; /* NO_PATH for the root */
    label_id *label;
    field_id *field;                    /* field that separates the path; NULL if fields do
                                           not */
    uint64_t *count, *bytes, *retained; /* [path * snapshots + snapshot] */
    path_id *full_of;                   /* same shape: path in full, or NO_PATH */
    size_t len, cap;
    size_t most; /* maximum number of aligned paths; 0: no limit */
};

void ownership_tree_begin(struct ownership_tree *t, size_t snapshots);

/* Assigns labels to the types of snapshot k. ownership_tree_add() does so itself; to add
 * snapshots from several threads, first call this for each, in order. */
void ownership_tree_name_types(struct ownership_tree *t, size_t k,
                               const struct hd_snapshot *snap);

/* Folds the graph of snapshot k into its ownership tree; the graph is not needed
 * afterwards. Without a graph its digest, which must have places, and supports no more than
 * OWNERSHIP_TELLS_FIELDS. False if it has more than full[k].most paths. selection: the
 * objects to count. Once all types have labels, different snapshots may be added
 * concurrently. */
bool ownership_tree_add(struct ownership_tree *t, size_t k, const struct hd_snapshot *snap,
                        enum selection selection);

/* Does the same with known dominators: of owners, unless a rule is off. */
bool ownership_tree_add_owned(struct ownership_tree *t, size_t k,
                              const struct hd_snapshot *snap, struct dominators *d,
                              enum selection selection);

/* Finds the anchors, cuts and merges; after all snapshots were added. False if there are
 * more than `most` aligned paths: then it can only be freed. */
bool ownership_tree_align(struct ownership_tree *t);

/* Returns the selected objects of a label anywhere below a path of a full ownership tree,
 * itself excluded; O(log). */
uint64_t full_tree_below(const struct full_tree *f, path_id path, label_id label);

/* Returns the rank of every path in an order of paths, bytewise by the names along them;
 * malloc'd. O(paths log paths). */
uint32_t *ownership_tree_order(const struct ownership_tree *t);

/* The same for the full ownership tree of snapshot k. */
uint32_t *full_tree_order(const struct ownership_tree *t, size_t k);

void ownership_tree_free(struct ownership_tree *t);

enum {
    HOLDER_HEAD_LABELS = 16,
    HOLDER_TAIL_LABELS = 16,
    HOLDER_MAX_LABELS = HOLDER_HEAD_LABELS + 1 + HOLDER_TAIL_LABELS
};

#define HOLDER_OMITTED "…"

struct holder_namer {
    const struct labels *labels;
    const struct full_tree *f;
    uint32_t *depth;
    path_id *head; /* per path: the last at or above it within the first labels */
};

/* Prepares names for the paths of a full ownership tree; arrays in a. O(paths). */
struct holder_namer holder_namer_of(const struct labels *labels, const struct full_tree *f,
                                    struct arena *a);

/* Writes the names from below the root down to p, with HOLDER_OMITTED for a gap; returns
 * their number. They live as long as the labels. */
size_t holder_names(const struct holder_namer *n, path_id p,
                    const char *names[HOLDER_MAX_LABELS]);

/* Appends them as one line: "[static var App.s_all] → List<Order> → Order[]"; "[roots]" for
 * the root. */
void holder_name(struct text *out, const struct holder_namer *n, path_id p);

#endif
