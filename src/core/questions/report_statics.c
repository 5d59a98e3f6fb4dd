/* Static variables of a snapshot: their values, and the bytes that these retain.
 *
 * A core dump has all variables with their values; other snapshots name the roots that
 * refer to an object. */
#include "base/arrays.h"
#include "base/error.h"
#include "browse/objects.h"
#include "format/open.h"
#include "heap/place.h"
#include "owners/retained.h"
#include "questions/questions.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 200 }; /* UTF-16 units of a string, as of a field */

struct statics_builder {
    struct hd_report *r;
    const struct hd_options *opt;
    struct arena scratch;
    uint64_t *retained; /* by node, for referents of variables; HD_UNKNOWN for others */
};

/* --- list of variables ----------------------------------------------------------- */

/* Splits a name into class and field: if it only has the type of the value, the class is
 * unknown. */
static struct hd_static named_by(const struct type *t, struct arena *a)
{
    const char *name = t->full_name != NULL ? t->full_name : t->name;
    struct place p = place_of(name);
    struct hd_static s = {.of_thread = p.kind == PLACE_THREAD_STATIC,
                          .is_set = true,
                          .field = {.kind = HD_FIELD_REFERENCE, .to = HD_NO_OBJECT}};
    if (p.field.at != NULL)
        s.field.name = arena_strdup(a, p.field.at, p.field.len);
    if (t->full_name != NULL || p.field.at == NULL)
        s.declared_by = arena_strdup(a, p.type.at, p.type.len);
    return s;
}

/* Returns the references of roots that are variables. */
static const struct hd_static *of_roots(const struct hd_snapshot *snap, struct arena *a,
                                        size_t *count)
{
    const struct graph *g = snap->graph;
    struct hd_static *all = NULL;
    size_t len = 0, cap = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        const struct type *t = &snap->types[g->type[n]];
        if (t->kind != TYPE_PSEUDO || !place_names_variable(t->name))
            continue;
        const struct hd_static s = named_by(t, a);
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            all = grow(all, len, &cap, sizeof(*all));
            all[len] = s;
            all[len].field.to = g->edge_to[e];
            all[len++].field.number = graph_address(g, g->edge_to[e]);
        }
    }
    struct hd_static *kept = arena_array(a, struct hd_static, len);
    if (len > 0)
        memcpy(kept, all, len * sizeof(*all));
    free(all);
    *count = len;
    return kept;
}

/* All variables of a snapshot, unfiltered. */
static const struct hd_static *list(struct statics_builder *f,
                                    const struct hd_snapshot *snap, size_t *len)
{
    const struct fields *known = snap->graph->fields;
    bool from_fields = known != NULL && known->statics != NULL;
    f->r->statics.has_values = from_fields;
    return from_fields ? known->statics(known->context, f->opt->values ? MAX_TEXT : 0,
                                        &f->scratch, len)
                       : of_roots(snap, &f->scratch, len);
}

/* --- choice of variables --------------------------------------------------------- */

static bool is_chosen(struct statics_builder *f, const struct hd_static *s)
{
    const struct hd_options *opt = f->opt;
    const char *class = s->declared_by, *variable = NULL;
    if (class != NULL && s->field.name != NULL)
        variable = arena_printf(&f->scratch, "%s.%s", class, s->field.name);
    const char *const names[] = {class, variable, s->field.type, s->field.to_type};
    bool wanted = opt->type_count == 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (names[i] == NULL)
            continue;
        wanted |= report_matches_any(f->r, opt->types, opt->type_count, names[i]);
        if (report_matches_any(f->r, opt->excludes, opt->exclude_count, names[i]))
            return false;
    }
    const char *whose = class != NULL ? class : s->field.to_type;
    return wanted && !(opt->app_only && whose != NULL && hd_type_is_framework(whose));
}

/* --- retained sizes -------------------------------------------------------------- */

static void report_statics_find_retained(struct statics_builder *f,
                                         const struct hd_snapshot *snap,
                                         const struct hd_static *all, size_t len)
{
    const struct graph *g = snap->graph;
    f->retained = alloc_resize(NULL, array_bytes(g->node_count + 1, sizeof(uint64_t)));
    for (node_id n = 0; n < g->node_count; n++)
        f->retained[n] = HD_UNKNOWN;
    if (!snap->info.has_roots)
        return;
    uint64_t *chosen = bits_new(g->node_count);
    for (size_t i = 0; i < len; i++)
        if (all[i].field.to < g->node_count)
            bits_set(chosen, all[i].field.to);
    struct dominators d = dominators_find(snap, DOMINATORS_PLAIN);
    struct retained_sizes sizes = retained_by_objects(&d, snap, chosen, &f->scratch);
    for (uint32_t w = 0; w < d.count; w++)
        if (bits_have(chosen, d.node[w]))
            f->retained[d.node[w]] = sizes.each[w];
    dominators_free(&d);
    free(sizes.each);
    free(chosen);
}

/* --- rows ------------------------------------------------------------------------ */

