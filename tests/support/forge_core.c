#include "support/forge_core.h"

#include "base/alloc.h"
#include "base/little_endian.h"
#include "support/forged_layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- memory -------------------------------------------------------------------------- */

void forge_core_region(struct core_forge *f, uint64_t address, uint64_t size)
{
    if (f->region_count == FORGED_REGIONS)
        abort();
    f->regions[f->region_count++] =
        (struct forged_region){address, size, alloc_zeroed((size_t)size)};
}

static unsigned char *at(const struct core_forge *f, uint64_t address, uint64_t size)
{
    for (size_t i = 0; i < f->region_count; i++) {
        const struct forged_region *r = &f->regions[i];
        if (address >= r->address && address - r->address <= r->size &&
            size <= r->size - (address - r->address))
            return r->bytes + (address - r->address);
    }
    abort();
}

void forge_core_leave_out(struct core_forge *f, uint64_t begin, uint64_t end)
{
    unsigned char *bytes = at(f, begin, end - begin);
    for (size_t i = 0; i < f->region_count; i++) {
        struct forged_region *r = &f->regions[i];
        if (begin < r->address || begin - r->address >= r->size)
            continue;
        uint64_t rest = r->address + r->size - end;
        forge_core_region(f, end, rest);
        memcpy(f->regions[f->region_count - 1].bytes, bytes + (end - begin), (size_t)rest);
        r->size = begin - r->address;
        return;
    }
}

void forge_core_put(struct core_forge *f, uint64_t address, uint64_t value, size_t size)
{
    le_put(at(f, address, size), value, size);
}

void forge_core_put_bytes(struct core_forge *f, uint64_t address, const void *bytes,
                          size_t size)
{
    memcpy(at(f, address, size), bytes, size);
}

uint64_t forge_core_get(const struct core_forge *f, uint64_t address)
{
    return le_u64(at(f, address, 8));
}

void forge_core_mapping(struct core_forge *f, uint64_t start, uint64_t end, uint64_t offset,
                        const char *path)
{
    if (f->mapping_count == FORGED_MAPPINGS)
        abort();
    f->mappings[f->mapping_count++] = (struct forged_mapping){start, end, offset, path};
}

void forge_core_thread(struct core_forge *f, uint32_t id, uint64_t stack,
                       uint64_t thread_pointer)
{
    if (f->thread_count == FORGED_CORE_THREADS)
        abort();
    f->threads[f->thread_count++] = (struct forged_thread){id, stack, thread_pointer, 0};
}

/* --- the library --------------------------------------------------------------------- */

/* Offsets in the file and from the base in memory. */
enum {
    LIBRARY_NOTE = 0x200,
    LIBRARY_HASH = 0x1000,
    LIBRARY_SYMBOLS = 0x1100,
    LIBRARY_STRINGS = 0x1200,
    LIBRARY_RELOCATIONS = 0x1300,
    LIBRARY_VERSION = 0x1600,
    LIBRARY_JSON = 0x1800,              /* across the end of a page, as a real one */
    LIBRARY_DATA = FORGED_LIBRARY_DATA, /* start of the writable part */
    LIBRARY_DYNAMIC = LIBRARY_DATA,
    LIBRARY_DESCRIPTOR = 0x3200,
    LIBRARY_POINTERS = 0x3300,
    LIBRARY_TABLE = 0x4000, /* g_dacTable */
    LIBRARY_VARIABLES = 0x5000,
    LIBRARY_COLLECTOR = 0x5100, /* GcDacVars */
    LIBRARY_COUNT = 0x5300,     /* gc_structures_invalid_cnt */
    LIBRARY_OFFSETS = 0x5310,   /* generation_field_offsets */
    LIBRARY_EPHEMERAL = 0x5320,
    LIBRARY_ALLOCATED = 0x5328,
    LIBRARY_GENERATIONS = 0x5400,
    LIBRARY_SIZE = FORGED_LIBRARY_SIZE
};

enum { GENERATION_SIZE = 256, START_SEGMENT = 56, SEGMENT_STEP = 0x100 };

