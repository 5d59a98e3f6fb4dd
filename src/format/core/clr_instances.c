/* Instantiations of generic structs, by what they are made of.
 *
 * A signature says "KeyValuePair`2 of a string and a Session"; the runtime has loaded that
 * or, as good for a layout, the one for any two references. */
#include "format/core/clr_inner.h"

static void add(void *context, uint64_t handle)
{
    struct clr_types *t = context;
    struct method_table m;
    struct instance *known;
    if ((handle & 2) || !runtime_is_method_table(t->r, handle) ||
        !method_table_read(t, handle, &m) || !method_table_is_value(&m))
        return;
    uint64_t key = clr_shape_of(t, handle)->key;
    if (key == 0)
        return;
    HASH_FIND(hh, t->instances, &key, sizeof(key), known);
    if (known != NULL || !clr_spend(t, sizeof(*known)))
        return;
    known = arena_alloc(t->a, sizeof(*known));
    *known = (struct instance){.key = key, .table = handle};
    HASH_ADD(hh, t->instances, key, sizeof(known->key), known);
}

uint64_t clr_instance(struct clr_types *t, uint64_t key)
{
    struct instance *known;
    clr_modules_all(t);
    for (struct clr_module *m; (m = clr_module_after(t, t->indexed)) != NULL;) {
        clr_module_instances(t, m, add, t);
        t->indexed = m;
    }
    HASH_FIND(hh, t->instances, &key, sizeof(key), known);
    return known != NULL ? known->table : 0;
}
