#include "heap/builder.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/workers.h"
#include "heap/free_space.h"
#include "heap/names.h"
#include "heap/root_kind.h"
#include "heap/snapshot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- types --------------------------------------------------------------------- */

struct account *builder_account(struct builder *b)
{
    const uint64_t always = 4 << 20;
    b->account.limit =
        b->max_memory == 0 || b->max_memory > always ? b->max_memory : always;
    return &b->account;
}

/* True if memory is exceeded; recorded, so that builder_finish() fails even if memory is
 * freed until then. */
static bool drops(struct builder *b)
{
    b->has_dropped |= account_is_over(builder_account(b));
    return b->has_dropped;
}

uint32_t builder_type(struct builder *b, enum type_kind kind, const char *name, size_t len)
{
    /* In addition to raw_type, in builder_finish(): a row, its sums, its slot. */
    enum { PER_ROW = sizeof(struct type) + 256 };
    if (b->type_count > 0 && drops(b))
        return (uint32_t)b->type_count - 1;
    b->types =
        account_grow(&b->account, b->types, b->type_count, &b->type_cap, sizeof(*b->types));
    account_charge(&b->account, PER_ROW);
    b->types[b->type_count] = (struct raw_type){.kind = kind, .multiplier = 1};
    uint32_t id = (uint32_t)b->type_count++;
    if (name != NULL)
        builder_name_type(b, id, name, len);
    return id;
}

const char *builder_name(struct builder *b, const char *name, size_t len)
{
    text_clear(&b->scratch);
    names_canonical(&b->scratch, name, len);
    if (b->across_builds) {
        struct text folded = {0};
        builds_fold(&folded, b->scratch.data, b->scratch.len);
        text_free(&b->scratch);
        b->scratch = folded;
    }
    if (drops(b))
        return "";
    /* once here, once in the key of its row */
    account_charge(&b->account, 2 * (uint64_t)b->scratch.len);
    return arena_strdup(&b->snap->arena, b->scratch.data, b->scratch.len);
}

void builder_name_type(struct builder *b, uint32_t type, const char *name, size_t len)
{
    if (b->source != NULL) {
        b->types[type].source.name = builder_string(b, name, len);
        b->types[type].source.name_len = len;
    }
    b->types[type].name = builder_name(b, name, len);
}

void builder_full_name(struct builder *b, uint32_t type, const char *full_name)
{
    b->types[type].full_name = full_name;
}

void builder_module(struct builder *b, uint32_t type, const char *module, size_t len)
{
    b->types[type].module = builder_string(b, module, len);
    b->types[type].source.module = b->types[type].module;
}

void builder_image(struct builder *b, uint32_t type, uint64_t base, uint32_t rva)
{
    b->types[type].source.base = base;
    b->types[type].source.rva = rva;
}

const char *builder_string(struct builder *b, const char *s, size_t len)
{
    if (s == NULL || drops(b))
        return s != NULL ? "" : NULL;
    account_charge(&b->account, len);
    return arena_strdup(&b->snap->arena, s, len);
}

void builder_warn(struct builder *b, enum warning_code code, uint64_t line)
{
    warnings_add(&b->snap->warnings, code, line);
}

/* --- counting ------------------------------------------------------------------ */

bool builder_object(struct builder *b, uint32_t type, uint64_t size, enum hd_generation gen)
{
    const struct hd_tally one = {1, size};
    if (size > HD_UNKNOWN - 1 - b->snap->info.bytes)
        return false;
    builder_objects(b, type, &one, gen);
    return true;
}

void builder_objects(struct builder *b, uint32_t type, const struct hd_tally *more,
                     enum hd_generation gen)
{
    struct raw_type *t = &b->types[type];
    if (more->count == 0)
        return;
    b->snap->info.objects += more->count;
    b->snap->info.bytes += more->bytes;
    tally_add(&t->all, more);
    if (!b->snap->info.has_generations)
        return;
    tally_add(&b->snap->by_generation[gen], more);
    if (t->by_generation == NULL) {
        account_charge(&b->account, HD_GENERATION_COUNT * sizeof(struct hd_tally));
        t->by_generation =
            arena_array(&b->snap->arena, struct hd_tally, HD_GENERATION_COUNT);
    }
    tally_add(&t->by_generation[gen], more);
    if (generation_is_old(gen))
        tally_add(&t->old, more);
}

