/* An untrusted store: its file, its tables and its rows, read as by `fleet` and `store
 * check`. Bytes changed by an engine are hardly ever a database, so most inputs are changes
 * to a small store, made once. */
#include "fuzz/frame.h"
#include "fuzz/meter.h"
#include "fuzz/questions.h"
#include "fuzz/surfaces.h"

#include "heapdrift_fleet.h"
#include "heapdrift_model.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AS_IT_IS, BYTES, ROWS, SCHEMA, STATEMENTS, WAYS };
enum { MAX_MEMORY = 16 << 20, MAX_STEPS = 100000 };

/* --- the store that is changed ---------------------------------------------------------
 */

static char path[64];

static void remove_files(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char name[sizeof(path) + 16];
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        snprintf(name, sizeof(name), "%s%s", path, ends[i]);
        unlink(name);
    }
}

static void write_file(struct bytes content)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, content.data, content.size) != (ssize_t)content.size ||
        close(fd) != 0)
        abort();
}

static struct bytes read_file(void)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        abort();
    unsigned char *all = malloc((size_t)st.st_size);
    if (all == NULL || read(fd, all, (size_t)st.st_size) != st.st_size)
        abort();
    close(fd);
    return (struct bytes){all, (size_t)st.st_size};
}

static void record(struct hd_store *s, unsigned step)
{
    char text[4000] = "a 2 App.exe 1\nt 1 App.Order\nt 2 App.Cache\nt 3 App.Name\n"
                      "o fffff0 3 18\no ffffff 2 20";
    const struct hd_read_options read = {
        .size = sizeof(read), .to_write = true, .checksum = true};
    struct hd_run run = hd_unknown_run();
    run.service = step < 4 ? "shop" : "mail";
    run.host = "web";
    const struct hd_recording how = {
        .size = sizeof(how), .run = &run, .taken = 1795262400 + 3600.0 * step};
    for (unsigned i = 1; i < 10 + 4 * step; i++)
        sprintf(text + strlen(text), " %x", i);
    for (unsigned i = 1; i < 10 + 4 * step; i++)
        sprintf(text + strlen(text), "\no %x 1 18 fffff0 %x", i, i / 2 + 1);
    strcat(text, "\nr ffffff 3 0\nc App.exe 2\n");
    struct hd_snapshot *snap = hd_snapshot_from_memory(text, strlen(text), &read, NULL);
    if (snap == NULL || !hd_store_record(s, snap, &how, NULL, NULL))
        abort();
    hd_snapshot_close(snap);
}

static sqlite3 *open_as_sqlite(void)
{
    sqlite3 *db = NULL;
    if (sqlite3_open(path, &db) != SQLITE_OK)
        abort();
    return db;
}

/* Six snapshots of two services, some as deltas; without a log file. */
static struct bytes usual_store(void)
{
    static struct bytes usual;
    if (usual.size > 0)
        return usual;
    snprintf(path, sizeof(path), "/dev/shm/heapdrift-fuzz-%ld.db", (long)getpid());
    atexit(remove_files);
    remove_files();
    struct hd_store *s = hd_store_open(path, HD_STORE_WRITE, NULL);
    if (s == NULL)
        abort();
    for (unsigned step = 0; step < 6; step++)
        record(s, step);
    hd_store_close(s);
    sqlite3 *db = open_as_sqlite();
    sqlite3_exec(db, "PRAGMA journal_mode = DELETE; VACUUM", NULL, NULL, NULL);
    sqlite3_close(db);
    return usual = read_file();
}

/* --- changes
 * ------------------------------------------------------------------------------- */

/* Offsets in three bytes, values in one. */
static void change_bytes(struct bytes usual, struct bytes by)
{
    unsigned char *copy = malloc(usual.size);
    if (copy == NULL)
        abort();
    memcpy(copy, usual.data, usual.size);
    for (size_t i = 0; i + 4 <= by.size; i += 4) {
        size_t at = by.data[i] | (size_t)by.data[i + 1] << 8 | (size_t)by.data[i + 2] << 16;
        copy[at % usual.size] = by.data[i + 3];
    }
    write_file((struct bytes){copy, usual.size});
    free(copy);
}

