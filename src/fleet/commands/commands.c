/* The commands of this house, in the order of --help. */
#include "cli/options/houses.h"

extern const struct command cmd_record, cmd_fleet, cmd_store;

const struct command *const fleet_commands[] = {&cmd_record, &cmd_fleet, &cmd_store, NULL};
