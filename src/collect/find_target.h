/* find_target.h - the process that the options of a collection select, and the facts it
 * reports. target.h finds its socket and connects. */
#ifndef FIND_TARGET_H
#define FIND_TARGET_H

#include "collect/proc.h"

/* --- options ------------------------------------------------------------------- */

/* Options common to all ways of collecting. */

/* Copies the caller's options, which may be NULL; silence_ms of the copy is never 0.
 * HD_USAGE. */
bool collect_options_copy(struct hd_collect_options *how,
                          const struct hd_collect_options *theirs, struct hd_error *err);

/* True if the caller has not cancelled, before any data arrived. how: struct
 * hd_collect_options. */
bool collect_goes_on(void *how);

/* Returns their timeouts. The options must not move. */
struct patience collect_patience(struct hd_collect_options *how);

/* Returns the facts of a process with the limits that the caller adds. */
struct hd_process_facts collect_facts(const struct hd_collect_options *how, pid_t pid);

/* --- which process ------------------------------------------------------------- */

/* The selected process. */

/* Finds it. Strings are allocated in the arena. Waits for at most a second per socket. */
bool find_target(struct target *t, struct hd_collect_options *how, struct arena *arena,
                 struct hd_error *err);

/* --- facts reported by the runtime -------------------------------------------- */

/* Facts that a runtime reports about its process. */

struct process_info {
    uint64_t pid;        /* in its own namespace */
    const char *command; /* NULL: unknown, as the others */
    const char *name;    /* of its entry assembly; since .NET 7 */
    const char *runtime; /* "10.0.12"; since .NET 7 */
};

/* Queries the facts. False if it does not answer, or is too old (.NET Core 3): err is then
 * HD_UNSUPPORTED. Strings are allocated in the arena. */
bool process_info_ask(struct process_info *info, const struct target *t,
                      const struct patience *p, struct arena *arena, struct hd_error *err);

#endif
