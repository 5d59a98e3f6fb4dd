/* synthetic_stream.h - a heap text of any number of objects, in constant memory.
 *
 * Coarser than synthetic.h: every object is made from its number alone, so nothing is
 * stored and 10^10 objects need only disk. Blocks of 64 hang from each other, and a
 * quarter also from static variables: a list, its array, and items with leaves, mostly
 * strings, and references to 256 services. 1.2 references per object, 2003 types; two of
 * them, strings and byte arrays, have nearly half of the objects. */
#ifndef BENCH_SYNTHETIC_STREAM_H
#define BENCH_SYNTHETIC_STREAM_H

#include <stdint.h>
#include <stdio.h>

/* Writes `objects` objects, and `leaked` more instances of Bench.Leaked in an array held by
 * the static variable Bench.Holder.s_items: the only difference between steps of a series.
 * Errors remain in f. */
void synthetic_stream(FILE *f, uint64_t seed, uint64_t objects, uint64_t leaked);

#endif
