#include "owners/merged_tree.h"

#include "owners/place_table.h"

#include <stdlib.h>
#include <string.h>

#define NO_PLACE UINT32_MAX

/* The merged paths of all snapshots, before any is dropped: parents precede their children,
 * top nodes are first. */
struct wide {
    uint32_t *parent;
    label_id *label;
    field_id *field;        /* if fields separate paths; or NO_FIELD */
    uint64_t *first, *last; /* bytes owned in the first and the last snapshot */
    size_t len, cap;
    struct place_table places;

    /* Field statistics by node, of the last snapshot seen (from 1). */
    struct field_tally *field_tallies;
    struct pair_table slots; /* index in field_tallies, by node and field */
    size_t field_tally_count, field_tally_cap;
};

/* Number of objects of a node held through a field, in one snapshot. */
struct field_tally {
    uint32_t node;
    field_id field;
    size_t seen; /* snapshot, from 1 */
    uint64_t held, all;
};

struct maker {
    const struct ownership_tree *t;
    const struct merged_tree_question *ask;
    struct wide wide;
    size_t tops;
    uint32_t *place; /* of the paths of a full ownership tree, for a pattern; or NO_PLACE */
    bool *stays;     /* per wide node */
    uint32_t *drops; /* per wide node: children that do not stay */
    uint32_t *out;   /* per wide node: where its objects are counted */
    struct merged_tree tree;
};

/* --- places --------------------------------------------------------------- */

static uint32_t add_wide(struct wide *w, uint32_t parent, label_id label, field_id field)
{
    if (w->len == w->cap) {
        w->cap = w->cap > 0 ? array_bytes(w->cap, 2) : 1024;
        w->parent = alloc_resize(w->parent, array_bytes(w->cap, sizeof(*w->parent)));
        w->label = alloc_resize(w->label, array_bytes(w->cap, sizeof(*w->label)));
        w->first = alloc_resize(w->first, array_bytes(w->cap, sizeof(*w->first)));
        w->last = alloc_resize(w->last, array_bytes(w->cap, sizeof(*w->last)));
        w->field = alloc_resize(w->field, array_bytes(w->cap, sizeof(*w->field)));
    }
    w->field[w->len] = field;
    w->parent[w->len] = parent;
    w->label[w->len] = label;
    w->first[w->len] = w->last[w->len] = 0;
    return (uint32_t)w->len++;
}

static uint32_t child_of(struct wide *w, uint32_t parent, label_id label, field_id field)
{
    uint32_t next = (uint32_t)w->len,
             found = place_table_put(&w->places, parent, label, field, next);
    return found == next ? add_wide(w, parent, label, field) : found;
}

/* Adds objects of snapshot number `seen` that a field of another place holds. */
static void tell_field(struct wide *w, size_t seen, uint32_t node,
                       const struct path_field *more)
{
    uint32_t slot =
        pair_table_put(&w->slots, node, more->field, (uint32_t)w->field_tally_count);
    if (slot == w->field_tally_count) {
        w->field_tallies = grow(w->field_tallies, w->field_tally_count, &w->field_tally_cap,
                                sizeof(*w->field_tallies));
        w->field_tallies[w->field_tally_count++] =
            (struct field_tally){.node = node, .field = more->field};
    }
    struct field_tally *to = &w->field_tallies[slot];
    if (to->seen != seen)
        to->held = to->all = 0;
    to->seen = seen;
    to->held += more->held;
    to->all += more->all;
}

static field_id field_at(const struct full_tree *f, path_id p)
{
    return f->field != NULL ? f->field[p].field : NO_FIELD;
}

/* Returns the end of the way from a pattern over the objects at p up to their root. A
 * holder has the field by which it holds the node before it. */
static uint32_t end_of_holders(struct wide *w, const struct full_tree *f, uint32_t top,
                               path_id p, size_t seen)
{
    uint32_t at = child_of(w, top, f->label[p], NO_FIELD);
    for (int i = 0; i < OWNER_TREE_MAX_HOLDERS && f->parent[p] != 0; i++) {
        at = child_of(w, at, f->label[f->parent[p]], field_at(f, p));
        if (f->field != NULL && seen > 0)
            tell_field(w, seen, at, &f->field[p]);
        p = f->parent[p];
    }
    return at;
}

