#include "fleet/fleet.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "heapdrift_fleet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fleet_name {
    UT_hash_handle hh;
    char text[];
};

struct fleet_series {
    uint64_t id;
    UT_hash_handle hh;
};

/* --- the set ---------------------------------------------------------------- */

void fleet_set_rules(struct hd_fleet *f, const struct hd_fleet_rules *rules)
{
    f->rules = *rules;
    f->rules.service = fleet_name(f, rules->service);
    if (f->rules.shards == 0)
        f->rules.shard = f->rules.shards = 1;
    f->has_rules = true;
    if (f->rules.shards == 1)
        return;
    f->shards = arena_array(&f->arena, bool, f->rules.shards);
    if (f->rules.shard > 0)
        f->shards[f->rules.shard - 1] = true;
}

struct hd_fleet *hd_fleet_new(const struct hd_fleet_rules *rules)
{
    struct hd_fleet *f = alloc_zeroed(sizeof(*f));
    if (rules != NULL)
        fleet_set_rules(f, rules);
    return f;
}

struct hd_fleet *fleet_hold(struct hd_fleet *f)
{
    f->holders++;
    return f;
}

void hd_fleet_free(struct hd_fleet *f)
{
    if (f == NULL || f->holders-- > 0)
        return;
    HASH_CLEAR(hh, f->names);
    HASH_CLEAR(hh, f->series);
    free(f->all);
    arena_free(&f->arena);
    free(f);
}

unsigned fleet_shards_missing(const struct hd_fleet *f)
{
    unsigned missing = 0;
    for (unsigned i = 0; f->shards != NULL && i < f->rules.shards; i++)
        missing += !f->shards[i];
    return missing;
}

const struct hd_fleet_rules *hd_fleet_rules(const struct hd_fleet *f)
{
    return &f->rules;
}

/* --- names ------------------------------------------------------------------ */

const char *fleet_name(struct hd_fleet *f, const char *s)
{
    if (s == NULL || s[0] == '\0')
        return NULL;
    struct text clean = {0};
    struct fleet_name *found;
    text_add_utf8(&clean, s, strlen(s));
    HASH_FIND(hh, f->names, clean.data, clean.len, found);
    if (found == NULL) {
        found = arena_alloc(&f->arena, sizeof(*found) + clean.len + 1);
        memcpy(found->text, clean.data, clean.len);
        HASH_ADD_KEYPTR(hh, f->names, found->text, clean.len, found);
    }
    text_free(&clean);
    return found->text;
}

int fleet_order(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a != NULL) - (b != NULL);
    return a == b ? 0 : strcmp(a, b);
}

int fleet_order_of_two(const char *a, const char *b, const char *then_a, const char *then_b)
{
    int order = fleet_order(a, b);
    return order != 0 ? order : fleet_order(then_a, then_b);
}

/* --- numbers ---------------------------------------------------------------- */

void fleet_points(struct points *to, const double *times, const uint64_t *bytes,
                  size_t count)
{
    size_t n = 0;
    for (size_t k = 0; k < count && n < TREND_MAX_POINTS; k++) {
        if (bytes[k] == HD_UNKNOWN || (n > 0 && !(times[k] > to->x[n - 1])))
            continue;
        to->x[n] = times[k];
        to->y[n++] = (double)bytes[k];
    }
    to->trend = (struct trend){.n = n, .x = to->x, .y = to->y};
}

/* --- order ------------------------------------------------------------------ */

static int by_run(const void *a, const void *b)
{
    const struct hd_run_record *x = a, *y = b;
    double s = x->run.started, t = y->run.started; /* unknown times sort first */
    int order =
        fleet_order_of_two(x->run.service, y->run.service, x->run.host, y->run.host);
    order = order != 0             ? order
            : isnan(s) || isnan(t) ? (int)isnan(t) - (int)isnan(s)
                                   : (s > t) - (s < t);
    order = order != 0 ? order : (x->run.pid > y->run.pid) - (x->run.pid < y->run.pid);
    return order != 0 ? order : (x->series > y->series) - (x->series < y->series);
}

void fleet_sort(struct hd_fleet *f)
{
    if (!f->is_sorted && f->len > 0)
        qsort(f->all, f->len, sizeof(*f->all), by_run);
    f->is_sorted = true;
}

