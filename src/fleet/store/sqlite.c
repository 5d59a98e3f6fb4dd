/* SQLite: a file, and no server. */
#include "fleet/store/database.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

struct connection {
    sqlite3 *db;
    char *path;
    unsigned wait_ms; /* for others that write */
    const char *note;
};

struct rows {
    sqlite3_stmt *statement;
    struct connection *connection;
};

/* --- failures ---------------------------------------------------------------------- */

/* malloc'd */
static char *folder_of(const char *path)
{
    size_t len = (size_t)(path_file_name(path) - path);
    char *folder = alloc_zeroed(len + 2);
    memcpy(folder, path, len);
    folder[len] = '.';
    return folder;
}

/* Reports the last failure, with a message of this program if there is one. */
static bool sqlite_failed(const struct connection *c, struct hd_error *err)
{
    enum { KIND = 0xFF, MS = 1000 }; /* lower bits: the primary result code */
    int kind = sqlite3_extended_errcode(c->db) & KIND, error = sqlite3_system_errno(c->db);
    char *folder;
    switch (kind) {
    case SQLITE_NOMEM:
        out_of_memory(0);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fail(err, HD_TIMED_OUT, "was locked by others for %u seconds",
                    c->wait_ms / MS);
    case SQLITE_FULL:
        return fail(err, HD_IO, "%s", strerror(ENOSPC));
    case SQLITE_IOERR:
        return fail(err, HD_IO, "cannot be read or written: %s",
                    error != 0 ? strerror(error) : sqlite3_errmsg(c->db));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        /* If no file can be created next to it, SQLite reports a missing or read-only
         * file. */
        folder = folder_of(c->path);
        if (access(folder, W_OK | X_OK) != 0 && errno != ENOENT)
            fail(err, HD_IO, "cannot write to its folder: %s", strerror(errno));
        free(folder);
        return fail(err, HD_IO, "%s",
                    kind != SQLITE_CANTOPEN ? "is read-only"
                    : error != 0            ? strerror(error)
                                            : "cannot be opened");
    case SQLITE_NOTADB:
        return fail(err, HD_UNSUPPORTED, "not an SQLite database");
    case SQLITE_CORRUPT:
        return fail(err, HD_BAD_FORMAT, "is damaged: %s", sqlite3_errmsg(c->db));
    case SQLITE_TOOBIG:
        return fail(err, HD_TOO_BIG, "a value is too large");
    default:
        return fail(err, HD_IO, "%s", sqlite3_errmsg(c->db));
    }
}

static enum remedy remedy(const struct connection *c)
{
    (void)c; /* writers wait for each other, without a server */
    return REMEDY_NONE;
}

/* --- statements -------------------------------------------------------------------- */

static int bind(sqlite3_stmt *s, int at, const struct value *v)
{
    switch (v->kind) {
    case VALUE_NUMBER:
        return sqlite3_bind_int64(s, at, v->number);
    case VALUE_REAL:
        return sqlite3_bind_double(s, at, v->real);
    case VALUE_TEXT:
        return sqlite3_bind_text64(s, at, v->text, strlen(v->text), SQLITE_STATIC,
                                   SQLITE_UTF8);
    case VALUE_BYTES:
        return sqlite3_bind_blob64(s, at, v->size > 0 ? v->bytes : "", v->size,
                                   SQLITE_STATIC);
    case VALUE_NOTHING:
        break;
    }
    return sqlite3_bind_null(s, at);
}

static struct rows *sqlite_ask(struct connection *c, const char *sql,
                               const struct value *values, size_t count,
                               struct hd_error *err)
{
    sqlite3_stmt *s = NULL;
    int status = sqlite3_prepare_v2(c->db, sql, -1, &s, NULL);
    for (size_t i = 0; status == SQLITE_OK && i < count; i++) {
        char name[32]; /* "$1" is a name to SQLite, not a number */
        snprintf(name, sizeof(name), "$%zu", i + 1);
        status = bind(s, sqlite3_bind_parameter_index(s, name), &values[i]);
    }
    if (status != SQLITE_OK) {
        sqlite_failed(c, err);
        sqlite3_finalize(s);
        return NULL;
    }
    struct rows *rows = alloc_zeroed(sizeof(*rows));
    *rows = (struct rows){s, c};
    return rows;
}

static bool sqlite_next(struct rows *rows, bool *there, struct hd_error *err)
{
    int status = sqlite3_step(rows->statement);
    *there = status == SQLITE_ROW;
    return status == SQLITE_ROW || status == SQLITE_DONE ||
           sqlite_failed(rows->connection, err);
}

