/* Queued snapshots, and the choice of the one to drop if there are too many. */
#include "fleet/agent/agent.h"

#include "cli/guard/allocate.h"

#include <math.h>
#include <stdlib.h>

/* Six weeks of hourly snapshots of a process. A digest has 10 to 200 kB, so with fifty
 * processes the bytes are the limit, reached after some six hours. */
enum { MAX_WAITING = 1000, MAX_WAITING_BYTES = 64 << 20 };

void store_queue_add(struct store_queue *q, const struct queued_snapshot *what,
                     double added)
{
    struct queued_snapshot *w = zeroed(1, sizeof(*w));
    *w = *what;
    w->added = added;
    for (struct queued_snapshot *other = q->first; other != NULL; other = other->next)
        if (other->series == w->series)
            w->before = other;
    if (q->last != NULL)
        q->last->next = w;
    else
        q->first = w;
    q->last = w;
    q->count++;
    q->bytes += w->digest.size;
}

void store_queue_drop(struct store_queue *q, struct queued_snapshot *w)
{
    struct queued_snapshot **at = &q->first;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    q->last = NULL;
    for (struct queued_snapshot *other = q->first; other != NULL; other = other->next) {
        if (other->before == w)
            other->before = w->before;
        q->last = other;
    }
    q->count--;
    q->bytes -= w->digest.size;
    hd_memory_free(&w->digest);
    run_facts_free(&w->facts);
    free(w);
}

bool store_queue_is_too_long(const struct store_queue *q)
{
    return q->count > MAX_WAITING || (q->bytes > MAX_WAITING_BYTES && q->count > 1);
}

struct queued_snapshot *store_queue_least(const struct store_queue *q)
{
    struct queued_snapshot *least = q->first;
    double narrowest = INFINITY;
    for (const struct queued_snapshot *w = q->first; w != NULL; w = w->next) {
        struct queued_snapshot *middle = w->before;
        double gap = middle != NULL && middle->before != NULL
                         ? w->added - middle->before->added
                         : INFINITY;
        if (gap < narrowest) {
            narrowest = gap;
            least = middle;
        }
    }
    return least;
}
