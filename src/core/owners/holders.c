#include "owners/holders.h"

#include "heap/snapshot.h"
#include "owners/ownership_tree.h"

#include <stdlib.h>
#include <string.h>

/* --- objects by place ---------------------------------------------------------------- */

/* The objects of a snapshot by holder: a path of its own ownership tree; by type without a
 * path. From a graph or from a digest. */

static void count_nodes(const struct hd_snapshot *snap, const struct full_tree *f,
                        enum selection selection, struct hd_tally *at,
                        struct hd_tally *left)
{
    const struct graph *g = snap->graph;
    for (node_id n = 0; n < g->node_count; n++) {
        type_id t = g->type[n];
        if (n == g->root || snap->types[t].kind != TYPE_OBJECT ||
            !snapshot_selects(snap, n, selection))
            continue;
        path_id p = f->at_node[n];
        struct hd_tally *to = p != NO_PATH ? &at[p] : &left[t];
        to->count++;
        to->bytes += graph_size(g, n);
    }
}

/* Objects without a place in the digest are unreachable. */
static void count_places(const struct hd_snapshot *snap, const struct full_tree *f,
                         enum selection selection, struct hd_tally *at,
                         struct hd_tally *left)
{
    const struct digest *d = snap->digest;
    const struct digest_places *from = &d->places;
    bool of_age = selection & SELECT_GEN2 && from->old != NULL;
    for (uint32_t i = 1; i < from->len; i++)
        if (snap->types[from->type[i]].kind == TYPE_OBJECT)
            tally_add(&at[f->at_place[i]], of_age ? &from->old[i] : &from->at[i]);
    if (selection & SELECT_REACHABLE)
        return;
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind == TYPE_OBJECT)
            left[t] = of_age ? type_raw_of_old(type) : type->raw;
    }
    for (uint32_t i = 1; i < from->len; i++) {
        const struct hd_tally *placed = of_age ? &from->old[i] : &from->at[i];
        if (snap->types[from->type[i]].kind != TYPE_OBJECT)
            continue;
        tally_take(&left[from->type[i]], placed);
    }
}

/* Adds up the selected objects, unscaled, at each path of f in at[path], and those of each
 * type without a path in left[type]. */
static void placed_count(const struct hd_snapshot *snap, const struct full_tree *f,
                         enum selection selection, struct hd_tally *at,
                         struct hd_tally *left)
{
    if (snap->graph != NULL)
        count_nodes(snap, f, selection, at, left);
    else
        count_places(snap, f, selection, at, left);
}

/* --- the contents of some holders ---------------------------------------------------- */

/* The factor of objects at a path; every path has one type. */
static double scale_at(const struct ownership_tree *t, path_id p)
{
    double scale = t->labels.all[t->full[0].label[p]].scale[0];
    return scale > 0 ? scale : 1;
}

/* Returns, for each full path of t, which has one snapshot, the mean factor of the objects
 * directly below it, so that the error of their sum is correct (heap/snapshot.h); in a. */
static double *holder_scales(const struct ownership_tree *t, struct arena *a)
{
    const struct full_tree *f = &t->full[0];
    struct arena scratch = {0};
    double *mean = arena_array(a, double, f->len);
    double *count = arena_array(&scratch, double, f->len);
    for (path_id p = 1; p < f->len; p++) {
        if (t->labels.all[f->label[p]].kind != TYPE_OBJECT)
            continue;
        mean[f->parent[p]] += scale_at(t, p) * (double)f->count[p];
        count[f->parent[p]] += (double)f->count[p];
    }
    for (path_id p = 0; p < f->len; p++)
        mean[p] = count[p] > 0 ? mean[p] / count[p] : 1;
    arena_free(&scratch);
    return mean;
}

/* --- rows ---------------------------------------------------------------- */

/* A snapshot of holders, whole or in part, under construction. */
struct holders_part {
    struct hd_snapshot *to;
    enum selection selection;
    const struct ownership_tree *t;
};

static struct hd_snapshot *part_begin(const struct hd_snapshot *snap, size_t most)
{
    struct hd_snapshot *to = alloc_zeroed(sizeof(*to));
    to->info = snap->info;
    to->origin = snap->origin;
    to->facts = snap->facts;
    to->read.tables_only = true; /* it has no graph to read again */
    to->clock = snap->clock;
    to->clock_is_date = snap->clock_is_date;
    to->types = arena_array(&to->arena, struct type, most);
    return to;
}

