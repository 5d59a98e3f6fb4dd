/* Single objects under any memory limit, and questions about missing objects: each is
 * answered in full or refused, and reservations are released. */
#include "browse/many_objects.h"
#include "browse/objects.h"
#include "support/made_fields.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 20000 };

static void expect_too_big(const struct hd_error *err, uint64_t limit)
{
    cr_assert_eq(err->status, HD_TOO_BIG, "%llu: %s", (unsigned long long)limit,
                 err->message);
    cr_assert_eq(err->topic, HD_ABOUT_GRAPH_MEMORY);
}

/* True if all questions were answered. */
static bool try_objects(struct hd_snapshot *snap, uint64_t limit)
{
    static const unsigned ready[] = {
        HD_OBJECTS_GRAPH, HD_OBJECTS_GRAPH | HD_OBJECTS_OF_TYPES,
        HD_OBJECTS_GRAPH | HD_OBJECTS_OF_TYPES | HD_OBJECTS_CHAINS, HD_OBJECTS_ALL};
    struct hd_read_options how = {.max_memory = limit};
    struct hd_comparison *c = hd_comparison_of(&snap, 1, &how);
    struct hd_objects *o = hd_objects_open(c, 0);
    struct hd_error err = {0}, list_err = {0};
    bool whole = hd_objects_wait(o, &err), is_prefix = false;
    if (!whole)
        expect_too_big(&err, limit);
    for (size_t i = 0; i < sizeof(ready) / sizeof(ready[0]); i++)
        is_prefix |= hd_objects_progress(o).ready == ready[i];
    cr_assert(is_prefix, "%llu: %u", (unsigned long long)limit,
              (unsigned)hd_objects_progress(o).ready);
    cr_assert_eq(hd_objects_progress(o).ready == HD_OBJECTS_ALL, whole);
    struct hd_object_list *list =
        hd_objects_of_type(o, "App.Many", HD_OBJECTS_BY_NUMBER, &list_err);
    if (list != NULL)
        cr_assert_eq(hd_object_list_count(list), MANY);
    else if (hd_objects_progress(o).ready & HD_OBJECTS_OF_TYPES)
        expect_too_big(&list_err, limit);
    else
        cr_assert_eq(list_err.status, HD_USAGE);
    whole &= list != NULL;
    hd_object_list_free(list);
    hd_objects_close(o);
    cr_assert_eq(c->reserved, 0, "%llu", (unsigned long long)limit);
    cr_assert_eq(snap->pins, 0);
    hd_comparison_free(c);
    return whole;
}

Test(objects_limits, any_limit_gives_everything_or_an_error)
{
    enum { STEP = 8 << 10 };
    struct hd_snapshot *snap = many_objects(MANY);
    uint64_t limit = snap->graph_bytes;
    unsigned refused = 0;
    for (; !try_objects(snap, limit); limit += STEP, refused++)
        cr_assert_lt(limit, 16 * snap->graph_bytes);
    cr_expect_gt(refused, 10);
    hd_snapshot_close(snap);
}

/* The references to one object only, as the `object` command needs them. */
Test(objects_limits, referrers_of_one_object_are_found_or_refused)
{
    enum { STEP = 4 << 10, TIMES = 4 };
    struct forge f = {0};
    node_id target = forge_object(&f, "App.Target", 24);
    node_id first = forge_objects(&f, "App.Many", 24, MANY);
    for (uint32_t i = 0; i < TIMES * MANY; i++)
        forge_reference(&f, first + i / TIMES, target);
    struct hd_snapshot *snap = forge_finish(&f);
    unsigned refused = 0;
    bool found = false;
    for (uint64_t limit = snap->graph_bytes; !found; limit += STEP) {
        struct hd_read_options how = {.max_memory = limit};
        struct hd_comparison *c = hd_comparison_of(&snap, 1, &how);
        struct hd_objects *o = objects_open_one(c, 0);
        struct hd_error err = {0};
        struct hd_object object;
        if (hd_objects_wait(o, &err)) {
            cr_assert(hd_object(o, target, &object));
            cr_assert_eq(object.referrers, HD_UNKNOWN);
            found = objects_find_referrers(o, target, &err);
            refused += !found;
        }
        if (!found)
            expect_too_big(&err, limit);
        cr_assert(!found || hd_object(o, target, &object));
        cr_assert(!found || object.referrers == TIMES * MANY);
        hd_objects_close(o);
        cr_assert_eq(c->reserved, 0);
        hd_comparison_free(c);
        cr_assert_lt(limit, 16 * snap->graph_bytes);
    }
    cr_expect_gt(refused, 0, "the walk fits before the references do");
    hd_snapshot_close(snap);
}

/* --- what is not there ----------------------------------------------------------- */

