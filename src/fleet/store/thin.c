/* Thins out old snapshots. */
#include "fleet/store/store.h"

#include "base/error.h"

#include <stdlib.h>

enum { HOUR = 3600, DAY = 24 * HOUR, WEEK = 7 * DAY };

/* Rows per transaction: short ones, so that others get their turn. */
enum { BATCH = 10000 };

/* Rows removed by a try. Counted when the commit is certain: if the connection was lost
 * during the commit, the next try checks whether it succeeded. */
struct removal {
    const char *is_there; /* query for the row with that id */
    int64_t first;        /* id of a removed row */
    uint64_t count;
};

struct thinner {
    double keep, now;
    bool only_own; /* the clock is not confirmed by others */
    struct removal snapshots, series;
    struct hd_thinned *done;
    bool more; /* there may be more to remove */
};

static void thin_count(struct removal *r, uint64_t *done)
{
    *done += r->count;
    r->count = 0;
}

static bool thin_settle(struct hd_store *s, struct removal *r, uint64_t *done,
                        struct hd_error *err)
{
    int64_t id;
    bool there = true;
    if (r->count > 0 &&
        !store_ask_number(s, r->is_there, VALUES(of_number(r->first)), &id, &there, err))
        return false;
    if (!there)
        thin_count(r, done);
    r->count = 0;
    return true;
}

/* --- which --------------------------------------------------------------------- */

/* Snapshots without deltas based on them; others are kept until these are deleted. */
#define UNNEEDED(id) \
    " AND NOT EXISTS (SELECT 1 FROM {snapshot} AS built WHERE built.base_id = " id ") "

/* Only rows recorded by this role or machine; empty: all. */
#define OWN " AND series_id IN (SELECT id FROM series WHERE owner = {owner})"

/* The time of a snapshot is that of taking or recording, whichever is earlier: a time in
 * the future must not protect it. */
#define AGED(own)                                                                          \
    "(SELECT id, series_id, recorded_at, CASE WHEN recorded_at > 0 AND recorded_at < "     \
    "taken_at THEN recorded_at ELSE taken_at END AS taken_at FROM snapshot WHERE true" own \
    ") AS aged"

/* A slot is an hour of recent days, or a day before that; the last snapshot of each is
 * kept. Those of the last day have slots, too, but are all kept. Numbers of hours are
 * offset, so that they differ from those of days. */
#define CHOSEN(own)                                                                        \
    "SELECT id FROM (SELECT id, taken_at, recorded_at, "                                   \
    "ROW_NUMBER() OVER (PARTITION BY series_id, slot ORDER BY taken_at DESC, id DESC) "    \
    "AS of_slot, "                                                                         \
    "ROW_NUMBER() OVER (PARTITION BY series_id ORDER BY taken_at, id) AS of_first, "       \
    "ROW_NUMBER() OVER (PARTITION BY series_id ORDER BY taken_at DESC, id DESC) AS "       \
    "of_last "                                                                             \
    "FROM (SELECT id, series_id, taken_at, recorded_at, CASE WHEN taken_at < $1 "          \
    "THEN FLOOR(taken_at / 86400) ELSE FLOOR(taken_at / 3600) + 1000000000 END AS slot "   \
    "FROM " AGED(                                                                          \
        own) " WHERE taken_at >= $2) AS slotted) AS placed "                               \
             "WHERE of_slot > 1 AND of_first > 1 AND of_last > 1 AND taken_at < $3 AND "   \
             "recorded_at < $4" UNNEEDED("placed.id") "UNION ALL SELECT id FROM " AGED(    \
                 own) " WHERE taken_at < $2 AND recorded_at < $4" UNNEEDED("aged.id") "LI" \
                                                                                      "MI" \
                                                                                      "T " \
                                                                                      "$5"

/* Returns the requested ids as [[id], ...], malloc'd, and their number. NULL and err on
 * failure. */
static char *ids_of(struct hd_store *s, const char *sql, const struct value *values,
                    size_t value_count, struct removal *found, struct hd_error *err)
{
    bool ok;
    json_t *ids = json_array();
    struct rows *rows = store_ask(s, sql, values, value_count, err);
    while (store_next(s, rows, &ok, err)) {
        found->first = store_number(s, rows, 0);
        json_append(ids, json_pack("[I]", (json_int_t)found->first));
    }
    found->count = json_array_size(ids);
    char *text = ok ? json_to_text(ids) : NULL;
    json_decref(ids);
    return text;
}

