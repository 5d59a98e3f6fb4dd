/* The commands of this house, in the order of --help. */
#include "cli/options/houses.h"

extern const struct command cmd_watch, cmd_collect, cmd_ps;

const struct command *const collect_commands[] = {&cmd_watch, &cmd_collect, &cmd_ps, NULL};
