#include "digest/survivors.h"

#include "support/forge.h"

#include <criterion/criterion.h>
#include <string.h>

/* --- two snapshots ------------------------------------------------------------------ */

/* An object of a snapshot: its address is computed from its number in the generation. */
struct placed {
    const char *type;
    uint64_t size;
    enum hd_generation generation;
};

static struct hd_snapshot *heap_of(const struct placed *all, size_t count)
{
    struct forge f = {0};
    for (size_t i = 0; i < count; i++) {
        node_id n = forge_object(&f, all[i].type, all[i].size);
        if (all[i].generation != HD_GEN_UNKNOWN)
            forge_generation(&f, n, all[i].generation);
        forge_root(&f, HD_ROOT_STACK, NULL, n);
    }
    return forge_finish(&f);
}

static struct hd_snapshot *heap_of_one(const char *type, uint64_t size,
                                       enum hd_generation generation)
{
    return heap_of(&(struct placed){type, size, generation}, 1);
}

/* Number of surviving instances of a type. Takes ownership; frees the first before the last
 * is read. */
static uint64_t kept(struct hd_snapshot *first, struct hd_snapshot *last, const char *type)
{
    struct survivors s;
    struct arena a = {0};
    cr_assert(survivors_begin(&s, first, SELECT_ALL, false));
    hd_snapshot_close(first);
    const struct survived *all = survivors_count(&s, last, &a);
    cr_assert_not_null(all);
    uint64_t of_type = all[forge_type_id(last, TYPE_OBJECT, type)].count;
    survivors_free(&s);
    arena_free(&a);
    hd_snapshot_close(last);
    return of_type;
}

/* --- who counts ------------------------------------------------------------------- */

Test(survivors, the_same_place_type_and_size_is_the_same_object)
{
    cr_expect_eq(
        kept(heap_of_one("App.A", 24, HD_GEN2), heap_of_one("App.A", 24, HD_GEN2), "App.A"),
        1);
}

Test(survivors, another_type_or_size_is_another_object)
{
    cr_expect_eq(
        kept(heap_of_one("App.A", 24, HD_GEN2), heap_of_one("App.B", 24, HD_GEN2), "App.B"),
        0);
    cr_expect_eq(
        kept(heap_of_one("App.A", 24, HD_GEN2), heap_of_one("App.A", 32, HD_GEN2), "App.A"),
        0);
}

Test(survivors, another_place_is_another_object)
{
    cr_expect_eq(kept(heap_of_one("App.A", 24, HD_GEN2),
                      heap_of_one("App.A", 24, HD_GEN_LOH), "App.A"),
                 0);
}

Test(survivors, old_generations_count_and_young_ones_do_not)
{
    for (enum hd_generation g = HD_GEN0; g < HD_GEN_UNKNOWN; g++)
        cr_expect_eq(
            kept(heap_of_one("App.A", 24, g), heap_of_one("App.A", 24, g), "App.A"),
            g == HD_GEN2 || g == HD_GEN_LOH || g == HD_GEN_POH || g == HD_GEN_FROZEN, "%s",
            generation_names[g]);
}

Test(survivors, without_generations_all_addresses_count)
{
    struct hd_snapshot *first = heap_of_one("App.A", 24, HD_GEN0);
    struct hd_snapshot *last = heap_of_one("App.A", 24, HD_GEN0);
    first->info.has_generations = last->info.has_generations = false;
    cr_expect_eq(kept(first, last, "App.A"), 1);
}

Test(survivors, types_are_matched_by_name_not_by_number)
{
    static const struct placed first[] = {
        {"App.A", 24, HD_GEN2}, {"App.B", 24, HD_GEN2}, {"App.B", 24, HD_GEN2}};
    static const struct placed last[] = {
        {"App.New", 24, HD_GEN2}, {"App.B", 24, HD_GEN2}, {"App.B", 24, HD_GEN2}};
    cr_expect_eq(kept(heap_of(first, 3), heap_of(last, 3), "App.B"), 2);
    cr_expect_eq(kept(heap_of(first, 3), heap_of(last, 3), "App.New"), 0);
}

/* Sizes with products that begin alike, with the factor of pair tables. */
Test(survivors, a_file_cannot_choose_sizes_that_collide, .timeout = 20)
{
    enum { ALL = 1500, FAST = 64 };
    const uint64_t factor = 0x9E3779B97F4A7C15U;
    static struct placed all[ALL];
    for (uint64_t size = 24, i = 0; i < ALL; size++)
        if ((size + 1) * factor >> 52 == 77)
            all[i++] = (struct placed){"App.A", size, HD_GEN2};
    struct hd_snapshot *first = heap_of(all, ALL);
    struct survivors s;
    cr_assert(survivors_begin(&s, first, SELECT_ALL, false));
    /* The longest row of used slots: with equal hashes all. */
    size_t row = 0, longest = 0;
    for (size_t i = 0; i < s.kinds.cap; i++) {
        row = s.kinds.keys[i] != 0 ? row + 1 : 0;
        longest = row > longest ? row : longest;
    }
    cr_expect_eq(s.kinds.len, ALL);
    cr_expect_lt(longest, FAST);
    survivors_free(&s);
    cr_expect_eq(kept(first, heap_of(all, ALL), "App.A"), ALL);
}

/* A refreshed cache: the same number, but partly other objects. */
Test(survivors, some_stay_and_some_are_others)
{
    enum { ALL = 600 };
    struct placed first[ALL], last[ALL];
    for (size_t i = 0; i < ALL; i++) {
        first[i] = last[i] = (struct placed){"App.Item", 24, HD_GEN2};
        if (i % 3 == 0)
            last[i].size = 48;
        else if (i % 3 == 1)
            last[i].type = "App.Other";
    }
    cr_expect_eq(kept(heap_of(first, ALL), heap_of(last, ALL), "App.Item"), ALL / 3);
    cr_expect_eq(kept(heap_of(first, ALL), heap_of(last, ALL), "App.Other"), 0);
}

