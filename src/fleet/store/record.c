/* Stores a snapshot: its run, its digest and rows of types, or their differences from a
 * base. */
#include "fleet/store/store.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/out.h"
#include "format/open.h"
#include "heap/digest.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- findings ------------------------------------------------------------------ */

/* Findings of a series, from a fleet. */
struct record_findings {
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
        json_append(rows, json_pack("[I,o,o,o,o,o,o,o]", (json_int_t)f->rank,
                                    json_string_or_null(store_clean(&a, f->type)),
                                    json_string_or_null(store_clean(&a, f->title)),
                                    json_real_or_null(f->score),
                                    json_real_or_null(f->score_share),
                                    json_real_or_null(f->per_hour),
                                    json_string_or_null(store_clean(&a, f->confidence)),
                                    json_string_or_null(store_clean(&a, f->holder))));
    }
    char *text = json_to_text(rows);
    json_decref(rows);
    arena_free(&a);
    return text;
}

static enum ending save(struct hd_store *s, void *context, struct hd_error *err)
{
    const struct record_findings *f = context;
    const struct value series = of_count(f->series);
    int64_t id;
    bool there;
    if (!store_ask_number(s, "SELECT id FROM series WHERE id = $1 {lock}", VALUES(series),
                          &id, &there, err))
        return ENDING_FAILED;
    if (!there)
        return kept_if(
            fail(err, HD_USAGE, "has no such series; it may have been thinned out"));
    return kept_if(
        store_run(s, "DELETE FROM finding WHERE series_id = $1", VALUES(series), err) &&
        types_add(s, f->rows, 1, err) &&
        store_run(s,
                  "INSERT INTO finding (series_id, window_first, window_last, rank, "
                  "type_id, subject, score, score_share, per_hour, confidence, holder) "
                  "SELECT CAST($2 AS BIGINT), CAST($3 AS DOUBLE PRECISION), CAST($4 AS "
                  "DOUBLE PRECISION), CAST(value ->> 0 AS INTEGER), type.id, value ->> 2, "
                  "CAST(value ->> 3 AS DOUBLE PRECISION), CAST(value ->> 4 AS DOUBLE "
                  "PRECISION), CAST(value ->> 5 AS DOUBLE PRECISION), value ->> 6, "
                  "value ->> 7 FROM {each}($1) AS e JOIN type ON type.name = value ->> 1",
                  VALUES(of_text(f->rows), series, of_real(f->first), of_real(f->last)),
                  err));
}

bool hd_store_save_findings(struct hd_store *s, uint64_t series, double first, double last,
                            const struct hd_stored_finding *all, size_t count,
                            struct hd_error *err)
{
    struct record_findings f = {series, first, last, rows_of_finding(all, count)};
    bool ok = store_transact(s, save, &f, NULL, err);
    free(f.rows);
    return ok;
}

/* --- rows of types ----------------------------------------------------------- */

static int rows_by_name(const void *x, const void *y)
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

struct type_sums type_sums_of(const struct hd_snapshot *snap, struct arena *a)
{
    struct type_sum *all = arena_array(a, struct type_sum, (size_t)snap->type_count + 1);
    size_t count = 0, kept = 0;
    for (uint32_t i = 0; i < snap->type_count; i++) {
        const struct type *t = &snap->types[i];
        if (type_has_row(t))
            all[count++] =
                (struct type_sum){store_clean(a, t->name), t->tally[SELECT_ALL].count,
                                  t->tally[SELECT_ALL].bytes};
    }
    if (count > 0)
        qsort(all, count, sizeof(*all), rows_by_name);
    /* Names that are one when they are stored become one row. */
    for (size_t i = 0; i < count; i++) {
        struct type_sum *last = kept > 0 ? &all[kept - 1] : NULL;
        if (last != NULL && strcmp(last->name, all[i].name) == 0) {
            last->objects = sum(last->objects, all[i].objects);
            last->bytes = sum(last->bytes, all[i].bytes);
        } else {
            all[kept++] = all[i];
        }
    }
    return (struct type_sums){all, kept};
}

