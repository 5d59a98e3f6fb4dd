/* Integers only, so that every machine makes the same series. */
#include "support/classes_load.h"

#include <stdbool.h>

enum { ALL = 100 };

/* step, give or take up to spread_percent. */
static uint32_t one_step(const struct load *load, struct random *r)
{
    uint32_t spread = load->step * load->spread_percent / ALL;
    return load->step - spread + random_below(r, 2 * spread + 1);
}

void load_growing(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count)
{
    count[0] = load->start;
    for (size_t k = 1; k < snapshots; k++)
        count[k] = count[k - 1] + one_step(load, r);
}

/* Close enough to Poisson: many trials, each of low probability. */
void load_poisson(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count)
{
    enum { CHANCES = 40 };
    count[0] = load->start;
    for (size_t k = 1; k < snapshots; k++) {
        count[k] = count[k - 1];
        for (uint32_t i = 0; i < load->step * CHANCES; i++)
            count[k] += random_below(r, CHANCES) == 0;
    }
}

void load_stopped(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count)
{
    enum { STILL = 2 };
    load_growing(load, r, snapshots, count);
    for (size_t k = snapshots - STILL; k < snapshots; k++)
        count[k] = count[snapshots - STILL - 1];
}

void load_bursts(const struct load *load, struct random *r, size_t snapshots,
                 uint32_t *count)
{
    size_t left = snapshots - 1, bursts = (2 * left + 2) / 5;
    count[0] = load->start;
    for (size_t k = 1; k < snapshots; k++, left--) {
        bool burst = random_below(r, (uint32_t)left) < bursts;
        bursts -= burst;
        count[k] = count[k - 1] + (burst ? one_step(load, r) : 0);
    }
}

void load_draining(const struct load *load, struct random *r, size_t snapshots,
                   uint32_t *count)
{
    uint32_t left = load->start;
    for (size_t k = 0; k < snapshots; k++) {
        left = left / 2 + (random_below(r, 5) < 2 ? one_step(load, r) : 0);
        count[k] = left;
    }
}

void load_filling(const struct load *load, struct random *r, size_t snapshots,
                  uint32_t *count)
{
    enum { FULL_AT = 4, MIN_OBJECTS = 50, SPREAD = 21 };
    uint32_t free_slots = load->step;
    for (size_t k = 0; k < snapshots; k++) {
        count[k] = load->start + load->step - free_slots;
        free_slots -= k + 1 < FULL_AT
                          ? free_slots * (MIN_OBJECTS + random_below(r, SPREAD)) / ALL
                          : free_slots;
    }
}

void load_walk(const struct load *load, struct random *r, size_t snapshots, uint32_t *count)
{
    enum { PERCENT = 5 };
    count[0] = load->start;
    for (size_t k = 1; k < snapshots; k++) {
        uint32_t by = count[k - 1] * PERCENT / ALL;
        count[k] = random_below(r, 2) == 0 ? count[k - 1] + by : count[k - 1] - by;
    }
}

void load_day(const struct load *load, struct random *r, size_t snapshots, uint32_t *count)
{
    enum { HOURS = 24, EVERY = 4, WHOLE = 1000 };
    /* 1000 * (1 + sin(15 degrees * hour)) */
    static const uint32_t height[HOURS] = {1000, 1259, 1500, 1707, 1866, 1966, 2000, 1966,
                                           1866, 1707, 1500, 1259, 1000, 741,  500,  293,
                                           134,  34,   0,    34,   134,  293,  500,  741};
    uint32_t hour = random_below(r, HOURS),
             jitter = load->start * load->spread_percent / ALL;
    for (size_t k = 0; k < snapshots; k++) {
        uint32_t least = load->start - load->step - jitter;
        count[k] = least + load->step * height[(hour + EVERY * k) % HOURS] / WHOLE +
                   random_below(r, 2 * jitter + 1);
    }
}
