/* forged_heap.h - parts of a heap in a forged core other than objects: lists of references,
 * handles, finalizers, allocating threads. From the description of the format; must not
 * share code with the reader. */
#ifndef FORGED_HEAP_H
#define FORGED_HEAP_H

#include "format/open.h"
#include "heap/snapshot.h"
#include "support/forge_core.h"
#include "support/rewritten.h"

#include <criterion/criterion.h>
#include <string.h>

/* Their addresses. */
#define FORGED_HANDLES UINT64_C(0x7f4000000000) /* map, bucket, table */
#define FORGED_HANDLE_SEGMENT UINT64_C(0x7f4000010000)
#define FORGED_FINALIZERS UINT64_C(0x7f5000000000)
#define FORGED_THREADS UINT64_C(0x7f6000000000)
#define FORGED_STACK UINT64_C(0x7f7000000000)

enum {
    POINTERS_FLAG = 0x01000000,
    FORGED_COLLECTOR_AT = 0x5100, /* GcDacVars in the library */
    FORGED_VARIABLES_AT = 0x5000, /* globals; the second is that of the thread store */
    FORGED_GENERATIONS_AT = 0x5400,
    FORGED_SCRATCH_AT = 0x5f00, /* unused */
    HANDLE_TYPES = 13
};

static const uint32_t components_flag = UINT32_C(0x80000000);

/* A run of count pointers in an object, or in an element of an array of structs. */
struct forged_run {
    uint32_t offset, count;
};

static inline void forge_runs(struct core_forge *f, uint64_t type, uint32_t base_size,
                              const struct forged_run *runs, unsigned count)
{
    forge_core_put(f, type - 8, count, 8);
    for (unsigned i = 0; i < count; i++) {
        uint64_t pair = type - 8 - 16 * (uint64_t)(i + 1);
        forge_core_put(f, pair, 8 * (uint64_t)runs[i].count - base_size, 8);
        forge_core_put(f, pair + 8, runs[i].offset, 8);
    }
}

/* Ascending runs in an element of this size. */
static inline void forge_elements(struct core_forge *f, uint64_t type, uint32_t element,
                                  const struct forged_run *runs, unsigned count)
{
    forge_core_put(f, type - 8, 0 - (uint64_t)count, 8);
    forge_core_put(f, type - 16, 16 + (uint64_t)runs[0].offset, 8);
    for (unsigned i = 0; i < count; i++) {
        uint64_t item = type - 16 - 8 * (uint64_t)(i + 1);
        uint32_t end = runs[i].offset + 8 * runs[i].count,
                 next = i + 1 < count ? runs[i + 1].offset : element + runs[0].offset;
        forge_core_put(f, item, runs[i].count, 4);
        forge_core_put(f, item + 4, next - end, 4);
    }
}

/* A type whose objects consist of pointers. */
static inline uint64_t forge_pointers(struct core_forge *f, unsigned count)
{
    uint32_t size = 16 + 8 * count;
    const struct forged_run all = {8, count};
    uint64_t type = forge_core_type(f, size > 24 ? size : 24, POINTERS_FLAG);
    forge_runs(f, type, size > 24 ? size : 24, &all, 1);
    return type;
}

static inline void forge_global(struct core_forge *f, unsigned at, uint64_t address)
{
    forge_core_put(f, FORGED_RUNTIME_BASE + FORGED_COLLECTOR_AT + at, address, 8);
}

/* --- handles ------------------------------------------------------------- */

static inline void forge_handles(struct core_forge *f)
{
    const uint64_t map = FORGED_HANDLES, buckets = map + 0x100, bucket = map + 0x200,
                   tables = map + 0x300, table = map + 0x400,
                   segment = FORGED_HANDLE_SEGMENT;
    forge_core_region(f, FORGED_HANDLES, 0x1000);
    forge_core_region(f, segment, 0x10000);
    forge_global(f, 232, map);
    forge_core_put(f, map, buckets, 8);
    forge_core_put(f, map + 16, 2, 4);
    forge_core_put(f, buckets + 8, bucket, 8); /* the first is not used */
    forge_core_put(f, bucket, tables, 8);
    forge_core_put(f, tables, table, 8);
    forge_core_put(f, table + 56, segment, 8);
    forge_core_put(f, segment + 1920 + 6 * HANDLE_TYPES + 8, table, 8);
    for (unsigned i = 0; i < 120; i++) {
        forge_core_put(f, segment + 1560 + i, 0xff, 1);
        forge_core_put(f, segment + 1680 + i, 0xff, 1);
    }
}

