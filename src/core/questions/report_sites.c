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

/* Sites of a suspect, and stacks of each: all would dominate the size of a page. */
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

/* Returns the next frame above the site with another method, of the program exactly if the
 * site is; or NULL. */
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

/* Samples at a place in code. */
struct code_count {
    const struct hd_code *code; /* may be NULL */
    uint64_t samples;
    size_t first; /* smallest number of a stack with it */
};

static int by_code(const void *a, const void *b)
{
    const struct code_count *x = a, *y = b;
    int order = 0;
    if (x->code != NULL && y->code != NULL)
        order = strcmp(x->code->method, y->code->method);
    if (order == 0)
        order = (x->code > y->code) - (x->code < y->code);
    return order != 0 ? order : (x->first > y->first) - (x->first < y->first);
}

static bool is_more(const struct code_count *a, const struct code_count *b)
{
    return a->samples != b->samples ? a->samples > b->samples : a->first < b->first;
}

static bool is_same_method(const struct hd_code *a, const struct hd_code *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a->method, b->method) == 0);
}

/* Adds up adjacent counts with the same code; returns the number that remains. */
static size_t add_up(struct code_count *all, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        if (len > 0 && all[len - 1].code == all[i].code)
            all[len - 1].samples += all[i].samples;
        else
            all[len++] = all[i];
    return len;
}

/* Returns the line with most samples in the method with most; changes the order. */
static const struct hd_code *most_of(struct code_count *all, size_t count)
{
    struct code_count best = {.code = NULL};
    qsort(all, count, sizeof(*all), by_code);
    count = add_up(all, count);
    for (size_t i = 0, end; i < count; i = end) {
        struct code_count method = all[i], line = all[i];
        for (end = i + 1; end < count && is_same_method(all[end].code, line.code); end++) {
            method.samples += all[end].samples;
            if (all[end].first < method.first)
                method.first = all[end].first;
            if (is_more(&all[end], &line))
                line = all[end];
        }
        method.code = line.code;
        if (i == 0 || is_more(&method, &best))
            best = method;
    }
    return best.code;
}

/* A stack by its site. */
struct stack_site {
    size_t stack, site; /* index of the samples' stacks; of the frame */
    const struct hd_code *code;
};

static int by_method(const void *a, const void *b)
{
    const struct stack_site *x = a, *y = b;
    int order = strcmp(x->code->method, y->code->method);
    return order != 0 ? order : (x->stack > y->stack) - (x->stack < y->stack);
}

/* Sets the line with most samples, and its most frequent caller. */
static void set_codes(struct site_finder *f, struct hd_site *g,
                      const struct suspect_samples *of, const struct stack_site *all,
                      size_t count)
{
    struct code_count *counts = arena_array(&f->scratch, struct code_count, count);
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        counts[i] = (struct code_count){all[i].code, of->stacks[all[i].stack].samples, i};
    g->code = most_of(counts, count);
    for (size_t i = 0; i < count; i++)
        if (all[i].code == g->code)
            counts[len++] = (struct code_count){
                caller_of(f, of->stacks[all[i].stack].stack, all[i].site),
                of->stacks[all[i].stack].samples, i};
    g->caller = most_of(counts, len);
}

/* Makes a group from all stacks with the same method. */
static struct hd_site group_of(struct site_finder *f, const struct suspect_samples *of,
                               const struct stack_site *all, size_t count)
{
    size_t n = f->s->usable_count;
    struct hd_site g = {.stack_count = count < MAX_STACKS ? count : MAX_STACKS};
    uint64_t *at = arena_array(&f->scratch, uint64_t, n);
    struct hd_site_stack *stacks =
        arena_array(&f->r->arena, struct hd_site_stack, MAX_STACKS);
    set_codes(f, &g, of, all, count);
    for (size_t i = 0; i < count; i++) {
        const struct stack_count *s = &of->stacks[all[i].stack];
        if (i < MAX_STACKS)
            set_stack(f, &stacks[i], s);
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
    struct stack_site *all = arena_array(&f->scratch, struct stack_site, of->len);
    struct hd_site *sites = arena_array(&f->r->arena, struct hd_site, of->len);
    for (size_t i = 0; i < of->len; i++) {
        size_t site = site_of(f, of->stacks[i].stack);
        all[i] = (struct stack_site){i, site, code_of(f, of->stacks[i].stack, site)};
    }
    qsort(all, of->len, sizeof(*all), by_method);
    for (size_t i = 0, end; i < of->len; i = end) {
        for (end = i + 1; end < of->len && is_same_method(all[end].code, all[i].code);)
            end++;
        sites[to->site_count++] = group_of(f, of, &all[i], end - i);
    }
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
        f.codes = codes_of_sites(r, f.samples.sites);
        struct suspect_samples *all = count_samples(&f, rows, count);
        for (size_t i = 0; i < count; i++)
            r->diff.suspects[i].allocated =
                allocations_of(&f, &r->diff.suspects[i], &all[i]);
    }
    arena_free(&f.scratch);
}
