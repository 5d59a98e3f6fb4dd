/* Reads series with their snapshots, one after the other, and digests. */
#include "fleet/store/store.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Series per query. */
enum { PAGE = 500 };

struct list_page {
    struct arena arena;
    struct hd_stored_series *all;
    size_t count, next;
};

struct hd_series_list {
    struct hd_store *store;
    struct hd_store_filter filter;
    struct arena names; /* of the filter, as they are stored */
    struct list_page page;
    struct arena arena; /* of the series that was given out */
    bool is_last;       /* page */
    bool was_swept;     /* sweep() */
    uint64_t *left_out; /* ids of series */
    size_t left_out_count, left_out_cap;
    char *skipped;                 /* ids that pages omit, as JSON; may be NULL */
    struct hd_stored_series begin; /* the series after which the next page begins */
};

/* --- the window ------------------------------------------------------ */

/* Further than any clock. */
static const double forever = 1e300;

static struct value since(const struct hd_store_filter *f)
{
    return of_real(isfinite(f->since) ? f->since : -forever);
}

static struct value until(const struct hd_store_filter *f)
{
    return of_real(isfinite(f->until) ? f->until : forever);
}

/* --- what is left out -------------------------------------------------- */

static void leave_out(void *list, int64_t id)
{
    struct hd_series_list *l = list;
    l->left_out =
        grow(l->left_out, l->left_out_count, &l->left_out_cap, sizeof(*l->left_out));
    l->left_out[l->left_out_count++] = (uint64_t)id;
}

/* Adds the series whose values exceed the limits: all, or one by its id. */
static bool find_unfit(struct hd_series_list *l, uint64_t id, struct hd_error *err)
{
    const struct value value = of_count(id);
    bool ok;
    struct rows *rows =
        store_ask(l->store,
                  id > 0 ? "SELECT id FROM series WHERE id = $1 AND " UNFIT(SERIES_FITS)
                         : "SELECT id FROM series WHERE " UNFIT(SERIES_FITS) " ORDER BY id",
                  &value, id > 0, err);
    while (store_next(l->store, rows, &ok, err))
        leave_out(l, store_number(l->store, rows, 0));
    return ok;
}

/* --- a page of series ------------------------------------------------ */

static void read_series(struct hd_store *s, struct rows *rows, struct list_page *p)
{
    struct arena *a = &p->arena;
    struct hd_stored_series *to = &p->all[p->count++];
    const char **names[] = {[1] = &to->run.service,
                            [2] = &to->run.host,
                            [3] = &to->run.process,
                            [6] = &to->run.build};
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i] != NULL)
            *names[i] =
                arena_strdup(a, store_text(s, rows, i), strlen(store_text(s, rows, i)));
    to->id = store_count(s, rows, 0);
    to->run.pid = store_count(s, rows, 4);
    to->run.started = store_real(s, rows, 5);
    to->run.instance = strtoull(store_text(s, rows, 7), NULL, 16);
    to->run.limit = store_count(s, rows, 8);
    run_parse_labels(&to->run, store_text(s, rows, 9), a);
}

/* An id is a series, and a page of many takes longer to make than to ask for one. */
static size_t page_size(const struct hd_series_list *l)
{
    return l->filter.run > 0 ? 1 : PAGE;
}

enum { MAX_VALUES = 14, WANTED_SIZE = 256 };

struct question {
    char wanted[WANTED_SIZE]; /* conditions, each followed by AND */
    struct value values[MAX_VALUES];
    size_t count;
};

/* Append a condition that has a %zu for the number of its value, if it is asked for. */
static void want(struct question *q, bool is_asked, const char *condition,
                 struct value value)
{
    size_t len = strlen(q->wanted);
    if (!is_asked)
        return;
    q->values[q->count++] = value;
    snprintf(q->wanted + len, sizeof(q->wanted) - len, condition, q->count);
}

/* Values are counted in the order in which they are met: first the place in the order, as
 * index series_by_service has it. */
