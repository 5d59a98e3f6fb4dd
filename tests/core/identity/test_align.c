/* Objects that are moved, stay, die and are allocated, as with real collectors. */
#include "identity/align_parts.h"
#include "identity/laid_out.h"

enum { REGION = 1 << 22 };
static const uint64_t START = 0x7f0000400000;

/* An object as in real programs: most have few types; strings have many sizes. */
static struct laid anything(struct random *r, uint32_t number)
{
    uint32_t type =
        random_below(r, 4) == 0 ? 0 : 1 + random_below(r, random_below(r, 40) + 1);
    uint64_t size = type == 0 ? 24 + 8 * random_below(r, 30) : 24 + 8 * (type % 9);
    return (struct laid){number, type, size, 0, 0};
}

static struct heap_laid many(struct random *r, uint32_t count)
{
    struct heap_laid h = {0};
    for (uint32_t i = 1; i <= count; i++)
        lay(&h, anything(r, i));
    slide(&h, START);
    return h;
}

/* Survivors, if one object in `one_in` dies. */
static struct heap_laid survivors_of(const struct heap_laid *h, struct random *r,
                                     uint32_t one_in)
{
    struct heap_laid left = {0};
    for (size_t i = 0; i < h->len; i++)
        if (random_below(r, one_in) != 0)
            lay(&left, h->all[i]);
    return left;
}

static void add_newcomers(struct heap_laid *h, struct random *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        lay(h, anything(r, 1000000 + i));
}

#define expect_share(part, all, percent)                                                 \
    cr_expect_geq(100 * (part), (size_t)(percent) * (all), "%zu of %zu", (size_t)(part), \
                  (size_t)(all))

Test(align, finds_what_slid_together)
{
    struct random r = random_from(1);
    struct heap_laid a = many(&r, 4000), b = survivors_of(&a, &r, 5);
    add_newcomers(&b, &r, 800);
    slide(&b, START);
    struct tally_of_same t = compare_laid(&a, &b, 1);
    expect_share(t.right, t.survived, 97);
    expect_share(t.right, t.called, 98);
    free(a.all);
    free(b.all);
}

Test(align, keeps_to_places_where_a_region_was_swept)
{
    struct random r = random_from(2);
    struct heap_laid a = many(&r, 4000), b = {0};
    size_t survived = 0;
    /* Each dead object is replaced by another one, half of them of the same size. */
    for (size_t i = 0; i < a.len; i++) {
        struct laid object = a.all[i];
        if (random_below(&r, 10) == 0) {
            object.number = 0;
            object.type += 1 + random_below(&r, 3);
            object.size = random_below(&r, 2) == 0 ? object.size : 24;
        } else {
            survived++;
        }
        lay(&b, object);
    }
    struct tally_of_same t = compare_laid(&a, &b, 1);
    cr_expect_eq(t.survived, survived);
    cr_expect_eq(t.right, survived);
    cr_expect_eq(t.called, survived);
    free(a.all);
    free(b.all);
}

/* Copies of the same objects in four regions can only be distinguished by address. */
Test(align, finds_what_stayed_in_every_share)
{
    enum { PART = 9000, PARTS = 4 };
    struct random r = random_from(10);
    struct heap_laid part = many(&r, PART), a = {0};
    for (uint32_t i = 0; i < PART * PARTS; i++) {
        struct laid *object = lay(&a, part.all[i % PART]);
        object->number = i + 1;
        object->address += i / PART * (uint64_t)REGION;
    }
    struct tally_of_same t = compare_laid(&a, &a, 2);
    cr_expect_eq(t.survived, PART * PARTS);
    cr_expect_eq(t.right, PART * PARTS, "%zu of %zu", t.right, t.survived);
    free(part.all);
    free(a.all);
}

Test(align, finds_the_order_of_regions_changed)
{
    struct random r = random_from(3);
    struct heap_laid first = many(&r, 2000), second = {0}, a = {0}, b = {0};
    for (uint32_t i = 0; i < 2000; i++)
        lay(&second, anything(&r, 2001 + i));
    slide(&second, START + REGION);
    for (size_t i = 0; i < 4000; i++)
        lay(&a, i < 2000 ? first.all[i] : second.all[i - 2000]);
    slide(&first, START + 5 * (uint64_t)REGION);
    slide(&second, START + 3 * (uint64_t)REGION);
    for (size_t i = 0; i < 4000; i++)
        lay(&b, i < 2000 ? first.all[i] : second.all[i - 2000]);
    struct tally_of_same t = compare_laid(&a, &b, 1);
    cr_expect_eq(t.survived, 4000);
    expect_share(t.right, t.survived, 99);
    free(first.all);
    free(second.all);
    free(a.all);
    free(b.all);
}

