#include "heap/root_set.h"

#include "base/hash.h"
#include "heap/place.h"

#include <stdlib.h>
#include <string.h>

struct root_variable {
    uint32_t number;
    enum root_group group;
    const char *name; /* the key; preceded by a byte for the group */
    size_t len;
    const char *full_name; /* NULL: unknown or ambiguous */
    UT_hash_handle hh;
};

/* An object that a root holds, and the number of the place in between: of a group, or
 * GROUP_COUNT + number of a variable. */
struct root_place {
    uint32_t place;
    node_id object;
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

/* --- collecting ----------------------------------------------------------- */

static uint32_t variable_number(struct root_set *s, enum root_group group, const char *name,
                                size_t len, const char *full_name)
{
    struct root_variable *found;
    struct text key = {0};
    text_add_char(&key, (char)group);
    text_add(&key, name, len);
    HASH_FIND(hh, s->variables, key.data, key.len, found);
    if (found == NULL) {
        found = arena_alloc(&s->names, sizeof(*found));
        *found = (struct root_variable){.number = s->variable_count++,
                                        .group = group,
                                        .name = arena_strdup(&s->names, key.data, key.len),
                                        .len = key.len,
                                        .full_name = full_name};
        HASH_ADD_KEYPTR(hh, s->variables, found->name, found->len, found);
    }
    if (full_name == NULL || found->full_name == NULL ||
        strcmp(found->full_name, full_name) != 0)
        found->full_name = NULL;
    text_free(&key);
    return found->number;
}

static void add_root(struct root_set *s, uint32_t place, node_id object)
{
    *ACCOUNT_APPEND(s->names.account, s->all, s->len, s->cap) =
        (struct root_place){place, object};
}

void root_tree_add_variable(struct root_set *s, enum root_group group, const char *name,
                            size_t len, const char *full_name, node_id object)
{
    uint32_t place = group;
    if (name != NULL)
        place = GROUP_COUNT + variable_number(s, group, name, len, full_name);
    add_root(s, place, object);
}

void root_tree_add(struct root_set *s, enum root_group group, const char *name, size_t len,
                   node_id object)
{
    root_tree_add_variable(s, group, name, len, NULL, object);
}

/* kinds are used as places there */
_Static_assert((int)HD_ROOT_KIND_COUNT <= (int)GROUP_COUNT, "each kind has a place");

void root_set_add(struct root_set *s, enum hd_root_kind kind, const char *name, size_t len,
                  node_id object)
{
    struct text variable = {0};
    if (kind == HD_ROOT_STATIC) {
        struct name_part type = {name, len};
        place_add_static(&variable, type, (struct name_part){0});
        root_tree_add(s, GROUP_STATICS, variable.data, variable.len, object);
    } else {
        add_root(s, kind, object);
    }
    text_free(&variable);
}

void root_set_free(struct root_set *s)
{
    HASH_CLEAR(hh, s->variables);
    arena_free(&s->names);
    free(s->all);
    *s = (struct root_set){0};
}

/* --- pseudo-nodes ---------------------------------------------------------- */

/* Pseudo-nodes in the order of their nodes in the graph. */
struct pseudo_list {
    const struct root_set *set;
    struct root_variable **variables; /* by number */
    struct pseudo_node {
        const char *name;
        size_t len;
        const char *full_name; /* or NULL */
        uint32_t parent;       /* in this list; its own for the root */
        uint32_t place;        /* NO_PLACE if it refers to no objects */
    } * all;
    uint32_t count;
    uint32_t group[GROUP_COUNT], *variable; /* index of each in this list */
    struct arena scratch;
};

static struct pseudo_list pseudo_begin(const struct root_set *s)
{
    enum { OTHER_AND_ROOT = 2 };
    struct pseudo_list l = {.set = s};
    size_t most = GROUP_COUNT + OTHER_AND_ROOT + (size_t)s->variable_count;
    l.all = arena_array(&l.scratch, struct pseudo_node, most);
    l.variable = arena_array(&l.scratch, uint32_t, s->variable_count);
    l.variables = arena_array(&l.scratch, struct root_variable *, s->variable_count);
    for (struct root_variable *v = s->variables; v != NULL; v = v->hh.next)
        l.variables[v->number] = v;
    return l;
}

static uint32_t pseudo_add(struct pseudo_list *l, const char *name, uint32_t parent,
                           uint32_t place)
{
    l->all[l->count] = (struct pseudo_node){name, strlen(name), NULL, parent, place};
    return l->count++;
}

static void pseudo_add_variables(struct pseudo_list *l, enum root_group group,
                                 uint32_t parent)
{
    for (uint32_t v = 0; v < l->set->variable_count; v++) {
        const struct root_variable *of = l->variables[v];
        if (of->group != group)
            continue;
        l->variable[v] = l->count;
        l->all[l->count++] = (struct pseudo_node){of->name + 1, of->len - 1, of->full_name,
                                                  parent, GROUP_COUNT + v};
    }
}

/* Appends a node for each, which refers to its children and its objects, in order of
 * addition. Only groups have children. */
static void pseudo_emit(struct pseudo_list *l, struct builder *b)
{
    const struct root_set *s = l->set;
    size_t places = GROUP_COUNT + (size_t)s->variable_count;
    size_t *begin = arena_array(&l->scratch, size_t, places + 2);
    node_id *objects = arena_array(&l->scratch, node_id, s->len);
    node_id first = b->graph != NULL ? b->graph->node_count : 0;
    for (size_t i = 0; i < s->len; i++)
        begin[s->all[i].place + 2]++;
    for (size_t p = 0; p < places; p++)
        begin[p + 2] += begin[p + 1];
    for (size_t i = 0; i < s->len; i++)
        objects[begin[s->all[i].place + 1]++] = s->all[i].object;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct pseudo_node *n = &l->all[i];
        bool is_variable = n->place != NO_PLACE && n->place >= GROUP_COUNT;
        uint32_t type = builder_type(b, TYPE_PSEUDO, n->name, n->len);
        if (n->full_name != NULL)
            builder_full_name(b, type, n->full_name);
        builder_node(b, type, 0);
        for (uint32_t k = 0; !is_variable && k < l->count; k++)
            if (l->all[k].parent == i && k != i)
                builder_edge(b, first + k);
        for (size_t k = n->place != NO_PLACE ? begin[n->place] : 0;
             n->place != NO_PLACE && k < begin[n->place + 1]; k++)
            builder_edge(b, objects[k]);
    }
}

