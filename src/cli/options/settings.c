#include "cli/options/settings.h"

#include "cli/guard/allocate.h"
#include "cli/guard/memory.h"
#include "cli/guard/used_files.h"
#include "cli/options/option_traits.h"
#include "cli/options/options.h"
#include "cli/terminal/messages.h"
#include "cli/terminal/style.h"

#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEFAULT_TIMEOUT_MS = 30000,
    DEFAULT_INTERVAL_MS = 30000,
    DEFAULT_SPAN_MS = 24 * 3600 * 1000
};

struct settings_memory {
    poptContext context;
    char **values; /* of options; operands live in context */
    size_t value_count, value_cap;
    const char **argv; /* the arguments, ended by NULL */
    const char **full; /* the same where every option has its value */
};

static size_t make_table(const struct command *command, struct poptOption *table)
{
    size_t n = 0;
    for (size_t i = 0; i < option_count; i++) {
        const struct option *o = &options[i];
        if (!option_is_for(o, command))
            continue;
        table[n++] = (struct poptOption){.longName = o->name,
                                         .shortName = o->letter,
                                         .argInfo = o->argument != NULL ? POPT_ARG_STRING
                                                                        : POPT_ARG_NONE,
                                         .val = (int)i + 1,
                                         .descrip = o->help,
                                         .argDescrip = o->argument};
    }
    table[n] = (struct poptOption)POPT_TABLEEND;
    return n;
}

bool settings_has_letter(const struct settings *s, char letter)
{
    for (const char **a = s->memory->argv + 1; *a != NULL && strcmp(*a, "--") != 0; a++)
        if ((*a)[0] == '-' && (*a)[1] == letter)
            return true;
    return false;
}

/* --- mistakes ------------------------------------------------------------ */

static bool exists_elsewhere(const char *name, const struct command *command)
{
    for (size_t i = 0; i < option_count; i++)
        if (strcmp(options[i].name, name) == 0)
            return !option_is_for(&options[i], command);
    return false;
}

static void unknown_option(const char *given, const struct command *command)
{
    char name[64];
    const char *dashes = strncmp(given, "--", 2) == 0 ? given + 2 : "";
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(dashes, "="), dashes);
    fprintf(stderr, "heapdrift: ");
    if (name[0] != '\0' && exists_elsewhere(name, command)) {
        fprintf(stderr, "%s has no option --%s; see `heapdrift help %s`\n", command->name,
                name, command->name);
        return;
    }
    const char *names[MOST_OPTIONS + 2];
    size_t n = 0;
    for (size_t i = 0; i < option_count; i++)
        if (options[i].commands & (unsigned)command->bit)
            names[n++] = options[i].name;
    names[n] = NULL;
    const char *nearest = name[0] != '\0' ? hd_nearest_word(name, names) : NULL;
    fputs("unknown option ", stderr);
    put_name(given);
    if (nearest != NULL)
        fprintf(stderr, "; did you mean --%s?\n", nearest);
    else
        fprintf(stderr, "; see `heapdrift help %s`\n", command->name);
}

/* Whether the letter is of another option elsewhere, so that somebody may have meant that.
 */
static bool letter_is_ambiguous(const struct option *o)
{
    for (size_t i = 0; o->letter != 0 && i < option_count; i++)
        if (options[i].letter == o->letter && strcmp(options[i].name, o->name) != 0)
            return true;
    return false;
}

/* Given again, the last counts. */
static void note_file(struct settings *s, const struct option *o, const char *value)
{
    enum value_kind kind = option_value_kind(o, s->command);
    size_t i = 0;
    if (kind != VALUE_FILE_READ && kind != VALUE_FILE_WRITTEN && kind != VALUE_STORE &&
        kind != VALUE_FOLDER && kind != VALUE_SNAPSHOT)
        return;
    while (i < s->file_count && strcmp(s->files[i].option, o->name) != 0)
        i++;
    if (i == s->file_count)
        s->files = more(s->files, ++s->file_count * sizeof(*s->files));
    s->files[i] = (struct option_file){o->name, value, kind};
}

static bool take_value(struct settings *s, const struct option *o, const char *value)
{
    const char *wanted = o->take(s, value);
    if (wanted == NULL) {
        note_file(s, o, value);
        return true;
    }
    fprintf(stderr, "heapdrift: --%s=", o->name);
    put_name(value);
    fprintf(stderr, ": must be %s", wanted);
    if (letter_is_ambiguous(o) && settings_has_letter(s, o->letter))
        fprintf(stderr, "; -%c is --%s in %s", o->letter, o->name, s->command->name);
    fputs("\n", stderr);
    return false;
}

/* --- parsing ------------------------------------------------------------- */

static unsigned processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (unsigned)n;
}

static bool read_options(struct settings *s, const struct command *command)
{
    struct settings_memory *m = s->memory;
    int got;
    while ((got = poptGetNextOpt(m->context)) > 0) {
        char *value = poptGetOptArg(m->context);
        /* popt copies it, and says nothing when it cannot. */
        if (value == NULL && options[got - 1].argument != NULL)
            no_memory(0);
        if (value != NULL) {
            m->values = more(m->values, (m->value_count + 1) * sizeof(*m->values));
            m->values[m->value_count++] = value;
        }
        if (!take_value(s, &options[got - 1], value))
            return false;
    }
    if (got == -1)
        return true;
    const char *given = poptBadOption(m->context, POPT_BADOPTION_NOALIAS);
    if (got == POPT_ERROR_BADOPT)
        unknown_option(given, command);
    else
        trouble(given, poptStrerror(got));
    return false;
}

