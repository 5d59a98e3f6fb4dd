/* suspicion.h - from when on a row of a ranking is a suspect, and by what it was found. */
#ifndef SUSPICION_H
#define SUSPICION_H

#include <stdbool.h>
#include <stdint.h>

/* What a row of the ranking was found by. */
enum hd_basis {
    HD_BASIS_TABLE, /* shallow bytes of a type */
    HD_BASIS_GRAPH, /* a place in the tree of owners */
    HD_BASIS_TYPE   /* a whole type, held in changing places */
};

extern const char *const ranking_basis_names[]; /* "table", ... */

enum hd_suspicion {
    HD_SUSPECT_NOT,
    HD_SUSPECT_SIZE,  /* its score is large */
    HD_SUSPECT_STEADY /* a small one, but nearly the same number more in every step */
};

extern const char *const suspicion_names[]; /* NULL, "size", "steady" */

/* Scores from which on a row is a suspect. Of bytes that are not 0 the share is unused. */
struct suspect_line {
    double share; /* of the reachable heap */
    uint64_t bytes;
    double steady_share; /* the same for what is steady; both 0: none is */
    uint64_t steady_bytes;
};

/* 2 %, and 0.1 % of what is steady. */
extern const struct suspect_line usual_line;

bool reaches_line(const struct suspect_line *line, double score, double heap);
bool reaches_steady_line(const struct suspect_line *line, double score, double heap);

#endif
