/* The tables: whether they are there, of which version they are, and how they are made. */
#include "fleet/store/store.h"

#include "base/error.h"
#include "base/text.h"

#include "fleet/store/roles_sql.h"  /* made of roles.sql */
#include "fleet/store/schema_sql.h" /* made of schema.sql */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- steps ------------------------------------------------------------------------- */

static const char step_mark[] = "-- version ";

/* Returns the next line that begins a step; NULL after the last. */
static const char *next_step(const char *at)
{
    for (; at != NULL; at = strchr(at, '\n'), at = at != NULL ? at + 1 : NULL)
        if (strncmp(at, step_mark, sizeof(step_mark) - 1) == 0)
            return at;
    return NULL;
}

static int64_t schema_number_of(const char *step)
{
    return strtoll(step + sizeof(step_mark) - 1, NULL, 10);
}

int64_t schema_newest(void)
{
    int64_t version = 0;
    for (const char *step = next_step(schema_sql); step != NULL; step = next_step(step + 1))
        version = schema_number_of(step);
    return version;
}

/* Statement after statement up to the next step; lines that begin with -- are for people.
 * A file has no roles, and a statement about them begins with {server}. */
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
            bool has_roles = s->kind->has_rights != NULL;
            ok = (!has_roles && strncmp(text_string(&t), "{server}", 8) == 0) ||
                 store_run(s, text_string(&t), NO_VALUES, err);
            text_clear(&t);
        }
        at += len + (at[len] != '\0');
    }
    text_free(&t);
    return ok;
}

/* --- what is there ----------------------------------------------------------------- */

struct schema_found {
    int64_t version; /* 0: no table is there */
    int64_t accepts; /* of a newer version: the oldest that a program may be of */
    char other[64];  /* a table that is not ours, where ours are not */
};

/* False with a message about the first row, if there is one. */
static bool refuse_row(struct hd_store *s, const char *sql, enum hd_status status,
                       const char *before, const char *after, struct hd_error *err)
{
    bool ok;
    struct rows *rows = store_ask(s, sql, NO_VALUES, err);
    if (!store_next(s, rows, &ok, err))
        return ok;
    fail(err, status, "%s%s%s", before, store_text(s, rows, 0), after);
    store_end(s, rows);
    return false;
}

/* A view may return anything, without end, so tables are checked first. */
static bool look(struct hd_store *s, struct schema_found *f, struct hd_error *err)
{
    bool is_ours = false, ok;
    *f = (struct schema_found){0};
    if (!refuse_row(s, s->kind->disguised, HD_UNSUPPORTED, "not a store: its ",
                    " is not a table", err))
        return false;
    struct rows *rows = store_ask(s, s->kind->tables, NO_VALUES, err);
    while (store_next(s, rows, &ok, err)) {
        const char *name = store_text(s, rows, 0);
        if (strcmp(name, "heapdrift_store") == 0)
            is_ours = true;
        else
            snprintf(f->other, sizeof(f->other), "%s", name);
    }
    if (!ok || !is_ours)
        return ok;
    f->other[0] = '\0';
    if (!store_ask_number(s, "SELECT version FROM heapdrift_store", NO_VALUES, &f->version,
                          NULL, err))
        return false;
    if (f->version <= 0)
        return fail(err, HD_BAD_FORMAT, "is damaged: it has no version");
    /* Newer versions declare whether older programs may use them. */
    return f->version <= schema_newest() ||
           store_ask_number(s, "SELECT accepts_version FROM heapdrift_store", NO_VALUES,
                            &f->accepts, NULL, err);
}

/* --- usable versions ---------------------------------------------------------------- */

/* The oldest version that tests have: a store may be older, so that programs can be
 * replaced one after the other, or newer, if it accepts that. */
enum { OLDEST = 2 };

