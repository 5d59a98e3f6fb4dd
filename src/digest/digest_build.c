#include "digest/digest_build.h"

#include "ages/ages.h"
#include "digest/digest_build_parts.h"
#include "heap/reach.h"
#include "owners/retained.h"

#include <stdlib.h>
#include <string.h>

/* --- fields ---------------------------------------------------------- */

static void keep_field_names(struct digest *to, const struct graph *g, struct arena *a)
{
    if (g->fields == NULL)
        return;
    to->field_count = g->fields->name_count;
    to->field_names = arena_array(a, const char *, to->field_count);
    for (uint32_t i = 0; i < to->field_count; i++)
        to->field_names[i] =
            arena_strdup(a, g->fields->names[i], strlen(g->fields->names[i]));
}

/* --- places ---------------------------------------------------------- */

/* As the file has them: a ownership tree has what they stand for. */
static void count_objects(struct digest_places *to, const struct hd_snapshot *snap,
                          const struct full_tree *f)
{
    const struct graph *g = snap->graph;
    for (node_id n = 0; n < g->node_count; n++) {
        path_id p = f->at_node[n];
        if (p == NO_PATH || p == 0)
            continue;
        to->at[p].count++;
        if (snap->types[g->type[n]].kind != TYPE_OBJECT)
            continue;
        to->at[p].bytes += graph_size(g, n);
        if (to->old == NULL || !snapshot_selects(snap, n, SELECT_GEN2))
            continue;
        to->old[p].count++;
        to->old[p].bytes += graph_size(g, n);
    }
}

static void keep_fields(struct digest_places *to, const struct full_tree *f,
                        struct arena *a)
{
    if (f->field == NULL)
        return;
    to->field = arena_array(a, field_id, f->len);
    to->held = arena_array(a, uint64_t, f->len);
    to->held_of = arena_array(a, uint64_t, f->len);
    for (size_t p = 0; p < f->len; p++) {
        to->field[p] = p > 0 ? f->field[p].field : NO_FIELD;
        to->held[p] = p > 0 ? f->field[p].held : 0;
        to->held_of[p] = p > 0 ? f->field[p].all : 0;
    }
}

/* Labels of a ownership tree of one snapshot are its types, one by one. */
static void keep_places(struct digest_places *to, const struct hd_snapshot *snap,
                        const struct full_tree *f, struct arena *a)
{
    to->len = (uint32_t)f->len;
    to->parent = arena_array(a, uint32_t, f->len);
    to->type = arena_array(a, type_id, f->len);
    to->at = arena_array(a, struct hd_tally, f->len);
    if (snap->info.has_generations)
        to->old = arena_array(a, struct hd_tally, f->len);
    for (size_t p = 1; p < f->len; p++) {
        to->parent[p] = f->parent[p];
        to->type[p] = f->label[p];
    }
    to->parent[0] = NO_PLACE;
    to->type[0] = NO_TYPE;
    count_objects(to, snap, f);
    keep_fields(to, f, a);
}

/* --- types ----------------------------------------------------------- */

static uint64_t *retained_of(const struct hd_snapshot *snap, struct arena *a)
{
    struct dominators d = dominators_find(snap, DOMINATORS_PLAIN);
    uint64_t *by_type = retained_by_type(&d, snap, a);
    dominators_free(&d);
    return by_type;
}

/* --- all of it ------------------------------------------------------- */

struct digest *digest_build(struct hd_snapshot *snap, struct arena *a)
{
    struct digest *to = arena_alloc(a, sizeof(*to));
    const struct graph *g = snap->graph;
    to->source_format = snap->info.format;
    to->source_xxh3 = snap->info.source_xxh3;
    if (g == NULL)
        return to;
    keep_field_names(to, g, a);
    to->retained = retained_of(snap, a);
    struct dominators d = dominators_find(snap, DOMINATORS_OF_OWNERS);
    reach_given(snap, d.node, d.count);
    struct ownership_tree t;
    ownership_tree_begin(&t, 1);
    t.fields = g->fields != NULL ? OWNERSHIP_TELLS_FIELDS : OWNERSHIP_NO_FIELDS;
    ownership_tree_add_owned(&t, 0, snap, &d, SELECT_ALL);
    dominators_free(&d);
    to->lost = reach_lost(snap, a);
    if (snap->ages != NULL)
        ages_add(snap->ages, snap, &t, &to->ages, a);
    if (snap->info.has_roots) {
        const struct full_tree *f = &t.full[0];
        keep_places(&to->places, snap, f, a);
        digest_build_sharing(to, g, f, a);
        digest_build_chains(to, snap, f, a);
        digest_build_survivors(&to->survivors, snap, false, a);
    }
    ownership_tree_free(&t);
    return to;
}
