/* Stores of other versions, foreign databases, and impossible places. */
#define _GNU_SOURCE /* setresuid */
#include "support/stored.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct stored t;

static void begin(void)
{
    stored_begin_empty(&t);
}

static void end(void)
{
    stored_end(&t);
}

TestSuite(store_schema, .init = begin, .fini = end);

static const double noon = 1795262400;

static void expect_refusal(enum hd_store_use use, enum hd_status status,
                           const char *message)
{
    struct hd_error err = {0};
    cr_expect_null(hd_store_open(t.url, use, &err));
    cr_expect_eq(err.status, status);
    cr_expect_str_eq(err.message, message);
}

/* --- versions -------------------------------------------------------- */

Test(store_schema, upgrades_a_store_of_version_1_on_request)
{
    static const char message[] = "is a store of version 1; this heapdrift uses version 2 "
                                  "and later: upgrade it with `heapdrift store upgrade`";
    struct hd_run run = stored_run("new", "h", 2);
    stored_make_version(&t, 1);
    expect_refusal(HD_STORE_READ, HD_UNSUPPORTED, message);
    expect_refusal(HD_STORE_WRITE, HD_UNSUPPORTED, message);
    t.store = stored_connect(&t, HD_STORE_UPGRADE);
    cr_expect_eq(hd_store_version(t.store).found, 1);
    cr_expect_eq(hd_store_version(t.store).now, 4);
    cr_expect_eq(stored_number(t.store, "SELECT version FROM heapdrift_store"), 4);
    cr_expect_eq(stored_number(t.store,
                               "SELECT COUNT(*) FROM series WHERE service = 'old' AND "
                               "instance = '' AND memory_limit IS NULL"),
                 1);
    cr_expect_eq(stored_number(t.store,
                               "SELECT COUNT(*) FROM snapshot WHERE recorded_at = 0 "
                               "AND pause_seconds IS NULL AND reachable_bytes = 3"),
                 1);
    cr_expect_eq(stored_record(t.store, 3, &run, noon), HD_RECORDED);
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM type"), 2);
    hd_store_close(stored_connect(&t, HD_STORE_READ));
    hd_store_close(stored_connect(&t, HD_STORE_WRITE));
}

/* A failure in the middle leaves version 1. */
Test(store_schema, is_brought_forward_whole_or_not_at_all)
{
    struct hd_error err = {0};
    const char *const in_the_way[] = {"CREATE INDEX finding_by_type ON finding (rank)"};
    stored_make_version(&t, 1);
    stored_make(&t, in_the_way, 1);
    cr_expect_null(hd_store_open(t.url, HD_STORE_UPGRADE, &err));
    cr_expect(strstr(err.message, "finding_by_type") != NULL, "%s", err.message);
    const char *const away[] = {
        "DROP INDEX finding_by_type",
        "SELECT version, service FROM heapdrift_store, series WHERE "
        "version = 1"};
    stored_make(&t, away, 2);
    t.store = stored_connect(&t, HD_STORE_UPGRADE);
    cr_expect_eq(stored_number(t.store, "SELECT version FROM heapdrift_store"), 4);
}

/* --- the version before ---------------------------------------------- */

static unsigned stored_series(struct hd_store *s, unsigned *snapshots)
{
    struct hd_error err = {0};
    const struct hd_store_filter all = hd_store_everything();
    const struct hd_stored_series *series;
    unsigned count = 0;
    struct hd_series_list *l = hd_store_series(s, &all, &err);
    cr_assert_not_null(l, "%s", err.message);
    *snapshots = 0;
    while (hd_series_next(l, &series, &err) && series != NULL) {
        count++;
        for (size_t i = 0; i < series->snapshot_count; i++, ++*snapshots) {
            struct hd_memory digest = {0};
            cr_expect(hd_store_digest(s, series->snapshots[i].id, &digest, &err), "%s",
                      err.message);
            hd_memory_free(&digest);
        }
    }
    cr_expect_eq(err.status, HD_OK, "%s", err.message);
    hd_series_list_free(l);
    return count;
}

