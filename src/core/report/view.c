#include "report/view.h"

#include "base/hash.h"
#include "heap/place.h"
#include "report/phrases.h"

#include <stdlib.h>
#include <string.h>

/* --- which rows ---------------------------------------------------------- */

struct view view_of(const struct hd_options *opt)
{
    return (struct view){.types = opt->types,
                         .type_count = opt->type_count,
                         .excludes = opt->excludes,
                         .exclude_count = opt->exclude_count,
                         .app_only = opt->app_only,
                         .sort = opt->sort};
}

bool report_matches_any(const struct hd_report *r, const char *const *patterns,
                        size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (report_matches(r, patterns[i], name))
            return true;
    return false;
}

static bool excludes(const struct view *v, const struct hd_report *r, const char *name)
{
    return report_matches_any(r, v->excludes, v->exclude_count, name);
}

bool view_shows(const struct view *v, const struct hd_report *r, const char *name)
{
    if (v->type_count > 0 && !report_matches_any(r, v->types, v->type_count, name))
        return false;
    return !excludes(v, r, name) &&
           !(v->app_only && names_is_framework(name_part(name), NAME_WHOLE));
}

/* A row of the ranking shows if its type or the class in its title does, and neither is
 * excluded. */
static bool shows_ranked(const struct view *v, const struct hd_report *r, const char *type,
                         const char *subject)
{
    if (excludes(v, r, type) || excludes(v, r, subject))
        return false;
    return (!place_is_root(subject) && view_shows(v, r, subject)) || view_shows(v, r, type);
}

static bool hides_nothing(const struct view *v)
{
    return v->type_count == 0 && v->exclude_count == 0 && !v->app_only;
}

/* --- the ranking --------------------------------------------------------- */

static struct hd_suspect *view_choose(const struct hd_suspect *all, size_t count,
                                      size_t *len, const struct view *v,
                                      const struct hd_report *r, struct arena *a)
{
    struct hd_suspect *chosen = arena_array(a, struct hd_suspect, count);
    *len = 0;
    for (size_t i = 0; i < count; i++)
        if (shows_ranked(v, r, all[i].type, all[i].subject))
            chosen[(*len)++] = all[i];
    return chosen;
}

static size_t count_hidden(const struct hd_suspect *all, size_t count, const struct view *v,
                           const struct hd_report *r)
{
    size_t hidden = 0;
    for (size_t i = 0; i < count; i++)
        hidden += all[i].suspicion != HD_SUSPECT_NOT &&
                  !shows_ranked(v, r, all[i].type, all[i].subject);
    return hidden;
}

void view_suspects(struct hd_diff *shown, const struct hd_diff *all, const struct view *v,
                   const struct hd_report *r, struct arena *a)
{
    shown->suspects = all->suspects;
    shown->suspect_count = all->suspect_count;
    shown->minor = all->minor;
    shown->minor_count = all->minor_count;
    shown->pooled = all->pooled;
    shown->pooled_count = all->pooled_count;
    shown->hidden_count = 0;
    if (hides_nothing(v))
        return;
    shown->suspects =
        view_choose(all->suspects, all->suspect_count, &shown->suspect_count, v, r, a);
    shown->minor = view_choose(all->minor, all->minor_count, &shown->minor_count, v, r, a);
    shown->pooled =
        view_choose(all->pooled, all->pooled_count, &shown->pooled_count, v, r, a);
    shown->hidden_count = all->suspect_count - shown->suspect_count +
                          count_hidden(all->pooled, all->pooled_count, v, r);
}

/* --- rows of a diff, by growth ------------------------------------------- */

/* Signed difference of two 64-bit counts, for ordering only. */
static int compare_growth(uint64_t first_a, uint64_t last_a, uint64_t first_b,
                          uint64_t last_b)
{
    bool up_a = last_a >= first_a, up_b = last_b >= first_b;
    if (up_a != up_b)
        return up_a ? -1 : 1;
    uint64_t a = up_a ? last_a - first_a : first_a - last_a;
    uint64_t b = up_b ? last_b - first_b : first_b - last_b;
    if (a == b)
        return 0;
    return (a > b) == up_a ? -1 : 1;
}

