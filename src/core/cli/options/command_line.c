#include "cli/options/command_line.h"

#include "cli/guard/allocate.h"
#include "cli/guard/memory.h"
#include "cli/guard/trust.h"
#include "cli/guard/used_files.h"
#include "cli/options/options.h"
#include "cli/terminal/messages.h"
#include "heapdrift_store.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- @FILE ----------------------------------------------------------------------- */

enum { LARGEST_FILE = 1 << 20, MEMORY_FOR_POPT = 64 << 10 };

static void command_line_add(struct arguments *a, const char *word)
{
    a->ended |= strcmp(word, "--") == 0;
    a->all = more((void *)a->all, ((size_t)a->count + 2) * sizeof(*a->all));
    a->all[a->count++] = word;
    a->all[a->count] = NULL;
}

static bool add_file(struct arguments *a, const char *path)
{
    if (!trust_check(path, TRUST_NAMED))
        return false;
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return trouble(path, strerror(errno));
    char *text = more(NULL, LARGEST_FILE + 1);
    size_t len = fread(text, 1, LARGEST_FILE + 1, f);
    const char *wrong = ferror(f) != 0       ? strerror(errno)
                        : len > LARGEST_FILE ? "longer than 1 MiB"
                                             : NULL;
    fclose(f);
    text[wrong == NULL ? len : 0] = '\0';
    /* The parser knows blanks only. */
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    int count = 0, status = 0;
    const char **words = NULL;
    check_memory(2 * strlen(text) + MEMORY_FOR_POPT);
    if (text[strspn(text, " \t")] != '\0')
        status = poptParseArgvString(text, &count, &words);
    free(text);
    if (wrong != NULL || status != 0)
        return trouble(path, wrong != NULL ? wrong : poptStrerror(status));
    a->files = more(a->files, (a->file_count + 1) * sizeof(*a->files));
    a->files[a->file_count++] = (struct argument_file){path, words};
    for (int i = 0; i < count; i++)
        command_line_add(a, words[i]);
    return true;
}

bool arguments_expand(struct arguments *a, int argc, char **argv)
{
    *a = (struct arguments){0};
    for (int i = 0; i < argc; i++) {
        bool is_file = i > 0 && !a->ended && argv[i][0] == '@' && argv[i][1] != '\0';
        if (!is_file)
            command_line_add(a, argv[i]);
        else if (!add_file(a, argv[i] + 1))
            return false;
    }
    return true;
}

void arguments_free(struct arguments *a)
{
    for (size_t i = 0; i < a->file_count; i++)
        free((void *)a->files[i].words);
    free(a->files);
    free((void *)a->all);
    *a = (struct arguments){0};
}

/* --- the options for popt ----------------------------------------------- */

/* The options for popt, and the row of each. */
struct option_table {
    struct poptOption entries[2 * MAX_OPTIONS + 1];
    const struct option *rows[2 * MAX_OPTIONS];
    size_t count;
};

/* Returns the option of the letter in the command; an old letter gives way. */
static const struct option *option_of_letter(const struct command *command, char letter)
{
    const struct option *old = NULL;
    for (const struct option *o = NULL; (o = option_next(command, o)) != NULL;) {
        if (letter != 0 && o->letter == letter)
            return o;
        if (letter != 0 && o->old_letter == letter)
            old = o;
    }
    return old;
}

/* Each option has an entry by its name, and one by each letter. */
static void make_table(const struct command *command, struct option_table *t)
{
    t->count = 0;
    for (const struct option *o = NULL; (o = option_next(command, o)) != NULL;) {
        char letters[] = {0, o->letter, o->old_letter};
        if (option_of_letter(command, o->old_letter) != o)
            letters[2] = 0;
        for (size_t i = 0; i < sizeof(letters); i++) {
            if (i > 0 && letters[i] == 0)
                continue;
            t->rows[t->count] = o;
            t->entries[t->count++] = (struct poptOption){
                .longName = i == 0 ? o->name : NULL,
                .shortName = letters[i],
                .argInfo = option_argument(o) != NULL ? POPT_ARG_STRING : POPT_ARG_NONE,
                .val = (int)t->count};
        }
    }
    t->entries[t->count] = (struct poptOption)POPT_TABLEEND;
}

/* --- mistakes ------------------------------------------------------------ */

static const struct option *option_named(const struct command *command, const char *name)
{
    const struct option *o = NULL;
    while ((o = option_next(command, o)) != NULL && strcmp(o->name, name) != 0)
        ;
    return o;
}

