/* process_facts.h - facts of a process at the time of a snapshot, as a line of text.
 *
 *     resident=80203776 private=49528832 threads=8 thread=3:.NET%20TP%20Worker
 *
 * Files contain it: a line of a .gcdump's log, an event of a trace, a member of a digest, a
 * note of a core. Readers skip unknown facts, so facts can be added. Values are checked to
 * be numbers, and no further. */
#ifndef PROCESS_FACTS_H
#define PROCESS_FACTS_H

#include "base/text.h"
#include "heapdrift.h"

enum { MAX_PROCESS_LINE = 4096 }; /* bytes of a line; longer ones are not read */

/* Appends the known facts, if any. */
void process_facts_put(const struct hd_process_facts *facts, struct text *to);

/* Adds the facts of a line that are unknown so far. */
void process_facts_parse(struct hd_process_facts *facts, const char *line, size_t len);

/* Adds the facts of `more` that are unknown so far. */
void process_facts_add(struct hd_process_facts *facts, const struct hd_process_facts *more);

/* Sums known facts with those of `more`, which is another heap of the same process. */
void process_facts_sum(struct hd_process_facts *facts, const struct hd_process_facts *more);

/* --- threads by name ------------------------------------------------------------- */

/* {0} is empty. Further names than fit are not counted. */
struct thread_tally {
    struct thread_name {
        char name[16];
        uint32_t count;
    } all[256];
    size_t count;
};

/* Counts a thread if it has a name. */
void thread_tally_add(struct thread_tally *t, const char *name);

/* Stores the most frequent names in facts. Sorts t. */
void thread_tally_put(struct thread_tally *t, struct hd_process_facts *facts);

/* --- sums ------------------------------------------------------------------------ */

/* Returns resident and swapped bytes; HD_UNKNOWN if the former are unknown. */
uint64_t process_facts_size(const struct hd_process_facts *facts);

#endif
