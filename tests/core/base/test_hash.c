#include "base/hash.h"

#include <criterion/criterion.h>
#include <stdio.h>

struct entry {
    char name[16];
    UT_hash_handle hh;
};

enum { NAMES = 300, SAME_BITS = 13 };

/* Names that a hash without a seed would put into one bucket of any table of this size. */
static void choose_names(struct entry *all)
{
    size_t count = 0;
    for (unsigned i = 0; count < NAMES; i++) {
        char *name = all[count].name;
        int len = snprintf(name, sizeof(all->name), "T%u", i);
        count += (XXH3_64bits(name, (size_t)len) & ((1U << SAME_BITS) - 1)) == 0;
    }
}

Test(hash, chosen_names_do_not_fall_into_one_bucket)
{
    static struct entry all[NAMES];
    struct entry *table = NULL;
    unsigned most = 0;
    choose_names(all);
    for (size_t i = 0; i < NAMES; i++)
        HASH_ADD_STR(table, name, &all[i]);
    for (unsigned b = 0; b < table->hh.tbl->num_buckets; b++)
        if (table->hh.tbl->buckets[b].count > most)
            most = table->hh.tbl->buckets[b].count;
    cr_expect_lt(most, 50, "%u of %d", most, NAMES);
    cr_expect_eq(table->hh.tbl->noexpand, 0);
    HASH_CLEAR(hh, table);
}

Test(hash, the_seed_stays_the_same_in_a_process)
{
    cr_expect_eq(hash_seed(), hash_seed());
    cr_expect_neq(hash_seed(), 0);
}

/* Iteration is in insertion order. */
Test(hash, order_does_not_depend_on_the_seed)
{
    static struct entry all[NAMES];
    struct entry *table = NULL;
    for (size_t i = 0; i < NAMES; i++) {
        snprintf(all[i].name, sizeof(all[i].name), "T%zu", i * 7919 % NAMES);
        HASH_ADD_STR(table, name, &all[i]);
    }
    size_t i = 0;
    for (const struct entry *e = table; e != NULL; e = e->hh.next)
        cr_expect_eq(e, &all[i++]);
    cr_expect_eq(i, NAMES);
    HASH_CLEAR(hh, table);
}