static void print_unknown_option(const char *given, const struct command *command)
{
    char name[64];
    const char *dashes = strncmp(given, "--", 2) == 0 ? given + 2 : "";
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(dashes, "="), dashes);
    const struct command *c;
    bool exists = false;
    for (size_t i = 0; name[0] != '\0' && (c = command_number(i)) != NULL; i++)
        exists |= option_named(c, name) != NULL;
    if (exists) {
        put_message(NULL, NULL, "%s has no option --%s; see `heapdrift help %s`",
                    command->name, name, command->name);
        return;
    }
    const char *names[MAX_OPTIONS + 1];
    size_t n = 0;
    for (const struct option *o = NULL; (o = option_next(command, o)) != NULL;)
        if (option_is_listed(o, command))
            names[n++] = o->name;
    names[n] = NULL;
    const char *nearest = name[0] != '\0' ? hd_nearest_word(name, names) : NULL;
    if (nearest != NULL)
        put_message(NULL, NULL, "unknown option %s; did you mean --%s?", given, nearest);
    else
        put_message(NULL, NULL, "unknown option %s; see `heapdrift help %s`", given,
                    command->name);
}

/* Returns another option that has the letter in another command, which may have been meant;
 * or NULL. */
static const struct option *other_meaning(const struct option *o, char letter)
{
    const struct command *c;
    for (size_t i = 0; (c = command_number(i)) != NULL; i++) {
        const struct option *other = option_of_letter(c, letter);
        if (other != NULL && strcmp(other->name, o->name) != 0)
            return other;
    }
    return NULL;
}

/* Prints notes about letters that differ between commands and keep their old meaning. */
static void print_old_letters(const struct settings *s)
{
    for (const struct option *o = NULL; (o = option_next(s->command, o)) != NULL;) {
        char letter = o->old_letter;
        if (letter == 0 || !settings_has_letter(s, letter) ||
            option_of_letter(s->command, letter) != o)
            continue;
        fprintf(stderr,
                "heapdrift: note: -%c is --%s elsewhere; here it is an old form of --%s\n",
                letter, other_meaning(o, letter)->name, o->name);
    }
}

/* If repeated, the last counts. */
static void note_file(struct settings *s, const struct option *o, const char *value)
{
    size_t i = 0;
    if (o->kind != OPTION_FILE_READ && o->kind != OPTION_FILE_WRITTEN &&
        o->kind != OPTION_STORE && o->kind != OPTION_FOLDER && o->kind != OPTION_SNAPSHOT)
        return;
    while (i < s->file_count && strcmp(s->files[i].option, o->name) != 0)
        i++;
    if (i == s->file_count)
        s->files = more(s->files, ++s->file_count * sizeof(*s->files));
    s->files[i] = (struct option_file){o->name, value, o->kind};
}

static bool read_value(struct settings *s, const struct option *o, char letter,
                       const char *value)
{
    const char *wanted = parse_value(s, o, value);
    if (letter != 0)
        s->letters |= 1U << (letter - 'a');
    if (o->given != 0)
        *(bool *)option_place(s, o->given) = true;
    if (o->group == GROUP_CHAINS)
        s->chain_option = o->name;
    if (wanted == NULL) {
        note_file(s, o, value);
        return true;
    }
    fprintf(stderr, "heapdrift: --%s=", o->name);
    put_name(value);
    fprintf(stderr, ": must be %s", wanted);
    if (letter != 0 && other_meaning(o, letter) != NULL)
        fprintf(stderr, "; -%c is --%s in %s", letter, o->name, s->command->name);
    fputs("\n", stderr);
    return false;
}

/* --- parsing ------------------------------------------------------------- */

static bool read_options(struct settings *s, const struct option_table *t)
{
    int got;
    while ((got = poptGetNextOpt(s->popt)) > 0) {
        const struct option *o = t->rows[got - 1];
        char *value = poptGetOptArg(s->popt);
        /* popt copies it, and does not report failure. */
        if (value == NULL && option_argument(o) != NULL)
            no_memory(0);
        if (value != NULL)
            text_list_add(&s->owned, value);
        if (!read_value(s, o, t->entries[got - 1].shortName, value))
            return false;
    }
    if (got == -1)
        return true;
    const char *given = poptBadOption(s->popt, POPT_BADOPTION_NOALIAS);
    if (got == POPT_ERROR_BADOPT)
        print_unknown_option(given, s->command);
    else
        trouble(given, poptStrerror(got));
    return false;
}

/* Adds the default to options whose value may be omitted: popt would use the next argument
 * for it. Returns the bytes that popt needs: it copies every argument, some twice, and
 * little more. */
