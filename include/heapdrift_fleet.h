/* heapdrift_fleet.h - combine many runs of many processes: which service leaks what, on how
 * many hosts, since which build, how fast. heapdrift.h does not include it.
 *
 * A fleet is a set of run records. Each is the result of a run of a process: its series of
 * snapshots, ranked as by hd_report_diff(). Records are computed from snapshots
 * (hd_fleet_examine) or read from parts written elsewhere (hd_fleet_read_part). Answers are
 * computed from the set in sorted order, so the order of additions does not matter.
 * docs/fleet-method.md has the formulas. */
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

/* --- snapshots of a run ------------------------------------------------------ */

/* Chooses at most `most` (2 or more) of n snapshots, whose ascending times are given,
 * evenly spread over the time, including the first and the last. Writes their numbers to
 * chosen, in order, and returns how many. */
size_t hd_fleet_choose(const double *taken, size_t n, size_t most, size_t *chosen);

/* --- results of a run -------------------------------------------------------- */

/* Evidence of a run. It is judged with a suspect in four or more snapshots, or without
 * suspects if no doubt applies. */
enum hd_judgement {
    HD_JUDGED,
    HD_UNSURE,     /* too little evidence alone; may count in a pool of runs */
    HD_NOT_JUDGED, /* no comparison was possible */
    HD_JUDGEMENT_COUNT
};

/* Why a run is not judged, or unsure. */
enum hd_doubt {
    HD_DOUBT_NONE,
    HD_DOUBT_ONE_SNAPSHOT, /* not judged: only one in the window */
    HD_DOUBT_DAMAGED,      /* not judged: fewer than two are readable */
    HD_DOUBT_UNFIT,        /* not judged: fewer than two can be compared */
    HD_DOUBT_CLOCK,        /* not judged: its clock jumped, so rates are unknown */
    HD_DOUBT_ORDER,        /* not judged: equal times, so the order is unknown */
    HD_DOUBT_FAILED,       /* not judged: the comparison failed; see why */
    HD_DOUBT_PROCESSES,    /* unsure: the snapshots are of several processes */
    HD_DOUBT_SHORT, /* unsure: shorter than rules.min_span: load that follows the hour of
                       the day looks like a leak, or hides one */
    HD_DOUBT_FEW,   /* unsure: fewer than four snapshots can be compared */
    HD_DOUBT_INCOMPLETE,  /* unsure: no suspect, but incomplete or sampled snapshots */
    HD_DOUBT_UNEXPLAINED, /* unsure: no suspect, but the heap grew */
    HD_DOUBT_LEVELED_OFF, /* unsure: no suspect, but something grew and leveled off */
    HD_DOUBT_RESERVED, /* unsure: no suspect, but a store fills, or keeps entries longer */
    HD_DOUBT_OUTSIDE,  /* unsure: no suspect, but memory outside the objects grew */
    HD_DOUBT_COUNT
};

const char *hd_judgement_name(enum hd_judgement judgement);
const char *hd_doubt_name(enum hd_doubt doubt);

/* A suspect of a run. */
struct hd_run_finding {
    unsigned rank;             /* in the run, from 1 */
    const char *type;          /* as ranked */
    const char *title;         /* title; else the type */
    const char *holder;        /* its owners, on one line; NULL: unknown */
    const char *hint;          /* an id of docs/hints.md; NULL */
    double score, score_share; /* bytes; share of the heap */
    double per_hour;           /* bytes; NAN: less than a minute */
    const uint64_t *retained;  /* bytes, per snapshot of the record; HD_UNKNOWN */
    const char *chain;         /* most frequent chain from a root to an instance in the last
                                  snapshot, formatted as holder; NULL: unknown */
};

struct hd_run_record {
    uint64_t series;   /* id in the store; unique in a fleet */
    struct hd_run run; /* without labels */
    size_t recorded;   /* snapshots in the window */
    size_t damaged;    /* chosen snapshots that were unreadable */
    enum hd_judgement judgement;
    enum hd_doubt doubt;
    const char *why; /* reason of a failure, in words; NULL */
    enum hd_confidence confidence;

