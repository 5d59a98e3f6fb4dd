/* steps.h - which object of one snapshot of a comparison is which of the next, step by
 * step; and from that, since when each object of the last one is there.
 *
 * It decides whether that can be known at all, has two graphs at a time in memory and pays
 * for what identity takes. It does not know what the answer is for. */
#ifndef STEPS_H
#define STEPS_H

#include "compare/comparison.h"

/* Of one process in order, all of them digests: these were followed when they were made
 * (births_of_digests()). */
bool steps_are_of_digests(const struct series *s);

/* Why nothing is known of them, where that is so: for words behind a colon. */
const char *steps_why_unknown(const struct series *s);

/* Show each step of the usable snapshots of s to a visitor, from 1 on, until it returns
 * false. False and err if a graph cannot be read again, or if there is not the memory for
 * two of them and what identity takes. */
typedef bool step_visitor(void *context, size_t i, const struct hd_snapshot *older,
                          const struct hd_snapshot *newer, const struct same *same);
bool steps_follow(struct hd_comparison *c, const struct series *s, step_visitor *visit,
                  void *context, struct hd_error *err);

/* Of each node of the last usable snapshot: the usable snapshot in which it was first seen,
 * from 0 on, wherever it hung there. */
struct ages {
    enum hd_identity_source source; /* the weakest of all steps; HD_SAME_UNKNOWN: nothing is
                                       known, since is NULL */
    unsigned char *since;           /* malloc'd */
};

/* 1 byte per object beside what a step takes. False and err as steps_follow(). */
bool steps_ages(struct hd_comparison *c, const struct series *s, struct ages *ages,
                struct hd_error *err);
void ages_free(struct ages *ages); /* {0} is fine */

#endif
