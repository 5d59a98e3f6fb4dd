#include "format/gcdump/gcdump_records.h"

#include "base/alloc.h"
#include "base/workers.h"
#include "heap/source.h"

#include <stdlib.h>
#include <string.h>

/* Nodes of a share: some 70 KiB of records, which a second-level cache holds. */
enum { SHARE = 16 * 1024 };

/* Shares for each thread between two writes, whose records are in memory meanwhile. */
enum { SHARES_AT_ONCE = 8 };

/* --- numbers ----------------------------------------------------------------- */

enum { LONGEST = 5 };

/* Signed, groups of 7 bits, the highest first; the shortest form. */
static unsigned compressed_size(int32_t value)
{
    uint32_t bits = value >= 0 ? (uint32_t)value : ~(uint32_t)value;
    unsigned used = bits > 0 ? 32 - (unsigned)__builtin_clz(bits) : 0;
    return used / 7 + 1;
}

static unsigned char *put_compressed(unsigned char *at, int32_t value)
{
    unsigned more = compressed_size(value) - 1;
    for (; more > 0; more--)
        *at++ = (unsigned char)(0x80 | (value >> 7 * more & 0x7F));
    *at++ = (unsigned char)(value & 0x7F);
    return at;
}

/* Records are measured where there is no room for them. */
struct sink {
    unsigned char *at; /* NULL: measure */
    uint64_t size;
};

static inline void put(struct sink *s, int32_t value)
{
    if (s->at != NULL)
        s->at = put_compressed(s->at, value);
    else
        s->size += compressed_size(value);
}

/* --- nodes ------------------------------------------------------------------- */

uint32_t gcdump_records_group(const struct gcdump_records *r, uint32_t group)
{
    return r->tree->kept + group;
}

static void put_references(struct sink *s, const struct gcdump_records *r, uint32_t from,
                           node_id n)
{
    const struct graph *g = r->snap->graph;
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
        if (g->edge_to[e] < r->tree->kept)
            put(s, (int32_t)((int64_t)gcdump_number(r->numbers, g->edge_to[e]) - from));
}

static uint32_t out_degree(const struct graph *g, node_id n)
{
    return g->edge_begin[n + 1] - g->edge_begin[n];
}

static uint32_t size_of(const struct gcdump_records *r, node_id n)
{
    uint64_t size = graph_size(r->snap->graph, n);
    return size <= INT32_MAX ? (uint32_t)size : INT32_MAX;
}

static void put_type_and_size(struct sink *s, const struct gcdump_records *r, uint32_t type,
                              uint32_t size)
{
    bool stored = (uint32_t)r->types->all[type].size != size;
    put(s, (int32_t)(type * 2 + stored));
    if (stored)
        put(s, (int32_t)size);
}

static void put_node(struct sink *s, const struct gcdump_records *r, node_id n)
{
    uint32_t size = size_of(r, n);
    put_type_and_size(s, r, gcdump_types_of(r->types, n, size), size);
    put(s, (int32_t)out_degree(r->snap->graph, n));
    put_references(s, r, gcdump_number(r->numbers, n), n);
}

/* Of the members of a static group, the variables are groups by now. */
static uint32_t member_count(const struct gcdump_records *r, const struct tree_group *group)
{
    const struct graph *g = r->snap->graph;
    uint32_t count = 0;
    if (group->members == NO_NODE)
        return 0;
    for (uint32_t e = g->edge_begin[group->members]; e < g->edge_begin[group->members + 1];
         e++)
        count += g->edge_to[e] < r->tree->kept;
    return count;
}

static void put_group(struct sink *s, const struct gcdump_records *r, uint32_t number)
{
    const struct gcdump_tree *tree = r->tree;
    const struct tree_group *group = &tree->groups[number];
    put_type_and_size(s, r, gcdump_types_pseudo(r->types, group->name), 0);
    uint32_t children = 0;
    for (uint32_t i = 1; number < tree->parents && i < tree->count; i++)
        children += tree->groups[i].parent == number;
    put(s, (int32_t)(children + member_count(r, group)));
    for (uint32_t i = 1; number < tree->parents && i < tree->count; i++)
        if (tree->groups[i].parent == number)
            put(s, (int32_t)(i - number));
    if (group->members != NO_NODE)
        put_references(s, r, gcdump_records_group(r, number), group->members);
}