static uint32_t place_below(struct wide *w, const struct full_tree *f, uint32_t above,
                            path_id p, size_t seen)
{
    uint32_t place = child_of(w, above, f->label[p], field_at(f, p));
    if (f->field != NULL && seen > 0 && f->count[p] > 0)
        tell_field(w, seen, place, &f->field[p]);
    return place;
}

/* Finds the nodes for the objects of each path of snapshot k, below one of the top
 * nodes. */
static void find_places(struct maker *m, size_t k, uint32_t top, bool tells)
{
    const struct full_tree *f = &m->t->full[k];
    const bool *matches = m->ask->pattern_count > 0 ? m->ask->patterns[top] : NULL;
    struct wide *w = &m->wide;
    m->place[0] = matches == NULL ? top : NO_PLACE;
    for (size_t p = 1; p < f->len; p++) {
        uint32_t above = m->place[f->parent[p]];
        if (m->ask->holders && matches != NULL)
            m->place[p] = matches[f->label[p]] && f->count[p] > 0
                              ? end_of_holders(w, f, top, (path_id)p, tells ? k + 1 : 0)
                              : NO_PLACE;
        else if (above == NO_PLACE && matches != NULL && matches[f->label[p]])
            m->place[p] = child_of(w, top, f->label[p], NO_FIELD);
        else if (above != NO_PLACE)
            m->place[p] = place_below(w, f, above, (path_id)p, tells ? k + 1 : 0);
        else
            m->place[p] = NO_PLACE;
    }
}

static void merged_tree_merge(struct maker *m)
{
    size_t last = m->t->snapshots - 1;
    struct wide *w = &m->wide;
    w->places.parts = m->t->fields == OWNERSHIP_PARTS_FIELDS;
    for (uint32_t top = 0; top < m->tops; top++)
        add_wide(w, NO_PLACE, NO_LABEL, NO_FIELD);
    for (uint32_t top = 0; top < m->tops; top++) {
        for (size_t k = 0; k <= last; k++) {
            find_places(m, k, top, true);
            if (k != 0 && k != last)
                continue;
            const struct full_tree *f = &m->t->full[k];
            for (path_id p = 1; p < f->len; p++) {
                if (m->place[p] == NO_PLACE)
                    continue;
                w->first[m->place[p]] += k == 0 ? f->bytes[p] : 0;
                w->last[m->place[p]] += k == last ? f->bytes[p] : 0;
            }
        }
    }
    for (size_t i = w->len; i-- > m->tops;) {
        w->first[w->parent[i]] += w->first[i];
        w->last[w->parent[i]] += w->last[i];
    }
}

/* A share refers to the largest tree of the last snapshot, or of the first if it is
 * gone. */
static uint64_t least_of(const struct maker *m)
{
    uint64_t last = 0, first = 0;
    for (size_t top = 0; top < m->tops; top++) {
        last = m->wide.last[top] > last ? m->wide.last[top] : last;
        first = m->wide.first[top] > first ? m->wide.first[top] : first;
    }
    return m->ask->least > 0
               ? m->ask->least
               : (uint64_t)(m->ask->least_share * (double)(last > 0 ? last : first));
}

/* --- choice of nodes ------------------------------------------------------ */

static bool is_large(const struct maker *m, size_t i)
{
    uint64_t first = m->wide.first[i], last = m->wide.last[i];
    uint64_t change = last > first ? last - first : first - last;
    return last >= m->tree.least || change >= m->tree.least;
}

/* True if it owns a considerable part of its parent's bytes. */
static bool is_considerable(const struct maker *m, size_t i)
{
    enum { PART = 10 };
    const struct wide *w = &m->wide;
    return w->last[i] > w->last[w->parent[i]] / PART ||
           w->first[i] > w->first[w->parent[i]] / PART;
}

/* A single dropped child is not summed up: it keeps its name next to siblings, unless it is
 * negligible there. */
