/* One value out of memory, which is no reference: a number, a real, a struct that is one
 * value. */
#include "base/c_locale.h"
#include "clr/managed/core_fields.h"

#include <math.h>
#include <string.h>

static uint64_t extended(uint64_t number, uint32_t size)
{
    unsigned unused = size > 0 && size < 8 ? 64 - 8 * size : 0;
    return (uint64_t)((int64_t)(number << unused) >> unused);
}

/* Of a Half: a sign, 5 bits of exponent, 10 of fraction. */
static double of_half(uint32_t bits)
{
    enum { FRACTION = 10, EXPONENT = 31, LEAST = -24 };
    uint32_t exponent = bits >> FRACTION & EXPONENT,
             fraction = bits & ((1U << FRACTION) - 1);
    double size = exponent == EXPONENT ? (fraction == 0 ? (double)INFINITY : (double)NAN)
                  : exponent == 0
                      ? ldexp(fraction, LEAST)
                      : ldexp(fraction + (1U << FRACTION), LEAST - 1 + (int)exponent);
    return bits >> 15 & 1 ? -size : size;
}

/* Whether a decimal reads as that Half, x: it is nearer to none beside it, and half-way it
 * goes to the even one. */
static bool reads_as_half(double found, uint32_t bits, double x)
{
    enum { LARGEST = 0x7BFF, LIMIT = 65520 };
    uint32_t size = bits & 0x7FFF;
    double below = size > 0 ? of_half(size - 1) : 0,
           above = size < LARGEST ? of_half(size + 1) : LIMIT * 2 - fabs(x);
    double low = (below + fabs(x)) / 2, high = (fabs(x) + above) / 2, at = fabs(found);
    return size % 2 == 0 ? at >= low && at <= high : at > low && at < high;
}

/* The double that is nearest to the shortest decimal which reads as that single or Half, x:
 * 1.1 of the single that .NET shows as 1.1, and which is 1.10000002384185791. */
static double shortest(double x, uint32_t bits, uint32_t size)
{
    enum { ENOUGH = 9 };
    char s[40];
    double found = x;
    bool same;
    if (!isfinite(x) || x == 0)
        return x;
    int digits = 1;
    do {
        c_snprintf(s, sizeof(s), "%.*g", digits, x);
        found = c_strtod(s, NULL);
        same = size == sizeof(float) ? (double)(float)found == x
                                     : reads_as_half(found, bits, x);
    } while (!same && ++digits <= ENOUGH);
    return found;
}

static void set_real(struct hd_field *to, uint32_t size)
{
    enum { OF_HALF = 5, OF_SINGLE = 9, OF_DOUBLE = 17 };
    float narrow;
    uint32_t low = (uint32_t)to->number;
    memcpy(&narrow, &low, sizeof(narrow));
    memcpy(&to->real, &to->number, sizeof(to->real));
    to->digits = size == 2 ? OF_HALF : size == 4 ? OF_SINGLE : OF_DOUBLE;
    if (size == 2)
        to->real = shortest(of_half(low), low, size);
    else if (size == sizeof(narrow))
        to->real = shortest((double)narrow, low, size);
}

/* The parts of a DateTimeOffset as clr_forms.h wants them, whatever their order. */
static void join_date(const struct clr_field *field, const unsigned char *bytes,
                      unsigned char to[CLR_MAX_BYTES])
{
    uint64_t minutes = le_u16(bytes + field->minutes_at);
    if (field->minutes_size == 4)
        minutes = le_u32(bytes + field->minutes_at);
    memcpy(to, bytes + field->date_at, 8);
    le_put(to + 8, extended(minutes, field->minutes_size), 4);
}

static void set_words(const struct clr_field *field, const unsigned char *bytes,
                      struct arena *a, struct hd_field *to)
{
    struct text words = {0};
    unsigned char joined[CLR_MAX_BYTES];
    bool is_joined = field->form == CLR_DATE_TIME_OFFSET;
    if (is_joined)
        join_date(field, bytes, joined);
    if (!clr_form_add(&words, field->form, is_joined ? joined : bytes))
        clr_form_add_raw(&words, bytes, field->size);
    to->words = arena_strdup(a, words.data, words.len);
    text_free(&words);
}

void core_value_of(const struct clr_field *field, const unsigned char *bytes,
                   struct arena *a, struct hd_field *to)
{
    uint32_t size = field->size < 8 ? field->size : 8;
    to->number = 0;
    to->is_null = field->inside > 0 && bytes[0] == 0;
    if (to->is_null)
        return;
    bytes += field->inside;
    if (field->kind == HD_FIELD_STRUCT) {
        set_words(field, bytes, a, to);
        return;
    }
    for (uint32_t i = size; i > 0; i--)
        to->number = to->number << 8 | bytes[i - 1];
    to->is_unsigned = field->kind == HD_FIELD_ENUM && !field->is_signed;
    if (field->kind == HD_FIELD_FLOAT)
        set_real(to, size);
    else if (field->is_signed)
        to->number = extended(to->number, size);
}
