#include "process/memory_watch.h"

#include "base/search.h"

#include <string.h>

enum { WORD_BITS = 64, PAGE_WORDS = WATCH_PAGE / WORD_BITS };

struct memory_watch {
    struct arena *arena;
    uint64_t **pages; /* a bit for each byte, of all pages of all pieces; NULL: not kept */
    size_t *first;    /* of every piece the number of its first page */
    size_t recent;    /* the piece that was asked for last */
    bool is_away;
};

/* --- where an address is ------------------------------------------------------- */

static uint64_t page_of(uint64_t address)
{
    return address / WATCH_PAGE;
}

static uint64_t pages_of(const struct memory_piece *p)
{
    return page_of(p->address + p->size - 1) - page_of(p->address) + 1;
}

static bool ends_before(const void *all, size_t i, const void *wanted)
{
    const struct memory_piece *p = (const struct memory_piece *)all + i;
    return p->address + p->size <= *(const uint64_t *)wanted;
}

static bool is_in(const struct memory_piece *p, uint64_t address)
{
    return address >= p->address && address - p->address < p->size;
}

/* The piece that has an address, or m->len. */
static size_t piece_at(const struct memory *m, uint64_t address)
{
    struct memory_watch *w = m->watch;
    if (w->recent < m->len && is_in(&m->all[w->recent], address))
        return w->recent;
    size_t i = search_first(m->all, 0, m->len, ends_before, &address);
    if (i == m->len || m->all[i].address > address)
        return m->len;
    w->recent = i;
    return i;
}

static uint64_t **page_at(const struct memory *m, size_t piece, uint64_t address)
{
    uint64_t number = page_of(address) - page_of(m->all[piece].address);
    return &m->watch->pages[m->watch->first[piece] + number];
}

/* --- keeping ------------------------------------------------------------------- */

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

/* Bits from `from` up to `end` of a word. */
static uint64_t bits_of(unsigned from, unsigned end)
{
    uint64_t below = end < WORD_BITS ? (UINT64_C(1) << end) - 1 : UINT64_MAX;
    return below & ~((UINT64_C(1) << from) - 1);
}

enum change { HOLD, KEEP, FORGET };

static void change_page(uint64_t *bits, unsigned from, unsigned end, enum change what)
{
    for (unsigned word = from / WORD_BITS; word * WORD_BITS < end; word++) {
        unsigned begin = word * WORD_BITS;
        uint64_t some =
            bits_of(from > begin ? from - begin : 0,
                    end - begin < WORD_BITS ? end - begin : (unsigned)WORD_BITS);
        bits[word] = what == KEEP ? bits[word] | some : bits[word] & ~some;
    }
}

/* What is not there is passed over, up to the next piece. */
static void change_all(const struct memory *m, uint64_t address, uint64_t size,
                       enum change what)
{
    struct memory_watch *w = m->watch;
    while (size > 0) {
        size_t i = piece_at(m, address);
        if (i == m->len)
            return;
        const struct memory_piece *p = &m->all[i];
        unsigned from = (unsigned)(address % WATCH_PAGE);
        uint64_t part = WATCH_PAGE - from, left = p->size - (address - p->address);
        part = part < left ? part : left;
        part = part < size ? part : size;
        uint64_t **page = page_at(m, i, address);
        if (*page == NULL && what != FORGET)
            *page = arena_array(w->arena, uint64_t, PAGE_WORDS);
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
    if (m->watch != NULL)
        change_all(m, address, size, KEEP);
}

void memory_hold(const struct memory *m, uint64_t address, uint64_t size)
{
    if (m->watch != NULL)
        change_all(m, address, size, HOLD);
}

void memory_forget(const struct memory *m, uint64_t address, uint64_t size)
{
    if (m->watch != NULL)
        change_all(m, address, size, FORGET);
}

bool memory_look_away(const struct memory *m, bool away)
{
    bool before = m->watch != NULL && m->watch->is_away;
    if (m->watch != NULL)
        m->watch->is_away = away;
    return before;
}

/* --- what was kept ------------------------------------------------------------- */

/* The first kept page of a piece from a page number on, or how many it has. */
static uint64_t next_page(const struct memory *m, size_t piece, uint64_t number, bool kept)
{
    uint64_t count = pages_of(&m->all[piece]);
    uint64_t *const *pages = m->watch->pages + m->watch->first[piece];
    while (number < count && (pages[number] != NULL) != kept)
        number++;
    return number;
}

/* Where a page of a piece begins, or the piece. */
static uint64_t begin_of(const struct memory_piece *p, uint64_t number)
{
    uint64_t at = (page_of(p->address) + number) * WATCH_PAGE;
    return number == 0 ? p->address : at;
}

uint64_t memory_kept_from(const struct memory *m, uint64_t *address)
{
    size_t i = search_first(m->all, 0, m->len, ends_before, address);
    for (; i < m->len; i++) {
        const struct memory_piece *p = &m->all[i];
        uint64_t first =
            *address > p->address ? page_of(*address) - page_of(p->address) : 0;
        uint64_t begin = next_page(m, i, first, true), count = pages_of(p);
        if (begin == count)
            continue;
        uint64_t end = next_page(m, i, begin, false);
        *address = begin_of(p, begin);
        return (end == count ? p->address + p->size : begin_of(p, end)) - *address;
    }
    return 0;
}

void memory_kept_copy(const struct memory *m, uint64_t address, size_t size,
                      unsigned char *to)
{
    memset(to, 0, size);
    size_t i = piece_at(m, address);
    if (i == m->len)
        return;
    const uint64_t *bits = *page_at(m, i, address);
    const unsigned char *from = m->all[i].bytes + (address - m->all[i].address);
    unsigned first = (unsigned)(address % WATCH_PAGE);
    for (unsigned at = first; bits != NULL && at < first + size; at++) {
        uint64_t word = bits[at / WORD_BITS];
        if (word == 0)
            at |= WORD_BITS - 1;
        else if (word >> at % WORD_BITS & 1)
            to[at - first] = from[at - first];
    }
}
