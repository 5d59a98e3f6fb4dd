/* answer.h - from the operands of a command to its report: counts and reads the snapshots,
 * asks them, and writes the answer. */
#ifndef ANSWER_H
#define ANSWER_H

#include "cli/commands/output.h"
#include "cli/options/settings.h"

/* --- snapshots --------------------------------------------------------------- */

/* From operands to snapshots, with every message that this takes. */

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

/* Load the snapshots of the command, if they are as many as it takes, and answer with them;
 * what answer returns, or EXIT_TROUBLE after saying why not. */
int load_and_answer(struct settings *s,
                    int (*answer)(struct settings *s, const struct loaded *l));

/* The run() of commands that ask one question about their snapshots. */
int answer_command(struct settings *s);

/* Tables for other programs have all rows, unless --rows gives a number. */
void show_all_rows_in_tables(struct settings *s);

/* Write the answer to a question about l and free it, or say why there is none, naming
 * the file that err blames. Returns the exit status. */
int output_answer(const struct settings *s, const struct loaded *l,
                  struct hd_report *report, const struct hd_error *err);

#endif
