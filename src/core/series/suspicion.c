#include "series/suspicion.h"

#include "series/ranking_constants.h"

#include <math.h>
#include <stddef.h>

const char *const ranking_basis_names[] = {
    [HD_BASIS_TABLE] = "table", [HD_BASIS_GRAPH] = "graph", [HD_BASIS_TYPE] = "type"};

const char *const suspicion_names[] = {[HD_SUSPECT_NOT] = NULL,
                                       [HD_SUSPECT_SIZE] = "size",
                                       [HD_SUSPECT_STEADY] = "steady",
                                       [HD_SUSPECT_AGE] = "age"};

const char *const identity_source_names[] = {[HD_SAME_UNKNOWN] = NULL,
                                             [HD_SAME_BY_ORDER] = "order",
                                             [HD_SAME_BY_CONTENTS] = "contents",
                                             [HD_SAME_BY_EVENTS] = "events"};

const char *const reservation_names[] = {[HD_RESERVED_NOT] = NULL,
                                         [HD_RESERVED_FILLS] = "fills",
                                         [HD_RESERVED_PER_TYPE] = "per-type",
                                         [HD_RESERVED_LIFETIME] = "lifetime"};

const char *const time_limit_names[] = {[HD_TIME_ENOUGH] = NULL,
                                        [HD_TIME_UNKNOWN] = "unknown",
                                        [HD_TIME_SHORT] = "short",
                                        [HD_TIME_YOUNG] = "young"};

bool hd_diff_is_reserved(const struct hd_diff *diff)
{
    return diff->undecided != NULL && diff->undecided->reservation != HD_RESERVED_NOT;
}

bool hd_diff_grows_outside(const struct hd_diff *diff)
{
    const struct hd_process_growth *p = diff->process;
    return (p != NULL && (p->is_outside || p->is_undivided)) ||
           (diff->free != NULL && diff->free->is_finding);
}

const struct suspect_line usual_line = {.share = USUAL_SHARE,
                                        .steady_share = USUAL_STEADY_SHARE};

static bool reaches(double score, double share, uint64_t bytes, double heap)
{
    if (bytes > 0)
        return score >= (double)bytes;
    return (heap > 0 ? score / heap : 0) >= share;
}

bool reaches_line(const struct suspect_line *line, double score, double heap)
{
    return reaches(score, line->share, line->bytes, heap);
}

bool reaches_steady_line(const struct suspect_line *line, double score, double heap)
{
    bool off = line->steady_bytes == 0 && line->steady_share <= 0;
    return !off && score > 0 &&
           reaches(score, line->steady_share, line->steady_bytes, heap);
}

/* The last bits of a product of doubles may be off, and for huge numbers of a damaged file
 * by more than one: there integers are not representable. */
static uint64_t least(double share, uint64_t bytes, double heap)
{
    enum { BITS_OFF = 4 };
    if (bytes > 0)
        return bytes;
    double at = floor(share * heap);
    for (int i = 0; i < BITS_OFF && at > 0 && reaches(at - 1, share, 0, heap); i++)
        at--;
    for (int i = 0; i < 2 * BITS_OFF && at < heap && !reaches(at, share, 0, heap); i++)
        at++;
    return at < 1 ? 1 : at < 0x1p64 ? (uint64_t)at : UINT64_MAX;
}

uint64_t least_at_line(const struct suspect_line *line, double heap)
{
    return least(line->share, line->bytes, heap);
}

uint64_t least_at_steady_line(const struct suspect_line *line, double heap)
{
    bool off = line->steady_bytes == 0 && line->steady_share <= 0;
    return off ? HD_UNKNOWN : least(line->steady_share, line->steady_bytes, heap);
}
