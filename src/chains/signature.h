/* signature.h - a chain of types with its repetitions folded.
 *
 * A B A B A C becomes (A B)x2 A C: after every type, for periods 1, 2, 3, if the
 * last p elements equal the p before them, they are dropped and counted as one
 * more repeat. Chains with equal signatures differ only in repeats.
 *
 * Each step knows by which field the element before it leads on to it. Only a signature
 * that parts by fields takes them for a difference. */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include "base/arena.h"
#include "heap/fields.h"

enum { SIGNATURE_PERIODS = 3 };

/* What stands in the place of a field where steps that were folded, or chains of one group,
 * have several; and where nothing was seen yet. */
#define FIELD_SEVERAL (NO_FIELD - 1)
#define FIELD_UNSEEN (NO_FIELD - 2)

/* What is known of a field after one more; which may be one of those above. */
static inline field_id field_seen(field_id before, field_id more)
{
    if (before == FIELD_UNSEEN || more == FIELD_UNSEEN)
        return before == FIELD_UNSEEN ? more : before;
    return before == more ? before : FIELD_SEVERAL;
}

struct signature_element {
    uint32_t type;
    field_id by; /* of the element before it */
    /* repeats[p - 1]: how often the last p elements up to this one stand here. */
    uint32_t repeats[SIGNATURE_PERIODS];
    /* back[p - 1]: by which field this one, the last of them, leads to the first again. */
    field_id back[SIGNATURE_PERIODS];
};

struct signature {
    struct signature_element *all; /* malloc'd */
    size_t len, cap;
    bool parts; /* by fields; set before the first element */
};

void signature_push(struct signature *s, uint32_t type, field_id by);

/* An order of signatures, 0 for equal ones; repeats do not count, nor by which field the
 * first element is reached. */
int signature_compare(const struct signature *a, const struct signature *b);

/* The same of their ends, from element i of a and element j of b on. */
int signature_compare_from(const struct signature *a, size_t i, const struct signature *b,
                           size_t j);

/* The longest repeated pattern that begins at element i: its length, and how often
 * it stands there (1 and 1 if nothing is repeated). */
unsigned signature_pattern(const struct signature *s, size_t i, uint32_t *repeats);

void signature_free(struct signature *s);

#endif
