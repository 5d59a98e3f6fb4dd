/* Semi-NCA in one depth-first pass (L. Georgiadis, R. Tarjan, R. Werneck, Finding
 * dominators in practice, 2006, sections 2 and 4; semidominators after T. Lengauer and R.
 * Tarjan, 1979), with two changes for heaps:
 *
 * Every edge is visited once. Tree and forward edges only lower the semi of their target;
 * only back and cross edges are stored, one per two objects.
 *
 * The last step walks from the parent up the tree built so far to the first number not
 * above semi. Plain steps are quadratic on a long list whose last element holds an object
 * that a root also holds; jump pointers (E. Myers, An applicative random-access stack,
 * 1983) make each walk logarithmic.
 *
 * No recursion: a linked list of ten million objects is an ordinary heap. */
#include "owners/dominators.h"

#include <stdlib.h>
#include <string.h>

/* --- preorder -------------------------------------------------------------------- */

void preorder(const uint32_t *parent, size_t count, uint32_t *at, uint32_t *size,
              uint32_t *next)
{
    for (size_t i = 0; i < count; i++)
        size[i] = 1;
    for (size_t i = count; i-- > 1;)
        size[parent[i]] += size[i];
    at[0] = 0;
    next[0] = 1;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t position = next[parent[i]];
        next[parent[i]] += size[i];
        next[i] = position + 1;
        at[position] = i;
    }
}

/* Nearly every access below misses all caches, so loops prefetch this many steps ahead. */
enum { AHEAD = 16 };

/* A node on the way down, and the next of its references. */
struct frame_on_stack {
    uint32_t number;
    node_id node;
    uint32_t next_edge;
};

/* The state of a node, in the same eight bytes before and after its visit: the walk waits
 * for memory once per object, with the arrays of the graph it would wait twice. */
struct dominators_place {
    union {
        uint32_t begin;  /* unseen: of its references, or ONE_EDGE */
        uint32_t number; /* seen */
    };
    node_id first; /* target of its first reference; NO_EDGE, or SEEN */
};

/* Above all node numbers and edge numbers (builder.c). */
#define SEEN UINT32_MAX
#define NO_EDGE (UINT32_MAX - 1)
#define ONE_EDGE UINT32_MAX

/* A back or cross edge, from a number to a smaller one. */
struct dominators_link {
    uint32_t to, from;
};

struct finder {
    const struct hd_snapshot *snap;
    const struct graph *g;
    enum dominator_kind kind;

    uint32_t count;
    struct dominators_place *place; /* of each node */
    node_id *node;                  /* number -> node */
    uint32_t *parent;               /* in the depth-first tree; becomes idom */
    uint32_t *semi;                 /* number of the semidominator */

    /* Capacity for all references of the graph: unused pages are never touched. */
    struct dominators_link *links;
    uint32_t link_count;
    uint32_t class_first; /* smallest number of the class being visited */
    uint64_t *late;       /* a bit per number that a weaker class refers to; or NULL */

    struct frame_on_stack *stack;
    size_t stack_cap;
    struct buffer_pool buffers;
    uint64_t *is_entry; /* a bit per node: a group of roots, visited from the root only */
};

/* --- depth-first numbers --------------------------------------------------------- */

/* The next number, for a node that v refers to. */
static inline uint32_t give_number(struct finder *f, uint32_t v, node_id w)
{
    uint32_t number = f->count++;
    f->node[number] = w;
    f->parent[number] = f->semi[number] = v;
    f->place[w] = (struct dominators_place){.number = number, .first = SEEN};
    return number;
}

/* A reference from the node numbered v to one that has a number. */
static inline void see_again(struct finder *f, uint32_t v, uint32_t number)
{
    if (number < f->class_first) {
        if (f->late != NULL)
            bits_set(f->late, number);
    } else if (number > v) {
        if (v < f->semi[number])
            f->semi[number] = v;
    } else if (number < v && number != 0) {
        f->links[f->link_count++] = (struct dominators_link){number, v};
    }
}

/* Numbers w, to which v refers, and descends to its first reference, if any: *w is then the
 * target, *v the number of the referrer. */
static inline bool go_down(struct finder *f, uint32_t *v, node_id *w, size_t *depth)
{
    const struct graph *g = f->g;
    node_id node = *w;
    struct dominators_place here = f->place[node];
    *v = give_number(f, *v, node);
    if (here.first == NO_EDGE)
        return false;
    *w = here.first;
    __builtin_prefetch(&f->place[here.first]);
    if (here.begin != ONE_EDGE) {
        f->stack = grow(f->stack, *depth, &f->stack_cap, sizeof(*f->stack));
        f->stack[(*depth)++] = (struct frame_on_stack){*v, node, here.begin + 1};
        __builtin_prefetch(&f->place[g->edge_to[here.begin + 1]]);
        __builtin_prefetch(&g->edge_begin[node + 1]);
    }
    return true;
}

