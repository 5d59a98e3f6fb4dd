/* PostgreSQL, and databases with its protocol. */
#include "fleet/store/database.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#if !defined(HD_STATIC) && __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#define HAVE_LIBPQ
#elif !defined(HD_STATIC) && __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#define HAVE_LIBPQ
#endif

static const char *const prefixes[] = {"postgresql://", "postgres://", NULL};

#ifdef HAVE_LIBPQ

/* --- the library ---------------------------------------------------------------- */

/* PostgreSQL's library, loaded when a URL first needs it: linked, it would cost every run
 * of the program the initialisation of OpenSSL, Kerberos and LDAP. Only if its header
 * exists, and never in a static program, which cannot load libraries. */

/* Functions used. */
#define LIBPQ_FUNCTIONS(F)  \
    F(PQconninfoParse)      \
    F(PQconninfoFree)       \
    F(PQconnectdbParams)    \
    F(PQfinish)             \
    F(PQstatus)             \
    F(PQerrorMessage)       \
    F(PQsetNoticeProcessor) \
    F(PQexecParams)         \
    F(PQresultStatus)       \
    F(PQresultErrorField)   \
    F(PQclear)              \
    F(PQntuples)            \
    F(PQgetisnull)          \
    F(PQgetvalue)           \
    F(PQgetlength)          \
    F(PQunescapeBytea)      \
    F(PQfreemem)

struct libpq {
#define LIBPQ_MEMBER(name) __typeof__(name) *(name);
    LIBPQ_FUNCTIONS(LIBPQ_MEMBER)
#undef LIBPQ_MEMBER
};

/* Converts a data pointer to a function pointer, which C leaves undefined and POSIX
 * permits. */
static bool postgres_find(void *library, const char *name, void *function,
                          struct hd_error *err)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof(found));
    return found != NULL || fail(err, HD_UNSUPPORTED, "libpq.so.5 lacks %s", name);
}

/* False and err if the library or a function is missing. It stays loaded. */
static bool libpq_load(struct libpq *pq, struct hd_error *err)
{
    /* Its dependencies register exit handlers, so it must not be unloaded. */
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL)
        return fail(err, HD_UNSUPPORTED, "PostgreSQL needs libpq.so.5 (Debian: libpq5)");
    bool ok = true;
#define LIBPQ_FIND(name) ok = ok && postgres_find(library, #name, (void *)&pq->name, err);
    LIBPQ_FUNCTIONS(LIBPQ_FIND)
#undef LIBPQ_FIND
    dlclose(library);
    return ok;
}

/* --- connections ---------------------------------------------------------------- */

struct connection {
    struct libpq pq;
    PGconn *server;
    char *password; /* in the URL; malloc'd, NULL without */
    enum remedy remedy;
};

struct rows {
    struct connection *connection;
    PGresult *result;
    int row;              /* -1 before the first */
    unsigned char *bytes; /* of the last column asked for */
};

/* --- failures ---------------------------------------------------------------------- */

/* Reports an error of the library or the server: its first line, without the password,
 * which it should not contain. */
static bool fail_with(const struct connection *c, const char *message, struct hd_error *err)
{
    char line[sizeof(err->message)];
    int len = (int)strcspn(message, "\n");
    snprintf(line, sizeof(line), "%.*s", len, message);
    if (c->password != NULL && c->password[0] != '\0' && strstr(line, c->password) != NULL)
        return fail(err, HD_IO,
                    "the server refused the connection (its message quotes the password)");
    return fail(err, HD_IO, "%s", line[0] != '\0' ? line : "the connection was lost");
}

static bool is_state(const char *state, const char *wanted)
{
    return strncmp(state, wanted, strlen(wanted)) == 0;
}

/* Reports a failed statement by its SQLSTATE. */
static bool postgres_failed(struct connection *c, const PGresult *result,
                            struct hd_error *err)
{
    const char *state = c->pq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *message = c->pq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    /* Errors without a code are from libpq: the connection is lost, even if it has not
     * noticed yet. */
    bool is_gone = state == NULL || c->pq.PQstatus(c->server) == CONNECTION_BAD;
    state = state != NULL ? state : "";
    if (is_gone || is_state(state, "57P0"))
        c->remedy = REMEDY_RECONNECT;
    else if (is_state(state, "40"))
        c->remedy = REMEDY_AGAIN;
    if (is_state(state, "55P03"))
        return fail(err, HD_TIMED_OUT, "was locked by others for too long");
    return fail_with(c, message != NULL ? message : c->pq.PQerrorMessage(c->server), err);
}

static enum remedy remedy(const struct connection *c)
{
    return c->remedy;
}

