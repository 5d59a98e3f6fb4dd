/* commands.h - the list of commands, and how one is found by its name. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "cli/options/settings.h"

/* The command or, NULL, nothing of that name; told on stderr with the nearest one. */
const struct command *find_command(const char *name);

#endif
