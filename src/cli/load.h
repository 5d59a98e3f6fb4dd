/* load.h - from operands to snapshots, with every message that this takes. */
#ifndef LOAD_H
#define LOAD_H

#include "cli/settings.h"

struct progress;

struct loaded {
    struct hd_info_entry *all; /* in order of the operands; folders expanded */
    size_t count;
    size_t failed; /* how many have no snapshot */
    struct hd_inputs inputs;
    struct progress *progress; /* s->options tell it; hidden until they do */
};

/* Open all operands, several at a time. Everything that cannot be read is told on
 * stderr; so are files of folders that are no snapshots. */
struct loaded load_snapshots(struct settings *s);

/* False after saying so if --iterations has not one number per snapshot; else they are in
 * s->options. */
bool take_iterations_for(struct settings *s, const struct loaded *l);

/* False after saying so if there are not 2 to 50 snapshots for that command. */
bool count_can_be_compared(const struct loaded *l, const char *command);

/* The same before anything is read, as far as it can be told then: true if in doubt. */
bool few_enough_to_compare(const struct settings *s, const char *command);

/* How many snapshots the operands stand for, if those are surely more than most; else 0.
 * What may be one and may be none, in a folder, does not count. */
size_t surely_more_than(size_t most, const struct settings *s);

/* Nothing more is to be shown: output follows. */
void loaded_hide_progress(const struct loaded *l);

/* The snapshots of l as the library wants them; malloc'd. */
struct hd_snapshot **loaded_snapshots(const struct loaded *l);

void loaded_free(struct loaded *l);

#endif
