/* native.h - what piles up and holds memory that no snapshot shows: assemblies, generated
 * code, threads, handles. Such objects are small, so no score tells it; their number does.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include "series/series.h"
#include "series/type_rank.h"

struct native_kind {
    const char *type; /* NULL: handles, by their names */
    const char *what; /* "loaded assemblies" */
    const char *hint; /* id of a hint (hints.h) */
};

/* What a type of that name stands for, or NULL. */
const struct native_kind *native_kind_of(const char *type, enum type_origin origin);

/* Has more instances in every usable snapshot than in the one before. */
struct native_growth {
    const struct native_kind *kind;
    const struct series_row *row;
    const char *hint; /* that of the kind, or a better one */
    bool is_much;     /* too much for a start that is not over */
};

/* The type whose instances, one more in nearly every step, hold native memory by its name:
 * a handle, a bitmap, a connection. Of several the one that gained most. NULL: none. */
const struct series_row *native_holder_of(const struct series *s);

/* In order of the rows; of a kind that another one always comes with only that. At most
 * `*count` of them, in a. Of fewer than three usable snapshots none: between two anything
 * may grow. */
struct native_growth *native_growths_of(const struct series *s, size_t *count,
                                        struct arena *a);

#endif
