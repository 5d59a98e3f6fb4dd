#include "owners/ownership_tree.h"

#include "base/arrays.h"
#include "base/hash.h"
#include "chains/walk.h"
#include "heap/place.h"
#include "heap/snapshot.h"
#include "owners/place_table.h"

#include <stdlib.h>
#include <string.h>

enum { FOLD_DEPTH = 8, AHEAD = 16 };

/* --- fields -----------------------------------------------------------
 *
 * The field of an object is the one through which its owner refers to it; NO_FIELD if the
 * owner has no direct reference, because objects in between are shared. One pass over the
 * references of owners. */

struct pair_count {
    path_id path;
    field_id field;
    uint64_t count;
};

/* State while one snapshot is folded; {0} is disabled. */
struct field_counter {
    struct full_tree *f;
    const field_id *of_node; /* of each node's owner; NULL if fields are unknown */
    struct pair_table slots; /* of path and field, except the first field of a path */
    struct pair_count *pairs;
    size_t pair_count, pair_cap;
    size_t cap; /* of f->field */
    struct arena scratch;
};

static void copy_names(struct full_tree *f, const char *const *names, uint32_t count)
{
    f->field_count = count;
    f->field_names = arena_array(&f->arena, const char *, count);
    for (uint32_t i = 0; i < count; i++)
        f->field_names[i] = arena_strdup(&f->arena, names[i], strlen(names[i]));
}

/* owner: scratch, 4 bytes per node; overwritten. */
static void field_counter_begin(struct field_counter *c, struct full_tree *f,
                                const struct graph *g, const struct dominators *d,
                                node_id *owner)
{
    c->f = f;
    if (g->fields == NULL)
        return;
    memset(owner, 0xFF, array_bytes(g->node_count, sizeof(*owner)));
    for (uint32_t w = 1; w < d->count; w++)
        owner[d->node[w]] = d->node[d->idom[w]];
    c->of_node = walk_fields(g, owner, NULL, &c->scratch);
    copy_names(f, g->fields->names, g->fields->name_count);
}

/* An object is at path p, held by a field, or by NO_FIELD, from the path above. */
static void field_counter_add(struct field_counter *c, path_id p, field_id field)
{
    struct path_field *at = &c->f->field[p];
    at->all++;
    if (at->field == field) {
        at->held++;
        return;
    }
    uint32_t slot = pair_table_put(&c->slots, p, field, (uint32_t)c->pair_count);
    if (slot == c->pair_count) {
        c->pairs = grow(c->pairs, c->pair_count, &c->pair_cap, sizeof(*c->pairs));
        c->pairs[c->pair_count++] = (struct pair_count){p, field, 0};
    }
    c->pairs[slot].count++;
}

static const char *field_name_of(const struct full_tree *f, field_id field)
{
    return field < f->field_count ? f->field_names[field] : "";
}

/* The most frequent field of each path; the first by name if several are. */
static void field_counter_end(struct field_counter *c)
{
    for (size_t i = 0; i < c->pair_count; i++) {
        const struct pair_count *pair = &c->pairs[i];
        struct path_field *at = &c->f->field[pair->path];
        if (pair->count > at->held ||
            (pair->count == at->held && strcmp(field_name_of(c->f, pair->field),
                                               field_name_of(c->f, at->field)) < 0)) {
            at->field = pair->field;
            at->held = pair->count;
        }
    }
    pair_table_free(&c->slots);
    free(c->pairs);
    arena_free(&c->scratch);
}

struct known_field {
    field_id id;
    UT_hash_handle hh;
};

static field_id intern_field(struct labels *l, struct known_field **known, const char *name,
                             struct arena *scratch)
{
    struct known_field *found;
    HASH_FIND_STR(*known, name, found);
    if (found == NULL) {
        found = arena_alloc(scratch, sizeof(*found));
        found->id = (field_id)l->field_count;
        HASH_ADD_KEYPTR(hh, *known, name, strlen(name), found);
        l->fields[l->field_count++] = name;
    }
    return found->id;
}

