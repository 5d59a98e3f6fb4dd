#include "clr/managed/clr_forms.h"

#include "base/little_endian.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- dates and times ------------------------------------------------------------- */

/* Ticks of 100 ns, from 0001-01-01 on. */
#define TICKS_PER_SECOND UINT64_C(10000000)
#define TICKS_PER_MINUTE (60 * TICKS_PER_SECOND)
#define TICKS_PER_HOUR (60 * TICKS_PER_MINUTE)
#define TICKS_PER_DAY (24 * TICKS_PER_HOUR)

enum { DAYS = 3652059 }; /* to the end of 9999 */

/* Gregorian calendar, with years beginning in March, so that the leap day is the last. */
static void add_day(struct text *to, uint32_t day)
{
    enum {
        FROM_MARCH = 306, /* days from 0000-03-01 to 0001-01-01 */
        YEAR = 365,
        FOUR_YEARS = 4 * YEAR + 1,
        CENTURY = 25 * FOUR_YEARS - 1,
        FOUR_CENTURIES = 4 * CENTURY + 1
    };
    char s[16];
    uint32_t days = day + FROM_MARCH, era = days / FOUR_CENTURIES;
    days %= FOUR_CENTURIES;
    uint32_t year =
        (days - days / (FOUR_YEARS - 1) + days / CENTURY - days / (FOUR_CENTURIES - 1)) /
        YEAR;
    days -= YEAR * year + year / 4 - year / 100;
    uint32_t from_march = (5 * days + 2) / 153, month = (from_march + 2) % 12 + 1;
    snprintf(s, sizeof(s), "%04" PRIu32 "-%02" PRIu32 "-%02" PRIu32,
             400 * era + year + (month <= 2), month, days - (153 * from_march + 2) / 5 + 1);
    text_add_string(to, s);
}

static void add_clock(struct text *to, uint64_t ticks, bool with_fraction)
{
    char s[48];
    uint64_t seconds = ticks / TICKS_PER_SECOND;
    int len =
        snprintf(s, sizeof(s), "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%07" PRIu64,
                 seconds / 3600, seconds / 60 % 60, seconds % 60, ticks % TICKS_PER_SECOND);
    text_add(to, s, (size_t)len - (with_fraction ? 0 : strlen(".1234567")));
}

static bool add_moment(struct text *to, uint64_t ticks)
{
    if (ticks >= DAYS * TICKS_PER_DAY)
        return false;
    add_day(to, (uint32_t)(ticks / TICKS_PER_DAY));
    text_add_char(to, ' ');
    add_clock(to, ticks % TICKS_PER_DAY, true);
    return true;
}

/* The kind is in the two highest bits; the fourth value is the second occurrence of an
 * ambiguous local time, at the end of summer time. The local time zone is not stored
 * here. */
static bool add_date_time(struct text *to, const unsigned char *bytes)
{
    enum { KIND = 62 };
    static const char *const kinds[] = {"", "Z", " local", " local"};
    uint64_t data = le_u64(bytes);
    if (!add_moment(to, data & ((UINT64_C(1) << KIND) - 1)))
        return false;
    text_add_string(to, kinds[data >> KIND]);
    return true;
}

static bool add_date_time_offset(struct text *to, const unsigned char *bytes)
{
    enum { MAX_MINUTES = 14 * 60 };
    char s[16];
    uint64_t data = le_u64(bytes);
    int32_t minutes = (int32_t)le_u32(bytes + 8);
    if (minutes < -MAX_MINUTES || minutes > MAX_MINUTES || data >= DAYS * TICKS_PER_DAY)
        return false;
    /* One that would be before 0001 wraps around, and is refused as too late. */
    if (!add_moment(to, data + (uint64_t)((int64_t)minutes * (int64_t)TICKS_PER_MINUTE)))
        return false;
    unsigned size = (unsigned)(minutes < 0 ? -minutes : minutes);
    snprintf(s, sizeof(s), "%c%02u:%02u", minutes < 0 ? '-' : '+', size / 60, size % 60);
    text_add_string(to, s);
    return true;
}

static bool add_time_span(struct text *to, const unsigned char *bytes)
{
    char s[32];
    uint64_t ticks = le_u64(bytes);
    bool negative = ticks >> 63;
    if (negative)
        ticks = 0 - ticks;
    text_add_string(to, negative ? "-" : "");
    if (ticks >= TICKS_PER_DAY) {
        snprintf(s, sizeof(s), "%" PRIu64 ".", ticks / TICKS_PER_DAY);
        text_add_string(to, s);
    }
    ticks %= TICKS_PER_DAY;
    add_clock(to, ticks, ticks % TICKS_PER_SECOND != 0);
    return true;
}

static bool add_date_only(struct text *to, const unsigned char *bytes)
{
    if (le_u32(bytes) >= DAYS)
        return false;
    add_day(to, le_u32(bytes));
    return true;
}

static bool add_time_only(struct text *to, const unsigned char *bytes)
{
    if (le_u64(bytes) >= TICKS_PER_DAY)
        return false;
    add_clock(to, le_u64(bytes), true);
    return true;
}

/* --- wide numbers ---------------------------------------------------------------- */

enum { LIMBS = 4, MAX_DIGITS = 40 };

