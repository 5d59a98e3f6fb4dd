#include "report/report_rank.h"

#include "analysis/growth.h"
#include "analysis/headed.h"
#include "analysis/runtime_names.h"
#include "analysis/survivors.h"
#include "base/hash.h"
#include "base/workers.h"
#include "format/open.h"
#include "heap/reach.h"
#include "report/plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char *const ranking_basis_names[] = {
    [BASIS_TABLE] = "table", [BASIS_GRAPH] = "graph", [BASIS_TYPE] = "type"};

struct ranker {
    struct hd_report *r;
    const struct series *s;
    const struct hd_options *opt;
    struct hd_error *err;
    struct trie trie;
    struct plan plan;
    struct survivors first; /* if remembers */
    bool remembers;
    path_id *heads;        /* of each of r->suspects, by its place there */
    struct row_slot *rows; /* of the series, by name */
    struct arena names;
};

struct row_slot {
    struct series_row *row;
    UT_hash_handle hh;
};

static void index_rows(struct ranker *k)
{
    for (size_t i = 0; i < k->s->row_count; i++) {
        struct row_slot *slot = arena_alloc(&k->names, sizeof(*slot));
        slot->row = &k->s->rows[i];
        HASH_ADD_KEYPTR(hh, k->rows, slot->row->name, strlen(slot->row->name), slot);
    }
}

static struct series_row *row_named(const struct ranker *k, const char *name)
{
    struct row_slot *slot;
    HASH_FIND_STR(k->rows, name, slot);
    return slot != NULL ? slot->row : NULL;
}

/* --- graphs, as many at once as there are threads and memory for ------------------- */

static struct hd_snapshot *fit_snapshot(const struct ranker *k, size_t i)
{
    return k->s->snaps[k->s->fit[i]];
}

/* What each of several snapshots that were worked on side by side failed with. */
struct failures {
    struct hd_error all[SERIES_MAX_SNAPSHOTS];
};

/* That of the first snapshot counts, as if they had come one after the other. */
static bool report_failure(const struct ranker *k, const struct failures *f)
{
    for (size_t i = 0; i < k->s->fit_count; i++) {
        if (f->all[i].status == HD_OK)
            continue;
        if (k->err != NULL && k->err->status == HD_OK) {
            *k->err = f->all[i];
            k->err->snapshot = (unsigned)k->s->fit[i] + 1;
        }
        return false;
    }
    return true;
}

/* Decide for the fit snapshots that wanted(k, i) names. */
static bool plan(struct ranker *k, plan_work *work,
                 bool (*wanted)(const struct ranker *, size_t))
{
    struct hd_snapshot *snaps[SERIES_MAX_SNAPSHOTS];
    size_t index[SERIES_MAX_SNAPSHOTS], count = 0;
    for (size_t i = 0; i < k->s->fit_count; i++) {
        if (wanted != NULL && !wanted(k, i))
            continue;
        index[count] = k->s->fit[i];
        snaps[count++] = fit_snapshot(k, i);
    }
    struct hd_error err = {0};
    bool ok = plan_graphs(&k->plan, snaps, count, work, k->opt, &err);
    if (ok || k->err == NULL || k->err->status != HD_OK)
        return ok;
    *k->err = err;
    k->err->snapshot = (unsigned)index[err.snapshot - 1] + 1;
    return false;
}

static bool can_rank_by_graph(const struct series *s)
{
    for (size_t i = 0; i < s->fit_count; i++) {
        const struct hd_snapshot *snap = s->snaps[s->fit[i]];
        if (!snap->info.has_roots || snap->read.tables_only)
            return false;
    }
    return s->fit_count >= 2 && s->by == HD_BY_TYPE && s->bytes_known;
}

/* How many instances of each type of the last snapshot were there in the first. */
static void add_survivors(struct ranker *k, const struct hd_snapshot *last)
{
    uint64_t *kept = survivors_count(&k->first, last, &k->r->arena);
    if (kept == NULL)
        return;
    for (size_t i = 0; i < k->s->row_count; i++)
        k->s->rows[i].survivors = 0;
    for (type_id t = 0; t < last->type_count; t++) {
        struct series_row *row =
            last->types[t].kind == TYPE_OBJECT ? row_named(k, last->types[t].name) : NULL;
        if (row != NULL)
            row->survivors = kept[t];
    }
}

