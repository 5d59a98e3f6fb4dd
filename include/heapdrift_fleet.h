/* heapdrift_fleet.h - what many runs of many processes say together: which service leaks
 * what, on how many hosts, since which build, how fast. heapdrift.h does not include it.
 *
 * A fleet is a set of run records. Each is what one run of one process shows: its series of
 * snapshots ranked as hd_report_diff() ranks it. Records come from snapshots
 * (hd_fleet_examine) or from parts that others made (hd_fleet_read_part); what is told of
 * them is computed from the set in a sorted order, so it is the same whichever way they
 * came. docs/fleet-method.md has the formulas. */
#ifndef HEAPDRIFT_FLEET_H
#define HEAPDRIFT_FLEET_H

#include "heapdrift.h"
#include "heapdrift_store.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* --- which snapshots of a run ---------------------------------------------- */

/* Of n snapshots taken at these times, which do not fall, at most `most` (2 or more) that
 * are spread evenly over the time between the first and the last, these two among them.
 * Their numbers go to chosen, in order; how many. */
size_t hd_fleet_choose(const double *taken, size_t n, size_t most, size_t *chosen);

/* --- what one run shows ------------------------------------------------------ */

/* How much a run says. One that has a suspect in four or more snapshots is judged, and so
 * is one without if nothing stands against that. */
enum hd_judgement {
    HD_JUDGED,
    HD_UNSURE,     /* too little for a verdict: it counts neither way */
    HD_NOT_JUDGED, /* nothing could be compared */
    HD_JUDGEMENT_COUNT
};

/* Why a run is not judged, or unsure. */
enum hd_doubt {
    HD_DOUBT_NONE,
    HD_DOUBT_ONE_SNAPSHOT, /* not judged: there is only one in the window */
    HD_DOUBT_DAMAGED,      /* not judged: fewer than two of them can be read */
    HD_DOUBT_UNFIT,        /* not judged: fewer than two can be compared */
    HD_DOUBT_CLOCK,        /* not judged: its clock jumped, so nothing is known of rates */
    HD_DOUBT_ORDER,     /* not judged: some have equal times, so nobody knows their order */
    HD_DOUBT_FAILED,    /* not judged: the comparison failed; the record says why */
    HD_DOUBT_PROCESSES, /* unsure: the snapshots are of several processes after all */
    HD_DOUBT_SHORT,     /* unsure: it spans less than rules.min_span: load that follows the
                           hour of the day looks like a leak, or hides one */
    HD_DOUBT_FEW,       /* unsure: fewer than four snapshots can be compared */
    HD_DOUBT_INCOMPLETE,  /* unsure: no suspect, but snapshots are incomplete or samples */
    HD_DOUBT_UNEXPLAINED, /* unsure: no suspect, but the heap grew */
    HD_DOUBT_STOPPED,     /* unsure: no suspect, but something grew, and stayed */
    HD_DOUBT_RESERVED,    /* unsure: no suspect, but a store fills, or lets go later */
    HD_DOUBT_OUTSIDE,     /* unsure: no suspect, but the process grew outside of its heap */
    HD_DOUBT_COUNT
};

const char *hd_judgement_name(enum hd_judgement judgement);
const char *hd_doubt_name(enum hd_doubt doubt);

/* A suspect of a run. */
struct hd_run_finding {
    unsigned rank;             /* in the run, from 1 */
    const char *type;          /* as ranked */
    const char *subject;       /* for a title; the type if nothing is better */
    const char *holder;        /* what holds it, as one line; NULL unknown */
    const char *hint;          /* an id of docs/hints.md; NULL */
    double score, score_share; /* of the ranking: bytes, and of the heap */
    double per_hour;           /* bytes; NAN: less than a minute */
    const uint64_t *retained;  /* bytes, per snapshot of the record; HD_UNKNOWN */
    const char *chain; /* from a root to one of them in the last snapshot, as holder:
                          of several chains that most have; NULL unknown */
};

struct hd_run_record {
    uint64_t series;   /* id in the store; each once in a fleet */
    struct hd_run run; /* without labels */
    size_t recorded;   /* snapshots in the window */
    size_t damaged;    /* of those that were chosen: how many could not be read */
    enum hd_judgement judgement;
    enum hd_doubt doubt;
    const char *why; /* what failed, in words; NULL */
    enum hd_confidence confidence;

