#include "report/view.h"

#include "base/hash.h"
#include "heap/place.h"
#include "report/phrases.h"

#include <stdlib.h>
#include <string.h>

/* --- choice of rows ------------------------------------------------------ */

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

/* True if the type of a ranked row, or the class in its title, is shown. Excluding one of
 * the two hides the row. */
static bool shows_ranked(const struct view *v, const struct hd_report *r, const char *type,
                         const char *title)
{
    if (excludes(v, r, type) || excludes(v, r, title))
        return false;
    return (!place_is_root(title) && view_shows(v, r, title)) || view_shows(v, r, type);
}

/* --- the ranking --------------------------------------------------------- */

static struct hd_suspect *view_choose(const struct hd_suspect *all, size_t count,
                                      size_t *len, const struct view *v,
                                      const struct hd_report *r, struct arena *a)
{
    struct hd_suspect *chosen = arena_array(a, struct hd_suspect, count);
    *len = 0;
    for (size_t i = 0; i < count; i++)
        if (shows_ranked(v, r, all[i].type, all[i].title))
            chosen[(*len)++] = all[i];
    return chosen;
}

void view_suspects(struct hd_diff *shown, const struct hd_diff *all, const struct view *v,
                   const struct hd_report *r, struct arena *a)
{
    shown->suspects = all->suspects;
    shown->suspect_count = all->suspect_count;
    shown->below_threshold = all->below_threshold;
    shown->below_threshold_count = all->below_threshold_count;
    shown->pooled = all->pooled;
    shown->pooled_count = all->pooled_count;
    shown->undecided = all->undecided;
    shown->hidden_count = 0;
    if (v->type_count == 0 && v->exclude_count == 0 && !v->app_only)
        return;
    shown->suspects =
        view_choose(all->suspects, all->suspect_count, &shown->suspect_count, v, r, a);
    shown->below_threshold = view_choose(all->below_threshold, all->below_threshold_count,
                                         &shown->below_threshold_count, v, r, a);
    shown->pooled =
        view_choose(all->pooled, all->pooled_count, &shown->pooled_count, v, r, a);
    shown->hidden_count = all->suspect_count - shown->suspect_count;
    for (size_t i = 0; i < all->pooled_count; i++)
        shown->hidden_count +=
            all->pooled[i].suspicion != HD_SUSPECT_NOT &&
            !shows_ranked(v, r, all->pooled[i].type, all->pooled[i].title);
    const struct hd_suspect *s = all->undecided;
    if (s != NULL && !shows_ranked(v, r, s->type, s->title)) {
        shown->undecided = NULL;
        shown->hidden_count++;
    }
}

/* --- rows of a diff, by growth ------------------------------------------- */

/* Rows are sorted by keys, then by name: growth from first to last, the largest first; for
 * a size the first is 0. */
struct key {
    uint64_t first, last;
};
enum { MAX_KEYS = 4 };

struct sortable {
    struct hd_type_row row;
    struct key keys[MAX_KEYS]; /* unused ones are equal */
};

/* Signed difference of two 64-bit counts, for ordering only. */
static int compare_keys(struct key x, struct key y)
{
    bool up_x = x.last >= x.first, up_y = y.last >= y.first;
    if (up_x != up_y)
        return up_x ? -1 : 1;
    uint64_t a = up_x ? x.last - x.first : x.first - x.last;
    uint64_t b = up_y ? y.last - y.first : y.first - y.last;
    if (a == b)
        return 0;
    return (a > b) == up_x ? -1 : 1;
}

static int by_keys(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    int order = 0;
    for (size_t i = 0; i < MAX_KEYS && order == 0; i++)
        order = compare_keys(x->keys[i], y->keys[i]);
    return order != 0 ? order : strcmp(x->row.type, y->row.type);
}

/* Returns the number of rows of the ranking, suspects first. */
static size_t ranked_rows(const struct hd_diff *d)
{
    return d->suspect_count + d->below_threshold_count + d->pooled_count;
}

static const struct hd_suspect *ranked_row_at(const struct hd_diff *d, size_t i)
{
    if (i < d->suspect_count)
        return &d->suspects[i];
    i -= d->suspect_count;
    return i < d->below_threshold_count ? &d->below_threshold[i]
                                        : &d->pooled[i - d->below_threshold_count];
}

struct view_ranked_type {
    const struct hd_suspect *suspect;
    UT_hash_handle hh;
};

/* The row of the ranking for each type that has one; the first, of several. */
static struct view_ranked_type *index_ranked(const struct hd_diff *d, struct arena *a)
{
    struct view_ranked_type *by_type = NULL, *slot;
    for (size_t i = 0; i < ranked_rows(d); i++) {
        const struct hd_suspect *s = ranked_row_at(d, i);
        HASH_FIND_STR(by_type, s->type, slot);
        if (slot != NULL || s->retained == NULL)
            continue;
        slot = arena_alloc(a, sizeof(*slot));
        slot->suspect = s;
        HASH_ADD_KEYPTR(hh, by_type, s->type, strlen(s->type), slot);
    }
    return by_type;
}