/* Renumbers the fields of all snapshots: one number per name. */
static void ownership_fields_align(struct ownership_tree *t)
{
    struct labels *l = &t->labels;
    struct arena scratch = {0};
    struct known_field *known = NULL;
    size_t most = 0;
    for (size_t k = 0; k < t->snapshots; k++)
        most += t->full[k].field_count;
    l->fields = arena_array(&l->arena, const char *, most);
    for (size_t k = 0; k < t->snapshots; k++) {
        struct full_tree *f = &t->full[k];
        for (size_t p = 0; f->field != NULL && p < f->len; p++) {
            field_id *field = &f->field[p].field;
            if (*field != NO_FIELD)
                *field = intern_field(l, &known, f->field_names[*field], &scratch);
        }
    }
    HASH_CLEAR(hh, known);
    arena_free(&scratch);
}

/* --- labels ---------------------------------------------------------- */

struct label_slot {
    label_id id;
    UT_hash_handle hh;
};

static void learn_full_name(struct labels *l, struct label *of, const struct type *t)
{
    if (t->full_name == NULL)
        return;
    if (of->full_name == NULL)
        of->full_name = arena_strdup(&l->arena, t->full_name, strlen(t->full_name));
    else if (strcmp(of->full_name, t->full_name) != 0)
        of->full_name = of->name;
}

static label_id intern_label(struct labels *l, const struct type *t,
                             const struct own_modules *own, struct text *key)
{
    text_clear(key);
    text_add_char(key, (char)t->kind);
    text_add_string(key, t->name);
    struct label_slot *slot;
    HASH_FIND(hh, l->by_name, key->data, key->len, slot);
    enum type_origin origin = type_origin_of(t->module);
    enum type_rank rank = type_rank_of(own, t);
    if (slot != NULL) {
        struct label *known = &l->all[slot->id];
        if (known->origin < origin)
            known->origin = origin;
        if (known->rank < rank)
            known->rank = rank;
        learn_full_name(l, known, t);
        return slot->id;
    }
    slot = arena_alloc(&l->arena, sizeof(*slot));
    slot->id = (label_id)l->len;
    const char *kept = arena_strdup(&l->arena, key->data, key->len);
    HASH_ADD_KEYPTR(hh, l->by_name, kept, key->len, slot);
    l->all = grow(l->all, l->len, &l->cap, sizeof(*l->all));
    l->all[l->len++] =
        (struct label){.name = kept + 1,
                       .kind = t->kind,
                       .origin = origin,
                       .rank = rank,
                       .count = arena_array(&l->arena, uint64_t, l->snapshots),
                       .scale = arena_array(&l->arena, double, l->snapshots)};
    learn_full_name(l, &l->all[slot->id], t);
    return slot->id;
}

/* --- one snapshot ---------------------------------------------------- */

static path_id add_full_path(struct full_tree *f, path_id parent, label_id label)
{
    if (f->len == f->cap) {
        f->cap = f->cap > 0 ? array_bytes(f->cap, 2) : 1024;
        f->parent = alloc_resize(f->parent, array_bytes(f->cap, sizeof(*f->parent)));
        f->label = alloc_resize(f->label, array_bytes(f->cap, sizeof(*f->label)));
        f->count = alloc_resize(f->count, array_bytes(f->cap, sizeof(*f->count)));
        f->bytes = alloc_resize(f->bytes, array_bytes(f->cap, sizeof(*f->bytes)));
    }
    f->parent[f->len] = parent;
    f->label[f->len] = label;
    f->count[f->len] = f->bytes[f->len] = 0;
    return (path_id)f->len++;
}

/* Folds recursion: returns the nearest of the parent and its ancestors, eight in total and
 * never the root, with the same label. A linked list is one path, and so are trees and A ->
 * B -> A -> B. */