/* Described or not, where the file did not say: nothing is known of what is undefined. */
static bool is_undescribed(const struct gcdump_records *r, node_id n)
{
    const struct graph *g = r->snap->graph;
    return r->snap->types[g->type[n]].kind == TYPE_UNDEFINED && out_degree(g, n) == 0 &&
           graph_size(g, n) == 0;
}

/* --- in order ---------------------------------------------------------------- */

/* A blob begins with the record of what was never described: type 0, no references. Then
 * come objects, and behind them the groups. */
enum { UNDESCRIBED_SIZE = 2 };

static uint32_t record_count(const struct gcdump_records *r)
{
    const struct source *source = r->snap->source;
    return source->described != NULL ? source->described_count : r->tree->kept;
}

/* The node with the record of that number; NO_NODE: it is not described. */
static node_id recorded(const struct gcdump_records *r, uint32_t number)
{
    const struct source *source = r->snap->source;
    if (source->described != NULL)
        return source->described[number];
    return is_undescribed(r, number) ? NO_NODE : number;
}

static uint32_t share_count(const struct gcdump_records *r)
{
    return record_count(r) / SHARE + 1;
}

static uint32_t share_end(const struct gcdump_records *r, size_t share)
{
    uint32_t begin = (uint32_t)share * SHARE, left = record_count(r) - begin;
    return begin + (left < SHARE ? left : SHARE);
}

/* Groups are few, and behind the last share. */
static uint32_t groups_to_put(const struct gcdump_records *r)
{
    return r->snap->source->described == NULL ? r->tree->count : 0;
}

/* --- measuring --------------------------------------------------------------- */

/* Types get their numbers, and their sizes, from the first object that has them. An object
 * type of that name must not look like the type of what is undefined. */
static void meet_type(const struct gcdump_records *r, uint32_t type, uint32_t size)
{
    struct table_type *t = &r->types->all[type];
    if (t->size < 0 && !r->types->as_they_are)
        t->size =
            strcmp(t->name != NULL ? t->name : "", "UNDEFINED") == 0 ? 1 : (int32_t)size;
}

static void meet_types(const struct gcdump_records *r)
{
    for (uint32_t i = 0; i < record_count(r); i++) {
        node_id n = recorded(r, i);
        if (n == NO_NODE)
            continue;
        uint32_t size = size_of(r, n);
        meet_type(r, gcdump_types_of(r->types, n, size), size);
    }
    for (uint32_t i = 0; i < groups_to_put(r); i++)
        meet_type(r, gcdump_types_pseudo(r->types, r->tree->groups[i].name), 0);
}

/* Offsets are from the beginning of the share, and 1 more: 0 is none. */
static bool measure_share(void *context, size_t share)
{
    const struct gcdump_records *r = context;
    struct sink s = {.at = NULL};
    for (uint32_t i = (uint32_t)share * SHARE; i < share_end(r, share); i++) {
        node_id n = recorded(r, i);
        if (n == NO_NODE)
            continue;
        r->offsets[gcdump_number(r->numbers, n)] = (uint32_t)s.size + 1;
        put_node(&s, r, n);
    }
    r->shares[share] = s.size;
    return true;
}

static bool move_share(void *context, size_t share)
{
    const struct gcdump_records *r = context;
    for (uint32_t i = (uint32_t)share * SHARE; i < share_end(r, share); i++) {
        node_id n = recorded(r, i);
        if (n != NO_NODE)
            r->offsets[gcdump_number(r->numbers, n)] += (uint32_t)r->shares[share] - 1;
    }
    return true;
}

