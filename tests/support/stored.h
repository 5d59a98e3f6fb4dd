/* stored.h - a store for a test, and small snapshots to store. It is a SQLite file in its
 * own folder. With a URL in HEAPDRIFT_TEST_STORE it is a schema in that PostgreSQL
 * database, so that the same tests run there (make check-store). */
#ifndef STORED_H
#define STORED_H

#include "fleet/store/store.h"
#include "support/scratch.h"

struct stored {
    struct scratch scratch;
    char url[1024];
    struct hd_store *store;
};

/* Opens a new store for writing; closes it. */
void stored_begin(struct stored *t);
void stored_end(struct stored *t);

/* The same without tables, and not open. */
void stored_begin_empty(struct stored *t);

/* Executes statements on a connection that ignores tables; words in braces are replaced by
 * the database's own. Creates the file if needed. */
void stored_make(const struct stored *t, const char *const *statements, size_t count);

/* The tables of version 1, with a snapshot without a digest, or of version 2, empty. */
void stored_make_version(const struct stored *t, unsigned version);

bool stored_is_sqlite(void);

/* Another connection; fails the test on error. */
struct hd_store *stored_connect(const struct stored *t, enum hd_store_use use);

/* A heap with count objects of a type App.Order and one of App.Cache; equal counts give
 * equal snapshots. To be closed before stored_end(). */
struct hd_snapshot *stored_snapshot(unsigned count);

/* Records stored_snapshot(count) with this run and time. */
enum hd_recorded stored_record(struct hd_store *s, unsigned count, const struct hd_run *run,
                               double taken);

/* A run of a service on a host. */
struct hd_run stored_run(const char *service, const char *host, uint64_t pid);

/* The integer result of a query; fails the test on error. */
int64_t stored_number(struct hd_store *s, const char *sql);
void stored_change(struct hd_store *s, const char *sql);

/* Text in the first column of the first row; lives as long as the folder. */
const char *stored_text(struct stored *t, const char *sql);

#endif
