/* open_store.h - the store that the command line or the environment names. */
#ifndef OPEN_STORE_H
#define OPEN_STORE_H

#include "cli/options/settings.h"
#include "heapdrift_store.h"

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
