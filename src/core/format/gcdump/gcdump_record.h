/* gcdump_record.h - a node record of a .gcdump, number by number.
 *
 * A record begins with type * 2 + 1 if its size follows, else type * 2; then the number of
 * references and the references, as distances. Counting nodes and building a graph share
 * these functions, inlined: there are ten million records. Must not depend on the use of
 * records; their location is in gcdump.h. */
#ifndef GCDUMP_RECORD_H
#define GCDUMP_RECORD_H

#include "base/little_endian.h"
#include "format/gcdump/gcdump.h"

#if defined(__x86_64__) && !defined(HD_PORTABLE)
#define GCDUMP_HAVE_BMI 1
#define GCDUMP_BMI __attribute__((target("bmi,bmi2")))
#include <immintrin.h>
#endif

/* Number i of a table of unaligned numbers. */
static inline uint32_t gcdump_u32(const unsigned char *table, uint64_t i)
{
    return le_u32(table + 4 * i);
}

static inline uint64_t gcdump_u64(const unsigned char *table, uint64_t i)
{
    return le_u64(table + 8 * i);
}

/* Reads one value of 1 to 5 bytes: groups of 7 bits, the highest first, bit 7 set while
 * another follows; signed by bit 6 of the first. Arithmetic is modulo 2^32. *ok becomes
 * false if it does not end before end. */
static inline int32_t gcdump_compressed(const unsigned char **at, const unsigned char *end,
                                        bool *ok)
{
    const unsigned char *p = *at;
    if (p == end) {
        *ok = false;
        return 0;
    }
    uint32_t byte = *p++;
    uint32_t value = (byte & 0x3F) - (byte & 0x40);
    for (int i = 1; byte & 0x80; i++) {
        if (p == end || i == 5) {
            *ok = false;
            return 0;
        }
        byte = *p++;
        value = value << 7 | (byte & 0x7F);
    }
    *at = p;
    return (int32_t)value;
}

/* gcdump_compressed() for at most 4 bytes; *more is the number of bytes after the first, 4
 * if the number is longer. Four bytes must be readable. No branches: a mispredicted one, on
 * unpredictable lengths, costs more than all of this. */
static inline int32_t gcdump_short_value(const unsigned char *p, unsigned *more)
{
    const uint64_t longer = UINT64_C(1) << 39;
    uint32_t v = le_u32(p);
    *more = (unsigned)__builtin_ctzll((~v & 0x80808080) | longer) / 8;
    v = __builtin_bswap32(v);
    /* Packs the groups, then shifts to those of this value, with its sign; modulo 32, for
     * longer values. */
    v = (v & 0x7F) | (v >> 1 & 0x3F80) | (v >> 2 & 0x1FC000) | (v >> 3 & 0xFE00000);
    return (int32_t)(v << 4) >> ((25 - 7 * *more) & 31);
}

/* The same with the instructions of BMI: half of the work. */
#ifdef GCDUMP_HAVE_BMI
GCDUMP_BMI static inline int32_t gcdump_short_value_bmi(const unsigned char *p,
                                                        unsigned *more)
{
    uint32_t v = le_u32(p);
    *more = _tzcnt_u32(~v & 0x80808080) / 8;
    v = _pext_u32(__builtin_bswap32(v), 0x7F7F7F7F) << 4;
    return (int32_t)v >> ((25 - 7 * *more) & 31);
}

static inline bool gcdump_has_bmi(void)
{
    return __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
}
#endif

/* Packs eight bytes, the first one highest, into their groups of 7 bits, in the highest 56
 * bits. */
static inline uint64_t gcdump_groups(uint64_t v)
{
    v = (v & 0x007F007F007F007F) | (v & 0x7F007F007F007F00) >> 1;
    v = (v & 0x00003FFF00003FFF) | (v & 0x3FFF00003FFF0000) >> 2;
    return (v & 0x0FFFFFFF) << 8 | (v & 0x0FFFFFFF00000000) << 4;
}

#ifdef GCDUMP_HAVE_BMI
GCDUMP_BMI static inline uint64_t gcdump_groups_bmi(uint64_t v)
{
    return _pext_u64(v, 0x7F7F7F7F7F7F7F7F) << 8;
}
#endif

/* One of each two, for functions that are inlined into each kind of loop. */
typedef int32_t gcdump_value(const unsigned char *p, unsigned *more);
typedef uint64_t gcdump_grouping(uint64_t v);
enum { GCDUMP_LONGER = 4 };

struct gcdump_head {
    uint32_t type;
    int32_t size;
};

/* The same byte by byte, for the last records and long numbers. */
static inline bool gcdump_any_head(const struct gcdump *d, const unsigned char **at,
                                   struct gcdump_head *h)
{
    const unsigned char *end = d->blob.data + d->blob.size;
    bool ok = true;
    uint32_t type_and_flag = (uint32_t)gcdump_compressed(at, end, &ok);
    h->type = type_and_flag >> 1;
    if (!ok || h->type >= d->type_count)
        return false;
    h->size =
        type_and_flag & 1 ? gcdump_compressed(at, end, &ok) : d->default_sizes[h->type];
    return ok && h->size >= 0;
}

/* Reads the usual head: a type of at most four bytes, a size of at most three, and not
 * among the last records. False if it may be another one, which gcdump_any_head() reads. No
 * unpredictable branch: a mispredicted one costs more than all of this. */
static inline __attribute__((always_inline)) bool
gcdump_usual_head(const struct gcdump *d, const unsigned char **at, struct gcdump_head *h,
                  gcdump_grouping *groups)
{
    enum { BYTES = 8, LONGEST_TYPE = 32, LONGEST_SIZE = 24 };
    const uint64_t no_end = UINT64_C(1) << 63;
    const unsigned char *p = *at;
    if ((size_t)(d->blob.data + d->blob.size - p) < BYTES)
        return false;
    uint64_t bytes = le_u64(p), ends = ~bytes & 0x8080808080808080;
    /* Bits of the type, and of the size. A number without an end looks longer than
     * LONGEST_SIZE. */
    unsigned one = (unsigned)__builtin_ctzll(ends | no_end) + 1;
    unsigned two = (unsigned)__builtin_ctzll((ends & (ends - 1)) | no_end) + 1 - one;
    uint64_t values = groups(__builtin_bswap64(bytes));
    unsigned one_value = one - one / 8, two_value = two - two / 8;
    uint32_t type_and_flag = (uint32_t)((int64_t)values >> ((64 - one_value) & 63));
    h->type = type_and_flag >> 1;
    if (one > LONGEST_TYPE || h->type >= d->type_count)
        return false;
    uint32_t has_size = 0 - (type_and_flag & 1);
    uint32_t size = (uint32_t)((int64_t)(values << one_value) >> ((64 - two_value) & 63));
    uint32_t usual = (uint32_t)d->default_sizes[h->type];
    h->size = (int32_t)(usual ^ ((usual ^ size) & has_size));
    *at = p + (one + (two & has_size)) / 8;
    /* both must be at least 0 */
    uint32_t less = (LONGEST_SIZE - two) & has_size;
    return (int32_t)((uint32_t)h->size | less) >= 0;
}

#endif
