/* Positions of references in an object, from the words before its MethodTable: shapes
 * written by the collector, and invalid words. */
#include "clr/managed/gc_heap.h"

#include <criterion/criterion.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LESS(n) (0 - UINT64_C(n)) /* a negative number of 64 bits */
#define ITEM(pointers, skip) ((uint64_t)(pointers) | (uint64_t)(skip) << 32)

enum { MAX_WORDS = 8, MAX_RUNS = 3 };
static const uint64_t base = 0x10000;

/* Words in order of address; the MethodTable follows the last one. */
static struct gc_descriptor read_words(const uint64_t *words, size_t count, uint32_t size,
                                       uint32_t element, struct arena *a)
{
    unsigned char bytes[8 * MAX_WORDS];
    for (size_t i = 0; i < count; i++)
        le_put(bytes + 8 * i, words[i], 8);
    struct memory_piece piece = {base, 8 * count, bytes};
    struct memory m = {.all = &piece, .len = 1};
    return gc_descriptor_read(&m, base + 8 * count, size, element, a);
}

struct walked {
    uint64_t offsets[32];
    size_t len;
};

static void take(void *context, uint64_t offset, uint32_t number)
{
    struct walked *w = context;
    (void)number;
    if (w->len < COUNT(w->offsets))
        w->offsets[w->len] = offset;
    w->len++;
}

static const struct example {
    uint64_t words[MAX_WORDS];
    size_t count;
    uint32_t size, element;
    enum gc_shape shape;
    uint64_t object; /* bytes of an object */
    uint64_t offsets[6];
    size_t len;
} good[] = {
    /* One run, two runs of which the lower is first in memory. */
    {{LESS(40) + 16, 8, 1}, 3, 40, 0, GC_RUNS, 40, {8, 16}, 2},
    {{LESS(56) + 8, 8, LESS(56) + 16, 32, 2}, 5, 56, 0, GC_RUNS, 56, {32, 40, 8}, 3},
    /* References, and structs of references only. */
    {{LESS(24), 16, 1}, 3, 24, 8, GC_ARRAY, 48, {16, 24, 32}, 3},
    {{LESS(24), 16, 1}, 3, 24, 16, GC_ELEMENTS, 56, {16, 24, 32, 40}, 4},
    /* Structs of a number and a reference; of two with a number between. */
    {{ITEM(1, 8), 24, LESS(1)}, 3, 24, 16, GC_ELEMENTS, 56, {24, 40}, 2},
    {{ITEM(1, 0), ITEM(1, 8), 16, LESS(2)}, 4, 24, 24, GC_ELEMENTS, 48, {16, 32}, 2},
    /* Too short for its references. */
    {{LESS(24), 16, 1}, 3, 24, 8, GC_ARRAY, 24, {0}, 0},
    {{ITEM(1, 8), 24, LESS(1)}, 3, 24, 16, GC_ELEMENTS, 39, {0}, 0},
};

Test(gc_descriptor, leads_to_every_reference)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        const struct example *e = &good[i];
        struct arena a = {0};
        struct gc_descriptor d = read_words(e->words, e->count, e->size, e->element, &a);
        struct walked w = {0};
        cr_assert_eq(d.shape, e->shape, "case %zu", i);
        gc_descriptor_walk(&d, e->object, take, &w);
        cr_assert_eq(w.len, e->len, "case %zu: %zu", i, w.len);
        for (size_t n = 0; n < w.len; n++)
            cr_expect_eq(w.offsets[n], e->offsets[n], "case %zu", i);
        arena_free(&a);
    }
}

Test(gc_descriptor, that_is_invalid_gives_no_references)
{
    static const struct {
        uint64_t words[MAX_WORDS];
        size_t count;
        uint32_t size, element;
    } bad[] = {
        {{0}, 1, 40, 0},
        {{LESS(40) + 16, 8, 1}, 3, 7, 0},                    /* smaller than its header */
        {{8, 1}, 2, 40, 0},                                  /* missing runs */
        {{16, 1}, 2, 24, 8},                                 /* the same for an array */
        {{24, LESS(1)}, 2, 24, 16},                          /* and for elements */
        {{LESS(40) + 16, 0, 1}, 3, 40, 0},                   /* the MethodTable itself */
        {{LESS(40) + 16, 32, 1}, 3, 40, 0},                  /* the next object's header */
        {{LESS(40) + 32, 8, 1}, 3, 40, 0},                   /* over the end */
        {{LESS(40) + 12, 8, 1}, 3, 40, 0},                   /* half a reference */
        {{LESS(40), 8, 1}, 3, 40, 0},                        /* an empty run */
        {{LESS(40) + 24, 8, LESS(40) + 16, 8, 2}, 5, 40, 0}, /* some twice */
        {{LESS(40) + 8, 8, 6}, 3, 40, 0},        /* more than there is space for */
        {{LESS(24), 16, 1}, 3, 24, 12},          /* elements of half a word */
        {{LESS(24), 24, 1}, 3, 24, 8},           /* not at the start of elements */
        {{LESS(24), 16, 2}, 3, 24, 8},           /* an array with two runs */
        {{ITEM(0, 16), 16, LESS(1)}, 3, 24, 16}, /* an empty item */
        {{ITEM(1, 0), 24, LESS(1)}, 3, 24, 16},  /* shorter than an element */
        {{ITEM(1, 16), 16, LESS(1)}, 3, 24, 16}, /* longer */
        {{ITEM(3, 0), 16, LESS(1)}, 3, 24, 16},  /* references after its end */
        {{ITEM(1, 8), 40, LESS(1)}, 3, 24, 16},  /* begins in the next element */
        {{ITEM(1, 8), 8, LESS(1)}, 3, 24, 16},   /* begins in the header */
        {{ITEM(1, 8), 20, LESS(1)}, 3, 24, 16},  /* between two words */
        {{ITEM(1, 8), 16, LESS(3)}, 3, 24, 16},  /* more than there is space for */
        {{0, 0, UINT64_C(1) << 63}, 3, 24, 16},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct arena a = {0};
        struct gc_descriptor d =
            read_words(bad[i].words, bad[i].count, bad[i].size, bad[i].element, &a);
        struct walked w = {0};
        cr_expect_eq(d.shape, GC_DAMAGED, "case %zu", i);
        gc_descriptor_walk(&d, 100, take, &w);
        cr_expect_eq(w.len, 0, "case %zu", i);
        arena_free(&a);
    }
    struct memory none = {0};
    struct arena a = {0};
    cr_expect_eq(gc_descriptor_read(&none, base, 40, 0, &a).shape, GC_DAMAGED);
    arena_free(&a);
}
