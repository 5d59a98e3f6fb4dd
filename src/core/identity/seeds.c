/* Seeds of an alignment: unique equal items on both sides, in long runs (anchors), and in
 * chains of short ones (young objects). */
#include "identity/align_parts.h"

#include "base/arrays.h"
#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

/* --- grams --------------------------------------------------------------------------- */

/* Finds equal items on both sides: a join of hashes of positions.
 *
 * For keys in a row ("n-grams") and other properties of positions. The hashes of a large
 * heap are partitioned by their highest bits; in each partition a side becomes a table in
 * which the hashes of the other side are looked up. Several threads work on partitions.
 * Equal hashes may be different items: callers compare pairs themselves. */

/* Hash and position. */
static inline uint64_t gram_entry(uint32_t hash, uint32_t position)
{
    return (uint64_t)hash << 32 | position;
}

static inline uint32_t gram_hash(uint64_t entry)
{
    return (uint32_t)(entry >> 32);
}

static inline uint32_t gram_position(uint64_t entry)
{
    return (uint32_t)entry;
}

/* Passes the entries of a side, at most one per position, to gram_add(). Called twice for
 * large sides. */
struct gram_sink;
typedef void gram_source(void *context, size_t side, struct gram_sink *sink);

/* A pair keyed by the difference of its positions, so that sorting makes the pairs of a run
 * adjacent, in order. */
static inline uint64_t gram_pair(uint32_t x, uint32_t y)
{
    return (uint64_t)(x - y) << 32 | x;
}

static inline uint32_t gram_x(uint64_t pair)
{
    return (uint32_t)pair;
}

static inline uint32_t gram_y(uint64_t pair)
{
    return (uint32_t)pair - (uint32_t)(pair >> 32);
}

/* The pairs of positions whose hash is unique on both sides, sorted; malloc'd. O(entries);
 * 8 bytes per entry and pair, and 24 to 48 for each hash of a part. */
struct gram_pairs {
    uint64_t *all;
    size_t len;
};

/* The source of `width` free keys in a row; context is a struct gram_rows. Only rows whose
 * hash lacks all bits of `without`: the same on both sides. */
struct gram_rows {
    const struct alignment *al;
    uint32_t width, without;
};

/* The table of a part fits the second level of the cache; more parts would be too many
 * write streams. */
enum { PART_POSITIONS = 1 << 13, MAX_PART_BITS = 10 };

struct gram_sink {
    uint64_t *entry; /* NULL: only count */
    uint32_t *at;    /* per part */
    unsigned part_bits;
};

struct part_pairs {
    uint64_t *all;
    size_t len, cap;
};

struct join {
    gram_source *source;
    void *context;
    uint32_t positions[2];
    unsigned part_bits;
    uint64_t *entry[2];
    uint32_t *begin[2];       /* per part, and the end */
    struct part_pairs *found; /* per part */
};

static void gram_add(struct gram_sink *sink, uint32_t hash, uint32_t position)
{
    uint32_t *at = &sink->at[(uint64_t)hash >> (32 - sink->part_bits)];
    if (sink->entry != NULL)
        sink->entry[*at] = gram_entry(hash, position);
    (*at)++;
}

static void grams_in_rows(void *context, size_t side, struct gram_sink *sink)
{
    const uint64_t factor = 0x9E3779B97F4A7C15U;
    const struct gram_rows *rows = context;
    const struct side *s = side == 0 ? &rows->al->a : &rows->al->b;
    uint64_t hash = 0, first = 1; /* factor of the key that leaves the window */
    uint32_t len = 0, width = rows->width;
    for (uint32_t i = 0; i < width; i++)
        first *= factor;
    for (uint32_t p = 0; p < s->len; p++) {
        if (s->mate[p] != FREE) {
            len = 0, hash = 0;
            continue;
        }
        hash = hash * factor + s->key[p];
        if (len++ >= width)
            hash -= first * s->key[p - width];
        uint64_t mixed = mix(hash);
        if (len >= width && (mixed & rows->without) == 0)
            gram_add(sink, (uint32_t)(mixed >> 32), p + 1 - width);
    }
}

/* --- dealing out ---------------------------------------------------------------------- */