/* --- a flat tree ----------------------------------------------------------- */

void root_set_emit(struct root_set *s, struct builder *b)
{
    bool used[HD_ROOT_KIND_COUNT] = {[HD_ROOT_STATIC] = s->variable_count > 0};
    if (s->len == 0)
        return;
    for (size_t i = 0; i < s->len; i++)
        if (s->all[i].place < HD_ROOT_KIND_COUNT)
            used[s->all[i].place] = true;
    struct pseudo_list l = pseudo_begin(s);
    /* The group of the statics is first, the root last. */
    pseudo_add_variables(&l, GROUP_STATICS, s->variable_count);
    for (uint32_t kind = 0; kind < HD_ROOT_KIND_COUNT; kind++)
        if (used[kind])
            pseudo_add(&l, root_kind_group((enum hd_root_kind)kind), 0, kind);
    uint32_t root = pseudo_add(&l, "[roots]", 0, NO_PLACE);
    for (uint32_t i = s->variable_count; i <= root; i++)
        l.all[i].parent = root;
    builder_root(b, b->graph->node_count + root);
    pseudo_emit(&l, b);
    arena_free(&l.scratch);
}

/* --- the tree of dotnet-gcdump ----------------------------------------------- */

/* Groups in the order of dotnet-gcdump: the statics first, then as roots need them, then
 * the wrappers. */
