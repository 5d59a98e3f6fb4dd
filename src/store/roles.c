#include "store/roles.h"

#include "base/error.h"
#include "base/text.h"

#include "store/roles_sql.h" /* made of roles.sql */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "-- heapdrift_", since[] = " from version ";
static const char *const roles[] = {"writer", "reader", "keeper", NULL};

/* --- blocks ------------------------------------------------------------------------ */

/* What a role needs from a version on: text that begins with its name, up to an empty
 * line. */
struct block {
    const char *begin, *end;
    const char *role; /* of roles[] */
    int64_t version;
};

static const char *end_of_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at != '\0');
}

/* False behind the last; at: where it begins, then the next one. */
static bool next_block(const char **at, struct block *b)
{
    if (**at == '\0')
        return false;
    const char *word = *at + sizeof(prefix) - 1, *empty = strstr(*at, "\n\n");
    *b = (struct block){.begin = *at, .end = empty != NULL ? empty + 1 : *at + strlen(*at)};
    for (const char *const *r = roles; *r != NULL; r++)
        if (strncmp(word, *r, strlen(*r)) == 0)
            b->role = *r;
    word += strlen(b->role);
    if (strncmp(word, since, sizeof(since) - 1) == 0)
        b->version = strtoll(word + sizeof(since) - 1, NULL, 10);
    *at = empty != NULL ? empty + 2 : b->end;
    return true;
}

/* A line with the schema in place of its word. */
static void add_line(struct text *t, const char *line, const char *schema)
{
    static const char word[] = "{schema}";
    size_t len = (size_t)(end_of_line(line) - line);
    const char *found = strstr(line, word);
    if (found == NULL || found >= line + len) {
        text_add(t, line, len);
        return;
    }
    text_add(t, line, (size_t)(found - line));
    text_add_string(t, schema);
    found += sizeof(word) - 1;
    text_add(t, found, (size_t)(line + len - found));
}

/* malloc'd, as SQL has it; NULL and err. */
static char *schema_of(struct hd_store *s, struct hd_error *err)
{
    bool there = false;
    char *name = NULL;
    struct rows *rows = store_ask(s, s->kind->schema, NULL, 0, err);
    if (rows != NULL && store_next(s, rows, &there, err)) {
        const char *found = there ? store_text(s, rows, 0) : "public";
        name = memcpy(alloc_resize(NULL, strlen(found) + 1), found, strlen(found) + 1);
    }
    store_end(s, rows);
    return name;
}

/* --- an upgrade -------------------------------------------------------------------- */

/* A role of that name that has nothing to do with the store gets nothing. */
static bool has_rights(struct hd_store *s, const char *role, bool *has,
                       struct hd_error *err)
{
    int64_t one;
    char name[64];
    snprintf(name, sizeof(name), "%s%s", prefix + 3, role);
    const struct value value = of_text(name);
    return store_ask_number(s, s->kind->has_rights, &value, 1, &one, has, err);
}

static bool run_block(struct hd_store *s, const struct block *b, const char *schema,
                      struct hd_error *err)
{
    bool ok = true;
    struct text t = {0};
    for (const char *line = b->begin; ok && line < b->end; line = end_of_line(line)) {
        if (strncmp(line, "--", 2) == 0)
            continue;
        text_clear(&t);
        add_line(&t, line, schema);
        ok = store_run(s, text_string(&t), NULL, 0, err);
    }
    text_free(&t);
    return ok;
}

bool roles_bring_forward(struct hd_store *s, int64_t from, struct hd_error *err)
{
    struct block b;
    bool ok = true, has = false;
    char *schema = s->kind->schema != NULL ? schema_of(s, err) : NULL;
    if (schema == NULL)
        return s->kind->schema == NULL;
    for (const char *at = roles_sql; from > 0 && ok && next_block(&at, &b);)
        if (b.version > from)
            ok =
                has_rights(s, b.role, &has, err) && (!has || run_block(s, &b, schema, err));
    free(schema);
    return ok;
}

/* --- for people -------------------------------------------------------------------- */

static bool is_role(const char *name)
{
    for (const char *const *r = roles; *r != NULL; r++)
        if (strcmp(*r, name) == 0)
            return true;
    return false;
}

static void add_makings(struct text *t, const char *only)
{
    for (const char *const *r = roles; *r != NULL; r++) {
        if (only != NULL && strcmp(only, *r) != 0)
            continue;
        text_add_string(t, "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname "
                           "= 'heapdrift_");
        text_add_string(t, *r);
        text_add_string(t, "') THEN CREATE ROLE heapdrift_");
        text_add_string(t, *r);
        text_add_string(t, "; END IF; END $$;\n");
    }
}

static void add_head(struct text *t, int64_t version, const char *only)
{
    char line[64];
    snprintf(line, sizeof(line), "%" PRId64, version);
    text_add_string(t, "-- The least rights in a store of version ");
    text_add_string(t, line);
    text_add_string(
        t, ". As the owner of its tables:\n"
           "--   heapdrift store grant | psql -v ON_ERROR_STOP=1 \"$HEAPDRIFT_STORE\"\n"
           "-- Then a user for each program:\n"
           "--   CREATE ROLE name LOGIN PASSWORD '...' IN ROLE heapdrift_");
    text_add_string(t, only != NULL ? only : roles[0]);
    text_add_string(t, ";\nBEGIN;\n");
}

static char *grants_of(const struct hd_store *s, const char *schema, const char *only)
{
    struct text t = {0};
    struct block b;
    add_head(&t, s->stored_version, only);
    add_makings(&t, only);
    text_add_string(&t, "SET LOCAL search_path = ");
    text_add_string(&t, schema);
    text_add_string(&t, ";\n");
    for (const char *at = roles_sql; next_block(&at, &b);) {
        if (b.version > s->version || (only != NULL && strcmp(only, b.role) != 0))
            continue;
        text_add_char(&t, '\n');
        for (const char *line = b.begin; line < b.end; line = end_of_line(line))
            add_line(&t, line, schema);
    }
    text_add_string(&t, "\nCOMMIT;\n");
    char *all = memcpy(alloc_resize(NULL, t.len + 1), text_string(&t), t.len + 1);
    text_free(&t);
    return all;
}

bool hd_store_put_grants(struct hd_store *s, const char *role, struct hd_sink to,
                         struct hd_error *err)
{
    if (role != NULL && !is_role(role))
        return fail(err, HD_USAGE, "there is no role %s, only writer, reader and keeper",
                    role);
    if (s->kind->schema == NULL)
        return fail(err, HD_UNSUPPORTED, "a file has no roles");
    char *schema = schema_of(s, err);
    if (schema == NULL)
        return false;
    char *all = grants_of(s, schema, role);
    bool ok = to.write(to.context, all, strlen(all)) == 0 ||
              fail(err, HD_IO, "cannot be written");
    free(all);
    free(schema);
    return ok;
}