/* --- statements -------------------------------------------------------------------- */

enum { MAX_VALUES = 24, NUMBER_SIZE = 32 };

struct parameters {
    const char *values[MAX_VALUES];
    int lengths[MAX_VALUES], formats[MAX_VALUES];
    char numbers[MAX_VALUES][NUMBER_SIZE];
};

static bool postgres_take(struct parameters *p, size_t i, const struct value *v,
                          struct hd_error *err)
{
    switch (v->kind) {
    case VALUE_NUMBER:
        snprintf(p->numbers[i], NUMBER_SIZE, "%" PRId64, v->number);
        p->values[i] = p->numbers[i];
        break;
    case VALUE_REAL:
        c_snprintf(p->numbers[i], NUMBER_SIZE, "%.17g", v->real);
        p->values[i] = p->numbers[i];
        break;
    case VALUE_TEXT:
        p->values[i] = v->text;
        break;
    case VALUE_BYTES:
        /* PostgreSQL's maximum per value. */
        if (v->size > (1u << 30) - 1)
            return fail(err, HD_TOO_BIG, "too large for PostgreSQL");
        p->values[i] = v->size > 0 ? v->bytes : "";
        p->lengths[i] = (int)v->size;
        p->formats[i] = 1;
        break;
    case VALUE_NOTHING:
        break;
    }
    return true;
}

static struct rows *postgres_ask(struct connection *c, const char *sql,
                                 const struct value *values, size_t count,
                                 struct hd_error *err)
{
    struct parameters p = {0};
    c->remedy = REMEDY_NONE;
    if (count > MAX_VALUES) {
        fail(err, HD_USAGE, "a statement with too many values");
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (!postgres_take(&p, i, &values[i], err))
            return NULL;
    PGresult *result = c->pq.PQexecParams(c->server, sql, (int)count, NULL, p.values,
                                          p.lengths, p.formats, 0);
    ExecStatusType status = c->pq.PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
        postgres_failed(c, result, err);
        c->pq.PQclear(result);
        return NULL;
    }
    struct rows *rows = alloc_zeroed(sizeof(*rows));
    *rows = (struct rows){.connection = c, .result = result, .row = -1};
    return rows;
}

static void forget_bytes(struct rows *rows)
{
    if (rows->bytes != NULL)
        rows->connection->pq.PQfreemem(rows->bytes);
    rows->bytes = NULL;
}

static bool postgres_next(struct rows *rows, bool *there, struct hd_error *err)
{
    (void)err;
    forget_bytes(rows);
    rows->row++;
    *there = rows->row < rows->connection->pq.PQntuples(rows->result);
    return true;
}

static struct value column(struct rows *rows, unsigned i, enum value_kind kind)
{
    const struct libpq *pq = &rows->connection->pq;
    int at = (int)i;
    size_t size = 0;
    if (pq->PQgetisnull(rows->result, rows->row, at))
        return (struct value){0};
    const char *text = pq->PQgetvalue(rows->result, rows->row, at);
    switch (kind) {
    case VALUE_NUMBER:
        return of_number(text[0] == 't' ? 1 : strtoll(text, NULL, 10));
    case VALUE_REAL:
        return of_real(c_strtod(text, NULL));
    case VALUE_TEXT:
        return of_text(text);
    case VALUE_BYTES:
        forget_bytes(rows);
        rows->bytes = pq->PQunescapeBytea((const unsigned char *)text, &size);
        if (rows->bytes == NULL)
            out_of_memory(0);
        return of_bytes(rows->bytes, size);
    case VALUE_NOTHING:
        break;
    }
    return (struct value){0};
}

static void postgres_end(struct rows *rows)
{
    if (rows == NULL)
        return;
    forget_bytes(rows);
    rows->connection->pq.PQclear(rows->result);
    free(rows);
}

/* --- opening ----------------------------------------------------------------------- */

static void ignore_notice(void *context, const char *message)
{
    (void)context;
    (void)message;
}

static void close_connection(struct connection *c)
{
    if (c->server != NULL)
        c->pq.PQfinish(c->server);
    free(c->password);
    free(c);
}

/* Does not print libpq's message about an invalid URL, which quotes the URL with its
 * password. */
static bool understand(struct connection *c, const char *url, struct hd_error *err)
{
    char *why = NULL;
    PQconninfoOption *options = c->pq.PQconninfoParse(url, &why);
    if (why != NULL)
        c->pq.PQfreemem(why);
    if (options == NULL)
        return fail(err, HD_USAGE,
                    "libpq does not understand this URL; does it contain a character to be "
                    "written as %%HH?");
    for (const PQconninfoOption *o = options; o->keyword != NULL; o++)
        if (o->val != NULL && strcmp(o->keyword, "password") == 0) {
            size_t size = strlen(o->val) + 1;
            c->password = alloc_resize(c->password, size);
            memcpy(c->password, o->val, size);
        }
    c->pq.PQconninfoFree(options);
    return true;
}