bool builder_row(struct builder *b, uint32_t type, uint64_t count, uint64_t bytes)
{
    struct hd_info *info = &b->snap->info;
    struct raw_type *t = &b->types[type];
    if (count > HD_UNKNOWN - 1 - info->objects)
        return false;
    info->objects += count;
    t->all.count += count;
    if (bytes == HD_UNKNOWN) {
        t->bytes_unknown = true;
        return true;
    }
    if (bytes > HD_UNKNOWN - 1 - info->bytes)
        return false;
    info->bytes += bytes;
    t->all.bytes += bytes;
    return true;
}

/* --- rows ---------------------------------------------------------------------- */

/* Rows are found by kind and canonical name together: the kind is the first byte of the
 * key. */
struct builder_row_slot {
    type_id id;
    UT_hash_handle hh;
};

/* Sums of a row in doubles, rounded once at the end. */
struct row_sum {
    double count, bytes, old_count, old_bytes;
    bool bytes_unknown, several_modules, several_names, named;
};

static type_id intern_row(struct builder *b, const struct raw_type *raw,
                          struct builder_row_slot **slots, struct arena *scratch)
{
    text_clear(&b->scratch);
    text_add_char(&b->scratch, (char)raw->kind);
    text_add_string(&b->scratch, raw->name);
    struct builder_row_slot *slot;
    HASH_FIND(hh, *slots, b->scratch.data, b->scratch.len, slot);
    if (slot != NULL)
        return slot->id;
    slot = arena_alloc(scratch, sizeof(*slot));
    slot->id = b->snap->type_count++;
    const char *key = arena_strdup(scratch, b->scratch.data, b->scratch.len);
    HASH_ADD_KEYPTR(hh, *slots, key, b->scratch.len, slot);
    b->snap->types[slot->id] = (struct type){
        .name = raw->name, .module = raw->module, .kind = raw->kind, .count_scale = 1};
    return slot->id;
}

static void add_to_row(struct type *row, struct row_sum *sum, const struct raw_type *raw)
{
    tally_add(&row->raw, &raw->all);
    tally_add(&row->tally[SELECT_GEN2], &raw->old);
    if (row->by_generation == NULL)
        row->by_generation = raw->by_generation;
    for (size_t g = 0; raw->by_generation != NULL &&
                       row->by_generation != raw->by_generation && g < HD_GENERATION_COUNT;
         g++)
        tally_add(&row->by_generation[g], &raw->by_generation[g]);
    sum->count += raw->multiplier * (double)raw->all.count;
    sum->bytes += raw->multiplier * (double)raw->all.bytes;
    sum->old_count += raw->multiplier * (double)raw->old.count;
    sum->old_bytes += raw->multiplier * (double)raw->old.bytes;
    sum->bytes_unknown |= raw->bytes_unknown;
    if (!sum->named)
        row->full_name = raw->full_name;
    sum->named = true;
    if (row->full_name == NULL || raw->full_name == NULL ||
        strcmp(row->full_name, raw->full_name) != 0)
        sum->several_names = true;
    if (row->module != NULL &&
        (raw->module == NULL || strcmp(row->module, raw->module) != 0))
        sum->several_modules = true;
}

static void settle_row(struct type *row, const struct row_sum *sum, bool sampled)
{
    if (sum->several_modules)
        row->module = NULL;
    if (sum->several_names)
        row->full_name = NULL;
    row->tally[SELECT_ALL] = row->raw;
    if (sampled) {
        row->tally[SELECT_ALL] =
            (struct hd_tally){tally_rounded(sum->count), tally_rounded(sum->bytes)};
        row->tally[SELECT_GEN2] =
            (struct hd_tally){tally_rounded(sum->old_count), tally_rounded(sum->old_bytes)};
        row->count_scale = row->raw.count > 0 ? sum->count / (double)row->raw.count : 1;
    }
    if (sum->bytes_unknown)
        row->raw.bytes = row->tally[SELECT_ALL].bytes = HD_UNKNOWN;
}

