/* Fields of one object: those in every answer, and those on request. */
#include "base/alloc.h"
#include "browse/objects.h"
#include "heap/graph.h"
#include "support/forge.h"
#include "support/made_fields.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct made {
    struct hd_snapshot *snap;
    struct hd_comparison *c;
    struct hd_objects *o;
};

static struct made made_open(void)
{
    struct made m = {.snap = made_fields()};
    m.c = hd_comparison_of(&m.snap, 1, NULL);
    m.o = hd_objects_open(m.c, 0);
    cr_assert(hd_objects_wait(m.o, NULL));
    return m;
}

static void made_close(struct made *m)
{
    hd_objects_close(m->o);
    hd_comparison_free(m->c);
    hd_snapshot_close(m->snap);
}

static const struct hd_field *field_named(const struct hd_object_fields *f,
                                          const char *name)
{
    for (size_t i = 0; i < f->len; i++)
        if (strcmp(f->all[i].name, name) == 0)
            return &f->all[i];
    cr_assert_fail("no field %s", name);
    return NULL;
}

/* --- fields ---------------------------------------------------------------------- */

Test(object_fields, include_numbers_always)
{
    struct made m = made_open();
    struct hd_object_fields f;
    cr_assert(hd_object_fields(m.o, MADE_CUSTOMER, 0, 100, 0, &f));
    cr_expect(f.are_named);
    cr_expect_not(f.is_array);
    cr_expect_eq(f.len, MADE_CUSTOMER_FIELDS);
    cr_expect_eq(f.count, MADE_CUSTOMER_FIELDS);
    cr_expect_eq((int64_t)field_named(&f, "_id")->number, -4711);
    cr_expect_eq(field_named(&f, "_limit")->number, UINT64_MAX);
    cr_expect_eq(field_named(&f, "_isOpen")->number, 1);
    cr_expect_eq(field_named(&f, "_rate")->real, 0.1);
    cr_expect_str_eq(field_named(&f, "_state")->member, "Blocked");
    cr_expect_eq(field_named(&f, "_next")->to, MADE_OTHER);
    cr_expect_eq(field_named(&f, "_nothing")->to, HD_NO_OBJECT);
    cr_expect_str_eq(field_named(&f, "_id")->declared_by, "Shop.Person");
    hd_object_fields_free(&f);
    made_close(&m);
}

Test(object_fields, include_text_only_on_request)
{
    struct made m = made_open();
    struct hd_object_fields f;
    cr_assert(hd_object_fields(m.o, MADE_CUSTOMER, 0, 100, 0, &f));
    cr_expect_null(field_named(&f, "_name")->text);
    cr_expect(field_named(&f, "_grade")->is_hidden);
    cr_expect_eq(field_named(&f, "_grade")->number, 0, "it is not there");
    cr_expect_not(field_named(&f, "_id")->is_hidden);
    hd_object_fields_free(&f);
    cr_assert(hd_object_fields(m.o, MADE_CUSTOMER, 0, 100, 10, &f));
    cr_expect_not_null(field_named(&f, "_name")->text);
    cr_expect_eq(field_named(&f, "_grade")->number, '|');
    cr_expect_not(field_named(&f, "_grade")->is_hidden);
    hd_object_fields_free(&f);
    made_close(&m);
}

Test(object_fields, include_contents_of_buffers_only_on_request)
{
    struct made m = made_open();
    struct hd_object_fields f;
    cr_assert(hd_object_fields(m.o, MADE_BYTES, 7, 3, 0, &f));
    cr_expect(f.is_array);
    cr_expect_eq(f.count, MADE_MANY_BYTES);
    cr_assert_eq(f.len, 3);
    for (size_t i = 0; i < 3; i++) {
        cr_expect(f.all[i].is_hidden);
        cr_expect_eq(f.all[i].number, 0);
    }
    hd_object_fields_free(&f);
    cr_assert(hd_object_fields(m.o, MADE_BYTES, 7, 3, 1, &f));
    cr_expect_str_eq(f.all[0].name, "[7]");
    cr_expect_eq(f.all[0].number, 7);
    hd_object_fields_free(&f);
    /* In an array of structs the numbers are those of fields. */
    cr_assert(hd_object_fields(m.o, MADE_ENTRIES, 0, 100, 0, &f));
    cr_expect_eq(field_named(&f, "[1].key")->number, 2);
    cr_expect_eq(field_named(&f, "[1].value")->to, MADE_OTHER);
    hd_object_fields_free(&f);
    made_close(&m);
}

