/* What a fleet has found of a series. */
#include "store/store.h"
#include "store/types.h"

#include "base/error.h"

#include <stdlib.h>

struct findings {
    uint64_t series;
    double first, last;
    char *rows;
};

static char *rows_of(const struct hd_stored_finding *all, size_t count)
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
        return fail(err, HD_USAGE, "has no such series (any more)");
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
    struct findings f = {series, first, last, rows_of(all, count)};
    bool ok = store_transact(s, save, &f, NULL, err);
    free(f.rows);
    return ok;
}
