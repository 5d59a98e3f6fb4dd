#include "report/tree_frames.h"

#include "base/hash.h"
#include "report/text_parts.h"

#include <string.h>

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

static const char *name_of(const struct hd_tree_node *n, size_t tops)
{
    switch (n->kind) {
    case HD_NODE_ROOTS:
    case HD_NODE_TYPE:
        return n->type;
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

struct tree_frames tree_frames_of(const struct hd_tree *t)
{
    struct tree_frames f = {.tree = t};
    struct numbering n = {.f = &f};
    size_t tops = tops_of(t);
    f.names = arena_array(&f.arena, const char *, t->len + 2);
    f.name_of = arena_array(&f.arena, size_t, t->len);
    f.root_kind = arena_array(&f.arena, const char *, t->len);
    for (size_t i = 0; i < t->len; i++) {
        if (t->nodes[i].depth >= TREE_MOST_FRAMES)
            f.gap = number_of(&n, left_out);
        const struct hd_tree_node *node = &t->nodes[i];
        const char *name = name_of(node, tops);
        f.name_of[i] = name != NULL ? number_of(&n, name) : NO_FRAME;
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

size_t tree_stack(const struct tree_frames *f, size_t node, size_t *stack)
{
    const struct hd_tree_node *nodes = f->tree->nodes;
    size_t depth = 0, at = 0;
    for (size_t i = node; i != HD_NO_NODE; i = nodes[i].parent)
        depth += f->name_of[i] != NO_FRAME;
    size_t cut = depth > TREE_MOST_FRAMES ? depth - TREE_MOST_FRAMES : 0;
    size_t len = depth - cut, middle = len / 2;
    for (size_t i = node; i != HD_NO_NODE; i = nodes[i].parent) {
        if (f->name_of[i] == NO_FRAME)
            continue;
        /* from the end: the lower half, what is cut, the upper half */
        if (cut == 0 || at < middle)
            stack[len - 1 - at] = f->name_of[i];
        else if (at == middle)
            stack[len - 1 - middle] = f->gap;
        else if (at > middle + cut)
            stack[len - 1 - (at - cut)] = f->name_of[i];
        at++;
    }
    return len;
}

const char *tree_profile_name(const struct hd_model *m, size_t snapshot)
{
    return text_file_name(m->snapshots[snapshot].info.path);
}
