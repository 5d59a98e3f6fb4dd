/* Paths of an ownership tree in an order that no hash decides. */
#include "owners/ownership_tree.h"

#include <stdlib.h>
#include <string.h>

struct named_label {
    const char *name;
    label_id label;
};

static int by_name(const void *a, const void *b)
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
    qsort(sorted, l->len, sizeof(*sorted), by_name);
    for (size_t i = 0; i < l->len; i++)
        order[sorted[i].label] = (uint32_t)i;
    free(sorted);
    return order;
}

struct sibling {
    uint64_t key;      /* parent, then place of the label */
    const char *field; /* "" where none parts them */
    path_id path;
};

static int by_key(const void *a, const void *b)
{
    const struct sibling *x = a, *y = b;
    return x->key != y->key ? x->key > y->key ? 1 : -1 : strcmp(x->field, y->field);
}

/* A preorder in which siblings stand by name: positions as in preorder(), with the
 * children of each path taken in their order. */
static uint32_t *order_paths(const struct labels *names, const path_id *parent,
                             const label_id *label, const field_id *field,
                             const struct path_field *told, size_t n)
{
    uint32_t *labels = label_order(names);
    struct sibling *siblings = alloc_zeroed(array_bytes(n + 1, sizeof(*siblings)));
    uint32_t *size = alloc_zeroed(array_bytes(n + 1, sizeof(*size)));
    uint32_t *next = alloc_zeroed(array_bytes(n + 1, sizeof(*next)));
    uint32_t *position = alloc_zeroed(array_bytes(n + 1, sizeof(*position)));
    for (size_t p = n; p-- > 1;) {
        size[p]++;
        size[parent[p]] += size[p];
        field_id by = field != NULL ? field[p] : told != NULL ? told[p].field : NO_FIELD;
        siblings[p] = (struct sibling){(uint64_t)parent[p] << 32 | labels[label[p]],
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
