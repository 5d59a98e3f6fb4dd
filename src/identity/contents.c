/* What stands in objects, where both snapshots have it (heap/fields.h): part of their keys.
 *
 * A string never changes: one with another text is another one. An array does, so that is
 * looked for by its contents first, and what is not found then once more without.
 *
 * Hashes are made when two snapshots are compared and gone with the alignment: they are
 * secret as values are. */
#include "identity/align_parts.h"

#include "heap/fields.h"

#include <stdlib.h>

bool has_contents(const struct graph *g)
{
    return g->fields != NULL && g->fields->contents != NULL;
}

void add_contents(struct side *s)
{
    const struct fields *f = s->graph->fields;
    s->kind = alloc_resize(NULL, array_bytes(s->len, sizeof(*s->kind)));
    for (uint32_t p = 0; p < s->len; p++) {
        uint64_t hash = 0;
        enum contents what = f->contents(f->context, s->node[p], &hash);
        s->kind[p] = s->key[p] &= ~FIXED;
        if (what == CONTENTS_UNKNOWN)
            continue;
        s->key[p] = (uint32_t)(stir(hash ^ s->key[p]) >> 32) & ~FIXED;
        if (what == CONTENTS_FIXED)
            s->key[p] |= FIXED;
    }
}

static void forget_in(struct side *s)
{
    for (uint32_t p = 0; p < s->len; p++)
        s->key[p] = key_for_life(s, p);
}

void forget_what_changes(struct alignment *al)
{
    forget_in(&al->a);
    forget_in(&al->b);
    measure(al);
}
