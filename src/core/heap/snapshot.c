#include "heap/snapshot.h"

#include "base/alloc.h"
#include "base/arrays.h"
#include "base/quantity.h"
#include "heap/digest.h"
#include "heap/process_facts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- names ------------------------------------------------------------------------ */

static bool has_smaller_id(const void *all, size_t i, const void *id)
{
    return ((const struct type_name *)all)[i].id < *(const uint64_t *)id;
}

const char *snapshot_type_name(const struct hd_snapshot *snap, uint64_t id)
{
    const struct type_name *all = snap->type_names;
    size_t count = snap->type_name_count;
    size_t at = search_first(all, 0, count, has_smaller_id, &id);
    return at < count && all[at].id == id ? all[at].name : NULL;
}

/* --- reach ------------------------------------------------------------------------ */

bool reach_is_known(const struct hd_snapshot *snap)
{
    return snap->info.reachable_objects != HD_UNKNOWN;
}

/* --- unreachable objects ------------------------------------------------- */

static void leave_out(struct hd_snapshot *snap, node_id n)
{
    struct hd_info *info = &snap->info;
    struct type *t = &snap->types[snap->graph->type[n]];
    if (t->kind != TYPE_OBJECT)
        return;
    const struct hd_tally one = {1, graph_size(snap->graph, n)};
    info->reachable_objects--;
    info->reachable_bytes -= one.bytes;
    tally_take(&t->tally[SELECT_REACHABLE], &one);
    if (info->has_generations &&
        generation_is_old(ranges_find(&snap->ranges, graph_address(snap->graph, n))))
        tally_take(&t->tally[SELECT_GEN2 | SELECT_REACHABLE], &one);
}

/* A collection precedes a snapshot, so few objects are unreachable: we subtract those from
 * the totals, and skip 64 reachable nodes at a time. */
static void count_reachable(struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    struct hd_info *info = &snap->info;
    info->reachable_objects = info->objects;
    info->reachable_bytes = info->bytes;
    for (type_id i = 0; i < snap->type_count; i++) {
        struct type *t = &snap->types[i];
        t->tally[SELECT_REACHABLE] = t->raw;
        t->tally[SELECT_GEN2 | SELECT_REACHABLE] = type_raw_of_old(t);
    }
    for (size_t word = 0; word <= g->node_count / 64; word++) {
        uint64_t missing = ~g->reachable[word];
        if (word == g->node_count / 64)
            missing &= (1ULL << (g->node_count % 64)) - 1;
        for (; missing != 0; missing &= missing - 1)
            leave_out(snap, (node_id)(word * 64 + (size_t)__builtin_ctzll(missing)));
    }
}

/* Once types with different multipliers are merged, only the multiplier of the whole row is
 * known; so reachable objects are scaled by the row's ratio, and all objects by exactly its
 * own sum. */
static void scale_reachable(struct hd_snapshot *snap)
{
    for (type_id i = 0; i < snap->type_count; i++) {
        struct type *t = &snap->types[i];
        double bytes_scale = sample_bytes_scale(t);
        for (int both = 0; both < 2; both++) {
            struct hd_tally *r = &t->tally[SELECT_REACHABLE | (both ? SELECT_GEN2 : 0)];
            bool whole = r->count == t->raw.count;
            *r = whole ? t->tally[SELECT_ALL]
                       : (struct hd_tally){tally_rounded((double)r->count * t->count_scale),
                                           tally_rounded((double)r->bytes * bytes_scale)};
        }
    }
}

static void measure(struct hd_snapshot *snap)
{
    const struct hd_info *info = &snap->info;
    count_reachable(snap);
    if (info->sampled)
        scale_reachable(snap);
    if (info->has_roots && !info->holds_garbage &&
        info->reachable_objects < info->objects - info->reachable_objects) {
        warnings_add(&snap->warnings, WARN_MOSTLY_UNREACHABLE, 0);
        if (snap->image_base != 0)
            warnings_add_detail(
                &snap->warnings, WARN_MOSTLY_UNREACHABLE,
                "more than half of the objects are unreachable; the references from stacks "
                "of a native AOT program are unknown");
    }
}

