/* type_seeds.h - the memory of a made-up process with types of every kind. */
#ifndef TYPE_SEEDS_H
#define TYPE_SEEDS_H

#include "base/text.h"

void type_seed(struct text *to);

#endif
