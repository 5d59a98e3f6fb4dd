#include "identity/same.h"

#include "base/arrays.h"
#include "base/hash.h"
#include "base/workers.h"
#include "heap/graph.h"
#include "identity/align_parts.h"

#include <stdlib.h>
#include <string.h>

/* The two heaps as sequences.
 *
 * An object without an address, or with that of another object, has no distinct position:
 * it is left out, and unknown. This file uses addresses, types and sizes only, never the
 * numbers of nodes. */

/* --- information ----------------------------------------------------------------- */

/* The information in the two heaps: how often a key follows another one.
 *
 * With contents most keys of strings are unique, so their successor is always the same and
 * carries no information. There successors are counted per kind, too, and the smaller
 * amount of information is used, except after keys too rare for statistics. A header that
 * follows the same texts a thousand times carries little information, a unique name
 * much. */

/* Counters of keys and of pairs of keys: about one per object, but few enough to remain in
 * the cache; contents need more than that. Keys that share a counter by chance look more
 * frequent than they are, which makes matches less credible, not more. */
enum {
    MIN_SLOTS = 1 << 12,
    MAX_KEY_SLOTS = 1 << 18,
    MAX_CONTENT_SLOTS = 1 << 21,
    MAX_PAIR_SLOTS = 1 << 21
};

/* Up to twice on either side: too rare for statistics. */
enum { RARE = 4 };

enum { MEASURED_SHARE = 1 << 16 }; /* positions of a that are measured at a time */

/* Successor counts, by key or by kind. Computed one after the other to save memory. Both
 * sides share the counters if one thread counts them, or the objects are few: otherwise
 * each has its own, and they are added up. */
struct align_counters {
    struct alignment *al;
    const uint32_t *before[2];    /* per side, keys or kinds by position */
    uint32_t *pairs[2], *keys[2]; /* the sum of both in the first */
    uint32_t pair_mask, key_mask;
};

static uint32_t slots_for(uint64_t objects, uint32_t most)
{
    uint32_t slots = MIN_SLOTS;
    while (slots < objects && slots < most)
        slots *= 2;
    return slots;
}

static inline uint32_t pair_of(uint32_t before, uint32_t key)
{
    return (uint32_t)((((uint64_t)before << 32 | key) * 0x9E3779B97F4A7C15U) >> 32);
}

static bool count_side(void *context, size_t i)
{
    struct align_counters *c = context;
    const struct side *s = i == 0 ? &c->al->a : &c->al->b;
    const uint32_t *before = c->before[i];
    for (uint32_t p = 0; p < s->len; p++) {
        c->keys[i][before[p] & c->key_mask]++;
        if (p > 0)
            c->pairs[i][pair_of(before[p - 1], s->key[p]) & c->pair_mask]++;
    }
    return true;
}

static void add_up(uint32_t *counters[2], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        counters[0][i] = counter_sum(counters[0][i], counters[1][i]);
    free(counters[1]);
}

static void align_count(struct align_counters *c, uint32_t most_keys)
{
    uint64_t objects = (uint64_t)c->al->a.len + c->al->b.len;
    uint32_t pairs = slots_for(objects, MAX_PAIR_SLOTS);
    uint32_t keys = slots_for(objects / 2, most_keys);
    c->pair_mask = pairs - 1;
    c->key_mask = keys - 1;
    bool several = c->al->threads > 1;
    bool apart = (several && objects > MEASURED_SHARE) || objects > UINT32_MAX;
    for (size_t i = 0; i < 2; i++) {
        bool own = i == 0 || apart;
        c->pairs[i] =
            own ? alloc_zeroed(array_bytes(pairs, sizeof(**c->pairs))) : c->pairs[0];
        c->keys[i] = own ? alloc_zeroed(array_bytes(keys, sizeof(**c->keys))) : c->keys[0];
    }
    workers_run(2, apart && several ? 2 : 1, count_side, c);
    if (!apart)
        return;
    add_up(c->keys, keys);
    add_up(c->pairs, pairs);
}