void reach_from_digest(struct hd_snapshot *snap)
{
    const struct hd_tally *lost = snap->digest->lost;
    for (type_id i = 0; lost != NULL && i < snap->type_count; i++) {
        struct type *t = &snap->types[i];
        if (t->kind != TYPE_OBJECT)
            continue;
        t->tally[SELECT_REACHABLE] = t->raw;
        t->tally[SELECT_GEN2 | SELECT_REACHABLE] = type_raw_of_old(t);
        for (enum hd_generation g = HD_GEN0; g < HD_GENERATION_COUNT; g++) {
            const struct hd_tally *less = &lost[(size_t)i * HD_GENERATION_COUNT + g];
            tally_take(&t->tally[SELECT_REACHABLE], less);
            if (snap->info.has_generations && generation_is_old(g))
                tally_take(&t->tally[SELECT_GEN2 | SELECT_REACHABLE], less);
        }
    }
    if (lost != NULL && snap->info.sampled)
        scale_reachable(snap);
}

/* --- reachability -------------------------------------------------------- */

void reach_find(struct hd_snapshot *snap)
{
    if (reach_is_known(snap))
        return;
    graph_mark_reachable(snap->graph);
    measure(snap);
}

void reach_given(struct hd_snapshot *snap, const node_id *nodes, uint32_t count)
{
    if (reach_is_known(snap))
        return;
    graph_set_reachable(snap->graph, nodes, count);
    measure(snap);
}

struct hd_tally *reach_lost(const struct hd_snapshot *snap, struct arena *a)
{
    const struct graph *g = snap->graph;
    if (g == NULL)
        return snap->digest != NULL ? snap->digest->lost : NULL;
    struct hd_tally *lost =
        arena_array(a, struct hd_tally, array_bytes(snap->type_count, HD_GENERATION_COUNT));
    for (node_id n = 0; n < g->node_count; n++) {
        if (graph_reachable(g, n) || snap->types[g->type[n]].kind != TYPE_OBJECT)
            continue;
        enum hd_generation in = ranges_find(&snap->ranges, graph_address(g, n));
        struct hd_tally *to = &lost[(size_t)g->type[n] * HD_GENERATION_COUNT + in];
        to->count++;
        to->bytes += graph_size(g, n);
    }
    return lost;
}

/* --- sketches ------------------------------------------------------------- */

