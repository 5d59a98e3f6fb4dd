#include "render/tree_frames.h"

#include "base/hash.h"
#include "report/text_parts.h"

#include <string.h>

/* What stays of a long stack, at its top. */
enum { HALF = TREE_MOST_FRAMES / 2 };

static const char others_name[] = "[others]", left_out[] = "…";

struct known_name {
    UT_hash_handle hh;
    size_t number;
};

struct numbering {
    struct tree_frames *f;
    struct known_name *known;
};

static size_t number_of(struct numbering *n, const char *name)
{
    struct known_name *found = NULL;
    HASH_FIND(hh, n->known, name, strlen(name), found);
    if (found == NULL) {
        found = arena_alloc(&n->f->arena, sizeof(*found));
        found->number = n->f->count;
        HASH_ADD_KEYPTR(hh, n->known, name, strlen(name), found);
        n->f->names[n->f->count++] = name;
    }
    return found->number;
}

static size_t tops_of(const struct hd_tree *t)
{
    size_t tops = 0;
    for (size_t i = 0; i < t->len; i = t->nodes[i].end)
        tops++;
    return tops;
}

/* Places that only a field parts need names of their own. */
static const char *name_of_type(const struct hd_tree *t, const struct hd_tree_node *n,
                                struct arena *a)
{
    if (!t->parts_fields || n->field == NULL)
        return n->type;
    const char *point = n->field[0] == '[' ? "" : ".";
    return t->is_holders ? arena_printf(a, "%s%s%s", n->type, point, n->field)
                         : arena_printf(a, "%s%s → %s", point, n->field, n->type);
}

static const char *name_of(const struct hd_tree *t, const struct hd_tree_node *n,
                           size_t tops, struct arena *a)
{
    switch (n->kind) {
    case HD_NODE_ROOTS:
        return n->type;
    case HD_NODE_TYPE:
        return name_of_type(t, n, a);
    case HD_NODE_PATTERN:
        return tops > 1 ? n->type : NULL;
    case HD_NODE_OTHERS:
        return others_name;
    case HD_NODE_HEAP:
    case HD_NODE_KIND_COUNT:
        break;
    }
    return NULL;
}

static void set_depth(struct tree_frames *f, size_t i)
{
    size_t parent = f->tree->nodes[i].parent;
    bool is_top = parent == HD_NO_NODE;
    f->depth[i] = (is_top ? 0 : f->depth[parent]) + (f->name_of[i] != NO_FRAME);
    f->high[i] = is_top || f->depth[i] <= HALF ? i : f->high[parent];
}

struct tree_frames tree_frames_of(const struct hd_tree *t)
{
    struct tree_frames f = {.tree = t};
    struct numbering n = {.f = &f};
    size_t tops = tops_of(t);
    f.names = arena_array(&f.arena, const char *, t->len + 2);
    f.name_of = arena_array(&f.arena, size_t, t->len);
    f.depth = arena_array(&f.arena, size_t, t->len);
    f.high = arena_array(&f.arena, size_t, t->len);
    f.root_kind = arena_array(&f.arena, const char *, t->len);
    for (size_t i = 0; i < t->len; i++) {
        const struct hd_tree_node *node = &t->nodes[i];
        const char *name = name_of(t, node, tops, &f.arena);
        f.name_of[i] = name != NULL ? number_of(&n, name) : NO_FRAME;
        set_depth(&f, i);
        if (f.depth[i] > TREE_MOST_FRAMES)
            f.gap = number_of(&n, left_out);
        if (node->kind == HD_NODE_ROOTS)
            f.root_kind[i] = hd_root_kind_name(node->root_kind);
        else if (node->parent != HD_NO_NODE)
            f.root_kind[i] = f.root_kind[node->parent];
    }
    HASH_CLEAR(hh, n.known);
    return f;
}

void tree_frames_free(struct tree_frames *f)
{
    arena_free(&f->arena);
}

/* Frames from a node upwards, into the places that end before end; so many at most. */
static void add_frames(const struct tree_frames *f, size_t node, size_t *end, size_t most)
{
    for (; node != HD_NO_NODE && most > 0; node = f->tree->nodes[node].parent) {
        if (f->name_of[node] == NO_FRAME)
            continue;
        *--end = f->name_of[node];
        most--;
    }
}

size_t tree_stack(const struct tree_frames *f, size_t node, size_t *stack)
{
    size_t depth = f->depth[node];
    if (depth <= TREE_MOST_FRAMES) {
        add_frames(f, node, stack + depth, depth);
        return depth;
    }
    add_frames(f, f->high[node], stack + HALF, HALF);
    stack[HALF] = f->gap;
    add_frames(f, node, stack + TREE_MOST_FRAMES, TREE_MOST_FRAMES - HALF - 1);
    return TREE_MOST_FRAMES;
}

const char *tree_profile_name(const struct hd_model *m, size_t snapshot)
{
    return heading_file(m->snapshots, m->snapshot_count, snapshot);
}
