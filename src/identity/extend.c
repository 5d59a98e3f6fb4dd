/* From matches on, both ways, as an alignment of sequences with gaps: a match in a row
 * brings the information in its key behind the one before it, the first behind a gap that
 * of its key alone; a gap costs, and so does every object that came. The end is where the
 * score was best, given up LOST below it.
 *
 * Only the best that can be done with each object is followed: keeping several hundred
 * ways open, as the definition would, found no more on the recorded series. An object of
 * the newer snapshot is looked at once each way, and REACH of the older one for it. */
#include "identity/align_parts.h"

#include "base/workers.h"

#include <stdlib.h>

enum { LOST = 25 * BIT, LEAST = 25 * BIT, REACH = 200 };
enum { OPENING = 3 * BIT, DEAD_PER_EIGHTH = 6, NEWCOMER = 6 * BIT };

struct pairs {
    struct run *all; /* of one object each */
    size_t len, cap;
};

struct extension {
    struct alignment *al;
    bool leftwards;
    struct pairs *found; /* per share */
};

static bool is_beside(const struct alignment *al, uint32_t x, uint32_t next_x, uint32_t y,
                      uint32_t next_y)
{
    const struct side *a = &al->a, *b = &al->b;
    return b->address[next_y] - b->address[y] == a->address[next_x] - a->address[x];
}

/* The best mate for next_y behind the match of x and y; what it brings. x if there is
 * none. */
static uint32_t best_mate(const struct alignment *al, struct run at, uint32_t next_y,
                          int step, int32_t *brings, uint64_t *work)
{
    const struct side *a = &al->a;
    uint64_t region = region_of(a->address[at.x]);
    uint32_t key = al->b.key[next_y], x = at.x;
    *brings = -NEWCOMER;
    if (al->seen[key & al->seen_mask] < 2)
        return at.x; /* nobody else has it */
    for (int32_t distance = 1; distance <= REACH; distance++) {
        x += (uint32_t)step; /* left of 0 is beyond the end, too */
        ++*work;
        if (x >= a->len || region_of(a->address[x]) != region)
            break;
        if (a->key[x] != key || a->mate[x] != FREE)
            continue;
        int32_t alone_brings =
            (int32_t)alone(al, key) - OPENING - distance / DEAD_PER_EIGHTH;
        int32_t in_row = distance == 1 && is_beside(al, at.x, x, at.y, next_y)
                             ? al->bits[step > 0 ? x : at.x]
                             : alone_brings;
        int32_t best = in_row > alone_brings ? in_row : alone_brings;
        if (best < -NEWCOMER)
            break;
        *brings = best;
        return x;
    }
    return at.x;
}

static void extend_from(struct alignment *al, struct share s, uint32_t y, int step,
                        struct pairs *found, uint64_t *work)
{
    const struct side *b = &al->b;
    uint64_t region = region_of(b->address[y]);
    struct run at = {b->mate[y], y, 1};
    int64_t score = 0, best = 0;
    size_t kept = found->len, begin = kept;
    for (y += (uint32_t)step; y >= s.begin && y < s.end && b->mate[y] == FREE &&
                              region_of(b->address[y]) == region && score > best - LOST;
         y += (uint32_t)step) {
        int32_t brings;
        uint32_t x = best_mate(al, at, y, step, &brings, work);
        score += brings;
        if (x == at.x)
            continue;
        at = (struct run){x, y, 1};
        found->all = grow(found->all, found->len, &found->cap, sizeof(*found->all));
        found->all[found->len++] = at;
        if (score > best) {
            best = score;
            kept = found->len;
        }
    }
    found->len = best >= LEAST ? kept : begin;
}

static bool extend_share(void *context, size_t i)
{
    struct extension *e = context;
    struct alignment *al = e->al;
    const struct share s = al->shares[i];
    const uint32_t *mate = al->b.mate;
    uint64_t work = 0;
    for (uint32_t k = 0; k < s.end - s.begin; k++) {
        uint32_t y = e->leftwards ? s.end - 1 - k : s.begin + k;
        bool at_end = e->leftwards ? y == s.begin : y + 1 == s.end;
        if (IS_MATE(mate[y]) && !at_end && mate[e->leftwards ? y - 1 : y + 1] == FREE)
            extend_from(al, s, y, e->leftwards ? -1 : 1, &e->found[i], &work);
    }
    count_work(al, work);
    return true;
}

/* Threads see what was known before, so that none depends on how far another one is. Two
 * extensions may want one object of the older snapshot: it goes to the first. */
static void extend_one_way(struct alignment *al, bool leftwards)
{
    struct extension e = {.al = al, .leftwards = leftwards};
    e.found = alloc_zeroed(array_bytes(al->share_count, sizeof(*e.found)));
    workers_run(al->share_count, al->threads, extend_share, &e);
    for (size_t i = 0; i < al->share_count; i++) {
        for (size_t k = 0; k < e.found[i].len; k++) {
            const struct run *r = &e.found[i].all[k];
            if (al->a.mate[r->x] == FREE && al->b.mate[r->y] == FREE)
                take(al, r);
        }
        free(e.found[i].all);
    }
    free(e.found);
}

void extend(struct alignment *al)
{
    extend_one_way(al, false);
    extend_one_way(al, true);
}
