#include "cli/commands/commands.h"

#include "cli/terminal/messages.h"

#include <string.h>

/* To add a command: write src/cli/cmd_<name>.c and list it here. */
extern const struct command cmd_diff, cmd_report, cmd_top, cmd_roots, cmd_tree, cmd_check,
    cmd_info, cmd_object, cmd_explore, cmd_convert, cmd_collect, cmd_watch, cmd_ps,
    cmd_record, cmd_store, cmd_fleet, cmd_statics, cmd_help, cmd_completion;

const struct command *const commands[] = {
    &cmd_diff,    &cmd_report, &cmd_tree,    &cmd_explore,    &cmd_top,
    &cmd_roots,   &cmd_object, &cmd_statics, &cmd_check,      &cmd_info,
    &cmd_convert, &cmd_watch,  &cmd_collect, &cmd_ps,         &cmd_record,
    &cmd_fleet,   &cmd_store,  &cmd_help,    &cmd_completion, NULL,
};

enum { MOST_COMMANDS = 32 };

const struct command *command_named(const char *name)
{
    for (const struct command *const *c = commands; *c != NULL; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

/* What other tools call comparing snapshots. */
static const char *usual_name(const char *name)
{
    static const char *const others[] = {"compare", "analyze", "analyse"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(name, others[i]) == 0)
            return "diff";
    return NULL;
}

const struct command *find_command(const char *name)
{
    const struct command *found = command_named(name);
    if (found != NULL)
        return found;
    const char *names[MOST_COMMANDS + 1];
    size_t n = 0;
    for (; commands[n] != NULL && n < MOST_COMMANDS; n++)
        names[n] = commands[n]->name;
    names[n] = NULL;
    if (name[0] != '\0' && name[strspn(name, "0123456789")] == '\0') {
        fprintf(stderr,
                "heapdrift: no command or file is called %s; for the process: heapdrift "
                "watch %s\n",
                name, name);
        return NULL;
    }
    const char *nearest = usual_name(name);
    if (nearest == NULL)
        nearest = hd_nearest_word(name, names);
    fputs("heapdrift: no command or file is called ", stderr);
    put_name(name);
    if (nearest != NULL)
        fprintf(stderr, "; did you mean %s?\n", nearest);
    else
        fputs("; see `heapdrift --help`\n", stderr);
    return NULL;
}
