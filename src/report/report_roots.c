#include "base/error.h"
#include "base/workers.h"
#include "format/open.h"
#include "report/plan.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The types of the last snapshot that are meant, in order of their names. */
static void match_types(struct hd_report *r, const struct hd_snapshot *snap,
                        const struct hd_options *opt)
{
    r->matched = arena_array(&r->arena, const char *, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind == TYPE_OBJECT && type->raw.count > 0 &&
            report_shows_row(r, opt, type->name))
            r->matched[r->matched_count++] = report_string(r, type->name);
    }
    qsort(r->matched, r->matched_count, sizeof(*r->matched), by_bytes);
}

static const char *join_patterns(struct hd_report *r, const struct hd_options *opt)
{
    struct text joined = {0};
    for (size_t i = 0; i < opt->type_count; i++) {
        if (i > 0)
            text_add_char(&joined, ' ');
        text_add_string(&joined, opt->types[i]);
    }
    const char *s = report_string(r, text_string(&joined));
    text_free(&joined);
    return s;
}

/* How many instances each snapshot has; needs no graph. */
static void count_instances(struct hd_report *r, struct hd_snapshot *const *snaps,
                            size_t count, const struct hd_options *opt)
{
    r->totals = arena_array(&r->arena, struct tally, count);
    for (size_t k = 0; k < count; k++) {
        for (type_id t = 0; t < snaps[k]->type_count; t++) {
            const struct type *type = &snaps[k]->types[t];
            if (type->kind != TYPE_OBJECT || !report_shows_row(r, opt, type->name))
                continue;
            struct tally at = series_tally(snaps[k], type, report_selection(opt));
            struct tally *sum = &r->totals[k];
            bool unknown = sum->bytes == HD_UNKNOWN || at.bytes == HD_UNKNOWN;
            sum->count += at.count;
            sum->bytes = unknown ? HD_UNKNOWN : sum->bytes + at.bytes;
        }
    }
}

static bool blame(struct hd_error *err, size_t snapshot)
{
    err->snapshot = (unsigned)snapshot + 1;
    return false;
}

static void fail_to_match(const struct hd_report *r, const struct hd_snapshot *last,
                          struct hd_error *err)
{
    struct arena scratch = {0};
    struct text message = {0};
    const char **names = arena_array(&scratch, const char *, last->type_count);
    size_t count = 0;
    for (type_id t = 0; t < last->type_count; t++)
        if (type_has_row(&last->types[t]))
            names[count++] = report_shown(r, last->types[t].name);
    report_no_match(&message, r, r->pattern, names, count);
    fail(err, HD_USAGE, "%s", text_string(&message));
    text_free(&message);
    arena_free(&scratch);
}

static bool can_answer(const struct hd_report *r, struct hd_snapshot *const *snaps,
                       size_t count, enum selection selection, struct hd_error *err)
{
    const struct hd_snapshot *last = snaps[count - 1];
    for (size_t k = 0; k < count; k++)
        if (!series_can_select(snaps[k], selection, err))
            return blame(err, k);
    if (!last->info.has_graph || last->info.references == HD_UNKNOWN) {
        fail(err, HD_USAGE, "root chains need references, which a %s does not have",
             last->info.format);
        return blame(err, count - 1);
    }
    if (!last->info.has_roots) {
        fail(err, HD_USAGE, "no root keeps anything alive here, so there are no chains");
        return blame(err, count - 1);
    }
    if (r->matched_count == 0) {
        fail_to_match(r, last, err);
        return blame(err, count - 1);
    }
    return true;
}

/* The chains of the wanted snapshots, each in a place of its own. */
struct search {
    struct hd_report *r;
    struct hd_snapshot *const *snaps;
    const struct hd_options *opt;
    struct plan plan;
    struct owner_types types;
    struct hd_snapshot *wanted[HD_MAX_SNAPSHOTS];
    size_t index[HD_MAX_SNAPSHOTS]; /* among snaps */
    size_t len;
    struct arena scratch[HD_MAX_SNAPSHOTS];
    const struct chains *answers[HD_MAX_SNAPSHOTS]; /* NULL: there is no graph */
    struct hd_error errors[HD_MAX_SNAPSHOTS];
};