const struct hd_run_record *hd_fleet_record(struct hd_fleet *f, size_t i)
{
    fleet_sort(f);
    return i < f->len ? &f->all[i] : NULL;
}

/* --- one more ---------------------------------------------------------------- */

static const void *copy_of(struct hd_fleet *f, const void *from, size_t size)
{
    if (size == 0)
        return NULL;
    return memcpy(arena_alloc(&f->arena, size), from, size);
}

/* Names become those of the fleet. */
static void take_names(struct hd_fleet *f, const char **const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *names[i] = fleet_name(f, *names[i]);
}

bool hd_fleet_add(struct hd_fleet *f, const struct hd_run_record *record,
                  struct hd_error *err)
{
    struct fleet_series *series;
    HASH_FIND(hh, f->series, &record->series, sizeof(record->series), series);
    if (series != NULL)
        return fail(err, HD_USAGE, "series %" PRIu64 " occurs twice", record->series);
    series = arena_alloc(&f->arena, sizeof(*series));
    series->id = record->series;
    HASH_ADD(hh, f->series, id, sizeof(series->id), series);
    struct hd_run_finding *findings =
        arena_array(&f->arena, struct hd_run_finding, record->finding_count);
    for (size_t i = 0; i < record->finding_count; i++) {
        struct hd_run_finding *to = &findings[i];
        const char **names[] = {&to->type, &to->title, &to->holder, &to->hint, &to->chain};
        *to = record->findings[i];
        take_names(f, names, sizeof(names) / sizeof(*names));
        to->retained = copy_of(f, to->retained, record->count * sizeof(*to->retained));
    }
    struct hd_run_record to = *record;
    const char **names[] = {&to.run.service, &to.run.host, &to.run.process, &to.run.build,
                            &to.why};
    take_names(f, names, sizeof(names) / sizeof(*names));
    to.run.labels = NULL;
    to.run.label_count = 0;
    to.times = copy_of(f, record->times, record->count * sizeof(*record->times));
    to.heap = copy_of(f, record->heap, record->count * sizeof(*record->heap));
    to.findings = findings;
    f->all = grow(f->all, f->len, &f->cap, sizeof(*f->all));
    f->all[f->len++] = to;
    f->is_sorted = false;
    return true;
}

/* --- words ------------------------------------------------------------------- */

#define NAMES_OF(what, count, ...)                        \
    const char *hd_##what##_name(enum hd_##what x)        \
    {                                                     \
        static const char *const names[] = {__VA_ARGS__}; \
        return (unsigned)x < (count) ? names[x] : NULL;   \
    }
NAMES_OF(judgement, HD_JUDGEMENT_COUNT, "judged", "unsure", "not-judged")
NAMES_OF(doubt, HD_DOUBT_COUNT, "none", "one-snapshot", "damaged", "unfit", "clock",
         "order", "failed", "processes", "short", "few", "incomplete", "unexplained",
         "stopped", "reserved", "outside")
NAMES_OF(fleet_onset, HD_ONSET_COUNT, "named", "first-build", "chance", "unknown")
NAMES_OF(fleet_evidence, HD_EVIDENCE_COUNT, "judged", "pooled", "open")
NAMES_OF(fleet_missing, HD_MISSING_COUNT, "nothing", "snapshots", "runs", "share", "hours",
         "pace")

/* --- which runs ---------------------------------------------------------------------- */

/* Choice of the snapshots that represent a run. */

/* The k-th of `most` is the snapshot nearest to its point on an even scale of time, among
 * those after the previous choice that leave enough for later points. Even in time, not in
 * number: a thinned store has most snapshots at its end. O(n). */
size_t hd_fleet_choose(const double *taken, size_t n, size_t most, size_t *chosen)
{
    if (n <= most) {
        for (size_t i = 0; i < n; i++)
            chosen[i] = i;
        return n;
    }
    double first = taken[0], span = taken[n - 1] - first;
    size_t at = 0;
    chosen[0] = 0;
    for (size_t k = 1; k + 1 < most; k++) {
        double wanted = first + span * (double)k / (double)(most - 1);
        size_t last = n - (most - k); /* one for each that follows */
        at++;
        while (at < last && fabs(taken[at + 1] - wanted) < fabs(taken[at] - wanted))
            at++;
        chosen[k] = at;
    }
    chosen[most - 1] = n - 1;
    return most;
}
