/* stored.h - a store for a test, and small snapshots to put into it.
 *
 * It is a file of SQLite in a folder of its own. With a URL in HEAPDRIFT_TEST_STORE it is a
 * schema of its own in that PostgreSQL, so that the same tests run there (make
 * check-store). */
#ifndef STORED_H
#define STORED_H

#include "fleet/store/store.h"
#include "support/scratch.h"

struct stored {
    struct scratch scratch;
    char url[1024];
    struct hd_store *store;
};

/* A new store, open for writing, and its end. */
void stored_begin(struct stored *t);
void stored_end(struct stored *t);

/* The same without tables, and not open. */
void stored_begin_empty(struct stored *t);

/* Statements by a connection that looks at no tables; words in braces are the database's
 * own. Makes the file, if it is none. */
void stored_make(const struct stored *t, const char *const *statements, size_t count);

/* The tables of version 1, with a snapshot that has no digest, or of version 2, empty. */
void stored_make_version(const struct stored *t, unsigned version);

bool stored_is_sqlite(void);

/* Another connection; fails the test where there is none. */
struct hd_store *stored_connect(const struct stored *t, enum hd_store_use use);

/* A heap with count objects of a type App.Order and one of App.Cache; two with the same
 * count are the same snapshot. To be closed before stored_end(). */
struct hd_snapshot *stored_snapshot(unsigned count);

/* Record stored_snapshot(count) as of that run and time. */
enum hd_recorded stored_record(struct hd_store *s, unsigned count, const struct hd_run *run,
                               double taken);

/* A run of a service on a host with that pid. */
struct hd_run stored_run(const char *service, const char *host, uint64_t pid);

/* What a question gives, as numbers; fails the test if it cannot be asked. */
int64_t stored_number(struct hd_store *s, const char *sql);
void stored_change(struct hd_store *s, const char *sql);

/* Text in the first column of the first row; lives as long as the folder. */
const char *stored_text(struct stored *t, const char *sql);

#endif
