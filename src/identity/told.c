#include "identity/told.h"

#include "identity/places.h"

static bool is_of(const struct told_side *side, const struct places *p)
{
    return side->objects == p->len && side->token == places_token(p);
}

/* Two of the older cannot be one of the newer, whose runs rise; the other way round a node
 * that has a next has been there. Sizes are compared, since a file may say anything. */
static bool apply(const struct told_run *run, const struct places *older,
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

static bool apply_all(const struct told_same *told, const struct places *older,
                      const struct places *newer, struct same *s)
{
    struct told_reading r = {.told = told};
    struct told_run run;
    bool damaged = false, ok = true;
    while (ok && told_same_next(&r, &run, &damaged))
        ok = apply(&run, older, newer, s);
    return ok && !damaged;
}

bool same_told(struct same *s, const struct hd_snapshot *older,
               const struct hd_snapshot *newer)
{
    const struct told_same *told = newer->told;
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
