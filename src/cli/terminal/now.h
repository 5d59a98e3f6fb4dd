/* now.h - what time it is, for reports that depend on it. */
#ifndef NOW_H
#define NOW_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds since 1970-01-01 UTC: SOURCE_DATE_EPOCH, which is what a reproducible build takes
 * for now (so tests have a date), or the clock. False after saying that it is no time. */
bool now(int64_t *seconds);

#endif
