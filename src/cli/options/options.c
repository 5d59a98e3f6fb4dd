#include "cli/options/options.h"

#include "cli/guard/allocate.h"
#include "cli/options/fleet_options.h"
#include "cli/options/option_traits.h"
#include "cli/options/values.h"
#include "cli/terminal/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Commands that have the same options, because they ask the same. */
enum {
    ON_DIFFS = ON_DIFF | ON_REPORT | ON_EXPLORE,
    ON_GROWTH = ON_DIFFS | ON_CHECK | ON_WATCH,   /* what grew */
    ON_CHAINS = ON_GROWTH | ON_ROOTS,             /* what holds it */
    ON_ROWS = (ON_CHAINS & ~ON_EXPLORE) | ON_TOP, /* a part of that */
    ON_PAPER = ON_DIFF | ON_TOP | ON_ROOTS | ON_INFO | ON_CHECK | ON_TREE |
               ON_OBJECT,                                    /* printed */
    ON_ALL = ON_PAPER | ON_REPORT | ON_EXPLORE | ON_CONVERT, /* read snapshots */
    ON_PRINTS = ON_PAPER | ON_PS | ON_WATCH | ON_FLEET,
    ON_EVERY = ON_ALL | ON_PS | ON_COLLECT | ON_WATCH | ON_RECORD | ON_FLEET,
    ON_STORES = ON_RECORD | ON_COLLECT | ON_WATCH /* put snapshots into a store */
};
enum { MOST_COLLECTED = 100000 };
enum { MOST_SAMPLES = 1000000 };

/* --- values -------------------------------------------------------------- */

static const char *take_format(struct settings *s, const char *value)
{
    if (option_word_index(s, "format", value) >= 0) {
        s->format = value;
        return NULL;
    }
    /* That it is one of another command is said when all options are known. */
    for (size_t i = 0; hd_format_name(i) != NULL; i++)
        if (strcmp(value, hd_format_name(i)) == 0) {
            s->format = value;
            return NULL;
        }
    return s->wanted;
}

static const char *take_target(struct settings *s, const char *value)
{
    s->target = value;
    return option_word_index(s, "to", value) >= 0 ? NULL : s->wanted;
}

static const char *take_output(struct settings *s, const char *value)
{
    s->output = value;
    return value[0] != '\0' ? NULL : "a file name";
}

static const char *take_rows(struct settings *s, const char *value)
{
    return parse_small(s, value, 0, HD_DEFAULT_ROWS - 1, &s->options.rows);
}

static const char *take_sort(struct settings *s, const char *value)
{
    int key = option_word_index(s, "sort", value);
    s->options.sort = (enum hd_sort)(key + HD_SORT_COUNT);
    return key >= 0 ? NULL : s->wanted;
}

static const char *take_unit(struct settings *s, const char *value)
{
    int unit = option_word_index(s, "by", value);
    s->options.by = (enum hd_unit)(unit + HD_BY_TYPE);
    return unit >= 0 ? NULL : s->wanted;
}

static const char *add_pattern(const char ***all, size_t *count, const char *value)
{
    if (value[0] == '\0')
        return "a type or a pattern";
    *all = more((void *)*all, (*count + 1) * sizeof(**all));
    (*all)[(*count)++] = value;
    return NULL;
}

static const char *take_type(struct settings *s, const char *value)
{
    return add_pattern(&s->types, &s->options.type_count, value);
}

static const char *take_exclude(struct settings *s, const char *value)
{
    return add_pattern(&s->excludes, &s->options.exclude_count, value);
}

static const char *take_app_only(struct settings *s, const char *value)
{
    (void)value;
    s->options.app_only = true;
    return NULL;
}

static const char *take_gen2(struct settings *s, const char *value)
{
    (void)value;
    s->options.gen2 = true;
    return NULL;
}

static const char *take_reachable(struct settings *s, const char *value)
{
    (void)value;
    s->options.reachable = true;
    return NULL;
}