/* qsort has no argument for it. */
struct sortable {
    struct hd_type_row row;
    size_t last;
    enum hd_sort sort;
    bool bytes_known;
    bool is_ranked; /* what it retains is known */
    uint64_t retained_first, retained_last;
};

static int by_count_growth(const struct sortable *x, const struct sortable *y)
{
    const struct hd_tally *a = x->row.at, *b = y->row.at;
    return compare_growth(a[0].count, a[x->last].count, b[0].count, b[y->last].count);
}

static int by_bytes_growth(const struct sortable *x, const struct sortable *y)
{
    const struct hd_tally *a = x->row.at, *b = y->row.at;
    if (!x->bytes_known)
        return 0;
    return compare_growth(a[0].bytes, a[x->last].bytes, b[0].bytes, b[y->last].bytes);
}

/* What the ranking did not look at stands behind. */
static int by_retained_growth(const struct sortable *x, const struct sortable *y)
{
    if (x->is_ranked != y->is_ranked)
        return x->is_ranked ? -1 : 1;
    return compare_growth(x->retained_first, x->retained_last, y->retained_first,
                          y->retained_last);
}

static int by_growth(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    int order = 0;
    if (x->sort == HD_SORT_RETAINED)
        order = by_retained_growth(x, y);
    if (x->sort == HD_SORT_BYTES)
        order = by_bytes_growth(x, y);
    if (order == 0 && x->sort != HD_SORT_NAME)
        order = by_count_growth(x, y);
    if (order == 0 && x->sort != HD_SORT_NAME)
        order = by_bytes_growth(x, y);
    return order != 0 ? order : strcmp(x->row.type, y->row.type);
}

struct view_ranked_type {
    const struct hd_suspect *suspect;
    UT_hash_handle hh;
};

/* The row of the ranking for each type that has one; the first, of several. */
static void index_ranked(struct view_ranked_type **by_type, const struct hd_suspect *all,
                         size_t count, struct arena *a)
{
    for (size_t i = 0; i < count; i++) {
        struct view_ranked_type *slot;
        HASH_FIND_STR(*by_type, all[i].type, slot);
        if (slot != NULL || all[i].retained == NULL)
            continue;
        slot = arena_alloc(a, sizeof(*slot));
        slot->suspect = &all[i];
        HASH_ADD_KEYPTR(hh, *by_type, all[i].type, strlen(all[i].type), slot);
    }
}

static void view_find_retained(const struct hd_diff *d, const struct hd_report *r,
                               struct sortable *rows, size_t count)
{
    struct arena scratch = {0};
    struct view_ranked_type *by_type = NULL, *slot;
    index_ranked(&by_type, d->suspects, d->suspect_count, &scratch);
    index_ranked(&by_type, d->minor, d->minor_count, &scratch);
    index_ranked(&by_type, d->pooled, d->pooled_count, &scratch);
    for (size_t i = 0; i < count; i++) {
        HASH_FIND_STR(by_type, rows[i].row.type, slot);
        rows[i].is_ranked =
            slot != NULL && report_retained(r, slot->suspect, &rows[i].retained_first,
                                            &rows[i].retained_last);
    }
    HASH_CLEAR(hh, by_type);
    arena_free(&scratch);
}

static void choose_types(struct hd_diff *shown, const struct hd_type_table *all,
                         const struct view *v, const struct hd_report *r, struct arena *a)
{
    struct arena scratch = {0};
    struct sortable *rows = arena_array(&scratch, struct sortable, all->len);
    enum hd_sort sort = v->sort != HD_SORT_DEFAULT ? v->sort : HD_SORT_COUNT;
    size_t len = 0;
    for (size_t i = 0; i < all->len; i++)
        if (view_shows(v, r, all->rows[i].type))
            rows[len++] = (struct sortable){.row = all->rows[i],
                                            .last = r->snapshot_count - 1,
                                            .sort = sort,
                                            .bytes_known = all->bytes_known};
    if (sort == HD_SORT_RETAINED)
        view_find_retained(shown, r, rows, len);
    qsort(rows, len, sizeof(*rows), by_growth);
    shown->types.rows = arena_array(a, struct hd_type_row, len);
    shown->types.len = len;
    for (size_t i = 0; i < len; i++)
        shown->types.rows[i] = rows[i].row;
    arena_free(&scratch);
}