static size_t fill_in(struct settings *s, int argc, const char **argv)
{
    bool ended = false;
    size_t needed = MEMORY_FOR_POPT;
    s->filled_in = more(NULL, ((size_t)argc + 1) * sizeof(*s->filled_in));
    for (int i = 0; i < argc; i++) {
        const struct option *o = !ended && i > 0 && strncmp(argv[i], "--", 2) == 0
                                     ? option_named(s->command, argv[i] + 2)
                                     : NULL;
        ended = ended || strcmp(argv[i], "--") == 0;
        s->filled_in[i] = argv[i];
        if (o != NULL && option_value_is_optional(o)) {
            const char *word = option_word(o, s->command, 0);
            size_t size = strlen(argv[i]) + strlen(word) + 2;
            char *whole = more(NULL, size);
            snprintf(whole, size, "%s=%s", argv[i], word);
            text_list_add(&s->owned, whole);
            s->filled_in[i] = whole;
        }
        needed += 2 * (strlen(s->filled_in[i]) + sizeof(char *));
    }
    s->filled_in[argc] = NULL;
    return needed;
}

bool settings_parse(struct settings *s, const struct command *command, int argc,
                    const char **argv)
{
    struct option_table table;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *s = (struct settings){.options = hd_default_options(),
                           .read = {.size = sizeof(struct hd_read_options),
                                    .max_memory = memory_usual_limit(memory_available(""))},
                           .format = hd_format_name(0),
                           .command = command,
                           .own = zeroed(1, command->own_size),
                           .threads = processors < 1             ? 1
                                      : processors > MAX_THREADS ? MAX_THREADS
                                                                 : (unsigned)processors,
                           .style = {.ascii = style_locale_is_ascii()}};
    for (const struct option *o = NULL; (o = option_next(command, o)) != NULL;)
        if (o->usual != NULL)
            parse_value(s, o, o->usual);
    make_table(command, &table);
    check_memory(fill_in(s, argc, argv));
    s->popt = poptGetContext("heapdrift", argc, s->filled_in, table.entries, 0);
    if (s->popt == NULL)
        no_memory(0);
    if (!read_options(s, &table))
        return false;
    const char *owner = format_owner(settings_format(s), command);
    if (owner != NULL)
        return put_message(NULL, NULL, "--format=%s is for `heapdrift %s`", s->format,
                           owner);
    if (!s->quiet)
        print_old_letters(s);
    s->options.tree = strcmp(s->format, "html") == 0;
    s->operands = poptGetArgs(s->popt);
    while (s->operands != NULL && s->operands[s->operand_count] != NULL)
        s->operand_count++;
    s->options.types = s->types.all;
    s->options.type_count = s->types.count;
    s->options.excludes = s->excludes.all;
    s->options.exclude_count = s->excludes.count;
    return true;
}

void settings_take_words(struct settings *s, const char **words, size_t count)
{
    static const char option[] = "--store";
    const size_t len = sizeof(option) - 1;
    for (size_t i = 1; i < count; i++) {
        bool is_whole = strncmp(words[i], option, len) == 0 && words[i][len] == '=';
        struct hd_memory word = {0};
        if (!is_whole && strcmp(words[i - 1], option) != 0)
            continue;
        struct hd_sink to = hd_sink_memory(&word);
        if (is_whole)
            to.write(to.context, words[i], len + 1);
        hd_store_put_public_url(to, words[i] + (is_whole ? len + 1 : 0));
        words[i] = word.bytes != NULL ? word.bytes : "";
        text_list_add(&s->owned, word.bytes);
    }
    s->words = words;
    s->word_count = count;
}

void settings_free(struct settings *s)
{
    if (s->popt != NULL)
        poptFreeContext(s->popt);
    for (const struct option *o = NULL; (o = option_next(s->command, o)) != NULL;)
        if (o->kind == OPTION_PATTERNS || o->kind == OPTION_BUDGET) {
            struct text_list *list = option_place(s, o->at);
            free((void *)list->all);
            *list = (struct text_list){0};
        }
    for (size_t i = 0; i < s->owned.count; i++)
        free((void *)s->owned.all[i]);
    free((void *)s->owned.all);
    free((void *)s->filled_in);
    hd_symbols_close(s->opened_symbols);
    free(s->iterations);
    free(s->files);
    used_files_free(s->used);
    free(s->store_path);
    free(s->own);
    *s = (struct settings){0};
}

/* --- where heapdrift.yml is ------------------------------------------------------ */

/* A dangling link exists, too: its target is what counts. */
static bool named_files_look_at(const char *folder, const char *name, struct stat *st)
{
    char path[CONFIG_PATH_SIZE];
    int len = snprintf(path, sizeof(path), "%s%s", folder, name);
    return len < (int)sizeof(path) && lstat(path, st) == 0;
}