/* No operation changes its version. */
Test(store_schema, of_the_previous_version_is_used_unchanged)
{
    struct hd_run run = stored_run("web", "a", 1);
    struct hd_error err = {0};
    unsigned snapshots;
    stored_make_version(&t, 2);
    t.store = stored_connect(&t, HD_STORE_WRITE);
    cr_expect_eq(hd_store_version(t.store).now, 2);
    cr_expect_eq(hd_store_version(t.store).newest, 4);
    for (unsigned i = 1; i <= 4; i++)
        cr_expect_eq(stored_record(t.store, i, &run, noon + i), HD_RECORDED);
    cr_expect_eq(stored_record(t.store, 2, &run, noon + 2), HD_WAS_RECORDED);
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM type_row WHERE snapshot_id "
                                        "IN (SELECT id FROM snapshot WHERE taken_at > 9)"),
                 8);
    const struct hd_stored_finding one = {.rank = 1, .type = "App.Order", .score = 1};
    uint64_t id = (uint64_t)stored_number(t.store, "SELECT MAX(id) FROM series");
    cr_expect(hd_store_save_findings(t.store, id, noon, noon, &one, 1, &err), "%s",
              err.message);
    cr_expect(hd_store_thin(t.store, 1e9, noon + 9, NULL, &err), "%s", err.message);
    struct hd_store *reader = stored_connect(&t, HD_STORE_READ);
    cr_expect_eq(stored_series(reader, &snapshots), 1);
    cr_expect_eq(snapshots, 4);
    hd_store_close(reader);
    cr_expect_eq(stored_number(t.store, "SELECT version FROM heapdrift_store"), 2);
}

/* Programs that had it open continue to work. */
Test(store_schema, is_upgraded_while_others_have_it_open)
{
    struct hd_run run = stored_run("web", "a", 1);
    struct hd_error err = {0};
    unsigned snapshots;
    stored_make_version(&t, 2);
    t.store = stored_connect(&t, HD_STORE_WRITE);
    struct hd_store *reader = stored_connect(&t, HD_STORE_READ);
    struct hd_store *other = stored_connect(&t, HD_STORE_READ);
    struct hd_store *keeper = stored_connect(&t, HD_STORE_WRITE);
    struct hd_store *checked = stored_connect(&t, HD_STORE_READ);
    stored_record(t.store, 1, &run, noon);
    struct hd_store *upgraded = stored_connect(&t, HD_STORE_UPGRADE);
    cr_expect_eq(hd_store_version(upgraded).found, 2);
    hd_store_close(upgraded);
    cr_expect_eq(hd_store_version(t.store).now, 2);
    for (unsigned i = 2; i <= 4; i++)
        stored_record(t.store, i, &run, noon + i);
    cr_expect_eq(hd_store_version(t.store).now, 4);
    cr_expect_geq(
        stored_number(t.store, "SELECT COUNT(*) FROM snapshot WHERE base_id IS NOT NULL"),
        1);
    cr_expect_eq(stored_series(reader, &snapshots), 1);
    cr_expect_eq(snapshots, 4);
    uint64_t last = (uint64_t)stored_number(t.store, "SELECT MAX(id) FROM snapshot");
    struct hd_memory digest = {0};
    cr_expect(hd_store_digest(other, last, &digest, &err), "%s", err.message);
    hd_memory_free(&digest);
    const struct hd_store_checking how = {.size = sizeof(how), .all = true};
    struct hd_store_check *c = hd_store_check(checked, &how, &err);
    cr_assert_not_null(c, "%s", err.message);
    for (size_t i = 0; i < c->problem_count; i++)
        cr_expect(c->problems[i].is_warning, "%s", c->problems[i].message);
    cr_expect_eq(c->digests_read, 4);
    hd_store_check_free(c);
    struct hd_thinned done;
    stored_change(t.store, "UPDATE snapshot SET recorded_at = 1");
    cr_expect(hd_store_thin(keeper, 1, noon + 1e6, &done, &err), "%s", err.message);
    cr_expect_eq(done.snapshots, 4);
    hd_store_close(reader);
    hd_store_close(other);
    hd_store_close(checked);
    hd_store_close(keeper);
}

