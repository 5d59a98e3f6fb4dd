#include "analysis/chains.h"

#include "analysis/chain_index.h"
#include "analysis/signature.h"
#include "base/pair_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sampling ------------------------------------------------------------ */

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

/* The question that asks for a node, from 1; 0 without. */
static uint32_t query_of(const struct hd_snapshot *snap, const struct chain_question *ask,
                         node_id n)
{
    const struct graph *g = snap->graph;
    uint32_t key = ask->key_of_node != NULL ? ask->key_of_node[n] : g->type[n];
    if (key >= ask->key_count || ask->query_of_key[key] == 0)
        return 0;
    bool counts = snap->types[g->type[n]].kind == TYPE_OBJECT &&
                  snapshot_selects(snap, n, ask->selection);
    return counts ? ask->query_of_key[key] : 0;
}

static struct sampler *take_samples(const struct hd_snapshot *snap,
                                    const struct chain_question *ask,
                                    const struct chain_options *opt, struct arena *scratch)
{
    struct sampler *samplers = arena_array(scratch, struct sampler, ask->queries);
    for (size_t q = 0; q < ask->queries; q++)
        samplers[q] = (struct sampler){
            .heap = arena_array(scratch, struct sample, opt->samples), .cap = opt->samples};
    for (node_id n = 0; n < snap->graph->node_count; n++) {
        uint32_t q = query_of(snap, ask, n);
        if (q != 0)
            offer(&samplers[q - 1], n, opt->seed);
    }
    for (size_t q = 0; q < ask->queries; q++)
        qsort(samplers[q].heap, samplers[q].len, sizeof(*samplers[q].heap), by_hash);
    return samplers;
}

/* --- one chain ----------------------------------------------------------- */

struct path {
    struct signature signature;
    enum root_kind kind;
    node_id node;
    uint32_t order; /* among the samples */
};

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

/* --- groups -------------------------------------------------------------- */

void wilson_interval(uint64_t k, uint64_t n, double *low, double *high)
{
    const double z = 1.959964;
    double p = (double)k / (double)n, zz = z * z / (double)n;
    double centre = (p + zz / 2) / (1 + zz);
    double half = z * sqrt(p * (1 - p) / (double)n + zz / (4 * (double)n)) / (1 + zz);
    *low = centre - half > 0 ? centre - half : 0;
    *high = centre + half < 1 ? centre + half : 1;
}

/* The name decides, not the number that a snapshot gives the type. */
static uint64_t hash_type(uint64_t before, const char *name)
{
    return XXH3_64bits_withSeed(name, strlen(name), before);
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
        f->example_nodes = repeats * f->type_count;
        f->generation = GEN_UNKNOWN;
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
    c->share = (double)c->count / (double)all->samples;
    c->exact = all->samples == all->instances;
    c->low = c->high = c->share;
    if (!c->exact)
        wilson_interval(c->count, all->samples, &c->low, &c->high);
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

static int by_count(const void *a, const void *b)
{
    const struct chain *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    for (size_t i = 0; i < x->frame_count && i < y->frame_count; i++) {
        int order = compare_types(&x->frames[i], &y->frames[i]);
        if (order != 0)
            return order;
    }
    if (x->frame_count != y->frame_count)
        return x->frame_count < y->frame_count ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
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
    for (size_t begin = 0, end; begin < c->samples; begin = end) {
        end = begin + 1;
        while (end < c->samples && by_group(&paths[begin], &paths[end]) == 0)
            end++;
        struct chain *chain = &c->all[c->len++];
        *chain = (struct chain){
            .kind = paths[begin].kind, .example = paths[begin].node, .count = end - begin};
        for (size_t i = 0; i < paths[begin].signature.len; i++)
            chain->hash =
                hash_type(chain->hash, type_name(snap, paths[begin].signature.all[i].type));
        set_share(chain, c);
        make_frames(chain, snap, &paths[begin], end - begin, a);
    }
    qsort(c->all, c->len, sizeof(*c->all), by_count);
}

static enum generation generation_of(const struct hd_snapshot *snap, node_id n)
{
    const struct graph *g = snap->graph;
    if (!snap->info.has_generations || n == NO_NODE ||
        snap->types[g->type[n]].kind != TYPE_OBJECT)
        return GEN_UNKNOWN;
    return ranges_find(&snap->ranges, graph_address(g, n));
}

/* Of the examples, from the instance up: frames and walk have the same nodes. */
static void find_generations(struct chains *c, const struct hd_snapshot *snap,
                             const struct walk *walk)
{
    for (size_t i = 0; snap->info.has_generations && i < c->len; i++) {
        node_id at = c->all[i].example;
        for (size_t f = c->all[i].frame_count; f-- > 0;) {
            struct frame *frame = &c->all[i].frames[f];
            for (uint32_t n = 0; n < frame->example_nodes && at != NO_NODE; n++) {
                enum generation g = generation_of(snap, at);
                frame->generation = g < frame->generation ? g : frame->generation;
                at = walk->parent[at];
            }
        }
    }
}

/* --- exact counts -------------------------------------------------------- */

/* How many instances of each question have each chain. */
struct tally_of_chain {
    uint32_t query, chain;
    uint64_t count;
    node_id example;
};

struct exact {
    struct chain_index index;
    uint64_t *hash;      /* of each chain */
    unsigned char *kind; /* enum root_kind of each chain */
    struct tally_of_chain *all;
    size_t len, cap;
};

/* The kind of root of each chain, from that of the one it extends. */
static unsigned char *kinds_of(const struct hd_snapshot *snap, const struct chain_index *x)
{
    unsigned char *kind = alloc_zeroed(x->len + 1);
    kind[0] = ROOT_OTHER;
    for (size_t c = 1; c < x->len; c++) {
        enum root_kind above = (enum root_kind)kind[x->parent[c]];
        kind[c] = (unsigned char)above;
        if (x->type[c] == UNREACHABLE_GROUP)
            kind[c] = ROOT_UNREACHABLE;
        else if (above != ROOT_UNREACHABLE && snap->types[x->type[c]].kind == TYPE_PSEUDO)
            kind[c] = (unsigned char)root_kind_below(snap->types[x->type[c]].name, above);
    }
    return kind;
}

static struct exact count_all(const struct hd_snapshot *snap, const struct walk *walk,
                              const struct chain_question *ask)
{
    struct exact e = {.index = chain_index_build(snap, walk)};
    struct pair_table slots = {0};
    e.hash = alloc_zeroed(array_bytes(e.index.len, sizeof(*e.hash)));
    for (size_t c = 1; c < e.index.len; c++)
        e.hash[c] = hash_type(e.hash[e.index.parent[c]], type_name(snap, e.index.type[c]));
    e.kind = kinds_of(snap, &e.index);
    for (node_id n = 0; n < snap->graph->node_count; n++) {
        uint32_t q = query_of(snap, ask, n);
        if (q == 0)
            continue;
        uint32_t chain = e.index.of_node[n];
        e.all = grow(e.all, e.len, &e.cap, sizeof(*e.all));
        uint32_t at = pair_table_put(&slots, q, chain, (uint32_t)e.len);
        if (at == e.len)
            e.all[e.len++] = (struct tally_of_chain){q - 1, chain, 0, n};
        e.all[at].count++;
    }
    pair_table_free(&slots);
    return e;
}

static int by_query_and_count(const void *a, const void *b)
{
    const struct tally_of_chain *x = a, *y = b;
    if (x->query != y->query)
        return x->query < y->query ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->chain > y->chain) - (x->chain < y->chain);
}