static void measure_groups(struct gcdump_records *r)
{
    struct sink s = {.size = r->blob_size};
    for (uint32_t i = 0; i < groups_to_put(r); i++) {
        r->offsets[gcdump_records_group(r, i)] = (uint32_t)s.size;
        put_group(&s, r, i);
    }
    r->blob_size = s.size;
}

void gcdump_records_measure(struct gcdump_records *r)
{
    uint32_t shares = share_count(r);
    r->node_count = r->tree->kept + r->tree->count;
    r->offsets = alloc_zeroed(array_bytes(r->node_count, sizeof(*r->offsets)));
    r->shares = alloc_zeroed(array_bytes((size_t)shares + 1, sizeof(*r->shares)));
    meet_types(r);
    workers_run(shares, r->threads, measure_share, r);
    r->blob_size = UNDESCRIBED_SIZE;
    for (uint32_t i = 0; i < shares; i++) {
        uint64_t size = r->shares[i];
        r->shares[i] = r->blob_size;
        r->blob_size += size;
    }
    r->shares[shares] = r->blob_size;
    workers_run(shares, r->threads, move_share, r);
    measure_groups(r);
    for (node_id n = 0; n < r->tree->kept; n++) {
        r->cut_sizes += graph_size(r->snap->graph, n) > INT32_MAX;
        r->total_size += size_of(r, n);
    }
}

void gcdump_records_free(struct gcdump_records *r)
{
    free(r->offsets);
    free(r->shares);
    r->offsets = NULL;
    r->shares = NULL;
}

/* --- writing ----------------------------------------------------------------- */

struct writing_shares {
    const struct gcdump_records *r;
    uint32_t first; /* share of those under way */
    unsigned char *room;
};

static bool write_share(void *context, size_t i)
{
    const struct writing_shares *w = context;
    const struct gcdump_records *r = w->r;
    uint32_t share = w->first + (uint32_t)i;
    struct sink s = {.at = w->room + (r->shares[share] - r->shares[w->first])};
    for (uint32_t k = share * SHARE; k < share_end(r, share); k++) {
        node_id n = recorded(r, k);
        if (n != NO_NODE)
            put_node(&s, r, n);
    }
    return true;
}

static void put_shares(const struct gcdump_records *r, struct fastser_write *f)
{
    uint32_t shares = share_count(r), at_once = SHARES_AT_ONCE;
    if (r->threads > 1)
        at_once *= r->threads;
    for (uint32_t i = 0; i < shares; i += at_once) {
        uint32_t end = shares - i < at_once ? shares : i + at_once;
        size_t size = (size_t)(r->shares[end] - r->shares[i]);
        struct writing_shares w = {r, i, alloc_resize(NULL, size + 1)};
        workers_run(end - i, r->threads, write_share, &w);
        fastser_put_bytes(f, w.room, size);
        free(w.room);
    }
}

void gcdump_records_put(const struct gcdump_records *r, struct fastser_write *f)
{
    static const unsigned char undescribed[UNDESCRIBED_SIZE] = {0};
    size_t size = (size_t)(r->blob_size - r->shares[share_count(r)]);
    unsigned char *room = alloc_resize(NULL, size + 1);
    struct sink s = {.at = room};
    fastser_put_bytes(f, undescribed, sizeof(undescribed));
    put_shares(r, f);
    for (uint32_t i = 0; i < groups_to_put(r); i++)
        put_group(&s, r, i);
    fastser_put_bytes(f, room, size);
    free(room);
}

void gcdump_records_put_offsets(const struct gcdump_records *r, struct fastser_write *f)
{
    enum { AT_ONCE = 8192 };
    unsigned char bytes[AT_ONCE * 4];
    for (uint32_t i = 0; i < r->node_count; i += AT_ONCE) {
        uint32_t count = r->node_count - i < AT_ONCE ? r->node_count - i : AT_ONCE;
        for (uint32_t k = 0; k < count; k++)
            le_put(bytes + 4 * (size_t)k, r->offsets[i + k], 4);
        fastser_put_bytes(f, bytes, 4 * (size_t)count);
    }
}
