#include "heap/root_set.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct root_record {
    uint32_t group; /* enum root_kind, or ROOT_KIND_COUNT + number of the static */
    node_id object;
};

struct root_static {
    uint32_t number;
    const char *name;
    UT_hash_handle hh;
};

/* The names that gcdump writers use, so that chains of all formats line up. */
static const char *const group_names[ROOT_KIND_COUNT] = {
    [ROOT_STATIC] = "[static vars]",
    [ROOT_THREAD_STATIC] = "[thread static vars]",
    [ROOT_STRONG_HANDLE] = "[strong Handles]",
    [ROOT_PINNED_HANDLE] = "[pinning Handles]",
    [ROOT_REF_COUNTED_HANDLE] = "[COM/WinRT Objects]",
    [ROOT_DEPENDENT_HANDLE] = "[Dependent Handles]",
    [ROOT_STACK] = "[local vars]",
    [ROOT_FINALIZER] = "[finalizer Handles]",
    [ROOT_OTHER] = "[other roots]",
};

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

void root_set_add(struct root_set *s, enum root_kind kind, const char *name, size_t len,
                  node_id object)
{
    uint32_t group = kind;
    if (kind == ROOT_STATIC)
        group = ROOT_KIND_COUNT + intern_static(s, name, len)->number;
    s->all = grow(s->all, s->len, &s->cap, sizeof(*s->all));
    s->all[s->len++] = (struct root_record){group, object};
}

/* begin[g] .. begin[g + 1] in the result are the objects of group g, in order. */
static node_id *sort_by_group(const struct root_set *s, size_t *begin, size_t groups,
                              struct arena *scratch)
{
    for (size_t i = 0; i < s->len; i++)
        begin[s->all[i].group + 1]++;
    for (size_t g = 0; g < groups; g++)
        begin[g + 1] += begin[g];
    size_t *next = arena_array(scratch, size_t, groups);
    memcpy(next, begin, groups * sizeof(*next));
    node_id *sorted = arena_array(scratch, node_id, s->len);
    for (size_t i = 0; i < s->len; i++)
        sorted[next[s->all[i].group]++] = s->all[i].object;
    return sorted;
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
    size_t groups = ROOT_KIND_COUNT + (size_t)s->static_count;
    size_t *begin = arena_array(&scratch, size_t, groups + 1);
    node_id *objects = sort_by_group(s, begin, groups, &scratch);

    struct text name = {0};
    node_id first_static = b->graph->node_count;
    for (const struct root_static *v = s->statics; v != NULL; v = v->hh.next) {
        text_clear(&name);
        text_add_string(&name, "[static var ");
        text_add_string(&name, v->name);
        text_add_string(&name, "]");
        pseudo_node(b, name.data, name.len);
        for (size_t i = begin[ROOT_KIND_COUNT + v->number];
             i < begin[ROOT_KIND_COUNT + v->number + 1]; i++)
            builder_edge(b, objects[i]);
    }
    text_free(&name);

    node_id group_nodes[ROOT_KIND_COUNT], group_count = 0;
    for (size_t g = 0; g < ROOT_KIND_COUNT; g++) {
        bool is_static = g == ROOT_STATIC;
        if (is_static ? s->static_count == 0 : begin[g] == begin[g + 1])
            continue;
        group_nodes[group_count++] = pseudo_node(b, group_names[g], strlen(group_names[g]));
        for (uint32_t v = 0; is_static && v < s->static_count; v++)
            builder_edge(b, first_static + v);
        for (size_t i = begin[g]; i < begin[g + 1]; i++)
            builder_edge(b, objects[i]);
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
