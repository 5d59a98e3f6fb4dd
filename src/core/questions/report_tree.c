#include "questions/report_suspects.h"

#include "base/error.h"
#include "heap/root_kind.h"
#include "owners/merged_tree.h"
#include "report/phrases.h"
#include "report/view.h"

#include <stdlib.h>
#include <string.h>

struct planter {
    struct hd_report *r;
    const struct ownership *owned;
    const struct suspect_rows *rows; /* NULL: no ranking */
    struct merged_tree_question ask;
    struct arena scratch;
};

/* --- the question ------------------------------------------------------------ */

static void match_labels(struct planter *p)
{
    const struct labels *l = &p->owned->tree.labels;
    struct hd_report *r = p->r;
    const bool **patterns = arena_array(&p->scratch, const bool *, r->focus_count);
    for (size_t i = 0; i < r->focus_count; i++) {
        bool *matches = arena_array(&p->scratch, bool, l->len);
        for (size_t k = 0; k < l->len; k++)
            matches[k] = report_matches(r, r->focus[i], l->all[k].name);
        patterns[i] = matches;
    }
    p->ask.patterns = patterns;
    p->ask.pattern_count = r->focus_count;
}

/* A path of the aligned ownership tree may be several of the full one: it began at an
 * anchor. */
static void mark_suspects(struct planter *p)
{
    const struct ownership_tree *t = &p->owned->tree;
    const struct full_tree *f = &p->owned->tree.full[p->owned->usable_count - 1];
    size_t count = p->r->diff.suspect_count, n = t->snapshots;
    uint32_t *rank_of_aligned = arena_array(&p->scratch, uint32_t, t->len);
    uint32_t *rank_of_path = arena_array(&p->scratch, uint32_t, f->len);
    path_id *wanted = arena_array(&p->scratch, path_id, count);
    for (size_t i = count; i-- > 0;) {
        const struct ranked_type *h = p->rows->ranking[i];
        for (size_t k = 0; k < h->place_count; k++)
            rank_of_aligned[h->places[k].path] = (uint32_t)p->r->diff.suspects[i].rank;
        path_id head = t->full_of[h->head * n + n - 1];
        if (head != NO_PATH)
            wanted[p->ask.wanted_count++] = head;
    }
    for (size_t i = 1; i < f->len; i++)
        rank_of_path[i] = rank_of_aligned[f->cut[i]];
    p->ask.rank_of_path = rank_of_path;
    p->ask.wanted = wanted;
}

/* --- the answer -------------------------------------------------------------- */

/* Numbers of the usable snapshots, which live as long as the report, as those of all. */
static struct hd_tally *spread(const struct planter *p, struct hd_tally *usable)
{
    size_t count = p->r->snapshot_count;
    if (p->owned->usable_count == count)
        return usable;
    struct hd_tally *all = arena_array(&p->r->arena, struct hd_tally, count);
    for (size_t k = 0; k < count; k++)
        all[k] = (struct hd_tally){HD_UNKNOWN, HD_UNKNOWN};
    for (size_t i = 0; i < p->owned->usable_count; i++)
        all[p->owned->usable[i]] = usable[i];
    return all;
}

/* Returns the owned bytes: the sum over the top of the whole tree. */
static const struct hd_tally *reachable(struct planter *p)
{
    const size_t n = p->owned->usable_count;
    struct hd_tally *sums = arena_array(&p->r->arena, struct hd_tally, n);
    for (size_t k = 0; k < n; k++) {
        const struct full_tree *f = &p->owned->tree.full[k];
        for (size_t i = 1; i < f->len; i++) {
            bool is_root = p->owned->tree.labels.all[f->label[i]].kind == TYPE_PSEUDO;
            sums[k].count += is_root ? 0 : f->count[i];
            sums[k].bytes += f->bytes[i];
        }
    }
    return spread(p, sums);
}

static void name_node(const struct planter *p, struct hd_tree_node *to,
                      const struct owner_node *from, const char *const *name_of,
                      const char *const *field_of)
{
    const struct label *l =
        from->label != NO_LABEL ? &p->owned->tree.labels.all[from->label] : NULL;
    to->kind = HD_NODE_OTHERS;
    if (from->others > 0)
        return;
    to->kind = p->ask.pattern_count > 0 ? HD_NODE_PATTERN : HD_NODE_HEAP;
    if (l == NULL)
        return;
    to->kind = l->kind == TYPE_PSEUDO ? HD_NODE_ROOTS : HD_NODE_TYPE;
    to->type = name_of[from->label];
    to->full_name = report_full_name(p->r, to->type);
    to->is_single = l->is_anchor && l->kind == TYPE_OBJECT;
    if (from->field.field < p->owned->tree.labels.field_count && from->field.all > 0) {
        to->field = field_of[from->field.field];
        to->field_share = (double)from->field.held / (double)from->field.all;
    }
    if (l->kind == TYPE_PSEUDO)
        to->root_kind = root_kind_of(l->name);
}

