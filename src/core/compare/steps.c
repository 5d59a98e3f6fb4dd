/* Find surviving objects, and owners, step by step of a series. */
#include "compare/steps.h"

#include "base/error.h"
#include "compare/comparison.h"
#include "format/open.h"
#include "heap/snapshot.h"
#include "identity/same.h"

#include <stdlib.h>
#include <string.h>

static const char *obstacle_of_series(const struct series *s)
{
    if (s->usable_count < 2)
        return "fewer than two of the snapshots can be compared";
    if (s->restarted || s->out_of_order)
        return "the snapshots are not from one process, in order of time";
    return s->has_repeats ? "one snapshot is given twice" : NULL;
}

bool steps_are_of_digests(const struct series *s)
{
    bool all = obstacle_of_series(s) == NULL;
    for (size_t i = 0; all && i < s->usable_count; i++) {
        const struct hd_snapshot *snap = s->snaps[s->usable[i]];
        all = snap->digest != NULL && !snap->info.sampled;
    }
    return all;
}

/* NULL: no obstacle. */
static const char *obstacle(const struct series *s)
{
    const char *of_series = obstacle_of_series(s);
    if (of_series != NULL)
        return of_series;
    for (size_t i = 0; i < s->usable_count; i++) {
        const struct hd_snapshot *snap = s->snaps[s->usable[i]];
        if (snap->digest != NULL)
            return "a digest has no single objects";
        if (snap->info.sampled)
            return "a sample lacks most objects";
    }
    return NULL;
}

const char *steps_why_unknown(const struct series *s)
{
    const char *why = obstacle(s);
    for (size_t i = 0; why == NULL && i < s->usable_count; i++)
        if (!s->snaps[s->usable[i]]->info.has_graph ||
            s->snaps[s->usable[i]]->read.tables_only)
            why = "a table has no single objects";
    return why != NULL ? why : "their order is not known well enough";
}

/* Bytes of same_find() for each object of both, and of cohorts for each of the newer. */
enum { PER_OBJECT = 48 };

static uint64_t bytes_to_read(const struct hd_snapshot *snap)
{
    return snap->graph == NULL ? snap->graph_bytes : 0;
}

/* Reserves memory for a step and for its graphs, which count as such once they are read.
 * First, since that may release other graphs. */
static bool reserve_step(struct hd_comparison *c, struct hd_snapshot *older,
                         struct hd_snapshot *newer, uint64_t bytes, struct hd_error *err)
{
    uint64_t graphs = bytes_to_read(older) + bytes_to_read(newer);
    older->pins++;
    newer->pins++;
    bool ok =
        comparison_reserve(c, bytes + graphs, "following objects between snapshots", err);
    older->pins--;
    newer->pins--;
    if (ok)
        comparison_unreserve(c, graphs);
    return ok;
}

static bool show_step(struct hd_comparison *c, const struct series *s, size_t i,
                      step_visitor *visit, void *context, bool *more, struct hd_error *err)
{
    struct hd_snapshot *older = c->snaps[s->usable[i - 1]], *newer = c->snaps[s->usable[i]];
    uint64_t bytes = PER_OBJECT * ((uint64_t)older->node_count + newer->node_count);
    if (!reserve_step(c, older, newer, bytes, err))
        return false;
    bool ok = snapshot_need_graph(older, err) && snapshot_need_graph(newer, err);
    struct same same = {0};
    *more = ok && older->graph != NULL && newer->graph != NULL;
    if (*more) {
        same_find(&same, older, newer, c->how.threads);
        same_add_recreated(&same, older, newer);
        *more = visit(context, i, older, newer, &same);
    }
    same_free(&same);
    comparison_unreserve(c, bytes);
    return ok || comparison_blame(err, s->usable[i]);
}

bool steps_follow(struct hd_comparison *c, const struct series *s, step_visitor *visit,
                  void *context, struct hd_error *err)
{
    bool ok = true, more = obstacle(s) == NULL;
    for (size_t i = 1; ok && more && i < s->usable_count; i++)
        ok = show_step(c, s, i, visit, context, &more, err);
    return ok;
}

/* --- since when ------------------------------------------------------------------ */

