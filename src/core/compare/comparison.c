#include "compare/comparison.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/workers.h"
#include "digest/digest_build.h"
#include "format/open.h"
#include "format/snapshot_writer.h"
#include "heap/borrow.h"
#include "heap/builder.h"
#include "heap/snapshot.h"
#include "heapdrift.h"
#include "owners/holders.h"
#include "owners/retained.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* --- plans ------------------------------------------------------------------ */

/* Decide how many graphs are in memory and worked on concurrently.
 *
 * Decided before any graph is touched, from the numbers of objects and references and from
 * the memory limit (hd_read_options.max_memory). Affects time only: answers never depend on
 * it, and if not even one snapshot fits, that is an error and not a smaller answer, since
 * free memory differs from run to run. */

/* Returns the bytes for finding dominators and the path of each object: at most 24 and 4
 * bytes per object, 12 per reference that is not an edge of a depth-first tree. Plus some
 * for data next to them, and with an upper bound of the references. */
uint64_t plan_dominators(uint64_t objects, uint64_t references)
{
    enum { PER_OBJECT = 34, PER_REFERENCE = 12 };
    uint64_t others = references > objects ? references - objects : 0;
    return objects * PER_OBJECT + others * PER_REFERENCE;
}

uint64_t plan_walk(uint64_t objects, uint64_t references)
{
    enum { PER_OBJECT = 12 };
    (void)references;
    return objects * PER_OBJECT;
}

/* Returns the bytes needed in addition to the graph: by the work, or earlier by the
 * reader. */
static uint64_t work_on(const struct hd_snapshot *snap, plan_work *work)
{
    uint64_t bytes = work(snap->node_count, snap->edge_count);
    uint64_t most = snap->graph == NULL ? snap->reading_bytes : 0;
    return most > snap->graph_bytes + bytes ? most - snap->graph_bytes : bytes;
}

static int descending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Returns the largest number n of snapshots, up to most, such that any n fit together in
 * limit (0: unlimited); at least 1. */
static unsigned fit_together(const uint64_t *needs, size_t count, unsigned most,
                             uint64_t limit)
{
    uint64_t sum = 0;
    unsigned usable = 0;
    while (usable < most && usable < count && (limit == 0 || needs[usable] <= limit - sum))
        sum += needs[usable++];
    return usable > 0 ? usable : 1;
}

/* Returns the memory that the graphs at work leave over. Always at least a little, as for
 * readers: the need of ordinary heaps. */
static uint64_t left_over(const struct plan *plan, const uint64_t *needs, uint64_t graphs,
                          uint64_t largest, uint64_t limit)
{
    enum { ALWAYS = 16 << 20 };
    uint64_t used = graphs + largest;
    if (limit == 0)
        return UINT64_MAX;
    if (!plan->keep) {
        used = 0;
        for (unsigned i = 0; i < plan->at_once; i++)
            used += needs[i];
    }
    return (used < limit ? limit - used : 0) + ALWAYS;
}

static bool too_big(const struct hd_snapshot *snap, size_t k, uint64_t need, uint64_t limit,
                    struct hd_error *err)
{
    char what[80];
    snprintf(what, sizeof(what), "analyzing its graph of %" PRIu32 " objects",
             snap->node_count);
    if (err != NULL && err->status == HD_OK)
        err->snapshot = (unsigned)k + 1;
    return fail_memory(err, what, need, limit);
}

