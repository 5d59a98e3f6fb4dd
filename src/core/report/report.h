/* report.h - an answer as plain data: everything that a writer needs, already computed.
 *
 * All strings and arrays live in the report's arena, so snapshots may be closed before it
 * is written. Unknown numbers are HD_UNKNOWN. */
#ifndef REPORT_H
#define REPORT_H

#include "chains/chain_growth.h"
#include "compare/comparison.h"
#include "owners/holders.h"
#include "series/series.h"
#include "series/suspicion.h"

struct hd_report {
    struct report_name *names; /* of types that are displayed by another name */
    struct arena arena;
    enum hd_report_kind kind;
    struct hd_options options; /* patterns and iterations not included */

    struct hd_snapshot_facts *snapshots;
    size_t snapshot_count;
    struct hd_warning *warnings;
    size_t warning_count, warning_cap;

    /* All rows found, displayed or not. The fields by kind below are their views (view.h),
     * so another view needs no other analysis. */
    struct {
        struct hd_diff diff;
        struct hd_top top;
        struct hd_tree tree;
    } found;

    bool wants_fields;   /* even if they are unknown */
    bool leaves_garbage; /* options.reachable is set because a snapshot holds garbage */

    const void *asked; /* input besides the options, during analysis: budgets of a check */

    /* Patterns of a tree, during analysis; by default the whole heap. */
    const char *const *focus;
    size_t focus_count;

    uint32_t rows; /* shown rows of a table; 0: all */

    /* The answer, by kind; a check has a diff as well. */
    struct hd_diff diff;
    struct hd_check check;
    struct hd_top top;
    struct hd_roots roots;
    struct hd_process_list processes;
    struct hd_tree tree; /* may be empty */
    struct hd_instance instance;
    struct hd_object_set objects;
    struct hd_static_set statics;

    /* For a report that is not an answer to a question, but made by a higher layer of the
     * program. */
    const struct report_maker *maker;    /* NULL for a question */
    void *made;                          /* the maker's data, released with the report */
    const struct hd_fleet_answer *fleet; /* of a fleet report; else NULL */

    struct hd_process_row *account; /* of the process; see struct hd_model */
    size_t account_len;

    struct hd_summary summary; /* empty without a verdict */
    struct hd_model model;     /* refers to the above */
};

/* Decisions that depend on the kind of a report, by its maker. */
struct report_maker {
    size_t (*suspects)(const struct hd_report *r);
    bool (*is_conclusive)(const struct hd_report *r);
    void (*cut)(struct hd_report *r, struct arena *a); /* cuts to the rows that are shown */
    void (*release)(struct hd_report *r);
};

/* Makes the model of a finished report. Must be called again for a copy. */
void report_publish(struct hd_report *r);

/* Answers a question about c: checks the options, waits for other questions, calls answer
 * to fill in the report, and summarizes it. NULL and err on failure. answer may change its
 * options; r->asked is its input besides them, or NULL. */
struct hd_report *
answer_question(enum hd_report_kind kind, struct hd_comparison *c,
                const struct hd_options *opt,
                bool (*answer)(struct hd_report *r, struct hd_comparison *c,
                               struct hd_options *opt, struct hd_error *err),
                const void *asked, struct hd_error *err);

/* Returns the rows of a top, a diff or a check. */
static inline const struct hd_type_table *model_table(const struct hd_model *m)
{
    return m->top != NULL ? &m->top->types : &m->diff->types;
}

/* Sets ours to the options of the caller, or to the defaults if theirs is NULL. */
bool report_options(struct hd_options *ours, const struct hd_options *theirs,
                    struct hd_error *err);

struct hd_report *report_new(enum hd_report_kind kind, const struct hd_options *opt);

/* Copies a string to the report's arena; NULL for NULL. */
const char *report_string(struct hd_report *r, const char *s);

/* Replaces each string by its copy. */
void report_keep(struct hd_report *r, const char **const *strings, size_t count);

/* Moves a text to the report's arena; frees it. */
const char *report_keep_text(struct hd_report *r, struct text *t);

/* Copies fields with their strings and boxed values. */
struct hd_field *report_fields(struct hd_report *r, const struct hd_field *from,
                               size_t len);

/* Joins "[static var App.s_all] → Order[]" in the report's arena; NULL for NULL. */
const char *report_join_holder(struct hd_report *r, const char *const *holder, size_t len);

/* Returns the display name of a type: with its outer class if a snapshot has it and no
 * other contradicts; else the name. */
const char *report_shown(const struct hd_report *r, const char *name);

/* Does the same, but returns NULL for the name itself. */
const char *report_full_name(const struct hd_report *r, const char *name);

/* True if all snapshots have fields: then they have the declaring classes of variables,
 * too. */
bool report_has_fields(const struct hd_report *r);

