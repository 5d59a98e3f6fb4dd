/* Structs of the core library in readable form: vectors from Python's decimal and int, a
 * calendar counted day by day, and bytes without a value. */
#include "clr/managed/clr_forms.h"

#include "base/little_endian.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* wanted NULL: these bytes are not a value. */
static void expect(enum clr_form form, const unsigned char *bytes, const char *wanted)
{
    struct text t = {0};
    bool ok = clr_form_add(&t, form, bytes);
    if (wanted == NULL)
        cr_expect(!ok && t.len == 0, "form %d is %s", (int)form, text_string(&t));
    else
        cr_expect_str_eq(text_string(&t), wanted);
    text_free(&t);
}

static void expect_number(enum clr_form form, uint64_t number, const char *wanted)
{
    unsigned char bytes[CLR_MAX_BYTES] = {0};
    le_put(bytes, number, 8);
    expect(form, bytes, wanted);
}

#define SECOND UINT64_C(10000000)
#define DAY (UINT64_C(86400) * SECOND)
#define LAST_TICK (UINT64_C(3652059) * DAY - 1)

/* --- dates and times --------------------------------------------------------------- */

/* First and last days of every month from year 1 to 9999. */
Test(clr_forms, days_are_those_of_the_calendar)
{
    static const uint32_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint32_t day = 0;
    char wanted[32];
    for (unsigned year = 1; year <= 9999; year++)
        for (unsigned month = 1; month <= 12; month++) {
            bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            uint32_t length = lengths[month - 1] + (month == 2 && leap);
            snprintf(wanted, sizeof(wanted), "%04u-%02u-01", year, month);
            expect_number(CLR_DATE_ONLY, day, wanted);
            day += length;
            snprintf(wanted, sizeof(wanted), "%04u-%02u-%02u", year, month, length);
            expect_number(CLR_DATE_ONLY, day - 1, wanted);
        }
    expect_number(CLR_DATE_ONLY, day, NULL);
    expect_number(CLR_DATE_ONLY, UINT32_MAX, NULL);
}

Test(clr_forms, a_date_shows_its_kind_and_every_digit)
{
    const uint64_t at = UINT64_C(639311294451234567), kind = UINT64_C(1) << 62;
    expect_number(CLR_DATE_TIME, 0, "0001-01-01 00:00:00.0000000");
    expect_number(CLR_DATE_TIME, LAST_TICK, "9999-12-31 23:59:59.9999999");
    expect_number(CLR_DATE_TIME, at, "2026-11-24 15:04:05.1234567");
    expect_number(CLR_DATE_TIME, at | kind, "2026-11-24 15:04:05.1234567Z");
    expect_number(CLR_DATE_TIME, at | 2 * kind, "2026-11-24 15:04:05.1234567 local");
    expect_number(CLR_DATE_TIME, at | 3 * kind, "2026-11-24 15:04:05.1234567 local");
    expect_number(CLR_DATE_TIME, LAST_TICK + 1, NULL);
    expect_number(CLR_DATE_TIME, UINT64_MAX, NULL);
}

static void expect_offset(uint64_t ticks, int minutes, const char *wanted)
{
    unsigned char bytes[CLR_MAX_BYTES] = {0};
    le_put(bytes, ticks, 8);
    le_put(bytes + 8, (uint64_t)(int64_t)minutes, 4);
    expect(CLR_DATE_TIME_OFFSET, bytes, wanted);
}

Test(clr_forms, a_date_with_an_offset_shows_the_clock_there)
{
    expect_offset(DAY, 0, "0001-01-02 00:00:00.0000000+00:00");
    expect_offset(DAY, -570, "0001-01-01 14:30:00.0000000-09:30");
    expect_offset(DAY, 840, "0001-01-02 14:00:00.0000000+14:00");
    expect_offset(DAY, 841, NULL);
    expect_offset(DAY, -841, NULL);
    expect_offset(DAY, INT32_MIN, NULL);
    expect_offset(0, -1, NULL);
    expect_offset(LAST_TICK, 1, NULL);
    expect_offset(LAST_TICK + 1, -60, NULL);
    expect_offset(UINT64_MAX, 1, NULL);
}

