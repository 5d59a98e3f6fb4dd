/* Computes the record of a run from its snapshots: compares them as `diff` does, through
 * the public interface, and extracts the results of the report. A series is processed by
 * one thread; only the caller's thread calls the source. */
#include "base/workers.h"
#include "fleet/fleet.h"
#include "heap/place.h"
#include "series/ranking_constants.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If the process started after its first snapshot, the clock was set. Clocks of a container
 * and of the reader may differ by some seconds. */
static const double clock_slack = 60, shortest_span = 60;
enum { MIN_SNAPSHOTS = 2, CHAIN_DEPTH = 32 };

/* --- rates ------------------------------------------------------------------ */

/* Returns bytes per hour, as the median of all slopes, which daily load does not reverse.
 * At most 50 snapshots, some possibly unknown; NAN if the time span is unknown or too
 * short. */
static double rate_of(const double *times, const uint64_t *bytes, size_t count)
{
    struct points p;
    fleet_points(&p, times, bytes, count);
    size_t n = p.trend.n;
    return n < MIN_SNAPSHOTS || p.x[n - 1] - p.x[0] < shortest_span
               ? NAN
               : trend_slope(&p.trend, 0, n) * 3600;
}

/* --- a run ------------------------------------------------------------------- */

struct run_at_work {
    const struct hd_fleet_series *series;
    struct hd_snapshot *snaps[HD_MAX_SNAPSHOTS];
    double taken[HD_MAX_SNAPSHOTS];
    size_t count;
    struct arena *arena; /* owns the record's strings */
    struct hd_run_record *record;
};

static void doubt(struct run_at_work *w, enum hd_judgement judgement, enum hd_doubt why)
{
    w->record->judgement = judgement;
    w->record->doubt = why;
}

static void keep_why(struct run_at_work *w, const struct hd_error *err)
{
    if (w->record->why == NULL && err->message[0] != '\0')
        w->record->why = arena_strdup(w->arena, err->message, strlen(err->message));
}

/* Builds of a fleet differ, so numbers in names that compilers make are folded. */
static void open_snapshots(struct run_at_work *w, uint64_t max_memory)
{
    const struct hd_read_options how = {.size = sizeof(how),
                                        .reach_later = true,
                                        .across_builds = true,
                                        .max_memory = max_memory};
    for (size_t i = 0; i < w->series->snapshot_count; i++) {
        const struct hd_fleet_snapshot *s = &w->series->snapshots[i];
        struct hd_error err = s->error;
        if (s->bytes.size > 0)
            w->snaps[w->count] =
                hd_snapshot_from_memory(s->bytes.bytes, s->bytes.size, &how, &err);
        if (s->bytes.size == 0 || w->snaps[w->count] == NULL) {
            w->record->damaged++;
            keep_why(w, &err);
            continue;
        }
        w->taken[w->count++] = s->taken;
    }
}

/* True if the clock contradicts the start of the process, or the times give no order. */
static enum hd_doubt doubt_about_times(const struct run_at_work *w)
{
    double started = w->series->run.started;
    enum hd_doubt doubt = HD_DOUBT_NONE;
    for (size_t k = 0; k < w->count; k++) {
        if (!isfinite(w->taken[k]) || (k > 0 && w->taken[k] < w->taken[k - 1]))
            return HD_DOUBT_CLOCK;
        if (k > 0 && w->taken[k] <= w->taken[k - 1])
            doubt = HD_DOUBT_ORDER;
    }
    return !isnan(started) && w->taken[0] < started - clock_slack ? HD_DOUBT_CLOCK : doubt;
}

/* --- results of the report ------------------------------------------------------ */

static bool warns(const struct hd_model *m, const char *code)
{
    for (size_t i = 0; i < m->warning_count; i++)
        if (strcmp(m->warnings[i].code, code) == 0)
            return true;
    return false;
}

static void take_heap(struct run_at_work *w, const struct hd_model *m)
{
    uint64_t *heap = arena_array(w->arena, uint64_t, w->count);
    double *times = arena_array(w->arena, double, w->count);
    bool reach = true;
    for (size_t k = 0; k < w->count; k++)
        reach &= m->diff->reachable[k].bytes != HD_UNKNOWN;
    for (size_t k = 0; k < w->count; k++) {
        times[k] = w->taken[k];
        heap[k] = reach ? m->diff->reachable[k].bytes : m->diff->types.totals[k].bytes;
    }
    w->record->count = w->count;
    w->record->times = times;
    w->record->heap = heap;
    w->record->heap_per_hour = rate_of(times, heap, w->count);
}