Test(object_fields, in_a_slice_begin_at_the_requested_index)
{
    struct made m = made_open();
    struct hd_object_fields f;
    cr_assert(hd_object_fields(m.o, MADE_BYTES, MADE_MANY_BYTES - 1, 10, 1, &f));
    cr_expect_eq(f.len, 1);
    hd_object_fields_free(&f);
    cr_assert(hd_object_fields(m.o, MADE_BYTES, UINT64_MAX, 10, 1, &f));
    cr_expect_eq(f.len, 0);
    cr_expect_eq(f.count, MADE_MANY_BYTES);
    hd_object_fields_free(&f);
    cr_expect_not(hd_object_fields(m.o, m.snap->node_count, 0, 10, 1, &f));
    hd_object_fields_free(&f);
    made_close(&m);
}

/* --- strings --------------------------------------------------------------------- */

Test(object_fields, of_a_string_include_its_text)
{
    struct made m = made_open();
    struct hd_object_fields f;
    cr_assert(hd_object_fields(m.o, MADE_NAME, 0, 100, 0, &f));
    cr_expect(f.is_hidden);
    cr_expect_null(f.text);
    cr_expect_eq(f.count, 12, "its length is a number");
    cr_expect_eq(f.len, 0);
    hd_object_fields_free(&f);
    cr_assert(hd_object_fields(m.o, MADE_NAME, 0, 100, 100, &f));
    cr_expect_str_eq(f.text, "a\"\\c\x1b\n|d\u2400\U0001F600\xed\xa0\x80", "%s", f.text);
    cr_expect_not(f.is_cut);
    cr_expect_eq(f.len, 0);
    hd_object_fields_free(&f);
    made_close(&m);
}

Test(object_fields, of_a_long_string_are_truncated_but_not_inside_a_pair)
{
    struct made m = made_open();
    struct hd_object_fields f;
    cr_assert(hd_object_fields(m.o, MADE_LONG, 0, 100, 3, &f));
    cr_expect_str_eq(f.text, "abc");
    cr_expect(f.is_cut);
    cr_expect_eq(f.count, MADE_LONG_TEXT);
    hd_object_fields_free(&f);
    cr_assert(hd_object_fields(m.o, MADE_NAME, 0, 100, 10, &f));
    cr_expect_str_eq(f.text, "a\"\\c\x1b\n|d\u2400", "%s", f.text);
    hd_object_fields_free(&f);
    made_close(&m);
}

/* --- without fields -------------------------------------------------------------- */

Test(object_fields, without_names_are_references)
{
    struct forge forge = {0};
    node_id from = forge_object(&forge, "App.List", 24);
    node_id to = forge_objects(&forge, "App.Order", 24, 3);
    for (uint32_t i = 0; i < 3; i++)
        forge_reference(&forge, from, to + 2 - i);
    struct hd_snapshot *snap = forge_finish(&forge);
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    struct hd_objects *o = hd_objects_open(c, 0);
    cr_assert(hd_objects_wait(o, NULL));
    struct hd_object_fields f;
    cr_assert(hd_object_fields(o, from, 1, 10, 100, &f));
    cr_expect_not(f.are_named);
    cr_expect_eq(f.count, 3);
    cr_assert_eq(f.len, 2);
    cr_expect_null(f.all[0].name);
    cr_expect_eq(f.all[0].to, to + 1, "in the order of the file");
    cr_expect_str_eq(f.all[1].to_type, "App.Order");
    hd_object_fields_free(&f);
    cr_assert(hd_object_fields(o, from, 4, 10, 100, &f));
    cr_expect_eq(f.len, 0);
    hd_object_fields_free(&f);
    hd_objects_close(o);
    hd_comparison_free(c);
    hd_snapshot_close(snap);
}

/* --- neighbours by field --------------------------------------------------------- */

Test(object_fields, separate_neighbors_of_one_type)
{
    struct made m = made_open();
    size_t count;
    struct hd_object_group *groups =
        hd_object_groups(m.o, MADE_OTHER, HD_REFERRED_BY, &count);
    cr_assert_eq(count, 2);
    cr_expect_str_eq(groups[0].type, "Shop.Customer");
    cr_expect_str_eq(groups[0].field, "_next");
    cr_expect_str_eq(groups[1].type, "Shop.Entry[]");
    cr_expect_str_eq(groups[1].field, "[].value");
    free(groups);
    groups = hd_object_groups(m.o, MADE_CUSTOMER, HD_REFERS_TO, &count);
    cr_assert_eq(count, 4);
    cr_expect_str_eq(groups[0].field, "Extra.Self");
    cr_expect_str_eq(groups[1].field, "_next", "of one type by the field");
    free(groups);
    groups = hd_object_groups(m.o, MADE_ENTRIES, HD_REFERS_TO, &count);
    cr_assert_eq(count, 1);
    cr_expect_eq(groups[0].objects, 2);
    free(groups);
    groups = hd_object_groups(m.o, MADE_ENTRIES, HD_REFERRED_BY, &count);
    cr_assert_eq(count, 1);
    cr_expect_null(groups[0].field, "a variable has none");
    free(groups);
    made_close(&m);
}

