/* Paths are ranked first, then what they leave unexplained by type. The steps are those of
 * docs/ranking.md, one function each, in its order. */
#include "ranking/leak_ranking.h"

#include "ranking/ranked_paths.h"
#include "ranking/type_growth.h"
#include "series/ranking_constants.h"
#include "series/runtime_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- whole types ------------------------------------------------------------- */

/* The row that a head belongs to, or NO_ROW. */
static size_t row_of_head(const struct leak_ranker *r, const struct head *h,
                          const label_id *merged_into)
{
    label_id label = h->carrier != 0 ? r->t->label[h->carrier] : h->label;
    label = merged_into[label] != NO_LABEL ? merged_into[label] : label;
    return h->pooled ? NO_ROW : r->row_of[label];
}

/* Which paths the suspects hold, and as heads of which rows. */
static bool *paths_of_suspects(struct leak_ranker *r, size_t *row_of_path)
{
    bool *taken = arena_array(&r->scratch, bool, r->t->len);
    for (path_id p = 0; p < r->t->len; p++)
        row_of_path[p] = NO_OWNER;
    label_id *merged_into = arena_array(&r->scratch, label_id, r->t->labels.len);
    for (size_t i = 0; i < r->t->labels.len; i++)
        merged_into[i] = NO_LABEL;
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].gone)
            merged_into[r->rows[i].type.label] = r->rows[i].into;
    for (size_t i = 0; i < r->head_count; i++) {
        size_t row = row_of_head(r, &r->heads[i], merged_into);
        if (row == NO_ROW || r->rows[row].type.suspicion == HD_SUSPECT_NOT)
            continue;
        taken[r->heads[i].path] = true;
        row_of_path[r->heads[i].path] = row;
    }
    return taken;
}

static void rank_whole_type(struct leak_ranker *r, struct ranked_row *row,
                            const struct type_growths *g)
{
    label_id label = row->type.label;
    const struct grown_type *grown = &g->all[label];
    struct ranked_type *to = &row->type;
    to->basis = HD_BASIS_TYPE;
    to->suspicion =
        reaches_line(r->line, grown->score, r->heap) ? HD_SUSPECT_SIZE : HD_SUSPECT_STEADY;
    to->score = grown->score;
    to->tau = grown->tau;
    to->count = arena_array(r->a, uint64_t, r->n);
    to->retained = arena_array(r->a, uint64_t, r->n);
    memcpy(to->count, &g->count[label * r->n], r->n * sizeof(*to->count));
    memcpy(to->retained, &g->retained[label * r->n], r->n * sizeof(*to->retained));
    to->head = r->t->full[r->n - 1].cut[type_growths_topmost(g, label)];
    to->more = ranked_delta(to->retained, r->n);
    to->subject = type_growths_title(g, label);
    to->places = arena_array(r->a, struct ranked_place, 1);
    to->places[0] = (struct ranked_place){to->head, to->score};
    to->place_count = 1;
    row->more_objects = ranked_delta(to->count, r->n);
}

/* What is counted at the place where most were gained may come and go there because lists
 * are entered elsewhere: an exact number per iteration, in the whole heap, contradicts it.
 */
static bool may_be_added(const struct leak_ranker *r, const struct type_growths *g,
                         label_id label)
{
    double score = g->all[label].score;
    size_t at = r->row_of[label];
    if (score <= 0 || strcmp(ranked_name(r, label), "Free") == 0 ||
        (at != NO_ROW && r->rows[at].type.suspicion != HD_SUSPECT_NOT) ||
        type_growths_topmost(g, label) == NO_PATH)
        return false;
    if (reaches_line(r->line, score, r->heap) && !r->turns_over[label] && !r->queues[label])
        return true;
    return reaches_steady_line(r->line, score, r->heap) && type_growths_are_exact(g, label);
}

/* What the suspects leave: types that are one together. */
static void add_types(struct leak_ranker *r, const struct type_growths *g)
{
    for (label_id label = 0; label < r->t->labels.len; label++) {
        size_t at = r->row_of[label];
        if (!may_be_added(r, g, label))
            continue;
        struct ranked_row row = {.name = ranked_name(r, label), .type = {.label = label}};
        rank_whole_type(r, &row, g);
        if (at != NO_ROW)
            r->rows[at] = row;
        else
            r->rows[r->row_count++] = row;
    }
}

/* A place may hold a suspect in some snapshots only, and the type grows far more. */
static void raise_types(struct leak_ranker *r, const struct type_growths *g)
{
    for (size_t i = 0; i < r->row_count; i++) {
        struct ranked_row *row = &r->rows[i];
        double score = g->all[row->type.label].score;
        if (row->gone || row->type.suspicion == HD_SUSPECT_NOT || score <= 0 ||
            row->type.basis == HD_BASIS_TYPE ||
            score < rank_by.whole_type * row->type.score || row->type.stays.keeps)
            continue;
        rank_whole_type(r, row, g);
    }
}

