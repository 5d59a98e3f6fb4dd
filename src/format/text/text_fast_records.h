/* text_fast_records.h - count an object record of heap text without reading it word by
 * word.
 *
 * Nearly every line is "o ID TYPE SIZE" with single spaces, and references behind. Where
 * its words end is known from bits (text_marks.h), so it is understood without a loop and
 * without a branch that is hard to foresee. Whatever is unusual is left to
 * text_records.h. */
#ifndef TEXT_FAST_RECORDS_H
#define TEXT_FAST_RECORDS_H

#include "format/text/text_marks.h"
#include "format/text/text_section.h"

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
    uint64_t bytes; /* given to sections since the caller set it to 0 */
    uint64_t sizes; /* all digits of all sizes, or-ed */
    struct usual_slot slots[USUAL_SLOTS];
};

/* Forget all slots; counts go to section from here on. */
void usual_begin(struct usual *u, struct section *section);

/* Give the section what the slots hold. To be called at least once per 2^32 objects, so
 * that no slot overflows. */
void usual_flush(struct usual *u);

/* Whether a size that was read had a digit from a to f. */
bool usual_sizes_have_letters(const struct usual *u);

/* The type of that id has another slot, or none: count one object of it. */
void usual_new_type(struct usual *u, struct usual_slot *slot, uint64_t id, uint64_t bytes,
                    uint64_t line);

/* usual_object() for all numbers of a type, sizes of up to 8 digits and leading zeros. */
bool usual_wide_object(struct usual *u, const unsigned char *text, uint64_t stops,
                       uint64_t line);

static inline void usual_count(struct usual *u, uint64_t id, uint64_t size, uint64_t line)
{
    struct usual_slot *slot = &u->slots[id * 0x9E3779B97F4A7C15 >> 52];
    if (slot->id != id) {
        usual_new_type(u, slot, id, size, line);
        return;
    }
    slot->count++;
    slot->bytes += size;
}

/* The last 1 to 8 of the bytes in front of end; 0 in place of the others. */
static inline uint64_t usual_digits(const unsigned char *end, uint64_t len)
{
    unsigned others = (unsigned)(64 - 8 * len);
    return text_eight_bytes(end - 8) >> others << others;
}

/* What each hex digit stands for, pairs of them in each second byte. */
static inline uint64_t usual_pairs(uint64_t digits)
{
    uint64_t v = (digits & 0x0F0F0F0F0F0F0F0F) + 9 * (digits >> 6 & 0x0101010101010101);
    return (v << 4 | v >> 8) & 0x00FF00FF00FF00FF;
}

/* Where the three numbers of an object record end, by the bytes that are no hex digits;
 * beyond all numbers if there are not so many. */
struct usual_ends {
    uint64_t id, type, size;
};

static inline struct usual_ends usual_ends(uint64_t stops)
{
    const uint64_t letter_and_blank = 3, beyond = 7ULL << 61;
    struct usual_ends e;
    stops = (stops & ~letter_and_blank) | beyond;
    e.id = (uint64_t)__builtin_ctzll(stops);
    stops &= stops - 1;
    e.type = (uint64_t)__builtin_ctzll(stops);
    stops &= stops - 1;
    e.size = (uint64_t)__builtin_ctzll(stops);
    return e;
}

/* 0 if there are single blanks where they belong. */
static inline unsigned usual_oddness(const unsigned char *text, const struct usual_ends *e)
{
    unsigned odd = (unsigned)(text[0] ^ 'o') | (unsigned)(text[1] ^ ' ') |
                   (unsigned)(text[e->id] ^ ' ') | (unsigned)(text[e->type] ^ ' ');
    unsigned char end = text[e->size];
    return odd | ((unsigned)(end != ' ') & (unsigned)(end != '\n'));
}

/* Count the object record that begins at text; stops are the bits of the bytes from there
 * that are no hex digits. False, and nothing has happened, if it is not a usual one. */
__attribute__((always_inline)) static inline bool
usual_object(struct usual *u, const unsigned char *text, uint64_t stops, uint64_t line)
{
    const uint64_t ID_AT = 2, MAX_DIGITS = 16, NARROW = 4;
    struct usual_ends e = usual_ends(stops);
    uint64_t id_len = e.id - ID_AT, type_len = e.type - e.id - 1;
    uint64_t size_len = e.size - e.type - 1;
    /* One branch for all that makes nearly all records usual. */
    bool narrow = ((type_len - 1) | (size_len - 1)) < NARROW;
    if (!narrow || text[ID_AT] == '0')
        return usual_wide_object(u, text, stops, line);
    if ((usual_oddness(text, &e) | (unsigned)(id_len - 1 >= MAX_DIGITS)) != 0)
        return false;
    /* Four digits each, so both numbers at once. */
    uint64_t size_digits = usual_digits(text + e.size, size_len);
    uint64_t v = usual_pairs(usual_digits(text + e.type, type_len) | size_digits >> 32);
    v = v << 8 | v >> 16;
    u->sizes |= size_digits;
    usual_count(u, v >> 32 & 0xFFFF, v & 0xFFFF, line);
    return true;
}

#endif