static void put(struct text *t, uint64_t offset, uint64_t value, size_t size)
{
    le_put((unsigned char *)t->data + offset, value, size);
}

static void put_string(struct text *t, uint64_t offset, const char *s)
{
    memcpy(t->data + offset, s, strlen(s) + 1);
}

static void put_program_header(struct text *t, unsigned i, uint32_t type, uint64_t begin,
                               uint64_t size)
{
    uint64_t to = 64 + i * UINT64_C(56);
    put(t, to, type, 4);
    put(t, to + 4, begin >= LIBRARY_DATA ? 6 : 4, 4); /* PF_W, PF_R */
    put(t, to + 8, begin, 8);
    put(t, to + 16, begin, 8);
    put(t, to + 32, size, 8);
    put(t, to + 40, size, 8);
}

static void put_headers(struct text *t)
{
    static const unsigned char note[] = {4,   0,   0,   0, 8, 0, 0, 0, 3, 0, 0, 0,
                                         'G', 'N', 'U', 0, 1, 2, 3, 4, 5, 6, 7, 8};
    memcpy(t->data, "\177ELF\2\1\1", 7);
    put(t, 16, 3, 2);
    put(t, 18, 62, 2);
    put(t, 32, 64, 8);
    put(t, 54, 56, 2);
    put(t, 56, 4, 2);
    put_program_header(t, 0, 1, 0, LIBRARY_DATA);
    put_program_header(t, 1, 1, LIBRARY_DATA, LIBRARY_SIZE - LIBRARY_DATA);
    put_program_header(t, 2, 2, LIBRARY_DYNAMIC, 0x100);
    put_program_header(t, 3, 4, LIBRARY_NOTE, sizeof(note));
    memcpy(t->data + LIBRARY_NOTE, note, sizeof(note));
}

static uint32_t gnu_hash(const char *s)
{
    uint32_t h = 5381;
    while (*s != '\0')
        h = h * 33 + (unsigned char)*s++;
    return h;
}

struct forged_symbol {
    const char *name; /* NULL: none */
    uint64_t value;
};

/* One bucket, and a filter that passes every name. */
static void put_symbols(struct text *t, const struct forged_symbol *symbols, size_t count)
{
    uint64_t string = 1, hash = LIBRARY_HASH + 28;
    put(t, LIBRARY_HASH, 1, 4);
    put(t, LIBRARY_HASH + 4, 1, 4);
    put(t, LIBRARY_HASH + 8, 1, 4);
    put(t, LIBRARY_HASH + 16, UINT64_MAX, 8);
    put(t, LIBRARY_HASH + 24, 1, 4);
    for (size_t i = 0; i < count; i++) {
        uint64_t symbol = LIBRARY_SYMBOLS + (i + 1) * 24;
        put(t, symbol, string, 4);
        put(t, symbol + 6, 1, 2);
        put(t, symbol + 8, symbols[i].value, 8);
        put(t, symbol + 16, LIBRARY_VARIABLES - LIBRARY_TABLE, 8);
        put_string(t, LIBRARY_STRINGS + string, symbols[i].name);
        string += strlen(symbols[i].name) + 1;
        put(t, hash + i * 4, (gnu_hash(symbols[i].name) & ~1U) | (i + 1 == count), 4);
    }
}

/* Pointers: offset and target. */
static const uint32_t pointers[][2] = {
    {LIBRARY_DESCRIPTOR + 16, LIBRARY_JSON},
    {LIBRARY_DESCRIPTOR + 32, LIBRARY_POINTERS},
    {LIBRARY_POINTERS + 8, LIBRARY_VARIABLES},
    {LIBRARY_POINTERS + 16, LIBRARY_VARIABLES + 8},
    {LIBRARY_POINTERS + 24, LIBRARY_VARIABLES + 16},
    {LIBRARY_POINTERS + 32, LIBRARY_VARIABLES + 32},
    {LIBRARY_POINTERS + 40, LIBRARY_VARIABLES + 40},
};

