/* The commands that need Linux, a terminal of POSIX or a database: they are there, to say
 * that they are not. */
#include "cli/options/settings.h"

#include <stdio.h>

static int refuse(struct settings *s)
{
    fprintf(stderr, "heapdrift: %s is not in heapdrift for Windows\n", s->command->name);
    return EXIT_TROUBLE;
}

#define LEFT_OUT(word, its_bit, its_purpose)                                           \
    const struct command cmd_##word = {.name = #word,                                  \
                                       .bit = its_bit,                                 \
                                       .purpose = its_purpose,                         \
                                       .operands = "",                                 \
                                       .summary = "not in heapdrift for Windows",      \
                                       .description = "Not in heapdrift for Windows.", \
                                       .run = refuse}

LEFT_OUT(collect, ON_COLLECT, FOR_PROCESSES);
LEFT_OUT(watch, ON_WATCH, FOR_PROCESSES);
LEFT_OUT(ps, ON_PS, FOR_PROCESSES);
LEFT_OUT(record, ON_RECORD, FOR_FLEETS);
LEFT_OUT(explore, ON_EXPLORE, FOR_FILES);
LEFT_OUT(fleet, ON_FLEET, FOR_FLEETS);
