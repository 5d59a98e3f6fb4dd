#include "owners/holder_name.h"

#include "heap/place.h"

struct holder_namer holder_namer_of(const struct labels *labels, const struct full_tree *f,
                                    struct arena *a)
{
    struct holder_namer n = {labels, f, arena_array(a, uint32_t, f->len),
                             arena_array(a, path_id, f->len)};
    for (path_id p = 1; p < f->len; p++) {
        n.depth[p] = n.depth[f->parent[p]] + 1;
        n.head[p] = n.depth[p] <= HOLDER_HEAD_LABELS ? p : n.head[f->parent[p]];
    }
    return n;
}

/* Put the last of the names from p up to, but not including, stop at names, in order from
 * the root: at most `most`. */
static size_t add_names(const char **names, const struct holder_namer *n, path_id p,
                        path_id stop, size_t most)
{
    size_t between = n->depth[p] - n->depth[stop];
    size_t count = between < most ? between : most;
    for (size_t i = count; i-- > 0; p = n->f->parent[p])
        names[i] = n->labels->all[n->f->label[p]].name;
    return count;
}

size_t holder_names(const struct holder_namer *n, path_id p,
                    const char *names[HOLDER_MOST_LABELS])
{
    size_t count = add_names(names, n, n->head[p], 0, HOLDER_HEAD_LABELS);
    if (n->depth[p] > HOLDER_HEAD_LABELS + HOLDER_TAIL_LABELS)
        names[count++] = HOLDER_OMITTED;
    return count + add_names(&names[count], n, p, n->head[p], HOLDER_TAIL_LABELS);
}

void holder_name(struct text *out, const struct holder_namer *n, path_id p)
{
    const char *names[HOLDER_MOST_LABELS];
    if (p == 0)
        text_add_string(out, "[roots]");
    else
        holder_join(out, names, holder_names(n, p, names));
}