/* --- removing ------------------------------------------------------------------ */

#define THOSE " IN (SELECT CAST(value ->> 0 AS BIGINT) FROM {each}($1) AS e)"

/* A writer locks the series of its base until it commits (record.c). We lock the series of
 * the bases, so no new delta can appear and committed ones are visible. Bases in use are
 * kept. */
static bool remove_snapshots(struct hd_store *s, const char *chosen, struct removal *found,
                             struct hd_error *err)
{
    static const char whole[] = "SELECT id FROM series WHERE id IN (SELECT series_id FROM "
                                "{snapshot} AS whole WHERE base_id "
                                "IS NULL AND id" THOSE ") ORDER BY id {lock}";
    static const char unneeded[] =
        "SELECT id FROM snapshot WHERE id" THOSE UNNEEDED("snapshot.id");
    if (!store_run(s, whole, VALUES(of_text(chosen)), err))
        return false;
    char *ids = ids_of(s, unneeded, VALUES(of_text(chosen)), found, err);
    bool ok =
        ids != NULL &&
        store_run(s, "DELETE FROM type_row WHERE snapshot_id" THOSE, VALUES(of_text(ids)),
                  err) &&
        store_run(s, "DELETE FROM snapshot WHERE id" THOSE, VALUES(of_text(ids)), err);
    free(ids);
    return ok;
}

/* Removes empty series. They are locked and checked again: a writer that added a snapshot
 * has committed by then, and a later one creates its series again. */
static bool remove_series(struct hd_store *s, struct thinner *t, struct hd_error *err)
{
    static const char bare[] =
        "SELECT id FROM series WHERE NOT EXISTS (SELECT 1 FROM snapshot WHERE series_id = "
        "series.id) ORDER BY id {lock}";
    struct removal found = t->series;
    char *text = ids_of(s, bare, NO_VALUES, &found, err);
    bool ok = text != NULL;
    const struct value value = of_text(text);
    int64_t still = 0;
    ok = ok && (found.count == 0 ||
                (store_run(s,
                           "DELETE FROM finding WHERE series_id" THOSE
                           " AND NOT EXISTS (SELECT 1 FROM snapshot WHERE "
                           "snapshot.series_id = finding.series_id)",
                           &value, 1, err) &&
                 store_run(s,
                           "DELETE FROM series WHERE id" THOSE
                           " AND NOT EXISTS (SELECT 1 FROM snapshot WHERE series_id = "
                           "series.id)",
                           &value, 1, err) &&
                 store_ask_number(s, "SELECT COUNT(*) FROM series WHERE id" THOSE, &value,
                                  1, &still, NULL, err)));
    free(text);
    found.count -= (uint64_t)still;
    if (ok)
        t->series = found;
    return ok;
}

/* --- clock ----------------------------------------------------------------------- */

/* A server's clock overrides the caller's. */
static bool find_now(struct hd_store *s, double *now, struct hd_error *err)
{
    bool ok;
    if (!s->kind->has_clock || s->trusts_callers)
        return true;
    struct rows *rows = store_ask(s, "SELECT {now}", NO_VALUES, err);
    while (store_next(s, rows, &ok, err))
        *now = store_real(s, rows, 0);
    return ok;
}

/* A file has no clock. A machine's clock may be years ahead and would make everything old:
 * so snapshots of other machines are removed only if at least one was recorded within the
 * last day by this clock. */
static bool find_whose(struct hd_store *s, struct thinner *t, struct hd_error *err)
{
    static const char others[] =
        "SELECT CASE WHEN recorded_at > $1 AND recorded_at < $2 THEN 1 ELSE 0 END FROM "
        "snapshot JOIN series ON series.id = series_id WHERE owner <> {owner} AND "
        "owner <> '' ORDER BY 1 DESC LIMIT 1";
    int64_t is_confirmed;
    bool are_others = false;
    if (s->kind->has_clock || s->version < 4)
        return true;
    if (!store_ask_number(s, others, VALUES(of_real(t->now - DAY), of_real(t->now + HOUR)),
                          &is_confirmed, &are_others, err))
        return false;
    t->only_own = are_others && is_confirmed == 0;
    return true;
}

