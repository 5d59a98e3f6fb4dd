/* Paths are ranked first, then what they leave unexplained by type. The steps are those of
 * docs/ranking.md, one function each, in its order. */
#include "analysis/headed.h"

#include "analysis/companions.h"
#include "analysis/type_growth.h"
#include "base/pair_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ranker {
    const struct trie *t;
    const struct series *s;
    const struct ranking_rules *rules;
    const struct suspect_line *line;
    size_t n;
    double heap; /* reachable bytes of the last snapshot */
    struct path_growths growths;
    struct subject_tree titles;
    struct head *heads; /* the ranked by label, then path; then the pooled */
    size_t head_count;
    struct row *rows; /* by score; the pooled behind */
    size_t row_count;
    size_t *row_of;         /* per label: its ranked row; NO_ROW */
    struct pair_table also; /* which types go with that of a row */
    struct arena *a;
    struct arena scratch;
};

#define NO_ROW SIZE_MAX

/* qsort knows no context. */
struct row {
    struct headed_type type;
    const char *name;
    int64_t more_objects;
    double steady; /* part of the score that steady heads have */
    bool gone;     /* it is a part of another row */
    label_id into; /* of which type */
    size_t place_room;
};

static int64_t delta(const uint64_t *y, size_t n)
{
    return (int64_t)(y[n - 1] - y[0]);
}

static const char *name_of(const struct ranker *r, label_id label)
{
    return r->t->labels.all[label].name;
}

size_t headed_full_path(const struct trie *t, path_id p, size_t k, const label_id **labels,
                        struct arena *a)
{
    const struct full_trie *f = &t->full[k];
    path_id full = t->full_of[p * t->snapshots + k];
    size_t len = 0;
    if (full == NO_PATH)
        return 0;
    for (path_id at = full; at != 0; at = f->parent[at])
        len++;
    label_id *path = arena_array(a, label_id, len);
    for (size_t i = len; i-- > 0; full = f->parent[full])
        path[i] = f->label[full];
    *labels = path;
    return len;
}

/* --- heads --------------------------------------------------------------- */

/* By type, then in the order of paths: sums of doubles, and which of two heads with equal
 * credit counts, are the same everywhere. */
