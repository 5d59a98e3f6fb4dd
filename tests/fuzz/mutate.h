/* mutate.h - mutations that keep the format valid and change one field.
 *
 * libFuzzer changes bytes; in a format of counts, lengths and offsets that usually breaks
 * the frame, and the code after it is never reached. So a mutation parses the frame,
 * changes one thing in it, and corrects lengths and labels. An input that cannot be parsed
 * is changed as bytes. From the descriptions of the formats (docs/formats); must not share
 * code with the readers. */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pseudo-random numbers from a seed. */
struct dice {
    uint64_t state;
};

uint64_t dice_next(struct dice *d);

/* Below count, which is not 0. */
size_t dice_below(struct dice *d, size_t count);

/* Boundary values: 0, -1, powers of two, one more or less. Or one near `now`. */
uint64_t dice_number(struct dice *d, uint64_t now);

/* Bytes of a part that may be changed and may grow up to capacity. */
struct piece {
    uint8_t *data;
    size_t size, capacity;
};

/* Replaces size bytes at `at` by others; false, without any change, if they do not fit. */
bool piece_replace(struct piece *p, size_t at, size_t size, const void *by, size_t by_size);

/* Lets libFuzzer change these bytes, and their number if they may grow. Returns the growth.
 */
long piece_mutate(struct piece *p, size_t at, size_t size, bool may_grow);

uint64_t piece_get(const struct piece *p, size_t at, size_t size);
void piece_put(struct piece *p, size_t at, size_t size, uint64_t value);

/* Changes one thing in it. False if it is not of this format. */
typedef bool mutation(struct piece *p, struct dice *d);
mutation mutate_gcdump, mutate_nettrace, mutate_core, mutate_reply;

/* Memory of a process, of any kind. */
mutation mutate_memory;

#endif