static bool may_be_used(const struct schema_found *f, struct hd_error *err)
{
    const int64_t oldest = OLDEST;
    if (f->other[0] != '\0')
        return fail(err, HD_UNSUPPORTED,
                    "not a store: it has a table %s; use a database of its own", f->other);
    if (f->version > schema_newest() && f->accepts > schema_newest())
        return fail(err, HD_UNSUPPORTED,
                    "is a store of version %" PRId64
                    ", which accepts programs of version %" PRId64
                    " and later; this heapdrift is of version %" PRId64 ", replace it",
                    f->version, f->accepts, schema_newest());
    return f->version == 0 || f->version >= oldest ||
           fail(err, HD_UNSUPPORTED,
                "is a store of version %" PRId64 "; this heapdrift uses version %" PRId64
                " and later: upgrade it with `heapdrift store upgrade`",
                f->version, oldest);
}

/* Uses the newest version known to both. */
static void set_version(struct hd_store *s, const struct schema_found *f)
{
    s->version = f->version < schema_newest() ? f->version : schema_newest();
    s->stored_version = f->version;
}

bool schema_look(struct hd_store *s, struct hd_error *err)
{
    struct schema_found f;
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
    if (s->version == schema_newest() || s->connection == NULL || schema_look(s, &why))
        return true;
    return s->kind->remedy(s->connection) == REMEDY_RECONNECT ||
           fail(err, why.status, "%s", why.message);
}

/* --- making, bringing forward ------------------------------------------------------- */

/* During an upgrade: grants each role the rights that later steps need, if it exists and
 * has its earlier ones, which an unrelated role of the same name lacks. */
static bool bring_roles_forward(struct hd_store *s, int64_t from, struct hd_error *err)
{
    char role[64];
    int64_t version, one;
    bool has = false, ok = true;
    struct text line = {0};
    size_t len;
    for (const char *at = roles_sql; ok && *at != '\0'; at += len + (at[len] != '\0')) {
        len = strcspn(at, "\n");
        text_clear(&line);
        text_add(&line, at, len);
        const char *sql = text_string(&line);
        if (sscanf(sql, "-- %63s from version %" SCNd64, role, &version) == 2) {
            has = false;
            ok =
                version <= from || store_ask_number(s, s->kind->has_rights,
                                                    VALUES(of_text(role)), &one, &has, err);
        } else if (has && len > 0 && strncmp(sql, "--", 2) != 0) {
            ok = store_run(s, sql, NO_VALUES, err);
        }
    }
    text_free(&line);
    return ok;
}

static enum ending bring_forward(struct hd_store *s, void *context, struct hd_error *err)
{
    struct schema_found *f = context;
    /* Another process may have upgraded it in the meantime. */
    if ((s->kind->make_alone != NULL &&
         !store_run(s, s->kind->make_alone, NO_VALUES, err)) ||
        !look(s, f, err))
        return ENDING_FAILED;
    if (f->version >= schema_newest() || (f->version > 0 && s->use != HD_STORE_UPGRADE))
        return ENDING_UNDONE;
    if (f->other[0] != '\0')
        return kept_if(may_be_used(f, err));
    /* Report the missing right, not the failed statement. */
    if (s->kind->lacks != NULL && f->version > 0 &&
        !refuse_row(s, s->kind->lacks, HD_IO, "cannot be upgraded: ", "", err))
        return ENDING_FAILED;
    for (const char *step = next_step(schema_sql); step != NULL; step = next_step(step + 1))
        if (schema_number_of(step) > f->version && !run_step(s, step, err))
            return ENDING_FAILED;
    bool has_roles = s->kind->has_rights != NULL && f->version > 0;
    if (!store_run(s, "UPDATE heapdrift_store SET version = $1",
                   VALUES(of_number(schema_newest())), err) ||
        (has_roles && !bring_roles_forward(s, f->version, err)))
        return ENDING_FAILED;
    f->version = schema_newest();
    return ENDING_KEPT;
}

bool schema_prepare(struct hd_store *s, struct hd_error *err)
{
    struct schema_found f;
    if (s->use == HD_STORE_READ)
        return schema_look(s, err);
    if (!look(s, &f, err))
        return false;
    bool is_old = f.version > 0 && f.version < schema_newest();
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
