/* classes_load.h - how many of something there are in each snapshot of a series: the load
 * that a program is under, without the program. A part of classes.h. */
#ifndef CLASSES_LOAD_H
#define CLASSES_LOAD_H

#include "support/random.h"

#include <stddef.h>

struct load {
    void (*run)(const struct load *load, struct random *r, size_t snapshots,
                uint32_t *count);
    uint32_t start;          /* in the first snapshot, or about so many on average */
    uint32_t step;           /* more in each; for bursts, of one burst */
    uint32_t spread_percent; /* of a step, up and down */
};

/* More in every step. */
void load_growing(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count);

/* The same where each comes by chance: a step is Poisson distributed. */
void load_poisson(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count);

/* As load_growing(), but it ended before the last two snapshots. */
void load_stopped(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count);

/* Two steps of five bring more, the others nothing. */
void load_bursts(const struct load *load, struct random *r, size_t snapshots,
                 uint32_t *count);

/* Bursts that are worked off, half of what is left in every step. */
void load_draining(const struct load *load, struct random *r, size_t snapshots,
                   uint32_t *count);

/* Room for step more than there are at the start: half of what is left or more fills up
 * in each step, and from the fifth snapshot on it is full. */
void load_filling(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count);

/* 5 % more or less in each step, as a coin says. */
void load_walk(const struct load *load, struct random *r, size_t snapshots,
               uint32_t *count);

/* Up to step more or less than start in the course of a day; a snapshot every four hours,
 * from any hour on. */
void load_day(const struct load *load, struct random *r, size_t snapshots, uint32_t *count);

#endif
