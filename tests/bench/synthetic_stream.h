/* synthetic_stream.h - a heap text of any number of objects, in constant memory.
 *
 * Coarser than synthetic.h: every object is made from its number alone, so nothing has to
 * be held and 10^10 objects are only a matter of disk. Blocks of 64 hang from each other
 * and a quarter from static variables too: a list, its array, and items with leaves,
 * mostly strings, and references to 256 services. 1.2 references per object, 2003 types;
 * two of them, strings and byte arrays, have nearly half of the objects. */
#ifndef BENCH_SYNTHETIC_STREAM_H
#define BENCH_SYNTHETIC_STREAM_H

#include <stdint.h>
#include <stdio.h>

/* Write so many objects, and leaked instances of Bench.Leaked more in an array that the
 * static variable Bench.Holder.s_items holds: a step of a series differs from the one
 * before by these only. Errors stay in f. */
void synthetic_stream(FILE *f, uint64_t seed, uint64_t objects, uint64_t leaked);

#endif
