#include "format/gcdump/gcdump_records.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_refused(struct gcdump_extent e, const char *says)
{
    struct hd_error err = {0};
    cr_expect_not(gcdump_can_hold(&e, &err), "%s", says);
    cr_expect_eq(err.status, HD_TOO_BIG);
    cr_expect_not_null(strstr(err.message, says), "%s: %s", says, err.message);
}

Test(gcdump_limits, the_largest_numbers_of_the_format_are_allowed)
{
    struct hd_error err = {0};
    const struct gcdump_extent largest = {.nodes = 0x7FFFFFFF,
                                          .types = 0x3FFFFFFF,
                                          .record_bytes = 0x7FFFFFFF,
                                          .file_bytes = 0xFFFFFFFF};
    cr_expect(gcdump_can_hold(&largest, &err), "%s", err.message);
}

Test(gcdump_limits, one_more_is_refused)
{
    expect_refused((struct gcdump_extent){.nodes = 0x80000000}, "too many nodes or types");
    expect_refused((struct gcdump_extent){.types = 0x40000000}, "too many nodes or types");
    expect_refused((struct gcdump_extent){.record_bytes = 0x80000000},
                   "2147483648 bytes of node records");
    expect_refused((struct gcdump_extent){.file_bytes = UINT64_C(0x100000000)}, "4 GiB");
}
