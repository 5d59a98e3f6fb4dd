/* code_ways.h - ways through methods as a tree: sorted, so that ways that begin alike are
 * neighbours.
 *
 * Nothing recurses: a way is as long as a stack. It must not depend on what is counted. */
#ifndef CODE_WAYS_H
#define CODE_WAYS_H

#include "base/arena.h"
#include "report/report.h"

struct code_way {
    const struct hd_code **codes;
    size_t len;
    uint64_t samples;
    int64_t growth; /* decides the order of branches before samples */
    const uint64_t *at;
};

/* Ways from first to before end that share what comes before `from`, and the code there. */
struct code_branch {
    size_t first, end, from;
    size_t parent;  /* number of the branch above in the order of visits; SIZE_MAX: none */
    unsigned depth; /* branches above */
    uint64_t samples;
    int64_t growth;
};

/* Whether two places in code are the same is what they say. */
int code_order(const struct hd_code *a, const struct hd_code *b);

/* Behind the last code that all ways of a branch share. */
size_t code_branch_shared(const struct code_way *all, const struct code_branch *b);

/* Sort ways, then visit the branches in preorder, those that grew most, or have most
 * samples, first. visit returns where the branches below begin, behind the codes that it
 * took: at least b->from + 1. */
typedef size_t code_visit(void *context, const struct code_way *all,
                          const struct code_branch *b);
void code_ways_walk(struct code_way *all, size_t len, code_visit *visit, void *context);

#endif