struct age_count {
    struct ages *ages;
    size_t steps; /* that were seen */
};

static bool age(void *context, size_t i, const struct hd_snapshot *older,
                const struct hd_snapshot *newer, const struct same *same)
{
    struct age_count *a = context;
    struct ages *ages = a->ages;
    if (i == 1) {
        ages->source = HD_SAME_BY_EVENTS;
        ages->since = alloc_zeroed((size_t)older->graph->node_count + 1);
    }
    if (same->source < ages->source)
        ages->source = same->source;
    if (ages->source == HD_SAME_UNKNOWN)
        return false;
    unsigned char *since = alloc_zeroed((size_t)newer->graph->node_count + 1);
    memset(since, (int)i, newer->graph->node_count);
    for (node_id n = 0; n < same->count; n++)
        if (same->next[n] != NO_NODE)
            since[same->next[n]] = ages->since[n];
    free(ages->since);
    ages->since = since;
    a->steps++;
    return true;
}

bool steps_ages(struct hd_comparison *c, const struct series *s, struct ages *ages,
                struct hd_error *err)
{
    *ages = (struct ages){.source = HD_SAME_UNKNOWN};
    struct age_count a = {.ages = ages};
    bool ok = steps_follow(c, s, age, &a, err);
    if (a.steps == 0 || a.steps + 1 < s->usable_count)
        ages_free(ages);
    return ok;
}

void ages_free(struct ages *ages)
{
    free(ages->since);
    *ages = (struct ages){.source = HD_SAME_UNKNOWN};
}

/* --- owners of a series -------------------------------------------------------------- */

struct growth_folder {
    struct hd_comparison *c;
    const struct series *s;
    struct ownership *o;
    bool all_chains_follow;
    uint64_t objects; /* of all snapshots that are worked on */
    struct graph_work *work;

    struct survivors first;
    bool remembers, estimates;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool looked_at_first; /* what survives is known, or will never be */
};

/* --- survivors -------------------------------------------------------------- */