/* Statements of a program of version 2 that had tables of version 3 open. */
Test(store_schema, of_version_3_accepts_writes_of_version_2)
{
    static const char *const rows[] = {
        "INSERT INTO series (run, service, host, process, pid, started_at, build, labels, "
        "instance, memory_limit) VALUES ('r', 's', 'h', 'p', 1, 5, 'b', '{}', '', NULL)",
        "INSERT INTO snapshot (series_id, taken_at, xxh3, objects, bytes, reachable_bytes, "
        "complete, sampled, digest, pause_seconds, recorded_at) SELECT id, 7, "
        "'0000000000000001', 1, 2, 3, '1', '0', '', NULL, 9 FROM series",
        "INSERT INTO type (name) VALUES ('App.Order')",
        "INSERT INTO type_row (snapshot_id, type_id, objects, bytes) SELECT snapshot.id, "
        "type.id, 1, 2 FROM snapshot, type",
        "UPDATE heapdrift_store SET thinned_at = 5",
        "DELETE FROM type_row",
        "DELETE FROM snapshot",
        "DELETE FROM series"};
    hd_store_close(stored_connect(&t, HD_STORE_WRITE));
    stored_make(&t, rows, sizeof(rows) / sizeof(*rows));
}

/* --- newer ones ------------------------------------------------------ */

Test(store_schema, of_a_newer_version_declares_whether_it_may_be_used)
{
    static const char message[] =
        "is a store of version 6, which accepts programs of version 5 and later; this "
        "heapdrift is of version 4, replace it";
    const char *const newer[] = {
        "UPDATE heapdrift_store SET version = 5",
        "ALTER TABLE snapshot ADD COLUMN what_is_new DOUBLE PRECISION NOT NULL DEFAULT 0"};
    struct hd_run run = stored_run("web", "a", 1);
    unsigned snapshots;
    hd_store_close(stored_connect(&t, HD_STORE_WRITE));
    stored_make(&t, newer, 2);
    t.store = stored_connect(&t, HD_STORE_WRITE);
    cr_expect_eq(hd_store_version(t.store).now, 5);
    cr_expect_null(hd_store_note(t.store));
    stored_record(t.store, 1, &run, noon);
    stored_record(t.store, 2, &run, noon + 1);
    struct hd_store *same = stored_connect(&t, HD_STORE_UPGRADE);
    cr_expect_eq(hd_store_version(same).now, 5);
    hd_store_close(same);
    struct hd_store *reader = stored_connect(&t, HD_STORE_READ);
    cr_expect_eq(stored_series(reader, &snapshots), 1);
    cr_expect_eq(snapshots, 2);
    hd_store_close(reader);
    const char *const strict[] = {
        "UPDATE heapdrift_store SET version = 6, accepts_version = 5"};
    stored_make(&t, strict, 1);
    expect_refusal(HD_STORE_WRITE, HD_UNSUPPORTED, message);
    expect_refusal(HD_STORE_READ, HD_UNSUPPORTED, message);
    expect_refusal(HD_STORE_UPGRADE, HD_UNSUPPORTED, message);
    const char *const none[] = {"DELETE FROM heapdrift_store"};
    stored_make(&t, none, 1);
    expect_refusal(HD_STORE_WRITE, HD_BAD_FORMAT, "is damaged: it has no version");
}

Test(store_schema, of_another_program_is_refused_unchanged)
{
    const char *const other[] = {"CREATE TABLE customers (name TEXT)"};
    stored_make(&t, other, 1);
    static const char message[] =
        "not a store: it has a table customers; use a database of its own";
    expect_refusal(HD_STORE_WRITE, HD_UNSUPPORTED, message);
    expect_refusal(HD_STORE_READ, HD_UNSUPPORTED, message);
    const char *const still[] = {"DROP TABLE customers"};
    stored_make(&t, still, 1);
    hd_store_close(stored_connect(&t, HD_STORE_WRITE));
}