/* Merges the types of the file into rows; row_of[i] is the row of type i. */
static type_id *make_rows(struct builder *b, struct row_sum **sums, struct arena *scratch)
{
    struct hd_snapshot *snap = b->snap;
    struct builder_row_slot *slots = NULL;
    type_id *row_of = arena_array(scratch, type_id, b->type_count);
    *sums = arena_array(scratch, struct row_sum, b->type_count);
    snap->types = arena_array(&snap->arena, struct type, b->type_count);
    for (size_t i = 0; i < b->type_count; i++) {
        if (b->types[i].name == NULL)
            b->types[i].name = UNKNOWN_TYPE_NAME;
        row_of[i] = intern_row(b, &b->types[i], &slots, scratch);
        add_to_row(&snap->types[row_of[i]], &(*sums)[row_of[i]], &b->types[i]);
    }
    HASH_CLEAR(hh, slots);
    for (type_id t = 0; t < snap->type_count; t++)
        settle_row(&snap->types[t], &(*sums)[t], snap->info.sampled);
    return row_of;
}

/* --- memory -------------------------------------------------------------------- */

/* Ids and offsets are 32 bits; two values are special. */
enum { ID_LIMIT_BELOW_MAX = 2 };
#define ID_LIMIT (UINT32_MAX - ID_LIMIT_BELOW_MAX)

/* Returns the bytes of arrays for these numbers of nodes and edges. */
static uint64_t graph_memory(const struct builder *b, uint64_t nodes, uint64_t edges)
{
    enum { PER_NODE = sizeof(type_id) + 2 * sizeof(uint32_t), PER_EDGE = sizeof(node_id) };
    size_t per_source = b->source != NULL ? sizeof(uint32_t) + sizeof(node_id) : 0;
    return nodes * (PER_NODE + per_source) + edges * PER_EDGE;
}

/* Returns the charges other than the graph's. */
static uint64_t bytes_outside_graph(const struct builder *b)
{
    return b->account.used - b->graph_charged;
}

/* True if arrays of this size exceed the limit. */
static bool is_too_much(struct builder *b, uint64_t bytes)
{
    const struct account *account = builder_account(b);
    return account->limit > 0 &&
           (bytes > b->max_memory || bytes + bytes_outside_graph(b) > account->limit);
}

/* Charges arrays with these capacities. False if they exceed the limit. */
static bool graph_fits(struct builder *b, size_t nodes, size_t edges)
{
    uint64_t bytes = graph_memory(b, nodes, edges);
    if (b->over_memory) {
        b->most_outside = bytes_outside_graph(b) > b->most_outside ? bytes_outside_graph(b)
                                                                   : b->most_outside;
        return false;
    }
    b->over_memory = is_too_much(b, bytes);
    if (b->over_memory) {
        b->most_outside = bytes_outside_graph(b);
        b->nodes_dropped.wanted = nodes > 0 ? nodes : 1;
        b->edges_dropped.wanted = edges > 0 ? edges : 1;
        return false;
    }
    account_release(&b->account, b->graph_charged);
    account_charge(&b->account, bytes);
    b->graph_charged = bytes;
    return true;
}

/* Counts dropped items. wanted follows the doubling of arrays until all would fit; have:
 * number of items stored. */
static void drop(struct dropped *d, uint64_t have, uint32_t more)
{
    d->count += more;
    while (d->wanted < have + d->count && d->wanted < ID_LIMIT)
        d->wanted = d->wanted < ID_LIMIT / 2 ? d->wanted * 2 : ID_LIMIT;
}

static size_t doubled(size_t cap)
{
    return array_bytes(cap, 2) < ID_LIMIT ? cap * 2 : ID_LIMIT;
}

static void resize_nodes(struct builder *b, size_t cap)
{
    struct graph *g = b->graph;
    g->type = alloc_resize(g->type, array_bytes(cap, sizeof(*g->type)));
    g->small_size = alloc_resize(g->small_size, array_bytes(cap, sizeof(*g->small_size)));
    g->edge_begin =
        alloc_resize(g->edge_begin, array_bytes(cap + 1, sizeof(*g->edge_begin)));
    b->node_cap = cap;
}

static void resize_edges(struct builder *b, size_t cap)
{
    struct graph *g = b->graph;
    g->edge_to = alloc_resize(g->edge_to, array_bytes(cap, sizeof(*g->edge_to)));
    b->edge_cap = cap;
}

void builder_reserve(struct builder *b, size_t nodes, size_t edges)
{
    if (b->graph == NULL)
        b->graph = alloc_zeroed(sizeof(*b->graph));
    if (!graph_fits(b, nodes, edges))
        nodes = edges = 1;
    resize_nodes(b, nodes > 0 ? nodes : 1);
    resize_edges(b, edges > 0 ? edges : 1);
}