/* A single part needs no count. */
static bool deal_out(void *context, size_t side)
{
    struct join *j = context;
    size_t parts = (size_t)1 << j->part_bits, bytes = (parts + 1) * sizeof(uint32_t);
    uint32_t *begin = j->begin[side] = alloc_zeroed(bytes);
    uint32_t *end = alloc_zeroed(bytes), count = j->positions[side];
    struct gram_sink sink = {.at = end, .part_bits = j->part_bits};
    if (parts > 1) {
        j->source(j->context, side, &sink);
        count = 0;
        for (size_t i = 0; i <= parts; i++) {
            begin[i] = count;
            count += end[i];
        }
        memcpy(end, begin, bytes);
    }
    sink.entry = j->entry[side] = alloc_resize(NULL, array_bytes((size_t)count + 1, 8));
    j->source(j->context, side, &sink);
    begin[parts] = end[parts - 1];
    free(end);
    return true;
}

/* --- joining ---------------------------------------------------------------------- */

#define NONE UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

/* The positions that have a hash. */
struct gram_slot {
    uint32_t hash, x, y; /* x NONE: the slot is free */
};

/* Open addressing, at most half full of hashes of a. */
struct gram_table {
    struct gram_slot *slots;
    unsigned bits;
    size_t len;
    uint64_t factor; /* secret: a file must not choose colliding hashes */
};

static inline struct gram_slot *slot_of(const struct gram_table *t, uint32_t hash)
{
    size_t mask = ((size_t)1 << t->bits) - 1, i = (hash * t->factor) >> (64 - t->bits);
    while (t->slots[i].x != NONE && t->slots[i].hash != hash)
        i = (i + 1) & mask;
    return &t->slots[i];
}

/* Doubled when it is full, since most entries of a part may share a hash. */
static void make_slots(struct gram_table *t, unsigned bits)
{
    struct gram_table old = *t;
    size_t bytes = array_bytes((size_t)1 << bits, sizeof(*t->slots));
    t->bits = bits;
    t->slots = memset(alloc_resize(NULL, bytes), 0xFF, bytes);
    for (size_t i = 0; old.slots != NULL && i < (size_t)1 << old.bits; i++)
        if (old.slots[i].x != NONE)
            *slot_of(t, old.slots[i].hash) = old.slots[i];
    free(old.slots);
}

static bool join_part(void *context, size_t i)
{
    enum { FIRST_BITS = 10 };
    struct join *j = context;
    struct part_pairs *f = &j->found[i];
    struct gram_table t = {.factor = mix(hash_seed()) | 1};
    if (j->begin[0][i] == j->begin[0][i + 1] || j->begin[1][i] == j->begin[1][i + 1])
        return true;
    make_slots(&t, FIRST_BITS);
    for (uint32_t e = j->begin[0][i]; e < j->begin[0][i + 1]; e++) {
        uint64_t entry = j->entry[0][e];
        struct gram_slot *slot = slot_of(&t, gram_hash(entry));
        bool is_new = slot->x == NONE;
        slot->hash = gram_hash(entry);
        slot->x = is_new ? gram_position(entry) : SEVERAL;
        t.len += is_new;
        if (2 * t.len > (size_t)1 << t.bits)
            make_slots(&t, t.bits + 1);
    }
    for (uint32_t e = j->begin[1][i]; e < j->begin[1][i + 1]; e++) {
        uint64_t entry = j->entry[1][e];
        struct gram_slot *slot = slot_of(&t, gram_hash(entry));
        slot->y = slot->y == NONE ? gram_position(entry) : SEVERAL;
    }
    for (size_t k = 0; k < (size_t)1 << t.bits; k++)
        if (t.slots[k].x < SEVERAL && t.slots[k].y < SEVERAL)
            *APPEND(f->all, f->len, f->cap) = gram_pair(t.slots[k].x, t.slots[k].y);
    free(t.slots);
    return true;
}