static const char *take_fields(struct settings *s, const char *value)
{
    (void)value;
    s->options.fields = true;
    return NULL;
}

static const char *take_min_score(struct settings *s, const char *value)
{
    return parse_score(value, &s->options.min_bytes, &s->options.min_share);
}

static const char *take_min_steady(struct settings *s, const char *value)
{
    return parse_score(value, &s->options.min_steady_bytes, &s->options.min_steady_share);
}

static const char *take_iterations(struct settings *s, const char *value)
{
    static const char wrong[] = "rising whole numbers, one per snapshot: 0,20,40";
    s->iteration_count = 0;
    for (const char *at = value;; at++) {
        char *end;
        errno = 0;
        uint64_t n = strtoull(at, &end, 10);
        if (end == at || errno != 0 || *at < '0' || *at > '9' ||
            (*end != ',' && *end != '\0'))
            return wrong;
        if (s->iteration_count > 0 && n <= s->iterations[s->iteration_count - 1])
            return wrong;
        s->iterations =
            more(s->iterations, (s->iteration_count + 1) * sizeof(*s->iterations));
        s->iterations[s->iteration_count++] = n;
        if (*end == '\0')
            return NULL;
        at = end;
    }
}

/* 3, or 2..4. */
static const char *take_born(struct settings *s, const char *value)
{
    static const char wrong[] =
        "a snapshot in which they are new, as 3, or several, as 2..4";
    char first[16];
    const char *dots = strstr(value, "..");
    size_t len = dots != NULL ? (size_t)(dots - value) : strlen(value);
    struct hd_options *o = &s->options;
    if (len >= sizeof(first))
        return wrong;
    memcpy(first, value, len);
    first[len] = '\0';
    const char *last = dots != NULL ? dots + 2 : first;
    bool are = parse_small(s, first, 1, HD_MAX_SNAPSHOTS, &o->born_first) == NULL &&
               parse_small(s, last, 1, HD_MAX_SNAPSHOTS, &o->born_last) == NULL;
    return are && o->born_first <= o->born_last ? NULL : wrong;
}

static const char *take_across_builds(struct settings *s, const char *value)
{
    (void)value;
    s->read.across_builds = true;
    return NULL;
}

static const char *take_exact(struct settings *s, const char *value)
{
    (void)value;
    s->options.exact = true;
    s->chain_option = "--exact";
    return NULL;
}

static const char *take_tables_only(struct settings *s, const char *value)
{
    (void)value;
    s->read.tables_only = true;
    return NULL;
}

static const char *take_chains(struct settings *s, const char *value)
{
    s->chain_option = "--chains";
    return parse_small(s, value, 0, MOST_SAMPLES, &s->options.chains);
}

/* The rows of roots are its chains. */
static const char *take_chain_rows(struct settings *s, const char *value)
{
    const char *wrong = take_chains(s, value);
    if (wrong == NULL && s->options.chains == 0)
        s->options.chains = UINT32_MAX;
    return wrong;
}

static const char *take_samples(struct settings *s, const char *value)
{
    s->chain_option = "--samples";
    return parse_small(s, value, 1, MOST_SAMPLES, &s->options.samples);
}

static const char *take_seed(struct settings *s, const char *value)
{
    s->chain_option = "--seed";
    return parse_whole_number(s, value, 0, UINT64_MAX, &s->options.seed);
}

static const char *take_depth(struct settings *s, const char *value)
{
    s->chain_option = "--depth";
    return parse_small(s, value, 2, MOST_SAMPLES, &s->options.depth);
}

static const char *take_size_base(struct settings *s, const char *value)
{
    s->read.size_base = strcmp(value, "10") == 0 ? 10 : 16;
    return option_word_index(s, "size-base", value) >= 0 ? NULL : s->wanted;
}

static const char *take_least_kept(struct settings *s, const char *value)
{
    return parse_score(value, &s->options.least_kept, &s->options.least_kept_share);
}

static const char *take_tree_depth(struct settings *s, const char *value)
{
    return parse_small(s, value, 1, MOST_SAMPLES, &s->options.tree_depth);
}