/* Returns -log2 of the chance that this key follows that one. A pair seen once counts as
 * half a time. */
static uint32_t information(const struct align_counters *c, uint32_t p)
{
    uint32_t before = c->before[0][p - 1];
    uint32_t slot = pair_of(before, c->al->a.key[p]) & c->pair_mask;
    uint32_t n = c->pairs[0][slot];
    uint32_t all = eighths(c->keys[0][before & c->key_mask]) + BIT;
    uint32_t twice = n > 1 ? eighths(n - 1) + BIT : 0;
    uint32_t bits = all > twice ? all - twice : 0;
    return bits < UINT8_MAX ? bits : UINT8_MAX;
}

static bool measure_keys(void *context, size_t i)
{
    const struct align_counters *c = context;
    struct alignment *al = c->al;
    struct share part = part_of(i, MEASURED_SHARE, al->a.len);
    for (uint32_t p = part.begin; p < part.end; p++)
        al->bits[p] = (uint8_t)(p > 0 ? information(c, p) : 8 * BIT);
    return true;
}

static bool measure_kinds(void *context, size_t i)
{
    const struct align_counters *c = context;
    struct alignment *al = c->al;
    struct share part = part_of(i, MEASURED_SHARE, al->a.len);
    for (uint32_t p = part.begin > 0 ? part.begin : 1; p < part.end; p++) {
        uint32_t bits = information(c, p);
        if (al->seen[al->a.key[p - 1] & al->seen_mask] <= RARE || bits < al->bits[p])
            al->bits[p] = (uint8_t)bits;
    }
    return true;
}

static void measure(struct alignment *al)
{
    size_t shares = al->a.len / MEASURED_SHARE + 1;
    struct align_counters c = {.al = al, .before = {al->a.key, al->b.key}};
    free(al->seen);
    align_count(&c, al->by_contents ? MAX_CONTENT_SLOTS : MAX_KEY_SLOTS);
    al->bits = alloc_resize(al->bits, al->a.len);
    workers_run(shares, al->threads, measure_keys, &c);
    free(c.pairs[0]);
    al->seen = c.keys[0];
    al->seen_mask = c.key_mask;
    if (!al->by_contents)
        return;
    c = (struct align_counters){.al = al, .before = {al->a.kind, al->b.kind}};
    align_count(&c, MAX_KEY_SLOTS);
    workers_run(shares, al->threads, measure_kinds, &c);
    free(c.pairs[0]);
    free(c.keys[0]);
}

/* --- contents -------------------------------------------------------------------- */

/* The contents of objects, where both snapshots have them (heap/graph.h): a part of their
 * keys.
 *
 * A string never changes: another text is another string. Arrays do, so they are matched
 * with their contents first, and the unmatched ones again without.
 *
 * Hashes are computed for a comparison and freed with the alignment: they are as secret as
 * values. */

static bool has_contents(const struct graph *g)
{
    return g->fields != NULL && g->fields->contents != NULL;
}

static void forget_in(struct side *s)
{
    for (uint32_t p = 0; p < s->len; p++)
        s->key[p] = key_for_life(s, p);
}

/* --- both sides ------------------------------------------------------------------ */

enum { SHARE_OBJECTS = 1 << 13 };

/* --- in the order of addresses --------------------------------------------------- */

/* The system clears every page that it hands out, so the buffers for sorting are reused for
 * keys and mates. */
static void sort_by_address(struct side *s)
{
    struct address_index x;
    uint64_t *address = alloc_resize(NULL, array_bytes(s->len, sizeof(*address)));
    node_id *node = alloc_resize(NULL, array_bytes(s->len, sizeof(*node)));
    uint32_t i = 1;
    while (i < s->len && s->address[i - 1] <= s->address[i])
        i++;
    if (i < s->len && address_index_make(&x, s->address, s->len)) {
        for (i = 0; i < s->len; i++) {
            uint32_t to = address_index_find(&x, s->address[i]);
            address[to] = s->address[i];
            node[to] = s->node[i];
        }
        address_index_free(&x);
        uint64_t *was = s->address;
        s->address = address, address = was;
        free(s->node);
        s->node = node;
    } else {
        radix_sort(s->address, s->node, s->len, address, node);
        free(node);
    }
    s->key = (uint32_t *)address;
    s->mate = s->key + s->len;
}