/* Aborts a statement that takes too long. */
static int give_up(void *steps)
{
    return ++*(int *)steps > MAX_STEPS / 1000;
}

/* Allows all writes to the database, but no other file. */
static int authorize(void *context, int what, const char *a, const char *b, const char *c,
                     const char *d)
{
    (void)context, (void)b, (void)c, (void)d;
    bool is_other = what == SQLITE_ATTACH || what == SQLITE_DETACH ||
                    (what == SQLITE_PRAGMA && strcmp(a, "writable_schema") != 0);
    return is_other ? SQLITE_DENY : SQLITE_OK;
}

static sqlite3 *open_to_change(struct bytes usual, int *steps)
{
    write_file(usual);
    sqlite3 *db = open_as_sqlite();
    sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY", NULL, NULL,
                 NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 8 << 20);
    sqlite3_set_authorizer(db, authorize, NULL);
    sqlite3_progress_handler(db, 1000, give_up, steps);
    return db;
}

static const char *const columns[] = {"series SET service",
                                      "series SET host",
                                      "series SET process",
                                      "series SET pid",
                                      "series SET started_at",
                                      "series SET build",
                                      "series SET instance",
                                      "series SET memory_limit",
                                      "series SET labels",
                                      "series SET run",
                                      "series SET id",
                                      "snapshot SET id",
                                      "snapshot SET series_id",
                                      "snapshot SET taken_at",
                                      "snapshot SET xxh3",
                                      "snapshot SET objects",
                                      "snapshot SET bytes",
                                      "snapshot SET reachable_bytes",
                                      "snapshot SET complete",
                                      "snapshot SET sampled",
                                      "snapshot SET pause_seconds",
                                      "snapshot SET recorded_at",
                                      "snapshot SET base_id",
                                      "snapshot SET digest",
                                      "type SET name",
                                      "type_row SET objects",
                                      "finding SET subject",
                                      "heapdrift_store SET version",
                                      "heapdrift_store SET thinned_at"};

static const char *const values[] = {"NULL",
                                     "-1",
                                     "0",
                                     "1",
                                     "2",
                                     "3",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "1e308",
                                     "9e999",
                                     "-9e999",
                                     "1e18",
                                     "0.5",
                                     "''",
                                     "'x'",
                                     "X'00ff'",
                                     "zeroblob(2000000)",
                                     "hex(zeroblob(1000000))",
                                     "'{\"a\":1,\"b\":\"c\"}'",
                                     "char(0, 27, 8238, 10)",
                                     "CAST(X'c0ff80' AS TEXT)"};

/* Rows of a column are set to a value; three bytes choose the rows and the value; or it is
 * the other part. */