static struct value column(struct rows *rows, unsigned i, enum value_kind kind)
{
    sqlite3_stmt *s = rows->statement;
    int at = (int)i;
    if (sqlite3_column_type(s, at) == SQLITE_NULL)
        return (struct value){0};
    switch (kind) {
    case VALUE_NUMBER:
        return of_number(sqlite3_column_int64(s, at));
    case VALUE_REAL:
        return of_real(sqlite3_column_double(s, at));
    case VALUE_TEXT: {
        const unsigned char *text = sqlite3_column_text(s, at);
        return of_text(text != NULL ? (const char *)text : "");
    }
    case VALUE_BYTES: {
        const void *bytes = sqlite3_column_blob(s, at);
        return of_bytes(bytes, (size_t)sqlite3_column_bytes(s, at));
    }
    case VALUE_NOTHING:
        break;
    }
    return (struct value){0};
}

static void sqlite_end(struct rows *rows)
{
    if (rows != NULL)
        sqlite3_finalize(rows->statement);
    free(rows);
}

static bool sqlite_run(struct connection *c, const char *sql, struct hd_error *err)
{
    bool there = true;
    struct rows *rows = sqlite_ask(c, sql, NULL, 0, err);
    bool ok = rows != NULL;
    while (ok && there)
        ok = sqlite_next(rows, &there, err);
    sqlite_end(rows);
    return ok;
}

/* Limits values; SQLite's limit applies to its own data and the whole row, too. */
static void bound(struct connection *c, uint64_t bytes)
{
    enum { OVERHEAD = 1 << 20 };
    uint64_t limit = bytes + OVERHEAD;
    sqlite3_limit(c->db, SQLITE_LIMIT_LENGTH, limit < INT_MAX ? (int)limit : INT_MAX);
}

/* --- location of the file ---------------------------------------------------------- */

/* Writers in WAL mode use shared memory, so they must be on one machine. */
static bool is_on_network(const char *path)
{
    static const unsigned long systems[] = {
        0x6969,     /* NFS */
        0x517B,     /* SMB */
        0xFF534D42, /* CIFS */
        0xFE534D42, /* SMB 2 */
        0x01021997, /* 9P */
        0x5346414F, /* AFS */
        0x00C36400, /* Ceph */
        0x0BD00BD0, /* Lustre */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0x65735546  /* FUSE: sshfs, s3fs */
    };
    struct statfs st;
    if (statfs(path, &st) != 0)
        return false;
    for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++)
        if (((unsigned long)st.f_type & 0xFFFFFFFF) == systems[i])
            return true;
    return false;
}

/* --- opening ----------------------------------------------------------------------- */

/* "file:PATH?wait=5" is a path and how many seconds to wait for others. */
static char *read_path(const char *url, unsigned *wait_ms, struct hd_error *err)
{
    enum { MS = 1000, USUAL_WAIT_MS = 60 * MS, LONGEST = 86400 };
    static const char scheme[] = "file:", wait[] = "?wait=";
    bool is_url = strncmp(url, scheme, sizeof(scheme) - 1) == 0;
    const char *path = is_url ? url + sizeof(scheme) - 1 : url;
    const char *mark = is_url ? strchr(path, '?') : NULL;
    uint64_t seconds = USUAL_WAIT_MS / MS;
    if (mark != NULL &&
        (strncmp(mark, wait, sizeof(wait) - 1) != 0 ||
         !quantity_count(mark + sizeof(wait) - 1, &seconds) || seconds > LONGEST)) {
        fail(err, HD_USAGE, "only ?wait=SECONDS may follow a file name");
        return NULL;
    }
    *wait_ms = (unsigned)seconds * MS;
    size_t len = mark != NULL ? (size_t)(mark - path) : strlen(path);
    char *copy = alloc_zeroed(len + 1);
    memcpy(copy, path, len);
    /* SQLite interprets these as temporary databases. */
    if (len > 0 && strcmp(copy, ":memory:") != 0)
        return copy;
    free(copy);
    fail(err, HD_USAGE, "not a file name");
    return NULL;
}

