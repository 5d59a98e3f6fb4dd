#include "ranking/head_owner.h"

#include "heap/place.h"

#include <string.h>

/* One object in the last snapshot, and never more. */
static bool is_single(const struct ownership_tree *t, path_id full)
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

static void window_above(const struct ownership_tree *t, const struct owner_types *types,
                         path_id at, chain_role window[ROLE_WINDOW])
{
    const struct full_tree *f = &t->full[t->snapshots - 1];
    for (size_t i = 0; i < ROLE_WINDOW; i++, at = at != 0 ? f->parent[at] : 0) {
        const struct label *l = at != 0 ? &t->labels.all[f->label[at]] : NULL;
        window[i] = l != NULL ? owner_role(types, l->kind, l->name) : 0;
    }
}

/* Behind these it is only said how they were reached: who has a provider injected leads to
 * all services, and what waits for a timer to all that the next one refers to. */
static bool is_border(const chain_role window[ROLE_WINDOW])
{
    return (window[0] & (ROLE_TIMER | ROLE_SCOPE | ROLE_SERVICES | ROLE_CALL_SITE)) != 0 ||
           owner_is_service(window);
}

/* A variable of the framework says no more than that it is one. */
static bool is_telling(const struct label *l, chain_role role)
{
    struct place place = place_of(l->name);
    return (role & ROLE_OWN) != 0 ||
           ((role & ROLE_VARIABLE) != 0 && place_is_variable(&place) &&
            !names_is_framework(place.type, NAME_WHOLE));
}

/* The provider refers to its scope, and so does everybody who has it injected. */
static bool is_provider(const struct label *l)
{
    return strcmp(l->name, "Microsoft.Extensions.DependencyInjection.ServiceProvider") == 0;
}

/* Nearest above the owner: a class of the program itself, or a variable. */
static label_id own_above(const struct ownership_tree *t, const struct owner_types *types,
                          path_id at)
{
    const struct full_tree *f = &t->full[t->snapshots - 1];
    chain_role window[ROLE_WINDOW];
    window_above(t, types, at, window);
    if (window[0] & (ROLE_OWN | ROLE_VARIABLE | ROLE_TIMER) || owner_is_service(window))
        return NO_LABEL;
    bool scope = window[0] & ROLE_SCOPE;
    for (at = f->parent[at]; at != 0 && at != NO_PATH; at = f->parent[at]) {
        window_above(t, types, at, window);
        if (scope && !is_provider(&t->labels.all[f->label[at]]))
            return NO_LABEL;
        scope = false;
        if (is_telling(&t->labels.all[f->label[at]], window[0]))
            return f->label[at];
        if (is_border(window))
            return NO_LABEL;
    }
    return NO_LABEL;
}

struct head_owner head_owner(const struct ownership_tree *t, path_id head,
                             const struct owner_types *types)
{
    static const struct head_owner none = {NO_LABEL, NO_LABEL};
    size_t last = t->snapshots - 1;
    const struct full_tree *f = &t->full[last];
    path_id at = t->full_of[head * t->snapshots + last], token = 0;
    if (at == NO_PATH || at == 0)
        return none;
    label_id of_head = f->label[at];
    chain_role window[ROLE_WINDOW], below = ROLE_TOKEN;
    window_above(t, types, at, window);
    for (at = f->parent[at]; at != 0 && at != NO_PATH; at = f->parent[at]) {
        chain_role under = below;
        below = window[0];
        window_above(t, types, at, window);
        if (owner_is_handle(window[0], below, under))
            return (struct head_owner){token != 0 ? f->label[token] : NO_LABEL, NO_LABEL};
        token = window[0] & ROLE_TOKEN ? at : token;
        bool named =
            (window[0] & ROLE_PROGRAM) || ((window[0] & ROLE_NAMED) && is_single(t, at));
        if (f->label[at] != of_head && (named || owner_stands_at(window))) {
            path_id owner = is_part_of_program(window) ? f->parent[at] : at;
            return (struct head_owner){f->label[owner], own_above(t, types, owner)};
        }
    }
    return none;
}