    size_t count;         /* compared snapshots, at most 50 */
    const double *times;  /* of the snapshots: Unix seconds */
    const uint64_t *heap; /* bytes per snapshot: reachable ones if known for all */
    double heap_per_hour; /* growth of the heap in bytes; NAN: unknown */

    const struct hd_run_finding *findings; /* by rank */
    size_t finding_count;
};

/* --- the set of records ------------------------------------------------------ */

/* Rules that records must share to be combined: parts with different ones are not
 * merged. */
struct hd_fleet_rules {
    const char *service;    /* NULL: all services */
    double since, until;    /* the window: Unix seconds; NAN: open */
    unsigned shard, shards; /* part number shard, from 1, of shards; 0 of 0: all */

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
    struct hd_memory bytes; /* empty: unreadable, see error */
    struct hd_error error;
};
struct hd_fleet_series {
    uint64_t id;
    struct hd_run run;
    struct hd_fleet_snapshot snapshots[HD_MAX_SNAPSHOTS]; /* by time */
    size_t snapshot_count;
    size_t recorded; /* total from which they were chosen */
    void *own;       /* private data of the source */
};

/* Source of series. next is called by the thread that calls hd_fleet_examine() and fills in
 * *series, initially {0}; everything it refers to must stay valid until done. False at the
 * end, or with err. done frees the data from next, bytes too. */
struct hd_fleet_source {
    bool (*next)(void *context, struct hd_fleet_series *series, struct hd_error *err);
    void (*done)(void *context, struct hd_fleet_series *series);
    void *context;
};

struct hd_fleet_how {
    unsigned threads;    /* series in parallel; 0 and 1: sequential */
    uint64_t max_memory; /* bytes, divided among the threads; 0: no limit */
};

/* Compares the snapshots of every series, and adds a record for each. A series that cannot
 * be judged gets a record with the reason. False and err only for errors of the source, and
 * for a series that is already in the fleet. Memory: up to four series per thread, at most
 * 64, with snapshots of some 512 MiB in all, and the records. */
bool hd_fleet_examine(struct hd_fleet *f, struct hd_fleet_source from,
                      const struct hd_fleet_how *how, struct hd_error *err);

/* Adds a copy of a record. HD_USAGE: the series is already in the fleet. */
bool hd_fleet_add(struct hd_fleet *f, const struct hd_run_record *record,
                  struct hd_error *err);

/* Adds the records of a part. The first one gives its rules to an empty fleet without rules
 * (hd_fleet_new(NULL)). HD_NOT_A_SNAPSHOT: not a part. HD_UNSUPPORTED: another version.
 * HD_BAD_FORMAT: damaged or truncated. HD_USAGE: another window, other rules, or given
 * twice. */
bool hd_fleet_read_part(struct hd_fleet *f, const char *path, struct hd_error *err);

/* Writes all records as a part: sorted lines of JSON, the same bytes for the same set. */
bool hd_fleet_write_part(struct hd_fleet *f, struct hd_sink to, struct hd_error *err);

/* Returns record number i from 0, by service, host, start and series; NULL after the last.
 * Valid until a record is added. */
const struct hd_run_record *hd_fleet_record(struct hd_fleet *f, size_t i);
const struct hd_fleet_rules *hd_fleet_rules(const struct hd_fleet *f);

/* --- combined results --------------------------------------------------------- */

enum hd_fleet_by { HD_FLEET_BY_SERVICE, HD_FLEET_BY_HOST, HD_FLEET_BY_BUILD };

struct hd_fleet_options {
    enum hd_fleet_by by;
    uint64_t limit;         /* memory limit of every run; HD_UNKNOWN: as recorded */
    double min_hosts_share; /* minimum share of the hosts for a suspect of the fleet, */
    uint64_t min_hosts;     /* or minimum number of hosts, if not 0 */
    uint32_t rows;          /* per table; 0: all; HD_DEFAULT_ROWS: 20, but all in CSV */
    const char *store;      /* its URL without a password (hd_store_put_public_url()), for
                               commands that open a run; NULL: unknown */
};

/* Hours until a limit are NAN if unknown, INFINITY if it is never reached. */

