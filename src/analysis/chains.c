#include "analysis/chains.h"

#include "analysis/signature.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sampling ------------------------------------------------------------- */

struct sample {
    uint64_t hash;
    node_id node;
};

/* The k smallest seen so far, as a heap with the largest on top. */
struct sampler {
    struct sample *heap;
    uint32_t len, cap;
    uint64_t instances;
};

uint64_t sample_hash(node_id node, uint64_t seed)
{
    unsigned char key[8] = {0};
    for (int i = 0; i < 4; i++)
        key[i] = (unsigned char)(node >> (8 * i));
    return XXH3_64bits_withSeed(key, sizeof(key), seed);
}

static bool is_after(struct sample a, struct sample b)
{
    return a.hash != b.hash ? a.hash > b.hash : a.node > b.node;
}

static void swap(struct sample *a, struct sample *b)
{
    struct sample t = *a;
    *a = *b;
    *b = t;
}

static void sift_up(struct sampler *s, uint32_t i)
{
    for (; i > 0 && is_after(s->heap[i], s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&s->heap[i], &s->heap[(i - 1) / 2]);
}

static void sift_down(struct sampler *s)
{
    for (uint32_t i = 0;;) {
        uint32_t largest = i, left = 2 * i + 1, right = left + 1;
        if (left < s->len && is_after(s->heap[left], s->heap[largest]))
            largest = left;
        if (right < s->len && is_after(s->heap[right], s->heap[largest]))
            largest = right;
        if (largest == i)
            return;
        swap(&s->heap[i], &s->heap[largest]);
        i = largest;
    }
}

static void offer(struct sampler *s, node_id node, uint64_t seed)
{
    s->instances++;
    struct sample new = {sample_hash(node, seed), node};
    if (s->len < s->cap) {
        s->heap[s->len++] = new;
        sift_up(s, s->len - 1);
    } else if (s->cap > 0 && is_after(s->heap[0], new)) {
        s->heap[0] = new;
        sift_down(s);
    }
}

static int by_hash(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return is_after(*x, *y) - is_after(*y, *x);
}

static bool is_selected(const struct hd_snapshot *snap, node_id n, enum selection selection)
{
    const struct graph *g = snap->graph;
    if ((selection & SELECT_REACHABLE) && !graph_reachable(g, n))
        return false;
    return !(selection & SELECT_GEN2) ||
           generation_is_old(ranges_find(&snap->ranges, graph_address(g, n)));
}

static struct sampler *take_samples(const struct hd_snapshot *snap,
                                    const struct chain_query *queries, size_t count,
                                    const struct chain_options *opt, struct arena *scratch)
{
    const struct graph *g = snap->graph;
    struct sampler *samplers = arena_array(scratch, struct sampler, count);
    for (size_t q = 0; q < count; q++)
        samplers[q] = (struct sampler){
            .heap = arena_array(scratch, struct sample, opt->samples), .cap = opt->samples};
    /* Which query wants a type, from 1. */
    uint32_t *query_of = arena_array(scratch, uint32_t, snap->type_count);
    for (size_t q = 0; q < count; q++)
        for (type_id t = 0; t < snap->type_count; t++)
            if (queries[q].wanted[t] && snap->types[t].kind == TYPE_OBJECT)
                query_of[t] = (uint32_t)q + 1;
    for (node_id n = 0; n < g->node_count; n++) {
        uint32_t q = query_of[g->type[n]];
        if (q != 0 && is_selected(snap, n, queries[q - 1].selection))
            offer(&samplers[q - 1], n, opt->seed);
    }
    for (size_t q = 0; q < count; q++)
        qsort(samplers[q].heap, samplers[q].len, sizeof(*samplers[q].heap), by_hash);
    return samplers;
}

/* --- one chain -------------------------------------------------------------- */

struct path {
    struct signature signature;
    enum root_kind kind;
    node_id node;
    uint32_t order; /* among the samples */
};

/* A name that no type of the snapshot has: the head of what hangs from no root. */
#define UNREACHABLE_GROUP UINT32_MAX

static const char *type_name(const struct hd_snapshot *snap, uint32_t type)
{
    return type == UNREACHABLE_GROUP ? "[unreachable]" : snap->types[type].name;
}

/* The nodes of one chain; reused, as a chain may be as long as the heap. */
struct node_list {
    node_id *all;
    size_t cap;
};

static struct path trace(const struct hd_snapshot *snap, const struct walk *walk, node_id n,
                         struct node_list *list)
{
    const struct graph *g = snap->graph;
    size_t length = 0;
    for (node_id at = n; at != NO_NODE && at != g->root; at = walk->parent[at]) {
        list->all = grow(list->all, length, &list->cap, sizeof(*list->all));
        list->all[length++] = at;
    }
    struct path p = {.node = n, .kind = ROOT_OTHER};
    if (length > 0 && walk->parent[list->all[length - 1]] == NO_NODE) {
        p.kind = ROOT_UNREACHABLE;
        signature_push(&p.signature, UNREACHABLE_GROUP);
    }
    while (length > 0) {
        type_id type = g->type[list->all[--length]];
        const struct type *t = &snap->types[type];
        if (t->kind == TYPE_PSEUDO && p.kind != ROOT_UNREACHABLE)
            p.kind = root_kind_below(t->name, p.kind);
        signature_push(&p.signature, type);
    }
    return p;
}

/* --- groups ----------------------------------------------------------------- */

void wilson_interval(uint32_t k, uint32_t n, double *low, double *high)
{
    const double z = 1.959964;
    double p = (double)k / n, zz = z * z / n;
    double centre = (p + zz / 2) / (1 + zz);
    double half = z * sqrt(p * (1 - p) / n + zz / (4 * (double)n)) / (1 + zz);
    *low = centre - half > 0 ? centre - half : 0;
    *high = centre + half < 1 ? centre + half : 1;
}

/* Frames of the first of count paths with one signature; repeats of the others
 * widen them. Each may be cut into patterns differently; the first one's cut is
 * used for all. */
static void make_frames(struct chain *c, const struct hd_snapshot *snap,
                        const struct path *paths, size_t count, struct arena *a)
{
    const struct signature *s = &paths[0].signature;
    c->frames = arena_array(a, struct frame, s->len);
    for (size_t i = 0; i < s->len;) {
        struct frame *f = &c->frames[c->frame_count++];
        uint32_t repeats;
        f->type_count = signature_pattern(s, i, &repeats);
        f->repeat_min = f->repeat_max = repeats;
        for (unsigned p = 0; p < f->type_count; p++)
            f->types[p] = type_name(snap, s->all[i + p].type);
        i += f->type_count;
        for (size_t j = 1; j < count; j++) {
            repeats = paths[j].signature.all[i - 1].repeats[f->type_count - 1];
            f->repeat_min = repeats < f->repeat_min ? repeats : f->repeat_min;
            f->repeat_max = repeats > f->repeat_max ? repeats : f->repeat_max;
        }
    }
}

static void set_share(struct chain *c, const struct chains *all)
{
    c->share = (double)c->samples / all->samples;
    c->exact = all->samples == all->instances;
    c->low = c->high = c->share;
    if (!c->exact)
        wilson_interval(c->samples, all->samples, &c->low, &c->high);
}

static int compare_types(const struct frame *x, const struct frame *y)
{
    for (unsigned p = 0; p < x->type_count && p < y->type_count; p++) {
        int order = strcmp(x->types[p], y->types[p]);
        if (order != 0)
            return order;
    }
    return (x->type_count > y->type_count) - (x->type_count < y->type_count);
}

static int by_samples(const void *a, const void *b)
{
    const struct chain *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    for (size_t i = 0; i < x->frame_count && i < y->frame_count; i++) {
        int order = compare_types(&x->frames[i], &y->frames[i]);
        if (order != 0)
            return order;
    }
    return (x->frame_count > y->frame_count) - (x->frame_count < y->frame_count);
}

static int by_group(const struct path *x, const struct path *y)
{
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return signature_compare(&x->signature, &y->signature);
}

/* Paths of one group side by side, in the order of the samples. */
static int by_group_and_order(const void *a, const void *b)
{
    const struct path *x = a, *y = b;
    int order = by_group(x, y);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

static void group_paths(struct chains *c, const struct hd_snapshot *snap,
                        struct path *paths, struct arena *a)
{
    qsort(paths, c->samples, sizeof(*paths), by_group_and_order);
    c->all = arena_array(a, struct chain, c->samples);
    for (uint32_t begin = 0, end; begin < c->samples; begin = end) {
        end = begin + 1;
        while (end < c->samples && by_group(&paths[begin], &paths[end]) == 0)
            end++;
        struct chain *chain = &c->all[c->len++];
        *chain = (struct chain){.kind = paths[begin].kind,
                                .example = paths[begin].node,
                                .samples = end - begin};
        set_share(chain, c);
        make_frames(chain, snap, &paths[begin], end - begin, a);
    }
    qsort(c->all, c->len, sizeof(*c->all), by_samples);
}

struct chains *chains_find(const struct hd_snapshot *snap, const struct walk *walk,
                           const struct chain_query *queries, size_t count,
                           const struct chain_options *opt, struct arena *a)
{
    struct arena scratch = {0};
    struct chains *answers = arena_array(a, struct chains, count);
    struct sampler *samplers = take_samples(snap, queries, count, opt, &scratch);
    struct node_list list = {0};
    for (size_t q = 0; q < count; q++) {
        answers[q].instances = samplers[q].instances;
        answers[q].samples = samplers[q].len;
        struct path *paths = arena_array(&scratch, struct path, samplers[q].len);
        for (uint32_t i = 0; i < samplers[q].len; i++) {
            paths[i] = trace(snap, walk, samplers[q].heap[i].node, &list);
            paths[i].order = i;
        }
        group_paths(&answers[q], snap, paths, a);
        for (uint32_t i = 0; i < samplers[q].len; i++)
            signature_free(&paths[i].signature);
    }
    free(list.all);
    arena_free(&scratch);
    return answers;
}