/* --- batches --------------------------------------------------------------------- */

static enum ending thin_batch(struct hd_store *s, void *context, struct hd_error *err)
{
    struct thinner *t = context;
    struct removal found = t->snapshots;
    if (!thin_settle(s, &t->snapshots, &t->done->snapshots, err) ||
        !find_now(s, &t->now, err) || !find_whose(s, t, err))
        return ENDING_FAILED;
    char *ids =
        ids_of(s, t->only_own ? CHOSEN(OWN) : CHOSEN(""),
               VALUES(of_real(t->now - DAY - WEEK), of_real(t->now - t->keep),
                      of_real(t->now - DAY), of_real(t->now - HOUR), of_number(BATCH)),
               &found, err);
    bool ok = ids != NULL && (found.count == 0 || remove_snapshots(s, ids, &found, err));
    t->more = found.count > 0; /* their bases may be removable now */
    free(ids);
    if (ok)
        t->snapshots = found;
    return kept_if(ok);
}

static enum ending finish(struct hd_store *s, void *context, struct hd_error *err)
{
    struct thinner *t = context;
    int64_t left = 0;
    if (!thin_settle(s, &t->series, &t->done->series, err) || !remove_series(s, t, err) ||
        !store_run(s,
                   t->only_own ? "DELETE FROM finding WHERE window_last < $1" OWN
                               : "DELETE FROM finding WHERE window_last < $1",
                   VALUES(of_real(t->now - t->keep)), err) ||
        !store_run(s, "UPDATE heapdrift_store SET thinned_at = $1", VALUES(of_real(t->now)),
                   err) ||
        !store_ask_number(s, "SELECT COUNT(*) FROM snapshot", NO_VALUES, &left, NULL, err))
        return ENDING_FAILED;
    t->done->left = (uint64_t)left;
    return ENDING_KEPT;
}

/* --- complete thinning --------------------------------------------------------- */

bool hd_store_thin(struct hd_store *s, double keep_seconds, double now,
                   struct hd_thinned *done, struct hd_error *err)
{
    struct hd_thinned unwanted;
    struct thinner t = {
        .keep = keep_seconds,
        .now = now,
        .snapshots = {.is_there = "SELECT id FROM snapshot WHERE id = $1"},
        .series = {.is_there = "SELECT id FROM series WHERE id = $1"},
        .done = done != NULL ? done : &unwanted,
        .more = true,
    };
    *t.done = (struct hd_thinned){0};
    if (!(keep_seconds > 0) || !isfinite(now))
        return fail(err, HD_USAGE, "cannot keep nothing");
    if (!schema_look_again(s, err))
        return false;
    while (t.more) {
        if (!store_transact(s, thin_batch, &t, NULL, err))
            return false;
        thin_count(&t.snapshots, &t.done->snapshots);
    }
    if (!store_transact(s, finish, &t, NULL, err))
        return false;
    thin_count(&t.series, &t.done->series);
    return s->kind->tidy == NULL || t.done->snapshots == 0 ||
           s->kind->tidy(s->connection, err);
}

struct claim {
    double now;
    bool is_ours;
};

/* A clock that was ahead once must not prevent thinning for more than an hour. */
static enum ending claim(struct hd_store *s, void *context, struct hd_error *err)
{
    struct claim *c = context;
    int64_t one;
    if (!find_now(s, &c->now, err))
        return ENDING_FAILED;
    if (!store_ask_number(
            s,
            "UPDATE heapdrift_store SET thinned_at = $1 WHERE thinned_at < $2 "
            "OR thinned_at > $1 RETURNING 1",
            VALUES(of_real(c->now), of_real(c->now - HOUR)), &one, &c->is_ours, err))
        return ENDING_FAILED;
    return c->is_ours ? ENDING_KEPT : ENDING_UNDONE;
}

bool hd_store_thin_if_due(struct hd_store *s, double keep_seconds, double now,
                          struct hd_thinned *done, struct hd_error *err)
{
    struct claim c = {.now = now};
    bool unsure = false; /* it is ours already, then */
    if (done != NULL)
        *done = (struct hd_thinned){0};
    return store_transact(s, claim, &c, &unsure, err) &&
           (!(c.is_ours || unsure) || hd_store_thin(s, keep_seconds, c.now, done, err));
}