static struct gram_pairs collect_pairs(struct join *j)
{
    struct gram_pairs pairs = {0};
    size_t parts = (size_t)1 << j->part_bits;
    for (size_t i = 0; i < parts; i++)
        pairs.len += j->found[i].len;
    pairs.all = alloc_resize(NULL, array_bytes(pairs.len + 1, sizeof(*pairs.all)));
    for (size_t i = 0, len = 0; i < parts; i++) {
        if (j->found[i].len > 0)
            memcpy(pairs.all + len, j->found[i].all, j->found[i].len * sizeof(*pairs.all));
        len += j->found[i].len;
        free(j->found[i].all);
    }
    uint64_t *buffers = alloc_resize(NULL, array_bytes(pairs.len + 1, sizeof(*buffers)));
    radix_sort(pairs.all, NULL, pairs.len, buffers, NULL);
    free(buffers);
    return pairs;
}

static struct gram_pairs grams_join(const struct alignment *al, gram_source *source,
                                    void *context)
{
    struct join j = {
        .source = source, .context = context, .positions = {al->a.len, al->b.len}};
    uint32_t most = al->a.len > al->b.len ? al->a.len : al->b.len;
    while (j.part_bits < MAX_PART_BITS && most >> j.part_bits > PART_POSITIONS)
        j.part_bits++;
    workers_run(2, al->threads, deal_out, &j);
    j.found = alloc_zeroed(array_bytes((size_t)1 << j.part_bits, sizeof(*j.found)));
    workers_run((size_t)1 << j.part_bits, al->threads, join_part, &j);
    for (int s = 0; s < 2; s++) {
        free(j.entry[s]);
        free(j.begin[s]);
    }
    struct gram_pairs pairs = collect_pairs(&j);
    free(j.found);
    return pairs;
}

/* --- certain matches ------------------------------------------------------------- */

/* Certain matches: long runs of objects with equal keys and distances, and regions without
 * moves.
 *
 * A run is credible not because it is unique but by its information. Share of correct
 * matches: runs unique on both sides 0.76, of 20 bits 0.89, of 40 bits 0.998, of 60 and
 * more 1.000 (48 recorded series, compared with the collector's own account of its
 * moves). */

/* Runs of eight keys find all that longer ones do, on those series. */
enum { ANCHOR_KEYS = 8, MIN_ANCHOR = 60 * BIT };

enum { PAIRS_AT_ONCE = 1 << 12 }; /* pairs per batch of extensions to runs */

/* A region was swept, not compacted, if it has at least SWEPT_MATCHES unmoved matches, at
 * least SWEPT_PERCENT of its matches. */
enum { SWEPT_MATCHES = 200, SWEPT_PERCENT = 97 };

/* --- in place --------------------------------------------------------------------- */

static bool lies_before(const void *all, size_t i, const void *address)
{
    return ((const uint64_t *)all)[i] < *(const uint64_t *)address;
}

/* Runs end at the border of a share, so that shares are independent. */
static void find_in_place_of_share(struct alignment *al, struct share s)
{
    const uint64_t *a = al->a.address, *b = al->b.address;
    uint32_t x = (uint32_t)search_first(a, 0, al->a.len, lies_before, &b[s.begin]);
    for (uint32_t y = s.begin; x < al->a.len && y < s.end;) {
        struct run r = {x, y, 0};
        while (x < al->a.len && y < s.end && al->a.address[x] == al->b.address[y] &&
               al->a.key[x] == al->b.key[y])
            x++, y++;
        r.len = x - r.x;
        if (r.len > 0 && run_bits(al, &r) >= MIN_ANCHOR)
            take(al, &r);
        else if (r.len == 0 && a[x] == b[y])
            x++, y++;
        while (x < al->a.len && y < s.end && a[x] != b[y])
            a[x] < b[y] ? x++ : y++;
    }
}

void find_in_place(struct alignment *al)
{
    for_each_share(al, find_in_place_of_share);
}

/* --- anchors ---------------------------------------------------------------------- */

struct anchor {
    struct run run;
    uint32_t bits;
};

struct anchors {
    struct anchor *all;
    size_t len, cap;
};

/* State of turning pairs into anchors, by share. */
struct anchor_collector {
    struct alignment *al;
    const struct gram_pairs *pairs;
    struct anchors *found; /* per share */
};

static bool is_on_or_before(const void *all, size_t i, const void *diagonal)
{
    return ((const uint64_t *)all)[i] >> 32 <= *(const uint64_t *)diagonal;
}

