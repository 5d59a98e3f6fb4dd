#include "cli/commands/output.h"

static int compare(const struct settings *s, const struct loaded *l)
{
    struct hd_error err = {0};
    struct hd_report *report = hd_report_diff(l->comparison, &s->options, &err);
    return output_answer(s, l, report, &err);
}

/* Rows of holders are chains. */
static bool chains_are_looked_for(const struct settings *s)
{
    if (s->options.by != HD_BY_HOLDER || s->chain_option == NULL)
        return true;
    fprintf(stderr,
            "heapdrift: --%s: rows of --by=holder are chains, and have none of their own\n",
            s->chain_option);
    return false;
}

static int run(struct settings *s)
{
    if (!chains_are_looked_for(s) || !few_enough_to_compare(s, "diff"))
        return EXIT_TROUBLE;
    s->read.reach_later = !s->options.reachable;
    struct loaded l = load_snapshots(s);
    int status = EXIT_TROUBLE;
    if (l.failed == 0 && count_can_be_compared(&l, "diff") && check_iterations(s, &l))
        status = compare(s, &l);
    loaded_free(&l);
    return status;
}

const struct command cmd_diff = {
    .name = "diff",
    .bit = ON_DIFF,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT SNAPSHOT...",
    .summary = "what grew, ranked, and what holds it",
    .description =
        "Compare 2 to 50 snapshots of one program, in order of time; the first is the\n"
        "baseline. Types that keep growing are ranked, and sampled root chains show what\n"
        "keeps them alive. It takes four or more snapshots to tell a leak from warm-up.",
    .examples =
        {
            {"heapdrift diff before.gcdump after.gcdump", "two snapshots: the difference"},
            {"heapdrift diff --app-only snapshots/",
             "a folder; the program's own types only"},
            {"heapdrift diff --iterations=0,100,200,300 snapshots/",
             "growth per request served"},
            {"heapdrift diff --format=md -o leaks.md snapshots/", "a page for a ticket"},
        },
    .run = run,
};
