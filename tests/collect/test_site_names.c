/* Names of code addresses after complete, incomplete and failed lists of methods. */
#include "collect/site_names.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Cart.Add, called by Program.Main, a stub, and System.Run. */
enum { ADD, MAIN, STUB, RUN, ADDRESSES };
static const uint64_t addresses[ADDRESSES] = {0x100, 0x200, 0x280, 0x300};

/* Faults of a session. */
enum {
    LACKS_ADD = 1,
    LACKS_RUN = 2,
    LACKS_ALL = 4,
    LACKS_FILES = 8,
    IS_LOST = LACKS_ADD | LACKS_RUN | LACKS_ALL /* the list is incomplete */
};

static void update(struct site_names *n, unsigned got)
{
    struct code_name all[ADDRESSES] = {
        [ADD] = {.frame = {.method = "Shop.Cart.Add"}, .module = "/app/shop.dll"},
        [MAIN] = {.frame = {.method = "Shop.Program.Main"}, .module = "/app/shop.dll"},
        [RUN] = {.frame = {.method = "System.Run"}, .module = "/sdk/system.dll"}};
    const struct code_names read = {
        .all = all, .count = ADDRESSES, .own_is_known = (got & LACKS_FILES) == 0};
    if (read.own_is_known) {
        all[ADD].frame = (struct site_frame){"Shop.Cart.Add", "Cart.cs", 42, true};
        all[MAIN].frame.is_own = true;
    }
    for (size_t i = 0; i < ADDRESSES; i++)
        if ((got & LACKS_ALL) != 0 || (i == ADD && (got & LACKS_ADD) != 0) ||
            (i == RUN && (got & LACKS_RUN) != 0))
            all[i] = (struct code_name){.module = NULL};
    site_names_update(n, addresses, ADDRESSES, &read, (got & IS_LOST) == 0);
}

/* A sample of the stack above. */
static const struct allocation_sites *sample(struct arena *a)
{
    static const char *const methods[] = {"100", "200", "280", "300"};
    struct site_builder b;
    uint32_t frames[ADDRESSES];
    site_builder_begin(&b, a);
    for (size_t i = 0; i < ADDRESSES; i++)
        frames[i] = site_builder_frame(&b, &(struct site_frame){.method = methods[i]});
    site_builder_object(
        &b, (struct site_object){1, site_builder_stack(&b, frames, ADDRESSES), 10});
    return site_builder_end(&b, &(struct allocation_sites){.token = 1}, false);
}

/* The stack as text, "unnamed" without one. */
static void expect_stack(const struct site_names *n, const char *wanted)
{
    struct arena a = {0};
    struct text t = {0};
    const struct allocation_sites *s = site_names_apply(n, sample(&a), &a);
    cr_assert_eq(s->object_count + s->unnamed, 1);
    for (uint32_t i = 0; s->object_count > 0 && i < s->stacks[0].frame_count; i++) {
        const struct site_frame *f = &s->frames[s->stacks[0].frames[i]];
        text_add_string(&t, i > 0 ? " < " : "");
        text_add_string(&t, f->is_own ? "" : "-");
        text_add_string(&t, f->method);
        text_add_string(&t, f->line == 42 ? ":42" : "");
    }
    cr_expect_str_eq(s->unnamed > 0 ? "unnamed" : text_string(&t), wanted);
    text_free(&t);
    arena_free(&a);
}

#define WHOLE "Shop.Cart.Add:42 < Shop.Program.Main < -System.Run"

Test(site_names, an_address_without_a_method_is_skipped_after_a_complete_list_only)
{
    struct site_names n = {0};
    expect_stack(&n, "unnamed");
    update(&n, LACKS_ALL);
    expect_stack(&n, "unnamed");
    cr_expect_null(site_names_find(&n, addresses[ADD]), "to be asked for again");
    update(&n, LACKS_ADD);
    expect_stack(&n, "unnamed"); /* its caller is not its site */
    cr_expect_null(site_names_find(&n, addresses[ADD]));
    cr_expect_not_null(site_names_find(&n, addresses[MAIN]));
    update(&n, LACKS_RUN);
    expect_stack(&n, "Shop.Cart.Add:42 < Shop.Program.Main");
    cr_expect_null(site_names_find(&n, addresses[STUB]), "the list may lack it");
    update(&n, 0);
    expect_stack(&n, WHOLE);
    update(&n, LACKS_ALL);
    expect_stack(&n, WHOLE);
    site_names_free(&n);
}