static int by_type(const void *a, const void *b)
{
    const struct head *x = a, *y = b;
    if (x->pooled != y->pooled)
        return x->pooled ? 1 : -1;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* A load may come by the clock or as so much work between two snapshots: either will do. */
static bool is_steady(const struct ranker *r, path_id p)
{
    enum { FEWEST_MORE = 10 };
    double steps[SERIES_MAX_SNAPSHOTS];
    const uint64_t *c = &r->t->count[p * r->n];
    struct path_points points;
    if (r->rules->no_steady || r->growths.all[p].kind != GROWS_IN_COUNT ||
        delta(c, r->n) < FEWEST_MORE)
        return false;
    struct trend y = path_trend(r->t, r->s, r->t->label[p], c, c, &points);
    if (y.noise != NULL)
        return false;
    if (trend_rises_evenly(&y))
        return true;
    for (size_t k = 0; k < r->n; k++)
        steps[k] = (double)r->s->fit[k];
    y.x = steps;
    return r->s->by_clock && trend_rises_evenly(&y);
}

static void collect_heads(struct ranker *r)
{
    r->heads = arena_array(&r->scratch, struct head, r->t->len);
    for (path_id p = 1; p < r->t->len; p++) {
        const struct label *label = &r->t->labels.all[r->t->label[p]];
        if (r->growths.all[p].own <= 0 || label->kind != TYPE_OBJECT ||
            strcmp(label->name, "Free") == 0)
            continue;
        r->heads[r->head_count++] =
            (struct head){.label = r->t->label[p],
                          .order = r->growths.order[p],
                          .path = p,
                          .pooled = !r->rules->no_pools && path_is_pooled(r->t, p),
                          .steady = is_steady(r, p),
                          .score = path_score(&r->growths, p)};
    }
    if (r->head_count > 0)
        qsort(r->heads, r->head_count, sizeof(*r->heads), by_type);
}

/* --- rows ---------------------------------------------------------------- */

static void add_counts(const struct ranker *r, struct headed_type *to, path_id p)
{
    for (size_t k = 0; k < r->n; k++) {
        to->count[k] += r->t->count[p * r->n + k];
        to->retained[k] += r->t->retained[p * r->n + k];
    }
}

static int64_t retained_more(const struct ranker *r, path_id p)
{
    return delta(&r->t->retained[p * r->n], r->n);
}

/* Least and most that the steady heads gain together in a step. */
static void measure_steps(const struct ranker *r, struct headed_type *to,
                          const struct head *heads, size_t count)
{
    for (size_t k = 1; k < r->n; k++) {
        uint64_t step = 0;
        for (size_t i = 0; i < count; i++)
            if (heads[i].steady && heads[i].carrier == 0)
                step += r->t->count[heads[i].path * r->n + k] -
                        r->t->count[heads[i].path * r->n + k - 1];
        to->step_least = k == 1 || step < to->step_least ? step : to->step_least;
        to->step_most = step > to->step_most ? step : to->step_most;
    }
}

/* Those of one type; what is carried belongs to another row. */
static struct row sum_heads(const struct ranker *r, const struct head *heads, size_t count)
{
    struct row row = {.name = name_of(r, heads[0].label), .place_room = count};
    struct headed_type *sum = &row.type;
    *sum = (struct headed_type){.label = heads[0].label,
                                .basis = BASIS_GRAPH,
                                .pooled = heads[0].pooled,
                                .count = arena_array(r->a, uint64_t, r->n),
                                .retained = arena_array(r->a, uint64_t, r->n),
                                .places = arena_array(r->a, struct headed_place, count)};
    for (size_t i = 0; i < count; i++) {
        path_id p = heads[i].path;
        if (heads[i].carrier != 0)
            continue;
        if (sum->place_count == 0 ||
            r->growths.all[p].credit > r->growths.all[sum->head].credit)
            sum->head = p;
        sum->score += heads[i].total;
        row.steady += heads[i].steady ? heads[i].total : 0;
        sum->places[sum->place_count++] = (struct headed_place){p, heads[i].total};
        add_counts(r, sum, p);
        sum->more += retained_more(r, p);
    }
    sum->tau = r->growths.all[sum->head].tau;
    measure_steps(r, sum, heads, count);
    row.more_objects = delta(sum->count, r->n);
    return row;
}

static int by_score(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->type.pooled != y->type.pooled)
        return x->type.pooled ? 1 : -1;
    if (x->gone != y->gone)
        return x->gone ? 1 : -1;
    bool x_suspect = x->type.suspicion != SUSPECT_NOT;
    bool y_suspect = y->type.suspicion != SUSPECT_NOT;
    if (x_suspect != y_suspect)
        return x_suspect ? -1 : 1;
    if (x->type.score != y->type.score)
        return x->type.score < y->type.score ? 1 : -1;
    if (x->more_objects != y->more_objects)
        return x->more_objects < y->more_objects ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void sort_rows(struct ranker *r)
{
    if (r->row_count > 0)
        qsort(r->rows, r->row_count, sizeof(*r->rows), by_score);
    for (size_t i = 0; i < r->t->labels.len; i++)
        r->row_of[i] = NO_ROW;
    for (size_t i = 0; i < r->row_count; i++)
        if (!r->rows[i].type.pooled && !r->rows[i].gone)
            r->row_of[r->rows[i].type.label] = i;
}

static void make_rows(struct ranker *r)
{
    /* Types that are found as a whole come on top: one row for each label at most. */
    size_t most = r->head_count + r->t->labels.len;
    r->rows = arena_array(&r->scratch, struct row, most);
    r->row_of = arena_array(&r->scratch, size_t, r->t->labels.len);
    for (size_t i = 0, end; i < r->head_count; i = end) {
        const struct head *first = &r->heads[i];
        for (end = i + 1; end < r->head_count && r->heads[end].label == first->label &&
                          r->heads[end].pooled == first->pooled;)
            end++;
        struct row row = sum_heads(r, first, end - i);
        if (row.type.score > 0)
            r->rows[r->row_count++] = row;
    }
    sort_rows(r);
}

/* Thousands may go with one: room for them doubles, and none is looked for among them. */
static void add_also(struct ranker *r, struct headed_type *to, label_id label)
{
    uint32_t next = (uint32_t)to->also_count;
    if (label == to->label || pair_table_put(&r->also, to->label, label, next) != next)
        return;
    if ((to->also_count & (to->also_count - 1)) == 0) {
        size_t room = to->also_count > 0 ? 2 * to->also_count : 1;
        label_id *also = arena_array(r->a, label_id, room);
        if (to->also_count > 0)
            memcpy(also, to->also, to->also_count * sizeof(*also));
        to->also = also;
    }
    to->also[to->also_count++] = label;
}

static int by_falling_score(const void *a, const void *b)
{
    const struct head *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Name what each row carries, the weightiest first. */
static void name_companions(struct ranker *r)
{
    struct head *carried = arena_array(&r->scratch, struct head, r->head_count);
    size_t count = 0;
    for (size_t i = 0; i < r->head_count; i++)
        if (r->heads[i].carrier != 0)
            carried[count++] = r->heads[i];
    if (count > 0)
        qsort(carried, count, sizeof(*carried), by_falling_score);
    for (size_t i = 0; i < count; i++) {
        size_t row = r->row_of[r->t->label[carried[i].carrier]];
        if (row == NO_ROW)
            continue;
        add_also(r, &r->rows[row].type, carried[i].label);
        r->rows[row].type.more += retained_more(r, carried[i].path);
    }
}

/* --- one store ------------------------------------------------------------ */

/* What the largest head of a row hangs from, or 0: a root group is no store. */
static path_id store_of(const struct ranker *r, const struct row *row)
{
    path_id above = r->t->parent[row->type.head];
    bool group = above == 0 || r->t->labels.all[r->t->label[above]].kind == TYPE_PSEUDO;
    bool small = !row->type.pooled && !reaches_line(r->line, row->type.score, r->heap);
    return small && !group ? above : 0;
}

static void add_merged_places(struct ranker *r, struct row *to, const struct row *from)
{
    size_t count = to->type.place_count + from->type.place_count;
    if (count > to->place_room) {
        to->place_room = 2 * count;
        struct headed_place *places =
            arena_array(r->a, struct headed_place, to->place_room);
        memcpy(places, to->type.places, to->type.place_count * sizeof(*places));
        to->type.places = places;
    }
    memcpy(&to->type.places[to->type.place_count], from->type.places,
           from->type.place_count * sizeof(*from->type.places));
    to->type.place_count = count;
}

static void merge_row(struct ranker *r, size_t into, size_t from)
{
    struct headed_type *to = &r->rows[into].type;
    struct row *row = &r->rows[from];
    add_merged_places(r, &r->rows[into], row);
    to->score += row->type.score;
    to->more += row->type.more;
    r->rows[into].steady += row->steady;
    add_also(r, to, row->type.label);
    for (size_t i = 0; i < row->type.also_count; i++)
        add_also(r, to, row->type.also[i]);
    row->gone = true;
    row->into = to->label;
}

/* A leak that is split over the classes in one table. */
static void join_stores(struct ranker *r)
{
    double *sum = arena_array(&r->scratch, double, r->t->len);
    size_t *first = arena_array(&r->scratch, size_t, r->t->len);
    if (r->rules->no_one_store)
        return;
    for (size_t i = 0; i < r->row_count; i++)
        sum[store_of(r, &r->rows[i])] += r->rows[i].type.score;
    for (size_t i = r->row_count; i-- > 0;)
        first[store_of(r, &r->rows[i])] = i;
    path_id *store = arena_array(&r->scratch, path_id, r->row_count);
    for (size_t i = 0; i < r->row_count; i++)
        store[i] = store_of(r, &r->rows[i]);
    for (size_t i = 0; i < r->row_count; i++)
        if (store[i] != 0 && first[store[i]] != i &&
            reaches_line(r->line, sum[store[i]], r->heap))
            merge_row(r, first[store[i]], i);
}

static void decide(struct ranker *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        struct row *row = &r->rows[i];
        if (row->type.pooled || row->gone)
            continue;
        if (reaches_line(r->line, row->type.score, r->heap))
            row->type.suspicion = SUSPECT_SIZE;
        else if (reaches_steady_line(r->line, row->steady, r->heap))
            row->type.suspicion = SUSPECT_STEADY;
        if (row->steady <= 0)
            row->type.step_least = row->type.step_most = 0;
    }
    sort_rows(r);
}

static void rank_paths(struct ranker *r)
{
    collect_heads(r);
    companions_join(r->heads, r->head_count, &r->growths, &r->titles);
    make_rows(r);
    name_companions(r);
    join_stores(r);
    decide(r);
    for (size_t i = 0; i < r->row_count; i++)
        r->rows[i].type.subject = subject_of(&r->titles, r->rows[i].type.head, NULL);
}

/* --- whole types ------------------------------------------------------------- */

/* The row that a head belongs to, or NO_ROW. */
static size_t row_of_head(const struct ranker *r, const struct head *h,
                          const label_id *merged_into)
{
    label_id label = h->carrier != 0 ? r->t->label[h->carrier] : h->label;
    label = merged_into[label] != NO_LABEL ? merged_into[label] : label;
    return h->pooled ? NO_ROW : r->row_of[label];
}

/* Which paths the suspects hold. */
static bool *paths_of_suspects(struct ranker *r)
{
    bool *taken = arena_array(&r->scratch, bool, r->t->len);
    label_id *merged_into = arena_array(&r->scratch, label_id, r->t->labels.len);
    for (size_t i = 0; i < r->t->labels.len; i++)
        merged_into[i] = NO_LABEL;
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].gone)
            merged_into[r->rows[i].type.label] = r->rows[i].into;
    for (size_t i = 0; i < r->head_count; i++) {
        size_t row = row_of_head(r, &r->heads[i], merged_into);
        taken[r->heads[i].path] =
            row != NO_ROW && r->rows[row].type.suspicion != SUSPECT_NOT;
    }
    return taken;
}

