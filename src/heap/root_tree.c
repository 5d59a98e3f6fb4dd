#include "heap/root_tree.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct root_variable {
    uint32_t number;
    enum root_group group;
    const char *name; /* behind a byte of its own for the group, which is the key */
    size_t len;
    const char *full_name; /* NULL: none, or several */
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

static uint32_t variable(struct root_tree *r, enum root_group group, const char *name,
                         size_t len, const char *full_name)
{
    struct root_variable *found;
    struct text key = {0};
    text_add_char(&key, (char)group);
    text_add(&key, name, len);
    HASH_FIND(hh, r->variables, key.data, key.len, found);
    if (found == NULL) {
        found = arena_alloc(&r->names, sizeof(*found));
        *found = (struct root_variable){.number = r->variable_count++,
                                        .group = group,
                                        .name = arena_strdup(&r->names, key.data, key.len),
                                        .len = key.len,
                                        .full_name = full_name};
        HASH_ADD_KEYPTR(hh, r->variables, found->name, found->len, found);
    }
    if (full_name == NULL || found->full_name == NULL ||
        strcmp(found->full_name, full_name) != 0)
        found->full_name = NULL;
    text_free(&key);
    return found->number;
}

void root_tree_add_variable(struct root_tree *r, enum root_group group, const char *name,
                            size_t len, const char *full_name, node_id object)
{
    uint32_t place = group;
    if (name != NULL)
        place = GROUP_COUNT + variable(r, group, name, len, full_name);
    r->all = account_grow(r->names.account, r->all, r->len, &r->cap, sizeof(*r->all));
    r->all[r->len++] = (struct root_place){place, object};
}

void root_tree_add(struct root_tree *r, enum root_group group, const char *name, size_t len,
                   node_id object)
{
    root_tree_add_variable(r, group, name, len, NULL, object);
}

/* --- the tree ------------------------------------------------------------- */

static const char other_roots[] = "[other roots]", all_roots[] = "[.NET Roots]";

/* Groups in the order in which dotnet-gcdump makes them: the statics' before anything
 * else, then as roots need them, then the wrappers'. */
struct tree {
    enum root_group order[GROUP_COUNT];
    size_t count;
    bool used[GROUP_COUNT];
    node_id node[GROUP_COUNT];
    node_id root, other;     /* other: NO_NODE if no group is below it */
    node_id *variables;      /* by number */
    enum root_group *owners; /* by number */
};

static void use(struct tree *t, enum root_group group)
{
    if (!t->used[group])
        t->order[t->count++] = group;
    t->used[group] = true;
}

/* Whether dotnet-gcdump meets the root with its event, and not behind them all. */
static bool is_met_at_once(const struct root_place *root)
{
    return root->place < GROUP_COUNT;
}

static void find_groups(struct tree *t, const struct root_tree *r)
{
    use(t, GROUP_STATICS);
    for (size_t i = 0; i < r->len; i++)
        if (is_met_at_once(&r->all[i]))
            use(t, (enum root_group)r->all[i].place);
    use(t, GROUP_WRAPPERS);
    for (uint32_t v = 0; v < r->variable_count; v++)
        use(t, t->owners[v]);
}

/* The number of each pseudo-node, from first on: parents before their children. */
static void number_nodes(struct tree *t, const struct root_tree *r, node_id first)
{
    node_id next = first;
    t->root = next++;
    t->other = NO_NODE;
    for (size_t i = 0; i < t->count; i++) {
        enum root_group group = t->order[i];
        if (groups[group].is_other && t->other != NO_NODE)
            continue; /* it has its number */
        if (groups[group].is_other) {
            t->other = next++;
            for (size_t k = i; k < t->count; k++)
                if (groups[t->order[k]].is_other)
                    t->node[t->order[k]] = next++;
            continue;
        }
        t->node[group] = next++;
        for (uint32_t v = 0; v < r->variable_count; v++)
            if (t->owners[v] == group)
                t->variables[v] = next++;
    }
}

static void pseudo_node(struct builder *b, const char *name, size_t len,
                        const char *full_name)
{
    uint32_t type = builder_type(b, TYPE_PSEUDO, name, len);
    if (full_name != NULL)
        builder_full_name(b, type, full_name);
    builder_node(b, type, 0);
}

