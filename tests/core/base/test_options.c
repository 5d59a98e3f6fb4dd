#include "base/error.h"

#include <criterion/criterion.h>

/* The struct of version 0.1, the present one, and one of a later version. */
struct first {
    size_t size;
    int a;
    int b;
};

struct ours {
    size_t size;
    int a;
    int b;
    int c;
    int d;
};

struct later {
    struct ours ours;
    int e;
    int f;
};

static bool take(struct ours *o, const void *theirs, struct hd_error *err)
{
    *o = (struct ours){9, 9, 9, 9, 9};
    return options_copy(o, sizeof(*o), OPTIONS_END(struct ours, b), theirs, err);
}

Test(options, none_are_zeros)
{
    struct ours o;
    cr_expect(take(&o, NULL, NULL));
    cr_expect(o.a == 0 && o.b == 0 && o.c == 0 && o.d == 0);
}

Test(options, members_unknown_to_the_caller_are_zero)
{
    struct ours o;
    const struct ours old = {OPTIONS_END(struct ours, b), 1, 2, 3, 4};
    cr_expect(take(&o, &old, NULL));
    cr_expect(o.a == 1 && o.b == 2 && o.c == 0 && o.d == 0);
    cr_expect_eq(o.size, sizeof(o));
}

Test(options, without_a_size_they_are_those_of_the_first_version)
{
    struct ours o;
    const struct first first = {0, 1, 2};
    cr_expect(take(&o, &first, NULL));
    cr_expect(o.a == 1 && o.b == 2 && o.c == 0 && o.d == 0);
}

Test(options, later_members_must_be_zero)
{
    struct ours o;
    struct hd_error err = {0};
    struct later later = {{sizeof(later), 1, 2, 3, 4}, 0, 0};
    cr_expect(take(&o, &later, &err));
    cr_expect(o.a == 1 && o.d == 4);
    later.f = 1;
    cr_expect_not(take(&o, &later, &err));
    cr_expect_eq(err.status, HD_USAGE);
}

Test(options, an_invalid_size_is_refused)
{
    struct ours o;
    struct hd_error err = {0};
    const struct ours odd = {1, 1, 2, 3, 4};
    cr_expect_not(take(&o, &odd, &err));
    cr_expect_eq(err.status, HD_USAGE);
}

Test(options, defaults_fill_no_more_than_the_caller_has)
{
    struct hd_options opt;
    memset(&opt, 0x55, sizeof(opt));
    hd_set_default_options(&opt, OPTIONS_END(struct hd_options, sort));
    cr_expect_eq(opt.size, OPTIONS_END(struct hd_options, sort));
    cr_expect_eq(opt.type_count, 0);
    cr_expect_eq(opt.rows, 0x55555555, "behind the end");
    cr_expect_eq(hd_default_options().size, sizeof(struct hd_options));
}
