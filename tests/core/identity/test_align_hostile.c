/* Heaps made to be slow. Counts steps, not seconds: inner loops must look at each object a
 * bounded number of times. */
#include "identity/laid_out.h"

enum { OBJECTS = 6000 };
static const uint64_t START = 0x7f0000400000;

/* Allowed steps per object of both heaps; most of these heaps need less than 10. */
enum { MAX_STEPS = 100 };

static void expect_bounded(const struct heap_laid *a, const struct heap_laid *b)
{
    struct tally_of_same t = compare_laid(a, b, 2), back = compare_laid(b, a, 2);
    uint64_t most = MAX_STEPS * (uint64_t)(a->len + b->len);
    cr_expect_leq(t.steps, most, "%zu steps", (size_t)t.steps);
    cr_expect_leq(back.steps, most, "%zu steps", (size_t)back.steps);
}

struct shape {
    const char *name;
    struct laid (*object)(uint32_t i);
};

static struct laid alike(uint32_t i)
{
    return (struct laid){i + 1, 1, 24, START + 24 * i, 0};
}

static struct laid ascending(uint32_t i)
{
    return (struct laid){i + 1, 1, 8 + i, START + 64 * i, 0};
}

static struct laid periodic(uint32_t i)
{
    return (struct laid){i + 1, i % 3, 24, START + 24 * i, 0};
}

static struct laid periodic_by_thousands(uint32_t i)
{
    return (struct laid){i + 1, i % 1000, 24, START + 24 * i, 0};
}

/* Every run of three occurs three times, many of them on other diagonals. */
static struct laid thrice(uint32_t i)
{
    uint32_t third = OBJECTS / 3, at = i % third;
    return (struct laid){i + 1, at * (1 + i / third) % 9973, 24, START + 24 * i, 0};
}

static struct laid unique_among_alike(uint32_t i)
{
    return (struct laid){i + 1, i % 20 == 0 ? i : 0, 24, START + 24 * i, 0};
}

static struct laid random_kind(uint32_t i)
{
    struct random r = random_from(i);
    random_u64(&r);
    return (struct laid){i + 1, random_below(&r, 7), 24, START + 24 * i, 0};
}

/* Each is identified by its only referrer, in a run of identical objects. */
static struct laid held(uint32_t i)
{
    uint32_t half = OBJECTS / 2;
    if (i < half)
        return (struct laid){i + 1, i, 24 + 8 * (i % 7), START + 100 * i,
                             half + 1 + i * 7919 % half};
    return (struct laid){i + 1, 1, 24, START + 100 * half + 24 * (i - half), 0};
}

static const struct shape shapes[] = {
    {"alike", alike},        {"ascending", ascending},
    {"periodic", periodic},  {"periodic by thousands", periodic_by_thousands},
    {"thrice", thrice},      {"unique among alike", unique_among_alike},
    {"random", random_kind}, {"held", held},
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

static struct heap_laid shaped(size_t shape, uint32_t first, uint32_t end, uint32_t without)
{
    struct heap_laid h = {0};
    for (uint32_t i = first; i < end; i++)
        if (without == 0 || i % without != 0)
            lay(&h, shapes[shape].object(i));
    return h;
}

/* With itself, compacted, reordered, and with every other shape. */
Test(align_hostile, looks_at_no_object_too_often)
{
    for (size_t s = 0; s < SHAPES; s++) {
        struct heap_laid a = shaped(s, 0, OBJECTS, 0);
        struct heap_laid slid = shaped(s, 0, OBJECTS, 11), cut = shaped(s, 1000, 5000, 0);
        slide(&slid, START + 4096);
        slide(&cut, START + 8);
        expect_bounded(&a, &a);
        expect_bounded(&a, &slid);
        expect_bounded(&slid, &cut);
        struct random r = random_from(s + 1);
        shuffle(&slid, &r);
        slide(&slid, START);
        expect_bounded(&a, &slid);
        for (size_t other = s + 1; other < SHAPES; other++) {
            struct heap_laid b = shaped(other, 0, OBJECTS / 2, 0);
            expect_bounded(&slid, &b);
            free(b.all);
        }
        free(a.all);
        free(slid.all);
        free(cut.all);
    }
}

/* The survivors are identified, and all other objects are referred to by them in another
 * order, so that every pair is on a diagonal of its own. */
Test(align_hostile, does_not_follow_a_row_for_each_that_is_known)
{
    size_t known = SHAPES - 1;
    struct heap_laid a = shaped(known, 0, OBJECTS, 0), b = shaped(known, 0, OBJECTS, 0);
    for (uint32_t i = 0; i < OBJECTS / 2; i++) {
        b.all[i].refers_to = OBJECTS - a.all[i].refers_to + OBJECTS / 2 + 1;
        b.all[i].address += 8 * (i / 3);
    }
    expect_bounded(&a, &b);
    free(a.all);
    free(b.all);
}

/* Between two certain matches there are many objects of one kind in the older heap, and
 * many of another in the newer. */
Test(align_hostile, does_not_search_a_gap_for_each_object_in_it)
{
    struct heap_laid a = shaped(1, 0, 100, 0), b = shaped(1, 0, 100, 0);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        lay(&a, (struct laid){0, 1, 24, 0, 0});
        if (i % 10 != 0)
            lay(&b, (struct laid){0, 2, 24, 0, 0});
    }
    for (uint32_t i = 100; i < 200; i++) {
        lay(&a, ascending(i));
        lay(&b, ascending(i));
    }
    slide(&a, START);
    slide(&b, START + 512);
    expect_bounded(&a, &b);
    free(a.all);
    free(b.all);
}

