#include "questions/report_suspects.h"

#include "base/hash.h"
#include "heap/place.h"
#include "ranking/confidence.h"
#include "ranking/known_stores.h"
#include "ranking/table_ranking.h"
#include "report/phrases.h"
#include "report/text_parts.h"
#include "report/view.h"
#include "series/ranking_constants.h"
#include "series/runtime_names.h"

#include <stdlib.h>
#include <string.h>

static size_t last_usable(const struct suspect_rows *to)
{
    return to->s->usable[to->s->usable_count - 1];
}

static const char *label_name(const struct suspect_rows *to, label_id label)
{
    return report_string(to->r, to->tree->labels.all[label].name);
}

uint64_t *report_spread(struct hd_report *r, const struct series *s,
                        const uint64_t *usable_values)
{
    uint64_t *all = arena_array(&r->arena, uint64_t, s->count);
    for (size_t i = 0; i < s->count; i++)
        all[i] = HD_UNKNOWN;
    for (size_t i = 0; i < s->usable_count; i++)
        all[s->usable[i]] = usable_values[i];
    return all;
}

/* --- rows ------------------------------------------------------------------------- */

/* Returns the parent of a head in the last snapshot; 0: the root, or the head is gone. */
static path_id held_by(const struct suspect_rows *to, path_id head)
{
    size_t n = to->s->usable_count;
    path_id full = to->tree->full_of[head * n + n - 1];
    return full != NO_PATH ? to->namer.f->parent[full] : 0;
}

static size_t report_suspects_holder_of(const struct suspect_rows *to, path_id head,
                                        const char ***holder)
{
    const char *names[HOLDER_MAX_LABELS];
    size_t len = holder_names(&to->namer, held_by(to, head), names);
    *holder = arena_array(&to->r->arena, const char *, len);
    for (size_t i = 0; i < len; i++)
        (*holder)[i] = report_string(to->r, names[i]);
    return len;
}

static void add_places(const struct suspect_rows *to, struct hd_suspect *s,
                       const struct ranked_type *h)
{
    struct text name = {0};
    s->heads = arena_array(&to->r->arena, struct hd_head, h->place_count);
    for (size_t i = 0; i < h->place_count; i++) {
        text_clear(&name);
        holder_name(&name, &to->namer, held_by(to, h->places[i].path));
        s->heads[s->head_count++] =
            (struct hd_head){.holder = report_string(to->r, text_string(&name)),
                             .score = h->places[i].score};
    }
    text_free(&name);
}

/* True if objects of the type changed places. A cohort belongs to one place, so moved
 * objects would be counted as born and as dead. */
static bool moved(const struct cohorts *b, label_id label, const uint64_t *at)
{
    for (size_t j = 0, cell = 0; j < b->n; cell += b->n - j, j++)
        if (j > 0 && at[cell] != b->fresh[label * b->n + j])
            return true;
    return false;
}

static const struct hd_cohorts *cohorts_of(const struct suspect_rows *to,
                                           const struct ranked_type *h)
{
    struct arena *a = &to->r->arena;
    if (to->cohorts == NULL)
        return NULL;
    size_t n = to->cohorts->n;
    struct hd_cohorts *cohorts = arena_alloc(a, sizeof(*cohorts));
    size_t *snapshots = arena_array(a, size_t, n);
    uint64_t *at = arena_array(a, uint64_t, n * (n + 1) / 2);
    memcpy(snapshots, to->s->usable, n * sizeof(*snapshots));
    /* Sums all places of its type, as its counts do; a whole type is summed wherever it is
     * held. */
    const struct cohorts *b = to->cohorts;
    bool whole = h->basis == HD_BASIS_TYPE;
    for (size_t i = whole ? 1 : 0; i < (whole ? b->t->len : h->place_count); i++) {
        path_id p = whole ? (path_id)i : h->places[i].path;
        if (to->tree->label[p] != h->label)
            continue;
        for (size_t j = 0, cell = 0; j < b->n; j++)
            for (size_t k = j; k < b->n; k++)
                at[cell++] += cohorts_at(b, p, j, k);
    }
    if (whole && moved(b, h->label, at))
        return NULL;
    *cohorts =
        (struct hd_cohorts){.count = n,
                            .snapshot = snapshots,
                            .at = at,
                            .arrived = h->retention.arrived,
                            .died = h->retention.died,
                            .since = to->s->usable[h->retention.since],
                            .age = h->retention.age,
                            .chance = h->retention.chance,
                            .accumulates = h->retention.accumulates,
                            .turns_over = h->retention.turns_over || h->retention.queues};
    return cohorts;
}