/* True if the type before the name of a displayed variable is the class that declares it.
 * In most files it is the type of the value. */
bool report_is_declared(const struct hd_report *r, const char *name);

/* True if a pattern of any option, budget or suppression selects a type or a holder, by its
 * name or its display name. The only implementation. */
bool report_matches(const struct hd_report *r, const char *pattern, const char *name);
bool report_matches_any(const struct hd_report *r, const char *const *patterns,
                        size_t count, const char *name);

/* True if --type, --exclude and --app-only show a row of this name. */
bool report_shows_row(const struct hd_report *r, const struct hd_options *opt,
                      const char *name);

/* Spreads values of the usable snapshots of s over all snapshots, in the report's arena;
 * unknown for those left out of the ranking. */
uint64_t *report_spread(struct hd_report *r, const struct series *s,
                        const uint64_t *usable_values);
/* Describes a pattern that the names do not match, with a suggestion. */
struct hd_no_match report_no_match(const char *pattern, const char *const *names,
                                   size_t count, struct arena *a);

/* Adds the snapshots, with the warnings of their readers. */
void report_add_snapshots(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count);

/* Updates reachable sizes after the analyses, which have computed them
 * (hd_read_options.reach_later). False and err if a graph cannot be read again. */
bool report_refresh_reach(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count, struct hd_error *err);

/* Adds the general warning with this code; snapshot is its subject, or (size_t)-1. */
void report_warn(struct hd_report *r, enum warning_code code, size_t snapshot);
bool report_is_warned(const struct hd_report *r, enum warning_code code);

/* False if the snapshots are of several processes, or seem to be of several programs. */
bool report_is_one_process(const struct hd_report *r);
/* Does the same with a message of its own. */
void report_warn_detail(struct hd_report *r, enum warning_code code, size_t snapshot,
                        const char *message);

/* Does the same with a text, which is freed. */
void report_warn_text(struct hd_report *r, enum warning_code code, size_t snapshot,
                      struct text *message);

/* Converts the answers of count snapshots to one question into printable chains: a few
 * different ones, long ones cut. snap is the last snapshot, with its graph. */
struct hd_chains report_chains_of(struct hd_report *r, const struct hd_snapshot *snap,
                                  const struct chains *const *in, size_t count);

extern const char *const verdict_names[]; /* "pass", "fail", "inconclusive" */
extern const char
    *const rule_status_names[HD_FINDING_STATUS_COUNT]; /* the same, "suppressed" */

/* A rule may have several findings, which are adjacent. Return the end of the findings of
 * finding i's rule, and their worst status from i on. */
size_t report_rule_end(const struct hd_check *c, size_t i);
enum hd_finding_status report_rule_status(const struct hd_check *c, size_t i, size_t end);

/* Makes a diff of c, which was begun: snapshots, ranking, rows, warnings. The aligned
 * series *s lives as long as r and c. */
bool report_compare(struct hd_report *r, struct hd_comparison *c,
                    const struct hd_options *opt, struct series *s, struct hd_error *err);

/* Adds all rows of a series, in its order; their retained sizes are unknown. */
void report_add_types(struct hd_report *r, struct hd_type_table *t, const struct series *s);

/* Returns the options for the search of chains. */
struct chain_options report_chain_options(const struct hd_report *r);

/* Returns the snapshots of c with the rows of opt->by: holders for --by=holder, reading
 * graphs if needed; else themselves. Owned by the comparison. NULL and err. */
struct hd_snapshot *const *report_units(struct hd_comparison *c,
                                        const struct hd_options *opt, struct hd_error *err);

/* Gets the bytes that a row of the ranking retained in the first and the last snapshot for
 * which they are known. False if all are unknown. */
bool report_retained(const struct hd_report *r, const struct hd_suspect *s, uint64_t *first,
                     uint64_t *last);

static inline size_t model_rows(const struct hd_model *m, size_t len)
{
    return m->rows == 0 || len < m->rows ? len : m->rows;
}

/* Returns the number of rows that are shown of a table of len. */
enum { REPORT_USUAL_ROWS = 20 };
size_t report_rows(const struct hd_report *r, size_t len);

/* "type", "namespace", ...: what a row is. */
extern const char *const unit_names[];
const char *report_unit(const struct hd_report *r);

/* True if a type has leveled off: those are in a separate list, a short one, as each is a
 * share of the heap. */
bool report_has_leveled_off(const struct hd_diff *d, const char *type);

/* True if this number of snapshots can distinguish a leak from warm-up. */
bool report_is_enough(size_t snapshots);

/* Returns the use of fields by trees and rankings. */
enum ownership_fields report_ownership_fields(const struct hd_options *opt);

/* Returns the selection given by the options. */
enum selection report_selection(const struct hd_options *opt);

#endif
