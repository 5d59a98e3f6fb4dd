#include "cli/commands/answer.h"
#include "cli/guard/trust.h"
#include "cli/options/options.h"
#include "cli/terminal/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- budgets ------------------------------------------------------------- */

/* The budget file is then in own->config: given or found; "" without one. */
static bool read_files(struct check_options *own)
{
    struct hd_error err = {0};
    enum trust_rule rule = own->config == NULL ? TRUST_FOUND : TRUST_NAMED;
    if (own->config == NULL)
        own->config = own->found_config;
    if (own->config[0] != '\0' && !trust_check(own->config, rule))
        return false;
    if (own->config[0] != '\0' && !hd_budgets_read(own->rules, own->config, &err)) {
        print_error(own->config, &err);
        return false;
    }
    if (own->baseline == NULL || own->baseline_write != NULL)
        return true;
    if (!trust_check(own->baseline, TRUST_NAMED))
        return false;
    if (hd_budgets_read_baseline(own->rules, own->baseline, &err))
        return true;
    print_error(own->baseline, &err);
    return false;
}

/* False after a message. Mistakes are found before any snapshot is read. */
static bool read_budgets(struct check_options *own)
{
    struct hd_error err = {0};
    int64_t seconds;
    bool ok = true;
    for (size_t i = 0; ok && i < own->budgets.count; i += 2)
        ok = hd_budgets_add_option(own->rules, own->budgets.all[i], own->budgets.all[i + 1],
                                   &err);
    if (!ok)
        print_error(NULL, &err);
    ok = ok && report_time(&seconds);
    if (ok)
        hd_budgets_set_time(own->rules, seconds);
    ok = ok && read_files(own);
    if (ok && own->baseline_write != NULL)
        hd_budgets_accept(own->rules);
    return ok;
}

/* --- build servers ------------------------------------------------------- */

/* Annotations are written to stderr, which GitHub reads as well: stdout is the report. */
static bool annotate(const struct settings *s, const struct hd_report *report)
{
    const char *actions = getenv("GITHUB_ACTIONS");
    struct hd_error err = {0};
    if (actions == NULL || strcmp(actions, "true") != 0 || strcmp(s->format, "github") == 0)
        return true;
    if (hd_report_write(report, "github", NULL, hd_sink_file(stderr), &err))
        return true;
    print_error("standard error", &err);
    return false;
}

/* Other steps write to the file, too, so append. */
static bool summarise(const struct hd_report *report)
{
    static const char variable[] = "GITHUB_STEP_SUMMARY";
    const char *path = getenv(variable);
    struct hd_error err = {0};
    if (path == NULL || path[0] == '\0')
        return true;
    if (!trust_check(path, TRUST_LINKS))
        return false;
    FILE *to = trust_fopen(path, "a");
    bool ok = to != NULL;
    ok = ok && hd_report_write(report, "md", NULL, hd_sink_file(to), &err);
    ok = to != NULL && fclose(to) == 0 && ok;
    if (!ok)
        fprintf(stderr, "heapdrift: %s=%s: %s\n", variable, path,
                err.status != HD_OK ? err.message : strerror(errno));
    return ok;
}

/* --- the check ----------------------------------------------------------- */

static bool write_baseline(const void *report, const struct settings *s, FILE *to,
                           struct hd_error *err)
{
    (void)s;
    return hd_report_write_baseline(report, hd_sink_file(to), err);
}

/* Returns why --strict rejects a pass of this rule. */
static const char *reservation_of(const struct hd_finding *f)
{
    switch (f->reason.code) {
    case HD_REASON_NO_MATCH:
        return "a budget without a match";
    case HD_REASON_HIDDEN:
        return "options hide a suspect, or every type";
    case HD_REASON_LEVELED_OFF:
        return "the heap grew, then leveled off";
    case HD_REASON_POOLS_BY_NAME:
        return "what seem to be buffer pools grew";
    default:
        return "a rule has a remark";
    }
}

/* Prints why --strict makes the status 3. */
static void tell_inconclusive(const struct hd_report *report)
{
    const struct hd_model *m = hd_report_model(report);
    size_t open = 0;
    const char *why = output_partial(m);
    for (size_t i = 0; i < m->check->rule_count; i++) {
        const struct hd_finding *f = &m->check->rules[i];
        open += f->status == HD_FOUND_INCONCLUSIVE;
        if (why == NULL && f->is_lenient)
            why = reservation_of(f);
    }
    if (open > 0)
        fprintf(stderr,
                "heapdrift: inconclusive: %zu of %zu results could not be decided; see the "
                "report\n",
                open, m->check->rule_count);
    else
        fprintf(stderr,
                "heapdrift: passed with a reservation: %s; --strict makes that status 3\n",
                why != NULL ? why : "see the report");
}

