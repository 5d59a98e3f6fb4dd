/* text_parts.h - text shared by several writers: chains, rules and warnings; gains of
 * suspects, and causes of growth; and the facts about a series at the head of every answer:
 * time from first to last, rate of growth, process and host. Facts missing in the files are
 * omitted. */
#ifndef TEXT_PARTS_H
#define TEXT_PARTS_H

#include "ranking/hints.h"
#include "report/format_units.h"
#include "report/report.h"

/* Appends "new, 56 %": its change since the first snapshot, if known, and its share of the
 * instances. */
void text_brief_share(struct text *t, const struct hd_chain_row *c);

/* Appends "new, 56 % (39–72 %)"; without an interval if all instances were examined. */
void text_share(struct text *t, const struct hd_chain_row *c);

/* Appends the rules of a check in numbers: "1 of 3 rules is over budget". */
void text_verdict(struct text *t, const struct hd_report *r);

/* Appends the object of a rule: "type MyApp.*: MyApp.Order". */
void text_rule_name(struct text *t, const struct hd_finding *rule);

/* Appends a finding: "+120 instances from 1.gcdump to 4.gcdump; limit: +0 instances
 * (heapdrift.yml:7)", and the reason. */
void text_rule(struct text *t, const struct hd_model *m, const struct hd_finding *rule);

/* Appends its first chain, or its holder, as one line, if known. */
void text_rule_holder(struct text *t, const struct hd_finding *rule);

/* Appends the usual remedy for the suspect that broke a rule, if known, with the command
 * that explains it, as in the first lines of a report. */
void text_rule_fix(struct text *t, const struct hd_model *m, const struct hd_finding *rule);

/* Returns the path of a budget file from the root of the repository: it was found in this
 * folder or one above it. */
const char *text_repository_path(const char *path);

/* Returns the file of a warning, as heading_file() names it, or NULL. */
const char *text_warned_file(const struct hd_snapshot_facts *all, size_t count,
                             const struct hd_warning *w);

/* --- growth ------------------------------------------------------------------------ */

/* Returns "+1.84 MiB": gained retained bytes, with co-retained types; shallow bytes for
 * tables, or objects if bytes are unknown. */
struct hd_cell text_gain_cell(const struct hd_diff *d, size_t snapshots,
                              const struct hd_suspect *s);

/* Returns it as a share of the heap in the last snapshot. */
double text_gain_share(const struct hd_diff *d, size_t snapshots,
                       const struct hd_suspect *s);

/* A type that gains less than this share of the heap does not get a line of its own. */
#define TEXT_NOISE_SHARE 0.005

/* Appends the threshold for suspects: "2 % of the heap", "1.00 MiB". */
void text_line(struct text *t, const struct hd_report *r);

/* Counts the objects that first appeared in the compared snapshots from `begin` to before
 * `end`: their number in snapshot k, and in the last one. */
struct text_cohorts {
    uint64_t arrived, survived;
};
struct text_cohorts text_cohorts(const struct hd_cohorts *b, size_t begin, size_t end,
                                 size_t k);

/* True if survivors are known: with identity by order a survivor is reliable, a death is
 * not. b may be NULL. */
bool text_knows_cohorts(const struct hd_report *r, const struct hd_cohorts *b);

/* True if they should be shown, too: order misses some survivors, and where that may be
 * many the numbers would mislead. */
bool text_shows_cohorts(const struct hd_report *r, const struct hd_cohorts *b);

/* Appends "all of the 23, 20 and 15 added in each step are still alive; of 81 older ones,
 * all"; the sum of many steps, of a late leak the steps since its start; with "at least" if
 * not exact. */
void text_put_cohorts(struct text *t, const struct hd_cohorts *b, bool exact);

/* Appends "since snapshot 13 (14:05 UTC)". False, without output, if it began before the
 * first. */
bool text_since(struct text *t, const struct hd_report *r, const struct hd_cohorts *b);

/* Appends "new in snapshots 2 to 4", "older than snapshot 1": objects that first appeared
 * in one of the snapshots, from 1 on. */
void text_born(struct text *t, size_t first, size_t last);

/* Appends "as many are freed as are added: 120 added, 100 freed", "the oldest are freed
 * first: ...". False, without output, for suspects, and for few births. */
bool text_turnover(struct text *t, const struct hd_suspect *s);

/* --- head of every answer --------------------------------------------------------- */

/* True if a snapshot is older than the one before. */
bool heading_times_fall(const struct hd_report *r);

/* Seconds from the first snapshot to the last; NAN if unknown or not in order. */
double heading_span(const struct hd_report *r);

/* Converts growth from the first to the last snapshot to growth per hour; NAN if the time
 * is unknown, or less than a minute, too short to extrapolate. */
double heading_per_hour(const struct hd_report *r, double growth);

/* Appends " over 2 h 10 min", if known. */
void heading_add_span(struct text *t, const struct hd_report *r);

/* Appends "+1.2 MiB/h" after `begin` (", "); false, without output, if unknown or not
 * growing. */
bool heading_add_rate(struct text *t, const struct hd_report *r, const char *begin,
                      uint64_t first, uint64_t last);

/* The process and its host, as far as known and equal in all snapshots; else NULL, and
 * HD_UNKNOWN for the pid. */
struct heading_origin {
    const char *process, *host, *container, *runtime;
    uint64_t pid;
    bool several; /* the snapshots are of several processes */
};

/* False if empty: a runtime alone does not get a line. */
bool heading_origin(const struct hd_report *r, struct heading_origin *from);

/* Returns the file name of a snapshot for all formats: without folders, or with the last
 * ones needed to distinguish it. all: the snapshots of the report. Points into the path. */
const char *heading_file(const struct hd_snapshot_facts *all, size_t count, size_t k);

/* --- chains ------------------------------------------------------------------------ */

struct report_brief {
    bool *shown;       /* per frame; NULL: all */
    size_t first;      /* first frame of the line */
    bool root_by_kind; /* that frame can be shortened to "[static …]" */
};

/* Chooses the frames of a chain for one line: all from the root on, or the few most
 * informative ones. In a. */
struct report_brief report_brief_of(const struct hd_chain *c, bool all, struct arena *a);

#endif