/* used: bytes of the limit that others hold. */
static bool plan_beside(struct plan *plan, struct hd_snapshot *const *snaps, size_t count,
                        plan_work *work, const struct hd_read_options *how, uint64_t used,
                        struct hd_error *err)
{
    uint64_t all = how->max_memory, limit = all > used ? all - used : all > 0;
    uint64_t graphs = 0, held = 0, largest = 0, more = 0;
    uint64_t *needs = alloc_zeroed(array_bytes(count + 1, sizeof(*needs)));
    bool ok = true;
    for (size_t k = 0; ok && k < count; k++) {
        uint64_t graph = snaps[k]->graph_bytes, extra = work_on(snaps[k], work);
        needs[k] = graph + extra;
        graphs += graph;
        held += snaps[k]->graph != NULL ? graph : 0;
        largest = extra > largest ? extra : largest;
        extra += snaps[k]->graph == NULL ? graph : 0;
        more = extra > more ? extra : more;
        if (limit > 0 && needs[k] > limit)
            ok = too_big(snaps[k], k, used + needs[k], all, err);
    }
    if (ok && count > 0)
        qsort(needs, count, sizeof(*needs), descending);
    unsigned most = how->threads > 0 ? how->threads : 1;
    plan->at_once = fit_together(needs, count, most, limit);
    largest *= plan->at_once;
    plan->keep = limit == 0 || (graphs <= limit && largest <= limit - graphs);
    plan->left = count > 0 ? left_over(plan, needs, graphs, largest, limit) : UINT64_MAX;
    free(needs);
    more *= plan->at_once;
    bool crowded = limit > 0 && (held > limit || more > limit - held);
    for (size_t k = plan->at_once; ok && crowded && k < count; k++)
        snapshot_release_graph(snaps[k]);
    return ok;
}

bool plan_graphs(struct plan *plan, struct hd_snapshot *const *snaps, size_t count,
                 plan_work *work, const struct hd_read_options *how, struct hd_error *err)
{
    return plan_beside(plan, snaps, count, work, how, 0, err);
}

/* --- opening files ------------------------------------------------------------------- */

/* Open several snapshots, several at a time, within a limit of memory.
 *
 * It decides which graphs stay until the first question: no file is read twice if there is
 * room. It does not know what the questions are. */

/* Which thread opens which entry does not matter: each has its own place. */
struct input_opener {
    struct hd_info_entry *entries;
    const struct hd_input *inputs;
    size_t count;
    const struct hd_read_options *how;
    size_t at_once;
    unsigned each; /* threads for one file: what files side by side leave over */
    pthread_mutex_t lock;
    uint64_t kept; /* bytes of graphs that wait for a question */
};

/* Returns the memory for graphs that wait: half of the limit, the other half is for
 * reading; with one file at a time, the memory of the waiting graphs. */
static uint64_t for_waiting(const struct input_opener *o)
{
    uint64_t most = o->how->max_memory;
    return o->at_once > 1 || o->kept >= most ? most / 2 : o->kept;
}

/* Keeps a graph if there is room, so that no file is read twice. */
static void keep_or_drop(struct input_opener *o, size_t i)
{
    struct hd_info_entry *entry = &o->entries[i];
    uint64_t bytes = entry->snap->graph != NULL ? entry->snap->graph_bytes : 0;
    uint64_t limit = o->how->max_memory;
    pthread_mutex_lock(&o->lock);
    bool keep = limit == 0 || o->kept + bytes <= limit / 2;
    o->kept += keep ? bytes : 0;
    pthread_mutex_unlock(&o->lock);
    if (!keep)
        snapshot_release_graph(entry->snap);
}

static bool may_be_skipped(const struct hd_input *input, const struct hd_error *err)
{
    return input->from_folder &&
           (err->status == HD_NOT_A_SNAPSHOT || err->status == HD_UNSUPPORTED);
}

static bool open_one(void *context, size_t i)
{
    struct input_opener *o = context;
    struct hd_info_entry *entry = &o->entries[i];
    struct hd_read_options how = *o->how;
    *entry = (struct hd_info_entry){.path = o->inputs[i].path, .error = o->inputs[i].error};
    if (entry->error.status != HD_OK) {
        entry->skipped = may_be_skipped(&o->inputs[i], &entry->error);
        return true;
    }
    if (how.max_memory > 0) {
        how.max_memory = (how.max_memory - for_waiting(o)) / o->at_once;
        how.max_memory += how.max_memory == 0; /* which would be without a limit */
    }
    how.threads = o->each;
    if (how.file != NULL)
        how.file(how.progress_context, i, entry, false);
    const struct hd_input *in = &o->inputs[i];
    how.zip = in->zip;
    entry->snap = in->bytes != NULL ? snapshot_open_memory(in->path, in->bytes, in->size,
                                                           &how, &entry->error)
                                    : hd_snapshot_open(in->path, &how, &entry->error);
    if (entry->snap != NULL) {
        entry->snap->may_drop = o->count > 1;
        entry->snap->beside = (unsigned)o->count;
        entry->snap->is_ordered = in->is_ordered;
        entry->snap->has_no_order = in->has_no_order;
        keep_or_drop(o, i);
    } else {
        entry->skipped = may_be_skipped(&o->inputs[i], &entry->error);
    }
    if (how.file != NULL)
        how.file(how.progress_context, i, entry, true);
    return true;
}