/* A suspect on one host, in its worst run there. */
struct hd_fleet_host {
    const char *host;  /* NULL: unknown */
    const char *build; /* of the worst run */
    double score_share, per_hour;
    double hours_left;   /* in the newest run there; NAN if it lacks the suspect */
    uint64_t heap;       /* of the newest run there, last value; HD_UNKNOWN */
    bool is_there_still; /* the newest judged run has it */
    size_t count;        /* of the worst run: */
    const double *times;
    const uint64_t *retained;
    uint64_t run;      /* hd_stored_series.id of the worst run; HD_UNKNOWN */
    unsigned rank;     /* of the suspect in it */
    double started;    /* start of its process: Unix seconds; NAN */
    const char *chain; /* as in its finding; NULL */
};

/* Knowledge about where it began. */
enum hd_fleet_onset {
    HD_ONSET_NAMED,   /* with a build, significantly */
    HD_ONSET_FIRST,   /* the first build that was seen already has it */
    HD_ONSET_CHANCE,  /* it may be chance */
    HD_ONSET_UNKNOWN, /* no run has a build */
    HD_ONSET_COUNT
};
const char *hd_fleet_onset_name(enum hd_fleet_onset onset);

struct hd_fleet_build_count {
    const char *build;
    double first_seen; /* Unix seconds */
    uint64_t runs;     /* judged runs; for suspects below that: compared runs */
    uint64_t with;     /* those that have it */
};

/* Basis of a suspect. */
enum hd_fleet_evidence {
    HD_EVIDENCE_JUDGED, /* runs that are judged on their own */
    HD_EVIDENCE_POOLED, /* these, and unsure runs that are significant together */
    HD_EVIDENCE_OPEN,   /* unsure runs that are not: reported, but not a suspect */
    HD_EVIDENCE_COUNT
};
const char *hd_fleet_evidence_name(enum hd_fleet_evidence evidence);

/* The first condition of significance that unsure runs lack. */
enum hd_fleet_missing {
    HD_MISSING_NOTHING,
    HD_MISSING_SNAPSHOTS, /* no run has enough after its start */
    HD_MISSING_RUNS,      /* at different times */
    HD_MISSING_SHARE,     /* too many runs do not have it */
    HD_MISSING_HOURS,     /* of the day, in which it grows: load can cause that */
    HD_MISSING_PACE,      /* it slows down in each run, as a filling cache does */
    HD_MISSING_COUNT
};
const char *hd_fleet_missing_name(enum hd_fleet_missing missing);

struct hd_fleet_suspect {
    size_t rank;                                        /* from 1 */
    const char *service, *type, *title, *holder, *hint; /* NULL: unknown */
    bool is_few;          /* on fewer hosts than a suspect of the fleet needs */
    uint64_t hosts;       /* with a judged run that has it */
    uint64_t of_hosts;    /* of the service, with a judged run */
    uint64_t hosts_still; /* whose newest judged run has it */
    double hosts_share;
    uint64_t runs, of_runs;   /* judged */
    double score;             /* share of the hosts times median share of the heap */
    double score_share;       /* median over the hosts of the worst run there */
    double per_hour, per_day; /* the same; bytes */
    const char *first_build;  /* whose runs have it; NULL: unknown */
    double first_seen;        /* Unix seconds, of the first snapshot of the first run */
    double hours_left;        /* of the host with the least time */
    struct hd_fleet_host *on; /* worst first: evidence is from the first */
    size_t on_count;

    /* Where it began: with a build, compared with all earlier ones. */
    enum hd_fleet_onset onset;
    const char *began_with; /* the most significant build, named or not; NULL */
    uint64_t before_with, before_without, since_with, since_without; /* runs */
    double chance;     /* Fisher's exact test, one-sided; 0 below 1e-300 */
    double log_chance; /* its natural logarithm */
    size_t boundaries; /* tested, between builds: multiplies chance */
    struct hd_fleet_build_count *builds; /* builds that have it, by first_seen */
    size_t build_count;

    /* Evidence, from on[0]. */
    uint64_t run;        /* HD_UNKNOWN */
    const char *chain;   /* NULL: unknown */
    const char *command; /* shell command that opens the run; NULL: unknown */
    const char *fix;     /* remedy, as in docs/hints.md; NULL: unknown */