/* --- counted type ------------------------------------------------------------------ */

static bool is_growth_of(int64_t part, int64_t whole)
{
    return whole > 0 ? part > whole / 2 : whole == part;
}

static int64_t delta(const uint64_t *y, size_t n)
{
    return (int64_t)(y[n - 1] - y[0]);
}

static int64_t gain(const struct suspect_rows *to, const struct series_row *row)
{
    return (int64_t)(row->at[last_usable(to)].count - row->at[to->s->usable[0]].count);
}

/* Returns the row of the title if it grows with the type: at least one object of the
 * program per two of the type. Their holder does not. */
static const struct series_row *title_row(const struct suspect_rows *to, const char *name,
                                          const struct series_row *row)
{
    if (strcmp(name, row->name) == 0)
        return NULL;
    const struct series_row *title = series_row_named(to->rows, name);
    bool comes =
        title != NULL && gain(to, title) > 0 && 2 * gain(to, title) >= gain(to, row);
    return comes ? title : NULL;
}

static void add_counts(const struct suspect_rows *to, struct hd_suspect *s,
                       const struct series_row *row, const uint64_t *held)
{
    const struct series *all = to->s;
    uint64_t counts[SERIES_MAX_SNAPSHOTS];
    int64_t here = held != NULL ? delta(held, all->usable_count) : 0;
    int64_t whole = gain(to, row);
    /* A leak may be hidden in a type with a constant count, or with far more growth
     * elsewhere than in this row: then no other type counts. */
    bool hides = here > 0 && (!is_growth_of(here, whole) || !is_growth_of(whole, here));
    const struct series_row *title = hides ? NULL : title_row(to, s->title, row);
    const struct series_row *counted = title != NULL ? title : row;
    bool is_here = title == NULL && here > 0;
    s->counted = counted->name;
    for (size_t i = 0; i < all->usable_count; i++) {
        uint64_t everywhere = counted->at[all->usable[i]].count;
        counts[i] = is_here ? held[i] : everywhere;
        s->counts_place |= counts[i] != everywhere;
    }
    s->counts = report_spread(to->r, all, counts);
}

static struct hd_suspect from_ranking(const struct suspect_rows *to,
                                      const struct ranked_type *h,
                                      const struct series_row *row)
{
    struct hd_report *r = to->r;
    double heap = (double)to->tree->retained[to->s->usable_count - 1];
    struct known_store store =
        h->store != NULL ? *h->store : (struct known_store){.holder = NULL};
    struct hd_suspect s = {
        .type = row->name,
        .title = report_string(r, h->title),
        .basis = h->basis,
        .suspicion = h->suspicion,
        .reservation = h->reservation,
        .lifetime = {store.holder, store.keeps, store.setting, store.seconds, store.watch},
        .score = h->score,
        .score_share = heap > 0 ? h->score / heap : 0,
        .tau = h->tau,
        .at = row->at,
        .held = h->basis == HD_BASIS_GRAPH ? report_spread(r, to->s, h->count) : NULL,
        .retained = report_spread(r, to->s, h->retained),
        .own = h->own != NULL ? report_spread(r, to->s, h->own) : NULL,
        .more = h->more,
        .more_share = heap > 0 ? (double)h->more / heap : 0,
        .step_least = h->suspicion == HD_SUSPECT_STEADY ? h->step_least : 0,
        .step_most = h->suspicion == HD_SUSPECT_STEADY ? h->step_most : 0,
        .cohorts = cohorts_of(to, h),
        .survivors = row->survivors,
        .survivors_low = row->survivors_low,
        .survivors_high = row->survivors_high,
        .per_iteration = growth_per_iteration(to->s, row, to->opt->iterations)};
    add_counts(to, &s, row, h->basis == HD_BASIS_GRAPH ? h->count : NULL);
    s.holder_len = report_suspects_holder_of(to, h->head, &s.holder);
    s.also = arena_array(&r->arena, const char *, h->also_count);
    for (size_t i = 0; i < h->also_count; i++)
        s.also[s.also_count++] = label_name(to, h->also[i]);
    add_places(to, &s, h);
    return s;
}

/* The base of shares for scores of tables. */
static double whole_heap(const struct suspect_rows *to)
{
    struct hd_tally heap = to->s->totals[last_usable(to)];
    return (double)(to->s->bytes_known ? heap.bytes : heap.count);
}

