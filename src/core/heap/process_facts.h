/* process_facts.h - what a process took when a snapshot was taken, as a line of text.
 *
 *     resident=80203776 private=49528832 threads=8 thread=3:.NET%20TP%20Worker
 *
 * Files keep it: a line of a .gcdump's log, an event of a trace, a member of a digest. What
 * a reader does not know it passes over, so that facts can be added. Nothing that is read
 * is believed beyond being a number. */
#ifndef PROCESS_FACTS_H
#define PROCESS_FACTS_H

#include "base/text.h"
#include "heapdrift.h"

enum { MAX_PROCESS_LINE = 4096 }; /* bytes of a line that is read */

/* Appends those that are known; nothing if none is. */
void process_facts_put(const struct hd_process_facts *facts, struct text *to);

/* Adds those of a line that are not known yet. */
void process_facts_parse(struct hd_process_facts *facts, const char *line, size_t len);

/* Adds those of more that are not known yet. */
void process_facts_add(struct hd_process_facts *facts, const struct hd_process_facts *more);

/* Adds up those of more with those that are known: what several heaps say. */
void process_facts_sum(struct hd_process_facts *facts, const struct hd_process_facts *more);

/* Resident and swapped; HD_UNKNOWN without the first. */
uint64_t process_facts_size(const struct hd_process_facts *facts);

#endif