static void leave_out_repeated(struct side *s)
{
    uint32_t len = 0;
    for (uint32_t i = 0, end; i < s->len; i = end) {
        for (end = i + 1; end < s->len && s->address[end] == s->address[i];)
            end++;
        if (end > i + 1)
            continue;
        s->address[len] = s->address[i];
        s->node[len++] = s->node[i];
    }
    s->len = len;
}

static bool has_place(const struct side *s, node_id n)
{
    return s->snap->types[s->graph->type[n]].kind == TYPE_OBJECT &&
           graph_address(s->graph, n) != 0;
}

static void make_keys(struct side *s)
{
    uint64_t *name =
        alloc_zeroed(array_bytes((size_t)s->snap->type_count + 1, sizeof(*name)));
    for (type_id t = 0; t < s->snap->type_count; t++)
        name[t] = XXH3_64bits(s->snap->types[t].name, strlen(s->snap->types[t].name));
    for (uint32_t i = 0; i < s->len; i++) {
        uint64_t size = graph_size(s->graph, s->node[i]);
        s->key[i] = (uint32_t)(mix(name[s->graph->type[s->node[i]]] + size) >> 32);
    }
    free(name);
}

static void add_contents(struct side *s)
{
    const struct fields *f = s->graph->fields;
    s->kind = alloc_resize(NULL, array_bytes(s->len, sizeof(*s->kind)));
    for (uint32_t p = 0; p < s->len; p++) {
        uint64_t hash = 0;
        enum contents what = f->contents(f->context, s->node[p], &hash);
        s->kind[p] = s->key[p] &= ~FIXED;
        if (what == CONTENTS_UNKNOWN)
            continue;
        s->key[p] = (uint32_t)(mix(hash ^ s->key[p]) >> 32) & ~FIXED;
        if (what == CONTENTS_FIXED)
            s->key[p] |= FIXED;
    }
}

static bool make_side(void *context, size_t i)
{
    struct alignment *al = context;
    struct side *s = i == 0 ? &al->a : &al->b;
    const struct graph *g = s->graph;
    s->address =
        alloc_resize(NULL, array_bytes((size_t)g->node_count + 1, sizeof(*s->address)));
    s->node = alloc_resize(NULL, array_bytes((size_t)g->node_count + 1, sizeof(*s->node)));
    for (node_id n = 0; n < g->node_count; n++) {
        if (!has_place(s, n))
            continue;
        s->address[s->len] = graph_address(g, n);
        s->node[s->len++] = n;
    }
    if (s->len == 0)
        return true;
    sort_by_address(s);
    leave_out_repeated(s);
    memset(s->mate, 0xFF, array_bytes(s->len, sizeof(*s->mate)));
    make_keys(s);
    if (al->by_contents)
        add_contents(s);
    return true;
}

/* --- shares ---------------------------------------------------------------------- */

struct share_work {
    struct alignment *al;
    void (*work)(struct alignment *, struct share);
};

static bool work_on_share(void *context, size_t i)
{
    struct share_work *s = context;
    s->work(s->al, s->al->shares[i]);
    return true;
}

void for_each_share(struct alignment *al, void (*work)(struct alignment *, struct share))
{
    struct share_work s = {al, work};
    workers_run(al->share_count, al->threads, work_on_share, &s);
}

/* --- the whole alignment --------------------------------------------------------- */