    /* Basis. If not only judged runs, unsure ones count as judged above: those that were
     * pooled or, for HD_EVIDENCE_OPEN, all. */
    enum hd_fleet_evidence evidence;
    enum hd_fleet_missing missing; /* for HD_EVIDENCE_OPEN */
    uint64_t periods; /* in the most significant pool: disjoint times with a run in each; 0:
                         not pooled */
    uint64_t periods_with;     /* those in which it grew */
    double pool_log_chance;    /* ln of an upper bound of its p-value */
    unsigned pool_hours;       /* hours of the day in which it grew */
    uint64_t ended_near_limit; /* runs that have it and were followed by another */
    double life_hours; /* from the start of a process to its limit: median of the host with
                          the least; NAN, INFINITY as hours_left */
};

struct hd_fleet_service {
    const char *service; /* NULL: unknown */
    uint64_t hosts, hosts_judged;
    uint64_t runs[HD_JUDGEMENT_COUNT];
    uint64_t snapshots;   /* compared */
    size_t suspects;      /* of the fleet */
    size_t builds;        /* named by runs */
    double hours_left;    /* of the host with the least time */
    double last;          /* newest compared snapshot: Unix seconds; NAN */
    size_t suspects_open; /* from unsure runs, not suspects of the fleet */
};

/* A row of --by=host. */
struct hd_fleet_host_row {
    const char *service, *host, *build; /* of the newest run */
    uint64_t runs[HD_JUDGEMENT_COUNT];
    size_t suspects;                   /* distinct ones of judged runs */
    const char *title, *type, *holder; /* the worst; NULL */
    double score_share, per_hour;
    uint64_t heap; /* last value; HD_UNKNOWN */
    double heap_per_hour, hours_left;
    size_t count; /* of the newest run: */
    const double *times;
    const uint64_t *bytes; /* of its heap */
    uint64_t run;          /* with the worst suspect, or the newest; HD_UNKNOWN */
    size_t suspects_pooled, suspects_open; /* in addition: from pools; from unsure runs */
    const char *open_subject;              /* the first of suspects_open; NULL */
};

/* A run that is not judged, or unsure. */
struct hd_fleet_unjudged {
    const char *service, *host, *process, *build;
    uint64_t series, pid;
    enum hd_judgement judgement;
    enum hd_doubt doubt;
    const char *why;
    size_t recorded, compared, damaged;
    size_t findings; /* suspects of the run nevertheless */
};

struct hd_fleet_answer {
    enum hd_fleet_by by;
    struct hd_fleet_rules rules;
    uint64_t limit;
    unsigned shards_missing; /* of rules.shards, without records */

    uint64_t runs[HD_JUDGEMENT_COUNT];
    uint64_t runs_open;    /* without a verdict of their own, but with a suspect */
    uint64_t runs_damaged; /* with an unreadable snapshot */
    uint64_t hosts, hosts_judged;
    uint64_t unnamed_hosts; /* runs without a host: those of a service count as one */
    uint64_t snapshots;     /* compared */
    double first, last;     /* times of the snapshots: Unix seconds; NAN */

    struct hd_fleet_suspect *suspects; /* by score; then on few hosts; then unconfirmed */
    size_t suspect_count, few_count;   /* number of the first kind; of the second */
    size_t open_count;                 /* number of the third */
    struct hd_fleet_service *services; /* by name */
    size_t service_count;
    struct hd_fleet_host_row *host_rows; /* only with --by=host: worst first */
    size_t host_row_count;
    struct hd_fleet_unjudged *unjudged; /* not judged, then unsure */
    size_t unjudged_count;

    size_t suspects_shown, few_shown, services_shown, host_rows_shown, unjudged_shown;
    size_t open_shown;

    const char *headline; /* the verdict in one line, as in a diff */
    const char *store;    /* as in the options */
};

void hd_fleet_set_default_options(struct hd_fleet_options *opt);

/* Returns the report: hd_model.fleet. It outlives the fleet. */
struct hd_report *hd_report_fleet(struct hd_fleet *f, const struct hd_fleet_options *opt);

/* True for formats that can hold only such a report. */
bool hd_format_is_for_fleet(size_t i);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