/* Opens files that were too large for a share of the memory again with the whole memory,
 * one after the other. */
static void open_large_ones_again(struct input_opener *o)
{
    if (o->at_once == 1 && o->kept == 0)
        return;
    bool dropped = false;
    o->at_once = 1;
    for (size_t i = 0; i < o->count; i++) {
        struct hd_info_entry *entry = &o->entries[i];
        if (entry->error.status != HD_TOO_BIG || strcmp(entry->path, "-") == 0)
            continue;
        for (size_t k = 0; !dropped && k < o->count; k++)
            if (o->entries[k].snap != NULL)
                snapshot_release_graph(o->entries[k].snap);
        dropped = true;
        o->kept = 0;
        open_one(o, i);
        if (entry->snap != NULL)
            snapshot_release_graph(entry->snap);
    }
}

/* --- making one ----------------------------------------------------------- */

static struct hd_comparison *comparison_new(const struct hd_read_options *how)
{
    struct hd_comparison *c = alloc_zeroed(sizeof(*c));
    read_options_copy(&c->how, how, &c->refused);
    pthread_mutex_init(&c->asked, NULL);
    return c;
}

static void collect_snapshots(struct hd_comparison *c)
{
    c->snaps = arena_array(&c->arena, struct hd_snapshot *, c->entry_count);
    for (size_t i = 0; i < c->entry_count; i++)
        if (c->entries[i].snap != NULL)
            c->snaps[c->count++] = c->entries[i].snap;
}

/* True if some files name static variables by their class, and others cannot. */
static bool names_differ(const struct hd_input *inputs, size_t count,
                         const struct hd_read_options *how)
{
    bool by_class = false, by_type = false;
    for (size_t i = 0; count > 1 && i < count; i++) {
        if (inputs[i].error.status != HD_OK || inputs[i].bytes != NULL)
            continue;
        struct hd_read_options one = *how;
        one.zip = inputs[i].zip;
        enum static_names names = snapshot_static_names(inputs[i].path, &one);
        by_class |= names == STATICS_BY_CLASS;
        by_type |= names == STATICS_BY_TYPE;
    }
    return by_class && by_type;
}

static void claim_what_is_missed(struct input_opener *o)
{
    bool *skipped = alloc_zeroed(o->count + 1);
    for (size_t i = 0; i < o->count; i++)
        skipped[i] = o->entries[i].skipped;
    hd_inputs_claim(o->inputs, o->count, skipped);
    for (size_t i = 0; i < o->count; i++)
        o->entries[i].skipped = skipped[i];
    free(skipped);
}

/* Opens every input into the entry of its number. A file that cannot be opened leaves an
 * error in its entry; other files of a folder are skipped. */
static void open_all(struct hd_info_entry *entries, const struct hd_input *inputs,
                     size_t count, const struct hd_read_options *how)
{
    struct input_opener o = {
        .entries = entries, .inputs = inputs, .count = count, .how = how};
    unsigned threads = how->threads > 0 ? how->threads : 1;
    o.at_once = count < threads ? (count > 0 ? count : 1) : threads;
    o.each = threads / (unsigned)o.at_once;
    pthread_mutex_init(&o.lock, NULL);
    workers_run(count, (unsigned)o.at_once, open_one, &o);
    open_large_ones_again(&o);
    claim_what_is_missed(&o);
    pthread_mutex_destroy(&o.lock);
}

struct hd_comparison *hd_comparison_open(const struct hd_input *inputs, size_t count,
                                         const struct hd_read_options *how)
{
    struct hd_comparison *c = comparison_new(how);
    c->owns = true;
    c->entries = arena_array(&c->arena, struct hd_info_entry, count);
    c->entry_count = count;
    if (names_differ(inputs, count, &c->how))
        c->how.plain_names = true;
    open_all(c->entries, inputs, count, &c->how);
    collect_snapshots(c);
    snapshots_borrow_names(c->snaps, c->count);
    return c;
}