/* For a diff. Unranked rows follow ranked ones. */
static void set_growth(struct sortable *s, enum hd_sort sort, const struct hd_report *r,
                       bool bytes_known, const struct view_ranked_type *ranked)
{
    const struct hd_tally *first = s->row.at, *last = &s->row.at[r->snapshot_count - 1];
    const struct key none = {0, 0}, count = {first->count, last->count};
    const struct key bytes = bytes_known ? (struct key){first->bytes, last->bytes} : none;
    const struct view_ranked_type *found = NULL;
    struct key retained = none;
    size_t n = 0;
    if (sort == HD_SORT_NAME)
        return;
    if (sort == HD_SORT_RETAINED) {
        HASH_FIND_STR(ranked, s->row.type, found);
        bool known = found != NULL &&
                     report_retained(r, found->suspect, &retained.first, &retained.last);
        s->keys[n++] = (struct key){0, known};
        s->keys[n++] = retained;
    } else if (sort == HD_SORT_BYTES) {
        s->keys[n++] = bytes;
    }
    s->keys[n++] = count;
    s->keys[n] = bytes;
}

/* For a top. Rows without bytes follow the others, by count. */
static void set_sizes(struct sortable *s, enum hd_sort sort)
{
    const struct hd_tally *at = s->row.at;
    size_t n = 0;
    if (sort == HD_SORT_NAME)
        return;
    if (sort == HD_SORT_RETAINED)
        s->keys[n++].last = s->row.retained != HD_UNKNOWN ? s->row.retained : 0;
    if (sort != HD_SORT_COUNT)
        s->keys[n++].last = at->bytes != HD_UNKNOWN ? at->bytes : 0;
    s->keys[n++].last = at->count;
    s->keys[n].last = at->bytes;
}

/* Chooses the visible rows, in order. d: the diff with its ranking; NULL for a top. */
static void choose_rows(struct hd_type_table *shown, const struct hd_type_table *all,
                        const struct hd_diff *d, const struct view *v,
                        const struct hd_report *r, struct arena *a)
{
    struct arena scratch = {0};
    struct sortable *rows = arena_array(&scratch, struct sortable, all->len);
    struct view_ranked_type *ranked =
        d != NULL && v->sort == HD_SORT_RETAINED ? index_ranked(d, &scratch) : NULL;
    size_t len = 0;
    for (size_t i = 0; i < all->len; i++) {
        if (!view_shows(v, r, all->rows[i].type))
            continue;
        struct sortable *s = &rows[len++];
        s->row = all->rows[i];
        if (d != NULL)
            set_growth(s, v->sort, r, all->bytes_known, ranked);
        else
            set_sizes(s, v->sort);
    }
    qsort(rows, len, sizeof(*rows), by_keys);
    shown->rows = arena_array(a, struct hd_type_row, len);
    shown->len = len;
    for (size_t i = 0; i < len; i++)
        shown->rows[i] = rows[i].row;
    HASH_CLEAR(hh, ranked);
    arena_free(&scratch);
}

/* --- patterns without a match -------------------------------------------- */

/* A mistyped pattern must not look like a heap without growth. It is compared with the
 * types, by both of their names, and with the titles of the ranking. */
void view_find_unmatched(struct hd_diff *shown, const struct hd_type_table *types,
                         const struct view *v, const struct hd_report *r, struct arena *a)
{
    struct arena scratch = {0};
    size_t count = 0, most = 2 * types->len + ranked_rows(shown);
    const char **names = arena_array(&scratch, const char *, most);
    for (size_t i = 0; v->type_count > 0 && i < types->len; i++) {
        const char *name = types->rows[i].type, *known_as = report_shown(r, name);
        names[count++] = name;
        if (known_as != name)
            names[count++] = known_as;
    }
    for (size_t i = 0; v->type_count > 0 && i < ranked_rows(shown); i++)
        names[count++] = ranked_row_at(shown, i)->title;
    shown->unmatched = arena_array(a, struct hd_no_match, v->type_count);
    shown->unmatched_count = 0;
    for (size_t i = 0; i < v->type_count; i++) {
        size_t n = 0;
        while (n < count && !names_match(v->types[i], names[n]))
            n++;
        if (n == count)
            shown->unmatched[shown->unmatched_count++] =
                report_no_match(v->types[i], names, count, a);
    }
    bool none = shown->unmatched_count > 0 && shown->unmatched_count == v->type_count;
    shown->no_match = none ? shown->unmatched : NULL;
    arena_free(&scratch);
}

struct hd_diff view_diff(const struct hd_diff *all, const struct view *v,
                         const struct hd_report *r, struct arena *a)
{
    struct hd_diff shown = *all;
    view_suspects(&shown, all, v, r, a);
    bool all_hidden = shown.suspect_count == 0 && shown.hidden_count > 0;
    if (all_hidden && shown.confidence == HD_CONFIDENCE_HIGH)
        shown.confidence = HD_CONFIDENCE_MEDIUM; /* in an all-clear */
    shown.leveled_off = arena_array(a, struct hd_leveled_off, all->leveled_off_count);
    shown.leveled_off_count = 0;
    for (size_t i = 0; i < all->leveled_off_count; i++)
        if (shows_ranked(v, r, all->leveled_off[i].type, all->leveled_off[i].title))
            shown.leveled_off[shown.leveled_off_count++] = all->leveled_off[i];
    choose_rows(&shown.types, &all->types, &shown, v, r, a);
    view_find_unmatched(&shown, &all->types, v, r, a);
    return shown;
}

