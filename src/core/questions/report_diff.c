/* A diff: the suspects, by graphs if all snapshots have them, else by type tables, with
 * their holders; and the rows of types. */
#include "base/error.h"
#include "compare/comparison.h"
#include "compare/steps.h"
#include "format/open.h"
#include "heap/place.h"
#include "owners/ownership_tree.h"
#include "questions/questions.h"
#include "questions/report_suspects.h"
#include "ranking/free_growth.h"
#include "ranking/native_memory.h"
#include "ranking/process_growth.h"
#include "ranking/suspect_title.h"
#include "report/phrases.h"
#include "report/report.h"
#include "report/text_parts.h"
#include "report/view.h"
#include "series/ranking_constants.h"

#include <math.h>
#include <string.h>

/* --- hints (ranking/hints.h) ------------------------------------------------ */

/* Search below a suspect: depth and number of types. Finds the objects that a delegate, a
 * timer or a state machine is for. Co-retained types are next to it. */
enum { DEEPEST = 5, MAX_BELOW = 64 };

struct below {
    struct hint_below all[MAX_BELOW];
    size_t len;
};

static void add_below(struct below *b, const char *type, unsigned depth)
{
    if (b->len < MAX_BELOW)
        b->all[b->len++] = (struct hint_below){type, depth};
}

/* Finds the types below each suspect that at least every second of its instances has. Paths
 * follow their parents, so one pass suffices for all. */
static void find_below(const struct hd_report *r, const struct ownership_tree *t,
                       const path_id *heads, struct below *of)
{
    struct report_diff_place {
        uint32_t suspect; /* from 1; 0: not below a suspect */
        uint32_t depth;
    };
    struct arena scratch = {0};
    struct report_diff_place *at = arena_array(&scratch, struct report_diff_place, t->len);
    size_t n = t->snapshots;
    for (size_t i = 0; i < r->diff.suspect_count; i++)
        at[heads[i]] = (struct report_diff_place){.suspect = (uint32_t)i + 1};
    for (path_id p = 1; p < t->len; p++) {
        struct report_diff_place above = at[t->parent[p]];
        if (above.suspect == 0 || above.depth == DEEPEST)
            continue;
        path_id head = heads[above.suspect - 1];
        if (2 * t->count[p * n + n - 1] < t->count[head * n + n - 1])
            continue;
        add_below(&of[above.suspect - 1], t->labels.all[t->label[p]].name, above.depth + 1);
        if (at[p].suspect == 0)
            at[p] = (struct report_diff_place){.suspect = above.suspect,
                                               .depth = above.depth + 1};
    }
    arena_free(&scratch);
}

/* Must be called after suspects, holders and chains are known. t is the ownership tree and
 * heads the path in it of each of r->diff.suspects, or NULL if tables were ranked: then
 * types below are unknown. */
static void report_add_hints(struct hd_report *r, const struct ownership_tree *t,
                             const path_id *heads)
{
    if (r->options.by != HD_BY_TYPE || r->diff.suspect_count == 0)
        return;
    struct arena scratch = {0};
    struct below *below = arena_array(&scratch, struct below, r->diff.suspect_count);
    struct clue_search look = {.disguised = disguised_of_tree(t, &scratch),
                               .scratch = &scratch};
    if (t != NULL)
        find_below(r, t, heads, below);
    for (size_t i = 0; i < r->diff.suspect_count; i++) {
        struct hd_suspect *s = &r->diff.suspects[i];
        for (size_t k = 0; k < s->also_count; k++)
            add_below(&below[i], s->also[k], 1);
        look.clues = (struct hint_clues){.type = looking_honest(&look, s->type),
                                         .below = below[i].all,
                                         .below_count = below[i].len};
        /* The common part of all ways to it. */
        enum hd_root_kind root = HD_ROOT_OTHER;
        for (size_t k = 0; k < s->holder_len && place_is_root(s->holder[k]); k++)
            root = root_kind_below(s->holder[k], root);
        looking_add_way(&look, s->holder, s->holder_len, root, 1);
        for (size_t k = 0; k < s->chains.len && look.clues.way_count < HINT_MAX_WAYS; k++)
            looking_add_chain(&look, &s->chains.all[k].chain);
        const struct hint *hint = hint_for(&look.clues);
        s->hint = hint != NULL ? hint->id : NULL;
    }
    arena_free(&scratch);
}

