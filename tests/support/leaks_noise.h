/* leaks_noise.h - the program around a leak: constant, fluctuating and warming-up parts.
 * Part of leaks.h. */
#ifndef LEAKS_NOISE_H
#define LEAKS_NOISE_H

#include "support/leaks.h"
#include "support/made_heap.h"

/* Random streams of items and noise; those of leaks begin at LEAK_STREAMS. */
enum noise_stream {
    STREAM_CACHE_LENGTH,
    STREAM_QUEUE_LENGTH,
    STREAM_PRODUCT,
    STREAM_USER,
    STREAM_SETTING,
    STREAM_BLOCK,
    STREAM_METHOD,
    STREAM_CACHE_ITEM,
    STREAM_JOB,
    LEAK_STREAMS = 32
};

/* Makes all noise of snapshot k. */
void noise_make(struct made_heap *h, const struct leak_series *s, size_t k);

#endif