static struct rows *ask_for_page(const struct hd_series_list *l, struct hd_error *err)
{
    char sql[1800];
    const struct hd_store_filter *f = &l->filter;
    const struct hd_run *at = &l->begin.run;
    struct question q = {.values = {of_text(at->service), of_text(at->host),
                                    of_real(isfinite(at->started) ? at->started : 0),
                                    of_number(at->pid != HD_UNKNOWN ? (int64_t)at->pid : 0),
                                    of_number((int64_t)l->begin.id)},
                         .count = 5};
    want(&q, f->service != NULL, "service = $%zu AND ", of_text(f->service));
    want(&q, f->host != NULL, "host = $%zu AND ", of_text(f->host));
    want(&q, f->build != NULL, "build = $%zu AND ", of_text(f->build));
    want(&q, f->run > 0, "id = $%zu AND ", of_count(f->run));
    want(&q, l->skipped != NULL,
         "id NOT IN (SELECT CAST(value ->> 0 AS BIGINT) FROM {each}($%zu) AS e) AND ",
         of_text(l->skipped));
    want(&q, f->shards > 0, "id %% $%zu = ", of_number(f->shards));
    want(&q, f->shards > 0, "$%zu AND ", of_number((int64_t)f->shard - 1));
    q.values[q.count++] = since(f);
    q.values[q.count++] = until(f);
    snprintf(sql, sizeof(sql),
             "SELECT id, service, host, process, {number:pid}, {number:started_at}, build, "
             "instance, {number:memory_limit}, labels FROM series WHERE %s(service, host, "
             "COALESCE(started_at, 0), COALESCE(pid, 0), id) > ($1, $2, $3, $4, $5) "
             "AND " SERIES_FITS
             " AND EXISTS (SELECT 1 FROM snapshot WHERE series_id = series.id AND taken_at "
             ">= $%zu AND taken_at < $%zu) ORDER BY service, host, "
             "COALESCE(started_at, 0), COALESCE(pid, 0), id LIMIT %zu",
             q.wanted, q.count - 1, q.count, page_size(l));
    return store_ask(l->store, sql, q.values, q.count, err);
}

static bool ask_page(struct hd_series_list *l, struct hd_error *err)
{
    struct list_page new = {0};
    bool ok;
    new.all = arena_array(&new.arena, struct hd_stored_series, page_size(l));
    struct rows *rows = ask_for_page(l, err);
    while (store_next(l->store, rows, &ok, err))
        read_series(l->store, rows, &new);
    arena_free(&l->page.arena);
    l->page = new;
    l->is_last = new.count < page_size(l);
    if (ok && new.count > 0)
        l->begin = new.all[new.count - 1];
    return ok;
}

/* Whether a series can be looked at: false where the database refuses to load a value. */
static bool can_be_read(void *list, int64_t id, struct hd_error *err)
{
    struct hd_series_list *l = list;
    struct hd_series_list one = {.store = l->store, .filter = l->filter, .begin = l->begin};
    size_t before = l->left_out_count;
    one.filter.run = (uint64_t)id;
    bool ok = find_unfit(l, one.filter.run, err) &&
              (l->left_out_count > before || ask_page(&one, err));
    arena_free(&one.page.arena);
    return ok;
}

/* Queries each series separately, to skip those that would abort a query for all; also for
 * later pages. */
static bool sweep(struct hd_series_list *l, struct hd_error *err)
{
    const struct sweep each = {can_be_read, leave_out, l};
    l->was_swept = true;
    l->left_out_count = 0;
    if (!store_sweep(
            l->store,
            "SELECT id FROM series WHERE id > $1 ORDER BY id LIMIT " BOUND(SWEEP_PAGE),
            &each, err))
        return false;
    json_t *ids = json_array();
    for (size_t i = 0; i < l->left_out_count; i++)
        json_append(ids, json_pack("[I]", (json_int_t)l->left_out[i]));
    free(l->skipped);
    l->skipped = json_to_text(ids);
    json_decref(ids);
    return true;
}

/* After a failure: another try pays if a value was too large for the database to load. */
static bool sweep_after(struct hd_series_list *l, const struct hd_error *why,
                        struct hd_error *err)
{
    return why->status == HD_TOO_BIG && !l->was_swept
               ? sweep(l, err)
               : fail(err, why->status, "%s", why->message);
}

/* --- its snapshots --------------------------------------------------- */

