/* commands.h - the list of commands, how one is found by its name, and its help. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "cli/options/settings.h"

/* Returns the command; or NULL after a message on stderr with the nearest name. */
const struct command *find_command(const char *name);

/* Prints --help: of the program (NULL), or of a command. */
void print_help(const struct command *command, FILE *to);

/* Prints the completions of the last of the words after the program's name, for the
 * scripts that `heapdrift completion` prints. Returns the exit status. */
int complete_words(const char *const *words, size_t count);

#endif