/* Returns the begin of a share of pairs: no diagonal is divided. */
static size_t begin_of(const struct gram_pairs *pairs, size_t share)
{
    size_t i = share * PAIRS_AT_ONCE;
    if (i == 0 || i >= pairs->len)
        return i == 0 ? 0 : pairs->len;
    uint64_t before = pairs->all[i - 1] >> 32;
    return search_first(pairs->all, i, pairs->len, is_on_or_before, &before);
}

/* Adjacent grams on one diagonal that are unique on both sides form one run. A run ends at
 * the latest at the next such gram on another diagonal, so the length of all runs is at
 * most ANCHOR_KEYS times that of the heap. */
static bool collect_share(void *context, size_t share)
{
    struct anchor_collector *c = context;
    struct alignment *al = c->al;
    struct anchors *to = &c->found[share];
    const struct run within = {0, 0, al->a.len};
    struct run last = {0, 0, 0};
    uint64_t work = 0;
    size_t end = begin_of(c->pairs, share + 1);
    for (size_t i = begin_of(c->pairs, share); i < end; i++) {
        uint32_t x = gram_x(c->pairs->all[i]), y = gram_y(c->pairs->all[i]);
        if (x - last.x < last.len && y - last.y == x - last.x)
            continue;
        struct run r = run_around(al, x, y, &within, al->b.len);
        work += r.len;
        if (r.len == 0)
            continue;
        last = r;
        uint32_t bits = run_bits(al, &r);
        if (bits < MIN_ANCHOR)
            continue;
        to->all = grow(to->all, to->len, &to->cap, sizeof(*to->all));
        to->all[to->len++] = (struct anchor){r, bits};
    }
    count_work(al, work);
    return true;
}

static struct anchors collect_anchors(struct alignment *al, const struct gram_pairs *pairs)
{
    struct anchors sum = {0};
    size_t shares = pairs->len / PAIRS_AT_ONCE + 1;
    struct anchor_collector c = {al, pairs,
                                 alloc_zeroed(array_bytes(shares, sizeof(*c.found)))};
    workers_run(shares, al->threads, collect_share, &c);
    for (size_t i = 0; i < shares; i++)
        sum.len += c.found[i].len;
    sum.all = alloc_resize(NULL, array_bytes(sum.len + 1, sizeof(*sum.all)));
    for (size_t i = 0, len = 0; i < shares; i++) {
        if (c.found[i].len > 0)
            memcpy(sum.all + len, c.found[i].all, c.found[i].len * sizeof(*sum.all));
        len += c.found[i].len;
        free(c.found[i].all);
    }
    free(c.found);
    return sum;
}

static bool is_free(const struct alignment *al, const struct run *r)
{
    for (uint32_t i = 0; i < r->len; i++)
        if (al->a.mate[r->x + i] != FREE || al->b.mate[r->y + i] != FREE)
            return false;
    return true;
}

static void find_anchors_of(struct alignment *al, uint32_t without)
{
    struct gram_rows rows = {al, ANCHOR_KEYS, without};
    struct gram_pairs pairs = grams_join(al, grams_in_rows, &rows);
    struct anchors found = collect_anchors(al, &pairs);
    free(pairs.all);
    /* Most information first. */
    uint64_t *order = alloc_resize(NULL, array_bytes(2 * found.len + 1, sizeof(*order)));
    for (size_t i = 0; i < found.len; i++)
        order[i] = (uint64_t)~found.all[i].bits << 32 | i;
    radix_sort(order, NULL, found.len, order + found.len, NULL);
    for (size_t i = 0; i < found.len; i++) {
        const struct run *r = &found.all[(uint32_t)order[i]].run;
        if (is_free(al, r))
            take(al, r);
    }
    free(order);
    free(found.all);
}

/* Most objects that moved did so in long runs. An eighth of the rows finds those; little is
 * left then. */
void find_anchors(struct alignment *al)
{
    find_anchors_of(al, 7);
    find_anchors_of(al, 0);
}

/* --- swept regions ---------------------------------------------------------------- */

