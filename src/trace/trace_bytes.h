/* trace_bytes.h - the bytes of a trace, as far as they have come.
 *
 * Two levels. A trace_bytes follows an input without holding it: bytes are taken in
 * pieces of any size, contiguous even where two blocks of the input meet. A trace_fields
 * reads values out of one such piece; like a cursor it fails once and stays failed, but
 * it gives no message: what a short piece means is for its reader to say. */
#ifndef TRACE_BYTES_H
#define TRACE_BYTES_H

#include "base/account.h"
#include "base/input.h"
#include "base/little_endian.h"
#include "base/text.h"

struct trace_bytes {
    struct input *in;
    struct hd_error *err;
    const unsigned char *next, *end; /* what is at hand */
    uint64_t at;                     /* offset of next in the input */
    unsigned char *joined;           /* pieces that lay in two blocks */
    size_t joined_cap;
    struct account *account; /* charged for them; NULL: nobody counts */
    bool failed;             /* the input could not be read; err says why */
};

struct trace_bytes trace_bytes_begin(struct input *in, struct hd_error *err);
void trace_bytes_free(struct trace_bytes *b);

/* The next size bytes, until the next call; NULL when the input ends before. */
const unsigned char *trace_bytes_read(struct trace_bytes *b, size_t size);

/* The next bytes without taking them: size, or *got if the input ends before. */
const unsigned char *trace_bytes_peek(struct trace_bytes *b, size_t size, size_t *got);

/* False when the input ends before. */
bool trace_bytes_skip(struct trace_bytes *b, uint64_t size);

struct trace_fields {
    const unsigned char *at, *end;
    bool failed;
};

uint8_t trace_field_u8(struct trace_fields *f);
uint16_t trace_field_u16(struct trace_fields *f);
uint32_t trace_field_u32(struct trace_fields *f);
uint64_t trace_field_u64(struct trace_fields *f);
struct bytes trace_field_bytes(struct trace_fields *f, size_t size);

/* A number of at most that many bits, 32 or 64: 7 to a byte, the lowest first. */
uint64_t trace_varuint(struct trace_fields *f, unsigned bits);

/* UTF-8 behind its length as a varuint. */
struct bytes trace_string(struct trace_fields *f);

/* UTF-16 up to a zero, which is taken but not given. */
struct bytes trace_wide(struct trace_fields *f);

/* Append it as UTF-8. */
void trace_wide_text(struct text *t, struct bytes wide);

#endif