static path_id ownership_tree_fold(const struct full_tree *f, path_id parent,
                                   label_id label)
{
    path_id p = parent;
    for (int i = 0; i < FOLD_DEPTH && p != 0; i++, p = f->parent[p])
        if (f->label[p] == label)
            return p;
    return NO_PATH;
}

/* Usually the path for a label below a path was requested for the object before: instances
 * are many and paths few. So every path caches its latest answers, in one cache line, by
 * the low bits of the label. */
enum { ANSWERS = 4 };

struct answers {
    label_id label[ANSWERS];
    path_id path[ANSWERS];
};

struct ownership_tree_folder {
    struct full_tree *f;
    struct place_table places;
    struct field_counter fields;
    struct answers *answers; /* of each path */
    size_t len, cap;
};

static path_id add_folded_path(struct ownership_tree_folder *in, path_id parent,
                               label_id label, field_id field)
{
    path_id p = add_full_path(in->f, parent, label);
    if (in->fields.of_node != NULL) {
        in->f->field = grow(in->f->field, p, &in->fields.cap, sizeof(*in->f->field));
        in->f->field[p] = (struct path_field){.field = field};
    }
    return p;
}

static path_id find_path(struct ownership_tree_folder *in, path_id parent, label_id label,
                         field_id field)
{
    path_id p = ownership_tree_fold(in->f, parent, label);
    if (p != NO_PATH)
        return p;
    path_id next = (path_id)in->f->len;
    p = place_table_put(&in->places, parent, label, field, next);
    return p == next ? add_folded_path(in, parent, label, field) : p;
}

static inline path_id ownership_tree_path_of(struct ownership_tree_folder *in,
                                             path_id parent, label_id label, field_id field)
{
    if (in->places.parts)
        return find_path(in, parent, label, field);
    struct answers *a = &in->answers[parent];
    if (a->label[label % ANSWERS] == label)
        return a->path[label % ANSWERS];
    path_id p = find_path(in, parent, label, field);
    a->label[label % ANSWERS] = label;
    a->path[label % ANSWERS] = p;
    for (; in->len < in->f->len; in->len++) {
        in->answers = grow(in->answers, in->len, &in->cap, sizeof(*in->answers));
        memset(&in->answers[in->len], 0xFF, sizeof(*in->answers));
    }
    return p;
}

/* The root. */
static path_id begin_folding(struct ownership_tree_folder *in)
{
    path_id root = add_folded_path(in, NO_PATH, 0, NO_FIELD);
    in->answers = grow(in->answers, in->len, &in->cap, sizeof(*in->answers));
    memset(&in->answers[in->len++], 0xFF, sizeof(*in->answers));
    return root;
}

/* Every path has one type, so factors of a sample are per path. */
static void scale_sample(struct ownership_tree *t, size_t k, const struct hd_snapshot *snap,
                         const label_id *label_of)
{
    struct full_tree *f = &t->full[k];
    double *of_bytes = alloc_zeroed(array_bytes(t->labels.len + 1, sizeof(*of_bytes)));
    for (type_id i = 0; i < snap->type_count; i++) {
        const struct type *type = &snap->types[i];
        of_bytes[label_of[i]] = 1;
        if (type->kind != TYPE_OBJECT)
            continue;
        t->labels.all[label_of[i]].scale[k] = type->count_scale;
        of_bytes[label_of[i]] = sample_bytes_scale(type);
    }
    for (size_t p = 1; p < f->len; p++) {
        double scale = t->labels.all[f->label[p]].scale[k];
        if (t->labels.all[f->label[p]].kind != TYPE_OBJECT)
            continue;
        f->count[p] = tally_scaled(f->count[p], scale);
        f->bytes[p] = tally_scaled(f->bytes[p], of_bytes[f->label[p]]);
    }
    free(of_bytes);
}

/* Owners have smaller numbers than their objects, so a pass in order of numbers visits
 * parents first. */