static bool was_swept(const struct alignment *al, const struct share *region)
{
    uint64_t unmoved = 0, moved = 0;
    for (uint32_t x = region->begin; x < region->end; x++) {
        uint32_t y = al->a.mate[x];
        if (IS_MATE(y))
            *(al->a.address[x] == al->b.address[y] ? &unmoved : &moved) += 1;
    }
    return unmoved >= SWEPT_MATCHES && unmoved * 100 >= SWEPT_PERCENT * (unmoved + moved);
}

static bool may_be_the_same(const struct alignment *al, uint32_t x, uint32_t y)
{
    return al->a.address[x] == al->b.address[y] &&
           key_for_life(&al->a, x) == key_for_life(&al->b, y);
}

/* Same address and key: same object. The rest of the region died. Advances *y. */
static void sweep(struct alignment *al, const struct share *region, uint32_t *y)
{
    for (uint32_t x = region->begin; x < region->end; x++)
        if (IS_MATE(al->a.mate[x]) && !may_be_the_same(al, x, al->a.mate[x]))
            part(al, al->a.mate[x]);
    for (uint32_t x = region->begin; x < region->end; x++) {
        while (*y < al->b.len && al->b.address[*y] < al->a.address[x])
            ++*y;
        if (al->a.mate[x] != FREE)
            continue;
        al->a.mate[x] = DEAD;
        if (*y < al->b.len && al->b.mate[*y] == FREE && may_be_the_same(al, x, *y))
            take(al, &(struct run){x, *y, 1});
    }
}

void sweep_regions(struct alignment *al)
{
    const uint64_t *a = al->a.address;
    uint32_t y = 0;
    for (struct share r = {0, 0}; r.begin < al->a.len; r.begin = r.end) {
        while (r.end < al->a.len && region_of(a[r.end]) == region_of(a[r.begin]))
            r.end++;
        if (was_swept(al, &r))
            sweep(al, &r, &y);
    }
}

/* --- the young ------------------------------------------------------------------- */

/* Survivors among objects that mostly died are sparse: many short runs with little
 * information each, but all in one order. Seeds are unique rows of three keys, and objects
 * identified by their neighbours. They are chained as in minimap2: a link costs the
 * logarithm of the gap on either side. */

/* --- neighbours ---------------------------------------------------------------- */

/* Identifies objects by their matched neighbours: their referrers with the fields, and
 * their referents. Best evidence for a few survivors among many that died young: a
 * surviving dictionary identifies its entries by their slots.
 *
 * Alone this is too weak, since a field or a slot of an array that is filled again looks
 * the same. So these are only seeds, whose order has to fit, too. */

/* The index of an element is ignored in a long array, whose elements move; and an object
 * with very many references is not identified by its neighbours. */
enum { MAX_FIELDS = 8, MAX_REFERENCES = 16 };

/* Indexed by nodes, as references are. */
struct knowledge {
    const struct alignment *al;
    node_id *identity[2]; /* of matched nodes: number in a; NO_NODE for others */
    uint64_t *free[2];    /* a bit each: not matched yet */
    uint32_t *around[2];  /* of free nodes: sum of hashes of matched neighbours, or 0 */
};

static const struct side *side_of(const struct knowledge *k, size_t i)
{
    return i == 0 ? &k->al->a : &k->al->b;
}

/* A sum does not depend on the order of neighbours. */
static inline void young_add(uint32_t *around, uint64_t identity, bool is_referrer,
                             uint32_t field)
{
    *around += (uint32_t)(mix(identity << 10 | (uint64_t)is_referrer << 9 | field) >> 32);
}

/* Adds the referrers of free objects. Few references lead to free objects, so all
 * references are scanned in order, and the referrer is looked up for those only. */
static void add_referrers(struct knowledge *k, size_t side)
{
    const struct graph *g = side_of(k, side)->graph;
    node_id n = 0;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        node_id to = g->edge_to[e];
        if (!bits_have(k->free[side], to))
            continue;
        while (g->edge_begin[n + 1] <= e)
            n++;
        uint32_t begin = g->edge_begin[n], len = g->edge_begin[n + 1] - begin;
        if (k->identity[side][n] != NO_NODE)
            young_add(&k->around[side][to], k->identity[side][n], true,
                      len <= MAX_FIELDS ? e - begin : MAX_FIELDS);
    }
}