static void take_type(struct ranker *r, struct row *row, const struct type_growths *g)
{
    label_id label = row->type.label;
    const struct grown_type *grown = &g->all[label];
    struct headed_type *to = &row->type;
    to->basis = BASIS_TYPE;
    to->suspicion = SUSPECT_SIZE;
    to->score = grown->score;
    to->tau = grown->tau;
    to->count = arena_array(r->a, uint64_t, r->n);
    to->retained = arena_array(r->a, uint64_t, r->n);
    memcpy(to->count, &g->count[label * r->n], r->n * sizeof(*to->count));
    memcpy(to->retained, &g->retained[label * r->n], r->n * sizeof(*to->retained));
    to->head = r->t->full[r->n - 1].cut[type_growths_topmost(g, label)];
    to->more = delta(to->retained, r->n);
    to->subject = type_growths_title(g, label);
    to->places = arena_array(r->a, struct headed_place, 1);
    to->places[0] = (struct headed_place){to->head, to->score};
    to->place_count = 1;
    row->more_objects = delta(to->count, r->n);
}

/* What the suspects leave: types that are one together. */
static void add_types(struct ranker *r, const struct type_growths *g)
{
    for (label_id label = 0; label < r->t->labels.len; label++) {
        const struct grown_type *type = &g->all[label];
        size_t at = r->row_of[label];
        if (type->score <= 0 || !reaches_line(r->line, type->score, r->heap) ||
            strcmp(name_of(r, label), "Free") == 0 ||
            type_growths_topmost(g, label) == NO_PATH ||
            (at != NO_ROW && r->rows[at].type.suspicion != SUSPECT_NOT))
            continue;
        struct row row = {.name = name_of(r, label), .type = {.label = label}};
        take_type(r, &row, g);
        if (at != NO_ROW)
            r->rows[at] = row;
        else
            r->rows[r->row_count++] = row;
    }
}