/* Formats "A → B ×2–9": the repetitions of a pattern follow its last type. */
static void add_frame(struct text *t, const struct hd_frame *f)
{
    char times[48] = "";
    if (f->repeat_max > f->repeat_min)
        snprintf(times, sizeof(times), " ×%" PRIu32 "–%" PRIu32, f->repeat_min,
                 f->repeat_max);
    else if (f->repeat_max > 1)
        snprintf(times, sizeof(times), " ×%" PRIu32, f->repeat_max);
    for (unsigned k = 0; k < f->type_count; k++) {
        text_add_string(t, t->len > 0 ? HOLDER_ARROW : "");
        text_add_string(t, f->types[k]);
    }
    text_add_string(t, times);
}

/* The first chain, as a holder is one line. */
static const char *chain_of(struct run_at_work *w, const struct hd_chains *chains)
{
    struct text t = {0};
    const struct hd_chain_row *row = chains->len > 0 ? &chains->all[0] : NULL;
    for (size_t i = 0; row != NULL && i < row->chain.frame_count; i++) {
        if (row->frames_omitted > 0 && i == row->omitted_at)
            text_add_string(&t, HOLDER_ARROW "…");
        add_frame(&t, &row->chain.frames[i]);
    }
    const char *line = t.len > 0 ? arena_strdup(w->arena, text_string(&t), t.len) : NULL;
    text_free(&t);
    return line;
}

static const char *examine_holder_of(struct run_at_work *w, const struct hd_suspect *s)
{
    struct text t = {0};
    holder_join(&t, (const char *const *)s->holder, s->holder_len);
    const char *all =
        s->holder_len > 0 ? arena_strdup(w->arena, text_string(&t), t.len) : NULL;
    text_free(&t);
    return all;
}

static void take_findings(struct run_at_work *w, const struct hd_model *m)
{
    const struct hd_diff *d = m->diff;
    struct hd_run_finding *all =
        arena_array(w->arena, struct hd_run_finding, d->suspect_count);
    for (size_t i = 0; i < d->suspect_count; i++) {
        const struct hd_suspect *s = &d->suspects[i];
        uint64_t *retained = arena_array(w->arena, uint64_t, w->count);
        for (size_t k = 0; k < w->count; k++)
            retained[k] = s->retained != NULL ? s->retained[k] : s->at[k].bytes;
        all[i] = (struct hd_run_finding){
            .rank = (unsigned)s->rank,
            .type = s->type,
            .title = s->title,
            .holder = examine_holder_of(w, s),
            .hint = s->hint,
            .score = s->score,
            .score_share = s->score_share,
            .per_hour = rate_of(w->record->times, retained, w->count),
            .retained = retained,
            .chain = chain_of(w, &s->chains),
        };
    }
    w->record->findings = all;
    w->record->finding_count = d->suspect_count;
    w->record->confidence = d->confidence;
}

/* "None" has to be earned: whatever keeps `check --strict` from passing is a doubt here. */
static void examine_judge(struct run_at_work *w, const struct hd_report *report,
                          double min_span)
{
    const struct hd_model *m = hd_report_model(report);
    const struct hd_diff *d = m->diff;
    if (d->usable_count < MIN_SNAPSHOTS)
        doubt(w, HD_NOT_JUDGED, HD_DOUBT_UNFIT);
    else if (warns(m, "out-of-order"))
        doubt(w, HD_NOT_JUDGED, HD_DOUBT_CLOCK);
    else if (warns(m, "different-process"))
        doubt(w, HD_UNSURE, HD_DOUBT_PROCESSES);
    else if (d->usable_count < rank_by.enough_snapshots)
        doubt(w, HD_UNSURE, HD_DOUBT_FEW);
    else if (w->taken[w->count - 1] - w->taken[0] < min_span)
        doubt(w, HD_UNSURE, HD_DOUBT_SHORT);
    else if (d->suspect_count == 0 && hd_diff_grows_outside(d))
        doubt(w, HD_UNSURE, HD_DOUBT_OUTSIDE);
    else if (d->suspect_count > 0 || hd_report_conclusive(report))
        doubt(w, HD_JUDGED, HD_DOUBT_NONE);
    else if (hd_diff_is_reserved(d))
        doubt(w, HD_UNSURE, HD_DOUBT_RESERVED);
    else if (d->growth.is_open)
        doubt(w, HD_UNSURE, HD_DOUBT_UNEXPLAINED);
    else if (d->growth.has_leveled_off)
        doubt(w, HD_UNSURE, HD_DOUBT_LEVELED_OFF);
    else
        doubt(w, HD_UNSURE, HD_DOUBT_INCOMPLETE);
    if (w->record->judgement == HD_NOT_JUDGED)
        w->record->finding_count = 0;
}

/* --- the comparison -------------------------------------------------------------- */