/* All questions before the thread has built anything, because it was stopped or is slow. */
Test(objects_limits, unfinished_indexes_give_no_answers)
{
    struct hd_snapshot *snap = many_objects(MANY);
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    struct hd_objects *o = hd_objects_open(c, 0);
    cr_assert(hd_objects_wait(o, NULL));
    struct hd_object object;
    struct hd_object_fields fields;
    uint32_t number, numbers[4];
    size_t skipped, skipped_at;
    struct hd_error err = {0};
    atomic_store(&o->ready, 0);
    cr_expect_not(hd_object(o, 0, &object));
    cr_expect_not(hd_object_fields(o, 0, 0, 10, 0, &fields));
    hd_object_fields_free(&fields);
    cr_expect_null(hd_object_field(o, 0, 1));
    cr_expect_eq(hd_object_chain(o, 0, numbers, 4, &skipped, &skipped_at), 0);
    cr_expect_eq(hd_object_root(o, 0), HD_ROOT_UNREACHABLE);
    cr_expect_not(hd_object_at(o, 0x1000, &number, &err));
    cr_expect_str_eq(err.message, "the graph is not there yet");
    err = (struct hd_error){0};
    cr_expect_null(hd_objects_at(o, NULL, 0, NULL, HD_OBJECTS_BY_SIZE, &err));
    cr_expect_str_eq(err.message, "the graph is not there yet");
    err = (struct hd_error){0};
    cr_expect_not(hd_objects_whole(o, &err));
    cr_expect_eq(err.status, HD_CANCELLED);
    cr_expect_not(hd_objects_whole(o, NULL));
    atomic_store(&o->making, HD_OBJECTS_GRAPH);
    err = (struct hd_error){0};
    cr_expect_not(hd_objects_whole(o, &err));
    cr_expect_str_eq(err.message, "not everything is there yet");
    atomic_store(&o->making, 0);
    hd_objects_close(o);
    hd_comparison_free(c);
    hd_snapshot_close(snap);
}

Test(objects_limits, numbers_after_the_last_object_are_invalid)
{
    struct hd_snapshot *snap = many_objects(MANY);
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    struct hd_objects *o = hd_objects_open(c, 0);
    cr_assert(hd_objects_wait(o, NULL));
    static const uint32_t past[] = {0, 1, UINT32_MAX - 1};
    for (size_t i = 0; i < sizeof(past) / sizeof(past[0]); i++) {
        uint32_t number = past[i] < 2 ? snap->node_count + past[i] : past[i];
        struct hd_object object;
        struct hd_object_fields fields;
        uint32_t numbers[4];
        size_t skipped, skipped_at;
        cr_expect_not(hd_object(o, number, &object));
        cr_expect_not(hd_object_fields(o, number, 0, 10, 0, &fields));
        cr_expect_null(hd_object_field(o, number, 0));
        cr_expect_eq(hd_object_chain(o, number, numbers, 4, &skipped, &skipped_at), 0);
        cr_expect_eq(hd_object_root(o, number), HD_ROOT_UNREACHABLE);
    }
    uint32_t one[1];
    size_t skipped, skipped_at;
    cr_expect_eq(hd_object_chain(o, 0, one, 1, &skipped, &skipped_at), 0, "no room");
    hd_objects_close(o);
    hd_comparison_free(c);
    hd_snapshot_close(snap);
}

Test(objects_limits, a_snapshot_may_have_no_addresses)
{
    for (unsigned has_zeros = 0; has_zeros < 2; has_zeros++) {
        struct hd_snapshot *snap = many_objects(MANY);
        if (has_zeros) {
            snap->graph->own_addresses = alloc_zeroed(array_bytes(snap->node_count, 8));
            snap->graph->addresses = snap->graph->own_addresses;
        }
        struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
        struct hd_objects *o = hd_objects_open(c, 0);
        struct hd_error err = {0};
        uint32_t number;
        cr_assert(hd_objects_wait(o, NULL));
        cr_expect_not(hd_object_at(o, 0x1000, &number, &err));
        cr_expect_eq(err.status, HD_USAGE);
        cr_expect_str_eq(err.message, has_zeros
                                          ? "this snapshot has no addresses of objects"
                                          : "this snapshot has no addresses");
        hd_objects_close(o);
        hd_comparison_free(c);
        hd_snapshot_close(snap);
    }
}

/* Values that a later version may add have no name. */
Test(objects_limits, kinds_have_names_up_to_the_last)
{
    cr_expect_str_eq(hd_object_kind_name(HD_OBJECT), "object");
    cr_expect_str_eq(hd_object_kind_name(HD_OBJECT_UNDEFINED), "undefined");
    cr_expect_null(hd_object_kind_name((enum hd_object_kind)(HD_OBJECT_UNDEFINED + 1)));
    cr_expect_str_eq(hd_field_kind_name(HD_FIELD_UNKNOWN), "unknown");
    cr_expect_str_eq(hd_field_kind_name(HD_FIELD_ENUM), "enum");
    cr_expect_null(hd_field_kind_name((enum hd_field_kind)(HD_FIELD_STRUCT + 1)));
}

/* Owners are known only after a comparison was asked for them. */
Test(objects_limits, places_are_those_that_are_known)
{
    struct hd_snapshot *snap = many_objects(MANY);
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    struct hd_objects *o = hd_objects_open(c, 0);
    struct hd_error err = {0};
    cr_assert(hd_objects_wait(o, NULL));
    cr_expect_null(hd_objects_at(o, NULL, 0, NULL, HD_OBJECTS_BY_SIZE, &err));
    cr_expect_str_eq(err.message, "this snapshot has no owners");
    hd_objects_close(o);
    hd_comparison_free(c);
    hd_snapshot_close(snap);
}