/* The digits of a number of 128 bits, of 32 each, lowest first; limb is used up. */
static size_t digits_of(uint32_t limb[LIMBS], char digits[MAX_DIGITS])
{
    char backwards[MAX_DIGITS];
    size_t len = 0;
    bool any;
    do {
        uint64_t rest = 0;
        any = false;
        for (int i = LIMBS - 1; i >= 0; i--) {
            rest = rest << 32 | limb[i];
            limb[i] = (uint32_t)(rest / 10);
            rest %= 10;
            any |= limb[i] != 0;
        }
        backwards[len++] = (char)('0' + rest);
    } while (any);
    for (size_t i = 0; i < len; i++)
        digits[i] = backwards[len - 1 - i];
    return len;
}

static bool add_wide(struct text *to, const unsigned char *bytes, bool negative)
{
    uint32_t limb[LIMBS];
    char digits[MAX_DIGITS];
    uint64_t carry = negative;
    for (size_t i = 0; i < LIMBS; i++) {
        limb[i] = le_u32(bytes + 4 * i);
        if (!negative)
            continue;
        carry += (uint32_t)~limb[i];
        limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    text_add_string(to, negative ? "-" : "");
    text_add(to, digits, digits_of(limb, digits));
    return true;
}

static bool add_int128(struct text *to, const unsigned char *bytes)
{
    return add_wide(to, bytes, bytes[CLR_MAX_BYTES - 1] >> 7);
}

static bool add_uint128(struct text *to, const unsigned char *bytes)
{
    return add_wide(to, bytes, false);
}

/* Flags: number of decimals in the third byte, the sign in the highest bit, all others 0;
 * then the highest 32 bits and the lower 64. */
static bool add_decimal(struct text *to, const unsigned char *bytes)
{
    enum { SCALE = 16, MAX_SCALE = 28 };
    const uint32_t sign = UINT32_C(1) << 31;
    uint32_t flags = le_u32(bytes), scale = flags >> SCALE & 0xFF;
    uint32_t limb[LIMBS] = {le_u32(bytes + 8), le_u32(bytes + 12), le_u32(bytes + 4), 0};
    char digits[MAX_DIGITS];
    bool is_zero = limb[0] == 0 && limb[1] == 0 && limb[2] == 0;
    if (scale > MAX_SCALE || (flags & ~(sign | UINT32_C(0xFF) << SCALE)) != 0)
        return false;
    size_t len = digits_of(limb, digits);
    text_add_string(to, (flags & sign) != 0 && !is_zero ? "-" : "");
    if (len > scale)
        text_add(to, digits, len - scale);
    else
        text_add_char(to, '0');
    if (scale == 0)
        return true;
    text_add_char(to, '.');
    for (size_t i = len; i < scale; i++)
        text_add_char(to, '0');
    size_t fraction = len < scale ? len : scale;
    text_add(to, digits + len - fraction, fraction);
    return true;
}

/* --- others ---------------------------------------------------------------------- */

static bool add_guid(struct text *to, const unsigned char *b)
{
    char s[48];
    snprintf(s, sizeof(s), "%08" PRIx32 "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             le_u32(b), (unsigned)le_u16(b + 4), (unsigned)le_u16(b + 6), b[8], b[9], b[10],
             b[11], b[12], b[13], b[14], b[15]);
    text_add_string(to, s);
    return true;
}

/* Formats "10.0"; missing parts are -1, and so are all after them. */
static bool add_version(struct text *to, const unsigned char *bytes)
{
    char s[64];
    size_t len = 0, count = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t part = le_u32(bytes + 4 * (size_t)i);
        if (part > INT32_MAX && (part != UINT32_MAX || i < 2))
            return false;
        if (part != UINT32_MAX && count < i)
            return false;
        count += part != UINT32_MAX;
    }
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(s + len, sizeof(s) - len, "%s%" PRIu32, i > 0 ? "." : "",
                                le_u32(bytes + 4 * (size_t)i));
    text_add(to, s, len);
    return true;
}

/* --- table --------------------------------------------------------------------- */

static const struct {
    uint32_t size;
    bool (*add)(struct text *to, const unsigned char *bytes);
} forms[] = {
    [CLR_DATE_TIME] = {8, add_date_time},
    [CLR_DATE_TIME_OFFSET] = {12, add_date_time_offset},
    [CLR_TIME_SPAN] = {8, add_time_span},
    [CLR_DATE_ONLY] = {4, add_date_only},
    [CLR_TIME_ONLY] = {8, add_time_only},
    [CLR_GUID] = {16, add_guid},
    [CLR_DECIMAL] = {16, add_decimal},
    [CLR_INT128] = {16, add_int128},
    [CLR_UINT128] = {16, add_uint128},
    [CLR_VERSION] = {16, add_version},
};

uint32_t clr_form_size(enum clr_form form)
{
    return forms[form].size;
}

bool clr_form_add(struct text *to, enum clr_form form, const unsigned char *bytes)
{
    size_t len = to->len;
    if (forms[form].add != NULL && forms[form].add(to, bytes))
        return true;
    to->len = len;
    return false;
}

void clr_form_add_raw(struct text *to, const unsigned char *bytes, uint32_t size)
{
    char s[4];
    text_add_string(to, "0x");
    for (uint32_t i = size; i > 0; i--) {
        snprintf(s, sizeof(s), "%02x", bytes[i - 1]);
        text_add_string(to, s);
    }
}