/* The URL may override these: the last of duplicate keywords counts. A lost server is
 * noticed within a minute. */
static bool connect_to(struct connection *c, const char *url, struct hd_error *err)
{
    const char *waits = getenv("PGCONNECT_TIMEOUT");
    const char *const names[] = {
        "connect_timeout",  "keepalives_idle",           "keepalives_interval",
        "keepalives_count", "tcp_user_timeout",          "dbname",
        "client_encoding",  "fallback_application_name", NULL};
    const char *const values[] = {waits != NULL ? waits : "10",
                                  "30",
                                  "10",
                                  "3",
                                  "60000",
                                  url,
                                  "UTF8",
                                  "heapdrift",
                                  NULL};
    c->server = c->pq.PQconnectdbParams(names, values, 1);
    if (c->server == NULL)
        out_of_memory(0);
    if (c->pq.PQstatus(c->server) != CONNECTION_OK) {
        c->remedy = REMEDY_RECONNECT;
        return fail_with(c, c->pq.PQerrorMessage(c->server), err);
    }
    c->pq.PQsetNoticeProcessor(c->server, ignore_notice, NULL);
    struct rows *rows = postgres_ask(c,
                                     "SELECT set_config('lock_timeout', '60s', false) "
                                     "WHERE current_setting('lock_timeout') = '0'",
                                     NULL, 0, err);
    postgres_end(rows);
    return rows != NULL;
}

static struct connection *open_connection(const char *url, enum hd_store_use use,
                                          struct hd_error *err)
{
    (void)use; /* what only reads asks for that in each transaction */
    struct connection *c = alloc_zeroed(sizeof(*c));
    if (libpq_load(&c->pq, err) && understand(c, url, err) && connect_to(c, url, err))
        return c;
    close_connection(c);
    return NULL;
}

const struct database postgres_database = {
    .name = "PostgreSQL",
    .prefixes = prefixes,
    .open = open_connection,
    .close = close_connection,
    .ask = postgres_ask,
    .next = postgres_next,
    .column = column,
    .end = postgres_end,
    .remedy = remedy,
    .begin_write = "BEGIN ISOLATION LEVEL READ COMMITTED",
    .begin_read = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    .make_alone = "SELECT pg_advisory_xact_lock(7523094288207667809)", /* "heapdria" */
    .tables = "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = "
              "current_schema() UNION SELECT 'heapdrift_store' WHERE "
              "to_regclass('heapdrift_store') IS NOT NULL",
    .disguised = "SELECT relname FROM pg_catalog.pg_class WHERE relname IN " STORE_TABLES
                 " AND oid = to_regclass(relname::text) AND relkind NOT IN ('r', 'p')",
    .lacks = "SELECT 'it takes the owner of the tables, ' || quote_ident(tableowner) FROM "
             "pg_catalog.pg_tables WHERE tablename = 'heapdrift_store' AND schemaname = "
             "current_schema() AND NOT pg_has_role(tableowner, 'USAGE') UNION ALL SELECT "
             "'it takes CREATE on schema ' || quote_ident(current_schema()) WHERE NOT "
             "has_schema_privilege(current_schema(), 'CREATE')",
    .has_rights = "SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = $1 AND "
                  "has_column_privilege(rolname, 'heapdrift_store', 'version', 'SELECT')",
    .may_read =
        "SELECT CAST(has_column_privilege('snapshot', 'digest', 'SELECT') AS INTEGER)",
    .id = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    .text = "TEXT COLLATE \"C\"",
    .bytes = "BYTEA",
    .each = "json_array_elements",
    .lock = "FOR UPDATE",
    .text_size = "OCTET_LENGTH(@)",
    .bytes_size = "OCTET_LENGTH(@)",
    .number = "@",
    .now = "CAST(FLOOR(EXTRACT(EPOCH FROM now())) AS DOUBLE PRECISION)",
    .owner = "CURRENT_USER",
    .has_clock = true,
};

#else

static struct connection *open_connection(const char *url, enum hd_store_use use,
                                          struct hd_error *err)
{
    (void)url;
    (void)use;
    fail(err, HD_UNSUPPORTED, "this build has no PostgreSQL, only files (SQLite)");
    return NULL;
}

const struct database postgres_database = {
    .name = "PostgreSQL",
    .prefixes = prefixes,
    .open = open_connection,
};

#endif
