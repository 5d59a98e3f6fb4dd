/* One object: its fields, references, referrers, and holders. And the instances of some
 * types: their number, holders, and retained size. */
#include "base/error.h"
#include "browse/objects.h"
#include "compare/instances.h"
#include "format/open.h"
#include "heap/graph.h"
#include "heap/names.h"
#include "questions/questions.h"
#include "report/phrases.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum {
    USUAL_ELEMENTS = REPORT_USUAL_ROWS,
    USUAL_FIELDS = 10000, /* above any class, with structs in structs */
    MAX_ELEMENTS = 100000,
    MAX_TEXT = 200,        /* UTF-16 units of a string that a field refers to */
    MAX_TEXT_OF_IT = 4000, /* for the string itself */
    MAX_CHAIN = 64,
    MAX_HOLDERS = 100000
};

/* --- strings of the report ------------------------------------------------------- */

static struct hd_object keep_object(struct hd_report *r, struct hd_object object)
{
    object.type = report_string(r, object.type);
    object.full_name = report_string(r, object.full_name);
    object.module = report_string(r, object.module);
    return object;
}

/* --- its parts ------------------------------------------------------------------- */

static void add_fields(struct hd_report *r, const struct hd_objects *o, bool values)
{
    struct hd_instance *x = &r->instance;
    bool is_string = strcmp(x->object.type, "System.String") == 0;
    struct hd_object_fields found;
    size_t most_text = !values ? 0 : is_string ? MAX_TEXT_OF_IT : MAX_TEXT;
    uint32_t rows = r->options.rows;
    size_t usual = names_is_array(x->object.type) ? USUAL_ELEMENTS : USUAL_FIELDS;
    size_t most = rows == HD_DEFAULT_ROWS            ? usual
                  : rows == 0 || rows > MAX_ELEMENTS ? MAX_ELEMENTS
                                                     : rows;
    hd_object_fields(o, x->object.number, 0, most, most_text, &found);
    /* Without names the fields are references, possibly those of an array. */
    if (!found.are_named && rows == HD_DEFAULT_ROWS && found.len > USUAL_ELEMENTS)
        found.len = USUAL_ELEMENTS;
    x->fields = found;
    x->fields.all = report_fields(r, found.all, found.len);
    x->fields.self = found.self != NULL ? report_fields(r, found.self, 1) : NULL;
    x->fields.text = report_string(r, found.text);
    x->fields.memory = NULL;
    x->values = values;
    hd_object_fields_free(&found);
}

static struct hd_instance_group *add_groups(struct hd_report *r, const struct hd_objects *o,
                                            enum hd_direction direction, size_t *count)
{
    struct hd_object_group *found =
        hd_object_groups(o, r->instance.object.number, direction, count);
    struct hd_instance_group *all =
        arena_array(&r->arena, struct hd_instance_group, *count);
    for (size_t i = 0; i < *count; i++) {
        all[i].group = found[i];
        all[i].group.type = report_string(r, found[i].type);
        all[i].group.full_name = report_string(r, found[i].full_name);
        all[i].group.field = report_string(r, found[i].field);
        all[i].address = graph_address(o->snap->graph, found[i].first);
    }
    free(found);
    return all;
}

static void add_holders(struct hd_report *r, const struct hd_objects *o)
{
    struct hd_instance *x = &r->instance;
    bool all = r->rows == 0 || r->rows > MAX_HOLDERS;
    size_t count;
    struct hd_object_holder *found = hd_object_holders(
        o, x->object.number, all ? MAX_HOLDERS : r->rows, &x->holder_count, &count);
    struct hd_object_holder *kept =
        arena_array(&r->arena, struct hd_object_holder, x->holder_count);
    for (size_t i = 0; i < x->holder_count; i++) {
        kept[i] = found[i];
        kept[i].object = keep_object(r, found[i].object);
        kept[i].field = report_string(r, found[i].field);
    }
    x->holders = kept;
    x->holders_omitted = count - x->holder_count;
    free(found);
}

static void add_chain(struct hd_report *r, const struct hd_objects *o)
{
    struct hd_instance *x = &r->instance;
    const struct graph *g = o->snap->graph;
    uint32_t numbers[MAX_CHAIN];
    size_t skipped;
    x->chain_len = hd_object_chain(o, x->object.number, numbers, MAX_CHAIN, &skipped,
                                   &x->chain_skipped_at);
    x->chain_skipped = skipped;
    x->chain = arena_array(&r->arena, struct hd_instance_link, x->chain_len);
    for (size_t i = 0; i < x->chain_len; i++) {
        struct hd_object link;
        bool is_gap = skipped > 0 && i + 1 == x->chain_skipped_at;
        hd_object(o, numbers[i], &link);
        x->chain[i].object = keep_object(r, link);
        if (i + 1 < x->chain_len && !is_gap)
            x->chain[i].field =
                report_string(r, field_between(g, numbers[i], numbers[i + 1]));
    }
}