/* One answer, for one snapshot; the graph is read if it is not there. */
static bool chains_in(void *context, size_t place)
{
    struct search *s = context;
    struct hd_snapshot *snap = s->wanted[place];
    struct arena *scratch = &s->scratch[place];
    if (!snapshot_need_graph(snap, &s->errors[place]))
        return false;
    if (snap->graph == NULL)
        return true;
    uint32_t *query_of = arena_array(scratch, uint32_t, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++)
        query_of[t] = snap->types[t].kind == TYPE_OBJECT &&
                      report_shows_row(s->r, s->opt, snap->types[t].name);
    struct chain_question ask = {.query_of_key = query_of,
                                 .key_count = snap->type_count,
                                 .queries = 1,
                                 .selection = report_selection(s->opt),
                                 .role_of_type = owner_roles(&s->types, snap, scratch)};
    struct chain_options how = report_chain_options(s->r);
    struct arena of_walk = {0};
    struct walk walk = walk_graph(snap, &of_walk);
    s->answers[place] = chains_find(snap, &walk, &ask, &how, scratch);
    arena_free(&of_walk);
    if (place + 1 < s->len && !s->plan.keep)
        snapshot_release_graph(snap);
    return true;
}

/* That of the first snapshot that failed. */
static bool report_failure(const struct search *s, struct hd_error *err)
{
    for (size_t place = 0; place < s->len; place++) {
        if (s->errors[place].status == HD_OK)
            continue;
        *err = s->errors[place];
        return blame(err, s->index[place]);
    }
    return true;
}

/* The caller's error may hold a failure of before, which says nothing of this one. */
static bool plan_search(struct search *s, const struct hd_options *opt,
                        struct hd_error *err)
{
    struct hd_error own = {0};
    if (plan_graphs(&s->plan, s->wanted, s->len, plan_walk, opt, &own))
        return true;
    if (err == NULL || err->status != HD_OK)
        return false;
    *err = own;
    return blame(err, s->index[own.snapshot - 1]);
}

/* Samples tell the change from the first to the last snapshot, exact counts all between. */
static bool find_chains(struct hd_report *r, struct hd_snapshot *const *snaps, size_t count,
                        const struct hd_options *opt, struct hd_error *err)
{
    struct search s = {.r = r, .snaps = snaps, .opt = opt};
    for (size_t k = 0; k < count; k++) {
        bool wanted = k + 1 == count || k == 0 || opt->exact;
        if (!wanted || !snaps[k]->info.has_roots)
            continue;
        s.index[s.len] = k;
        s.wanted[s.len++] = snaps[k];
    }
    if (!plan_search(&s, opt, err))
        return false;
    s.types = owner_types_of(snaps, count);
    workers_run(s.len, s.plan.at_once, chains_in, &s);
    bool ok = report_failure(&s, err);
    const struct chains *answers[HD_MAX_SNAPSHOTS];
    size_t used = 0;
    for (size_t place = 0; ok && place < s.len; place++)
        if (s.answers[place] != NULL)
            answers[used++] = s.answers[place];
    if (ok)
        r->chains = report_chains_of(r, snaps[count - 1], answers, used);
    for (size_t i = 0; used < count && i < r->chains.len; i++)
        r->chains.all[i].instances = NULL;
    owner_types_free(&s.types);
    for (size_t place = 0; place < s.len; place++)
        arena_free(&s.scratch[place]);
    return ok;
}

static struct hd_report *explain(struct hd_snapshot *const *snaps, size_t count,
                                 const struct hd_options *opt, struct hd_error *err)
{
    if (count == 0 || count > HD_MAX_SNAPSHOTS || opt == NULL || opt->type_count == 0) {
        fail(err, HD_USAGE, "roots takes a type and 1 to %d snapshots", HD_MAX_SNAPSHOTS);
        return NULL;
    }
    struct hd_report *r = report_new(REPORT_ROOTS, opt);
    report_add_snapshots(r, snaps, count);
    r->pattern = join_patterns(r, opt);
    match_types(r, snaps[count - 1], opt);
    bool ok = can_answer(r, snaps, count, report_selection(opt), err);
    if (ok) {
        count_instances(r, snaps, count, opt);
        if (r->totals[count - 1].count == 0)
            ok = fail(err, HD_USAGE,
                      "no instance of %s is in gen2 or a large object segment",
                      r->pattern) ||
                 blame(err, count - 1);
    }
    if (ok && find_chains(r, snaps, count, opt, err))
        return r;
    hd_report_free(r);
    return NULL;
}

/* Which snapshot is to blame is read from the error on the way, so it is one of our own:
 * that of the caller may be none, or set already. */
struct hd_report *hd_report_roots(struct hd_snapshot *const *snaps, size_t count,
                                  const struct hd_options *opt, struct hd_error *err)
{
    struct hd_error own = {0};
    struct hd_options options;
    struct hd_report *r =
        report_options(&options, opt, &own) ? explain(snaps, count, &options, &own) : NULL;
    if (r == NULL && err != NULL && err->status == HD_OK)
        *err = own;
    return r;
}