static const char *take_holders(struct settings *s, const char *value)
{
    (void)value;
    s->options.holders = true;
    return NULL;
}

static const char *take_values(struct settings *s, const char *value)
{
    (void)value;
    s->values = true;
    return NULL;
}

static const char *add_budget(struct settings *s, const char *name, const char *value)
{
    s->budgets = more(s->budgets, (s->budget_count + 1) * sizeof(*s->budgets));
    s->budgets[s->budget_count++] = (struct budget_option){name, value};
    return NULL;
}

static const char *take_max_growth(struct settings *s, const char *value)
{
    return add_budget(s, "max-growth", value);
}

static const char *take_max_growth_objects(struct settings *s, const char *value)
{
    return add_budget(s, "max-growth-objects", value);
}

static const char *take_budget(struct settings *s, const char *value)
{
    return add_budget(s, "budget", value);
}

static const char *take_max_score(struct settings *s, const char *value)
{
    return add_budget(s, "max-score", value);
}

static const char *take_file_once(const char **file, const char *value)
{
    const char *before = *file;
    *file = value;
    if (value[0] == '\0')
        return "a file name";
    return before == NULL || strcmp(before, value) == 0 ? NULL : "one file only";
}

static const char *take_config(struct settings *s, const char *value)
{
    return take_file_once(&s->config, value);
}

static const char *take_baseline(struct settings *s, const char *value)
{
    return take_file_once(&s->baseline, value);
}

static const char *take_baseline_write(struct settings *s, const char *value)
{
    return take_file_once(&s->baseline_write, value);
}

static const char *take_exit_code(struct settings *s, const char *value)
{
    (void)value;
    s->exit_code = true;
    return NULL;
}

static const char *take_strict(struct settings *s, const char *value)
{
    (void)value;
    s->strict = true;
    return NULL;
}

static const char *take_memory(struct settings *s, const char *value)
{
    const char *wrong = parse_size(value, &s->read.max_memory);
    return wrong == NULL && s->read.max_memory == 0 ? "more than 0" : wrong;
}

static const char *take_threads(struct settings *s, const char *value)
{
    return parse_small(s, value, 1, MOST_THREADS, &s->threads);
}

static const char *take_processes(struct settings *s, const char *value)
{
    s->threads_given = true;
    return take_threads(s, value);
}

static const char *take_color(struct settings *s, const char *value)
{
    int color = option_word_index(s, "color", value);
    s->color = (enum color)(color + COLOR_AUTO);
    return color >= 0 ? NULL : s->wanted;
}

static const char *take_width(struct settings *s, const char *value)
{
    s->width_given = true;
    return parse_small(s, value, 0, MOST_COLUMNS, &s->width);
}

static const char *take_ascii(struct settings *s, const char *value)
{
    (void)value;
    s->ascii = true;
    messages_in_ascii(true);
    return NULL;
}

static const char *take_no_progress(struct settings *s, const char *value)
{
    (void)value;
    s->no_progress = true;
    return NULL;
}

static const char *take_no_sandbox(struct settings *s, const char *value)
{
    (void)value;
    s->no_sandbox = true;
    return NULL;
}

static const char *take_quiet(struct settings *s, const char *value)
{
    (void)value;
    s->quiet = true;
    return NULL;
}

static const char *take_verbose(struct settings *s, const char *value)
{
    (void)value;
    s->verbose = true;
    return NULL;
}

/* A process id is an int to the kernel. */
static const char *take_process_id(struct settings *s, const char *value)
{
    const char *wrong = parse_whole_number(s, value, 1, INT32_MAX, &s->process_id);
    return wrong != NULL ? "the number of a process, see `heapdrift ps`" : NULL;
}

static const char *take_name(struct settings *s, const char *value)
{
    s->name = value;
    return value[0] != '\0' ? NULL : "the name of a program";
}

static const char *take_all(struct settings *s, const char *value)
{
    (void)value;
    s->all = true;
    return NULL;
}

