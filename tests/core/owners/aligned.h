/* aligned.h - a short series of made snapshots, lined up, and freed in one call.
 *
 *     struct aligned a = {0};
 *     aligned_add(&a, forge_finish(&f));     once per snapshot, in order
 *     align(&a, NULL);
 *     ... a.series, a.warnings, aligned_row(&a, "App.Order") ...
 *     aligned_free(&a); */
#ifndef ALIGNED_H
#define ALIGNED_H

#include "series/series.h"
#include "support/forge.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ALIGNED_MAX = 8 };

struct aligned {
    struct hd_snapshot *snaps[ALIGNED_MAX];
    size_t count;
    struct arena arena;
    struct series series;
    struct series_warnings warnings;
    struct hd_error error;
};

/* Counts of a type in each table of a series. */
struct made_row {
    const char *type;
    uint64_t count[ALIGNED_MAX], bytes[ALIGNED_MAX];
};

/* A table of three types of the program and one of the framework. */
static inline struct hd_snapshot *any_table(uint64_t count)
{
    struct forge f = {0};
    forge_row(&f, "App.A", count, 10 * count);
    forge_row(&f, "App.B", count, 10 * count);
    forge_row(&f, "App.C", count, 10 * count);
    forge_row(&f, "System.String", count, 10 * count);
    return forge_finish(&f);
}

/* Takes ownership of the snapshot. */
static inline void aligned_add(struct aligned *a, struct hd_snapshot *snap)
{
    cr_assert_lt(a->count, ALIGNED_MAX);
    a->snaps[a->count++] = snap;
}

/* Adds `count` tables; rows without objects are left out. */
static inline void aligned_add_tables(struct aligned *a, const struct made_row *rows,
                                      size_t row_count, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        struct forge f = {0};
        for (size_t i = 0; i < row_count; i++)
            if (rows[i].count[k] > 0)
                forge_row(&f, rows[i].type, rows[i].count[k], rows[i].bytes[k]);
        aligned_add(a, forge_finish(&f));
    }
}

/* True if the snapshots can be compared; ask may be NULL. */
static inline bool try_align(struct aligned *a, const struct series_question *ask)
{
    static const struct series_question nothing;
    return series_align(&a->series, a->snaps, a->count, ask != NULL ? ask : &nothing,
                        &a->arena, &a->warnings, &a->error);
}

static inline void align(struct aligned *a, const struct series_question *ask)
{
    cr_assert(try_align(a, ask), "%s", a->error.message);
}

static inline void aligned_free(struct aligned *a)
{
    for (size_t k = 0; k < a->count; k++)
        hd_snapshot_close(a->snaps[k]);
    arena_free(&a->arena);
    *a = (struct aligned){0};
}

static inline const struct series_row *aligned_row(const struct aligned *a,
                                                   const char *name)
{
    for (size_t i = 0; i < a->series.row_count; i++)
        if (strcmp(a->series.rows[i].name, name) == 0)
            return &a->series.rows[i];
    cr_assert(false, "no row %s", name);
    return NULL;
}

/* The count and bytes of a row in snapshot k. */
static inline void expect_tally(const struct aligned *a, const char *row, size_t k,
                                uint64_t count, uint64_t bytes)
{
    struct hd_tally at = aligned_row(a, row)->at[k];
    cr_expect_eq(at.count, count, "%s: %llu", row, (unsigned long long)at.count);
    cr_expect_eq(at.bytes, bytes, "%s: %llu bytes", row, (unsigned long long)at.bytes);
}

/* Number of warnings of this kind about a snapshot. */
static inline size_t aligned_warnings(const struct aligned *a, enum warning_code code,
                                      size_t snapshot)
{
    size_t found = 0;
    for (size_t i = 0; i < a->warnings.len; i++)
        found += a->warnings.all[i].code == code && a->warnings.all[i].snapshot == snapshot;
    return found;
}

#endif
