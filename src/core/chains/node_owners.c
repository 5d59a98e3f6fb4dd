#include "chains/node_owners.h"

#include "chains/chain_index.h"
#include "chains/chains.h"

#include <stdlib.h>

struct node_owners_search {
    const struct chain_index *x;
    const chain_role *role_of_type;
    const bool *is_singleton;
    struct signature signature; /* of one chain; written over by the next */
};

static struct node_owner owner_of_chain(struct node_owners_search *s, uint32_t chain)
{
    /* Its last elements, as many as a chain may have: an owner is the nearest. */
    const struct chain_index *x = s->x;
    struct signature *to = &s->signature;
    to->len = x->length[chain] < CHAIN_MAX_ELEMENTS ? x->length[chain] : CHAIN_MAX_ELEMENTS;
    for (size_t i = to->len; i-- > 0; chain = x->parent[chain])
        to->all[i].type = x->type[chain];
    size_t at = owner_in_signature(&s->signature, s->role_of_type, NO_TYPE);
    if (at == HD_NO_OWNER)
        return (struct node_owner){NO_TYPE, HD_SERVICE_NONE};
    return (struct node_owner){
        s->signature.all[at].type,
        owner_service(&s->signature, at, s->role_of_type, s->is_singleton)};
}

static void find_all(struct node_owners_search *s, struct node_owner *owners,
                     const node_id *nodes, size_t count)
{
    const struct chain_index *x = s->x;
    struct node_owner *known = alloc_zeroed(array_bytes(x->len, sizeof(*known)));
    uint64_t *is_known = bits_new(x->len);
    for (size_t i = 0; i < count; i++) {
        uint32_t chain = x->of_node[nodes[i]];
        owners[i] = (struct node_owner){NO_TYPE, HD_SERVICE_NONE};
        if (chain == NO_CHAIN)
            continue;
        if (bits_add(is_known, chain))
            known[chain] = owner_of_chain(s, chain);
        owners[i] = known[chain];
    }
    free(is_known);
    free(known);
}

bool node_owners_find(struct node_owner *owners, const node_id *nodes, size_t count,
                      const struct hd_snapshot *snap, const struct walk *walk,
                      const chain_role *role_of_type, size_t most)
{
    struct arena scratch = {0};
    struct chain_index x = chain_index_build(&(struct chain_index_question){
        .snap = snap, .walk = walk, .nodes = nodes, .count = count, .most = most});
    bool fits = most == 0 || x.len <= most;
    struct node_owners_search s = {.x = &x, .role_of_type = role_of_type};
    if (fits) {
        s.is_singleton = owner_singletons(snap, role_of_type, &scratch);
        s.signature.all =
            arena_array(&scratch, struct signature_element, CHAIN_MAX_ELEMENTS);
        find_all(&s, owners, nodes, count);
    }
    chain_index_free(&x);
    arena_free(&scratch);
    return fits;
}
