/* One snapshot into the store: its run, its digest, a row per type. */
#include "store/run.h"
#include "store/store.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/options.h"
#include "format/open.h"
#include "heap/snapshot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- finding runs -------------------------------------------------------------- */

/* What a fleet has found of a series. */

struct findings {
    uint64_t series;
    double first, last;
    char *rows;
};

static char *rows_of_finding(const struct hd_stored_finding *all, size_t count)
{
    struct arena a = {0};
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct hd_stored_finding *f = &all[i];
        json_t *row = json_array();
        json_append(row, json_integer(f->rank));
        json_append(row, json_string_or_null(store_clean(&a, f->type)));
        json_append(row, json_string_or_null(store_clean(&a, f->subject)));
        json_append(row, json_real_or_null(f->score));
        json_append(row, json_real_or_null(f->score_share));
        json_append(row, json_real_or_null(f->per_hour));
        json_append(row, json_string_or_null(store_clean(&a, f->confidence)));
        json_append(row, json_string_or_null(store_clean(&a, f->holder)));
        json_append(rows, row);
    }
    char *text = json_to_text(rows);
    json_decref(rows);
    arena_free(&a);
    return text;
}

static bool save_rows(struct hd_store *s, const struct findings *f, struct hd_error *err)
{
    const struct value values[] = {of_text(f->rows), of_count(f->series), of_real(f->first),
                                   of_real(f->last)};
    int64_t id;
    bool there;
    if (!store_ask_number(s, "SELECT id FROM series WHERE id = $1 {lock}", &values[1], 1,
                          &id, &there, err))
        return false;
    if (!there)
        return fail(err, HD_USAGE, "has no such series, or no longer");
    return store_run(s, "DELETE FROM finding WHERE series_id = $1", &values[1], 1, err) &&
           types_add(s, f->rows, 1, err) &&
           store_run(
               s,
               "INSERT INTO finding (series_id, window_first, window_last, rank, type_id, "
               "subject, score, score_share, per_hour, confidence, holder) SELECT "
               "CAST($2 AS BIGINT), CAST($3 AS DOUBLE PRECISION), CAST($4 AS DOUBLE "
               "PRECISION), CAST(value ->> 0 AS INTEGER), type.id, value ->> 2, "
               "CAST(value ->> 3 AS DOUBLE PRECISION), CAST(value ->> 4 AS DOUBLE "
               "PRECISION), CAST(value ->> 5 AS DOUBLE PRECISION), value ->> 6, "
               "value ->> 7 FROM {each}($1) AS e JOIN type ON type.name = value ->> 1",
               values, 4, err);
}

static enum ending save(struct hd_store *s, void *context, struct hd_error *err)
{
    return kept_if(save_rows(s, context, err));
}

bool hd_store_save_findings(struct hd_store *s, uint64_t series, double first, double last,
                            const struct hd_stored_finding *all, size_t count,
                            struct hd_error *err)
{
    struct findings f = {series, first, last, rows_of_finding(all, count)};
    bool ok = store_transact(s, save, &f, NULL, err);
    free(f.rows);
    return ok;
}

/* --- recording ----------------------------------------------------------------- */

struct record {
    struct arena scratch;
    struct hd_run run;  /* cleaned */
    const char *source; /* 16 digits: the snapshot, once and for all */
    const char *bytes;  /* the same of its bytes */
    double taken, pause_seconds, now;
    struct hd_memory digest;
    struct hd_info info;
    char *rows; /* [[type, objects, bytes], ...] */
    bool was_there;
};

/* --- boiling it down ----------------------------------------------------------- */

struct type_sum {
    const char *name;
    uint64_t objects, bytes;
};

static int by_name(const void *x, const void *y)
{
    const struct type_sum *a = x, *b = y;
    return strcmp(a->name, b->name);
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a == HD_UNKNOWN || b == HD_UNKNOWN ? HD_UNKNOWN
           : a < HD_UNKNOWN - 1 - b           ? a + b
                                              : HD_UNKNOWN - 1;
}

/* Names that are one when they are stored become one row. */
static size_t merge(struct type_sum *all, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct type_sum *last = kept > 0 ? &all[kept - 1] : NULL;
        if (last != NULL && strcmp(last->name, all[i].name) == 0) {
            last->objects = sum(last->objects, all[i].objects);
            last->bytes = sum(last->bytes, all[i].bytes);
        } else {
            all[kept++] = all[i];
        }
    }
    return kept;
}

