/* A trace: parsed into blocks, one of which is changed, dropped or duplicated, or a row in
 * it; sizes and the padding before a block are recomputed (docs/formats/nettrace.md). Also
 * the answer of a runtime, which may be followed by a trace. */
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCKS = 200, MAX_ROWS = 200, OLD_MAGIC = 24, MAGIC = 32, NEW_MAGIC = 20 };

struct block {
    size_t begin, size_at, content, size, end; /* size_at 0: of a fixed size */
};

struct blocks {
    struct block all[MAX_BLOCKS];
    size_t count, tail; /* tail: bytes after the last one */
    bool is_new;        /* version 6: kind and size precede each */
};

/* --- blocks ------------------------------------------------------------------------ */

static bool add(struct blocks *b, const struct piece *p, struct block block)
{
    if (block.end > p->size || block.end < block.content || b->count == MAX_BLOCKS)
        return false;
    b->all[b->count++] = block;
    b->tail = block.end;
    return true;
}

static bool find_new(struct blocks *b, const struct piece *p)
{
    size_t at = b->tail;
    if (at + 4 > p->size)
        return false;
    size_t size = (size_t)(piece_get(p, at, 4) & 0xFFFFFF);
    return add(b, p, (struct block){at, at, at + 4, size, at + 4 + size});
}

static bool find_old(struct blocks *b, const struct piece *p)
{
    enum { HEAD = 15, TRACE_SIZE = 48 };
    size_t at = b->tail;
    if (at + HEAD > p->size || (p->data[at] != 5 && p->data[at] != 4))
        return false;
    size_t len = (size_t)piece_get(p, at + 11, 4), name = at + HEAD;
    if (len > 64 || name + len + 5 > p->size)
        return false;
    size_t after = name + len + 1;
    if ((len == 5 && memcmp(p->data + name, "Trace", 5) == 0) || len == 38)
        return add(b, p, (struct block){at, 0, after, TRACE_SIZE, after + TRACE_SIZE + 1});
    size_t size = (size_t)piece_get(p, after, 4), content = (after + 4 + 3) & ~(size_t)3;
    return add(b, p, (struct block){at, after, content, size, content + size + 1});
}

static bool find_blocks(struct blocks *b, const struct piece *p)
{
    if (p->size > NEW_MAGIC && memcmp(p->data, "Nettrace", 8) == 0) {
        b->is_new = piece_get(p, 8, 4) == 0;
        b->tail = b->is_new ? NEW_MAGIC : MAGIC;
    } else if (p->size > OLD_MAGIC &&
               memcmp(p->data, "\x14\0\0\0!FastSerialization.1", OLD_MAGIC) == 0) {
        b->tail = OLD_MAGIC;
    }
    while (b->tail > 0 && (b->is_new ? find_new(b, p) : find_old(b, p)))
        continue;
    return b->count > 1;
}

/* Writes blocks one after the other, with the padding for their new positions. `skip` is
 * left out, `twice` written twice; MAX_BLOCKS: none. */
static void put_together(const struct blocks *b, struct piece *p, size_t skip, size_t twice)
{
    size_t capacity = 2 * p->size + 8 * MAX_BLOCKS, len = b->all[0].begin;
    uint8_t *to = malloc(capacity);
    if (to == NULL)
        abort();
    memcpy(to, p->data, len);
    for (size_t i = 0; i < b->count; i++)
        for (size_t times = i == skip ? 0 : i == twice ? 2 : 1; times > 0; times--) {
            const struct block *k = &b->all[i];
            size_t head = k->size_at == 0 || b->is_new ? k->content - k->begin
                                                       : k->size_at + 4 - k->begin;
            memcpy(to + len, p->data + k->begin, head);
            len += head;
            while (k->size_at != 0 && !b->is_new && len % 4 != 0)
                to[len++] = 0;
            memcpy(to + len, p->data + k->content, k->end - k->content);
            len += k->end - k->content;
        }
    memcpy(to + len, p->data + b->tail, p->size - b->tail);
    len += p->size - b->tail;
    if (len <= p->capacity) {
        memcpy(p->data, to, len);
        p->size = len;
    }
    free(to);
}

/* --- rows -------------------------------------------------------------------------- */

struct row {
    size_t size_at, size_len; /* of the varuint; 0: unchanged */
    size_t payload, size;
};

static uint64_t varuint(const struct piece *p, size_t *at, size_t end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned c = p->data[(*at)++];
        value |= (uint64_t)(c & 0x7F) << shift;
        if (c < 0x80)
            break;
    }
    return value;
}