/* A place may hold a suspect in some snapshots only, and the type grows far more. */
static void raise_types(struct ranker *r, const struct type_growths *g)
{
    for (size_t i = 0; i < r->row_count; i++) {
        struct row *row = &r->rows[i];
        double score = g->all[row->type.label].score;
        if (row->gone || row->type.suspicion == SUSPECT_NOT || score <= 0 ||
            row->type.basis == BASIS_TYPE || score < 2 * row->type.score)
            continue;
        take_type(r, row, g);
    }
}

static bool has_suspects(const struct ranker *r)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].type.suspicion != SUSPECT_NOT)
            return true;
    return false;
}

/* --- where the growth went ---------------------------------------------------- */

/* A twentieth of the heap; less is noise. */
#define UNEXPLAINED_SHARE 0.05

static struct headed_growth share_growth(const struct ranker *r, const struct residue *left)
{
    size_t n = r->n;
    struct headed_growth g = {.suspects = left->bytes[PART_SUSPECTS],
                              .pools = left->bytes[PART_POOLS],
                              .rest = left->bytes[PART_REST],
                              .explained = NAN};
    int64_t whole = delta(r->t->retained, n), suspects = delta(g.suspects, n);
    if (whole > 0) {
        double share = (double)suspects / (double)whole;
        g.explained = share < 0 ? 0 : share > 1 ? 1 : share;
    }
    return g;
}

/* Where something has stopped, that is what slowed the rest down. */
static bool is_unexplained(const struct ranker *r, const struct headed *found)
{
    static const struct ranking_rules without_slowing = {.no_slowing = true};
    const struct headed_growth *g = &found->growth;
    double y[SERIES_MAX_SNAPSHOTS];
    for (size_t k = 0; k < r->n; k++)
        y[k] = (double)g->rest[k];
    struct trend rest = {r->n, r->s->x, y, NULL};
    const struct ranking_rules *rules =
        found->stopped_count > 0 ? &without_slowing : r->rules;
    return trend_grows(&rest) &&
           path_sustained_growth(&rest, trend_half(r->n), rules) >=
               UNEXPLAINED_SHARE * r->heap &&
           2 * delta(g->rest, r->n) > delta(r->t->retained, r->n);
}

