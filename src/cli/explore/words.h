/* words.h - text that is put together piece by piece, and put on the grid at once. */
#ifndef EXPLORE_WORDS_H
#define EXPLORE_WORDS_H

#include "heapdrift.h"

struct words {
    struct hd_memory m;
    struct hd_sink to;
};

static inline void words_begin(struct words *w)
{
    w->m = (struct hd_memory){0};
    w->to = hd_sink_memory(&w->m);
}

static inline const char *words_of(const struct words *w)
{
    return w->m.bytes != NULL ? w->m.bytes : "";
}

static inline void words_end(struct words *w)
{
    hd_memory_free(&w->m);
}

#endif
