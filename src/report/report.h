/* report.h - an answer as plain data: everything a writer needs, nothing to compute.
 *
 * All strings and arrays live in the report's arena, so snapshots may be closed
 * before it is written. Unknown numbers are HD_UNKNOWN. */
#ifndef REPORT_H
#define REPORT_H

#include "analysis/chain_growth.h"
#include "analysis/series.h"
#include "budget/judge.h"

enum report_kind {
    REPORT_DIFF,
    REPORT_TOP,
    REPORT_ROOTS,
    REPORT_INFO,
    REPORT_CHECK, /* a diff with rules */
    REPORT_PROCESSES,
    REPORT_KIND_COUNT
};

struct report_snapshot {
    struct hd_info info;
    struct hd_error error; /* of info: set if this is no snapshot */
    struct table_origin origin;
    uint64_t weak_roots;
    uint64_t roots_by_kind[ROOT_KIND_COUNT];
    struct tally by_generation[GENERATION_COUNT];
    double clock; /* as of hd_snapshot */
    bool clock_is_date;
};

struct report_type {
    const char *type;
    struct tally *at; /* per snapshot */
    enum series_status status;
    uint64_t retained;           /* of top */
    struct tally *by_generation; /* of top, GENERATION_COUNT of them; NULL unknown */
    uint64_t survivors;          /* at least so many were there in the first snapshot */
};

struct report_chain {
    struct chain chain;
    enum chain_status status;
    uint64_t *instances;               /* per snapshot; NULL: not all were looked at */
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
    uint64_t samples;
};

/* What a row of the ranking was found by. */
enum ranking_basis {
    BASIS_TABLE, /* shallow bytes of a type */
    BASIS_GRAPH, /* a place in the tree of owners */
    BASIS_TYPE   /* a whole type, held in changing places */
};

extern const char *const ranking_basis_names[]; /* "table", ... */

enum suspicion { SUSPECT_NOT, SUSPECT_SIZE, SUSPECT_STEADY };

/* One place that a suspect is held at. */
struct report_head {
    const char *holder; /* "[static var App.s_all] → Order[]" */
    double score;       /* its part of that of the suspect */
};

struct report_suspect {
    size_t rank; /* from 1; 0 if pooled */
    const char *type;
    const char *subject; /* for the title; type if nothing better is known */
    enum ranking_basis basis;
    enum suspicion suspicion;
    const char **also; /* types that go with it */
    size_t also_count;
    struct report_head *heads; /* where it is held; their scores sum to its own */
    size_t head_count;
    double score, score_share;
    double tau;
    struct tally *at;
    uint64_t *retained; /* per snapshot, over the heads of the type; NULL unknown */
    uint64_t per_iteration;
    const char **holder; /* types from below the root; NULL unknown */
    size_t holder_len;
    uint64_t survivors; /* as of report_type */
    struct report_chains chains;
};

/* What became of one rule, or of one type under a rule for many. */
struct report_rule {
    size_t number;                /* of the rule, from 0 */
    enum budget_kind kind;        /* of the rule */
    const char *rule;             /* "type MyApp.*" */
    const char *source;           /* "heapdrift.yml:7", "option", "default" */
    const char *path;             /* of that file, or NULL */
    uint64_t line;                /* in it, or 0 */
    const char *subject;          /* the type; NULL if the rule is about no single one */
    const char *limit, *observed; /* as people read them; observed may be NULL: unknown */
    double limit_value, observed_value; /* exact; NAN unknown */
    const char *unit;                   /* "objects" or "bytes", of both */
    enum rule_status status;
    const char *reason;     /* or NULL */
    size_t first, last;     /* the snapshots that show it */
    const struct tally *at; /* of the subject, per snapshot; or NULL */
    bool is_about_bytes;    /* of at; else about its counts */
    const char *holder;     /* what holds it, as one line; or NULL */
    bool is_suspect;        /* and shown as such, with the same chains */
    struct report_chains chains;
};