uint64_t builder_most_edges(struct builder *b)
{
    size_t most = b->edge_cap;
    while (most < ID_LIMIT &&
           !is_too_much(b, graph_memory(b, b->node_cap, array_bytes(most, 2))))
        most = doubled(most);
    return most;
}

void builder_whole_graph(struct builder *b, uint32_t nodes, node_id *edge_to,
                         uint32_t edges)
{
    struct graph *g = b->graph;
    /* charged like single edges */
    builder_reserve_edges(b, edges);
    free(g->edge_to);
    g->node_count = nodes;
    g->edge_to = edge_to;
    g->edge_count = edges;
    b->edge_cap = edges;
}

bool builder_reserve_node(struct builder *b)
{
    enum { FIRST_NODES = 256 };
    if (b->graph == NULL)
        builder_reserve(b, FIRST_NODES, FIRST_NODES);
    struct graph *g = b->graph;
    if (g->node_count < b->node_cap)
        return true;
    if (g->node_count == ID_LIMIT)
        b->too_big = true;
    else if (graph_fits(b, array_bytes(b->node_cap, 2), b->edge_cap))
        resize_nodes(b, doubled(b->node_cap));
    if (g->node_count < b->node_cap)
        return true;
    if (b->over_memory)
        drop(&b->nodes_dropped, g->node_count, 1);
    return false;
}

bool builder_reserve_edges(struct builder *b, uint32_t count)
{
    struct graph *g = b->graph;
    while (b->edge_cap - g->edge_count < count) {
        if (b->edge_cap == ID_LIMIT)
            b->too_big = true;
        bool fits = !b->too_big && graph_fits(b, b->node_cap, array_bytes(b->edge_cap, 2));
        if (!fits && b->over_memory)
            drop(&b->edges_dropped, g->edge_count, count);
        if (!fits)
            return false;
        resize_edges(b, doubled(b->edge_cap));
    }
    return true;
}

void builder_big_size(struct builder *b, node_id n, uint64_t size)
{
    struct graph *g = b->graph;
    *ACCOUNT_APPEND(&b->account, g->big, g->big_count, g->big_cap) =
        (struct big_size){n, size};
}

void builder_root(struct builder *b, node_id root)
{
    b->graph->root = root;
}

/* --- its end ------------------------------------------------------------------- */

struct type_renamer {
    struct graph *graph;
    const type_id *row_of;
    size_t pieces;
};

static bool rename_piece(void *renaming, size_t piece)
{
    const struct type_renamer *r = renaming;
    uint64_t nodes = r->graph->node_count;
    type_id *type = r->graph->type;
    node_id end = (node_id)(nodes * (piece + 1) / r->pieces);
    for (node_id n = (node_id)(nodes * piece / r->pieces); n < end; n++)
        type[n] = r->row_of[type[n]];
    return true;
}

/* Maps types of the file to rows. */
static void rename_types(struct builder *b, const type_id *row_of)
{
    enum { MIN_NODES = 1 << 18 };
    struct type_renamer r = {
        .graph = b->graph,
        .row_of = row_of,
        .pieces = workers_shares(b->graph->node_count, MIN_NODES, b->threads, SIZE_MAX)};
    workers_run(r.pieces, (unsigned)r.pieces, rename_piece, &r);
}

static bool settle_graph(struct builder *b, const type_id *row_of, struct hd_error *err)
{
    struct graph *g = b->graph;
    if (b->too_big)
        return fail(err, HD_TOO_BIG, "more than %u objects or references",
                    (unsigned)ID_LIMIT);
    if (b->over_memory) {
        /* The limit that would suffice. Readers may have freed their own memory since. */
        uint64_t other_bytes = bytes_outside_graph(b);
        other_bytes = other_bytes > b->most_outside ? other_bytes : b->most_outside;
        uint64_t graph = graph_memory(b, b->nodes_dropped.wanted, b->edges_dropped.wanted);
        return fail_memory(err, "its graph", graph + other_bytes, b->max_memory);
    }
    resize_nodes(b, g->node_count);
    resize_edges(b, g->edge_count);
    g->edge_begin[g->node_count] = g->edge_count;
    if (b->source != NULL) {
        size_t bytes = array_bytes(g->node_count, sizeof(*g->type));
        g->source_type = memcpy(alloc_resize(NULL, bytes), g->type, bytes);
    }
    rename_types(b, row_of);
    return true;
}

/* --- counts -------------------------------------------------------------------- */

