/* series.h - align types by name over snapshots in order.
 *
 * A series has the snapshots that a trend may use, their places on the time axis, and
 * warnings about their order. Rows are in order of first use; nothing is dropped. */
#ifndef SERIES_H
#define SERIES_H

#include "base/arena.h"
#include "base/text.h"
#include "heap/snapshot.h"
#include "series/ranking_constants.h"
#include "series/trend.h"

enum { SERIES_MAX_SNAPSHOTS = TREND_MAX_POINTS };

extern const char *const series_status_names[HD_SERIES_STATUS_COUNT]; /* "growing", ... */

enum growth_kind { GROWS_NOT, GROWS_IN_COUNT, GROWS_IN_SIZE };

struct series_row {
    const char *name;    /* of a type, or of another unit (`by`) */
    struct hd_tally *at; /* one per snapshot; zeros where the type is absent */
    double *noise_share; /* of a count or of bytes, per snapshot; NULL: not sampled */
    enum hd_series_status status;
    enum growth_kind growth; /* over the usable snapshots */
    uint64_t survivors; /* of the first snapshot in the last, at least; or HD_UNKNOWN */
    uint64_t survivors_low, survivors_high; /* known: survivors is an estimate */
};

extern const char *const confidence_names[3];

struct series {
    struct hd_snapshot *const *snaps;
    size_t count;
    enum selection selection;
    enum hd_unit by;
    struct series_row *rows;
    size_t row_count;
    struct hd_tally *totals; /* sum of rows, per snapshot */
    bool bytes_known;        /* in every snapshot */

    size_t usable_count;
    size_t usable[SERIES_MAX_SNAPSHOTS]; /* indexes of snapshots that a trend may use */
    double x[SERIES_MAX_SNAPSHOTS];      /* their places on the axis, ascending */
    bool by_clock;                       /* x are seconds; */
    bool by_iterations;                  /* iterations; else 1, 2, 3, ... */
    bool restarted;                      /* not one process in order */
    bool out_of_order;                   /* times fall */
    bool repeats[SERIES_MAX_SNAPSHOTS];  /* equal to a snapshot before it, byte for byte */
    bool has_repeats;
    double seconds; /* from the first to the last usable one; NAN: unknown, or the axis is
                       iterations */
    double clock_seconds; /* the same, whatever counts */
    double uptime;        /* of the process at the first; NAN */
    enum hd_confidence confidence;
};

/* A warning about snapshot number `snapshot` of the series, or (size_t)-1. */
struct series_warning {
    enum warning_code code;
    size_t snapshot;
    const char *detail; /* replaces the general message; or NULL */
    uint64_t times;     /* how many snapshots it is true of; 0: not counted */
};

struct series_warnings {
    struct series_warning all[4 * SERIES_MAX_SNAPSHOTS];
    size_t len;
};

struct series_question {
    enum selection selection;
    enum hd_unit by;
    const uint64_t *iterations;
};

/* Aligns 1 to 50 snapshots, which must outlive the series; its arrays are in a. Rows are
 * types, or groups of types by another unit. ask->iterations is the axis: one rising number
 * per snapshot, or NULL. False and err if snapshots cannot be compared (tables of different
 * generations), or if one cannot select by ask->selection; err->snapshot is its number. */
bool series_align(struct series *s, struct hd_snapshot *const *snaps, size_t count,
                  const struct series_question *ask, struct arena *a,
                  struct series_warnings *warnings, struct hd_error *err);

/* Returns the counts or bytes of a row at the usable snapshots, as a trend; y and noise
 * have room for SERIES_MAX_SNAPSHOTS and must live as long as it is used. */
struct trend series_trend(const struct series *s, const struct series_row *row, bool bytes,
                          double *y, double *noise);

/* Returns the selected objects of a type in a snapshot. For a table of a single known
 * generation --gen2 selects all objects or 0. */
struct hd_tally series_tally(const struct hd_snapshot *snap, const struct type *t,
                             enum selection selection);

/* True if the snapshot has the data for the selection. */
bool series_can_select(const struct hd_snapshot *snap, enum selection selection,
                       struct hd_error *err);

/* --- rows by their names ------------------------------------------------------------- */

/* {0} is empty. */
struct series_index {
    struct series_slot *slots;
    struct arena arena;
};

/* s must outlive it. */
struct series_index series_index_of(const struct series *s);

/* Returns the row with that name, or NULL. */
struct series_row *series_row_named(const struct series_index *index, const char *name);

void series_index_free(struct series_index *index);

/* --- what a row stands for ----------------------------------------------------------- */

/* Appends the name of the row that a type belongs to. Types: its name. Namespaces: the part
 * before the last dot before any "<", "[" or "+"; "(global)" without one. Modules: the file
 * name without folders; "(unknown)" without one. */
void unit_name(struct text *out, enum hd_unit by, const struct type *t);

#endif
