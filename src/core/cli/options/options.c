#include "cli/options/options.h"

#include "cli/guard/allocate.h"
#include "cli/terminal/messages.h"
#include "heapdrift_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Commands that have the same options, because they ask the same. */
enum {
    ON_DIFFS = ON_DIFF | ON_REPORT | ON_EXPLORE,
    ON_GROWTH = ON_DIFFS | ON_CHECK | ON_WATCH,   /* what grew */
    ON_CHAINS = ON_GROWTH | ON_ROOTS,             /* what holds it */
    ON_ROWS = (ON_CHAINS & ~ON_EXPLORE) | ON_TOP, /* a part of that */
    ON_PAPER = ON_DIFF | ON_TOP | ON_ROOTS | ON_INFO | ON_CHECK | ON_TREE | ON_OBJECT |
               ON_STATICS,                                   /* printed */
    ON_ALL = ON_PAPER | ON_REPORT | ON_EXPLORE | ON_CONVERT, /* read snapshots */
    ON_PRINTS = ON_PAPER | ON_PS | ON_WATCH | ON_FLEET,
    ON_EVERY = ON_ALL | ON_PS | ON_COLLECT | ON_WATCH | ON_RECORD | ON_FLEET | ON_STORE,
    ON_LIVE = ON_COLLECT | ON_WATCH,
    ON_STORES = ON_RECORD | ON_LIVE /* put snapshots into a store */
};
enum { MAX_SAMPLES = 1000000 };

/* --- options that are of no kind --------------------------------------------- */

static const char *parse_iterations(struct settings *s, const struct option *o,
                                    const char *value)
{
    s->iteration_count = 0;
    for (const char *at = value;; at++) {
        char *end;
        errno = 0;
        uint64_t n = strtoull(at, &end, 10);
        if (end == at || errno != 0 || *at < '0' || *at > '9' ||
            (*end != ',' && *end != '\0'))
            return o->wanted;
        if (s->iteration_count > 0 && n <= s->iterations[s->iteration_count - 1])
            return o->wanted;
        s->iterations =
            more(s->iterations, (s->iteration_count + 1) * sizeof(*s->iterations));
        s->iterations[s->iteration_count++] = n;
        if (*end == '\0')
            return NULL;
        at = end;
    }
}

static const char *parse_size_base(struct settings *s, const struct option *o,
                                   const char *value)
{
    s->read.size_base = strcmp(value, "10") == 0 ? 10 : 16;
    return strcmp(value, "10") == 0 || strcmp(value, "16") == 0 ? NULL : o->wanted;
}

/* 3, or 2..4. */
static const char *parse_born(struct settings *s, const struct option *row,
                              const char *value)
{
    char first[16];
    const char *dots = strstr(value, "..");
    size_t len = dots != NULL ? (size_t)(dots - value) : strlen(value);
    struct hd_options *o = &s->options;
    if (len >= sizeof(first))
        return row->wanted;
    memcpy(first, value, len);
    first[len] = '\0';
    const char *last = dots != NULL ? dots + 2 : first;
    bool are = parse_count(s, first, 1, HD_MAX_SNAPSHOTS, &o->born_first) == NULL &&
               parse_count(s, last, 1, HD_MAX_SNAPSHOTS, &o->born_last) == NULL;
    return are && o->born_first <= o->born_last ? NULL : row->wanted;
}

/* Messages about what stands behind it on the command line are in ASCII, too. */
static const char *parse_ascii(struct settings *s, const struct option *o,
                               const char *value)
{
    (void)o;
    (void)value;
    s->style.ascii = true;
    messages_in_ascii(true);
    return NULL;
}

/* --- rows -------------------------------------------------------------------- */

OPTIONS_OF(char);

