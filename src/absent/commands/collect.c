/* Commands of the house collect in a build without it: none. */
#include "cli/options/houses.h"

const struct command *const collect_commands[] = {NULL};
