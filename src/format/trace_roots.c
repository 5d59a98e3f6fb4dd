#include "format/trace_roots.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct trace_root {
    uint32_t place; /* enum trace_group, or GROUP_COUNT + number of a variable */
    node_id object;
};

struct trace_variable {
    uint32_t number;
    enum trace_group group;
    const char *name; /* behind a byte of its own for the group, which is the key */
    size_t len;
    UT_hash_handle hh;
};

static const struct {
    const char *name;
    bool is_other; /* below [other roots] */
} groups[GROUP_COUNT] = {
    [GROUP_STATICS] = {"[static vars]", false},
    [GROUP_THREAD_STATICS] = {"[thread static vars]", false},
    [GROUP_STACK] = {"[local vars]", false},
    [GROUP_WRAPPERS] = {"[COM/WinRT Objects]", false},
    [GROUP_REF_COUNTED] = {"[COM/WinRT Objects]", true},
    [GROUP_FINALIZER] = {"[finalizer Handles]", true},
    [GROUP_PINNING] = {"[pinning Handles]", true},
    [GROUP_STRONG] = {"[strong Handles]", true},
    [GROUP_OTHER] = {"[other Handles]", true},
    [GROUP_DEPENDENT] = {"[Dependent Handles]", true},
};

/* The order of the questions is dotnet-gcdump's. */
enum trace_group trace_group_of(const struct heap_root *root)
{
    if (root->kind == ROOT_RECORD_STACK)
        return GROUP_STACK;
    if (root->flags & ROOT_FLAG_REF_COUNTED)
        return GROUP_REF_COUNTED;
    if (root->kind == ROOT_RECORD_FINALIZER)
        return GROUP_FINALIZER;
    if (root->kind != ROOT_RECORD_HANDLE)
        return GROUP_OTHER;
    return root->flags == ROOT_FLAG_PINNING ? GROUP_PINNING : GROUP_STRONG;
}

static uint32_t variable(struct trace_roots *r, enum trace_group group, const char *name,
                         size_t len)
{
    struct trace_variable *found;
    struct text key = {0};
    text_add_char(&key, (char)group);
    text_add(&key, name, len);
    HASH_FIND(hh, r->variables, key.data, key.len, found);
    if (found == NULL) {
        found = arena_alloc(&r->names, sizeof(*found));
        *found = (struct trace_variable){.number = r->variable_count++,
                                         .group = group,
                                         .name = arena_strdup(&r->names, key.data, key.len),
                                         .len = key.len};
        HASH_ADD_KEYPTR(hh, r->variables, found->name, found->len, found);
    }
    text_free(&key);
    return found->number;
}

void trace_roots_add(struct trace_roots *r, enum trace_group group, const char *name,
                     size_t len, node_id object)
{
    uint32_t place = group;
    if (name != NULL)
        place = GROUP_COUNT + variable(r, group, name, len);
    r->all = grow(r->all, r->len, &r->cap, sizeof(*r->all));
    r->all[r->len++] = (struct trace_root){place, object};
}

/* The root of all roots, [other roots], all groups, all variables. */
void trace_roots_room(const struct trace_roots *r, size_t *nodes, size_t *edges)
{
    *nodes = 2 + GROUP_COUNT + (size_t)r->variable_count;
    *edges = *nodes + r->len;
}

/* begin[p] .. begin[p + 1] of the result are the objects of place p, in order. */
static node_id *sort_by_place(const struct trace_roots *r, size_t *begin, size_t places,
                              struct arena *scratch)
{
    for (size_t i = 0; i < r->len; i++)
        begin[r->all[i].place + 1]++;
    for (size_t p = 0; p < places; p++)
        begin[p + 1] += begin[p];
    size_t *next = arena_array(scratch, size_t, places);
    memcpy(next, begin, places * sizeof(*next));
    node_id *sorted = arena_array(scratch, node_id, r->len);
    for (size_t i = 0; i < r->len; i++)
        sorted[next[r->all[i].place]++] = r->all[i].object;
    return sorted;
}

static node_id pseudo_node(struct builder *b, const char *name, size_t len)
{
    node_id id = b->graph != NULL ? b->graph->node_count : 0;
    builder_node(b, builder_type(b, TYPE_PSEUDO, name, len), 0);
    return id;
}

/* Parents come after their children, so that a node's references stand behind it. */
void trace_roots_emit(struct trace_roots *r, struct builder *b)
{
    static const char other[] = "[other roots]", root[] = "[.NET Roots]";
    struct arena scratch = {0};
    size_t places = GROUP_COUNT + (size_t)r->variable_count;
    size_t *begin = arena_array(&scratch, size_t, places + 1);
    node_id *objects = sort_by_place(r, begin, places, &scratch);
    struct trace_variable **of_group =
        arena_array(&scratch, struct trace_variable *, r->variable_count);
    node_id *variable_node = arena_array(&scratch, node_id, r->variable_count);

    for (struct trace_variable *v = r->variables; v != NULL; v = v->hh.next) {
        of_group[v->number] = v;
        variable_node[v->number] = pseudo_node(b, v->name + 1, v->len - 1);
        size_t place = GROUP_COUNT + (size_t)v->number;
        for (size_t i = begin[place]; i < begin[place + 1]; i++)
            builder_edge(b, objects[i]);
    }
    node_id tops[GROUP_COUNT + 1], others[GROUP_COUNT];
    size_t top_count = 0, other_count = 0;
    for (int g = 0; g < GROUP_COUNT; g++) {
        bool is_used = begin[g] < begin[g + 1];
        for (uint32_t v = 0; v < r->variable_count && !is_used; v++)
            is_used = of_group[v]->group == (enum trace_group)g;
        if (!is_used)
            continue;
        node_id n = pseudo_node(b, groups[g].name, strlen(groups[g].name));
        if (groups[g].is_other)
            others[other_count++] = n;
        else
            tops[top_count++] = n;
        for (uint32_t v = 0; v < r->variable_count; v++)
            if (of_group[v]->group == (enum trace_group)g)
                builder_edge(b, variable_node[v]);
        for (size_t i = begin[g]; i < begin[g + 1]; i++)
            builder_edge(b, objects[i]);
    }
    if (other_count > 0) {
        tops[top_count++] = pseudo_node(b, other, sizeof(other) - 1);
        for (size_t i = 0; i < other_count; i++)
            builder_edge(b, others[i]);
    }
    node_id top = pseudo_node(b, root, sizeof(root) - 1);
    for (size_t i = 0; i < top_count; i++)
        builder_edge(b, tops[i]);
    builder_root(b, top);
    arena_free(&scratch);
}

void trace_roots_free(struct trace_roots *r)
{
    HASH_CLEAR(hh, r->variables);
    arena_free(&r->names);
    free(r->all);
    *r = (struct trace_roots){0};
}