enum { POINTERS = sizeof(pointers) / sizeof(pointers[0]) };

static void put_dynamic(struct text *t)
{
    static const uint64_t entries[][2] = {
        {5, LIBRARY_STRINGS},     {6, LIBRARY_SYMBOLS}, {0x6ffffef5, LIBRARY_HASH},
        {7, LIBRARY_RELOCATIONS}, {8, POINTERS * 24},
    };
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        put(t, LIBRARY_DYNAMIC + i * 16, entries[i][0], 8);
        put(t, LIBRARY_DYNAMIC + i * 16 + 8, entries[i][1], 8);
    }
    for (size_t i = 0; i < POINTERS; i++) {
        put(t, LIBRARY_RELOCATIONS + i * 24, pointers[i][0], 8);
        put(t, LIBRARY_RELOCATIONS + i * 24 + 8, 8, 8); /* R_X86_64_RELATIVE */
        put(t, LIBRARY_RELOCATIONS + i * 24 + 16, pointers[i][1], 8);
    }
}

static void put_descriptor(struct text *t, const char *json)
{
    if (strlen(json) >= LIBRARY_DATA - LIBRARY_JSON)
        abort();
    memcpy(t->data + LIBRARY_DESCRIPTOR, "DNCCDAC", 8);
    put(t, LIBRARY_DESCRIPTOR + 8, 1, 4);
    put(t, LIBRARY_DESCRIPTOR + 12, strlen(json), 4);
    put(t, LIBRARY_DESCRIPTOR + 24, 6, 4);
    put_string(t, LIBRARY_JSON, json);
}

void forge_core_library(struct text *to, const struct forged_runtime *how)
{
    static const unsigned char zeros[LIBRARY_SIZE];
    struct forged_symbol symbols[2] = {{"g_dacTable", LIBRARY_TABLE}};
    size_t count = 1;
    text_add(to, zeros, sizeof(zeros));
    if (how->is_native)
        symbols[0].name = "DotNetRuntimeDebugHeader";
    if (how->json != NULL)
        symbols[count++] =
            (struct forged_symbol){"DotNetRuntimeContractDescriptor", LIBRARY_DESCRIPTOR};
    put_headers(to);
    put_symbols(to, symbols, count);
    put_dynamic(to);
    if (how->json != NULL)
        put_descriptor(to, how->json);
    if (how->own_version != NULL) {
        put_string(to, LIBRARY_VERSION, "@(#)Version ");
        put_string(to, LIBRARY_VERSION + strlen("@(#)Version "), how->own_version);
    }
}

/* --- the runtime in memory ----------------------------------------------------------- */

static const uint64_t base = FORGED_RUNTIME_BASE;

uint64_t forged_globals(void)
{
    return base + LIBRARY_TABLE;
}

uint64_t forged_app_domain_variable(void)
{
    return base + LIBRARY_VARIABLES;
}

uint64_t forged_thread_store_variable(void)
{
    return base + LIBRARY_VARIABLES + 8;
}

uint64_t forged_continuation_variables(void)
{
    return base + LIBRARY_VARIABLES + 32;
}

const char *forged_json(unsigned major)
{
    for (size_t i = 0; i < sizeof(forged_layouts) / sizeof(*forged_layouts); i++)
        if (forged_layouts[i].major == major)
            return forged_layouts[i].json;
    abort();
}

const char *forged_json_11(void)
{
    static char json[LIBRARY_DATA - LIBRARY_JSON];
    const char *whole = forged_json(10) + 1, *globals = strstr(whole, "\"globals\":{");
    int before = (int)(globals - whole) + 11;
    snprintf(json, sizeof(json),
             "{\"version\":2,%.*s\"AppDomain\":[[1],\"pointer\"],"
             "\"ThreadStore\":[[2],\"pointer\"],"
             "\"FreeObjectMethodTable\":[[3],\"pointer\"],"
             "\"ContinuationMethodTable\":[[4],\"pointer\"],"
             "\"ContinuationSingletonEEClass\":[[5],\"pointer\"],%s",
             before, whole, globals + 11);
    return json;
}

