#include "clr/process/runtime.h"

#include "base/error.h"

/* What the collector tells debuggers: GcDacVars, whose layout is versioned and only ever
 * grows (dotnet/runtime, src/coreclr/gc/gcinterface.dacvars.def). Offsets in it of pointers
 * to variables of the collector. */
enum {
    GC_VERSION = 0, /* two bytes: major, minor */
    GC_GENERATION_SIZE = 8,
    GC_GENERATION_COUNT = 16,
    GC_GENERATION_TABLE = 48,
    GC_EPHEMERAL_SEGMENT = 80,
    GC_ALLOC_ALLOCATED = 120,
    GC_FINALIZE_QUEUE = 144,
    GC_HEAP_COUNT = 176,
    GC_HEAPS = 184,
    GC_INVALID_COUNT = 192,
    GC_HANDLE_TABLE_MAP = 232,
    GC_HEAP_OFFSETS = 240,
    GC_GENERATION_OFFSETS = 248
};

/* What global number i of a table points to, if that is GcDacVars; else 0. Version 1 is
 * .NET Core 3, 2 all since; a minor is a few more members. */
static uint64_t gc_at(const struct memory *m, uint64_t table, unsigned i)
{
    enum { SMALLEST = 64, LARGEST = 4096, NEWEST_MAJOR = 9 };
    bool ok = true;
    uint64_t variable = memory_u64(m, table + i * UINT64_C(8), &ok);
    uint64_t at = ok ? memory_u64(m, variable, &ok) : 0;
    if (!ok)
        return 0;
    uint8_t major = memory_u8(m, at + GC_VERSION, &ok);
    uint64_t size = memory_u64(m, at + GC_GENERATION_SIZE, &ok),
             count = memory_u64(m, at + GC_GENERATION_COUNT, &ok);
    bool is_gc = ok && at % 8 == 0 && major > 0 && major <= NEWEST_MAJOR && size % 8 == 0 &&
                 size >= SMALLEST && size <= LARGEST && count == GC_GENERATIONS;
    return is_gc ? at : 0;
}

/* The other globals are nobody's business (memory.h). */
uint64_t gc_globals_find(const struct memory *m, uint64_t table, unsigned count)
{
    bool before = memory_look_away(m, true), is_only = true;
    unsigned place = count;
    uint64_t found = 0;
    for (unsigned i = 0; i < count && is_only; i++) {
        uint64_t at = gc_at(m, table, i);
        if (at == 0 || at == found)
            continue;
        is_only = found == 0;
        found = at;
        place = i;
    }
    memory_look_away(m, before);
    return is_only && found != 0 ? gc_at(m, table, place) : 0;
}

uint64_t gc_count_address(const struct memory *m, uint64_t gc)
{
    bool ok = gc != 0;
    uint64_t at = ok ? memory_u64(m, gc + GC_INVALID_COUNT, &ok) : 0;
    return ok ? at : 0;
}

bool gc_heap_is_valid(const struct runtime *r)
{
    bool ok = true;
    uint64_t at = gc_count_address(&r->image->memory, r->gc);
    return at != 0 && memory_u32(&r->image->memory, at, &ok) == 0 && ok;
}

/* --- heaps --------------------------------------------------------------------- */

/* Positions in the offsets of a server heap's members (dac_gcheap_fields.h). */
enum {
    HEAP_ALLOC_ALLOCATED = 0,
    HEAP_EPHEMERAL_SEGMENT = 1,
    HEAP_FINALIZE_QUEUE = 2,
    HEAP_GENERATION_TABLE = 18
};

/* The runtime allows no more processors (MAX_SUPPORTED_CPUS). */
enum { MAX_HEAPS = 1024, MAX_MEMBER = 1 << 16 };

static uint64_t global(const struct runtime *r, unsigned at, bool *ok)
{
    return memory_u64(&r->image->memory, r->gc + at, ok);
}

/* What the variable holds whose address stands there. */
static uint64_t value(const struct runtime *r, unsigned at, bool *ok)
{
    return memory_u64(&r->image->memory, global(r, at, ok), ok);
}

/* Number i of a table of offsets; no member of the collector lies further out. */
static uint32_t offset(const struct runtime *r, unsigned table, unsigned i, bool *ok)
{
    uint32_t at = memory_u32(&r->image->memory, global(r, table, ok) + 4 * (uint64_t)i, ok);
    *ok = *ok && at < MAX_MEMBER;
    return *ok ? at : 0;
}