/* Of the objects of all snapshots that are worked on. */
static void tell(const struct ranker *k, enum hd_phase phase, uint64_t more)
{
    uint64_t all = 0;
    for (size_t i = 0; k->opt->progress != NULL && i < k->s->fit_count; i++)
        all += fit_snapshot(k, i)->node_count;
    if (k->opt->progress != NULL)
        k->opt->progress(k->opt->progress_context, phase, more, all);
}

struct folding {
    struct ranker *k;
    struct failures failures;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool looked_at_first; /* what survives is known, or will never be */
};

static void remember_first(struct folding *f, const struct hd_snapshot *first)
{
    struct ranker *k = f->k;
    if (first != NULL && !k->s->restarted && !first->info.sampled)
        k->remembers = survivors_begin(&k->first, first);
    pthread_mutex_lock(&f->lock);
    f->looked_at_first = true;
    pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

/* The first was begun before the last, so it comes to an end. */
static void count_survivors(struct folding *f, const struct hd_snapshot *last)
{
    struct ranker *k = f->k;
    pthread_mutex_lock(&f->lock);
    while (!f->looked_at_first)
        pthread_cond_wait(&f->changed, &f->lock);
    pthread_mutex_unlock(&f->lock);
    if (!k->remembers)
        return;
    if (!last->info.sampled)
        add_survivors(k, last);
    survivors_free(&k->first);
    k->remembers = false;
    input_forget_pages(last->input);
}

/* One after the other, the first is remembered when its dominators are gone, and forgotten
 * before those of the last come: then the most memory is free. Side by side it is the
 * other way round, so that the last need not wait. */
static bool fold_one(void *context, size_t i)
{
    static const struct ranking_rules all_rules;
    struct folding *f = context;
    struct ranker *k = f->k;
    struct hd_snapshot *snap = fit_snapshot(k, i);
    bool is_first = i == 0, is_last = i + 1 == k->s->fit_count;
    bool alone = k->plan.at_once == 1;
    if (!snapshot_need_graph(snap, &f->failures.all[i])) {
        if (is_first)
            remember_first(f, NULL);
        return false;
    }
    if (is_first && !alone)
        remember_first(f, snap);
    if (is_last && alone)
        count_survivors(f, snap);
    struct dominators d = dominators_find(snap, DOMINATORS_OF_OWNERS);
    reach_given(snap, d.node, d.count);
    uint32_t most = snap->node_count / 4 * 3; /* of the time */
    tell(k, HD_FINDING_OWNERS, most);
    trie_add_owned(&k->trie, i, snap, &d, k->s->selection, &all_rules);
    dominators_free(&d);
    tell(k, HD_FINDING_OWNERS, snap->node_count - most);
    if (is_first && alone)
        remember_first(f, snap);
    if (is_last && !alone)
        count_survivors(f, snap);
    bool again = is_first || k->opt->exact;
    if (!is_last && !(k->plan.keep && again))
        snapshot_release_graph(snap);
    return true;
}

static bool fold_graphs(struct ranker *k)
{
    static const struct ranking_rules all_rules;
    struct folding f = {.k = k};
    size_t n = k->s->fit_count;
    trie_begin(&k->trie, n);
    tell(k, HD_FINDING_OWNERS, 0);
    if (!plan(k, plan_dominators, NULL))
        return false;
    for (size_t i = 0; i < n; i++)
        trie_name_types(&k->trie, i, fit_snapshot(k, i));
    pthread_mutex_init(&f.lock, NULL);
    pthread_cond_init(&f.changed, NULL);
    workers_run(n, k->plan.at_once, fold_one, &f);
    pthread_cond_destroy(&f.changed);
    pthread_mutex_destroy(&f.lock);
    if (!report_failure(k, &f.failures))
        return false;
    trie_align(&k->trie, &all_rules);
    return true;
}

/* --- suspects --------------------------------------------------------------------- */

/* Per snapshot of the report; unknown where it was left out of the ranking. */
static uint64_t *spread(const struct ranker *k, const uint64_t *fit_values)
{
    uint64_t *all = arena_array(&k->r->arena, uint64_t, k->s->count);
    for (size_t i = 0; i < k->s->count; i++)
        all[i] = HD_UNKNOWN;
    for (size_t i = 0; i < k->s->fit_count; i++)
        all[k->s->fit[i]] = fit_values[i];
    return all;
}

/* The path in the last snapshot, without the head itself. */
static void add_holder(const struct ranker *k, struct report_suspect *to, path_id head)
{
    struct arena scratch = {0};
    const label_id *labels = NULL;
    size_t len = headed_full_path(&k->trie, head, k->s->fit_count - 1, &labels, &scratch);
    to->holder_len = len > 0 ? len - 1 : 0;
    to->holder = arena_array(&k->r->arena, const char *, len);
    for (size_t i = 0; i < to->holder_len; i++)
        to->holder[i] = report_string(k->r, k->trie.labels.all[labels[i]].name);
    arena_free(&scratch);
}

static struct report_suspect from_headed(const struct ranker *k,
                                         const struct headed_type *h,
                                         const struct series_row *row)
{
    uint64_t heap = k->trie.retained[k->s->fit_count - 1];
    struct report_suspect to = {.type = row->name,
                                .subject = report_string(k->r, h->subject),
                                .basis = BASIS_GRAPH,
                                .score = h->score,
                                .score_share = heap > 0 ? h->score / (double)heap : 0,
                                .tau = h->tau,
                                .at = row->at,
                                .retained = spread(k, h->retained),
                                .survivors = row->survivors,
                                .per_iteration =
                                    growth_per_iteration(k->s, row, k->opt->iterations)};
    add_holder(k, &to, h->head);
    return to;
}

static struct report_suspect from_row(const struct ranker *k, const struct suspect *t)
{
    struct tally heap = k->s->totals[k->s->fit[k->s->fit_count - 1]];
    double whole = (double)(k->s->bytes_known ? heap.bytes : heap.count);
    return (struct report_suspect){.type = t->row->name,
                                   .subject = t->row->name,
                                   .score = t->score,
                                   .score_share = whole > 0 ? t->score / whole : 0,
                                   .tau = t->tau,
                                   .at = t->row->at,
                                   .survivors = t->row->survivors,
                                   .per_iteration = t->per_iteration};
}

/* A row shows if its type or the class in its title does, and neither is excluded. */
static bool shows(const struct ranker *k, const struct report_suspect *s)
{
    if (report_excludes(k->r, k->opt, s->type) || report_excludes(k->r, k->opt, s->subject))
        return false;
    bool title = s->subject[0] != '[' && report_shows_row(k->r, k->opt, s->subject);
    return title || report_shows_row(k->r, k->opt, s->type);
}

static bool is_suspect(const struct hd_options *opt, const struct report_suspect *s)
{
    if (opt->min_bytes > 0)
        return s->score >= (double)opt->min_bytes;
    return s->score_share >= opt->min_share;
}

static void place(struct ranker *k, struct report_suspect s, size_t rank, path_id head)
{
    struct hd_report *r = k->r;
    s.rank = rank;
    if (!shows(k, &s))
        return;
    if (rank == 0) {
        r->pooled[r->pooled_count++] = s;
    } else if (is_suspect(k->opt, &s)) {
        k->heads[r->suspect_count] = head;
        r->suspects[r->suspect_count++] = s;
    } else {
        r->minor[r->minor_count++] = s;
    }
}

static void make_room(struct ranker *k, size_t count, struct arena *scratch)
{
    struct hd_report *r = k->r;
    r->suspects = arena_array(&r->arena, struct report_suspect, count);
    r->minor = arena_array(&r->arena, struct report_suspect, count);
    r->pooled = arena_array(&r->arena, struct report_suspect, count);
    k->heads = arena_array(scratch, path_id, count);
}

static void rank_by_graph(struct ranker *k, struct arena *scratch)
{
    static const struct ranking_rules all_rules;
    struct headed h = headed_rank(&k->trie, k->s, &all_rules, scratch);
    make_room(k, h.len + h.pooled, scratch);
    size_t rank = 0;
    for (size_t i = 0; i < h.len + h.pooled; i++) {
        /* A sample may stand for less than half an object: then the table has no row. */
        const struct series_row *row =
            row_named(k, k->trie.labels.all[h.all[i].label].name);
        if (row != NULL)
            place(k, from_headed(k, &h.all[i], row), i < h.len ? ++rank : 0, h.all[i].head);
    }
}

static void rank_by_tables(struct ranker *k, struct arena *scratch)
{
    struct ranking t = growth_rank(k->s, k->opt->iterations, scratch);
    make_room(k, t.len, scratch);
    for (size_t i = 0; i < t.len; i++)
        place(k, from_row(k, &t.all[i]), i + 1, NO_PATH);
}

/* --- chains ------------------------------------------------------------------------- */

/* The instances of suspects in fit snapshot i: of the head if there are tries, else of the
 * rows. */
static struct chain_question question_for(const struct ranker *k, size_t i, size_t count,
                                          struct arena *scratch)
{
    const struct hd_snapshot *snap = fit_snapshot(k, i);
    struct chain_question ask = {.queries = count, .selection = k->s->selection};
    if (k->r->by_graph) {
        const struct full_trie *f = &k->trie.full[i];
        uint32_t *query_of_path = arena_array(scratch, uint32_t, k->trie.len);
        uint32_t *query_of = arena_array(scratch, uint32_t, f->len);
        for (size_t q = 0; q < count; q++)
            query_of_path[k->heads[q]] = (uint32_t)q + 1;
        for (size_t p = 1; p < f->len; p++)
            query_of[p] = query_of_path[f->cut[p]];
        ask.key_of_node = f->at_node;
        ask.query_of_key = query_of;
        ask.key_count = f->len;
        return ask;
    }
    struct text name = {0};
    uint32_t *query_of = arena_array(scratch, uint32_t, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++) {
        text_clear(&name);
        unit_name(&name, k->s->by, &snap->types[t]);
        for (size_t q = 0; q < count; q++)
            if (strcmp(text_string(&name), k->r->suspects[q].type) == 0)
                query_of[t] = (uint32_t)q + 1;
    }
    text_free(&name);
    ask.query_of_key = query_of;
    ask.key_count = snap->type_count;
    return ask;
}

/* Samples tell the change from the first to the last snapshot; exact counts all between. */
static bool looks_at(const struct ranker *k, size_t i)
{
    size_t last = k->s->fit_count - 1;
    return i == last || (k->r->by_graph && (i == 0 || k->opt->exact));
}

/* The suspects that are shown have no instance there yet: nothing to look at. */
static bool is_before_all(const struct ranker *k, size_t i, size_t count)
{
    uint64_t instances = 0;
    for (size_t q = 0; k->r->by_graph && q < count; q++)
        instances += k->trie.count[k->heads[q] * k->s->fit_count + i];
    return k->r->by_graph && instances == 0;
}

/* The chains of some snapshots. */
struct search {
    const struct ranker *k;
    size_t count; /* suspects that chains are wanted of */
    size_t places[SERIES_MAX_SNAPSHOTS];
    size_t used;
    struct arena scratch[SERIES_MAX_SNAPSHOTS];         /* of each place */
    const struct chains *answers[SERIES_MAX_SNAPSHOTS]; /* count of them; NULL: no graph */
    struct failures failures;
};

static bool find_chains(void *context, size_t place)
{
    struct search *s = context;
    const struct ranker *k = s->k;
    size_t i = s->places[place];
    struct hd_snapshot *snap = fit_snapshot(k, i);
    struct arena *scratch = &s->scratch[place];
    if (is_before_all(k, i, s->count)) {
        s->answers[place] = arena_array(scratch, struct chains, s->count);
        return true;
    }
    if (!snapshot_need_graph(snap, &s->failures.all[i]))
        return false;
    if (snap->graph == NULL || !snap->info.has_roots)
        return false;
    struct chain_options how = report_chain_options(k->r);
    struct arena of_walk = {0};
    struct walk walk = walk_graph(snap, &of_walk);
    struct chain_question ask = question_for(k, i, s->count, scratch);
    s->answers[place] = chains_find(snap, &walk, &ask, &how, scratch);
    arena_free(&of_walk);
    tell(k, HD_FINDING_CHAINS, snap->node_count);
    if (i + 1 < k->s->fit_count && !k->plan.keep)
        snapshot_release_graph(snap);
    return true;
}

static void set_chains(const struct search *s)
{
    const struct ranker *k = s->k;
    struct hd_report *r = k->r;
    size_t n = k->s->fit_count;
    for (size_t q = 0; q < s->count; q++) {
        const struct chains *of_suspect[SERIES_MAX_SNAPSHOTS];
        for (size_t place = 0; place < s->used; place++)
            of_suspect[place] = &s->answers[place][q];
        struct report_chains *chains = &r->suspects[q].chains;
        *chains = report_chains_of(r, fit_snapshot(k, n - 1), of_suspect, s->used);
        for (size_t i = 0; i < chains->len; i++) {
            uint64_t **instances = &chains->all[i].instances;
            *instances = *instances != NULL && s->used == n ? spread(k, *instances) : NULL;
        }
    }
}

static bool add_chains(struct ranker *k)
{
    struct search s = {.k = k, .count = report_rows(k->r, k->r->suspect_count)};
    if (s.count == 0 || k->opt->chains == 0)
        return true;
    if (!plan(k, plan_walk, looks_at))
        return false;
    for (size_t i = 0; i < k->s->fit_count; i++)
        if (looks_at(k, i))
            s.places[s.used++] = i;
    tell(k, HD_FINDING_CHAINS, 0);
    workers_run(s.used, k->plan.at_once, find_chains, &s);
    bool complete = true;
    for (size_t place = 0; place < s.used; place++)
        complete &= s.answers[place] != NULL;
    if (complete)
        set_chains(&s);
    for (size_t place = 0; place < s.used; place++)
        arena_free(&s.scratch[place]);
    return report_failure(k, &s.failures);
}

/* --- all of it ------------------------------------------------------------------------ */

/* What holds memory outside of the heap weighs more than its bytes say. */
static void warn_about_native_memory(const struct ranker *k)
{
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
    for (size_t i = 0; i < k->s->row_count; i++) {
        const struct series_row *row = &k->s->rows[i];
        if (row->growth != GROWS_IN_COUNT || !holds_native_memory(row->name))
            continue;
        struct trend t = series_trend(k->s, row, false, y, noise);
        if (trend_tau(&t) < 1)
            continue;
        struct text message = {0};
        text_add_string(&message, row->name);
        text_add_string(&message, " grows in every step; it holds memory outside the heap, "
                                  "which is not counted here");
        report_warn_detail(k->r, WARN_NATIVE_MEMORY, (size_t)-1, text_string(&message));
        text_free(&message);
    }
}

bool report_rank(struct hd_report *r, const struct series *s, const struct hd_options *opt,
                 struct hd_error *err)
{
    struct arena scratch = {0};
    struct ranker k = {.r = r, .s = s, .opt = opt, .err = err};
    r->by_graph = can_rank_by_graph(s);
    index_rows(&k);
    bool ok = true;
    if (r->by_graph) {
        ok = fold_graphs(&k);
        if (ok)
            rank_by_graph(&k, &scratch);
    } else if (s->fit_count >= 2) {
        rank_by_tables(&k, &scratch);
    }
    ok = ok && add_chains(&k);
    /* Between two snapshots anything may grow. */
    if (ok && s->fit_count >= 3)
        warn_about_native_memory(&k);
    if (k.remembers)
        survivors_free(&k.first);
    if (r->by_graph)
        trie_free(&k.trie);
    HASH_CLEAR(hh, k.rows);
    arena_free(&k.names);
    arena_free(&scratch);
    return ok;
}