static void emit_group(const struct tree *t, struct builder *b, const struct root_places *p,
                       struct root_variable *const *variables, uint32_t variable_count,
                       enum root_group group)
{
    pseudo_node(b, groups[group].name, strlen(groups[group].name), NULL);
    for (uint32_t v = 0; v < variable_count; v++)
        if (t->owners[v] == group)
            builder_edge(b, t->variables[v]);
    root_places_refer(p, group, b);
    for (uint32_t v = 0; v < variable_count; v++) {
        if (t->owners[v] != group)
            continue;
        pseudo_node(b, variables[v]->name + 1, variables[v]->len - 1,
                    variables[v]->full_name);
        root_places_refer(p, GROUP_COUNT + (size_t)v, b);
    }
}

/* In order of their numbers. */
static void emit_tree(const struct tree *t, struct builder *b, const struct root_places *p,
                      struct root_variable *const *variables, uint32_t variable_count)
{
    bool other_done = false;
    pseudo_node(b, all_roots, sizeof(all_roots) - 1, NULL);
    for (size_t i = 0; i < t->count; i++) {
        bool is_other = groups[t->order[i]].is_other;
        if (!is_other || !other_done)
            builder_edge(b, is_other ? t->other : t->node[t->order[i]]);
        other_done = other_done || is_other;
    }
    other_done = false;
    for (size_t i = 0; i < t->count; i++) {
        if (!groups[t->order[i]].is_other) {
            emit_group(t, b, p, variables, variable_count, t->order[i]);
            continue;
        }
        if (other_done)
            continue;
        other_done = true;
        pseudo_node(b, other_roots, sizeof(other_roots) - 1, NULL);
        for (size_t k = i; k < t->count; k++)
            if (groups[t->order[k]].is_other)
                builder_edge(b, t->node[t->order[k]]);
        for (size_t k = i; k < t->count; k++)
            if (groups[t->order[k]].is_other)
                emit_group(t, b, p, variables, variable_count, t->order[k]);
    }
}

/* --- the order in which dotnet-gcdump meets nodes ----------------------------- */

static void meet_variables(struct source *s, const struct tree *t,
                           const struct root_tree *r, enum root_group group)
{
    if (t->used[group])
        s->met[s->met_count++] = t->node[group];
    for (size_t i = 0; i < r->len; i++) {
        if (is_met_at_once(&r->all[i]) || t->owners[r->all[i].place - GROUP_COUNT] != group)
            continue;
        s->met[s->met_count++] = t->variables[r->all[i].place - GROUP_COUNT];
        s->met[s->met_count++] = r->all[i].object;
    }
}

/* Three nodes per root at most: [other roots], the group and the object. */
static void note_met(struct builder *b, const struct tree *t, const struct root_tree *r)
{
    enum { PER_ROOT = 3, GROUP_NODES = GROUP_COUNT + 2 };
    struct source *s = b->source;
    size_t most = PER_ROOT * r->len + GROUP_NODES;
    s->met = arena_array(&b->snap->arena, node_id, most);
    s->met[s->met_count++] = t->root;
    s->met[s->met_count++] = t->node[GROUP_STATICS];
    for (size_t i = 0; i < r->len; i++) {
        if (!is_met_at_once(&r->all[i]))
            continue;
        if (groups[r->all[i].place].is_other)
            s->met[s->met_count++] = t->other;
        s->met[s->met_count++] = t->node[r->all[i].place];
        s->met[s->met_count++] = r->all[i].object;
    }
    meet_variables(s, t, r, GROUP_WRAPPERS);
    meet_variables(s, t, r, GROUP_STATICS);
    meet_variables(s, t, r, GROUP_THREAD_STATICS);
}

void root_tree_emit(struct root_tree *r, struct builder *b)
{
    struct arena scratch = {0};
    struct tree t = {.count = 0};
    struct root_places p =
        root_places_sort(r->all, r->len, GROUP_COUNT + (size_t)r->variable_count, &scratch);
    struct root_variable **variables =
        arena_array(&scratch, struct root_variable *, r->variable_count);
    t.variables = arena_array(&scratch, node_id, r->variable_count);
    t.owners = arena_array(&scratch, enum root_group, r->variable_count);
    for (struct root_variable *v = r->variables; v != NULL; v = v->hh.next) {
        variables[v->number] = v;
        t.owners[v->number] = v->group;
    }
    find_groups(&t, r);
    number_nodes(&t, r, b->graph != NULL ? b->graph->node_count : 0);
    emit_tree(&t, b, &p, variables, r->variable_count);
    builder_root(b, t.root);
    if (b->source != NULL)
        note_met(b, &t, r);
    arena_free(&scratch);
}

void root_tree_free(struct root_tree *r)
{
    HASH_CLEAR(hh, r->variables);
    arena_free(&r->names);
    free(r->all);
    *r = (struct root_tree){0};
}
