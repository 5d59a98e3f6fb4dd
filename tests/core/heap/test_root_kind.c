#include "heap/root_kind.h"

#include <criterion/criterion.h>

struct named_kind {
    const char *name;
    enum hd_root_kind kind;
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
        {"[static vars]", HD_ROOT_STATIC},
        {"[thread static vars]", HD_ROOT_THREAD_STATIC},
        {"[local vars]", HD_ROOT_STACK},
        {"[COM/WinRT Objects]", HD_ROOT_REF_COUNTED_HANDLE},
        {"[finalizer Handles]", HD_ROOT_FINALIZER},
        {"[pinning Handles]", HD_ROOT_PINNED_HANDLE},
        {"[strong Handles]", HD_ROOT_STRONG_HANDLE},
        {"[Dependent Handles]", HD_ROOT_DEPENDENT_HANDLE},
    };
    EXPECT_KINDS(all);
}

Test(root_kind, groups_of_perfview_before_and_after_2022)
{
    static const struct named_kind all[] = {
        {"[FinalizerQueue]", HD_ROOT_FINALIZER},
        {"[PinnedHandle]", HD_ROOT_PINNED_HANDLE},
        {"[StrongHandle]", HD_ROOT_STRONG_HANDLE},
        {"[AsyncPinnedHandle]", HD_ROOT_REF_COUNTED_HANDLE},
        {"[SizedRefHandle]", HD_ROOT_STRONG_HANDLE},
        {"[Pinned local vars]", HD_ROOT_STACK},
        {"[Strong handles]", HD_ROOT_STRONG_HANDLE},
        {"[Pinned handles]", HD_ROOT_PINNED_HANDLE},
        {"[RefCount handles]", HD_ROOT_REF_COUNTED_HANDLE},
        {"[Finalizer Queue]", HD_ROOT_FINALIZER},
    };
    EXPECT_KINDS(all);
}

Test(root_kind, static_variables_by_their_prefix_or_suffix)
{
    static const struct named_kind all[] = {
        {"[static var App.Cache.s_all]", HD_ROOT_STATIC},
        {"[static var ]", HD_ROOT_STATIC},
        {"App.Cache.s_all (static var)", HD_ROOT_STATIC},
        {"[static variable]", HD_ROOT_KIND_COUNT},
        {" (static var)", HD_ROOT_STATIC}, /* recognized by the word "static" */
    };
    EXPECT_KINDS(all);
}

Test(root_kind, case_does_not_matter)
{
    cr_expect_eq(root_kind_of("[STRONG HANDLES]"), HD_ROOT_STRONG_HANDLE);
    cr_expect_eq(root_kind_of("[Static Var T.f]"), HD_ROOT_STATIC);
}

Test(root_kind, mono_names_its_groups_without_brackets)
{
    static const struct named_kind all[] = {
        {"Thread Static Variables", HD_ROOT_THREAD_STATIC},
        {"Static Variables", HD_ROOT_STATIC},
        {"Ephemerons", HD_ROOT_DEPENDENT_HANDLE},
        {"Pinned GC Handles", HD_ROOT_PINNED_HANDLE},
        {"GC Handles", HD_ROOT_STRONG_HANDLE},
        {"Finalizer Queue", HD_ROOT_FINALIZER},
        {"Stack", HD_ROOT_STACK},
        {"Other Roots", HD_ROOT_KIND_COUNT},
    };
    EXPECT_KINDS(all);
}

Test(root_kind, other_names_decide_nothing)
{
    static const struct named_kind all[] = {
        {"", HD_ROOT_KIND_COUNT},
        {"[.NET Roots]", HD_ROOT_KIND_COUNT},
        {"[other roots]", HD_ROOT_KIND_COUNT},
        {"[other Handles]", HD_ROOT_KIND_COUNT},
        {"[None]", HD_ROOT_KIND_COUNT},
        {"[", HD_ROOT_KIND_COUNT},
        {"[roots]", HD_ROOT_KIND_COUNT},
    };
    EXPECT_KINDS(all);
}

Test(root_kind, a_group_without_a_kind_has_its_parents)
{
    cr_expect_eq(root_kind_below("[other Handles]", HD_ROOT_OTHER), HD_ROOT_OTHER);
    cr_expect_eq(root_kind_below("[.NET Roots]", HD_ROOT_STACK), HD_ROOT_STACK);
    cr_expect_eq(root_kind_below("[strong Handles]", HD_ROOT_OTHER), HD_ROOT_STRONG_HANDLE);
}

Test(root_kind, a_static_variable_of_a_thread_stays_a_thread_static)
{
    cr_expect_eq(root_kind_below("[static var T.f]", HD_ROOT_THREAD_STATIC),
                 HD_ROOT_THREAD_STATIC);
    cr_expect_eq(root_kind_below("[static var T.f]", HD_ROOT_STATIC), HD_ROOT_STATIC);
    cr_expect_eq(root_kind_below("[static var T.f]", HD_ROOT_OTHER), HD_ROOT_STATIC);
    cr_expect_eq(root_kind_below("[strong Handles]", HD_ROOT_THREAD_STATIC),
                 HD_ROOT_STRONG_HANDLE);
}

Test(root_kind, classes_are_ordered_from_statics_to_unreachable)
{
    static const unsigned classes[HD_ROOT_KIND_COUNT] = {
        [HD_ROOT_STATIC] = 0,
        [HD_ROOT_THREAD_STATIC] = 0,
        [HD_ROOT_STRONG_HANDLE] = 1,
        [HD_ROOT_PINNED_HANDLE] = 1,
        [HD_ROOT_REF_COUNTED_HANDLE] = 2,
        [HD_ROOT_DEPENDENT_HANDLE] = 3,
        [HD_ROOT_STACK] = 4,
        [HD_ROOT_FINALIZER] = 5,
        [HD_ROOT_OTHER] = 6,
        [HD_ROOT_UNREACHABLE] = 7,
    };
    for (int k = 0; k < HD_ROOT_KIND_COUNT; k++)
        cr_expect_eq(root_kind_class((enum hd_root_kind)k), classes[k], "%s",
                     root_kind_names[k]);
    cr_expect_eq(root_kind_class(HD_ROOT_KIND_COUNT), classes[HD_ROOT_OTHER],
                 "no kind is other");
}

Test(root_kind, every_kind_has_a_name_of_its_own)
{
    for (int k = 0; k < HD_ROOT_KIND_COUNT; k++) {
        cr_assert_not_null(root_kind_names[k], "kind %d", k);
        for (int other = 0; other < k; other++)
            cr_expect_str_neq(root_kind_names[k], root_kind_names[other]);
    }
}
