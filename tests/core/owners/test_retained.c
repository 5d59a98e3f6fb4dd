/* Retained sizes of types with many places: nearly as many as objects, or few because types
 * recur. Correctness for any graph is tested in test_dominators.c. */
#include "owners/dominated.h"

enum { NODES = 200000, OBJECT = 8, PERIOD = 12 };

/* A chain of `types` alternating types. */
static struct dominated chain_of(uint32_t types)
{
    struct forge f = {0};
    char name[PERIOD][16];
    node_id first = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        snprintf(name[i % types], sizeof(name[0]), "T%u", i % types);
        node_id n = forge_object(&f, name[i % types], OBJECT);
        if (i == 0)
            first = n;
        else
            forge_reference(&f, n - 1, n);
    }
    forge_root(&f, HD_ROOT_STATIC, "App.s_first", first);
    return dominate(forge_finish(&f), DOMINATORS_PLAIN);
}

/* All others are below the first of each type. */
static void expect_all_below_the_first(const struct dominated *d, uint32_t types)
{
    for (uint32_t i = 0; i < types; i++) {
        char name[16];
        snprintf(name, sizeof(name), "T%u", i);
        cr_expect_eq(d->by_type[forge_type_id(d->snap, TYPE_OBJECT, name)],
                     OBJECT * (uint64_t)(NODES - i), "%s", name);
    }
}

Test(retained, where_each_object_is_a_place_of_its_own)
{
    struct dominated d = chain_of(PERIOD);
    expect_all_below_the_first(&d, PERIOD);
    dominated_free(&d);
}

Test(retained, where_recurring_types_are_one_place)
{
    for (uint32_t types = 1; types <= 3; types++) {
        struct dominated d = chain_of(types);
        expect_all_below_the_first(&d, types);
        dominated_free(&d);
    }
}
