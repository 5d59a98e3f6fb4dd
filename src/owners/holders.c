#include "owners/holders.h"

#include "heap/sample.h"
#include "owners/holder_name.h"
#include "owners/placed.h"

#include <stdlib.h>
#include <string.h>

static void add_holder(struct hd_snapshot *to, enum selection selection, const char *name,
                       struct hd_tally tally)
{
    struct type *row = &to->types[to->type_count++];
    *row = (struct type){.name = name, .kind = TYPE_OBJECT, .raw = tally, .count_scale = 1};
    row->tally[selection] = tally;
}

struct deals {
    struct deal count, bytes;
};

static void take_part(struct deals *of_type, struct hd_tally *tally)
{
    tally->count = deal_next(&of_type->count, tally->count);
    tally->bytes = deal_next(&of_type->bytes, tally->bytes);
}

/* Turn objects of the file into what they stand for; every path has one type, which is its
 * label. */
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

/* What an object that no path has stands for in the mean, so that the error of their sum
 * comes out right (heap/sample.h). left is as in the file, count what they stand for. */
static double unreachable_scale(const struct hd_snapshot *snap, const struct hd_tally *left,
                                uint64_t count)
{
    double weighted = 0;
    for (type_id t = 0; snap->info.sampled && t < snap->type_count; t++)
        weighted +=
            (double)left[t].count * snap->types[t].count_scale * snap->types[t].count_scale;
    return weighted > 0 && count > 0 ? weighted / (double)count : 1;
}

/* What each path holds directly, and what no path has at the end, with what an object of
 * that stands for. */
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
    *lost_scale = unreachable_scale(snap, raw, held[f->len].count);
    return held;
}

/* Less than half an object of a sample may still have bytes. */
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
    struct hd_snapshot *to = alloc_zeroed(sizeof(*to));
    to->info = snap->info;
    to->origin = snap->origin;
    to->identity = snap->identity;
    to->read.tables_only = true; /* there is no graph to be read again */
    to->clock = snap->clock;
    to->clock_is_date = snap->clock_is_date;
    to->types = arena_array(&to->arena, struct type, f->len + 1);

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
        add_holder(to, selection, arena_strdup(&to->arena, name.data, name.len), held[p]);
        to->types[to->type_count - 1].count_scale = scale[p];
        if (parts != NULL)
            part_of_path[p] = parts->part_of(parts->context, text_string(&name));
    }
    if (parts != NULL)
        holder_parts_take(of_parts, parts, part_of_path, &t, snap, selection);
    if (holds_something(&held[f->len])) {
        add_holder(to, selection, HOLDER_UNREACHABLE, held[f->len]);
        to->types[to->type_count - 1].count_scale = lost_scale;
    }
    text_free(&name);
    ownership_tree_free(&t);
    arena_free(&scratch);
    return to;
}
