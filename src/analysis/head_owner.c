#include "analysis/head_owner.h"

#include <string.h>

/* One object in the last snapshot, and never more. */
static bool is_single(const struct trie *t, path_id full)
{
    size_t last = t->snapshots - 1;
    const uint64_t *counts = &t->count[t->full[last].cut[full] * t->snapshots];
    for (size_t k = 0; k < t->snapshots; k++)
        if (counts[k] > 1)
            return false;
    return counts[last] == 1;
}

/* A channel or a ThreadLocal of the framework belongs to the object of the program that
 * alone leads to it; a service is one by itself. */
static bool is_part_of_program(const chain_role window[ROLE_WINDOW])
{
    return (window[0] & ROLE_NAMED) && !(window[0] & ROLE_PROGRAM) &&
           !owner_is_service(window) && (window[1] & ROLE_NAMED) &&
           (window[1] & ROLE_PROGRAM);
}

label_id head_owner(const struct trie *t, path_id head, const struct owner_types *types)
{
    size_t last = t->snapshots - 1;
    const struct full_trie *f = &t->full[last];
    path_id at = t->full_of[head * t->snapshots + last];
    if (at == NO_PATH || at == 0)
        return NO_LABEL;
    label_id of_head = f->label[at];
    for (at = f->parent[at]; at != 0 && at != NO_PATH; at = f->parent[at]) {
        chain_role window[ROLE_WINDOW] = {0};
        path_id up = at;
        for (size_t i = 0; i < ROLE_WINDOW && up != 0; i++, up = f->parent[up]) {
            const struct label *l = &t->labels.all[f->label[up]];
            window[i] = owner_role(types, l->kind, l->name);
        }
        bool named =
            (window[0] & ROLE_PROGRAM) || ((window[0] & ROLE_NAMED) && is_single(t, at));
        if (f->label[at] != of_head && (named || owner_stands_at(window)))
            return f->label[is_part_of_program(window) ? f->parent[at] : at];
    }
    return NO_LABEL;
}