/* Rows with compressed heads. */
static size_t find_rows(const struct piece *p, const struct block *k, bool is_new,
                        struct row *rows)
{
    size_t end = k->content + k->size, count = 0, size = 0;
    if (k->size < 20 || (piece_get(p, k->content + 2, 2) & 1) == 0)
        return 0;
    for (size_t at = k->content + (size_t)piece_get(p, k->content, 2);
         at < end && count < MAX_ROWS;) {
        unsigned flags = p->data[at++];
        for (unsigned n = ((flags & 1) != 0) + ((flags & 2) != 0 ? 3U : 0) +
                          ((flags & 4) != 0) + ((flags & 8) != 0) + 1;
             n > 0; n--)
            varuint(p, &at, end);
        if (is_new && (flags & 16) != 0)
            varuint(p, &at, end);
        else if (!is_new)
            at += (flags & 16) + ((flags & 32) != 0 ? 16U : 0);
        struct row r = {.size_at = at};
        if ((flags & 128) != 0)
            size = (size_t)varuint(p, &at, end);
        r.size_len = at - r.size_at;
        r.payload = at;
        r.size = size;
        if (at > end || size > end - at)
            break;
        rows[count++] = r;
        at += size;
    }
    return count;
}

static void set_varuint(struct piece *p, const struct row *r, uint64_t value)
{
    for (size_t i = 0; i < r->size_len; i++, value >>= 7)
        p->data[r->size_at + i] =
            (uint8_t)((value & 0x7F) | (i + 1 < r->size_len ? 0x80 : 0));
}

/* Returns the growth of the block. */
static long change_row(struct piece *p, const struct row *r, struct dice *d)
{
    size_t width = dice_below(d, 2) == 0 ? 4 : 8;
    if (r->size >= width && dice_below(d, 2) == 0) {
        size_t at = r->payload + dice_below(d, r->size - width + 1);
        uint64_t now = piece_get(p, at, width);
        if (dice_below(d, 2) == 0) /* from another place: ids coincide */
            now = piece_get(p, r->payload + dice_below(d, r->size - width + 1), width);
        else
            now = dice_number(d, now);
        piece_put(p, at, width, now);
        return 0;
    }
    long by = piece_mutate(p, r->payload, r->size, r->size_len > 0);
    if (r->size_len > 0)
        set_varuint(p, r, r->size + (uint64_t)by);
    return by;
}

static long change_content(struct piece *p, const struct block *k, bool is_new,
                           struct dice *d)
{
    static struct row rows[MAX_ROWS];
    size_t count = find_rows(p, k, is_new, rows);
    if (count > 0 && dice_below(d, 8) != 0)
        return change_row(p, &rows[dice_below(d, count)], d);
    return piece_mutate(p, k->content, k->size, k->size_at != 0);
}

bool mutate_nettrace(struct piece *p, struct dice *d)
{
    static struct blocks b;
    b = (struct blocks){0};
    if (!find_blocks(&b, p))
        return false;
    size_t which = dice_below(d, b.count), throw = dice_below(d, 16);
    struct block *k = &b.all[which];
    if (throw == 0) {
        put_together(&b, p, which, MAX_BLOCKS);
    } else if (throw == 1) {
        put_together(&b, p, MAX_BLOCKS, which);
    } else if (throw == 2 && k->size_at != 0) {
        piece_put(p, k->size_at, 4, dice_number(d, piece_get(p, k->size_at, 4)));
    } else {
        long by = change_content(p, k, b.is_new, d);
        if (k->size_at != 0)
            piece_put(p, k->size_at, b.is_new ? 3 : 4, k->size + (size_t)by);
        k->end += (size_t)by;
        b.tail += (size_t)by;
        for (size_t i = which + 1; i < b.count; i++) {
            b.all[i].begin += (size_t)by;
            b.all[i].size_at += b.all[i].size_at != 0 ? (size_t)by : 0;
            b.all[i].content += (size_t)by;
            b.all[i].end += (size_t)by;
        }
        put_together(&b, p, MAX_BLOCKS, MAX_BLOCKS);
    }
    return true;
}

/* --- answers ----------------------------------------------------------------------- */

bool mutate_reply(struct piece *p, struct dice *d)
{
    enum { HEAD = 20 };
    if (p->size < HEAD || memcmp(p->data, "DOTNET_IPC_V1", 13) != 0)
        return false;
    size_t size = (size_t)piece_get(p, 14, 2);
    if (size < HEAD || size > p->size || dice_below(d, 8) == 0) {
        size_t at = 14 + dice_below(d, 6);
        piece_put(p, at, 1, dice_number(d, p->data[at]));
        return true;
    }
    struct piece trace = {p->data + size, p->size - size, p->capacity - size};
    if (dice_below(d, 4) != 0 && mutate_nettrace(&trace, d)) {
        p->size = size + trace.size;
        return true;
    }
    long by = piece_mutate(p, HEAD, size - HEAD, size < 1 << 15);
    piece_put(p, 14, 2, size + (uint64_t)by);
    return true;
}
