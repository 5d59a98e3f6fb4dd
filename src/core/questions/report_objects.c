/* The instances of some types: how many, what keeps them alive, what they retain. */
#include "base/error.h"
#include "compare/instances.h"
#include "format/open.h"
#include "questions/questions.h"
#include "report/phrases.h"

#include <stdlib.h>
#include <string.h>

/* --- whether there is an answer -------------------------------------------------- */

/* Which types of a snapshot are meant; how many of them it has. */
static size_t choose_types(const struct hd_report *r, const struct hd_options *opt,
                           const struct hd_snapshot *snap, bool *is_type)
{
    size_t count = 0;
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        bool is = type->kind == TYPE_OBJECT && type->raw.count > 0 &&
                  report_shows_row(r, opt, type->name);
        if (is_type != NULL)
            is_type[t] = is;
        count += is;
    }
    return count;
}

/* Of a type that an earlier snapshot has there are none left, which is an answer. */
static bool any_has_type(const struct hd_report *r, const struct hd_comparison *c,
                         const struct hd_options *opt)
{
    size_t count = 0;
    for (size_t k = 0; k < c->count; k++)
        count += choose_types(r, opt, c->snaps[k], NULL);
    return count > 0;
}

static bool can_answer(struct hd_report *r, const struct hd_comparison *c,
                       const struct hd_options *opt, struct hd_error *err)
{
    const size_t last = c->count - 1;
    struct hd_snapshot *snap = c->snaps[last];
    const enum selection selection = report_selection(opt);
    bool ok = true;
    if (!snap->info.has_graph || snap->digest != NULL || snap->read.tables_only)
        ok = fail(err, HD_USAGE, "a %s holds no objects", snap->info.format);
    else if (!any_has_type(r, c, opt))
        ok = asked_types_fail(r, asked_pattern(r, opt), snap, err);
    ok = ok && (!(selection & SELECT_REACHABLE) || snapshot_need_reach(snap, err)) &&
         series_can_select(snap, selection, err);
    return ok || comparison_blame(err, last);
}

/* --- what is found --------------------------------------------------------------- */

static struct hd_object_sum sum_of(const struct instances_sum *from)
{
    struct hd_object_sum sum = {.count = from->count,
                                .bytes = from->bytes,
                                .retained = from->retained,
                                .held_by_older = from->held_by_older};
    memcpy(sum.held, from->held, sizeof(sum.held));
    return sum;
}