/* Adds those that a free object refers to. */
static void add_references(struct knowledge *k, size_t side, node_id n)
{
    const struct graph *g = side_of(k, side)->graph;
    const node_id *to = g->edge_to + g->edge_begin[n], *identity = k->identity[side];
    uint32_t len = g->edge_begin[n + 1] - g->edge_begin[n];
    for (uint32_t i = 0; len <= MAX_REFERENCES && i < len; i++)
        if (identity[to[i]] != NO_NODE)
            young_add(&k->around[side][n], identity[to[i]], false, i);
}

static bool know_side(void *context, size_t i)
{
    struct knowledge *k = context;
    const struct side *s = side_of(k, i);
    size_t nodes = s->graph->node_count;
    k->identity[i] = alloc_resize(NULL, array_bytes(nodes + 1, sizeof(node_id)));
    k->around[i] = alloc_zeroed(array_bytes(nodes + 1, sizeof(uint32_t)));
    k->free[i] = bits_new(nodes);
    for (size_t n = 0; n < nodes; n++)
        k->identity[i][n] = NO_NODE;
    for (uint32_t p = 0; p < s->len; p++) {
        if (s->mate[p] == FREE)
            bits_set(k->free[i], s->node[p]);
        else if (s->mate[p] != DEAD)
            k->identity[i][s->node[p]] = i == 0 ? s->node[p] : k->al->a.node[s->mate[p]];
    }
    add_referrers(k, i);
    for (uint32_t p = 0; p < s->len; p++)
        if (s->mate[p] == FREE)
            add_references(k, i, s->node[p]);
    return true;
}

static void known_by_others(void *context, size_t side, struct gram_sink *sink)
{
    const struct knowledge *k = context;
    const struct side *s = side_of(k, side);
    for (uint32_t p = 0; p < s->len; p++) {
        uint32_t around = s->mate[p] == FREE ? k->around[side][s->node[p]] : 0;
        if (around != 0)
            gram_add(sink, (uint32_t)mix((uint64_t)around << 32 | s->key[p]), p);
    }
}

/* Joins free objects whose neighbours and key are unique on both sides. Two hashes may be
 * equal by chance, for one pair in 2^32. O(objects + references); 4 bytes per node and 2
 * bits, and the memory of grams_join(). */
static struct gram_pairs join_by_neighbours(const struct alignment *al)
{
    struct knowledge k = {.al = al};
    workers_run(2, al->threads, know_side, &k);
    struct gram_pairs pairs = grams_join(al, known_by_others, &k);
    for (int i = 0; i < 2; i++) {
        free(k.identity[i]);
        free(k.free[i]);
        free(k.around[i]);
    }
    return pairs;
}

/* --- young objects ------------------------------------------------------------- */

enum { YOUNG_KEYS = 3, MIN_CHAIN = 40 * BIT };
enum { BY_NEIGHBOURS = 14 * BIT }; /* minimum information that two objects are the same */

/* A run may follow one of the LOOK_BACK before it, within this distance. At most MAX_JOINED
 * objects on each side of an object identified by its neighbours join its run: in a row of
 * equal objects all may be identified. */
enum { LOOK_BACK = 40, FAR_IN_A = 8000, FAR_IN_B = 2000, MAX_JOINED = 32 };
static const uint32_t NO_LINK = UINT32_MAX;

struct young_link {
    struct run run;
    uint32_t back;
    int64_t score; /* ~score once it is used */
    union {
        int64_t bits; /* until it is linked */
        struct {
            uint32_t depth, jump; /* afterwards: an ancestor further back */
        };
    };
};

struct young_chains {
    struct alignment *al;
    struct young_link *link; /* by y */
    size_t len, cap;
};

/* --- runs ---------------------------------------------------------------------- */