Test(clr_forms, times)
{
    expect_number(CLR_TIME_SPAN, 0, "00:00:00");
    expect_number(CLR_TIME_SPAN, 1, "00:00:00.0000001");
    expect_number(CLR_TIME_SPAN, (uint64_t)-1, "-00:00:00.0000001");
    expect_number(CLR_TIME_SPAN, DAY - 1, "23:59:59.9999999");
    expect_number(CLR_TIME_SPAN, DAY + 5400 * SECOND, "1.01:30:00");
    expect_number(CLR_TIME_SPAN, INT64_MAX, "10675199.02:48:05.4775807");
    expect_number(CLR_TIME_SPAN, UINT64_C(1) << 63, "-10675199.02:48:05.4775808");
    expect_number(CLR_TIME_ONLY, 0, "00:00:00.0000000");
    expect_number(CLR_TIME_ONLY, DAY - 1, "23:59:59.9999999");
    expect_number(CLR_TIME_ONLY, DAY, NULL);
    expect_number(CLR_TIME_ONLY, UINT64_MAX, NULL);
}

/* --- numbers ------------------------------------------------------------------------- */

static const struct {
    uint32_t flags, high;
    uint64_t low;
    const char *wanted;
} decimals[] = {
    {UINT32_C(0x00000000), UINT32_C(0x00000000), UINT64_C(0x0000000000000000), "0"},
    {UINT32_C(0x80020000), UINT32_C(0x00000000), UINT64_C(0x0000000000000000), "0.00"},
    {UINT32_C(0x001C0000), UINT32_C(0x00000000), UINT64_C(0x0000000000000000),
     "0.0000000000000000000000000000"},
    {UINT32_C(0x801C0000), UINT32_C(0x00000000), UINT64_C(0x0000000000000001),
     "-0.0000000000000000000000000001"},
    {UINT32_C(0x80000000), UINT32_C(0xFFFFFFFF), UINT64_C(0xFFFFFFFFFFFFFFFF),
     "-79228162514264337593543950335"},
    {UINT32_C(0x001C0000), UINT32_C(0xFFFFFFFF), UINT64_C(0xFFFFFFFFFFFFFFFF),
     "7.9228162514264337593543950335"},
    {UINT32_C(0x00020000), UINT32_C(0x00000000), UINT64_C(0x000000000000006E), "1.10"},
    {UINT32_C(0x80010000), UINT32_C(0x00000000), UINT64_C(0x0000000000000005), "-0.5"},
    {UINT32_C(0x001C0000), UINT32_C(0x204FCE5E), UINT64_C(0x3E25026110000000),
     "1.0000000000000000000000000000"},
    {UINT32_C(0x00000000), UINT32_C(0x00000000), UINT64_C(0x000000003B9ACA00),
     "1000000000"},
    {UINT32_C(0x80090000), UINT32_C(0x00000000), UINT64_C(0x000000003B9AC9FF),
     "-0.999999999"},
    {UINT32_C(0x00000000), UINT32_C(0x00000001), UINT64_C(0x0000000000000000),
     "18446744073709551616"},
    {UINT32_C(0x00050000), UINT32_C(0x00000000), UINT64_C(0x0000000100000000),
     "42949.67296"},
    {UINT32_C(0x00060000), UINT32_C(0x00000000), UINT64_C(0x00000000000000ED), "0.000237"},
    {UINT32_C(0x80070000), UINT32_C(0x00000000), UINT64_C(0x00000001B2C75357),
     "-729.4374743"},
    {UINT32_C(0x00010000), UINT32_C(0x00000000), UINT64_C(0x00000000000000B8), "18.4"},
    {UINT32_C(0x001A0000), UINT32_C(0x00000000), UINT64_C(0x0000000082490B3B),
     "0.00000000000000002185825083"},
    {UINT32_C(0x801C0000), UINT32_C(0x00000001), UINT64_C(0xF1D7E893B0C9049E),
     "-0.0000000035873397077866775710"},
    {UINT32_C(0x00110000), UINT32_C(0x00000000), UINT64_C(0x0000000099E90C3B),
     "0.00000002582187067"},
    {UINT32_C(0x00180000), UINT32_C(0x00000001), UINT64_C(0x7C47BA500268BFA9),
     "0.000027402075310559641513"},
    {UINT32_C(0x80060000), UINT32_C(0x00000000), UINT64_C(0x00000001F414602B),
     "-8389.943339"},
    {UINT32_C(0x00030000), UINT32_C(0x00000000), UINT64_C(0x0000000000000055), "0.085"},
    {UINT32_C(0x000E0000), UINT32_C(0x00000000), UINT64_C(0xBA48FAAA1CA72486),
     "134232.54297909863558"},
    {UINT32_C(0x80010000), UINT32_C(0x00000000), UINT64_C(0x75FDD0C70CA109DE),
     "-850218122487431420.6"},
    {UINT32_C(0x800E0000), UINT32_C(0x00000000), UINT64_C(0x000000000A72FCFD),
     "-0.00000175308029"},
    {UINT32_C(0x80110000), UINT32_C(0x2AE01D36), UINT64_C(0x7E0D74A7EDC68176),
     "-132693077499.25397309675700598"},
    {UINT32_C(0x00180000), UINT32_C(0x00000000), UINT64_C(0x9360BE929372B5C2),
     "0.000010619697458087900610"},
    {UINT32_C(0x000A0000), UINT32_C(0x00000000), UINT64_C(0x3AB31BBC4A4B5DB1),
     "422975497.0545282481"},
    {UINT32_C(0x800C0000), UINT32_C(0x00000000), UINT64_C(0x000000002A6DBC4D),
     "-0.000711834701"},
    {UINT32_C(0x80190000), UINT32_C(0x00000000), UINT64_C(0x08E9FECAB256DBBA),
     "-0.0000000642324568405892026"},
    {UINT32_C(0x80050000), UINT32_C(0x00000000), UINT64_C(0x00000000000000D0), "-0.00208"},
    {UINT32_C(0x00020000), UINT32_C(0x00000000), UINT64_C(0x000000002CF281E1),
     "7540904.65"},
    {UINT32_C(0x00080000), UINT32_C(0x00000000), UINT64_C(0x000000002A5A096F),
     "7.10543727"},
    {UINT32_C(0x00010000), UINT32_C(0x00000000), UINT64_C(0x2542EFA54D5063C7),
     "268497182111199328.7"},
    {UINT32_C(0x80100000), UINT32_C(0x00000000), UINT64_C(0x7D5D7EEF094F32E2),
     "-903.3515992693551842"},
    {UINT32_C(0x001B0000), UINT32_C(0x00000000), UINT64_C(0x000000007DE077FB),
     "0.000000000000000002111862779"},
    {UINT32_C(0x00100000), UINT32_C(0x00000001), UINT64_C(0x8670E9D152A71E87),
     "2813.4243957427609223"},
};

