/* utf16.h - UTF-16 to UTF-8, and the pairs of surrogates that make one character.
 *
 * .NET's strings are UTF-16 that nobody has checked: a surrogate may stand alone. It is
 * kept, as three bytes (text.h), so that two names that differ stay two. */
#ifndef UTF16_H
#define UTF16_H

#include "base/text.h"

enum utf16_order { UTF16_LITTLE, UTF16_BIG };

/* The first and the second of a pair. */
static inline bool utf16_is_high(uint32_t unit)
{
    return unit >> 10 == 0x36;
}

static inline bool utf16_is_low(uint32_t unit)
{
    return unit >> 10 == 0x37;
}

/* Between a pair and its code point, which is 0x10000 or more. */
uint32_t utf16_join(uint32_t high, uint32_t low);
void utf16_split(uint32_t code, uint32_t *high, uint32_t *low);

/* Append that many units of two bytes; NUL is one like any other. */
void text_add_utf16(struct text *t, const unsigned char *units, size_t count,
                    enum utf16_order order);

#endif