/* --- suspects ---------------------------------------------------------------- */

struct ranker {
    struct hd_report *r;
    struct hd_comparison *c;
    const struct series *s;
    const struct hd_options *opt;
    const struct ownership *owned; /* NULL: ranked by tables */
    struct suspect_rows rows;
    struct series_index by_name; /* rows of s */
};

static struct hd_snapshot *usable_snapshot(const struct ranker *k, size_t i)
{
    return k->s->snaps[k->s->usable[i]];
}

/* Returns unreachable bytes, if the runtime reports handles only: after a collection they
 * are alive nevertheless. 0 elsewhere, or if they are fewer than the others. */
static double bytes_without_root(struct hd_snapshot *snap)
{
    struct hd_error unused = {0};
    const struct hd_info *info = &snap->info;
    const uint64_t *roots = snap->roots_by_kind;
    bool handles_only = info->has_roots && !info->holds_garbage &&
                        roots[HD_ROOT_STATIC] + roots[HD_ROOT_THREAD_STATIC] +
                                roots[HD_ROOT_STACK] + roots[HD_ROOT_OTHER] ==
                            0;
    if (!handles_only || !snapshot_need_reach(snap, &unused) ||
        info->reachable_bytes == HD_UNKNOWN || info->reachable_bytes > info->bytes / 2)
        return 0;
    return (double)(info->bytes - info->reachable_bytes);
}

/* Native AOT omits stacks and statics, thread statics included: trees of owners lack the
 * objects below. If they have most of the growth, only types are useful. */
static bool roots_are_missing(const struct series *s)
{
    struct hd_snapshot *first = s->snaps[s->usable[0]],
                       *last = s->snaps[s->usable[s->usable_count - 1]];
    if (s->selection & SELECT_REACHABLE)
        return false;
    double without = bytes_without_root(last);
    if (without <= 0)
        return false;
    double whole = (double)last->info.bytes - (double)first->info.bytes,
           grown = without - bytes_without_root(first);
    return grown >= rank_by.open_share * (double)last->info.bytes && 2 * grown > whole;
}

static bool can_rank_by_graph(const struct series *s)
{
    for (size_t i = 0; i < s->usable_count; i++) {
        const struct hd_snapshot *snap = s->snaps[s->usable[i]];
        if (!snap->info.has_roots || snap->read.tables_only)
            return false;
    }
    return s->usable_count >= 2 && s->by == HD_BY_TYPE && s->bytes_known &&
           !roots_are_missing(s);
}

/* Counts, for each type, the instances of the last snapshot that existed in the first. */
static void add_survivors(struct ranker *k)
{
    const struct hd_snapshot *last = usable_snapshot(k, k->s->usable_count - 1);
    const struct survived *survivors = k->owned->survivors;
    const uint64_t *kept =
        k->rows.cohorts != NULL && k->s->usable[0] == 0 ? k->rows.cohorts->kept : NULL;
    if (survivors == NULL && kept == NULL)
        return;
    for (size_t i = 0; i < k->s->row_count; i++)
        k->s->rows[i].survivors = 0;
    for (type_id t = 0; t < last->type_count; t++) {
        struct series_row *row = last->types[t].kind == TYPE_OBJECT
                                     ? series_row_named(&k->by_name, last->types[t].name)
                                     : NULL;
        if (row == NULL)
            continue;
        row->survivors = kept != NULL ? kept[t] : survivors[t].count;
        row->survivors_low = kept != NULL ? HD_UNKNOWN : survivors[t].low;
        row->survivors_high = kept != NULL ? HD_UNKNOWN : survivors[t].high;
    }
}

/* --- chains ------------------------------------------------------------------------- */

