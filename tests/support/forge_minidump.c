#include "support/forge_minidump.h"

#include "base/little_endian.h"

#include <stdlib.h>
#include <string.h>

static void put(struct text *t, size_t offset, uint64_t value, size_t size)
{
    le_put((unsigned char *)t->data + offset, value, size);
}

static void add(struct text *t, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    le_put(bytes, value, 8);
    text_add(t, bytes, size);
}

static void add_zeros(struct text *t, size_t size)
{
    while (size-- > 0)
        text_add_char(t, '\0');
}

/* --- the library --------------------------------------------------------------------- */

/* Replaces the symbols of the ELF image. Names are sorted. */
static void put_exports(struct core_forge *f, const struct forged_runtime *how)
{
    enum {
        DIRECTORY = 0x1000,
        ADDRESSES = 0x1040,
        NAMES = 0x1050,
        NUMBERS = 0x1060,
        STRINGS = 0x1080,
        STRING = 0x40,
        TABLE = 0x4000,
        DESCRIPTOR = 0x3200
    };
    const uint64_t base = FORGED_RUNTIME_BASE;
    const struct {
        const char *name;
        uint32_t at;
    } all[] = {{how->json != NULL ? "DotNetRuntimeContractDescriptor"
                : how->is_native  ? "DotNetRuntimeDebugHeader"
                                  : "GetCLRRuntimeHost",
                how->is_native ? TABLE : DESCRIPTOR},
               {how->is_native ? "other" : "g_dacTable", TABLE}};
    forge_core_put(f, base + DIRECTORY + 20, 2, 4);
    forge_core_put(f, base + DIRECTORY + 24, 2, 4);
    forge_core_put(f, base + DIRECTORY + 28, ADDRESSES, 4);
    forge_core_put(f, base + DIRECTORY + 32, NAMES, 4);
    forge_core_put(f, base + DIRECTORY + 36, NUMBERS, 4);
    for (uint32_t i = 0; i < 2; i++) {
        /* Numbers in reverse order: no rule requires them to be sorted. */
        forge_core_put(f, base + ADDRESSES + 4 * (UINT64_C(1) - i), all[i].at, 4);
        forge_core_put(f, base + NAMES + UINT64_C(4) * i, STRINGS + STRING * i, 4);
        forge_core_put(f, base + NUMBERS + UINT64_C(2) * i, 1 - i, 2);
        forge_core_put_bytes(f, base + STRINGS + (uint64_t)STRING * i, all[i].name,
                             strlen(all[i].name) + 1);
    }
}

static void put_image(struct core_forge *f, const struct forged_runtime *how)
{
    enum {
        SIGNATURE = 0x80,
        OPTIONAL = SIGNATURE + 24,
        DIRECTORIES = OPTIONAL + 112,
        EXPORTS = 0x1000,
        EXPORTS_SIZE = 0x100
    };
    static const unsigned char zeros[0x200];
    const uint64_t base = FORGED_RUNTIME_BASE;
    forge_core_put_bytes(f, base, zeros, sizeof(zeros));
    forge_core_put_bytes(f, base, "MZ", 2);
    forge_core_put(f, base + 0x3C, SIGNATURE, 4);
    forge_core_put_bytes(f, base + SIGNATURE, "PE\0\0\x64\x86", 6);
    forge_core_put(f, base + SIGNATURE + 20, 240, 2);
    forge_core_put(f, base + OPTIONAL, 0x20B, 2);
    forge_core_put(f, base + DIRECTORIES, EXPORTS, 4);
    forge_core_put(f, base + DIRECTORIES + 4, EXPORTS_SIZE, 4);
    for (uint64_t at = 0x1000; at < 0x1400; at += 8)
        forge_core_put(f, base + at, 0, 8);
    put_exports(f, how);
}

void forge_minidump_runtime(struct minidump_forge *f, const struct forged_runtime *how)
{
    forge_core_runtime(&f->process, how);
    forge_minidump_library(f, how);
}

void forge_minidump_library(struct minidump_forge *f, const struct forged_runtime *how)
{
    struct core_forge *p = &f->process;
    put_image(p, how);
    if (how->path == NULL)
        p->mappings[p->mapping_count - 2].path =
            "C:\\Program "
            "Files\\dotnet\\shared\\Microsoft.NETCore.App\\10.0.12\\coreclr.dll";
    /* One module, and the variable for the type of free space at its place on Windows. */
    p->mapping_count--;
    p->mappings[p->mapping_count - 1].end = FORGED_RUNTIME_BASE + FORGED_LIBRARY_SIZE;
    const unsigned free_object = how->major == 8 ? 54 : how->major == 9 ? 57 : 56;
    forged_move_global(p, free_object, free_object + 1);
}

/* --- streams ------------------------------------------------------------------------- */

enum { HEADER = 32, ENTRY = 12, STREAMS = 5 };

static void begin(struct minidump_forge *f, unsigned n, uint32_t type)
{
    struct text *t = &f->dump;
    add_zeros(t, (8 - t->len % 8) % 8);
    put(t, HEADER + n * ENTRY, type == f->lacks ? 0 : type, 4);
    put(t, HEADER + n * ENTRY + 8, t->len, 4);
}

static void end(struct minidump_forge *f, unsigned n)
{
    struct text *t = &f->dump;
    size_t at = le_u32((const unsigned char *)t->data + HEADER + n * ENTRY + 8);
    put(t, HEADER + n * ENTRY + 4, t->len - at, 4);
}

