/* class_score.h - what the ranking says of the series of tests/support/classes.h,
 * which are hard to tell. A part of score. */
#ifndef CLASS_SCORE_H
#define CLASS_SCORE_H

#include "support/classes.h"

#include <stdbool.h>

/* Series from the same number of snapshots: 4, 5, 6. */
enum { CLASS_WINDOWS = 3 };

/* In how many of the runs. */
struct class_cell {
    unsigned runs;
    unsigned first;   /* the culprit is at rank 1 */
    unsigned suspect; /* and is one of the suspects, wherever */
    unsigned alarm;   /* something else is a suspect */
    unsigned stopped; /* it is said to have grown and stayed */
    unsigned inconclusive;
};

struct class_score {
    bool verbose; /* list what missed even where no gate is about it */
    unsigned listed[CLASS_KINDS][CLASS_WINDOWS];
    struct class_cell cells[CLASS_KINDS][CLASS_WINDOWS];
};

/* Lists some series that missed what a gate is about. */
void class_score_run(struct class_score *score, uint64_t seeds);
void class_score_print(const struct class_score *score);

/* Adds to the number of gates. */
void class_score_check(const struct class_score *score, unsigned *passed, unsigned *failed);

#endif
