/* large_gcdump.h - a .gcdump large enough to be read by several threads, with nodes chosen
 * by the test. Type 0 is UNDEFINED; the last three nodes have it. */
#ifndef LARGE_GCDUMP_H
#define LARGE_GCDUMP_H

#include "format/usual_gcdump.h"

#include <stdio.h>

struct large_gcdump {
    struct made_type *types;
    struct made_node *nodes;
    char (*names)[24];
    struct made_gcdump all;
    struct gcdump_bytes bytes; /* gcdump_bytes_make(&all), once the nodes are set */
};

/* Types are named "App.T1", ... and have no size; nodes are zeroed. */
static inline struct large_gcdump large_gcdump_begin(uint32_t types, uint32_t nodes)
{
    struct large_gcdump m = {.types = calloc(types, sizeof(*m.types)),
                             .nodes = calloc(nodes, sizeof(*m.nodes)),
                             .names = calloc(types, sizeof(*m.names))};
    for (uint32_t t = 0; t < types; t++) {
        snprintf(m.names[t], sizeof(*m.names), t == 0 ? "UNDEFINED" : "App.T%u", t);
        m.types[t].name = m.names[t];
    }
    m.all = (struct made_gcdump){.types = m.types,
                                 .type_count = types,
                                 .nodes = m.nodes,
                                 .node_count = nodes,
                                 .undefined_nodes = 3,
                                 .tool = "test"};
    return m;
}

static inline void large_gcdump_free(struct large_gcdump *m)
{
    gcdump_bytes_free(&m->bytes);
    free(m->types);
    free(m->nodes);
    free(m->names);
}

#endif
