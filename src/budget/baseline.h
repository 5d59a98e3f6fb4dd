/* baseline.h - growth that is accepted: what a program grew by when somebody looked at it
 * and went on.
 *
 * A text file for git: one line per type, total and holder that grew, sorted, columns
 * separated by tabs. It knows nothing of rules. Format: docs/formats/baseline.md. */
#ifndef BASELINE_H
#define BASELINE_H

#include "base/arena.h"
#include "base/text.h"
#include "heapdrift.h"

enum hd_accepted_kind {
    HD_ACCEPTED_TOTAL,
    HD_ACCEPTED_TYPE,
    HD_ACCEPTED_HOLDER,
    HD_ACCEPTED_KIND_COUNT
};

/* What is subtracted from growth before it is held against a limit: none of it negative,
 * 0 where bytes are unknown. */
struct hd_accepted {
    enum hd_accepted_kind kind;
    const char *name;                /* "bytes", a type, the pattern of a holder */
    uint64_t count, bytes;           /* first to last snapshot */
    uint64_t step_count, step_bytes; /* of the worst step */
    uint64_t score;                  /* of the ranking, in bytes; rounded up */
};

/* What a baseline says, sorted by kind and name. */
struct hd_accepted_growth {
    struct hd_accepted *all;
    size_t count;
    uint64_t snapshots;  /* of the run that was accepted */
    uint64_t iterations; /* between its first and last snapshot; HD_UNKNOWN */
};

struct baseline {
    struct hd_accepted *all; /* malloc'd; names in the caller's arena */
    size_t len, cap;
    uint64_t snapshots;          /* of the run that was accepted; 0: there is no baseline */
    uint64_t iterations;         /* between its first and last snapshot; HD_UNKNOWN */
    struct accepted_slot *slots; /* by kind and name; in the arena */
    struct arena arena;
};

void baseline_add(struct baseline *b, const struct hd_accepted *accepted);

/* What is accepted of it; all zero if nothing is. */
struct hd_accepted baseline_find(const struct baseline *b, enum hd_accepted_kind kind,
                                 const char *name);

/* Read size bytes of a file. Failing lines are told by number. */
bool baseline_parse(struct baseline *b, const char *data, size_t size, struct arena *a,
                    struct hd_error *err);

/* All of it as data, with its names, in a. */
const struct hd_accepted_growth *baseline_growth(const struct baseline *b, struct arena *a);

/* The text of the file. */
void baseline_print(struct text *t, const struct hd_accepted_growth *g);
void baseline_free(struct baseline *b);

#endif
