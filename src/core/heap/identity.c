
#include "base/alloc.h"
#include "base/calendar.h"
#include "heap/snapshot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- sketches ------------------------------------------------------------- */

/* SplitMix64's last steps: every address has its own, so equal hashes are equal addresses.
 */
uint64_t address_hash(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

/* The factors are the inverses of those above, modulo 2^64. */
uint64_t address_of_hash(uint64_t x)
{
    x = (x ^ x >> 31 ^ x >> 62) * 0x319642B2D24D8EC3;
    x = (x ^ x >> 27 ^ x >> 54) * 0x96DE1B173F119089;
    return x ^ x >> 30 ^ x >> 60;
}

static int identity_by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sort, drop what is there twice, keep the smallest. */
static void identity_settle(struct sketch_builder *s)
{
    size_t kept = 0;
    qsort(s->hashes, s->len, sizeof(*s->hashes), identity_by_value);
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

/* Up to which hash a sketch has everything. */
static uint64_t reach_of(const struct sketch *s)
{
    return s->is_cut ? s->all[s->len - 1] : UINT64_MAX;
}

/* Only below where both have everything does an absence mean something. */
enum kinship sketch_compare(const struct sketch *a, const struct sketch *b)
{
    uint64_t reach = reach_of(a) < reach_of(b) ? reach_of(a) : reach_of(b);
    size_t i = 0, k = 0;
    while (i < a->len && k < b->len && a->all[i] <= reach && b->all[k] <= reach) {
        if (a->all[i] == b->all[k])
            return KIN_SAME;
        if (a->all[i] < b->all[k])
            i++;
        else
            k++;
    }
    bool both = a->len > 0 && b->len > 0 && a->all[0] <= reach && b->all[0] <= reach;
    return both ? KIN_OTHER : KIN_UNKNOWN;
}

/* --- what is kept of a snapshot -------------------------------------------- */

/* Before .NET 8 objects of types may move, and a program may have arrays of the size of
 * the runtime's tables: only both together prove another process. */
enum kinship identity_compare(const struct identity *a, const struct identity *b)
{
    if (a->instance != 0 && b->instance != 0)
        return a->instance == b->instance ? KIN_SAME : KIN_OTHER;
    enum kinship types = sketch_compare(&a->types, &b->types);
    enum kinship tables = sketch_compare(&a->tables, &b->tables);
    if (types == KIN_SAME || tables == KIN_SAME)
        return KIN_SAME;
    bool is_other = (types == KIN_OTHER && tables == KIN_OTHER) ||
                    sketch_compare(&a->blocks, &b->blocks) == KIN_OTHER;
    return is_other ? KIN_OTHER : KIN_UNKNOWN;
}

/* Tables begin with 1,020 entries, and each next one has twice as many, up to 16,380
 * (CoreCLR's appdomain.cpp: STATIC_OBJECT_TABLE_BUCKET_SIZE, MAX_BUCKETSIZE); in front of
 * them stand three words. Processes of 32 bits are left out. */
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

/* The row of that name, or NO_TYPE: names are canonical, so there is one at most. */
static type_id row_named(const struct hd_snapshot *snap, const char *name)
{
    for (type_id t = 0; t < snap->type_count; t++)
        if (identity_is_named(&snap->types[t], name))
            return t;
    return NO_TYPE;
}

/* ".../Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll" */
static void find_runtime(struct hd_snapshot *snap)
{
    static const char folder[] = "Microsoft.NETCore.App";
    enum { MOST = 64 };
    type_id string = row_named(snap, "System.String");
    const char *path = string != NO_TYPE ? snap->types[string].module : NULL;
    const char *at = path != NULL ? strstr(path, folder) : NULL;
    if (at == NULL || snap->info.runtime != NULL)
        return;
    at += strlen(folder);
    at += *at == '/' || *at == '\\';
    size_t len = strcspn(at, "/\\");
    if (isdigit((unsigned char)at[0]) && at[len] != '\0' && len < MOST)
        snap->info.runtime = arena_strdup(&snap->arena, at, len);
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

/* 256 MiB: of 2,600 pairs of snapshots of one process each has a block in common, with any
 * collector that there is; of 91,000 pairs of two processes none (docs/warnings.md). Small
 * heaps may move as a whole. */
static void find_blocks(struct hd_snapshot *snap)
{
    enum { BLOCK_BITS = 28, FEWEST_OBJECTS = 1000 };
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
    if (objects >= FEWEST_OBJECTS)
        snap->identity.blocks = sketch_finish(blocks, &snap->arena);
    free(blocks);
}

void identity_find(struct hd_snapshot *snap)
{
    find_runtime(snap);
    /* Two halves of one heap may have nothing in common. */
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

/* --- what somebody else knows ---------------------------------------------- */

static void identity_add(struct hd_snapshot *snap, const char **fact, const char *known)
{
    if (*fact == NULL && known[0] != '\0')
        *fact = arena_strdup(&snap->arena, known, strlen(known));
}

/* Memory knows no time: what was made of it has none but that of its taking. */
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
    if (snap->identity.instance == 0)
        snap->identity.instance = origin->instance;
}