const struct option shared_options[] = {
    /* the store */
    {"store", 0, GROUP_STORED, ON_ALL, TEXT(STORE, s.store), GIVEN(s.is_for_a_store),
     .help = "read a run of this store, not files: a file, or postgresql://..."},
    {"run", 0, GROUP_STORED, ON_ALL, NUMBER(s.run, 1, INT64_MAX), GIVEN(s.is_for_a_store),
     .argument = "ID", .wanted = "the number of a run",
     .help = "the run of that number, as `heapdrift fleet` prints it"},
    {"service", 0, GROUP_STORED, ON_ALL, TEXT(TEXT, s.service), GIVEN(s.is_for_a_store),
     .help = "a run of this service; of several the newest"},
    {"host", 0, GROUP_STORED, ON_ALL, TEXT(TEXT, s.host), GIVEN(s.is_for_a_store),
     .help = "a run on this host"},
    {"build", 0, GROUP_STORED, ON_ALL, TEXT(TEXT, s.build), GIVEN(s.is_for_a_store),
     .argument = "VERSION", .wanted = "a version", .help = "a run of this build"},
    {"since", 0, GROUP_STORED, ON_ALL, TEXT(MOMENT, s.since), GIVEN(s.is_for_a_store),
     .help = "of a run: only what was taken since then: 12h, 7d, 2026-11-15"},
    {"until", 0, GROUP_STORED, ON_ALL, TEXT(MOMENT, s.until), GIVEN(s.is_for_a_store),
     .wanted = "a time such as 1h, 2026-11-22, 2026-11-22T14:05Z",
     .help = "of a run: only what was taken before then"},
    /* what is compared */
    {"gen2", 0, GROUP_COMPARED, ON_ROWS | ON_EXPLORE | ON_TREE | ON_OBJECT,
     FLAG(s.options.gen2),
     .help = "count only objects in gen2, LOH, POH and frozen segments"},
    {"reachable", 0, GROUP_COMPARED, ON_GROWTH | ON_TOP | ON_TREE,
     FLAG(s.options.reachable), .help = "count only objects reachable from a root"},
    {"tables-only", 0, GROUP_COMPARED, ON_DIFFS | ON_TOP | ON_CHECK,
     FLAG(s.read.tables_only),
     .help = "read no references: only counts and bytes per type"},
    {"fields", 0, GROUP_COMPARED, ON_DIFF | ON_REPORT | ON_ROOTS | ON_CHECK | ON_TREE,
     FLAG(s.options.fields),
     .help = "tell apart chains that differ in a field only (core dumps)"},
    {"across-builds", 0, GROUP_COMPARED,
     ON_DIFFS | ON_ROOTS | ON_CHECK | ON_TREE | ON_OBJECT, FLAG(s.read.across_builds),
     .help = "ignore numbers in compiler-generated names, to compare two builds"},
    {"symbols", 0, GROUP_COMPARED, ON_ALL | ON_RECORD, TEXT(FILE_READ, s.symbols),
     .once = true, .help = "Native AOT program, or its .dbg file, that names types"},
    /* Who reads heap text with decimal sizes looks at it, or converts it once. */
    {"size-base", 0, GROUP_COMPARED, ON_INFO | ON_CONVERT, .kind = OPTION_OTHER,
     .parse = parse_size_base, .argument = "BASE", .words = WORDS("16", "10"),
     .wanted = "16 or 10", .help = "base of sizes in heap text: 16 (default) or 10",
     .also = ON_EVERY},

    /* what is shown */
    {"rows", 'n', GROUP_SHOWN, ON_DIFF | ON_REPORT | ON_TOP | ON_CHECK | ON_FLEET,
     COUNT(s.options.rows, 0, HD_DEFAULT_ROWS - 1),
     .help = "rows per table; default 20, 0 shows all"},
    {"sort", 0, GROUP_SHOWN, ON_DIFF | ON_REPORT | ON_TOP,
     CHOICE(s.options.sort, HD_SORT_COUNT, "count", "bytes", "retained", "name"),
     .argument = "KEY", .help = ""},
    {"type", 't', GROUP_SHOWN, ON_ROWS, PATTERNS(s.types),
     .help = "only types that match; * and ? are wildcards; repeatable"},
    {"exclude", 'x', GROUP_SHOWN, ON_ROWS | ON_OBJECT | ON_STATICS, PATTERNS(s.excludes),
     .help = "hide types that match; repeatable"},
    {"app-only", 0, GROUP_SHOWN, ON_ROWS | ON_EXPLORE | ON_OBJECT | ON_STATICS,
     FLAG(s.options.app_only), .help = "hide framework types"},
    {"by", 0, GROUP_SHOWN, ON_DIFF | ON_TOP,
     CHOICE(s.options.by, HD_BY_TYPE, "type", "namespace", "module", "holder"),
     .argument = "UNIT", .usual = "type", .help = "group rows by"},
    {"min", 0, GROUP_SHOWN, ON_TREE | ON_EXPLORE,
     SHARE(s.options.least_kept, s.options.least_kept_share), .usual = "0.5%",
     .help = "sum up places that are smaller and changed by less"},

    /* the ranking */
    {"min-score", 0, GROUP_RANKING, ON_GROWTH | ON_TREE | ON_FLEET,
     SHARE(s.options.min_bytes, s.options.min_share), .usual = "2%",
     .help = "minimum score of a suspect"},
    {"min-steady", 0, GROUP_RANKING, ON_GROWTH | ON_TREE | ON_FLEET,
     SHARE(s.options.min_steady_bytes, s.options.min_steady_share), .usual = "0.1%",
     .help = "the same for steady growth; 0 = off"},
    {"iterations", 0, GROUP_RANKING, ON_GROWTH | ON_TREE, .kind = OPTION_OTHER,
     .parse = parse_iterations, .argument = "A,B,...",
     .wanted = "rising whole numbers, one per snapshot: 0,20,40",
     .help = "iterations of the workload completed at each snapshot", .also = ON_ROOTS},
    {"no-ages", 0, GROUP_RANKING, ON_DIFFS | ON_CHECK, FLAG(s.options.no_ages),
     .help = "ignore which objects survived: rank by counts alone"},

    /* chains */
    {"chains", 0, GROUP_CHAINS, ON_CHAINS, COUNT(s.options.chains, 0, MAX_SAMPLES),
     .argument = "K", .usual = "3", .help = "root chains to show per type"},
    {"samples", 0, GROUP_CHAINS, ON_CHAINS, COUNT(s.options.samples, 1, MAX_SAMPLES),
     .argument = "R", .usual = "32", .help = "instances to sample per type"},
    /* Another sample tells nobody anything; --samples and --exact do. */
    {"seed", 0, GROUP_CHAINS, ON_CHAINS, NUMBER(s.options.seed, 0, UINT64_MAX),
     .help = "which instances are sampled", .hidden = true},
    {"born", 0, GROUP_CHAINS, ON_ROOTS | ON_OBJECT, .kind = OPTION_OTHER,
     .parse = parse_born, .argument = "N[..N]",
     .wanted = "a snapshot in which they are new (3), or several (2..4)",
     .help = "only instances new in snapshot N and still alive"},
    {"depth", 0, GROUP_CHAINS, ON_CHAINS & ~ON_EXPLORE,
     COUNT(s.options.depth, 2, MAX_SAMPLES), .argument = "D",
     .help = "types to show per chain; default 64, 8 in text of diff"},
    {"exact", 0, GROUP_CHAINS, ON_CHAINS, FLAG(s.options.exact),
     .help = "examine every instance instead of a sample"},

    {.more = budget_options}};

