#include "cli/commands/answer.h"

#include <string.h>

/* For people the answer begins with who owns most. */
static bool top_prepare(struct settings *s)
{
    s->options.owner_of_most =
        strcmp(s->format, "text") == 0 || strcmp(s->format, "md") == 0;
    s->read.reach_later = !s->options.reachable;
    return true;
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
    .least = 1,
    .most = 1,
    .run = answer_command,
    .prepare = top_prepare,
    .ask = hd_report_top,
};
