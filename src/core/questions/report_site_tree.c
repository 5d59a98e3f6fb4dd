/* The heap as a tree of sites: all samples of each snapshot, by the stacks that allocated
 * them. */
#include "base/error.h"
#include "heap/allocation_sites.h"
#include "questions/code_ways.h"
#include "questions/report_suspects.h"
#include "ranking/leak_samples.h"
#include "report/view.h"

#include <stdlib.h>
#include <string.h>

/* Stacks of all snapshots, each once, with their surviving samples. */
struct merged_sites {
    struct hd_report *r;
    struct site_builder stacks;
    const struct allocation_sites *all; /* the stacks, once all are in */
    uint64_t *at;                       /* [stack * snapshots + snapshot] */
    uint64_t *others;                   /* per snapshot: stacks beyond the limit */
    size_t first, last;
    uint64_t *per_sample; /* per snapshot */
    struct arena scratch;
};

static void merge_sites(struct merged_sites *m, const struct allocation_sites *sites,
                        size_t k)
{
    size_t n = m->r->snapshot_count;
    uint32_t *merged = arena_array(&m->scratch, uint32_t, sites->stack_count);
    for (uint32_t i = 0; i < sites->stack_count; i++)
        merged[i] = site_builder_copy_stack(&m->stacks, sites, i);
    for (uint32_t i = 0; i < sites->object_count; i++) {
        uint32_t stack = merged[sites->objects[i].stack];
        if (stack == NO_SITE)
            m->others[k]++;
        else
            m->at[stack * n + k]++;
    }
    if (sites->per_sample > 0 && sites->per_sample < UINT64_MAX >> 16)
        m->per_sample[k] = sites->per_sample;
}

struct method_tree {
    struct merged_sites *m;
    struct hd_tree_node *nodes;
    size_t len;
};

/* Returns samples and their bytes, an estimate; unknown for snapshots without sites. */
static struct hd_tally *tallies_of(struct merged_sites *m, const uint64_t *samples)
{
    size_t n = m->r->snapshot_count;
    struct hd_tally *at = arena_array(&m->r->arena, struct hd_tally, n);
    for (size_t k = 0; k < n; k++)
        at[k] = samples[k] != HD_UNKNOWN
                    ? (struct hd_tally){samples[k], samples[k] * m->per_sample[k]}
                    : (struct hd_tally){HD_UNKNOWN, HD_UNKNOWN};
    return at;
}

static struct hd_tree_node place_of_samples(struct merged_sites *m, const uint64_t *at,
                                            const uint64_t *owned)
{
    struct hd_tree_node node = {.parent = HD_NO_NODE,
                                .at = tallies_of(m, at),
                                .owned = tallies_of(m, owned),
                                .survived = HD_UNKNOWN};
    node.growth = (int64_t)(node.owned[m->last].bytes - node.owned[m->first].bytes);
    return node;
}

/* A node is one frame; ways that end there have their samples at it. */
static size_t add_method(void *context, const struct code_way *all,
                         const struct code_branch *b)
{
    struct method_tree *t = context;
    struct merged_sites *m = t->m;
    size_t n = m->r->snapshot_count, after = b->from + 1;
    uint64_t *at = arena_array(&m->scratch, uint64_t, n);
    uint64_t *owned = arena_array(&m->scratch, uint64_t, n);
    for (size_t k = 0; k < n; k++)
        for (size_t i = b->first; i < b->end; i++) {
            if (all[i].at[k] == HD_UNKNOWN) {
                at[k] = owned[k] = HD_UNKNOWN;
                break;
            }
            owned[k] += all[i].at[k];
            at[k] += all[i].len == after ? all[i].at[k] : 0;
        }
    struct hd_tree_node node = place_of_samples(m, at, owned);
    node.kind = HD_NODE_METHOD;
    node.parent = b->parent != SIZE_MAX ? b->parent + 1 : 0; /* after the node of the
                                                                heap */
    node.depth = b->depth + 1;
    node.code = all[b->first].codes[b->from];
    node.type = node.code->method;
    if (node.code->file != NULL && node.code->line != HD_UNKNOWN)
        node.full_name = arena_printf(&m->r->arena, "%s (%s:%llu)", node.code->method,
                                      node.code->file, (unsigned long long)node.code->line);
    t->nodes[t->len++] = node;
    return after;
}

