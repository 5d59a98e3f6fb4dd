/* young.h - how the youngest are found: young.c asks neighbours.c. */
#ifndef YOUNG_H
#define YOUNG_H

#include "identity/grams.h"

/* Free objects that alone have these neighbours, and a key, on both sides. Two hashes may
 * be equal by chance, for one pair in 2^32. O(objects + references); 4 bytes per node and
 * 2 bits, and the memory of grams_join(). */
struct gram_pairs join_by_neighbours(const struct alignment *al);

#endif
