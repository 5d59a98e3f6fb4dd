/* report.h - an answer as plain data: everything a writer needs, nothing to compute.
 *
 * All strings and arrays live in the report's arena, so snapshots may be closed
 * before it is written. Unknown numbers are HD_UNKNOWN. */
#ifndef REPORT_H
#define REPORT_H

#include "analysis/chain_growth.h"
#include "analysis/holder_parts.h"
#include "analysis/series.h"
#include "analysis/suspicion.h"
#include "budget/judge.h"
#include "compare/comparison.h"

enum hd_report_kind {
    HD_REPORT_DIFF,
    HD_REPORT_TOP,
    HD_REPORT_ROOTS,
    HD_REPORT_INFO,
    HD_REPORT_CHECK, /* a diff with rules */
    HD_REPORT_PROCESSES,
    HD_REPORT_KIND_COUNT
};

struct hd_snapshot_facts {
    struct hd_info info;
    struct hd_error error; /* of info: set if this is no snapshot */
    struct hd_table_origin origin;
    uint64_t weak_roots;
    uint64_t roots_by_kind[HD_ROOT_KIND_COUNT];
    struct hd_tally by_generation[HD_GENERATION_COUNT];
    double clock; /* as of hd_snapshot */
    bool clock_is_date;
};

struct hd_type_row {
    const char *type;
    struct hd_tally *at; /* per snapshot */
    enum hd_series_status status;
    uint64_t retained;              /* of top */
    struct hd_tally *by_generation; /* of top, HD_GENERATION_COUNT of them; NULL unknown */
    uint64_t survivors;             /* at least so many were there in the first snapshot */
};

struct hd_chain_row {
    struct hd_chain chain;
    enum hd_chain_status status;
    uint64_t *instances;               /* per snapshot; NULL: not all were looked at */
    size_t frames_omitted, omitted_at; /* cut in the middle: how many, before which frame */
    size_t frames_above;               /* the owner, of all; if it has one */
    bool in_full;                      /* so many frames were asked for: a line shows all */
    uint64_t retained;             /* by its instances, in the last snapshot; HD_UNKNOWN */
    uint64_t address;              /* of the example; 0 unknown */
    enum hd_generation generation; /* of the example */
};

struct hd_chains {
    struct hd_chain_row *all;
    size_t len;
    size_t omitted;   /* groups beyond the wanted number */
    size_t available; /* groups that can be shown at all */
    double omitted_share;
    uint64_t instances; /* in the last snapshot */
    uint64_t samples;
};

/* One place that a suspect is held at. */
struct hd_head {
    const char *holder; /* "[static var App.s_all] → Order[]" */
    double score;       /* its part of that of the suspect */
};

struct hd_suspect {
    size_t rank; /* from 1; 0 if pooled */
    const char *type;
    const char *subject; /* for the title; type if nothing better is known */
    enum hd_basis basis;
    enum hd_suspicion suspicion;
    const char **also; /* types that go with it */
    size_t also_count;
    struct hd_head *heads; /* where it is held; their scores sum to its own */
    size_t head_count;
    double score, score_share;
    double tau;
    struct hd_tally *at;
    uint64_t *retained; /* per snapshot, over the heads of the type; NULL unknown */
    int64_t more;      /* bytes that these and what goes along retain more; by graph only */
    double more_share; /* of the heap */
    uint64_t step_least, step_most; /* of a steady one: how many more came in a step */
    uint64_t per_iteration;
    const char **holder; /* types from below the root (holder_name.h); NULL unknown */
    size_t holder_len;
    uint64_t survivors; /* as of report_type */
    struct hd_chains chains;
    const char *hint; /* what it usually is: the id of a hint (docs/hints.md), or NULL */
};

/* Where the growth of the reachable heap went, in bytes; last minus first fit snapshot. */
struct hd_growth {
    bool known;                           /* by graph only */
    int64_t bytes, suspects, pools, rest; /* bytes is the sum of the others */
    double share, rest_share;             /* of the heap in the last fit snapshot */
    double explained;     /* share of the growth that suspects have; NAN: it did not grow */
    bool unexplained;     /* the rest keeps growing, and is more than half of it */
    bool is_open;         /* that, and there is no suspect: nothing explains it */
    bool has_stopped;     /* no suspect, but something large grew and stayed */
    double stopped_share; /* that, of the heap */
};

/* What grew, and then stayed as large: a list of its own. */
struct hd_stopped {
    const char *type, *subject;
    uint64_t *count, *retained; /* per snapshot */
    double growth, share;       /* bytes, and of the heap */
    const char **holder;
    size_t holder_len;
};