static void set_nodes(struct planter *p, struct hd_tree *t, const struct merged_tree *from)
{
    size_t n = from->snapshots, tops = 0;
    const struct labels *l = &p->owned->tree.labels;
    const char **name_of = arena_array(&p->scratch, const char *, l->len);
    const char **field_of = arena_array(&p->scratch, const char *, l->field_count);
    for (size_t i = 0; i < l->field_count; i++)
        field_of[i] = report_string(p->r, l->fields[i]);
    t->nodes = arena_array(&p->r->arena, struct hd_tree_node, from->len);
    t->len = from->len;
    for (size_t i = 0; i < from->len; i++) {
        const struct owner_node *node = &from->nodes[i];
        if (node->label != NO_LABEL && name_of[node->label] == NULL)
            name_of[node->label] = report_string(p->r, l->all[node->label].name);
        struct hd_tally *owned = &from->owned[i * n];
        struct hd_tree_node *to = &t->nodes[i];
        *to = (struct hd_tree_node){
            .parent = node->parent,
            .end = node->end,
            .depth = node->depth,
            .at = spread(p, &from->at[i * n]),
            .owned = spread(p, owned),
            .growth = (int64_t)(owned[n - 1].bytes - owned[0].bytes),
            .survived = from->arrived != NULL ? from->arrived[i] : HD_UNKNOWN,
            .suspect = node->rank,
            .others = node->others};
        name_node(p, to, node, name_of, field_of);
        if (to->kind == HD_NODE_PATTERN)
            to->type = report_string(p->r, p->r->focus[tops++]);
        /* A variable is of the kind of its group. */
        const struct hd_tree_node *above =
            to->parent != HD_NO_NODE ? &t->nodes[to->parent] : NULL;
        if (to->kind == HD_NODE_ROOTS && to->root_kind == HD_ROOT_OTHER && above != NULL &&
            above->kind == HD_NODE_ROOTS)
            to->root_kind = above->root_kind;
    }
}

/* A top without children belongs to a pattern without a match. */
static void find_unmatched(struct planter *p, struct hd_tree *t)
{
    const struct labels *l = &p->owned->tree.labels;
    struct hd_no_match *none =
        arena_array(&p->r->arena, struct hd_no_match, p->r->focus_count);
    const char **names = arena_array(&p->scratch, const char *, l->len);
    size_t count = 0;
    for (size_t i = 0; i < l->len; i++)
        if (l->all[i].kind == TYPE_OBJECT)
            names[count++] = report_shown(p->r, l->all[i].name);
    for (size_t i = 0; i < t->len; i = t->nodes[i].end)
        if (t->nodes[i].kind == HD_NODE_PATTERN && t->nodes[i].end == i + 1)
            none[t->unmatched_count++] =
                report_no_match(t->nodes[i].type, names, count, &p->r->arena);
    t->unmatched = none;
}

/* Bytes of a place in the merged tree, and of a visible one, which a format may write as an
 * object. */
enum { PER_PLACE = 224, PER_SHOWN_PLACE = 3072 };

/* Returns the number of places on the ways from matches of a pattern up to the roots. */
static uint64_t places_of_holders(const struct planter *p, const struct full_tree *f)
{
    uint64_t places = 0;
    unsigned char *depth = alloc_zeroed(f->len + 1);
    for (size_t i = 1; i < f->len; i++) {
        unsigned above = depth[f->parent[i]];
        depth[i] = (unsigned char)(above < OWNER_TREE_MAX_HOLDERS ? above + 1 : above);
        for (size_t top = 0; top < p->ask.pattern_count; top++)
            places += p->ask.patterns[top][f->label[i]] ? depth[i] : 0;
    }
    free(depth);
    return places;
}

static bool can_reserve(struct hd_comparison *c, uint64_t bytes, const char *what,
                        struct hd_error *err)
{
    if (!comparison_reserve(c, bytes, what, err))
        return false;
    comparison_unreserve(c, bytes);
    return true;
}

/* Returns an upper bound for the places of the merged tree, over all snapshots. */
static uint64_t merged_places(const struct planter *p)
{
    uint64_t places = 0, tops = p->ask.pattern_count > 0 ? p->ask.pattern_count : 1;
    for (size_t k = 0; k < p->owned->usable_count; k++) {
        const struct full_tree *f = &p->owned->tree.full[k];
        places += p->ask.holders ? places_of_holders(p, f) : f->len * tops;
    }
    return places;
}

bool report_add_tree(struct hd_report *r, struct hd_comparison *c,
                     const struct ownership *owned, const struct suspect_rows *rows,
                     const struct hd_options *opt, struct hd_error *err)
{
    struct planter p = {.r = r,
                        .owned = owned,
                        .rows = rows,
                        .ask = {.least = opt->least_kept,
                                .least_share = opt->least_kept_share,
                                .depth = opt->tree_depth,
                                .holders = opt->holders}};
    struct hd_tree *t = &r->found.tree;
    match_labels(&p);
    if (rows != NULL)
        mark_suspects(&p);
    if (rows != NULL && rows->cohorts != NULL)
        p.ask.arrived_of_path = rows->cohorts->arrived;
    struct merged_tree tree = {0};
    bool fits =
        can_reserve(c, merged_places(&p) * PER_PLACE, "a tree of this many paths", err);
    if (fits)
        tree = merged_tree_of(&owned->tree, &p.ask, &r->arena);
    if (!fits ||
        !can_reserve(c, (uint64_t)tree.len * PER_SHOWN_PLACE, "a tree of this size", err)) {
        arena_free(&p.scratch);
        return false;
    }
    *t = (struct hd_tree){.first = owned->usable[0],
                          .last = owned->usable[owned->usable_count - 1],
                          .least = tree.least,
                          .is_holders = opt->holders,
                          .parts_fields = opt->fields,
                          .declares_statics = report_has_fields(r),
                          .reachable = reachable(&p)};
    set_nodes(&p, t, &tree);
    find_unmatched(&p, t);
    tree_fold(t);
    arena_free(&p.scratch);
    return true;
}