static void fold_snapshot(struct ownership_tree *t, size_t k,
                          const struct hd_snapshot *snap, struct dominators *d,
                          enum selection selection)
{
    const struct graph *g = snap->graph;
    struct full_tree *f = &t->full[k];
    struct ownership_tree_folder in = {.f = f};
    const label_id *label_of = f->label_of;
    const struct label *labels = t->labels.all;
    /* objects with a dominator are reachable */
    enum selection of_age = selection & SELECT_GEN2;
    /* Concurrent counters must not share a cache line. */
    uint64_t *count = alloc_zeroed(array_bytes(t->labels.len + 1, sizeof(*count)));
    path_id *at = buffer_pool_take(&d->buffers, d->count, sizeof(*at));
    f->at_node =
        alloc_resize(NULL, array_bytes((size_t)g->node_count + 1, sizeof(path_id)));
    if (t->fields != OWNERSHIP_NO_FIELDS)
        field_counter_begin(&in.fields, f, g, d, f->at_node);
    in.places.parts = t->fields == OWNERSHIP_PARTS_FIELDS && in.fields.of_node != NULL;
    memset(f->at_node, 0xFF, array_bytes(g->node_count, sizeof(path_id)));
    at[0] = begin_folding(&in);
    size_t most = f->most > 0 ? f->most : SIZE_MAX;
    for (uint32_t w = 1; w < d->count && f->len <= most; w++) {
        if (w + AHEAD < d->count) {
            __builtin_prefetch(&g->type[d->node[w + AHEAD]]);
            __builtin_prefetch(&g->small_size[d->node[w + AHEAD]]);
            __builtin_prefetch(&f->at_node[d->node[w + AHEAD]], 1);
        }
        node_id n = d->node[w];
        label_id label = label_of[g->type[n]];
        path_id above = at[d->idom[w]];
        field_id field = in.fields.of_node != NULL ? in.fields.of_node[n] : NO_FIELD;
        path_id p = ownership_tree_path_of(&in, above, label, field);
        at[w] = f->at_node[n] = p;
        if (in.fields.of_node != NULL && f->parent[p] == above)
            field_counter_add(&in.fields, p, field);
        count[label]++;
        if (labels[label].kind == TYPE_PSEUDO) {
            f->count[p]++;
        } else if (labels[label].kind == TYPE_OBJECT && snapshot_selects(snap, n, of_age)) {
            f->count[p]++;
            f->bytes[p] += graph_size(g, n);
        }
    }
    for (size_t l = 0; l < t->labels.len; l++)
        labels[l].count[k] = count[l];
    if (snap->info.sampled)
        scale_sample(t, k, snap, label_of);
    buffer_pool_give(&d->buffers, at, d->count, sizeof(*at));
    free(count);
    free(in.answers);
    field_counter_end(&in.fields);
    place_table_free(&in.places);
}

/* --- one digest ------------------------------------------------------ */

static void keep_field_names(struct full_tree *f, const struct digest *d)
{
    const struct digest_places *from = &d->places;
    size_t cap = 0;
    if (from->field == NULL)
        return;
    copy_names(f, d->field_names, d->field_count);
    for (size_t p = 0; p < f->len; p++) {
        f->field = grow(f->field, p, &cap, sizeof(*f->field));
        f->field[p] = (struct path_field){.field = NO_FIELD};
    }
    /* Places merged into one path have the field of the first. */
    for (uint32_t i = from->len; i-- > 1;)
        f->field[f->at_place[i]] =
            (struct path_field){from->field[i], from->held[i], from->held_of[i]};
}

/* Places are folded already by the same rules, but types renamed to one name since then
 * fold again. */
