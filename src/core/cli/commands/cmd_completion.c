/* Prints scripts that let a shell complete words, and the words for them: the scripts run
 * `heapdrift __complete`, which reads the lists of commands, options and values, so that a
 * new option needs no new script. Files and processes are completed by the scripts. */
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/terminal/messages.h"

#include <string.h>

/* --- words ---------------------------------------------------------------
 *
 * A line for each word that may follow: the word, a tab, its description. Lines that begin
 * with a colon are for the script: ":file", ":folder", ":snapshot", and ":process COLUMN
 * OTHER", columns of `heapdrift ps`. */

static void put_word(const char *prefix, const char *word, const char *help)
{
    printf("%s%s\t%s\n", prefix, word, help);
}

/* Words with | between them. */
static void put_alternatives(const char *words)
{
    for (size_t len; *words != '\0'; words += len + (words[len] == '|')) {
        len = strcspn(words, "|");
        printf("%.*s\t\n", (int)len, words);
    }
}

static void put_commands(void)
{
    const struct command *c;
    for (size_t i = 0; (c = command_number(i)) != NULL; i++)
        put_word("", c->name, c->summary);
}

static void put_options(const struct command *c)
{
    for (const struct option *o = NULL; (o = option_next(c, o)) != NULL;) {
        char help[OPTION_HELP_SIZE], name[OPTION_HELP_SIZE];
        bool needs = option_argument(o) != NULL && !option_value_is_optional(o);
        if (!option_is_listed(o, c))
            continue;
        option_help(o, c, help);
        snprintf(name, sizeof(name), "%s%s", o->name, needs ? "=" : "");
        put_word("--", name, help);
    }
}

static void put_values(const struct option *o, const struct command *c, const char *prefix)
{
    static const char *const kinds[] = {[OPTION_FILE_READ] = ":file",
                                        [OPTION_FILE_WRITTEN] = ":file",
                                        [OPTION_STORE] = ":file",
                                        [OPTION_SOCKET] = ":file",
                                        [OPTION_SNAPSHOT] = ":snapshot",
                                        [OPTION_FOLDER] = ":folder",
                                        [OPTION_PID] = ":process 1 2",
                                        [OPTION_PROCESS] = ":process 2 1",
                                        [OPTION_OTHER] = NULL};
    const char *word;
    if (kinds[o->kind] != NULL)
        puts(kinds[o->kind]);
    for (size_t i = 0; kinds[o->kind] == NULL && (word = option_word(o, c, i)) != NULL; i++)
        put_word(prefix, word, "");
}

/* words: those after the command. */
static void put_operands(const struct command *c, const char *const *words, size_t count)
{
    const char *name;
    if (strstr(c->operands, "PID") != NULL) {
        puts(":process 1 2\n:process 2 1");
    } else if (strstr(c->operands, "COMMAND") == NULL) {
        if (strchr(c->operands, '|') != NULL)
            put_alternatives(c->operands);
        else if (c->operands[0] != '\0')
            puts(strcmp(c->name, "fleet") == 0 ? ":file" : ":snapshot"); /* of parts */
    } else if (count == 2 && strcmp(words[0], "hint") == 0) {
        for (size_t i = 0; (name = hd_hint_name(i)) != NULL; i++)
            put_word("", name, "");
    } else {
        put_word("", "formats", "which files are read and written");
        put_word("", "hint", "how to fix a leak of a kind");
        put_commands();
    }
}

/* Returns the option whose value is typed last: "--name=va", "--name va", "-n va", and
 * "--name" "=" "va", as bash breaks words; or NULL. prefix: the part of the last word
 * before its value. */