/* A view instead of a table can keep a reader busy indefinitely. */
Test(store_schema, with_a_view_for_a_table_is_refused_before_it_is_read, .timeout = 60)
{
    static const char *const tables[] = {"heapdrift_store", "series", "snapshot", "type",
                                         "type_row",        "finding"};
    char drop[64], view[256], message[128];
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        stored_end(&t);
        stored_begin(&t);
        snprintf(drop, sizeof(drop), "DROP TABLE %s%s", tables[i],
                 stored_is_sqlite() ? "" : " CASCADE");
        snprintf(view, sizeof(view),
                 "CREATE VIEW %s AS WITH RECURSIVE n (version) AS (SELECT 1 UNION ALL "
                 "SELECT version + 1 FROM n) SELECT version FROM n",
                 tables[i]);
        if (stored_is_sqlite())
            stored_change(t.store, "PRAGMA foreign_keys = OFF");
        stored_change(t.store, drop);
        stored_change(t.store, view);
        snprintf(message, sizeof(message), "not a store: its %s is not a table", tables[i]);
        expect_refusal(HD_STORE_READ, HD_UNSUPPORTED, message);
        expect_refusal(HD_STORE_WRITE, HD_UNSUPPORTED, message);
    }
}

Test(store_schema, is_not_created_by_readers)
{
    struct hd_error err = {0};
    cr_expect_null(hd_store_open(t.url, HD_STORE_READ, &err));
    cr_expect_eq(err.status, HD_IO);
    if (stored_is_sqlite()) {
        cr_expect_str_eq(err.message, "No such file or directory");
        cr_expect_neq(access(t.url, F_OK), 0);
        stored_make(&t, NULL, 0); /* an empty file */
    }
    expect_refusal(HD_STORE_READ, HD_IO, "nothing has been recorded: it has no tables");
}

/* --- files that cannot be a store ------------------------------------ */

static void expect_path(const char *path, enum hd_store_use use, enum hd_status status,
                        const char *message)
{
    struct hd_error err = {0};
    cr_expect_null(hd_store_open(path, use, &err), "%s", path);
    cr_expect_eq(err.status, status, "%s: %s", path, err.message);
    cr_expect_str_eq(err.message, message);
}

Test(store_schema, cannot_be_where_no_file_can_be)
{
    if (!stored_is_sqlite())
        return;
    const char *text = scratch_file(&t.scratch, "text", "no database", 11);
    const char *pipe = scratch_path(&t.scratch, "pipe");
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    expect_path(scratch_path(&t.scratch, "none/store.db"), HD_STORE_WRITE, HD_IO,
                "No such file or directory");
    expect_path(t.scratch.folder, HD_STORE_WRITE, HD_IO, "Is a directory");
    expect_path(pipe, HD_STORE_WRITE, HD_IO, "not a regular file");
    expect_path("", HD_STORE_WRITE, HD_USAGE, "not a file name");
    expect_path(":memory:", HD_STORE_WRITE, HD_USAGE, "not a file name");
    expect_path("file:", HD_STORE_WRITE, HD_USAGE, "not a file name");
    expect_path("file:x?mode=ro", HD_STORE_WRITE, HD_USAGE,
                "only ?wait=SECONDS may follow a file name");
    expect_path("mysql://x/y", HD_STORE_WRITE, HD_UNSUPPORTED,
                "not a store: a store is a file (SQLite) or postgresql://...");
    expect_path(text, HD_STORE_WRITE, HD_UNSUPPORTED, "not an SQLite database");
    expect_path(text, HD_STORE_READ, HD_UNSUPPORTED, "not an SQLite database");
}

/* The error for an unprivileged user; "" if it can be opened. */
static void open_as_nobody(const char *path, enum hd_store_use use, char *told, size_t size)
{
    enum { NOBODY = 65534 };
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct hd_error err = {0};
        if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
            _exit(1);
        struct hd_store *s = hd_store_open(path, use, &err);
        hd_store_close(s);
        _exit(write(ends[1], err.message, strlen(err.message)) < 0);
    }
    close(ends[1]);
    ssize_t len = read(ends[0], told, size - 1);
    told[len > 0 ? len : 0] = '\0';
    close(ends[0]);
    int how;
    cr_assert_eq(waitpid(child, &how, 0), child);
    cr_assert_eq(how, 0);
}

