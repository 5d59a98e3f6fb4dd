#include "heap/root_set.h"

#include "base/hash.h"
#include "heap/place.h"
#include "heap/root_kind.h"

#include <stdlib.h>
#include <string.h>

struct root_static {
    uint32_t number;
    const char *name;
    UT_hash_handle hh;
};

/* --- places -------------------------------------------------------------- */

struct root_places root_places_sort(const struct root_place *all, size_t len, size_t places,
                                    struct arena *a)
{
    struct root_places p = {.begin = arena_array(a, size_t, places + 1),
                            .objects = arena_array(a, node_id, len)};
    for (size_t i = 0; i < len; i++)
        p.begin[all[i].place + 1]++;
    for (size_t g = 0; g < places; g++)
        p.begin[g + 1] += p.begin[g];
    size_t *next = arena_array(a, size_t, places);
    memcpy(next, p.begin, places * sizeof(*next));
    for (size_t i = 0; i < len; i++)
        p.objects[next[all[i].place]++] = all[i].object;
    return p;
}

void root_places_refer(const struct root_places *p, size_t place, struct builder *b)
{
    for (size_t i = p->begin[place]; i < p->begin[place + 1]; i++)
        builder_edge(b, p->objects[i]);
}

/* --- the set ------------------------------------------------------------- */

static struct root_static *intern_static(struct root_set *s, const char *name, size_t len)
{
    struct root_static *found;
    HASH_FIND(hh, s->statics, name, len, found);
    if (found != NULL)
        return found;
    found = arena_alloc(&s->names, sizeof(*found));
    found->number = s->static_count++;
    found->name = arena_strdup(&s->names, name, len);
    HASH_ADD_KEYPTR(hh, s->statics, found->name, len, found);
    return found;
}

void root_set_add(struct root_set *s, enum hd_root_kind kind, const char *name, size_t len,
                  node_id object)
{
    uint32_t place = kind;
    if (kind == HD_ROOT_STATIC)
        place = HD_ROOT_KIND_COUNT + intern_static(s, name, len)->number;
    s->all = account_grow(s->names.account, s->all, s->len, &s->cap, sizeof(*s->all));
    s->all[s->len++] = (struct root_place){place, object};
}

static node_id pseudo_node(struct builder *b, const char *name, size_t len)
{
    node_id id = b->graph != NULL ? b->graph->node_count : 0;
    builder_node(b, builder_type(b, TYPE_PSEUDO, name, len), 0);
    return id;
}

void root_set_emit(struct root_set *s, struct builder *b)
{
    if (s->len == 0)
        return;
    struct arena scratch = {0};
    struct root_places p = root_places_sort(
        s->all, s->len, HD_ROOT_KIND_COUNT + (size_t)s->static_count, &scratch);

    struct text name = {0};
    node_id first_static = b->graph->node_count;
    for (const struct root_static *v = s->statics; v != NULL; v = v->hh.next) {
        text_clear(&name);
        place_add_static(&name, name_part(v->name), (struct name_part){0});
        pseudo_node(b, name.data, name.len);
        root_places_refer(&p, HD_ROOT_KIND_COUNT + (size_t)v->number, b);
    }
    text_free(&name);

    node_id group_nodes[HD_ROOT_KIND_COUNT], group_count = 0;
    for (size_t g = 0; g < HD_ROOT_KIND_COUNT; g++) {
        bool is_static = g == HD_ROOT_STATIC;
        if (is_static ? s->static_count == 0 : p.begin[g] == p.begin[g + 1])
            continue;
        /* So that chains of all formats line up. */
        const char *group = root_kind_group((enum hd_root_kind)g);
        group_nodes[group_count++] = pseudo_node(b, group, strlen(group));
        for (uint32_t v = 0; is_static && v < s->static_count; v++)
            builder_edge(b, first_static + v);
        root_places_refer(&p, g, b);
    }
    static const char root[] = "[roots]";
    node_id root_node = pseudo_node(b, root, sizeof(root) - 1);
    for (size_t i = 0; i < group_count; i++)
        builder_edge(b, group_nodes[i]);
    builder_root(b, root_node);
    arena_free(&scratch);
}

void root_set_free(struct root_set *s)
{
    HASH_CLEAR(hh, s->statics);
    arena_free(&s->names);
    free(s->all);
    *s = (struct root_set){0};
}
