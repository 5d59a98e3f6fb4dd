/* The code that allocated the objects of suspects: the samples of each by the allocating
 * method of the program, and by the ways that lead to it. */
#include "base/error.h"
#include "heap/allocation_sites.h"
#include "heap/names.h"
#include "questions/code_ways.h"
#include "questions/report_suspects.h"
#include "ranking/leak_samples.h"
#include "report/text_parts.h"
#include "report/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes per sample, unless a file has the number: runtimes report one in 100 KB. */
enum { USUAL_SAMPLE = 102400 };

/* Sites of a suspect, and stacks of each: all of them would dominate the size of a page. */
enum { MAX_SITES = 10, MAX_STACKS = 5 };

struct site_finder {
    struct hd_report *r;
    const struct series *s;
    struct leak_samples samples;
    bool is_whole;               /* every interval was sampled, and anything allocated */
    const struct hd_code *codes; /* by frame of the sites, in the report's arena */
    struct arena scratch;
};

/* The samples of a suspect that share a stack. */
struct stack_count {
    uint32_t stack;
    uint64_t samples;
    uint64_t *at; /* per usable snapshot */
};

/* The samples of a suspect. */
struct suspect_samples {
    struct stack_count *stacks;
    size_t len;
    uint64_t samples, without_interval;
};

static const struct site_stack *stack_of(const struct site_finder *f, uint32_t stack)
{
    return &f->samples.sites->stacks[stack];
}

/* --- samples of a suspect ------------------------------------------------------------ */

static void count_sample(struct site_finder *f, struct suspect_samples *to,
                         uint32_t *slot_of, const struct leak_sample *sample)
{
    struct stack_count *c;
    if (slot_of[sample->stack] == 0) {
        c = &to->stacks[to->len++];
        *c = (struct stack_count){
            .stack = sample->stack,
            .at = arena_array(&f->scratch, uint64_t, f->s->usable_count)};
        slot_of[sample->stack] = (uint32_t)to->len;
    }
    c = &to->stacks[slot_of[sample->stack] - 1];
    c->samples++;
    to->samples++;
    if (sample->interval < f->s->usable_count)
        c->at[sample->interval]++;
    else
        to->without_interval++;
}

/* The samples at or below the places of each suspect. */
static struct suspect_samples *count_samples(struct site_finder *f,
                                             const struct suspect_rows *rows, size_t count)
{
    const struct allocation_sites *sites = f->samples.sites;
    struct suspect_samples *all = arena_array(&f->scratch, struct suspect_samples, count);
    struct leak_rows begin = leak_rows_new(rows->tree, &f->scratch);
    uint32_t **slots = arena_array(&f->scratch, uint32_t *, count);
    uint32_t *of_label = arena_array(&f->scratch, uint32_t, rows->tree->labels.len);
    for (size_t i = 0; i < count; i++) {
        const struct ranked_type *h = rows->ranking[i];
        slots[i] = arena_array(&f->scratch, uint32_t, sites->stack_count);
        all[i].stacks = arena_array(&f->scratch, struct stack_count, sites->stack_count);
        if (rows->whole_types[i] != NO_LABEL)
            of_label[rows->whole_types[i]] = (uint32_t)i + 1;
        for (size_t k = 0; h != NULL && k < h->place_count; k++)
            begin.row[h->places[k].path] = (uint32_t)i + 1;
    }
    for (path_id p = 1; p < rows->tree->len; p++)
        if (begin.row[p] == 0)
            begin.row[p] = of_label[rows->tree->label[p]];
    leak_rows_end(&begin);
    for (size_t k = 0; k < f->samples.len; k++) {
        const struct leak_sample *sample = &f->samples.all[k];
        uint32_t last = 0;
        for (path_id p = leak_rows_at(&begin, sample->path); p != 0;
             p = leak_rows_above(&begin, p)) {
            uint32_t i = begin.row[p];
            if (i != last) /* a type within itself is one suspect */
                count_sample(f, &all[i - 1], slots[i - 1], sample);
            last = i;
        }
    }
    return all;
}

/* --- groups -------------------------------------------------------------------------- */