static void keep_the_only(struct maker *m, const uint32_t *depth)
{
    const struct wide *w = &m->wide;
    bool *keeps = alloc_zeroed(array_bytes(w->len, sizeof(*keeps)));
    for (size_t i = m->tops; i < w->len; i++)
        keeps[w->parent[i]] |= m->stays[i];
    for (size_t i = m->tops; i < w->len; i++) {
        uint32_t parent = w->parent[i];
        bool fits = m->ask->depth == 0 || depth[i] <= m->ask->depth;
        if (m->stays[i] || !fits || !keeps[parent] || m->drops[parent] != 1 ||
            !is_considerable(m, i))
            continue;
        m->stays[i] = true;
        m->drops[parent] = 0;
    }
    free(keeps);
}

static void merged_tree_decide(struct maker *m)
{
    const struct wide *w = &m->wide;
    m->stays = alloc_zeroed(array_bytes(w->len, sizeof(*m->stays)));
    m->drops = alloc_zeroed(array_bytes(w->len, sizeof(*m->drops)));
    uint32_t *depth = alloc_zeroed(array_bytes(w->len, sizeof(*depth)));
    for (size_t i = m->tops; i < w->len; i++)
        depth[i] = depth[w->parent[i]] + 1;
    for (size_t i = 0; i < w->len; i++)
        m->stays[i] = i < m->tops || is_large(m, i);
    for (uint32_t top = 0; top < m->tops && !m->ask->holders; top++) {
        find_places(m, m->t->snapshots - 1, top, false);
        for (size_t i = 0; i < m->ask->wanted_count; i++)
            if (m->place[m->ask->wanted[i]] != NO_PLACE)
                m->stays[m->place[m->ask->wanted[i]]] = true;
    }
    for (size_t i = w->len; i-- > m->tops;) {
        if (m->ask->depth > 0 && depth[i] > m->ask->depth)
            m->stays[i] = false;
        if (m->stays[i])
            m->stays[w->parent[i]] = true;
    }
    for (size_t i = m->tops; i < w->len; i++)
        m->drops[w->parent[i]] += !m->stays[i];
    keep_the_only(m, depth);
    free(depth);
}

/* --- order ------------------------------------------------------------------ */

struct merged_tree_sibling {
    uint32_t parent, node;
    int64_t growth;
    uint64_t last;
    const char *name, *field; /* "" if fields do not separate paths */
    label_id label;
};

static int in_order(const void *a, const void *b)
{
    const struct merged_tree_sibling *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->growth != y->growth)
        return x->growth > y->growth ? -1 : 1;
    if (x->last != y->last)
        return x->last > y->last ? -1 : 1;
    int order = strcmp(x->name, y->name);
    order = order != 0 ? order : strcmp(x->field, y->field);
    return order != 0 ? order : (x->label > y->label) - (x->label < y->label);
}

/* Returns all nodes except the top ones, siblings adjacent. *count: their number. */
static struct merged_tree_sibling *siblings_of(const struct maker *m, size_t *count)
{
    const struct wide *w = &m->wide;
    struct merged_tree_sibling *all = alloc_zeroed(array_bytes(w->len, sizeof(*all)));
    size_t len = 0;
    for (size_t i = m->tops; i < w->len; i++)
        if (m->stays[i])
            all[len++] = (struct merged_tree_sibling){
                .parent = w->parent[i],
                .node = (uint32_t)i,
                .growth = m->t->snapshots > 1 ? (int64_t)(w->last[i] - w->first[i]) : 0,
                .last = w->last[i],
                .name = m->t->labels.all[w->label[i]].name,
                .field = label_field(&m->t->labels, w->field[i]),
                .label = w->label[i]};
    qsort(all, len, sizeof(*all), in_order);
    *count = len;
    return all;
}

/* An item to number: a node, or the dropped ones below it. */
struct merged_tree_task {
    uint32_t node;
    bool is_others;
    size_t parent; /* in the tree */
    unsigned depth;
};

static void number_one(struct maker *m, const struct merged_tree_task *next)
{
    struct owner_node *n = &m->tree.nodes[m->tree.len];
    *n =
        (struct owner_node){.label = next->is_others ? NO_LABEL : m->wide.label[next->node],
                            .parent = next->parent,
                            .end = m->tree.len + 1,
                            .depth = next->depth,
                            .field.field = NO_FIELD,
                            .others = next->is_others ? m->drops[next->node] : 0};
    if (!next->is_others)
        m->out[next->node] = (uint32_t)m->tree.len;
    m->tree.len++;
}

