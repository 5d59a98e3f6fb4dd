/* budgets.h - parse the rules of a check: limits of growth, and suppressions.
 *
 * Rules are read from heapdrift.yml, from options and, without either, from the default. An
 * entry of the file that limits both counts and bytes makes two rules. For a type, the
 * first matching entry for types counts. judge.h applies them. Guide: docs/check.md. */
#ifndef BUDGETS_H
#define BUDGETS_H

#include "base/arena.h"
#include "base/text.h"
#include "heapdrift.h"

/* --- baselines -------------------------------------------------------------- */

/* Growth that is accepted: the growth of a program when it was reviewed.
 *
 * A text file for git: one line per type, total and holder that grew, sorted, columns
 * separated by tabs. Must not depend on rules. Format: docs/formats/baseline.md. */

struct baseline {
    struct hd_accepted *all; /* malloc'd; names in the caller's arena */
    size_t len, cap;
    uint64_t snapshots;          /* of the accepted run; 0 without a baseline */
    uint64_t iterations;         /* between its first and last snapshot; HD_UNKNOWN */
    uint64_t seconds;            /* likewise */
    struct accepted_slot *slots; /* by kind and name; in the arena */
    struct arena arena;
};

void baseline_add(struct baseline *b, const struct hd_accepted *accepted);

/* Returns the accepted growth; zeros without an entry. */
struct hd_accepted baseline_find(const struct baseline *b, enum hd_accepted_kind kind,
                                 const char *name);

/* Parses size bytes of a file. Errors name the line. */
bool baseline_parse(struct baseline *b, const char *data, size_t size, struct arena *a,
                    struct hd_error *err);

/* Returns the baseline as data, with its names, in a. */
const struct hd_accepted_growth *baseline_growth(const struct baseline *b, struct arena *a);

/* Prints the text of the file. */
void baseline_print(struct text *t, const struct hd_accepted_growth *g);
void baseline_free(struct baseline *b);

/* "bytes", "objects", "reachable_bytes": in files, rules and baselines. NULL at the end. */
extern const char *const budget_total_names[HD_TOTAL_COUNT + 1];

/* "size", "native", "threads", ...: likewise. */
extern const char *const budget_process_names[HD_PROCESS_NUMBER_COUNT + 1];

/* Bytes, or a count of threads or handles. */
enum hd_measure budget_process_measure(enum hd_process_number number);

struct rule {
    enum hd_rule_kind kind;
    enum hd_total total;
    enum hd_process_number process;
    const char *pattern; /* of types or holders; the name of a number of the process */
    enum hd_per per;
    enum hd_measure measure;
    struct hd_limit limit;
    bool limit_is_min_score; /* of suspects: the limit is --min-score */
    bool is_default;
    bool is_optional; /* the pattern may match no type */
    bool lacks_unit;  /* its limit is a number of bytes without a unit */
    size_t entry;     /* shared by the rules of an entry */
    const char *path; /* of the file, or NULL: an option, or the default */
    uint64_t line;    /* in it */
};

/* An exception: what its pattern matches may exceed its budget. */
struct suppression {
    const char *type, *holder; /* patterns; exactly one is NULL */
    const char *reason;
    bool expires;
    int64_t until; /* the last day on which it counts, since 1970-01-01 */
    const char *until_text;
    const char *path;
    uint64_t line;
};

enum {
    BUDGETS_MAX_RULES = 1000,
    BUDGETS_MAX_SUPPRESSIONS = 1000,
    BUDGETS_LONGEST_FILE = 1 << 20
};

struct hd_budgets {
    struct arena arena;
    struct rule *rules; /* malloc'd; in the order in which they are reported */
    size_t rule_count, rule_cap;
    struct suppression *suppressions; /* malloc'd */
    size_t suppression_count, suppression_cap;
    size_t entries;
    struct baseline baseline; /* {0} without one */
    bool accepts;             /* what the run shows becomes the baseline */
    int64_t today;            /* days since 1970-01-01 */
};

/* Parses a limit. Returns NULL, or a description of the expected syntax. */
const char *limit_parse(const char *s, enum hd_measure measure, struct hd_limit *limit);

/* True if a limit in bytes is a small bare number: "max_growth: 5" was meant as 5 MiB or 5
 * % more often than as 5 bytes. */
bool limit_lacks_unit(const char *s, const struct rule *rule);

/* Returns the limit in objects or bytes. base: the value in the first snapshot, or for
 * scores the heap. */
double limit_amount(const struct hd_limit *limit, double base);

/* Appends a rule; its strings must live as long as b. False and err if the same is there
 * already, or if there are too many. */
bool budgets_add_rule(struct hd_budgets *b, const struct rule *rule, struct hd_error *err);

bool suppression_has_expired(const struct hd_budgets *b, const struct suppression *s);

/* Returns the name of a rule in all formats: "type MyApp.*", "total bytes", "holder ...",
 * "suspects any", "process native". */
const char *rule_name(enum hd_rule_kind kind, enum hd_total total, const char *pattern,
                      struct arena *a);

#endif
