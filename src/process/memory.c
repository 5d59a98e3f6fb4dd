#include "process/memory.h"

#include "base/search.h"
#include "process/memory_watch.h"

#include <stdlib.h>
#include <string.h>

/* --- pieces in any order to pieces by address ------------------------------------------
 */

/* A line over all addresses: at every begin and end of a piece it is asked which piece
 * counts from there on, the first of those that are open. */
struct sweep {
    const struct memory_piece *given;
    size_t *by_start; /* numbers of pieces */
    uint64_t *edges;  /* all begins and ends, ascending */
    size_t *open;     /* a heap of numbers, the smallest on top; may hold closed ones */
    size_t count, open_len;
};

/* An end that does not fit into 64 bits is cut. */
static uint64_t end_of(const struct memory_piece *p)
{
    return p->size > UINT64_MAX - p->address ? UINT64_MAX : p->address + p->size;
}

struct place {
    uint64_t address;
    size_t number;
};

static int compare_places(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void open_push(struct sweep *s, size_t number)
{
    size_t i = s->open_len++;
    for (; i > 0 && s->open[(i - 1) / 2] > number; i = (i - 1) / 2)
        s->open[i] = s->open[(i - 1) / 2];
    s->open[i] = number;
}

static void open_pop(struct sweep *s)
{
    size_t last = s->open[--s->open_len], i = 0;
    for (size_t child; (child = 2 * i + 1) < s->open_len; i = child) {
        if (child + 1 < s->open_len && s->open[child + 1] < s->open[child])
            child++;
        if (s->open[child] >= last)
            break;
        s->open[i] = s->open[child];
    }
    s->open[i] = last;
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

/* From one edge to the next nothing begins or ends. */
static void sweep_over(struct sweep *s, struct memory *m)
{
    size_t next = 0;
    for (size_t e = 0; e + 1 < 2 * s->count; e++) {
        uint64_t begin = s->edges[e], end = s->edges[e + 1];
        while (next < s->count && s->given[s->by_start[next]].address <= begin)
            open_push(s, s->by_start[next++]);
        while (s->open_len > 0 && end_of(&s->given[s->open[0]]) <= begin)
            open_pop(s);
        if (begin < end && s->open_len > 0)
            add_piece(m, &s->given[s->open[0]], begin, end);
    }
}

static void sort_edges(struct sweep *s)
{
    struct place *places = alloc_resize(NULL, array_bytes(2 * s->count, sizeof(*places)));
    for (size_t i = 0; i < s->count; i++)
        places[i] = (struct place){s->given[i].address, i};
    qsort(places, s->count, sizeof(*places), compare_places);
    for (size_t i = 0; i < s->count; i++)
        s->by_start[i] = places[i].number;
    for (size_t i = 0; i < s->count; i++)
        places[s->count + i] = (struct place){end_of(&s->given[i]), i};
    qsort(places, 2 * s->count, sizeof(*places), compare_places);
    for (size_t i = 0; i < 2 * s->count; i++)
        s->edges[i] = places[i].address;
    free(places);
}

struct memory memory_of(const struct memory_piece *pieces, size_t count, struct arena *a)
{
    struct memory m = {0};
    if (count == 0)
        return m;
    struct arena scratch = {0};
    struct sweep s = {.given = pieces, .count = count};
    s.by_start = arena_array(&scratch, size_t, count);
    s.open = arena_array(&scratch, size_t, count);
    s.edges = arena_array(&scratch, uint64_t, 2 * count);
    sort_edges(&s);
    m.all = arena_array(&scratch, struct memory_piece, 2 * count);
    sweep_over(&s, &m);
    struct memory_piece *all = arena_array(a, struct memory_piece, m.len);
    if (m.len > 0)
        memcpy(all, m.all, m.len * sizeof(*all));
    m.all = all;
    arena_free(&scratch);
    return m;
}

/* --- reading ------------------------------------------------------------------------- */

static bool ends_before(const void *all, size_t i, const void *wanted)
{
    const struct memory_piece *p = (const struct memory_piece *)all + i;
    return p->address + p->size <= *(const uint64_t *)wanted;
}

struct bytes memory_from(const struct memory *m, uint64_t address)
{
    size_t i = search_first(m->all, 0, m->len, ends_before, &address);
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

/* A number that lies across two pieces is there as well. */
static inline uint64_t number(const struct memory *m, uint64_t address, size_t size,
                              bool *ok)
{
    unsigned char copy[8] = {0};
    const unsigned char *p = memory_at(m, address, size);
    if (p == NULL &&
        (memory_copy(m, address, copy, size) ||
         (m->behind != NULL && m->behind->read(m->behind, address, copy, size))))
        p = copy;
    if (p == NULL) {
        *ok = false;
        return 0;
    }
    return size == 8 ? le_u64(p) : size == 4 ? le_u32(p) : size == 2 ? le_u16(p) : *p;
}

uint64_t memory_u64(const struct memory *m, uint64_t address, bool *ok)
{
    return number(m, address, 8, ok);
}

uint32_t memory_u32(const struct memory *m, uint64_t address, bool *ok)
{
    return (uint32_t)number(m, address, 4, ok);
}

uint16_t memory_u16(const struct memory *m, uint64_t address, bool *ok)
{
    return (uint16_t)number(m, address, 2, ok);
}

uint8_t memory_u8(const struct memory *m, uint64_t address, bool *ok)
{
    return (uint8_t)number(m, address, 1, ok);
}
