#include "cli/commands/answer.h"

/* Rows of holders are chains. */
static bool diff_prepare(struct settings *s)
{
    s->read.reach_later = !s->options.reachable;
    if (s->options.by != HD_BY_HOLDER || s->chain_option == NULL)
        return true;
    fprintf(stderr,
            "heapdrift: --%s: rows of --by=holder are chains, and have none of their own\n",
            s->chain_option);
    return false;
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
    .least = 2,
    .most = HD_MAX_SNAPSHOTS,
    .run = answer_command,
    .prepare = diff_prepare,
    .ask = hd_report_diff,
};