/* A pipe would be waited for, and a folder has no good message. */
static bool can_be_opened(const char *path, enum hd_store_use use, struct hd_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno == ENOENT && use != HD_STORE_READ
                   ? true
                   : fail(err, HD_IO, "%s", strerror(errno));
    if (S_ISREG(st.st_mode))
        return true;
    return fail(err, HD_IO, "%s",
                S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a regular file");
}

/* To change the way of writing takes everybody else away for a moment, and SQLite does not
 * wait for that. */
static bool set_way_of_writing(struct connection *c, const char *sql, struct hd_error *err)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    const unsigned moment_ms = 20;
    for (unsigned waited = 0;; waited += moment_ms) {
        struct hd_error why = {0};
        if (sqlite_run(c, sql, &why))
            return true;
        if (why.status != HD_TIMED_OUT || waited >= c->wait_ms)
            return fail(err, why.status, "%s", why.message);
        nanosleep(&moment, NULL);
    }
}

/* Commits must be durable: FULL waits for the disk. A reading transaction sees a consistent
 * state. */
static bool prepare_writing(struct connection *c, const char *path, struct hd_error *err)
{
    bool network = is_on_network(path);
    if (network)
        c->note = "on a network file system: writers wait for readers, and locks must "
                  "work; use PostgreSQL instead";
    return sqlite_run(c, "PRAGMA auto_vacuum = INCREMENTAL", err) &&
           set_way_of_writing(
               c, network ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL",
               err) &&
           sqlite_run(c, "PRAGMA synchronous = FULL", err) &&
           sqlite_run(c, "PRAGMA foreign_keys = ON", err) &&
           sqlite_run(c, "PRAGMA journal_size_limit = 16777216", err);
}

static void whole_part(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_double(context, floor(sqlite3_value_double(values[0])));
}

static void octets(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_int(context, sqlite3_value_bytes(values[0]));
}

/* Owner of a series: the machine whose clock its times are from. */
static void machine(sqlite3_context *context, int count, sqlite3_value **values)
{
    char name[256];
    (void)count;
    (void)values;
    bool ok = gethostname(name, sizeof(name) - 1) == 0;
    name[sizeof(name) - 1] = '\0';
    sqlite3_result_text(context, ok ? name : "", -1, SQLITE_TRANSIENT);
}

static bool add_function(struct connection *c, const char *name, int count,
                         void (*function)(sqlite3_context *, int, sqlite3_value **))
{
    return sqlite3_create_function(c->db, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   NULL, function, NULL, NULL) == SQLITE_OK;
}

static bool prepare_connection(struct connection *c, const char *path,
                               enum hd_store_use use, struct hd_error *err)
{
    sqlite3_extended_result_codes(c->db, 1);
    sqlite3_busy_timeout(c->db, (int)c->wait_ms);
    /* A foreign database must not execute code of its own. */
    if (sqlite3_db_config(c->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) != SQLITE_OK ||
        sqlite3_db_config(c->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) != SQLITE_OK ||
        sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) != SQLITE_OK ||
        !add_function(c, "floor", 1, whole_part) || !add_function(c, "octets", 1, octets) ||
        !add_function(c, "machine", 0, machine))
        return sqlite_failed(c, err);
    /* The first look at the file: is it a database at all? What is sorted stays in memory:
     * a sandbox allows no other files. */
    if (!sqlite_run(c, "SELECT COUNT(*) FROM sqlite_master", err) ||
        !sqlite_run(c, "PRAGMA temp_store = MEMORY", err))
        return false;
    return use != HD_STORE_READ ? prepare_writing(c, path, err)
                                : sqlite_run(c, "PRAGMA query_only = ON", err);
}

static int open_file(const char *path, enum hd_store_use use, sqlite3 **db)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    if (use != HD_STORE_READ)
        return sqlite3_open_v2(path, db, flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                               NULL);
    flags |= SQLITE_OPEN_READONLY;
    struct statvfs st;
    if (statvfs(path, &st) != 0 || (st.f_flag & ST_RDONLY) == 0)
        return sqlite3_open_v2(path, db, flags, NULL);
    /* Nobody can write there, so no log is looked for: sqlite.org/uri.html. */
    char *name = sqlite3_mprintf("file:%s?immutable=1", path);
    int status = name == NULL || strpbrk(path, "?#%") != NULL
                     ? sqlite3_open_v2(path, db, flags, NULL)
                     : sqlite3_open_v2(name, db, flags | SQLITE_OPEN_URI, NULL);
    sqlite3_free(name);
    return status;
}

static char *sqlite_path_of(const char *url)
{
    unsigned wait_ms;
    return read_path(url, &wait_ms, NULL);
}

/* Returns a path that cannot be parsed as a URL. */
static char *draft(const char *url)
{
    enum { CAPACITY = 32 };
    unsigned wait_ms;
    struct stat st;
    char *path = read_path(url, &wait_ms, NULL), *name = NULL;
    if (path != NULL && stat(path, &st) != 0 && errno == ENOENT) {
        name = alloc_zeroed(strlen(path) + CAPACITY);
        snprintf(name, strlen(path) + CAPACITY, "%s%s-new-%ld", path[0] == '/' ? "" : "./",
                 path, (long)getpid());
    }
    free(path);
    return name;
}

