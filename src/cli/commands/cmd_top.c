#include "cli/commands/commands.h"
#include "cli/commands/output.h"

#include <string.h>

static int refuse_count(size_t count)
{
    fprintf(stderr,
            "heapdrift: top takes one snapshot, not %zu; compare several with `heapdrift "
            "diff`\n",
            count);
    return EXIT_TROUBLE;
}

/* For people who owns most is said first. */
int answer_top(struct settings *s, const struct loaded *l)
{
    struct hd_error err = {0};
    s->options.owner_of_most =
        strcmp(s->format, "text") == 0 || strcmp(s->format, "md") == 0;
    struct hd_report *report = hd_report_top(l->comparison, &s->options, &err);
    return output_answer(s, l, report, &err);
}

static int run(struct settings *s)
{
    size_t too_many = surely_more_than(1, s);
    if (too_many > 0)
        return refuse_count(too_many);
    s->read.reach_later = !s->options.reachable;
    struct loaded l = load_snapshots(s);
    int status = EXIT_TROUBLE;
    if (l.failed == 0 && l.count != 1)
        refuse_count(l.count);
    else if (l.failed == 0)
        status = answer_top(s, &l);
    loaded_free(&l);
    return status;
}

const struct command cmd_top = {
    .name = "top",
    .bit = ON_TOP,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT",
    .summary = "what takes up the space in one snapshot",
    .description = "List types by the bytes of their objects. With --format=csv, the table "
                   "is itself a\n"
                   "snapshot that can be compared later.",
    .examples =
        {
            {"heapdrift top app.gcdump", "types by bytes"},
            {"heapdrift top --sort=retained app.gcdump", "by retained size"},
            {"heapdrift top --by=namespace app.gcdump", "one row per namespace"},
            {"heapdrift top --format=csv -o small.csv app.gcdump",
             "a table to compare later"},
        },
    .run = run,
};
