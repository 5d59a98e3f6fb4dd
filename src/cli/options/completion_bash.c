/* Completion in bash, 4.0 and later, without the package bash-completion. Bash breaks words
 * at "=", so "--format=js" is three words. */
#include "cli/options/completion.h"

static void write_words(FILE *to, const struct option *o, const struct command *c)
{
    const char *word;
    for (size_t i = 0; (word = option_word(o->name, c, i)) != NULL; i++)
        fprintf(to, " %s", word);
}

/* "    diff:--format) takes='word text json' ;;" */
static void write_value(FILE *to, const struct option *o, const struct command *c)
{
    static const char *const kinds[] = {
        [VALUE_FREE] = "free",         [VALUE_WORD] = "word",
        [VALUE_HINTS] = "word",        [VALUE_FILE_READ] = "file",
        [VALUE_FILE_WRITTEN] = "file", [VALUE_STORE] = "file",
        [VALUE_FOLDER] = "folder",     [VALUE_SNAPSHOT] = "snapshot",
        [VALUE_PID] = "process 1",     [VALUE_PROCESS] = "process 2",
        [VALUE_SOCKET] = "file"};
    if (o->argument == NULL)
        return;
    fprintf(to, "    %s:--%s", c->name, o->name);
    if (o->letter != 0)
        fprintf(to, " | %s:-%c", c->name, o->letter);
    fprintf(to, ") takes='%s", kinds[option_value_kind(o, c)]);
    write_words(to, o, c);
    fputs("' ;;\n", to);
}

static void write_lists(FILE *to)
{
    fputs("# The options of command $1.\n"
          "_heapdrift_options() {\n"
          "    case $1 in\n",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++) {
        fprintf(to, "    %s) options='", (*c)->name);
        for (size_t i = 0; i < option_count; i++)
            if (completion_has(*c, &options[i]))
                fprintf(to, " --%s%s", options[i].name,
                        options[i].argument != NULL &&
                                !option_value_is_optional(&options[i])
                            ? "="
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
        for (size_t i = 0; i < option_count; i++)
            if (completion_has(*c, &options[i]))
                write_value(to, &options[i], *c);
    fputs("    *) takes= ;;\n"
          "    esac\n"
          "}\n\n",
          to);
}

static void write_operands(FILE *to)
{
    static const char *const kinds[] = {[OPERAND_NONE] = "free",
                                        [OPERAND_SNAPSHOT] = "snapshot",
                                        [OPERAND_PROCESS] = "process 1-2",
                                        [OPERAND_COMMAND] = "word formats $commands",
                                        [OPERAND_SHELL] = "word bash zsh fish"};
    fputs("# What the operands of command $1 are.\n"
          "_heapdrift_operands() {\n"
          "    local commands='",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        fprintf(to, "%s%s", c == commands ? "" : " ", (*c)->name);
    fputs("'\n"
          "    case $1 in\n",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        fprintf(to, "    %s) takes=\"%s\" ;;\n", (*c)->name, kinds[completion_operand(*c)]);
    fputs("    '') takes=\"word $commands\" ;;\n"
          "    esac\n"
          "}\n\n",
          to);
}

static const char code[] =
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

static void write(FILE *to)
{
    fputs("# Completion of heapdrift for bash. `heapdrift completion bash` wrote it.\n"
          "# shellcheck shell=bash disable=SC2034,SC2178 # lists go from function to "
          "function\n\n",
          to);
    write_lists(to);
    write_operands(to);
    fputs(code, to);
}

const struct completion completion_bash = {.shell = "bash", .write = write};