Test(clr_forms, decimals_keep_their_scale)
{
    for (size_t i = 0; i < sizeof(decimals) / sizeof(*decimals); i++) {
        unsigned char bytes[CLR_MAX_BYTES];
        le_put(bytes, decimals[i].flags, 4);
        le_put(bytes + 4, decimals[i].high, 4);
        le_put(bytes + 8, decimals[i].low, 8);
        expect(CLR_DECIMAL, bytes, decimals[i].wanted);
    }
}

/* Scales of 29 and 255, and bits that are always 0 in a decimal. */
Test(clr_forms, invalid_decimals_are_rejected)
{
    static const uint32_t flags[] = {29U << 16, 255U << 16, 1,
                                     1U << 24,  1U << 30,   UINT32_MAX};
    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
        unsigned char bytes[CLR_MAX_BYTES] = {0};
        le_put(bytes, flags[i], 4);
        bytes[8] = 7;
        expect(CLR_DECIMAL, bytes, NULL);
    }
}

static const struct {
    uint64_t low, high;
    bool is_signed;
    const char *wanted;
} wide[] = {
    {UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000), true, "0"},
    {UINT64_C(0x0000000000000001), UINT64_C(0x0000000000000000), true, "1"},
    {UINT64_C(0xFFFFFFFFFFFFFFFF), UINT64_C(0xFFFFFFFFFFFFFFFF), true, "-1"},
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000), true,
     "9223372036854775808"},
    {UINT64_C(0x8000000000000000), UINT64_C(0xFFFFFFFFFFFFFFFF), true,
     "-9223372036854775808"},
    {UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000001), true,
     "18446744073709551616"},
    {UINT64_C(0xFFFFFFFFFFFFFFFF), UINT64_C(0x7FFFFFFFFFFFFFFF), true,
     "170141183460469231731687303715884105727"},
    {UINT64_C(0x0000000000000000), UINT64_C(0x8000000000000000), true,
     "-170141183460469231731687303715884105728"},
    {UINT64_C(0x098A224000000000), UINT64_C(0x4B3B4CA85A86C47A), true,
     "100000000000000000000000000000000000000"},
    {UINT64_C(0xF675DDC000000000), UINT64_C(0xB4C4B357A5793B85), true,
     "-100000000000000000000000000000000000000"},
    {UINT64_C(0x622D95B739B7F8D9), UINT64_C(0x25285403604F736E), true,
     "49390831708281085876651241056761280729"},
    {UINT64_C(0xA115A8CD46EFD9F3), UINT64_C(0xFFFFFFF2CE04BEE4), true,
     "-1045434626006128420383014004237"},
    {UINT64_C(0xFFFFFFFFFFFFFFFF), UINT64_C(0xFFFFFFFFFFFFFFFF), false,
     "340282366920938463463374607431768211455"},
    {UINT64_C(0x3E25026110000000), UINT64_C(0x00000000204FCE5E), false,
     "10000000000000000000000000000"},
    {UINT64_C(0x0000000000000000), UINT64_C(0x8000000000000000), false,
     "170141183460469231731687303715884105728"},
};

