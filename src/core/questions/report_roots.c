#include "base/error.h"
#include "compare/comparison.h"
#include "format/open.h"
#include "questions/questions.h"
#include "report/phrases.h"

#include <stdlib.h>
#include <string.h>

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool can_answer(const struct hd_report *r, struct hd_snapshot *const *snaps,
                       size_t count, enum selection selection, struct hd_error *err)
{
    const struct hd_snapshot *last = snaps[count - 1];
    for (size_t k = 0; k < count; k++)
        if (((selection & SELECT_REACHABLE) && !snapshot_need_reach(snaps[k], err)) ||
            !series_can_select(snaps[k], selection, err))
            return comparison_blame(err, k);
    if (last->info.references == HD_UNKNOWN)
        fail(err, HD_USAGE, "root chains need references, which a %s lacks",
             last->info.format);
    else if (!last->info.has_roots)
        fail(err, HD_USAGE, "no root keeps anything alive here, so there are no chains");
    else if (r->roots.matched_count == 0)
        asked_types_fail(r, r->roots.pattern, last, err);
    else
        return true;
    return comparison_blame(err, count - 1);
}

/* --- chains ---------------------------------------------------------------- */

struct report_roots_search {
    struct hd_report *r;
    const struct hd_options *opt;
    struct since since; /* if needed */
};

/* --- the instances ----------------------------------------------------------- */

static bool ask_for(void *context, size_t place, const struct hd_snapshot *snap,
                    struct chain_question *ask, struct arena *scratch)
{
    const struct report_roots_search *s = context;
    (void)place;
    uint32_t *query_of = arena_array(scratch, uint32_t, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++)
        query_of[t] = snap->types[t].kind == TYPE_OBJECT &&
                      report_shows_row(s->r, s->opt, snap->types[t].name);
    ask->query_of_key = query_of;
    ask->key_count = snap->type_count;
    if (s->since.ages.since != NULL) {
        ask->since_of_node = s->since.ages.since;
        ask->since_of_query = &s->since.born;
    }
    return true;
}

/* Only chains that accumulate have a hint; if that is unknown, hints for membership in a
 * collection are omitted. */
static void explain_chains(struct hd_report *r, const struct hd_comparison *c)
{
    struct arena scratch = {0};
    struct disguised disguised = disguised_of_snapshots(c->snaps, c->count, &scratch);
    for (size_t i = 0; i < r->roots.chains.len; i++) {
        struct hd_chain_row *row = &r->roots.chains.all[i];
        row->held_by = phrase_owner(r, row->chain.owner, row->chain.service);
        bool piles_up = row->status == HD_CHAIN_NEW || row->status == HD_CHAIN_GROWING ||
                        r->roots.born_last > 1;
        if (piles_up || row->status == HD_CHAIN_UNKNOWN)
            row->hint = hint_of_chain(&row->chain, &disguised,
                                      piles_up ? HINT_OF_COLLECTION : HINT_OF_ROOT);
    }
    arena_free(&scratch);
}

/* With samples only the change from the first to the last snapshot is known, with exact
 * counts all between. Later objects are not in the first. */
static bool find_chains(struct hd_report *r, struct hd_comparison *c,
                        const struct hd_options *opt, struct hd_error *err)
{
    struct report_roots_search s = {.r = r, .opt = opt};
    bool of_born = since_is_asked(opt);
    if (of_born && !since_find(&s.since, c, opt, true, err)) {
        since_free(&s.since);
        return false;
    }
    if (of_born) {
        r->roots.born_first = opt->born_first;
        r->roots.born_last = opt->born_last;
        r->roots.identity = s.since.ages.source;
    }
    struct series_chains chains = {.c = c,
                                   .queries = 1,
                                   .selection = report_selection(opt),
                                   .types = owner_types_of(c->snaps, c->count),
                                   .how = report_chain_options(r),
                                   .ask = ask_for,
                                   .context = &s};
    for (size_t k = 0; k < c->count; k++) {
        bool wanted = k + 1 == c->count || (!of_born && (k == 0 || opt->exact));
        if (wanted && c->snaps[k]->info.has_roots)
            chains.indexes[chains.count++] = k;
    }
    bool ok = series_chains_find(&chains, err);
    if (ok) {
        const struct chains *answers[HD_MAX_SNAPSHOTS];
        size_t used = 0;
        for (size_t place = 0; place < chains.count; place++)
            if (chains.answers[place] != NULL)
                answers[used++] = chains.answers[place];
        r->roots.chains = report_chains_of(r, c->snaps[c->count - 1], answers, used);
        for (size_t i = 0; used < c->count && i < r->roots.chains.len; i++)
            r->roots.chains.all[i].instances = NULL;
        explain_chains(r, c);
    }
    if (ok && s.since.ages.since != NULL && r->roots.chains.instances == 0)
        ok = fail(err, HD_USAGE, "no instance of %s that was new then still exists",
                  r->roots.pattern);
    series_chains_free(&chains);
    since_free(&s.since);
    return ok;
}