struct hd_comparison *hd_comparison_of(struct hd_snapshot *const *snaps, size_t count,
                                       const struct hd_read_options *how)
{
    struct hd_comparison *c = comparison_new(how);
    c->entries = arena_array(&c->arena, struct hd_info_entry, count);
    c->entry_count = count;
    for (size_t i = 0; i < count; i++)
        c->entries[i] =
            (struct hd_info_entry){.path = snaps[i]->info.path, .snap = snaps[i]};
    collect_snapshots(c);
    return c;
}

static void free_holders(struct hd_comparison *c, struct hd_snapshot **holders)
{
    for (size_t k = 0; holders != NULL && k < c->count; k++)
        snapshot_free(holders[k]);
}

void hd_comparison_free(struct hd_comparison *c)
{
    if (c == NULL)
        return;
    for (int selection = 0; selection < SELECTIONS; selection++) {
        ownership_free(c->owned[selection]);
        free_holders(c, c->holders[selection]);
    }
    for (size_t i = 0; c->owns && i < c->entry_count; i++)
        snapshot_free(c->entries[i].snap);
    pthread_mutex_destroy(&c->asked);
    arena_free(&c->arena);
    free(c);
}

const struct hd_info_entry *hd_comparison_entries(const struct hd_comparison *c,
                                                  size_t *count)
{
    *count = c->entry_count;
    return c->entries;
}

struct hd_snapshot *hd_comparison_snapshot(const struct hd_comparison *c, size_t k)
{
    return k < c->count ? c->snaps[k] : NULL;
}

bool comparison_leaves_garbage(const struct hd_comparison *c)
{
    bool garbage = false, all_tell = true;
    for (size_t k = 0; k < c->count; k++) {
        const struct hd_snapshot *snap = c->snaps[k];
        garbage |= snap->info.holds_garbage;
        all_tell &= snap->info.has_owners && !snap->read.tables_only;
    }
    return garbage && all_tell;
}

/* --- questions ------------------------------------------------------------ */

bool comparison_begin(struct hd_comparison *c, struct hd_error *err)
{
    if (c->refused.status != HD_OK)
        return fail(err, c->refused.status, "%s", c->refused.message);
    for (size_t i = 0; i < c->entry_count; i++) {
        const struct hd_info_entry *entry = &c->entries[i];
        if (entry->snap != NULL || entry->skipped)
            continue;
        if (err == NULL || err->status != HD_OK)
            return false;
        *err = entry->error;
        return comparison_blame(err, i);
    }
    comparison_begin_any(c);
    return true;
}

void comparison_begin_any(struct hd_comparison *c)
{
    pthread_mutex_lock(&c->asked);
}

void comparison_end(struct hd_comparison *c)
{
    dominators_free(&c->found);
    pthread_mutex_unlock(&c->asked);
}

void comparison_report_progress(const struct hd_comparison *c, enum hd_phase phase,
                                uint64_t more, uint64_t all)
{
    if (c->how.progress != NULL)
        c->how.progress(c->how.progress_context, phase, more, all);
}

bool comparison_blame(struct hd_error *err, size_t k)
{
    if (err != NULL && err->snapshot == 0)
        err->snapshot = (unsigned)k + 1;
    return false;
}

/* Returns the bytes that callers and earlier answers hold in addition to graphs. */
static uint64_t kept_by(const struct hd_comparison *c)
{
    uint64_t kept = c->reserved;
    for (int selection = 0; selection < SELECTIONS; selection++) {
        const struct ownership *o = c->owned[selection];
        for (size_t i = 0; o != NULL && i < o->usable_count; i++)
            if (o->tree.full[i].at_node != NULL)
                kept += ownership_node_bytes(c->snaps[o->usable[i]]);
    }
    return kept;
}

/* --- work on graphs -------------------------------------------------------- */

struct graph_run {
    struct graph_work *w;
    struct hd_error errors[HD_MAX_SNAPSHOTS];
};

static bool work_on_one(void *context, size_t i)
{
    struct graph_run *r = context;
    struct graph_work *w = r->w;
    struct hd_snapshot *snap = w->c->snaps[w->indexes[i]];
    if (!w->on(w->context, i, snap, &r->errors[i]))
        return false;
    bool again = w->wants_again == NULL || w->wants_again(w->context, i);
    if (i + 1 < w->count && !(w->plan.keep && again))
        snapshot_release_graph(snap);
    return true;
}

