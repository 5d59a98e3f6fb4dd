/* gcdump_record.h - a node record of a .gcdump, number by number.
 *
 * A record begins with type * 2 + 1 if its size follows, else type * 2; then come the
 * number of references and the references, as distances. Who counts nodes and who builds a
 * graph read records with the same functions, inlined: there are ten million of them. It
 * knows where records lie (gcdump.h), not what is done with them. */
#ifndef GCDUMP_RECORD_H
#define GCDUMP_RECORD_H

#include "base/little_endian.h"
#include "format/gcdump/gcdump.h"

/* Number i of a table of unaligned numbers. */
static inline uint32_t gcdump_u32(const unsigned char *table, uint64_t i)
{
    return le_u32(table + 4 * i);
}

static inline uint64_t gcdump_u64(const unsigned char *table, uint64_t i)
{
    return le_u64(table + 8 * i);
}

/* One value of 1 to 5 bytes: groups of 7 bits, the highest first, bit 7 set while another
 * follows; signed by bit 6 of the first. Arithmetic is modulo 2^32. *ok becomes false if it
 * has no end in front of end. */
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

/* gcdump_compressed() for at most 4 bytes, *len of them; 5 if there are more. Four bytes
 * must be there. It has no branch: lengths that nobody can foresee make a wrong one cost
 * more than all of this. */
static inline int32_t gcdump_short_value(const unsigned char *p, unsigned *len)
{
    uint32_t v = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    uint32_t ends = ~v & 0x80808080;
    *len = ends != 0 ? (unsigned)__builtin_clz(ends) / 8 + 1 : 5;
    /* The groups side by side, then those of this value, with its sign. */
    v = (v & 0x7F) | (v >> 1 & 0x3F80) | (v >> 2 & 0x1FC000) | (v >> 3 & 0xFE00000);
    v <<= 4;
    unsigned bits = 7 * *len;
    return bits <= 28 ? (int32_t)v >> (32 - bits) : 0;
}

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

/* What stands in front of the references of the record at *at, which lies in the blob; *at
 * is then behind it. False if it runs over the end, if its type does not exist or if it has
 * no valid size. */
static inline bool gcdump_head(const struct gcdump *d, const unsigned char **at,
                               struct gcdump_head *h)
{
    enum { MOST_BYTES = 8 }; /* that are looked at here, used or not */
    const unsigned char *start = *at;
    if ((size_t)(d->blob.data + d->blob.size - start) < MOST_BYTES)
        return gcdump_any_head(d, at, h);
    unsigned type_len, size_len;
    uint32_t type_and_flag = (uint32_t)gcdump_short_value(start, &type_len);
    if (type_len > 4)
        return gcdump_any_head(d, at, h);
    int32_t size = gcdump_short_value(start + type_len, &size_len);
    h->type = type_and_flag >> 1;
    if (h->type >= d->type_count)
        return false;
    bool has_size = type_and_flag & 1;
    h->size = has_size ? size : d->default_sizes[h->type];
    size_len = has_size ? size_len : 0;
    if (size_len > 4)
        return gcdump_any_head(d, at, h);
    *at = start + type_len + size_len;
    return h->size >= 0;
}

#endif
