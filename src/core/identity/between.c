/* Between two matches that follow each other on both sides lies what lay between them,
 * less what went: nothing comes into the middle of what was slid together. So far less
 * says enough there: what is unique within the gap, in rows of three and one (as
 * patience diff does it, and again in the gaps that this leaves), and in the end whatever
 * comes first. */
#include "base/workers.h"
#include "identity/align_parts.h"

#include "base/radix_sort.h"

#include <stdlib.h>

/* --- runs made longer ---------------------------------------------------------- */

/* From matches on, both ways, as an alignment of sequences with gaps: a match in a row
 * brings the information in its key behind the one before it, the first behind a gap that
 * of its key alone; a gap costs, and so does every object that came. The end is where the
 * score was best, given up LOST below it.
 *
 * Only the best that can be done with each object is followed: keeping several hundred
 * ways open, as the definition would, found no more on the recorded series. An object of
 * the newer snapshot is looked at once each way, and REACH of the older one for it. */

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

/* --- between ------------------------------------------------------------------- */

/* Gaps of more objects are left alone; gaps within gaps are, from some depth on, matched
 * first come, first served. That looks at so many objects per object of the gap at most. */
enum { MAX_OBJECTS = 20000, MAX_DEPTH = 12, LOOKS = 32 };

static const uint32_t widths[] = {3, 1};
enum { WIDTHS = sizeof(widths) / sizeof(widths[0]) };

struct gap {
    uint32_t x, x_end, y, y_end, depth;
};

/* What a thread needs while it works on the gaps of a share. */
struct gap_filler {
    struct alignment *al;
    struct gap *gaps; /* to be filled */
    size_t len, cap;
    uint64_t *a, *b, *buffers, *pair; /* MAX_OBJECTS each, of one block */
    uint32_t *tail, *back;
    uint64_t work;
};

/* --- unique on both sides ------------------------------------------------------ */

static void hash_rows(const uint32_t *key, uint32_t begin, uint32_t end, uint32_t width,
                      uint64_t *entry)
{
    for (uint32_t p = begin; p + width <= end; p++) {
        uint64_t hash = 0;
        for (uint32_t i = 0; i < width; i++)
            hash = hash * 0x9E3779B97F4A7C15U + key[p + i];
        *entry++ = (stir(hash) & 0xFFFFFFFF00000000U) | p;
    }
}

/* Sorts them and keeps those whose hash no other one has. */
static size_t keep_unique(struct gap_filler *f, uint64_t *entry, size_t len)
{
    size_t kept = 0;
    radix_sort(entry, NULL, len, f->buffers, NULL);
    for (size_t i = 0, end; i < len; i = end) {
        for (end = i + 1; end < len && entry[end] >> 32 == entry[i] >> 32;)
            end++;
        if (end == i + 1)
            entry[kept++] = entry[i];
    }
    return kept;
}

/* x << 32 | y, by x. */
static size_t unique_pairs(struct gap_filler *f, const struct gap *g, uint32_t width)
{
    uint32_t in_a = g->x_end - g->x, in_b = g->y_end - g->y;
    size_t len = 0;
    if (in_a < width || in_b < width)
        return 0;
    f->work += in_a + in_b;
    hash_rows(f->al->a.key, g->x, g->x_end, width, f->a);
    hash_rows(f->al->b.key, g->y, g->y_end, width, f->b);
    size_t a_len = keep_unique(f, f->a, in_a - width + 1);
    size_t b_len = keep_unique(f, f->b, in_b - width + 1);
    for (size_t i = 0, k = 0; i < a_len && k < b_len;) {
        uint64_t a = f->a[i] >> 32, b = f->b[k] >> 32;
        if (a == b)
            f->pair[len++] = f->a[i] << 32 | (uint32_t)f->b[k];
        i += a <= b;
        k += b <= a;
    }
    radix_sort(f->pair, NULL, len, f->buffers, NULL);
    return len;
}

/* Keep the longest part in which the positions in b rise, too. */
static size_t keep_rising(struct gap_filler *f, size_t len)
{
    size_t most = 0;
    for (size_t i = 0; i < len; i++) {
        size_t low = 0, high = most;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if ((uint32_t)f->pair[f->tail[middle]] < (uint32_t)f->pair[i])
                low = middle + 1;
            else
                high = middle;
        }
        f->back[i] = low > 0 ? f->tail[low - 1] : UINT32_MAX;
        f->tail[low] = (uint32_t)i;
        most += low == most;
    }
    uint32_t at = most > 0 ? f->tail[most - 1] : 0;
    for (size_t i = most; i-- > 0; at = f->back[at])
        f->tail[i] = at;
    for (size_t i = 0; i < most; i++)
        f->pair[i] = f->pair[f->tail[i]];
    return most;
}