/* The last steps of SplitMix64, a bijection: equal hashes are equal addresses. */
uint64_t address_hash(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

/* Inverse of address_hash(): its factors are inverted modulo 2^64. */
uint64_t address_of_hash(uint64_t x)
{
    x = (x ^ x >> 31 ^ x >> 62) * 0x319642B2D24D8EC3;
    x = (x ^ x >> 27 ^ x >> 54) * 0x96DE1B173F119089;
    return x ^ x >> 30 ^ x >> 60;
}

/* Sorts, drops duplicates and all but the smallest. */
static void identity_settle(struct sketch_builder *s)
{
    size_t kept = 0;
    qsort(s->hashes, s->len, sizeof(*s->hashes), by_first_number);
    for (size_t i = 0; i < s->len; i++)
        if (kept == 0 || s->hashes[i] != s->hashes[kept - 1])
            s->hashes[kept++] = s->hashes[i];
    s->is_cut |= kept > SKETCH_SIZE;
    s->len = kept < SKETCH_SIZE ? kept : SKETCH_SIZE;
}

void sketch_add(struct sketch_builder *s, uint64_t address)
{
    uint64_t hash = address_hash(address);
    if (s->is_cut && s->len >= SKETCH_SIZE && hash > s->hashes[SKETCH_SIZE - 1])
        return;
    if (s->len == sizeof(s->hashes) / sizeof(*s->hashes))
        identity_settle(s);
    s->hashes[s->len++] = hash;
}

struct sketch sketch_finish(struct sketch_builder *s, struct arena *a)
{
    identity_settle(s);
    struct sketch done = {arena_array(a, uint64_t, s->len), s->len, s->is_cut};
    if (s->len > 0)
        memcpy(done.all, s->hashes, s->len * sizeof(*done.all));
    return done;
}

/* Returns the hash up to which a sketch is complete. */
static uint64_t reach_of(const struct sketch *s)
{
    return s->is_cut ? s->all[s->len - 1] : UINT64_MAX;
}

/* A missing address is significant only where both are complete. */
enum process_match sketch_compare(const struct sketch *a, const struct sketch *b)
{
    uint64_t reach = reach_of(a) < reach_of(b) ? reach_of(a) : reach_of(b);
    size_t i = 0, k = 0;
    while (i < a->len && k < b->len && a->all[i] <= reach && b->all[k] <= reach) {
        if (a->all[i] == b->all[k])
            return PROCESS_SAME;
        if (a->all[i] < b->all[k])
            i++;
        else
            k++;
    }
    bool both = a->len > 0 && b->len > 0 && a->all[0] <= reach && b->all[0] <= reach;
    return both ? PROCESS_OTHER : PROCESS_UNKNOWN;
}

/* --- sketches of a snapshot ------------------------------------------------ */

/* Before .NET 8 objects of types may move, and a program may have arrays of the size of
 * the runtime's tables: only both together prove another process. */
enum process_match identity_compare(const struct identity *a, const struct identity *b)
{
    if (a->instance != 0 && b->instance != 0)
        return a->instance == b->instance ? PROCESS_SAME : PROCESS_OTHER;
    enum process_match types = sketch_compare(&a->types, &b->types);
    enum process_match tables = sketch_compare(&a->tables, &b->tables);
    if (types == PROCESS_SAME || tables == PROCESS_SAME)
        return PROCESS_SAME;
    bool is_other = (types == PROCESS_OTHER && tables == PROCESS_OTHER) ||
                    sketch_compare(&a->blocks, &b->blocks) == PROCESS_OTHER;
    return is_other ? PROCESS_OTHER : PROCESS_UNKNOWN;
}

/* Tables begin with 1,020 entries and double up to 16,380 (CoreCLR's appdomain.cpp:
 * STATIC_OBJECT_TABLE_BUCKET_SIZE, MAX_BUCKETSIZE), after a header of three words. 32-bit
 * processes are not handled. */
static bool is_size_of_table(uint64_t bytes)
{
    enum { FIRST = 1020, DOUBLED = 5, LAST = 16380, WORD = 8, HEAD = 3 * WORD };
    for (int i = 0; i < DOUBLED; i++)
        if (bytes == ((uint64_t)FIRST << i) * WORD + HEAD)
            return true;
    return bytes == (uint64_t)LAST * WORD + HEAD;
}

static bool identity_is_named(const struct type *t, const char *name)
{
    return t->kind == TYPE_OBJECT && strcmp(t->name, name) == 0;
}

/* Returns the row with this name, or NO_TYPE; names are canonical, hence unique. */
static type_id row_named(const struct hd_snapshot *snap, const char *name)
{
    for (type_id t = 0; t < snap->type_count; t++)
        if (identity_is_named(&snap->types[t], name))
            return t;
    return NO_TYPE;
}

static void find_of_runtime(struct hd_snapshot *snap, type_id type, type_id table)
{
    const struct graph *g = snap->graph;
    struct sketch_builder *types = alloc_zeroed(sizeof(*types));
    struct sketch_builder *tables = alloc_zeroed(sizeof(*tables));
    for (node_id n = 0; n < g->node_count; n++) {
        if (g->type[n] != type && g->type[n] != table)
            continue;
        if (g->type[n] == table && !is_size_of_table(graph_size(g, n)))
            continue;
        uint64_t address = graph_address(g, n);
        if (address != 0)
            sketch_add(g->type[n] == type ? types : tables, address);
    }
    snap->identity.types = sketch_finish(types, &snap->arena);
    snap->identity.tables = sketch_finish(tables, &snap->arena);
    free(types);
    free(tables);
}

/* ".../Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll" */
static void find_runtime(struct hd_snapshot *snap)
{
    static const char folder[] = "Microsoft.NETCore.App";
    enum { MAX_LEN = 64 };
    type_id string = row_named(snap, "System.String");
    const char *path = string != NO_TYPE ? snap->types[string].module : NULL;
    const char *at = path != NULL ? strstr(path, folder) : NULL;
    if (at == NULL || snap->info.runtime != NULL)
        return;
    at += strlen(folder);
    at += *at == '/' || *at == '\\';
    size_t len = strcspn(at, "/\\");
    if (isdigit((unsigned char)at[0]) && at[len] != '\0' && len < MAX_LEN)
        snap->info.runtime = arena_strdup(&snap->arena, at, len);
}

/* 256 MiB: 2,600 of 2,600 pairs of snapshots of a process have a common block, with every
 * collector, and 0 of 91,000 pairs of two processes (docs/warnings.md). Small heaps may
 * move as a whole. */
static void find_blocks(struct hd_snapshot *snap)
{
    enum { BLOCK_BITS = 28, MIN_OBJECTS = 1000 };
    const struct graph *g = snap->graph;
    struct sketch_builder *blocks = alloc_zeroed(sizeof(*blocks));
    uint64_t last = 0, objects = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        uint64_t address = graph_address(g, n), block = address >> BLOCK_BITS << BLOCK_BITS;
        objects += address != 0;
        if (address != 0 && block != last)
            sketch_add(blocks, block);
        last = address != 0 ? block : last;
    }
    if (objects >= MIN_OBJECTS)
        snap->identity.blocks = sketch_finish(blocks, &snap->arena);
    free(blocks);
}