/* The chains of some usable snapshots. */
struct report_diff_search {
    const struct ranker *k;
    size_t count;                        /* suspects that chains are wanted of */
    const struct label **owners;         /* of each suspect, by dominators; or NULL */
    const struct label **owners_of;      /* class above the owner; or NULL */
    size_t places[SERIES_MAX_SNAPSHOTS]; /* numbers of usable snapshots */
    const struct since_range *since;     /* of each suspect; NULL: no limit */
    struct series_chains chains;
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

/* Asks for the instances of the heads in one of the ownership trees. */
static void ask_for_heads(const struct report_diff_search *search, size_t i,
                          const struct hd_snapshot *snap, struct chain_question *ask,
                          struct arena *scratch)
{
    const struct ranker *k = search->k;
    size_t count = search->count;
    const struct ownership_tree *t = &k->owned->tree;
    const struct full_tree *f = &t->full[i];
    uint32_t *query_of_path = arena_array(scratch, uint32_t, t->len);
    uint32_t *query_of_label = arena_array(scratch, uint32_t, t->labels.len);
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
    ask->owner_of_query = owners_in(snap, search->owners, count, scratch);
    ask->key_of_node = f->at_node;
    ask->key_of_place = f->at_place;
    ask->query_of_key = query_of;
    ask->key_count = f->len;
    if (search->since != NULL) {
        ask->since_of_node = k->rows.cohorts->cohort;
        ask->since_of_query = search->since;
    }
}

/* The instances of the rows. */
static void ask_for_rows(const struct report_diff_search *search,
                         const struct hd_snapshot *snap, struct chain_question *ask,
                         struct arena *scratch)
{
    const struct ranker *k = search->k;
    struct text name = {0};
    uint32_t *query_of = arena_array(scratch, uint32_t, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++) {
        text_clear(&name);
        unit_name(&name, k->s->by, &snap->types[t]);
        for (size_t q = 0; q < search->count; q++)
            if (strcmp(text_string(&name), k->r->diff.suspects[q].type) == 0)
                query_of[t] = (uint32_t)q + 1;
    }
    text_free(&name);
    ask->query_of_key = query_of;
    ask->key_count = snap->type_count;
}

static bool ask_for(void *context, size_t place, const struct hd_snapshot *snap,
                    struct chain_question *ask, struct arena *scratch)
{
    const struct report_diff_search *search = context;
    const struct ranker *k = search->k;
    size_t i = search->places[place];
    uint64_t instances = 0;
    if (k->owned == NULL) {
        ask_for_rows(search, snap, ask, scratch);
        return true;
    }
    const struct ownership_tree *t = &k->owned->tree;
    for (size_t q = 0; q < search->count; q++)
        instances += k->rows.whole_types[q] != NO_LABEL
                         ? t->labels.all[k->rows.whole_types[q]].count[i]
                         : t->count[k->rows.heads[q] * k->s->usable_count + i];
    if (instances > 0) /* otherwise no instance exists yet */
        ask_for_heads(search, i, snap, ask, scratch);
    return instances > 0;
}

/* A chain of all instances retains the same as the head; for a part it is unknown. */
static uint64_t retained_by(const struct ranker *k, size_t q, const struct chains *last,
                            const struct hd_chain *c)
{
    size_t n = k->s->usable_count;
    bool all = c->exact && c->count > 0 && c->count == last->instances;
    bool known = k->owned != NULL && k->r->diff.suspects[q].basis == HD_BASIS_GRAPH;
    return all && known ? k->owned->tree.retained[k->rows.heads[q] * n + n - 1]
                        : HD_UNKNOWN;
}

static struct hd_chains chains_of(const struct report_diff_search *s, size_t q,
                                  const struct chains *const *in, size_t count)
{
    const struct hd_snapshot *last = usable_snapshot(s->k, s->k->s->usable_count - 1);
    struct hd_chains chains = report_chains_of(s->k->r, last, in, count);
    for (size_t i = 0; i < chains.len; i++) {
        /* The chain has the owner found by dominators; a service stands for itself. */
        bool same = chains.all[i].chain.owner != NULL && s->owners[q] != NULL &&
                    s->owners_of[q] != NULL &&
                    strcmp(chains.all[i].chain.owner, s->owners[q]->name) == 0;
        if (same && chains.all[i].chain.service == HD_SERVICE_NONE)
            chains.all[i].chain.owner_of = report_string(s->k->r, s->owners_of[q]->name);
    }
    return chains;
}

/* Gets the answers for one suspect, by place. */
static size_t answers_of(const struct report_diff_search *s, size_t q,
                         const struct chains **in)
{
    for (size_t place = 0; place < s->chains.count; place++)
        in[place] = &s->chains.answers[place][q];
    return s->chains.count;
}

/* Returns instances per place, spread over all snapshots, if every usable snapshot was
 * examined; or NULL. */
static uint64_t *spread(const struct report_diff_search *s, const uint64_t *instances)
{
    bool whole = instances != NULL && s->chains.count == s->k->s->usable_count;
    return whole ? report_spread(s->k->r, s->k->s, instances) : NULL;
}

static void set_chains(const struct report_diff_search *s)
{
    const struct ranker *k = s->k;
    for (size_t q = 0; q < s->count; q++) {
        const struct chains *in[SERIES_MAX_SNAPSHOTS];
        size_t used = answers_of(s, q, in);
        struct hd_chains *chains = &k->r->diff.suspects[q].chains;
        *chains = chains_of(s, q, in, used);
        for (size_t i = 0; i < chains->len; i++) {
            struct hd_chain_row *row = &chains->all[i];
            row->instances = spread(s, row->instances);
            row->retained = retained_by(k, q, in[used - 1], &row->chain);
        }
    }
}

/* --- chains of survivors ---------------------------------------------------------- */

/* Objects that appeared after the first snapshot. Those of the last step have not proved to
 * survive, so they count only without survivors of earlier steps. An empty range disables
 * the search. */
static struct since_range range_of(const struct ranker *k, const struct hd_suspect *s)
{
    const struct since_range none = {1, 0};
    const struct hd_cohorts *b = s->cohorts;
    if (!text_knows_cohorts(k->r, b))
        return none;
    uint64_t survived = 0,
             arrived = text_cohorts(b, b->count - 1, b->count, b->count - 1).survived;
    for (size_t j = 1; j + 1 < b->count; j++)
        survived += text_cohorts(b, j, j + 1, j).survived;
    size_t last = survived > 0 ? b->count - 2 : b->count - 1;
    return survived + arrived > 0 ? (struct since_range){1, (unsigned char)last} : none;
}

/* Sets the changes of a chain, which are known for all its instances, old ones too. */
static void add_changes(const struct report_diff_search *all, size_t q,
                        struct hd_chains *chains)
{
    const struct ranker *k = all->k;
    struct arena scratch = {0};
    const struct chains *in[SERIES_MAX_SNAPSHOTS];
    size_t used = answers_of(all, q, in);
    struct grown_chains grown = chain_growth(in, used, &scratch);
    for (size_t i = 0; i < chains->len; i++) {
        struct hd_chain_row *row = &chains->all[i];
        row->status = HD_CHAIN_UNKNOWN;
        row->instances = NULL;
        for (size_t g = 0; g < grown.len; g++) {
            const struct grown_chain *same = &grown.all[g];
            if (same->chain.hash != row->chain.hash)
                continue;
            row->status = same->status;
            row->retained = retained_by(k, q, in[used - 1], &same->chain);
            row->instances = spread(all, same->instances);
        }
    }
    arena_free(&scratch);
}

static void find_owners(struct report_diff_search *s, struct arena *scratch)
{
    const struct ranker *k = s->k;
    struct hd_snapshot *snaps[SERIES_MAX_SNAPSHOTS];
    for (size_t i = 0; i < k->s->usable_count; i++)
        snaps[i] = usable_snapshot(k, i);
    s->chains.types = owner_types_of(snaps, k->s->usable_count);
    s->owners = arena_array(scratch, const struct label *, s->count);
    s->owners_of = arena_array(scratch, const struct label *, s->count);
    for (size_t q = 0; k->owned != NULL && q < s->count; q++) {
        const struct ownership_tree *t = &k->owned->tree;
        struct head_owner at = {NO_LABEL, NO_LABEL};
        if (k->rows.whole_types[q] == NO_LABEL) /* if held in changing places, it has no
                                                   owner */
            at = head_owner(t, k->rows.heads[q], &s->chains.types);
        s->owners[q] = at.owner != NO_LABEL ? &t->labels.all[at.owner] : NULL;
        s->owners_of[q] = at.of != NO_LABEL ? &t->labels.all[at.of] : NULL;
    }
}

/* If survivors are known, their chains replace those of all instances: old ones may be held
 * elsewhere, and are not leaking. */
static bool add_chains_of_survivors(const struct report_diff_search *all,
                                    struct hd_error *err)
{
    const struct ranker *k = all->k;
    struct arena scratch = {0};
    struct since_range *since = arena_array(&scratch, struct since_range, all->count);
    bool any = false,
         of_objects = k->rows.cohorts != NULL && k->rows.cohorts->cohort != NULL;
    for (size_t q = 0; of_objects && q < all->count; q++) {
        since[q] = range_of(k, &k->r->diff.suspects[q]);
        any |= since[q].first <= since[q].last;
    }
    struct report_diff_search s = *all;
    s.since = since;
    s.places[0] = k->s->usable_count - 1;
    s.chains = (struct series_chains){.c = k->c,
                                      .indexes = {k->s->usable[k->s->usable_count - 1]},
                                      .count = 1,
                                      .queries = s.count,
                                      .selection = k->s->selection,
                                      .types = all->chains.types,
                                      .how = all->chains.how,
                                      .ask = ask_for,
                                      .context = &s};
    bool ok = !any || series_chains_find(&s.chains, err);
    for (size_t q = 0; ok && any && q < s.count; q++) {
        const struct chains *in = &s.chains.answers[0][q];
        if (in->instances == 0)
            continue;
        struct hd_chains chains = chains_of(&s, q, &in, 1);
        add_changes(all, q, &chains);
        chains.of_survivors = true;
        k->r->diff.suspects[q].chains = chains;
    }
    s.chains.types = (struct owner_types){0}; /* owned by `all` */
    series_chains_free(&s.chains);
    arena_free(&scratch);
    return ok;
}

static bool add_chains(struct ranker *k, struct hd_error *err)
{
    struct report_diff_search s = {.k = k,
                                   .count = report_rows(k->r, k->r->diff.suspect_count)};
    /* Rows of holders are chains themselves; chains need roots. */
    if (s.count == 0 || k->opt->chains == 0 || k->s->by == HD_BY_HOLDER ||
        (k->owned == NULL && k->s->usable_count >= 2 && roots_are_missing(k->s)))
        return true;
    struct arena of_owners = {0};
    s.chains = (struct series_chains){.c = k->c,
                                      .queries = s.count,
                                      .selection = k->s->selection,
                                      .how = report_chain_options(k->r),
                                      .ask = ask_for,
                                      .context = &s};
    /* With samples only the first and the last snapshot are compared; with exact counts all
     * between. */
    for (size_t i = 0; i < k->s->usable_count; i++) {
        if (i + 1 < k->s->usable_count && (k->owned == NULL || (i > 0 && !k->opt->exact)))
            continue;
        s.places[s.chains.count] = i;
        s.chains.indexes[s.chains.count++] = k->s->usable[i];
    }
    find_owners(&s, &of_owners);
    bool ok = series_chains_find(&s.chains, err), complete = ok;
    for (size_t place = 0; place < s.chains.count; place++)
        complete &= s.chains.answers[place] != NULL;
    if (complete)
        set_chains(&s);
    if (complete && k->rows.cohorts != NULL)
        ok = add_chains_of_survivors(&s, err);
    series_chains_free(&s.chains);
    arena_free(&of_owners);
    return ok;
}

/* --- the whole diff --------------------------------------------------------------- */

/* Objects with memory outside of the heap are more important than their bytes suggest. */
static void add_native_memory(const struct ranker *k, struct arena *scratch)
{
    const struct series *s = k->s;
    size_t count = 0;
    struct native_memory_growth *all = native_memory_growths_of(s, &count, scratch);
    struct hd_diff *d = &k->r->diff;
    d->native_memory = arena_array(&k->r->arena, struct hd_native_memory, count);
    for (size_t i = 0; i < count; i++) {
        const struct series_row *row = all[i].row;
        struct hd_native_memory n = {.type = row->name,
                                     .what = all[i].kind->what,
                                     .at = row->at,
                                     .first = row->at[s->usable[0]].count,
                                     .last = row->at[s->usable[s->usable_count - 1]].count,
                                     .hint = all[i].hint,
                                     .is_undecided = all[i].is_much};
        struct text message = {0};
        phrase_native_warning(&message, &n);
        report_warn_text(k->r, WARN_NATIVE_MEMORY, (size_t)-1, &message);
        for (size_t q = 0; q < d->suspect_count; q++) /* a suspect shows only one hint */
            if (strcmp(d->suspects[q].type, n.type) == 0)
                d->suspects[q].hint = n.hint;
        if (report_shows_row(k->r, k->opt, row->name))
            d->native_memory[d->native_memory_count++] = n;
    }
}

/* Reports the first interval in which GC events were traced without success, if that is the
 * limit. Gaps of matching by order have other reasons; digests have no source but GC
 * events, which span snapshots that are left out. */
static void add_survivors_unknown(struct hd_report *r, const struct series *s)
{
    struct hd_diff *d = &r->diff;
    if (d->identity == HD_SAME_BY_EVENTS ||
        (d->identity == HD_SAME_UNKNOWN && !steps_are_of_digests(s)))
        return;
    for (size_t i = 1;
         i < s->usable_count && d->survivors_unknown == HD_SURVIVORS_UNKNOWN_NONE; i++) {
        d->survivors_unknown = s->snaps[s->usable[i]]->survivors_unknown;
        d->survivors_unknown_snapshot = s->usable[i];
    }
}

static bool report_rank(struct hd_report *r, struct hd_comparison *c,
                        const struct series *s, const struct hd_options *opt,
                        struct hd_error *err)
{
    struct arena scratch = {0};
    struct ranker k = {.r = r, .c = c, .s = s, .opt = opt};
    bool ok = true;
    r->diff.by_graph = can_rank_by_graph(s);
    if (r->diff.by_graph) {
        k.owned = comparison_ownership(c, s, report_ownership_fields(opt), opt->exact, err);
        ok = k.owned != NULL;
    }
    const struct cohorts *cohorts = NULL;
    if (ok && r->diff.by_graph && !opt->no_ages)
        ok = comparison_cohorts(c, s, &cohorts, err);
    k.by_name = series_index_of(s);
    k.rows = (struct suspect_rows){
        .r = r, .s = s, .rows = &k.by_name, .opt = opt, .cohorts = cohorts};
    if (ok && k.owned != NULL) {
        add_survivors(&k);
        k.rows.tree = &k.owned->tree;
        if (k.rows.cohorts != NULL)
            r->diff.identity = k.rows.cohorts->source;
        suspects_by_graph(&k.rows, &scratch);
        report_add_sites(r, &k.rows);
    } else if (ok && s->usable_count >= 2) {
        suspects_by_tables(&k.rows, &scratch);
    }
    if (!opt->no_ages)
        add_survivors_unknown(r, s);
    if (ok && k.owned != NULL && opt->tree)
        ok = report_add_tree(r, c, k.owned, &k.rows, opt, err);
    ok = ok && add_chains(&k, err);
    if (ok)
        report_add_hints(r, k.rows.tree, k.rows.heads);
    if (ok) {
        r->diff.process = process_growth_of(s, &r->arena);
        r->diff.free = free_growth_of(s, r->diff.process, &r->arena);
    }
    if (ok && s->by == HD_BY_TYPE)
        add_native_memory(&k, &scratch);
    series_index_free(&k.by_name);
    arena_free(&scratch);
    return ok;
}

/* --- rows ---------------------------------------------------------------- */

/* Adds all rows, in the order of the series. */
void report_add_types(struct hd_report *r, struct hd_type_table *t, const struct series *s)
{
    t->rows = arena_array(&r->arena, struct hd_type_row, s->row_count);
    for (size_t i = 0; i < s->row_count; i++)
        t->rows[t->len++] =
            (struct hd_type_row){.type = s->rows[i].name,
                                 .full_name = report_full_name(r, s->rows[i].name),
                                 .at = s->rows[i].at,
                                 .status = s->rows[i].status,
                                 .retained = HD_UNKNOWN,
                                 .survivors = s->rows[i].survivors,
                                 .survivors_low = s->rows[i].survivors_low,
                                 .survivors_high = s->rows[i].survivors_high};
}

/* The analysis has made r->diff except its rows, and all rows of r->found. */
static void report_diff_show(struct hd_report *r, const struct hd_options *opt)
{
    struct hd_diff *found = &r->found.diff, whole = r->diff;
    const struct hd_tally *at = whole.types.totals;
    double grown = (double)at[r->snapshot_count - 1].bytes - (double)at[0].bytes;
    struct view v = view_of(opt);
    /* Copies results about suspects that are shown. Both lists are sorted by rank. */
    for (size_t i = 0, k = 0; i < whole.suspect_count; i++) {
        const struct hd_suspect *s = &whole.suspects[i];
        while (found->suspects[k].rank != s->rank)
            k++;
        found->suspects[k].chains = s->chains;
        found->suspects[k].hint = s->hint;
        found->suspects[k].allocated = s->allocated;
    }
    view_suspects(&whole, found, &(struct view){0}, r, &r->arena);
    whole.leveled_off = found->leveled_off;
    whole.leveled_off_count = found->leveled_off_count;
    whole.types.rows = found->types.rows;
    whole.types.len = found->types.len;
    whole.span_seconds = heading_span(r);
    whole.bytes_per_hour = whole.types.bytes_known ? heading_per_hour(r, grown) : NAN;
    *found = whole;
    r->diff = view_diff(found, &v, r, &r->arena);
    report_warn_unmatched(r);
    view_cut(r, opt->rows, &r->arena);
}

/* --- the report ---------------------------------------------------------- */

/* Makes rows, ranking and chains; units replace the snapshots. */
static bool report_diff_answer(struct hd_report *r, struct hd_comparison *c,
                               struct hd_snapshot *const *units,
                               const struct hd_options *opt, struct series *s,
                               struct hd_error *err)
{
    struct series_question ask = {report_selection(opt), opt->by, opt->iterations};
    struct series_warnings warnings = {0};
    if (!series_align(s, units, c->count, &ask, &r->arena, &warnings, err))
        return false;
    for (size_t i = 0; i < warnings.len; i++)
        report_warn_series(r, &warnings.all[i]);
    if (s->confidence < HD_CONFIDENCE_HIGH && s->usable_count < rank_by.enough_snapshots)
        report_warn(r, WARN_FEW_SNAPSHOTS, (size_t)-1);
    r->diff.confidence = s->confidence;
    r->diff.types.bytes_known = s->bytes_known;
    r->diff.usable_count = s->usable_count;
    r->diff.types.totals = s->totals;
    if (!report_rank(r, c, s, opt, err))
        return false;
    report_add_types(r, &r->found.diff.types, s);
    return true;
}

bool report_compare(struct hd_report *r, struct hd_comparison *c,
                    const struct hd_options *opt, struct series *s, struct hd_error *err)
{
    size_t count = c->count;
    if (count < 2 || count > HD_MAX_SNAPSHOTS)
        return fail(err, HD_USAGE, "2 to %d snapshots can be compared", HD_MAX_SNAPSHOTS);
    for (size_t k = 1; opt->iterations != NULL && k < count; k++)
        if (opt->iterations[k] <= opt->iterations[k - 1])
            return fail(err, HD_USAGE, "iterations must rise from snapshot to snapshot");
    struct hd_snapshot *const *units = report_units(c, opt, err);
    if (units == NULL)
        return false;
    report_add_snapshots(r, c->snaps, count);
    if (opt->iterations != NULL) {
        r->diff.iterations = arena_array(&r->arena, uint64_t, count);
        memcpy(r->diff.iterations, opt->iterations, count * sizeof(*r->diff.iterations));
    }
    if (!report_diff_answer(r, c, units, opt, s, err) ||
        !report_refresh_reach(r, c->snaps, count, err))
        return false;
    enum selection selection = report_selection(opt);
    r->diff.reachable = arena_array(&r->arena, struct hd_tally, count);
    for (size_t k = 0; k < count; k++) {
        const struct hd_snapshot *snap = c->snaps[k];
        if (!snap->info.has_roots || snap->info.reachable_objects == HD_UNKNOWN) {
            r->diff.reachable[k] = (struct hd_tally){HD_UNKNOWN, HD_UNKNOWN};
            continue;
        }
        for (type_id t = 0; t < snap->type_count; t++) {
            struct hd_tally at =
                series_tally(snap, &snap->types[t], selection | SELECT_REACHABLE);
            if (snap->types[t].kind != TYPE_OBJECT)
                continue;
            r->diff.reachable[k].count += at.count;
            r->diff.reachable[k].bytes += at.bytes;
        }
    }
    report_diff_show(r, opt);
    return true;
}

static bool answer_diff(struct hd_report *r, struct hd_comparison *c,
                        struct hd_options *opt, struct hd_error *err)
{
    struct series s;
    return report_compare(r, c, opt, &s, err);
}

struct hd_report *hd_report_diff(struct hd_comparison *c, const struct hd_options *opt,
                                 struct hd_error *err)
{
    return answer_question(HD_REPORT_DIFF, c, opt, answer_diff, NULL, err);
}
