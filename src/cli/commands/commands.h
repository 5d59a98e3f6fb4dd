/* commands.h - the list of commands, how one is found by its name, and its help. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "cli/options/settings.h"

/* The command or, NULL, nothing of that name; told on stderr with the nearest one. */
const struct command *find_command(const char *name);

/* What takes the space in the one snapshot of l; for `heapdrift SNAPSHOT`, too. */
struct loaded;
int answer_top(struct settings *s, const struct loaded *l);

/* What --help says: of the program (NULL), of a command. */
void print_help(const struct command *command, FILE *to);

#endif
