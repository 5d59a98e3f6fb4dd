/* Completion in zsh: the words of _arguments, a function per command. */
#include "cli/options/completion.h"

#include <string.h>

/* What may stand in [...] of _arguments. */
static const char special[] = "[]:\\";

static void write_action(FILE *to, const struct option *o, const struct command *c)
{
    const enum value_kind kind = option_value_kind(o, c);
    const char *word;
    switch (kind) {
    case VALUE_WORD:
    case VALUE_HINTS:
        for (size_t i = 0; (word = option_word(o->name, c, i)) != NULL; i++)
            fprintf(to, "%s%s", i == 0 ? "(" : " ", word);
        fputs(")", to);
        break;
    case VALUE_FILE_READ:
    case VALUE_FILE_WRITTEN:
    case VALUE_STORE:
    case VALUE_SNAPSHOT:
    case VALUE_SOCKET:
        fputs("_files", to);
        break;
    case VALUE_FOLDER:
        fputs("_files -/", to);
        break;
    case VALUE_PID:
        fputs(" _heapdrift_processes 1", to);
        break;
    case VALUE_PROCESS:
        fputs(" _heapdrift_processes 2", to);
        break;
    case VALUE_FREE:
        fputs(" ", to);
        break;
    }
}

/* '*--type=[only types that match]:PATTERN: ' and the same with the letter. */
static void write_spec(FILE *to, const struct option *o, const struct command *c,
                       bool letter)
{
    fputs("        '*", to);
    if (letter)
        fprintf(to, "-%c%s", o->letter, o->argument != NULL ? "+" : "");
    else
        fprintf(to, "--%s%s", o->name,
                option_value_is_optional(o) ? "=-"
                : o->argument != NULL       ? "="
                                            : "");
    fputs("[", to);
    completion_quote(to, o->help, special);
    fputs("]", to);
    if (o->argument != NULL) {
        char name[32];
        const char *start = o->argument + strspn(o->argument, "[=");
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(start, "]"), start);
        fputs(option_value_is_optional(o) ? "::" : ":", to);
        completion_quote(to, name, special);
        fputs(":", to);
        write_action(to, o, c);
    }
    fputs("'\n", to);
}

static void write_command(FILE *to, const struct command *c)
{
    static const char *const operands[] = {
        [OPERAND_NONE] = NULL,
        [OPERAND_SNAPSHOT] = "*:snapshot:_heapdrift_snapshots",
        [OPERAND_PROCESS] = "1:process: _heapdrift_processes 1-2",
        [OPERAND_COMMAND] = "1:command:_heapdrift_topics",
        [OPERAND_SHELL] = "1:shell:(bash zsh fish)"};
    fprintf(to, "    %s)\n        specs=(\n", c->name);
    for (size_t i = 0; i < option_count; i++) {
        if (!completion_has(c, &options[i]))
            continue;
        if (options[i].letter != 0)
            write_spec(to, &options[i], c, true);
        write_spec(to, &options[i], c, false);
    }
    if (operands[completion_operand(c)] != NULL)
        fprintf(to, "        '%s'\n", operands[completion_operand(c)]);
    fputs("        ) ;;\n", to);
}

static void write(FILE *to)
{
    fputs("#compdef heapdrift\n"
          "# Completion of heapdrift for zsh. `heapdrift completion zsh` wrote it.\n"
          "\n"
          "_heapdrift_commands() {\n"
          "    local -a all\n"
          "    all=(\n",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++) {
        fprintf(to, "        '%s:", (*c)->name);
        completion_quote(to, (*c)->summary, ":\\");
        fputs("'\n", to);
    }
    fputs("    )\n"
          "    _describe command all\n"
          "}\n"
          "\n"
          "_heapdrift_topics() {\n"
          "    local -a more=('formats:which files are read and written')\n"
          "    _describe topic more\n"
          "    _heapdrift_commands\n"
          "}\n"
          "\n"
          "# Columns $1 of the processes that there are: numbers, names.\n"
          "_heapdrift_processes() {\n"
          "    local -a all\n"
          "    all=(${(f)\"$($program ps -q --format=tsv 2>/dev/null | tail -n +2 |\n"
          "        cut -f$1 | tr '\\t' '\\n')\"})\n"
          "    compadd -- $all\n"
          "}\n"
          "\n"
          "_heapdrift_snapshots() {\n"
          "    _files \"$@\" -g '*.(" SNAPSHOT_SUFFIXES ")(|.(" PACKED_SUFFIXES "))(-.)'\n"
          "}\n"
          "\n"
          "_heapdrift() {\n"
          "    local program=$words[1] command=diff\n"
          "    local -a specs\n"
          "    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
          "        _alternative 'commands:command:_heapdrift_commands' \\\n"
          "            'files:snapshot:_heapdrift_snapshots'\n"
          "        return\n"
          "    fi\n"
          "    case $words[2] in\n"
          "    ",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        fprintf(to, "%s%s", c == commands ? "" : " | ", (*c)->name);
    fputs(")\n"
          "        command=$words[2]\n"
          "        shift words\n"
          "        (( CURRENT-- )) ;;\n"
          "    esac\n"
          "    case $command in\n",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        write_command(to, *c);
    fputs("    esac\n"
          "    _arguments -s -S $specs\n"
          "}\n"
          "\n"
          "# Loaded by compinit, or by source.\n"
          "if [[ $funcstack[1] == _heapdrift ]]; then\n"
          "    _heapdrift \"$@\"\n"
          "else\n"
          "    compdef _heapdrift heapdrift\n"
          "fi\n",
          to);
}

const struct completion completion_zsh = {.shell = "zsh", .write = write};
