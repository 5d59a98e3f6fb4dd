/* The largest types of a snapshot; and reports without analysis: facts of snapshots, and
 * the list of processes. */
#include "base/error.h"
#include "format/open.h"
#include "heap/snapshot.h"
#include "questions/questions.h"
#include "questions/report_suspects.h"
#include "report/view.h"
#include "series/series.h"

#include <stdlib.h>
#include <string.h>

/* Adds the counted objects per generation. Objects excluded by --reachable are known only
 * with the graph, or a digest. */
static void add_generations(struct hd_report *r, const struct hd_snapshot *snap,
                            const struct series_index *index, const struct series *s)
{
    const struct hd_options *opt = &r->options;
    struct hd_type_row *rows = r->found.top.types.rows;
    struct arena scratch = {0};
    if (!snap->info.has_generations || opt->by == HD_BY_HOLDER)
        return;
    const struct hd_tally *lost = opt->reachable ? reach_lost(snap, &scratch) : NULL;
    if (opt->reachable && lost == NULL)
        return;
    struct text name = {0};
    for (size_t i = 0; i < s->row_count; i++)
        rows[i].by_generation =
            arena_array(&r->arena, struct hd_tally, HD_GENERATION_COUNT);
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind != TYPE_OBJECT || type->by_generation == NULL)
            continue;
        text_clear(&name);
        unit_name(&name, opt->by, type);
        const struct series_row *row = series_row_named(index, text_string(&name));
        for (enum hd_generation g = HD_GEN0; row != NULL && g < HD_GENERATION_COUNT; g++) {
            if (opt->gen2 && !generation_is_old(g))
                continue;
            struct hd_tally from = type->by_generation[g];
            if (lost != NULL) {
                from.count -= lost[(size_t)t * HD_GENERATION_COUNT + g].count;
                from.bytes -= lost[(size_t)t * HD_GENERATION_COUNT + g].bytes;
            }
            struct hd_tally scaled = sample_tally(type, from);
            tally_add(&rows[row - s->rows].by_generation[g], &scaled);
        }
    }
    text_free(&name);
    arena_free(&scratch);
}

/* retained: of each type; NULL if unknown. */
static bool add_rows(struct hd_report *r, struct hd_snapshot *unit,
                     const uint64_t *retained, const struct hd_options *opt,
                     struct hd_error *err)
{
    struct series_question ask = {report_selection(opt), opt->by, NULL};
    struct series_warnings none = {0};
    struct series s;
    if (!series_align(&s, &unit, 1, &ask, &r->arena, &none, err))
        return false;
    struct hd_type_table *t = &r->found.top.types;
    t->bytes_known = s.bytes_known;
    t->totals = s.totals;
    report_add_types(r, t, &s);
    struct series_index index = series_index_of(&s);
    for (type_id i = 0; retained != NULL && i < unit->type_count; i++) {
        const struct series_row *row = unit->types[i].kind == TYPE_OBJECT
                                           ? series_row_named(&index, unit->types[i].name)
                                           : NULL;
        if (row != NULL)
            t->rows[row - s.rows].retained = retained[i];
    }
    add_generations(r, unit, &index, &s);
    series_index_free(&index);
    return true;
}

static bool answer_top(struct hd_report *r, struct hd_comparison *c, struct hd_options *opt,
                       struct hd_error *err)
{
    if (c->count != 1)
        return fail(err, HD_USAGE, "top takes one snapshot, not %zu", c->count);
    struct hd_snapshot *snap = c->snaps[0];
    bool wants_tree = (opt->tree || opt->owner_of_most) && snap->info.has_roots &&
                      !snap->read.tables_only;
    const uint64_t *retained =
        opt->by == HD_BY_TYPE ? comparison_retained(c, wants_tree, err) : NULL;
    if (err->status != HD_OK || !snapshot_need_reach(snap, err))
        return comparison_blame(err, 0);
    struct hd_snapshot *const *units = report_units(c, opt, err);
    report_add_snapshots(r, c->snaps, 1);
    if (units == NULL || !add_rows(r, units[0], retained, opt, err))
        return false;
    struct view v = view_of(opt);
    r->top = view_top(&r->found.top, &v, r, &r->arena);
    view_find_unmatched(&r->diff, &r->found.top.types, &v, r, &r->arena);
    report_warn_unmatched(r);
    if (wants_tree && !report_add_tree_of_one(r, c, opt, err))
        return false;
    view_cut(r, opt->rows, &r->arena);
    return true;
}

struct hd_report *hd_report_top(struct hd_comparison *c, const struct hd_options *opt,
                                struct hd_error *err)
{
    return answer_question(HD_REPORT_TOP, c, opt, answer_top, NULL, err);
}

/* --- snapshots ------------------------------------------------------------------------ */

struct hd_report *hd_report_info(struct hd_comparison *c)
{
    struct hd_report *r = report_new(HD_REPORT_INFO, NULL);
    struct arena scratch = {0};
    struct hd_snapshot **snaps =
        arena_array(&scratch, struct hd_snapshot *, c->entry_count);
    const struct hd_info_entry **entries =
        arena_array(&scratch, const struct hd_info_entry *, c->entry_count);
    struct hd_snapshot nothing = {.weak_roots = HD_UNKNOWN};
    size_t count = 0;
    comparison_begin_any(c);
    for (size_t i = 0; i < c->entry_count; i++) {
        if (c->entries[i].skipped)
            continue;
        entries[count] = &c->entries[i];
        snaps[count] = entries[count]->snap != NULL ? entries[count]->snap : &nothing;
        count++;
    }
    report_add_snapshots(r, snaps, count);
    for (size_t i = 0; i < count; i++) {
        if (entries[i]->snap != NULL)
            continue;
        r->snapshots[i].info.path = report_string(r, entries[i]->path);
        r->snapshots[i].error = entries[i]->error;
    }
    comparison_end(c);
    arena_free(&scratch);
    report_publish(r);
    return r;
}

/* --- processes --------------------------------------------------------------------- */

struct hd_report *hd_report_processes(const struct hd_processes *processes)
{
    struct hd_report *r = report_new(HD_REPORT_PROCESSES, NULL);
    r->processes.count = processes->count;
    r->processes.name = report_string(r, processes->name);
    r->processes.all = arena_array(&r->arena, struct hd_process, processes->count);
    for (size_t i = 0; i < processes->count; i++) {
        struct hd_process *p = &r->processes.all[i];
        *p = processes->all[i];
        const char **const strings[] = {&p->name, &p->runtime,   &p->command,
                                        &p->user, &p->socket,    &p->problem,
                                        &p->host, &p->container, &p->started};
        report_keep(r, strings, sizeof(strings) / sizeof(*strings));
        p->uptime = p->started != NULL ? p->uptime : HD_UNKNOWN;
        p->memory = p->memory > 0 ? p->memory : HD_UNKNOWN;
    }
    report_publish(r);
    return r;
}
