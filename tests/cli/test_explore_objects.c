/* The browser on objects with many neighbors, with long chains or without, without fields,
 * and on heaps without objects of the requested kind. */
#include "cli/browsed.h"
#include "render/written.h"
#include "support/forge.h"

enum { PARCELS = 20, DEEP = 40 };

/* A list that holds each parcel twice; a chain of links; garbage. */
static struct hd_snapshot *warehouse(void)
{
    struct forge f = {0};
    node_id list = forge_object(&f, "App.Shelf", 400), chain = list;
    node_id parcels = forge_objects(&f, "App.Parcel", 96, PARCELS);
    node_id customer = forge_object(&f, "App.Customer", 48);
    for (node_id i = 0; i < PARCELS; i++) {
        forge_reference(&f, list, parcels + i);
        forge_reference(&f, list, parcels + i);
        forge_reference(&f, parcels + i, customer);
        forge_generation(&f, parcels + i, i % 2 == 0 ? HD_GEN2 : HD_GEN0);
    }
    for (int i = 0; i < DEEP; i++) {
        node_id link = forge_object(&f, i == DEEP - 1 ? "App.Last" : "App.Link", 32);
        forge_reference(&f, chain, link);
        chain = link;
    }
    forge_object(&f, "App.Lost", 64);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_shelf", list);
    return forge_finish(&f);
}

static void begin_warehouse(struct browser *b)
{
    *b = (struct browser){.count = 1, .snaps = {warehouse()}};
    begin(b);
    settle(b);
}

/* Opens the objects of a type. */
static void list(struct browser *b, const char *name)
{
    press(b, '3');
    type(b, "/");
    type(b, name);
    press(b, PRESS_ENTER);
    press(b, PRESS_ENTER);
}

static void look_at(struct browser *b, const char *name)
{
    list(b, name);
    press(b, PRESS_ENTER);
    shows(b, "chain from the root");
}

static void go_to(struct browser *b, const char *what)
{
    press(b, PRESS_HOME);
    for (int i = 0; i < 60 && strstr(chosen(b), what) == NULL; i++)
        press(b, PRESS_DOWN);
    cr_expect_not_null(strstr(chosen(b), what), "%s", chosen(b));
}

Test(explore_objects, a_group_of_neighbours_is_opened_as_a_list)
{
    struct browser b;
    begin_warehouse(&b);
    look_at(&b, "App.Shelf");
    go_to(&b, "Parcel ");
    cr_expect_not_null(strstr(chosen(&b), "(40 references)"), "%s", chosen(&b));
    press(&b, PRESS_ENTER);
    shows(&b, "refers to");
    cr_expect_eq(b.e.top->rows, PARCELS);
    /* Other snapshots have no such list. */
    press(&b, '<');
    cr_expect_eq(b.e.top->rows, PARCELS);
    for (int i = 0; i < 4; i++) {
        press(&b, 's');
        cr_expect_eq(b.e.top->rows, PARCELS);
    }
    press(&b, PRESS_ENTER);
    shows(&b, "1 of 20, object 2");
    end(&b);
}

Test(explore_objects, referrers_of_an_object_are_shown_with_the_number_of_others)
{
    struct browser b;
    begin_warehouse(&b);
    list(&b, "App.Customer");
    press(&b, PRESS_ENTER);
    press(&b, PRESS_END);
    cr_expect_not_null(strstr(chosen(&b), "Parcel "), "%s", chosen(&b));
    press(&b, PRESS_ENTER);
    shows(&b, "referred to by");
    cr_expect_eq(b.e.top->rows, PARCELS);
    press(&b, PRESS_BACK);
    press(&b, 'v');
    shows(&b, "Field names need a core dump");
    go_to(&b, "Customer ");
    press(&b, PRESS_ENTER);
    shows(&b, "This object is already shown.");
    end(&b);
}

Test(explore_objects, a_long_chain_has_a_gap_in_it)
{
    struct browser b;
    begin_warehouse(&b);
    look_at(&b, "App.Last");
    shows(&b, "more");
    shows(&b, "Shelf");
    const char *text = screen_of(&b, 100, 60), *gap = strstr(text, " more");
    cr_assert_not_null(gap, "%s", text);
    cr_expect_not_null(strstr(gap, "└ Last"), "the object itself stands behind the gap");
    end(&b);
}

Test(explore_objects, garbage_is_marked)
{
    struct browser b;
    begin_warehouse(&b);
    list(&b, "App.Lost");
    press(&b, PRESS_ENTER);
    shows(&b, "nothing");
    lacks(&b, "App.Shelf");
    end(&b);
}

