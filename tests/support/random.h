/* random.h - numbers that look random and are the same in every run.
 *
 * For comparing an algorithm with its definition on thousands of small cases: failures are
 * reproducible. Each test has its own seed, so that a new test does not change others:
 *     struct random r = random_from(42); */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state; /* never 0 */
};

/* Any seed, 0 included. */
struct random random_from(uint64_t seed);

/* All 64 bits; xorshift64. */
uint64_t random_u64(struct random *r);

/* 0 .. n - 1, all about equally often. n > 0. */
uint32_t random_below(struct random *r, uint32_t n);

#endif
