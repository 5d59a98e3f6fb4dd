/* Prints all objects of a snapshot with addresses, sizes, references and fields, for
 * core_gate.py, which compares two snapshots: no report has every object.
 *
 *   list-heap SNAPSHOT [NEXT]
 *
 * Lines, separated by tabs, numbers in decimal, addresses in hex:
 *   type NUMBER KIND NAME FULL-NAME     KIND: object, pseudo, undefined
 *   field NUMBER NAME
 *   node NUMBER TYPE ADDRESS BYTES REACHABLE REFERENCE...    REFERENCE: NODE or NODE:FIELD
 * With a second snapshot, for identity.py: the objects of the first in the next, by the
 * best method, and if that is not order, also by order alone:
 *   same SOURCE                    SOURCE: 0 unknown, 1 order, 2 contents, 3 events
 *   next NODE NODE-OF-NEXT */
#include "base/error.h"
#include "format/open.h"
#include "heap/graph.h"
#include "identity/same.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_types(const struct hd_snapshot *snap)
{
    static const char *const kinds[] = {"object", "pseudo", "undefined"};
    for (uint32_t i = 0; i < snap->type_count; i++) {
        const struct type *t = &snap->types[i];
        printf("type\t%" PRIu32 "\t%s\t%s\t%s\n", i, kinds[t->kind], t->name,
               t->full_name != NULL ? t->full_name : t->name);
    }
}

static void print_node(const struct graph *g, node_id n, field_id *ids)
{
    uint32_t begin = g->edge_begin[n], end = g->edge_begin[n + 1];
    printf("node\t%" PRIu32 "\t%" PRIu32 "\t%" PRIx64 "\t%" PRIu64 "\t%d", n, g->type[n],
           graph_address(g, n), graph_size(g, n), graph_reachable(g, n));
    if (g->fields != NULL && end > begin)
        g->fields->of_node(g->fields->context, n, ids);
    for (uint32_t e = begin; e < end; e++) {
        printf("\t%" PRIu32, g->edge_to[e]);
        if (g->fields != NULL && ids[e - begin] != NO_FIELD)
            printf(":%" PRIu32, ids[e - begin]);
    }
    putchar('\n');
}

static bool print_graph(const struct graph *g)
{
    field_id *ids = malloc(sizeof(*ids) * ((size_t)g->edge_count + 1));
    if (ids == NULL)
        return false;
    for (node_id n = 0; n < g->node_count; n++)
        print_node(g, n, ids);
    free(ids);
    /* After the nodes: names may be made at their first use. */
    for (uint32_t i = 0; g->fields != NULL && i < g->fields->name_count; i++)
        printf("field\t%" PRIu32 "\t%s\n", i, g->fields->names[i]);
    return true;
}

static struct hd_snapshot *open_snapshot(const char *path)
{
    struct hd_error err = {0};
    struct hd_read_options how = {.size = sizeof(how), .threads = 1};
    struct hd_snapshot *snap = hd_snapshot_open(path, &how, &err);
    if (snap != NULL && snapshot_need_graph(snap, &err) && snapshot_need_reach(snap, &err))
        return snap;
    fprintf(stderr, "list-heap: %s\n", err.message);
    hd_snapshot_close(snap);
    return NULL;
}

static enum hd_identity_source print_same(const struct hd_snapshot *snap,
                                          const struct hd_snapshot *next)
{
    struct same s;
    same_find(&s, snap, next, 1);
    enum hd_identity_source source = s.source;
    printf("same\t%d\n", source);
    for (node_id n = 0; n < s.count; n++)
        if (s.next[n] != NO_NODE)
            printf("next\t%" PRIu32 "\t%" PRIu32 "\n", n, s.next[n]);
    same_free(&s);
    return source;
}

static bool print_pair(struct hd_snapshot *snap, const char *path)
{
    struct hd_snapshot *next = open_snapshot(path);
    if (next == NULL)
        return false;
    if (print_same(snap, next) != HD_SAME_BY_ORDER) {
        next->survivor_map = NULL;
        if (next->graph->fields != NULL)
            next->graph->fields->contents = NULL;
        print_same(snap, next);
    }
    hd_snapshot_close(next);
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: list-heap SNAPSHOT [NEXT]\n");
        return 2;
    }
    struct hd_snapshot *snap = open_snapshot(argv[1]);
    if (snap == NULL)
        return 2;
    bool printed = snap->graph != NULL;
    if (printed && argc == 3) {
        printed = print_pair(snap, argv[2]);
    } else if (printed) {
        print_types(snap);
        printed = print_graph(snap->graph);
    }
    hd_snapshot_close(snap);
    return printed ? 0 : 2;
}