void identity_find(struct hd_snapshot *snap)
{
    find_runtime(snap);
    /* Two halves of a heap may be disjoint. */
    if (snap->graph == NULL || snap->graph->addresses == NULL || snap->info.sampled ||
        !snap->info.complete)
        return;
    type_id type = row_named(snap, "System.RuntimeType");
    type_id table = row_named(snap, "System.Object[]");
    if (type != NO_TYPE && table != NO_TYPE)
        find_of_runtime(snap, type, table);
    if (snap->identity.types.len == 0 || snap->identity.tables.len == 0)
        find_blocks(snap);
}

/* --- facts from the caller ------------------------------------------------- */

static void identity_add(struct hd_snapshot *snap, const char **fact, const char *known)
{
    if (*fact == NULL && known[0] != '\0')
        *fact = arena_strdup(&snap->arena, known, strlen(known));
}

/* A memory image has no timestamp, so the time of taking it is used. */
static void add_time(struct hd_snapshot *snap, double taken)
{
    char text[CALENDAR_TIME];
    if (snap->info.time != NULL || !(taken > 0) || !calendar_time((int64_t)taken, text))
        return;
    identity_add(snap, &snap->info.time, text);
    snap->clock = taken;
    snap->clock_is_date = true;
}

void hd_snapshot_set_origin(struct hd_snapshot *snap, const struct hd_origin *origin)
{
    struct hd_info *info = &snap->info;
    identity_add(snap, &info->host, origin->host);
    identity_add(snap, &info->container, origin->container);
    identity_add(snap, &info->program, origin->program);
    identity_add(snap, &info->started, origin->started);
    identity_add(snap, &info->runtime, origin->runtime);
    add_time(snap, origin->taken);
    process_facts_add(&snap->facts, &origin->facts);
    if (snap->identity.instance == 0)
        snap->identity.instance = origin->instance;
}

/* --- digest ----------------------------------------------------------------------- */

static void rename_all(type_id *types, size_t count, const type_id *row_of)
{
    for (size_t i = 0; types != NULL && i < count; i++)
        if (types[i] != NO_TYPE)
            types[i] = row_of[types[i]];
}

static uint64_t *add_numbers(const uint64_t *from, const type_id *row_of, size_t type_count,
                             size_t row_count, struct arena *a)
{
    if (from == NULL)
        return NULL;
    uint64_t *to = arena_array(a, uint64_t, row_count);
    for (size_t i = 0; i < type_count; i++)
        to[row_of[i]] += from[i];
    return to;
}

static struct hd_tally *add_lost(const struct hd_tally *from, const type_id *row_of,
                                 size_t type_count, size_t row_count, struct arena *a)
{
    enum { EACH = HD_GENERATION_COUNT };
    if (from == NULL)
        return NULL;
    struct hd_tally *to = arena_array(a, struct hd_tally, array_bytes(row_count, EACH));
    for (size_t i = 0; i < type_count; i++)
        for (size_t g = 0; g < EACH; g++) {
            to[(size_t)row_of[i] * EACH + g].count += from[i * EACH + g].count;
            to[(size_t)row_of[i] * EACH + g].bytes += from[i * EACH + g].bytes;
        }
    return to;
}

void digest_rename(struct digest *d, const type_id *row_of, size_t type_count,
                   size_t row_count, struct arena *a)
{
    rename_all(d->places.type, d->places.len, row_of);
    rename_all(d->chains.type, d->chains.link_count, row_of);
    rename_all(d->survivors.type, d->survivors.len, row_of);
    rename_all(d->ages.lost_type, d->ages.lost_len, row_of);
    d->retained = add_numbers(d->retained, row_of, type_count, row_count, a);
    d->chains.by_call_sites =
        add_numbers(d->chains.by_call_sites, row_of, type_count, row_count, a);
    d->lost = add_lost(d->lost, row_of, type_count, row_count, a);
}
