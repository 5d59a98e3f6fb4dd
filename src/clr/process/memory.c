#include "clr/process/memory.h"

#include "base/arrays.h"

#include <stdlib.h>
#include <string.h>

/* --- bytes ----------------------------------------------------------------------- */

struct bytes bytes_within(struct bytes all, uint64_t at, uint64_t size)
{
    if (at >= all.size)
        return (struct bytes){0};
    uint64_t left = all.size - at;
    return (struct bytes){all.data + at, (size_t)(size < left ? size : left)};
}

struct bytes bytes_whole(struct bytes all, uint64_t at, uint64_t size)
{
    if (at > all.size || size > all.size - at)
        return (struct bytes){0};
    return (struct bytes){all.data + at, (size_t)size};
}

const void *bytes_find(const void *in, size_t size, const void *wanted, size_t len)
{
    const unsigned char *at = in, *end = at + size;
    while ((size_t)(end - at) >= len) {
        at = memchr(at, *(const unsigned char *)wanted, (size_t)(end - at) - len + 1);
        if (at == NULL || memcmp(at, wanted, len) == 0)
            return at;
        at++;
    }
    return NULL;
}

void *arena_take_array(struct arena *a, void *all, size_t count, size_t size,
                       int (*order)(const void *, const void *))
{
    void *kept = arena_alloc(a, array_bytes(count, size));
    if (count > 0 && order != NULL)
        qsort(all, count, size, order);
    if (count > 0)
        memcpy(kept, all, count * size);
    free(all);
    return kept;
}

/* --- pieces in any order to pieces by address ------------------------------------ */

/* An end that does not fit into 64 bits is cut. */
static uint64_t memory_end_of(const struct memory_piece *p)
{
    return sum_or_most(p->address, p->size);
}

/* Pieces that cover the address that has been reached: a heap, the first given on top; may
 * hold some that have ended. */
struct open_pieces {
    const struct memory_piece **all;
    size_t len;
};

static void open_push(struct open_pieces *o, const struct memory_piece *piece)
{
    size_t i = o->len++;
    for (; i > 0 && o->all[(i - 1) / 2] > piece; i = (i - 1) / 2)
        o->all[i] = o->all[(i - 1) / 2];
    o->all[i] = piece;
}

static void open_pop(struct open_pieces *o)
{
    const struct memory_piece *last = o->all[--o->len];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < o->len; i = child) {
        if (child + 1 < o->len && o->all[child + 1] < o->all[child])
            child++;
        if (o->all[child] >= last)
            break;
        o->all[i] = o->all[child];
    }
    o->all[i] = last;
}

static void add_piece(struct memory *m, const struct memory_piece *from, uint64_t begin,
                      uint64_t end)
{
    const unsigned char *bytes = from->bytes + (begin - from->address);
    struct memory_piece *last = m->len > 0 ? &m->all[m->len - 1] : NULL;
    if (last != NULL && last->address + last->size == begin &&
        last->bytes + last->size == bytes)
        last->size += end - begin;
    else
        m->all[m->len++] = (struct memory_piece){begin, end - begin, bytes};
}

static int pieces_by_address(const void *x, const void *y)
{
    const struct memory_piece *a = *(const struct memory_piece *const *)x,
                              *b = *(const struct memory_piece *const *)y;
    return a->address != b->address ? compare_numbers(a->address, b->address)
           : a < b                  ? -1
                                    : a > b;
}

/* Each stretch up to the next begin or end of a piece is of the first that covers it. */
struct memory memory_of(const struct memory_piece *pieces, size_t count, struct arena *a)
{
    struct memory m = {0};
    struct arena scratch = {0};
    if (count == 0)
        return m;
    const struct memory_piece **next =
                                  arena_array(&scratch, const struct memory_piece *, count),
                              **last = next + count;
    struct open_pieces open = {
        .all = arena_array(&scratch, const struct memory_piece *, count)};
    m.all = alloc_resize(NULL, array_bytes(2 * count, sizeof(*m.all)));
    for (size_t i = 0; i < count; i++)
        next[i] = &pieces[i];
    qsort(next, count, sizeof(const void *), pieces_by_address);
    for (uint64_t at = 0; open.len > 0 || next < last;) {
        if (open.len == 0)
            at = (*next)->address;
        while (next < last && (*next)->address <= at)
            open_push(&open, *next++);
        while (open.len > 0 && memory_end_of(open.all[0]) <= at)
            open_pop(&open);
        if (open.len == 0)
            continue;
        uint64_t end = memory_end_of(open.all[0]);
        if (next < last && (*next)->address < end)
            end = (*next)->address;
        add_piece(&m, open.all[0], at, end);
        at = end;
    }
    m.all = arena_take_array(a, m.all, m.len, sizeof(*m.all), NULL);
    arena_free(&scratch);
    return m;
}