static bool has_suspects(const struct leak_ranker *r)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].type.suspicion != HD_SUSPECT_NOT)
            return true;
    return false;
}

/* --- where the growth went ---------------------------------------------------- */

/* Nobody says whose class it is. */
static bool has_pool_by_name(const struct ownership_tree *t)
{
    for (size_t i = 0; i < t->labels.len; i++) {
        const struct label *l = &t->labels.all[i];
        if (l->origin == ORIGIN_UNKNOWN && is_buffer_pool(l->name, l->origin))
            return true;
    }
    return false;
}

static struct ranked_growth share_growth(const struct leak_ranker *r,
                                         const struct unexplained *left)
{
    size_t n = r->n;
    struct ranked_growth g = {.suspects = left->bytes[PART_SUSPECTS],
                              .pools = arena_array(r->a, uint64_t, n),
                              .rest = arena_array(r->a, uint64_t, n),
                              .pools_by_name = has_pool_by_name(r->t),
                              .explained = NAN};
    for (size_t k = 0; k < n; k++) {
        g.pools[k] = left->bytes[PART_POOLS][k] + left->bytes[PART_THREADS][k];
        g.rest[k] = left->bytes[PART_REST][k] + left->bytes[PART_LISTENER][k];
    }
    int64_t whole = ranked_delta(r->t->retained, n), suspects = ranked_delta(g.suspects, n);
    if (whole > 0) {
        double share = (double)suspects / (double)whole;
        g.explained = share < 0 ? 0 : share > 1 ? 1 : share;
    }
    return g;
}

/* What of the suspects' part is whose. */
static void share_suspects(struct leak_ranker *r, const struct unexplained *left,
                           const size_t *row_of_path)
{
    size_t labels = r->t->labels.len;
    size_t *row_of_label = arena_array(&r->scratch, size_t, labels);
    uint64_t *own = arena_array(r->a, uint64_t, r->row_count * r->n);
    for (size_t i = 0; i < labels; i++)
        row_of_label[i] = NO_OWNER;
    for (size_t i = 0; i < r->row_count; i++) {
        if (r->rows[i].type.basis == HD_BASIS_TYPE)
            row_of_label[r->rows[i].type.label] = i;
        if (r->rows[i].type.suspicion != HD_SUSPECT_NOT)
            r->rows[i].type.own = &own[i * r->n];
    }
    unexplained_share(left, row_of_path, row_of_label, own);
}

/* The rest, and what each thread keeps: more threads have more of it. What measuring makes
 * the runtime keep comes with the first snapshot: it counts only while it goes on growing.
 */
static struct rest_growth open_growth(const struct leak_ranker *r,
                                      const struct unexplained *left, double stopped)
{
    double all[SERIES_MAX_SNAPSHOTS], own[SERIES_MAX_SNAPSHOTS];
    double first = (double)left->threads[0];
    for (size_t k = 0; k < r->n; k++) {
        double threads = (double)left->threads[k];
        double same = threads > first ? (first > 0 ? first : 1) / threads : 1;
        own[k] =
            (double)left->bytes[PART_REST][k] + same * (double)left->bytes[PART_THREADS][k];
        all[k] = own[k] + (double)left->bytes[PART_LISTENER][k];
    }
    struct trend rest = {r->n, r->s->x, own, NULL}, both = {r->n, r->s->x, all, NULL};
    double goes_on = path_sustained_growth(&both, trend_half(r->n));
    if (trend_grows(&both) && goes_on >= rank_by.open_share * r->heap)
        rest.y = all;
    return rest_growth_of(&rest, r->heap, stopped);
}

static int by_growth(const void *a, const void *b)
{
    const struct ranked_stopped *x = a, *y = b;
    if (x->growth != y->growth)
        return x->growth < y->growth ? 1 : -1;
    int order = strcmp(x->subject, y->subject);
    return order != 0 ? order : strcmp(x->name, y->name);
}

/* Of all in the rest that stopped, however small, the bytes: no two explain the same. */
static double find_stopped(struct leak_ranker *r, const struct type_growths *g,
                           struct leak_ranking *to)
{
    size_t labels = r->t->labels.len;
    double all = 0;
    to->stopped = arena_array(r->a, struct ranked_stopped, labels);
    for (label_id label = 0; label < labels; label++) {
        double growth = g->all[label].score;
        path_id place = growth > 0 ? type_growths_topmost(g, label) : NO_PATH;
        if (place == NO_PATH || strcmp(ranked_name(r, label), "Free") == 0)
            continue;
        if (g->unexplained->part[r->n - 1][place] == PART_REST)
            all += growth;
        if (growth < rank_by.stopped_share * r->heap)
            continue;
        to->stopped[to->stopped_count++] =
            (struct ranked_stopped){.label = label,
                                    .name = ranked_name(r, label),
                                    .subject = type_growths_title(g, label),
                                    .count = &g->count[label * r->n],
                                    .retained = &g->retained[label * r->n],
                                    .growth = growth,
                                    .head = r->t->full[r->n - 1].cut[place]};
    }
    if (to->stopped_count > 0)
        qsort(to->stopped, to->stopped_count, sizeof(*to->stopped), by_growth);
    return all;
}

