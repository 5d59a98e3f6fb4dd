/* type_seeds.h - the memory of a made-up process with types of every kind, of .NET 10 or 8.
 */
#ifndef TYPE_SEEDS_H
#define TYPE_SEEDS_H

#include "base/text.h"

#include <stdbool.h>

void type_seed(struct text *to, bool is_8);

#endif
