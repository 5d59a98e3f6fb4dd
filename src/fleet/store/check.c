/* Verifies a store: rules that a database cannot check and, for a file, its integrity.
 * Never repairs. */
#include "fleet/store/store.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* So many digests are read unless all are. */
enum { SAMPLE = 100 };

/* Maximum of messages per kind of damage. */
enum { MAX_REPORTED = 20 };

struct store_checker {
    struct hd_store *store;
    struct hd_store_check *found;
    size_t cap;
    uint64_t bad_digests, unfit;
    const struct sized *sized; /* table whose rows are checked */
};

static void check_add(struct store_checker *c, const char *code, bool is_warning,
                      uint64_t count, const char *message)
{
    struct hd_store_check *f = c->found;
    size_t size = strlen(message) + 1;
    f->problems = grow(f->problems, f->problem_count, &c->cap, sizeof(*f->problems));
    f->problems[f->problem_count++] = (struct hd_store_problem){
        .code = code,
        .is_warning = is_warning,
        .count = count,
        .message = memcpy(alloc_resize(NULL, size), message, size)};
}

/* Adds a line per problem up to a maximum; the last line counts the rest. */
static void add_up_to(struct store_checker *c, const char *code, uint64_t *reported,
                      const char *line, const char *more)
{
    if ((*reported)++ < MAX_REPORTED)
        check_add(c, code, false, 1, line);
    else if (*reported == MAX_REPORTED + 1)
        check_add(c, code, false, 1, more);
    else
        c->found->problems[c->found->problem_count - 1].count++;
}

/* --- rows -------------------------------------------------------------------------- */

/* A query for the number of damaged rows. */
struct check_rule {
    const char *code;
    bool is_warning;
    int64_t version; /* first version of the tables that it applies to */
    const char *sql, *one, *several;
};

#define LACKS(table, key, other)                                            \
    "SELECT COUNT(*) FROM " table " WHERE NOT EXISTS (SELECT 1 FROM " other \
    " WHERE " other ".id = " table "." key ")"

static const struct check_rule rules[] = {
    {"foreign-key", false, 0, LACKS("snapshot", "series_id", "series"),
     "snapshot has no series", "snapshots have no series"},
    {"foreign-key", false, 0, LACKS("type_row", "snapshot_id", "snapshot"),
     "row of types has no snapshot", "rows of types have no snapshot"},
    {"foreign-key", false, 0, LACKS("type_row", "type_id", "type"),
     "row of types has no type", "rows of types have no type"},
    {"foreign-key", false, 0, LACKS("finding", "series_id", "series"),
     "finding has no series", "findings have no series"},
    {"foreign-key", false, 0, LACKS("finding", "type_id", "type"), "finding has no type",
     "findings have no type"},
    {"base", false, 3,
     "SELECT COUNT(*) FROM snapshot AS this LEFT JOIN snapshot AS base ON base.id = "
     "this.base_id WHERE this.base_id IS NOT NULL AND (base.id IS NULL OR base.base_id IS "
     "NOT NULL OR base.series_id <> this.series_id)",
     "snapshot is a delta whose base is missing",
     "snapshots are deltas whose base is missing"},
    {"empty-series", true, 0,
     "SELECT COUNT(*) FROM series WHERE NOT EXISTS (SELECT 1 FROM snapshot WHERE series_id "
     "= series.id)",
     "series has no snapshot; thinning removes it",
     "series have no snapshot; thinning removes them"},
    {"clock", true, 0,
     "SELECT COUNT(*) FROM snapshot WHERE recorded_at > 0 AND taken_at > recorded_at + "
     "3600",
     "snapshot was taken an hour or more after it was recorded: a clock was wrong",
     "snapshots were taken an hour or more after they were recorded: a clock was wrong"},
    {"clock", true, 0,
     "SELECT COUNT(*) FROM snapshot JOIN series ON series.id = series_id WHERE taken_at < "
     "started_at - 3600",
     "snapshot was taken an hour or more before its process began: a clock was wrong",
     "snapshots were taken an hour or more before their process began: a clock was wrong"},
    {"clock", true, 0, "SELECT COUNT(*) FROM snapshot WHERE recorded_at > {now} + 3600",
     "snapshot was recorded in the future: a clock was, or is, wrong",
     "snapshots were recorded in the future: a clock was, or is, wrong"},
};

/* A question that would load a value that is too large is not answered; the row is named by
 * check_sizes(). False: another failure. */
static bool is_unanswered(struct store_checker *c, const char *what,
                          const struct hd_error *why, struct hd_error *err)
{
    char line[256];
    if (why->status != HD_TOO_BIG)
        return fail(err, why->status, "%s", why->message);
    snprintf(line, sizeof(line), "the rule %s cannot be checked: a value is too large",
             what);
    check_add(c, "too-large", false, 1, line);
    return true;
}

