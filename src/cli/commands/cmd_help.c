#include "cli/commands/commands.h"
#include "cli/options/help.h"

#include <string.h>

static int run(struct settings *s)
{
    const struct command *about = NULL;
    if (s->operand_count > 1) {
        fputs("heapdrift: help is about one command at a time\n", stderr);
        return EXIT_TROUBLE;
    }
    if (s->operand_count > 0 && strcmp(s->operands[0], "formats") == 0) {
        print_help_on_formats(stdout);
        return EXIT_DONE;
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
    .purpose = FOR_HELP,
    .operands = "[COMMAND|formats]",
    .summary = "this, or about a command",
    .description =
        "Show what heapdrift can do, or a command: examples, then options in groups.",
    .examples =
        {
            {"heapdrift help watch", "examples and options of watch"},
            {"heapdrift help formats", "which files are read and written"},
        },
    .run = run,
};
