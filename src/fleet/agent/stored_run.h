/* stored_run.h - a run of a store in place of files, for all commands that read snapshots;
 * and the same queries for fleet.
 *
 * The digests are read into memory before the sandbox is entered: the code that parses them
 * has no access to the store or a network. */
#ifndef STORED_RUN_H
#define STORED_RUN_H

#include "cli/options/houses.h"
#include "cli/options/settings.h"
#include "heapdrift_store.h"

/* Computes the window of --since and --until: Unix seconds, NAN open. Without --since it
 * begins `usual` seconds before its end; usual 0: open. False after printing the error. */
bool store_window(const struct settings *s, double usual, double *since, double *until);

/* Chooses at most 50 snapshots of a run, and returns how many. */
size_t store_choose(const struct hd_stored_series *from, size_t chosen[HD_MAX_SNAPSHOTS]);

/* Reads the digest of a snapshot. A missing or damaged one is reported in *own; false and
 * err if the store does not answer. */
bool store_fetch(struct hd_store *store, uint64_t snapshot, struct hd_memory *bytes,
                 struct hd_error *own, struct hd_error *err);

/* Reads a run of an open store with this URL, as --run=ID does, without messages. NULL and
 * err. */
struct stored_run *stored_run_of(struct hd_store *store, const char *url, uint64_t run,
                                 double since, double until, struct hd_error *err);

/* --- opening a store --------------------------------------------------------- */

/* The store named by the command line or the environment. */

/* Opens it; NULL after printing the error. Prints notes for its user, unless quiet. */
struct hd_store *open_store(const struct settings *s, enum hd_store_use use);

/* Opens it like hd_store_open(), but follows no link of an untrusted user (trust.h). */
struct hd_store *open_trusted_store(const char *url, enum hd_store_use use,
                                    struct hd_error *err);

/* Opens it like open_store() for reading, and enters the sandbox: before a file is opened,
 * after a server is connected. */
struct hd_store *open_store_inside(struct settings *s);

/* Does the same to upgrade its tables; a server does that before the sandbox begins, and a
 * new store is created without sandbox. */
struct hd_store *open_store_to_upgrade(struct settings *s);

/* Warns, unless quiet, of the runs that a list omits. */
void store_report_left_out(const struct settings *s, const struct hd_series_list *l);

/* Prints "heapdrift: STORE: error", without a password. */
void store_trouble(const char *url, const struct hd_error *err);

#endif