const struct option general_options[] = {
    /* output */
    {"format", 0, GROUP_OUTPUT, ON_PRINTS, TEXT(FORMAT, s.format),
     .help = "text (default), json, csv, ...: see `heapdrift help formats`"},
    {"output", 'o', GROUP_OUTPUT, (ON_ALL & ~(ON_EXPLORE | ON_CONVERT)) | ON_PS | ON_FLEET,
     TEXT(FILE_WRITTEN, s.output), .help = "write to FILE instead of standard output"},
    {"color", 0, GROUP_OUTPUT, ON_PRINTS | ON_EXPLORE,
     CHOICE(s.style.color, COLOR_AUTO, "auto", "always", "never"), .argument = "WHEN",
     .usual = "auto", .help = ""},
    {"width", 0, GROUP_OUTPUT, ON_PRINTS, COUNT(s.style.width, 0, MAX_COLUMNS),
     GIVEN(s.style.width_given),
     .help = "columns of text, 0: no limit; default: COLUMNS, the terminal"},
    {"ascii", 0, GROUP_OUTPUT, ON_PRINTS, .kind = OPTION_FLAG, .parse = parse_ascii,
     .help = "print ASCII only; default without UTF-8"},

    /* the rest */
    {"exit-code", 0, GROUP_GENERAL, ON_DIFF | ON_REPORT | ON_WATCH | ON_FLEET,
     FLAG(s.exit_code), .help = "exit with 1 if there is a suspect"},
    {"strict", 0, GROUP_GENERAL, (ON_ALL & ~ON_EXPLORE) | ON_LIVE, FLAG(s.strict),
     .help = "exit with 3 if the snapshots allow no verdict",
     .also = ON_PS | ON_EXPLORE | ON_RECORD | ON_STORE},
    {"memory", 0, GROUP_GENERAL, ON_ALL | ON_STORES | ON_FLEET | ON_STORE,
     SIZE(s.read.max_memory), GIVEN(s.memory_given),
     .help = "memory limit of heapdrift; default: 3/4 of what is free", .also = ON_PS},
    {"threads", 'j', GROUP_GENERAL, ON_ALL | ON_WATCH | ON_RECORD | ON_FLEET,
     COUNT(s.threads, 1, MAX_THREADS),
     .help = "number of threads; default: number of processors", .also = ON_PS | ON_STORE},
    {"no-progress", 0, GROUP_GENERAL, ON_ALL | ON_STORES, FLAG(s.no_progress),
     .help = "show no progress", .also = ON_PS | ON_FLEET | ON_STORE},
    {"no-sandbox", 0, GROUP_GENERAL, ON_ALL | ON_RECORD | ON_FLEET | ON_STORE,
     FLAG(s.no_sandbox), .help = "do not drop rights that reading snapshots does not need",
     .also = ON_PS | ON_LIVE},
    {"quiet", 'q', GROUP_GENERAL, ON_EVERY, FLAG(s.quiet),
     .help = "hide warnings and notes"},
    {"verbose", 'v', GROUP_GENERAL, (ON_ALL & ~ON_EXPLORE) | ON_STORES | ON_FLEET,
     FLAG(s.verbose), .help = "show what was read, and in text all details and scores",
     .also = ON_PS | ON_EXPLORE | ON_STORE},
    {"help", 'h', GROUP_GENERAL, ON_EVERY | ON_HELP, FLAG(s.help),
     .help = "show this help"},
    {"version", 0, GROUP_GENERAL, ON_EVERY | ON_HELP, FLAG(s.version),
     .help = "show the version"},
    {0}};