/* What became of one rule, or of one type under a rule for many. */
struct hd_finding {
    /* the rule */
    size_t number; /* from 0 */
    enum hd_rule_kind kind;
    enum hd_total total; /* of that kind */
    const char *pattern; /* of types or holders */
    enum hd_measure measure;
    enum hd_per per;
    const char *path; /* of the file that has it, or NULL: an option, or the default */
    uint64_t line;    /* in it, or 0 */
    bool is_default;

    /* what it was held against */
    const char *subject;       /* the type; NULL if the rule is about no single one */
    const char *type;          /* of a suspect, what was ranked; else the subject */
    size_t first, last;        /* the snapshots that show it */
    const struct hd_tally *at; /* of the subject, per snapshot; or NULL */
    const char *holder;        /* what holds it, as one line; or NULL */
    bool is_suspect;           /* and shown as such, with the same chains */
    struct hd_chains chains;

    /* what came of it */
    enum hd_finding_status status;
    bool is_lenient; /* a pass that --strict does not take */
    struct hd_reason reason;
    struct hd_limit limit;              /* as it was given */
    bool is_by_steadiness;              /* the limit is that of steady growth */
    bool is_in_bytes;                   /* the unit of the values; else objects */
    double limit_value, observed_value; /* exact; NAN unknown */
    double base;     /* what relative limits are of: of scores the heap */
    double accepted; /* what the baseline took off the observed value */
};

/* A pattern of --type that no row matches. */
struct hd_no_match {
    const char *pattern;
    const char *nearest; /* what may be meant; or NULL */
};

/* What some rows add up to. */
struct hd_sum {
    size_t rows;
    struct hd_tally *at; /* per snapshot; bytes are unknown if those of one row are */
};

/* Types, or what rows stand for by another unit. */
struct hd_type_table {
    struct hd_type_row *rows; /* those that the view chose, in its order */
    size_t len;
    size_t shown;            /* the first ones; of the others the sum is told */
    struct hd_sum others;    /* of rows behind those that are shown */
    struct hd_sum sum;       /* of all rows */
    bool is_whole;           /* that is the total: no row is hidden */
    struct hd_tally *totals; /* of all that was counted, per snapshot, hidden or not */
    bool bytes_known;        /* in every snapshot; else bytes of some rows are unknown */
};

/* What grew. */
struct hd_diff {
    uint64_t *iterations;       /* per snapshot, or NULL */
    struct hd_tally *reachable; /* per snapshot; may be unknown */
    enum hd_confidence confidence;
    size_t fit_count; /* snapshots that can be compared */
    bool by_graph;    /* what the ranking is based on */
    struct hd_suspect *suspects, *minor, *pooled;
    size_t suspect_count, minor_count, pooled_count;
    struct hd_growth growth;
    size_t suspects_shown;      /* the first ones */
    struct hd_stopped *stopped; /* by growth */
    size_t stopped_count, stopped_shown;
    size_t hidden_count;           /* suspects that --type, --exclude or --app-only hide */
    struct hd_no_match *unmatched; /* patterns of --type */
    size_t unmatched_count;
    const struct hd_no_match *no_match; /* the first, if none matches: no row is left */
    struct hd_type_table types; /* scores are bytes if types.bytes_known, else objects */
};

/* A diff held against rules. */
struct hd_check {
    enum hd_verdict verdict;
    struct hd_finding *rules; /* in order of the rules; of one rule, by growth */
    size_t rule_count, rules_shown;
    const struct hd_accepted_growth *accepted; /* what was taken for accepted; or NULL */
};

/* What takes the space in one snapshot. */
struct hd_top {
    struct hd_type_table types;
};

/* Why instances of some types are alive. */
struct hd_roots {
    const char *pattern;
    const char **matched;
    size_t matched_count;
    struct hd_tally *instances; /* per snapshot */
    struct hd_chains chains;
};

struct hd_process_list {
    struct hd_process *all;
    size_t count;
};

struct hd_report {
    struct report_name *names; /* of types that are shown by another name */
    struct arena arena;
    enum hd_report_kind kind;
    struct hd_options options; /* patterns and iterations not included */

    struct hd_snapshot_facts *snapshots;
    size_t snapshot_count;
    struct hd_warning *warnings;
    size_t warning_count, warning_cap;

    /* All rows that were found, whichever are wanted. What the kind says is a view of it
     * (view.h), so another view needs no other analysis. */
    struct {
        struct hd_diff diff;
        struct hd_top top;
    } found;

    uint32_t rows; /* of a table that are shown; 0: all */

