#include "heap/graph.h"

#include "base/alloc.h"
#include "base/arrays.h"

#include <stdlib.h>

uint64_t graph_bytes(const struct graph *g)
{
    uint64_t per_node = sizeof(*g->type) + sizeof(*g->small_size) + sizeof(*g->edge_begin);
    if (g->own_addresses != NULL)
        per_node += sizeof(uint64_t);
    if (g->source_type != NULL)
        per_node += sizeof(*g->source_type);
    return g->node_count * per_node + (uint64_t)g->edge_count * sizeof(*g->edge_to) +
           g->big_cap * sizeof(*g->big) + g->node_count / 8;
}

static bool is_of_earlier(const void *all, size_t i, const void *node)
{
    const struct big_size *big = all;
    return big[i].node < *(const node_id *)node;
}

uint64_t graph_big_size(const struct graph *g, node_id n)
{
    size_t at = search_first(g->big, 0, g->big_count, is_of_earlier, &n);
    return at < g->big_count && g->big[at].node == n ? g->big[at].bytes : BIG_SIZE;
}

static void begin_marks(struct graph *g)
{
    free(g->reachable);
    g->reachable = bits_new(g->node_count);
}

void graph_mark_reachable(struct graph *g)
{
    begin_marks(g);
    node_id *queue = alloc_resize(NULL, array_bytes(g->node_count, sizeof(*queue)));
    uint32_t head = 0, tail = 0;
    if (g->node_count > 0) {
        bits_set(g->reachable, g->root);
        queue[tail++] = g->root;
    }
    while (head < tail) {
        graph_prefetch(g, queue, head, tail);
        node_id n = queue[head++];
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            if (bits_add(g->reachable, g->edge_to[e]))
                queue[tail++] = g->edge_to[e];
    }
    free(queue);
}

void graph_set_reachable(struct graph *g, const node_id *nodes, uint32_t count)
{
    begin_marks(g);
    for (uint32_t i = 0; i < count; i++)
        bits_set(g->reachable, nodes[i]);
}

void graph_free(struct graph *g)
{
    if (g == NULL)
        return;
    free(g->type);
    free(g->small_size);
    free(g->big);
    free(g->edge_begin);
    free(g->edge_to);
    free(g->reachable);
    free(g->source_type);
    free(g->own_addresses);
    fields_free(g->fields);
    free(g);
}

/* --- fields ----------------------------------------------------------------------- */

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

/* --- ranges ----------------------------------------------------------------------- */

const char *const generation_names[HD_GENERATION_COUNT] = {
    [HD_GEN0] = "gen0",           [HD_GEN1] = "gen1",   [HD_GEN2] = "gen2",
    [HD_GEN_LOH] = "loh",         [HD_GEN_POH] = "poh", [HD_GEN_FROZEN] = "frozen",
    [HD_GEN_UNKNOWN] = "unknown",
};

static bool ranges_is_below(const void *all, size_t i, const void *address)
{
    return ((const uint64_t *)all)[i] < *(const uint64_t *)address;
}

static size_t index_of(const uint64_t *all, size_t len, uint64_t address)
{
    return search_first(all, 0, len, ranges_is_below, &address);
}

/* Returns the first free slot at or after i, with path halving. */
static size_t free_slot(size_t *next, size_t i)
{
    while (next[i] != i) {
        next[i] = next[next[i]];
        i = next[i];
    }
    return i;
}

/* All borders cut the address space into slots; each part in turn claims its free slots.
 * Every slot is claimed once, however many parts overlap. */
struct ranges ranges_build(const struct range *parts, size_t count, struct arena *a)
{
    struct arena scratch = {0};
    uint64_t *borders = arena_array(&scratch, uint64_t, 2 * count);
    for (size_t i = 0; i < count; i++) {
        borders[2 * i] = parts[i].start;
        borders[2 * i + 1] = parts[i].end;
    }
    qsort(borders, 2 * count, sizeof(*borders), by_first_number);
    size_t len = 0;
    for (size_t i = 0; i < 2 * count; i++)
        if (len == 0 || borders[len - 1] != borders[i])
            borders[len++] = borders[i];

    size_t *next = arena_array(&scratch, size_t, len + 1);
    unsigned char *taken = arena_array(&scratch, unsigned char, len + 1);
    for (size_t i = 0; i <= len; i++)
        next[i] = i;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].start >= parts[i].end)
            continue;
        size_t end = index_of(borders, len, parts[i].end);
        for (size_t s = free_slot(next, index_of(borders, len, parts[i].start)); s < end;
             s = free_slot(next, s)) {
            taken[s] = (unsigned char)(1 + parts[i].generation);
            next[s] = s + 1;
        }
    }

    struct ranges r = {.all = arena_array(a, struct range, len)};
    for (size_t s = 0; s + 1 < len; s++) {
        if (taken[s] == 0)
            continue;
        enum hd_generation g = (enum hd_generation)(taken[s] - 1);
        struct range *last = r.len > 0 ? &r.all[r.len - 1] : NULL;
        if (last != NULL && last->end == borders[s] && last->generation == g)
            last->end = borders[s + 1];
        else
            r.all[r.len++] = (struct range){borders[s], borders[s + 1], g};
    }
    arena_free(&scratch);
    return r;
}

static bool ends_by(const void *all, size_t i, const void *address)
{
    return ((const struct range *)all)[i].end <= *(const uint64_t *)address;
}

size_t ranges_below(const struct ranges *r, uint64_t address)
{
    return search_first(r->all, 0, r->len, ends_by, &address);
}

struct range ranges_around(const struct ranges *r, uint64_t address)
{
    size_t at = ranges_below(r, address);
    if (at < r->len && r->all[at].start <= address)
        return r->all[at];
    return (struct range){.start = at > 0 ? r->all[at - 1].end : 0,
                          .end = at < r->len ? r->all[at].start : UINT64_MAX,
                          .generation = HD_GEN_UNKNOWN};
}

enum hd_generation ranges_find(const struct ranges *r, uint64_t address)
{
    return ranges_around(r, address).generation;
}
