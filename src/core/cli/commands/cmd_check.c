#include "cli/commands/answer.h"
#include "cli/guard/trust.h"
#include "cli/options/options.h"
#include "cli/terminal/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What snapshots are held against, and the file that it came from. */
struct gate {
    struct hd_budgets *budgets;
    const char *config; /* given or found; "" if there is none */
};

/* --- budgets ------------------------------------------------------------- */

static bool read_files(struct gate *g, const struct settings *s)
{
    struct hd_error err = {0};
    bool is_found = s->config == NULL;
    g->config = is_found ? s->found_config : s->config;
    if (g->config[0] != '\0' &&
        !trust_check(g->config, is_found ? TRUST_FOUND : TRUST_NAMED))
        return false;
    if (g->config[0] != '\0' && !hd_budgets_read(g->budgets, g->config, &err)) {
        print_error(g->config, &err);
        return false;
    }
    if (s->baseline == NULL || s->baseline_write != NULL)
        return true;
    if (!trust_check(s->baseline, TRUST_NAMED))
        return false;
    if (hd_budgets_read_baseline(g->budgets, s->baseline, &err))
        return true;
    print_error(s->baseline, &err);
    return false;
}

/* False after saying what is wrong. Mistakes are found before any snapshot is read. */
static bool read_budgets(struct gate *g, const struct settings *s)
{
    struct hd_error err = {0};
    int64_t seconds;
    bool ok = true;
    for (size_t i = 0; ok && i < s->budget_count; i++)
        ok = hd_budgets_add_option(g->budgets, s->budgets[i].name, s->budgets[i].value,
                                   &err);
    if (!ok)
        print_error(NULL, &err);
    ok = ok && report_time(&seconds);
    if (ok)
        hd_budgets_set_time(g->budgets, seconds);
    ok = ok && read_files(g, s);
    if (ok && s->baseline_write != NULL)
        hd_budgets_accept(g->budgets);
    return ok;
}

/* --- build servers ------------------------------------------------------- */

/* Annotations go to stderr, where GitHub looks as well: stdout is the report. */
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

/* Other steps write there too, so it is appended to. */
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

static int status_of(const struct settings *s, const struct hd_report *report)
{
    int status = hd_report_status(report, s->strict);
    if (status == EXIT_INCONCLUSIVE)
        fputs("heapdrift: inconclusive: the snapshots allow no verdict; see the report\n",
              stderr);
    else if (hd_report_verdict(report) == HD_INCONCLUSIVE && !s->quiet)
        fputs("heapdrift: warning: inconclusive: some rules could not be decided, see the "
              "report; with --strict this is status 3\n",
              stderr);
    return status;
}

static int check(struct settings *s, const struct loaded *l)
{
    const struct gate *g = s->gate;
    struct hd_error err = {0};
    struct hd_report *report =
        hd_report_check(l->comparison, &s->options, g->budgets, &err);
    loaded_hide_progress(l);
    if (report == NULL) {
        /* An error about a line that is of no snapshot is of the file of budgets. */
        print_error(err.snapshot > 0          ? loaded_path(l, err.snapshot - 1)
                    : err.where == HD_AT_LINE ? g->config
                                              : NULL,
                    &err);
        return EXIT_TROUBLE;
    }
    int status = status_of(s, report);
    bool ok = output_report(s, report, false);
    ok = annotate(s, report) && ok;
    ok = summarise(report) && ok;
    if (ok && s->baseline_write != NULL)
        ok = output_file(s, s->baseline_write, (struct output_how){.write = write_baseline},
                         report);
    hd_report_free(report);
    return ok ? status : EXIT_TROUBLE;
}

static int run(struct settings *s)
{
    struct gate g = {.budgets = hd_budgets_new(), .config = ""};
    s->gate = &g;
    s->read.reach_later = !s->options.reachable;
    int status = read_budgets(&g, s) ? load_and_answer(s, check) : EXIT_TROUBLE;
    hd_budgets_free(g.budgets);
    return status;
}

static const struct option options[] = {
    {"config", 'c', GROUP_BUDGETS, ON_CHECK, TEXT(FILE_READ, config), .once = true,
     .help = "budget file; default: heapdrift.yml here or in a parent folder"},
    {0}};

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
        "status: 1 over budget, 2 something is wrong with an input, 3 (with --strict) the\n"
        "snapshots allow no verdict.",
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
    .least = 2,
    .most = HD_MAX_SNAPSHOTS,
    .run = run,
};