/* Skips pairs within the run found before on the same diagonal. */
static void add_runs(struct young_chains *c, const struct gram_pairs *pairs,
                     bool by_neighbours)
{
    struct alignment *al = c->al;
    struct run last = {0, 0, 0};
    for (size_t i = 0; i < pairs->len; i++) {
        uint32_t x = gram_x(pairs->all[i]), y = gram_y(pairs->all[i]);
        struct run within = {0, 0, al->a.len};
        uint32_t b_end = al->b.len;
        if (x - last.x < last.len && y - last.y == x - last.x)
            continue;
        if (by_neighbours) {
            within.x = x > MAX_JOINED ? x - MAX_JOINED : 0;
            within.y = y > MAX_JOINED ? y - MAX_JOINED : 0;
            within.len =
                (al->a.len - x > MAX_JOINED ? x + MAX_JOINED : al->a.len) - within.x;
            b_end = b_end - y > MAX_JOINED ? y + MAX_JOINED : b_end;
        }
        struct run r = run_around(al, x, y, &within, b_end - within.y);
        al->work += r.len;
        if (r.len == 0)
            continue;
        last = r;
        int64_t bits = (int64_t)alone(al, al->a.key[r.x]) + run_bits(al, &r);
        if (by_neighbours && bits < BY_NEIGHBOURS)
            bits = BY_NEIGHBOURS;
        c->link = grow(c->link, c->len, &c->cap, sizeof(*c->link));
        c->link[c->len++] = (struct young_link){.run = r, .back = NO_LINK, .bits = bits};
    }
}

static void sort_runs(struct young_chains *c)
{
    size_t bytes = array_bytes(c->len, sizeof(uint64_t));
    uint64_t *key = alloc_resize(NULL, bytes), *spare_key = alloc_resize(NULL, bytes);
    uint32_t *value = alloc_resize(NULL, bytes / 2),
             *buffers = alloc_resize(NULL, bytes / 2);
    for (size_t i = 0; i < c->len; i++) {
        key[i] = (uint64_t)c->link[i].run.y << 32 | c->link[i].run.x;
        value[i] = (uint32_t)i;
    }
    radix_sort(key, value, c->len, spare_key, buffers);
    struct young_link *sorted = alloc_resize(NULL, array_bytes(c->len, sizeof(*sorted)));
    for (size_t i = 0; i < c->len; i++)
        sorted[i] = c->link[value[i]];
    free(c->link);
    c->link = sorted;
    free(key);
    free(spare_key);
    free(value);
    free(buffers);
}

/* --- chains -------------------------------------------------------------------- */

/* Computes the cost of a link between two runs; false if no chain can contain both. */
static bool can_follow(const struct alignment *al, const struct run *from,
                       const struct run *to, int64_t *cost)
{
    const uint64_t *a = al->a.address, *b = al->b.address;
    if (to->y < from->y + from->len || to->x < from->x + from->len)
        return false;
    uint32_t in_a = to->x - from->x - from->len, in_b = to->y - from->y - from->len;
    if (in_a < in_b || in_a > FAR_IN_A || region_of(a[to->x]) != region_of(a[from->x]) ||
        a[to->x] - a[from->x] < b[to->y] - b[from->y])
        return false;
    *cost = (int64_t)eighths(in_a + 1) + eighths(in_b + 1) + in_b * BIT / 5;
    return true;
}

static void link_back(struct young_chains *c, size_t begin, size_t i)
{
    const struct alignment *al = c->al;
    struct young_link *to = &c->link[i];
    uint64_t region = region_of(al->b.address[to->run.y]);
    to->score = to->bits;
    for (size_t k = i; k > begin && i - k < LOOK_BACK; k--) {
        const struct young_link *from = &c->link[k - 1];
        int64_t cost;
        if (region_of(al->b.address[from->run.y]) != region ||
            to->run.y - from->run.y > FAR_IN_B + from->run.len)
            break;
        if (!can_follow(al, &from->run, &to->run, &cost) ||
            from->score + to->bits - cost <= to->score)
            continue;
        to->score = from->score + to->bits - cost;
        to->back = (uint32_t)(k - 1);
    }
}

/* Links never leave a region of b, so a share needs no data of others. */
static bool link_share(void *context, size_t i)
{
    struct young_chains *c = context;
    const struct share *s = &c->al->shares[i];
    size_t begin = 0, end = c->len, at;
    while (begin < end) {
        size_t middle = (begin + end) / 2;
        if (c->link[middle].run.y < s->begin)
            begin = middle + 1;
        else
            end = middle;
    }
    for (at = begin; at < c->len && c->link[at].run.y < s->end; at++)
        link_back(c, begin, at);
    count_work(c->al, (at - begin) * LOOK_BACK);
    return true;
}

