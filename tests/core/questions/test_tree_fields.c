/* Trees whose places are separated by fields: their names in stacks, as owners and as
 * holders. */
#include "render/written.h"

/* A cache with two arrays of the same type, in two fields. */
static struct hd_snapshot *heap_of(uint32_t each)
{
    struct forge f = {0};
    static const char *const fields[] = {"_first", "_second"};
    node_id cache = forge_object(&f, "App.Cache", 24);
    for (size_t i = 0; i < 2; i++) {
        node_id array = forge_object(&f, "App.Order[]", 16 + 8 * (uint64_t)each);
        node_id order = forge_objects(&f, "App.Order", 96, each * (uint32_t)(i + 1));
        forge_reference_by(&f, cache, fields[i], array);
        for (uint32_t n = 0; n < each * (i + 1); n++)
            forge_reference_by(&f, array, "[]", order + n);
    }
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_cache", cache);
    return forge_finish(&f);
}

/* If two fields refer to the same place, it has the name of the field with more objects; if
 * equal, of the first in the alphabet. File order must not matter. */
Test(tree_fields, the_field_of_most_names_a_place)
{
    static const struct {
        const char *first, *second, *wanted;
        uint32_t count_of_first, count_of_second;
    } cases[] = {{"_z", "_a", "_z", 3, 1}, {"_a", "_z", "_z", 1, 3},
                 {"_z", "_a", "_a", 1, 3}, {"_a", "_z", "_a", 3, 1},
                 {"_z", "_a", "_a", 2, 2}, {"_a", "_z", "_a", 2, 2}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct forge f = {0};
        node_id shop = forge_object(&f, "App.Shop", 24);
        node_id orders = forge_objects(&f, "App.Order", 96, 4);
        for (uint32_t n = 0; n < cases[i].count_of_first + cases[i].count_of_second; n++)
            forge_reference_by(
                &f, shop, n < cases[i].count_of_first ? cases[i].first : cases[i].second,
                orders + n);
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", shop);
        struct hd_snapshot *snap = forge_finish(&f);
        struct hd_options opt = hd_default_options();
        opt.least_kept_share = 0;
        struct hd_report *r = ask_tree(&snap, 1, &opt, NULL);
        cr_assert_not_null(r);
        const struct hd_tree *tree = hd_report_model(r)->tree;
        bool found = false;
        for (size_t n = 0; n < tree->len; n++)
            if (tree->nodes[n].type != NULL &&
                strcmp(tree->nodes[n].type, "App.Order") == 0) {
                found = true;
                cr_expect_str_eq(tree->nodes[n].field, cases[i].wanted, "case %zu", i);
            }
        cr_expect(found);
        hd_snapshot_close(snap);
        hd_report_free(r);
    }
}

static struct hd_report *tree_of(bool fields, bool holders)
{
    static const char *const types[] = {"App.Order"};
    struct hd_snapshot *snaps[] = {heap_of(5), heap_of(10)};
    struct hd_options opt = hd_default_options();
    struct hd_error err = {0};
    opt.fields = fields;
    opt.holders = holders;
    opt.types = types;
    opt.type_count = holders;
    opt.least_kept_share = 0;
    struct hd_report *r = ask_tree(snaps, 2, &opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    close_all(snaps, 2);
    return r;
}

Test(tree_fields, part_places_in_stacks)
{
    static const struct {
        bool fields, holders;
        const char *parts[3], *none;
    } cases[] = {
        {false, false, {"App.Cache;App.Order[];App.Order 1440 2880\n", ""}, "_first"},
        {true,
         false,
         {"App.Cache;._first → App.Order[];[] → App.Order 480 960\n",
          "App.Cache;._second → App.Order[];[] → App.Order 960 1920\n"},
         "App.Cache;App.Order[]"},
        {true, true, {"App.Cache._first", "App.Cache._second", "App.Order[][]"}, " → "},
        {false, true, {"App.Cache", "App.Order[]", ""}, "_first"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hd_report *r = tree_of(cases[i].fields, cases[i].holders);
        char *text = written(r, "folded");
        for (size_t n = 0; n < 3 && cases[i].parts[n] != NULL; n++)
            expect_part(text, cases[i].parts[n]);
        expect_no_part(text, cases[i].none);
        free(text);
        hd_report_free(r);
    }
}

Test(tree_fields, are_written_in_every_format)
{
    static const char *const formats[] = {"text", "md", "json"};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        for (unsigned holders = 0; holders < 2; holders++) {
            struct hd_report *r = tree_of(true, holders == 1);
            char *text = written(r, formats[i]);
            expect_part(text, "_first");
            expect_part(text, "_second");
            free(text);
            hd_report_free(r);
        }
    }
}
