/* run.h - the run of a process as the columns of `series`. It does not know databases. */
#ifndef STORE_RUN_H
#define STORE_RUN_H

#include "base/arena.h"
#include "heapdrift_store.h"

/* What was told of a run (NULL: nothing), and what else the snapshot says; strings as they
 * are stored: "" is unknown. */
struct hd_run run_stored(const struct hd_run *told, struct hd_snapshot *snap,
                         struct arena *a);

/* What parts a stored run from others: the same for all of its snapshots. */
const char *run_key(const struct hd_run *run, struct arena *a);

/* 16 digits, or "". */
const char *run_instance(const struct hd_run *run, struct arena *a);

/* Labels as JSON, {"name":"value"}, and back. */
const char *run_labels(const struct hd_run *run, struct arena *a);
void run_parse_labels(struct hd_run *run, const char *text, struct arena *a);

#endif
