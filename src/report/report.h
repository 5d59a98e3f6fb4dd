/* report.h - an answer as plain data: everything a writer needs, nothing to compute.
 *
 * All strings and arrays live in the report's arena, so snapshots may be closed
 * before it is written. Unknown numbers are HD_UNKNOWN. */
#ifndef REPORT_H
#define REPORT_H

#include "analysis/chains.h"
#include "analysis/series.h"

enum report_kind { REPORT_DIFF, REPORT_TOP, REPORT_ROOTS, REPORT_INFO };

struct report_snapshot {
    struct hd_info info;
    struct hd_error error; /* of info: set if this is no snapshot */
    struct table_origin origin;
    uint64_t weak_roots;
    uint64_t roots_by_kind[ROOT_KIND_COUNT];
    struct tally by_generation[GENERATION_COUNT];
};

struct report_type {
    const char *type;
    struct tally *at; /* per snapshot */
    enum series_status status;
};

struct report_chain {
    struct chain chain;
    size_t frames_omitted, omitted_at; /* cut in the middle: how many, before which frame */
    uint64_t address;                  /* of the example; 0 unknown */
    enum generation generation;        /* of the example */
};

struct report_chains {
    struct report_chain *all;
    size_t len;
    size_t omitted; /* groups beyond the wanted number */
    double omitted_share;
    uint64_t instances; /* in the last snapshot */
    uint32_t samples;
};

struct report_suspect {
    size_t rank; /* from 1 */
    const char *type;
    double score, score_share;
    double tau;
    struct tally *at;
    uint64_t per_iteration;
    struct report_chains chains;
};

struct hd_report {
    struct arena arena;
    enum report_kind kind;
    struct hd_options options; /* patterns and iterations not included */
    uint64_t *iterations;      /* per snapshot, or NULL */

    struct report_snapshot *snapshots;
    size_t snapshot_count;
    struct tally *totals, *reachable; /* per snapshot; reachable may be unknown */

    /* diff */
    enum confidence confidence;
    bool bytes_known; /* scores are bytes; else objects */
    size_t fit_count;
    struct report_suspect *suspects, *minor;
    size_t suspect_count, minor_count;

    /* diff, top: sorted and filtered, not cut */
    struct report_type *types;
    size_t type_count;

    /* roots */
    const char *pattern;
    const char **matched;
    size_t matched_count;
    struct report_chains chains;

    struct hd_warning *warnings;
    size_t warning_count, warning_cap;
};

struct hd_report *report_new(enum report_kind kind, const struct hd_options *opt);

/* A copy in the report's arena; NULL for NULL. */
const char *report_string(struct hd_report *r, const char *s);

/* Describe the snapshots, and pass on what readers warned about. */
void report_add_snapshots(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count);

/* Add the general warning of this code about a snapshot, or (size_t)-1. */
void report_warn(struct hd_report *r, enum warning_code code, size_t snapshot);

/* Whether --type, --exclude and --app-only let a row of this name stay. */
bool report_shows(const struct hd_options *opt, const char *name);

/* Turn sampled chains into printable ones: the first groups, long ones cut. */
struct report_chains report_chains_of(struct hd_report *r, const struct hd_snapshot *snap,
                                      const struct chains *chains);

/* How many rows of a table of len are shown, in text and JSON. */
size_t report_rows(const struct hd_report *r, size_t len);

/* The selection that the options mean. */
enum selection report_selection(const struct hd_options *opt);

#endif
