/* report.h - an answer as plain data: everything a writer needs, nothing to compute.
 *
 * All strings and arrays live in the report's arena, so snapshots may be closed
 * before it is written. Unknown numbers are HD_UNKNOWN. */
#ifndef REPORT_H
#define REPORT_H

#include "chains/chain_growth.h"
#include "compare/comparison.h"
#include "owners/holders.h"
#include "series/series.h"
#include "series/suspicion.h"

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
        struct hd_tree tree;
    } found;

    bool wants_fields;   /* whether or not they are known */
    bool leaves_garbage; /* options.reachable, because a snapshot holds garbage */

    const void *asked; /* besides the options, while it is made: of a check budgets */

    /* What a tree is of, while it is made: patterns; none: the whole heap. */
    const char *const *focus;
    size_t focus_count;

    uint32_t rows; /* of a table that are shown; 0: all */

    /* What the kind says; a check has a diff as well. */
    struct hd_diff diff;
    struct hd_check check;
    struct hd_top top;
    struct hd_roots roots;
    struct hd_process_list processes;
    struct hd_tree tree; /* empty: none */
    struct hd_instance instance;
    struct hd_object_set objects;
    struct hd_static_set statics;

    /* Of a report that no question makes, but a part of the program above this one. */
    const struct report_maker *maker;    /* NULL: a question */
    void *made;                          /* what it releases with the report */
    const struct hd_fleet_answer *fleet; /* of a fleet; NULL */

    struct hd_process_row *account; /* of the process; see struct hd_model */
    size_t account_len;

    struct hd_summary summary; /* no lines: it comes to no verdict */
    struct hd_model model;     /* of these */
};

/* What a report asks its maker for where its kind decides. */
struct report_maker {
    size_t (*suspects)(const struct hd_report *r);
    bool (*is_conclusive)(const struct hd_report *r);
    void (*cut)(struct hd_report *r, struct arena *a); /* to the rows that are shown */
    void (*release)(struct hd_report *r);
};

/* The report is made: let its model be read. Again for a copy. */
void report_publish(struct hd_report *r);

/* Ask c a question: take the options, wait for other questions, let answer fill in a report
 * of that kind, and say what it comes to. NULL and err if it cannot. answer may change its
 * options; r->asked is what is asked besides them, or NULL. */
struct hd_report *
answer_question(enum hd_report_kind kind, struct hd_comparison *c,
                const struct hd_options *opt,
                bool (*answer)(struct hd_report *r, struct hd_comparison *c,
                               struct hd_options *opt, struct hd_error *err),
                const void *asked, struct hd_error *err);

/* The rows of a top, a diff or a check. */
static inline const struct hd_type_table *model_table(const struct hd_model *m)
{
    return m->top != NULL ? &m->top->types : &m->diff->types;
}

/* What the caller asks for, or what is usual if theirs is NULL. */
bool report_options(struct hd_options *ours, const struct hd_options *theirs,
                    struct hd_error *err);

struct hd_report *report_new(enum hd_report_kind kind, const struct hd_options *opt);

/* A copy in the report's arena; NULL for NULL. */
const char *report_string(struct hd_report *r, const char *s);

/* Each of these strings becomes its copy. */
void report_keep(struct hd_report *r, const char **const *strings, size_t count);

/* The text, which is freed, in the report's arena. */
const char *report_keep_text(struct hd_report *r, struct text *t);

/* Fields with their strings and what is in boxes, copied. */
struct hd_field *report_fields(struct hd_report *r, const struct hd_field *from,
                               size_t len);

/* "[static var App.s_all] → Order[]" in the report's arena; NULL for NULL. */
const char *report_join_holder(struct hd_report *r, const char *const *holder, size_t len);

/* What people read instead of a type's name: with its outer class, if a snapshot tells it
 * and no other contradicts; else the name. */
const char *report_shown(const struct hd_report *r, const char *name);

/* The same, but NULL for the name itself. */
const char *report_full_name(const struct hd_report *r, const char *name);

/* Whether all snapshots know fields: then they know the classes of variables, too. */
bool report_has_fields(const struct hd_report *r);

/* Whether what stands before the name of a variable, as it is shown, is the class that
 * declares it. Most files have the type of the value there. */
bool report_is_declared(const struct hd_report *r, const char *name);

/* What a pattern of any option, budget or suppression selects: a type, or a holder, by its
 * name or by the one that is shown. All of them ask here. */
bool report_matches(const struct hd_report *r, const char *pattern, const char *name);
bool report_matches_any(const struct hd_report *r, const char *const *patterns,
                        size_t count, const char *name);

/* Whether --type, --exclude and --app-only let a row of this name stay. */
bool report_shows_row(const struct hd_report *r, const struct hd_options *opt,
                      const char *name);

/* Values of the usable snapshots of s as values of all, in the report's arena; unknown
 * where one was left out of the ranking. */
uint64_t *report_spread(struct hd_report *r, const struct series *s,
                        const uint64_t *usable_values);
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
bool report_is_warned(const struct hd_report *r, enum warning_code code);
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

extern const char *const verdict_names[]; /* "pass", "fail", "inconclusive" */
extern const char
    *const rule_status_names[HD_FINDING_STATUS_COUNT]; /* the same, "suppressed" */

/* One rule may have several findings, side by side: where those of finding i end, and what
 * is the worst of them. */
size_t report_rule_end(const struct hd_check *c, size_t i);
enum hd_finding_status report_rule_status(const struct hd_check *c, size_t i, size_t end);

/* All of a diff of c, which was begun: snapshots, ranking, rows, warnings. The aligned
 * series stays in *s as long as r and c. */
bool report_compare(struct hd_report *r, struct hd_comparison *c,
                    const struct hd_options *opt, struct series *s, struct hd_error *err);

/* The rows of a series, all there are, in its order; what they retain is not known. */
void report_add_types(struct hd_report *r, struct hd_type_table *t, const struct series *s);

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

static inline size_t model_rows(const struct hd_model *m, size_t len)
{
    return m->rows == 0 || len < m->rows ? len : m->rows;
}

/* How many rows of a table of len are shown. */
enum { REPORT_USUAL_ROWS = 20 };
size_t report_rows(const struct hd_report *r, size_t len);

/* "type", "namespace", ...: what a row is. */
extern const char *const unit_names[];
const char *report_unit(const struct hd_report *r);

/* Whether a type has stopped growing: it is told in a list of its own. Those are few, as
 * each is a share of the heap. */
bool report_has_stopped(const struct hd_diff *d, const char *type);

/* Whether so many snapshots tell a leak from warm-up. */
bool report_is_enough(size_t snapshots);

/* What trees and rankings do with fields. */
enum ownership_fields report_ownership_fields(const struct hd_options *opt);

/* The selection that the options mean. */
enum selection report_selection(const struct hd_options *opt);

#endif