/* Returns ways from the outermost frame down to the allocating method. */
static struct code_way *ways_down(struct merged_sites *m, size_t *frames)
{
    size_t n = m->r->snapshot_count;
    struct code_way *all =
        arena_array(&m->scratch, struct code_way, m->all->stack_count + 1);
    const struct hd_code *codes = codes_of_sites(m->r, m->all);
    for (uint32_t i = 0; i < m->all->stack_count; i++) {
        const struct site_stack *s = &m->all->stacks[i];
        struct code_way *to = &all[i];
        to->len = s->frame_count;
        to->codes = arena_array(&m->scratch, const struct hd_code *, to->len);
        for (size_t k = 0; k < to->len; k++)
            to->codes[k] = &codes[s->frames[to->len - 1 - k]];
        to->at = &m->at[i * n];
        to->samples = to->at[m->last];
        to->growth = (int64_t)(to->at[m->last] * m->per_sample[m->last] -
                               to->at[m->first] * m->per_sample[m->first]);
        *frames += to->len;
    }
    return all;
}

/* The subtree of a node ends before the next one at its depth or above. */
static void set_ends(struct method_tree *t)
{
    for (size_t i = 0; i < t->len; i++)
        t->nodes[i].end = i + 1;
    for (size_t i = t->len; i-- > 1;) {
        struct hd_tree_node *parent = &t->nodes[t->nodes[i].parent];
        if (parent->end < t->nodes[i].end)
            parent->end = t->nodes[i].end;
    }
}

static void grow_methods(struct merged_sites *m)
{
    size_t n = m->r->snapshot_count, frames = 0;
    struct code_way *all = ways_down(m, &frames);
    struct method_tree t = {m, arena_array(&m->r->arena, struct hd_tree_node, frames + 2),
                            1};
    uint64_t *none = arena_array(&m->scratch, uint64_t, n);
    uint64_t *sums = arena_array(&m->scratch, uint64_t, n);
    bool any_others = false;
    memcpy(sums, m->others, n * sizeof(*sums));
    for (size_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < m->all->stack_count && sums[k] != HD_UNKNOWN; i++)
            sums[k] += m->at[i * n + k];
    for (size_t k = 0; k < n; k++) {
        any_others |= m->others[k] != HD_UNKNOWN && m->others[k] > 0;
        none[k] = m->others[k] != HD_UNKNOWN ? 0 : HD_UNKNOWN;
    }
    code_ways_walk(all, m->all->stack_count, add_method, &t);
    t.nodes[0] = place_of_samples(m, none, sums);
    t.nodes[0].kind = HD_NODE_HEAP;
    if (any_others) {
        struct hd_tree_node others = place_of_samples(m, m->others, m->others);
        others.kind = HD_NODE_OTHERS;
        others.parent = 0;
        others.depth = 1;
        others.others = 1;
        t.nodes[t.len++] = others;
    }
    set_ends(&t);
    m->r->found.tree = (struct hd_tree){.nodes = t.nodes,
                                        .len = t.len,
                                        .first = m->first,
                                        .last = m->last,
                                        .is_sites = true,
                                        .reachable = tallies_of(m, sums)};
    tree_fold(&m->r->found.tree);
}

bool report_add_tree_of_sites(struct hd_report *r, struct hd_snapshot *const *snaps,
                              struct hd_error *err)
{
    size_t n = r->snapshot_count;
    struct merged_sites m = {.r = r, .first = SIZE_MAX};
    m.at = arena_array(&m.scratch, uint64_t, n * MAX_SITE_STACKS);
    m.others = arena_array(&m.scratch, uint64_t, n);
    m.per_sample = arena_array(&m.scratch, uint64_t, n);
    site_builder_begin(&m.stacks, &m.scratch);
    for (size_t k = 0; k < n; k++) {
        const struct allocation_sites *sites = leak_sites_of(snaps[k]);
        m.per_sample[k] = USUAL_SAMPLE;
        if (sites == NULL)
            continue;
        m.first = m.first == SIZE_MAX ? k : m.first;
        m.last = k;
        merge_sites(&m, sites, k);
    }
    m.all = site_builder_end(&m.stacks, &(struct allocation_sites){0}, false);
    for (size_t k = 0; k < n; k++) {
        if (leak_sites_of(snaps[k]) != NULL)
            continue;
        m.others[k] = HD_UNKNOWN;
        for (size_t i = 0; i < m.all->stack_count; i++)
            m.at[i * n + k] = HD_UNKNOWN;
    }
    bool ok = m.first != SIZE_MAX ||
              fail(err, HD_USAGE,
                   "no samples of allocations here; `heapdrift watch` and `heapdrift "
                   "collect --count` take them");
    if (ok)
        grow_methods(&m);
    arena_free(&m.scratch);
    return ok;
}