static bool works_on(const struct graph_work *w, size_t k)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->indexes[i] == k)
            return true;
    return false;
}

/* The caller's error may hold an earlier failure, which does not concern this plan. */
static bool plan_work_on(struct graph_work *w, struct hd_error *err)
{
    struct hd_snapshot *snaps[HD_MAX_SNAPSHOTS];
    struct hd_error own = {0};
    for (size_t i = 0; i < w->count; i++)
        snaps[i] = w->c->snaps[w->indexes[i]];
    /* In use: pinned graphs of other snapshots, too. */
    const struct hd_comparison *c = w->c;
    uint64_t held = kept_by(c);
    for (size_t k = 0; k < c->count; k++)
        if (c->snaps[k]->pins > 0 && !works_on(w, k))
            held += c->snaps[k]->graph_bytes;
    if (plan_beside(&w->plan, snaps, w->count, w->work, &c->how, held, &own))
        return true;
    if (err == NULL || err->status != HD_OK)
        return false;
    *err = own;
    err->snapshot = (unsigned)w->indexes[own.snapshot - 1] + 1;
    return false;
}

bool comparison_work(struct graph_work *w, struct hd_error *err)
{
    struct graph_run r = {.w = w};
    assert(w->count <= HD_MAX_SNAPSHOTS);
    if (!plan_work_on(w, err))
        return false;
    workers_run(w->count, w->plan.at_once, work_on_one, &r);
    for (size_t i = 0; i < w->count; i++) {
        if (r.errors[i].status == HD_OK)
            continue;
        if (err == NULL || err->status != HD_OK)
            return false;
        *err = r.errors[i];
        err->snapshot = 0;
        return comparison_blame(err, w->indexes[i]);
    }
    return true;
}

/* --- what others hold -------------------------------------------------------- */

static uint64_t held_by(const struct hd_comparison *c)
{
    uint64_t held = kept_by(c);
    for (size_t k = 0; k < c->count; k++)
        held += c->snaps[k]->graph != NULL ? c->snaps[k]->graph_bytes : 0;
    return held;
}

bool comparison_reserve(struct hd_comparison *c, uint64_t bytes, const char *what,
                        struct hd_error *err)
{
    uint64_t limit = c->how.max_memory, held = held_by(c);
    if (limit > 0 && (held > limit || bytes > limit - held)) {
        for (size_t k = 0; k < c->count; k++)
            snapshot_release_graph(c->snaps[k]);
        held = held_by(c);
    }
    if (limit > 0 && (held > limit || bytes > limit - held))
        return fail_memory(err, what, held + bytes, limit);
    c->reserved += bytes;
    return true;
}

void comparison_unreserve(struct hd_comparison *c, uint64_t bytes)
{
    c->reserved -= bytes;
}

/* --- what is kept ----------------------------------------------------------- */

const struct ownership *comparison_ownership(struct hd_comparison *c,
                                             const struct series *s,
                                             enum ownership_fields fields,
                                             bool all_chains_follow, struct hd_error *err)
{
    struct ownership **kept = &c->owned[s->selection];
    size_t last = s->usable[s->usable_count - 1];
    if (*kept != NULL && ownership_fits(*kept, s, fields)) {
        if (snapshot_need_graph(c->snaps[last], err))
            return *kept;
        comparison_blame(err, last);
        return NULL;
    }
    ownership_free(*kept);
    *kept = NULL;
    *kept = ownership_of(c, s, fields, all_chains_follow, err);
    return *kept;
}

bool comparison_cohorts(struct hd_comparison *c, const struct series *s,
                        const struct cohorts **cohorts, struct hd_error *err)
{
    struct ownership *o = c->owned[s->selection];
    size_t last = s->usable[s->usable_count - 1];
    if (!ownership_need_cohorts(c, o, s, err))
        return false;
    *cohorts = o->cohorts.source != HD_SAME_UNKNOWN ? &o->cohorts : NULL;
    return snapshot_need_graph(c->snaps[last], err) || comparison_blame(err, last);
}

struct holder_builder {
    enum selection selection;
    const struct holder_parts *parts;
    struct hd_snapshot **holders;
    struct hd_snapshot **of_parts; /* parts->count for each snapshot */
    const struct graph_work *work;
};