Test(explore_objects, an_object_is_found_by_number_address_or_not_at_all)
{
    struct browser b;
    char address[32];
    begin_warehouse(&b);
    list(&b, "App.Parcel");
    static const char *const none[] = {
        "0xfffffffffff", "#4294967295", "#99999999999", "#x", "0x", "#"};
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
        type(&b, "/");
        type(&b, none[i]);
        press(&b, PRESS_ENTER);
        shows(&b, "Not found.");
    }
    press(&b, PRESS_END);
    char last[512];
    snprintf(last, sizeof(last), "%s", chosen(&b));
    const char *at = strstr(last, "0x");
    cr_assert_not_null(at, "%s", last);
    snprintf(address, sizeof(address), "%.*s", (int)strcspn(at, " "), at);
    press(&b, PRESS_HOME);
    type(&b, "/");
    type(&b, address);
    press(&b, PRESS_ENTER);
    cr_expect_str_eq(chosen(&b), last);
    end(&b);
}

Test(explore_objects, addresses_are_exported)
{
    struct scratch scratch = {0};
    struct browser b;
    scratch_open(&scratch);
    begin_warehouse(&b);
    list(&b, "App.Parcel");
    const char *csv = scratch_path(&scratch, "parcels.csv");
    export(&b, csv);
    shows(&b, "20 rows");
    cr_expect_not_null(strstr(contents(csv), "0x"), "%s", contents(csv));
    export(&b, scratch.folder);
    shows(&b, "must end in");
    end(&b);
    scratch_remove(&scratch);
}

/* --- where there is nothing ---------------------------------------------------------- */

/* Only types of the framework, of which strings grow. */
static struct hd_snapshot *framework(uint32_t k)
{
    struct forge f = {0};
    node_id all = forge_object(&f, "System.Object[]", 4096);
    node_id strings = forge_objects(&f, "System.String", 100, 100 + 100 * k);
    forge_root(&f, HD_ROOT_STATIC, "System.Cache.s_all", all);
    for (node_id i = 0; i < 100 + 100 * k; i++)
        forge_reference(&f, all, strings + i);
    return forge_finish(&f);
}

Test(explore_objects, a_heap_of_the_framework_has_no_types_of_the_program)
{
    struct browser b = {.count = 4};
    for (uint32_t k = 0; k < 4; k++)
        b.snaps[k] = framework(k);
    begin(&b);
    settle(&b);
    press(&b, 'a');
    press(&b, '3');
    shows(&b, "No type of the program.");
    press(&b, '2');
    press(&b, 'a');
    press(&b, '3');
    shows(&b, "System.String");
    press(&b, '1');
    for (int i = 0; i < 6; i++) {
        press(&b, 's');
        shows(&b, "[1 Suspects");
    }
    end(&b);
}

Test(explore_objects, types_of_one_heap_are_sorted_by_retained_size)
{
    struct browser b;
    begin_warehouse(&b);
    press(&b, '3');
    char seen[8][512];
    size_t parcels = 0;
    bool found = false;
    for (; parcels < 8; parcels++) {
        press(&b, PRESS_HOME);
        snprintf(seen[parcels], sizeof(seen[parcels]), "%s", chosen(&b));
        found = found || strstr(screen(&b), "by retained") != NULL;
        press(&b, 's');
    }
    cr_expect(found, "%s", screen(&b));
    end(&b);
}

Test(explore_objects, an_empty_heap_is_reported)
{
    struct forge f = {0};
    struct browser b = {.count = 1, .snaps = {forge_finish(&f)}};
    begin(&b);
    settle(&b);
    press(&b, '3');
    shows(&b, "An empty heap.");
    static const uint32_t keys[] = {PRESS_ENTER, PRESS_DOWN,  PRESS_UP, 's',         'm',
                                    '/',         PRESS_ENTER, '2',      PRESS_ENTER, '+',
                                    '-',         '*',         '1',      PRESS_ENTER};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        press(&b, keys[i]);
        screen(&b);
    }
    end(&b);
}

Test(explore, shows_the_retained_size_of_an_object)
{
    struct browser b = {.count = SHOPS};
    open_shops(b.snaps);
    begin(&b);
    settle(&b);
    for (int i = 0; i < 3; i++)
        press(&b, PRESS_ENTER);
    shows(&b, ", retains ");
    press(&b, PRESS_ENTER); /* the roots, which are not objects */
    lacks(&b, ", retains ");
    end(&b);
}