void memory_pieces_add(struct memory_pieces *p, uint64_t address, struct bytes bytes)
{
    if (bytes.size == 0)
        return;
    p->all = grow(p->all, p->len, &p->cap, sizeof(*p->all));
    p->all[p->len++] = (struct memory_piece){address, bytes.size, bytes.data};
}

/* --- reading ------------------------------------------------------------------------- */

static bool memory_ends_before(const void *all, size_t i, const void *wanted)
{
    const struct memory_piece *p = (const struct memory_piece *)all + i;
    return p->address + p->size <= *(const uint64_t *)wanted;
}

struct bytes memory_from(const struct memory *m, uint64_t address)
{
    size_t i = search_first(m->all, 0, m->len, memory_ends_before, &address);
    if (i == m->len || m->all[i].address > address)
        return (struct bytes){0};
    uint64_t skip = address - m->all[i].address;
    return (struct bytes){m->all[i].bytes + skip, (size_t)(m->all[i].size - skip)};
}

const unsigned char *memory_at(const struct memory *m, uint64_t address, uint64_t size)
{
    struct bytes there = memory_from(m, address);
    if (there.size < size)
        return NULL;
    memory_note(m, address, size);
    return there.data;
}

bool memory_copy(const struct memory *m, uint64_t address, void *to, size_t size)
{
    unsigned char *next = to;
    while (size > 0) {
        struct bytes there = memory_from(m, address);
        size_t part = there.size < size ? there.size : size;
        if (part == 0)
            return false;
        memcpy(next, there.data, part);
        memory_note(m, address, part);
        next += part;
        address += part;
        size -= part;
    }
    return true;
}

/* A number may extend over two pieces. */
static inline uint64_t memory_number(const struct memory *m, uint64_t address, size_t size,
                                     bool *ok)
{
    unsigned char copy[8] = {0};
    const unsigned char *p = memory_at(m, address, size);
    if (p == NULL &&
        (memory_copy(m, address, copy, size) ||
         (m->fallback != NULL && m->fallback->read(m->fallback, address, copy, size))))
        p = copy;
    if (p == NULL && ok != NULL)
        *ok = false;
    if (p == NULL)
        return 0;
    return size == 8 ? le_u64(p) : size == 4 ? le_u32(p) : size == 2 ? le_u16(p) : *p;
}

uint64_t memory_u64(const struct memory *m, uint64_t address, bool *ok)
{
    return memory_number(m, address, 8, ok);
}

uint32_t memory_u32(const struct memory *m, uint64_t address, bool *ok)
{
    return (uint32_t)memory_number(m, address, 4, ok);
}

uint16_t memory_u16(const struct memory *m, uint64_t address, bool *ok)
{
    return (uint16_t)memory_number(m, address, 2, ok);
}

uint8_t memory_u8(const struct memory *m, uint64_t address, bool *ok)
{
    return (uint8_t)memory_number(m, address, 1, ok);
}

/* --- what was looked at -------------------------------------------------------- */

enum { WORD_BITS = 64, PAGE_WORDS = WATCH_PAGE / WORD_BITS };

struct memory_watch {
    struct arena *arena;
    uint64_t **pages; /* a bit for each byte, of all pages of all pieces; NULL: not kept */
    size_t *first;    /* of every piece the number of its first page */
    size_t recent;    /* the piece that was asked for last */
    bool is_away;
};

static uint64_t page_of(uint64_t address)
{
    return address / WATCH_PAGE;
}

static uint64_t pages_of(const struct memory_piece *p)
{
    return page_of(p->address + p->size - 1) - page_of(p->address) + 1;
}

void memory_watch(struct memory *m, struct arena *a)
{
    struct memory_watch *w = arena_alloc(a, sizeof(*w));
    uint64_t pages = 0;
    w->arena = a;
    w->first = arena_array(a, size_t, m->len);
    for (size_t i = 0; i < m->len; i++) {
        w->first[i] = (size_t)pages;
        pages += pages_of(&m->all[i]);
    }
    w->pages = arena_array(a, uint64_t *, (size_t)pages);
    m->watch = w;
}

