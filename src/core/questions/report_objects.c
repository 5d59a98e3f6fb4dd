/* The instances of some types: how many, what keeps them alive, what they retain. */
#include "base/error.h"
#include "browse/objects.h"
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

static bool can_answer(struct hd_report *r, const struct hd_comparison *c,
                       const struct hd_options *opt, struct hd_error *err)
{
    const size_t last = c->count - 1;
    struct hd_snapshot *snap = c->snaps[last];
    const enum selection selection = report_selection(opt);
    bool ok = true;
    size_t types = 0;
    /* Of a type that an earlier snapshot has there are none left, which is an answer. */
    for (size_t k = 0; k < c->count; k++)
        types += choose_types(r, opt, c->snaps[k], NULL);
    if (!snap->info.has_graph || snap->digest != NULL || snap->read.tables_only)
        ok = fail(err, HD_USAGE, "a %s holds no objects", snap->info.format);
    else if (types == 0)
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

static int by_count(const void *a, const void *b)
{
    const struct hd_object_sum *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    int names = strcmp(x->type, y->type);
    return names != 0 ? names : compare_known(x->module, y->module);
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
    struct hd_object object = object_at(snap, one->node);
    object.full_name = report_full_name(r, object.type);
    object.type = report_string(r, object.type);
    object.module = report_string(r, object.module);
    object.is_reachable = one->root != HD_ROOT_UNREACHABLE;
    return object;
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
                                           .most = report_object_rows(r),
                                           .snaps = c->snaps,
                                           .count = c->count};
    bool ok = instances_find(&found, c, &ask, &scratch, err);
    if (ok) {
        r->objects.has_roots = snap->info.has_roots;
        r->objects.all = sum_of(&found.all);
        struct hd_object_set *set = &r->objects;
        set->patterns = report_patterns(r, opt);
        set->pattern_count = opt->type_count;
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
