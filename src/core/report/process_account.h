/* process_account.h - the account of a process as rows: its size, the parts that sum to it,
 * the classes of native memory, its threads and descriptors.
 *
 * The rows are those of the documents, the browser and the library, so that all have the
 * same names in the same order. */
#ifndef PROCESS_ACCOUNT_H
#define PROCESS_ACCOUNT_H

#include "report/report.h"

/* Rows of the snapshots, without those that no snapshot has a value for; in a. Of a
 * snapshot that is_left_out (NULL: none is), and of one whose size is unknown, nothing is
 * known. */
size_t process_account_of(const struct hd_snapshot_facts *snapshots, size_t count,
                          const bool *is_left_out, struct hd_process_row **rows,
                          struct arena *a);

/* Of a diff, a check and a top, into r->account. */
void report_add_account(struct hd_report *r);

/* "arenas of malloc", "sockets"; NULL of a fact that is no row. */
const char *process_account_name(enum hd_fact fact);

#endif