/* --- patterns that match nothing ----------------------------------------- */

/* All that a pattern of --type is compared with. */
struct shown_names {
    const char **all;
    size_t count;
};

static void add_subjects(struct shown_names *names, const struct hd_suspect *all,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        names->all[names->count++] = all[i].subject;
}

static struct shown_names names_of(const struct hd_diff *d,
                                   const struct hd_type_table *types,
                                   const struct hd_report *r, struct arena *a)
{
    size_t most = 2 * types->len + d->suspect_count + d->minor_count + d->pooled_count;
    struct shown_names names = {.all = arena_array(a, const char *, most)};
    for (size_t i = 0; i < types->len; i++) {
        const char *name = types->rows[i].type, *shown = report_shown(r, name);
        names.all[names.count++] = name;
        if (shown != name)
            names.all[names.count++] = shown;
    }
    add_subjects(&names, d->suspects, d->suspect_count);
    add_subjects(&names, d->minor, d->minor_count);
    add_subjects(&names, d->pooled, d->pooled_count);
    return names;
}

static bool is_matched(const struct shown_names *names, const char *pattern)
{
    for (size_t i = 0; i < names->count; i++)
        if (names_match(pattern, names->all[i]))
            return true;
    return false;
}

/* A mistyped pattern must not look like a heap without growth. */
static void find_unmatched(struct hd_diff *shown, const struct hd_type_table *types,
                           const struct view *v, const struct hd_report *r, struct arena *a)
{
    struct arena scratch = {0};
    struct shown_names names = {0};
    if (v->type_count > 0)
        names = names_of(shown, types, r, &scratch);
    shown->unmatched = arena_array(a, struct hd_no_match, v->type_count);
    shown->unmatched_count = 0;
    for (size_t i = 0; i < v->type_count; i++)
        if (!is_matched(&names, v->types[i]))
            shown->unmatched[shown->unmatched_count++] =
                report_no_match(v->types[i], names.all, names.count, a);
    bool none = shown->unmatched_count > 0 && shown->unmatched_count == v->type_count;
    shown->no_match = none ? shown->unmatched : NULL;
    arena_free(&scratch);
}

struct hd_diff view_diff(const struct hd_diff *all, const struct view *v,
                         const struct hd_report *r, struct arena *a)
{
    struct hd_diff shown = *all;
    view_suspects(&shown, all, v, r, a);
    shown.stopped = arena_array(a, struct hd_stopped, all->stopped_count);
    shown.stopped_count = 0;
    for (size_t i = 0; i < all->stopped_count; i++)
        if (shows_ranked(v, r, all->stopped[i].type, all->stopped[i].subject))
            shown.stopped[shown.stopped_count++] = all->stopped[i];
    choose_types(&shown, &all->types, v, r, a);
    find_unmatched(&shown, &all->types, v, r, a);
    return shown;
}

/* --- rows of a top, by size ---------------------------------------------- */

static int view_by_name(const void *a, const void *b)
{
    const struct hd_type_row *x = a, *y = b;
    return strcmp(x->type, y->type);
}

static int by_count(const void *a, const void *b)
{
    const struct hd_tally *x = ((const struct hd_type_row *)a)->at;
    const struct hd_tally *y = ((const struct hd_type_row *)b)->at;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return view_by_name(a, b);
}