static struct hd_suspect from_row(const struct suspect_rows *to, const struct suspect *t,
                                  const struct suspect_line *line)
{
    double whole = whole_heap(to);
    struct hd_suspect s = {.type = t->row->name,
                           .title = t->row->name,
                           .basis = HD_BASIS_TABLE,
                           .suspicion = reaches_line(line, t->score, whole) && !t->is_jump
                                            ? HD_SUSPECT_SIZE
                                            : HD_SUSPECT_NOT,
                           .score = t->score,
                           .score_share = whole > 0 ? t->score / whole : 0,
                           .tau = t->tau,
                           .at = t->row->at,
                           .survivors = t->row->survivors,
                           .survivors_low = t->row->survivors_low,
                           .survivors_high = t->row->survivors_high,
                           .per_iteration = t->per_iteration};
    add_counts(to, &s, t->row, NULL);
    return s;
}

/* h: its places; NULL if unknown. */
static void report_suspects_place(struct suspect_rows *to, struct hd_suspect s, size_t rank,
                                  const struct ranked_type *h)
{
    struct hd_diff *found = &to->r->found.diff;
    s.rank = rank;
    if (rank == 0) {
        found->pooled[found->pooled_count++] = s;
    } else if (s.suspicion != HD_SUSPECT_NOT) {
        bool whole = h != NULL && h->basis == HD_BASIS_TYPE;
        to->heads[found->suspect_count] = h != NULL ? h->head : NO_PATH;
        to->whole_types[found->suspect_count] = whole ? h->label : NO_LABEL;
        to->ranking[found->suspect_count] = h;
        found->suspects[found->suspect_count++] = s;
    } else {
        found->below_threshold[found->below_threshold_count++] = s;
    }
}

/* The order of rows below the threshold: ranked ones, then noise, then types that leveled
 * off, which are listed elsewhere. */
enum below_threshold_group {
    BELOW_THRESHOLD_WORTH_A_LINE,
    BELOW_THRESHOLD_NOISE,
    BELOW_THRESHOLD_LEVELED_OFF,
    BELOW_THRESHOLD_GROUPS
};

static enum below_threshold_group group_of(const struct hd_report *r,
                                           const struct hd_suspect *s)
{
    if (report_has_leveled_off(&r->found.diff, s->type))
        return BELOW_THRESHOLD_LEVELED_OFF;
    return text_gain_share(&r->diff, r->snapshot_count, s) < TEXT_NOISE_SHARE
               ? BELOW_THRESHOLD_NOISE
               : BELOW_THRESHOLD_WORTH_A_LINE;
}

/* Sorts them, so that visible ranks have no gaps. */
static void order_below_threshold(struct hd_report *r, struct arena *scratch)
{
    struct hd_diff *found = &r->found.diff;
    struct hd_suspect *rows =
        arena_array(scratch, struct hd_suspect, found->below_threshold_count);
    size_t len = 0;
    for (int group = 0; group < BELOW_THRESHOLD_GROUPS; group++)
        for (size_t i = 0; i < found->below_threshold_count; i++)
            if ((int)group_of(r, &found->below_threshold[i]) == group)
                rows[len++] = found->below_threshold[i];
    for (size_t i = 0; i < len; i++) {
        found->below_threshold[i] = rows[i];
        found->below_threshold[i].rank = found->suspect_count + i + 1;
    }
}

/* Chains are searched only for visible rows: compacts heads. */
static void report_suspects_show(struct suspect_rows *to)
{
    struct hd_report *r = to->r;
    struct view v = view_of(to->opt);
    view_suspects(&r->diff, &r->found.diff, &v, r, &r->arena);
    for (size_t i = 0, at = 0; i < r->diff.suspect_count; i++, at++) {
        while (r->found.diff.suspects[at].rank != r->diff.suspects[i].rank)
            at++;
        to->heads[i] = to->heads[at];
        to->whole_types[i] = to->whole_types[at];
        to->ranking[i] = to->ranking[at];
    }
}

static void allocate_rows(struct suspect_rows *to, size_t count, struct arena *scratch)
{
    struct hd_report *r = to->r;
    r->found.diff.suspects = arena_array(&r->arena, struct hd_suspect, count);
    r->found.diff.below_threshold = arena_array(&r->arena, struct hd_suspect, count);
    r->found.diff.pooled = arena_array(&r->arena, struct hd_suspect, count);
    to->heads = arena_array(scratch, path_id, count);
    to->whole_types = arena_array(scratch, label_id, count);
    to->ranking = arena_array(scratch, const struct ranked_type *, count);
}