static const struct hd_code *code_of(const struct site_finder *f, uint32_t stack, size_t i)
{
    return &f->codes[stack_of(f, stack)->frames[i]];
}

/* The innermost frame of the program; else that outside of the framework, as it is not
 * known of all programs what is their own; else the innermost of all. */
static size_t site_of(const struct site_finder *f, uint32_t stack)
{
    const struct site_stack *s = stack_of(f, stack);
    size_t other = s->frame_count;
    for (size_t i = 0; i < s->frame_count; i++) {
        const struct hd_code *code = code_of(f, stack, i);
        if (code->is_own)
            return i;
        if (other == s->frame_count &&
            !names_is_framework(name_part(code->method), NAME_CLASS))
            other = i;
    }
    return other < s->frame_count ? other : 0;
}

/* Returns the next frame of the program above it with another method, or if the stack has
 * none the next frame; NULL if none. */
static const struct hd_code *caller_of(const struct site_finder *f, uint32_t stack,
                                       size_t site)
{
    const struct hd_code *code = code_of(f, stack, site);
    for (size_t i = site + 1; i < stack_of(f, stack)->frame_count; i++) {
        const struct hd_code *c = code_of(f, stack, i);
        if (c->is_own == code->is_own && strcmp(c->method, code->method) != 0)
            return c;
    }
    return NULL;
}