/* Permissions of the folder and of the file in it. */
Test(store_schema, names_the_missing_permission)
{
    enum { NO_FILE = 01000 };
    static const char folder_only[] = "cannot write to its folder: Permission denied",
                      file_only[] = "is read-only", neither[] = "Permission denied",
                      nothing[] = "No such file or directory";
    static const struct {
        mode_t folder, file;
        const char *write, *read;
    } all[] = {
        {0777, NO_FILE, "", nothing},           {0555, NO_FILE, folder_only, nothing},
        {0666, NO_FILE, neither, neither},      {0777, 0666, "", ""},
        {0555, 0666, folder_only, folder_only}, {0777, 0444, file_only, ""},
        {0777, 0000, neither, neither},         {0555, 0444, folder_only, folder_only},
        {0666, 0666, neither, neither}};
    if (!stored_is_sqlite())
        return;
    hd_store_close(t.store);
    t.store = NULL;
    cr_assert_eq(chmod(t.scratch.folder, 0755), 0);
    for (size_t i = 0; i < 2 * sizeof(all) / sizeof(*all); i++) {
        enum hd_store_use use = i % 2 == 0 ? HD_STORE_WRITE : HD_STORE_READ;
        const char *wanted = i % 2 == 0 ? all[i / 2].write : all[i / 2].read;
        char folder[1024], path[1100], told[256];
        snprintf(folder, sizeof(folder), "%s/%zu", t.scratch.folder, i);
        snprintf(path, sizeof(path), "%s/store.db", folder);
        cr_assert_eq(mkdir(folder, 0777), 0);
        if (all[i / 2].file != NO_FILE) {
            hd_store_close(hd_store_open(path, HD_STORE_WRITE, NULL));
            cr_assert_eq(chmod(path, all[i / 2].file), 0);
        }
        cr_assert_eq(chmod(folder, all[i / 2].folder), 0);
        open_as_nobody(path, use, told, sizeof(told));
        cr_expect_str_eq(told, wanted, "folder %o, file %o, to %s: %s", all[i / 2].folder,
                         all[i / 2].file, use == HD_STORE_WRITE ? "write" : "read", told);
        cr_assert_eq(chmod(folder, 0777), 0);
    }
}

/* --- passwords ------------------------------------------------------- */

Test(store_schema, never_shows_a_password)
{
    static const char *const pairs[][2] = {
        {"heapdrift.db", "heapdrift.db"},
        {"a:b@c?password=x", "a:b@c?password=x"}, /* a file */
        {"postgresql://db/x", "postgresql://db/x"},
        {"postgresql://u@db/x?sslmode=require", "postgresql://u@db/x?sslmode=require"},
        {"postgresql://u:secret@db:5432/x", "postgresql://u:***@db:5432/x"},
        {"postgres://u:sec/r?e@t@db/x", "postgres://u:***@db/x"},
        {"postgresql://u:@db/x", "postgresql://u:***@db/x"},
        {"postgresql:///x?user=u&password=secret&host=h",
         "postgresql:///x?user=u&password=***&host=h"},
        {"postgresql:///x?sslpassword=secret", "postgresql:///x?sslpassword=***"},
        {"postgresql://u:a@h/x?password=b&c", "postgresql://u:***@h/x?password=***&c"},
        {"postgresql://h:5432/x", "postgresql://h:5432/x"},
        {"mysql://u:secret@db/x", "mysql://u:***@db/x"}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        struct hd_memory m = {0};
        hd_store_put_url(hd_sink_memory(&m), pairs[i][0]);
        cr_expect_str_eq(m.bytes, pairs[i][1]);
        hd_memory_free(&m);
    }
}

/* libpq's message about a URL quotes it. */
Test(store_schema, does_not_quote_a_url_that_cannot_be_read)
{
    static const char *const wrong[] = {
        "postgresql://u:secret%zz@db/x", "postgresql://u:secret@db:port:x/y",
        "postgresql://u:secret@[::1/x", "postgresql:///x?password=secret%1"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct hd_error err = {0};
        cr_expect_null(hd_store_open(wrong[i], HD_STORE_READ, &err));
        cr_expect(err.message[0] != '\0' && strstr(err.message, "secret") == NULL, "%s",
                  err.message);
    }
}
