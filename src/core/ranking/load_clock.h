/* load_clock.h - the load of each step, and types judged by it wherever their objects hang.
 *
 * A program that does as much work as before allocates as many objects of what lives on
 * turnover. Their births are a clock: a leak gains at its rate, a store that fills gains
 * ever less per unit of it, since more and more is there already. Method and figures:
 * docs/ranking.md, "It fills". Must not depend on paths or heads. */
#ifndef LOAD_CLOCK_H
#define LOAD_CLOCK_H

#include "ages/births.h"

struct load_clock {
    size_t steps;                    /* 0: too little lives on turnover to tell */
    double at[SERIES_MAX_SNAPSHOTS]; /* load of each step; the unit means nothing */
};

/* births per type of the whole heap. O(labels * snapshots). */
struct type_births {
    size_t steps;
    uint64_t *came, *went; /* [label * steps + step]; in the arena */
};

struct type_births type_births_of(const struct births *b, struct arena *a);

/* Whether a type keeps what it gets, whatever holds it: enough came, in all steps but one
 * and to the end, and nearly none has gone. */
bool type_births_keep(const struct type_births *t, label_id label);

struct load_clock load_clock_of(const struct births *b, const struct type_births *t);

/* Whether what came in each of the clock's steps falls against the load: the rate per unit
 * is lower at the end by 15 % or more, and not by chance. */
bool load_clock_slows(const struct load_clock *clock, const uint64_t *came);

#endif