    size_t count;         /* snapshots that were compared, 50 at most */
    const double *times;  /* when each was taken: Unix seconds */
    const uint64_t *heap; /* bytes of each: reachable ones where that is known of all */
    double heap_per_hour; /* how the heap grows: bytes; NAN unknown */

    const struct hd_run_finding *findings; /* by rank */
    size_t finding_count;
};

/* --- the set of records ------------------------------------------------------ */

/* What records have to have in common to be added up: parts that differ in one of these are
 * not merged. */
struct hd_fleet_rules {
    const char *service;    /* only this one; NULL: all */
    double since, until;    /* the window: Unix seconds; NAN: open */
    unsigned shard, shards; /* part number shard, from 1, of so many; 0 of 0: all */

    /* As in hd_options. */
    double min_share, min_steady_share;
    uint64_t min_bytes, min_steady_bytes;

    double min_span; /* seconds from the first to the last snapshot of a run; 0: any */
};

struct hd_fleet;

struct hd_fleet *hd_fleet_new(const struct hd_fleet_rules *rules);
void hd_fleet_free(struct hd_fleet *f); /* NULL is fine */

/* A run with the bytes of its snapshots. */
struct hd_fleet_snapshot {
    double taken;           /* Unix seconds */
    struct hd_memory bytes; /* empty: they could not be had, and error says why */
    struct hd_error error;
};
struct hd_fleet_series {
    uint64_t id;
    struct hd_run run;
    struct hd_fleet_snapshot snapshots[HD_MAX_SNAPSHOTS]; /* by time */
    size_t snapshot_count;
    size_t recorded; /* of which they were chosen */
    void *own;       /* of who gives it */
};

/* Where series come from. next is called by the thread that calls hd_fleet_examine() and
 * fills in *series, which starts as {0}, whatever it points to being there until done.
 * False at the end, or with err. done frees what next gave, bytes too. */
struct hd_fleet_source {
    bool (*next)(void *context, struct hd_fleet_series *series, struct hd_error *err);
    void (*done)(void *context, struct hd_fleet_series *series);
    void *context;
};

struct hd_fleet_how {
    unsigned threads;    /* series side by side; 0 and 1: one after the other */
    uint64_t max_memory; /* of each: bytes; 0: no limit */
};

/* Compare the snapshots of every series, and keep what they show. A series that cannot be
 * judged is a record that says why; false and err only for what the source fails with, for
 * and for a series that is there already. Memory: the series at work, some
 * for each thread, and what is kept of each run. */
bool hd_fleet_examine(struct hd_fleet *f, struct hd_fleet_source from,
                      const struct hd_fleet_how *how, struct hd_error *err);

/* Add a record, of which everything is copied. HD_USAGE: the series is there already. */
bool hd_fleet_add(struct hd_fleet *f, const struct hd_run_record *record,
                  struct hd_error *err);

/* Add what a part holds. The first one gives an empty fleet without rules
 * (hd_fleet_new(NULL)) its rules. HD_NOT_A_SNAPSHOT: no part. HD_UNSUPPORTED: of another
 * version. HD_BAD_FORMAT: damaged or cut. HD_USAGE: of another window, other rules, or
 * given twice. */
bool hd_fleet_read_part(struct hd_fleet *f, const char *path, struct hd_error *err);

/* Write all records as a part: lines of JSON, sorted, the same bytes for the same set. */
bool hd_fleet_write_part(struct hd_fleet *f, struct hd_sink to, struct hd_error *err);

/* Record number i from 0, by service, host, start and series; NULL behind the last. Good
 * until one is added. */
const struct hd_run_record *hd_fleet_record(struct hd_fleet *f, size_t i);
const struct hd_fleet_rules *hd_fleet_rules(const struct hd_fleet *f);

/* --- what they say together --------------------------------------------------- */

enum hd_fleet_by { HD_FLEET_BY_SERVICE, HD_FLEET_BY_HOST, HD_FLEET_BY_BUILD };

struct hd_fleet_options {
    enum hd_fleet_by by;
    uint64_t limit;         /* of memory, of every run; HD_UNKNOWN: as recorded */
    double min_hosts_share; /* a suspect of the fleet is one on so many of the hosts, */
    uint64_t min_hosts;     /* or on so many, if not 0 */
    uint32_t rows;          /* per table; 0 all; HD_DEFAULT_ROWS 20, but all in CSV */
    const char *store;      /* its URL, for commands that open a run: without a password
                               (hd_store_put_public_url()); NULL unknown */
};