static int by_samples(const void *a, const void *b)
{
    const struct stack_count *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

static int site_order(const void *a, const void *b)
{
    const struct hd_site *x = a, *y = b;
    if (x->code->is_own != y->code->is_own)
        return x->code->is_own ? -1 : 1;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    return strcmp(x->code->method, y->code->method);
}

/* Values of usable snapshots as values of all: unknown for the first. */
static uint64_t *spread_samples(const struct site_finder *f, const uint64_t *usable)
{
    uint64_t *at = report_spread(f->r, f->s, usable);
    at[f->s->usable[0]] = HD_UNKNOWN;
    return at;
}

static void set_stack(const struct site_finder *f, struct hd_site_stack *to,
                      const struct stack_count *from)
{
    const struct site_stack *s = stack_of(f, from->stack);
    struct hd_code *frames = arena_array(&f->r->arena, struct hd_code, s->frame_count);
    for (size_t i = 0; i < s->frame_count; i++)
        frames[i] = *code_of(f, from->stack, i);
    *to = (struct hd_site_stack){frames, s->frame_count, from->samples};
}

/* Groups the stacks of one method, most samples first. Marks them in done. */
static struct hd_site group_of(struct site_finder *f, const struct suspect_samples *of,
                               size_t first, bool *done)
{
    const struct stack_count *most = &of->stacks[first];
    size_t site = site_of(f, most->stack), n = f->s->usable_count;
    struct hd_site g = {.code = code_of(f, most->stack, site),
                        .caller = caller_of(f, most->stack, site)};
    uint64_t *at = arena_array(&f->scratch, uint64_t, n);
    struct hd_site_stack *stacks =
        arena_array(&f->r->arena, struct hd_site_stack, MAX_STACKS);
    for (size_t i = first; i < of->len; i++) {
        const struct stack_count *s = &of->stacks[i];
        if (done[i] ||
            strcmp(code_of(f, s->stack, site_of(f, s->stack))->method, g.code->method) != 0)
            continue;
        done[i] = true;
        if (g.stack_count < MAX_STACKS)
            set_stack(f, &stacks[g.stack_count++], s);
        g.samples += s->samples;
        for (size_t k = 0; k < n; k++)
            at[k] += s->at[k];
    }
    g.stacks = stacks;
    g.at = of->without_interval == 0 ? spread_samples(f, at) : NULL;
    return g;
}

static void add_groups(struct site_finder *f, struct hd_allocations *to,
                       const struct suspect_samples *of)
{
    bool *done = arena_array(&f->scratch, bool, of->len + 1);
    struct hd_site *sites = arena_array(&f->r->arena, struct hd_site, of->len);
    for (size_t i = 0; i < of->len; i++)
        if (!done[i])
            sites[to->site_count++] = group_of(f, of, i, done);
    if (to->site_count > 0)
        qsort(sites, to->site_count, sizeof(*sites), site_order);
    to->site_count = to->site_count < MAX_SITES ? to->site_count : MAX_SITES;
    to->sites = sites;
}

/* --- the tree ------------------------------------------------------------------------ */

/* Chooses the visible frames of a stack: the innermost, and those of the program; without
 * any the innermost few. */
static struct code_way way_of(struct site_finder *f, const struct stack_count *from)
{
    enum { WITHOUT_OWN = 5 };
    size_t count = stack_of(f, from->stack)->frame_count;
    struct code_way to = {.codes = arena_array(&f->scratch, const struct hd_code *, count),
                          .samples = from->samples,
                          .at = from->at};
    bool any = code_of(f, from->stack, site_of(f, from->stack))->is_own;
    for (size_t i = 0; i < count; i++) {
        const struct hd_code *c = code_of(f, from->stack, i);
        bool repeats = to.len > 0 && to.codes[to.len - 1] == c;
        if (!repeats && (i == 0 || c->is_own || (!any && i < WITHOUT_OWN)))
            to.codes[to.len++] = c;
    }
    return to;
}

struct site_tree {
    struct site_finder *f;
    struct hd_site_node *nodes;
    size_t len;
    bool has_intervals;
};

/* A node has all codes that its ways share. */
static size_t add_site_node(void *context, const struct code_way *all,
                            const struct code_branch *b)
{
    struct site_tree *t = context;
    struct site_finder *f = t->f;
    size_t after = code_branch_shared(all, b), n = f->s->usable_count;
    struct hd_code *codes = arena_array(&f->r->arena, struct hd_code, after - b->from);
    uint64_t *at = arena_array(&f->scratch, uint64_t, n);
    for (size_t i = b->from; i < after; i++)
        codes[i - b->from] = *all[b->first].codes[i];
    for (size_t i = b->first; i < b->end; i++)
        for (size_t k = 0; k < n; k++)
            at[k] += all[i].at[k];
    t->nodes[t->len++] =
        (struct hd_site_node){.depth = b->depth,
                              .codes = codes,
                              .code_count = after - b->from,
                              .samples = b->samples,
                              .at = t->has_intervals ? spread_samples(f, at) : NULL};
    return after;
}

/* Each branching adds at most two nodes. */
static void add_tree(struct site_finder *f, struct hd_allocations *to,
                     const struct suspect_samples *of)
{
    struct site_tree t = {.f = f, .has_intervals = of->without_interval == 0};
    struct code_way *all = arena_array(&f->scratch, struct code_way, of->len + 1);
    t.nodes = arena_array(&f->r->arena, struct hd_site_node, 2 * of->len + 1);
    for (size_t i = 0; i < of->len; i++)
        all[i] = way_of(f, &of->stacks[i]);
    code_ways_walk(all, of->len, add_site_node, &t);
    to->nodes = t.nodes;
    to->node_count = t.len;
}

/* --- without a sample ------------------------------------------------------------------
 */

static uint64_t gained(const struct site_finder *f, const struct hd_suspect *s)
{
    const uint64_t *r = s->retained;
    uint64_t first = r != NULL ? r[f->s->usable[0]] : HD_UNKNOWN,
             last = r != NULL ? r[f->s->usable[f->s->usable_count - 1]] : HD_UNKNOWN;
    return first != HD_UNKNOWN && last != HD_UNKNOWN && last > first ? last - first
                                                                     : HD_UNKNOWN;
}

/* Returns the time for ENOUGH times the bytes per sample: then there is a sample with a
 * probability of 98 %. */
static uint64_t seconds_until_sample(const struct site_finder *f, uint64_t grown,
                                     uint64_t per_sample)
{
    enum { ENOUGH = 4 };
    double span = heading_span(f->r);
    if (grown == HD_UNKNOWN || !(span > 0))
        return HD_UNKNOWN;
    double missing = (double)ENOUGH * (double)per_sample - (double)grown;
    double least = (double)per_sample;
    double seconds = (missing > least ? missing : least) / ((double)grown / span);
    return seconds < 1e9 ? (uint64_t)ceil(seconds) : HD_UNKNOWN;
}

/* --- the whole answer ------------------------------------------------------------- */

static const struct hd_allocations *allocations_of(struct site_finder *f,
                                                   const struct hd_suspect *s,
                                                   struct suspect_samples *of)
{
    const struct allocation_sites *sites = f->samples.sites;
    struct hd_allocations *to = arena_alloc(&f->r->arena, sizeof(*to));
    size_t n = f->s->usable_count;
    uint64_t *at = arena_array(&f->scratch, uint64_t, n);
    uint64_t per_sample = sites->per_sample > 0 ? sites->per_sample : USUAL_SAMPLE;
    *to = (struct hd_allocations){.samples = of->samples,
                                  .per_sample = sites->per_sample > 0 ? sites->per_sample
                                                                      : HD_UNKNOWN,
                                  .unnamed = sites->unnamed,
                                  .is_whole = f->is_whole,
                                  .grown = gained(f, s),
                                  .wait_seconds = HD_UNKNOWN};
    if (of->samples == 0) {
        if (f->is_whole)
            to->wait_seconds = seconds_until_sample(f, to->grown, per_sample);
        return to;
    }
    qsort(of->stacks, of->len, sizeof(*of->stacks), by_samples);
    add_groups(f, to, of);
    add_tree(f, to, of);
    for (size_t i = 0; i < of->len; i++)
        for (size_t k = 0; k < n; k++)
            at[k] += of->stacks[i].at[k];
    if (of->without_interval > 0)
        return to;
    to->at = spread_samples(f, at);
    to->in_every_interval = true;
    for (size_t k = 1; k < n; k++)
        to->in_every_interval &= at[k] > 0;
    return to;
}

/* Copies strings to the report's arena, once per frame. */
static const struct hd_code *codes_of(struct site_finder *f)
{
    const struct allocation_sites *sites = f->samples.sites;
    struct hd_code *codes =
        arena_array(&f->r->arena, struct hd_code, sites->frame_count + 1);
    for (uint32_t i = 0; i < sites->frame_count; i++) {
        const struct site_frame *from = &sites->frames[i];
        codes[i] = (struct hd_code){.method = report_string(f->r, from->method),
                                    .file = report_string(f->r, from->file),
                                    .line = from->line > 0 ? from->line : HD_UNKNOWN,
                                    .is_own = from->is_own};
    }
    return codes;
}

/* True if samples were requested for any snapshot. */
static bool see_intervals(struct site_finder *f, struct hd_snapshot *const *snaps)
{
    bool any = false;
    uint64_t sampled = 0;
    f->is_whole = f->samples.sites != NULL;
    for (size_t k = 0; k < f->s->usable_count; k++) {
        const struct allocation_sites *sites = leak_sites_of(snaps[k]);
        any |= sites != NULL;
        f->is_whole &= k == 0 || sites != NULL;
        sampled += sites != NULL ? sites->sampled : 0;
    }
    f->is_whole &= sampled > 0;
    return any;
}

void report_add_sites(struct hd_report *r, const struct suspect_rows *rows)
{
    static const struct allocation_sites none = {.stack_count = 0};
    const struct series *s = rows->s;
    struct hd_snapshot *snaps[SERIES_MAX_SNAPSHOTS];
    size_t count = report_rows(r, r->diff.suspect_count);
    struct site_finder f = {.r = r, .s = s};
    for (size_t i = 0; i < s->usable_count; i++)
        snaps[i] = s->snaps[s->usable[i]];
    if (count > 0)
        f.samples = leak_samples_of(rows->tree, rows->cohorts, snaps, &f.scratch);
    if (see_intervals(&f, snaps) && count > 0) {
        if (f.samples.sites == NULL)
            f.samples = (struct leak_samples){.sites = &none};
        f.codes = codes_of(&f);
        struct suspect_samples *all = count_samples(&f, rows, count);
        for (size_t i = 0; i < count; i++)
            r->diff.suspects[i].allocated =
                allocations_of(&f, &r->diff.suspects[i], &all[i]);
    }
    arena_free(&f.scratch);
}

/* --- the heap as a tree of sites -------------------------------------------------------
 */

/* Stacks of all snapshots, each once, with their surviving samples. */
struct merged_sites {
    struct hd_report *r;
    struct site_builder stacks;
    const struct allocation_sites *all; /* the stacks, once all are in */
    uint64_t *at;                       /* [stack * snapshots + snapshot] */
    uint64_t *others;                   /* per snapshot: stacks beyond the limit */
    size_t first, last;
    uint64_t per_sample;
    struct arena scratch;
};

static void merge_sites(struct merged_sites *m, const struct allocation_sites *sites,
                        size_t k)
{
    size_t n = m->r->snapshot_count;
    uint32_t *merged = arena_array(&m->scratch, uint32_t, sites->stack_count);
    for (uint32_t i = 0; i < sites->stack_count; i++)
        merged[i] = site_builder_copy_stack(&m->stacks, sites, i);
    for (uint32_t i = 0; i < sites->object_count; i++) {
        uint32_t stack = merged[sites->objects[i].stack];
        if (stack == NO_SITE)
            m->others[k]++;
        else
            m->at[stack * n + k]++;
    }
    if (sites->per_sample > 0 && sites->per_sample < UINT64_MAX >> 16)
        m->per_sample = sites->per_sample;
}

struct method_tree {
    struct merged_sites *m;
    struct hd_tree_node *nodes;
    size_t len;
};

/* Returns samples and their bytes, an estimate; unknown for snapshots without sites. */
static struct hd_tally *tallies_of(struct merged_sites *m, const uint64_t *samples)
{
    size_t n = m->r->snapshot_count;
    struct hd_tally *at = arena_array(&m->r->arena, struct hd_tally, n);
    for (size_t k = 0; k < n; k++)
        at[k] = samples[k] != HD_UNKNOWN
                    ? (struct hd_tally){samples[k], samples[k] * m->per_sample}
                    : (struct hd_tally){HD_UNKNOWN, HD_UNKNOWN};
    return at;
}

static struct hd_tree_node place_of_samples(struct merged_sites *m, const uint64_t *at,
                                            const uint64_t *owned)
{
    struct hd_tree_node node = {.parent = HD_NO_NODE,
                                .at = tallies_of(m, at),
                                .owned = tallies_of(m, owned),
                                .survived = HD_UNKNOWN};
    node.growth = (int64_t)(node.owned[m->last].bytes - node.owned[m->first].bytes);
    return node;
}

/* A node is one frame; ways that end there have their samples at it. */
static size_t add_method(void *context, const struct code_way *all,
                         const struct code_branch *b)
{
    struct method_tree *t = context;
    struct merged_sites *m = t->m;
    size_t n = m->r->snapshot_count, after = b->from + 1;
    uint64_t *at = arena_array(&m->scratch, uint64_t, n);
    uint64_t *owned = arena_array(&m->scratch, uint64_t, n);
    for (size_t k = 0; k < n; k++)
        for (size_t i = b->first; i < b->end; i++) {
            if (all[i].at[k] == HD_UNKNOWN) {
                at[k] = owned[k] = HD_UNKNOWN;
                break;
            }
            owned[k] += all[i].at[k];
            at[k] += all[i].len == after ? all[i].at[k] : 0;
        }
    struct hd_tree_node node = place_of_samples(m, at, owned);
    node.kind = HD_NODE_METHOD;
    node.parent = b->parent != SIZE_MAX ? b->parent + 1 : 0; /* after the node of the
                                                                heap */
    node.depth = b->depth + 1;
    node.code = all[b->first].codes[b->from];
    node.type = node.code->method;
    if (node.code->file != NULL && node.code->line != HD_UNKNOWN)
        node.full_name = arena_printf(&m->r->arena, "%s (%s:%llu)", node.code->method,
                                      node.code->file, (unsigned long long)node.code->line);
    t->nodes[t->len++] = node;
    return after;
}

/* Returns ways from the outermost frame down to the allocating method. */
static struct code_way *ways_down(struct merged_sites *m, size_t *frames)
{
    size_t n = m->r->snapshot_count;
    struct site_finder f = {.r = m->r, .samples = {.sites = m->all}};
    struct code_way *all =
        arena_array(&m->scratch, struct code_way, m->all->stack_count + 1);
    f.codes = codes_of(&f);
    for (uint32_t i = 0; i < m->all->stack_count; i++) {
        const struct site_stack *s = &m->all->stacks[i];
        struct code_way *to = &all[i];
        to->len = s->frame_count;
        to->codes = arena_array(&m->scratch, const struct hd_code *, to->len);
        for (size_t k = 0; k < to->len; k++)
            to->codes[k] = &f.codes[s->frames[to->len - 1 - k]];
        to->at = &m->at[i * n];
        to->samples = to->at[m->last];
        to->growth =
            m->first != m->last ? (int64_t)(to->at[m->last] - to->at[m->first]) : 0;
        *frames += to->len;
    }
    return all;
}

/* The subtree of a node ends before the next one at its depth or above. */
static void set_ends(struct method_tree *t)
{
    for (size_t i = 0; i < t->len; i++)
        t->nodes[i].end = i + 1;
    for (size_t i = t->len; i-- > 1;) {
        struct hd_tree_node *parent = &t->nodes[t->nodes[i].parent];
        if (parent->end < t->nodes[i].end)
            parent->end = t->nodes[i].end;
    }
}

static void grow_methods(struct merged_sites *m)
{
    size_t n = m->r->snapshot_count, frames = 0;
    struct code_way *all = ways_down(m, &frames);
    struct method_tree t = {m, arena_array(&m->r->arena, struct hd_tree_node, frames + 2),
                            1};
    uint64_t *none = arena_array(&m->scratch, uint64_t, n);
    uint64_t *sums = arena_array(&m->scratch, uint64_t, n);
    bool any_others = false;
    memcpy(sums, m->others, n * sizeof(*sums));
    for (size_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < m->all->stack_count && sums[k] != HD_UNKNOWN; i++)
            sums[k] += m->at[i * n + k];
    for (size_t k = 0; k < n; k++) {
        any_others |= m->others[k] != HD_UNKNOWN && m->others[k] > 0;
        none[k] = m->others[k] != HD_UNKNOWN ? 0 : HD_UNKNOWN;
    }
    code_ways_walk(all, m->all->stack_count, add_method, &t);
    t.nodes[0] = place_of_samples(m, none, sums);
    t.nodes[0].kind = HD_NODE_HEAP;
    if (any_others) {
        struct hd_tree_node others = place_of_samples(m, m->others, m->others);
        others.kind = HD_NODE_OTHERS;
        others.parent = 0;
        others.depth = 1;
        others.others = 1;
        t.nodes[t.len++] = others;
    }
    set_ends(&t);
    m->r->found.tree = (struct hd_tree){.nodes = t.nodes,
                                        .len = t.len,
                                        .first = m->first,
                                        .last = m->last,
                                        .is_sites = true,
                                        .reachable = tallies_of(m, sums)};
    tree_fold(&m->r->found.tree);
}

bool report_add_tree_of_sites(struct hd_report *r, struct hd_snapshot *const *snaps,
                              struct hd_error *err)
{
    size_t n = r->snapshot_count;
    struct merged_sites m = {.r = r, .first = SIZE_MAX, .per_sample = USUAL_SAMPLE};
    m.at = arena_array(&m.scratch, uint64_t, n * MAX_SITE_STACKS);
    m.others = arena_array(&m.scratch, uint64_t, n);
    site_builder_begin(&m.stacks, &m.scratch);
    for (size_t k = 0; k < n; k++) {
        const struct allocation_sites *sites = leak_sites_of(snaps[k]);
        if (sites == NULL)
            continue;
        m.first = m.first == SIZE_MAX ? k : m.first;
        m.last = k;
        merge_sites(&m, sites, k);
    }
    m.all = site_builder_end(&m.stacks, &(struct allocation_sites){0}, false);
    for (size_t k = 0; k < n; k++) {
        if (leak_sites_of(snaps[k]) != NULL)
            continue;
        m.others[k] = HD_UNKNOWN;
        for (size_t i = 0; i < m.all->stack_count; i++)
            m.at[i * n + k] = HD_UNKNOWN;
    }
    bool ok = m.first != SIZE_MAX ||
              fail(err, HD_USAGE,
                   "no samples of allocations here; `heapdrift watch` and `heapdrift "
                   "collect --count` take them");
    if (ok)
        grow_methods(&m);
    arena_free(&m.scratch);
    return ok;
}