enum {
    BLOCK = 64,          /* nodes, most of which are not affected */
    FEW = 16,            /* references, the same */
    MIN_SHARE = 1 << 18, /* nodes that justify a thread */
    MAX_THREADS = 64
};

/* An interval of numbers: one comparison excludes everything else. */
struct interval {
    uint32_t first, count;
};

static inline bool is_within(struct interval in, uint32_t n)
{
    return n - in.first < in.count;
}

/* Nodes that are not objects: a bit each. They are few and adjacent, usually at either end
 * of all nodes, so two intervals contain them all and hardly any other node. */
struct others {
    const struct hd_snapshot *snap;
    uint64_t *nodes;
    struct interval low, high;
    size_t pieces;
    uint64_t references[MAX_THREADS]; /* to them, by piece */
};

static inline bool is_other(const struct others *o, node_id n)
{
    return (is_within(o->low, n) || is_within(o->high, n)) && bits_have(o->nodes, n);
}

static uint32_t border(uint32_t all, size_t piece, size_t pieces)
{
    uint32_t at = (uint32_t)((uint64_t)all * piece / pieces);
    return piece == pieces ? all : at / BLOCK * BLOCK;
}

/* Returns the longest run of rows of objects; most nodes are in it. */
static struct interval object_rows(const struct hd_snapshot *snap)
{
    struct interval best = {0, 0};
    uint32_t first = 0;
    for (type_id t = 0; t <= snap->type_count; t++) {
        if (t < snap->type_count && snap->types[t].kind == TYPE_OBJECT)
            continue;
        if (t - first > best.count)
            best = (struct interval){first, t - first};
        first = t + 1;
    }
    return best;
}

static bool mark_piece(void *others, size_t piece)
{
    struct others *o = others;
    const struct graph *g = o->snap->graph;
    struct interval objects = object_rows(o->snap);
    /* 64 bits, since the number after the last block of 2^32 nodes is one too many. */
    uint64_t end = border(g->node_count, piece + 1, o->pieces);
    for (uint64_t n = border(g->node_count, piece, o->pieces); n < end; n += BLOCK) {
        const type_id *type = g->type + n;
        uint32_t count = end - n < BLOCK ? (uint32_t)(end - n) : BLOCK, outside = 0;
        for (uint32_t k = 0; count == BLOCK && k < BLOCK; k++)
            outside |= !is_within(objects, type[k]);
        for (uint32_t k = 0; (count < BLOCK || outside != 0) && k < count; k++)
            if (o->snap->types[type[k]].kind != TYPE_OBJECT)
                bits_set(o->nodes, (node_id)n + k);
    }
    return true;
}

static bool count_piece(void *others, size_t piece)
{
    struct others *o = others;
    const struct graph *g = o->snap->graph;
    const struct interval low = o->low, high = o->high;
    uint64_t end = border(g->edge_count, piece + 1, o->pieces), references = 0;
    for (uint64_t e = border(g->edge_count, piece, o->pieces); e < end; e += FEW) {
        const node_id *to = g->edge_to + e;
        uint32_t count = end - e < FEW ? (uint32_t)(end - e) : FEW, within = 0;
        for (uint32_t k = 0; count == FEW && k < FEW; k++)
            within |= is_within(low, to[k]) | is_within(high, to[k]);
        for (uint32_t k = 0; (count < FEW || within != 0) && k < count; k++)
            references += bits_have(o->nodes, to[k]);
    }
    o->references[piece] = references;
    return true;
}

/* Finds both intervals, with the widest gap between them. */
static void find_intervals(struct others *o)
{
    uint32_t words = o->snap->graph->node_count / BLOCK, last = NO_NODE, widest = 0;
    struct interval *low = &o->low, *high = &o->high;
    for (uint32_t word = 0; word <= words; word++) {
        if (o->nodes[word] == 0)
            continue;
        if (last == NO_NODE)
            low->first = word * BLOCK;
        if (last == NO_NODE || word - last > widest) {
            widest = last == NO_NODE ? 0 : word - last;
            low->count = last == NO_NODE ? 0 : (last + 1) * BLOCK - low->first;
            high->first = word * BLOCK;
        }
        last = word;
    }
    if (last != NO_NODE)
        high->count = (last + 1) * BLOCK - high->first;
}