static void add_system(struct minidump_forge *f, unsigned n)
{
    enum { AMD64 = 9, NT = 2, REST = 32 };
    struct text *t = &f->dump;
    begin(f, n, FORGED_SYSTEM_INFO);
    add(t,
        f->architecture == 0            ? AMD64
        : f->architecture == FORGED_X86 ? 0
                                        : f->architecture,
        2);
    add_zeros(t, 18);
    add(t, f->platform != 0 ? f->platform : NT, 4);
    add_zeros(t, REST);
    end(f, n);
}

static void add_misc(struct minidump_forge *f, unsigned n)
{
    struct text *t = &f->dump;
    begin(f, n, FORGED_MISC_INFO);
    add(t, 24, 4);
    add(t, f->process.pid != 0, 4);
    add(t, f->process.pid, 4);
    add_zeros(t, 12);
    end(f, n);
}

/* Returns its offset. */
static size_t add_string(struct text *t, const char *s)
{
    size_t at = t->len, len = strlen(s);
    add(t, 2 * len, 4);
    for (size_t i = 0; i < len; i++)
        add(t, (unsigned char)s[i], 2);
    add(t, 0, 2);
    return at;
}

static void add_modules(struct minidump_forge *f, unsigned n)
{
    struct text *t = &f->dump;
    size_t names[FORGED_MAPPINGS];
    const struct core_forge *p = &f->process;
    for (size_t i = 0; i < p->mapping_count; i++)
        names[i] = add_string(t, p->mappings[i].path);
    begin(f, n, FORGED_MODULE_LIST);
    add(t, p->mapping_count, 4);
    for (size_t i = 0; i < p->mapping_count; i++) {
        add(t, p->mappings[i].start, 8);
        add(t, p->mappings[i].end - p->mappings[i].start, 4);
        add_zeros(t, 8);
        add(t, names[i], 4);
        add(t, f->version != 0 ? 0xFEEF04BD : 0, 4);
        add(t, 0x10000, 4);
        add(t, f->version >> 32, 4);
        add(t, f->version & UINT32_MAX, 4);
        add_zeros(t, 36 + 32);
    }
    end(f, n);
}

static void add_threads(struct minidump_forge *f, unsigned n)
{
    enum { CONTEXT = 1232, FLAGS = 0x30, RSP = 0x98, AMD64_ALL = 0x10001F };
    struct text *t = &f->dump;
    size_t contexts[FORGED_CORE_THREADS];
    const struct core_forge *p = &f->process;
    for (size_t i = 0; i < p->thread_count; i++) {
        contexts[i] = t->len;
        add_zeros(t, CONTEXT);
        put(t, contexts[i] + FLAGS, AMD64_ALL, 4);
        put(t, contexts[i] + RSP, p->threads[i].stack, 8);
    }
    begin(f, n, FORGED_THREAD_LIST);
    add(t, p->thread_count, 4);
    for (size_t i = 0; i < p->thread_count; i++) {
        add(t, p->threads[i].id, 4);
        add_zeros(t, 12);
        add(t, p->threads[i].thread_pointer, 8);
        add(t, p->threads[i].stack, 8);
        add(t, 0x40, 4);
        add(t, 0, 4);
        add(t, CONTEXT, 4);
        add(t, contexts[i], 4);
    }
    end(f, n);
}

static void add_memory(struct minidump_forge *f, unsigned n)
{
    struct text *t = &f->dump;
    const struct core_forge *p = &f->process;
    size_t count = p->region_count;
    begin(f, n, f->is_list ? FORGED_MEMORY_LIST : FORGED_MEMORY_64_LIST);
    size_t at = t->len + (f->is_list ? 4 : 16) + 16 * count;
    add(t, count, f->is_list ? 4 : 8);
    if (!f->is_list)
        add(t, at, 8);
    for (size_t i = 0; i < count; i++) {
        add(t, p->regions[i].address, 8);
        add(t, p->regions[i].size, f->is_list ? 4 : 8);
        if (f->is_list)
            add(t, at, 4);
        at += p->regions[i].size;
    }
    end(f, n);
    for (size_t i = 0; i < count; i++)
        text_add(t, p->regions[i].bytes, (size_t)p->regions[i].size);
}

size_t forged_stream(const struct minidump_forge *f, uint32_t type)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        const unsigned char *entry =
            (const unsigned char *)f->dump.data + HEADER + (size_t)i * ENTRY;
        if (le_u32(entry) == type)
            return le_u32(entry + 8);
    }
    abort();
}

struct bytes forge_minidump_bytes(struct minidump_forge *f)
{
    struct text *t = &f->dump;
    text_clear(t);
    add_zeros(t, HEADER + STREAMS * ENTRY);
    memcpy(t->data, "MDMP\x93\xA7", 6);
    put(t, 8, STREAMS, 4);
    put(t, 12, HEADER, 4);
    put(t, 20, f->time, 4);
    add_system(f, 0);
    add_misc(f, 1);
    add_modules(f, 2);
    add_threads(f, 3);
    add_memory(f, 4);
    return (struct bytes){(const unsigned char *)t->data, t->len};
}

void forge_minidump_free(struct minidump_forge *f)
{
    forge_core_free(&f->process);
    text_free(&f->dump);
    *f = (struct minidump_forge){0};
}
