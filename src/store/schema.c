/* The tables: whether they are there, of which version they are, and how they are made. */
#include "store/store.h"

#include "base/error.h"
#include "base/text.h"

#include "store/schema_sql.h" /* made of schema.sql */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- steps ------------------------------------------------------------------------- */

static const char step_mark[] = "-- version ";

/* The next line that begins a step; NULL behind the last. */
static const char *next_step(const char *at)
{
    for (; at != NULL; at = strchr(at, '\n'), at = at != NULL ? at + 1 : NULL)
        if (strncmp(at, step_mark, sizeof(step_mark) - 1) == 0)
            return at;
    return NULL;
}

static int64_t number_of(const char *step)
{
    return strtoll(step + sizeof(step_mark) - 1, NULL, 10);
}

static int64_t this_version(void)
{
    int64_t version = 0;
    for (const char *step = next_step(schema_sql); step != NULL; step = next_step(step + 1))
        version = number_of(step);
    return version;
}

/* Statement after statement up to the next step; lines that begin with -- are for people.
 */
static bool run_step(struct hd_store *s, const char *step, struct hd_error *err)
{
    const char *end = next_step(step + 1);
    struct text t = {0};
    bool ok = true;
    for (const char *at = step; ok && *at != '\0' && at != end;) {
        size_t len = strcspn(at, "\n");
        if (strncmp(at, "--", 2) != 0)
            text_add(&t, at, len);
        if (t.len > 0 && at[len - (len > 0)] == ';') {
            ok = store_run(s, text_string(&t), NULL, 0, err);
            text_clear(&t);
        }
        at += len + (at[len] != '\0');
    }
    text_free(&t);
    return ok;
}

/* --- what is there ----------------------------------------------------------------- */

struct found {
    int64_t version; /* 0: no table is there */
    char other[64];  /* a table that is not ours, where ours are not */
};

static const char version_table[] = "heapdrift_store";

static bool look_at_tables(struct hd_store *s, struct found *f, bool *is_ours,
                           struct hd_error *err)
{
    bool there = true;
    *is_ours = false;
    struct rows *rows = store_ask(s, s->kind->tables, NULL, 0, err);
    bool ok = rows != NULL;
    while (ok && (ok = store_next(s, rows, &there, err)) && there) {
        const char *name = store_text(s, rows, 0);
        if (strcmp(name, version_table) == 0)
            *is_ours = true;
        else
            snprintf(f->other, sizeof(f->other), "%s", name);
    }
    store_end(s, rows);
    return ok;
}

/* What a view says its maker decides, and also when it has said all: it may never end. */
static bool are_tables(struct hd_store *s, struct hd_error *err)
{
    bool there = false;
    struct rows *rows = store_ask(s, s->kind->disguised, NULL, 0, err);
    bool ok = rows != NULL && store_next(s, rows, &there, err);
    if (ok && there)
        ok = fail(err, HD_UNSUPPORTED, "not a store: its %s is not a table",
                  store_text(s, rows, 0));
    store_end(s, rows);
    return ok;
}

static bool look(struct hd_store *s, struct found *f, struct hd_error *err)
{
    bool is_ours, there;
    *f = (struct found){0};
    if (!are_tables(s, err) || !look_at_tables(s, f, &is_ours, err))
        return false;
    if (!is_ours)
        return true;
    f->other[0] = '\0';
    if (!store_ask_number(s, "SELECT version FROM heapdrift_store", NULL, 0, &f->version,
                          &there, err))
        return false;
    return f->version > 0 || fail(err, HD_BAD_FORMAT, "is damaged: it has no version");
}

static bool refuse(const struct found *f, struct hd_error *err)
{
    if (f->other[0] != '\0')
        return fail(err, HD_UNSUPPORTED,
                    "not a store: it has a table %s; use a database of its own", f->other);
    return fail(err, HD_UNSUPPORTED,
                "is a store of version %" PRId64
                "; this heapdrift supports versions up to %" PRId64 ", upgrade it",
                f->version, this_version());
}

/* --- making, bringing forward ------------------------------------------------------- */

static enum ending bring_forward(struct hd_store *s, void *context, struct hd_error *err)
{
    (void)context;
    struct found f;
    /* Somebody else may have done it meanwhile. */
    if ((s->kind->make_alone != NULL && !store_run(s, s->kind->make_alone, NULL, 0, err)) ||
        !look(s, &f, err))
        return ENDING_FAILED;
    if (f.other[0] != '\0' || f.version > this_version())
        return kept_if(refuse(&f, err));
    for (const char *step = next_step(schema_sql); step != NULL; step = next_step(step + 1))
        if (number_of(step) > f.version && !run_step(s, step, err))
            return ENDING_FAILED;
    const struct value version = of_number(this_version());
    return kept_if(
        store_run(s, "UPDATE heapdrift_store SET version = $1", &version, 1, err));
}

static bool check_to_read(const struct found *f, struct hd_error *err)
{
    if (f->version == this_version())
        return true;
    if (f->version == 0 && f->other[0] == '\0')
        return fail(err, HD_IO, "nothing has been recorded: it has no tables");
    if (f->version == 0 || f->version > this_version())
        return refuse(f, err);
    return fail(err, HD_UNSUPPORTED,
                "is a store of version %" PRId64 "; this heapdrift reads version %" PRId64
                ": upgrade it with `heapdrift record`",
                f->version, this_version());
}

bool schema_prepare(struct hd_store *s, struct hd_error *err)
{
    struct found f;
    if (!look(s, &f, err))
        return false;
    if (s->use == HD_STORE_READ)
        return check_to_read(&f, err);
    if (f.other[0] != '\0' || f.version > this_version())
        return refuse(&f, err);
    return f.version == this_version() || store_transact(s, bring_forward, NULL, NULL, err);
}
