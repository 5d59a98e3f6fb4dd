/* Heaps whose strings and arrays have contents. */
#include "identity/laid_out.h"

#include <string.h>

static const uint64_t START = 0x7f0000400000;
enum { STRING = 0, ARRAY = 1 };

/* Half strings and arrays, of few sizes; the rest of few types. */
static struct laid anything(struct random *r, uint32_t number)
{
    uint32_t type = random_below(r, 2) == 0 ? random_below(r, 2) : 2 + random_below(r, 4);
    uint64_t size = 24 + 8 * (type < 2 ? random_below(r, 6) : type);
    return (struct laid){number, type, size, 0, 0};
}

/* Every fourth shares its text with others: one of a hundred texts. */
static uint64_t text_of(const struct laid *object)
{
    return object->number % 4 == 0 ? object->number % 100 : object->number;
}

/* Every second array was refilled. */
static uint64_t text_later(const struct laid *object)
{
    bool refilled = object->type == ARRAY && object->number % 2 == 0;
    return refilled ? 1000000 + object->number : text_of(object);
}

static uint64_t nothing(const struct laid *object)
{
    (void)object;
    return 0;
}

static struct heap_laid many(struct random *r, uint32_t first, uint32_t count)
{
    struct heap_laid h = {.contents = text_of};
    for (uint32_t i = 0; i < count; i++)
        lay(&h, anything(r, first + i));
    slide(&h, START);
    return h;
}

static enum hd_identity_source source_of(const struct heap_laid *a,
                                         const struct heap_laid *b)
{
    struct same s = {0};
    struct hd_snapshot *older = snapshot_of(a), *newer = snapshot_of(b);
    same_align(&s, older, newer, 1);
    enum hd_identity_source source = s.source;
    same_free(&s);
    hd_snapshot_close(older);
    hd_snapshot_close(newer);
    return source;
}

#define expect_share(part, all, percent)                                                 \
    cr_expect_geq(100 * (part), (size_t)(percent) * (all), "%zu of %zu", (size_t)(part), \
                  (size_t)(all))

/* The youngest are all strings; one in fifteen survives, and none is referred to. */
struct thin {
    struct heap_laid a, b;
};

static struct thin thin_survivors(uint64_t seed)
{
    struct random r = random_from(seed);
    struct thin t = {.a = many(&r, 1, 9000), .b = {.contents = text_later}};
    for (size_t i = 3000; i < t.a.len; i++)
        t.a.all[i].type = STRING;
    slide(&t.a, START);
    for (size_t i = 0; i < t.a.len; i++)
        if (i < 3000 || random_below(&r, 15) == 0)
            lay(&t.b, t.a.all[i]);
    for (uint32_t i = 0; i < 2000; i++)
        lay(&t.b, anything(&r, 10000 + i));
    slide(&t.b, START + 4096);
    return t;
}

Test(align_contents, identify_survivors_among_many_dead_objects)
{
    struct tally_of_same with = {0}, without = {0};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct thin t = thin_survivors(seed);
        struct tally_of_same c = compare_laid(&t.a, &t.b, 1);
        with.survived += c.survived, with.right += c.right, with.called += c.called;
        t.a.contents = NULL;
        c = compare_laid(&t.a, &t.b, 1);
        without.right += c.right, without.called += c.called;
        free(t.a.all);
        free(t.b.all);
    }
    expect_share(with.right, with.survived, 97);
    expect_share(with.right, with.called, 99);
    /* 3000 of some 3400 are old. */
    cr_expect_lt(100 * without.right, 92 * with.survived, "%zu of %zu", without.right,
                 with.survived);
}

/* Every tenth string is replaced by another of its size. */
Test(align_contents, take_no_string_for_one_with_another_text)
{
    struct random r = random_from(9);
    struct heap_laid a = many(&r, 1, 4000), b = {.contents = text_later};
    size_t survived = 0;
    for (size_t i = 0; i < a.len; i++) {
        lay(&b, a.all[i]);
        if (i % 5 == 0 && a.all[i].type == STRING)
            b.all[i].number = (uint32_t)(100001 + 4 * i);
        survived += b.all[i].number == a.all[i].number;
    }
    struct tally_of_same t = compare_laid(&a, &b, 1);
    cr_expect_lt(survived, a.len - 150);
    cr_expect_eq(t.survived, survived);
    cr_expect_eq(t.right, survived, "%zu of %zu", t.right, survived);
    cr_expect_eq(t.called, survived, "%zu of %zu", t.called, survived);
    free(a.all);
    free(b.all);
}

