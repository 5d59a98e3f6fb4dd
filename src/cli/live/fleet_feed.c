#include "cli/live/fleet_feed.h"

#include "cli/guard/allocate.h"
#include "cli/live/open_store.h"

#include <stdlib.h>
#include <string.h>

/* --- series ------------------------------------------------------------------------ */

struct feed {
    struct hd_store *store;
    struct hd_series_list *list;
};

/* What a series points to: what the list gives is gone with the next one. */
enum { NAMES = 4 };
struct own {
    char *names[NAMES];
};

static const char *keep(struct own *own, size_t i, const char *name)
{
    if (name == NULL)
        return NULL;
    size_t size = strlen(name) + 1;
    own->names[i] = more(NULL, size);
    memcpy(own->names[i], name, size);
    return own->names[i];
}

static struct hd_run copy(struct own *own, const struct hd_run *from)
{
    struct hd_run run = *from;
    run.service = keep(own, 0, from->service);
    run.host = keep(own, 1, from->host);
    run.process = keep(own, 2, from->process);
    run.build = keep(own, 3, from->build);
    run.labels = NULL;
    run.label_count = 0;
    return run;
}

static void done(void *context, struct hd_fleet_series *series)
{
    struct own *own = series->own;
    (void)context;
    for (size_t k = 0; k < series->snapshot_count; k++)
        hd_memory_free(&series->snapshots[k].bytes);
    for (size_t i = 0; own != NULL && i < NAMES; i++)
        free(own->names[i]);
    free(own);
}

/* A digest that is gone, or damaged, is told by the record. A store that does not answer is
 * the end of it: what is there is not known then. */
static bool is_about_one(const struct hd_error *err)
{
    return err->status == HD_USAGE || err->status == HD_BAD_FORMAT ||
           err->status == HD_NOT_A_SNAPSHOT || err->status == HD_UNSUPPORTED;
}

static bool take_digest(struct feed *f, const struct hd_stored_snapshot *from,
                        struct hd_fleet_snapshot *to, struct hd_error *err)
{
    to->taken = from->taken;
    if (hd_store_digest(f->store, from->id, &to->bytes, &to->error))
        return true;
    hd_memory_free(&to->bytes);
    to->bytes = (struct hd_memory){0};
    if (is_about_one(&to->error))
        return true;
    *err = to->error;
    return false;
}

static size_t choose(const struct hd_stored_series *from, size_t *chosen)
{
    double *taken = zeroed(from->snapshot_count, sizeof(*taken));
    size_t *all = zeroed(from->snapshot_count > HD_MAX_SNAPSHOTS ? HD_MAX_SNAPSHOTS
                                                                 : from->snapshot_count,
                         sizeof(*all));
    for (size_t k = 0; k < from->snapshot_count; k++)
        taken[k] = from->snapshots[k].taken;
    size_t n = hd_fleet_choose(taken, from->snapshot_count, HD_MAX_SNAPSHOTS, all);
    memcpy(chosen, all, n * sizeof(*chosen));
    free(all);
    free(taken);
    return n;
}

static bool next(void *context, struct hd_fleet_series *series, struct hd_error *err)
{
    struct feed *f = context;
    const struct hd_stored_series *from = NULL;
    size_t chosen[HD_MAX_SNAPSHOTS];
    if (!hd_series_next(f->list, &from, err) || from == NULL)
        return false;
    series->id = from->id;
    series->own = zeroed(1, sizeof(struct own));
    series->run = copy(series->own, &from->run);
    series->recorded = from->snapshot_count;
    size_t count = choose(from, chosen);
    for (size_t k = 0; k < count; k++) {
        series->snapshot_count++;
        if (!take_digest(f, &from->snapshots[chosen[k]], &series->snapshots[k], err)) {
            done(f, series);
            return false;
        }
    }
    return true;
}

static bool feed(struct feed *f, struct hd_fleet *fleet, const struct settings *s,
                 struct hd_error *err)
{
    const struct hd_fleet_rules *rules = hd_fleet_rules(fleet);
    struct hd_store_filter filter = hd_store_everything();
    filter.service = rules->service;
    filter.since = rules->since;
    filter.until = rules->until;
    filter.shard = s->shard;
    filter.shards = s->shards;
    f->list = hd_store_series(f->store, &filter, err);
    if (f->list == NULL)
        return false;
    const struct hd_fleet_how how = {.threads = s->threads,
                                     .max_memory = s->read.max_memory};
    bool ok = hd_fleet_examine(fleet, (struct hd_fleet_source){next, done, f}, &how, err);
    hd_series_list_free(f->list);
    return ok;
}

bool fleet_feed(struct hd_fleet *fleet, const struct settings *s)
{
    struct hd_error err = {0};
    struct feed f = {.store = open_store(s, HD_STORE_READ)};
    bool ok = f.store != NULL && feed(&f, fleet, s, &err);
    hd_store_close(f.store);
    if (f.store != NULL && !ok)
        store_trouble(store_url(s), &err);
    return ok;
}

/* --- findings ---------------------------------------------------------------------- */

static bool save_record(struct hd_store *store, const struct hd_run_record *r,
                        struct hd_error *err)
{
    struct hd_stored_finding *all = zeroed(r->finding_count, sizeof(*all));
    for (size_t i = 0; i < r->finding_count; i++) {
        const struct hd_run_finding *f = &r->findings[i];
        all[i] =
            (struct hd_stored_finding){.rank = f->rank,
                                       .type = f->type,
                                       .subject = f->subject,
                                       .holder = f->holder,
                                       .score = f->score,
                                       .score_share = f->score_share,
                                       .per_hour = f->per_hour,
                                       .confidence = hd_confidence_name(r->confidence)};
    }
    bool ok = hd_store_save_findings(store, r->series, r->times[0], r->times[r->count - 1],
                                     all, r->finding_count, err);
    free(all);
    return ok;
}

/* Of a run that could not be compared nothing is known, so what was known stays. */
bool fleet_save(struct hd_fleet *fleet, const struct settings *s)
{
    struct hd_error err = {0};
    struct hd_store *store = open_store(s, HD_STORE_WRITE);
    const struct hd_run_record *r;
    bool ok = store != NULL;
    for (size_t i = 0; ok && (r = hd_fleet_record(fleet, i)) != NULL; i++)
        if (r->count > 0)
            ok = save_record(store, r, &err);
    hd_store_close(store);
    if (store != NULL && !ok)
        store_trouble(store_url(s), &err);
    return ok;
}