static void read_workstation(struct gc_globals *g, const struct runtime *r, struct arena *a,
                             bool *ok)
{
    bool has_queue = true;
    g->parts = arena_array(a, struct gc_part, 1);
    g->part_count = 1;
    g->parts[0] = (struct gc_part){
        .generations = global(r, GC_GENERATION_TABLE, ok),
        .ephemeral_segment = value(r, GC_EPHEMERAL_SEGMENT, ok),
        .allocated = value(r, GC_ALLOC_ALLOCATED, ok),
        .finalizers = value(r, GC_FINALIZE_QUEUE, &has_queue),
    };
}

static void read_server(struct gc_globals *g, const struct runtime *r, uint32_t count,
                        struct arena *a, bool *ok)
{
    const struct memory *m = &r->image->memory;
    uint64_t heaps = value(r, GC_HEAPS, ok);
    uint32_t allocated = offset(r, GC_HEAP_OFFSETS, HEAP_ALLOC_ALLOCATED, ok),
             ephemeral = offset(r, GC_HEAP_OFFSETS, HEAP_EPHEMERAL_SEGMENT, ok),
             table = offset(r, GC_HEAP_OFFSETS, HEAP_GENERATION_TABLE, ok),
             queue = offset(r, GC_HEAP_OFFSETS, HEAP_FINALIZE_QUEUE, ok);
    g->parts = arena_array(a, struct gc_part, count);
    for (uint32_t i = 0; i < count && *ok; i++) {
        bool has_queue = true;
        uint64_t heap = memory_u64(m, heaps + 8 * (uint64_t)i, ok);
        g->parts[g->part_count++] = (struct gc_part){
            .generations = heap + table,
            .ephemeral_segment = memory_u64(m, heap + ephemeral, ok),
            .allocated = memory_u64(m, heap + allocated, ok),
            .finalizers = memory_u64(m, heap + queue, &has_queue),
        };
    }
}

static void read_generations(struct gc_globals *g, const struct runtime *r, bool *ok)
{
    enum { ALLOCATION, START_SEGMENT, ALLOCATION_START };
    g->generation_size = memory_u64(&r->image->memory, r->gc + GC_GENERATION_SIZE, ok);
    g->allocation_at = offset(r, GC_GENERATION_OFFSETS, ALLOCATION, ok);
    g->start_segment_at = offset(r, GC_GENERATION_OFFSETS, START_SEGMENT, ok);
    /* -1 where there are regions. */
    bool has_start = *ok;
    g->allocation_start_at = offset(r, GC_GENERATION_OFFSETS, ALLOCATION_START, &has_start);
    g->has_segments = has_start;
    *ok = *ok && g->generation_size > 0 && g->generation_size < MAX_MEMBER;
}

bool gc_globals_read(struct gc_globals *g, const struct runtime *r, struct arena *a,
                     struct hd_error *err)
{
    enum { KNOWN_MAJOR = 2 };
    const struct memory *m = &r->image->memory;
    bool ok = r->gc != 0;
    *g = (struct gc_globals){.part_count = 0};
    uint8_t major = memory_u8(m, r->gc + GC_VERSION, &ok),
            minor = memory_u8(m, r->gc + GC_VERSION + 1, &ok);
    uint64_t generations = memory_u64(m, r->gc + GC_GENERATION_COUNT, &ok);
    bool is_known = !ok || (major == KNOWN_MAJOR && generations == GC_GENERATIONS);
    read_generations(g, r, &ok);
    g->handle_map = global(r, GC_HANDLE_TABLE_MAP, &ok);
    /* Null pointers in a workstation collector. */
    bool is_server = ok;
    uint64_t count_at = global(r, GC_HEAP_COUNT, &is_server);
    uint32_t count = memory_u32(m, count_at, &is_server);
    if (ok && is_server && count > 0)
        read_server(g, r, count < MAX_HEAPS ? count : MAX_HEAPS, a, &ok);
    else if (ok)
        read_workstation(g, r, a, &ok);
    if (!is_known)
        return fail(err, HD_UNSUPPORTED,
                    "the garbage collector of this process (interface %u.%u) is unknown; "
                    "take a gcdump with `heapdrift collect -p PID`",
                    major, minor);
    return ok || fail(err, HD_UNSUPPORTED,
                      "the dump lacks the globals of the garbage collector; take one with "
                      "the heap: `createdump --withheap PID`");
}