static const struct chain *with_hash(const struct chains *c, uint64_t hash)
{
    for (size_t i = 0; i < c->len; i++)
        if (c->all[i].hash == hash)
            return &c->all[i];
    return NULL;
}

/* A chain that no sample has: its frames without repeats. */
static void frames_of_index(struct chain *c, const struct hd_snapshot *snap,
                            const struct chain_index *x, uint32_t chain, struct arena *a)
{
    c->frame_count = x->length[chain];
    c->frames = arena_array(a, struct frame, c->frame_count);
    for (size_t i = c->frame_count; i-- > 0; chain = x->parent[chain])
        c->frames[i] = (struct frame){.types = {type_name(snap, x->type[chain])},
                                      .type_count = 1,
                                      .repeat_min = 1,
                                      .repeat_max = 1,
                                      .generation = GEN_UNKNOWN};
}

/* Replace the sampled answers by exact ones; the samples keep giving the repeats. */
static void make_exact(struct chains *answers, const struct hd_snapshot *snap,
                       struct exact *e, struct arena *a)
{
    enum { MOST_WITH_FRAMES = 256 };
    if (e->len > 0)
        qsort(e->all, e->len, sizeof(*e->all), by_query_and_count);
    for (size_t begin = 0, end; begin < e->len; begin = end) {
        struct chains *answer = &answers[e->all[begin].query], sampled = *answer;
        for (end = begin; end < e->len && e->all[end].query == e->all[begin].query;)
            end++;
        answer->len = end - begin;
        answer->samples = answer->instances;
        answer->all = arena_array(a, struct chain, answer->len);
        for (size_t i = 0; i < answer->len; i++) {
            const struct tally_of_chain *t = &e->all[begin + i];
            struct chain *c = &answer->all[i];
            bool common = i < MOST_WITH_FRAMES;
            const struct chain *known =
                common ? with_hash(&sampled, e->hash[t->chain]) : NULL;
            *c = known != NULL ? *known : (struct chain){.example = t->example};
            c->kind = (enum root_kind)e->kind[t->chain];
            c->hash = e->hash[t->chain];
            c->count = t->count;
            if (known == NULL && common)
                frames_of_index(c, snap, &e->index, t->chain, a);
            set_share(c, answer);
        }
        qsort(answer->all, answer->len, sizeof(*answer->all), by_count);
    }
}

static void exact_free(struct exact *e)
{
    chain_index_free(&e->index);
    free(e->hash);
    free(e->kind);
    free(e->all);
}

struct chains *chains_find(const struct hd_snapshot *snap, const struct walk *walk,
                           const struct chain_question *ask,
                           const struct chain_options *opt, struct arena *a)
{
    struct arena scratch = {0};
    struct chains *answers = arena_array(a, struct chains, ask->queries);
    struct sampler *samplers = take_samples(snap, ask, opt, &scratch);
    struct node_list list = {0};
    for (size_t q = 0; q < ask->queries; q++) {
        answers[q].instances = samplers[q].instances;
        answers[q].samples = samplers[q].len;
        struct path *paths = arena_array(&scratch, struct path, samplers[q].len);
        for (uint32_t i = 0; i < samplers[q].len; i++) {
            paths[i] = trace(snap, walk, samplers[q].heap[i].node, &list);
            paths[i].order = i;
        }
        group_paths(&answers[q], snap, paths, a);
        find_generations(&answers[q], snap, walk);
        for (uint32_t i = 0; i < samplers[q].len; i++)
            signature_free(&paths[i].signature);
    }
    free(list.all);
    if (opt->exact) {
        struct exact e = count_all(snap, walk, ask);
        make_exact(answers, snap, &e, a);
        exact_free(&e);
    }
    arena_free(&scratch);
    return answers;
}