static void add_digest(struct ownership_tree *t, size_t k, const struct hd_snapshot *snap,
                       enum selection selection)
{
    const struct digest_places *from = &snap->digest->places;
    struct full_tree *f = &t->full[k];
    struct ownership_tree_folder in = {.f = f};
    ownership_tree_name_types(t, k, snap);
    const struct label *labels = t->labels.all;
    const struct hd_tally *selected =
        selection & SELECT_GEN2 && from->old != NULL ? from->old : from->at;
    f->at_place = alloc_zeroed(array_bytes((size_t)from->len + 1, sizeof(path_id)));
    begin_folding(&in);
    for (uint32_t i = 1; i < from->len; i++) {
        label_id label = f->label_of[from->type[i]];
        path_id p =
            ownership_tree_path_of(&in, f->at_place[from->parent[i]], label, NO_FIELD);
        f->at_place[i] = p;
        labels[label].count[k] += from->at[i].count;
        if (labels[label].kind == TYPE_PSEUDO) {
            f->count[p] += from->at[i].count;
        } else if (labels[label].kind == TYPE_OBJECT) {
            f->count[p] += selected[i].count;
            f->bytes[p] += selected[i].bytes;
        }
    }
    if (t->fields != OWNERSHIP_NO_FIELDS)
        keep_field_names(f, snap->digest);
    if (snap->info.sampled)
        scale_sample(t, k, snap, f->label_of);
    free(in.answers);
    place_table_free(&in.places);
    free(f->label_of);
    f->label_of = NULL;
}

/* --- objects of a label below a path --------------------------------- */

static void index_labels(struct full_tree *f, size_t labels)
{
    /* Position of each path in preorder, and end of its subtree. */
    size_t n = f->len;
    uint32_t *in_preorder = alloc_zeroed(array_bytes(n + 1, sizeof(*in_preorder)));
    f->position = alloc_zeroed(array_bytes(n + 1, sizeof(*f->position)));
    f->end = alloc_zeroed(array_bytes(n + 1, sizeof(*f->end)));
    preorder(f->parent, n, in_preorder, f->end, f->position);
    for (uint32_t i = 0; i < n; i++)
        f->position[in_preorder[i]] = i;
    for (size_t p = 0; p < n; p++)
        f->end[p] += f->position[p];
    f->label_begin = alloc_zeroed(array_bytes(labels + 2, sizeof(*f->label_begin)));
    for (size_t p = 1; p < f->len; p++)
        f->label_begin[f->label[p] + 2]++;
    for (size_t l = 2; l < labels + 2; l++)
        f->label_begin[l] += f->label_begin[l - 1];
    f->by_label = alloc_zeroed(array_bytes(f->len + 1, sizeof(*f->by_label)));
    for (size_t i = 0; i < f->len; i++) {
        uint32_t p = in_preorder[i];
        if (p != 0)
            f->by_label[f->label_begin[f->label[p] + 1]++] = p;
    }
    f->before = alloc_zeroed(array_bytes(f->len + 1, sizeof(*f->before)));
    for (size_t i = 0; i + 1 < f->len; i++)
        f->before[i + 1] = f->before[i] + f->count[f->by_label[i]];
    free(in_preorder);
}

static bool is_in_front_of(const void *full, size_t i, const void *position)
{
    const struct full_tree *f = full;
    return f->position[f->by_label[i]] < *(const uint32_t *)position;
}

/* Returns the first element of by_label within begin .. end at or after a position. */
static uint32_t first_from(const struct full_tree *f, uint32_t begin, uint32_t end,
                           uint32_t position)
{
    return (uint32_t)search_first(f, begin, end, is_in_front_of, &position);
}

uint64_t full_tree_below(const struct full_tree *f, path_id path, label_id label)
{
    uint32_t begin = f->label_begin[label], end = f->label_begin[label + 1];
    uint32_t first = first_from(f, begin, end, f->position[path] + 1);
    uint32_t last = first_from(f, first, end, f->end[path]);
    return f->before[last] - f->before[first];
}

void ownership_tree_begin(struct ownership_tree *t, size_t snapshots)
{
    *t =
        (struct ownership_tree){.snapshots = snapshots, .labels = {.snapshots = snapshots}};
    t->full = alloc_zeroed(array_bytes(snapshots, sizeof(*t->full)));
}