/* In the block of its kind; secondaries are 64 blocks further. */
static inline void forge_handle(struct core_forge *f, unsigned kind, unsigned i,
                                uint64_t object, uint64_t secondary)
{
    enum { DATA_BLOCKS = 64 };
    const uint64_t segment = FORGED_HANDLE_SEGMENT, values = segment + 4096;
    forge_core_put(f, segment + 1560 + kind, kind, 1);
    forge_core_put(f, values + 8 * (uint64_t)(kind * 64 + i), object, 8);
    if (secondary == 0)
        return;
    unsigned data = DATA_BLOCKS + kind;
    forge_core_put(f, segment + 1680 + kind, data, 1);
    forge_core_put(f, segment + 1560 + data, HANDLE_TYPES - 1, 1);
    forge_core_put(f, values + 8 * (uint64_t)(data * 64 + i), secondary, 8);
}

/* --- finalizers and threads ---------------------------------------------- */

/* One registered, one due as critical, one due. */
static inline void forge_finalizers(struct core_forge *f, const uint64_t objects[3])
{
    const uint64_t queue = FORGED_FINALIZERS, array = queue + 0x100;
    forge_core_region(f, queue, 0x1000);
    forge_core_put(f, FORGED_RUNTIME_BASE + FORGED_SCRATCH_AT, queue, 8);
    forge_global(f, 144, FORGED_RUNTIME_BASE + FORGED_SCRATCH_AT);
    for (unsigned part = 0; part < 7; part++)
        forge_core_put(f, queue + 8 * (uint64_t)part,
                       array + (part < 4 ? 0 : 8 * (uint64_t)(part < 5 ? 1 : part - 3)), 8);
    forge_core_put(f, queue + 56, array, 8);
    for (unsigned i = 0; i < 3; i++)
        forge_core_put(f, array + 8 * (uint64_t)i, objects[i], 8);
}

/* The only thread of the runtime, with its allocation context from pointer to limit. On
 * aarch64 many offsets are 40 bytes higher. */
static inline void forge_managed_thread(struct core_forge *f, uint64_t id, uint64_t pointer,
                                        uint64_t limit)
{
    const uint64_t store = FORGED_THREADS, thread = store + 0x200, locals = store + 0x800;
    forge_core_region(f, store, 0x1000);
    forge_core_put(f, FORGED_RUNTIME_BASE + FORGED_VARIABLES_AT + 8, store, 8);
    const uint64_t later = f->machine == MACHINE_AARCH64 ? 40 : 0;
    forge_core_put(f, store + 88, thread + later + 112, 8);
    forge_core_put(f, store + 112, 1, 4);
    forge_core_put(f, thread + 32, locals, 8);
    forge_core_put(f, thread + later + 296, id, 8);
    forge_core_put(f, locals + 8, pointer, 8); /* offset of GCAllocationContext: 8 */
    forge_core_put(f, locals + 16, limit, 8);
}

/* --- reading ------------------------------------------------------------- */

/* The redacted dump has the same heap: tried with every forged one. */
static inline void expect_same_redacted(struct hd_snapshot *snap)
{
    struct hd_error err = {0};
    char *data;
    size_t size;
    struct hd_snapshot *again = rewritten(snap, "core-dump", &data, &size, &err);
    cr_assert_not_null(again, "redacted: %s", err.message);
    const char *what = rewritten_totals_differ(snap, again);
    what = what != NULL ? what : rewritten_graph_differs(snap, again);
    what = what != NULL ? what : rewritten_rows_differ(snap, again, false, true);
    cr_expect(what == NULL, "redacted: %s", what);
    cr_expect_eq(again->info.complete, snap->info.complete, "redacted");
    cr_expect(again->info.redacted);
    cr_expect(rewritten_same_string(again->info.process, snap->info.process));
    cr_expect_str_eq(again->info.runtime, snap->info.runtime);
    hd_snapshot_close(again);
    free(data);
}

static inline struct hd_snapshot *read_forged(struct core_forge *f, struct hd_error *err)
{
    static const struct hd_read_options how = {
        .size = sizeof(how), .to_write = true, .redact = true};
    struct bytes core = forge_core_bytes(f);
    struct hd_snapshot *snap = hd_snapshot_from_memory(core.data, core.size, &how, err);
    if (snap != NULL && snap->info.has_graph)
        expect_same_redacted(snap);
    return snap;
}

/* The number of the object at an address, or NO_NODE. */
static inline node_id node_at(const struct hd_snapshot *snap, uint64_t address)
{
    for (node_id n = 0; n < snap->graph->node_count; n++)
        if (address != 0 && graph_address(snap->graph, n) == address)
            return n;
    return NO_NODE;
}

/* True if a root group has the object at address; *count: its objects. */
static inline bool group_holds(const struct hd_snapshot *snap, const char *group,
                               uint64_t address, uint32_t *count)
{
    const struct graph *g = snap->graph;
    bool found = false;
    *count = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        if (strcmp(snap->types[g->type[n]].name, group) != 0)
            continue;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            found |= graph_address(g, g->edge_to[e]) == address;
            *count += graph_address(g, g->edge_to[e]) != 0;
        }
    }
    return found;
}

#endif
