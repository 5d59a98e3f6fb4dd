#include "render/json_tree.h"

static json_t *numbers(const struct hd_tally *at, size_t count, bool bytes)
{
    json_t *array = json_array();
    for (size_t k = 0; k < count; k++)
        json_append(array, json_number_or_null(bytes ? at[k].bytes : at[k].count));
    return array;
}

static json_t *index_or_null(size_t i, bool known)
{
    return known ? json_integer((json_int_t)i) : json_null();
}

static json_t *node(const struct hd_tree_node *n, size_t snapshots)
{
    json_t *o = json_object();
    const char *roots = n->kind == HD_NODE_ROOTS ? hd_root_kind_name(n->root_kind) : NULL;
    json_put(o, "depth", json_integer(n->depth));
    json_put(o, "parent", index_or_null(n->parent, n->parent != HD_NO_NODE));
    json_put(o, "kind", json_string(hd_node_kind_name(n->kind)));
    json_put(o, "type", json_string_or_null(n->type));
    json_put(o, "root_kind", json_string_or_null(roots));
    json_put(o, "count", numbers(n->at, snapshots, false));
    json_put(o, "bytes", numbers(n->at, snapshots, true));
    json_put(o, "objects", numbers(n->owned, snapshots, false));
    json_put(o, "retained", numbers(n->owned, snapshots, true));
    json_put(o, "growth", json_integer(n->growth));
    json_put(o, "suspect", index_or_null(n->suspect, n->suspect != 0));
    json_put(o, "single", json_boolean(n->is_single));
    json_put(o, "others", index_or_null(n->others, n->kind == HD_NODE_OTHERS));
    json_put(o, "full_name", json_string_or_null(n->full_name));
    json_put(o, "field", json_string_or_null(n->field));
    json_put(o, "field_share", n->field != NULL ? json_real(n->field_share) : json_null());
    json_put(o, "stayed", json_number_or_null(n->stayed));
    return o;
}

static json_t *suspects(const struct hd_model *m)
{
    json_t *array = json_array();
    for (size_t i = 0; m->diff != NULL && i < m->diff->suspect_count; i++) {
        const struct hd_suspect *s = &m->diff->suspects[i];
        json_t *o = json_object();
        json_t *retained = s->retained != NULL ? json_array() : json_null();
        for (size_t k = 0; s->retained != NULL && k < m->snapshot_count; k++)
            json_append(retained, json_number_or_null(s->retained[k]));
        json_put(o, "rank", json_integer((json_int_t)s->rank));
        json_put(o, "type", json_string_or_null(s->type));
        json_put(o, "subject", json_string_or_null(s->subject));
        json_put(o, "count", numbers(s->at, m->snapshot_count, false));
        json_put(o, "retained", retained);
        json_append(array, o);
    }
    return array;
}

void json_add_tree(json_t *o, const struct hd_model *m)
{
    const struct hd_tree *t = m->tree;
    json_t *compared = json_array(), *nodes = json_array();
    json_append(compared, json_integer((json_int_t)t->first));
    json_append(compared, json_integer((json_int_t)t->last));
    json_put(o, "compared", compared);
    json_put(o, "least", json_number_or_null(t->least));
    json_put(o, "holders", json_boolean(t->is_holders));
    json_put(o, "suspects", suspects(m));
    for (size_t i = 0; i < t->len; i++)
        json_append(nodes, node(&t->nodes[i], m->snapshot_count));
    json_put(o, "nodes", nodes);
}