/* --- choice of the object -------------------------------------------------------- */

static bool find_object(const struct hd_objects *o, const struct hd_object_question *ask,
                        uint32_t *number, struct hd_error *err)
{
    const struct graph *g = o->snap->graph;
    *number = ask->number;
    if (ask->by_number)
        return ask->number < g->node_count ||
               fail(err, HD_USAGE, "no object %u: objects are numbered from 0 to %u",
                    ask->number, g->node_count - 1);
    if (g->addresses == NULL)
        return fail(err, HD_USAGE,
                    "this %s has no addresses: give the number of the object",
                    o->snap->info.format);
    return hd_object_at(o, ask->address, number, err);
}

static bool report_object_describe(struct hd_report *r, struct hd_objects *o,
                                   const struct since *since,
                                   const struct hd_object_question *ask,
                                   struct hd_error *err)
{
    struct hd_instance *x = &r->instance;
    struct hd_object object;
    uint32_t number;
    if (!find_object(o, ask, &number, err))
        return comparison_blame(err, o->k);
    if (!objects_find_referrers(o, number, err))
        return false;
    hd_object(o, number, &object);
    x->object = keep_object(r, object);
    /* The snapshot in which it first appeared; only for objects. */
    bool known = since->ages.since != NULL && object.kind == HD_OBJECT;
    x->since = known ? since->snapshot[since->ages.since[number]] : (size_t)-1;
    x->identity = known ? since->ages.source : HD_SAME_UNKNOWN;
    x->asked = ask->by_number ? 0 : ask->address;
    x->offset = ask->by_number ? 0 : ask->address - object.address;
    x->has_roots = o->snap->info.has_roots;
    x->root = hd_object_root(o, number);
    x->retained = HD_UNKNOWN;
    if (x->has_roots && object.is_reachable &&
        !objects_find_retained(o, number, &x->retained, err))
        return false;
    add_fields(r, o, ask->values);
    x->refers_to = add_groups(r, o, HD_REFERS_TO, &x->refers_to_count);
    x->referred_by = add_groups(r, o, HD_REFERRED_BY, &x->referred_by_count);
    add_holders(r, o);
    add_chain(r, o);
    return true;
}

/* --- one object: the report ------------------------------------------------------ */

/* Adds the snapshots, and facts that need all snapshots. */
static bool report_object_begin(struct hd_report *r, struct hd_comparison *c,
                                const struct hd_options *opt, struct since *since,
                                struct hd_error *err)
{
    if (!comparison_begin(c, err))
        return false;
    bool ok = (c->count > 0 && c->count <= HD_MAX_SNAPSHOTS) ||
              fail(err, HD_USAGE, "object takes 1 to %d snapshots, not %zu",
                   HD_MAX_SNAPSHOTS, c->count);
    ok = ok && since_find(since, c, opt, false, err);
    if (ok)
        report_add_snapshots(r, c->snaps, c->count);
    comparison_end(c);
    return ok;
}

/* Objects are examined outside of a question: their thread asks its own questions. */
struct hd_report *hd_report_object(struct hd_comparison *c, const struct hd_options *opt,
                                   const struct hd_object_question *ask,
                                   struct hd_error *err)
{
    struct hd_options options;
    struct hd_object_question wanted;
    if (!report_options(&options, opt, err) ||
        !options_copy(&wanted, sizeof(wanted),
                      OPTIONS_END(struct hd_object_question, values), ask, err))
        return NULL;
    struct hd_report *r = report_new(HD_REPORT_OBJECT, &options);
    struct since since = {0};
    struct hd_objects *o = report_object_begin(r, c, &options, &since, err)
                               ? objects_open_one(c, c->count - 1)
                               : NULL;
    bool ok = o != NULL && hd_objects_wait(o, err) &&
              report_object_describe(r, o, &since, &wanted, err);
    hd_objects_close(o);
    since_free(&since);
    if (ok) {
        report_publish(r);
        return r;
    }
    hd_report_free(r);
    return NULL;
}

/* --- instances of types: choice -------------------------------------------------- */

/* Marks the requested types of a snapshot; returns their number. */
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
    /* Zero instances of a type that an earlier snapshot has is a valid answer. */
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

/* --- instances of types: results ------------------------------------------------- */

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

/* --- instances of types: the report ---------------------------------------------- */

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
              since_find(&since, c, opt, since_is_asked(opt), err) &&
              list_objects(r, c, opt, &since, err);
    since_free(&since);
    return ok;
}

struct hd_report *hd_report_objects(struct hd_comparison *c, const struct hd_options *opt,
                                    struct hd_error *err)
{
    return answer_question(HD_REPORT_OBJECTS, c, opt, report_objects_answer, NULL, err);
}
