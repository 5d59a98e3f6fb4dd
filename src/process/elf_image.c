#include "process/elf_image.h"

#include <string.h>

/* <elf.h>, 64 bits. */
enum {
    HEADER = 64,
    MACHINE = 18,
    SEGMENTS = 32,
    SEGMENT_COUNT = 56,
    SEGMENT = 56,
    PT_LOAD = 1,
    PT_DYNAMIC = 2,
    PT_NOTE = 4,
    SYMBOL = 24,
    RELOCATION = 24
};

struct program_header {
    uint32_t type, flags;
    uint64_t offset, address, in_file, in_memory;
};

static struct program_header header_at(const unsigned char *p)
{
    return (struct program_header){le_u32(p),      le_u32(p + 4),  le_u64(p + 8),
                                   le_u64(p + 16), le_u64(p + 32), le_u64(p + 40)};
}

/* The table of an ELF file of 64 bits that begins at base; NULL. */
static const unsigned char *headers_at(const struct memory *m, uint64_t base, size_t *count)
{
    const unsigned char *head = memory_at(m, base, HEADER);
    if (head == NULL || memcmp(head, "\177ELF\2\1", 6) != 0)
        return NULL;
    *count = le_u16(head + SEGMENT_COUNT);
    return *count <= ELF_SEGMENTS
               ? memory_at(m, base + le_u64(head + SEGMENTS), *count * SEGMENT)
               : NULL;
}

/* The first segment says at which address of the file the beginning stands. */
static bool find_bias(struct elf_image *e, const struct memory *m, uint64_t base,
                      const unsigned char *headers, size_t count)
{
    bool found = false, ok = true;
    e->processor = processor_of(memory_u16(m, base + MACHINE, &ok));
    for (size_t i = 0; i < count; i++) {
        struct program_header h = header_at(headers + i * SEGMENT);
        if (h.type == PT_LOAD && !found) {
            e->bias = base - (h.address - h.offset);
            found = true;
        }
        if (h.type == PT_DYNAMIC) {
            e->dynamic = h.address;
            e->dynamic_size = h.in_memory;
        }
    }
    e->dynamic += e->bias;
    return found;
}

bool elf_image_at(struct elf_image *e, const struct memory *m, uint64_t base)
{
    size_t count;
    *e = (struct elf_image){.memory = m, .is_relocated = true};
    const unsigned char *headers = headers_at(m, base, &count);
    return headers != NULL && find_bias(e, m, base, headers, count);
}