static struct suspect_line line_of(const struct hd_options *opt)
{
    return (struct suspect_line){.share = opt->min_share,
                                 .bytes = opt->min_bytes,
                                 .steady_share = opt->min_steady_share,
                                 .steady_bytes = opt->min_steady_bytes};
}

/* --- causes of growth ------------------------------------------------------------- */

/* Adds all except memory of the measurement itself, the largest first. */
static void add_leveled_off(const struct suspect_rows *to, const struct leak_ranking *h)
{
    struct hd_report *r = to->r;
    double heap = (double)to->tree->retained[to->s->usable_count - 1];
    struct hd_diff *found = &r->found.diff;
    bool measured =
        type_origin_in(to->s->snaps, to->s->count, RUNTIME_LISTENER) != ORIGIN_PROGRAM;
    found->leveled_off =
        arena_array(&r->arena, struct hd_leveled_off, h->leveled_off_count);
    for (size_t i = 0; i < h->leveled_off_count; i++) {
        const struct ranked_leveled_off *from = &h->leveled_off[i];
        struct hd_leveled_off s = {.type = label_name(to, from->label),
                                   .title = report_string(r, from->title),
                                   .count = report_spread(r, to->s, from->count),
                                   .retained = report_spread(r, to->s, from->retained),
                                   .growth = from->growth,
                                   .share = heap > 0 ? from->growth / heap : 0};
        s.holder_len = report_suspects_holder_of(to, from->head, &s.holder);
        bool is_left = false;
        for (size_t k = 0; measured && k < s.holder_len; k++)
            is_left |= strcmp(s.holder[k], RUNTIME_LISTENER) == 0;
        if (!is_left)
            found->leveled_off[found->leveled_off_count++] = s;
    }
}

static void add_power(const struct suspect_rows *to, const struct suspect_line *line,
                      double heap)
{
    struct hd_diff *d = &to->r->diff;
    bool sampled = false;
    for (size_t k = 0; k < to->s->count; k++)
        sampled |= to->s->snaps[k]->info.sampled;
    d->would_show = power_of(&(struct power_question){.snapshots = to->s->usable_count,
                                                      .source = d->identity,
                                                      .by_graph = d->by_graph,
                                                      .sampled = sampled,
                                                      .line = line,
                                                      .heap = heap});
}

static void judge_growth(const struct suspect_rows *to, bool is_repeated,
                         const struct rest_growth *open)
{
    struct hd_report *r = to->r;
    struct hd_growth *g = &r->diff.growth;
    const struct hd_diff *found = &r->found.diff;
    bool suspects = found->suspect_count > 0;
    struct growth_verdict v = growth_verdict_of(&(struct growth_question){
        .open = open,
        .leveled_off_share = found->leveled_off_count > 0 ? found->leveled_off[0].share : 0,
        .has_suspects = suspects,
        .is_repeated = is_repeated,
        .has_undecided = found->undecided != NULL,
        .growth = g->bytes,
        .rest = g->rest,
        .confidence = r->diff.confidence,
        .by_iterations = to->s->by_iterations,
        .seconds = to->s->seconds,
        .uptime = to->s->uptime,
        .snapshots = to->s->usable_count,
        .source = r->diff.identity});
    g->is_open = v.is_open;
    g->open_share = open->grew ? open->share : 0;
    g->since = to->s->usable[open->since];
    g->unexplained = v.is_unexplained;
    g->has_leveled_off = v.has_leveled_off;
    g->leveled_off_share = v.leveled_off_share;
    r->diff.confidence = v.confidence;
    r->diff.time_limit = v.time_limit;
    r->diff.uptime_seconds = to->s->uptime;
    if (v.is_unexplained) {
        struct text t = {0};
        phrase_unexplained(&t, &r->diff.growth, suspects);
        report_warn_text(r, WARN_UNEXPLAINED_GROWTH, (size_t)-1, &t);
    }
    if (g->pools_are_reported) {
        struct text t = {0};
        phrase_pools(&t, g);
        report_warn_text(r, WARN_POOL_GROWTH, (size_t)-1, &t);
    }
    if (v.has_leveled_off && !suspects) {
        struct text t = {0};
        const struct hd_leveled_off *s = found->leveled_off;
        if (v.is_one_type)
            phrase_leveled_off(&t, s, report_shown(r, s->title), s->count[to->s->usable[0]],
                               s->count[last_usable(to)]);
        else
            phrase_has_leveled_off(&t, v.leveled_off_share);
        report_warn_text(r, WARN_GROWTH_LEVELED_OFF, (size_t)-1, &t);
    }
}

