#include "cli/commands/answer.h"
#include "cli/options/options.h"

#include <unistd.h>

static bool tree_prepare(struct settings *s)
{
    s->read.reach_later = !s->options.reachable;
    if (s->options.holders && s->options.type_count == 0)
        return refuse("--holders needs a type: heapdrift tree --holders --type=MyApp.Order "
                      "SNAPSHOT...");
    /* A terminal would show a mess. */
    if (hd_format_is_binary(settings_format(s)) && isatty(STDOUT_FILENO) &&
        output_is_standard(s)) {
        fprintf(stderr, "heapdrift: not writing %s to a terminal; use -o FILE\n",
                s->format);
        return false;
    }
    return true;
}

enum { MAX_LEVELS = 1000000 };

OPTIONS_OF(char);

static const struct option options[] = {
    {"rows", 'n', GROUP_SHOWN, ON_TREE, COUNT(s.options.rows, 0, HD_DEFAULT_ROWS - 1),
     .help = "rows to show; default 30, 0 for all"},
    {"type", 't', GROUP_SHOWN, ON_TREE, PATTERNS(s.types),
     .help = "only what is below matching types; repeatable"},
    {"holders", 0, GROUP_SHOWN, ON_TREE, FLAG(s.options.holders),
     .help = "what holds the types of --type: upwards, not downwards"},
    {"depth", 0, GROUP_SHOWN, ON_TREE, COUNT(s.options.tree_depth, 1, MAX_LEVELS),
     .argument = "D", .help = "levels below the top; default: all"},
    {.more = shared_options}};

const struct command cmd_tree = {
    .name = "tree",
    .bit = ON_TREE,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT...",
    .summary = "what owns the memory, and its growth",
    .description = "Show the heap as a dominator tree: roots and what they hold, each with "
                   "its retained\n"
                   "size. Given several snapshots, the branch that grew most comes first.",
    .examples =
        {
            {"heapdrift tree app.gcdump", "what holds the memory"},
            {"heapdrift tree before.gcdump after.gcdump", "and where it grew"},
            {"heapdrift tree --type='MyApp.*' app.gcdump", "only below some types"},
            {"heapdrift tree --holders --type=String app.gcdump", "what holds the strings"},
        },
    .options = options,
    .owns_format = hd_format_is_for_tree,
    .least = 1,
    .most = HD_MAX_SNAPSHOTS,
    .run = answer_command,
    .prepare = tree_prepare,
    .ask = hd_report_tree,
};