/* How hours until a limit are told: NAN unknown, INFINITY never. */

/* How a suspect stands on one host: its worst run there. */
struct hd_fleet_host {
    const char *host;  /* NULL unknown */
    const char *build; /* of that run */
    double score_share, per_hour;
    double hours_left;   /* of the newest run there; NAN unless that shows it */
    uint64_t heap;       /* of the newest run there, now; HD_UNKNOWN */
    bool is_there_still; /* the newest judged run shows it */
    size_t count;        /* of that worst run: */
    const double *times;
    const uint64_t *retained;
    uint64_t run;      /* hd_stored_series.id of that worst run; HD_UNKNOWN */
    unsigned rank;     /* of the suspect in it */
    double started;    /* when its process began: Unix seconds; NAN */
    const char *chain; /* as in its finding; NULL */
};

/* What is known of where it began. */
enum hd_fleet_onset {
    HD_ONSET_NAMED,   /* with a build, and that is no chance */
    HD_ONSET_FIRST,   /* the first build that was seen shows it already */
    HD_ONSET_CHANCE,  /* it may be chance */
    HD_ONSET_UNKNOWN, /* no run tells its build */
    HD_ONSET_COUNT
};
const char *hd_fleet_onset_name(enum hd_fleet_onset onset);

struct hd_fleet_build_count {
    const char *build;
    double first_seen; /* Unix seconds */
    uint64_t runs;     /* judged; of what is not judged alone: compared */
    uint64_t with;     /* those that show it */
};

/* What a suspect rests on. */
enum hd_fleet_evidence {
    HD_EVIDENCE_JUDGED, /* runs that are judged by themselves */
    HD_EVIDENCE_POOLED, /* those, and unsure ones that say enough together */
    HD_EVIDENCE_OPEN,   /* unsure runs that do not: no suspect, but named */
    HD_EVIDENCE_COUNT
};
const char *hd_fleet_evidence_name(enum hd_fleet_evidence evidence);

/* What unsure runs lack to say enough together: the first of these. */
enum hd_fleet_missing {
    HD_MISSING_NOTHING,
    HD_MISSING_SNAPSHOTS, /* no run has enough of them behind its start */
    HD_MISSING_RUNS,      /* at different times */
    HD_MISSING_SHARE,     /* too many runs do not show it */
    HD_MISSING_HOURS,     /* of the day, in which it grows: load does that */
    HD_MISSING_PACE,      /* it slows down in each run: what fills does that */
    HD_MISSING_COUNT
};
const char *hd_fleet_missing_name(enum hd_fleet_missing missing);

struct hd_fleet_suspect {
    size_t rank;                                          /* from 1 */
    const char *service, *type, *subject, *holder, *hint; /* NULL unknown */
    bool is_few;          /* on fewer hosts than a suspect of the fleet */
    uint64_t hosts;       /* on which a judged run shows it */
    uint64_t of_hosts;    /* of that service, with a judged run */
    uint64_t hosts_still; /* on which the newest judged run shows it */
    double hosts_share;
    uint64_t runs, of_runs;   /* judged */
    double score;             /* share of the hosts times median share of the heap */
    double score_share;       /* median over the hosts of the worst run there */
    double per_hour, per_day; /* the same; bytes */
    const char *first_build;  /* whose runs show it; NULL unknown */
    double first_seen;        /* Unix seconds, of the first snapshot of the first run */
    double hours_left;        /* of the host that has least */
    struct hd_fleet_host *on; /* worst first: the first has the evidence */
    size_t on_count;

    /* Where it began: with that build, as against all before it. */
    enum hd_fleet_onset onset;
    const char *began_with; /* the most telling build, named or not; NULL */
    uint64_t before_with, before_without, since_with, since_without; /* runs */
    double chance;     /* Fisher's exact test, one-sided; 0 below 1e-300 */
    double log_chance; /* its natural logarithm */
    size_t
        boundaries; /* between builds that were looked at: chance is so often as likely */
    struct hd_fleet_build_count *builds; /* that show it, in order of first_seen */
    size_t build_count;