void suspects_by_tables(struct suspect_rows *to, struct arena *scratch)
{
    struct suspect_line line = line_of(to->opt);
    struct ranking t = growth_rank(to->s, to->opt->iterations, scratch);
    struct joined_holder *joined = NULL;
    const struct hd_diff *found = &to->r->found.diff;
    bool is_repeated = false; /* of the first suspect */
    if (to->s->by == HD_BY_HOLDER)
        joined =
            nested_holders_join(&t, to->s->count, &line, whole_heap(to), &to->r->arena);
    allocate_rows(to, t.len, scratch);
    for (size_t i = 0; i < t.len; i++) {
        struct hd_suspect s = from_row(to, &t.all[i], &line);
        if (joined != NULL) { /* a row of a holder is a path itself */
            s.holder_len = holder_split(s.type, &s.holder, &to->r->arena);
            s.also = joined[i].below;
            s.also_count = joined[i].len;
        }
        is_repeated = found->suspect_count > 0 ? is_repeated : t.all[i].is_repeated;
        report_suspects_place(to, s, i + 1, NULL);
    }
    order_below_threshold(to->r, scratch);
    report_suspects_show(to);
    const struct hd_tally **at =
        arena_array(scratch, const struct hd_tally *, found->suspect_count);
    for (size_t i = 0; i < found->suspect_count; i++)
        at[i] = found->suspects[i].at;
    struct rest_growth open =
        table_rest_growth(to->s, at, found->suspect_count, whole_heap(to));
    add_power(to, &line, whole_heap(to));
    judge_growth(to, is_repeated, &open);
}

void suspects_by_graph(struct suspect_rows *to, struct arena *scratch)
{
    struct suspect_line line = line_of(to->opt);
    struct leak_ranking h = leak_ranking_of(to->tree, to->s, to->cohorts, &line, scratch);
    size_t n = to->s->usable_count, rank = 0;
    struct hd_suspect undecided = {.type = NULL};
    to->namer = holder_namer_of(&to->tree->labels, &to->tree->full[n - 1], scratch);
    allocate_rows(to, h.len + h.pooled, scratch);
    for (size_t i = 0; i < h.len + h.pooled; i++) {
        const struct ranked_type *type = &h.all[i];
        const struct series_row *row =
            series_row_named(to->rows, to->tree->labels.all[type->label].name);
        if (row == NULL)
            continue;
        struct hd_suspect s = from_ranking(to, type, row);
        undecided = i == h.undecided && i < h.len ? s : undecided;
        report_suspects_place(to, s, i < h.len ? ++rank : 0, type);
    }
    if (undecided.type != NULL && to->r->found.diff.suspect_count == 0) {
        struct hd_suspect *s = arena_alloc(&to->r->arena, sizeof(*s));
        *s = undecided;
        to->r->found.diff.undecided = s;
    }
    const uint64_t *reachable = to->tree->retained;
    double heap = (double)reachable[n - 1];
    struct hd_growth *g = &to->r->diff.growth;
    *g = (struct hd_growth){.known = true,
                            .bytes = delta(reachable, n),
                            .suspects = delta(h.growth.suspects, n),
                            .pools = delta(h.growth.pools, n),
                            .rest = delta(h.growth.rest, n),
                            .suspects_at = report_spread(to->r, to->s, h.growth.suspects),
                            .pools_at = report_spread(to->r, to->s, h.growth.pools),
                            .rest_at = report_spread(to->r, to->s, h.growth.rest),
                            .explained = h.growth.explained,
                            .pools_by_name = h.growth.pools_by_name};
    g->share = heap > 0 ? (double)g->bytes / heap : 0;
    g->rest_share = heap > 0 ? (double)g->rest / heap : 0;
    g->pools_share = heap > 0 ? (double)g->pools / heap : 0;
    g->pools_are_reported = g->pools_share >= rank_by.pools_warn_share;
    add_leveled_off(to, &h);
    add_power(to, &line, heap);
    judge_growth(to, h.len > 0 && h.all[0].is_repeated, &h.growth.open);
    order_below_threshold(to->r, scratch);
    report_suspects_show(to);
}

/* --- nested holders -------------------------------------------------------- */

