/* stack_table.h - number the distinct stacks of events.
 *
 * A loop that allocates has the same stack a thousand times, and most of its objects die
 * soon. So each stack is stored once under a small number. The owner decides when to forget
 * stacks; their numbers are then used again. The table only compares bytes, and must not
 * depend on their meaning.
 *
 * It is bounded by MAX_STACKS and MAX_STACK_BYTES: a full table gives a new stack no
 * number, and still finds the others. Costs the bytes of a stack and 100 more. */
#ifndef STACK_TABLE_H
#define STACK_TABLE_H

#include "base/input.h"

#include <stdbool.h>
#include <stdint.h>

#define NO_STACK UINT32_MAX

/* MAX_STACKS is the number of living samples (collect/gc_move_events.h). A stack has 7 to
 * 40 frames in the mean, and many samples share one. */
enum { MAX_STACKS = 1 << 16, MAX_STACK_BYTES = 16 << 20 };

struct stack_entry;

/* {0} is empty. */
struct stack_table {
    struct stack_entry *by_bytes; /* uthash */
    struct stack_entry **all;     /* by number; NULL: forgotten */
    size_t len, cap;              /* numbers are below len */
    uint32_t *spare;              /* numbers of forgotten ones */
    size_t spare_len, spare_cap;
    size_t count, bytes; /* of the stored stacks */
    size_t kept;         /* count after stack_table_forget() */
    size_t tries;        /* new stacks since then, those without a number included */
};

/* Returns the number of the stack, after adding it if it is new. NO_STACK if the table is
 * full or the stack empty. O(bytes of the stack). */
uint32_t stack_table_add(struct stack_table *t, struct bytes stack);

/* Returns the bytes of a stack. They are valid until it is forgotten. */
struct bytes stack_table_at(const struct stack_table *t, uint32_t number);

/* Returns how often the stack was added since it is stored; 0: no stack has that number. */
uint32_t stack_table_uses(const struct stack_table *t, uint32_t number);

/* True if the number of new stacks since the last stack_table_forget() is at least the
 * number that it kept. Forgetting then costs O(1) per new stack, in a full table, too. */
bool stack_table_is_due(const struct stack_table *t);

/* True if three quarters of the table are used. */
bool stack_table_is_crowded(const struct stack_table *t);

/* Removes all stacks except those whose bit is set in needed: base/arrays.h, t->len bits.
 * O(t->len). */
void stack_table_forget(struct stack_table *t, const uint64_t *needed);

void stack_table_free(struct stack_table *t);

#endif
