#include "format/nettrace/trace_nodes.h"

#include "base/alloc.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

void trace_nodes_init(struct trace_nodes *n, size_t objects, unsigned pointer_size,
                      struct account *account)
{
    enum { SHIFT_64 = 3, SHIFT_32 = 2 };
    ids_init(&n->ids, pointer_size == 8 ? SHIFT_64 : SHIFT_32);
    ids_charge_to(&n->ids, account);
    account_charge(account, 8 * (uint64_t)objects);
    n->addresses = alloc_resize(NULL, array_bytes(objects + 1, 8));
    n->room = objects;
}

void trace_nodes_reserve(struct trace_nodes *n, size_t objects)
{
    if (objects <= n->room)
        return;
    size_t room = array_bytes(n->room, 2) > objects ? n->room * 2 : objects;
    account_charge(n->ids.keys.account, 8 * (uint64_t)(room - n->room));
    n->addresses = alloc_resize(n->addresses, array_bytes(room + 1, 8));
    n->room = room;
}

void trace_nodes_add(struct trace_nodes *n, node_id id, uint64_t address)
{
    le_put(n->addresses + 8 * (size_t)id, address, 8);
    if (ids_add(&n->ids, address))
        return;
    n->repeats = grow(n->repeats, n->repeat_count, &n->repeat_cap, sizeof(*n->repeats));
    n->repeats[n->repeat_count++] = id;
}

void trace_nodes_freeze(struct trace_nodes *n)
{
    ids_freeze(&n->ids);
}

/* So many nodes before repeat i, i of which are repeats. */
static bool is_told_before(const void *repeats, size_t i, const void *position)
{
    return ((const node_id *)repeats)[i] - (uint32_t)i <= *(const uint32_t *)position;
}

node_id trace_nodes_at_position(const struct trace_nodes *n, uint32_t position)
{
    return position + (uint32_t)search_first(n->repeats, 0, n->repeat_count, is_told_before,
                                             &position);
}

unsigned char *trace_nodes_take_addresses(struct trace_nodes *n, node_id count, node_id all)
{
    unsigned char *taken = alloc_resize(n->addresses, array_bytes(all, 8));
    memset(taken + 8 * (size_t)count, 0, 8 * (size_t)(all - count));
    n->addresses = NULL;
    return taken;
}

void trace_nodes_free(struct trace_nodes *n)
{
    ids_free(&n->ids);
    free(n->addresses);
    free(n->repeats);
}
