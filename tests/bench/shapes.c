/* shapes - times dominators on graphs made to be slow, relative to an ordinary heap.
 *
 *     shapes SNAPSHOT
 *
 * For every shape of 10^6 nodes it prints the time per node and reference, and the ratio
 * to that of the snapshot in the same run; status 1 if one exceeds its gate. */
#include "heap/builder.h"
#include "owners/dominators.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NODES = 1000000, RUNS = 3 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Nanoseconds per node and reference, the best of a few runs. */
static double measure(const struct hd_snapshot *snap)
{
    double best = 0;
    for (int i = 0; i < RUNS; i++) {
        double start = seconds();
        struct dominators d = dominators_find(snap, DOMINATORS_PLAIN);
        double took = seconds() - start;
        dominators_free(&d);
        best = i == 0 || took < best ? took : best;
    }
    return 1e9 * best / ((double)snap->graph->node_count + snap->graph->edge_count);
}

/* --- shapes: the references of node i, node 0 being the root ------------------- */

static void chain(struct builder *b, uint32_t i)
{
    if (i + 1 < NODES)
        builder_edge(b, i + 1);
}

static void list_held_at_both_ends(struct builder *b, uint32_t i)
{
    if (i == 0) {
        builder_edge(b, 1);
        builder_edge(b, NODES - 1);
        return;
    }
    chain(b, i);
    if (i >= 2)
        builder_edge(b, i - 1);
}

static void ring_of_a_linked_list(struct builder *b, uint32_t i)
{
    if (i < 2) {
        builder_edge(b, i + 1);
        return;
    }
    builder_edge(b, i + 1 < NODES ? i + 1 : 2);
    builder_edge(b, i > 2 ? i - 1 : NODES - 1);
    builder_edge(b, 1);
}

/* Naive walks up the tree need (n/2)^2 steps on it. */
static void snca_killer(struct builder *b, uint32_t i)
{
    const uint32_t half = NODES / 2;
    if (i == 0)
        builder_edge(b, 1);
    for (uint32_t j = half + 1; (i == 0 || i == half) && j < NODES; j++)
        builder_edge(b, j);
    if (i >= 1 && i < half)
        builder_edge(b, i + 1);
}

static void folded_chain(struct builder *b, uint32_t i)
{
    chain(b, i);
    if (i > 0 && i < NODES / 2)
        builder_edge(b, NODES - 1 - i);
}

static void odd_shortcuts(struct builder *b, uint32_t i)
{
    chain(b, i);
    for (uint32_t j = 3; i == 0 && j < NODES; j += 2)
        builder_edge(b, j);
}

static void chain_with_back_edges(struct builder *b, uint32_t i)
{
    chain(b, i);
    if (i == 0)
        builder_edge(b, NODES - 1);
    if (i >= 2)
        builder_edge(b, i - 1);
}

static void one_with_all(struct builder *b, uint32_t i)
{
    for (uint32_t j = 1; i == 0 && j < NODES; j++)
        builder_edge(b, j);
}

/* splitmix64: the same graph everywhere. */
static uint32_t random_below(uint64_t i, uint32_t n)
{
    uint64_t z = (i + 1) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return (uint32_t)((z ^ (z >> 31)) % n);
}

static void random_targets(struct builder *b, uint32_t i)
{
    for (uint64_t k = 0; k < 3; k++)
        builder_edge(b, random_below(3 * (uint64_t)i + k, NODES));
    if (i % 1000 == 0)
        chain(b, i);
}

static void hard_for_lengauer_tarjan(struct builder *b, uint32_t i)
{
    enum { REACH = 1000 };
    chain(b, i);
    uint32_t ahead = NODES - 1 - i < REACH ? NODES - 1 - i : REACH;
    if (ahead > 0)
        builder_edge(b, i + 1 + random_below(i, ahead));
    uint32_t after = i < REACH ? i : REACH;
    if (i > 10)
        builder_edge(b, i - after + random_below(NODES + (uint64_t)i, after));
}

static const struct {
    const char *name;
    void (*references)(struct builder *b, uint32_t i);
    double gate;
} shapes[] = {
    {"chain", chain, 3},
    {"list held at both ends", list_held_at_both_ends, 3},
    {"ring of a LinkedList", ring_of_a_linked_list, 3},
    {"long list whose end is shared", snca_killer, 3},
    {"folded chain", folded_chain, 3},
    {"odd shortcuts", odd_shortcuts, 3},
    {"chain with back edges", chain_with_back_edges, 3},
    {"one with a million children", one_with_all, 3},
    {"random", random_targets, 5},
    {"hard for Lengauer-Tarjan", hard_for_lengauer_tarjan, 3},
};

static struct hd_snapshot *build(size_t shape)
{
    struct builder b = builder_begin(NULL, shapes[shape].name);
    uint32_t root = builder_type(&b, TYPE_PSEUDO, "[roots]", strlen("[roots]"));
    uint32_t node = builder_type(&b, TYPE_OBJECT, "Node", strlen("Node"));
    for (uint32_t i = 0; i < NODES; i++) {
        builder_node(&b, i == 0 ? root : node, i == 0 ? 0 : 24);
        if (i > 0)
            builder_object(&b, node, 24, HD_GEN_UNKNOWN);
        shapes[shape].references(&b, i);
    }
    builder_root(&b, 0);
    return builder_finish(&b, NULL);
}

int main(int argc, char **argv)
{
    struct hd_error err = {0};
    struct hd_snapshot *ordinary = argc == 2 ? hd_snapshot_open(argv[1], NULL, &err) : NULL;
    if (ordinary == NULL) {
        fprintf(stderr, "shapes: %s\n", argc == 2 ? err.message : "usage: shapes SNAPSHOT");
        return 2;
    }
    double usual = measure(ordinary);
    int failed = 0;
    printf("%-32s | %-18s | %-6s | %-4s | %s\n", "dominators of", "ns/(node+reference)",
           "ratio", "gate", "ok");
    printf("%-32s | %19.1f | %6s | %4s |\n", "an ordinary heap", usual, "1", "");
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        struct hd_snapshot *snap = build(i);
        double ratio = measure(snap) / usual;
        printf("%-32s | %19.1f | %6.2f | %4.0f | %s\n", shapes[i].name, ratio * usual,
               ratio, shapes[i].gate, ratio <= shapes[i].gate ? "yes" : "NO");
        failed += ratio > shapes[i].gate;
        hd_snapshot_close(snap);
    }
    hd_snapshot_close(ordinary);
    return failed > 0;
}
