/* Hex digits are told by two looks into tables of 16 bytes, one by the low and one by the
 * high half of a byte, as in G. Langdale, D. Lemire, "Parsing Gigabytes of JSON per
 * Second", 2019.
 *
 * With -DHD_PORTABLE only plain C is built, as on processors that are not x86-64. */
#include "format/text/text_marks.h"

#if defined(__x86_64__) && defined(__SSSE3__) && !defined(HD_PORTABLE)
#define HAVE_X86 1
#include <immintrin.h>
#endif

/* --- plain C ------------------------------------------------------------- */

static const uint64_t EACH = 0x0101010101010101, HIGH = 0x8080808080808080;

/* Which of eight bytes below 128 are at least n: bit 7 of each. */
static uint64_t at_least(uint64_t bytes, unsigned n)
{
    return (bytes + EACH * (128 - n)) & HIGH;
}

/* Bits 7, 15, ... side by side. */
static uint64_t gather(uint64_t high_bits)
{
    return (high_bits >> 7) * 0x0102040810204080 >> 56;
}

static bool works_everywhere(void)
{
    return true;
}

static bool mark_plain(const unsigned char *text, size_t words, uint64_t *ends,
                       uint64_t *stops)
{
    uint64_t nul = 0;
    for (size_t w = 0; w < words; w++, text += TEXT_WORD) {
        uint64_t end = 0, stop = 0;
        for (unsigned i = 0; i < TEXT_WORD; i += 8) {
            uint64_t bytes = text_eight_bytes(text + i), high = bytes & HIGH;
            uint64_t low = bytes & ~HIGH, small = low | EACH * 0x20;
            uint64_t digit = at_least(low, '0') & ~at_least(low, '9' + 1);
            uint64_t letter = at_least(small, 'a') & ~at_least(small, 'f' + 1);
            /* Only letters and control characters become letters by 0x20. */
            letter &= at_least(low, '@');
            uint64_t feed = ~at_least(low ^ EACH * '\n', 1) & HIGH & ~high;
            nul |= ~at_least(low, 1) & HIGH & ~high;
            end |= gather(feed) << i;
            stop |= gather(HIGH & ~((digit | letter) & ~high)) << i;
        }
        ends[w] = end;
        stops[w] = stop;
    }
    return nul == 0;
}

static const struct text_marker plain = {"plain", works_everywhere, false, mark_plain};

/* --- x86-64 -------------------------------------------------------------- */

#ifdef HAVE_X86

/* By the low half of a byte: 1 if it is a digit below 3x, 2 a letter below 4x and 6x; by
 * the high half which of them counts. */
#define BY_LOW 1, 3, 3, 3, 3, 3, 3, 1, 1, 1, 0, 0, 0, 0, 0, 0
#define BY_HIGH 0, 0, 0, 1, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0

static bool mark_v2(const unsigned char *text, size_t words, uint64_t *ends,
                    uint64_t *stops)
{
    const __m128i by_low = _mm_setr_epi8(BY_LOW), by_high = _mm_setr_epi8(BY_HIGH);
    const __m128i half = _mm_set1_epi8(15), feed = _mm_set1_epi8('\n');
    const __m128i zero = _mm_setzero_si128();
    __m128i least = _mm_set1_epi8(1);
    for (size_t w = 0; w < words; w++, text += TEXT_WORD) {
        uint64_t end = 0, stop = 0;
        for (unsigned i = 0; i < TEXT_WORD; i += 16) {
            __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
            __m128i high = _mm_and_si128(_mm_srli_epi16(v, 4), half);
            __m128i hex =
                _mm_and_si128(_mm_shuffle_epi8(by_low, v), _mm_shuffle_epi8(by_high, high));
            uint64_t no_hex = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(hex, zero));
            uint64_t feeds = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, feed));
            least = _mm_min_epu8(least, v);
            stop |= no_hex << i;
            end |= feeds << i;
        }
        ends[w] = end;
        stops[w] = stop;
    }
    return _mm_movemask_epi8(_mm_cmpeq_epi8(least, zero)) == 0;
}

__attribute__((target("avx2"))) static bool mark_v3(const unsigned char *text, size_t words,
                                                    uint64_t *ends, uint64_t *stops)
{
    const __m256i by_low = _mm256_setr_epi8(BY_LOW, BY_LOW);
    const __m256i by_high = _mm256_setr_epi8(BY_HIGH, BY_HIGH);
    const __m256i half = _mm256_set1_epi8(15), feed = _mm256_set1_epi8('\n');
    const __m256i zero = _mm256_setzero_si256();
    __m256i least = _mm256_set1_epi8(1);
    for (size_t w = 0; w < words; w++, text += TEXT_WORD) {
        uint64_t end = 0, stop = 0;
        for (unsigned i = 0; i < TEXT_WORD; i += 32) {
            __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(text + i));
            __m256i high = _mm256_and_si256(_mm256_srli_epi16(v, 4), half);
            __m256i hex = _mm256_and_si256(_mm256_shuffle_epi8(by_low, v),
                                           _mm256_shuffle_epi8(by_high, high));
            uint64_t no_hex = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(hex, zero));
            uint64_t feeds = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, feed));
            least = _mm256_min_epu8(least, v);
            stop |= no_hex << i;
            end |= feeds << i;
        }
        ends[w] = end;
        stops[w] = stop;
    }
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8(least, zero)) == 0;
}

__attribute__((target("avx512f,avx512bw"))) static bool
mark_v4(const unsigned char *text, size_t words, uint64_t *ends, uint64_t *stops)
{
    const __m512i by_low = _mm512_broadcast_i32x4(_mm_setr_epi8(BY_LOW));
    const __m512i by_high = _mm512_broadcast_i32x4(_mm_setr_epi8(BY_HIGH));
    const __m512i half = _mm512_set1_epi8(15), feed = _mm512_set1_epi8('\n');
    uint64_t nul = 0;
    for (size_t w = 0; w < words; w++, text += TEXT_WORD) {
        __m512i v = _mm512_loadu_si512((const void *)text);
        __m512i high = _mm512_and_si512(_mm512_srli_epi16(v, 4), half);
        stops[w] = _mm512_testn_epi8_mask(_mm512_shuffle_epi8(by_low, v),
                                          _mm512_shuffle_epi8(by_high, high));
        ends[w] = _mm512_cmpeq_epi8_mask(v, feed);
        nul |= _mm512_testn_epi8_mask(v, v);
    }
    return nul == 0;
}

static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
           __builtin_cpu_supports("bmi2") != 0;
}

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") != 0 &&
           __builtin_cpu_supports("avx512bw") != 0;
}

/* What the whole program is built for (Makefile: BASELINE). */
static const struct text_marker v2 = {"x86-64-v2", works_everywhere, false, mark_v2};
static const struct text_marker v3 = {"x86-64-v3", has_v3, true, mark_v3};
static const struct text_marker v4 = {"x86-64-v4", has_v4, true, mark_v4};

#endif

const struct text_marker *const text_markers[] = {
#ifdef HAVE_X86
    &v4,    &v3,  &v2,
#endif
    &plain, NULL,
};

const struct text_marker *text_marker_best(void)
{
    size_t i = 0;
    while (text_markers[i + 1] != NULL && !text_markers[i]->works())
        i++;
    return text_markers[i];
}
