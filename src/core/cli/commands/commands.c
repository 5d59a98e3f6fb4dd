#include "cli/commands/commands.h"

#include "cli/options/houses.h"
#include "cli/terminal/messages.h"

#include <string.h>

extern const struct command cmd_diff, cmd_report, cmd_top, cmd_roots, cmd_tree, cmd_check,
    cmd_info, cmd_object, cmd_explore, cmd_convert, cmd_statics, cmd_help, cmd_completion;

/* Each house has a list, which ends with NULL. */
static const struct command *const core_commands[] = {
    &cmd_diff,    &cmd_report, &cmd_tree,       &cmd_explore, &cmd_top,
    &cmd_roots,   &cmd_object, &cmd_statics,    &cmd_check,   &cmd_info,
    &cmd_convert, &cmd_help,   &cmd_completion, NULL};
static const struct command *const *const houses[] = {core_commands, collect_commands,
                                                      fleet_commands};

enum { MAX_COMMANDS = 32 };

const struct command *command_number(size_t i)
{
    for (size_t h = 0; h < sizeof(houses) / sizeof(*houses); h++)
        for (const struct command *const *c = houses[h]; *c != NULL; c++)
            if (i-- == 0)
                return *c;
    return NULL;
}

const struct command *command_named(const char *name)
{
    const struct command *c;
    for (size_t i = 0; (c = command_number(i)) != NULL; i++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

const struct command *find_command(const char *name)
{
    /* Names of diff in other tools. */
    static const char *const others[] = {"compare", "analyze", "analyse"};
    const struct command *found = command_named(name);
    if (found != NULL)
        return found;
    if (name[0] != '\0' && name[strspn(name, "0123456789")] == '\0') {
        put_message(NULL, NULL,
                    "no command or file is called %s; for the process: heapdrift watch %s",
                    name, name);
        return NULL;
    }
    const char *names[MAX_COMMANDS + 1] = {NULL}, *nearest = NULL;
    for (size_t n = 0; n < MAX_COMMANDS && command_number(n) != NULL; n++)
        names[n] = command_number(n)->name;
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(name, others[i]) == 0)
            nearest = "diff";
    nearest = nearest != NULL ? nearest : hd_nearest_word(name, names);
    if (nearest != NULL)
        put_message(NULL, NULL, "no command or file is called %s; did you mean %s?", name,
                    nearest);
    else
        put_message(NULL, NULL, "no command or file is called %s; see `heapdrift --help`",
                    name);
    return NULL;
}