/* Segments as the loader lays them out; those with one of these flags are left out. */
static size_t lay_out(struct elf_image *e, struct bytes file, uint64_t base,
                      uint32_t but_flags, struct memory_piece pieces[ELF_SEGMENTS])
{
    struct memory_piece all = {base, file.size, file.data};
    struct memory whole = {.all = &all, .len = 1};
    size_t count, len = 0;
    const unsigned char *headers = headers_at(&whole, base, &count);
    if (headers == NULL || !find_bias(e, &whole, base, headers, count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        struct program_header h = header_at(headers + i * SEGMENT);
        if (h.type == PT_LOAD && (h.flags & but_flags) == 0 && h.offset <= file.size &&
            h.in_file <= file.size - h.offset && h.in_file > 0)
            pieces[len++] =
                (struct memory_piece){e->bias + h.address, h.in_file, file.data + h.offset};
    }
    return len;
}

bool elf_image_of_file(struct elf_image *e, struct memory *m, struct bytes file,
                       uint64_t base, struct arena *a)
{
    struct memory_piece pieces[ELF_SEGMENTS];
    *e = (struct elf_image){.memory = m};
    *m = (struct memory){0};
    size_t len = lay_out(e, file, base, 0, pieces);
    *m = memory_of(pieces, len, a);
    return len > 0;
}

size_t elf_constant_pieces(struct bytes file, uint64_t base,
                           struct memory_piece pieces[ELF_SEGMENTS])
{
    enum { PF_W = 2 };
    struct elf_image e = {0};
    return lay_out(&e, file, base, PF_W, pieces);
}

/* --- the dynamic section ------------------------------------------------------------- */

enum { DT_STRTAB = 5, DT_SYMTAB = 6, DT_RELA = 7, DT_RELASZ = 8, DT_GNU_HASH = 0x6ffffef5 };

static uint64_t dynamic_value(const struct elf_image *e, uint64_t tag)
{
    enum { ENTRY = 16, MOST = 256 };
    bool ok = true;
    uint64_t count = e->dynamic_size / ENTRY;
    for (uint64_t i = 0; i < count && i < MOST && ok; i++) {
        uint64_t found = memory_u64(e->memory, e->dynamic + i * ENTRY, &ok);
        if (!ok || found == 0)
            break;
        if (found == tag)
            return memory_u64(e->memory, e->dynamic + i * ENTRY + 8, &ok);
    }
    return 0;
}

/* The loader of glibc puts addresses there, that of musl leaves those of the file. */
static uint64_t dynamic_address(const struct elf_image *e, uint64_t tag)
{
    uint64_t value = dynamic_value(e, tag);
    return value == 0 || (e->is_relocated && value >= e->bias) ? value : value + e->bias;
}

/* --- symbols ------------------------------------------------------------------------- */

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static bool is_named(const struct elf_image *e, uint64_t at, const char *name)
{
    char found[64];
    size_t size = strlen(name) + 1;
    return size <= sizeof(found) && memory_copy(e->memory, at, found, size) &&
           memcmp(found, name, size) == 0;
}

/* Symbol number i, if it has that name and is defined. */
static struct elf_symbol symbol_at(const struct elf_image *e, uint64_t symbols,
                                   uint64_t strings, uint64_t i, const char *name)
{
    bool ok = true;
    uint64_t at = symbols + i * SYMBOL;
    uint32_t name_at = memory_u32(e->memory, at, &ok);
    uint16_t section = memory_u16(e->memory, at + 6, &ok);
    uint64_t value = memory_u64(e->memory, at + 8, &ok);
    uint64_t size = memory_u64(e->memory, at + 16, &ok);
    if (!ok || section == 0 || !is_named(e, strings + name_at, name))
        return (struct elf_symbol){0};
    return (struct elf_symbol){e->bias + value, size};
}

/* Four numbers, a filter, the first symbol of each bucket, then for each symbol from the
 * first that is hashed its hash, whose lowest bit ends the bucket. The filter is passed
 * over: its page need not be there. */
struct elf_symbol elf_symbol(const struct elf_image *e, const char *name)
{
    enum { MOST_IN_BUCKET = 1 << 16 };
    const struct elf_symbol none = {0};
    uint64_t table = dynamic_address(e, DT_GNU_HASH),
             symbols = dynamic_address(e, DT_SYMTAB),
             strings = dynamic_address(e, DT_STRTAB);
    if (table == 0 || symbols == 0 || strings == 0)
        return none;
    bool ok = true;
    uint64_t buckets = memory_u32(e->memory, table, &ok),
             first = memory_u32(e->memory, table + 4, &ok),
             filter = memory_u32(e->memory, table + 8, &ok);
    if (!ok || buckets == 0)
        return none;
    uint64_t bucket_at = table + 16 + filter * 8, hashes = bucket_at + buckets * 4;
    uint32_t wanted = gnu_hash(name);
    uint64_t i = memory_u32(e->memory, bucket_at + wanted % buckets * 4, &ok);
    for (size_t n = 0; ok && i >= first && n < MOST_IN_BUCKET; i++, n++) {
        uint32_t hash = memory_u32(e->memory, hashes + (i - first) * 4, &ok);
        struct elf_symbol found = none;
        if (ok && (hash | 1) == (wanted | 1))
            found = symbol_at(e, symbols, strings, i, name);
        if (found.address != 0)
            return found;
        if (hash & 1)
            break;
    }
    return none;
}

/* --- pointers, build id -------------------------------------------------------------- */

/* In the order of the table, which nothing promises to be sorted. */
uint64_t elf_pointer(const struct elf_image *e, uint64_t address, bool *ok)
{
    if (e->is_relocated)
        return memory_u64(e->memory, address, ok);
    struct bytes table = memory_from(e->memory, dynamic_address(e, DT_RELA));
    uint64_t size = e->processor != NULL ? dynamic_value(e, DT_RELASZ) : 0;
    if (table.size > size)
        table.size = (size_t)size;
    for (size_t at = 0; table.size - at >= RELOCATION; at += RELOCATION) {
        const unsigned char *entry = table.data + at;
        if (e->bias + le_u64(entry) == address &&
            le_u32(entry + 8) == e->processor->relative)
            return e->bias + le_u64(entry + 16);
    }
    *ok = false;
    return 0;
}

static struct bytes build_id_in(struct bytes notes)
{
    enum { HEAD = 12, NT_GNU_BUILD_ID = 3 };
    while (notes.size >= HEAD) {
        uint64_t name = le_u32(notes.data), size = le_u32(notes.data + 4);
        uint64_t begin = HEAD + ((name + 3) & ~UINT64_C(3));
        uint64_t end = begin + ((size + 3) & ~UINT64_C(3));
        if (end > notes.size)
            break;
        if (le_u32(notes.data + 8) == NT_GNU_BUILD_ID && name == 4 &&
            memcmp(notes.data + HEAD, "GNU", 4) == 0)
            return (struct bytes){notes.data + begin, (size_t)size};
        notes = (struct bytes){notes.data + end, notes.size - (size_t)end};
    }
    return (struct bytes){0};
}

struct bytes elf_build_id(const struct elf_image *e, uint64_t base)
{
    size_t count;
    const unsigned char *headers = headers_at(e->memory, base, &count);
    for (size_t i = 0; headers != NULL && i < count; i++) {
        struct program_header h = header_at(headers + i * SEGMENT);
        if (h.type != PT_NOTE)
            continue;
        struct bytes notes = memory_from(e->memory, e->bias + h.address);
        if (notes.size > h.in_file)
            notes.size = (size_t)h.in_file;
        struct bytes id = build_id_in(notes);
        if (id.size > 0)
            return id;
    }
    return (struct bytes){0};
}
