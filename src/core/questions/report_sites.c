/* Which code allocated the objects of suspects: the samples of each by the method of the
 * program that made them, and by the ways that lead to it. */
#include "heap/allocation_sites.h"
#include "questions/report_suspects.h"
#include "ranking/leak_samples.h"
#include "report/text_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one sample stands for where no file says it: runtimes report one in 100 KB. */
enum { USUAL_SAMPLE = 102400 };

struct site_finder {
    struct hd_report *r;
    const struct series *s;
    struct leak_samples samples;
    const struct hd_code *codes; /* by frame of the sites, in the report's arena */
    struct arena scratch;
};

/* The samples of one suspect with one stack. */
struct stack_count {
    uint32_t stack;
    uint64_t samples;
    uint64_t *at; /* per usable snapshot */
};

/* Those of one suspect. */
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

/* The innermost frame of the program; 0 if there is none. */
static size_t site_of(const struct site_finder *f, uint32_t stack)
{
    const struct site_stack *s = stack_of(f, stack);
    for (size_t i = 0; i < s->frame_count; i++)
        if (code_of(f, stack, i)->is_own)
            return i;
    return 0;
}

/* The next one of the program above it, or where there is none of it at all the next one;
 * another method. NULL: it has none. */
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

/* Values of usable snapshots as values of all: of the first nothing is known. */
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