/* Bytes of a holder as a row, with its name and its path, and of its row in a series. */
enum { PER_HOLDER = 1024 };

static bool too_many_holders(const struct holder_builder *h, const struct hd_snapshot *snap,
                             struct hd_error *err)
{
    uint64_t limit = h->work->c->how.max_memory;
    uint64_t all = (uint64_t)snap->node_count * h->work->count;
    return fail_memory(err, "telling this many holders apart", limit + all * PER_HOLDER,
                       limit);
}

static bool hold_one(void *context, size_t k, struct hd_snapshot *snap,
                     struct hd_error *err)
{
    struct holder_builder *h = context;
    if (!snap->info.has_roots || snap->read.tables_only)
        return fail_about(
            err, HD_ABOUT_HOLDERS, HD_USAGE,
            "needs a graph with roots, which this snapshot lacks or which was not read");
    if (!snapshot_need_reach(snap, err) || !series_can_select(snap, h->selection, err) ||
        !snapshot_need_graph(snap, err))
        return false;
    size_t parts = h->parts != NULL ? h->parts->count : 0;
    uint64_t most = h->work->plan.left / h->work->count / PER_HOLDER;
    h->holders[k] =
        holders_of(snap, h->selection, h->parts, parts > 0 ? &h->of_parts[k * parts] : NULL,
                   most < snap->node_count ? (size_t)most + 1 : 0);
    return h->holders[k] != NULL || too_many_holders(h, snap, err);
}

struct hd_snapshot *const *comparison_holder_parts(struct hd_comparison *c,
                                                   enum selection selection,
                                                   const struct holder_parts *parts,
                                                   struct hd_snapshot **of_parts,
                                                   struct hd_error *err)
{
    struct holder_builder h = {
        .selection = selection, .parts = parts, .of_parts = of_parts};
    size_t all[HD_MAX_SNAPSHOTS] = {0};
    assert(c->count <= HD_MAX_SNAPSHOTS);
    for (size_t k = 0; k < c->count; k++)
        all[k] = k;
    h.holders = arena_array(&c->arena, struct hd_snapshot *, c->count);
    struct graph_work w = {.c = c,
                           .indexes = all,
                           .count = c->count,
                           .work = plan_dominators,
                           .on = hold_one,
                           .context = &h};
    h.work = &w;
    if (!comparison_work(&w, err)) {
        free_holders(c, h.holders);
        return NULL;
    }
    free_holders(c, c->holders[selection]);
    c->holders[selection] = h.holders;
    return h.holders;
}

struct hd_snapshot *const *
comparison_holders(struct hd_comparison *c, enum selection selection, struct hd_error *err)
{
    return c->holders[selection] != NULL
               ? c->holders[selection]
               : comparison_holder_parts(c, selection, NULL, NULL, err);
}

const uint64_t *comparison_retained(struct hd_comparison *c, bool with_owners,
                                    struct hd_error *err)
{
    struct hd_snapshot *snap = c->snaps[c->count - 1];
    if (c->retained_by_type != NULL)
        return c->retained_by_type;
    if (snap->digest != NULL)
        return snap->digest->retained;
    struct plan plan;
    if (!snapshot_need_graph(snap, err) ||
        (snap->graph != NULL &&
         !plan_graphs(&plan, &snap, 1, plan_dominators, &c->how, err)))
        return NULL;
    if (snap->graph == NULL)
        return NULL;
    uint64_t all = snap->node_count;
    comparison_report_progress(c, HD_FINDING_OWNERS, 0, all);
    bool both = with_owners && !snap->info.sampled;
    struct dominators d =
        dominators_find(snap, both ? DOMINATORS_OF_BOTH : DOMINATORS_PLAIN);
    reach_given(snap, d.node, d.count);
    comparison_report_progress(c, HD_FINDING_OWNERS, all - all / 4, all);
    c->retained_by_type = retained_by_type(&d, snap, &c->arena);
    if (both)
        c->found = d;
    else
        dominators_free(&d);
    return c->retained_by_type;
}

/* --- writing ------------------------------------------------------------------------- */

/* Write a snapshot in another format. A digest is made from results of analyses, which are
 * computed first; for all else see format/snapshot_writer.h. */