/* --- the report -------------------------------------------------------------- */

/* The types of the last snapshot that are meant, in order of their names. */
static void match_types(struct hd_report *r, const struct hd_snapshot *snap,
                        const struct hd_options *opt)
{
    r->roots.matched = arena_array(&r->arena, const char *, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind == TYPE_OBJECT && type->raw.count > 0 &&
            report_shows_row(r, opt, type->name))
            r->roots.matched[r->roots.matched_count++] = report_string(r, type->name);
    }
    qsort(r->roots.matched, r->roots.matched_count, sizeof(*r->roots.matched), by_bytes);
}

/* Warns of another order, process or program, as a diff does; without the warnings about a
 * ranking. */
static void warn_of_series(struct hd_report *r, const struct hd_comparison *c,
                           const struct hd_options *opt)
{
    static const enum warning_code here[] = {WARN_SAME_SNAPSHOT, WARN_ORDER_UNKNOWN,
                                             WARN_OUT_OF_ORDER, WARN_DIFFERENT_PROCESS,
                                             WARN_DIFFERENT_PROGRAM};
    struct series_question ask = {report_selection(opt), HD_BY_TYPE, NULL};
    struct series_warnings found = {0};
    struct series s;
    struct hd_error ignored = {0};
    if (c->count < 2 ||
        !series_align(&s, c->snaps, c->count, &ask, &r->arena, &found, &ignored))
        return;
    for (size_t i = 0; i < found.len; i++) {
        const struct series_warning *w = &found.all[i];
        for (size_t k = 0; k < sizeof(here) / sizeof(*here); k++)
            if (w->code == here[k])
                report_warn_series(r, w);
    }
}

static bool answer_roots(struct hd_report *r, struct hd_comparison *c,
                         struct hd_options *opt, struct hd_error *err)
{
    size_t last = c->count - 1;
    if (c->count == 0 || c->count > HD_MAX_SNAPSHOTS || opt->type_count == 0)
        return fail(err, HD_USAGE, "roots takes a type and 1 to %d snapshots",
                    HD_MAX_SNAPSHOTS);
    report_add_snapshots(r, c->snaps, c->count);
    r->roots.pattern = asked_pattern(r, opt);
    match_types(r, c->snaps[last], opt);
    if (!can_answer(r, c->snaps, c->count, report_selection(opt), err))
        return false;
    warn_of_series(r, c, opt);
    /* instances per snapshot; needs no graph */
    r->roots.instances = arena_array(&r->arena, struct hd_tally, c->count);
    for (size_t k = 0; k < c->count; k++) {
        for (type_id t = 0; t < c->snaps[k]->type_count; t++) {
            const struct type *type = &c->snaps[k]->types[t];
            if (type->kind != TYPE_OBJECT || !report_shows_row(r, opt, type->name))
                continue;
            struct hd_tally at = series_tally(c->snaps[k], type, report_selection(opt));
            struct hd_tally *sum = &r->roots.instances[k];
            bool unknown = sum->bytes == HD_UNKNOWN || at.bytes == HD_UNKNOWN;
            sum->count += at.count;
            sum->bytes = unknown ? HD_UNKNOWN : sum->bytes + at.bytes;
        }
    }
    if (r->roots.instances[last].count == 0)
        return fail(err, HD_USAGE,
                    opt->gen2
                        ? "no instance of %s is in gen2 or a large object segment"
                        : "no instance of %s is reachable from a root: all are garbage",
                    r->roots.pattern) ||
               comparison_blame(err, last);
    return find_chains(r, c, opt, err);
}

struct hd_report *hd_report_roots(struct hd_comparison *c, const struct hd_options *opt,
                                  struct hd_error *err)
{
    return answer_question(HD_REPORT_ROOTS, c, opt, answer_roots, NULL, err);
}