void type_sums_compare(const struct type_sums *now, const struct type_sums *base,
                       struct type_sums *changed, struct type_sums *new, struct arena *a)
{
    size_t i = 0, k = 0;
    *changed = (struct type_sums){
        arena_array(a, struct type_sum, now->count + base->count + 1), 0};
    *new = (struct type_sums){arena_array(a, struct type_sum, now->count + 1), 0};
    while (i < now->count || k < base->count) {
        const struct type_sum *x = i < now->count ? &now->all[i] : NULL;
        const struct type_sum *y = k < base->count ? &base->all[k] : NULL;
        int order = x == NULL ? 1 : y == NULL ? -1 : rows_by_name(x, y);
        if (order > 0)
            changed->all[changed->count++] = (struct type_sum){.name = y->name};
        else if (order < 0 || x->objects != y->objects || x->bytes != y->bytes)
            changed->all[changed->count++] = *x;
        if (order < 0)
            new->all[new->count++] = (struct type_sum){.name = x->name};
        i += order <= 0;
        k += order >= 0;
    }
}

static json_t *count_or_null(uint64_t n)
{
    struct value v = of_count(n);
    return v.kind == VALUE_NOTHING ? json_null() : json_integer(v.number);
}

char *type_sums_rows(const struct type_sums *sums)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < sums->count; i++)
        json_append(rows, json_pack("[o,o,o]", json_string_or_null(sums->all[i].name),
                                    count_or_null(sums->all[i].objects),
                                    count_or_null(sums->all[i].bytes)));
    char *text = json_to_text(rows);
    json_decref(rows);
    return text;
}

/* --- recording ----------------------------------------------------------------- */

struct record {
    struct arena scratch;
    struct hd_run run;  /* cleaned */
    const char *source; /* 16 digits: the snapshot, once and for all */
    const char *bytes;  /* the same of its bytes */
    double taken, pause_seconds;
    struct hd_memory json, digest; /* the same as a file; perhaps not made yet */
    struct hd_info info;
    struct type_sums sums;
    bool was_there;

    /* For a delta: the differences from the base, changed rows, and rows of new types.
     * Empty: a full snapshot. */
    struct hd_memory delta;
    char *changed, *new;
    int64_t base;
    char base_source[SOURCE_DIGITS + 1];
    int64_t stored; /* its id; 0: unknown */
    bool is_whole;  /* as it was stored */
};

/* --- boiling it down ----------------------------------------------------------- */

static struct bytes bytes_of(const struct hd_memory *m)
{
    return (struct bytes){(const unsigned char *)m->bytes, m->size};
}

/* Returns the full digest as a file, for snapshots that may not become a delta. */
static const struct hd_memory *whole_of(struct record *r)
{
    struct out o = {.to = hd_sink_memory(&r->digest)};
    if (r->digest.size == 0 &&
        !delta_make(bytes_of(&r->json), (struct bytes){0}, &r->digest))
        pack_zstd(r->json.bytes, r->json.size, DIGEST_LEVEL, &o);
    out_finish(&o, NULL);
    return &r->digest;
}

/* Builds the delta to a base if it is smaller than the full digest. False if the base,
 * which another writer may have stored, cannot be read. */
static bool build_on(struct record *r, const struct base *base, uint64_t limit)
{
    enum { LESS_THAN_ANY = 12 };
    const struct hd_read_options how = {
        .size = sizeof(how), .tables_only = true, .max_memory = limit};
    struct bytes json;
    struct input *in =
        digest_open(base->digest.bytes, base->digest.size, limit, &json, NULL);
    struct hd_snapshot *snap =
        in != NULL ? hd_snapshot_from_memory(json.data, json.size, &how, NULL) : NULL;
    bool ok = snap != NULL && delta_make(bytes_of(&r->json), json, &r->delta);
    /* By itself a digest packs to a sixth to a tenth: to find out is not worth it where
     * there is less. */
    ok = ok && (r->delta.size < r->json.size / LESS_THAN_ANY ||
                r->delta.size < whole_of(r)->size);
    if (ok) {
        struct type_sums of = type_sums_of(snap, &r->scratch), changed, new;
        type_sums_compare(&r->sums, &of, &changed, &new, &r->scratch);
        r->changed = type_sums_rows(&changed);
        r->new = type_sums_rows(&new);
        r->base = base->id;
        memcpy(r->base_source, base->source, sizeof(r->base_source));
    }
    hd_snapshot_close(snap);
    input_close(in);
    return ok;
}