static const struct option *option_before(const struct command *c, const char *const *words,
                                          size_t count, char prefix[OPTION_HELP_SIZE])
{
    const char *last = words[count - 1], *equals = strchr(last, '=');
    const char *name = count > 1 ? words[count - 2] : "";
    prefix[0] = '\0';
    if (strcmp(last, "=") != 0 && strncmp(last, "--", 2) == 0 && equals != NULL) {
        snprintf(prefix, OPTION_HELP_SIZE, "%.*s", (int)(equals - last) + 1, last);
        name = last;
    } else if (strcmp(name, "=") == 0 && count > 2) {
        name = words[count - 3];
    }
    for (const struct option *o = NULL; (o = option_next(c, o)) != NULL;) {
        const char letter[] = {'-', o->letter, '\0'};
        size_t len = strlen(o->name);
        bool is_named = strncmp(name, "--", 2) == 0 &&
                        strncmp(name + 2, o->name, len) == 0 &&
                        (name[2 + len] == '\0' || name[2 + len] == '=');
        if (option_argument(o) != NULL && option_is_listed(o, c) &&
            (is_named || (o->letter != 0 && strcmp(name, letter) == 0)))
            return o;
    }
    return NULL;
}

int complete_words(const char *const *words, size_t count)
{
    static const char *const nothing[] = {""};
    char prefix[OPTION_HELP_SIZE];
    bool ended = false;
    if (count == 0) {
        words = nothing;
        count = 1;
    }
    const struct command *named = count > 1 ? command_named(words[0]) : NULL;
    const struct command *c = named != NULL ? named : command_named("diff");
    for (size_t i = 0; i + 1 < count; i++)
        ended |= strcmp(words[i], "--") == 0;
    const struct option *o = ended ? NULL : option_before(c, words, count, prefix);
    if (o != NULL)
        put_values(o, c, prefix);
    else if (words[count - 1][0] == '-' && !ended)
        put_options(c);
    else if (count > 1)
        put_operands(c, words + (named != NULL), count - (named != NULL));
    else {
        put_commands();
        puts(":snapshot");
    }
    return EXIT_DONE;
}

/* --- scripts ------------------------------------------------------------- */

/* How names of snapshots end, as "a|b|c" of a regular expression. */
#define SNAPSHOT_SUFFIXES \
    "gcdump|nettrace|digest|core|dmp|netperf|txt|csv|tsv|json|zip|diagsession"
#define PACKED_SUFFIXES "gz|zst|xz|bz2"

/* 4.0 and later, without the package bash-completion. */
static const char bash[] =
    "# Completion of heapdrift for bash. `heapdrift completion bash` wrote it.\n"
    "# shellcheck shell=bash\n"
    "_heapdrift() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prefix='' before='' word file\n"
    "    local suffix='\\.(" SNAPSHOT_SUFFIXES ")(\\.(" PACKED_SUFFIXES "))?$'\n"
    "    # core.4711 of the kernel, coredump.4711 of the runtime, core_DATE of "
    "dotnet-dump\n"
    "    suffix+='|(^|/)core(dump)?[._][0-9_]+$'\n"
    "    local program=${COMP_WORDS[0]} all=() words=(\"${COMP_WORDS[@]:1:COMP_CWORD}\")\n"
    "    COMPREPLY=()\n"
    "    # A word may be broken at \"=\", as COMP_WORDBREAKS says.\n"
    "    [[ $cur != '=' ]] || cur=''\n"
    "    [[ $cur != --*=* ]] || prefix=${cur%%=*}= before=${cur#*=}\n"
    "    [[ -n $prefix ]] || before=$cur\n"
    "    while IFS=$'\\t' read -r word _; do\n"
    "        case $word in\n"
    "        :process*) while IFS= read -r word; do\n"
    "            # Names are words of others, which must not be expanded.\n"
    "            [[ $word != \"$before\"* ]] ||\n"
    "                COMPREPLY+=(\"$prefix$(printf %q \"$word\")\")\n"
    "        done < <(\"$program\" ps -q --format=tsv 2>/dev/null | tail -n +2 |\n"
    "            cut -f\"${word:9:1}\") ;;\n"
    "        :*) compopt -o filenames 2>/dev/null\n"
    "            while IFS= read -r file; do\n"
    "                all+=(\"$prefix$file\")\n"
    "                [[ $word != :snapshot || -d $file || $file =~ $suffix ]] &&\n"
    "                    COMPREPLY+=(\"$prefix$file\")\n"
    "            done < <(compgen \"$([[ $word == :folder ]] && echo -d || echo -f)\" \\\n"
    "                -- \"$before\")\n"
    "            ((${#COMPREPLY[@]})) || COMPREPLY=(\"${all[@]}\") ;;\n"
    "        \"$cur\"*) COMPREPLY+=(\"$word\") ;;\n"
    "        esac\n"
    "    done < <(\"$program\" __complete \"${words[@]}\" 2>/dev/null)\n"
    "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
    "}\n"
    "complete -F _heapdrift heapdrift\n";

