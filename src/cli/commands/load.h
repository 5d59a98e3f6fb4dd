/* load.h - from operands to snapshots, with every message that this takes. */
#ifndef LOAD_H
#define LOAD_H

#include "cli/options/settings.h"

struct load_progress;

struct loaded {
    struct hd_comparison *comparison;
    size_t count;  /* of inputs, folders expanded, without what is skipped */
    size_t failed; /* how many of them have no snapshot */
    struct hd_inputs inputs;
    struct load_progress *telling; /* the comparison tells it; hidden until it does */
};

/* Open all operands, several at a time. Everything that cannot be read is told on
 * stderr; so are files of folders that are no snapshots. */
struct loaded load_snapshots(const struct settings *s);

/* Open the file of --symbols, if there is one, for what is read from now on. Inside the
 * sandbox. False after saying why not. */
bool load_symbols(struct settings *s);

/* False after saying so if --iterations has not one number per snapshot; else they are in
 * s->options. */
bool check_iterations(struct settings *s, const struct loaded *l);

/* False after saying so if there are not 2 to 50 snapshots for that command. */
bool count_can_be_compared(const struct loaded *l, const char *command);

/* The same before anything is read, as far as it can be told then: true if in doubt. */
bool few_enough_to_compare(const struct settings *s, const char *command);

/* How many snapshots the operands stand for, if those are surely more than most; else 0.
 * What may be one and may be none, in a folder, does not count. */
size_t surely_more_than(size_t most, const struct settings *s);

/* EXIT_TROUBLE, after the message that the command takes 1 to most snapshots. */
int refuse_snapshots(size_t most, size_t count, const char *command);

/* Load 1 to most snapshots and answer with them; what answer returns, or EXIT_TROUBLE after
 * saying that it cannot be done. For commands that look at one as well as at several. */
int load_and_answer(struct settings *s, const char *command, size_t most,
                    int (*answer)(struct settings *s, const struct loaded *l));

/* The path of snapshot number k of the comparison, as it was given. */
const char *loaded_path(const struct loaded *l, size_t k);

/* Nothing more is to be shown: output follows. */
void loaded_hide_progress(const struct loaded *l);

void loaded_free(struct loaded *l);

#endif
