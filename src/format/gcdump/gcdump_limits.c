#include "format/gcdump/gcdump_limits.h"

#include "base/error.h"

#include <inttypes.h>

bool gcdump_can_hold(const struct gcdump_extent *e, struct hd_error *err)
{
    /* A type's number stands doubled in front of each of its nodes. */
    if (e->nodes > INT32_MAX || e->types > INT32_MAX / 2)
        return fail(err, HD_TOO_BIG, "more nodes or types than a gcdump can number");
    if (e->record_bytes > INT32_MAX)
        return fail(err, HD_TOO_BIG,
                    "%" PRIu64 " bytes of node records; a gcdump holds 2147483647",
                    e->record_bytes);
    if (e->file_bytes > UINT32_MAX)
        return fail(err, HD_TOO_BIG, "a gcdump of more than 4 GiB, which nothing can read");
    return true;
}