struct hd_report {
    struct report_name *names; /* of types that are shown by another name */
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
    bool by_graph; /* what the ranking is based on */
    struct report_suspect *suspects, *minor, *pooled;
    size_t suspect_count, minor_count, pooled_count;

    /* check: a diff, and */
    enum hd_verdict verdict;
    struct report_rule *rules; /* in order of the rules; of one rule, by growth */
    size_t rule_count;
    const char *baseline; /* text of a new one, or NULL */

    /* diff, top: sorted and filtered, not cut */
    struct report_type *types;
    size_t type_count;

    /* roots */
    const char *pattern;
    const char **matched;
    size_t matched_count;
    struct report_chains chains;

    /* processes */
    struct hd_process *processes;
    size_t process_count;

    struct hd_warning *warnings;
    size_t warning_count, warning_cap;
};

struct hd_report *report_new(enum report_kind kind, const struct hd_options *opt);

/* A copy in the report's arena; NULL for NULL. */
const char *report_string(struct hd_report *r, const char *s);

/* What people read instead of a type's name: with its outer class, if a snapshot tells it
 * and no other contradicts; else the name. */
const char *report_shown(const struct hd_report *r, const char *name);

/* Whether the options let a row stay, under its own name or the one that is shown. */
bool report_shows_row(const struct hd_report *r, const struct hd_options *opt,
                      const char *name);

/* Describe the snapshots, and pass on what readers warned about. */
void report_add_snapshots(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count);

/* Once the analyses are done: what is reachable, as they have found it meanwhile
 * (hd_read_options.reach_later). False and err if a graph cannot be read again. */
bool report_refresh_reach(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count, struct hd_error *err);

/* Add the general warning of this code about a snapshot, or (size_t)-1. */
void report_warn(struct hd_report *r, enum warning_code code, size_t snapshot);

/* Whether --type, --exclude and --app-only let a row of this name stay. */
bool report_shows(const struct hd_options *opt, const char *name);

/* Whether --exclude names it. */
bool report_excludes(const struct hd_options *opt, const char *name);

/* The same with a message of its own. */
void report_warn_detail(struct hd_report *r, enum warning_code code, size_t snapshot,
                        const char *message);

/* Turn the answers of count snapshots to one question into printable chains: a few that
 * differ, long ones cut. snap is the last of them, with its graph. */
struct report_chains report_chains_of(struct hd_report *r, const struct hd_snapshot *snap,
                                      const struct chains *const *in, size_t count);

extern const char *const verdict_names[]; /* "pass", "fail", "inconclusive" */

/* One rule may have several findings, side by side: where those of finding i end, and what
 * is the worst of them. */
size_t report_rule_end(const struct hd_report *r, size_t i);
enum rule_status report_rule_status(const struct hd_report *r, size_t i, size_t end);

/* All of a diff: snapshots, ranking, rows, warnings. units are the snapshots by what rows
 * stand for (report_begin_units), or snaps again. The aligned series stays in *s as long as
 * r and the units. */
bool report_compare(struct hd_report *r, struct hd_snapshot *const *snaps,
                    struct hd_snapshot *const *units, size_t count,
                    const struct hd_options *opt, struct series *s, struct hd_error *err);

/* How chains are looked for, as the options say. */
struct chain_options report_chain_options(const struct hd_report *r);

/* For --by=holder, make a snapshot of holders of each, reading graphs where needed; for
 * other units units[k] is snaps[k]. report_end_units() in any case, also after a failure.
 */
bool report_begin_units(struct hd_snapshot **units, struct hd_snapshot *const *snaps,
                        size_t count, const struct hd_options *opt, struct hd_error *err);
void report_end_units(struct hd_snapshot **units, struct hd_snapshot *const *snaps,
                      size_t count);

/* How many rows of a table of len are shown, in text and JSON. */
size_t report_rows(const struct hd_report *r, size_t len);

/* "type", "namespace", ...: what a row is. */
const char *report_unit(const struct hd_report *r);

/* The selection that the options mean. */
enum selection report_selection(const struct hd_options *opt);

#endif