void ownership_tree_name_types(struct ownership_tree *t, size_t k,
                               const struct hd_snapshot *snap)
{
    if (t->full[k].label_of != NULL)
        return;
    label_id *of = alloc_zeroed(array_bytes((size_t)snap->type_count + 1, sizeof(*of)));
    struct own_modules own = own_modules_of(snap);
    struct text key = {0};
    for (type_id i = 0; i < snap->type_count; i++)
        of[i] = intern_label(&t->labels, &snap->types[i], &own, &key);
    text_free(&key);
    t->full[k].label_of = of;
}

bool ownership_tree_add_owned(struct ownership_tree *t, size_t k,
                              const struct hd_snapshot *snap, struct dominators *d,
                              enum selection selection)
{
    ownership_tree_name_types(t, k, snap);
    fold_snapshot(t, k, snap, d, selection);
    free(t->full[k].label_of);
    t->full[k].label_of = NULL;
    return t->full[k].most == 0 || t->full[k].len <= t->full[k].most;
}

bool ownership_tree_add(struct ownership_tree *t, size_t k, const struct hd_snapshot *snap,
                        enum selection selection)
{
    if (snap->digest != NULL) {
        add_digest(t, k, snap, selection);
        return t->full[k].most == 0 || t->full[k].len <= t->full[k].most;
    }
    struct dominators d = dominators_find(snap, DOMINATORS_OF_OWNERS);
    bool fits = ownership_tree_add_owned(t, k, snap, &d, selection);
    dominators_free(&d);
    return fits;
}

/* --- the series ------------------------------------------------------ */

static path_id add_path(struct ownership_tree *t, path_id parent, label_id label,
                        field_id field)
{
    size_t n = t->snapshots;
    if (t->len == t->cap) {
        t->cap = t->cap > 0 ? array_bytes(t->cap, 2) : 1024;
        size_t cells = array_bytes(t->cap, n);
        t->parent = alloc_resize(t->parent, array_bytes(t->cap, sizeof(*t->parent)));
        t->label = alloc_resize(t->label, array_bytes(t->cap, sizeof(*t->label)));
        t->count = alloc_resize(t->count, array_bytes(cells, sizeof(*t->count)));
        t->bytes = alloc_resize(t->bytes, array_bytes(cells, sizeof(*t->bytes)));
        t->retained = alloc_resize(t->retained, array_bytes(cells, sizeof(*t->retained)));
        t->full_of = alloc_resize(t->full_of, array_bytes(cells, sizeof(*t->full_of)));
        if (t->fields == OWNERSHIP_PARTS_FIELDS)
            t->field = alloc_resize(t->field, array_bytes(t->cap, sizeof(*t->field)));
    }
    path_id p = (path_id)t->len++;
    if (t->field != NULL)
        t->field[p] = field;
    t->parent[p] = parent;
    t->label[p] = label;
    memset(&t->count[p * n], 0, n * sizeof(*t->count));
    memset(&t->bytes[p * n], 0, n * sizeof(*t->bytes));
    memset(&t->retained[p * n], 0, n * sizeof(*t->retained));
    memset(&t->full_of[p * n], 0xFF, n * sizeof(*t->full_of));
    return p;
}

/* A path begins at the nearest anchor at or above its end; then its field is above. */
static bool merge_snapshot(struct ownership_tree *t, size_t k, struct place_table *in)
{
    struct full_tree *f = &t->full[k];
    path_id *cut = f->cut = alloc_zeroed(array_bytes(f->len + 1, sizeof(*cut)));
    size_t most = t->most > 0 ? t->most : SIZE_MAX;
    for (size_t p = 1; p < f->len; p++) {
        label_id label = f->label[p];
        bool starts = t->labels.all[label].is_anchor;
        path_id parent = starts ? 0 : cut[f->parent[p]];
        field_id field = f->field != NULL && !starts ? f->field[p].field : NO_FIELD;
        path_id next = (path_id)t->len,
                to = place_table_put(in, parent, label, field, next);
        if (to == next)
            add_path(t, parent, label, field);
        cut[p] = to;
        size_t cell = to * t->snapshots + k;
        t->count[cell] += f->count[p];
        t->bytes[cell] += f->bytes[p];
        if (t->full_of[cell] == NO_PATH)
            t->full_of[cell] = (path_id)p;
        if (t->len > most)
            return false;
    }
    return true;
}

