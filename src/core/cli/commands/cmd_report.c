/* The page that people open, keep and send on: what `diff` says of several snapshots, what
 * `top` says of one. It adds nothing to either; the format does. */
#include "cli/commands/answer.h"

#include <unistd.h>

/* A terminal is no place for a page: it goes to a file, but not over one that is there. */
static bool choose_output(struct settings *s)
{
    static const char usual[] = "heapdrift-report.html";
    if (s->output != NULL || !isatty(STDOUT_FILENO))
        return true;
    s->output = usual;
    if (access(usual, F_OK) != 0)
        return true;
    fprintf(stderr, "heapdrift: %s already exists; to replace it: -o %s\n", usual, usual);
    return false;
}

/* One has nothing to be compared with. */
static int report_answer(struct settings *s, const struct loaded *l)
{
    struct hd_error err = {0};
    struct hd_report *report =
        (l->count == 1 ? hd_report_top : hd_report_diff)(l->comparison, &s->options, &err);
    int status = output_answer(s, l, report, &err);
    if (status != EXIT_TROUBLE && !output_is_standard(s) && !s->quiet &&
        isatty(STDERR_FILENO))
        fprintf(stderr, "heapdrift: open %s in a browser\n", s->output);
    return status;
}

static int report_run(struct settings *s)
{
    if (!choose_output(s))
        return EXIT_TROUBLE;
    s->format = "html";
    s->options.tree = true;
    s->read.reach_later = !s->options.reachable;
    return load_and_answer(s, report_answer);
}

const struct command cmd_report = {
    .name = "report",
    .bit = ON_REPORT,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT... -o report.html",
    .summary = "the same as an HTML page",
    .description =
        "Write one self-contained HTML page: the verdict, the heap over time, the suspects "
        "with\n"
        "their root chains, what owns the memory, every type. It takes 1 to 50 snapshots, "
        "in\n"
        "order of time. Without -o, the page goes to standard output, or at a terminal to\n"
        "heapdrift-report.html.",
    .examples =
        {
            {"heapdrift report snapshots/ -o leaks.html", "a page to read and to send"},
            {"heapdrift report app.gcdump -o app.html", "what takes up the space in one"},
            {"heapdrift report --store=URL --run=4711 -o leak.html",
             "a run that `heapdrift fleet` prints"},
        },
    .least = 1,
    .most = HD_MAX_SNAPSHOTS,
    .run = report_run,
};