/* Sixty objects die, and sixty of the same kinds, in the same order, appear after all
 * others: the collector would not have moved them there. */
Test(align, believes_no_change_of_order)
{
    enum { BATCH = 60 };
    struct random r = random_from(9);
    struct heap_laid a = many(&r, 2000), b = {0};
    for (size_t i = BATCH; i < a.len; i++)
        lay(&b, a.all[i]);
    for (size_t i = 0; i < BATCH; i++) {
        lay(&b, a.all[i]);
        b.all[b.len - 1].number = 0;
    }
    slide(&b, START);
    struct tally_of_same t = compare_laid(&a, &b, 1);
    cr_expect_eq(t.survived, 2000 - BATCH);
    cr_expect_eq(t.right, 2000 - BATCH);
    cr_expect_eq(t.called, 2000 - BATCH);
    free(a.all);
    free(b.all);
}

/* New objects of the same kinds; all old ones died. */
Test(align, takes_no_new_object_for_an_old_one)
{
    struct random r = random_from(4);
    struct heap_laid a = many(&r, 3000), b = {0};
    add_newcomers(&b, &r, 3000);
    slide(&b, START + 64);
    struct tally_of_same t = compare_laid(&a, &b, 1);
    cr_expect_eq(t.survived, 0);
    cr_expect_leq(t.called, 15, "%zu", t.called);
    free(a.all);
    free(b.all);
}

/* Among identical objects the dead cannot be identified. */
Test(align, leaves_identical_objects_unknown)
{
    struct heap_laid a = {0}, b = {0};
    for (uint32_t i = 0; i < 3000; i++)
        lay(&a, (struct laid){i + 1, 1, 32, START + 32 * i, 0});
    for (uint32_t i = 0; i < 2000; i++)
        lay(&b, (struct laid){i + 1, 1, 32, START + 32 * i, 0});
    cr_expect_eq(compare_laid(&a, &b, 1).called, 0);
    slide(&b, START + 3200);
    cr_expect_eq(compare_laid(&a, &b, 1).called, 0);
    free(a.all);
    free(b.all);
}

/* One in twenty of the youngest survives, each held by an older survivor. */
Test(align, identifies_young_survivors_by_their_neighbors)
{
    struct random r = random_from(5);
    struct heap_laid a = many(&r, 3000), b = {0};
    size_t young = 0;
    for (uint32_t i = 0; i < 6000; i++) {
        struct laid object = anything(&r, 3001 + i);
        if (i % 20 == 0)
            a.all[7 * (i / 20)].refers_to = object.number;
        lay(&a, object);
    }
    slide(&a, START);
    for (size_t i = 0; i < a.len; i++)
        if (i < 3000 || (i - 3000) % 20 == 0) {
            lay(&b, a.all[i]);
            young += i >= 3000;
        }
    add_newcomers(&b, &r, 3000);
    slide(&b, START + 4096);
    struct tally_of_same t = compare_laid(&a, &b, 1);
    cr_expect_eq(t.survived, 3000 + young);
    expect_share(t.right, t.survived, 99);
    free(a.all);
    free(b.all);
}

Test(align, leaves_everything_unknown_without_addresses_or_objects)
{
    struct random r = random_from(6);
    struct heap_laid a = many(&r, 100), none = {0};
    cr_expect_eq(compare_laid(&a, &none, 2).called, 0);
    cr_expect_eq(compare_laid(&none, &a, 2).called, 0);
    for (size_t i = 0; i < a.len; i++)
        a.all[i].address = 0;
    cr_expect_eq(compare_laid(&a, &a, 2).called, 0);
    free(a.all);
}

/* Objects with one address cannot be told apart; their neighbors can. */
Test(align, leaves_out_objects_at_one_address)
{
    struct random r = random_from(7);
    struct heap_laid a = many(&r, 1000);
    a.all[501].address = a.all[500].address;
    struct tally_of_same t = compare_laid(&a, &a, 1);
    cr_expect_eq(t.right, 998);
    cr_expect_eq(t.called, 998);
    free(a.all);
}

/* --- whatever the heap ------------------------------------------------------------ */

struct pair_laid {
    struct heap_laid a, b;
};