struct group_order {
    enum root_group all[GROUP_COUNT];
    size_t count;
    bool used[GROUP_COUNT];
};

static void use_group(struct group_order *o, enum root_group group)
{
    if (!o->used[group])
        o->all[o->count++] = group;
    o->used[group] = true;
}

/* True if dotnet-gcdump visits the root with its event, not after all events. */
static bool is_met_at_once(const struct root_place *root)
{
    return root->place < GROUP_COUNT;
}

static struct group_order order_groups(const struct pseudo_list *l)
{
    struct group_order o = {.count = 0};
    use_group(&o, GROUP_STATICS);
    for (size_t i = 0; i < l->set->len; i++)
        if (is_met_at_once(&l->set->all[i]))
            use_group(&o, (enum root_group)l->set->all[i].place);
    use_group(&o, GROUP_WRAPPERS);
    for (uint32_t v = 0; v < l->set->variable_count; v++)
        use_group(&o, l->variables[v]->group);
    return o;
}

static void tree_add_group(struct pseudo_list *l, enum root_group group, uint32_t parent)
{
    l->group[group] = pseudo_add(l, groups[group].name, parent, group);
    pseudo_add_variables(l, group, l->group[group]);
}

static void meet_variables(struct source *s, const struct pseudo_list *l,
                           const struct group_order *o, enum root_group group,
                           node_id first)
{
    if (o->used[group])
        s->met[s->met_count++] = first + l->group[group];
    for (size_t i = 0; i < l->set->len; i++) {
        const struct root_place *root = &l->set->all[i];
        if (is_met_at_once(root) || l->variables[root->place - GROUP_COUNT]->group != group)
            continue;
        s->met[s->met_count++] = first + l->variable[root->place - GROUP_COUNT];
        s->met[s->met_count++] = root->object;
    }
}

/* The order in which dotnet-gcdump meets nodes. Three per root at most: [other roots], the
 * group and the object. */
static void note_met(struct builder *b, const struct pseudo_list *l,
                     const struct group_order *o, uint32_t other, node_id first)
{
    enum { PER_ROOT = 3, GROUP_NODES = GROUP_COUNT + 2 };
    struct source *s = b->source;
    size_t most = PER_ROOT * l->set->len + GROUP_NODES;
    s->met = arena_array(&b->snap->arena, node_id, most);
    s->met[s->met_count++] = first;
    s->met[s->met_count++] = first + l->group[GROUP_STATICS];
    for (size_t i = 0; i < l->set->len; i++) {
        const struct root_place *root = &l->set->all[i];
        if (!is_met_at_once(root))
            continue;
        if (groups[root->place].is_other)
            s->met[s->met_count++] = first + other;
        s->met[s->met_count++] = first + l->group[root->place];
        s->met[s->met_count++] = root->object;
    }
    meet_variables(s, l, o, GROUP_WRAPPERS, first);
    meet_variables(s, l, o, GROUP_STATICS, first);
    meet_variables(s, l, o, GROUP_THREAD_STATICS, first);
}

void root_tree_emit(struct root_set *s, struct builder *b)
{
    struct pseudo_list l = pseudo_begin(s);
    struct group_order o = order_groups(&l);
    node_id first = b->graph != NULL ? b->graph->node_count : 0;
    uint32_t root = pseudo_add(&l, "[.NET Roots]", 0, NO_PLACE), other = root;
    for (size_t i = 0; i < o.count; i++) {
        if (!groups[o.all[i]].is_other) {
            tree_add_group(&l, o.all[i], root);
        } else if (other == root) {
            other = pseudo_add(&l, "[other roots]", root, NO_PLACE);
            for (size_t k = i; k < o.count; k++)
                if (groups[o.all[k]].is_other)
                    tree_add_group(&l, o.all[k], other);
        }
    }
    pseudo_emit(&l, b);
    builder_root(b, first);
    if (b->source != NULL)
        note_met(b, &l, &o, other, first);
    arena_free(&l.scratch);
}