static struct hd_report *compare(struct run_at_work *w, const struct hd_fleet_rules *rules,
                                 uint64_t max_memory)
{
    const struct hd_read_options how = {.size = sizeof(how), .max_memory = max_memory};
    struct hd_options opt = hd_default_options();
    opt.chains = 1;
    opt.depth = CHAIN_DEPTH;
    opt.min_share = rules->min_share;
    opt.min_bytes = rules->min_bytes;
    opt.min_steady_share = rules->min_steady_share;
    opt.min_steady_bytes = rules->min_steady_bytes;
    struct hd_error err = {0};
    struct hd_comparison *c = hd_comparison_of(w->snaps, w->count, &how);
    struct hd_report *report = hd_report_diff(c, &opt, &err);
    hd_comparison_free(c);
    if (report == NULL) {
        doubt(w, HD_NOT_JUDGED, HD_DOUBT_FAILED);
        w->record->why = NULL;
        keep_why(w, &err);
        return NULL;
    }
    take_heap(w, hd_report_model(report));
    take_findings(w, hd_report_model(report));
    examine_judge(w, report, rules->min_span);
    return report;
}

/* Fills in *record, whose strings and arrays belong to the arena, to series and to the
 * returned report, which may be NULL and has to be freed later. */
static struct hd_report *examine_series(const struct hd_fleet_series *series,
                                        const struct hd_fleet_rules *rules,
                                        uint64_t max_memory, struct arena *arena,
                                        struct hd_run_record *record)
{
    struct run_at_work w = {.series = series, .arena = arena, .record = record};
    *record = (struct hd_run_record){.series = series->id,
                                     .run = series->run,
                                     .recorded = series->recorded,
                                     .heap_per_hour = NAN};
    open_snapshots(&w, max_memory);
    bool lone = series->snapshot_count < MIN_SNAPSHOTS && w.count > 0;
    enum hd_doubt why = lone                      ? HD_DOUBT_ONE_SNAPSHOT
                        : w.count < MIN_SNAPSHOTS ? HD_DOUBT_DAMAGED
                                                  : doubt_about_times(&w);
    struct hd_report *report = NULL;
    if (why == HD_DOUBT_NONE)
        report = compare(&w, rules, max_memory);
    else
        doubt(&w, HD_NOT_JUDGED, why);
    for (size_t k = 0; k < w.count; k++)
        hd_snapshot_close(w.snaps[k]);
    return report;
}

/* --- many ---------------------------------------------------------------------- */

/* Series in memory: some per thread, with at most this many bytes of snapshots, plus one
 * series. */
enum { MAX_AT_ONCE = 64, EACH_THREAD = 4, MAX_BYTES = 512 << 20 };

struct batch {
    struct hd_fleet_series *all;
    struct hd_run_record records[MAX_AT_ONCE];
    struct hd_report *reports[MAX_AT_ONCE];
    struct arena arenas[MAX_AT_ONCE];
    size_t len;
    const struct hd_fleet_rules *rules;
    uint64_t max_memory;
};

static bool examine_one(void *context, size_t i)
{
    struct batch *b = context;
    b->reports[i] =
        examine_series(&b->all[i], b->rules, b->max_memory, &b->arenas[i], &b->records[i]);
    return true;
}

/* Fills a batch. False at the end of the source; the batch has the series before it. */
static bool fill(struct batch *b, const struct hd_fleet_source *from, size_t most,
                 struct hd_error *err)
{
    size_t bytes = 0;
    for (b->len = 0; b->len < most && bytes < MAX_BYTES; b->len++) {
        struct hd_fleet_series *s = &b->all[b->len];
        *s = (struct hd_fleet_series){0};
        if (!from->next(from->context, s, err))
            return false;
        for (size_t k = 0; k < s->snapshot_count; k++)
            bytes += s->snapshots[k].bytes.size;
    }
    return true;
}

/* In the order of the series, independent of the threads. */
static bool examine_keep(struct hd_fleet *f, struct batch *b,
                         const struct hd_fleet_source *from, struct hd_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < b->len; i++) {
        ok = ok && hd_fleet_add(f, &b->records[i], err);
        hd_report_free(b->reports[i]);
        arena_free(&b->arenas[i]);
        b->arenas[i] = (struct arena){0};
        from->done(from->context, &b->all[i]);
    }
    return ok;
}

bool hd_fleet_examine(struct hd_fleet *f, struct hd_fleet_source from,
                      const struct hd_fleet_how *how, struct hd_error *err)
{
    size_t threads = how->threads > 1 ? how->threads : 1;
    size_t most = threads == 1 ? 1 : EACH_THREAD * threads;
    struct batch *b = alloc_zeroed(sizeof(*b));
    struct hd_error none = {0}, *why = err != NULL ? err : &none;
    most = most < MAX_AT_ONCE ? most : MAX_AT_ONCE;
    b->all = alloc_zeroed(array_bytes(most, sizeof(*b->all)));
    b->rules = &f->rules;
    b->max_memory = how->max_memory / threads;
    bool more = true, ok = why->status == HD_OK;
    while (more && ok) {
        more = fill(b, &from, most, why);
        workers_run(b->len, (unsigned)threads, examine_one, b);
        ok = examine_keep(f, b, &from, why) && why->status == HD_OK;
    }
    free(b->all);
    free(b);
    return ok;
}
