#include "cli/commands/output.h"
#include "cli/live/collect_all.h"
#include "cli/live/collect_writers.h"
#include "cli/live/sidecar.h"
#include "cli/options/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool usage(const char *what)
{
    fprintf(stderr, "heapdrift: %s\n", what);
    return false;
}

static const char no_trace[] = "--direct reads memory, which is no trace: .gcdump or .core";

static bool check_for_all(struct settings *s)
{
    if (s->store != NULL)
        return usage(
            "--all writes files; `heapdrift record` stores them, and --store takes "
            "one process");
    if (s->operand_count > 0)
        return usage("collect takes no operands; --name=PATTERN chooses from --all");
    if (s->process_id > 0 || s->socket != NULL)
        return usage("--all excludes --process-id and --diagnostic-port; --name=PATTERN "
                     "chooses from all");
    if (s->core != CORE_NONE && s->target != NULL && strcmp(s->target, "core") != 0)
        return usage("--core writes a core, --to something else");
    if (s->core == CORE_NONE && s->target != NULL && strcmp(s->target, "core") == 0)
        s->core = CORE_HEAP;
    if (s->direct && s->target != NULL && strcmp(s->target, "nettrace") == 0)
        return usage(no_trace);
    return !s->interval_given || s->snapshot_count > 0 || usage("--interval needs --count");
}

/* What is to be written, by the name of the file and by options. */
static bool check_output(const struct settings *s)
{
    bool is_trace = output_ends_in(s->output, ".nettrace");
    bool is_snapshot = is_trace || output_ends_in(s->output, ".gcdump") ||
                       output_ends_in(s->output, ".digest");
    if (s->core != CORE_NONE && is_snapshot)
        return trouble(s->output, "--core writes a core: name it something.core");
    if (!is_snapshot && !collect_writes_core(s, s->output))
        return trouble(s->output,
                       "the name of a snapshot ends in .gcdump, in .digest for a digest of "
                       "it, in .nettrace for the trace as it comes, or in .core for a core "
                       "dump");
    return !s->direct || !is_trace || usage(no_trace);
}

/* A digest and nothing else. */
static bool check_store(const struct settings *s)
{
    if (s->output != NULL)
        return usage("a snapshot goes into a file (-o) or into a store (--store)");
    if (s->core != CORE_NONE || s->target != NULL)
        return usage("a store takes digests, neither cores nor traces");
    return !s->interval_given || s->snapshot_count > 0 || usage("--interval needs --count");
}

static bool check(struct settings *s)
{
    if (s->store == NULL && s->is_for_a_store)
        return usage("--max-heap, --lock, --keep and what a run is called are for --store");
    if (s->direct && s->core == CORE_FULL)
        return usage("--direct copies what the process has written; it has no --core=full");
    if (s->all)
        return check_for_all(s);
    if (!collecting_process_is_named(s, "collect"))
        return false;
    if (s->store != NULL)
        return check_store(s);
    if (s->target != NULL)
        return usage("--to is for --all; else the name of OUT tells the format");
    if (s->output == NULL)
        return usage("collect needs a file to write: heapdrift collect PID -o OUT");
    if (!check_output(s))
        return false;
    if (s->interval_given && s->snapshot_count == 0)
        return usage("--interval needs --count");
    return true;
}

static int collect_series(struct collecting *c)
{
    const struct settings *s = c->settings;
    int status = EXIT_DONE;
    if (s->snapshot_count > 1)
        collecting_follow(c);
    for (uint32_t i = 1; i <= s->snapshot_count; i++) {
        char *name = collecting_numbered(s->output, i);
        int result = name != NULL ? collecting_take(c, name) : EXIT_TROUBLE;
        free(name);
        if (result == EXIT_TROUBLE)
            return result;
        status = result != EXIT_DONE ? result : status;
        if (i == s->snapshot_count || collecting_wait(c))
            continue;
        fputs("heapdrift: stopped; what was collected so far stays\n", stderr);
        return EXIT_TROUBLE;
    }
    return status;
}

static int run(struct settings *s)
{
    struct collecting c = {.signals = -1};
    if (!check(s))
        return EXIT_TROUBLE;
    if (s->all)
        return collect_all(s);
    if (s->store != NULL)
        return sidecar_collect(s);
    if (!collecting_begin(&c, s))
        return EXIT_TROUBLE;
    int status =
        s->snapshot_count > 0 ? collect_series(&c) : collecting_take(&c, s->output);
    collecting_end(&c);
    return status;
}

static const struct option options[] = {
    {"all", 'a', GROUP_PROCESS, ON_COLLECT, FLAG(all),
     .help = "every process, or with --name those it matches"},
    {"core", 0, GROUP_PROCESS, ON_COLLECT, CHOICE(core, CORE_HEAP, "heap", "full"),
     .argument = "[=KIND]", .help = "a core dump by the runtime"},
    {"count", 0, GROUP_PROCESS, ON_COLLECT, COUNT(snapshot_count, 1, MOST_COLLECTED),
     .help = "so many snapshots: app-1.gcdump, app-2.gcdump, ..."},
    {"to", 0, GROUP_OUTPUT, ON_COLLECT, TEXT(WORD, target),
     .words = WORDS("gcdump", "digest", "nettrace", "core"),
     .help = "with --all: gcdump (default), digest, nettrace or core"},
    {"output", 'o', GROUP_OUTPUT, ON_COLLECT, TEXT(SNAPSHOT, output),
     .help = "write there; with --all a folder, default: here"},
    {"threads", 'j', GROUP_GENERAL, ON_COLLECT, COUNT(threads, 1, MOST_THREADS),
     GIVEN(threads_given), .help = "with --all: so many at the same time; default 1"},
    {0}};

const struct command cmd_collect = {
    .name = "collect",
    .bit = ON_COLLECT,
    .purpose = FOR_PROCESSES,
    .operands = "PID|NAME -o OUT",
    .summary = "take snapshots of it",
    .description =
        "Ask a process for its heap, over the diagnostics socket that every .NET runtime\n"
        "opens. OUT is a .gcdump, a .digest, or a .nettrace: the trace as it comes, with\n"
        "generations.\n"
        "The process does a full, blocking garbage collection for each snapshot. With "
        "--all OUT\n"
        "is a folder, and every process gets a file there, one after the other.",
    .examples =
        {
            {"heapdrift collect 4711 -o app.gcdump", "one snapshot of process 4711"},
            {"heapdrift collect MyApp -o app.gcdump", "of the process of that name"},
            {"heapdrift collect 4711 -o app.gcdump --count=4 --interval=5m",
             "a series: app-1.gcdump, ..."},
            {"heapdrift collect --all -o leak/ --count=4", "a series of each process"},
            {"heapdrift collect MyApp --store=heapdrift.db", "a digest of it into a store"},
        },
    .options = options,
    .run = run,
};
