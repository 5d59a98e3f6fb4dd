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
    size_t failed; /* inputs without a snapshot */
    struct hd_inputs inputs;
    struct load_progress
        *telling; /* progress of the comparison; hidden until the first report */
};

/* Opens all operands, several in parallel. Failures are printed to stderr; so are files of
 * folders that are not snapshots. */
struct loaded load_snapshots(const struct settings *s);

/* Opens the file of --symbols, if any, for inputs read from now on. Inside the sandbox.
 * False after a message. */
bool load_symbols(struct settings *s);

/* Returns the path of snapshot number k of the comparison, as it was given. */
const char *loaded_path(const struct loaded *l, size_t k);

/* Ends progress, before output. */
void loaded_hide_progress(const struct loaded *l);

void loaded_free(struct loaded *l);

/* Loads the snapshots of the command, checks their number, and calls answer. Returns its
 * result, or EXIT_TROUBLE after a message. */
int load_and_answer(struct settings *s,
                    int (*answer)(struct settings *s, const struct loaded *l));

/* The run() of commands that ask one question about their snapshots. */
int answer_command(struct settings *s);

/* Tables for other programs have all rows, unless --rows gives a number. */
void show_all_rows_in_tables(struct settings *s);

/* Writes the answer to a question about l and frees it, or prints the error, with the file
 * of err. Returns the exit status. */
int output_answer(const struct settings *s, const struct loaded *l,
                  struct hd_report *report, const struct hd_error *err);

#endif
