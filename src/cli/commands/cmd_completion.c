#include "cli/commands/commands.h"
#include "cli/options/completion.h"

#include <string.h>

static const struct completion *const shells[] = {&completion_bash, &completion_zsh,
                                                  &completion_fish, NULL};

/* --- what all shells need ------------------------------------------------ */

enum operand_kind completion_operand(const struct command *command)
{
    const char *operands = command->operands;
    if (strstr(operands, "PID") != NULL)
        return OPERAND_PROCESS;
    if (strstr(operands, "COMMAND") != NULL)
        return OPERAND_COMMAND;
    if (strstr(operands, "bash") != NULL)
        return OPERAND_SHELL;
    return operands[0] != '\0' ? OPERAND_SNAPSHOT : OPERAND_NONE;
}

bool completion_has(const struct command *command, const struct option *o)
{
    return (o->commands & (unsigned)command->bit) != 0;
}

void completion_quote(FILE *to, const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL)
            fputc('\\', to);
        if (*text == '\'')
            fputs("'\\''", to);
        else
            fputc(*text, to);
    }
}

/* --- the command --------------------------------------------------------- */

static int run(struct settings *s)
{
    const char *wanted = s->operand_count == 1 ? s->operands[0] : "";
    for (size_t i = 0; shells[i] != NULL; i++)
        if (strcmp(shells[i]->shell, wanted) == 0) {
            shells[i]->write(stdout);
            return EXIT_DONE;
        }
    fputs("heapdrift: for which shell? heapdrift completion bash, zsh or fish\n", stderr);
    return EXIT_TROUBLE;
}

const struct command cmd_completion = {
    .name = "completion",
    .bit = ON_HELP,
    .purpose = FOR_HELP,
    .operands = "bash|zsh|fish",
    .summary = "what a shell needs to complete them",
    .description =
        "Write what a shell needs to complete commands, options, their values, snapshots\n"
        "and processes. `make install` puts it where shells look for it.",
    .examples =
        {
            {"source <(heapdrift completion bash)", "for this bash"},
            {"heapdrift completion zsh >~/.zfunc/_heapdrift", "a folder of $fpath"},
            {"heapdrift completion fish | source", "for this fish"},
        },
    .run = run,
};
