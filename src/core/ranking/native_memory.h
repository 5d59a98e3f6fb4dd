/* native_memory.h - types that accumulate and hold memory outside of any snapshot:
 * assemblies, generated code, threads, handles. Such objects are small, so their number is
 * the evidence, not their score. */
#ifndef NATIVE_MEMORY_H
#define NATIVE_MEMORY_H

#include "series/series.h"
#include "series/type_rank.h"

struct native_memory_kind {
    const char *type; /* NULL: handles, by their names */
    const char *what; /* "loaded assemblies" */
    const char *hint; /* id of a hint (hints.h) */
};

/* The kind of a type with this name, or NULL. */
const struct native_memory_kind *native_memory_kind_of(const char *type,
                                                       enum type_origin origin);

/* A type with more instances in every usable snapshot than in the one before. */
struct native_memory_growth {
    const struct native_memory_kind *kind;
    const struct series_row *row;
    const char *hint; /* of the kind, or a better one */
    bool is_much;     /* too much for a start that is not over */
};

/* Returns the type with native memory, judged by its name (a handle, a bitmap, a
 * connection), that gains an instance in nearly every step, or NULL; the one that gained
 * most if several do. */
const struct series_row *native_memory_holder_of(const struct series *s);

/* Returns growing kinds in order of the rows; a kind that always accompanies another one is
 * represented by that. In a; *count is their number, 0 with fewer than three usable
 * snapshots: between two anything may grow. */
struct native_memory_growth *native_memory_growths_of(const struct series *s, size_t *count,
                                                      struct arena *a);

#endif
