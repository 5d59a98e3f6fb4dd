/* suspicion.h - from when on a row of a ranking is a suspect, and by what it was found. */
#ifndef SUSPICION_H
#define SUSPICION_H

#include "heapdrift.h"

extern const char *const ranking_basis_names[]; /* "table", ... */

extern const char *const suspicion_names[];       /* NULL, "size", "steady", "age" */
extern const char *const identity_source_names[]; /* NULL, "order", ... */
extern const char *const reservation_names[];     /* NULL, "fills", ... */
extern const char *const time_limit_names[];      /* NULL, "unknown", ... */

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

/* The least whole scores that reach them; HD_UNKNOWN: none does. */
uint64_t least_at_line(const struct suspect_line *line, double heap);
uint64_t least_at_steady_line(const struct suspect_line *line, double heap);

#endif