uint64_t forged_collector(void)
{
    return base + LIBRARY_COLLECTOR;
}

uint64_t forged_count_variable(void)
{
    return base + LIBRARY_COUNT;
}

/* As the loader maps it. */
static void load_library(struct core_forge *f, const struct forged_runtime *how)
{
    struct text library = {0};
    forge_core_library(&library, how);
    forge_core_region(f, base, LIBRARY_SIZE);
    forge_core_put_bytes(f, base, library.data, library.len);
    text_free(&library);
    for (size_t i = 0; i < 3; i++) {
        uint64_t value = base + LIBRARY_DYNAMIC + i * 16 + 8;
        forge_core_put(f, value, forge_core_get(f, value) + base, 8);
    }
    forge_core_put(f, base + LIBRARY_DYNAMIC + 3 * 16 + 8, base + LIBRARY_RELOCATIONS, 8);
    for (size_t i = 0; i < POINTERS; i++)
        forge_core_put(f, base + pointers[i][0], base + pointers[i][1], 8);
}

static void put_globals(struct core_forge *f, const struct forged_runtime *how)
{
    /* AppDomain, ThreadStore, FreeObjectMethodTable. */
    static const unsigned places[][3] = {[8] = {21, 16, 54}, {21, 16, 57}, {20, 15, 56}};
    const unsigned *place = places[how->major != 0 ? how->major : 10];
    const uint64_t variables = base + LIBRARY_VARIABLES, table = base + LIBRARY_TABLE;
    for (unsigned i = 0; i < 3; i++)
        forge_core_put(f, table + place[i] * UINT64_C(8), variables + i * UINT64_C(8), 8);
    forge_core_put(f, table + UINT64_C(19) * 8, variables + 24, 8);
    forge_core_put(f, variables + 16, f->free_type, 8);
    forge_core_put(f, variables + 24, base + LIBRARY_COLLECTOR, 8);
}

static void put_collector(struct core_forge *f)
{
    const uint64_t gc = base + LIBRARY_COLLECTOR;
    forge_core_put(f, gc, 0x402, 2);
    forge_core_put(f, gc + 8, GENERATION_SIZE, 8);
    forge_core_put(f, gc + 16, FORGED_GENERATIONS, 8);
    forge_core_put(f, gc + 48, base + LIBRARY_GENERATIONS, 8);
    forge_core_put(f, gc + 80, base + LIBRARY_EPHEMERAL, 8);
    forge_core_put(f, gc + 120, base + LIBRARY_ALLOCATED, 8);
    forge_core_put(f, gc + 192, base + LIBRARY_COUNT, 8);
    forge_core_put(f, gc + 248, base + LIBRARY_OFFSETS, 8);
    forge_core_put(f, base + LIBRARY_OFFSETS + 4, START_SEGMENT, 4);
    forge_core_put(f, base + LIBRARY_OFFSETS + 8, UINT32_MAX, 4);
    forge_core_put(f, base + LIBRARY_EPHEMERAL, FORGED_SEGMENTS, 8);
    forge_core_put(f, base + LIBRARY_ALLOCATED, FORGED_HEAP + 8, 8);
}

static void put_heap(struct core_forge *f)
{
    forge_core_region(f, FORGED_SEGMENTS, FORGED_GENERATIONS * SEGMENT_STEP);
    for (unsigned i = 0; i < FORGED_GENERATIONS; i++) {
        uint64_t heap = FORGED_HEAP + i * (uint64_t)FORGED_HEAP_STEP,
                 segment = FORGED_SEGMENTS + i * (uint64_t)SEGMENT_STEP;
        forge_core_region(f, heap, FORGED_HEAP_SIZE);
        f->object_end[i] = heap + 8;
        forge_core_put(f, base + LIBRARY_GENERATIONS + i * GENERATION_SIZE + START_SEGMENT,
                       segment, 8);
        forge_core_put(f, segment, heap + 8, 8);
        forge_core_put(f, segment + 32, heap + 8, 8);
    }
}