/* Returns the next reference of the node on top of the stack, and pops the node after its
 * last one. Prefetches the references that follow, in long arrays well ahead. */
static inline void go_up(struct finder *f, uint32_t *v, node_id *w, size_t *depth)
{
    const struct graph *g = f->g;
    struct frame_on_stack *at = &f->stack[*depth - 1];
    uint32_t e = at->next_edge++, end = g->edge_begin[at->node + 1];
    *v = at->number;
    *w = g->edge_to[e];
    if (e + 1 == end)
        --*depth;
    else
        __builtin_prefetch(&f->place[g->edge_to[end - e > AHEAD ? e + AHEAD : e + 1]]);
}

/* The node w, which v refers to and which was not seen, and everything below it. */
static void walk_below(struct finder *f, uint32_t v, node_id w)
{
    size_t depth = 0;
    bool down = go_down(f, &v, &w, &depth);
    while (down || depth > 0) {
        if (!down)
            go_up(f, &v, &w, &depth);
        down = false;
        if (f->is_entry != NULL && bits_have(f->is_entry, w))
            continue;
        struct dominators_place here = f->place[w];
        if (here.first == SEEN)
            see_again(f, v, here.number);
        else
            down = go_down(f, &v, &w, &depth);
    }
}

/* --- classes of roots ------------------------------------------------------------ */

/* A group of roots that is walked from the root of all roots. */
struct entry {
    node_id node;
    unsigned char kind;
};

/* The children of the root, and every pseudo-node whose class differs from that of its
 * parent: "[strong Handles]" counts as handles, not as "[other roots]". */
static struct entry *find_entries(struct finder *f, size_t *len)
{
    const struct graph *g = f->g;
    const struct hd_snapshot *snap = f->snap;
    struct entry *queue = NULL, *entries = NULL;
    size_t head = 0, tail = 0, queue_cap = 0, cap = 0;
    uint64_t *seen = bits_new(g->node_count);
    queue = grow(queue, tail, &queue_cap, sizeof(*queue));
    queue[tail++] = (struct entry){g->root, HD_ROOT_OTHER};
    bits_set(seen, g->root);
    while (head < tail) {
        struct entry above = queue[head++];
        for (uint32_t e = g->edge_begin[above.node]; e < g->edge_begin[above.node + 1];
             e++) {
            struct entry to = {g->edge_to[e], above.kind};
            const struct type *t = &snap->types[g->type[to.node]];
            bool pseudo = t->kind == TYPE_PSEUDO;
            if (bits_have(seen, to.node) || (!pseudo && above.node != g->root))
                continue;
            bits_set(seen, to.node);
            if (pseudo)
                to.kind =
                    (unsigned char)root_kind_below(t->name, (enum hd_root_kind)above.kind);
            if (above.node == g->root ||
                root_kind_class(to.kind) != root_kind_class(above.kind)) {
                entries = grow(entries, *len, &cap, sizeof(*entries));
                entries[(*len)++] = to;
                if (pseudo)
                    bits_set(f->is_entry, to.node);
            }
            if (!pseudo)
                continue;
            queue = grow(queue, tail, &queue_cap, sizeof(*queue));
            queue[tail++] = to;
        }
    }
    free(queue);
    free(seen);
    return entries;
}

/* Class by class; objects reached by an earlier class are not reassigned. */
static void walk_by_class(struct finder *f)
{
    size_t len = 0;
    f->is_entry = bits_new(f->g->node_count);
    struct entry *entries = find_entries(f, &len);
    for (unsigned class = 0; class < ROOT_CLASSES; class ++) {
        f->class_first = f->count;
        for (size_t i = 0; i < len; i++)
            if (root_kind_class((enum hd_root_kind)entries[i].kind) == class) {
                /* reached by an earlier class: only another reference */
                struct dominators_place here = f->place[entries[i].node];
                if (here.first != SEEN)
                    walk_below(f, 0, entries[i].node);
                else
                    see_again(f, 0, here.number);
            }
    }
    free(entries);
    free(f->is_entry);
    f->is_entry = NULL;
}

static void number_nodes(struct finder *f)
{
    const struct graph *g = f->g;
    for (size_t n = 0; n < g->node_count; n++) {
        uint32_t begin = g->edge_begin[n], end = g->edge_begin[n + 1];
        f->place[n] =
            (struct dominators_place){.begin = end - begin == 1 ? ONE_EDGE : begin,
                                      .first = begin < end ? g->edge_to[begin] : NO_EDGE};
    }
    if (f->kind == DOMINATORS_PLAIN) {
        walk_below(f, 0, g->root);
    } else {
        if (f->kind == DOMINATORS_OF_BOTH)
            f->late = bits_new(g->node_count);
        give_number(f, 0, g->root);
        walk_by_class(f);
    }
    free(f->stack);
    f->stack = NULL;
    buffer_pool_give(&f->buffers, f->place, g->node_count, sizeof(*f->place));
    f->place = NULL;
}