/* Boiling finds out what is reachable. */
static bool digest_build(struct hd_store *s, struct record *r, struct hd_snapshot *snap,
                         struct hd_error *err)
{
    snap->writes_plain = true;
    bool ok = hd_snapshot_write(snap, "digest", hd_sink_memory(&r->json), NULL, err);
    snap->writes_plain = false;
    if (!ok)
        return false;
    r->info = snap->info;
    r->sums = type_sums_of(snap, &r->scratch);
    const struct base *base = base_find(s, run_key(&r->run, &r->scratch), r->taken);
    if (base == NULL || !build_on(r, base, s->max_memory))
        hd_memory_free(&r->delta);
    return true;
}

/* --- the facts ----------------------------------------------------------------- */

static bool find_facts(struct record *r, struct hd_snapshot *snap,
                       const struct hd_recording *how, struct hd_error *err)
{
    uint64_t hash;
    r->run = run_stored(how->run, snap, &r->scratch);
    r->taken = how->taken > 0 ? how->taken : hd_time_taken(snap);
    r->pause_seconds = how->pause_seconds > 0 ? how->pause_seconds : NAN;
    if (r->run.service[0] == '\0')
        return fail_about(err, HD_ABOUT_SERVICE, HD_USAGE, "has no service name");
    if (!isfinite(r->taken))
        return fail(err, HD_USAGE, "has no timestamp");
    /* The same file is the same snapshot, whatever its name or folder. But a table has no
     * objects: two hosts, or two moments, may have equal ones, so for a table run and
     * second are part of the identity. Copying files loses fractions of a second. */
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

/* --- the rows ------------------------------------------------------------------ */

#define INSERT_SERIES(column, value, change)                                             \
    "INSERT INTO series (run, service, host, process, pid, started_at, build, labels, "  \
    "instance, memory_limit" column                                                      \
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10" value                            \
    ") ON CONFLICT (run) DO UPDATE SET "                                                 \
    "labels = CASE WHEN excluded.labels = '{}' THEN series.labels ELSE excluded.labels " \
    "END, "                                                                              \
    "memory_limit = COALESCE(excluded.memory_limit, series.memory_limit)" change         \
    " RETURNING id"

/* A series without owner becomes that of its next writer. */
#define OWNED \
    ", owner = CASE WHEN series.owner = '' THEN excluded.owner ELSE series.owner END"

/* Writes the row even if it exists: this prevents its concurrent removal as an empty
 * series. */
static bool add_series(struct hd_store *s, const struct record *r, int64_t *id,
                       struct hd_error *err)
{
    struct arena a = {0};
    const struct hd_run *run = &r->run;
    bool ok = store_ask_number(
        s,
        s->version >= 4 ? INSERT_SERIES(", owner", ", {owner}", OWNED)
                        : INSERT_SERIES("", "", ""),
        VALUES(of_text(run_key(run, &a)), of_text(run->service), of_text(run->host),
               of_text(run->process), of_count(run->pid), of_real(run->started),
               of_text(run->build), of_text(run_labels(run, &a)),
               of_text(run_instance(run, &a)), of_count(run->limit)),
        id, NULL, err);
    arena_free(&a);
    return ok;
}

#define INSERT_SNAPSHOT(column, value)                                                   \
    "INSERT INTO snapshot (series_id, taken_at, xxh3, objects, bytes, reachable_bytes, " \
    "complete, sampled, digest, pause_seconds, recorded_at" column                       \
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, {now}" value                     \
    ") ON CONFLICT (xxh3) DO NOTHING RETURNING id"