    /* The evidence, of on[0]. */
    uint64_t run;        /* HD_UNKNOWN */
    const char *chain;   /* NULL unknown */
    const char *command; /* that opens that run, for a shell; NULL unknown */
    const char *fix;     /* what to do, in the words of docs/hints.md; NULL unknown */

    /* What it rests on. If not on judged runs alone, unsure ones count as judged above:
     * those that were pooled, or, where it is open, all. */
    enum hd_fleet_evidence evidence;
    enum hd_fleet_missing missing; /* where it is open */
    uint64_t periods;      /* of the pool that says most: times that do not overlap, in each
                              of which a run lies; 0: none was pooled */
    uint64_t periods_with; /* those in which it grew */
    double pool_log_chance;    /* ln of at most how likely chance does that */
    unsigned pool_hours;       /* of the day in which it grew */
    uint64_t ended_near_limit; /* runs that show it, and another followed */
    double life_hours; /* from the start of a process to its limit: median of the host that
                          has least; NAN, INFINITY as hours_left */
};

struct hd_fleet_service {
    const char *service; /* NULL unknown */
    uint64_t hosts, hosts_judged;
    uint64_t runs[HD_JUDGEMENT_COUNT];
    uint64_t snapshots;   /* compared */
    size_t suspects;      /* of the fleet */
    size_t builds;        /* that runs tell */
    double hours_left;    /* of the host that has least */
    double last;          /* Unix seconds, of the newest snapshot that was compared; NAN */
    size_t suspects_open; /* what unsure runs show, that is no suspect */
};

/* A row of --by=host. */
struct hd_fleet_host_row {
    const char *service, *host, *build; /* of the newest run */
    uint64_t runs[HD_JUDGEMENT_COUNT];
    size_t suspects;                     /* different ones of judged runs */
    const char *subject, *type, *holder; /* the worst of them; NULL */
    double score_share, per_hour;
    uint64_t heap; /* now; HD_UNKNOWN */
    double heap_per_hour, hours_left;
    size_t count; /* of the newest run: */
    const double *times;
    const uint64_t *bytes; /* of its heap */
    uint64_t run;          /* with the worst suspect, or else the newest; HD_UNKNOWN */
    size_t suspects_pooled, suspects_open; /* besides: of pools; of unsure runs */
    const char *open_subject;              /* the first of those; NULL */
};

/* A run that is not judged, or unsure. */
struct hd_fleet_unjudged {
    const char *service, *host, *process, *build;
    uint64_t series, pid;
    enum hd_judgement judgement;
    enum hd_doubt doubt;
    const char *why;
    size_t recorded, compared, damaged;
    size_t findings; /* that it has all the same */
};

struct hd_fleet_answer {
    enum hd_fleet_by by;
    struct hd_fleet_rules rules;
    uint64_t limit;
    unsigned shards_missing; /* of rules.shards, whose records are not there */

    uint64_t runs[HD_JUDGEMENT_COUNT];
    uint64_t runs_open;    /* without a verdict of their own, though they have a suspect */
    uint64_t runs_damaged; /* of which a snapshot could not be read */
    uint64_t hosts, hosts_judged;
    uint64_t unnamed_hosts; /* runs that tell no host: those of a service count as one */
    uint64_t snapshots;     /* compared */
    double first, last;     /* of these; NAN */

    struct hd_fleet_suspect *suspects; /* by score; then those on few hosts, by score */
    size_t suspect_count, few_count;   /* of the first kind; of the second */
    size_t open_count;                 /* and behind these: what is open */
    struct hd_fleet_service *services; /* by name */
    size_t service_count;
    struct hd_fleet_host_row *host_rows; /* --by=host: worst first; else none */
    size_t host_row_count;
    struct hd_fleet_unjudged *unjudged; /* not judged, then unsure */
    size_t unjudged_count;

    size_t suspects_shown, few_shown, services_shown, host_rows_shown, unjudged_shown;
    size_t open_shown;

    const char *headline; /* the verdict in one line, as that of a diff */
    const char *store;    /* as in the options */
};

void hd_fleet_set_default_options(struct hd_fleet_options *opt);

/* The report: hd_model.fleet. It lives on without the fleet. */
struct hd_report *hd_report_fleet(struct hd_fleet *f, const struct hd_fleet_options *opt);

/* Formats that can only hold such a report. */
bool hd_format_is_for_fleet(size_t i);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