/* --- semidominators -------------------------------------------------------------- */

/* Two numbers that are always used together, so they share a cache line. */
struct pair {
    union {
        uint32_t links; /* before it is done: begin of its links in the sorted list */
        uint32_t anc;   /* towards the root of its tree */
        uint32_t depth; /* in the tree of dominators */
    };
    union {
        uint32_t label; /* the smallest semi between a number and anc */
        uint32_t jump;
    };
};

/* The forest of numbers already done. */
struct forest {
    struct pair *at;
    uint64_t *late; /* a bit per number: a late number is between it and anc; or NULL */
    bool is_late;   /* any on the latest way */
    uint32_t *path;
    size_t path_cap;
};

/* The smallest semi on the way from v up to, but not including, the first number below
 * limit; the way is compressed. */
static inline uint32_t smallest_semi(struct forest *t, uint32_t v, uint32_t limit)
{
    size_t depth = 0;
    while (t->at[v].anc >= limit) {
        t->path = grow(t->path, depth, &t->path_cap, sizeof(*t->path));
        t->path[depth++] = v;
        v = t->at[v].anc;
    }
    uint32_t top = t->at[v].anc, best = t->at[v].label;
    t->is_late = t->late != NULL && bits_have(t->late, v);
    while (depth > 0) {
        struct pair *at = &t->at[t->path[--depth]];
        if (at->label < best)
            best = at->label;
        at->label = best;
        at->anc = top;
        if (t->is_late)
            bits_set(t->late, t->path[depth]);
        else
            t->is_late = t->late != NULL && bits_have(t->late, t->path[depth]);
    }
    return best;
}

/* Sources of the links, by target: a counting sort, with its counts in fields that are
 * unused before a number is done. */
static uint32_t *sort_links(struct finder *f, struct pair *at)
{
    const struct dominators_link *links = f->links;
    uint32_t *sorted =
        alloc_resize(NULL, array_bytes((size_t)f->link_count + 1, sizeof(*sorted)));
    uint32_t sum = 0;
    memset(at, 0, f->count * sizeof(*at));
    for (uint32_t e = 0; e < f->link_count; e++) {
        if (f->link_count - e > AHEAD)
            __builtin_prefetch(&at[links[e + AHEAD].to], 1);
        at[links[e].to].links++;
    }
    for (uint32_t w = 0; w < f->count; w++)
        at[w].links = sum += at[w].links;
    for (uint32_t e = f->link_count; e-- > 0;) {
        if (e >= AHEAD)
            __builtin_prefetch(&at[links[e - AHEAD].to], 1);
        sorted[--at[links[e].to].links] = links[e].from;
    }
    buffer_pool_give(&f->buffers, f->links, (size_t)f->g->edge_count + 1,
                     sizeof(*f->links));
    f->links = NULL;
    return sorted;
}

static void find_semidominators(struct finder *f, struct forest *t)
{
    t->at = buffer_pool_take(&f->buffers, f->count, sizeof(*t->at));
    uint32_t *from = sort_links(f, t->at), end = f->link_count;
    t->late = f->late != NULL ? bits_new(f->count) : NULL;
    for (uint32_t w = f->count; w-- > 1;) {
        uint32_t semi = f->semi[w], begin = t->at[w].links;
        for (uint32_t e = end; e-- > begin && semi > 0;) {
            if (e >= AHEAD)
                __builtin_prefetch(&t->at[from[e - AHEAD]], 1);
            uint32_t via = smallest_semi(t, from[e], w + 1);
            if (via < semi)
                semi = via;
            if (t->is_late)
                bits_set(f->late, w);
        }
        if (t->late != NULL && bits_have(f->late, w))
            bits_set(t->late, w);
        end = begin;
        f->semi[w] = semi;
        t->at[w] = (struct pair){.anc = f->parent[w], .label = semi};
    }
    buffer_pool_give(&f->buffers, from, f->link_count, sizeof(*from));
}

/* --- immediate dominators -------------------------------------------------------- */

/* The deepest ancestor of the parent, in the tree built so far, with a number not above
 * semi. Plain steps, until they have been more than a few per number; the number that is
 * next. */
