/* help.h - what --help says: of the program, of a command, of the formats. It is made of
 * the lists of commands, options and formats. */
#ifndef HELP_H
#define HELP_H

#include "cli/options/settings.h"

/* NULL: general help. */
void print_help(const struct command *command, FILE *to);

/* What is read, what reports are written as, what snapshots are converted to. */
void print_help_on_formats(FILE *to);

#endif
