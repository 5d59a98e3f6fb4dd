/* opening.h - open several snapshots, several at a time, within a limit of memory.
 *
 * It decides which graphs stay until the first question: no file is read twice if there is
 * room. It does not know what the questions are. */
#ifndef OPENING_H
#define OPENING_H

#include "heapdrift.h"

/* Open every input into the entry of its number. What cannot be opened leaves an error in
 * its entry; what a folder holds beside snapshots is skipped. */
void open_all(struct hd_info_entry *entries, const struct hd_input *inputs, size_t count,
              const struct hd_read_options *how);

#endif