/* The digest must not be mistaken for one that was read: it is dropped after writing. */
static bool write_built(struct hd_snapshot *snap, const struct snapshot_writer *w,
                        struct hd_sink to, struct hd_losses *lost, struct hd_error *err)
{
    struct plan plan;
    uint64_t sum;
    if (!snapshot_need_graph(snap, err) ||
        !plan_graphs(&plan, &snap, 1, plan_dominators, &snap->read, err))
        return false;
    struct arena scratch = {0};
    snap->digest = digest_build(snap, &scratch);
    if (snapshot_checksum(snap, &sum))
        snap->digest->source_xxh3 = sum;
    bool ok = snapshot_write(snap, w, to, lost, err);
    snap->digest = NULL;
    arena_free(&scratch);
    return ok;
}

bool hd_snapshot_write(struct hd_snapshot *snap, const char *target, struct hd_sink to,
                       struct hd_losses *lost, struct hd_error *err)
{
    const struct snapshot_writer *w = snapshot_writer_named(target);
    if (w == NULL)
        return fail(err, HD_USAGE, "unknown target format: %s", target);
    bool must_build_digest = (w->holds & FACT_OWNERS) && snap->digest == NULL &&
                             snap->info.has_graph && !snap->read.tables_only;
    return must_build_digest ? write_built(snap, w, to, lost, err)
                             : snapshot_write(snap, w, to, lost, err);
}

/* --- chains ----------------------------------------------------------------- */

/* Find root chains in several snapshots of a comparison in parallel.
 *
 * The caller chooses the snapshots and the instances in each; this file manages the graphs,
 * the walks and the memory. Must not depend on the purpose of the chains. */

/* Bytes of a chain of an exact answer, and of the search for it. */
enum { PER_CHAIN = 384 };

static bool too_many_chains(const struct series_chains *s, struct hd_error *err)
{
    uint64_t limit = s->c->how.max_memory;
    return fail_memory(err, "counting all instances by chain",
                       limit + s->objects * PER_CHAIN, limit);
}

static bool search_in(void *context, size_t place, struct hd_snapshot *snap,
                      struct hd_error *err)
{
    struct series_chains *s = context;
    struct arena *scratch = &s->scratch[place];
    struct chain_question ask = {.queries = s->queries, .selection = s->selection};
    if (!s->ask(s->context, place, snap, &ask, scratch)) {
        s->answers[place] = arena_array(scratch, struct chains, s->queries);
        return true;
    }
    if (!snapshot_need_graph(snap, err))
        return false;
    bool digest = snap->digest != NULL && snap->digest->places.len > 0;
    if ((snap->graph == NULL && !digest) || !snap->info.has_roots)
        return true;
    if (digest && s->how.exact)
        return fail(err, HD_USAGE,
                    "a digest has chains of a sample only; an exact answer needs the "
                    "original snapshot");
    ask.role_of_type = owner_roles(&s->types, snap, scratch);
    struct arena of_walk = {0};
    struct chain_options how = s->how;
    uint64_t most = s->work->plan.left / s->count / PER_CHAIN;
    how.most = most < snap->node_count ? (size_t)most + 1 : 0;
    struct walk walk = {0};
    if (!digest)
        walk = walk_graph(snap, &of_walk);
    s->answers[place] = chains_find(snap, &walk, &ask, &how, scratch);
    arena_free(&of_walk);
    comparison_report_progress(s->c, HD_FINDING_CHAINS, snap->node_count, s->objects);
    return s->answers[place] != NULL || too_many_chains(s, err);
}

bool series_chains_find(struct series_chains *s, struct hd_error *err)
{
    struct graph_work w = {.c = s->c,
                           .indexes = s->indexes,
                           .count = s->count,
                           .work = plan_walk,
                           .on = search_in,
                           .context = s};
    s->work = &w;
    for (size_t place = 0; place < s->count; place++)
        s->objects += s->c->snaps[s->indexes[place]]->node_count;
    comparison_report_progress(s->c, HD_FINDING_CHAINS, 0, s->objects);
    return comparison_work(&w, err);
}

void series_chains_free(struct series_chains *s)
{
    owner_types_free(&s->types);
    for (size_t place = 0; place < s->count; place++)
        arena_free(&s->scratch[place]);
}
