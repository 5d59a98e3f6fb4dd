/* Completion in fish: a line per option of a command. */
#include "cli/options/completion.h"

static void write_value(FILE *to, const struct option *o, const struct command *c)
{
    const char *word;
    switch (option_value_kind(o, c)) {
    case VALUE_WORD:
    case VALUE_HINTS:
        fputs(" -x -a '", to);
        for (size_t i = 0; (word = option_word(o->name, c, i)) != NULL; i++)
            fprintf(to, "%s%s", i == 0 ? "" : " ", word);
        fputs("'", to);
        break;
    case VALUE_FILE_READ:
    case VALUE_FILE_WRITTEN:
    case VALUE_STORE:
    case VALUE_SNAPSHOT:
    case VALUE_SOCKET:
        fputs(" -r -F", to);
        break;
    case VALUE_FOLDER:
        fputs(" -x -a '(__fish_complete_directories (commandline -ct))'", to);
        break;
    case VALUE_PID:
        fputs(" -x -a '(__heapdrift_processes 1,2)'", to);
        break;
    case VALUE_PROCESS:
        fputs(" -x -a '(__heapdrift_processes 2,1)'", to);
        break;
    case VALUE_FREE:
        fputs(" -x", to);
        break;
    }
}

static void begin(FILE *to, const struct command *c)
{
    fprintf(to, "complete -c heapdrift -n '__heapdrift_is %s'", c->name);
}

static void write_option(FILE *to, const struct option *o, const struct command *c)
{
    begin(to, c);
    fprintf(to, " -l %s", o->name);
    if (o->letter != 0)
        fprintf(to, " -s %c", o->letter);
    if (o->argument != NULL)
        write_value(to, o, c);
    fputs(" -d '", to);
    completion_quote(to, o->help, "\\");
    fputs("'\n", to);
}

static void write_operand(FILE *to, const struct command *c)
{
    switch (completion_operand(c)) {
    case OPERAND_SNAPSHOT:
        begin(to, c);
        fputs(" -a '(__heapdrift_snapshots)'\n", to);
        break;
    case OPERAND_PROCESS:
        begin(to, c);
        fputs(" -a '(__heapdrift_processes 1,2; __heapdrift_processes 2,1)'\n", to);
        break;
    case OPERAND_COMMAND:
        begin(to, c);
        fputs(" -a 'formats $__heapdrift_commands'\n", to);
        break;
    case OPERAND_SHELL:
        begin(to, c);
        fputs(" -a 'bash zsh fish'\n", to);
        break;
    case OPERAND_NONE:
        break;
    }
}

static const char code[] =
    "\n"
    "# Whether the command that is typed is $argv; without one it is diff.\n"
    "function __heapdrift_is\n"
    "    set -l words (commandline -opc)\n"
    "    if test (count $words) -gt 1; and contains -- $words[2] $__heapdrift_commands\n"
    "        test $words[2] = $argv\n"
    "    else\n"
    "        test diff = $argv\n"
    "    end\n"
    "end\n"
    "\n"
    "function __heapdrift_has_none\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "\n"
    "# A column of the processes that there are, and another one as its description.\n"
    "function __heapdrift_processes\n"
    "    set -l program (commandline -opc)[1]\n"
    "    type -q $program; or return\n"
    "    set -l columns (string split , $argv)\n"
    "    for line in ($program ps -q --format=tsv 2>/dev/null | tail -n +2)\n"
    "        set -l cells (string split \\t -- $line)\n"
    "        printf '%s\\t%s\\n' $cells[$columns[1]] $cells[$columns[2]]\n"
    "    end\n"
    "end\n"
    "\n"
    "# Folders, and what is named like a snapshot.\n"
    "function __heapdrift_snapshots\n"
    "    __fish_complete_path (commandline -ct) |\n"
    "        string match -r '^(?:.*/|.*\\.(?:" SNAPSHOT_SUFFIXES
    ")(?:\\.(?:" PACKED_SUFFIXES "))?)(?:\\t.*)?$'\n"
    "end\n"
    "\n"
    "complete -c heapdrift -f\n";

static void write(FILE *to)
{
    fputs("# Completion of heapdrift for fish. `heapdrift completion fish` wrote it.\n\n"
          "set -g __heapdrift_commands",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        fprintf(to, " %s", (*c)->name);
    fputs("\n", to);
    fputs(code, to);
    for (const struct command *const *c = commands; *c != NULL; c++) {
        fprintf(to, "complete -c heapdrift -n __heapdrift_has_none -a %s -d '", (*c)->name);
        completion_quote(to, (*c)->summary, "\\");
        fputs("'\n", to);
    }
    for (const struct command *const *c = commands; *c != NULL; c++) {
        write_operand(to, *c);
        for (size_t i = 0; i < option_count; i++)
            if (completion_has(*c, &options[i]))
                write_option(to, &options[i], *c);
    }
}

const struct completion completion_fish = {.shell = "fish", .write = write};