void forge_core_runtime(struct core_forge *f, const struct forged_runtime *how)
{
    const char *usual =
        how->major == 8
            ? "/usr/share/dotnet/shared/Microsoft.NETCore.App/8.0.31/libcoreclr.so"
            : "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/libcoreclr.so";
    const char *path = how->path != NULL ? how->path : usual;
    load_library(f, how);
    forge_core_mapping(f, base, base + LIBRARY_DATA, 0, path);
    forge_core_mapping(f, base + LIBRARY_DATA, base + LIBRARY_SIZE, LIBRARY_DATA, path);
    if (how->is_program || how->is_native)
        f->program_headers = base + 64;
    forge_core_region(f, FORGED_TYPES, FORGED_TYPES_SIZE);
    f->type_end = FORGED_TYPES;
    f->free_type = f->type_end;
    forge_core_put(f, f->free_type, UINT32_C(0x80000001), 4); /* bytes, and no class */
    forge_core_put(f, f->free_type + 4, 24, 4);
    f->type_end += 128;
    put_heap(f);
    put_collector(f);
    put_globals(f, how);
}

void forged_move_global(struct core_forge *f, unsigned from, unsigned to)
{
    const uint64_t table = base + LIBRARY_TABLE;
    forge_core_put(f, table + to * UINT64_C(8),
                   forge_core_get(f, table + from * UINT64_C(8)), 8);
    forge_core_put(f, table + from * UINT64_C(8), 0, 8);
}

uint64_t forge_core_type(struct core_forge *f, uint32_t base_size, uint32_t flags)
{
    uint64_t type = f->type_end, class = type + 128;
    forge_core_put(f, type, flags, 4);
    forge_core_put(f, type + 4, base_size, 4);
    forge_core_put(f, type + 40, class, 8);
    forge_core_put(f, class + 16, type, 8);
    f->type_end += 256;
    return type;
}

uint64_t forge_core_object(struct core_forge *f, unsigned generation, uint64_t type,
                           uint64_t size)
{
    uint64_t object = f->object_end[generation];
    forge_core_put(f, object, type, 8);
    f->object_end[generation] += (size + 7) & ~UINT64_C(7);
    forge_core_put(f, FORGED_SEGMENTS + generation * (uint64_t)SEGMENT_STEP,
                   f->object_end[generation], 8);
    if (generation == 0)
        forge_core_put(f, base + LIBRARY_ALLOCATED, f->object_end[0], 8);
    return object;
}

/* --- the core ------------------------------------------------------------------------ */

static void add(struct text *t, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    le_put(bytes, value, 8);
    text_add(t, bytes, size);
}

static void add_note(struct text *t, uint32_t type, const struct text *payload)
{
    add(t, 5, 4);
    add(t, payload->len, 4);
    add(t, type, 4);
    text_add(t, "CORE\0\0\0", 8);
    text_add(t, payload->data, payload->len);
    while (t->len % 4 != 0)
        text_add_char(t, '\0');
}

static void add_program(struct text *notes, const struct core_forge *f)
{
    struct text t = {0};
    static const char zeros[136];
    text_add(&t, zeros, sizeof(zeros));
    put(&t, 24, f->pid, 4);
    if (f->name != NULL)
        memcpy(t.data + 40, f->name, strnlen(f->name, 15));
    if (f->command != NULL)
        memcpy(t.data + 56, f->command, strnlen(f->command, 79));
    add_note(notes, 3, &t);
    text_free(&t);
}

static void add_mappings(struct text *notes, const struct core_forge *f)
{
    enum { PAGE = 4096 };
    struct text t = {0};
    add(&t, f->mapping_count, 8);
    add(&t, PAGE, 8);
    for (size_t i = 0; i < f->mapping_count; i++) {
        add(&t, f->mappings[i].start, 8);
        add(&t, f->mappings[i].end, 8);
        add(&t, f->mappings[i].offset / PAGE, 8);
    }
    for (size_t i = 0; i < f->mapping_count; i++)
        text_add(&t, f->mappings[i].path, strlen(f->mappings[i].path) + 1);
    add_note(notes, 0x46494c45, &t);
    text_free(&t);
}