static const char *take_no_ages(struct settings *s, const char *value)
{
    (void)value;
    s->options.no_ages = true;
    return NULL;
}

/* The words stand in the order of enum core_wanted, of which there is none for nothing. */
static const char *take_core(struct settings *s, const char *value)
{
    int kind = option_word_index(s, "core", value);
    s->core = (enum core_wanted)(kind + CORE_HEAP);
    return kind >= 0 ? NULL : s->wanted;
}

static const char *take_direct(struct settings *s, const char *value)
{
    (void)value;
    s->direct = true;
    return NULL;
}

static const char *take_process_order(struct settings *s, const char *value)
{
    int order = option_word_index(s, "sort", value);
    s->process_order = (enum process_order)(order + BY_PID);
    return order >= 0 ? NULL : s->wanted;
}

static const char *take_socket(struct settings *s, const char *value)
{
    s->socket = value;
    return value[0] == '/' ? NULL : "the absolute path of a diagnostics socket";
}

static const char *take_timeout(struct settings *s, const char *value)
{
    const char *wrong = parse_duration(value, &s->timeout_ms);
    return wrong == NULL && s->timeout_ms == 0 ? "more than 0" : wrong;
}

static const char *take_interval(struct settings *s, const char *value)
{
    s->interval_given = true;
    return parse_duration(value, &s->interval_ms);
}

static const char *take_count(struct settings *s, const char *value)
{
    return parse_small(s, value, 1, MOST_COLLECTED, &s->snapshot_count);
}

static const char *take_help(struct settings *s, const char *value)
{
    (void)value;
    s->help = true;
    return NULL;
}

static const char *take_version(struct settings *s, const char *value)
{
    (void)value;
    s->version = true;
    return NULL;
}

/* --- the options --------------------------------------------------------- */