Test(survivors, more_in_the_last_snapshot_are_not_survivors)
{
    static const struct placed heap[] = {
        {"App.A", 24, HD_GEN2}, {"App.A", 24, HD_GEN2}, {"App.A", 24, HD_GEN2}};
    cr_expect_eq(kept(heap_of(heap, 1), heap_of(heap, 3), "App.A"), 1);
    cr_expect_eq(kept(heap_of(heap, 3), heap_of(heap, 1), "App.A"), 1);
}

/* Pseudo-nodes have address 0 in every file. */
Test(survivors, pseudo_nodes_and_objects_without_an_address_never_count)
{
    static const struct placed heap[] = {{"App.A", 24, HD_GEN2},
                                         {"App.A", 24, HD_GEN_UNKNOWN}};
    struct hd_snapshot *first = heap_of(heap, 2), *last = heap_of(heap, 2);
    first->info.has_generations = last->info.has_generations = false;
    struct survivors s;
    struct arena a = {0};
    cr_assert(survivors_begin(&s, first, SELECT_ALL, false));
    const struct survived *all = survivors_count(&s, last, &a);
    for (type_id t = 0; t < last->type_count; t++)
        cr_expect_eq(all[t].count, last->types[t].kind == TYPE_OBJECT, "%s",
                     last->types[t].name);
    survivors_free(&s);
    arena_free(&a);
    hd_snapshot_close(first);
    hd_snapshot_close(last);
}

Test(survivors, a_duplicate_address_counts_once_in_the_first_snapshot)
{
    static const struct placed heap[] = {{"App.A", 24, HD_GEN2}, {"App.B", 24, HD_GEN2}};
    struct hd_snapshot *first = heap_of(heap, 2);
    unsigned char *addresses = (unsigned char *)first->graph->addresses;
    for (int i = 0; i < 8; i++)
        addresses[8 + i] = addresses[i]; /* a damaged file: B at the address of A */
    cr_expect_eq(kept(first, heap_of_one("App.A", 24, HD_GEN2), "App.A"), 1);
}

/* --- sizes over 32 bits ------------------------------------------------------------ */

Test(survivors, big_objects_count_like_others)
{
    uint64_t big = (uint64_t)5 << 32;
    cr_expect_eq(kept(heap_of_one("A[]", big, HD_GEN_LOH),
                      heap_of_one("A[]", big, HD_GEN_LOH), "A[]"),
                 1);
}

/* --- who cannot tell ---------------------------------------------------------------- */

Test(survivors, without_addresses_survivors_are_unknown)
{
    struct survivors s;
    struct hd_snapshot *snap = heap_of_one("App.A", 24, HD_GEN_UNKNOWN);
    cr_expect_not(survivors_begin(&s, snap, SELECT_ALL, false));
    hd_snapshot_close(snap);
    struct forge f = {0};
    forge_row(&f, "App.A", 1, 24);
    snap = forge_finish(&f);
    cr_expect_not(survivors_begin(&s, snap, SELECT_ALL, false), "a table");
    hd_snapshot_close(snap);
}

Test(survivors, a_last_snapshot_without_addresses_gives_no_numbers)
{
    struct survivors s;
    struct arena a = {0};
    struct hd_snapshot *first = heap_of_one("App.A", 24, HD_GEN2);
    struct hd_snapshot *last = heap_of_one("App.A", 24, HD_GEN_UNKNOWN);
    cr_assert(survivors_begin(&s, first, SELECT_ALL, false));
    cr_expect_null(survivors_count(&s, last, &a));
    survivors_free(&s);
    survivors_free(&s); /* empty after freeing */
    arena_free(&a);
    hd_snapshot_close(first);
    hd_snapshot_close(last);
}

/* --- in a digest ------------------------------------------------------------------- */

/* Addresses of types below a five-hundredth of the heap are omitted. */
Test(survivors, a_digest_keeps_addresses_of_large_types_only_unless_asked_for_all)
{
    struct forge f = {0};
    node_id all[] = {forge_objects(&f, "App.Many", 24, 2000),
                     forge_object(&f, "App.Heavy", 100000),
                     forge_object(&f, "App.Small", 24)};
    static const uint32_t counts[] = {2000, 1, 1};
    for (size_t i = 0; i < 3; i++)
        for (node_id n = all[i]; n < all[i] + counts[i]; n++) {
            forge_generation(&f, n, HD_GEN2);
            forge_root(&f, HD_ROOT_STACK, NULL, n);
        }
    struct hd_snapshot *heap = forge_finish(&f);
    for (int of_all = 0; of_all < 2; of_all++) {
        struct digest_survivors kept = {0};
        struct arena a = {0};
        bool many = false, heavy = false, small = false;
        survivors_sample(&kept, heap, of_all, &a);
        for (uint32_t i = 0; i < kept.len; i++) {
            cr_expect_eq(heap->types[kept.type[i]].kind, TYPE_OBJECT);
            many |= strcmp(heap->types[kept.type[i]].name, "App.Many") == 0;
            heavy |= strcmp(heap->types[kept.type[i]].name, "App.Heavy") == 0;
            small |= strcmp(heap->types[kept.type[i]].name, "App.Small") == 0;
        }
        cr_expect(many && heavy);
        cr_expect_eq(small, of_all);
        arena_free(&a);
    }
    hd_snapshot_close(heap);
}
