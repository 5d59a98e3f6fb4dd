#include "cli/options/help.h"

#include "cli/options/option_traits.h"

#include <stdio.h>
#include <string.h>

/* --- a command ----------------------------------------------------------- */

static void print_option(const struct option *o, FILE *to)
{
    enum { INDENT = 28 };
    char left[64];
    int n = o->letter != 0 ? snprintf(left, sizeof(left), "  -%c, --%s", o->letter, o->name)
                           : snprintf(left, sizeof(left), "      --%s", o->name);
    if (o->argument != NULL)
        snprintf(left + n, sizeof(left) - (size_t)n, "%s%s",
                 option_value_is_optional(o) ? "" : "=", o->argument);
    fprintf(to, "%-*s  %s\n", INDENT, left, o->help);
}

static void print_group(const struct command *command, enum option_group group, FILE *to)
{
    bool any = false;
    for (size_t i = 0; i < option_count; i++) {
        const struct option *o = &options[i];
        if (!(o->commands & (unsigned)command->bit) || option_group_of(o, command) != group)
            continue;
        if (!any)
            fprintf(to, "\n%s:\n", option_group_titles[group]);
        any = true;
        print_option(o, to);
    }
}

static void print_examples(const struct command *c, FILE *to)
{
    size_t widest = 0;
    for (size_t i = 0; i < MOST_EXAMPLES && c->examples[i].line != NULL; i++)
        widest =
            strlen(c->examples[i].line) > widest ? strlen(c->examples[i].line) : widest;
    if (widest > 0)
        fputs("\nexamples:\n", to);
    for (size_t i = 0; i < MOST_EXAMPLES && c->examples[i].line != NULL; i++)
        fprintf(to, "  %-*s  # %s\n", (int)widest, c->examples[i].line,
                c->examples[i].what);
}

static void print_command_help(const struct command *c, FILE *to)
{
    fprintf(to, "usage: heapdrift %s [OPTIONS]%s%s\n\n%s\n", c->name,
            c->operands[0] != '\0' ? " " : "", c->operands, c->description);
    print_examples(c, to);
    for (enum option_group g = 0; g < GROUP_COUNT; g++)
        print_group(c, g, to);
}

/* --- formats ------------------------------------------------------------- */

void print_help_on_formats(FILE *to)
{
    fputs("snapshots, recognised by their bytes:\n", to);
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
        fprintf(to, "  %-10s %s\n", hd_format_name(i), hd_format_summary(i));
    fputs("\nconvert --to=, and the suffix that stands for it:\n", to);
    struct hd_target target;
    for (size_t i = 0; hd_target(i, &target); i++)
        fprintf(to, "  %-10s %-8s %s\n", target.name, target.suffix, target.summary);
}

/* --- the program --------------------------------------------------------- */

static const struct {
    enum command_purpose purpose;
    const char *title;
} purposes[] = {
    {FOR_PROCESSES, "a process that runs"},
    {FOR_FILES, "snapshots that are there"},
    {FOR_BUILDS, "a build"},
    {FOR_FLEETS, "weeks and hosts"},
    {FOR_FORMATS, "files"},
    {FOR_HELP, "help"},
};

static void print_commands(FILE *to)
{
    for (size_t p = 0; p < sizeof(purposes) / sizeof(*purposes); p++) {
        fprintf(to, "%s:\n", purposes[p].title);
        for (const struct command *const *c = commands; *c != NULL; c++)
            if ((*c)->purpose == purposes[p].purpose)
                fprintf(to, "  %-10s %-26s %s\n", (*c)->name, (*c)->operands,
                        (*c)->summary);
    }
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
          "Finds memory leaks of .NET programs by comparing heap snapshots.\n"
          "\n",
          to);
    print_commands(to);
    fputs(
        "\n"
        "examples:\n"
        "  heapdrift watch 4711                  # what grows in process 4711\n"
        "  heapdrift before.gcdump after.gcdump  # what grew from one to the other\n"
        "  heapdrift check snapshots/            # status 1 if something keeps growing\n"
        "\n"
        "more:\n"
        "  heapdrift help COMMAND                # its examples and options\n"
        "  heapdrift help formats                # which files are read and written\n"
        "  man heapdrift                         # all of it\n"
        "\n"
        "@FILE reads arguments from a file. Exit status: 0 done, 1 over budget (check) or\n"
        "a suspect (--exit-code), 2 trouble, 3 inconclusive (--strict).\n",
        to);
}