bool ownership_tree_align(struct ownership_tree *t)
{
    for (size_t i = 0; i < t->labels.len; i++) {
        struct label *label = &t->labels.all[i];
        label->is_anchor = true;
        for (size_t k = 0; k < t->snapshots; k++)
            label->is_anchor &= label->count[k] <= 1;
    }
    struct place_table in = {.parts = t->fields == OWNERSHIP_PARTS_FIELDS};
    ownership_fields_align(t);
    add_path(t, NO_PATH, 0, NO_FIELD);
    bool fits = true;
    for (size_t k = 0; fits && k < t->snapshots; k++) {
        t->full_of[k] = 0;
        index_labels(&t->full[k], t->labels.len);
        fits = merge_snapshot(t, k, &in);
    }
    place_table_free(&in);
    if (!fits)
        return false;
    size_t n = t->snapshots;
    for (size_t i = 0; i < t->len * n; i++)
        t->retained[i] = t->bytes[i];
    for (size_t p = t->len; p-- > 1;)
        for (size_t k = 0; k < n; k++)
            t->retained[t->parent[p] * n + k] += t->retained[p * n + k];
    return true;
}

void ownership_tree_free(struct ownership_tree *t)
{
    for (size_t k = 0; k < t->snapshots; k++) {
        struct full_tree *f = &t->full[k];
        free(f->parent);
        free(f->label);
        free(f->count);
        free(f->bytes);
        free(f->position);
        free(f->end);
        free(f->by_label);
        free(f->label_begin);
        free(f->before);
        free(f->label_of);
        free(f->at_node);
        free(f->at_place);
        free(f->cut);
        free(f->field);
        arena_free(&f->arena);
    }
    free(t->full);
    free(t->parent);
    free(t->label);
    free(t->field);
    free(t->count);
    free(t->bytes);
    free(t->retained);
    free(t->full_of);
    HASH_CLEAR(hh, t->labels.by_name);
    free(t->labels.all);
    arena_free(&t->labels.arena);
    *t = (struct ownership_tree){0};
}

/* Paths of an ownership tree in an order independent of hashes. */

struct named_label {
    const char *name;
    label_id label;
};

static int ownership_tree_by_name(const void *a, const void *b)
{
    const struct named_label *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->label > y->label) - (x->label < y->label);
}

/* The place of each label among all, by name. */
static uint32_t *label_order(const struct labels *l)
{
    uint32_t *order = alloc_zeroed(array_bytes(l->len + 1, sizeof(*order)));
    struct named_label *sorted = alloc_zeroed(array_bytes(l->len + 1, sizeof(*sorted)));
    for (size_t i = 0; i < l->len; i++)
        sorted[i] = (struct named_label){l->all[i].name, (label_id)i};
    qsort(sorted, l->len, sizeof(*sorted), ownership_tree_by_name);
    for (size_t i = 0; i < l->len; i++)
        order[sorted[i].label] = (uint32_t)i;
    free(sorted);
    return order;
}

struct ownership_tree_sibling {
    uint64_t key;      /* parent, then place of the label */
    const char *field; /* "" if fields do not separate paths */
    path_id path;
};

static int by_key(const void *a, const void *b)
{
    const struct ownership_tree_sibling *x = a, *y = b;
    return x->key != y->key ? x->key > y->key ? 1 : -1 : strcmp(x->field, y->field);
}

/* A preorder with siblings by name: positions as in preorder(), children of each path in
 * their order. */
