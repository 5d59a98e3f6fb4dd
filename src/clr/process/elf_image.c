#include "clr/process/elf_image.h"

#include <string.h>

/* --- processors ------------------------------------------------------------------ */

const struct processor *processor_of(unsigned machine)
{
    enum { R_X86_64_RELATIVE = 8, R_AARCH64_RELATIVE = 1027, NT_ARM_TLS = 0x401 };
    static const struct processor known[] = {
        /* user_regs_struct: rsp, and fs_base. */
        {"x86-64", MACHINE_X86_64, 27, 19, 21, 0, R_X86_64_RELATIVE},
        /* user_pt_regs: x0 to x30, sp, pc, pstate. */
        {"aarch64", MACHINE_AARCH64, 34, 31, NO_REGISTER, NT_ARM_TLS, R_AARCH64_RELATIVE},
        /* Rax, Rcx, Rdx, Rbx, Rsp, Rbp, Rsi, Rdi, R8 to R15, Rip. */
        {"x86-64", MACHINE_WINDOWS, 17, 4, NO_REGISTER, 0, 0},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].machine == machine)
            return &known[i];
    return NULL;
}

const struct processor *processor_here(void)
{
#if defined(__x86_64__)
    return processor_of(MACHINE_X86_64);
#elif defined(__aarch64__)
    return processor_of(MACHINE_AARCH64);
#else
    return NULL;
#endif
}

/* --- files ----------------------------------------------------------------------- */

struct elf_segment elf_segment_of(const unsigned char *p)
{
    return (struct elf_segment){le_u32(p),      le_u32(p + 4),  le_u64(p + 8),
                                le_u64(p + 16), le_u64(p + 32), le_u64(p + 40)};
}

/* Names and payloads are padded to 4 bytes. Every note has a name: zeros are the end, of
 * which a sparse core may have gigabytes. */
bool elf_note_next(struct bytes *left, struct elf_note *note)
{
    enum { HEAD = 12 };
    if (left->size < HEAD)
        return false;
    uint64_t name = le_u32(left->data), payload = le_u32(left->data + 4);
    uint64_t begin = HEAD + ((name + 3) & ~UINT64_C(3));
    if (name == 0 || begin > left->size || payload > left->size - begin)
        return false;
    *note = (struct elf_note){le_u32(left->data + 8),
                              {left->data + HEAD, (size_t)name},
                              {left->data + begin, (size_t)payload}};
    uint64_t end = begin + ((payload + 3) & ~UINT64_C(3));
    size_t skip = end < left->size ? (size_t)end : left->size;
    *left = (struct bytes){left->data + skip, left->size - skip};
    return true;
}

/* --- images ---------------------------------------------------------------------- */

/* The program headers of an ELF file that begins at base; NULL. */
static const unsigned char *headers_at(const struct memory *m, uint64_t base, size_t *count)
{
    const unsigned char *head = memory_at(m, base, ELF_HEADER);
    if (head == NULL || memcmp(head, "\177ELF\2\1", 6) != 0)
        return NULL;
    *count = le_u16(head + ELF_SEGMENT_COUNT);
    return *count <= MAX_IMAGE_SEGMENTS ? memory_at(m, base + le_u64(head + ELF_SEGMENTS),
                                                    *count * ELF_PROGRAM_HEADER)
                                        : NULL;
}

/* Computes the bias from the first segment, which has the address of the file's
 * beginning. */
static const unsigned char *find_bias(struct elf_image *e, const struct memory *m,
                                      uint64_t base, size_t *count)
{
    bool found = false;
    const unsigned char *headers = headers_at(m, base, count);
    if (headers == NULL)
        return NULL;
    e->processor = processor_of(memory_u16(m, base + ELF_MACHINE, NULL));
    for (size_t i = 0; i < *count; i++) {
        struct elf_segment s = elf_segment_of(headers + i * ELF_PROGRAM_HEADER);
        if (s.type == PT_LOAD && !found) {
            e->bias = base - (s.address - s.offset);
            found = true;
        }
        if (s.type == PT_DYNAMIC) {
            e->dynamic = s.address;
            e->dynamic_size = s.in_memory;
        }
    }
    e->dynamic += e->bias;
    return found ? headers : NULL;
}

bool elf_image_at(struct elf_image *e, const struct memory *m, uint64_t base)
{
    size_t count;
    *e = (struct elf_image){.memory = m, .is_relocated = true};
    return find_bias(e, m, base, &count) != NULL;
}

/* Lays out segments like the loader, except those with a flag of but_flags. */
static size_t lay_out(struct elf_image *e, struct bytes file, uint64_t base,
                      uint32_t but_flags, struct memory_piece pieces[MAX_IMAGE_SEGMENTS])
{
    struct memory_piece all = {base, file.size, file.data};
    struct memory whole = {.all = &all, .len = 1};
    size_t count = 0, len = 0;
    const unsigned char *headers = find_bias(e, &whole, base, &count);
    for (size_t i = 0; headers != NULL && i < count; i++) {
        struct elf_segment s = elf_segment_of(headers + i * ELF_PROGRAM_HEADER);
        if (s.type == PT_LOAD && (s.flags & but_flags) == 0 && s.offset <= file.size &&
            s.in_file <= file.size - s.offset && s.in_file > 0)
            pieces[len++] =
                (struct memory_piece){e->bias + s.address, s.in_file, file.data + s.offset};
    }
    return len;
}

