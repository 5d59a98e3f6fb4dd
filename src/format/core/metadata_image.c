/* Where the metadata of an image stands in memory: PE headers, the CLI header, the root.
 *
 * An image is mapped by section, or lies flat as its file; which of the two is told by
 * where the root is. II.25. */
#include "format/core/metadata.h"

#include <string.h>

enum {
    PE_OFFSET = 0x3C,
    SECTION_COUNT = 6, /* from the PE signature */
    OPTIONAL_SIZE = 20,
    OPTIONAL = 24,
    PE32_DIRECTORIES = 96, /* from the optional header */
    PE64_DIRECTORIES = 112,
    CLI_DIRECTORY = 8 * 14,
    SECTION_SIZE = 40,
    MOST_SECTIONS = 96, /* that a loader takes */
    CLI_METADATA = 8    /* from the CLI header: address, size */
};

struct image {
    const struct memory *memory;
    uint64_t base, pe; /* addresses */
};

/* Of an address relative to the base: in the file. False: in no section. */
static bool in_file(const struct image *image, uint32_t relative, uint32_t *offset)
{
    enum { VIRTUAL_SIZE = 8, VIRTUAL = 12, RAW_SIZE = 16, RAW = 20 };
    bool ok = true;
    uint16_t count = memory_u16(image->memory, image->pe + SECTION_COUNT, &ok);
    uint64_t at =
        image->pe + OPTIONAL + memory_u16(image->memory, image->pe + OPTIONAL_SIZE, &ok);
    for (uint16_t i = 0; ok && i < count && i < MOST_SECTIONS; i++, at += SECTION_SIZE) {
        uint32_t start = memory_u32(image->memory, at + VIRTUAL, &ok);
        uint32_t size = memory_u32(image->memory, at + VIRTUAL_SIZE, &ok);
        uint32_t raw_size = memory_u32(image->memory, at + RAW_SIZE, &ok);
        uint32_t raw = memory_u32(image->memory, at + RAW, &ok);
        if (ok && relative >= start &&
            relative - start < (size > raw_size ? size : raw_size)) {
            *offset = raw + (relative - start);
            return true;
        }
    }
    return false;
}

static struct bytes take(const struct image *image, uint64_t address, uint32_t size,
                         struct arena *a)
{
    struct bytes there = memory_from(image->memory, address);
    if (there.size < 4 || memcmp(there.data, "BSJB", 4) != 0)
        return (struct bytes){0};
    if (there.size >= size)
        return (struct bytes){there.data, size};
    /* In pieces: how much there is comes before the room for it. */
    uint64_t end = address + there.size;
    for (size_t more; end - address < size; end += more)
        if ((more = memory_from(image->memory, end).size) == 0)
            break;
    uint64_t whole = end - address < size ? end - address : size;
    unsigned char *copy = arena_alloc(a, (size_t)whole);
    if (!memory_copy(image->memory, address, copy, (size_t)whole))
        return (struct bytes){0};
    return (struct bytes){copy, (size_t)whole};
}

/* What a directory or the CLI header points to, by section and flat. */
struct places {
    uint64_t at[2];
    size_t len;
};

static struct places places_of(const struct image *image, uint32_t relative)
{
    struct places p = {{image->base + relative}, 1};
    uint32_t offset;
    if (in_file(image, relative, &offset) && offset != relative)
        p.at[p.len++] = image->base + offset;
    return p;
}

struct bytes metadata_of_image(const struct memory *memory, uint64_t base, uint64_t most,
                               struct arena *a)
{
    bool ok = true;
    struct image image = {memory, base, 0};
    if (memory_u16(memory, base, &ok) != 0x5A4D) /* MZ */
        return (struct bytes){0};
    image.pe = base + memory_u32(memory, base + PE_OFFSET, &ok);
    if (memory_u32(memory, image.pe, &ok) != 0x4550) /* PE */
        return (struct bytes){0};
    bool is_64 = memory_u16(memory, image.pe + OPTIONAL, &ok) == 0x20B;
    uint64_t directory =
        image.pe + OPTIONAL + (is_64 ? PE64_DIRECTORIES : PE32_DIRECTORIES) + CLI_DIRECTORY;
    uint32_t header = memory_u32(memory, directory, &ok);
    if (!ok || header == 0)
        return (struct bytes){0};
    struct places headers = places_of(&image, header);
    for (size_t i = 0; i < headers.len; i++) {
        ok = true;
        uint32_t root = memory_u32(memory, headers.at[i] + CLI_METADATA, &ok);
        uint32_t size = memory_u32(memory, headers.at[i] + CLI_METADATA + 4, &ok);
        struct places roots = places_of(&image, root);
        for (size_t n = 0; ok && size <= most && n < roots.len; n++) {
            struct bytes found = take(&image, roots.at[n], size, a);
            if (found.data != NULL)
                return found;
        }
    }
    return (struct bytes){0};
}
