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

struct baseline {
    struct hd_accepted *all; /* malloc'd; names in the caller's arena */
    size_t len, cap;
    uint64_t snapshots;          /* of the run that was accepted; 0: there is no baseline */
    uint64_t iterations;         /* between its first and last snapshot; HD_UNKNOWN */
    uint64_t seconds;            /* likewise */
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