bool elf_image_of_file(struct elf_image *e, struct memory *m, struct bytes file,
                       uint64_t base, struct arena *a)
{
    struct memory_piece pieces[MAX_IMAGE_SEGMENTS];
    *e = (struct elf_image){.memory = m};
    size_t len = lay_out(e, file, base, 0, pieces);
    *m = memory_of(pieces, len, a);
    return len > 0;
}

size_t elf_constant_pieces(struct bytes file, uint64_t base,
                           struct memory_piece pieces[MAX_IMAGE_SEGMENTS])
{
    enum { PF_W = 2 };
    struct elf_image e = {0};
    return lay_out(&e, file, base, PF_W, pieces);
}

/* --- the dynamic section ------------------------------------------------------------- */

enum { DT_STRTAB = 5, DT_SYMTAB = 6, DT_RELA = 7, DT_RELASZ = 8, DT_GNU_HASH = 0x6ffffef5 };

static uint64_t dynamic_value(const struct elf_image *e, uint64_t tag)
{
    enum { ENTRY = 16, MAX_ENTRIES = 256 };
    bool ok = true;
    uint64_t count = e->dynamic_size / ENTRY;
    for (uint64_t i = 0; i < count && i < MAX_ENTRIES && ok; i++) {
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

/* Symbol number i, if it has that name and is defined. */
static struct elf_symbol symbol_at(const struct elf_image *e, uint64_t symbols,
                                   uint64_t strings, uint64_t i, const char *name)
{
    const struct memory *m = e->memory;
    bool ok = true;
    char found[64];
    uint64_t at = symbols + i * ELF_SYMBOL, text = strings + memory_u32(m, at, &ok);
    uint16_t section = memory_u16(m, at + 6, &ok);
    uint64_t value = memory_u64(m, at + 8, &ok), size = memory_u64(m, at + 16, &ok);
    size_t len = strlen(name) + 1;
    bool is_it = ok && section != 0 && len <= sizeof(found) &&
                 memory_copy(m, text, found, len) && memcmp(found, name, len) == 0;
    return is_it ? (struct elf_symbol){e->bias + value, size} : (struct elf_symbol){0};
}

/* Layout: four numbers, a filter, the first symbol of each bucket, then the hash of each
 * hashed symbol, whose lowest bit ends the bucket. The filter is not used: its page may be
 * missing. */
struct elf_symbol elf_symbol(const struct elf_image *e, const char *name)
{
    enum { MAX_IN_BUCKET = 1 << 16 };
    const struct elf_symbol none = {0};
    const struct memory *m = e->memory;
    uint64_t table = dynamic_address(e, DT_GNU_HASH),
             symbols = dynamic_address(e, DT_SYMTAB),
             strings = dynamic_address(e, DT_STRTAB);
    if (table == 0 || symbols == 0 || strings == 0)
        return none;
    bool ok = true;
    uint64_t buckets = memory_u32(m, table, &ok), first = memory_u32(m, table + 4, &ok),
             filter = memory_u32(m, table + 8, &ok);
    if (!ok || buckets == 0)
        return none;
    uint64_t bucket_at = table + 16 + filter * 8, hashes = bucket_at + buckets * 4;
    uint32_t wanted = 5381;
    for (const char *c = name; *c != '\0'; c++)
        wanted = wanted * 33 + (unsigned char)*c;
    uint64_t i = memory_u32(m, bucket_at + wanted % buckets * 4, &ok);
    for (size_t n = 0; ok && i >= first && n < MAX_IN_BUCKET; i++, n++) {
        uint32_t hash = memory_u32(m, hashes + (i - first) * 4, &ok);
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

/* Searches in the order of the table, which need not be sorted. */
uint64_t elf_pointer(const struct elf_image *e, uint64_t address, bool *ok)
{
    enum { RELOCATION = 24 };
    if (e->is_relocated)
        return memory_u64(e->memory, address, ok);
    uint64_t size = e->processor != NULL ? dynamic_value(e, DT_RELASZ) : 0;
    struct bytes table =
        bytes_within(memory_from(e->memory, dynamic_address(e, DT_RELA)), 0, size);
    for (size_t at = 0; table.size - at >= RELOCATION; at += RELOCATION) {
        const unsigned char *entry = table.data + at;
        if (e->bias + le_u64(entry) == address &&
            le_u32(entry + 8) == e->processor->relative)
            return e->bias + le_u64(entry + 16);
    }
    *ok = false;
    return 0;
}

struct bytes elf_build_id(const struct elf_image *e, uint64_t base)
{
    enum { NT_GNU_BUILD_ID = 3 };
    size_t count;
    const unsigned char *headers = headers_at(e->memory, base, &count);
    for (size_t i = 0; headers != NULL && i < count; i++) {
        struct elf_segment s = elf_segment_of(headers + i * ELF_PROGRAM_HEADER);
        struct elf_note note;
        if (s.type != PT_NOTE)
            continue;
        struct bytes notes =
            bytes_within(memory_from(e->memory, e->bias + s.address), 0, s.in_file);
        while (elf_note_next(&notes, &note))
            if (note.type == NT_GNU_BUILD_ID && note.name.size == 4 &&
                memcmp(note.name.data, "GNU", 4) == 0 && note.payload.size > 0)
                return note.payload;
    }
    return (struct bytes){0};
}
