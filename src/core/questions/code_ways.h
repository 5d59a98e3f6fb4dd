/* code_ways.h - ways through methods as a tree: sorted, so that ways with a common begin
 * are adjacent.
 *
 * No recursion: a way is as long as a stack. Must not depend on the counted objects. */
#ifndef CODE_WAYS_H
#define CODE_WAYS_H

#include "base/arena.h"
#include "heap/allocation_sites.h"
#include "report/report.h"

/* Bytes per sample, unless a file has the number: runtimes report one in 100 KB. */
enum { USUAL_SAMPLE = 102400 };

/* Returns the frames of sites by their numbers, in the report's arena. */
const struct hd_code *codes_of_sites(struct hd_report *r,
                                     const struct allocation_sites *sites);

struct code_way {
    const struct hd_code **codes;
    size_t len;
    uint64_t samples;
    int64_t growth; /* decides the order of branches before samples */
    const uint64_t *at;
};

/* Ways from first to before end that share their codes before `from`, and the one there. */
struct code_branch {
    size_t first, end, from;
    size_t parent;  /* number of the branch above in the order of visits, or SIZE_MAX */
    unsigned depth; /* branches above */
    uint64_t samples;
    int64_t growth;
};

/* Compares places in code by their text. */
int code_order(const struct hd_code *a, const struct hd_code *b);

/* Returns the depth after the last code that all ways of a branch share. */
size_t code_branch_shared(const struct code_way *all, const struct code_branch *b);

/* Sorts ways, then visits the branches in preorder, those with most growth, then most
 * samples, first. visit returns the depth at which the branches below begin, after the
 * codes that it consumed: at least b->from + 1. */
typedef size_t code_visit(void *context, const struct code_way *all,
                          const struct code_branch *b);
void code_ways_walk(struct code_way *all, size_t len, code_visit *visit, void *context);

#endif