/* Numbers nodes in preorder. others_of: where the dropped children of a node are
 * counted. */
static void merged_tree_number(struct maker *m, uint32_t *others_of)
{
    size_t count, waits = 0;
    struct merged_tree_sibling *all = siblings_of(m, &count);
    uint32_t *begin = alloc_zeroed(array_bytes(m->wide.len + 1, sizeof(*begin)));
    for (size_t i = 0; i < count; i++)
        begin[all[i].parent + 1]++;
    for (size_t i = 0; i < m->wide.len; i++)
        begin[i + 1] += begin[i];
    struct merged_tree_task *stack =
        alloc_zeroed(array_bytes(2 * (count + m->tops), sizeof(*stack)));
    for (uint32_t top = (uint32_t)m->tops; top-- > 0;)
        stack[waits++] = (struct merged_tree_task){.node = top, .parent = HD_NO_NODE};
    while (waits > 0) {
        struct merged_tree_task next = stack[--waits];
        size_t here = m->tree.len;
        number_one(m, &next);
        if (next.is_others) {
            others_of[next.node] = (uint32_t)here;
            continue;
        }
        if (m->drops[next.node] > 0)
            stack[waits++] =
                (struct merged_tree_task){next.node, true, here, next.depth + 1};
        for (uint32_t i = begin[next.node + 1]; i-- > begin[next.node];)
            stack[waits++] =
                (struct merged_tree_task){all[i].node, false, here, next.depth + 1};
    }
    for (size_t i = m->tree.len; i-- > 0;) {
        const struct owner_node *n = &m->tree.nodes[i];
        if (n->parent != HD_NO_NODE && m->tree.nodes[n->parent].end < n->end)
            m->tree.nodes[n->parent].end = n->end;
    }
    free(stack);
    free(begin);
    free(all);
}

static void make_nodes(struct maker *m, struct arena *a)
{
    const struct wide *w = &m->wide;
    size_t most = 0;
    for (size_t i = 0; i < w->len; i++)
        most += (size_t)m->stays[i] + (m->drops[i] > 0);
    m->tree.nodes = arena_array(a, struct owner_node, most);
    m->out = alloc_zeroed(array_bytes(w->len, sizeof(*m->out)));
    uint32_t *others_of = alloc_zeroed(array_bytes(w->len, sizeof(*others_of)));
    merged_tree_number(m, others_of);
    for (size_t i = m->tops; i < w->len; i++) {
        uint32_t parent = w->parent[i];
        if (!m->stays[i])
            m->out[i] = m->stays[parent] ? others_of[parent] : m->out[parent];
    }
    free(others_of);
}

/* --- numbers ---------------------------------------------------------------- */

static void mark(struct maker *m, path_id p, struct owner_node *n)
{
    if (m->ask->rank_of_path == NULL || m->ask->holders || n->others > 0)
        return;
    uint32_t rank = m->ask->rank_of_path[p];
    if (rank != 0 && (n->rank == 0 || rank < n->rank))
        n->rank = rank;
}

static void merged_tree_count_objects(struct maker *m, struct arena *a)
{
    size_t n = m->t->snapshots;
    struct merged_tree *tree = &m->tree;
    tree->snapshots = n;
    tree->at = arena_array(a, struct hd_tally, array_bytes(tree->len, n));
    tree->owned = arena_array(a, struct hd_tally, array_bytes(tree->len, n));
    for (uint32_t top = 0; top < m->tops; top++) {
        for (size_t k = 0; k < n; k++) {
            find_places(m, k, top, false);
            for (path_id p = 1; p < m->t->full[k].len; p++) {
                if (m->place[p] == NO_PLACE)
                    continue;
                size_t to = m->out[m->place[p]];
                /* a root's pseudo-node is not an object */
                const struct full_tree *f = &m->t->full[k];
                bool is_root = m->t->labels.all[f->label[p]].kind == TYPE_PSEUDO;
                tree->at[to * n + k].count += is_root ? 0 : f->count[p];
                tree->at[to * n + k].bytes += f->bytes[p];
                if (k + 1 == n)
                    mark(m, p, &tree->nodes[to]);
            }
        }
    }
    memcpy(tree->owned, tree->at, array_bytes(tree->len * n, sizeof(*tree->at)));
    for (size_t i = tree->len; i-- > 0;) {
        size_t parent = tree->nodes[i].parent;
        for (size_t k = 0; parent != HD_NO_NODE && k < n; k++) {
            tree->owned[parent * n + k].count += tree->owned[i * n + k].count;
            tree->owned[parent * n + k].bytes += tree->owned[i * n + k].bytes;
        }
    }
}

