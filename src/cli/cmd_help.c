#include "cli/commands.h"

static int run(struct settings *s)
{
    const struct command *about = NULL;
    if (s->operand_count > 1) {
        fputs("heapdrift: help is about one command at a time\n", stderr);
        return EXIT_TROUBLE;
    }
    if (s->operand_count > 0) {
        about = find_command(s->operands[0]);
        if (about == NULL)
            return EXIT_TROUBLE;
    }
    print_help(about, stdout);
    return EXIT_DONE;
}

const struct command cmd_help = {
    .name = "help",
    .bit = ON_HELP,
    .operands = "[COMMAND]",
    .summary = "this, or the options of a command",
    .description = "Show what heapdrift can do.",
    .run = run,
};