static uint32_t *order_paths(const struct labels *names, const path_id *parent,
                             const label_id *label, const field_id *field,
                             const struct path_field *node_field, size_t n)
{
    uint32_t *labels = label_order(names);
    struct ownership_tree_sibling *siblings =
        alloc_zeroed(array_bytes(n + 1, sizeof(*siblings)));
    uint32_t *size = alloc_zeroed(array_bytes(n + 1, sizeof(*size)));
    uint32_t *next = alloc_zeroed(array_bytes(n + 1, sizeof(*next)));
    uint32_t *position = alloc_zeroed(array_bytes(n + 1, sizeof(*position)));
    for (size_t p = n; p-- > 1;) {
        size[p]++;
        size[parent[p]] += size[p];
        field_id by = field != NULL        ? field[p]
                      : node_field != NULL ? node_field[p].field
                                           : NO_FIELD;
        siblings[p] =
            (struct ownership_tree_sibling){(uint64_t)parent[p] << 32 | labels[label[p]],
                                            label_field(names, by), (path_id)p};
    }
    if (n > 1)
        qsort(siblings + 1, n - 1, sizeof(*siblings), by_key);
    next[0] = 1;
    for (size_t i = 1; i < n; i++) {
        path_id p = siblings[i].path;
        position[p] = next[parent[p]];
        next[parent[p]] += size[p];
        next[p] = position[p] + 1;
    }
    free(labels);
    free(siblings);
    free(size);
    free(next);
    return position;
}

uint32_t *ownership_tree_order(const struct ownership_tree *t)
{
    return order_paths(&t->labels, t->parent, t->label, t->field, NULL, t->len);
}

uint32_t *full_tree_order(const struct ownership_tree *t, size_t k)
{
    const struct full_tree *f = &t->full[k];
    return order_paths(&t->labels, f->parent, f->label, NULL, f->field, f->len);
}

/* --- holders ---------------------------------------------------------------- */

/* Names of holders, as short lists of types.
 *
 * A path may be as deep as the heap. One longer than both ends together is shown without
 * its middle: names of holders, and patterns for them, are all made here, so that a name
 * printed in one report matches in another. */

struct holder_namer holder_namer_of(const struct labels *labels, const struct full_tree *f,
                                    struct arena *a)
{
    struct holder_namer n = {labels, f, arena_array(a, uint32_t, f->len),
                             arena_array(a, path_id, f->len)};
    for (path_id p = 1; p < f->len; p++) {
        n.depth[p] = n.depth[f->parent[p]] + 1;
        n.head[p] = n.depth[p] <= HOLDER_HEAD_LABELS ? p : n.head[f->parent[p]];
    }
    return n;
}

/* Writes the last of the names from p up to, but not including, stop to names, in order
 * from the root: at most `most`. */
static size_t add_names(const char **names, const struct holder_namer *n, path_id p,
                        path_id stop, size_t most)
{
    size_t between = n->depth[p] - n->depth[stop];
    size_t count = between < most ? between : most;
    for (size_t i = count; i-- > 0; p = n->f->parent[p])
        names[i] = n->labels->all[n->f->label[p]].name;
    return count;
}

size_t holder_names(const struct holder_namer *n, path_id p,
                    const char *names[HOLDER_MAX_LABELS])
{
    size_t count = add_names(names, n, n->head[p], 0, HOLDER_HEAD_LABELS);
    if (n->depth[p] > HOLDER_HEAD_LABELS + HOLDER_TAIL_LABELS)
        names[count++] = HOLDER_OMITTED;
    return count + add_names(&names[count], n, p, n->head[p], HOLDER_TAIL_LABELS);
}

void holder_name(struct text *out, const struct holder_namer *n, path_id p)
{
    const char *names[HOLDER_MAX_LABELS];
    if (p == 0)
        text_add_string(out, "[roots]");
    else
        holder_join(out, names, holder_names(n, p, names));
}