/* --- one by one --------------------------------------------------------------------- */

/* A heap in which all other objects and roots refer to one object. */
struct held {
    node_id target, cache, frame, lost;
    struct hd_snapshot *snap;
    struct hd_comparison *c;
    struct hd_objects *o;
};

static struct held held_open(void)
{
    struct forge f = {0};
    struct held h = {0};
    struct hd_error err = {0};
    h.lost = forge_object(&f, "App.Lost", 24);
    h.frame = forge_object(&f, "App.Frame", 24);
    h.cache = forge_object(&f, "App.Cache", 24);
    h.target = forge_object(&f, "App.Order", 40);
    forge_reference(&f, h.lost, h.target);
    forge_reference(&f, h.frame, h.target);
    forge_reference(&f, h.cache, h.target);
    forge_reference(&f, h.cache, h.target);
    forge_reference(&f, h.target, h.target);
    forge_root(&f, HD_ROOT_STACK, NULL, h.frame);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_cache", h.cache);
    forge_root(&f, HD_ROOT_STACK, NULL, h.target);
    forge_root(&f, HD_ROOT_PINNED_HANDLE, NULL, h.target);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_last", h.target);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_first", h.target);
    h.snap = forge_finish(&f);
    h.c = hd_comparison_of(&h.snap, 1, NULL);
    h.o = hd_objects_open(h.c, 0);
    cr_assert(hd_objects_wait(h.o, &err), "%s", err.message);
    return h;
}

static void held_close(struct held *h)
{
    hd_objects_close(h->o);
    hd_comparison_free(h->c);
    hd_snapshot_close(h->snap);
}

/* Roots of every kind, then objects reachable from them, then garbage; each of these, not
 * one per kind. */
Test(object_fields, list_all_holders_of_an_object)
{
    struct held h = held_open();
    size_t len, count;
    struct hd_object_holder *all = hd_object_holders(h.o, h.target, 100, &len, &count);
    const struct {
        const char *type;
        enum hd_root_kind root;
        uint64_t references;
    } wanted[] = {{"[static var App.Shop.s_last]", HD_ROOT_STATIC, 1},
                  {"[static var App.Shop.s_first]", HD_ROOT_STATIC, 1},
                  {"[pinning Handles]", HD_ROOT_PINNED_HANDLE, 1},
                  {"[local vars]", HD_ROOT_STACK, 1},
                  {"App.Cache", HD_ROOT_STATIC, 2},
                  {"App.Order", HD_ROOT_STATIC, 1},
                  {"App.Frame", HD_ROOT_STACK, 1},
                  {"App.Lost", HD_ROOT_UNREACHABLE, 1}};
    cr_assert_eq(count, sizeof(wanted) / sizeof(*wanted));
    cr_assert_eq(len, count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_str_eq(all[i].object.type, wanted[i].type);
        cr_expect_eq(all[i].root, wanted[i].root, "%s", wanted[i].type);
        cr_expect_eq(all[i].references, wanted[i].references, "%s", wanted[i].type);
        cr_expect_eq(all[i].object.is_reachable, wanted[i].root != HD_ROOT_UNREACHABLE);
        cr_expect_eq(all[i].object.kind, i < 4 ? HD_OBJECT_ROOTS : HD_OBJECT);
    }
    free(all);
    free(hd_object_holders(h.o, h.target, 3, &len, &count));
    cr_expect_eq(len, 3);
    cr_expect_eq(count, 8, "the others are counted");
    cr_expect_null(hd_object_holders(h.o, h.lost, 3, &len, &count));
    cr_expect_eq(count, 0);
    held_close(&h);
}

static void by_number(const void *context, node_id n, field_id *ids)
{
    const struct graph *g = context;
    for (uint32_t i = 0; i < g->edge_begin[n + 1] - g->edge_begin[n]; i++)
        ids[i] = i;
}

