/* commands.h - the list of commands, how one is found by its name, and its help. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "cli/options/settings.h"

/* The command or, NULL, nothing of that name; told on stderr with the nearest one. */
const struct command *find_command(const char *name);

/* What --help says: of the program (NULL), of a command. */
void print_help(const struct command *command, FILE *to);

/* Prints the completions of the last of the words after the program's name, for the
 * scripts that `heapdrift completion` prints. Returns the exit status. */
int complete_words(const char *const *words, size_t count);

#endif