static struct pair_laid any_pair(uint64_t seed)
{
    struct random r = random_from(seed);
    struct pair_laid p = {.a = many(&r, 500 + random_below(&r, 4000))};
    for (size_t i = 0; i < p.a.len; i++)
        if (random_below(&r, 2) == 0)
            p.a.all[i].refers_to = 1 + random_below(&r, (uint32_t)p.a.len);
    p.b = survivors_of(&p.a, &r, 4 + random_below(&r, 12));
    add_newcomers(&p.b, &r, random_below(&r, 1000));
    slide(&p.b, START + 8 * random_below(&r, 100) * (REGION / 16));
    return p;
}

static void free_pair(struct pair_laid *p)
{
    free(p->a.all);
    free(p->b.all);
}

Test(align, finds_most_and_errs_little_for_any_deaths)
{
    size_t survived = 0, right = 0, called = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct pair_laid p = any_pair(seed);
        struct tally_of_same t = compare_laid(&p.a, &p.b, 1);
        survived += t.survived, right += t.right, called += t.called;
        expect_share(t.right, t.survived, 93);
        expect_share(t.right, t.called, 95);
        free_pair(&p);
    }
    expect_share(right, survived, 98);
    expect_share(right, called, 98);
}

static struct same align_laid(const struct heap_laid *a, const struct heap_laid *b,
                              unsigned threads)
{
    struct same s = {0};
    struct hd_snapshot *older = snapshot_of(a), *newer = snapshot_of(b);
    same_align(&s, older, newer, threads);
    hd_snapshot_close(older);
    hd_snapshot_close(newer);
    return s;
}

Test(align, is_the_same_for_any_number_of_threads)
{
    struct random r = random_from(8);
    struct heap_laid a = many(&r, 40000), b;
    for (size_t i = 0; i < a.len; i++)
        a.all[i].size *= 8; /* large enough for several regions */
    slide(&a, START);
    b = survivors_of(&a, &r, 6);
    add_newcomers(&b, &r, 5000);
    slide(&b, START);
    struct same one = align_laid(&a, &b, 1);
    for (unsigned threads = 2; threads <= 4; threads++) {
        struct same more = align_laid(&a, &b, threads);
        cr_assert_eq(more.count, one.count);
        cr_expect_arr_eq(more.next, one.next, one.count * sizeof(*one.next));
        same_free(&more);
    }
    same_free(&one);
    free(a.all);
    free(b.all);
}

/* For each number in a, the number of the object in b that was matched. */
static uint32_t *by_number(const struct pair_laid *p)
{
    uint32_t *to = alloc_zeroed(array_bytes(p->a.len + 1, sizeof(*to)));
    struct same s = align_laid(&p->a, &p->b, 2);
    for (size_t i = 0; i < p->a.len; i++)
        if (s.next[i] != NO_NODE)
            to[p->a.all[i].number] = p->b.all[s.next[i]].number;
    same_free(&s);
    return to;
}

Test(align, does_not_depend_on_how_nodes_are_numbered)
{
    for (uint64_t seed = 100; seed < 110; seed++) {
        struct pair_laid p = any_pair(seed);
        struct random r = random_from(seed);
        uint32_t *plain = by_number(&p);
        shuffle(&p.a, &r);
        shuffle(&p.b, &r);
        uint32_t *shuffled = by_number(&p);
        cr_expect_arr_eq(plain, shuffled, (p.a.len + 1) * sizeof(*plain));
        free(plain);
        free(shuffled);
        free_pair(&p);
    }
}

/* --- the largest heaps ------------------------------------------------------------------
 */

Test(align, parts_of_the_largest_heap_end_with_it)
{
    enum { SIZE = 1 << 16 };
    const uint32_t all = UINT32_MAX - 2;
    struct share first = part_of(0, SIZE, all), last = part_of(all / SIZE, SIZE, all);
    cr_expect_eq(first.begin, 0);
    cr_expect_eq(first.end, SIZE);
    cr_expect_eq(last.begin, UINT32_MAX - SIZE + 1);
    cr_expect_eq(last.end, all);
    struct share none = part_of(2, SIZE, 2 * SIZE);
    cr_expect_eq(none.begin, none.end);
}

Test(align, counters_of_both_heaps_do_not_wrap)
{
    cr_expect_eq(counter_sum(3, 4), 7);
    cr_expect_eq(counter_sum(UINT32_MAX - 2, 2), UINT32_MAX);
    cr_expect_eq(counter_sum(UINT32_MAX - 2, UINT32_MAX - 2), UINT32_MAX);
}
