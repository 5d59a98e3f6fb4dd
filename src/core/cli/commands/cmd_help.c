/* Print --help: of the program, of a command, of the formats, of a hint. Generated from the
 * lists of commands, options, formats and hints. */
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/terminal/messages.h"
#include "cli/terminal/style.h"

#include <string.h>

/* --- a command ----------------------------------------------------------- */

static const char *const group_titles[GROUP_COUNT] = {
    [GROUP_PROCESS] = "process and snapshots",
    [GROUP_STORE] = "store",
    [GROUP_COMPARED] = "comparison",
    [GROUP_SHOWN] = "display",
    [GROUP_RANKING] = "ranking",
    [GROUP_CHAINS] = "chains",
    [GROUP_BUDGETS] = "budgets",
    [GROUP_STORED] = "run of a store",
    [GROUP_OUTPUT] = "output",
    [GROUP_GENERAL] = "general",
};

static void print_option(const struct option *o, const struct command *command, FILE *to)
{
    enum { INDENT = 28 };
    char left[64], help[OPTION_HELP_SIZE];
    int n = o->letter != 0 ? snprintf(left, sizeof(left), "  -%c, --%s", o->letter, o->name)
                           : snprintf(left, sizeof(left), "      --%s", o->name);
    if (option_argument(o) != NULL)
        snprintf(left + n, sizeof(left) - (size_t)n, "%s%s",
                 option_value_is_optional(o) ? "" : "=", option_argument(o));
    option_help(o, command, help);
    fprintf(to, "%-*s  %s\n", INDENT, left, help);
}

static void print_command_help(const struct command *c, FILE *to)
{
    int widest = 0;
    fprintf(to, "usage: heapdrift %s [OPTIONS]%s%s\n\n%s\n", c->name,
            c->operands[0] != '\0' ? " " : "", c->operands, c->description);
    for (size_t i = 0; i < MAX_EXAMPLES && c->examples[i].line != NULL; i++) {
        int len = (int)strlen(c->examples[i].line);
        widest = len > widest ? len : widest;
    }
    fputs(widest > 0 ? "\nexamples:\n" : "", to);
    for (size_t i = 0; i < MAX_EXAMPLES && c->examples[i].line != NULL; i++)
        fprintf(to, "  %-*s  # %s\n", widest, c->examples[i].line, c->examples[i].what);
    for (enum option_group g = 0; g < GROUP_COUNT; g++) {
        bool any = false;
        for (const struct option *o = NULL; (o = option_next(c, o)) != NULL;) {
            if (!option_is_listed(o, c) || o->group != g)
                continue;
            if (!any)
                fprintf(to, "\n%s:\n", group_titles[g]);
            any = true;
            print_option(o, c, to);
        }
    }
}

/* --- formats ------------------------------------------------------------- */

static void print_help_on_formats(FILE *to)
{
    fputs("snapshots, recognized by content:\n", to);
    for (size_t i = 0; hd_input_format_name(i) != NULL; i++)
        if (hd_input_format_summary(i) != NULL)
            fprintf(to, "  %-18s %s\n", hd_input_format_name(i),
                    hd_input_format_summary(i));
    fputs("A snapshot may be compressed (gzip, zstd, xz, bzip2), in a zip file, or on "
          "standard\n"
          "input (-). A folder means the snapshots in it.\n\n"
          "output, --format=:\n",
          to);
    for (size_t i = 0; hd_format_name(i) != NULL; i++)
        fprintf(to, "  %-10s %s\n", hd_format_name(i), hd_format_summary(i));
    fputs("\nconvert --to=, and its suffix:\n", to);
    struct hd_target target;
    for (size_t i = 0; hd_target(i, &target); i++)
        fprintf(to, "  %-10s %-8s %s\n", target.name, target.suffix, target.summary);
}

/* --- the program --------------------------------------------------------- */

