/* find_target.h - which process a collection is of, by its options, and what it says of
 * itself. How its socket is found and connected to is target.h's. */
#ifndef FIND_TARGET_H
#define FIND_TARGET_H

#include "collect/proc.h"

/* --- options ------------------------------------------------------------------- */

/* What every way of collecting takes of its options. */

/* Copy theirs, which may be NULL; afterwards silence_ms is never 0. HD_USAGE. */
bool collect_options_copy(struct hd_collect_options *how,
                          const struct hd_collect_options *theirs, struct hd_error *err);

/* Whether who asked still wants it, of which there is nothing yet. how: of those options.
 */
bool collect_goes_on(void *how);

/* To be as patient as they say. They must stay where they are. */
struct patience collect_patience(struct hd_collect_options *how);

/* Returns the facts of a process with the limits that the caller adds. */
struct hd_process_facts collect_facts(const struct hd_collect_options *how, pid_t pid);

/* --- which process ------------------------------------------------------------- */

/* The process that the options of a collection name. */

/* Strings live in the arena. Waits for sockets a second each. */
bool find_target(struct target *t, struct hd_collect_options *how, struct arena *arena,
                 struct hd_error *err);

/* --- what a process says of itself --------------------------------------------- */

/* What a runtime says about itself. */

struct process_info {
    uint64_t pid;        /* in its own namespace */
    const char *command; /* NULL unknown, as the others */
    const char *name;    /* of its entry assembly; since .NET 7 */
    const char *runtime; /* "10.0.12"; since .NET 7 */
};

/* Ask it. False when it does not answer, or is too old to (.NET Core 3); err tells which:
 * HD_UNSUPPORTED is too old. Strings go to the arena. */
bool process_info_ask(struct process_info *info, const struct target *t,
                      const struct patience *p, struct arena *arena, struct hd_error *err);

#endif
