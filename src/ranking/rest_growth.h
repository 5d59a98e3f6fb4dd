/* rest_growth.h - has that part of the heap grown which no finding explains, and since
 * when?
 *
 * The one place that decides whether "no suspect" may be taken for "no leak": report, gate
 * and fleet ask it through hd_growth. It wants no reason to believe in a leak, as the
 * ranking does, but one to deny it; so any shape counts that ends higher than it began, and
 * three explanations only: it stayed where it was after it grew, it has swung as far and
 * back before, it is too little. docs/ranking.md, "Unexplained growth". It does not know
 * what y is made of. */
#ifndef REST_GROWTH_H
#define REST_GROWTH_H

#include "series/trend.h"

/* A twentieth of the heap; less is noise. */
#define REST_LEAST_SHARE 0.05

struct rest_growth {
    bool grew;    /* and nothing explains it */
    bool stayed;  /* it grew, and then stayed as large: not `grew` */
    double share; /* of the heap: by how much it did either; 0: it did not */
    size_t since; /* the last point at which it was no larger yet than where it began */
};

/* rest: what no finding holds, 2 points or more, in the unit of `heap`, which is all of the
 * last point. stopped: what is known to have grown and stayed within it. O(n^3) of at most
 * TREND_MAX_POINTS points. */
struct rest_growth rest_growth_of(const struct trend *rest, double heap, double stopped);

#endif
