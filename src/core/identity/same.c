#include "identity/same.h"

#include "base/hash.h"
#include "identity/places.h"

#include <stdlib.h>
#include <string.h>

/* --- by GC events -------------------------------------------------------------- */

static bool is_of(const struct survivor_side *side, const struct places *p)
{
    return side->objects == p->len && side->token == places_token(p);
}

/* Two objects of the older cannot be one of the newer, whose runs rise; a node with two
 * successors is found here. Sizes are compared, since a file is untrusted. */
static bool apply(const struct survivor_run *run, const struct places *older,
                  const struct places *newer, struct same *s)
{
    for (uint32_t i = 0; i < run->count; i++) {
        const struct place *a = &older->all[run->older + i],
                           *b = &newer->all[run->newer + i];
        if (a->key != b->key || s->next[a->object] != NO_NODE)
            return false;
        s->next[a->object] = b->object;
    }
    return true;
}

static bool apply_all(const struct survivor_map *map, const struct places *older,
                      const struct places *newer, struct same *s)
{
    struct survivor_map_reader r = {.map = map};
    struct survivor_run run;
    bool damaged = false, ok = true;
    while (ok && survivor_map_next(&r, &run, &damaged))
        ok = apply(&run, older, newer, s);
    return ok && !damaged;
}

bool same_by_events(struct same *s, const struct hd_snapshot *older,
                    const struct hd_snapshot *newer)
{
    const struct survivor_map *map = newer->survivor_map;
    uint32_t count = older->graph != NULL ? older->graph->node_count : 0;
    if (map == NULL || count == 0 || newer->graph == NULL || map->older.objects > count ||
        map->newer.objects > newer->graph->node_count)
        return false;
    struct places a = places_of(older), b = places_of(newer);
    struct same found = {.source = HD_SAME_BY_EVENTS, .count = count};
    found.next = alloc_unknown(count);
    bool ok =
        is_of(&map->older, &a) && is_of(&map->newer, &b) && apply_all(map, &a, &b, &found);
    places_free(&a);
    places_free(&b);
    if (ok)
        *s = found;
    else
        same_free(&found);
    return ok;
}

/* --- either way ---------------------------------------------------------------- */

static uint32_t objects_of(const struct hd_snapshot *snap)
{
    uint64_t all = snap->info.objects;
    return all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
}

/* With less than a quarter of the possible matches, order has failed: all objects are
 * alike, or nearly all are new. Then unmatched objects are not births. (In a program that
 * turns over half of its heap, half of the objects die from one snapshot to the next.) */
static bool tells_enough(const struct same *s, uint32_t older, uint32_t newer)
{
    uint32_t found = 0, most = older < newer ? older : newer;
    for (node_id n = 0; n < s->count; n++)
        found += s->next[n] != NO_NODE;
    return found >= most / 4;
}

void same_find(struct same *s, const struct hd_snapshot *older,
               const struct hd_snapshot *newer, unsigned threads)
{
    *s = (struct same){.source = HD_SAME_UNKNOWN};
    if (older->info.sampled || newer->info.sampled)
        return;
    if (same_by_events(s, older, newer))
        return;
    same_align(s, older, newer, threads);
    if (s->source != HD_SAME_UNKNOWN &&
        !tells_enough(s, objects_of(older), objects_of(newer)))
        same_free(s);
}

void same_free(struct same *s)
{
    free(s->next);
    *s = (struct same){0};
}

/* --- referents of an object ------------------------------------------------------- */

static uint64_t holding_of(const struct graph *g, node_id n, const uint32_t *number,
                           uint64_t type)
{
    uint64_t hash = 0;
    for (uint32_t i = g->edge_begin[n]; i < g->edge_begin[n + 1]; i++) {
        node_id to = g->edge_to[i];
        if (g->type[to] == g->type[n])
            continue;
        if (number[to] == NO_NODE)
            return 0;
        hash = mix(hash + number[to] + 1);
    }
    return hash != 0 ? mix(hash ^ type ^ graph_size(g, n)) : 0;
}

struct holdings holdings_of(const struct hd_snapshot *snap, const uint32_t *number,
                            const uint64_t *wanted)
{
    const struct graph *g = snap->graph;
    struct holdings h = {0};
    uint64_t *name = alloc_zeroed(array_bytes((size_t)snap->type_count + 1, sizeof(*name)));
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == TYPE_OBJECT)
            name[t] = XXH3_64bits(snap->types[t].name, strlen(snap->types[t].name)) | 1;
    for (node_id n = 0; n < g->node_count; n++) {
        bool asked = wanted == NULL || bits_have(wanted, n);
        uint64_t hash =
            asked && name[g->type[n]] != 0 ? holding_of(g, n, number, name[g->type[n]]) : 0;
        if (hash == 0)
            continue;
        h.all = grow(h.all, h.len, &h.cap, sizeof(*h.all));
        h.all[h.len++] = (struct content_hash){hash, n};
    }
    free(name);
    return h;
}

void holdings_free(struct holdings *h)
{
    free(h->all);
    *h = (struct holdings){0};
}

/* --- the same on either side ------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
    const struct content_hash *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Sorts, and drops hashes that occur more than once. */
static void keep_single(struct holdings *h)
{
    size_t kept = 0;
    if (h->len > 0)
        qsort(h->all, h->len, sizeof(*h->all), by_hash);
    for (size_t i = 0, end; i < h->len; i = end) {
        for (end = i + 1; end < h->len && h->all[end].hash == h->all[i].hash;)
            end++;
        if (end == i + 1)
            h->all[kept++] = h->all[i];
    }
    h->len = kept;
}

void holdings_join(struct holdings *older, struct holdings *newer, recreated_pair *pair,
                   void *context)
{
    keep_single(older);
    keep_single(newer);
    for (size_t i = 0, j = 0; i < older->len && j < newer->len;) {
        const struct content_hash *a = &older->all[i], *b = &newer->all[j];
        if (a->hash == b->hash)
            pair(context, a->of, b->of);
        if (a->hash <= b->hash)
            i++;
        else
            j++;
    }
}

/* --- two snapshots ------------------------------------------------------------------ */

static void add_pair(void *context, uint32_t older, uint32_t newer)
{
    struct same *s = context;
    s->next[older] = newer;
}

/* Survivors are numbered by their node in the newer snapshot. */
void same_add_recreated(struct same *s, const struct hd_snapshot *older,
                        const struct hd_snapshot *newer)
{
    uint32_t count = newer->graph->node_count;
    if (s->source == HD_SAME_UNKNOWN)
        return;
    uint64_t *died = bits_new(s->count), *arrived = bits_new(count);
    uint32_t *number = alloc_unknown(count);
    for (node_id n = 0; n < s->count; n++)
        if (s->next[n] == NO_NODE)
            bits_set(died, n);
        else
            number[s->next[n]] = s->next[n];
    for (node_id n = 0; n < count; n++)
        if (number[n] == NO_NODE)
            bits_set(arrived, n);
    struct holdings before = holdings_of(older, s->next, died);
    struct holdings now = holdings_of(newer, number, arrived);
    holdings_join(&before, &now, add_pair, s);
    holdings_free(&before);
    holdings_free(&now);
    free(number);
    free(died);
    free(arrived);
}