static bool format_fits(const struct settings *s, const struct command *command)
{
    const unsigned bit = (unsigned)command->bit;
    for (size_t i = 0; hd_format_name(i) != NULL; i++) {
        bool for_check = hd_format_is_for_check(i) && !(bit & (ON_CHECK | ON_WATCH));
        bool for_tree = hd_format_is_for_tree(i) && !(bit & ON_TREE);
        bool for_fleet = hd_format_is_for_fleet(i) && !(bit & ON_FLEET);
        if ((for_check || for_tree || for_fleet) &&
            strcmp(hd_format_name(i), s->format) == 0) {
            fprintf(stderr, "heapdrift: --format=%s is for `heapdrift %s`\n", s->format,
                    for_check  ? "check"
                    : for_tree ? "tree"
                               : "fleet");
            return false;
        }
    }
    return true;
}

/* popt would take the next argument for the value. */
static const struct option *lacks_value(const char *given, const struct command *command)
{
    for (size_t i = 0; i < option_count; i++)
        if (option_value_is_optional(&options[i]) && option_is_for(&options[i], command) &&
            strncmp(given, "--", 2) == 0 && strcmp(given + 2, options[i].name) == 0)
            return &options[i];
    return NULL;
}

static void fill_in(struct settings *s, int argc, const char **argv)
{
    struct settings_memory *m = s->memory;
    bool ended = false;
    m->full = more(NULL, ((size_t)argc + 1) * sizeof(*m->full));
    for (int i = 0; i < argc; i++) {
        const struct option *o = ended || i == 0 ? NULL : lacks_value(argv[i], s->command);
        ended = ended || strcmp(argv[i], "--") == 0;
        m->full[i] = argv[i];
        if (o == NULL)
            continue;
        const char *word = option_word(o->name, s->command, 0);
        size_t size = strlen(argv[i]) + strlen(word) + 2;
        char *whole = more(NULL, size);
        snprintf(whole, size, "%s=%s", argv[i], word);
        m->values = more(m->values, (m->value_count + 1) * sizeof(*m->values));
        m->values[m->value_count++] = whole;
        m->full[i] = whole;
    }
    m->full[argc] = NULL;
}

/* It copies every argument, some of them twice, and needs little besides. */
static size_t room_for_popt(int argc, const char **argv)
{
    size_t room = 64 << 10;
    for (int i = 0; i < argc; i++)
        room += 2 * (strlen(argv[i]) + sizeof(char *));
    return room;
}

bool settings_parse(struct settings *s, const struct command *command, int argc,
                    const char **argv)
{
    struct poptOption table[MOST_OPTIONS + 1];
    *s = (struct settings){.options = hd_default_options(),
                           .read = {.size = sizeof(struct hd_read_options),
                                    .max_memory = memory_usual_limit(memory_available(""))},
                           .format = hd_format_name(0),
                           .command = command,
                           .threads = processors(),
                           .ascii = style_locale_is_ascii(),
                           .timeout_ms = DEFAULT_TIMEOUT_MS,
                           .interval_ms = DEFAULT_INTERVAL_MS,
                           .min_span_ms = DEFAULT_SPAN_MS};
    s->memory = more(NULL, sizeof(*s->memory));
    *s->memory = (struct settings_memory){.argv = argv};
    make_table(command, table);
    fill_in(s, argc, argv);
    see_room(room_for_popt(argc, argv));
    s->memory->context = poptGetContext("heapdrift", argc, s->memory->full, table, 0);
    if (s->memory->context == NULL)
        no_memory(0);
    if (!read_options(s, command))
        return false;
    if (!format_fits(s, command))
        return false;
    s->options.tree = strcmp(s->format, "html") == 0;
    s->operands = poptGetArgs(s->memory->context);
    while (s->operands != NULL && s->operands[s->operand_count] != NULL)
        s->operand_count++;
    s->options.types = s->types;
    s->options.excludes = s->excludes;
    return true;
}

bool settings_are_for_a_store(const struct settings *s)
{
    return s->max_heap > 0 || s->lock != NULL || s->keep_seconds > 0 ||
           s->service != NULL || s->host != NULL || s->build != NULL ||
           s->label_count > 0 || s->limit > 0;
}

void settings_free(struct settings *s)
{
    if (s->memory == NULL)
        return;
    poptFreeContext(s->memory->context);
    for (size_t i = 0; i < s->memory->value_count; i++)
        free(s->memory->values[i]);
    free(s->memory->values);
    free((void *)s->memory->full);
    free(s->memory);
    free((void *)s->types);
    free((void *)s->excludes);
    free((void *)s->labels);
    free(s->iterations);
    free(s->files);
    used_files_free(s->used);
    free(s->budgets);
    *s = (struct settings){0};
}