static void add_auxiliary(struct text *notes, const struct core_forge *f)
{
    struct text t = {0};
    add(&t, 3, 8); /* AT_PHDR */
    add(&t, f->program_headers, 8);
    add(&t, 6, 8); /* AT_PAGESZ */
    add(&t, f->page, 8);
    add(&t, 0, 8);
    add(&t, 0, 8);
    add_note(notes, 6, &t);
    text_free(&t);
}

static void add_thread(struct text *notes, const struct forged_thread *thread,
                       bool is_aarch64)
{
    struct text t = {0};
    static const char zeros[392];
    text_add(&t, zeros, is_aarch64 ? 392 : 336);
    put(&t, 32, thread->id, 4);
    for (size_t i = 0; i < (is_aarch64 ? 34 : 27); i++)
        put(&t, 112 + i * 8, thread->others, 8);
    put(&t, 112 + (is_aarch64 ? 31 : 19) * 8, thread->stack, 8);
    if (!is_aarch64)
        put(&t, 112 + 21 * 8, thread->thread_pointer, 8);
    add_note(notes, 1, &t);
    t.len = 0;
    add(&t, thread->thread_pointer, 8);
    if (is_aarch64 && thread->thread_pointer != 0)
        add_note(notes, 0x401, &t); /* NT_ARM_TLS */
    text_free(&t);
}

static void add_header(struct text *t, const struct core_forge *f, size_t segments)
{
    static const char zeros[64];
    text_add(t, zeros, sizeof(zeros));
    memcpy(t->data, "\177ELF\2\1\1", 7);
    put(t, 16, 4, 2);
    put(t, 18, f->machine != 0 ? f->machine : MACHINE_X86_64, 2);
    put(t, 32, f->many_segments ? 128 : 64, 8);
    put(t, 54, 56, 2);
    put(t, 56, f->many_segments ? 0xffff : segments, 2);
    if (!f->many_segments)
        return;
    put(t, 40, 64, 8);
    text_add(t, zeros, sizeof(zeros));
    put(t, 64 + 44, segments, 4);
}

static void add_segment(struct text *t, uint32_t type, uint64_t offset, uint64_t address,
                        uint64_t size)
{
    add(t, type, 4);
    add(t, 6, 4);
    add(t, offset, 8);
    add(t, address, 8);
    add(t, 0, 8);
    add(t, size, 8);
    add(t, size, 8);
    add(t, 1, 8);
}

struct bytes forge_core_bytes(struct core_forge *f)
{
    struct text notes = {0}, *t = &f->core;
    size_t segments = 1 + f->region_count;
    text_clear(t);
    add_program(&notes, f);
    if (f->program_headers != 0 || f->page != 0)
        add_auxiliary(&notes, f);
    add_mappings(&notes, f);
    for (size_t i = 0; i < f->thread_count; i++)
        add_thread(&notes, &f->threads[i], f->machine == MACHINE_AARCH64);
    add_header(t, f, segments);
    uint64_t offset = t->len + segments * 56;
    add_segment(t, 4, offset, 0, notes.len);
    offset += notes.len;
    for (size_t i = 0; i < f->region_count; i++) {
        add_segment(t, 1, offset, f->regions[i].address, f->regions[i].size);
        offset += f->regions[i].size;
    }
    text_add(t, notes.data, notes.len);
    for (size_t i = 0; i < f->region_count; i++)
        text_add(t, f->regions[i].bytes, (size_t)f->regions[i].size);
    text_free(&notes);
    return (struct bytes){(const unsigned char *)t->data, t->len};
}

void forge_core_free(struct core_forge *f)
{
    for (size_t i = 0; i < f->region_count; i++)
        free(f->regions[i].bytes);
    text_free(&f->core);
    *f = (struct core_forge){0};
}
