/* record_follow.h - record --follow: each file that appears in folders is recorded by a
 * process of its own, with the rights to that file and the store only, so that one that is
 * too large for this machine, or that crashes a reader, costs itself. It knows neither
 * snapshots nor the store. */
#ifndef RECORD_FOLLOW_H
#define RECORD_FOLLOW_H

#include "cli/options/settings.h"

enum { RECORD_NOT_NOW = 64 }; /* an exit status: the store is to blame, which may pass */

/* In the process of a file: record it, or thin out if path is NULL. It is opened by that
 * other name. What was said of that file, or of the store, is not said again. */
typedef int record_function(const struct settings *s, const char *path, const char *opened,
                            bool file_is_told, bool store_is_told);

/* Until a signal; the operands of s are folders. An exit status. */
int record_follow(const struct settings *s, record_function *record);

#endif
