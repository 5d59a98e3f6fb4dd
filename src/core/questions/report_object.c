/* What one object is: its fields, what it refers to, what refers to it, what keeps it
 * alive. */
#include "base/error.h"
#include "browse/objects.h"
#include "heap/graph.h"
#include "heap/names.h"
#include "questions/questions.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum {
    USUAL_ELEMENTS = REPORT_USUAL_ROWS,
    USUAL_FIELDS = 10000, /* more than any class has; structs in structs are among them */
    MAX_ELEMENTS = 100000,
    MAX_TEXT = 200,        /* UTF-16 units of a string that a field refers to */
    MAX_TEXT_OF_IT = 4000, /* of the string itself */
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
    /* Without names they are references, which may be those of an array. */
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

/* --- which one ------------------------------------------------------------------- */

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
    /* Since which snapshot it is there. What is no object is nowhere. */
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

/* --- the report ------------------------------------------------------------------ */

/* What is said about the snapshots, and what only all of them tell. */
static bool report_object_begin(struct hd_report *r, struct hd_comparison *c,
                                const struct hd_options *opt, struct since *since,
                                struct hd_error *err)
{
    if (!comparison_begin(c, err))
        return false;
    bool ok = (c->count > 0 && c->count <= HD_MAX_SNAPSHOTS) ||
              fail(err, HD_USAGE, "object takes 1 to %d snapshots, not %zu",
                   HD_MAX_SNAPSHOTS, c->count);
    ok = ok && since_find(since, c, opt, err);
    if (ok)
        report_add_snapshots(r, c->snaps, c->count);
    comparison_end(c);
    return ok;
}

/* Objects are looked at outside of a question: their thread asks some itself. */
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
