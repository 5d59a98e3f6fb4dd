#include "ranking/unexplained_growth.h"

#include "ranking/path_growth.h"
#include "series/runtime_names.h"

#include <string.h>

/* What a label alone says. Names are compared once per label, not once per path. */
static enum unexplained_part *parts_of(const struct labels *l, struct arena *scratch)
{
    enum unexplained_part *parts = arena_array(scratch, enum unexplained_part, l->len);
    for (size_t i = 0; i < l->len; i++)
        parts[i] = is_buffer_pool(l->all[i].name, l->all[i].origin) ? PART_POOLS
                   : strcmp(l->all[i].name, RUNTIME_LISTENER) == 0  ? PART_LISTENER
                                                                    : PART_REST;
    return parts;
}

struct taking {
    const struct ownership_tree *t;
    const bool *heads, *labels;
    const enum unexplained_part *parts;
};

static enum unexplained_part part_of(const struct taking *take, const struct full_tree *f,
                                     path_id p, enum unexplained_part above)
{
    if (above == PART_SUSPECTS || take->heads[f->cut[p]])
        return PART_SUSPECTS;
    if (above != PART_REST)
        return above;
    if (take->parts[f->label[p]] != PART_REST)
        return take->parts[f->label[p]];
    if (path_is_thread_statics(&take->t->labels, f, p))
        return PART_THREADS;
    return take->labels != NULL && take->labels[f->label[p]] ? PART_SUSPECTS : PART_REST;
}

static void part_snapshot(struct unexplained *r, size_t k, const struct taking *take,
                          struct arena *a)
{
    const struct full_tree *f = &r->t->full[k];
    unsigned char *part = r->part[k] = arena_array(a, unsigned char, f->len);
    uint64_t *left = r->left[k] = arena_array(a, uint64_t, f->len);
    for (path_id p = 1; p < f->len; p++) {
        part[p] = (unsigned char)part_of(take, f, p, part[f->parent[p]]);
        r->bytes[part[p]][k] += f->bytes[p];
        if (part[p] == PART_THREADS && part[f->parent[p]] != PART_THREADS)
            r->threads[k] += f->count[p];
        left[p] = unexplained_is_left(part[p]) ? f->bytes[p] : 0;
    }
    for (path_id p = (path_id)f->len; p-- > 1;)
        left[f->parent[p]] += left[p];
}

struct unexplained unexplained_of(const struct ownership_tree *t, const bool *heads,
                                  const bool *labels, struct arena *a)
{
    struct arena scratch = {0};
    struct taking take = {t, heads, labels, parts_of(&t->labels, &scratch)};
    struct unexplained r = {.t = t,
                            .threads = arena_array(a, uint64_t, t->snapshots),
                            .part = arena_array(a, unsigned char *, t->snapshots),
                            .left = arena_array(a, uint64_t *, t->snapshots)};
    for (int i = 0; i < PART_COUNT; i++)
        r.bytes[i] = arena_array(a, uint64_t, t->snapshots);
    for (size_t k = 0; k < t->snapshots; k++)
        part_snapshot(&r, k, &take, a);
    arena_free(&scratch);
    return r;
}

void unexplained_share(const struct unexplained *r, const size_t *of_head,
                       const size_t *of_label, uint64_t *own)
{
    struct arena scratch = {0};
    for (size_t k = 0; k < r->t->snapshots; k++) {
        const struct full_tree *f = &r->t->full[k];
        size_t *owner = arena_array(&scratch, size_t, f->len);
        for (path_id p = 0; p < f->len; p++) {
            owner[p] = NO_OWNER;
            if (p == 0 || r->part[k][p] != PART_SUSPECTS)
                continue;
            owner[p] = of_head[f->cut[p]];
            if (owner[p] == NO_OWNER)
                owner[p] = owner[f->parent[p]];
            if (owner[p] == NO_OWNER)
                owner[p] = of_label[f->label[p]];
            own[owner[p] * r->t->snapshots + k] += f->bytes[p];
        }
    }
    arena_free(&scratch);
}