/* Counts, of the objects that a node owns in the last snapshot, those allocated after the
 * first. */
static void count_newcomers(struct maker *m, struct arena *a)
{
    struct merged_tree *tree = &m->tree;
    const uint32_t *arrived = m->ask->arrived_of_path;
    size_t last = tree->snapshots - 1;
    if (arrived == NULL)
        return;
    tree->arrived = arena_array(a, uint64_t, tree->len);
    for (uint32_t top = 0; top < m->tops; top++) {
        find_places(m, last, top, false);
        for (path_id p = 1; p < m->t->full[last].len; p++)
            if (m->place[p] != NO_PLACE)
                tree->arrived[m->out[m->place[p]]] += arrived[p];
    }
    for (size_t i = tree->len; i-- > 0;)
        if (tree->nodes[i].parent != HD_NO_NODE)
            tree->arrived[tree->nodes[i].parent] += tree->arrived[i];
}

/* Chooses for each node the field that holds most of its objects, in the last snapshot that
 * has it; the first by name if several do. */
static void choose_fields(struct maker *m)
{
    const struct wide *w = &m->wide;
    size_t *seen = alloc_zeroed(array_bytes(w->len, sizeof(*seen)));
    for (size_t i = 0; i < w->field_tally_count; i++)
        if (w->field_tallies[i].seen > seen[w->field_tallies[i].node])
            seen[w->field_tallies[i].node] = w->field_tallies[i].seen;
    for (size_t i = 0; i < w->field_tally_count; i++) {
        const struct field_tally *field_tallies = &w->field_tallies[i];
        if (field_tallies->seen != seen[field_tallies->node] ||
            !m->stays[field_tallies->node])
            continue;
        struct path_field *to = &m->tree.nodes[m->out[field_tallies->node]].field;
        uint64_t all = to->all + field_tallies->all;
        if (field_tallies->held > to->held ||
            (field_tallies->held == to->held &&
             strcmp(label_field(&m->t->labels, field_tallies->field),
                    label_field(&m->t->labels, to->field)) < 0)) {
            to->field = field_tallies->field;
            to->held = field_tallies->held;
        }
        to->all = all;
    }
    free(seen);
}

/* --- the whole tree --------------------------------------------------------- */

struct merged_tree merged_tree_of(const struct ownership_tree *t,
                                  const struct merged_tree_question *ask, struct arena *a)
{
    struct maker m = {.t = t, .ask = ask};
    size_t most = 1;
    for (size_t k = 0; k < t->snapshots; k++)
        most = t->full[k].len > most ? t->full[k].len : most;
    m.tops = ask->pattern_count > 0 ? ask->pattern_count : 1;
    m.place = alloc_zeroed(array_bytes(most, sizeof(*m.place)));
    merged_tree_merge(&m);
    m.tree.least = least_of(&m);
    merged_tree_decide(&m);
    make_nodes(&m, a);
    merged_tree_count_objects(&m, a);
    count_newcomers(&m, a);
    choose_fields(&m);
    place_table_free(&m.wide.places);
    pair_table_free(&m.wide.slots);
    free(m.wide.field_tallies);
    free(m.wide.field);
    free(m.wide.parent);
    free(m.wide.label);
    free(m.wide.first);
    free(m.wide.last);
    free(m.place);
    free(m.stays);
    free(m.drops);
    free(m.out);
    return m.tree;
}
