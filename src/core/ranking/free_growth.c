#include "ranking/free_growth.h"

#include "series/ranking_constants.h"

#include <math.h>

static uint64_t fact_at(const struct series *s, size_t k, enum hd_fact fact)
{
    return hd_fact(&s->snaps[k]->facts, fact);
}

/* The values of all snapshots that can be compared. */
static uint64_t *known_facts(const struct series *s, enum hd_fact fact, struct arena *a)
{
    uint64_t *at = arena_array(a, uint64_t, s->count);
    for (size_t k = 0; k < s->count; k++)
        at[k] = HD_UNKNOWN;
    for (size_t i = 0; i < s->usable_count; i++)
        at[s->usable[i]] = fact_at(s, s->usable[i], fact);
    return at;
}

/* --- the rule ---------------------------------------------------------------------- */

/* Applies the rule with heap and free space instead of the process. */
static bool heap_is_fragmented(const struct series *s, const struct hd_free_growth *g)
{
    uint64_t bytes[SERIES_MAX_SNAPSHOTS], objects[SERIES_MAX_SNAPSHOTS];
    size_t n = 0;
    for (size_t i = 0; i < s->usable_count; i++) {
        size_t k = s->usable[i];
        if (g->bytes[k] == HD_UNKNOWN)
            continue;
        bytes[n] = g->bytes[k];
        objects[n] = s->snaps[k]->info.bytes;
        if (objects[n] == HD_UNKNOWN || objects[n] > HD_UNKNOWN - 1 - bytes[n])
            return false;
        n++;
    }
    const struct process_ends ends = {bytes[0] + objects[0], bytes[n - 1] + objects[n - 1],
                                      s->clock_seconds};
    double grew = (double)ends.last_size - (double)ends.size,
           of_objects = fmax((double)objects[n - 1] - (double)objects[0], 0);
    return process_part_keeps_growing(HD_PART_FREE, bytes, n, &ends) && grew > 0 &&
           of_objects / grew < rank_by.process_explained;
}

/* --- location and surrounding objects --------------------------------------------- */

/* The generation with most of the growth. */
static void find_generation(struct hd_free_growth *g, const struct series *s)
{
    double most = 0;
    g->within = HD_FACT_COUNT;
    for (enum hd_fact f = HD_FACT_FREE_GEN0; f <= HD_FACT_FREE_POH; f++) {
        uint64_t first = fact_at(s, g->first, f), last = fact_at(s, g->last, f);
        /* a generation without free blocks was not counted */
        double grew = last == HD_UNKNOWN
                          ? 0
                          : (double)last - (first != HD_UNKNOWN ? (double)first : 0);
        if (grew <= most)
            continue;
        most = grew;
        g->within = f;
        g->within_first = first;
        g->within_last = last;
    }
}

static struct hd_between between_of(const struct free_holder *holder)
{
    return (struct hd_between){holder->type, holder->at.count, holder->at.bytes};
}

const struct hd_free_growth *free_growth_of(const struct series *s,
                                            const struct hd_process_growth *process,
                                            struct arena *a)
{
    struct hd_free_growth g = {.bytes = known_facts(s, HD_FACT_FRAGMENTED, a),
                               .blocks = known_facts(s, HD_FACT_FREE_BLOCKS, a),
                               .largest = known_facts(s, HD_FACT_LARGEST_FREE, a)};
    size_t known = 0;
    for (size_t k = 0; k < s->count; k++) {
        if (g.bytes[k] == HD_UNKNOWN)
            continue;
        g.first = known++ == 0 ? k : g.first;
        g.last = k;
    }
    if (known < 2)
        return NULL;
    bool has_sizes = process != NULL && process->known >= rank_by.enough_snapshots;
    g.is_finding = has_sizes ? process->is_outside && process->where == HD_PART_FREE
                             : heap_is_fragmented(s, &g);
    g.hint = g.is_finding ? "heap-fragmented" : NULL;
    find_generation(&g, s);
    const struct hd_snapshot *last = s->snaps[g.last];
    g.pinned_objects = hd_fact(&last->facts, HD_FACT_PINNED);
    g.pinned = between_of(&last->pinned);
    g.next_to = between_of(&last->next_to_free);
    struct hd_free_growth *kept = arena_alloc(a, sizeof(*kept));
    *kept = g;
    return kept;
}
