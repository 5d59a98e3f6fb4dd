/* harness.h - a surface for untrusted bytes, for every engine: libFuzzer (engine.c), AFL++
 * and the replay of findings (replay.c). A harness may abort() on a broken invariant; a
 * sanitizer does so for memory errors, meter.h for time and the amount of memory. It must
 * not depend on its caller, or keep state between inputs. Guide and figures:
 * docs/testing.md. */
#ifndef HARNESS_H
#define HARNESS_H

#include "base/input.h"

struct harness {
    const char *name; /* of its folder in fixtures/fuzz, and of its dictionary */
    void (*run)(struct bytes input);
};

/* Ends with NULL. */
extern const struct harness *const harnesses[];

/* NULL if it does not exist. */
const struct harness *harness_named(const char *name);

/* Runs it, measured. */
void harness_run(const struct harness *h, struct bytes input);

#endif
