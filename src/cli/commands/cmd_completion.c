/* Scripts that teach a shell the words of this program: they are made of the lists of
 * commands, options and values, so that they cannot know less than the program. */
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/options/values.h"

#include <string.h>

/* --- what all shells need ------------------------------------------------ */

/* How names of snapshots end, as "a|b|c" of a regular expression. */
#define SNAPSHOT_SUFFIXES \
    "gcdump|nettrace|core|dmp|netperf|txt|csv|tsv|json|zip|diagsession"
#define PACKED_SUFFIXES "gz|zst|xz|bz2"

/* What an operand of the command is. */
enum operand_kind {
    OPERAND_NONE,
    OPERAND_SNAPSHOT,
    OPERAND_PROCESS,
    OPERAND_COMMAND,
    OPERAND_WORD
};
static enum operand_kind operand_of(const struct command *command)
{
    const char *operands = command->operands;
    if (strstr(operands, "PID") != NULL)
        return OPERAND_PROCESS;
    if (strstr(operands, "COMMAND") != NULL)
        return OPERAND_COMMAND;
    if (strchr(operands, '|') != NULL)
        return OPERAND_WORD;
    return operands[0] != '\0' ? OPERAND_SNAPSHOT : OPERAND_NONE;
}

/* Words with | between them, with blanks instead. */
static void put_alternatives(FILE *to, const char *words)
{
    for (; *words != '\0'; words++)
        fputc(*words == '|' ? ' ' : *words, to);
}

/* The names of hints, with blanks between them. */
static void put_hints(FILE *to)
{
    const char *name;
    for (size_t i = 0; (name = hd_hint_name(i)) != NULL; i++)
        fprintf(to, "%s%s", i == 0 ? "" : " ", name);
}

/* Text between single quotes of a shell, without them; what is in special gets a backslash
 * before it. */
static void put_quoted(FILE *to, const char *text, const char *special)
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

/* What completes a value. */
enum completed_by {
    BY_NOTHING,
    BY_WORDS,
    BY_FILES,
    BY_SNAPSHOTS,
    BY_FOLDERS,
    BY_PIDS,
    BY_NAMES
};

static enum completed_by completed_by(const struct option *o, const struct command *c)
{
    switch (o->kind) {
    case OPTION_FILE_READ:
    case OPTION_FILE_WRITTEN:
    case OPTION_STORE:
    case OPTION_SOCKET:
        return BY_FILES;
    case OPTION_SNAPSHOT:
        return BY_SNAPSHOTS;
    case OPTION_FOLDER:
        return BY_FOLDERS;
    case OPTION_PID:
        return BY_PIDS;
    case OPTION_PROCESS:
        return BY_NAMES;
    default:
        return option_word(o, c, 0) != NULL ? BY_WORDS : BY_NOTHING;
    }
}

static void put_words(FILE *to, const struct option *o, const struct command *c)
{
    const char *word;
    for (size_t i = 0; (word = option_word(o, c, i)) != NULL; i++)
        fprintf(to, "%s%s", i == 0 ? "" : " ", word);
}

static void put_help(FILE *to, const struct option *o, const struct command *c,
                     const char *special)
{
    char help[OPTION_HELP_SIZE];
    option_help(o, c, help);
    put_quoted(to, help, special);
}

/* --- bash -------------------------------------------------------------------
 *
 * 4.0 and later, without the package bash-completion. Bash breaks words at "=", so
 * "--format=js" is three words. */

/* "    diff:--format) takes='word text json' ;;" */
static void bash_value(FILE *to, const struct option *o, const struct command *c)
{
    static const char *const kinds[] = {
        [BY_NOTHING] = "free",       [BY_WORDS] = "word",     [BY_FILES] = "file",
        [BY_SNAPSHOTS] = "snapshot", [BY_FOLDERS] = "folder", [BY_PIDS] = "process 1",
        [BY_NAMES] = "process 2"};
    if (option_argument(o) == NULL)
        return;
    fprintf(to, "    %s:--%s", c->name, o->name);
    if (o->letter != 0)
        fprintf(to, " | %s:-%c", c->name, o->letter);
    fprintf(to, ") takes='%s", kinds[completed_by(o, c)]);
    fputs(option_word(o, c, 0) != NULL ? " " : "", to);
    put_words(to, o, c);
    fputs("' ;;\n", to);
}