static void remember_first(struct growth_folder *f, const struct hd_snapshot *first)
{
    /* Survivors are unknown without a usable first snapshot: its own counts are shown next
     * to the series. */
    bool is_usable = first != NULL && f->s->usable[0] == 0 && !first->info.sampled;
    if (is_usable && !f->s->restarted)
        f->remembers = survivors_begin(&f->first, first, f->s->selection, f->estimates);
    pthread_mutex_lock(&f->lock);
    f->looked_at_first = true;
    pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

/* The first was begun before the last, so the wait ends. */
static void count_survivors(struct growth_folder *f, const struct hd_snapshot *last)
{
    pthread_mutex_lock(&f->lock);
    while (!f->looked_at_first)
        pthread_cond_wait(&f->changed, &f->lock);
    pthread_mutex_unlock(&f->lock);
    if (!f->remembers)
        return;
    if (!last->info.sampled)
        f->o->survivors = survivors_count(&f->first, last, &f->o->arena);
    survivors_free(&f->first);
    f->remembers = false;
    input_forget(last->input);
}

/* --- folding ---------------------------------------------------------------- */

/* Bytes of a path in its own ownership tree, and of the search. */
enum { PER_PATH = 176 };

/* Bytes after the search: a path in its own ownership tree, with its index; an aligned
 * path, and its numbers for each snapshot, with cohorts; the numbers of a label. */
enum { PER_FULL_PATH = 88, PER_ALIGNED = 80, PER_CELL = 28 + 12, PER_LABEL = 24 };

static uint64_t per_aligned(const struct growth_folder *f)
{
    return PER_ALIGNED + PER_CELL * (uint64_t)f->s->usable_count;
}

static bool too_many_paths(const struct growth_folder *f, uint64_t bytes,
                           struct hd_error *err)
{
    uint64_t limit = f->c->how.max_memory;
    return fail_memory(err, "computing the dominators of this many paths", limit + bytes,
                       limit);
}

/* Limits the aligned paths. Snapshots may have all paths in common or all different, so the
 * number is unknown before; the bytes for each grow with the number of snapshots. */
static bool align(struct growth_folder *f, struct hd_error *err)
{
    struct ownership_tree *t = &f->o->tree;
    uint64_t left = f->work->plan.left, paths = 0;
    for (size_t k = 0; k < t->snapshots; k++)
        paths += t->full[k].len;
    uint64_t taken = paths * PER_FULL_PATH + t->labels.len * t->snapshots * PER_LABEL;
    uint64_t most = (left > taken ? left - taken : 0) / per_aligned(f);
    if (most < paths)
        t->most = 1 + (size_t)most;
    return ownership_tree_align(t) ||
           too_many_paths(f, taken + paths * per_aligned(f), err);
}

static void tell(const struct growth_folder *f, uint64_t more)
{
    comparison_report_progress(f->c, HD_FINDING_OWNERS, more, f->objects);
}

/* Digests are small, so the time of recording does not matter. */
static void fold_digest(struct growth_folder *f, size_t i, const struct hd_snapshot *snap,
                        bool is_first, bool is_last)
{
    ownership_tree_add(&f->o->tree, i, snap, f->s->selection);
    if (is_first)
        remember_first(f, snap);
    if (is_last)
        count_survivors(f, snap);
}

/* For a single snapshot they may have been found with its retained sizes. */
static struct dominators owners_of(struct hd_comparison *c, const struct hd_snapshot *snap)
{
    struct dominators d = c->found;
    if (d.count == 0)
        return dominators_find(snap, DOMINATORS_OF_OWNERS);
    c->found = (struct dominators){0};
    return d;
}

/* In sequence, the first is recorded after its dominators are freed, and dropped before
 * those of the last are computed: then the most memory is free. In parallel it is the other
 * way round, so that the last need not wait. */
static bool fold_one(void *context, size_t i, struct hd_snapshot *snap,
                     struct hd_error *err)
{
    struct growth_folder *f = context;
    bool several = f->s->usable_count > 1; /* a single one has no survivors */
    bool is_first = several && i == 0, is_last = several && i + 1 == f->s->usable_count;
    bool alone = f->work->plan.at_once == 1;
    if (!snapshot_need_graph(snap, err)) {
        if (is_first)
            remember_first(f, NULL);
        return false;
    }
    if (is_first && !alone)
        remember_first(f, snap);
    if (is_last && alone)
        count_survivors(f, snap);
    if (snap->digest != NULL) {
        fold_digest(f, i, snap, is_first && alone, is_last && !alone);
        return true;
    }
    struct dominators d = owners_of(f->c, snap);
    reach_given(snap, d.node, d.count);
    uint32_t most = snap->node_count / 4 * 3; /* of the time */
    tell(f, most);
    /* The rest is for the paths of all snapshots. Their number is known only once they are
     * built: at most that of objects. */
    uint64_t left = f->work->plan.left / f->s->usable_count;
    if (left / PER_PATH < snap->node_count)
        f->o->tree.full[i].most = 1 + (size_t)(left / PER_PATH);
    bool fits = ownership_tree_add_owned(&f->o->tree, i, snap, &d, f->s->selection);
    dominators_free(&d);
    tell(f, snap->node_count - most);
    if (is_first && alone)
        remember_first(f, snap);
    if (is_last && !alone)
        count_survivors(f, snap);
    return fits || too_many_paths(f, f->objects * PER_PATH, err);
}

/* Chains are found in the first and the last snapshot, or in all. */
static bool wants_again(const void *context, size_t i)
{
    const struct growth_folder *f = context;
    return i == 0 || f->all_chains_follow;
}

static bool ownership_fold(struct growth_folder *f, struct hd_error *err)
{
    const struct series *s = f->s;
    struct graph_work w = {.c = f->c,
                           .indexes = s->usable,
                           .count = s->usable_count,
                           .work = plan_dominators,
                           .on = fold_one,
                           .context = f,
                           .wants_again = wants_again};
    f->work = &w;
    for (size_t i = 0; i < s->usable_count; i++) {
        const struct hd_snapshot *snap = f->c->snaps[s->usable[i]];
        f->estimates |= snap->digest != NULL && (i == 0 || i + 1 == s->usable_count);
        f->objects += snap->node_count;
        ownership_tree_name_types(&f->o->tree, i, snap);
    }
    tell(f, 0);
    bool ok = comparison_work(&w, err);
    if (f->remembers)
        survivors_free(&f->first);
    return ok && align(f, err);
}

/* Returns the bytes for all snapshots except the largest: its paths are part of the work.
 */
static uint64_t node_bytes_of_others(const struct hd_comparison *c, const struct series *s)
{
    uint64_t all = 0, most = 0;
    for (size_t i = 0; i < s->usable_count; i++) {
        const struct hd_snapshot *snap = c->snaps[s->usable[i]];
        uint64_t bytes = snap->digest == NULL ? ownership_node_bytes(snap) : 0;
        all += bytes;
        most = bytes > most ? bytes : most;
    }
    return all - most;
}

struct ownership *ownership_of(struct hd_comparison *c, const struct series *s,
                               enum ownership_fields fields, bool all_chains_follow,
                               struct hd_error *err)
{
    uint64_t kept = node_bytes_of_others(c, s);
    if (!comparison_reserve(c, kept, "keeping the paths of all objects", err))
        return NULL;
    struct ownership *o = alloc_zeroed(sizeof(*o));
    struct growth_folder f = {
        .c = c, .s = s, .o = o, .all_chains_follow = all_chains_follow};
    o->selection = s->selection;
    o->usable_count = s->usable_count;
    memcpy(o->usable, s->usable, sizeof(o->usable));
    o->restarted = s->restarted;
    ownership_tree_begin(&o->tree, s->usable_count);
    o->tree.fields = fields;
    pthread_mutex_init(&f.lock, NULL);
    pthread_cond_init(&f.changed, NULL);
    bool ok = ownership_fold(&f, err);
    comparison_unreserve(c, kept);
    pthread_cond_destroy(&f.changed);
    pthread_mutex_destroy(&f.lock);
    if (ok)
        return o;
    ownership_free(o);
    return NULL;
}

/* --- arrivals and survivors ----------------------------------------------------- */

struct step_counter {
    struct ownership *o;
    size_t steps; /* that were counted */
};

static bool add_step(void *context, size_t i, const struct hd_snapshot *older,
                     const struct hd_snapshot *newer, const struct same *same)
{
    struct step_counter *to = context;
    struct cohorts *b = &to->o->cohorts;
    if (i == 1)
        cohorts_begin(b, &to->o->tree, older, to->o->selection);
    cohorts_add(b, i, newer, same);
    to->steps += b->source != HD_SAME_UNKNOWN;
    return b->source != HD_SAME_UNKNOWN;
}

bool ownership_need_cohorts(struct hd_comparison *c, struct ownership *o,
                            const struct series *s, struct hd_error *err)
{
    if (o->looked_for_cohorts)
        return true;
    struct step_counter to = {.o = o};
    bool digests = steps_are_of_digests(s), ok = true;
    if (digests) {
        const struct hd_snapshot *snaps[SERIES_MAX_SNAPSHOTS];
        for (size_t i = 0; i < o->usable_count; i++)
            snaps[i] = c->snaps[o->usable[i]];
        cohorts_of_digests(&o->cohorts, &o->tree, snaps, o->selection);
    } else {
        ok = steps_follow(c, s, add_step, &to, err);
    }
    bool known = digests ? o->cohorts.source != HD_SAME_UNKNOWN
                         : to.steps > 0 && to.steps + 1 == o->usable_count;
    if (ok && known)
        cohorts_end(&o->cohorts);
    else
        cohorts_free(&o->cohorts);
    o->looked_for_cohorts = ok;
    return ok;
}

bool ownership_fits(const struct ownership *o, const struct series *s,
                    enum ownership_fields fields)
{
    bool tells = o->tree.fields == fields || (o->tree.fields == OWNERSHIP_TELLS_FIELDS &&
                                              fields == OWNERSHIP_NO_FIELDS);
    return tells && o->selection == s->selection && o->restarted == s->restarted &&
           o->usable_count == s->usable_count &&
           memcmp(o->usable, s->usable, s->usable_count * sizeof(*s->usable)) == 0;
}

void ownership_free(struct ownership *o)
{
    if (o == NULL)
        return;
    cohorts_free(&o->cohorts);
    ownership_tree_free(&o->tree);
    arena_free(&o->arena);
    free(o);
}
