/* suspicion.h - decide from which score on a row of a ranking is a suspect, and by which
 * rule. */
#ifndef SUSPICION_H
#define SUSPICION_H

#include "heapdrift.h"

extern const char *const ranking_basis_names[]; /* "table", ... */

extern const char *const suspicion_names[];       /* NULL, "size", "steady", "age" */
extern const char *const identity_source_names[]; /* NULL, "order", ... */
extern const char *const reservation_names[];     /* NULL, "fills", ... */
extern const char *const time_limit_names[];      /* NULL, "unknown", ... */

/* Scores from which on a row is a suspect. With bytes other than 0 the share is unused. */
struct suspect_line {
    double share; /* of the reachable heap */
    uint64_t bytes;
    double steady_share; /* the same for steady growth; both 0: never */
    uint64_t steady_bytes;
};

/* 2 %, and 0.1 % for steady growth. */
extern const struct suspect_line usual_line;

bool reaches_line(const struct suspect_line *line, double score, double heap);
bool reaches_steady_line(const struct suspect_line *line, double score, double heap);

/* Returns the smallest whole score that reaches the line; HD_UNKNOWN if out of reach. */
uint64_t least_at_line(const struct suspect_line *line, double heap);
uint64_t least_at_steady_line(const struct suspect_line *line, double heap);

#endif