static bool read_snapshots(struct hd_series_list *l, struct hd_stored_series *series,
                           struct hd_error *err)
{
    struct hd_store *s = l->store;
    struct hd_stored_snapshot *all = NULL;
    size_t len = 0, cap = 0;
    bool ok;
    struct rows *rows = store_ask(
        s,
        "SELECT id, taken_at, {number:objects}, {number:bytes}, {number:reachable_bytes}, "
        "{number:complete}, {number:sampled}, {number:pause_seconds} FROM snapshot WHERE "
        "series_id = $1 AND taken_at >= $2 AND taken_at < $3 ORDER BY taken_at, id "
        "LIMIT " BOUND(MAX_SNAPSHOTS),
        VALUES(of_count(series->id), since(&l->filter), until(&l->filter)), err);
    while (store_next(s, rows, &ok, err)) {
        all = grow(all, len, &cap, sizeof(*all));
        all[len++] = (struct hd_stored_snapshot){.id = store_count(s, rows, 0),
                                                 .taken = store_real(s, rows, 1),
                                                 .objects = store_count(s, rows, 2),
                                                 .bytes = store_count(s, rows, 3),
                                                 .reachable_bytes = store_count(s, rows, 4),
                                                 .complete = store_number(s, rows, 5) != 0,
                                                 .sampled = store_number(s, rows, 6) != 0,
                                                 .pause_seconds = store_real(s, rows, 7)};
    }
    struct hd_stored_snapshot *kept =
        arena_array(&l->arena, struct hd_stored_snapshot, len + 1);
    if (len > 0)
        memcpy(kept, all, len * sizeof(*all));
    free(all);
    series->snapshots = kept;
    series->snapshot_count = len;
    return ok;
}

/* --- the list -------------------------------------------------------- */

struct hd_series_list *hd_store_series(struct hd_store *s,
                                       const struct hd_store_filter *filter,
                                       struct hd_error *err)
{
    struct hd_store_filter f = hd_store_everything();
    if (filter != NULL &&
        !options_copy(&f, sizeof(f), OPTIONS_END(struct hd_store_filter, shards), filter,
                      err))
        return NULL;
    if ((f.shard == 0) != (f.shards == 0) || f.shard > f.shards) {
        fail(err, HD_USAGE, "no such part: %u of %u", f.shard, f.shards);
        return NULL;
    }
    if (s->is_listing) {
        fail(err, HD_USAGE, "a list of this store is open");
        return NULL;
    }
    if (!store_run(s, s->kind->begin_read, NO_VALUES, err))
        return NULL;
    if (!schema_look_again(s, err)) {
        store_run(s, "COMMIT", NO_VALUES, NULL);
        return NULL;
    }
    struct hd_series_list *l = alloc_zeroed(sizeof(*l));
    *l = (struct hd_series_list){.store = s, .filter = f};
    const char **names[] = {&l->filter.service, &l->filter.host, &l->filter.build};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (*names[i] != NULL)
            *names[i] = store_clean(&l->names, *names[i]);
    l->begin.run = hd_unknown_run();
    l->begin.run.service = l->begin.run.host = "";
    l->begin.run.started = -forever;
    s->is_listing = true;
    /* Omitted series are known from the start, unless that needs a sweep(). */
    struct hd_error why = {0};
    if (find_unfit(l, l->filter.run, &why) || sweep_after(l, &why, err))
        return l;
    hd_series_list_free(l);
    return NULL;
}

bool hd_series_next(struct hd_series_list *l, const struct hd_stored_series **series,
                    struct hd_error *err)
{
    struct list_page *p = &l->page;
    *series = NULL;
    for (;;) {
        struct hd_error of_page = {0}, why = {0};
        if (p->next == p->count && !l->is_last && !ask_page(l, &of_page) &&
            !(sweep_after(l, &of_page, err) && ask_page(l, err)))
            return false;
        if (p->next == p->count)
            return true;
        struct hd_stored_series *s = &p->all[p->next++];
        arena_free(&l->arena);
        l->arena = (struct arena){0};
        if (read_snapshots(l, s, &why)) {
            *series = s;
            return true;
        }
        if (why.status != HD_TOO_BIG)
            return fail(err, why.status, "%s", why.message);
        leave_out(l, (int64_t)s->id);
    }
}

const uint64_t *hd_series_left_out(const struct hd_series_list *l, size_t *count)
{
    *count = l->left_out_count;
    return l->left_out;
}

void hd_series_list_free(struct hd_series_list *l)
{
    if (l == NULL)
        return;
    store_run(l->store, "COMMIT", NO_VALUES, NULL);
    l->store->is_listing = false;
    arena_free(&l->page.arena);
    arena_free(&l->arena);
    arena_free(&l->names);
    free(l->left_out);
    free(l->skipped);
    free(l);
}

