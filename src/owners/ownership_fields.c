#include "owners/ownership_fields.h"

#include "base/hash.h"
#include "chains/walk.h"

#include <stdlib.h>
#include <string.h>

struct pair_count {
    path_id path;
    field_id field;
    uint64_t count;
};

static const char **copy_names(const struct fields *fields, struct arena *a)
{
    const char **names = arena_array(a, const char *, fields->name_count);
    for (uint32_t i = 0; i < fields->name_count; i++)
        names[i] = arena_strdup(a, fields->names[i], strlen(fields->names[i]));
    return names;
}

void field_counter_begin(struct field_counter *c, struct full_tree *f,
                         const struct graph *g, const struct dominators *d, node_id *owner)
{
    c->f = f;
    if (g->fields == NULL)
        return;
    memset(owner, 0xFF, array_bytes(g->node_count, sizeof(*owner)));
    for (uint32_t w = 1; w < d->count; w++)
        owner[d->node[w]] = d->node[d->idom[w]];
    c->of_node = walk_fields(g, owner, NULL, &c->scratch);
    f->field_names = copy_names(g->fields, &f->arena);
    f->field_count = g->fields->name_count;
}

void field_counter_add_path(struct field_counter *c, path_id p, field_id first)
{
    if (c->of_node == NULL)
        return;
    c->f->field = grow(c->f->field, p, &c->cap, sizeof(*c->f->field));
    c->f->field[p] = (struct path_field){.field = first};
}

void field_counter_add(struct field_counter *c, path_id p, field_id field)
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

static const char *name_of(const struct full_tree *f, field_id field)
{
    return field < f->field_count ? f->field_names[field] : "";
}

/* Of several the first by name, whatever the order of the file. */
void field_counter_end(struct field_counter *c)
{
    for (size_t i = 0; i < c->pair_count; i++) {
        const struct pair_count *pair = &c->pairs[i];
        struct path_field *at = &c->f->field[pair->path];
        if (pair->count > at->held ||
            (pair->count == at->held &&
             strcmp(name_of(c->f, pair->field), name_of(c->f, at->field)) < 0)) {
            at->field = pair->field;
            at->held = pair->count;
        }
    }
    pair_table_free(&c->slots);
    free(c->pairs);
    arena_free(&c->scratch);
}

/* --- the series ---------------------------------------------------------------- */

struct known_field {
    field_id id;
    UT_hash_handle hh;
};

static field_id intern(struct labels *l, struct known_field **known, const char *name,
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

void ownership_fields_align(struct ownership_tree *t)
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
                *field = intern(l, &known, f->field_names[*field], &scratch);
        }
    }
    HASH_CLEAR(hh, known);
    arena_free(&scratch);
}