static bool add_snapshot(struct hd_store *s, struct record *r, int64_t series, int64_t *id,
                         bool *is_new, struct hd_error *err)
{
    const struct hd_memory *digest = r->is_whole ? whole_of(r) : &r->delta;
    if (digest->size > MAX_DIGEST)
        return fail(err, HD_TOO_BIG,
                    "its digest of %zu bytes exceeds the limit of the store", digest->size);
    const struct value values[] = {of_number(series),
                                   of_real(r->taken),
                                   of_text(r->source),
                                   of_count(r->info.objects),
                                   of_count(r->info.bytes),
                                   of_count(r->info.reachable_bytes),
                                   of_number(r->info.complete),
                                   of_number(r->info.sampled),
                                   of_bytes(digest->bytes, digest->size),
                                   of_real(r->pause_seconds),
                                   of_count(r->is_whole ? HD_UNKNOWN : (uint64_t)r->base)};
    /* In a store of version 2 every snapshot is full. */
    bool knows_bases = s->version > 2;
    return store_ask_number(
        s, knows_bases ? INSERT_SNAPSHOT(", base_id", ", $11") : INSERT_SNAPSHOT("", ""),
        values, sizeof(values) / sizeof(*values) - !knows_bases, id, is_new, err);
}

/* Existing rows are not changed. */
static bool add_type_rows(struct hd_store *s, int64_t snapshot, const char *rows,
                          struct hd_error *err)
{
    return types_add(s, rows, 0, err) &&
           store_run(s,
                     "INSERT INTO type_row (snapshot_id, type_id, objects, bytes) "
                     "SELECT CAST($2 AS BIGINT), type.id, CAST(value ->> 1 AS BIGINT), "
                     "CAST(value ->> 2 AS BIGINT) FROM {each}($1) AS e JOIN type ON "
                     "type.name = value ->> 0 WHERE true ON CONFLICT DO NOTHING",
                     VALUES(of_text(rows), of_number(snapshot)), err);
}

static enum ending store_it(struct hd_store *s, void *context, struct hd_error *err)
{
    struct record *r = context;
    int64_t series, id;
    bool has_base = false, is_new = false;
    r->stored = 0;
    if (!add_series(s, r, &series, err))
        return ENDING_FAILED;
    /* Is the base still there? Its series is ours until the end, so it stays then. */
    if (r->delta.size > 0 &&
        !store_ask_number(
            s, "SELECT id FROM snapshot WHERE id = $1 AND xxh3 = $2 AND series_id = $3",
            VALUES(of_number(r->base), of_text(r->base_source), of_number(series)), &id,
            &has_base, err))
        return ENDING_FAILED;
    r->is_whole = !has_base;
    if (!add_snapshot(s, r, series, &r->stored, &is_new, err))
        return ENDING_FAILED;
    r->was_there = !is_new;
    if (!is_new)
        return ENDING_UNDONE;
    if (has_base)
        return kept_if(add_type_rows(s, r->base, r->new, err) &&
                       add_type_rows(s, r->stored, r->changed, err));
    char *rows = type_sums_rows(&r->sums);
    bool ok = add_type_rows(s, r->stored, rows, err);
    free(rows);
    return kept_if(ok);
}

/* --- complete snapshot ----------------------------------------------------------- */

static bool record(struct hd_store *s, struct hd_snapshot *snap, struct record *r,
                   struct hd_error *err)
{
    /* Tables of earlier versions have the hash of their bytes. */
    static const char recorded[] =
        "SELECT snapshot.id FROM snapshot JOIN series ON series.id = series_id WHERE "
        "xxh3 = $1 OR (xxh3 = $2 AND FLOOR(taken_at) = $3 AND run = $4)";
    const char *run = run_key(&r->run, &r->scratch);
    bool unsure = false;
    int64_t id;
    if (!schema_look_again(s, err))
        return false;
    /* Checking first saves the computation of a digest; the transaction checks again. */
    if (s->connection != NULL &&
        store_ask_number(s, recorded,
                         VALUES(of_text(r->source), of_text(r->bytes),
                                of_real(floor(r->taken)), of_text(run)),
                         &id, &r->was_there, NULL) &&
        r->was_there)
        return true;
    if (!digest_build(s, r, snap, err) || !store_transact(s, store_it, r, &unsure, err))
        return false;
    if (r->is_whole && (!r->was_there || unsure))
        base_keep(s, run, r->stored, r->source, r->taken, &r->digest);
    else if (!r->was_there)
        base_spend(s, run, r->delta.size);
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
    free(r.changed);
    free(r.new);
    hd_memory_free(&r.json);
    hd_memory_free(&r.digest);
    hd_memory_free(&r.delta);
    arena_free(&r.scratch);
    return ok;
}
