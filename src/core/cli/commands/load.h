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

/* The path of snapshot number k of the comparison, as it was given. */
const char *loaded_path(const struct loaded *l, size_t k);

/* Nothing more is to be shown: output follows. */
void loaded_hide_progress(const struct loaded *l);

void loaded_free(struct loaded *l);

#endif