static int check(struct settings *s, const struct loaded *l)
{
    const struct check_options *own = s->own;
    struct hd_error err = {0};
    struct hd_report *report =
        hd_report_check(l->comparison, &s->options, own->rules, &err);
    loaded_hide_progress(l);
    if (report == NULL) {
        /* An error about a line that is of no snapshot is of the file of budgets. */
        print_error(err.snapshot > 0          ? loaded_path(l, err.snapshot - 1)
                    : err.where == HD_AT_LINE ? own->config
                                              : NULL,
                    &err);
        return EXIT_TROUBLE;
    }
    int status = hd_report_status(report, s->strict);
    if (status == EXIT_INCONCLUSIVE)
        tell_inconclusive(report);
    else if (hd_report_verdict(report) == HD_INCONCLUSIVE && !s->quiet)
        fputs("heapdrift: warning: inconclusive: some rules could not be decided, see the "
              "report; with --strict this is status 3\n",
              stderr);
    bool ok = output_report(s, report, false);
    ok = annotate(s, report) && ok;
    ok = summarise(report) && ok;
    if (ok && own->baseline_write != NULL)
        ok = output_file(s, own->baseline_write,
                         (struct output_how){.write = write_baseline}, report);
    hd_report_free(report);
    return ok ? status : EXIT_TROUBLE;
}

static int run(struct settings *s)
{
    struct check_options *own = s->own;
    own->rules = hd_budgets_new();
    s->read.reach_later = !s->options.reachable;
    int status = read_budgets(own) ? load_and_answer(s, check) : EXIT_TROUBLE;
    hd_budgets_free(own->rules);
    return status;
}

OPTIONS_OF(struct check_options);

static const struct option options[] = {
    {"config", 'c', GROUP_BUDGETS, ON_CHECK, TEXT(FILE_READ, own.config), .once = true,
     .help = "budget file; default: heapdrift.yml here or in a parent folder"},
    {.more = shared_options}};

const struct option budget_options[] = {
    {"max-growth", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, BUDGET(own.budgets),
     .words = WORDS("1%", "5%", "10MiB"), .help = "allowed growth of the whole heap"},
    /* In heapdrift.yml it is one of several rules; a single rule is usually in bytes. */
    {"max-growth-objects", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, BUDGET(own.budgets),
     .argument = "N|PCT", .help = "allowed growth in objects", .hidden = true},
    {"max-process-growth", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, BUDGET(own.budgets),
     .words = WORDS("10%", "20%", "50MiB"),
     .help = "allowed growth of the process's resident and swapped memory"},
    {"budget", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, BUDGET(own.budgets),
     .argument = "TYPE=N", .help = "allowed new instances per matching type; repeatable"},
    {"max-score", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, BUDGET(own.budgets),
     .words = WORDS("1%", "2%", "5%", "1MiB"),
     .help = "fail if a suspect scores this much"},
    {"baseline", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH, TEXT(FILE_READ, own.baseline),
     .once = true, .help = "subtract the growth accepted in FILE"},
    {"baseline-write", 0, GROUP_BUDGETS, ON_CHECK | ON_WATCH,
     TEXT(FILE_WRITTEN, own.baseline_write), .once = true,
     .help = "accept the current growth, and write it to FILE"},
    {.more = general_options}};

const struct command cmd_check = {
    .name = "check",
    .bit = ON_CHECK,
    .purpose = FOR_BUILDS,
    .operands = "SNAPSHOT SNAPSHOT...",
    .summary = "fail if growth exceeds a budget",
    .description =
        "Compare 2 to 50 snapshots of one program, in order of time, and check growth\n"
        "against the budgets of heapdrift.yml and of the options. Without a budget, the\n"
        "check fails on a suspect of 2 % of the heap, given four snapshots or more. Exit\n"
        "status: 1 over budget, 2 an input is unusable, 3 (with --strict) the snapshots\n"
        "allow no verdict, or one with a reservation.",
    .examples =
        {
            {"heapdrift check snapshots/", "by heapdrift.yml, or any leak"},
            {"heapdrift check --max-growth=5% --budget='MyApp.*=0' snapshots/",
             "budgets without a file"},
            {"heapdrift check --format=junit -o heapdrift.xml snapshots/",
             "for a CI server"},
            {"heapdrift check --baseline-write=accepted snapshots/",
             "accept today's growth"},
        },
    .options = options,
    .own_size = sizeof(struct check_options),
    .owns_format = hd_format_is_for_check,
    .least = 2,
    .most = HD_MAX_SNAPSHOTS,
    .run = run,
};