/* --- a single snapshot ------------------------------------------------------- */

bool report_add_tree_of_one(struct hd_report *r, struct hd_comparison *c,
                            const struct hd_options *opt, struct hd_error *err)
{
    struct arena scratch = {0};
    struct series_question ask = {report_selection(opt), HD_BY_TYPE, NULL};
    struct series_warnings none = {0};
    struct series s;
    bool ok = series_align(&s, c->snaps, c->count, &ask, &scratch, &none, err);
    if (ok && s.usable_count == 0) { /* incomplete, but still useful */
        s.usable[0] = s.count - 1;
        s.usable_count = 1;
    }
    const struct ownership *owned =
        ok ? comparison_ownership(c, &s, report_ownership_fields(opt), false, err) : NULL;
    ok = owned != NULL && report_add_tree(r, c, owned, NULL, opt, err);
    arena_free(&scratch);
    return ok;
}

/* --- the report -------------------------------------------------------------- */

static bool has_owners(const struct hd_comparison *c, struct hd_error *err)
{
    for (size_t k = 0; k < c->count; k++) {
        const struct hd_snapshot *snap = c->snaps[k];
        if (snap->info.has_roots && !snap->read.tables_only)
            continue;
        if (snap->info.references == HD_UNKNOWN)
            fail(err, HD_USAGE,
                 "a dominator tree needs references, which a %s lacks; take snapshots with "
                 "`heapdrift collect`",
                 snap->info.format);
        else
            fail(err, HD_USAGE,
                 "no root keeps anything alive here, so nothing has an owner");
        return comparison_blame(err, k);
    }
    return true;
}

/* Fails if no pattern matches; warns if some do not. */
static bool any_matches(struct hd_report *r, struct hd_error *err)
{
    const struct hd_tree *t = &r->found.tree;
    for (size_t i = 0; i < t->unmatched_count; i++) {
        struct text message = {0};
        phrase_no_match(&message, HD_BY_TYPE, &t->unmatched[i]);
        if (t->unmatched_count == r->focus_count) {
            fail(err, HD_USAGE, "%s", text_string(&message));
            text_free(&message);
            return false;
        }
        report_warn_text(r, WARN_NO_SUCH_TYPE, (size_t)-1, &message);
    }
    return true;
}

static bool grow_tree(struct hd_report *r, struct hd_comparison *c,
                      const struct hd_options *opt, struct hd_error *err)
{
    struct series s;
    bool by_site = opt->tree_by == HD_TREE_BY_SITE;
    if (!by_site && !has_owners(c, err))
        return false;
    if (c->count > 1) {
        if (!report_compare(r, c, opt, &s, err))
            return false;
    } else {
        report_add_snapshots(r, c->snaps, c->count);
    }
    if (by_site && !report_add_tree_of_sites(r, c->snaps, err))
        return false;
    if (r->found.tree.len == 0 && !report_add_tree_of_one(r, c, opt, err))
        return false;
    if (!any_matches(r, err))
        return false;
    r->focus = NULL;
    r->focus_count = 0;
    view_cut(r, opt->rows, &r->arena);
    return report_refresh_reach(r, c->snaps, c->count, err);
}

/* Marks are those of the whole ranking; patterns choose places, not rows. */
static bool answer_tree(struct hd_report *r, struct hd_comparison *c,
                        struct hd_options *opt, struct hd_error *err)
{
    r->focus = opt->types;
    r->focus_count = opt->type_count;
    opt->types = NULL;
    opt->type_count = opt->exclude_count = 0;
    opt->app_only = false;
    opt->by = HD_BY_TYPE;
    opt->chains = 0;
    opt->tree = opt->tree_by == HD_TREE_BY_OWNER;
    if (opt->holders && r->focus_count == 0)
        return fail(err, HD_USAGE, "name the type whose holders to show");
    return c->count > 0 && c->count <= HD_MAX_SNAPSHOTS
               ? grow_tree(r, c, opt, err)
               : fail(err, HD_USAGE, "a tree takes 1 to %d snapshots", HD_MAX_SNAPSHOTS);
}

struct hd_report *hd_report_tree(struct hd_comparison *c, const struct hd_options *opt,
                                 struct hd_error *err)
{
    return answer_question(HD_REPORT_TREE, c, opt, answer_tree, NULL, err);
}