static bool check_rows(struct store_checker *c, struct hd_error *err)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
        const struct check_rule *r = &rules[i];
        struct hd_error why = {0};
        int64_t count = 0;
        if (c->store->version < r->version)
            continue;
        if (!store_ask_number(c->store, r->sql, NO_VALUES, &count, NULL, &why) &&
            !is_unanswered(c, r->code, &why, err))
            return false;
        if (count > 0)
            check_add(c, r->code, r->is_warning, (uint64_t)count,
                      count == 1 ? r->one : r->several);
    }
    return true;
}

static bool count_rows(struct store_checker *c, struct hd_error *err)
{
    struct hd_store_check *f = c->found;
    const struct {
        const char *sql;
        uint64_t *count;
    } all[] = {{"SELECT COUNT(*) FROM series", &f->series},
               {"SELECT COUNT(*) FROM snapshot", &f->snapshots},
               {"SELECT COUNT(*) FROM type", &f->types},
               {"SELECT COUNT(*) FROM type_row", &f->type_rows},
               {"SELECT COUNT(*) FROM finding", &f->findings},
               {"SELECT SUM({bytes_size:digest}) FROM snapshot", &f->digest_bytes}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        int64_t count;
        if (!store_ask_number(c->store, all[i].sql, NO_VALUES, &count, NULL, err))
            return false;
        *all[i].count = (uint64_t)count;
    }
    return true;
}

/* --- sizes ------------------------------------------------------------------------- */

static const struct sized {
    const char *what;     /* a row that has an id */
    const char *ids;      /* asks for the next ones */
    const char *unfit;    /* query for rows with values over the limits */
    const char *is_unfit; /* the same for one row */
} sized[] = {
#define SIZED(what, table, id, fits)                                                    \
    {                                                                                   \
        what,                                                                           \
            "SELECT DISTINCT " id " FROM " table " WHERE " id " > $1 ORDER BY " id      \
            " LIMIT " BOUND(SWEEP_PAGE),                                                \
            "SELECT DISTINCT " id " FROM " table " WHERE " UNFIT(fits) " ORDER BY " id, \
            "SELECT " id " FROM " table " WHERE " id " = $1 AND " UNFIT(fits)           \
    }
    SIZED("series", "series", "id", SERIES_FITS),
    SIZED("snapshot", "snapshot", "id", SNAPSHOT_FITS),
    SIZED("type", "type", "id", TYPE_FITS),
    SIZED("a finding of series", "finding", "series_id", FINDING_FITS)};

static void add_unfit(void *context, int64_t id)
{
    struct store_checker *c = context;
    char line[128];
    snprintf(line, sizeof(line),
             "the row of %s %" PRId64
             " has a value longer than any recorded one, and is left out",
             c->sized->what, id);
    add_up_to(c, "too-large", &c->unfit, line, "more rows have a value that is too long");
}

static bool add_rows(struct store_checker *c, const char *sql, const struct value *id,
                     struct hd_error *err)
{
    bool ok;
    struct rows *rows = store_ask(c->store, sql, id, id != NULL, err);
    while (store_next(c->store, rows, &ok, err))
        add_unfit(c, store_number(c->store, rows, 0));
    return ok;
}

static bool look_at_row(void *context, int64_t id, struct hd_error *why)
{
    struct store_checker *c = context;
    const struct value value = of_number(id);
    return add_rows(c, c->sized->is_unfit, &value, why);
}

static bool check_sizes(struct store_checker *c, struct hd_error *err)
{
    const struct sweep rows = {look_at_row, add_unfit, c};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof(sized) / sizeof(*sized); i++) {
        struct hd_error why = {0};
        size_t before = c->found->problem_count;
        uint64_t unfit = c->unfit;
        c->sized = &sized[i];
        if (add_rows(c, sized[i].unfit, NULL, &why))
            continue;
        if (why.status != HD_TOO_BIG)
            return fail(err, why.status, "%s", why.message);
        while (c->found->problem_count > before)
            free(c->found->problems[--c->found->problem_count].message);
        c->unfit = unfit;
        ok = store_sweep(c->store, sized[i].ids, &rows, err);
    }
    return ok;
}

/* --- the file ---------------------------------------------------------------------- */

static bool check_file(struct store_checker *c, struct hd_error *err)
{
    bool ok;
    struct hd_error why = {0};
    if (c->store->kind->verify == NULL)
        return true;
    struct rows *rows = store_ask(c->store, c->store->kind->verify, NO_VALUES, err);
    while (store_next(c->store, rows, &ok, &why))
        check_add(c, "integrity", false, 1, store_text(c->store, rows, 0));
    return ok || (rows != NULL && is_unanswered(c, "integrity", &why, err));
}

/* --- digests ----------------------------------------------------------------------- */

struct check_row {
    uint64_t id, objects, bytes;
    char source[17];
};

/* Chooses the snapshots whose digests are read. Returns their ids, malloc'd; NULL and err
 * on failure. */