/* --- the options of a command ------------------------------------------------ */

static bool is_taken(const struct option *o, const struct command *command)
{
    return ((o->commands | o->also) & (unsigned)command->bit) != 0;
}

const struct option *option_next(const struct command *command, const struct option *o)
{
    const struct option *first =
        command->options != NULL ? command->options : shared_options;
    o = o != NULL ? o + 1 : first;
    while (o != NULL && !(o->name != NULL && is_taken(o, command)))
        o = o->name != NULL ? o + 1 : o->more;
    return o;
}

bool option_is_listed(const struct option *o, const struct command *command)
{
    return !o->hidden && (o->commands & (unsigned)command->bit) != 0;
}

const char *option_argument(const struct option *o)
{
    return o->argument != NULL ? o->argument : kind_argument(o->kind);
}

bool option_value_is_optional(const struct option *o)
{
    return o->argument != NULL && o->argument[0] == '[';
}

/* "what a row is: type, namespace, module or holder; default type" */
void option_help(const struct option *o, const struct command *command,
                 char help[OPTION_HELP_SIZE])
{
    char words[OPTION_HELP_SIZE / 2] = "";
    const char *usual = option_value_is_optional(o) ? option_word(o, command, 0) : o->usual;
    if (o->kind == OPTION_CHOICE)
        option_words(o, command, words, sizeof(words));
    snprintf(help, OPTION_HELP_SIZE, "%s%s%s%s%s", o->help,
             o->help[0] != '\0' && words[0] != '\0' ? ": " : "", words,
             usual != NULL ? "; default " : "", usual != NULL ? usual : "");
}

/* --- what the settings say --------------------------------------------------- */

bool settings_has_letter(const struct settings *s, char letter)
{
    return (s->letters >> (letter - 'a') & 1) != 0;
}

size_t settings_format(const struct settings *s)
{
    size_t i = 0;
    while (hd_format_name(i + 1) != NULL && strcmp(hd_format_name(i), s->format) != 0)
        i++;
    return i;
}

static const char *told_store(void)
{
    const char *told = getenv("HEAPDRIFT_STORE");
    return told != NULL && told[0] != '\0' ? told : NULL;
}

bool store_is_named(const struct settings *s)
{
    return s->store != NULL || told_store() != NULL;
}

const char *store_url(const struct settings *s)
{
    return s->store != NULL       ? s->store
           : told_store() != NULL ? told_store()
                                  : HD_STORE_DEFAULT;
}

bool settings_read_store(const struct settings *s)
{
    enum { NO_FILES = ON_COLLECT | ON_WATCH | ON_RECORD | ON_FLEET };
    return s->is_for_a_store && (s->command->bit & NO_FILES) == 0;
}
