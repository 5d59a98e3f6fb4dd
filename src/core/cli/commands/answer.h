/* answer.h - from the operands of a command to its report: counts and reads the snapshots,
 * asks them, and writes the answer. */
#ifndef ANSWER_H
#define ANSWER_H

#include "cli/commands/load.h"
#include "cli/commands/output.h"

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
