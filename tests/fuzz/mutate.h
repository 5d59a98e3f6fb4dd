/* mutate.h - inputs that stay what they are, with a field that nobody would write.
 *
 * libFuzzer changes bytes; in a format of counts, lengths and offsets that breaks the frame
 * nearly always, and what lies behind is never reached. So a mutation takes the frame
 * apart, changes one thing in it, and puts lengths and labels right. Where an input cannot
 * be taken apart it is changed as bytes. They know the formats from their descriptions
 * (docs/formats), not from the readers' code. */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers that follow from the seed. */
struct dice {
    uint64_t state;
};

uint64_t dice_next(struct dice *d);

/* Below count, which is not 0. */
size_t dice_below(struct dice *d, size_t count);

/* Numbers at which something begins or ends: 0, -1, powers of two, one more or less. Or one
 * near `now`. */
uint64_t dice_number(struct dice *d, uint64_t now);

/* Bytes of a part that may be changed and may become longer, up to room. */
struct piece {
    uint8_t *data;
    size_t size, room;
};

/* Replace size bytes at `at` by others; false if there is no room, and nothing is done. */
bool piece_replace(struct piece *p, size_t at, size_t size, const void *by, size_t by_size);

/* Let libFuzzer change these bytes of it, by length too if they may grow. Returns by how
 * much they are longer. */
long piece_mutate(struct piece *p, size_t at, size_t size, bool may_grow);

uint64_t piece_get(const struct piece *p, size_t at, size_t size);
void piece_put(struct piece *p, size_t at, size_t size, uint64_t value);

/* Change one thing in it. False if it is none of that format. */
typedef bool mutation(struct piece *p, struct dice *d);
mutation mutate_gcdump, mutate_nettrace, mutate_core, mutate_reply;

/* Memory of a process, of any kind. */
mutation mutate_memory;

#endif
