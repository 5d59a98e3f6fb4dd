#include "trace/stack_table.h"

#include "base/arrays.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* New stacks; finding out which ones are needed costs more than these take. */
enum { FEW = 1024 };

struct stack_entry {
    UT_hash_handle hh; /* key: its bytes */
    uint32_t number, uses;
    size_t size;
    unsigned char bytes[];
};

uint32_t stack_table_add(struct stack_table *t, struct bytes stack)
{
    struct stack_entry *e = NULL;
    if (stack.size == 0)
        return NO_STACK;
    HASH_FIND(hh, t->by_bytes, stack.data, stack.size, e);
    if (e != NULL) {
        e->uses++;
        return e->number;
    }
    t->tries++;
    if (t->count >= MAX_STACKS || stack.size > MAX_STACK_BYTES - t->bytes)
        return NO_STACK;
    if (t->spare_len == 0) {
        *APPEND(t->spare, t->spare_len, t->spare_cap) = (uint32_t)t->len;
        t->all = grow(t->all, t->len, &t->cap, sizeof(struct stack_entry *));
        t->all[t->len++] = NULL;
    }
    e = alloc_zeroed(sizeof(*e) + stack.size);
    e->number = t->spare[--t->spare_len];
    e->uses = 1;
    e->size = stack.size;
    memcpy(e->bytes, stack.data, stack.size);
    HASH_ADD_KEYPTR(hh, t->by_bytes, e->bytes, stack.size, e);
    t->all[e->number] = e;
    t->count++;
    t->bytes += stack.size;
    return e->number;
}

struct bytes stack_table_at(const struct stack_table *t, uint32_t number)
{
    const struct stack_entry *e = t->all[number];
    return (struct bytes){e->bytes, e->size};
}

uint32_t stack_table_uses(const struct stack_table *t, uint32_t number)
{
    const struct stack_entry *e = t->all[number];
    return e != NULL ? e->uses : 0;
}

bool stack_table_is_due(const struct stack_table *t)
{
    return t->tries >= FEW && t->tries >= t->kept;
}

bool stack_table_is_crowded(const struct stack_table *t)
{
    return t->count > (size_t)MAX_STACKS / 4 * 3 ||
           t->bytes > (size_t)MAX_STACK_BYTES / 4 * 3;
}

static void drop_stack(struct stack_table *t, struct stack_entry *e)
{
    HASH_DEL(t->by_bytes, e);
    t->count--;
    t->bytes -= e->size;
    t->all[e->number] = NULL;
    *APPEND(t->spare, t->spare_len, t->spare_cap) = e->number;
    free(e);
}

void stack_table_forget(struct stack_table *t, const uint64_t *needed)
{
    for (uint32_t i = 0; i < t->len; i++)
        if (t->all[i] != NULL && !bits_have(needed, i))
            drop_stack(t, t->all[i]);
    t->kept = t->count;
    t->tries = 0;
}

void stack_table_free(struct stack_table *t)
{
    HASH_CLEAR(hh, t->by_bytes);
    for (size_t i = 0; i < t->len; i++)
        free(t->all[i]);
    free(t->all);
    free(t->spare);
    *t = (struct stack_table){0};
}
