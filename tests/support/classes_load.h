/* classes_load.h - number of objects in each snapshot of a series: the load of a program,
 * without the program. Part of classes.h. */
#ifndef CLASSES_LOAD_H
#define CLASSES_LOAD_H

#include "support/random.h"

#include <stddef.h>

struct load {
    void (*run)(const struct load *load, struct random *r, size_t snapshots,
                uint32_t *count);
    uint32_t start;          /* in the first snapshot, or the average */
    uint32_t step;           /* added per step; for bursts, per burst */
    uint32_t spread_percent; /* of a step, up and down */
};

/* Grows in every step. */
void load_growing(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count);

/* The same with random arrivals: a step is Poisson distributed. */
void load_poisson(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count);

/* As load_growing(), but ends before the last two snapshots. */
void load_stopped(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count);

/* Two steps of five add objects, the others none. */
void load_bursts(const struct load *load, struct random *r, size_t snapshots,
                 uint32_t *count);

/* Bursts of which half the rest is processed in every step. */
void load_draining(const struct load *load, struct random *r, size_t snapshots,
                   uint32_t *count);

/* Capacity for `step` more than at the start: each step fills at least half of the rest;
 * full from the fifth snapshot on. */
void load_filling(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count);

/* 5 % more or less in each step, at random. */
void load_walk(const struct load *load, struct random *r, size_t snapshots,
               uint32_t *count);

/* Up to step more or less than start in the course of a day; a snapshot every four hours,
 * from any hour on. */
void load_day(const struct load *load, struct random *r, size_t snapshots, uint32_t *count);

#endif