static uint32_t find_near(struct finder *f)
{
    enum { STEPS_EACH = 2 };
    uint32_t *idom = f->parent;
    int64_t left = (int64_t)f->count * STEPS_EACH;
    uint32_t w = 1;
    for (; w < f->count && left >= 0; w++) {
        uint32_t d = idom[w], semi = f->semi[w];
        while (d > semi && left-- >= 0)
            d = idom[d];
        if (d > semi)
            break;
        idom[w] = d;
    }
    return w;
}

/* The same with long steps: numbers fall towards the root, so a jump that stays at or above
 * semi is safe. */
static void find_immediate(struct finder *f, struct pair *at)
{
    uint32_t *idom = f->parent, next = find_near(f);
    if (next >= f->count)
        return;
    at[0] = (struct pair){.depth = 0, .jump = 0};
    for (uint32_t w = 1; w < f->count; w++) {
        uint32_t d = idom[w];
        while (w >= next && d > f->semi[w])
            d = at[d].jump >= f->semi[w] ? at[d].jump : idom[d];
        idom[w] = d;
        struct pair above = at[d], skip = at[above.jump];
        bool even = above.depth - skip.depth == skip.depth - at[skip.jump].depth;
        at[w] = (struct pair){.depth = above.depth + 1, .jump = even ? skip.jump : d};
    }
}

/* Finds plain dominators. Each is either the dominator of owners or the root.
 *
 * All depth-first ancestors of a reference from a weaker class have higher numbers than its
 * target, down to the root. So the plain semi of a late number is 0, and so is that of
 * numbers reached from one by a path of higher numbers (f->late); all others equal the semi
 * of owners. The walk from the parent up to semi then ends at the root if it meets a late
 * number; `nearest` has the closest one.
 *
 * plain: the depth-first parents; overwritten. O(numbers). */
static void find_plain(struct finder *f, const uint32_t *idom, uint32_t *plain)
{
    uint32_t *nearest = buffer_pool_take(&f->buffers, f->count, sizeof(*nearest));
    nearest[0] = 0;
    for (uint32_t w = 1; w < f->count; w++) {
        bool is_late = bits_have(f->late, w) || nearest[plain[w]] > f->semi[w];
        nearest[w] = is_late ? w : nearest[idom[w]];
        plain[w] = is_late ? 0 : idom[w];
    }
    buffer_pool_give(&f->buffers, nearest, f->count, sizeof(*nearest));
}

static struct dominators find(const struct hd_snapshot *snap, enum dominator_kind kind,
                              struct buffer_pool buffers)
{
    const struct graph *g = snap->graph;
    size_t n = g->node_count;
    struct finder f = {.snap = snap, .g = g, .kind = kind, .buffers = buffers};
    f.links = buffer_pool_take(&f.buffers, (size_t)g->edge_count + 1, sizeof(*f.links));
    f.place = buffer_pool_take(&f.buffers, n, sizeof(*f.place));
    f.node = buffer_pool_take(&f.buffers, n, sizeof(*f.node));
    f.parent = buffer_pool_take(&f.buffers, n, sizeof(*f.parent));
    f.semi = buffer_pool_take(&f.buffers, n, sizeof(*f.semi));
    if (n > 0)
        number_nodes(&f);
    struct forest t = {0};
    uint32_t *plain = NULL;
    if (f.count > 0) {
        find_semidominators(&f, &t);
        if (kind == DOMINATORS_OF_BOTH) {
            plain = alloc_resize(NULL, array_bytes(f.count, sizeof(*plain)));
            memcpy(plain, f.parent, f.count * sizeof(*plain));
        }
        find_immediate(&f, t.at);
        if (plain != NULL)
            find_plain(&f, f.parent, plain);
    }
    free(t.path);
    free(t.late);
    free(f.late);
    free(f.place);
    buffer_pool_give(&f.buffers, t.at, f.count, sizeof(*t.at));
    buffer_pool_give(&f.buffers, f.semi, n, sizeof(*f.semi));
    free(f.links);
    return (struct dominators){f.count, f.node, f.parent, plain, f.buffers};
}

struct dominators dominators_find(const struct hd_snapshot *snap, enum dominator_kind kind)
{
    return find(snap, kind, (struct buffer_pool){0});
}

struct dominators dominators_find_next(struct dominators *done,
                                       const struct hd_snapshot *snap,
                                       enum dominator_kind kind)
{
    size_t n = snap->graph->node_count;
    buffer_pool_give(&done->buffers, done->node, n, sizeof(*done->node));
    buffer_pool_give(&done->buffers, done->idom, n, sizeof(*done->idom));
    struct dominators next = find(snap, kind, done->buffers);
    *done = (struct dominators){0};
    return next;
}

void dominators_free(struct dominators *d)
{
    free(d->node);
    free(d->idom);
    free(d->plain);
    buffer_pool_free(&d->buffers);
    *d = (struct dominators){0};
}
