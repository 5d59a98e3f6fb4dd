/* text_usual.h - count an object record of heap text without reading it word by word.
 *
 * Nearly every line is "o ID TYPE SIZE" with single spaces, and references behind. Where
 * its words end is known from bits (text_lines.h), so it is understood without a loop and
 * without a branch that is hard to foresee. Whatever is unusual is left to
 * text_records.h. */
#ifndef TEXT_USUAL_H
#define TEXT_USUAL_H

#include "format/text_lines.h"
#include "format/text_section.h"

enum {
    /* Bytes that must be readable from the beginning of a line, and in front of it. */
    USUAL_AHEAD = 64,
    USUAL_BEHIND = 16,
    USUAL_SLOTS = 4096
};

/* Objects of one type that the section does not know of yet. */
struct usual_slot {
    uint64_t id, count, bytes;
    uint32_t number; /* in the section */
};

/* 128 KiB. Types are found by a hash that anybody can foresee: who makes them collide gets
 * the table of the section, which nobody can. */
struct usual {
    struct section *section;
    uint64_t bytes; /* of all objects since the caller set it to 0 */
    uint64_t sizes; /* all digits of their sizes, or-ed */
    struct usual_slot slots[USUAL_SLOTS];
};

/* Forget all slots; counts go to section from here on. */
void usual_begin(struct usual *u, struct section *section);

/* Give the section what the slots hold. */
void usual_flush(struct usual *u);

/* Whether a size that was read had a digit from a to f. */
bool usual_sizes_have_letters(const struct usual *u);

/* A type that has no slot, and one object of it. */
void usual_new_type(struct usual *u, struct usual_slot *slot, uint64_t id, uint64_t bytes,
                    uint64_t line);

/* The 1 to 8 hex digits in front of end, as they stand and as a number. */
static inline uint64_t usual_digits(const unsigned char *end, unsigned len)
{
    uint64_t v = text_eight_bytes(end - 8);
    return v >> (64 - 8 * len) << (64 - 8 * len);
}

static inline uint64_t usual_number(uint64_t digits)
{
    uint64_t v = (digits & 0x0F0F0F0F0F0F0F0F) + 9 * (digits >> 6 & 0x0101010101010101);
    v = (v << 4 | v >> 8) & 0x00FF00FF00FF00FF;
    v = (v << 8 | v >> 16) & 0x0000FFFF0000FFFF;
    return (v << 16 | v >> 32) & 0xFFFFFFFF;
}

static inline struct usual_slot *usual_slot_of(struct usual *u, uint64_t id)
{
    return &u->slots[id * 0x9E3779B97F4A7C15 >> 52];
}

static inline bool usual_is_null(const unsigned char *digits, unsigned len)
{
    while (len > 0 && *digits == '0') {
        digits++;
        len--;
    }
    return len == 0;
}

/* Count the object record that begins at text; stops are the bits of the bytes from there
 * that are no hex digits. False, and nothing has happened, if it is not a usual one. */
__attribute__((always_inline)) static inline bool
usual_object(struct usual *u, const unsigned char *text, uint64_t stops, uint64_t line)
{
    const unsigned ID_AT = 2, MAX_DIGITS = 16, HALF = 8;
    const uint64_t last = 1ULL << 63;
    uint64_t s = (stops & ~3ULL) | last;
    unsigned id_end = (unsigned)__builtin_ctzll(s);
    s = (s & (s - 1)) | last;
    unsigned type_end = (unsigned)__builtin_ctzll(s);
    s = (s & (s - 1)) | last;
    unsigned size_end = (unsigned)__builtin_ctzll(s);
    unsigned type_len = type_end - id_end - 1, size_len = size_end - type_end - 1;
    /* One branch for all of it: each term is 0 if it is as usual. */
    unsigned odd = (unsigned)(text[0] ^ 'o') | (unsigned)(text[1] ^ ' ') |
                   (unsigned)(text[id_end] ^ ' ') | (unsigned)(text[type_end] ^ ' ');
    odd |= (unsigned)(text[size_end] != ' ') & (unsigned)(text[size_end] != '\n');
    odd |= (unsigned)(id_end - ID_AT - 1 >= MAX_DIGITS);
    odd |= (unsigned)(type_len - 1 >= MAX_DIGITS) | (unsigned)(size_len - 1 >= HALF);
    if (odd != 0 || (text[ID_AT] == '0' && usual_is_null(text + ID_AT, id_end - ID_AT)))
        return false;
    uint64_t size_digits = usual_digits(text + size_end, size_len);
    uint64_t size = usual_number(size_digits);
    uint64_t id =
        usual_number(usual_digits(text + type_end, type_len < HALF ? type_len : HALF));
    if (type_len > HALF)
        id |= usual_number(usual_digits(text + type_end - HALF, type_len - HALF)) << 32;
    u->sizes |= size_digits;
    u->bytes += size;
    struct usual_slot *slot = usual_slot_of(u, id);
    if (slot->id != id) {
        usual_new_type(u, slot, id, size, line);
        return true;
    }
    slot->count++;
    slot->bytes += size;
    return true;
}

#endif