/* Stacks of one method, those with most samples first. They are marked in done. */
static struct hd_site group_of(struct site_finder *f, const struct suspect_samples *of,
                               size_t first, bool *done)
{
    const struct stack_count *most = &of->stacks[first];
    size_t site = site_of(f, most->stack), n = f->s->usable_count;
    struct hd_site g = {.code = code_of(f, most->stack, site),
                        .caller = caller_of(f, most->stack, site)};
    uint64_t *at = arena_array(&f->scratch, uint64_t, n);
    struct hd_site_stack *stacks =
        arena_array(&f->r->arena, struct hd_site_stack, of->len - first);
    for (size_t i = first; i < of->len; i++) {
        const struct stack_count *s = &of->stacks[i];
        if (done[i] ||
            strcmp(code_of(f, s->stack, site_of(f, s->stack))->method, g.code->method) != 0)
            continue;
        done[i] = true;
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
    to->sites = sites;
}

/* --- the tree ------------------------------------------------------------------------ */

/* Frames of a stack that are shown: the innermost, and those of the program; without any
 * the innermost few. */
enum { WITHOUT_OWN = 5 };

struct shown_stack {
    const struct hd_code *codes[MAX_STACK_FRAMES];
    size_t len;
    uint64_t samples;
    const uint64_t *at;
};

static struct shown_stack shown_of(const struct site_finder *f,
                                   const struct stack_count *from)
{
    struct shown_stack to = {.samples = from->samples, .at = from->at};
    size_t count = stack_of(f, from->stack)->frame_count;
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= code_of(f, from->stack, i)->is_own;
    for (size_t i = 0; i < count; i++) {
        const struct hd_code *c = code_of(f, from->stack, i);
        bool repeats = to.len > 0 && to.codes[to.len - 1] == c;
        if (!repeats && (i == 0 || c->is_own || (!any && i < WITHOUT_OWN)))
            to.codes[to.len++] = c;
    }
    return to;
}

static int by_code(const struct hd_code *x, const struct hd_code *y)
{
    int order = strcmp(x->method, y->method);
    if (order == 0)
        order = strcmp(x->file != NULL ? x->file : "", y->file != NULL ? y->file : "");
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_codes(const void *a, const void *b)
{
    const struct shown_stack *x = a, *y = b;
    for (size_t i = 0; i < x->len && i < y->len; i++) {
        int order = x->codes[i] != y->codes[i] ? by_code(x->codes[i], y->codes[i]) : 0;
        if (order != 0)
            return order;
    }
    return (x->len > y->len) - (x->len < y->len);
}

/* Stacks from first to end share their first `depth` frames: how many of them share the
 * next one, too. */
static size_t end_of_branch(const struct shown_stack *all, size_t first, size_t end,
                            size_t depth)
{
    size_t i = first + 1;
    while (i < end && all[i].len > depth &&
           by_code(all[i].codes[depth], all[first].codes[depth]) == 0)
        i++;
    return i;
}

struct branch {
    size_t first, end; /* stacks */
    size_t from;       /* their frames from here on are the node and what is above */
    unsigned depth;
    uint64_t samples;
};

static int by_branch(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

/* What lies below a node, as branches with most samples first; they may be none. */
static size_t branches_of(const struct shown_stack *all, const struct branch *of,
                          size_t depth, struct branch *to)
{
    size_t count = 0, i = of->first;
    while (i < of->end && all[i].len <= depth)
        i++;
    while (i < of->end) {
        size_t end = end_of_branch(all, i, of->end, depth);
        struct branch b = {.first = i, .end = end, .from = depth};
        for (; i < end; i++)
            b.samples += all[i].samples;
        to[count++] = b;
    }
    if (count > 1)
        qsort(to, count, sizeof(*to), by_branch);
    return count;
}

/* Appends a node with all frames that its stacks share; returns how many those are, from
 * the innermost on. */
static size_t add_node(struct site_finder *f, struct hd_allocations *to,
                       struct hd_site_node *nodes, const struct shown_stack *all,
                       const struct branch *b, bool has_intervals)
{
    const struct shown_stack *first = &all[b->first];
    size_t depth = b->from + 1, n = f->s->usable_count;
    while (depth < first->len && end_of_branch(all, b->first, b->end, depth) == b->end)
        depth++;
    struct hd_code *codes = arena_array(&f->r->arena, struct hd_code, depth - b->from);
    uint64_t *at = arena_array(&f->scratch, uint64_t, n);
    for (size_t i = b->from; i < depth; i++)
        codes[i - b->from] = *first->codes[i];
    for (size_t i = b->first; i < b->end; i++)
        for (size_t k = 0; k < n; k++)
            at[k] += all[i].at[k];
    nodes[to->node_count++] =
        (struct hd_site_node){.depth = b->depth,
                              .codes = codes,
                              .code_count = depth - b->from,
                              .samples = b->samples,
                              .at = has_intervals ? spread_samples(f, at) : NULL};
    return depth;
}

/* In preorder, without recursion: branches that wait stand on a stack, the next one on
 * top. A stack of frames gives two nodes at most where it parts from others. */
static void add_tree(struct site_finder *f, struct hd_allocations *to,
                     const struct suspect_samples *of)
{
    size_t room = 2 * of->len + 2, waiting = 0;
    struct shown_stack *all = arena_array(&f->scratch, struct shown_stack, of->len + 1);
    struct hd_site_node *nodes = arena_array(&f->r->arena, struct hd_site_node, room);
    struct branch *stack = arena_array(&f->scratch, struct branch, room);
    struct branch *below = arena_array(&f->scratch, struct branch, of->len + 1);
    for (size_t i = 0; i < of->len; i++)
        all[i] = shown_of(f, &of->stacks[i]);
    if (of->len > 0)
        qsort(all, of->len, sizeof(*all), by_codes);
    struct branch whole = {.end = of->len};
    size_t count = branches_of(all, &whole, 0, below), depth;
    unsigned next = 0;
    for (;;) {
        for (size_t i = count; i-- > 0;) {
            stack[waiting] = below[i];
            stack[waiting++].depth = next;
        }
        if (waiting == 0)
            break;
        struct branch b = stack[--waiting];
        depth = add_node(f, to, nodes, all, &b, of->without_interval == 0);
        count = branches_of(all, &b, depth, below);
        next = b.depth + 1;
    }
    to->nodes = nodes;
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

/* Of ENOUGH times what a sample stands for one is nearly sure to be made: 98 of 100. */
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

/* --- all of it -------------------------------------------------------------------------
 */

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
                                  .grown = gained(f, s),
                                  .wait_seconds = HD_UNKNOWN};
    if (of->samples == 0) {
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

/* Strings in the report's arena, once for each frame. */
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

void report_add_sites(struct hd_report *r, const struct suspect_rows *rows)
{
    const struct series *s = rows->s;
    struct hd_snapshot *snaps[SERIES_MAX_SNAPSHOTS];
    size_t count = report_rows(r, r->diff.suspect_count);
    struct site_finder f = {.r = r, .s = s};
    for (size_t i = 0; i < s->usable_count; i++)
        snaps[i] = s->snaps[s->usable[i]];
    if (count > 0)
        f.samples = leak_samples_of(rows->tree, rows->births, snaps, &f.scratch);
    if (f.samples.sites != NULL) {
        f.codes = codes_of(&f);
        struct suspect_samples *all = count_samples(&f, rows, count);
        for (size_t i = 0; i < count; i++)
            r->diff.suspects[i].allocated =
                allocations_of(&f, &r->diff.suspects[i], &all[i]);
    }
    arena_free(&f.scratch);
}
