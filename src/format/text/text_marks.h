/* text_marks.h - where lines and numbers end in a block of text, 64 bytes at a time.
 *
 * One bit per byte, so that what comes behind needs no loop over bytes. There is a way to
 * do it per family of processors; all give the same bits. It must not know what the text
 * means. */
#ifndef TEXT_MARKS_H
#define TEXT_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TEXT_WORD = 64 };

struct text_marker {
    const char *name;
    bool (*works)(void); /* on this processor */
    bool has_bmi;        /* then it has the bit operations of x86-64-v3 too */

    /* Of 64 * words bytes at text: bit i % 64 of ends[i / 64] is set if byte i is LF, of
     * stops[i / 64] if it is no hex digit. False if one is NUL. */
    bool (*mark)(const unsigned char *text, size_t words, uint64_t *ends, uint64_t *stops);
};

/* The fastest first; the last is plain C, which works everywhere. Ends with NULL. */
extern const struct text_marker *const text_markers[];

/* Eight bytes, the first in the lowest bits. */
static inline uint64_t text_eight_bytes(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* The first that works here. */
const struct text_marker *text_marker_best(void);

#endif
