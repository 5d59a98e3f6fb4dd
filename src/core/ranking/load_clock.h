/* load_clock.h - the load of each step, and types judged by it wherever their objects hang.
 *
 * Types that live on turnover are allocated at the rate of the load, so their births are a
 * clock: a leak gains at its rate, a store that fills gains ever less per unit of it, since
 * it has more and more of its keys already. Method and figures: docs/ranking.md, "It
 * fills". Must not depend on paths or heads. */
#ifndef LOAD_CLOCK_H
#define LOAD_CLOCK_H

#include "ages/births.h"

struct load_clock {
    size_t steps;                    /* 0: too little lives on turnover to tell */
    double at[SERIES_MAX_SNAPSHOTS]; /* load of each step; the unit means nothing */
};

/* Births and deaths of each type in the whole heap. */
struct type_births {
    size_t steps;
    uint64_t *came, *went; /* [label * steps + step]; in the arena */
};

/* Counts them over the tree of b, into a. O(paths * snapshots). */
struct type_births type_births_of(const struct births *b, struct arena *a);

/* True if a type accumulates, whatever holds it: it has enough births, in all steps except
 * one and to the end, and nearly no deaths. */
bool type_births_keep(const struct type_births *t, label_id label);

/* Returns the load of each step. O(labels * steps). */
struct load_clock load_clock_of(const struct births *b, const struct type_births *t);

/* True if the births of each step fall against the load and in time: the rate is lower at
 * the end by 15 % or more, and by two standard errors. */
bool load_clock_slows(const struct load_clock *clock, const uint64_t *came);

#endif
