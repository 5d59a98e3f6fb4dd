/* stored_run.h - a run of a store in the place of files, for every command that takes
 * snapshots; and what fleet asks of a store in the same way.
 *
 * The digests are in memory before the sandbox is entered: what reads them has no right to
 * the store, nor to a network. */
#ifndef STORED_RUN_H
#define STORED_RUN_H

#include "cli/options/houses.h"
#include "cli/options/settings.h"
#include "heapdrift_store.h"

/* The window that --since and --until ask for: Unix seconds, NAN open. Without --since it
 * begins usual seconds before its end; usual 0: it is open. False after saying what is
 * wrong. */
bool store_window(const struct settings *s, double usual, double *since, double *until);

/* Which snapshots stand for all of a run: at most 50. How many. */
size_t store_choose(const struct hd_stored_series *from, size_t chosen[HD_MAX_SNAPSHOTS]);

/* The digest of a snapshot. One that is gone or damaged is its own trouble, in *own; false
 * and err if the store does not answer. */
bool store_fetch(struct hd_store *store, uint64_t snapshot, struct hd_memory *bytes,
                 struct hd_error *own, struct hd_error *err);

/* Fetch that run of the store of that URL, which is open, as --run=ID does, and say nothing
 * of it. NULL and err. */
struct stored_run *stored_run_of(struct hd_store *store, const char *url, uint64_t run,
                                 double since, double until, struct hd_error *err);

/* --- opening a store --------------------------------------------------------- */

/* The store that the command line or the environment names. */

/* Open it, or NULL after saying why it cannot be. What its user should know about it is
 * said too, unless quiet. */
struct hd_store *open_store(const struct settings *s, enum hd_store_use use);

/* Open it as hd_store_open() does, but by way of no link of a stranger (trust.h). */
struct hd_store *open_trusted_store(const char *url, enum hd_store_use use,
                                    struct hd_error *err);

/* As open_store() to be read, in the sandbox that it enters: before a file is opened, and
 * behind the connection to a server. */
struct hd_store *open_store_inside(struct settings *s);

/* The same to bring its tables forward; a server does that before the sandbox begins, and
 * what is not there yet is made without one. */
struct hd_store *open_store_to_upgrade(struct settings *s);

/* Warn, unless quiet, of the runs that a list leaves out. */
void store_report_left_out(const struct settings *s, const struct hd_series_list *l);

/* "heapdrift: STORE: what went wrong", without a password. */
void store_trouble(const char *url, const struct hd_error *err);

#endif