static json_t *count_or_null(uint64_t n)
{
    struct value v = of_count(n);
    return v.kind == VALUE_NOTHING ? json_null() : json_integer(v.number);
}

static char *rows_of(const struct hd_snapshot *snap, struct arena *a)
{
    struct type_sum *all = arena_array(a, struct type_sum, (size_t)snap->type_count + 1);
    size_t count = 0;
    for (uint32_t i = 0; i < snap->type_count; i++) {
        const struct type *t = &snap->types[i];
        if (type_has_row(t))
            all[count++] =
                (struct type_sum){store_clean(a, t->name), t->tally[SELECT_ALL].count,
                                  t->tally[SELECT_ALL].bytes};
    }
    if (count > 0)
        qsort(all, count, sizeof(*all), by_name);
    json_t *rows = json_array();
    for (size_t i = 0, n = merge(all, count); i < n; i++) {
        json_t *row = json_array();
        json_append(row, json_string_or_null(all[i].name));
        json_append(row, count_or_null(all[i].objects));
        json_append(row, count_or_null(all[i].bytes));
        json_append(rows, row);
    }
    char *text = json_to_text(rows);
    json_decref(rows);
    return text;
}

/* Boiling finds out what is reachable. */
static bool digest_build(struct record *r, struct hd_snapshot *snap, struct hd_error *err)
{
    if (!hd_snapshot_write(snap, "digest", hd_sink_memory(&r->digest), NULL, err))
        return false;
    r->info = snap->info;
    r->rows = rows_of(snap, &r->scratch);
    return true;
}

/* --- the facts ----------------------------------------------------------------- */

/* The same file is the same snapshot, whatever it is called and wherever it lies. But a
 * table knows no object: two hosts, or two moments, may have equal ones, so of a table run
 * and second count too. What is less than a second is lost where files are copied. */
static bool find_source(struct record *r, const struct hd_snapshot *snap,
                        struct hd_error *err)
{
    uint64_t hash;
    if (!snapshot_checksum(snap, &hash))
        return fail(err, HD_IO, "cannot be read again");
    r->source = r->bytes = arena_printf(&r->scratch, "%016" PRIx64, hash);
    if (snap->info.has_graph || snap->info.has_owners)
        return true;
    const char *all = arena_printf(&r->scratch, "%s %s %.0f", r->bytes,
                                   run_key(&r->run, &r->scratch), floor(r->taken));
    r->source = arena_printf(&r->scratch, "%016" PRIx64, XXH3_64bits(all, strlen(all)));
    return true;
}

static bool find_facts(struct record *r, struct hd_snapshot *snap,
                       const struct hd_recording *how, struct hd_error *err)
{
    struct hd_run run = run_merged(how->run, snap);
    r->run = run_cleaned(&run, &r->scratch);
    r->taken = how->taken > 0 ? how->taken : hd_time_taken(snap);
    r->pause_seconds = how->pause_seconds > 0 ? how->pause_seconds : NAN;
    r->now = floor(clock_seconds(CLOCK_REALTIME));
    if (r->run.service[0] == '\0')
        return fail_about(err, HD_ABOUT_SERVICE, HD_USAGE, "has no service name");
    if (!isfinite(r->taken))
        return fail(err, HD_USAGE, "has no timestamp");
    return find_source(r, snap, err);
}

/* --- the rows ------------------------------------------------------------------ */

/* Tables of earlier versions have the hash of their bytes. */
static bool is_recorded(struct hd_store *s, struct record *r, bool *there,
                        struct hd_error *err)
{
    int64_t id;
    const struct value values[] = {of_text(r->source), of_text(r->bytes),
                                   of_real(floor(r->taken)),
                                   of_text(run_key(&r->run, &r->scratch))};
    return store_ask_number(
        s,
        "SELECT snapshot.id FROM snapshot JOIN series ON series.id = series_id WHERE "
        "xxh3 = $1 OR (xxh3 = $2 AND FLOOR(taken_at) = $3 AND run = $4)",
        values, sizeof(values) / sizeof(*values), &id, there, err);
}

/* Its row is written also if it is there: so nobody removes it meanwhile as one without
 * snapshots. */
