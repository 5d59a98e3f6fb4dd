/* little_endian.h - read and write numbers with the lowest byte first, as in files and on
 * sockets. Byte by byte, for any alignment and any byte order of the processor; compilers
 * merge the bytes into one load. The caller has checked that the bytes exist. */
#ifndef LITTLE_ENDIAN_H
#define LITTLE_ENDIAN_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t le_u16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t le_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static inline uint64_t le_u64(const unsigned char *p)
{
    return le_u32(p) | (uint64_t)le_u32(p + 4) << 32;
}

/* Stores the lowest size bytes, at most 8, of value. */
static inline void le_put(unsigned char *to, uint64_t value, size_t size)
{
#pragma GCC unroll 8 /* one store where the size is known */
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

#endif
