/* signature.h - a chain of types with its repetitions folded.
 *
 * A B A B A C becomes (A B)x2 A C: after every type, for periods 1, 2, 3, if the
 * last p elements equal the p before them, they are dropped and counted as one
 * more repeat. Chains with equal signatures differ only in repeats. */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

enum { SIGNATURE_PERIODS = 3 };

struct signature_element {
    uint32_t type;
    /* repeats[p - 1]: how often the last p elements up to this one stand here. */
    uint32_t repeats[SIGNATURE_PERIODS];
};

struct signature {
    struct signature_element *all; /* malloc'd */
    size_t len, cap;
};

void signature_push(struct signature *s, uint32_t type);

/* An order of signatures, 0 for equal ones; repeats do not count. */
int signature_compare(const struct signature *a, const struct signature *b);

/* The same of their ends, from element i of a and element j of b on. */
int signature_compare_from(const struct signature *a, size_t i, const struct signature *b,
                           size_t j);

/* The longest repeated pattern that begins at element i: its length, and how often
 * it stands there (1 and 1 if nothing is repeated). */
unsigned signature_pattern(const struct signature *s, size_t i, uint32_t *repeats);

void signature_free(struct signature *s);

#endif