    /* What the kind says; a check has a diff as well. */
    struct hd_diff diff;
    struct hd_check check;
    struct hd_top top;
    struct hd_roots roots;
    struct hd_process_list processes;
};

/* The rows of a top, a diff or a check. */
static inline const struct hd_type_table *report_table(const struct hd_report *r)
{
    return r->kind == HD_REPORT_TOP ? &r->top.types : &r->diff.types;
}
/* What the caller asks for, or what is usual if theirs is NULL. */
bool report_options(struct hd_options *ours, const struct hd_options *theirs,
                    struct hd_error *err);

struct hd_report *report_new(enum hd_report_kind kind, const struct hd_options *opt);

/* A copy in the report's arena; NULL for NULL. */
const char *report_string(struct hd_report *r, const char *s);

/* "[static var App.s_all] → Order[]" in the report's arena; NULL for NULL. */
const char *report_join_holder(struct hd_report *r, const char *const *holder, size_t len);

/* What people read instead of a type's name: with its outer class, if a snapshot tells it
 * and no other contradicts; else the name. */
const char *report_shown(const struct hd_report *r, const char *name);

/* What a pattern of any option, budget or suppression selects: a type, or a holder, by its
 * name or by the one that is shown. All of them ask here. */
bool report_matches(const struct hd_report *r, const char *pattern, const char *name);

/* Whether --type, --exclude and --app-only let a row of this name stay. */
bool report_shows_row(const struct hd_report *r, const struct hd_options *opt,
                      const char *name);

/* Values of the fit snapshots of s as values of all, in the report's arena; unknown where
 * one was left out of the ranking. */
uint64_t *report_spread(struct hd_report *r, const struct series *s,
                        const uint64_t *fit_values);
/* That no row of those names matches a pattern, and which may be meant. */
struct hd_no_match report_no_match(const char *pattern, const char *const *names,
                                   size_t count, struct arena *a);

/* Describe the snapshots, and pass on what readers warned about. */
void report_add_snapshots(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count);

/* Once the analyses are done: what is reachable, as they have found it meanwhile
 * (hd_read_options.reach_later). False and err if a graph cannot be read again. */
bool report_refresh_reach(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count, struct hd_error *err);

/* Add the general warning of this code about a snapshot, or (size_t)-1. */
void report_warn(struct hd_report *r, enum warning_code code, size_t snapshot);
/* The same with a message of its own. */
void report_warn_detail(struct hd_report *r, enum warning_code code, size_t snapshot,
                        const char *message);

/* The same with a text, which is freed. */
void report_warn_text(struct hd_report *r, enum warning_code code, size_t snapshot,
                      struct text *message);

/* Turn the answers of count snapshots to one question into printable chains: a few that
 * differ, long ones cut. snap is the last of them, with its graph. */
struct hd_chains report_chains_of(struct hd_report *r, const struct hd_snapshot *snap,
                                  const struct chains *const *in, size_t count);

/* The text, which is freed, in the report's arena. */
const char *report_take_text(struct hd_report *r, struct text *t);

extern const char *const verdict_names[]; /* "pass", "fail", "inconclusive" */

/* One rule may have several findings, side by side: where those of finding i end, and what
 * is the worst of them. */
size_t report_rule_end(const struct hd_report *r, size_t i);
enum hd_finding_status report_rule_status(const struct hd_report *r, size_t i, size_t end);

/* All of a diff of c, which was begun: snapshots, ranking, rows, warnings. The aligned
 * series stays in *s as long as r and c. */
bool report_compare(struct hd_report *r, struct hd_comparison *c,
                    const struct hd_options *opt, struct series *s, struct hd_error *err);

/* How chains are looked for, as the options say. */
struct chain_options report_chain_options(const struct hd_report *r);

/* The snapshots of c by what rows stand for: of holders for --by=holder, reading graphs
 * where needed; else themselves. They are the comparison's. NULL and err. */
struct hd_snapshot *const *report_units(struct hd_comparison *c,
                                        const struct hd_options *opt, struct hd_error *err);

/* What a row of the ranking retained in the first and the last snapshot where that is
 * known. False if it is for none. */
bool report_retained(const struct hd_report *r, const struct hd_suspect *s, uint64_t *first,
                     uint64_t *last);

/* How many rows of a table of len are shown. */
enum { REPORT_USUAL_ROWS = 20 };
size_t report_rows(const struct hd_report *r, size_t len);

/* "type", "namespace", ...: what a row is. */
extern const char *const unit_names[];
const char *report_unit(const struct hd_report *r);

/* The selection that the options mean. */
enum selection report_selection(const struct hd_options *opt);

#endif