static const char zsh[] =
    "#compdef heapdrift\n"
    "# Completion of heapdrift for zsh. `heapdrift completion zsh` wrote it.\n"
    "_heapdrift() {\n"
    "    local program=$words[1] line word help\n"
    "    local -a all\n"
    "    for line in ${(f)\"$($program __complete \"${(@Q)words[2,CURRENT]}\" "
    "2>/dev/null)\"}; do\n"
    "        word=${line%%$'\\t'*} help=${line#*$'\\t'}\n"
    "        [[ $word != :* || $PREFIX != --*=* ]] || compset -P '*='\n"
    "        case $word in\n"
    "        :file) _files ;;\n"
    "        :folder) _files -/ ;;\n"
    "        :snapshot) _files -g '(*.(" SNAPSHOT_SUFFIXES ")(|.(" PACKED_SUFFIXES
    "))|core(|dump)[._][0-9]*)(-.)' ;;\n"
    "        :process*) all=(${(f)\"$($program ps -q --format=tsv 2>/dev/null |\n"
    "            tail -n +2 | cut -f$word[10])\"})\n"
    "            compadd -- $all ;;\n"
    "        *=) [[ $word == --*=?* ]] || compadd -S '' -X \"$help\" -- $word ;;\n"
    "        *) all=(\"$word${help:+  -- $help}\")\n"
    "            compadd -l -d all -- $word ;;\n"
    "        esac\n"
    "    done\n"
    "}\n"
    "\n"
    "# Loaded by compinit, or by source.\n"
    "if [[ $funcstack[1] == _heapdrift ]]; then\n"
    "    _heapdrift \"$@\"\n"
    "else\n"
    "    compdef _heapdrift heapdrift\n"
    "fi\n";

static const char fish[] =
    "# Completion of heapdrift for fish. `heapdrift completion fish` wrote it.\n"
    "function __heapdrift_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l token (commandline -ct)\n"
    "    set -l prefix (string replace -r -- '^(--[^=]*=)?.*' '$1' \"$token\")\n"
    "    set -l path (string replace -r -- '^--[^=]*=' '' \"$token\")\n"
    "    set -l suffix '(?:" SNAPSHOT_SUFFIXES ")(?:\\.(?:" PACKED_SUFFIXES "))?'\n"
    "    type -q $words[1]; or return\n"
    "    for line in ($words[1] __complete $words[2..-1] \"$token\" 2>/dev/null)\n"
    "        switch $line\n"
    "            case ':process*'\n"
    "                set -l columns (string split ' ' $line)\n"
    "                for row in ($words[1] ps -q --format=tsv 2>/dev/null | tail -n +2)\n"
    "                    set -l cells (string split \\t -- $row)\n"
    "                    printf '%s\\t%s\\n' $prefix$cells[$columns[2]] "
    "$cells[$columns[3]]\n"
    "                end\n"
    "            case :folder\n"
    "                printf '%s\\n' $prefix(__fish_complete_directories \"$path\")\n"
    "            case :file\n"
    "                printf '%s\\n' $prefix(__fish_complete_path \"$path\")\n"
    "            case :snapshot\n"
    "                printf '%s\\n' $prefix(__fish_complete_path \"$path\" |\n"
    "                    string match -r \"^(?:.*/|.*\\\\.$suffix|"
    "(?:.*/)?core(?:dump)?[._][0-9_]+)(?:\\t.*)?\\$\")\n"
    "            case '*'\n"
    "                printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c heapdrift -f -a '(__heapdrift_complete)'\n";

static const struct {
    const char *name, *script;
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

static int completion_run(struct settings *s)
{
    const char *wanted = s->operand_count == 1 ? s->operands[0] : "";
    for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
        if (strcmp(shells[i].name, wanted) == 0) {
            fputs(shells[i].script, stdout);
            return EXIT_DONE;
        }
    refuse("name a shell: heapdrift completion bash, zsh or fish");
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
    .run = completion_run,
};