static int by_growth(const void *a, const void *b)
{
    const struct headed_stopped *x = a, *y = b;
    if (x->growth != y->growth)
        return x->growth < y->growth ? 1 : -1;
    int order = strcmp(x->subject, y->subject);
    return order != 0 ? order : strcmp(x->name, y->name);
}

/* What is large enough to be told. */
#define STOPPED_SHARE 0.02

static void find_stopped(struct ranker *r, const struct type_growths *g, struct headed *to)
{
    size_t labels = r->t->labels.len;
    to->stopped = arena_array(r->a, struct headed_stopped, labels);
    for (label_id label = 0; label < labels; label++) {
        double growth = g->all[label].score;
        if (growth <= 0 || growth < STOPPED_SHARE * r->heap ||
            type_growths_topmost(g, label) == NO_PATH ||
            strcmp(name_of(r, label), "Free") == 0)
            continue;
        to->stopped[to->stopped_count++] = (struct headed_stopped){
            .label = label,
            .name = name_of(r, label),
            .subject = type_growths_title(g, label),
            .count = &g->count[label * r->n],
            .retained = &g->retained[label * r->n],
            .growth = growth,
            .head = r->t->full[r->n - 1].cut[type_growths_topmost(g, label)]};
    }
    if (to->stopped_count > 0)
        qsort(to->stopped, to->stopped_count, sizeof(*to->stopped), by_growth);
}

/* Rows by type, then what of the growth is left when all suspects are gone. */
static void look_at_types(struct ranker *r, struct headed *to)
{
    enum { FEWEST_TO_STAY = 4 };
    struct arena *a = &r->scratch;
    bool *heads = paths_of_suspects(r);
    bool *labels = arena_array(a, bool, r->t->labels.len);
    struct path_order order = {0};
    if (!r->rules->no_types) {
        bool *none = arena_array(a, bool, r->t->len);
        struct residue left = residue_of(r->t, heads, NULL, a);
        struct type_growths g =
            type_growths_of(&left, r->s, r->rules, TYPES_GROWING, &order, a);
        add_types(r, &g);
        if (has_suspects(r)) {
            struct residue all = residue_of(r->t, none, NULL, a);
            g = type_growths_of(&all, r->s, r->rules, TYPES_GROWING, &order, a);
            raise_types(r, &g);
        }
    }
    for (size_t i = 0; i < r->row_count; i++)
        labels[r->rows[i].type.label] |= r->rows[i].type.basis == BASIS_TYPE;
    struct residue *left = arena_alloc(a, sizeof(*left));
    *left = residue_of(r->t, heads, labels, r->a);
    to->growth = share_growth(r, left);
    if (r->n >= FEWEST_TO_STAY && !r->rules->no_types) {
        struct type_growths g =
            type_growths_of(left, r->s, r->rules, TYPES_STAYED, &order, r->a);
        find_stopped(r, &g, to);
    }
    to->growth.unexplained = is_unexplained(r, to);
    free(order.all);
}

/* --- all of it ------------------------------------------------------------- */

struct headed headed_rank(const struct trie *t, const struct series *s,
                          const struct ranking_rules *rules,
                          const struct suspect_line *line, struct arena *a)
{
    size_t n = t->snapshots;
    struct ranker r = {.t = t,
                       .s = s,
                       .rules = rules,
                       .line = line,
                       .n = n,
                       .heap = (double)t->retained[n - 1],
                       .growths = path_growths_of(t, s, rules),
                       .a = a};
    bool *grows = arena_array(&r.scratch, bool, t->len);
    for (path_id p = 1; p < t->len; p++)
        grows[p] = r.growths.all[p].kind == GROWS_IN_COUNT && r.growths.all[p].growth > 0;
    r.titles = subject_tree_of(t, grows, &r.scratch);
    rank_paths(&r);
    struct headed result = {.len = 0};
    look_at_types(&r, &result);
    sort_rows(&r);
    result.all = arena_array(a, struct headed_type, r.row_count);
    for (size_t i = 0; i < r.row_count; i++) {
        if (r.rows[i].gone)
            continue;
        result.all[result.len + result.pooled] = r.rows[i].type;
        if (r.rows[i].type.pooled)
            result.pooled++;
        else
            result.len++;
    }
    path_growths_free(&r.growths);
    pair_table_free(&r.also);
    arena_free(&r.scratch);
    return result;
}