static void print_commands(FILE *to)
{
    static const struct {
        enum command_purpose purpose;
        const char *title;
    } purposes[] = {
        {FOR_PROCESSES, "running processes"},
        {FOR_FILES, "snapshots"},
        {FOR_BUILDS, "CI"},
        {FOR_FLEETS, "fleets"},
        {FOR_FORMATS, "files"},
        {FOR_HELP, "help"},
    };
    const struct command *c;
    for (size_t p = 0; p < sizeof(purposes) / sizeof(*purposes); p++) {
        const char *title = purposes[p].title; /* NULL once printed */
        for (size_t i = 0; (c = command_number(i)) != NULL; i++) {
            if (c->purpose != purposes[p].purpose)
                continue;
            if (title != NULL)
                fprintf(to, "%s:\n", title);
            title = NULL;
            fprintf(to, "  %-10s %-26s %s\n", c->name, c->operands, c->summary);
        }
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
        "  heapdrift check snapshots/            # status 1 if something keeps growing\n\n"
        "more:\n"
        "  heapdrift help COMMAND                # its examples and options\n"
        "  heapdrift help formats                # which files are read and written\n"
        "  heapdrift help hint NAME              # how to fix a leak of that kind\n"
        "  man heapdrift                         # the manual page\n\n"
        "@FILE reads arguments from a file. Exit status: 0 done, 1 over budget (check) or\n"
        "a suspect (--exit-code), 2 error, 3 inconclusive (--strict).\n",
        to);
}

/* --- hints --------------------------------------------------------------- */

static int print_hint(const struct settings *s, const char *name)
{
    enum { MAX_HINTS = 200 };
    const char *names[MAX_HINTS + 1];
    struct hd_write_options style = style_for(&s->style, stdout);
    struct hd_error err = {0};
    bool is_hint = name == NULL;
    size_t n = 0;
    for (; n < MAX_HINTS && (names[n] = hd_hint_name(n)) != NULL; n++)
        is_hint |= name != NULL && strcmp(names[n], name) == 0;
    names[n] = NULL;
    if (is_hint) {
        if (hd_hint_write(name, &style, hd_sink_file(stdout), &err))
            return EXIT_DONE;
        print_error(NULL, &err);
        return EXIT_TROUBLE;
    }
    const char *nearest = hd_nearest_word(name, names);
    if (nearest != NULL)
        put_message(NULL, NULL, "no hint is called %s; did you mean %s?", name, nearest);
    else
        put_message(NULL, NULL, "no hint is called %s; `heapdrift help hint` lists them",
                    name);
    return EXIT_TROUBLE;
}

/* --- help as a command --------------------------------------------------- */

static int help_run(struct settings *s)
{
    const char *topic = s->operand_count > 0 ? s->operands[0] : NULL;
    const struct command *about = NULL;
    if (topic != NULL && strcmp(topic, "hint") == 0 && s->operand_count <= 2)
        return print_hint(s, s->operand_count > 1 ? s->operands[1] : NULL);
    if (s->operand_count > 1 && !refuse("help takes one topic"))
        return EXIT_TROUBLE;
    if (topic != NULL && strcmp(topic, "formats") == 0) {
        print_help_on_formats(stdout);
        return EXIT_DONE;
    }
    if (topic != NULL && (about = find_command(topic)) == NULL)
        return EXIT_TROUBLE;
    print_help(about, stdout);
    return EXIT_DONE;
}

const struct command cmd_help = {
    .name = "help",
    .bit = ON_HELP,
    .purpose = FOR_HELP,
    .operands = "[COMMAND|formats|hint]",
    .summary = "show help, or help on a command",
    .description =
        "Show the commands; the examples and options of a command; the file formats; or a\n"
        "hint: the cause of such a leak, code before and after, and how to confirm it.",
    .examples =
        {
            {"heapdrift help watch", "examples and options of watch"},
            {"heapdrift help formats", "which files are read and written"},
            {"heapdrift help hint", "all hints, with their remedies"},
            {"heapdrift help hint timer-not-disposed", "one hint, with code"},
        },
    .run = help_run,
};
