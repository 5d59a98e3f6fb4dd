#include "clr/process/pe_image.h"

#include <string.h>

/* winnt.h: IMAGE_DOS_HEADER, IMAGE_NT_HEADERS, IMAGE_SECTION_HEADER,
 * IMAGE_EXPORT_DIRECTORY. */
enum {
    HEADERS_OFFSET = 0x3C,
    SECTION_COUNT = 6, /* from "PE" */
    OPTIONAL_SIZE = 20,
    OPTIONAL = 24,
    PE32_DIRECTORIES = 96, /* from the optional header */
    PE64_DIRECTORIES = 112,
    DIRECTORY = 8,
    SECTION_SIZE = 40,
    MAX_SECTIONS = 96 /* that a loader takes */
};

static const uint16_t dos_mark = 0x5A4D, pe64_mark = 0x20B;
static const uint32_t pe_mark = 0x4550;

bool pe_image_at(struct pe_image *e, const struct memory *m, uint64_t base)
{
    bool ok = true;
    *e = (struct pe_image){m, base, 0};
    if (memory_u16(m, base, &ok) != dos_mark)
        return false;
    e->headers = base + memory_u32(m, base + HEADERS_OFFSET, &ok);
    return memory_u32(m, e->headers, &ok) == pe_mark && ok;
}

struct pe_range pe_directory(const struct pe_image *e, unsigned n)
{
    bool ok = true;
    bool is_64 = memory_u16(e->memory, e->headers + OPTIONAL, &ok) == pe64_mark;
    uint64_t at = e->headers + OPTIONAL + (is_64 ? PE64_DIRECTORIES : PE32_DIRECTORIES) +
                  DIRECTORY * (uint64_t)n;
    struct pe_range found = {memory_u32(e->memory, at, &ok),
                             memory_u32(e->memory, at + 4, &ok)};
    return ok && found.at != 0 ? found : (struct pe_range){0};
}

bool pe_in_file(const struct pe_image *e, uint32_t relative, uint32_t *offset)
{
    enum { VIRTUAL_SIZE = 8, VIRTUAL = 12, RAW_SIZE = 16, RAW = 20 };
    const struct memory *m = e->memory;
    bool ok = true;
    uint16_t count = memory_u16(m, e->headers + SECTION_COUNT, &ok);
    uint64_t at = e->headers + OPTIONAL + memory_u16(m, e->headers + OPTIONAL_SIZE, &ok);
    for (uint16_t i = 0; ok && i < count && i < MAX_SECTIONS; i++, at += SECTION_SIZE) {
        uint32_t start = memory_u32(m, at + VIRTUAL, &ok);
        uint32_t size = memory_u32(m, at + VIRTUAL_SIZE, &ok);
        uint32_t raw_size = memory_u32(m, at + RAW_SIZE, &ok);
        uint32_t raw = memory_u32(m, at + RAW, &ok);
        if (ok && relative >= start &&
            relative - start < (size > raw_size ? size : raw_size)) {
            *offset = raw + (relative - start);
            return true;
        }
    }
    return false;
}

/* --- exports ------------------------------------------------------------------------- */

/* Compares the string at an address with name, as strcmp(). */
static int compare_name(const struct memory *m, uint64_t at, const char *name, bool *ok)
{
    for (;; at++, name++) {
        unsigned char there = memory_u8(m, at, ok), wanted = (unsigned char)*name;
        if (!*ok || there != wanted || wanted == '\0')
            return there - wanted;
    }
}

/* Names are sorted; each has a number, which is its place in the table of addresses. An
 * address within the directory is the name of another library's function. */
uint64_t pe_export(const struct pe_image *e, const char *name)
{
    enum { ADDRESS_COUNT = 20, NAME_COUNT = 24, ADDRESSES = 28, NAMES = 32, NUMBERS = 36 };
    struct pe_range exports = pe_directory(e, PE_EXPORTS);
    const struct memory *m = e->memory;
    const uint64_t at = e->base + exports.at;
    bool ok = exports.size > 0;
    uint32_t count = memory_u32(m, at + ADDRESS_COUNT, &ok),
             end = memory_u32(m, at + NAME_COUNT, &ok);
    uint64_t addresses = e->base + memory_u32(m, at + ADDRESSES, &ok),
             names = e->base + memory_u32(m, at + NAMES, &ok),
             numbers = e->base + memory_u32(m, at + NUMBERS, &ok);
    for (uint32_t begin = 0; ok && begin < end;) {
        uint32_t middle = begin + (end - begin) / 2;
        uint64_t text = e->base + memory_u32(m, names + 4 * (uint64_t)middle, &ok);
        int order = ok ? compare_name(m, text, name, &ok) : 0;
        if (ok && order == 0) {
            uint32_t number = memory_u16(m, numbers + 2 * (uint64_t)middle, &ok);
            uint32_t found = memory_u32(m, addresses + 4 * (uint64_t)number, &ok);
            bool is_elsewhere = found >= exports.at && found - exports.at < exports.size;
            return ok && number < count && found != 0 && !is_elsewhere ? e->base + found
                                                                       : 0;
        }
        if (order < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return 0;
}
