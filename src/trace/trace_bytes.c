#include "trace/trace_bytes.h"

#include "base/alloc.h"
#include "base/utf16.h"

#include <stdlib.h>
#include <string.h>

/* --- following the input ------------------------------------------------- */

struct trace_bytes trace_bytes_begin(struct input *in, struct hd_error *err)
{
    return (struct trace_bytes){.in = in, .err = err};
}

void trace_bytes_free(struct trace_bytes *b)
{
    account_free(b->account, b->joined, b->joined_cap, 1);
    *b = (struct trace_bytes){0};
}

/* The next block of the input; false at its end. */
static bool next_block(struct trace_bytes *b, struct bytes *block)
{
    if (b->failed)
        return false;
    if (account_is_over(b->account)) {
        b->failed = true;
        account_fail(b->account, b->err);
        return false;
    }
    b->failed = !input_next(b->in, block, b->err);
    return !b->failed && block->size > 0;
}

static void reserve(struct trace_bytes *b, size_t size)
{
    enum { FIRST = 512 * 1024 };
    size_t cap = b->joined_cap > 0 ? b->joined_cap : FIRST;
    while (cap < size)
        cap = array_bytes(cap, 2);
    if (cap != b->joined_cap)
        b->joined = alloc_resize(b->joined, cap);
    account_charge(b->account, cap - b->joined_cap);
    b->joined_cap = cap;
}

/* Put what is at hand and whole blocks side by side until there are size bytes. Memory
 * grows with the bytes that came, not with those that were asked for. What is at hand is
 * moved first: the input uses its block again. */
static size_t join(struct trace_bytes *b, size_t size)
{
    size_t have = (size_t)(b->end - b->next);
    if (have > 0) {
        bool joined = b->joined_cap > 0 && b->next >= b->joined &&
                      b->next < b->joined + b->joined_cap;
        if (!joined)
            reserve(b, have);
        memmove(b->joined, b->next, have);
        b->next = b->joined;
        b->end = b->joined + have;
    }
    struct bytes block;
    while (have < size && next_block(b, &block)) {
        if (have == 0 && block.size >= size) {
            b->next = block.data;
            b->end = block.data + block.size;
            return block.size;
        }
        reserve(b, have + block.size);
        memcpy(b->joined + have, block.data, block.size);
        have += block.size;
        b->next = b->joined;
        b->end = b->joined + have;
    }
    return have;
}

const unsigned char *trace_bytes_peek(struct trace_bytes *b, size_t size, size_t *got)
{
    size_t have = (size_t)(b->end - b->next);
    if (have < size)
        have = join(b, size);
    *got = have < size ? have : size;
    return b->next;
}

const unsigned char *trace_bytes_read(struct trace_bytes *b, size_t size)
{
    static const unsigned char nothing[1] = {0};
    size_t got;
    const unsigned char *p = trace_bytes_peek(b, size, &got);
    if (got < size)
        return NULL;
    b->next += size;
    b->at += size;
    return p != NULL ? p : nothing;
}

bool trace_bytes_skip(struct trace_bytes *b, uint64_t size)
{
    for (;;) {
        uint64_t have = (uint64_t)(b->end - b->next);
        size_t part = (size_t)(have < size ? have : size);
        b->at += part;
        size -= part;
        if (part > 0)
            b->next += part;
        struct bytes block;
        if (size == 0)
            return true;
        if (!next_block(b, &block))
            return false;
        b->next = block.data;
        b->end = block.data + block.size;
    }
}

/* --- values -------------------------------------------------------------- */

static const unsigned char *take(struct trace_fields *f, size_t size)
{
    if (f->failed || size > (size_t)(f->end - f->at)) {
        f->failed = true;
        return NULL;
    }
    const unsigned char *p = f->at;
    f->at += size;
    return p;
}

uint8_t trace_field_u8(struct trace_fields *f)
{
    const unsigned char *p = take(f, 1);
    return p != NULL ? p[0] : 0;
}

uint16_t trace_field_u16(struct trace_fields *f)
{
    const unsigned char *p = take(f, 2);
    return p != NULL ? le_u16(p) : 0;
}

uint32_t trace_field_u32(struct trace_fields *f)
{
    const unsigned char *p = take(f, 4);
    return p != NULL ? le_u32(p) : 0;
}

uint64_t trace_field_u64(struct trace_fields *f)
{
    const unsigned char *p = take(f, 8);
    return p != NULL ? le_u64(p) : 0;
}

struct bytes trace_field_bytes(struct trace_fields *f, size_t size)
{
    static const unsigned char nothing[1] = {0};
    const unsigned char *p = take(f, size);
    return p != NULL ? (struct bytes){p, size} : (struct bytes){nothing, 0};
}

uint64_t trace_varuint(struct trace_fields *f, unsigned bits)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned byte = trace_field_u8(f);
        if (shift >= bits) {
            f->failed = true;
            return 0;
        }
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

struct bytes trace_string(struct trace_fields *f)
{
    uint64_t len = trace_varuint(f, 32);
    return trace_field_bytes(f, len <= SIZE_MAX ? (size_t)len : SIZE_MAX);
}

struct bytes trace_wide(struct trace_fields *f)
{
    const unsigned char *start = f->at;
    while (!f->failed && trace_field_u16(f) != 0)
        continue;
    if (f->failed)
        return trace_field_bytes(f, 0);
    return (struct bytes){start, (size_t)(f->at - start) - 2};
}

void trace_wide_text(struct text *t, struct bytes wide)
{
    text_add_utf16(t, wide.data, wide.size / 2, UTF16_LITTLE);
}