/* Rows without bytes stand behind the others, by count. */
static int by_bytes(const void *a, const void *b)
{
    const struct hd_tally *x = ((const struct hd_type_row *)a)->at;
    const struct hd_tally *y = ((const struct hd_type_row *)b)->at;
    uint64_t x_bytes = x->bytes != HD_UNKNOWN ? x->bytes : 0;
    uint64_t y_bytes = y->bytes != HD_UNKNOWN ? y->bytes : 0;
    if (x_bytes != y_bytes)
        return x_bytes < y_bytes ? 1 : -1;
    return by_count(a, b);
}

static int by_retained(const void *a, const void *b)
{
    const struct hd_type_row *x = a, *y = b;
    uint64_t x_bytes = x->retained != HD_UNKNOWN ? x->retained : 0;
    uint64_t y_bytes = y->retained != HD_UNKNOWN ? y->retained : 0;
    if (x_bytes != y_bytes)
        return x_bytes < y_bytes ? 1 : -1;
    return by_bytes(a, b);
}

struct hd_top view_top(const struct hd_top *all, const struct view *v,
                       const struct hd_report *r, struct arena *a)
{
    static int (*const orders[])(const void *, const void *) = {
        [HD_SORT_DEFAULT] = by_bytes,  [HD_SORT_COUNT] = by_count,
        [HD_SORT_BYTES] = by_bytes,    [HD_SORT_RETAINED] = by_retained,
        [HD_SORT_NAME] = view_by_name,
    };
    struct hd_top shown = *all;
    struct hd_type_table *t = &shown.types;
    t->rows = arena_array(a, struct hd_type_row, all->types.len);
    t->len = 0;
    for (size_t i = 0; i < all->types.len; i++)
        if (view_shows(v, r, all->types.rows[i].type))
            t->rows[t->len++] = all->types.rows[i];
    qsort(t->rows, t->len, sizeof(*t->rows), orders[v->sort]);
    return shown;
}

/* --- how many ------------------------------------------------------------ */

static void view_add(uint64_t *sum, uint64_t more)
{
    *sum = *sum == HD_UNKNOWN || more == HD_UNKNOWN ? HD_UNKNOWN : *sum + more;
}

/* Of the rows from first on. */
static struct hd_sum sum_rows(const struct hd_type_table *t, size_t first, size_t snapshots,
                              struct arena *a)
{
    struct hd_sum sum = {.rows = t->len - first,
                         .at = arena_array(a, struct hd_tally, snapshots)};
    for (size_t i = first; i < t->len; i++) {
        for (size_t k = 0; k < snapshots; k++) {
            view_add(&sum.at[k].count, t->rows[i].at[k].count);
            view_add(&sum.at[k].bytes, t->rows[i].at[k].bytes);
        }
    }
    return sum;
}

static bool is_equal(const struct hd_tally *x, const struct hd_tally *y)
{
    return x->count == y->count && x->bytes == y->bytes;
}

void view_cut(struct hd_report *r, uint32_t rows, struct arena *a)
{
    r->rows = rows == HD_DEFAULT_ROWS ? REPORT_USUAL_ROWS : rows;
    bool is_diff = r->kind == HD_REPORT_DIFF || r->kind == HD_REPORT_CHECK ||
                   (r->kind == HD_REPORT_TREE && r->snapshot_count > 1);
    if (is_diff || r->kind == HD_REPORT_TOP) {
        struct hd_type_table *t = is_diff ? &r->diff.types : &r->top.types;
        size_t n = r->snapshot_count;
        t->shown = report_rows(r, t->len);
        t->others = sum_rows(t, t->shown, n, a);
        t->sum = sum_rows(t, 0, n, a);
        t->is_whole = is_equal(&t->sum.at[0], &t->totals[0]) &&
                      is_equal(&t->sum.at[n - 1], &t->totals[n - 1]);
    }
    r->diff.suspects_shown = report_rows(r, r->diff.suspect_count);
    r->check.rules_shown = report_rows(r, r->check.rule_count);
    r->diff.stopped_shown = report_rows(r, r->diff.stopped_count);
    r->tree = view_tree(&r->found.tree, rows, r->snapshot_count, a);
    if (r->maker != NULL)
        r->maker->cut(r, a);
}

/* --- views of a tree ---------------------------------------------------------------- */