/* --- digests --------------------------------------------------------- */

#define BOUNDED_DIGEST(of) \
    "CASE WHEN {bytes_size:" of "digest} <= CAST($2 AS BIGINT) THEN " of "digest END"

/* Reads the column of a BOUNDED_DIGEST; false and err if it is NULL. */
static bool digest_column(struct hd_store *s, struct rows *rows, struct value *to,
                          struct hd_error *err)
{
    *to = s->kind->column(rows, 0, VALUE_BYTES);
    return to->kind != VALUE_NOTHING ||
           fail(err, HD_TOO_BIG, "is no digest of at most %" PRIu64 " bytes",
                store_digest_bound(s));
}

/* Reads the base of a delta, as JSON, into s->read. Copies the file, since uncompressed
 * JSON points into it and the row is freed. */
static bool read_base(struct hd_store *s, int64_t id, const char source[17],
                      struct hd_error *err)
{
    struct value v;
    bool ok;
    if (s->read.in != NULL && strcmp(s->read.source, source) == 0)
        return true;
    input_close(s->read.in);
    hd_memory_free(&s->read.file);
    s->read.in = NULL;
    s->read.file = (struct hd_memory){0};
    struct rows *rows =
        store_ask(s, "SELECT " BOUNDED_DIGEST("") " FROM snapshot WHERE id = $1",
                  VALUES(of_number(id), of_count(store_digest_bound(s))), err);
    if (!store_next(s, rows, &ok, err))
        return ok && fail(err, HD_USAGE,
                          "has no snapshot %" PRId64 "; it may have been thinned out", id);
    if (digest_column(s, rows, &v, err)) {
        s->read.file = digest_copy(v.bytes, v.size);
        s->read.in = digest_open(s->read.file.bytes, s->read.file.size, s->max_memory,
                                 &s->read.json, err);
        memcpy(s->read.source, source, sizeof(s->read.source));
    }
    store_end(s, rows);
    return s->read.in != NULL;
}

/* Reads the digest of a row: a full one unchanged; a delta with its base, as uncompressed
 * JSON, since compressing again takes as long as reading. */
static bool read_digest(struct hd_store *s, struct rows *rows, struct hd_memory *to,
                        struct hd_error *err)
{
    struct value v;
    int64_t base = store_number(s, rows, 1);
    char source[17];
    struct account account = {.limit = s->max_memory};
    if (!digest_column(s, rows, &v, err))
        return false;
    if (base == 0) {
        *to = digest_copy(v.bytes, v.size);
        return true;
    }
    snprintf(source, sizeof(source), "%s", store_text(s, rows, 2));
    if (store_number(s, rows, 3) == 0)
        return fail(err, HD_BAD_FORMAT,
                    "is a delta on snapshot %" PRId64
                    ", which is not a base of the same series",
                    base);
    if (!read_base(s, base, source, err))
        return false;
    account_charge(&account, s->read.json.size);
    return delta_apply((struct bytes){v.bytes, v.size}, s->read.json, &account, to, err);
}

bool hd_store_digest(struct hd_store *s, uint64_t snapshot, struct hd_memory *bytes,
                     struct hd_error *err)
{
    static const char sql[] = "SELECT " BOUNDED_DIGEST(
        "this.") ", {number:this.base_id}, "
                 "CASE WHEN " NAME_FITS(
                     "base.xxh3") " THEN base.xxh3 END, CASE WHEN base.base_id "
                                  "IS NULL AND base.series_id = this.series_id THEN 1 ELSE "
                                  "0 END FROM {snapshot} AS "
                                  "this LEFT JOIN {snapshot} AS base ON base.id = "
                                  "this.base_id WHERE this.id = $1";
    bool ok;
    if (!s->is_listing && !schema_look_again(s, err))
        return false;
    struct rows *rows =
        store_ask(s, sql, VALUES(of_count(snapshot), of_count(store_digest_bound(s))), err);
    if (!store_next(s, rows, &ok, err))
        return ok &&
               fail(err, HD_USAGE,
                    "has no snapshot %" PRIu64 "; it may have been thinned out", snapshot);
    ok = read_digest(s, rows, bytes, err);
    store_end(s, rows);
    return ok;
}
