#include "identity/places.h"

#include "base/alloc.h"
#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static int by_address(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->object > y->object) - (x->object < y->object);
}

/* Ascending runs of random lengths. */
Test(places, sorting_is_what_a_stable_sort_is)
{
    enum { MAX_PLACES = 300 };
    struct random r = random_from(3);
    for (int round = 0; round < 2000; round++) {
        struct place all[MAX_PLACES], expected[MAX_PLACES];
        size_t len = random_below(&r, MAX_PLACES);
        uint64_t address = 0;
        uint32_t step = 1 + random_below(&r, 4), jump = 2 + random_below(&r, 40);
        for (size_t i = 0; i < len; i++) {
            address =
                random_below(&r, jump) == 0 ? random_below(&r, 200) : address + step - 1;
            all[i] = expected[i] = (struct place){address, (uint32_t)i, 0};
        }
        places_sort(all, len);
        qsort(expected, len, sizeof(*expected), by_address);
        for (size_t i = 0; i < len; i++)
            cr_assert(all[i].address == expected[i].address &&
                      all[i].object == expected[i].object);
    }
}

static struct places of_objects(const char *type, uint64_t size, uint32_t count)
{
    struct forge f = {0};
    for (uint32_t i = 0; i < count; i++)
        forge_generation(&f, forge_object(&f, type, size), HD_GEN2);
    struct hd_snapshot *snap = forge_finish(&f);
    struct places p = places_of(snap);
    hd_snapshot_close(snap);
    return p;
}

Test(places, addresses_make_the_token_and_type_and_size_the_key)
{
    struct places a = of_objects("App.A", 24, 3), b = of_objects("App.B", 24, 3),
                  c = of_objects("App.A", 32, 3), d = of_objects("App.A", 24, 4);
    cr_assert_eq(a.len, 3);
    cr_expect_eq(places_token(&a), places_token(&b));
    cr_expect_eq(places_token(&a), places_token(&c));
    cr_expect_neq(places_token(&a), places_token(&d));
    cr_expect_eq(a.all[0].key, a.all[2].key);
    cr_expect_neq(a.all[0].key, b.all[0].key);
    cr_expect_neq(a.all[0].key, c.all[0].key);
    places_free(&a);
    places_free(&b);
    places_free(&c);
    places_free(&d);
}

Test(places, objects_without_an_address_have_no_place)
{
    struct forge f = {0};
    forge_root(&f, HD_ROOT_STATIC, "App.s_all", forge_object(&f, "App.Order", 40));
    struct hd_snapshot *snap = forge_finish(&f);
    struct places p = places_of(snap);
    cr_expect_eq(p.len, 0);
    places_free(&p);
    hd_snapshot_close(snap);
}