/* --- a gap
 * -------------------------------------------------------------------------------- */

static void leave(struct gap_filler *f, const struct gap *g)
{
    if (g->x == g->x_end || g->y == g->y_end)
        return;
    f->gaps = grow(f->gaps, f->len, &f->cap, sizeof(*f->gaps));
    f->gaps[f->len++] = *g;
}

static void take_pairs(struct gap_filler *f, const struct gap *g, size_t len)
{
    struct gap rest = *g;
    rest.depth++;
    for (size_t i = 0; i < len; i++) {
        uint32_t x = (uint32_t)(f->pair[i] >> 32), y = (uint32_t)f->pair[i];
        if (x < rest.x || y < rest.y)
            continue;
        const struct run within = {rest.x, rest.y, g->x_end - rest.x};
        struct run r = run_around(f->al, x, y, &within, g->y_end - rest.y);
        if (r.len == 0)
            continue;
        take(f->al, &r);
        leave(f, &(struct gap){rest.x, r.x, rest.y, r.y, rest.depth});
        rest.x = r.x + r.len, rest.y = r.y + r.len;
    }
    leave(f, &rest);
}

static void fill(struct gap_filler *f, const struct gap *g)
{
    for (size_t w = 0; w < WIDTHS && g->depth < MAX_DEPTH && g->y_end - g->y > 1; w++) {
        size_t len = unique_pairs(f, g, widths[w]);
        if (len > 0) {
            take_pairs(f, g, keep_rising(f, len));
            return;
        }
    }
    struct alignment *al = f->al;
    uint64_t looks = LOOKS * (uint64_t)(g->x_end - g->x);
    uint32_t x = g->x;
    for (uint32_t y = g->y; y < g->y_end && looks > 0; y++) {
        uint32_t at = x;
        while (at < g->x_end && looks > 0 && al->a.key[at] != al->b.key[y])
            at++, looks--, f->work++;
        if (at == g->x_end || looks == 0)
            continue;
        take(al, &(struct run){at, y, 1});
        x = at + 1;
    }
}

/* --- gaps
 * --------------------------------------------------------------------------------- */

/* Whether y .. y_end - 1 lies between matches that follow each other, within one region on
 * either side, and the older snapshot has room enough there. Its objects in between are
 * free, so that no two gaps share any: all of them together are looked at once. */
static bool is_bracketed(struct gap_filler *f, struct gap *g)
{
    const struct side *a = &f->al->a, *b = &f->al->b;
    if (g->y == 0 || g->y_end == b->len || !IS_MATE(b->mate[g->y_end]) ||
        region_of(b->address[g->y - 1]) != region_of(b->address[g->y_end]))
        return false;
    uint32_t left = b->mate[g->y - 1], right = b->mate[g->y_end];
    if (left >= right || right - left > MAX_OBJECTS || right - left <= g->y_end - g->y ||
        region_of(a->address[left]) != region_of(a->address[right]) ||
        a->address[right] - a->address[left] < b->address[g->y_end] - b->address[g->y - 1])
        return false;
    g->x = left + 1, g->x_end = right;
    for (uint32_t x = g->x; x < g->x_end; x++, f->work++)
        if (a->mate[x] != FREE)
            return false;
    return true;
}

static void make_room(struct gap_filler *f)
{
    if (f->a != NULL)
        return;
    f->a = alloc_resize(NULL, array_bytes((size_t)5 * MAX_OBJECTS, sizeof(*f->a)));
    f->b = f->a + MAX_OBJECTS;
    f->buffers = f->b + MAX_OBJECTS;
    f->pair = f->buffers + MAX_OBJECTS;
    f->tail = (uint32_t *)(f->pair + MAX_OBJECTS);
    f->back = f->tail + MAX_OBJECTS;
}

static void fill_share(struct alignment *al, struct share s)
{
    struct gap_filler f = {.al = al};
    for (uint32_t y = s.begin, end; y < s.end; y = end) {
        for (end = y; end < s.end && !IS_MATE(al->b.mate[end]);)
            end++;
        struct gap g = {0, 0, y, end, 0};
        if (end == y) {
            end++;
        } else if (is_bracketed(&f, &g)) {
            make_room(&f);
            leave(&f, &g);
        }
        while (f.len > 0) {
            struct gap next = f.gaps[--f.len];
            fill(&f, &next);
        }
    }
    count_work(al, f.work);
    free(f.gaps);
    free(f.a);
}

void fill_between(struct alignment *al)
{
    for_each_share(al, fill_share);
}
