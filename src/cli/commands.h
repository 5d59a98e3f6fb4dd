/* commands.h - the list of commands, and help about them. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "cli/settings.h"

/* NULL: general help. */
void print_help(const struct command *command, FILE *to);

/* The command or, NULL, nothing of that name; told on stderr with the nearest one. */
const struct command *find_command(const char *name);

#endif