static void add_row(const struct holders_part *part, const char *name,
                    struct hd_tally tally, double scale)
{
    struct hd_snapshot *to = part->to;
    struct type *row = &to->types[to->type_count++];
    *row = (struct type){.name = arena_strdup(&to->arena, name, strlen(name)),
                         .kind = TYPE_OBJECT,
                         .raw = tally,
                         .count_scale = scale};
    row->tally[part->selection] = tally;
}

/* A type occurs at many paths: row_of[label] is its row from 1 on; reset to 0 at the
 * end. */
static void add_paths(const struct holders_part *part, const path_id *paths, size_t count,
                      uint32_t *row_of)
{
    const struct full_tree *f = &part->t->full[0];
    for (size_t i = 0; i < count; i++) {
        path_id p = paths[i];
        struct hd_tally at = {f->count[p], f->bytes[p]};
        const struct label *label = &part->t->labels.all[f->label[p]];
        if (at.count == 0 || label->kind != TYPE_OBJECT)
            continue;
        if (row_of[f->label[p]] == 0) {
            add_row(part, label->name, at, scale_at(part->t, p));
            row_of[f->label[p]] = part->to->type_count;
        } else {
            struct type *row = &part->to->types[row_of[f->label[p]] - 1];
            tally_add(&row->raw, &at);
            row->tally[part->selection] = row->raw;
        }
    }
    for (size_t i = 0; i < count; i++)
        row_of[f->label[paths[i]]] = 0;
}

/* --- unreachable objects ------------------------------------------------- */

static void add_unreachable(const struct holders_part *part, const struct hd_snapshot *snap)
{
    const struct full_tree *f = &part->t->full[0];
    struct arena scratch = {0};
    struct hd_tally *at = arena_array(&scratch, struct hd_tally, f->len);
    struct hd_tally *left = arena_array(&scratch, struct hd_tally, snap->type_count);
    placed_count(snap, f, part->selection, at, left);
    for (type_id i = 0; i < snap->type_count; i++) {
        const struct type *type = &snap->types[i];
        if (type->kind != TYPE_OBJECT || left[i].count == 0)
            continue;
        add_row(part, type->name, sample_tally(type, left[i]), type->count_scale);
    }
    arena_free(&scratch);
}

/* --- the whole snapshot -------------------------------------------------- */

/* Paths in order of their parts; begin[i] is the begin of part i. */
static path_id *in_order(size_t *begin, size_t parts, const size_t *part_of_path,
                         const struct full_tree *f, struct arena *a)
{
    path_id *paths = arena_array(a, path_id, f->len);
    size_t *next = arena_array(a, size_t, parts + 1);
    for (path_id p = 1; p < f->len; p++)
        begin[part_of_path[f->parent[p]] + 1]++;
    for (size_t i = 0; i <= parts; i++) {
        begin[i + 1] += begin[i];
        next[i] = begin[i];
    }
    for (path_id p = 1; p < f->len; p++)
        paths[next[part_of_path[f->parent[p]]]++] = p;
    return paths;
}

void holder_parts_split(struct hd_snapshot **of_parts, const struct holder_parts *parts,
                        const size_t *part_of_path, const struct ownership_tree *t,
                        const struct hd_snapshot *snap, enum selection selection)
{
    const struct full_tree *f = &t->full[0];
    struct arena scratch = {0};
    size_t *begin = arena_array(&scratch, size_t, parts->count + 2);
    const path_id *paths = in_order(begin, parts->count, part_of_path, f, &scratch);
    uint32_t *row_of = arena_array(&scratch, uint32_t, t->labels.len);
    size_t unreachable = selection & SELECT_REACHABLE
                             ? parts->count
                             : parts->part_of(parts->context, HOLDER_UNREACHABLE);
    for (size_t i = 0; i < parts->count; i++) {
        size_t count = begin[i + 1] - begin[i];
        size_t most = count + (i == unreachable ? snap->type_count : 0);
        struct holders_part part = {part_begin(snap, most), selection, t};
        add_paths(&part, &paths[begin[i]], count, row_of);
        if (i == unreachable)
            add_unreachable(&part, snap);
        of_parts[i] = part.to;
    }
    arena_free(&scratch);
}

struct deals {
    struct deal count, bytes;
};

static void take_part(struct deals *of_type, struct hd_tally *tally)
{
    tally->count = deal_next(&of_type->count, tally->count);
    tally->bytes = deal_next(&of_type->bytes, tally->bytes);
}