/* Subtracts the references of a node that is not an object; a root group's are roots. */
static void take_off_references(struct hd_snapshot *snap, const struct others *o, node_id n)
{
    const struct graph *g = snap->graph;
    uint64_t objects = 0;
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
        objects += !is_other(o, g->edge_to[e]);
    snap->info.references -= objects;
    if (snap->types[g->type[n]].kind == TYPE_PSEUDO)
        snap->info.roots += objects;
}

/* Counts all references except those to others and from others. */
static void count_references(struct hd_snapshot *snap, unsigned threads)
{
    const struct graph *g = snap->graph;
    struct hd_info *info = &snap->info;
    struct others o = {.snap = snap, .nodes = bits_new(g->node_count)};
    o.pieces = workers_shares(g->node_count, MIN_SHARE, threads, MAX_THREADS);
    workers_run(o.pieces, (unsigned)o.pieces, mark_piece, &o);
    find_intervals(&o);
    workers_run(o.pieces, (unsigned)o.pieces, count_piece, &o);
    info->references = g->edge_count;
    for (size_t piece = 0; piece < o.pieces; piece++)
        info->references -= o.references[piece];
    info->roots = 0;
    for (uint32_t word = 0; word <= g->node_count / 64; word++)
        for (uint64_t left = o.nodes[word]; left != 0; left &= left - 1)
            take_off_references(snap, &o, word * 64 + (uint32_t)__builtin_ctzll(left));
    info->has_roots = info->roots > 0;
    free(o.nodes);
}

/* Counts the references of each pseudo-node by kind of root: the kind of its own name, else
 * of its parent. Walks the pseudo-nodes only. */
static void count_roots(struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    struct arena scratch = {0};
    unsigned char *kind = arena_array(&scratch, unsigned char, g->node_count);
    node_id *queue = arena_array(&scratch, node_id, g->node_count);
    uint32_t head = 0, tail = 0;
    enum { UNSEEN = 0, SEEN = 1 };
    queue[tail++] = g->root;
    kind[g->root] = SEEN + HD_ROOT_OTHER;
    while (head < tail) {
        node_id n = queue[head++];
        enum hd_root_kind above = (enum hd_root_kind)(kind[n] - SEEN);
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            node_id to = g->edge_to[e];
            const struct type *t = &snap->types[g->type[to]];
            if (t->kind == TYPE_OBJECT)
                snap->roots_by_kind[above]++;
            if (t->kind != TYPE_PSEUDO || kind[to] != UNSEEN)
                continue;
            kind[to] = (unsigned char)(SEEN + root_kind_below(t->name, above));
            queue[tail++] = to;
        }
    }
    arena_free(&scratch);
}

static void finish_graph(struct builder *b)
{
    struct graph *g = b->graph;
    b->snap->graph = g;
    b->snap->info.has_fields = g->fields != NULL;
    b->graph = NULL;
    b->snap->node_count = g->node_count;
    b->snap->edge_count = g->edge_count;
    b->snap->graph_bytes = graph_bytes(g);
    b->snap->reading_bytes = b->account.most;
    if (b->graph_only)
        return;
    count_references(b->snap, b->threads);
    b->snap->info.references -= b->handle_edges;
    count_roots(b->snap);
    free_space_find_pinned(b->snap);
}

/* --- the verbatim input -------------------------------------------------------- */

void builder_keep_source(struct builder *b)
{
    b->source = arena_alloc(&b->snap->arena, sizeof(*b->source));
    b->snap->source = b->source;
}

/* --- around a reader ----------------------------------------------------------- */

struct builder builder_begin(struct input *in, const char *path)
{
    struct hd_snapshot *snap = alloc_zeroed(sizeof(*snap));
    snap->input = in;
    snap->clock = NAN;
    snap->weak_roots = HD_UNKNOWN;
    snap->info = (struct hd_info){.path = arena_strdup(&snap->arena, path, strlen(path)),
                                  .pid = HD_UNKNOWN,
                                  .references = HD_UNKNOWN,
                                  .roots = HD_UNKNOWN,
                                  .reachable_objects = HD_UNKNOWN,
                                  .reachable_bytes = HD_UNKNOWN,
                                  .xxh3 = HD_UNKNOWN,
                                  .source_xxh3 = HD_UNKNOWN,
                                  .complete = true};
    return (struct builder){.snap = snap, .size_base = 16};
}