static int compare_names(const char *x, const char *y)
{
    return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

static int by_count(const void *a, const void *b)
{
    const struct hd_object_sum *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    int names = strcmp(x->type, y->type);
    return names != 0 ? names : compare_names(x->module, y->module);
}

static void add_types(struct hd_report *r, const struct hd_snapshot *snap,
                      const struct instances *found)
{
    struct hd_object_set *set = &r->objects;
    size_t count = 0;
    for (type_id t = 0; t < snap->type_count; t++)
        count += found->of_type[t].count > 0;
    set->types = arena_array(&r->arena, struct hd_object_sum, count);
    for (type_id t = 0; t < snap->type_count; t++) {
        if (found->of_type[t].count == 0)
            continue;
        struct hd_object_sum *to = &set->types[set->type_count++];
        *to = sum_of(&found->of_type[t]);
        to->type = report_string(r, snap->types[t].name);
        to->full_name = report_full_name(r, snap->types[t].name);
        to->module = report_string(r, snap->types[t].module);
    }
    if (set->type_count > 0)
        qsort(set->types, set->type_count, sizeof(*set->types), by_count);
}

static struct hd_object object_of(struct hd_report *r, const struct hd_snapshot *snap,
                                  const struct one_instance *one)
{
    const struct graph *g = snap->graph;
    const struct type *t = &snap->types[g->type[one->node]];
    uint64_t address = graph_address(g, one->node);
    return (struct hd_object){
        .number = one->node,
        .kind = HD_OBJECT,
        .address = address,
        .type = report_string(r, t->name),
        .full_name = report_full_name(r, t->name),
        .bytes = graph_size(g, one->node),
        .generation = snap->info.has_generations ? ranges_find(&snap->ranges, address)
                                                 : HD_GEN_UNKNOWN,
        .is_reachable = one->root != HD_ROOT_UNREACHABLE,
        .instances = t->raw.count,
        .references = g->edge_begin[one->node + 1] - g->edge_begin[one->node],
        .referrers = HD_UNKNOWN,
        .module = report_string(r, t->module)};
}

static void add_rows(struct hd_report *r, const struct hd_snapshot *snap,
                     const struct instances *found, const struct since *since)
{
    struct hd_object_set *set = &r->objects;
    set->rows = arena_array(&r->arena, struct hd_object_row, found->len);
    set->len = found->len;
    set->omitted = (size_t)(found->all.count - found->len);
    for (size_t i = 0; i < found->len; i++) {
        const struct one_instance *one = &found->largest[i];
        const char *owner =
            one->owner.type != NO_TYPE ? snap->types[one->owner.type].name : NULL;
        set->rows[i] = (struct hd_object_row){
            .object = object_of(r, snap, one),
            .retained = one->retained,
            .root = one->root,
            .since = since->ages.since != NULL
                         ? since->snapshot[since->ages.since[one->node]]
                         : (size_t)-1,
            .held_by = phrase_owner(r, owner, one->owner.service)};
    }
}

/* --- the report ------------------------------------------------------------------ */

static size_t rows_wanted(const struct hd_report *r)
{
    return r->rows == 0 || r->rows > HD_MAX_OBJECT_ROWS ? HD_MAX_OBJECT_ROWS : r->rows;
}

static bool list_objects(struct hd_report *r, struct hd_comparison *c,
                         const struct hd_options *opt, const struct since *since,
                         struct hd_error *err)
{
    const struct hd_snapshot *snap = c->snaps[c->count - 1];
    const bool of_born = since_is_asked(opt);
    struct arena scratch = {0};
    struct instances found;
    bool *is_type = arena_array(&scratch, bool, snap->type_count);
    choose_types(r, opt, snap, is_type);
    const struct instances_question ask = {.is_type = is_type,
                                           .selection = report_selection(opt),
                                           .since_of_node =
                                               of_born ? since->ages.since : NULL,
                                           .since = since->born,
                                           .most = rows_wanted(r),
                                           .snaps = c->snaps,
                                           .count = c->count};
    bool ok = instances_find(&found, c, &ask, &scratch, err);
    if (ok) {
        r->objects.has_roots = snap->info.has_roots;
        r->objects.all = sum_of(&found.all);
        struct hd_object_set *set = &r->objects;
        set->patterns = arena_array(&r->arena, const char *, opt->type_count);
        for (size_t i = 0; i < opt->type_count; i++)
            set->patterns[set->pattern_count++] = report_string(r, opt->types[i]);
        set->born_first = opt->born_first;
        set->born_last = opt->born_last;
        set->identity = since->ages.since != NULL ? since->ages.source : HD_SAME_UNKNOWN;
        add_types(r, snap, &found);
        add_rows(r, snap, &found, since);
    }
    arena_free(&scratch);
    return ok;
}

static bool report_objects_answer(struct hd_report *r, struct hd_comparison *c,
                                  struct hd_options *opt, struct hd_error *err)
{
    struct since since = {0};
    if (c->count == 0 || c->count > HD_MAX_SNAPSHOTS || opt->type_count == 0)
        return fail(err, HD_USAGE, "object takes a type and 1 to %d snapshots",
                    HD_MAX_SNAPSHOTS);
    report_add_snapshots(r, c->snaps, c->count);
    bool ok = can_answer(r, c, opt, err) &&
              (since_is_asked(opt) ? since_find_born(&since, c, opt, err)
                                   : since_find(&since, c, opt, err)) &&
              list_objects(r, c, opt, &since, err);
    since_free(&since);
    return ok;
}

struct hd_report *hd_report_objects(struct hd_comparison *c, const struct hd_options *opt,
                                    struct hd_error *err)
{
    return answer_question(HD_REPORT_OBJECTS, c, opt, report_objects_answer, NULL, err);
}