Test(align_hostile, takes_any_addresses_and_sizes)
{
    struct random r = random_from(1);
    const uint64_t starts[] = {0, 8, UINT64_MAX - 24 * OBJECTS / 2, UINT64_MAX - 5, START};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        struct heap_laid a = shaped(6, 0, OBJECTS / 4, 0), b = shaped(6, 0, OBJECTS / 4, 9);
        slide(&a, starts[i]); /* wraps around */
        slide(&b, starts[sizeof(starts) / sizeof(starts[0]) - 1 - i]);
        for (size_t k = 0; k < b.len; k += 97)
            a.all[k].size = b.all[k].size = (UINT64_C(1) << 50) + random_below(&r, 5);
        for (size_t k = 0; k < b.len; k += 50)
            b.all[k].address = random_u64(&r);
        for (size_t k = 0; k < b.len; k += 33)
            b.all[k].address = b.all[k / 2].address;
        expect_bounded(&a, &b);
        free(a.all);
        free(b.all);
    }
}

/* Each object in its own region, and all of them one byte apart. */
Test(align_hostile, takes_regions_of_any_size)
{
    struct heap_laid apart = shaped(6, 0, OBJECTS, 0), close = shaped(6, 0, OBJECTS, 7);
    slide(&close, START);
    for (size_t i = 0; i < apart.len; i++)
        apart.all[i].address = (i + 1) << 22;
    expect_bounded(&apart, &close);
    expect_bounded(&apart, &apart);
    for (size_t i = 0; i < close.len; i++)
        close.all[i].address = START + i;
    expect_bounded(&apart, &close);
    free(apart.all);
    free(close.all);
}

/* Objects identified by their only referrers, in another region: a row with one other
 * object in each gap, then a longer row with so large gaps that each costs more than its
 * object adds. Many chains that are refused branch off one that is used. */
static struct heap_laid rising_and_falling(uint32_t falling, uint64_t address,
                                           uint64_t step)
{
    enum { BETWEEN = 30 };
    struct heap_laid h = {0};
    struct random r = random_from(1);
    uint32_t rising = falling * 14 / 95 + 50, all = rising + falling;
    for (uint32_t i = 0; i < all; i++)
        lay(&h, (struct laid){1 + i, 10 + random_below(&r, 8), 32, START + 32 * i,
                              all + 1 + i});
    for (uint32_t i = 0; i < all; i++) {
        lay(&h, (struct laid){all + 1 + i, 1, 24, address, 0});
        for (uint32_t k = i < rising ? 1 : BETWEEN; k > 0; k--)
            lay(&h, (struct laid){0, 2, 24, address += step, 0});
        address += step;
    }
    return h;
}

static uint64_t steps_of_falling(uint32_t falling)
{
    struct heap_laid a = rising_and_falling(falling, 0x7f0008000000, 2);
    struct heap_laid b = rising_and_falling(falling, 0x7f0009000000, 1);
    struct tally_of_same t = compare_laid(&a, &b, 1);
    free(a.all);
    free(b.all);
    return t.steps;
}

Test(align_hostile, does_not_walk_a_chain_for_each_that_branches_off)
{
    cr_expect_lt(2 * steps_of_falling(8000), 5 * steps_of_falling(4000));
}
