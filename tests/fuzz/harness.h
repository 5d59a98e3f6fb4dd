/* harness.h - a place where bytes of strangers get in, as every engine sees it: libFuzzer
 * (engine.c), AFL++ and the replay of what was found (replay.c).
 *
 * A harness may abort() for what must never be; a sanitizer does so for memory; meter.h
 * for time and for how much memory. It must not know who calls it, and keeps nothing from
 * one input to the next. Guide and figures: docs/testing.md. */
#ifndef HARNESS_H
#define HARNESS_H

#include "base/input.h"

struct harness {
    const char *name; /* of its folder of fixtures/fuzz, and of its dictionary */
    void (*run)(struct bytes input);
};

/* Ends with NULL. */
extern const struct harness *const harnesses[];

/* NULL: there is none. */
const struct harness *harness_named(const char *name);

/* Run it, measured. */
void harness_run(const struct harness *h, struct bytes input);

#endif
