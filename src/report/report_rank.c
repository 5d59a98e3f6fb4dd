#include "report/report_rank.h"

#include "analysis/head_owner.h"
#include "analysis/runtime_names.h"
#include "analysis/survivors.h"
#include "base/workers.h"
#include "format/open.h"
#include "heap/reach.h"
#include "report/plan.h"
#include "report/report_hints.h"
#include "report/report_suspects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ranker {
    struct hd_report *r;
    const struct series *s;
    const struct hd_options *opt;
    struct hd_error *err;
    struct trie trie;
    struct plan plan;
    struct survivors first; /* if remembers */
    bool remembers;
    struct suspect_rows rows;
    struct series_index by_name; /* rows of s */
};

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
        struct series_row *row = last->types[t].kind == TYPE_OBJECT
                                     ? series_row_named(&k->by_name, last->types[t].name)
                                     : NULL;
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
    /* Of a first snapshot that is unfit, others say nothing: its own counts stand beside.
     */
    bool told = first != NULL && k->s->fit[0] == 0 && !first->info.sampled;
    if (told && !k->s->restarted)
        k->remembers = survivors_begin(&k->first, first, k->s->selection);
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
    input_forget(last->input);
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

/* --- chains ------------------------------------------------------------------------- */

/* The chains of some snapshots. */
struct search {
    const struct ranker *k;
    size_t count; /* suspects that chains are wanted of */
    struct owner_types types;
    const struct label **owners; /* of each suspect; NULL: none, or no dominators */
    size_t places[SERIES_MAX_SNAPSHOTS];
    size_t used;
    struct arena scratch[SERIES_MAX_SNAPSHOTS];         /* of each place */
    const struct chains *answers[SERIES_MAX_SNAPSHOTS]; /* count of them; NULL: no graph */
    struct failures failures;
};

/* The types of a snapshot that own the heads, as the dominators of the last have it. */
static type_id *owners_in(const struct hd_snapshot *snap, const struct label *const *owners,
                          size_t count, struct arena *scratch)
{
    type_id *types = arena_array(scratch, type_id, count);
    for (size_t q = 0; q < count; q++)
        types[q] = NO_TYPE;
    for (type_id t = 0; t < snap->type_count; t++)
        for (size_t q = 0; q < count; q++)
            if (owners[q] != NULL && owners[q]->kind == snap->types[t].kind &&
                strcmp(owners[q]->name, snap->types[t].name) == 0)
                types[q] = t;
    return types;
}

/* The instances of suspects in fit snapshot i: of the head if there are tries, else of the
 * rows. */
static struct chain_question question_for(const struct search *search, size_t i,
                                          struct arena *scratch)
{
    const struct ranker *k = search->k;
    size_t count = search->count;
    const struct hd_snapshot *snap = fit_snapshot(k, i);
    struct chain_question ask = {.queries = count,
                                 .selection = k->s->selection,
                                 .role_of_type =
                                     owner_roles(&search->types, snap, scratch)};
    if (k->r->by_graph) {
        ask.owner_of_query = owners_in(snap, search->owners, count, scratch);
        const struct full_trie *f = &k->trie.full[i];
        uint32_t *query_of_path = arena_array(scratch, uint32_t, k->trie.len);
        uint32_t *query_of_label = arena_array(scratch, uint32_t, k->trie.labels.len);
        uint32_t *query_of = arena_array(scratch, uint32_t, f->len);
        for (size_t q = 0; q < count; q++) {
            if (k->rows.whole_types[q] != NO_LABEL)
                query_of_label[k->rows.whole_types[q]] = (uint32_t)q + 1;
            else
                query_of_path[k->rows.heads[q]] = (uint32_t)q + 1;
        }
        for (size_t p = 1; p < f->len; p++)
            query_of[p] = query_of_path[f->cut[p]] != 0 ? query_of_path[f->cut[p]]
                                                        : query_of_label[f->label[p]];
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
        instances += k->rows.whole_types[q] != NO_LABEL
                         ? k->trie.labels.all[k->rows.whole_types[q]].count[i]
                         : k->trie.count[k->rows.heads[q] * k->s->fit_count + i];
    return k->r->by_graph && instances == 0;
}

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
    struct chain_question ask = question_for(s, i, scratch);
    s->answers[place] = chains_find(snap, &walk, &ask, &how, scratch);
    arena_free(&of_walk);
    tell(k, HD_FINDING_CHAINS, snap->node_count);
    if (i + 1 < k->s->fit_count && !k->plan.keep)
        snapshot_release_graph(snap);
    return true;
}

/* What a chain that all instances have retains is what the head does; of a part of them
 * nobody knows. */
static uint64_t retained_by(const struct ranker *k, size_t q, const struct chains *last,
                            const struct chain *c)
{
    size_t n = k->s->fit_count;
    bool all = c->exact && c->count > 0 && c->count == last->instances;
    bool known = k->r->by_graph && k->r->suspects[q].basis == BASIS_GRAPH;
    return all && known ? k->trie.retained[k->rows.heads[q] * n + n - 1] : HD_UNKNOWN;
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
            *instances = *instances != NULL && s->used == n
                             ? report_spread(r, k->s, *instances)
                             : NULL;
            chains->all[i].retained =
                retained_by(k, q, &s->answers[s->used - 1][q], &chains->all[i].chain);
        }
    }
}

static void find_owners(struct search *s, struct arena *scratch)
{
    const struct ranker *k = s->k;
    struct hd_snapshot *snaps[SERIES_MAX_SNAPSHOTS];
    for (size_t i = 0; i < k->s->fit_count; i++)
        snaps[i] = fit_snapshot(k, i);
    s->types = owner_types_of(snaps, k->s->fit_count);
    s->owners = arena_array(scratch, const struct label *, s->count);
    for (size_t q = 0; k->r->by_graph && q < s->count; q++) {
        bool whole =
            k->rows.whole_types[q] != NO_LABEL; /* in changing places: no one owns it */
        label_id owner =
            whole ? NO_LABEL : head_owner(&k->trie, k->rows.heads[q], &s->types);
        s->owners[q] = owner != NO_LABEL ? &k->trie.labels.all[owner] : NULL;
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
    struct arena of_owners = {0};
    find_owners(&s, &of_owners);
    workers_run(s.used, k->plan.at_once, find_chains, &s);
    bool complete = true;
    for (size_t place = 0; place < s.used; place++)
        complete &= s.answers[place] != NULL;
    if (complete)
        set_chains(&s);
    owner_types_free(&s.types);
    arena_free(&of_owners);
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
    k.by_name = series_index_of(s);
    k.rows = (struct suspect_rows){.r = r, .s = s, .rows = &k.by_name, .opt = opt};
    bool ok = true;
    if (r->by_graph) {
        ok = fold_graphs(&k);
        k.rows.trie = &k.trie;
        if (ok)
            suspects_by_graph(&k.rows, &scratch);
    } else if (s->fit_count >= 2) {
        suspects_by_tables(&k.rows, &scratch);
    }
    ok = ok && add_chains(&k);
    if (ok)
        report_add_hints(r, r->by_graph ? &k.trie : NULL, k.rows.heads);
    /* Between two snapshots anything may grow. */
    if (ok && s->fit_count >= 3)
        warn_about_native_memory(&k);
    if (k.remembers)
        survivors_free(&k.first);
    if (r->by_graph)
        trie_free(&k.trie);
    series_index_free(&k.by_name);
    arena_free(&scratch);
    return ok;
}