/* False if its disk fails; some file systems cannot be asked. */
static bool sync_folder(const char *path, struct hd_error *err)
{
    char *folder = folder_of(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd < 0 || fsync(fd) == 0 ||
              (errno != EIO && errno != ENOSPC && errno != EDQUOT) ||
              fail(err, HD_IO, "%s", strerror(errno));
    if (fd >= 0)
        close(fd);
    free(folder);
    return ok;
}

static bool publish(const char *from, const char *url, bool is_whole, struct hd_error *err)
{
    static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
    unsigned wait_ms;
    char *path = read_path(url, &wait_ms, err);
    bool ok = path != NULL;
    /* Some file systems have no links: there the last one wins. */
    if (ok && is_whole)
        ok = link(from, path) == 0 || errno == EEXIST || rename(from, path) == 0
                 ? sync_folder(path, err)
                 : fail(err, HD_IO, "%s", strerror(errno));
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        char name[PATH_MAX];
        snprintf(name, sizeof(name), "%s%s", from, suffixes[i]);
        unlink(name);
    }
    free(path);
    return ok;
}

static void close_connection(struct connection *c)
{
    sqlite3_close(c->db);
    free(c->path);
    free(c);
}

static struct connection *open_connection(const char *url, enum hd_store_use use,
                                          struct hd_error *err)
{
    struct connection *c = alloc_zeroed(sizeof(*c));
    c->path = read_path(url, &c->wait_ms, err);
    bool ok = c->path != NULL && can_be_opened(c->path, use, err);
    if (ok && open_file(c->path, use, &c->db) != SQLITE_OK) {
        if (c->db == NULL)
            out_of_memory(0);
        ok = sqlite_failed(c, err);
    }
    if (ok && prepare_connection(c, c->path, use, err))
        return c;
    close_connection(c);
    return NULL;
}

static const char *sqlite_note(const struct connection *c)
{
    return c->note;
}

static const char *file(const struct connection *c)
{
    return c->path;
}

/* --- space ------------------------------------------------------------------------- */

static bool tidy(struct connection *c, struct hd_error *err)
{
    return sqlite_run(c, "PRAGMA incremental_vacuum", err) &&
           sqlite_run(c, "PRAGMA wal_checkpoint(TRUNCATE)", err);
}

const struct database sqlite_database = {
    .name = "SQLite",
    .open = open_connection,
    .path = sqlite_path_of,
    .draft = draft,
    .publish = publish,
    .close = close_connection,
    .note = sqlite_note,
    .file = file,
    .ask = sqlite_ask,
    .next = sqlite_next,
    .column = column,
    .end = sqlite_end,
    .bound = bound,
    .remedy = remedy,
    .tidy = tidy,
    .begin_write = "BEGIN IMMEDIATE",
    .begin_read = "BEGIN",
    .tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE "
              "'sqlite\\_%' ESCAPE '\\'",
    /* Nor is it one where columns are computed, or an id may be there twice. */
    .disguised = "SELECT name FROM sqlite_master AS t WHERE LOWER(name) IN " STORE_TABLES
                 " AND (type <> 'table' OR sql LIKE 'CREATE VIRTUAL%' OR EXISTS (SELECT 1 "
                 "FROM pragma_table_xinfo(t.name) WHERE hidden <> 0) OR (LOWER(name) IN "
                 "('series', 'snapshot', 'type') AND (SELECT GROUP_CONCAT(name) FROM "
                 "pragma_table_info(t.name) WHERE pk > 0) IS NOT 'id'))",
    .id = "INTEGER PRIMARY KEY",
    .text = "TEXT",
    .bytes = "BLOB",
    .each = "json_each",
    .lock = "",
    /* A value may be of any type, whatever its column is. The size of a blob, and the type
     * of most, is known without loading it; text is loaded, within bound(). */
    .text_size = "CASE WHEN typeof(@) = 'text' THEN octets(@) END",
    .bytes_size = "CASE WHEN typeof(@) = 'blob' THEN LENGTH(@) END",
    .now = "CAST(strftime('%s', 'now') AS REAL)",
    .owner = "machine()",
    .number = "CASE WHEN typeof(@) IN ('integer', 'real') THEN @ END",
    .verify = "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> "
              "'ok' LIMIT 10",
};