/* A referrer with two fields is listed twice. */
Test(object_fields, list_each_field_that_refers_to_an_object)
{
    static const char *const names[] = {"_first", "_second", "_third", "_more"};
    struct held h = held_open();
    struct fields *fields = alloc_zeroed(sizeof(*fields));
    *fields = (struct fields){
        .names = names, .name_count = 4, .of_node = by_number, .context = h.snap->graph};
    h.snap->graph->fields = fields;
    size_t len, count;
    struct hd_object_holder *all = hd_object_holders(h.o, h.target, 100, &len, &count);
    cr_assert_eq(count, 9);
    for (size_t i = 4; i < 6; i++) {
        cr_expect_eq(all[i].object.number, h.cache);
        cr_expect_str_eq(all[i].field, names[i - 4]);
        cr_expect_eq(all[i].references, 1);
    }
    free(all);
    held_close(&h);
}

/* Together they have all references. */
Test(object_fields, name_the_field_of_each_holder)
{
    struct made m = made_open();
    size_t len, count;
    struct hd_object_holder *all = hd_object_holders(m.o, MADE_OTHER, 100, &len, &count);
    cr_assert_eq(count, 2);
    cr_expect_eq(all[0].object.number, MADE_ENTRIES);
    cr_expect_str_eq(all[0].field, "[].value");
    cr_expect_eq(all[1].object.number, MADE_CUSTOMER);
    cr_expect_str_eq(all[1].field, "_next");
    free(all);
    for (uint32_t n = 0; n < m.snap->graph->node_count; n++) {
        struct hd_object o;
        uint64_t references = 0;
        cr_assert(hd_object(m.o, n, &o));
        all = hd_object_holders(m.o, n, SIZE_MAX, &len, &count);
        for (size_t i = 0; i < len; i++)
            references += all[i].references;
        cr_expect_eq(references, o.referrers);
        free(all);
    }
    made_close(&m);
}

/* --- one object, without any index ----------------------------------------------- */

static void expect_same_groups(const struct hd_objects *a, const struct hd_objects *b,
                               uint32_t number)
{
    size_t x_count, y_count;
    struct hd_object_group *x = hd_object_groups(a, number, HD_REFERRED_BY, &x_count);
    struct hd_object_group *y = hd_object_groups(b, number, HD_REFERRED_BY, &y_count);
    cr_assert_eq(x_count, y_count);
    for (size_t i = 0; i < x_count; i++) {
        cr_expect_str_eq(x[i].type, y[i].type);
        cr_expect_eq(x[i].references, y[i].references);
        cr_expect_eq(x[i].objects, y[i].objects);
        cr_expect_eq(x[i].first, y[i].first);
    }
    free(x);
    free(y);
}

Test(object_fields, one_object_is_the_same_without_indexes)
{
    struct made m = made_open();
    struct hd_objects *one = objects_open_one(m.c, 0);
    cr_assert(hd_objects_wait(one, NULL));
    size_t count;
    cr_expect_null(hd_object_groups(one, MADE_OTHER, HD_REFERRED_BY, &count));
    for (uint32_t n = 0; n < m.snap->node_count; n++) {
        struct hd_object x, y;
        cr_assert(objects_find_referrers(one, n, NULL));
        cr_assert(hd_object(m.o, n, &x) && hd_object(one, n, &y));
        cr_expect_eq(x.referrers, y.referrers);
        cr_expect_eq(x.is_reachable, y.is_reachable);
        cr_expect_eq(hd_object_root(m.o, n), hd_object_root(one, n));
        expect_same_groups(m.o, one, n);
    }
    hd_objects_close(one);
    made_close(&m);
}

Test(object_fields, an_address_without_an_object_names_the_nearest)
{
    struct made m = made_open();
    struct hd_error err = {0};
    char near[40];
    uint32_t number;
    cr_expect_not(hd_object_at(m.o, made_address(MADE_NAME) + 46, &number, &err));
    snprintf(near, sizeof(near), "0x%llx", (unsigned long long)made_address(MADE_NAME));
    cr_expect_not_null(strstr(err.message, near), "%s", err.message);
    err = (struct hd_error){0};
    cr_expect_not(hd_object_at(m.o, 1, &number, &err));
    cr_expect_not_null(strstr(err.message, "the first is at"), "%s", err.message);
    err = (struct hd_error){0};
    cr_expect_not(hd_object_at(m.o, UINT64_MAX, &number, &err));
    cr_expect_not_null(strstr(err.message, "the last, of"), "%s", err.message);
    made_close(&m);
}

/* --- what who reads values may say ------------------------------------------------- */

/* Fields of the only object, a System.String. */
static const struct hd_field *told;
static size_t told_count;

