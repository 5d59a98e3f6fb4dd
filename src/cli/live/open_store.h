/* open_store.h - the store that the command line or the environment names. */
#ifndef OPEN_STORE_H
#define OPEN_STORE_H

#include "cli/options/settings.h"
#include "heapdrift_store.h"

/* Open it, or NULL after saying why it cannot be. What its user should know about it is
 * said too, unless quiet. */
struct hd_store *open_store(const struct settings *s, enum hd_store_use use);

/* Warn, unless quiet, of the runs that a list leaves out. */
void store_report_left_out(const struct settings *s, const struct hd_series_list *l);

/* "heapdrift: STORE: what went wrong", without a password. */
void store_trouble(const char *url, const struct hd_error *err);

#endif
