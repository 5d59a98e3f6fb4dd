/* text_parts.h - what several writers share, in the same words: chains, rules and warnings;
 * what a suspect gained, and where growth went; and the facts of a series that stand above
 * every answer: how much time lies between first and last, how fast the heap grows, which
 * process it is and where it runs. What files do not tell is left out. */
#ifndef TEXT_PARTS_H
#define TEXT_PARTS_H

#include "ranking/hints.h"
#include "report/format_units.h"
#include "report/report.h"

/* "new, 56 %": how it changed since the first snapshot, if that is known, and how many of
 * the instances it holds. */
void text_brief_share(struct text *t, const struct hd_chain_row *c);

/* "new, 56 % (39–72 %)"; no interval where all instances were looked at. */
void text_share(struct text *t, const struct hd_chain_row *c);

/* The rules of a check in numbers: "1 of 3 rules is over budget". */
void text_verdict(struct text *t, const struct hd_report *r);

/* What a rule is about: "type MyApp.*: MyApp.Order". */
void text_rule_name(struct text *t, const struct hd_finding *rule);

/* A finding: "+120 instances from 1.gcdump to 4.gcdump; limit: +0 instances
 * (heapdrift.yml:7)", and the reason. */
void text_rule(struct text *t, const struct hd_model *m, const struct hd_finding *rule);

/* What holds it, as one line: its first chain, or its holder; nothing if unknown. */
void text_rule_holder(struct text *t, const struct hd_finding *rule);

/* What usually helps against the suspect that broke a rule, with the command that explains
 * it, as in the first lines of a report; nothing if no hint fits. */
void text_rule_fix(struct text *t, const struct hd_model *m, const struct hd_finding *rule);

/* A file of budgets as it is named from the root of the repository: it was found in this
 * folder or one above it. */
const char *text_repository_path(const char *path);

/* The file that a warning is about, as heading_file() names it; NULL: none. */
const char *text_warned_file(const struct hd_snapshot_facts *all, size_t count,
                             const struct hd_warning *w);

/* --- growth ------------------------------------------------------------------------ */

/* "+1.84 MiB": what it and all that goes along retain more; of tables the shallow bytes, or
 * objects where bytes are unknown. */
struct hd_cell text_gain_cell(const struct hd_diff *d, size_t snapshots,
                              const struct hd_suspect *s);

/* That as a share of the heap in the last snapshot. */
double text_gain_share(const struct hd_diff *d, size_t snapshots,
                       const struct hd_suspect *s);

/* What gains less than this share of the heap is not worth a line of its own. */
#define TEXT_NOISE_SHARE 0.005

/* From where on a row of the ranking is a suspect: "2 % of the heap", "1.00 MiB". */
void text_line(struct text *t, const struct hd_report *r);

/* Of those that were first seen in the compared snapshots before `end`, from `begin` on:
 * how many were there in snapshot k, and how many of them the last one has. */
struct text_cohorts {
    uint64_t came, stayed;
};
struct text_cohorts text_cohorts(const struct hd_births *b, size_t begin, size_t end,
                                 size_t k);

/* Whether it is known who stayed: by order alone one may trust what stayed, and not what is
 * said to have gone. b may be NULL. */
bool text_knows_births(const struct hd_report *r, const struct hd_births *b);

/* And whether it is told: order loses some of what stayed, and where that may be many its
 * numbers would mislead. */
bool text_shows_births(const struct hd_report *r, const struct hd_births *b);

/* "all of the 23, 20 and 15 added in each step are still alive; of 81 older ones, all", of
 * many steps their sum, of a late one those that it began in; "at least" where that is
 * not exact. */
void text_births(struct text *t, const struct hd_births *b, bool exact);

/* "since snapshot 13 (14:05 UTC)". False, and nothing, of what began before the first. */
bool text_since(struct text *t, const struct hd_report *r, const struct hd_births *b);

/* "new in snapshots 2 to 4", "older than snapshot 1": of objects that were first seen in
 * one of the snapshots, from 1 on. */
void text_born(struct text *t, size_t first, size_t last);

/* "as many are freed as are added: 120 added, 100 freed", "the oldest are freed first:
 * ...". False, and nothing, of suspects, and where too few come. */
bool text_turnover(struct text *t, const struct hd_suspect *s);

/* --- above every answer ------------------------------------------------------------ */

/* Seconds from the first snapshot to the last, or NAN: unknown, or not in order. */
double heading_span(const struct hd_report *r);

/* What grows by so much from the first to the last grows by so much in an hour; NAN if the
 * time is unknown, or less than a minute, which says nothing about an hour. */
double heading_per_hour(const struct hd_report *r, double growth);

/* " over 2 h 10 min"; nothing if unknown. */
void heading_add_span(struct text *t, const struct hd_report *r);

/* "+1.2 MiB/h", and begin in front of it (", "); false, and nothing, where that is unknown
 * or nothing grows. */
bool heading_add_rate(struct text *t, const struct hd_report *r, const char *begin,
                      uint64_t first, uint64_t last);

/* Which process, and where, as far as it is known and the same in all of them; what is not
 * is NULL, the pid HD_UNKNOWN. */
struct heading_origin {
    const char *process, *host, *container, *runtime;
    uint64_t pid;
    bool several; /* they are of several processes */
};

/* False if there is nothing to say: a runtime alone is not worth a line. */
bool heading_origin(const struct hd_report *r, struct heading_origin *from);

/* A snapshot's file as all formats name it: without folders, or with as many of the last as
 * tell it from the others. all are those of the report; the path's own end. */
const char *heading_file(const struct hd_snapshot_facts *all, size_t count, size_t k);

/* --- chains ------------------------------------------------------------------------ */

struct report_brief {
    bool *shown;       /* per frame; NULL: all of them are */
    size_t first;      /* where it begins: frames before it are no part of the line */
    bool root_by_kind; /* "[static …]" will do for that frame */
};

/* Decide what a line shows of a chain: all of it from the root on, or the few frames that
 * say most. In a. */
struct report_brief report_brief_of(const struct hd_chain *c, bool all, struct arena *a);

#endif
