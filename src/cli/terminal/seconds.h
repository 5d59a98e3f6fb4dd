/* seconds.h - a clock that only goes forward, for how long something took. */
#ifndef SECONDS_H
#define SECONDS_H

#include <time.h>

/* Seconds since some time before. */
static inline double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