static bool alignment_begin(struct alignment *al, const struct hd_snapshot *older,
                            const struct hd_snapshot *newer, unsigned threads)
{
    *al = (struct alignment){.a = {.snap = older, .graph = older->graph},
                             .b = {.snap = newer, .graph = newer->graph},
                             .threads = threads};
    al->by_contents = has_contents(older->graph) && has_contents(newer->graph);
    workers_run(2, threads, make_side, al);
    if (al->a.len == 0 || al->b.len == 0)
        return false;
    measure(al);
    const struct side *b = &al->b;
    al->shares = alloc_zeroed(array_bytes(b->len / SHARE_OBJECTS + 1, sizeof(*al->shares)));
    for (uint32_t begin = 0, end; begin < b->len; begin = end) {
        end = b->len - begin > SHARE_OBJECTS ? begin + SHARE_OBJECTS : b->len;
        while (end < b->len && region_of(b->address[end]) == region_of(b->address[end - 1]))
            end++;
        al->shares[al->share_count++] = (struct share){begin, end};
    }
    return true;
}

static void side_free(struct side *s)
{
    free(s->address);
    free(s->key);
    free(s->kind);
    free(s->node);
}

static void alignment_end(struct alignment *al)
{
    side_free(&al->a);
    side_free(&al->b);
    free(al->bits);
    free(al->seen);
    free(al->shares);
    *al = (struct alignment){0};
}

/* --- runs ------------------------------------------------------------------------ */

static inline bool agree(const struct alignment *al, uint32_t x, uint32_t y,
                         uint64_t distance)
{
    const struct side *a = &al->a, *b = &al->b;
    return a->mate[x] == FREE && b->mate[y] == FREE && a->key[x] == b->key[y] &&
           b->address[y] - a->address[x] == distance;
}

struct run run_around(struct alignment *al, uint32_t x, uint32_t y,
                      const struct run *within, uint32_t b_len)
{
    uint64_t distance = al->b.address[y] - al->a.address[x];
    uint32_t x_end = within->x + within->len, y_end = within->y + b_len, before = 0,
             len = 0;
    while (x + len < x_end && y + len < y_end && agree(al, x + len, y + len, distance))
        len++;
    while (len > 0 && x - before > within->x && y - before > within->y &&
           agree(al, x - before - 1, y - before - 1, distance))
        before++;
    return (struct run){x - before, y - before, before + len};
}

uint32_t run_bits(const struct alignment *al, const struct run *r)
{
    uint32_t sum = 0;
    for (uint32_t i = 1; i < r->len && sum < UINT32_MAX / 2; i++)
        sum += al->bits[r->x + i];
    return sum;
}

/* --- between --------------------------------------------------------------------- */

/* Matches the gap between two consecutive matches. Compaction only removes objects there:
 * the newer side is the older one minus dead objects, so weaker evidence is enough: rows of
 * three keys and single keys that are unique in the gap (as in patience diff, and again in
 * the smaller gaps), and finally first come, first served. */

/* --- runs made longer ------------------------------------------------------------ */

/* Extends matches both ways, as an alignment of sequences with gaps. The next match scores
 * the information in its key after the key before it, or after a gap that of its key alone;
 * a gap costs, and so does every new object. The extension ends at the best score, and
 * stops LOST below it.
 *
 * Only the best choice for each object is followed: tracking several hundred alternatives,
 * as the definition demands, found no more on the recorded series. An object of the newer
 * snapshot is visited once per direction, and REACH objects of the older one for it. */

enum { LOST = 25 * BIT, MIN_EXTENSION = 25 * BIT, REACH = 200 };
enum { OPENING = 3 * BIT, DEAD_PER_EIGHTH = 6, NEWCOMER = 6 * BIT };

struct pairs {
    struct run *all; /* one object each */
    size_t len, cap;
};

struct extension {
    struct alignment *al;
    bool leftwards;
    struct pairs *found; /* per share */
};

static bool has_same_distance(const struct alignment *al, uint32_t x, uint32_t next_x,
                              uint32_t y, uint32_t next_y)
{
    const struct side *a = &al->a, *b = &al->b;
    return b->address[next_y] - b->address[y] == a->address[next_x] - a->address[x];
}