static bool add_series(struct hd_store *s, const struct record *r, int64_t *id,
                       struct hd_error *err)
{
    struct arena a = {0};
    bool there;
    const struct hd_run *run = &r->run;
    const struct value values[] = {of_text(run_key(run, &a)),
                                   of_text(run->service),
                                   of_text(run->host),
                                   of_text(run->process),
                                   of_count(run->pid),
                                   of_real(run->started),
                                   of_text(run->build),
                                   of_text(run_labels(run, &a)),
                                   of_text(run_instance(run, &a)),
                                   of_count(run->limit)};
    bool ok = store_ask_number(
        s,
        "INSERT INTO series (run, service, host, process, pid, started_at, build, labels, "
        "instance, memory_limit) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
        "ON CONFLICT (run) DO UPDATE SET "
        "labels = CASE WHEN excluded.labels = '{}' THEN series.labels ELSE excluded.labels "
        "END, "
        "memory_limit = COALESCE(excluded.memory_limit, series.memory_limit) "
        "RETURNING id",
        values, sizeof(values) / sizeof(*values), id, &there, err);
    arena_free(&a);
    return ok;
}

static bool add_snapshot(struct hd_store *s, const struct record *r, int64_t series,
                         int64_t *id, bool *is_new, struct hd_error *err)
{
    const struct value values[] = {of_number(series),
                                   of_real(r->taken),
                                   of_text(r->source),
                                   of_count(r->info.objects),
                                   of_count(r->info.bytes),
                                   of_count(r->info.reachable_bytes),
                                   of_number(r->info.complete),
                                   of_number(r->info.sampled),
                                   of_bytes(r->digest.bytes, r->digest.size),
                                   of_real(r->pause_seconds),
                                   of_real(r->now)};
    return store_ask_number(
        s,
        "INSERT INTO snapshot (series_id, taken_at, xxh3, objects, bytes, reachable_bytes, "
        "complete, sampled, digest, pause_seconds, recorded_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) "
        "ON CONFLICT (xxh3) DO NOTHING RETURNING id",
        values, sizeof(values) / sizeof(*values), id, is_new, err);
}

static bool add_type_rows(struct hd_store *s, const struct record *r, int64_t snapshot,
                          struct hd_error *err)
{
    const struct value values[] = {of_text(r->rows), of_number(snapshot)};
    return types_add(s, r->rows, 0, err) &&
           store_run(s,
                     "INSERT INTO type_row (snapshot_id, type_id, objects, bytes) "
                     "SELECT CAST($2 AS BIGINT), type.id, CAST(value ->> 1 AS BIGINT), "
                     "CAST(value ->> 2 AS BIGINT) FROM {each}($1) AS e JOIN type ON "
                     "type.name = value ->> 0",
                     values, 2, err);
}

static enum ending store_it(struct hd_store *s, void *context, struct hd_error *err)
{
    struct record *r = context;
    int64_t series, id;
    bool is_new = false;
    if (!add_series(s, r, &series, err) || !add_snapshot(s, r, series, &id, &is_new, err))
        return ENDING_FAILED;
    r->was_there = !is_new;
    return is_new ? kept_if(add_type_rows(s, r, id, err)) : ENDING_UNDONE;
}

/* --- all of it ----------------------------------------------------------------- */

/* To look first saves making a digest that nobody needs; whether it still is not there the
 * transaction knows. */
static bool record(struct hd_store *s, struct hd_snapshot *snap, struct record *r,
                   struct hd_error *err)
{
    bool unsure = false;
    if (!schema_look_again(s, err))
        return false;
    if (s->connection != NULL && is_recorded(s, r, &r->was_there, NULL) && r->was_there)
        return true;
    if (!digest_build(r, snap, err) || !store_transact(s, store_it, r, &unsure, err))
        return false;
    r->was_there &= !unsure;
    return true;
}

bool hd_store_record(struct hd_store *s, struct hd_snapshot *snap,
                     const struct hd_recording *theirs, enum hd_recorded *what,
                     struct hd_error *err)
{
    struct record r = {0};
    struct hd_recording how;
    if (!options_copy(&how, sizeof(how), OPTIONS_END(struct hd_recording, pause_seconds),
                      theirs, err))
        return false;
    bool ok = find_facts(&r, snap, &how, err) && record(s, snap, &r, err);
    if (ok && what != NULL)
        *what = r.was_there ? HD_WAS_RECORDED : HD_RECORDED;
    free(r.rows);
    hd_memory_free(&r.digest);
    arena_free(&r.scratch);
    return ok;
}