/* The first is used; others are only reported. The folder above is searched if it has the
 * same owner and file system, so that its files may be trusted; the root, which is its own
 * parent, ends the search. */
static void find_config(char found[CONFIG_PATH_SIZE], bool verbose)
{
    static const char *const names[] = {"heapdrift.yml", "heapdrift.yaml"};
    char folder[CONFIG_PATH_SIZE / 2] = "", met[CONFIG_PATH_SIZE];
    struct stat start, here, above;
    if (!named_files_look_at("", ".", &start))
        return;
    for (size_t len = 0; len + sizeof("../") <= sizeof(folder); len = strlen(folder)) {
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
            if (!named_files_look_at(folder, names[i], &here))
                continue;
            snprintf(met, sizeof(met), "%s%s", folder, names[i]);
            if (verbose)
                trouble(met, found[0] == '\0' ? "the budget file in use"
                                              : "not read; a closer file takes precedence");
            if (found[0] == '\0')
                strcpy(found, met);
        }
        if ((found[0] != '\0' && !verbose) || named_files_look_at(folder, ".git", &here) ||
            !named_files_look_at(folder, ".", &here) ||
            !named_files_look_at(folder, "..", &above) || above.st_uid != start.st_uid ||
            above.st_dev != start.st_dev || here.st_ino == above.st_ino)
            return;
        memcpy(folder + len, "../", sizeof("../"));
    }
}

/* --- the files of a command line --------------------------------------------------- */

static void named_files_add(const struct settings *s, const char *path, const char *what,
                            int use)
{
    used_files_add(s->used, (struct used_file){.path = path, .what = what, .use = use});
}

/* "file:PATH?wait=5" or PATH; a server is not a file. */
static void add_store(struct settings *s)
{
    static const char scheme[] = "file:";
    bool reads = settings_read_store(s) || s->command->bit == ON_FLEET;
    if (s->store == NULL && s->command->bit != ON_RECORD && !reads)
        return;
    const char *path = store_url(s);
    if (strncmp(path, scheme, sizeof(scheme) - 1) == 0)
        path += sizeof(scheme) - 1;
    size_t len = strcspn(path, "?");
    s->store_path = zeroed(len + 1, 1);
    memcpy(s->store_path, path, len);
    named_files_add(s, s->store_path, "is the store",
                    FILE_READ | FILE_STORE | (!reads || s->saves ? FILE_WRITTEN : 0));
}

static void add_found(struct settings *s)
{
    const char *summary = getenv("GITHUB_STEP_SUMMARY");
    bool checks = s->command->bit == ON_CHECK;
    struct check_options *own = s->own;
    if (!checks && s->command->bit != ON_WATCH)
        return;
    if (own->config == NULL)
        find_config(own->found_config, s->verbose && (checks || own->budgets.count > 0));
    if (own->found_config[0] != '\0')
        named_files_add(s, own->found_config, "is the budget file of this check",
                        FILE_READ);
    if (summary != NULL && summary[0] != '\0')
        named_files_add(s, summary, "is GITHUB_STEP_SUMMARY", FILE_WRITTEN | FILE_APPENDED);
}

void named_files_add_input(const struct settings *s, const char *path)
{
    bool is_part = s->command->bit == ON_FLEET;
    named_files_add(s, path, is_part ? "is one of the parts" : "is one of the snapshots",
                    FILE_READ | FILE_INPUT);
}

bool named_files_begin(struct settings *s)
{
    s->used = zeroed(1, sizeof(*s->used));
    s->used->inputs_may_change = s->command->bit == ON_CONVERT;
    for (size_t i = 0; i < s->file_count; i++) {
        const struct option_file *f = &s->files[i];
        int use = f->kind == OPTION_FILE_READ ? FILE_READ : FILE_WRITTEN;
        if (f->kind != OPTION_STORE)
            used_files_add(s->used, (struct used_file){
                                        .path = f->path, .option = f->option, .use = use});
    }
    add_store(s);
    add_found(s);
    for (size_t i = 0; i < s->operand_count; i++)
        named_files_add_input(s, s->operands[i]);
    for (size_t i = 0; i < s->argument_file_count; i++)
        named_files_add(s, s->argument_files[i].path, "holds arguments of this command",
                        FILE_READ | FILE_DONE);
    s->sandbox.files = s->used;
    s->sandbox.inputs = s->operands;
    s->sandbox.input_count = s->operand_count;
    return used_files_are_apart(s->used);
}