static void finish_digest(struct builder *b, const type_id *row_of)
{
    struct hd_snapshot *snap = b->snap;
    const struct digest_scaled *scaled = b->digest->scaled;
    for (type_id t = 0; scaled != NULL && t < snap->type_count; t++)
        snap->types[t].tally[SELECT_ALL] = snap->types[t].tally[SELECT_GEN2] =
            (struct hd_tally){0};
    for (size_t i = 0; scaled != NULL && i < b->type_count; i++) {
        struct type *row = &snap->types[row_of[i]];
        tally_add(&row->tally[SELECT_ALL], &scaled[i].all);
        tally_add(&row->tally[SELECT_GEN2], &scaled[i].old);
        row->count_scale = scaled[i].count_scale;
    }
    if (!b->want_graph)
        return;
    digest_rename(b->digest, row_of, b->type_count, snap->type_count, &snap->arena);
    snap->digest = b->digest;
    snap->info.has_owners = b->digest->places.len > 0;
    reach_from_digest(snap);
}

void builder_lacks(struct builder *b, node_id n)
{
    *ACCOUNT_APPEND(&b->account, b->lacking, b->lacking_count, b->lacking_cap) = n;
}

static void judge_lacking(struct builder *b)
{
    struct hd_snapshot *snap = b->snap;
    uint32_t held = 0;
    for (size_t i = 0; i < b->lacking_count; i++)
        held += graph_reachable(snap->graph, b->lacking[i]);
    if (held == 0 || !snap->info.complete)
        return;
    snap->info.complete = false;
    builder_warn(b, WARN_INCOMPLETE, 0);
    warnings_add_detail(
        &snap->warnings, WARN_INCOMPLETE,
        arena_printf(&snap->arena,
                     "live objects refer to objects that were not found (%" PRIu32 ")",
                     held));
}

static void count_types(struct hd_snapshot *snap)
{
    bool unknown = false;
    for (type_id t = 0; t < snap->type_count; t++) {
        snap->info.types += type_has_row(&snap->types[t]);
        unknown |=
            snap->types[t].raw.bytes == HD_UNKNOWN && snap->types[t].kind != TYPE_FREE;
    }
    if (unknown)
        snap->info.bytes = HD_UNKNOWN;
}

struct hd_snapshot *builder_finish(struct builder *b, struct hd_error *err)
{
    struct arena scratch = {0};
    struct row_sum *sums;
    if (!b->over_memory && drops(b)) {
        account_fail(&b->account, err);
        builder_abandon(b);
        return NULL;
    }
    type_id *row_of = make_rows(b, &sums, &scratch);
    bool ok = b->graph == NULL || settle_graph(b, row_of, err);
    if (ok && b->digest == NULL)
        free_space_take(b->snap, b->graph);
    if (ok && b->graph != NULL)
        finish_graph(b);
    if (b->digest != NULL)
        finish_digest(b, row_of);
    arena_free(&scratch);
    struct hd_snapshot *snap = b->snap;
    if (b->source != NULL) {
        b->source->type_count = b->type_count;
        b->source->types = arena_array(&snap->arena, struct source_type, b->type_count);
        for (size_t i = 0; i < b->type_count; i++)
            b->source->types[i] = b->types[i].source;
    }
    count_types(snap);
    snap->info.is_native_aot = snap->image_base != 0;
    if (!b->graph_only)
        identity_find(snap);
    if (snap->graph != NULL && !b->graph_only && snap->info.objects > 0 &&
        !snap->info.has_roots && warnings_find(&snap->warnings, WARN_NO_ROOTS) == NULL)
        builder_warn(b, WARN_NO_ROOTS, 0);
    snap->info.has_owners |= snap->graph != NULL && snap->info.has_roots;
    bool later = b->reach_later && !snap->info.holds_garbage;
    if (ok && snap->graph != NULL && !b->graph_only && !later)
        reach_find(snap);
    if (ok && b->lacking_count > 0 && reach_is_known(snap))
        judge_lacking(b);
    b->snap = ok ? NULL : snap;
    builder_abandon(b);
    return ok ? snap : NULL;
}

void builder_abandon(struct builder *b)
{
    free(b->types);
    free(b->lacking);
    text_free(&b->scratch);
    graph_free(b->graph);
    snapshot_free(b->snap);
    *b = (struct builder){0};
}

void snapshot_free(struct hd_snapshot *snap)
{
    if (snap == NULL)
        return;
    graph_free(snap->graph);
    free(snap->reachable);
    warnings_free(&snap->warnings);
    if (snap->source != NULL)
        free(snap->source->described);
    input_close(snap->input);
    arena_free(&snap->arena);
    free(snap);
}