/* Scales the objects of the file; every path has one type, which is its label. */
static void scale_places(struct hd_tally *at, const struct full_tree *f,
                         struct hd_tally *left, const struct hd_snapshot *snap,
                         enum selection selection, struct arena *scratch)
{
    struct deals *deals = arena_array(scratch, struct deals, snap->type_count);
    for (size_t p = 1; p < f->len; p++) {
        deals[f->label[p]].count.raw += at[p].count;
        deals[f->label[p]].bytes.raw += at[p].bytes;
    }
    for (type_id t = 0; t < snap->type_count; t++) {
        deals[t].count.raw += left[t].count;
        deals[t].bytes.raw += left[t].bytes;
        deals[t].count.whole = snap->types[t].tally[selection].count;
        deals[t].bytes.whole = snap->types[t].tally[selection].bytes;
    }
    for (size_t p = 1; p < f->len; p++)
        take_part(&deals[f->label[p]], &at[p]);
    for (type_id t = 0; t < snap->type_count; t++)
        take_part(&deals[t], &left[t]);
}

/* Returns the objects that each path holds directly, then the unreachable objects, and the
 * factor of the latter. */
static struct hd_tally *find_held(const struct hd_snapshot *snap, const struct full_tree *f,
                                  enum selection selection, double *lost_scale,
                                  struct arena *scratch)
{
    struct hd_tally *at = arena_array(scratch, struct hd_tally, f->len);
    struct hd_tally *left = arena_array(scratch, struct hd_tally, snap->type_count);
    struct hd_tally *raw = arena_array(scratch, struct hd_tally, snap->type_count);
    struct hd_tally *held = arena_array(scratch, struct hd_tally, f->len + 1);
    placed_count(snap, f, selection, at, left);
    if (snap->type_count > 0)
        memcpy(raw, left, snap->type_count * sizeof(*raw));
    if (snap->info.sampled)
        scale_places(at, f, left, snap, selection, scratch);
    for (path_id p = 1; p < f->len; p++)
        tally_add(&held[f->parent[p]], &at[p]);
    for (type_id t = 0; t < snap->type_count; t++)
        tally_add(&held[f->len], &left[t]);
    /* The mean factor of unreachable objects, so that the error of their sum is correct
     * (heap/snapshot.h). */
    double weighted = 0;
    for (type_id t = 0; snap->info.sampled && t < snap->type_count; t++)
        weighted +=
            (double)raw[t].count * snap->types[t].count_scale * snap->types[t].count_scale;
    *lost_scale =
        weighted > 0 && held[f->len].count > 0 ? weighted / (double)held[f->len].count : 1;
    return held;
}

/* True if there are objects; less than half an object of a sample may still have bytes. */
static bool holds_something(const struct hd_tally *held)
{
    return held->count > 0 || held->bytes > 0;
}

struct hd_snapshot *holders_of(const struct hd_snapshot *snap, enum selection selection,
                               const struct holder_parts *parts,
                               struct hd_snapshot **of_parts, size_t most)
{
    struct arena scratch = {0};
    struct ownership_tree t;
    ownership_tree_begin(&t, 1);
    t.full[0].most = most;
    if (!ownership_tree_add(&t, 0, snap, selection)) {
        ownership_tree_free(&t);
        return NULL;
    }
    const struct full_tree *f = &t.full[0];
    struct holders_part all = {part_begin(snap, f->len + 1), selection, &t};
    all.to->identity = snap->identity;
    double lost_scale;
    const struct hd_tally *held = find_held(snap, f, selection, &lost_scale, &scratch);
    struct holder_namer n = holder_namer_of(&t.labels, f, &scratch);
    struct text name = {0};
    const double *scale = holder_scales(&t, &scratch);
    size_t *part_of_path = arena_array(&scratch, size_t, f->len);
    for (path_id p = 0; p < f->len; p++) {
        part_of_path[p] = parts != NULL ? parts->count : 0;
        if (!holds_something(&held[p]))
            continue;
        text_clear(&name);
        holder_name(&name, &n, p);
        add_row(&all, text_string(&name), held[p], scale[p]);
        if (parts != NULL)
            part_of_path[p] = parts->part_of(parts->context, text_string(&name));
    }
    if (parts != NULL)
        holder_parts_split(of_parts, parts, part_of_path, &t, snap, selection);
    if (holds_something(&held[f->len]))
        add_row(&all, HOLDER_UNREACHABLE, held[f->len], lost_scale);
    text_free(&name);
    ownership_tree_free(&t);
    arena_free(&scratch);
    return all.to;
}