/* Returns the bits for the page of an address, and its piece; NULL: not in memory. */
static uint64_t **page_at(const struct memory *m, uint64_t address,
                          const struct memory_piece **piece)
{
    struct memory_watch *w = m->watch;
    size_t i = w->recent;
    if (i >= m->len || address < m->all[i].address ||
        address - m->all[i].address >= m->all[i].size)
        i = search_first(m->all, 0, m->len, memory_ends_before, &address);
    if (i == m->len || m->all[i].address > address)
        return NULL;
    w->recent = i;
    *piece = &m->all[i];
    return &w->pages[w->first[i] + (page_of(address) - page_of(m->all[i].address))];
}

enum change { HOLD, KEEP, FORGET };

static void change_page(uint64_t *bits, unsigned from, unsigned end, enum change what)
{
    for (unsigned past; from < end; from = past) {
        past = (from / WORD_BITS + 1) * WORD_BITS;
        past = past < end ? past : end;
        uint64_t some = UINT64_MAX >> (WORD_BITS - (past - from)) << from % WORD_BITS,
                 *word = &bits[from / WORD_BITS];
        *word = what == KEEP ? *word | some : *word & ~some;
    }
}

/* Skips missing memory, up to the next piece. */
static void change_all(const struct memory *m, uint64_t address, uint64_t size,
                       enum change what)
{
    const struct memory_piece *p;
    while (m->watch != NULL && size > 0) {
        uint64_t **page = page_at(m, address, &p);
        if (page == NULL)
            return;
        unsigned from = (unsigned)(address % WATCH_PAGE);
        uint64_t part = WATCH_PAGE - from, left = p->size - (address - p->address);
        part = part < left ? part : left;
        part = part < size ? part : size;
        if (*page == NULL && what != FORGET)
            *page = arena_array(m->watch->arena, uint64_t, PAGE_WORDS);
        if (*page != NULL && what != HOLD)
            change_page(*page, from, from + (unsigned)part, what);
        address += part;
        size -= part;
    }
}

void memory_watch_note(const struct memory *m, uint64_t address, uint64_t size)
{
    if (!m->watch->is_away)
        change_all(m, address, size, KEEP);
}

void memory_keep(const struct memory *m, uint64_t address, uint64_t size)
{
    change_all(m, address, size, KEEP);
}

void memory_hold(const struct memory *m, uint64_t address, uint64_t size)
{
    change_all(m, address, size, HOLD);
}

void memory_forget(const struct memory *m, uint64_t address, uint64_t size)
{
    change_all(m, address, size, FORGET);
}

bool memory_look_away(const struct memory *m, bool away)
{
    bool before = m->watch != NULL && m->watch->is_away;
    if (m->watch != NULL)
        m->watch->is_away = away;
    return before;
}

/* Where a page of a piece begins, or the piece. */
static uint64_t begin_of(const struct memory_piece *p, uint64_t number)
{
    return number == 0 ? p->address : (page_of(p->address) + number) * WATCH_PAGE;
}

uint64_t memory_kept_from(const struct memory *m, uint64_t *address)
{
    size_t i = search_first(m->all, 0, m->len, memory_ends_before, address);
    for (; i < m->len; i++) {
        const struct memory_piece *p = &m->all[i];
        uint64_t *const *pages = m->watch->pages + m->watch->first[i];
        uint64_t begin =
                     *address > p->address ? page_of(*address) - page_of(p->address) : 0,
                 count = pages_of(p);
        while (begin < count && pages[begin] == NULL)
            begin++;
        if (begin == count)
            continue;
        uint64_t end = begin;
        while (end < count && pages[end] != NULL)
            end++;
        *address = begin_of(p, begin);
        return (end == count ? p->address + p->size : begin_of(p, end)) - *address;
    }
    return 0;
}

void memory_kept_copy(const struct memory *m, uint64_t address, size_t size,
                      unsigned char *to)
{
    const struct memory_piece *p;
    uint64_t *const *page = page_at(m, address, &p);
    memset(to, 0, size);
    if (page == NULL)
        return;
    const unsigned char *from = p->bytes + (address - p->address);
    unsigned first = (unsigned)(address % WATCH_PAGE);
    for (unsigned at = first; *page != NULL && at < first + size; at++) {
        uint64_t word = (*page)[at / WORD_BITS];
        if (word == 0)
            at |= WORD_BITS - 1;
        else if (word >> at % WORD_BITS & 1)
            to[at - first] = from[at - first];
    }
}