static void bash_lists(FILE *to)
{
    fputs("# The options of command $1.\n"
          "_heapdrift_options() {\n"
          "    case $1 in\n",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++) {
        fprintf(to, "    %s) options='", (*c)->name);
        for (const struct option *o = NULL; (o = option_next(*c, o)) != NULL;)
            if (option_is_listed(o, *c))
                fprintf(to, " --%s%s", o->name,
                        option_argument(o) != NULL && !option_value_is_optional(o) ? "="
                                                                                   : "");
        fputs("' ;;\n", to);
    }
    fputs("    *) options= ;;\n"
          "    esac\n"
          "}\n\n"
          "# What option $2 of command $1 takes; nothing if it is a switch, or none.\n"
          "_heapdrift_takes() {\n"
          "    case $1:$2 in\n",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        for (const struct option *o = NULL; (o = option_next(*c, o)) != NULL;)
            if (option_is_listed(o, *c))
                bash_value(to, o, *c);
    fputs("    *) takes= ;;\n"
          "    esac\n"
          "}\n\n",
          to);
}

static void bash_operands(FILE *to)
{
    static const char *const kinds[] = {[OPERAND_NONE] = "free",
                                        [OPERAND_SNAPSHOT] = "snapshot",
                                        [OPERAND_PROCESS] = "process 1-2",
                                        [OPERAND_COMMAND] = "word formats hint $commands",
                                        [OPERAND_WORD] = "word "};
    fputs("# What the operands of command $1 are.\n"
          "_heapdrift_operands() {\n"
          "    local commands='",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        fprintf(to, "%s%s", c == commands ? "" : " ", (*c)->name);
    fputs("'\n"
          "    case $1 in\n",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++) {
        fprintf(to, "    %s) takes=\"%s", (*c)->name, kinds[operand_of(*c)]);
        put_alternatives(to, operand_of(*c) == OPERAND_WORD ? (*c)->operands : "");
        fputs("\" ;;\n", to);
    }
    fputs("    '') takes=\"word $commands\" ;;\n"
          "    esac\n"
          "    [[ $1 != help || ${COMP_WORDS[2]} != hint || $COMP_CWORD != 3 ]] ||\n"
          "        takes='word ",
          to);
    put_hints(to);
    fputs("'\n"
          "}\n\n",
          to);
}

static const char bash_code[] =
    "# Files that begin with $1: folders, and what is named like a snapshot; all of them\n"
    "# where there is none.\n"
    "_heapdrift_snapshots() {\n"
    "    local file all=()\n"
    "    while IFS= read -r file; do\n"
    "        all+=(\"$file\")\n"
    "        [[ -d $file || $file =~ \\.(" SNAPSHOT_SUFFIXES ")(\\.(" PACKED_SUFFIXES
    "))?$ ]] && COMPREPLY+=(\"$file\")\n"
    "    done < <(compgen -f -- \"$1\")\n"
    "    ((${#COMPREPLY[@]})) || COMPREPLY=(\"${all[@]}\")\n"
    "}\n"
    "\n"
    "# Columns $1 of the processes that there are, as far as they begin with $2. Their "
    "names\n"
    "# are words of others, which compgen -W would expand.\n"
    "_heapdrift_processes() {\n"
    "    local word\n"
    "    while IFS= read -r word; do\n"
    "        [[ $word != \"$2\"* ]] || COMPREPLY+=(\"$(printf %q \"$word\")\")\n"
    "    done < <(\"$program\" ps -q --format=tsv 2>/dev/null | tail -n +2 |\n"
    "        cut -f\"$1\" | tr '\\t' '\\n')\n"
    "}\n"
    "\n"
    "# Words of kind $1 that begin with $2; further arguments are what it is made of.\n"
    "_heapdrift_reply() {\n"
    "    local kind=$1 cur=$2\n"
    "    shift 2\n"
    "    case $kind in\n"
    "    word) mapfile -t COMPREPLY < <(compgen -W \"$*\" -- \"$cur\") ;;\n"
    "    process) _heapdrift_processes \"$1\" \"$cur\" ;;\n"
    "    file) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
    "    folder) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
    "    snapshot) _heapdrift_snapshots \"$cur\" ;;\n"
    "    esac\n"
    "    case $kind in\n"
    "    file | folder | snapshot) compopt -o filenames 2>/dev/null ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_heapdrift() {\n"
    "    local IFS=$' \\t\\n' program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]}\n"
    "    local option=${COMP_WORDS[COMP_CWORD - 1]} command=diff prefix='' options takes "
    "i\n"
    "    COMPREPLY=()\n"
    "    # Words may be broken at =, as COMP_WORDBREAKS says.\n"
    "    if [[ $cur == '=' ]]; then\n"
    "        cur=\n"
    "    elif [[ $option == '=' ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    elif [[ $cur == --*=* ]]; then\n"
    "        option=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}\n"
    "    fi\n"
    "    if ((COMP_CWORD > 1)); then\n"
    "        _heapdrift_options \"${COMP_WORDS[1]}\"\n"
    "        [[ -z $options ]] || command=${COMP_WORDS[1]}\n"
    "    fi\n"
    "    # Behind -- there are operands only.\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        [[ ${COMP_WORDS[i]} != -- ]] || option=--\n"
    "    done\n"
    "    _heapdrift_takes \"$command\" \"$option\"\n"
    "    if [[ -n $takes ]]; then\n"
    "        # shellcheck disable=SC2086 # a kind and words\n"
    "        set -- $takes\n"
    "        _heapdrift_reply \"$1\" \"$cur\" \"${@:2}\"\n"
    "        [[ -z $prefix ]] || COMPREPLY=(\"${COMPREPLY[@]/#/$prefix}\")\n"
    "    elif [[ $cur == -* && $option != -- ]]; then\n"
    "        _heapdrift_options \"$command\"\n"
    "        _heapdrift_reply word \"$cur\" \"$options\"\n"
    "        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
    "    elif ((COMP_CWORD == 1)); then\n"
    "        _heapdrift_operands ''\n"
    "        # shellcheck disable=SC2086\n"
    "        _heapdrift_reply word \"$cur\" ${takes#* }\n"
    "        _heapdrift_snapshots \"$cur\"\n"
    "    else\n"
    "        _heapdrift_operands \"$command\"\n"
    "        # shellcheck disable=SC2086\n"
    "        set -- $takes\n"
    "        _heapdrift_reply \"$1\" \"$cur\" \"${@:2}\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "complete -F _heapdrift heapdrift\n";

static void write_bash(FILE *to)
{
    fputs("# Completion of heapdrift for bash. `heapdrift completion bash` wrote it.\n"
          "# shellcheck shell=bash disable=SC2034,SC2178 # lists go from function to "
          "function\n\n",
          to);
    bash_lists(to);
    bash_operands(to);
    fputs(bash_code, to);
}

/* What completes a value, in the shell's words; a list of words stands between two. */
static void put_action(FILE *to, const struct option *o, const struct command *c,
                       const char *const *actions, const char *before, const char *after)
{
    enum completed_by by = completed_by(o, c);
    if (by != BY_WORDS) {
        fputs(actions[by], to);
        return;
    }
    fputs(before, to);
    put_words(to, o, c);
    fputs(after, to);
}

/* --- zsh: the words of _arguments, a function per command ------------------- */

/* What may stand in [...] of _arguments. */
static const char special[] = "[]:\\";

static void zsh_action(FILE *to, const struct option *o, const struct command *c)
{
    static const char *const actions[] = {[BY_NOTHING] = " ",
                                          [BY_FILES] = "_files",
                                          [BY_SNAPSHOTS] = "_files",
                                          [BY_FOLDERS] = "_files -/",
                                          [BY_PIDS] = " _heapdrift_processes 1",
                                          [BY_NAMES] = " _heapdrift_processes 2"};
    put_action(to, o, c, actions, "(", ")");
}

/* '*--type=[only types that match]:PATTERN: ' and the same with the letter. */
static void zsh_spec(FILE *to, const struct option *o, const struct command *c, bool letter)
{
    fputs("        '*", to);
    if (letter)
        fprintf(to, "-%c%s", o->letter, option_argument(o) != NULL ? "+" : "");
    else
        fprintf(to, "--%s%s", o->name,
                option_value_is_optional(o)  ? "=-"
                : option_argument(o) != NULL ? "="
                                             : "");
    fputs("[", to);
    put_help(to, o, c, special);
    fputs("]", to);
    if (option_argument(o) != NULL) {
        const char *argument = option_argument(o);
        char name[32];
        const char *start = argument + strspn(argument, "[=");
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(start, "]"), start);
        fputs(option_value_is_optional(o) ? "::" : ":", to);
        put_quoted(to, name, special);
        fputs(":", to);
        zsh_action(to, o, c);
    }
    fputs("'\n", to);
}

static void zsh_command(FILE *to, const struct command *c)
{
    static const char *const operands[] = {
        [OPERAND_NONE] = NULL,
        [OPERAND_SNAPSHOT] = "*:snapshot:_heapdrift_snapshots",
        [OPERAND_PROCESS] = "1:process: _heapdrift_processes 1-2",
        [OPERAND_COMMAND] = "1:command:_heapdrift_topics",
        [OPERAND_WORD] = NULL};
    fprintf(to, "    %s)\n        specs=(\n", c->name);
    for (const struct option *o = NULL; (o = option_next(c, o)) != NULL;) {
        if (!option_is_listed(o, c))
            continue;
        if (o->letter != 0)
            zsh_spec(to, o, c, true);
        zsh_spec(to, o, c, false);
    }
    if (operands[operand_of(c)] != NULL)
        fprintf(to, "        '%s'\n", operands[operand_of(c)]);
    if (operand_of(c) == OPERAND_WORD) {
        fputs("        '1:word:(", to);
        put_alternatives(to, c->operands);
        fputs(")'\n", to);
    }
    if (operand_of(c) == OPERAND_COMMAND)
        fputs("        '2:hint:_heapdrift_hints'\n", to);
    fputs("        ) ;;\n", to);
}

static void write_zsh(FILE *to)
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
        put_quoted(to, (*c)->summary, ":\\");
        fputs("'\n", to);
    }
    fputs("    )\n"
          "    _describe command all\n"
          "}\n"
          "\n"
          "_heapdrift_topics() {\n"
          "    local -a more=('formats:which files are read and written' "
          "'hint:how to fix a leak of a kind')\n"
          "    _describe topic more\n"
          "    _heapdrift_commands\n"
          "}\n"
          "\n"
          "_heapdrift_hints() {\n"
          "    [[ $words[2] != hint ]] || compadd -- ",
          to);
    put_hints(to);
    fputs("\n"
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
        zsh_command(to, *c);
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

/* --- fish: a line per option of a command ----------------------------------- */

static void fish_value(FILE *to, const struct option *o, const struct command *c)
{
    static const char *const values[] = {
        [BY_NOTHING] = " -x",
        [BY_FILES] = " -r -F",
        [BY_SNAPSHOTS] = " -r -F",
        [BY_FOLDERS] = " -x -a '(__fish_complete_directories (commandline -ct))'",
        [BY_PIDS] = " -x -a '(__heapdrift_processes 1,2)'",
        [BY_NAMES] = " -x -a '(__heapdrift_processes 2,1)'"};
    put_action(to, o, c, values, " -x -a '", "'");
}

static void fish_begin(FILE *to, const struct command *c)
{
    fprintf(to, "complete -c heapdrift -n '__heapdrift_is %s'", c->name);
}

static void fish_option(FILE *to, const struct option *o, const struct command *c)
{
    fish_begin(to, c);
    fprintf(to, " -l %s", o->name);
    if (o->letter != 0)
        fprintf(to, " -s %c", o->letter);
    if (option_argument(o) != NULL)
        fish_value(to, o, c);
    fputs(" -d '", to);
    put_help(to, o, c, "\\");
    fputs("'\n", to);
}

static void fish_operand(FILE *to, const struct command *c)
{
    switch (operand_of(c)) {
    case OPERAND_SNAPSHOT:
        fish_begin(to, c);
        fputs(" -a '(__heapdrift_snapshots)'\n", to);
        break;
    case OPERAND_PROCESS:
        fish_begin(to, c);
        fputs(" -a '(__heapdrift_processes 1,2; __heapdrift_processes 2,1)'\n", to);
        break;
    case OPERAND_COMMAND:
        fprintf(to,
                "complete -c heapdrift -n '__heapdrift_is %s; and not "
                "__heapdrift_wants_hint' -a 'formats hint $__heapdrift_commands'\n"
                "complete -c heapdrift -n __heapdrift_wants_hint -a '",
                c->name);
        put_hints(to);
        fputs("'\n", to);
        break;
    case OPERAND_WORD:
        fish_begin(to, c);
        fputs(" -a '", to);
        put_alternatives(to, c->operands);
        fputs("'\n", to);
        break;
    case OPERAND_NONE:
        break;
    }
}

static const char fish_code[] =
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
    "function __heapdrift_wants_hint\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -eq 3; and test \"$words[2] $words[3]\" = 'help hint'\n"
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

static void write_fish(FILE *to)
{
    fputs("# Completion of heapdrift for fish. `heapdrift completion fish` wrote it.\n\n"
          "set -g __heapdrift_commands",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        fprintf(to, " %s", (*c)->name);
    fputs("\n", to);
    fputs(fish_code, to);
    for (const struct command *const *c = commands; *c != NULL; c++) {
        fprintf(to, "complete -c heapdrift -n __heapdrift_has_none -a %s -d '", (*c)->name);
        put_quoted(to, (*c)->summary, "\\");
        fputs("'\n", to);
    }
    for (const struct command *const *c = commands; *c != NULL; c++) {
        fish_operand(to, *c);
        for (const struct option *o = NULL; (o = option_next(*c, o)) != NULL;)
            if (option_is_listed(o, *c))
                fish_option(to, o, *c);
    }
}

/* --- the command --------------------------------------------------------- */

static const struct {
    const char *name;
    void (*write)(FILE *to);
} shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};

static int run(struct settings *s)
{
    const char *wanted = s->operand_count == 1 ? s->operands[0] : "";
    for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
        if (strcmp(shells[i].name, wanted) == 0) {
            shells[i].write(stdout);
            return EXIT_DONE;
        }
    fputs("heapdrift: name a shell: heapdrift completion bash, zsh or fish\n", stderr);
    return EXIT_TROUBLE;
}

const struct command cmd_completion = {
    .name = "completion",
    .bit = ON_HELP,
    .purpose = FOR_HELP,
    .operands = "bash|zsh|fish",
    .summary = "print a completion script for a shell",
    .description =
        "Print a script that completes commands, options, their values, snapshots and\n"
        "processes. `make install` installs it where shells look for it.",
    .examples =
        {
            {"source <(heapdrift completion bash)", "in this bash"},
            {"heapdrift completion zsh >~/.zfunc/_heapdrift", "in a folder of $fpath"},
            {"heapdrift completion fish | source", "in this fish"},
        },
    .run = run,
};