Test(clr_forms, integers_of_128_bits)
{
    for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++) {
        unsigned char bytes[CLR_MAX_BYTES];
        le_put(bytes, wide[i].low, 8);
        le_put(bytes + 8, wide[i].high, 8);
        expect(wide[i].is_signed ? CLR_INT128 : CLR_UINT128, bytes, wide[i].wanted);
    }
}

/* --- others -------------------------------------------------------------------------- */

Test(clr_forms, guids)
{
    static const unsigned char bytes[] = {0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66,
                                          0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    static const unsigned char zeros[CLR_MAX_BYTES] = {0};
    expect(CLR_GUID, bytes, "00112233-4455-6677-8899-aabbccddeeff");
    expect(CLR_GUID, zeros, "00000000-0000-0000-0000-000000000000");
}

static void expect_version(int64_t a, int64_t b, int64_t c, int64_t d, const char *wanted)
{
    const int64_t parts[] = {a, b, c, d};
    unsigned char bytes[CLR_MAX_BYTES];
    for (size_t i = 0; i < 4; i++)
        le_put(bytes + 4 * i, (uint64_t)parts[i], 4);
    expect(CLR_VERSION, bytes, wanted);
}

Test(clr_forms, versions)
{
    expect_version(1, 2, 3, 4, "1.2.3.4");
    expect_version(0, 0, 0, -1, "0.0.0");
    expect_version(10, 0, -1, -1, "10.0");
    expect_version(INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX,
                   "2147483647.2147483647.2147483647.2147483647");
    expect_version(1, -1, -1, -1, NULL);
    expect_version(-1, 1, -1, -1, NULL);
    expect_version(1, 2, -1, 4, NULL);
    expect_version(1, 2, -2, -1, NULL);
}

Test(clr_forms, an_invalid_value_is_shown_as_bytes)
{
    static const unsigned char bytes[] = {0x01, 0x02, 0xFF};
    struct text t = {0};
    clr_form_add_raw(&t, bytes, 3);
    cr_expect_str_eq(text_string(&t), "0xff0201");
    text_free(&t);
}

/* For any bytes a form terminates and stays inside (sanitizers check). */
Test(clr_forms, any_bytes)
{
    unsigned char bytes[CLR_MAX_BYTES];
    uint64_t state = 32;
    for (int i = 0; i < 20000; i++) {
        for (size_t k = 0; k < sizeof(bytes); k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[k] = i % 3 == 0 && k > 8 ? 0xFF : (unsigned char)(state >> 56);
        }
        for (int form = CLR_NO_FORM; form <= CLR_VERSION; form++) {
            struct text t = {0};
            bool ok = clr_form_add(&t, (enum clr_form)form, bytes);
            cr_assert(ok ? t.len > 0 && t.len < 64 : t.len == 0);
            text_free(&t);
        }
    }
}