static const struct hd_field *tell(const void *context, node_id n, uint64_t first,
                                   size_t most, bool with_text, size_t most_text,
                                   struct arena *a, size_t *len, uint64_t *count)
{
    (void)context;
    (void)n;
    (void)with_text;
    (void)most_text;
    (void)a;
    uint64_t left = first < told_count ? told_count - first : 0;
    *count = told_count;
    *len = left < most ? (size_t)left : most;
    return told + first;
}

static struct made told_open(const struct hd_field *all, size_t count, bool with_values)
{
    struct forge f = {0};
    forge_object(&f, "System.String", 24);
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    struct made m = {.snap = forge_finish(&f)};
    told = all;
    told_count = count;
    m.snap->graph->fields = alloc_zeroed(sizeof(*m.snap->graph->fields));
    m.snap->graph->fields->values = with_values ? tell : NULL;
    m.c = hd_comparison_of(&m.snap, 1, NULL);
    m.o = hd_objects_open(m.c, 0);
    cr_assert(hd_objects_wait(m.o, NULL));
    return m;
}

#define UNIT(name_, number_)                                                            \
    {                                                                                   \
        .name = (name_), .kind = HD_FIELD_CHAR, .number = (number_), .to = HD_NO_OBJECT \
    }

/* A type may have this name and be another one; its fields are listed unchanged. */
Test(object_fields, of_another_type_named_string_are_unchanged)
{
    static const struct hd_field length[] = {
        {.name = "_length", .kind = HD_FIELD_SIGNED, .number = 3, .to = HD_NO_OBJECT}};
    static const struct hd_field fields[] = {UNIT("_first", 'a'), UNIT("[0].x", 'b')};
    static const struct hd_field unnamed[] = {UNIT("", 'a'), UNIT(NULL, 'b')};
    static const struct {
        const struct hd_field *all;
        size_t len;
        const char *first;
    } cases[] = {{length, 1, "_length"}, {fields, 2, "_first"}, {unnamed, 2, NULL}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct made m = told_open(cases[i].all, cases[i].len, true);
        struct hd_object_fields f;
        for (size_t most_text = 0; most_text < 20; most_text += 10) {
            cr_assert(hd_object_fields(m.o, 0, 0, 10, most_text, &f));
            cr_expect_null(f.text);
            cr_expect_not(f.is_hidden);
            cr_assert_eq(f.len, cases[i].len);
            cr_expect_eq(f.is_array, false);
            cr_expect_eq(f.all[0].name == NULL, cases[i].first == NULL);
            if (cases[i].first != NULL)
                cr_expect_str_eq(f.all[0].name, cases[i].first);
            bool is_unit = f.all[0].kind == HD_FIELD_CHAR;
            cr_expect_eq(f.all[0].is_hidden, is_unit && most_text == 0);
            hd_object_fields_free(&f);
        }
        made_close(&m);
    }
}

Test(object_fields, of_an_empty_string_include_an_empty_text)
{
    struct made m = told_open(NULL, 0, true);
    struct hd_object_fields f;
    cr_assert(hd_object_fields(m.o, 0, 0, 10, 10, &f));
    cr_expect_str_eq(f.text, "");
    cr_expect_not(f.is_cut);
    hd_object_fields_free(&f);
    made_close(&m);
}

/* A unit that fits is shown even if it is half a pair. */
Test(object_fields, of_a_string_truncated_to_one_unit_are_that_unit)
{
    static const struct hd_field units[] = {UNIT("[0]", 0xD83D), UNIT("[1]", 0xDE00),
                                            UNIT("[2]", 'x')};
    static const char *const texts[] = {"\xED\xA0\xBD", "\xF0\x9F\x98\x80",
                                        "\xF0\x9F\x98\x80x"};
    for (size_t most = 1; most <= 3; most++) {
        struct made m = told_open(units, 3, true);
        struct hd_object_fields f;
        cr_assert(hd_object_fields(m.o, 0, 0, 10, most, &f));
        cr_expect_str_eq(f.text, texts[most - 1], "%zu: %s", most, f.text);
        cr_expect_eq(f.is_cut, most < 3);
        hd_object_fields_free(&f);
        made_close(&m);
    }
}

Test(object_fields, without_values_are_references)
{
    struct made m = told_open(NULL, 0, false);
    struct hd_object_fields f;
    cr_assert(hd_object_fields(m.o, 0, 0, 10, 10, &f));
    cr_expect_not(f.are_named);
    cr_expect_eq(f.len, 0);
    cr_expect_null(f.text);
    hd_object_fields_free(&f);
    made_close(&m);
}
