#include "base/utf16.h"

#include "base/little_endian.h"

enum { FIRST_OF_PAIRS = 0x10000, HIGH = 0xD800, LOW = 0xDC00, BITS = 10, MASK = 0x3FF };

uint32_t utf16_join(uint32_t high, uint32_t low)
{
    return FIRST_OF_PAIRS + ((high & MASK) << BITS) + (low & MASK);
}

void utf16_split(uint32_t code, uint32_t *high, uint32_t *low)
{
    *high = HIGH + ((code - FIRST_OF_PAIRS) >> BITS & MASK);
    *low = LOW + (code & MASK);
}

static uint32_t unit_at(const unsigned char *units, size_t i, enum utf16_order order)
{
    const unsigned char *p = units + 2 * i;
    return order == UTF16_LITTLE ? le_u16(p) : (uint32_t)(p[0] << 8 | p[1]);
}

void text_add_utf16(struct text *t, const unsigned char *units, size_t count,
                    enum utf16_order order)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t code = unit_at(units, i, order);
        uint32_t next =
            utf16_is_high(code) && i + 1 < count ? unit_at(units, i + 1, order) : 0;
        if (utf16_is_low(next)) {
            code = utf16_join(code, next);
            i++;
        }
        text_add_code_point(t, code);
    }
}
