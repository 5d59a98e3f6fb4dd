#include "identity/same.h"

#include "identity/places.h"

#include <stdlib.h>

/* --- as the snapshots tell ----------------------------------------------------- */

static bool is_of(const struct told_side *side, const struct places *p)
{
    return side->objects == p->len && side->token == places_token(p);
}

/* Two of the older cannot be one of the newer, whose runs rise; the other way round a node
 * that has a next has been there. Sizes are compared, since a file may say anything. */
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

static bool apply_all(const struct survivor_map *told, const struct places *older,
                      const struct places *newer, struct same *s)
{
    struct survivor_map_reader r = {.told = told};
    struct survivor_run run;
    bool damaged = false, ok = true;
    while (ok && survivor_map_next(&r, &run, &damaged))
        ok = apply(&run, older, newer, s);
    return ok && !damaged;
}

bool same_told(struct same *s, const struct hd_snapshot *older,
               const struct hd_snapshot *newer)
{
    const struct survivor_map *told = newer->told;
    uint32_t count = older->graph != NULL ? older->graph->node_count : 0;
    if (told == NULL || count == 0 || newer->graph == NULL || told->older.objects > count ||
        told->newer.objects > newer->graph->node_count)
        return false;
    struct places a = places_of(older), b = places_of(newer);
    struct same found = {.source = HD_SAME_BY_EVENTS, .count = count};
    found.next = alloc_unknown(count);
    bool ok = is_of(&told->older, &a) && is_of(&told->newer, &b) &&
              apply_all(told, &a, &b, &found);
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

/* Where less than a quarter of what could be found was found, order has told nothing: all
 * are alike, or nearly all are new. Then those that were not found are no births. (Of a
 * program that turns over half of its heap goes from one snapshot to the next.) */
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
    if (same_told(s, older, newer))
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
