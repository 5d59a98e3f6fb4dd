#include "identity/same.h"

#include "identity/align.h"
#include "identity/told.h"

#include <stdlib.h>

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