const struct option options[] = {
    {"process-id", 'p', ON_COLLECT | ON_WATCH, "PID", "the process; see `heapdrift ps`",
     take_process_id},
    {"name", 'n', ON_COLLECT | ON_WATCH, "NAME",
     "the process of that name; rows are --rows", take_name},
    {"name", 'n', ON_PS, "NAME", "only processes of that name; * and ? are wildcards",
     take_name},
    {"all", 'a', ON_COLLECT, NULL, "every process, or with --name those it matches",
     take_all},
    {"diagnostic-port", 0, ON_COLLECT | ON_WATCH, "SOCKET",
     "the process that listens at this socket", take_socket},
    {"core", 0, ON_COLLECT, "[=KIND]",
     "a core dump by the runtime: heap (default), or full", take_core},
    {"direct", 0, ON_COLLECT | ON_WATCH, NULL,
     "stop it and read its memory: no collection, a shorter stop", take_direct},
    {"no-ages", 0, ON_COLLECT | ON_WATCH, NULL,
     "do not listen to its collector, which tells what survives", take_no_ages},
    {"count", 0, ON_COLLECT, "N", "so many snapshots: app-1.gcdump, app-2.gcdump, ...",
     take_count},
    {"count", 0, ON_WATCH, "N", "snapshots to take, 2 to 50; default 6", take_count},
    {"interval", 0, ON_COLLECT | ON_WATCH, "TIME",
     "from one snapshot to the next: 500ms, 30s (default), 5m, 1h", take_interval},
    {"store", 0, ON_COLLECT | ON_WATCH, "URL",
     "record it there instead: a file, or postgresql://...", take_store},
    {"max-heap", 0, ON_COLLECT | ON_WATCH, "SIZE",
     "with --store: no snapshot while it has more memory (RSS)", take_max_heap},
    {"lock", 0, ON_COLLECT | ON_WATCH, "FILE",
     "with --store: who shares FILE takes turns; default heapdrift.lock", take_lock},
    {"timeout", 't', ON_COLLECT, "SECONDS",
     "give up when nothing has come for so long; default 30", take_timeout},
    {"timeout", 0, ON_WATCH, "SECONDS",
     "give up when nothing has come for so long; default 30. -t is --type", take_timeout},
    {"store", 0, ON_RECORD | ON_FLEET, "URL",
     "a file, or postgresql://...; default: HEAPDRIFT_STORE, heapdrift.db", take_store},
    {"service", 0, ON_STORES, "NAME",
     "what it is of; default: OTEL_SERVICE_NAME, the pod, the program", take_service},
    {"host", 0, ON_STORES, "NAME",
     "where it ran; default: what the snapshot says, HOSTNAME", take_host},
    {"build", 0, ON_STORES, "VERSION", "of the program, to tell which build began to leak",
     take_build},
    {"label", 0, ON_STORES, "NAME=VALUE",
     "something else to tell runs apart by; repeatable", take_label},
    {"limit", 0, ON_STORES, "SIZE", "memory that the process may use", take_limit},
    {"keep", 0, ON_STORES, "AGE",
     "then thin out: hourly after a day, daily after 8, nothing older", take_keep},
    {"format", 0, ON_RECORD, "FORMAT", "text (default) or json", take_format},
    {"service", 0, ON_FLEET, "NAME", "only this service", take_service},
    {"since", 0, ON_FLEET, "TIME", "taken since then: 7d (default), 12h, 2026-11-15, all",
     take_since},
    {"until", 0, ON_FLEET, "TIME", "and before then; default: now", take_until},
    {"shard", 0, ON_FLEET, "I/N", "only part I of N, written as a part for --merge",
     take_shard},
    {"merge", 0, ON_FLEET, NULL,
     "add up parts, the operands; -o without --format makes a part", take_merge},
    {"save", 0, ON_FLEET, NULL, "write what is found into the store, for SQL", take_save},
    {"format", 0, ON_PRINTS, "FORMAT",
     "text (default), json, csv, ...: see `heapdrift help formats`", take_format},
    {"to", 0, ON_COLLECT, "FORMAT",
     "with --all: gcdump (default), digest, nettrace or core", take_target},
    {"to", 0, ON_CONVERT, "FORMAT", "what to write; by default the suffix of OUT tells",
     take_target},
    {"format", 0, ON_CONVERT, "FORMAT", "the same as --to", take_target},
    {"output", 'o', (ON_ALL & ~ON_EXPLORE) | ON_PS | ON_FLEET, "FILE",
     "write there instead of standard output", take_output},
    {"output", 'o', ON_COLLECT, "FILE", "write there; with --all a folder, default: here",
     take_output},
    {"output", 'o', ON_WATCH, "DIR", "keep the snapshots there: 1.gcdump, 2.gcdump, ...",
     take_output},
    {"rows", 0, ON_WATCH, "N", "rows per table; default 20, 0 for all", take_rows},
    {"rows", 'n', ON_DIFF | ON_REPORT | ON_TOP | ON_CHECK | ON_FLEET, "N",
     "rows per table; default 20, 0 for all", take_rows},
    {"rows", 'n', ON_ROOTS, "N", "the same as --chains, but 0 for all", take_chain_rows},
    {"rows", 'n', ON_TREE, "N", "places shown; default 30, 0 for all", take_rows},
    {"rows", 'n', ON_OBJECT, "N",
     "elements and rows shown; default 20 and all fields, 0 for all", take_rows},
    {"values", 0, ON_OBJECT, NULL, "show strings and what arrays hold: they may be secrets",
     take_values},
    {"sort", 0, ON_DIFF | ON_REPORT | ON_TOP, "KEY", "count, bytes, retained or name",
     take_sort},
    {"sort", 0, ON_PS, "KEY", "pid (default), name, memory or uptime", take_process_order},
    {"type", 't', ON_ROWS, "PATTERN",
     "only types that match; * and ? are wildcards; repeatable", take_type},
    {"type", 't', ON_TREE, "PATTERN", "only what hangs from types that match; repeatable",
     take_type},
    {"holders", 0, ON_TREE, NULL, "what holds the types of --type: the way up, not down",
     take_holders},
    {"min", 0, ON_TREE | ON_EXPLORE, "SIZE|PCT",
     "sum up what owns less, and changed by less; default 0.5%", take_least_kept},
    {"depth", 0, ON_TREE, "D", "levels below the top; default all", take_tree_depth},
    {"exclude", 'x', ON_ROWS, "PATTERN", "not these types; repeatable", take_exclude},
    {"app-only", 0, ON_ROWS | ON_EXPLORE, NULL, "hide the types of the framework",
     take_app_only},
    {"gen2", 0, ON_ROWS | ON_EXPLORE | ON_TREE, NULL,
     "count only objects in gen2, LOH, POH and frozen segments", take_gen2},
    {"reachable", 0, ON_GROWTH | ON_TOP | ON_TREE, NULL,
     "count only objects on a chain from a root", take_reachable},
    {"by", 0, ON_DIFF | ON_TOP, "UNIT",
     "what a row is: type (default), namespace, module or holder", take_unit},
    {"by", 0, ON_FLEET, "UNIT", "service (default), host or build", take_fleet_by},
    {"limit", 0, ON_FLEET, "SIZE", "memory that a process may use; default: as recorded",
     take_limit},
    {"min-hosts", 0, ON_FLEET, "N|PCT",
     "on so many hosts a suspect is one of the fleet; default 5%", take_min_hosts},
    {"max-hosts", 0, ON_FLEET, "N|PCT", "status 1 when a suspect is on more hosts",
     take_max_hosts},
    {"min-span", 0, ON_FLEET, "TIME", "shorter runs get no verdict; default 24h, 0 = off",
     take_min_span},
    {"min-score", 0, ON_GROWTH | ON_TREE | ON_FLEET, "SIZE|PCT",
     "least score of a suspect; default 2%", take_min_score},
    {"min-steady", 0, ON_GROWTH | ON_TREE | ON_FLEET, "SIZE|PCT",
     "the same for what grows evenly; default 0.1%, 0 = off", take_min_steady},
    {"iterations", 0, ON_CHAINS | ON_TREE, "A,B,...",
     "iterations of the workload that had run at each snapshot", take_iterations},
    {"no-ages", 0, ON_DIFFS | ON_CHECK, NULL,
     "do not find out which objects stayed: rank by counts alone", take_no_ages},
    {"tables-only", 0, ON_DIFFS | ON_TOP | ON_CHECK, NULL,
     "do not read references: counts and bytes per type only", take_tables_only},
    {"chains", 0, ON_CHAINS, "K", "root chains shown per type; default 3", take_chains},
    {"samples", 0, ON_CHAINS, "R", "instances looked at per type; default 32",
     take_samples},
    {"seed", 0, ON_CHAINS, "S", "which instances are sampled; default 0", take_seed},
    {"depth", 0, ON_CHAINS & ~ON_EXPLORE, "D",
     "types shown per chain; default 64, 8 in text of diff", take_depth},
    {"exact", 0, ON_CHAINS, NULL, "look at every instance instead of a sample", take_exact},
    {"born", 0, ON_ROOTS, "N[..N]", "only what was new in snapshot N and is still there",
     take_born},
    {"fields", 0, ON_DIFF | ON_REPORT | ON_ROOTS | ON_CHECK | ON_TREE, NULL,
     "two fields of one type are two ways of being held (core dumps)", take_fields},
    {"across-builds", 0, ON_DIFFS | ON_ROOTS | ON_CHECK | ON_TREE, NULL,
     "fold numbers in compiler-made names, so that two builds line up", take_across_builds},
    {"config", 'c', ON_CHECK, "FILE",
     "budgets; default: heapdrift.yml here or in a parent folder", take_config},
    {"config", 'c', ON_WATCH, "FILE",
     "budgets; heapdrift.yml here or above counts beside other ones only", take_config},
    {"max-growth", 0, ON_CHECK | ON_WATCH, "SIZE|PCT", "the whole heap may grow by so much",
     take_max_growth},
    {"max-growth-objects", 0, ON_CHECK | ON_WATCH, "N|PCT", "so many objects may be added",
     take_max_growth_objects},
    {"budget", 0, ON_CHECK | ON_WATCH, "TYPE=N",
     "so many instances of each matching type may be added; repeatable", take_budget},
    {"max-score", 0, ON_CHECK | ON_WATCH, "SIZE|PCT", "no suspect may score so much",
     take_max_score},
    {"baseline", 0, ON_CHECK | ON_WATCH, "FILE", "subtract the growth that FILE accepts",
     take_baseline},
    {"baseline-write", 0, ON_CHECK | ON_WATCH, "FILE",
     "accept what grows now, and write it to FILE", take_baseline_write},
    {"exit-code", 0, ON_DIFF | ON_REPORT | ON_WATCH | ON_FLEET, NULL,
     "status 1 when there is a suspect", take_exit_code},
    {"strict", 0, (ON_ALL & ~ON_EXPLORE) | ON_COLLECT | ON_WATCH, NULL,
     "status 3 when the snapshots allow no judgement", take_strict},
    {"strict", 0, ON_FLEET, NULL,
     "status 3 when a run allows no verdict or a part is missing", take_strict},
    {"size-base", 0, ON_ALL | ON_RECORD, "BASE",
     "of sizes in heap text: 16 (default) or 10", take_size_base},
    {"memory", 0, ON_ALL | ON_COLLECT | ON_WATCH | ON_RECORD | ON_FLEET, "SIZE",
     "memory that may be used; default 3/4 of what is free", take_memory},
    {"threads", 'j', ON_ALL | ON_WATCH | ON_RECORD | ON_FLEET, "N",
     "threads; default: processors", take_threads},
    {"threads", 'j', ON_COLLECT, "N", "with --all: so many at the same time; default 1",
     take_processes},
    {"color", 0, ON_PRINTS | ON_EXPLORE, "WHEN", "auto (default), always or never",
     take_color},
    {"width", 0, ON_PRINTS, "N",
     "columns of text; 0: no limit. Default: COLUMNS, the terminal's", take_width},
    {"ascii", 0, ON_PRINTS, NULL, "no character beyond ASCII; default without UTF-8",
     take_ascii},
    {"no-progress", 0, ON_ALL | ON_COLLECT | ON_WATCH | ON_RECORD, NULL,
     "do not show what is being read", take_no_progress},
    {"no-sandbox", 0, ON_ALL | ON_RECORD, NULL,
     "keep the rights that reading snapshots does not need", take_no_sandbox},
    {"quiet", 'q', ON_EVERY, NULL, "no warnings and notes", take_quiet},
    {"verbose", 'v', (ON_ALL & ~ON_EXPLORE) | ON_COLLECT | ON_WATCH | ON_RECORD | ON_FLEET,
     NULL, "say what was read; in text all details and scores", take_verbose},
    {"help", 'h', ON_EVERY | ON_HELP, NULL, "show this", take_help},
    {"version", 0, ON_EVERY | ON_HELP, NULL, "show the version", take_version},
};

const size_t option_count = sizeof(options) / sizeof(options[0]);

bool option_value_is_optional(const struct option *o)
{
    return o->argument != NULL && o->argument[0] == '[';
}

bool option_is_for(const struct option *o, const struct command *command)
{
    static const struct {
        const char *name;
        unsigned commands;
    } idle[] = {{"strict", ON_PS | ON_EXPLORE | ON_RECORD},
                {"size-base", ON_PS | ON_COLLECT | ON_WATCH | ON_FLEET},
                {"memory", ON_PS},
                {"threads", ON_PS},
                {"no-progress", ON_PS | ON_FLEET},
                {"no-sandbox", ON_PS | ON_COLLECT | ON_WATCH | ON_FLEET},
                {"verbose", ON_PS | ON_EXPLORE}};
    unsigned all = o->commands;
    for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
        if (strcmp(o->name, idle[i].name) == 0)
            all |= idle[i].commands;
    return (all & (unsigned)command->bit) != 0;
}
