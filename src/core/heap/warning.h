/* warning.h - the closed list of what can be odd about an input or a series.
 *
 * A warning never stops anything. There is one per kind and snapshot, with its number of
 * occurrences and the line of the first. docs/warnings.md lists them for users; a test
 * compares list and document. */
#ifndef WARNING_H
#define WARNING_H

#include <stddef.h>
#include <stdint.h>

enum warning_code {
    /* one snapshot: text and tables */
    WARN_UNKNOWN_VERSION,
    WARN_UNKNOWN_TYPE,
    WARN_DANGLING_REFERENCE,
    WARN_DANGLING_ROOT,
    WARN_UNKNOWN_CONTAINER,
    WARN_MISSING_CONTAINER,
    WARN_UNKNOWN_ROOT_KIND,
    WARN_UNKNOWN_ROOT_FLAG,
    WARN_REPEATED_TYPE,
    WARN_REPEATED_DOMAIN,
    WARN_DOMAIN_NAME_MISMATCH,
    WARN_SIZES_LOOK_DECIMAL,
    WARN_NO_ROOTS,
    WARN_FILTERED,
    WARN_DEAD_OBJECTS_ONLY,
    WARN_BYTES_UNKNOWN,
    /* one snapshot: graphs */
    WARN_NO_TRAILER,
    WARN_SIZE_MISMATCH,
    WARN_EMPTY_HEAP,
    WARN_INCOMPLETE,
    WARN_RUNTIME_MISMATCH,
    WARN_SAMPLED,
    WARN_MOSTLY_UNREACHABLE,
    WARN_GARBAGE_COUNTED,
    WARN_SEVERAL_SNAPSHOTS,
    WARN_ORDER_UNKNOWN,
    WARN_NAMES_BORROWED,
    /* a series */
    WARN_SAME_SNAPSHOT,
    WARN_OUT_OF_ORDER,
    WARN_DIFFERENT_PROCESS,
    WARN_DIFFERENT_PROGRAM,
    WARN_FEW_SNAPSHOTS,
    WARN_FILTERS_DIFFER,
    WARN_FIELDS_UNKNOWN,
    WARN_NAMES_DIFFER,
    WARN_STORED_SAMPLES,
    WARN_TOTAL_DROPS,
    WARN_NAMES_MISSING,
    WARN_NATIVE_MEMORY,
    WARN_UNEXPLAINED_GROWTH,
    WARN_GROWTH_LEVELED_OFF,
    WARN_POOL_GROWTH,
    WARN_NO_SUCH_TYPE,
    /* the budgets of a check */
    WARN_UNUSED_BUDGET,
    WARN_UNUSED_SUPPRESSION,
    WARN_EXPIRED_SUPPRESSION,
    WARN_DIFFERENT_BASELINE,
    WARN_NO_UNIT,
    /* many runs */
    WARN_RUNS_NOT_JUDGED,
    WARN_SNAPSHOTS_DAMAGED,
    WARN_HOST_UNKNOWN,
    WARN_SHARDS_MISSING,
    WARN_CODE_COUNT
};

struct warning {
    enum warning_code code;
    uint64_t count, line; /* line: 0 if unknown */
    const char *detail;   /* replaces the general message; or NULL */
};

struct warning_text {
    const char *code;    /* "dangling-reference": in JSON and on stderr */
    const char *message; /* what it means, and the consequence */
};

extern const struct warning_text warning_texts[WARN_CODE_COUNT];

struct warnings {
    struct warning *all; /* malloc'd, in order of first occurrence */
    size_t len, cap;
};

/* Counts one more; line is that of this occurrence, or 0. */
void warnings_add(struct warnings *w, enum warning_code code, uint64_t line);

/* Does the same with a message for this case, which must outlive w. */
void warnings_add_detail(struct warnings *w, enum warning_code code, const char *detail);

/* Revokes count occurrences; removes the warning when its count is 0. */
void warnings_take_back(struct warnings *w, enum warning_code code, uint64_t count);

const struct warning *warnings_find(const struct warnings *w, enum warning_code code);
void warnings_free(struct warnings *w);

#endif