/* Rows by type, then what of the growth is left when all suspects are gone. */
static void look_at_types(struct leak_ranker *r, struct leak_ranking *to)
{
    double stopped = 0;
    struct arena *a = &r->scratch;
    size_t *row_of_path = arena_array(a, size_t, r->t->len);
    bool *heads = paths_of_suspects(r, row_of_path);
    bool *labels = arena_array(a, bool, r->t->labels.len);
    struct path_order order = {0};
    struct unexplained by_paths = unexplained_of(r->t, heads, NULL, a);
    struct type_growths growing =
        type_growths_of(&by_paths, r->s, TYPES_GROWING, &order, a);
    add_types(r, &growing);
    if (has_suspects(r)) {
        bool *none = arena_array(a, bool, r->t->len);
        struct unexplained all = unexplained_of(r->t, none, NULL, a);
        growing = type_growths_of(&all, r->s, TYPES_GROWING, &order, a);
        raise_types(r, &growing);
    }
    for (size_t i = 0; i < r->row_count; i++)
        labels[r->rows[i].type.label] |= r->rows[i].type.basis == HD_BASIS_TYPE;
    struct unexplained *left = arena_alloc(a, sizeof(*left));
    *left = unexplained_of(r->t, heads, labels, r->a);
    to->growth = share_growth(r, left);
    share_suspects(r, left, row_of_path);
    if (r->n >= rank_by.enough_snapshots) {
        struct type_growths g = type_growths_of(left, r->s, TYPES_STAYED, &order, r->a);
        stopped = find_stopped(r, &g, to);
    }
    to->growth.open = open_growth(r, left, stopped);
    free(order.all);
}

/* --- what is left open ------------------------------------------------------- */

/* A leak may hide in a store of which as many go as come, if that rises in every step and
 * has some of each interval; and order alone may take a batch that moved for one that died.
 */
static bool may_leak(const struct leak_ranker *r, const struct ranked_type *row)
{
    const struct births *b = r->growths.births;
    bool leaves = r->turns_over[row->label] && !row->stays.has_of_each;
    bool acquitted = (r->queues[row->label] || leaves) && b->source == HD_SAME_BY_EVENTS;
    return row->suspicion == HD_SUSPECT_NOT && !acquitted &&
           trend_rises_always(row->count, r->n) &&
           ranked_delta(row->count, r->n) >= rank_by.fewest_undecided &&
           reaches_steady_line(r->line, (double)ranked_delta(row->retained, r->n), r->heap);
}

/* Counts that rise in every step of several are no chance; with ages one would have
 * seen it leak, if it leaked fast enough, or turn over. */
static size_t find_undecided(const struct leak_ranker *r, const struct leak_ranking *h)
{
    if (r->growths.births == NULL || r->n < rank_by.enough_snapshots)
        return SIZE_MAX;
    for (size_t i = 0; i < h->len; i++)
        if (may_leak(r, &h->all[i]))
            return i;
    return SIZE_MAX;
}

/* --- all of it ------------------------------------------------------------- */

struct leak_ranking leak_ranking_of(const struct ownership_tree *t, const struct series *s,
                                    const struct births *births,
                                    const struct suspect_line *line, struct arena *a)
{
    size_t n = t->snapshots;
    struct leak_ranker r = {.t = t,
                            .s = s,
                            .line = line,
                            .n = n,
                            .heap = (double)t->retained[n - 1],
                            .growths = path_growths_of(t, s, births),
                            .a = a};
    bool *grows = arena_array(&r.scratch, bool, t->len);
    for (path_id p = 1; p < t->len; p++)
        grows[p] = r.growths.all[p].kind == GROWS_IN_COUNT && r.growths.all[p].growth > 0;
    r.titles = title_tree_of(t, grows, &r.scratch);
    ranked_paths_of(&r);
    struct leak_ranking result = {.len = 0};
    look_at_types(&r, &result);
    ranked_sort_rows(&r);
    result.all = arena_array(a, struct ranked_type, r.row_count);
    for (size_t i = 0; i < r.row_count; i++) {
        if (r.rows[i].gone)
            continue;
        result.all[result.len + result.pooled] = r.rows[i].type;
        if (r.rows[i].type.pooled)
            result.pooled++;
        else
            result.len++;
    }
    result.undecided = find_undecided(&r, &result);
    path_growths_free(&r.growths);
    pair_table_free(&r.also);
    arena_free(&r.scratch);
    return result;
}