/* Unknown values are last: HD_UNKNOWN + 1 is 0. */
static int by_retained(const void *a, const void *b)
{
    const struct hd_static *x = a, *y = b;
    if (x->retained != y->retained)
        return x->retained + 1 < y->retained + 1 ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes + 1 < y->bytes + 1 ? 1 : -1;
    int order = compare_known(x->declared_by, y->declared_by);
    if (order == 0)
        order = compare_known(x->field.name, y->field.name);
    if (order == 0)
        order = compare_known(x->module, y->module);
    if (order != 0)
        return order;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->field.to > y->field.to) - (x->field.to < y->field.to);
}

static void keep_rows(struct hd_report *r, const struct hd_static *all, size_t len)
{
    struct hd_static_set *set = &r->statics;
    size_t most = report_object_rows(r);
    set->len = len < most ? len : most;
    set->omitted = len - set->len;
    set->rows = arena_array(&r->arena, struct hd_static, set->len);
    for (size_t i = 0; i < set->len; i++) {
        set->rows[i] = all[i];
        set->rows[i].declared_by = report_string(r, all[i].declared_by);
        set->rows[i].module = report_string(r, all[i].module);
        set->rows[i].field = *report_fields(r, &all[i].field, 1);
    }
}

static bool fail_to_name(const struct hd_snapshot *snap, struct hd_error *err)
{
    if (snap->image_base != 0)
        return fail(err, HD_USAGE,
                    "a native AOT program names no static variables; `heapdrift roots "
                    "--type=TYPE` shows through which types they keep others alive");
    return fail(err, HD_USAGE,
                "this %s names no static variables; core dumps have them with values, and "
                "gcdumps that `heapdrift collect` takes name them",
                snap->info.format);
}

/* Filters, measures and sorts. */
static bool tell(struct statics_builder *f, const struct hd_snapshot *snap,
                 struct hd_error *err)
{
    struct hd_report *r = f->r;
    size_t found = 0, len = 0;
    const struct hd_static *there = list(f, snap, &found);
    struct hd_static *all = arena_array(&f->scratch, struct hd_static, found);
    if (found == 0)
        return fail_to_name(snap, err);
    report_statics_find_retained(f, snap, there, found);
    for (size_t i = 0; i < found; i++) {
        struct hd_static one = there[i];
        one.field = objects_shown_field(snap, one.field, f->opt->values);
        if (!is_chosen(f, &one))
            continue;
        bool refers = one.field.to != HD_NO_OBJECT;
        one.bytes = refers ? graph_size(snap->graph, one.field.to) : HD_UNKNOWN;
        one.retained = refers ? f->retained[one.field.to] : HD_UNKNOWN;
        r->statics.unset += !one.is_set;
        all[len++] = one;
    }
    if (len == 0)
        return fail(err, HD_USAGE,
                    "no static variable has such a class, name or type; without --type all "
                    "are listed");
    qsort(all, len, sizeof(*all), by_retained);
    r->statics.count = len;
    keep_rows(r, all, len);
    return true;
}

/* --- the report ------------------------------------------------------------------ */

/* Dominators, and two arrays of retained sizes. */
static uint64_t plan_statics(uint64_t objects, uint64_t references)
{
    enum { PER_OBJECT = 17 };
    return plan_dominators(objects, references) + objects * PER_OBJECT;
}

static bool find_in(void *context, size_t place, struct hd_snapshot *snap,
                    struct hd_error *err)
{
    struct statics_builder *f = context;
    (void)place;
    if (!snapshot_need_graph(snap, err) || !snapshot_need_reach(snap, err))
        return false;
    if (snap->graph == NULL)
        return fail(err, HD_USAGE, "a %s holds no objects", snap->info.format);
    return tell(f, snap, err);
}

static bool report_statics_answer(struct hd_report *r, struct hd_comparison *c,
                                  struct hd_options *opt, struct hd_error *err)
{
    const size_t only = 0;
    struct statics_builder f = {.r = r, .opt = opt};
    struct graph_work w = {.c = c,
                           .indexes = &only,
                           .count = 1,
                           .work = plan_statics,
                           .on = find_in,
                           .context = &f};
    if (c->count != 1)
        return fail(err, HD_USAGE, "statics takes one snapshot, not %zu", c->count);
    report_add_snapshots(r, c->snaps, 1);
    struct hd_static_set *set = &r->statics;
    set->patterns = report_patterns(r, opt);
    set->pattern_count = opt->type_count;
    set->values = opt->values;
    if (!c->snaps[0]->info.has_graph || c->snaps[0]->digest != NULL ||
        c->snaps[0]->read.tables_only)
        return fail(err, HD_USAGE, "a %s holds no objects, and no static variables",
                    c->snaps[0]->info.format) ||
               comparison_blame(err, 0);
    bool ok = comparison_work(&w, err);
    free(f.retained);
    arena_free(&f.scratch);
    return ok || comparison_blame(err, 0);
}

struct hd_report *hd_report_statics(struct hd_comparison *c, const struct hd_options *opt,
                                    struct hd_error *err)
{
    return answer_question(HD_REPORT_STATICS, c, opt, report_statics_answer, NULL, err);
}