/* --- use of chains ------------------------------------------------------- */

/* Links form a tree, and all ancestors of a used link are used. So the nearest used one is
 * found by jumps (Myers, "An applicative random-access stack", 1983): thousands of short
 * chains may branch off a long one and be refused. */

static uint32_t depth_of(const struct young_chains *c, uint32_t i)
{
    return i != NO_LINK ? c->link[i].depth : 0;
}

static uint32_t jump_of(const struct young_chains *c, uint32_t i)
{
    return i != NO_LINK ? c->link[i].jump : NO_LINK;
}

static void add_jumps(struct young_chains *c)
{
    for (size_t i = 0; i < c->len; i++) {
        uint32_t back = c->link[i].back, jump = jump_of(c, back), far = jump_of(c, jump);
        uint32_t depth = depth_of(c, back);
        bool alike = depth - depth_of(c, jump) == depth_of(c, jump) - depth_of(c, far);
        c->link[i].depth = depth + 1;
        c->link[i].jump = alike ? far : back;
    }
}

static bool is_used(const struct young_chains *c, uint32_t i)
{
    return i == NO_LINK || c->link[i].score < 0;
}

/* Returns the nearest used ancestor of a link, or NO_LINK. O(log links). */
static uint32_t nearest_used(struct young_chains *c, uint32_t i)
{
    for (; !is_used(c, i); c->al->work++)
        i = is_used(c, c->link[i].jump) ? c->link[i].back : c->link[i].jump;
    return i;
}

static void take_chain(struct young_chains *c, uint32_t last)
{
    struct alignment *al = c->al;
    uint32_t end = nearest_used(c, last);
    int64_t base = end != NO_LINK ? ~c->link[end].score : 0;
    if (c->link[last].score - base < MIN_CHAIN)
        return;
    for (uint32_t i = last; i != end; i = c->link[i].back) {
        const struct run *r = &c->link[i].run;
        for (uint32_t k = 0; k < r->len; k++)
            if (al->a.mate[r->x + k] == FREE && al->b.mate[r->y + k] == FREE)
                take(al, &(struct run){r->x + k, r->y + k, 1});
        c->link[i].score = ~c->link[i].score;
        al->work += r->len;
    }
}

/* Best first. A chain that joins a used one counts from the junction on. */
static void take_chains(struct young_chains *c)
{
    size_t bytes = array_bytes(c->len, sizeof(uint64_t)), len = 0;
    uint64_t *key = alloc_resize(NULL, bytes), *spare_key = alloc_resize(NULL, bytes);
    uint32_t *value = alloc_resize(NULL, bytes / 2),
             *buffers = alloc_resize(NULL, bytes / 2);
    for (size_t i = 0; i < c->len; i++) {
        if (c->link[i].score < MIN_CHAIN)
            continue;
        key[len] = ~(uint64_t)c->link[i].score;
        value[len++] = (uint32_t)i;
    }
    radix_sort(key, value, len, spare_key, buffers);
    for (size_t i = 0; i < len; i++)
        if (c->link[value[i]].score >= 0)
            take_chain(c, value[i]);
    free(key);
    free(spare_key);
    free(value);
    free(buffers);
}

uint32_t count_free(const struct side *s)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < s->len; p++)
        count += s->mate[p] == FREE;
    return count;
}

void find_young(struct alignment *al)
{
    struct young_chains c = {.al = al};
    struct gram_rows rows = {al, YOUNG_KEYS, 0};
    if (count_free(&al->a) == 0 || count_free(&al->b) == 0)
        return;
    struct gram_pairs pairs = grams_join(al, grams_in_rows, &rows);
    add_runs(&c, &pairs, false);
    free(pairs.all);
    pairs = join_by_neighbours(al);
    add_runs(&c, &pairs, true);
    free(pairs.all);
    if (c.len > 0) {
        sort_runs(&c);
        workers_run(al->share_count, al->threads, link_share, &c);
        add_jumps(&c);
        take_chains(&c);
    }
    free(c.link);
}