static void change_rows(struct bytes usual, struct bytes by, struct bytes value)
{
    int steps = 0;
    sqlite3 *db = open_to_change(usual, &steps);
    for (size_t i = 0; i + 3 <= by.size && i < 60; i += 3) {
        char sql[300];
        sqlite3_stmt *s = NULL;
        const char *column = columns[by.data[i] % (sizeof(columns) / sizeof(*columns))];
        unsigned which = by.data[i + 1] % (sizeof(values) / sizeof(*values) + 2);
        bool is_other = which >= sizeof(values) / sizeof(*values);
        snprintf(sql, sizeof(sql), "UPDATE OR IGNORE %s = %s WHERE rowid & %d <> 0", column,
                 is_other ? which % 2 == 0 ? "CAST(?1 AS TEXT)" : "?1" : values[which],
                 by.data[i + 2]);
        sqlite3_prepare_v2(db, sql, -1, &s, NULL);
        if (s != NULL && is_other)
            sqlite3_bind_blob(s, 1, value.data, (int)value.size, SQLITE_STATIC);
        if (s != NULL)
            sqlite3_step(s);
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
}

/* Executes statements, and changes the definition of a table. */
static void change_by_sql(struct bytes usual, struct bytes sql, unsigned table)
{
    static const char *const tables[] = {"heapdrift_store", "series", "snapshot", "type",
                                         "type_row",        "finding"};
    int steps = 0;
    sqlite3 *db = open_to_change(usual, &steps);
    if (table > 0) {
        char *change = sqlite3_mprintf(
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = %.*Q WHERE name = "
            "%Q",
            (int)sql.size, sql.data, tables[table % (sizeof(tables) / sizeof(*tables))]);
        sqlite3_exec(db, change, NULL, NULL, NULL);
        sqlite3_free(change);
    } else {
        char *text =
            sqlite3_mprintf("PRAGMA writable_schema = ON; %.*s", (int)sql.size, sql.data);
        sqlite3_exec(db, text, NULL, NULL, NULL);
        sqlite3_free(text);
    }
    sqlite3_close(db);
}

static void make_store(const struct frame *f)
{
    struct bytes usual = usual_store(), first = frame_part(f, 0);
    remove_files();
    switch (f->head[3] % WAYS) {
    case AS_IT_IS:
        write_file(first);
        break;
    case BYTES:
        change_bytes(usual, first);
        break;
    case ROWS:
        change_rows(usual, first, frame_part(f, 1));
        break;
    default:
        change_by_sql(usual, first, f->head[3] % WAYS == SCHEMA ? 1 + f->head[2] : 0);
        break;
    }
}

/* --- reading it
 * ---------------------------------------------------------------------------- */

static struct hd_store *open_store(void)
{
    struct hd_error err = {0};
    struct hd_store *s = hd_store_open(path, HD_STORE_READ, &err);
    if (s == NULL)
        question_check_error(&err);
    else
        hd_store_set_memory(s, MAX_MEMORY);
    return s;
}

static void check(struct hd_store *s)
{
    const struct hd_store_checking how = {
        .size = sizeof(how), .all = true, .max_memory = MAX_MEMORY};
    struct hd_error err = {0};
    struct hd_store_check *c = hd_store_check(s, &how, &err);
    if (c == NULL)
        question_check_error(&err);
    for (size_t i = 0; c != NULL && i < c->problem_count; i++)
        if (c->problems[i].message[0] == '\0')
            abort();
    hd_store_check_free(c);
}

struct feed {
    struct hd_store *store;
    struct hd_series_list *list;
};

static void done(void *context, struct hd_fleet_series *series)
{
    (void)context;
    for (size_t i = 0; i < series->snapshot_count; i++)
        hd_memory_free(&series->snapshots[i].bytes);
}

/* One series at a time is processed, so the list's data lives as long. */
static bool next(void *context, struct hd_fleet_series *series, struct hd_error *err)
{
    struct feed *f = context;
    const struct hd_stored_series *from;
    if (!hd_series_next(f->list, &from, err) || from == NULL)
        return false;
    series->id = from->id;
    series->run = from->run;
    series->recorded = from->snapshot_count;
    for (size_t i = 0; i < from->snapshot_count && i < 10; i++) {
        struct hd_fleet_snapshot *to = &series->snapshots[series->snapshot_count++];
        to->taken = from->snapshots[i].taken;
        if (!hd_store_digest(f->store, from->snapshots[i].id, &to->bytes, &to->error))
            question_check_error(&to->error);
    }
    return true;
}

static void ask_fleet(struct hd_store *s, const unsigned char *head)
{
    struct hd_error err = {0};
    struct feed f = {.store = s, .list = hd_store_series(s, NULL, &err)};
    if (f.list == NULL) {
        question_check_error(&err);
        return;
    }
    const struct hd_fleet_rules rules = {.since = NAN, .until = NAN};
    const struct hd_fleet_how how = {.threads = 1, .max_memory = MAX_MEMORY};
    struct hd_fleet *fleet = hd_fleet_new(&rules);
    bool ok = hd_fleet_examine(fleet, (struct hd_fleet_source){next, done, &f}, &how, &err);
    hd_series_list_free(f.list);
    if (ok) {
        struct hd_fleet_options opt;
        hd_fleet_set_default_options(&opt);
        question_answer(head, hd_report_fleet(fleet, &opt), &err);
    } else {
        question_check_error(&err);
    }
    hd_fleet_free(fleet);
}

void surface_store(struct bytes input)
{
    struct frame f = frame_of(input);
    meter_pause(); /* making the store is not the tested surface */
    make_store(&f);
    meter_go_on();
    struct hd_store *s = open_store();
    if (s != NULL) {
        check(s);
        ask_fleet(s, f.head);
    }
    hd_store_close(s);
    meter_pause();
    remove_files();
    meter_go_on();
}