/* What has so much of its parent's bytes, and of its growth, tells all of it. */
#define FOLDED_SHARE 0.9

struct view_tree_choice {
    uint64_t weight; /* the largest of its subtree */
    size_t node;
};

/* Who stays: the first places of an order by weight. */
struct cut {
    const struct hd_tree *t;
    size_t *place; /* per node: in the order */
    size_t count;  /* so many of them stay, and the tops */
    bool *named;   /* per node: it stays too, in place of others that are one */
};

static uint64_t size_of_change(int64_t growth)
{
    return growth < 0 ? 0 - (uint64_t)growth : (uint64_t)growth;
}

/* --- lines that say nothing ------------------------------------------------- */

static bool has_nearly_all(const struct hd_tree *t, const struct hd_tree_node *child,
                           const struct hd_tree_node *of)
{
    double bytes = (double)of->owned[t->last].bytes;
    double growth = (double)size_of_change(of->growth - child->growth);
    return (double)child->owned[t->last].bytes >= FOLDED_SHARE * bytes &&
           growth <= (1 - FOLDED_SHARE) * bytes;
}

bool tree_variable(const struct hd_tree *t, const struct hd_tree_node *variable,
                   const struct hd_tree_node *object, struct place *place)
{
    if (variable->kind != HD_NODE_ROOTS || object->kind != HD_NODE_TYPE)
        return false;
    const char *full = variable->full_name;
    *place = place_of(full != NULL ? full : variable->type);
    if (place->field.at == NULL)
        return false;
    if (full != NULL || t->declares_statics)
        return true;
    bool is_of = name_part_is(place->type, object->type);
    place->type.len = 0;
    return is_of;
}

static bool is_variable_of(const struct hd_tree *t, const struct hd_tree_node *variable,
                           const struct hd_tree_node *object)
{
    struct place place;
    return tree_variable(t, variable, object, &place);
}

/* Whether the one says no more than the other. Roots stand for themselves, but for a
 * variable and the object in it; and so does what is marked. A variable says who holds what
 * is marked, and is not put on one line with that. */
static bool may_fold(const struct hd_tree *t, size_t i, size_t child, bool leads_to_mark)
{
    const struct hd_tree_node *n = &t->nodes[i], *only = &t->nodes[child];
    if (n->suspect != 0)
        return false;
    if (is_variable_of(t, n, only) || (t->is_holders && is_variable_of(t, only, n)))
        return true;
    if (n->kind == HD_NODE_PATTERN)
        return only->kind == HD_NODE_TYPE;
    bool in_variable = i > 0 && is_variable_of(t, &t->nodes[n->parent], n);
    if (t->is_holders)
        return only->kind == HD_NODE_ROOTS ||
               (n->kind == HD_NODE_TYPE && only->kind == HD_NODE_TYPE);
    return n->kind == HD_NODE_TYPE && only->kind == HD_NODE_TYPE &&
           !(in_variable && leads_to_mark);
}

/* Backwards: what a child folds into is known then. */
void tree_fold(struct hd_tree *t)
{
    struct arena scratch = {0};
    bool *leads_to_mark = arena_array(&scratch, bool, t->len);
    for (size_t i = t->len; i-- > 0;) {
        struct hd_tree_node *n = &t->nodes[i];
        size_t child = i + 1;
        n->folds = false;
        leads_to_mark[i] = n->suspect != 0;
        if (n->kind == HD_NODE_HEAP || child >= n->end)
            continue;
        const struct hd_tree_node *only = &t->nodes[child];
        bool alone = only->end == n->end ||
                     (only->end + 1 == n->end && t->nodes[only->end].others > 0);
        n->folds = alone && has_nearly_all(t, only, n) &&
                   may_fold(t, i, child, leads_to_mark[child]);
        leads_to_mark[i] |= n->folds && leads_to_mark[child];
    }
    arena_free(&scratch);
}

/* --- the largest ------------------------------------------------------------ */

