#include "heap/graph.h"

#include "base/alloc.h"

#include <stdlib.h>

static field_id id_between(const struct graph *g, node_id from, node_id to)
{
    enum { USUAL = 256 };
    uint32_t begin = g->edge_begin[from], count = g->edge_begin[from + 1] - begin, i = 0;
    while (i < count && g->edge_to[begin + i] != to)
        i++;
    if (g->fields == NULL || i == count)
        return NO_FIELD;
    field_id usual[USUAL], *ids = usual;
    if (count > USUAL)
        ids = alloc_resize(NULL, array_bytes(count, sizeof(*ids)));
    g->fields->of_node(g->fields->context, from, ids);
    field_id found = ids[i];
    if (ids != usual)
        free(ids);
    return found;
}

const char *field_between(const struct graph *g, node_id from, node_id to)
{
    field_id id = id_between(g, from, to);
    return id < (g->fields != NULL ? g->fields->name_count : 0) ? g->fields->names[id]
                                                                : NULL;
}

void fields_free(struct fields *f)
{
    if (f == NULL)
        return;
    if (f->free != NULL)
        f->free(f->context);
    free(f);
}