struct nested_holders_held {
    size_t row; /* of the ranking */
    UT_hash_handle hh;
};

/* The topmost suspect above the name, or itself. */
static size_t topmost(const struct nested_holders_held *suspects, const char *name,
                      size_t itself)
{
    const struct nested_holders_held *found;
    for (const char *end = name; *(end = holder_place_end(end)) != '\0'; end++) {
        HASH_FIND(hh, suspects, name, (size_t)(end - name), found);
        if (found != NULL)
            return found->row;
    }
    return itself;
}

/* --- sums ------------------------------------------------------------------ */

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a == HD_UNKNOWN || b == HD_UNKNOWN ? HD_UNKNOWN : a + b;
}

static void nested_holders_add(struct suspect *to, const struct suspect *from,
                               size_t snapshots, struct arena *a)
{
    struct series_row *row = arena_alloc(a, sizeof(*row));
    *row = *to->row;
    row->at = arena_array(a, struct hd_tally, snapshots);
    row->survivors = row->survivors_low = row->survivors_high = HD_UNKNOWN;
    for (size_t k = 0; k < snapshots; k++)
        row->at[k] = (struct hd_tally){sum(to->row->at[k].count, from->row->at[k].count),
                                       sum(to->row->at[k].bytes, from->row->at[k].bytes)};
    to->row = row;
    to->score += from->score;
    to->count_delta += from->count_delta;
    to->per_iteration = HD_UNKNOWN;
}

/* A row with its joined holders, to be sorted together. */
struct ordered {
    struct suspect suspect;
    struct joined_holder joined;
};

static int nested_holders_by_score(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->suspect.score != y->suspect.score)
        return x->suspect.score < y->suspect.score ? 1 : -1;
    if (x->suspect.count_delta != y->suspect.count_delta)
        return x->suspect.count_delta < y->suspect.count_delta ? 1 : -1;
    return strcmp(x->suspect.row->name, y->suspect.row->name);
}

/* Returns for each row the one that represents it. */
static size_t *find_topmost(const struct ranking *t, const bool *suspect, struct arena *a)
{
    size_t *above = arena_array(a, size_t, t->len);
    struct nested_holders_held *suspects = NULL,
                               *places = arena_array(a, struct nested_holders_held, t->len);
    for (size_t i = 0; i < t->len; i++) {
        const char *name = t->all[i].row->name;
        places[i].row = i;
        if (suspect[i])
            HASH_ADD_KEYPTR(hh, suspects, name, strlen(name), &places[i]);
    }
    for (size_t i = 0; i < t->len; i++)
        above[i] = suspect[i] ? topmost(suspects, t->all[i].row->name, i) : i;
    HASH_CLEAR(hh, suspects);
    return above;
}

static void join(struct ranking *t, const size_t *above, struct joined_holder *joined,
                 size_t snapshots, struct arena *a)
{
    for (size_t i = 0; i < t->len; i++)
        joined[above[i]].len += above[i] != i;
    for (size_t i = 0; i < t->len; i++) {
        joined[i].below = arena_array(a, const char *, joined[i].len);
        joined[i].len = 0;
    }
    for (size_t i = 0; i < t->len; i++) {
        struct joined_holder *to = &joined[above[i]];
        if (above[i] == i)
            continue;
        to->below[to->len++] = t->all[i].row->name;
        nested_holders_add(&t->all[above[i]], &t->all[i], snapshots, a);
    }
}

struct joined_holder *nested_holders_join(struct ranking *t, size_t snapshots,
                                          const struct suspect_line *line, double whole,
                                          struct arena *a)
{
    struct joined_holder *joined = arena_array(a, struct joined_holder, t->len);
    struct ordered *rows = arena_array(a, struct ordered, t->len);
    bool *suspect = arena_array(a, bool, t->len);
    size_t len = 0;
    for (size_t i = 0; i < t->len; i++)
        suspect[i] = reaches_line(line, t->all[i].score, whole);
    const size_t *above = find_topmost(t, suspect, a);
    join(t, above, joined, snapshots, a);
    for (size_t i = 0; i < t->len; i++)
        if (above[i] == i)
            rows[len++] = (struct ordered){t->all[i], joined[i]};
    if (len > 0)
        qsort(rows, len, sizeof(*rows), nested_holders_by_score);
    for (t->len = 0; t->len < len; t->len++) {
        t->all[t->len] = rows[t->len].suspect;
        joined[t->len] = rows[t->len].joined;
    }
    return joined;
}