/* Returns the best mate for next_y after the match `at`, or at.x; *brings is its score. */
static uint32_t best_mate(const struct alignment *al, struct run at, uint32_t next_y,
                          int step, int32_t *brings, uint64_t *work)
{
    const struct side *a = &al->a;
    uint64_t region = region_of(a->address[at.x]);
    uint32_t key = al->b.key[next_y], x = at.x;
    *brings = -NEWCOMER;
    if (al->seen[key & al->seen_mask] < 2)
        return at.x; /* the other side has no such key */
    for (int32_t distance = 1; distance <= REACH; distance++) {
        x += (uint32_t)step; /* left of 0 is beyond the end, too */
        ++*work;
        if (x >= a->len || region_of(a->address[x]) != region)
            break;
        if (a->key[x] != key || a->mate[x] != FREE)
            continue;
        int32_t alone_brings =
            (int32_t)alone(al, key) - OPENING - distance / DEAD_PER_EIGHTH;
        int32_t in_row = distance == 1 && has_same_distance(al, at.x, x, at.y, next_y)
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
    found->len = best >= MIN_EXTENSION ? kept : begin;
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

/* Threads read the matches from before the call, so that no result depends on the progress
 * of another. If two extensions claim one object of the older snapshot, the first gets
 * it. */
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

static void extend(struct alignment *al)
{
    extend_one_way(al, false);
    extend_one_way(al, true);
}

/* --- gaps ------------------------------------------------------------------------ */

/* Larger gaps are skipped; from MAX_DEPTH on, gaps within gaps are matched first come,
 * first served, with at most LOOKS comparisons per object. */
enum { MAX_OBJECTS = 20000, MAX_DEPTH = 12, LOOKS = 32 };

static const uint32_t widths[] = {3, 1};
enum { WIDTHS = sizeof(widths) / sizeof(widths[0]) };

struct gap {
    uint32_t x, x_end, y, y_end, depth;
};

/* Buffers of a thread that fills the gaps of a share. */
struct gap_filler {
    struct alignment *al;
    struct gap *gaps; /* to be filled */
    size_t len, cap;
    uint64_t *a, *b, *buffers, *pair; /* MAX_OBJECTS each, in one block */
    uint32_t *tail, *back;
    uint64_t work;
};

/* --- unique on both sides -------------------------------------------------------- */

static void hash_rows(const uint32_t *key, uint32_t begin, uint32_t end, uint32_t width,
                      uint64_t *entry)
{
    for (uint32_t p = begin; p + width <= end; p++) {
        uint64_t hash = 0;
        for (uint32_t i = 0; i < width; i++)
            hash = hash * 0x9E3779B97F4A7C15U + key[p + i];
        *entry++ = (mix(hash) & 0xFFFFFFFF00000000U) | p;
    }
}

/* Sorts the entries and drops those whose hash is not unique. */
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

/* Drops all except the longest part in which the positions in b rise, too. */
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

/* --- a gap ----------------------------------------------------------------------- */

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

/* --- all gaps -------------------------------------------------------------------- */

/* True if y .. y_end - 1 is between consecutive matches, within one region on either side,
 * and the older snapshot has at least this many objects there. They are free, so no two
 * gaps share any, and all gaps together are linear. */
static bool is_bracketed(struct gap_filler *f, struct gap *g)
{
    const struct side *a = &f->al->a, *b = &f->al->b;
    /* In another region it may be that of another thread. */
    if (g->y == 0 || g->y_end == b->len ||
        region_of(b->address[g->y - 1]) != region_of(b->address[g->y_end]) ||
        !IS_MATE(b->mate[g->y_end]))
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

static void allocate_buffers(struct gap_filler *f)
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
            allocate_buffers(&f);
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

static void fill_between(struct alignment *al)
{
    for_each_share(al, fill_share);
}

/* --- order ----------------------------------------------------------------------- */

/* The collector preserves the order of objects that it slides together. So of the matches
 * between two regions only the heaviest subset survives in which positions rise on both
 * sides; regions themselves are emptied into each other in any order.
 *
 * Longest increasing subsequence by a Fenwick tree of maxima, one for each region of the
 * older snapshot, here slices of an array. O(r log r) for r runs. */

static const uint32_t NO_RUN = UINT32_MAX;

struct chain_end {
    uint32_t weight; /* objects */
    uint32_t run;    /* last run of the chain */
};

/* Buffers for a region of b; 40 bytes per run. */
struct order {
    struct run *run; /* by y */
    size_t len, cap;
    uint64_t *by_x, *buffers;
    struct chain_end *tree; /* of ranks, from 1 */
    uint32_t *back;         /* per run: the previous run of its chain */
};

static bool heavier(struct chain_end a, struct chain_end b)
{
    return a.weight > b.weight || (a.weight == b.weight && a.run > b.run);
}

static bool is_in_order(const struct order *o)
{
    for (size_t i = 1; i < o->len; i++)
        if (o->run[i].x < o->run[i - 1].x)
            return false;
    return true;
}

static struct chain_end heaviest_below(const struct order *o, size_t rank)
{
    struct chain_end best = {0, NO_RUN};
    for (size_t k = rank - 1; k > 0; k -= k & -k)
        if (heavier(o->tree[k], best))
            best = o->tree[k];
    return best;
}

/* Drops all but the heaviest chain of the runs, sorted by x, of a region of a. */
static void keep_chain(struct alignment *al, struct order *o, uint64_t *runs, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        runs[i] = runs[i] << 32 | (i + 1); /* the number of the run, its rank by x */
        o->tree[i + 1] = (struct chain_end){0, NO_RUN};
    }
    radix_sort(runs, NULL, len, o->buffers, NULL);
    for (size_t i = 0; i < len; i++) {
        uint32_t run = (uint32_t)(runs[i] >> 32), rank = (uint32_t)runs[i];
        struct chain_end chain = heaviest_below(o, rank);
        o->back[run] = chain.run;
        chain = (struct chain_end){chain.weight + o->run[run].len, run};
        for (size_t k = rank; k <= len; k += k & -k)
            if (heavier(chain, o->tree[k]))
                o->tree[k] = chain;
    }
    uint32_t keep = heaviest_below(o, len + 1).run;
    for (size_t i = len; i-- > 0;) {
        uint32_t run = (uint32_t)(runs[i] >> 32);
        if (run == keep) {
            keep = o->back[run];
            continue;
        }
        for (uint32_t k = 0; k < o->run[run].len; k++)
            part(al, o->run[run].y + k);
    }
}

static void keep_order_of_region(struct alignment *al, struct order *o)
{
    if (is_in_order(o))
        return;
    o->by_x = alloc_resize(NULL, array_bytes(o->len, sizeof(*o->by_x)));
    o->buffers = alloc_resize(NULL, array_bytes(o->len, sizeof(*o->buffers)));
    o->tree = alloc_resize(NULL, array_bytes(o->len + 1, sizeof(*o->tree)));
    o->back = alloc_resize(NULL, array_bytes(o->len, sizeof(*o->back)));
    for (size_t i = 0; i < o->len; i++)
        o->by_x[i] = (uint64_t)o->run[i].x << 32 | i;
    radix_sort(o->by_x, NULL, o->len, o->buffers, NULL);
    for (size_t i = 0, end; i < o->len; i = end) {
        uint64_t region = region_of(al->a.address[o->by_x[i] >> 32]);
        for (end = i + 1;
             end < o->len && region_of(al->a.address[o->by_x[end] >> 32]) == region;)
            end++;
        keep_chain(al, o, o->by_x + i, end - i);
    }
    free(o->by_x);
    free(o->buffers);
    free(o->tree);
    free(o->back);
}

static void keep_order_of_share(struct alignment *al, struct share s)
{
    struct order o = {0};
    for (uint32_t begin = s.begin, end; begin < s.end; begin = end) {
        for (end = begin + 1; end < s.end && region_of(al->b.address[end]) ==
                                                 region_of(al->b.address[begin]);)
            end++;
        /* Runs within one region of b, cut at the end of each region of a. */
        const struct side *a = &al->a, *b = &al->b;
        o.len = 0;
        for (uint32_t y = begin, next; y < end; y = next) {
            uint32_t x = b->mate[y];
            next = y + 1;
            if (!IS_MATE(x))
                continue;
            while (next < end && b->mate[next] == x + (next - y) &&
                   region_of(a->address[x + (next - y)]) == region_of(a->address[x]))
                next++;
            o.run = grow(o.run, o.len, &o.cap, sizeof(*o.run));
            o.run[o.len++] = (struct run){x, y, next - y};
        }
        keep_order_of_region(al, &o);
    }
    free(o.run);
}

/* --- alignment ------------------------------------------------------------------- */

enum { SHARE = 1 << 14 }; /* positions of a, and nodes, per task */

struct same_writer {
    const struct alignment *al;
    struct same *same;
    type_id *twin; /* per type of a: the last one of b that has its name */
};

/* Caches the last comparison of types. It is the same whichever thread wrote it. */
static bool same_type(const struct same_writer *t, type_id in_a, type_id in_b)
{
    if (__atomic_load_n(&t->twin[in_a], __ATOMIC_RELAXED) == in_b)
        return true;
    if (strcmp(t->al->a.snap->types[in_a].name, t->al->b.snap->types[in_b].name) != 0)
        return false;
    __atomic_store_n(&t->twin[in_a], in_b, __ATOMIC_RELAXED);
    return true;
}

static bool know_nothing(void *context, size_t i)
{
    const struct same_writer *t = context;
    size_t begin = i * SHARE, left = t->same->count - begin;
    memset(t->same->next + begin, 0xFF,
           array_bytes(left < SHARE ? left : SHARE, sizeof(*t->same->next)));
    return true;
}

static bool report_share(void *context, size_t i)
{
    const struct same_writer *t = context;
    const struct side *a = &t->al->a, *b = &t->al->b;
    struct share part = part_of(i, SHARE, a->len);
    for (uint32_t x = part.begin; x < part.end; x++) {
        if (!IS_MATE(a->mate[x]))
            continue;
        node_id from = a->node[x], to = b->node[a->mate[x]];
        if (same_type(t, a->graph->type[from], b->graph->type[to]) &&
            graph_size(a->graph, from) == graph_size(b->graph, to))
            t->same->next[from] = to;
    }
    return true;
}

/* Keys are hashes: drops pairs whose types or sizes differ. */
static void report(struct same *s, const struct alignment *al)
{
    size_t types = al->a.snap->type_count;
    struct same_writer t = {.al = al, .same = s};
    s->source = al->by_contents ? HD_SAME_BY_CONTENTS : HD_SAME_BY_ORDER;
    s->count = al->a.graph->node_count;
    s->next = alloc_resize(NULL, array_bytes((size_t)s->count + 1, sizeof(*s->next)));
    t.twin = alloc_resize(NULL, array_bytes(types + 1, sizeof(*t.twin)));
    memset(t.twin, 0xFF, array_bytes(types, sizeof(*t.twin)));
    workers_run(((size_t)s->count + SHARE - 1) / SHARE, al->threads, know_nothing, &t);
    workers_run(al->a.len / SHARE + 1, al->threads, report_share, &t);
    free(t.twin);
}

uint64_t same_align(struct same *s, const struct hd_snapshot *older,
                    const struct hd_snapshot *newer, unsigned threads)
{
    struct alignment al;
    if (alignment_begin(&al, older, newer, threads)) {
        find_in_place(&al);
        find_anchors(&al);
        sweep_regions(&al);
        if (al.by_contents) {
            find_young(&al);
            extend(&al);
            forget_in(&al.a);
            forget_in(&al.b);
            measure(&al);
            find_anchors(&al);
        }
        fill_between(&al);
        uint32_t unknown = count_free(&al.a);
        find_young(&al);
        fill_between(&al);
        extend(&al);
        fill_between(&al);
        if (count_free(&al.a) < unknown)
            find_young(&al); /* again: more of their neighbours are known by now */
        for_each_share(&al, keep_order_of_share);
        fill_between(&al);
        report(s, &al);
    }
    uint64_t work = al.work;
    alignment_end(&al);
    return work;
}
