#include "cli/commands.h"

#include <string.h>

/* To add a command: write src/cli/cmd_<name>.c and list it here. */
extern const struct command cmd_diff, cmd_report, cmd_top, cmd_roots, cmd_tree, cmd_check,
    cmd_info, cmd_convert, cmd_collect, cmd_watch, cmd_ps, cmd_help;

const struct command *const commands[] = {
    &cmd_diff,    &cmd_report,  &cmd_top,   &cmd_roots, &cmd_tree, &cmd_check, &cmd_info,
    &cmd_convert, &cmd_collect, &cmd_watch, &cmd_ps,    &cmd_help, NULL,
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
    const char *nearest = usual_name(name);
    if (nearest == NULL)
        nearest = hd_nearest_word(name, names);
    fputs("heapdrift: no command or file is called ", stderr);
    hd_put_name(hd_sink_file(stderr), name);
    if (nearest != NULL)
        fprintf(stderr, "; did you mean %s?\n", nearest);
    else
        fputs("; see `heapdrift --help`\n", stderr);
    return NULL;
}

static void print_command_help(const struct command *c, FILE *to)
{
    fprintf(to, "usage: heapdrift %s [OPTIONS]%s%s\n\n%s\n\noptions:\n", c->name,
            c->operands[0] != '\0' ? " " : "", c->operands, c->description);
    settings_print_options(c, to);
}

void print_help(const struct command *command, FILE *to)
{
    if (command != NULL) {
        print_command_help(command, to);
        return;
    }
    fputs("usage: heapdrift SNAPSHOT SNAPSHOT...\n"
          "       heapdrift COMMAND [OPTIONS] ...\n"
          "\n"
          "Finds .NET memory leaks by comparing heap snapshots.\n"
          "\n"
          "commands:\n",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        fprintf(to, "  %-7s %-28s %s\n", (*c)->name, (*c)->operands, (*c)->summary);
    fputs("\nsnapshots, recognised by their bytes:\n", to);
    for (size_t i = 0; hd_input_format_name(i) != NULL; i++)
        if (hd_input_format_summary(i) != NULL)
            fprintf(to, "  %-18s %s\n", hd_input_format_name(i),
                    hd_input_format_summary(i));
    fputs("A snapshot may be compressed (gzip, zstd, xz, bzip2), stand in a zip, or come "
          "from\n"
          "standard input (-). A folder stands for the snapshots in it.\n"
          "\n"
          "output, --format=:\n",
          to);
    for (size_t i = 0; hd_format_name(i) != NULL; i++)
        fprintf(to, "  %-6s %s\n", hd_format_name(i), hd_format_summary(i));
    fputs("\nconvert --to=, and the suffix that stands for it:\n", to);
    struct hd_target target;
    for (size_t i = 0; hd_target(i, &target); i++)
        fprintf(to, "  %-10s %-8s %s\n", target.name, target.suffix, target.summary);
    fputs("\n"
          "`heapdrift help COMMAND` shows the options of a command. @FILE reads arguments "
          "from\n"
          "a file. Exit status: 0 done, 1 over budget (check) or a suspect (with\n"
          "--exit-code), 2 trouble, 3 inconclusive (with --strict).\n",
          to);
}
