/* series_index.h - rows of a series by their names. */
#ifndef SERIES_INDEX_H
#define SERIES_INDEX_H

#include "base/arena.h"
#include "series/series.h"

/* {0} is empty. */
struct series_index {
    struct series_slot *slots;
    struct arena arena;
};

/* s must outlive it. */
struct series_index series_index_of(const struct series *s);

/* The row of that name, or NULL. */
struct series_row *series_row_named(const struct series_index *index, const char *name);

void series_index_free(struct series_index *index);

#endif
