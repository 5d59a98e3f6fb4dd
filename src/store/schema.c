/* The tables: whether they are there, of which version they are, and how they are made. */
#include "store/roles.h"
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

static int64_t newest(void)
{
    int64_t version = 0;
    for (const char *step = next_step(schema_sql); step != NULL; step = next_step(step + 1))
        version = number_of(step);
    return version;
}

/* A file has no roles, and a statement about them begins with that word. */
static bool is_for_others(const struct hd_store *s, const char *sql)
{
    static const char word[] = "{server}";
    return s->kind->schema == NULL && strncmp(sql, word, sizeof(word) - 1) == 0;
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
            ok = is_for_others(s, text_string(&t)) ||
                 store_run(s, text_string(&t), NULL, 0, err);
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
    int64_t accepts; /* of a newer version: the oldest that a program may be of */
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
    if (f->version <= 0)
        return fail(err, HD_BAD_FORMAT, "is damaged: it has no version");
    /* Whether older programs may go on only newer versions say. */
    return f->version <= newest() ||
           store_ask_number(s, "SELECT accepts_version FROM heapdrift_store", NULL, 0,
                            &f->accepts, &there, err);
}

/* --- which may be used -------------------------------------------------------------- */

/* The oldest version that tests have: a store may be older, so that programs can be
 * replaced one after the other, or newer, if it accepts that. */
enum { OLDEST = 2 };

static bool may_be_used(const struct found *f, struct hd_error *err)
{
    const int64_t oldest = OLDEST;
    if (f->other[0] != '\0')
        return fail(err, HD_UNSUPPORTED,
                    "not a store: it has a table %s; use a database of its own", f->other);
    if (f->version > newest() && f->accepts > newest())
        return fail(err, HD_UNSUPPORTED,
                    "is a store of version %" PRId64
                    ", which accepts programs of version %" PRId64
                    " and later; this heapdrift is of version %" PRId64 ", replace it",
                    f->version, f->accepts, newest());
    return f->version == 0 || f->version >= oldest ||
           fail(err, HD_UNSUPPORTED,
                "is a store of version %" PRId64 "; this heapdrift uses version %" PRId64
                " and later: upgrade it with `heapdrift store upgrade`",
                f->version, oldest);
}

/* Of a newer one what this program knows. */
static void set_version(struct hd_store *s, const struct found *f)
{
    s->version = f->version < newest() ? f->version : newest();
    s->stored_version = f->version;
}

bool schema_look(struct hd_store *s, struct hd_error *err)
{
    struct found f;
    if (!look(s, &f, err) || !may_be_used(&f, err))
        return false;
    if (f.version == 0)
        return fail(err, HD_IO, "nothing has been recorded: it has no tables");
    set_version(s, &f);
    return true;
}

bool schema_look_again(struct hd_store *s, struct hd_error *err)
{
    struct hd_error why = {0};
    if (s->version == newest() || s->connection == NULL || schema_look(s, &why))
        return true;
    return s->kind->remedy(s->connection) == REMEDY_RECONNECT ||
           fail(err, why.status, "%s", why.message);
}

/* --- making, bringing forward ------------------------------------------------------- */

/* Who must not change tables is told what is missing, not which statement failed. */
static bool may_bring_forward(struct hd_store *s, const struct found *f,
                              struct hd_error *err)
{
    bool there = false;
    if (s->kind->lacks == NULL || f->version == 0)
        return true;
    struct rows *rows = store_ask(s, s->kind->lacks, NULL, 0, err);
    bool ok = rows != NULL && store_next(s, rows, &there, err);
    if (ok && there)
        ok = fail(err, HD_IO, "cannot be upgraded: %s", store_text(s, rows, 0));
    store_end(s, rows);
    return ok;
}

static enum ending bring_forward(struct hd_store *s, void *context, struct hd_error *err)
{
    struct found *f = context;
    /* Somebody else may have done it meanwhile. */
    if ((s->kind->make_alone != NULL && !store_run(s, s->kind->make_alone, NULL, 0, err)) ||
        !look(s, f, err))
        return ENDING_FAILED;
    if (f->version >= newest() || (f->version > 0 && s->use != HD_STORE_UPGRADE))
        return ENDING_UNDONE;
    if (f->other[0] != '\0')
        return kept_if(may_be_used(f, err));
    if (!may_bring_forward(s, f, err))
        return ENDING_FAILED;
    for (const char *step = next_step(schema_sql); step != NULL; step = next_step(step + 1))
        if (number_of(step) > f->version && !run_step(s, step, err))
            return ENDING_FAILED;
    const struct value version = of_number(newest());
    if (!store_run(s, "UPDATE heapdrift_store SET version = $1", &version, 1, err) ||
        !roles_bring_forward(s, f->version, err))
        return ENDING_FAILED;
    f->version = newest();
    return ENDING_KEPT;
}

bool schema_prepare(struct hd_store *s, struct hd_error *err)
{
    struct found f;
    if (s->use == HD_STORE_READ)
        return schema_look(s, err);
    if (!look(s, &f, err))
        return false;
    bool is_old = f.version > 0 && f.version < newest();
    bool makes = f.version == 0 && f.other[0] == '\0';
    if (!(is_old && s->use == HD_STORE_UPGRADE) && !may_be_used(&f, err))
        return false;
    s->found_version = f.version;
    if (makes || (is_old && s->use == HD_STORE_UPGRADE)) {
        /* Somebody else may have been faster, with another version. */
        if (!store_transact(s, bring_forward, &f, NULL, err) || !may_be_used(&f, err))
            return false;
    }
    set_version(s, &f);
    return true;
}

unsigned schema_newest(void)
{
    return (unsigned)newest();
}
