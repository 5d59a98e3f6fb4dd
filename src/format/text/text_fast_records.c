#include "format/text/text_fast_records.h"

#include <string.h>

void usual_begin(struct usual *u, struct section *section)
{
    memset(u->slots, 0, sizeof(u->slots));
    u->section = section;
    /* The slot where id 0 belongs must not seem to hold it; that of 1 is another. */
    u->slots[0].id = 1;
}

static void give(struct usual *u, struct usual_slot *slot)
{
    if (slot->count == 0)
        return;
    section_count_more(u->section, slot->number, slot->count, slot->bytes);
    u->bytes += slot->bytes;
    slot->count = slot->bytes = 0;
}

void usual_flush(struct usual *u)
{
    for (size_t i = 0; i < USUAL_SLOTS; i++)
        give(u, &u->slots[i]);
}

bool usual_sizes_have_letters(const struct usual *u)
{
    return (u->sizes & 0x4040404040404040) != 0;
}

/* The section gets the first object at once, so it knows the line, whatever comes there
 * before the slot is flushed. */
void usual_new_type(struct usual *u, struct usual_slot *slot, uint64_t id, uint64_t bytes,
                    uint64_t line)
{
    give(u, slot);
    u->bytes += bytes;
    *slot = (struct usual_slot){.id = id,
                                .number = section_count(u->section, id, 1, bytes, line)};
}

static uint64_t number_of(uint64_t digits)
{
    uint64_t v = usual_pairs(digits);
    v = (v << 8 | v >> 16) & 0x0000FFFF0000FFFF;
    return (v << 16 | v >> 32) & 0xFFFFFFFF;
}

static bool is_null(const unsigned char *digits, uint64_t len)
{
    while (len > 0 && *digits == '0') {
        digits++;
        len--;
    }
    return len == 0;
}

bool usual_wide_object(struct usual *u, const unsigned char *text, uint64_t stops,
                       uint64_t line)
{
    const uint64_t ID_AT = 2, MAX_DIGITS = 16, HALF = 8;
    struct usual_ends e = usual_ends(stops);
    uint64_t id_len = e.id - ID_AT, type_len = e.type - e.id - 1;
    uint64_t size_len = e.size - e.type - 1;
    if (usual_oddness(text, &e) != 0 || id_len - 1 >= MAX_DIGITS ||
        type_len - 1 >= MAX_DIGITS || size_len - 1 >= MAX_DIGITS ||
        is_null(text + ID_AT, id_len))
        return false;
    /* Larger than 4 GiB is for those who look for overflows. */
    if (size_len > HALF && !is_null(text + e.type + 1, size_len - HALF))
        return false;
    uint64_t size_digits = usual_digits(text + e.size, size_len < HALF ? size_len : HALF);
    uint64_t id = number_of(usual_digits(text + e.type, type_len < HALF ? type_len : HALF));
    if (type_len > HALF)
        id |= number_of(usual_digits(text + e.type - HALF, type_len - HALF)) << 32;
    u->sizes |= size_digits;
    usual_count(u, id, number_of(size_digits), line);
    return true;
}
