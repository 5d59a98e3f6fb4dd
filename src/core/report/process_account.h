/* process_account.h - the account of a process as rows: its size, the parts that sum to it,
 * the classes of native memory, its threads and descriptors.
 *
 * The rows are those of the documents, the browser and the library, so that all have the
 * same names in the same order. */
#ifndef PROCESS_ACCOUNT_H
#define PROCESS_ACCOUNT_H

#include "report/report.h"

/* Returns the rows of the snapshots, except rows without any value; in a. Values are
 * unknown for snapshots in is_left_out (may be NULL), and for those of unknown size. */
size_t process_account_of(const struct hd_snapshot_facts *snapshots, size_t count,
                          const bool *is_left_out, struct hd_process_row **rows,
                          struct arena *a);

/* Fills in r->account for a diff, a check and a top. */
void report_add_account(struct hd_report *r);

/* "arenas of malloc", "sockets"; NULL for a fact without a row. */
const char *process_account_name(enum hd_fact fact);

#endif
