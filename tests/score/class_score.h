/* class_score.h - scores of the ranking on the difficult series of tests/support/classes.h.
 * Part of score. */
#ifndef CLASS_SCORE_H
#define CLASS_SCORE_H

#include "support/classes.h"

#include <stdbool.h>

/* Series of 4, 5 and 6 snapshots. */
enum { CLASS_WINDOWS = 3 };

/* Numbers of runs. */
struct class_cell {
    unsigned runs;
    unsigned first;       /* the culprit is at rank 1 */
    unsigned suspect;     /* the culprit is a suspect at any rank */
    unsigned alarm;       /* another type is a suspect */
    unsigned leveled_off; /* it is reported as leveled off */
    unsigned inconclusive;
};

struct class_score {
    bool verbose; /* list misses without a gate, too */
    unsigned listed[CLASS_KINDS][CLASS_WINDOWS];
    struct class_cell cells[CLASS_KINDS][CLASS_WINDOWS];
};

/* Lists some misses that a gate covers. */
void class_score_run(struct class_score *score, uint64_t seeds);
void class_score_print(const struct class_score *score);

/* Adds to the number of gates. */
void class_score_check(const struct class_score *score, unsigned *passed, unsigned *failed);

#endif