/* All arrays were refilled, and some moved. */
Test(align_contents, identify_a_refilled_array)
{
    struct random r = random_from(10);
    struct heap_laid a = many(&r, 1, 4000), b = {.contents = text_of};
    for (size_t i = 0; i < a.len; i++)
        if (random_below(&r, 6) != 0)
            lay(&b, a.all[i]);
    slide(&b, START);
    a.contents = text_later;
    struct tally_of_same t = compare_laid(&a, &b, 1);
    expect_share(t.right, t.survived, 97);
    expect_share(t.right, t.called, 98);
    free(a.all);
    free(b.all);
}

Test(align_contents, count_only_where_both_have_them)
{
    struct thin t = thin_survivors(11);
    cr_expect_eq(source_of(&t.a, &t.b), HD_SAME_BY_CONTENTS);
    t.a.contents = NULL;
    cr_expect_eq(source_of(&t.a, &t.b), HD_SAME_BY_ORDER);
    cr_expect_eq(source_of(&t.b, &t.a), HD_SAME_BY_ORDER);
    struct tally_of_same one = compare_laid(&t.a, &t.b, 1);
    t.b.contents = NULL;
    struct tally_of_same none = compare_laid(&t.a, &t.b, 1);
    cr_expect_eq(one.right, none.right);
    cr_expect_eq(one.called, none.called);
    free(t.a.all);
    free(t.b.all);
}

static node_id *all_next(const struct thin *t, unsigned threads)
{
    struct same s = {0};
    struct hd_snapshot *older = snapshot_of(&t->a), *newer = snapshot_of(&t->b);
    same_align(&s, older, newer, threads);
    hd_snapshot_close(older);
    hd_snapshot_close(newer);
    return s.next;
}

Test(align_contents, give_the_same_for_any_number_of_threads)
{
    struct thin t = thin_survivors(12);
    for (size_t i = 0; i < t.a.len; i++)
        t.a.all[i].size *= 32; /* large enough for several regions */
    for (size_t i = 0; i < t.b.len; i++)
        t.b.all[i].size *= 32;
    slide(&t.a, START);
    slide(&t.b, START);
    node_id *one = all_next(&t, 1);
    for (unsigned threads = 2; threads <= 4; threads++) {
        node_id *more = all_next(&t, threads);
        cr_expect_arr_eq(more, one, t.a.len * sizeof(*one));
        free(more);
    }
    free(one);
    free(t.a.all);
    free(t.b.all);
}

static uint64_t unique(const struct laid *object)
{
    return object->number;
}

static uint64_t by_threes(const struct laid *object)
{
    return object->number % 3;
}

/* For any contents, every inner loop is bounded. */
Test(align_contents, take_few_steps_whatever_they_are)
{
    enum { OBJECTS = 6000, MAX_STEPS = 100 };
    uint64_t (*const all[])(const struct laid *) = {nothing, unique, by_threes};
    for (uint32_t type = STRING; type <= ARRAY; type++)
        for (size_t x = 0; x < 3; x++)
            for (size_t y = 0; y < 3; y++) {
                struct heap_laid a = {.contents = all[x]}, b = {.contents = all[y]};
                for (uint32_t i = 0; i < OBJECTS; i++) {
                    lay(&a, (struct laid){i + 1, type, 24, START + 24 * i, 0});
                    if (i % 7 != 0)
                        lay(&b, (struct laid){i + 1, type, 24, START + 24 * i, 0});
                }
                slide(&b, START + 48);
                uint64_t steps = compare_laid(&a, &b, 2).steps;
                cr_expect_leq(steps, MAX_STEPS * (uint64_t)(a.len + b.len), "%zu steps",
                              (size_t)steps);
                free(a.all);
                free(b.all);
            }
}
