/* An empty list of commands, for builds without the house collect. */
#include "cli/options/houses.h"

const struct command *const collect_commands[] = {NULL};
