#include "heap/root_kind.h"

#include <criterion/criterion.h>

struct named_kind {
    const char *name;
    enum root_kind kind;
};

static void expect_kinds(const struct named_kind *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(root_kind_of(all[i].name), all[i].kind, "%s", all[i].name);
}

#define EXPECT_KINDS(all) expect_kinds((all), sizeof(all) / sizeof((all)[0]))

Test(root_kind, groups_of_dotnet_gcdump)
{
    static const struct named_kind all[] = {
        {"[static vars]", ROOT_STATIC},
        {"[thread static vars]", ROOT_THREAD_STATIC},
        {"[local vars]", ROOT_STACK},
        {"[COM/WinRT Objects]", ROOT_REF_COUNTED_HANDLE},
        {"[finalizer Handles]", ROOT_FINALIZER},
        {"[pinning Handles]", ROOT_PINNED_HANDLE},
        {"[strong Handles]", ROOT_STRONG_HANDLE},
        {"[Dependent Handles]", ROOT_DEPENDENT_HANDLE},
    };
    EXPECT_KINDS(all);
}

Test(root_kind, groups_of_perfview_before_and_after_2022)
{
    static const struct named_kind all[] = {
        {"[FinalizerQueue]", ROOT_FINALIZER},
        {"[PinnedHandle]", ROOT_PINNED_HANDLE},
        {"[StrongHandle]", ROOT_STRONG_HANDLE},
        {"[AsyncPinnedHandle]", ROOT_REF_COUNTED_HANDLE},
        {"[SizedRefHandle]", ROOT_STRONG_HANDLE},
        {"[Pinned local vars]", ROOT_STACK},
        {"[Strong handles]", ROOT_STRONG_HANDLE},
        {"[Pinned handles]", ROOT_PINNED_HANDLE},
        {"[RefCount handles]", ROOT_REF_COUNTED_HANDLE},
        {"[Finalizer Queue]", ROOT_FINALIZER},
    };
    EXPECT_KINDS(all);
}

Test(root_kind, static_variables_by_their_prefix_or_suffix)
{
    static const struct named_kind all[] = {
        {"[static var App.Cache.s_all]", ROOT_STATIC},
        {"[static var ]", ROOT_STATIC},
        {"App.Cache.s_all (static var)", ROOT_STATIC},
        {"[static variable]", ROOT_KIND_COUNT},
        {" (static var)", ROOT_STATIC}, /* by the word "static" */
    };
    EXPECT_KINDS(all);
}

Test(root_kind, case_does_not_matter)
{
    cr_expect_eq(root_kind_of("[STRONG HANDLES]"), ROOT_STRONG_HANDLE);
    cr_expect_eq(root_kind_of("[Static Var T.f]"), ROOT_STATIC);
}

Test(root_kind, mono_names_its_groups_without_brackets)
{
    static const struct named_kind all[] = {
        {"Thread Static Variables", ROOT_THREAD_STATIC},
        {"Static Variables", ROOT_STATIC},
        {"Ephemerons", ROOT_DEPENDENT_HANDLE},
        {"Pinned GC Handles", ROOT_PINNED_HANDLE},
        {"GC Handles", ROOT_STRONG_HANDLE},
        {"Finalizer Queue", ROOT_FINALIZER},
        {"Stack", ROOT_STACK},
        {"Other Roots", ROOT_KIND_COUNT},
    };
    EXPECT_KINDS(all);
}

Test(root_kind, other_names_decide_nothing)
{
    static const struct named_kind all[] = {
        {"", ROOT_KIND_COUNT},
        {"[.NET Roots]", ROOT_KIND_COUNT},
        {"[other roots]", ROOT_KIND_COUNT},
        {"[other Handles]", ROOT_KIND_COUNT},
        {"[None]", ROOT_KIND_COUNT},
        {"[", ROOT_KIND_COUNT},
        {"[roots]", ROOT_KIND_COUNT},
    };
    EXPECT_KINDS(all);
}

Test(root_kind, a_group_without_a_kind_has_its_parents)
{
    cr_expect_eq(root_kind_below("[other Handles]", ROOT_OTHER), ROOT_OTHER);
    cr_expect_eq(root_kind_below("[.NET Roots]", ROOT_STACK), ROOT_STACK);
    cr_expect_eq(root_kind_below("[strong Handles]", ROOT_OTHER), ROOT_STRONG_HANDLE);
}

Test(root_kind, a_static_variable_of_a_thread_stays_a_thread_static)
{
    cr_expect_eq(root_kind_below("[static var T.f]", ROOT_THREAD_STATIC),
                 ROOT_THREAD_STATIC);
    cr_expect_eq(root_kind_below("[static var T.f]", ROOT_STATIC), ROOT_STATIC);
    cr_expect_eq(root_kind_below("[static var T.f]", ROOT_OTHER), ROOT_STATIC);
    cr_expect_eq(root_kind_below("[strong Handles]", ROOT_THREAD_STATIC),
                 ROOT_STRONG_HANDLE);
}

Test(root_kind, classes_go_from_statics_to_the_unreachable)
{
    static const unsigned classes[ROOT_KIND_COUNT] = {
        [ROOT_STATIC] = 0,
        [ROOT_THREAD_STATIC] = 0,
        [ROOT_STRONG_HANDLE] = 1,
        [ROOT_PINNED_HANDLE] = 1,
        [ROOT_REF_COUNTED_HANDLE] = 2,
        [ROOT_DEPENDENT_HANDLE] = 3,
        [ROOT_STACK] = 4,
        [ROOT_FINALIZER] = 5,
        [ROOT_OTHER] = 6,
        [ROOT_UNREACHABLE] = 7,
    };
    for (int k = 0; k < ROOT_KIND_COUNT; k++)
        cr_expect_eq(root_kind_class((enum root_kind)k), classes[k], "%s",
                     root_kind_names[k]);
    cr_expect_eq(root_kind_class(ROOT_KIND_COUNT), classes[ROOT_OTHER], "no kind is other");
}

Test(root_kind, every_kind_has_a_name_of_its_own)
{
    for (int k = 0; k < ROOT_KIND_COUNT; k++) {
        cr_assert_not_null(root_kind_names[k], "kind %d", k);
        for (int other = 0; other < k; other++)
            cr_expect_str_neq(root_kind_names[k], root_kind_names[other]);
    }
}
