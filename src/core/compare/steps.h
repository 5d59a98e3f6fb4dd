/* steps.h - match the objects of consecutive snapshots of a comparison, step by step; and
 * from that, find the age of each object of the last one.
 *
 * It decides whether that is possible at all, has two graphs at a time in memory and
 * accounts for the memory of identity matching. Must not depend on the use of the
 * answer. */
#ifndef STEPS_H
#define STEPS_H

#include "compare/comparison.h"

/* True if all are digests of the same process, in order: these were followed when they were
 * made (cohorts_of_digests()). */
bool steps_are_of_digests(const struct series *s);

/* Returns why identity is unknown, as words to follow a colon; or NULL. */
const char *steps_why_unknown(const struct series *s);

/* Shows each step of the usable snapshots of s to a visitor, from 1 on, until it returns
 * false. False and err if a graph cannot be read again, or if two graphs and identity
 * matching do not fit in memory. */
typedef bool step_visitor(void *context, size_t i, const struct hd_snapshot *older,
                          const struct hd_snapshot *newer, const struct same *same);
bool steps_follow(struct hd_comparison *c, const struct series *s, step_visitor *visit,
                  void *context, struct hd_error *err);

/* For each node of the last usable snapshot: the usable snapshot in which it was first
 * seen, from 0 on, wherever it was then. */
struct ages {
    enum hd_identity_source
        source;           /* the weakest of all steps; HD_SAME_UNKNOWN: since is NULL */
    unsigned char *since; /* malloc'd */
};

/* 1 byte per object in addition to a step. False and err as steps_follow(). */
bool steps_ages(struct hd_comparison *c, const struct series *s, struct ages *ages,
                struct hd_error *err);
void ages_free(struct ages *ages); /* {0} is fine */

#endif
