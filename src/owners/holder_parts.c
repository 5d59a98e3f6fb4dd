#include "owners/holder_parts.h"
#include "heap/sample.h"
#include "owners/placed.h"

#include <string.h>

/* What objects at a path stand for; every path has one type. */
static double scale_at(const struct ownership_tree *t, path_id p)
{
    double scale = t->labels.all[t->full[0].label[p]].scale[0];
    return scale > 0 ? scale : 1;
}

double *holder_scales(const struct ownership_tree *t, struct arena *a)
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

/* One part in the making. */
struct part {
    struct hd_snapshot *to;
    enum selection selection;
    const struct ownership_tree *t;
};

static struct hd_snapshot *part_begin(const struct hd_snapshot *snap, size_t most)
{
    struct hd_snapshot *to = alloc_zeroed(sizeof(*to));
    to->info = snap->info;
    to->origin = snap->origin;
    to->read.tables_only = true; /* there is no graph to be read again */
    to->clock = snap->clock;
    to->clock_is_date = snap->clock_is_date;
    to->types = arena_array(&to->arena, struct type, most);
    return to;
}

static void add_row(const struct part *part, const char *name, struct hd_tally tally,
                    double scale)
{
    struct hd_snapshot *to = part->to;
    struct type *row = &to->types[to->type_count++];
    *row = (struct type){.name = arena_strdup(&to->arena, name, strlen(name)),
                         .kind = TYPE_OBJECT,
                         .raw = tally,
                         .count_scale = scale};
    row->tally[part->selection] = tally;
}

/* A type lies at many paths: row_of[label] is its row from 1 on, and 0 again at the end. */
static void add_paths(const struct part *part, const path_id *paths, size_t count,
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

/* --- what is unreachable ------------------------------------------------- */

static void add_unreachable(const struct part *part, const struct hd_snapshot *snap)
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

/* --- all of it ----------------------------------------------------------- */

/* Paths in order of the part that they are in; begin[i] is where those of part i begin. */
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

void holder_parts_take(struct hd_snapshot **of_parts, const struct holder_parts *parts,
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
        struct part part = {part_begin(snap, most), selection, t};
        add_paths(&part, &paths[begin[i]], count, row_of);
        if (i == unreachable)
            add_unreachable(&part, snap);
        of_parts[i] = part.to;
    }
    arena_free(&scratch);
}
