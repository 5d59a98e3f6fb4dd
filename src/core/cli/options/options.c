#include "cli/options/options.h"

#include "cli/guard/allocate.h"
#include "cli/terminal/messages.h"

#include <assert.h>
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

static const char *parse_label(struct settings *s, const struct option *o,
                               const char *value)
{
    if (value[0] == '=' || strchr(value, '=') == NULL)
        return o->argument;
    text_list_add(&s->labels, value);
    return NULL;
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

const struct option shared_options[] = {
    /* the process */
    {"process-id", 'p', GROUP_PROCESS, ON_LIVE, PID(process_id),
     .help = "process id; see `heapdrift ps`"},
    {"name", 0, GROUP_PROCESS, ON_LIVE, TEXT(PROCESS, name),
     .help = "the process with that name", .old_letter = 'n'},
    {"diagnostic-port", 0, GROUP_PROCESS, ON_LIVE, TEXT(SOCKET, socket),
     .help = "the process listening on this socket"},
    {"resume", 0, GROUP_PROCESS, ON_LIVE, FLAG(resume),
     .help = "let it run if it is suspended at its start"},
    {"direct", 0, GROUP_PROCESS, ON_LIVE, FLAG(direct),
     .help = "pause it and read its memory: no GC, a shorter pause"},
    {"force", 0, GROUP_PROCESS, ON_LIVE, FLAG(force),
     .help = "take it even if the process could run out of memory and be killed"},
    {"tries", 0, GROUP_PROCESS, ON_LIVE, COUNT(tries, 1, MAX_TRIES), GIVEN(tries_given),
     .usual = "3", .help = "--direct, --core: retake an incomplete snapshot, N in all"},
    {"no-ages", 0, GROUP_PROCESS, ON_LIVE, FLAG(options.no_ages),
     .help = "do not follow its GC, which shows which objects survive"},
    {"interval", 0, GROUP_PROCESS, ON_LIVE, DURATION(interval_ms, 0), .usual = "30s",
     .help = "time between snapshots: 500ms, 5m, 1h", GIVEN(interval_given)},
    {"on-enter", 0, GROUP_PROCESS, ON_LIVE, FLAG(on_enter),
     .help = "a snapshot each time Enter is pressed; Ctrl-D ends the series"},
    {"max-heap", 0, GROUP_PROCESS, ON_LIVE, SIZE(max_heap), GIVEN(is_for_a_store),
     .help = "with --store: no snapshot while it uses more memory (RSS)"},
    {"lock", 0, GROUP_PROCESS, ON_LIVE, TEXT(FILE_WRITTEN, lock), GIVEN(is_for_a_store),
     .help = "with --store: lock of this host's collectors; default heapdrift.lock"},
    {"timeout", 0, GROUP_PROCESS, ON_LIVE, DURATION(timeout_ms, 1), .usual = "30s",
     .help = "give up when the process is silent for this long", .old_letter = 't'},

    {"no-keep", 0, GROUP_OUTPUT, ON_LIVE, FLAG(no_keep),
     .help = "delete the snapshots at the end"},

    /* the store */
    {"store", 0, GROUP_STORE, ON_LIVE, TEXT(STORE, store),
     .help = "record to a store instead: a file, or postgresql://..."},
    {"store", 0, GROUP_STORE, ON_RECORD | ON_FLEET | ON_STORE, TEXT(STORE, store),
     .help = "a file, or postgresql://...; default: HEAPDRIFT_STORE, heapdrift.db"},
    {"store", 0, GROUP_STORED, ON_ALL, TEXT(STORE, store), GIVEN(is_for_a_store),
     .help = "read a run of this store, not files: a file, or postgresql://..."},
    {"run", 0, GROUP_STORED, ON_ALL, NUMBER(run, 1, INT64_MAX), GIVEN(is_for_a_store),
     .argument = "ID", .wanted = "the number of a run",
     .help = "the run of that number, as `heapdrift fleet` prints it"},
    {"service", 0, GROUP_STORED, ON_ALL, TEXT(TEXT, service), GIVEN(is_for_a_store),
     .help = "a run of this service; of several the newest"},
    {"host", 0, GROUP_STORED, ON_ALL, TEXT(TEXT, host), GIVEN(is_for_a_store),
     .help = "a run on this host"},
    {"build", 0, GROUP_STORED, ON_ALL, TEXT(TEXT, build), GIVEN(is_for_a_store),
     .argument = "VERSION", .wanted = "a version", .help = "a run of this build"},
    {"since", 0, GROUP_STORED, ON_ALL, TEXT(MOMENT, since), GIVEN(is_for_a_store),
     .help = "of a run: only what was taken since then: 12h, 7d, 2026-11-15"},
    {"until", 0, GROUP_STORED, ON_ALL, TEXT(MOMENT, until), GIVEN(is_for_a_store),
     .wanted = "a time such as 1h, 2026-11-22, 2026-11-22T14:05Z",
     .help = "of a run: only what was taken before then"},
    {"service", 0, GROUP_STORE, ON_STORES, TEXT(TEXT, service), GIVEN(is_for_a_store),
     .help = "name of the service; default: OTEL_SERVICE_NAME, the pod, the program"},
    {"host", 0, GROUP_STORE, ON_STORES, TEXT(TEXT, host), GIVEN(is_for_a_store),
     .help = "name of the host; default: from the snapshot, else HOSTNAME"},
    {"build", 0, GROUP_STORE, ON_STORES, TEXT(TEXT, build), GIVEN(is_for_a_store),
     .argument = "VERSION", .wanted = "a version",
     .help = "build of the program, to find the one that began to leak"},
    {"label", 0, GROUP_STORE, ON_STORES, .kind = OPTION_OTHER, .parse = parse_label,
     GIVEN(is_for_a_store), .argument = "NAME=VALUE",
     .help = "any other label of the run; repeatable"},
    {"limit", 0, GROUP_STORE, ON_STORES, SIZE(limit), GIVEN(is_for_a_store),
     .help = "memory limit of the process"},
    {"keep", 0, GROUP_STORE, ON_STORES, AGE(keep_seconds), GIVEN(is_for_a_store),
     .help = "then thin out: hourly after 1 day, daily after 8, delete what is older"},

    /* what is compared */
    {"gen2", 0, GROUP_COMPARED, ON_ROWS | ON_EXPLORE | ON_TREE | ON_OBJECT,
     FLAG(options.gen2),
     .help = "count only objects in gen2, LOH, POH and frozen segments"},
    {"reachable", 0, GROUP_COMPARED, ON_GROWTH | ON_TOP | ON_TREE, FLAG(options.reachable),
     .help = "count only objects reachable from a root"},
    {"tables-only", 0, GROUP_COMPARED, ON_DIFFS | ON_TOP | ON_CHECK, FLAG(read.tables_only),
     .help = "read no references: only counts and bytes per type"},
    {"fields", 0, GROUP_COMPARED, ON_DIFF | ON_REPORT | ON_ROOTS | ON_CHECK | ON_TREE,
     FLAG(options.fields),
     .help = "tell apart chains that differ in a field only (core dumps)"},
    {"across-builds", 0, GROUP_COMPARED,
     ON_DIFFS | ON_ROOTS | ON_CHECK | ON_TREE | ON_OBJECT, FLAG(read.across_builds),
     .help = "ignore numbers in compiler-generated names, to compare two builds"},
    {"symbols", 0, GROUP_COMPARED, ON_ALL | ON_RECORD, TEXT(FILE_READ, symbols),
     .once = true, .help = "Native AOT program, or its .dbg file, that names types"},
    /* Who reads heap text with decimal sizes looks at it, or converts it once. */
    {"size-base", 0, GROUP_COMPARED, ON_INFO | ON_CONVERT, .kind = OPTION_OTHER,
     .parse = parse_size_base, .argument = "BASE", .words = WORDS("16", "10"),
     .wanted = "16 or 10", .help = "base of sizes in heap text: 16 (default) or 10",
     .also = ON_EVERY},

    /* what is shown */
    {"rows", 'n', GROUP_SHOWN, ON_DIFF | ON_REPORT | ON_TOP | ON_CHECK | ON_FLEET,
     COUNT(options.rows, 0, HD_DEFAULT_ROWS - 1),
     .help = "rows per table; default 20, 0 shows all"},
    {"sort", 0, GROUP_SHOWN, ON_DIFF | ON_REPORT | ON_TOP,
     CHOICE(options.sort, HD_SORT_COUNT, "count", "bytes", "retained", "name"),
     .argument = "KEY", .help = ""},
    {"type", 't', GROUP_SHOWN, ON_ROWS, PATTERNS(types),
     .help = "only types that match; * and ? are wildcards; repeatable"},
    {"exclude", 'x', GROUP_SHOWN, ON_ROWS | ON_OBJECT | ON_STATICS, PATTERNS(excludes),
     .help = "hide types that match; repeatable"},
    {"app-only", 0, GROUP_SHOWN, ON_ROWS | ON_EXPLORE | ON_OBJECT | ON_STATICS,
     FLAG(options.app_only), .help = "hide framework types"},
    {"by", 0, GROUP_SHOWN, ON_DIFF | ON_TOP,
     CHOICE(options.by, HD_BY_TYPE, "type", "namespace", "module", "holder"),
     .argument = "UNIT", .usual = "type", .help = "group rows by"},
    {"min", 0, GROUP_SHOWN, ON_TREE | ON_EXPLORE,
     SHARE(options.least_kept, options.least_kept_share), .usual = "0.5%",
     .help = "sum up places that are smaller and changed by less"},

    /* the ranking */
    {"min-score", 0, GROUP_RANKING, ON_GROWTH | ON_TREE | ON_FLEET,
     SHARE(options.min_bytes, options.min_share), .usual = "2%",
     .help = "minimum score of a suspect"},
    {"min-steady", 0, GROUP_RANKING, ON_GROWTH | ON_TREE | ON_FLEET,
     SHARE(options.min_steady_bytes, options.min_steady_share), .usual = "0.1%",
     .help = "the same for steady growth; 0 = off"},
    {"iterations", 0, GROUP_RANKING, ON_GROWTH | ON_TREE, .kind = OPTION_OTHER,
     .parse = parse_iterations, .argument = "A,B,...",
     .wanted = "rising whole numbers, one per snapshot: 0,20,40",
     .help = "iterations of the workload completed at each snapshot", .also = ON_ROOTS},
    {"no-ages", 0, GROUP_RANKING, ON_DIFFS | ON_CHECK, FLAG(options.no_ages),
     .help = "ignore which objects survived: rank by counts alone"},

    /* chains */
    {"chains", 0, GROUP_CHAINS, ON_CHAINS, COUNT(options.chains, 0, MAX_SAMPLES),
     .argument = "K", .usual = "3", .help = "root chains to show per type"},
    {"samples", 0, GROUP_CHAINS, ON_CHAINS, COUNT(options.samples, 1, MAX_SAMPLES),
     .argument = "R", .usual = "32", .help = "instances to sample per type"},
    /* Another sample tells nobody anything; --samples and --exact do. */
    {"seed", 0, GROUP_CHAINS, ON_CHAINS, NUMBER(options.seed, 0, UINT64_MAX),
     .help = "which instances are sampled", .hidden = true},
    {"born", 0, GROUP_CHAINS, ON_ROOTS | ON_OBJECT, .kind = OPTION_OTHER,
     .parse = parse_born, .argument = "N[..N]",
     .wanted = "a snapshot in which they are new (3), or several (2..4)",
     .help = "only instances new in snapshot N and still alive"},
    {"depth", 0, GROUP_CHAINS, ON_CHAINS & ~ON_EXPLORE,
     COUNT(options.depth, 2, MAX_SAMPLES), .argument = "D",
     .help = "types to show per chain; default 64, 8 in text of diff"},
    {"exact", 0, GROUP_CHAINS, ON_CHAINS, FLAG(options.exact),
     .help = "examine every instance instead of a sample"},

    /* budgets */
    {"max-growth", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, .kind = OPTION_BUDGET,
     .words = WORDS("1%", "5%", "10MiB"), .help = "allowed growth of the whole heap"},
    /* In heapdrift.yml it is a rule among others; who has one rule asks for bytes. */
    {"max-growth-objects", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, .kind = OPTION_BUDGET,
     .argument = "N|PCT", .help = "allowed growth in objects", .hidden = true},
    {"budget", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, .kind = OPTION_BUDGET,
     .argument = "TYPE=N", .help = "allowed new instances per matching type; repeatable"},
    {"max-score", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, .kind = OPTION_BUDGET,
     .words = WORDS("1%", "2%", "5%", "1MiB"),
     .help = "fail if a suspect scores this much"},
    {"baseline", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, TEXT(FILE_READ, baseline),
     .once = true, .help = "subtract the growth accepted in FILE"},
    {"baseline-write", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH,
     TEXT(FILE_WRITTEN, baseline_write), .once = true,
     .help = "accept the current growth, and write it to FILE"},

    /* output */
    {"format", 0, GROUP_OUTPUT, ON_PRINTS, TEXT(FORMAT, format),
     .help = "text (default), json, csv, ...: see `heapdrift help formats`"},
    {"output", 'o', GROUP_OUTPUT, (ON_ALL & ~(ON_EXPLORE | ON_CONVERT)) | ON_PS | ON_FLEET,
     TEXT(FILE_WRITTEN, output), .help = "write to FILE instead of standard output"},
    {"color", 0, GROUP_OUTPUT, ON_PRINTS | ON_EXPLORE,
     CHOICE(style.color, COLOR_AUTO, "auto", "always", "never"), .argument = "WHEN",
     .usual = "auto", .help = ""},
    {"width", 0, GROUP_OUTPUT, ON_PRINTS, COUNT(style.width, 0, MAX_COLUMNS),
     GIVEN(style.width_given),
     .help = "columns of text, 0: no limit; default: COLUMNS, the terminal"},
    {"ascii", 0, GROUP_OUTPUT, ON_PRINTS, .kind = OPTION_FLAG, .parse = parse_ascii,
     .help = "print ASCII only; default without UTF-8"},

    /* the rest */
    {"exit-code", 0, GROUP_GENERAL, ON_DIFF | ON_REPORT | ON_WATCH | ON_FLEET,
     FLAG(exit_code), .help = "exit with 1 if there is a suspect"},
    {"strict", 0, GROUP_GENERAL, (ON_ALL & ~ON_EXPLORE) | ON_LIVE, FLAG(strict),
     .help = "exit with 3 if the snapshots allow no verdict",
     .also = ON_PS | ON_EXPLORE | ON_RECORD | ON_STORE},
    {"memory", 0, GROUP_GENERAL, ON_ALL | ON_STORES | ON_FLEET | ON_STORE,
     SIZE(read.max_memory), GIVEN(memory_given),
     .help = "memory limit of heapdrift; default: 3/4 of what is free", .also = ON_PS},
    {"threads", 'j', GROUP_GENERAL, ON_ALL | ON_WATCH | ON_RECORD | ON_FLEET,
     COUNT(threads, 1, MAX_THREADS),
     .help = "number of threads; default: number of processors", .also = ON_PS | ON_STORE},
    {"no-progress", 0, GROUP_GENERAL, ON_ALL | ON_STORES, FLAG(no_progress),
     .help = "show no progress", .also = ON_PS | ON_FLEET | ON_STORE},
    {"no-sandbox", 0, GROUP_GENERAL, ON_ALL | ON_RECORD | ON_FLEET | ON_STORE,
     FLAG(no_sandbox), .help = "do not drop rights that reading snapshots does not need",
     .also = ON_PS | ON_LIVE},
    {"quiet", 'q', GROUP_GENERAL, ON_EVERY, FLAG(quiet), .help = "hide warnings and notes"},
    {"verbose", 'v', GROUP_GENERAL, (ON_ALL & ~ON_EXPLORE) | ON_STORES | ON_FLEET,
     FLAG(verbose), .help = "show what was read, and in text all details and scores",
     .also = ON_PS | ON_EXPLORE | ON_STORE},
    {"help", 'h', GROUP_GENERAL, ON_EVERY | ON_HELP, FLAG(help), .help = "show this help"},
    {"version", 0, GROUP_GENERAL, ON_EVERY | ON_HELP, FLAG(version),
     .help = "show the version"},
    {0}};

enum { MAX_OF_ONE_COMMAND = 16 };
static_assert(sizeof(shared_options) / sizeof(*shared_options) + MAX_OF_ONE_COMMAND <=
                  MAX_OPTIONS,
              "a command's options have to find room in a table");

/* --- the options of a command ------------------------------------------------ */

static bool is_taken(const struct option *o, const struct command *command)
{
    return ((o->commands | o->also) & (unsigned)command->bit) != 0;
}

const struct option *option_next(const struct command *command, const struct option *o)
{
    static const struct option *const end =
        shared_options + sizeof(shared_options) / sizeof(*shared_options) - 1;
    if (o != NULL)
        o++;
    else
        o = command->options != NULL ? command->options : shared_options;
    while (o != end && !(o->name != NULL && is_taken(o, command)))
        o = o->name != NULL ? o + 1 : shared_options;
    return o != end ? o : NULL;
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