/* --- rows of a top, by size ---------------------------------------------- */

struct hd_top view_top(const struct hd_top *all, const struct view *v,
                       const struct hd_report *r, struct arena *a)
{
    struct hd_top shown = *all;
    choose_rows(&shown.types, &all->types, NULL, v, r, a);
    return shown;
}

/* --- how many ------------------------------------------------------------ */

static void view_add(uint64_t *sum, uint64_t more)
{
    *sum = *sum == HD_UNKNOWN || more == HD_UNKNOWN ? HD_UNKNOWN : *sum + more;
}

/* Sums the rows from first on. */
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
    r->diff.leveled_off_shown = report_rows(r, r->diff.leveled_off_count);
    r->tree = view_tree(&r->found.tree, rows, r->snapshot_count, a);
    if (r->maker != NULL)
        r->maker->cut(r, a);
}

/* --- views of a tree ---------------------------------------------------------------- */

/* A child with this share of its parent's bytes, and of its growth, is folded into the
 * parent's row. */
#define FOLDED_SHARE 0.9

struct view_tree_choice {
    uint64_t weight; /* the largest of its subtree */
    size_t node;
};

/* The visible nodes: the first of an order by weight. */
struct cut {
    const struct hd_tree *t;
    size_t *place; /* per node: in the order */
    size_t count;  /* number of visible nodes, apart from the tops */
    bool *named;   /* per node: shown as well, instead of "1 other" */
};

static uint64_t size_of_change(int64_t growth)
{
    return growth < 0 ? 0 - (uint64_t)growth : (uint64_t)growth;
}

/* --- lines without information ---------------------------------------------- */

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

/* True if a node and its only child may share a line. Root groups do not share one, except
 * a variable with its object; nor do marked nodes. A variable that leads to a mark has a
 * line of its own. */
static bool may_fold(const struct hd_tree *t, size_t i, size_t child, bool leads_to_mark)
{
    const struct hd_tree_node *n = &t->nodes[i], *only = &t->nodes[child];
    if (n->suspect != 0)
        return false;
    if (is_variable_of(t, n, only) || (t->is_holders && is_variable_of(t, only, n)))
        return true;
    if (n->kind == HD_NODE_METHOD)
        return only->kind == HD_NODE_METHOD;
    if (n->kind == HD_NODE_PATTERN)
        return only->kind == HD_NODE_TYPE;
    bool in_variable = i > 0 && is_variable_of(t, &t->nodes[n->parent], n);
    if (t->is_holders)
        return only->kind == HD_NODE_ROOTS ||
               (n->kind == HD_NODE_TYPE && only->kind == HD_NODE_TYPE);
    return n->kind == HD_NODE_TYPE && only->kind == HD_NODE_TYPE &&
           !(in_variable && leads_to_mark);
}

/* Backwards: the folding of a child is known then. */
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
        double bytes = (double)n->owned[t->last].bytes;
        double others = (double)size_of_change(n->growth - only->growth);
        bool has_nearly_all = (double)only->owned[t->last].bytes >= FOLDED_SHARE * bytes &&
                              others <= (1 - FOLDED_SHARE) * bytes;
        n->folds = alone && has_nearly_all && may_fold(t, i, child, leads_to_mark[child]);
        leads_to_mark[i] |= n->folds && leads_to_mark[child];
    }
    arena_free(&scratch);
}

/* --- the largest ------------------------------------------------------------ */

static int by_weight(const void *a, const void *b)
{
    const struct view_tree_choice *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Makes each suspect visible, at the largest of its places. */
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

/* Orders nodes by weight. A parent weighs the maximum of its subtree, and precedes it.
 * Nodes that share a line are shown or hidden together. */
static void order(struct cut *cut, struct arena *scratch)
{
    const struct hd_tree *t = cut->t;
    struct view_tree_choice *all = arena_array(scratch, struct view_tree_choice, t->len);
    cut->place = arena_array(scratch, size_t, t->len);
    cut->named = arena_array(scratch, bool, t->len);
    for (size_t i = 0; i < t->len; i++) {
        uint64_t bytes = t->nodes[i].owned[t->last].bytes;
        uint64_t change = size_of_change(t->nodes[i].growth);
        all[i] = (struct view_tree_choice){bytes > change ? bytes : change, i};
    }
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

/* Returns the number of visible children; *hidden: a hidden one, *gone: their number. */
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

/* Lines are places, except places that share one, plus lines for the others. */
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

/* Chooses the number of places that fill the lines: more places are more lines. */
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
    /* A single hidden sibling is shown by name instead of "1 other". */
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
        others.survived = t->nodes[child].survived != HD_UNKNOWN
                              ? others.survived + t->nodes[child].survived
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

/* The subtree of a node ends at the next node outside; others are last. */
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