Test(site_names, after_a_refused_session_names_remain)
{
    struct site_names n = {0};
    update(&n, 0);
    site_names_update(&n, addresses, ADDRESSES, &(struct code_names){.count = ADDRESSES},
                      false);
    expect_stack(&n, WHOLE);
    site_names_free(&n);
}

Test(site_names, lines_and_own_code_outlive_a_session_that_could_not_read_files)
{
    struct site_names n = {0};
    update(&n, LACKS_FILES);
    expect_stack(&n, "-Shop.Cart.Add < -Shop.Program.Main < -System.Run");
    cr_expect_not(n.own_is_known);
    update(&n, 0);
    update(&n, LACKS_FILES);
    cr_expect(n.own_is_known);
    expect_stack(&n, WHOLE);
    site_names_free(&n);
}

/* Else the caller would seem to be the innermost of the program. */
Test(site_names, new_code_is_unknown_while_the_files_of_the_program_are_unread)
{
    struct site_names n = {0};
    update(&n, LACKS_ADD);
    update(&n, LACKS_FILES);
    expect_stack(&n, "unnamed");
    update(&n, 0);
    expect_stack(&n, WHOLE);
    site_names_free(&n);
}

/* 1,000 stacks of four methods with names of 250 bytes, all from one Main. */
Test(site_names, a_frame_beyond_the_limits_does_not_move_a_site_to_its_caller)
{
    enum { STACKS = 1000, OWN = 4, LAST = STACKS * OWN };
    struct arena a = {0};
    struct site_names n = {0};
    struct code_names read = {.own_is_known = true, .count = LAST + 1};
    uint64_t *at = arena_array(&a, uint64_t, LAST + 1);
    uint32_t main_frame, frames[OWN + 1];
    struct site_builder b;
    char hex[20];
    read.all = arena_array(&a, struct code_name, LAST + 1);
    site_builder_begin(&b, &a);
    for (uint32_t i = 0; i <= LAST; i++) {
        at[i] = i + 1;
        read.all[i].frame.is_own = true;
        read.all[i].frame.method =
            arena_printf(&a, i < LAST ? "Shop.M%u<%0240d>" : "Shop.Main", i, 0);
    }
    site_names_update(&n, at, LAST + 1, &read, true);
    snprintf(hex, sizeof(hex), "%x", LAST + 1);
    main_frame = site_builder_frame(&b, &(struct site_frame){.method = hex});
    for (uint32_t s = 0; s < STACKS; s++) {
        for (uint32_t i = 0; i < OWN; i++) {
            snprintf(hex, sizeof(hex), "%x", s * OWN + i + 1);
            frames[i] = site_builder_frame(&b, &(struct site_frame){.method = hex});
        }
        frames[OWN] = main_frame;
        site_builder_object(
            &b, (struct site_object){s, site_builder_stack(&b, frames, OWN + 1), 10});
    }
    const struct allocation_sites *s = site_names_apply(
        &n, site_builder_end(&b, &(struct allocation_sites){.token = 1}, false), &a);
    cr_expect(s->object_count > 400 && s->object_count < STACKS, "%u", s->object_count);
    cr_expect_eq(s->unnamed, STACKS - s->object_count);
    for (uint32_t i = 0; i < s->object_count; i++) {
        const struct site_object *o = &s->objects[i];
        char name[32];
        size_t len =
            (size_t)snprintf(name, sizeof(name), "Shop.M%u<", o->object * (uint32_t)OWN);
        const char *site = s->frames[s->stacks[o->stack].frames[0]].method;
        cr_assert_eq(strncmp(site, name, len), 0, "%u: %s", o->object, site);
    }
    site_names_free(&n);
    arena_free(&a);
}