static uint64_t weight_of(const struct hd_tree *t, const struct hd_tree_node *n)
{
    uint64_t bytes = n->owned[t->last].bytes, change = size_of_change(n->growth);
    return bytes > change ? bytes : change;
}

static int by_weight(const void *a, const void *b)
{
    const struct view_tree_choice *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Each suspect is to be seen: at the largest of its places. */
static void lift_suspects(const struct hd_tree *t, struct view_tree_choice *all,
                          struct arena *scratch)
{
    size_t most = 0;
    for (size_t i = 0; i < t->len; i++)
        most = t->nodes[i].suspect > most ? t->nodes[i].suspect : most;
    size_t *best = arena_array(scratch, size_t, most + 1); /* node + 1, or 0 */
    for (size_t i = 0; i < t->len; i++) {
        size_t rank = t->nodes[i].suspect;
        if (rank > 0 && (best[rank] == 0 || all[best[rank] - 1].weight < all[i].weight))
            best[rank] = i + 1;
    }
    for (size_t rank = 1; rank <= most; rank++)
        if (best[rank] > 0)
            all[best[rank] - 1].weight = UINT64_MAX - rank;
}

/* A parent weighs as much as its children, and stands before them. What shares a line stays
 * or goes together. */
static void order(struct cut *cut, struct arena *scratch)
{
    const struct hd_tree *t = cut->t;
    struct view_tree_choice *all = arena_array(scratch, struct view_tree_choice, t->len);
    cut->place = arena_array(scratch, size_t, t->len);
    cut->named = arena_array(scratch, bool, t->len);
    for (size_t i = 0; i < t->len; i++)
        all[i] = (struct view_tree_choice){weight_of(t, &t->nodes[i]), i};
    lift_suspects(t, all, scratch);
    for (size_t i = t->len; i-- > 0;) {
        size_t parent = t->nodes[i].parent;
        if (t->nodes[i].others > 0)
            all[i].weight = 0;
        if (parent != HD_NO_NODE && all[parent].weight < all[i].weight)
            all[parent].weight = all[i].weight;
    }
    for (size_t i = 0; i < t->len; i++)
        if (t->nodes[i].folds)
            all[i + 1].weight = all[i].weight;
    qsort(all, t->len, sizeof(*all), by_weight);
    for (size_t i = 0; i < t->len; i++)
        cut->place[all[i].node] = i;
}

static bool stays(const struct cut *cut, size_t i)
{
    const struct hd_tree_node *n = &cut->t->nodes[i];
    return n->others == 0 &&
           (cut->place[i] < cut->count || n->parent == HD_NO_NODE || cut->named[i]);
}

/* How many of the children of a node stay; *hidden: one that does not, *gone of them. */
static size_t staying_children(const struct cut *cut, size_t i, size_t *hidden,
                               size_t *gone)
{
    const struct hd_tree_node *nodes = cut->t->nodes;
    size_t staying = 0;
    *gone = 0;
    for (size_t child = i + 1; child < nodes[i].end; child = nodes[child].end) {
        if (stays(cut, child)) {
            staying++;
            continue;
        }
        *hidden = child;
        *gone += nodes[child].others > 0 ? nodes[child].others : 1;
    }
    return staying;
}

/* Lines are places, but for those that share one, and others beside them. */
static size_t count_lines(const struct cut *cut)
{
    const struct hd_tree_node *nodes = cut->t->nodes;
    size_t lines = 0, hidden, gone;
    for (size_t i = 0; i < cut->t->len;) {
        if (!stays(cut, i)) {
            i = nodes[i].end;
            continue;
        }
        size_t staying = staying_children(cut, i, &hidden, &gone);
        bool shares = nodes[i].folds && stays(cut, i + 1);
        lines += !shares;
        lines += staying > 0 && gone > 0 && !shares;
        i++;
    }
    return lines;
}

/* As many as there are lines for: more places are more lines. */
static void view_tree_choose(struct cut *cut, uint32_t rows, struct arena *scratch)
{
    size_t low = 0, high = cut->t->len;
    order(cut, scratch);
    while (low < high) {
        cut->count = high - (high - low) / 2;
        if (count_lines(cut) <= rows)
            low = cut->count;
        else
            high = cut->count - 1;
    }
    cut->count = low;
    /* One that is alone may have its name as well as a line. */
    const struct hd_tree_node *nodes = cut->t->nodes;
    for (size_t i = 0, hidden, gone; i < cut->t->len;) {
        if (!stays(cut, i)) {
            i = nodes[i].end;
            continue;
        }
        if (staying_children(cut, i, &hidden, &gone) > 0 && gone == 1 &&
            nodes[hidden].others == 0 && !nodes[i].folds)
            cut->named[hidden] = true;
        i++;
    }
}

/* The children of node i that do not stay, as one; count 0: all stay. */
static struct hd_tree_node others_of(const struct cut *cut, size_t i, size_t snapshots,
                                     struct arena *a)
{
    const struct hd_tree *t = cut->t;
    struct hd_tree_node others = {.kind = HD_NODE_OTHERS, .depth = t->nodes[i].depth + 1};
    for (size_t child = i + 1; child < t->nodes[i].end; child = t->nodes[child].end) {
        if (stays(cut, child))
            continue;
        if (others.at == NULL)
            others.at = arena_array(a, struct hd_tally, snapshots);
        others.others += t->nodes[child].others > 0 ? t->nodes[child].others : 1;
        others.growth += t->nodes[child].growth;
        others.stayed = t->nodes[child].stayed != HD_UNKNOWN
                            ? others.stayed + t->nodes[child].stayed
                            : HD_UNKNOWN;
        for (size_t k = 0; k < snapshots; k++) {
            if (t->nodes[child].owned[k].bytes == HD_UNKNOWN) {
                others.at[k] = t->nodes[child].owned[k];
                continue;
            }
            others.at[k].count += t->nodes[child].owned[k].count;
            others.at[k].bytes += t->nodes[child].owned[k].bytes;
        }
    }
    others.owned = others.at;
    return others;
}

/* Nodes of a subtree end where the next that is no child stands; others stand last. */
static void view_tree_copy(struct hd_tree *to, const struct cut *cut, size_t snapshots,
                           struct arena *a)
{
    const struct hd_tree *t = cut->t;
    struct arena scratch = {0};
    size_t *open =
        arena_array(&scratch, size_t, 2 * (t->len + 1)); /* pairs, not at an end */
    size_t depth = 0;
    for (size_t i = 0; i <= t->len; i++) {
        if (i < t->len && !stays(cut, i))
            continue;
        while (depth > 0 && (i == t->len || t->nodes[open[2 * (depth - 1)]].end <= i)) {
            size_t from = open[2 * --depth], at = open[2 * depth + 1];
            struct hd_tree_node others = others_of(cut, from, snapshots, a);
            others.parent = at;
            others.end = to->len + 1;
            if (others.others > 0)
                to->nodes[to->len++] = others;
            to->nodes[at].end = to->len;
        }
        if (i == t->len)
            break;
        struct hd_tree_node *n = &to->nodes[to->len];
        *n = t->nodes[i];
        n->parent = depth > 0 ? open[2 * depth - 1] : HD_NO_NODE;
        open[2 * depth] = i;
        open[2 * depth++ + 1] = to->len++;
    }
    arena_free(&scratch);
}

struct hd_tree view_tree(const struct hd_tree *all, uint32_t rows, size_t snapshots,
                         struct arena *a)
{
    struct hd_tree t = *all;
    struct arena scratch = {0};
    if (rows == HD_DEFAULT_ROWS)
        rows = TREE_USUAL_ROWS;
    if (rows > 0 && t.len > 0) {
        struct cut cut = {.t = all};
        view_tree_choose(&cut, rows, &scratch);
        t.nodes = arena_array(a, struct hd_tree_node, 2 * t.len);
        t.len = 0;
        view_tree_copy(&t, &cut, snapshots, a);
        tree_fold(&t);
    }
    arena_free(&scratch);
    return t;
}