static int64_t *choose_rows(struct store_checker *c, bool all, size_t *count,
                            struct hd_error *err)
{
    const int64_t each = all ? 1 : (int64_t)(c->found->snapshots / SAMPLE) + 1;
    int64_t *list = alloc_zeroed(sizeof(*list));
    size_t cap = 1;
    bool ok;
    struct rows *rows = store_ask(c->store,
                                  "SELECT id FROM snapshot WHERE id % CAST($1 AS BIGINT) = "
                                  "0 ORDER BY {number:series_id}, id",
                                  VALUES(of_number(each)), err);
    for (*count = 0; store_next(c->store, rows, &ok, err);) {
        list = grow(list, *count, &cap, sizeof(*list));
        list[(*count)++] = store_number(c->store, rows, 0);
    }
    if (ok)
        return list;
    free(list);
    return NULL;
}

static bool read_row(struct store_checker *c, int64_t id, struct check_row *row,
                     struct hd_error *err)
{
    bool ok;
    struct rows *rows =
        store_ask(c->store,
                  "SELECT {number:objects}, {number:bytes}, CASE WHEN " NAME_FITS(
                      "xxh3") " THEN xxh3 END FROM snapshot WHERE id = $1",
                  VALUES(of_number(id)), err);
    while (store_next(c->store, rows, &ok, err)) {
        *row = (struct check_row){.id = (uint64_t)id,
                                  .objects = store_count(c->store, rows, 0),
                                  .bytes = store_count(c->store, rows, 1)};
        snprintf(row->source, sizeof(row->source), "%s", store_text(c->store, rows, 2));
    }
    return ok;
}

/* False only if the database fails. */
static bool check_digest(struct store_checker *c, const struct check_row *row,
                         uint64_t max_memory, struct hd_error *err)
{
    const struct hd_read_options how = {.size = sizeof(how), .max_memory = max_memory};
    struct hd_memory bytes = {0};
    struct hd_error why = {0};
    struct hd_snapshot *snap = NULL;
    char source[17], line[512];
    bool ok = hd_store_digest(c->store, row->id, &bytes, &why);
    if (ok && bytes.bytes != NULL)
        snap = hd_snapshot_from_memory(bytes.bytes, bytes.size, &how, &why);
    else if (ok)
        fail(&why, HD_BAD_FORMAT, "is empty");
    c->found->digests_read++;
    if (snap != NULL) {
        /* For a table of types, source also depends on run and time. */
        const struct hd_info *info = hd_snapshot_info(snap);
        snprintf(source, sizeof(source), "%016" PRIx64, info->source_xxh3);
        if (info->objects != row->objects || info->bytes != row->bytes ||
            (info->has_owners && strcmp(source, row->source) != 0))
            fail(&why, HD_BAD_FORMAT, "it is of another snapshot");
    }
    hd_snapshot_close(snap);
    hd_memory_free(&bytes);
    if (snap == NULL && (why.status == HD_IO || why.status == HD_TIMED_OUT))
        return fail(err, why.status, "%s", why.message);
    if (why.status != HD_OK) {
        snprintf(line, sizeof(line),
                 "the digest of snapshot %" PRIu64 " cannot be used: %s", row->id,
                 why.message);
        add_up_to(c, "digest", &c->bad_digests, line, "more digests cannot be used");
    }
    return true;
}

static bool check_digests(struct store_checker *c, const struct hd_store_checking *how,
                          struct hd_error *err)
{
    size_t count;
    int64_t *ids = choose_rows(c, how->all, &count, err);
    bool ok = ids != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        struct hd_error why = {0};
        struct check_row row = {0};
        if (read_row(c, ids[i], &row, &why))
            ok = check_digest(c, &row, how->max_memory, err);
        else if (why.status != HD_TOO_BIG) /* else check_sizes() has named it */
            ok = fail(err, why.status, "%s", why.message);
    }
    free(ids);
    return ok;
}

/* --- complete check
 * -------------------------------------------------------------------- */

struct hd_store_check *hd_store_check(struct hd_store *s,
                                      const struct hd_store_checking *theirs,
                                      struct hd_error *err)
{
    struct hd_error own = {0};
    struct hd_store_checking how;
    struct hd_error *why = err != NULL ? err : &own;
    struct store_checker c = {.store = s, .found = alloc_zeroed(sizeof(*c.found))};
    bool ok =
        options_copy(&how, sizeof(how), OPTIONS_END(struct hd_store_checking, max_memory),
                     theirs, why) &&
        store_run(s, s->kind->begin_read, NO_VALUES, why) && schema_look_again(s, why) &&
        check_file(&c, why) && count_rows(&c, why) && check_sizes(&c, why) &&
        check_rows(&c, why) && check_digests(&c, &how, why);
    if (s->connection != NULL)
        store_run(s, "COMMIT", NO_VALUES, NULL);
    /* The last error of a damaged file. */
    if (!ok && why->status == HD_BAD_FORMAT) {
        check_add(&c, "integrity", false, 1, why->message);
        ok = true;
    }
    if (ok)
        return c.found;
    hd_store_check_free(c.found);
    return NULL;
}

void hd_store_check_free(struct hd_store_check *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->problem_count; i++)
        free(c->problems[i].message);
    free(c->problems);
    free(c);
}
