#include "cli/commands/output.h"
#include "cli/options/options.h"

#include <string.h>
#include <unistd.h>

static int show(struct settings *s, const struct loaded *l)
{
    struct hd_error err = {0};
    struct hd_report *report = hd_report_tree(l->comparison, &s->options, &err);
    return output_answer(s, l, report, &err);
}

/* Of a terminal it would make a mess. */
static bool refuse_format(const struct settings *s)
{
    if (!hd_format_is_binary(settings_format(s)) || !isatty(STDOUT_FILENO) ||
        (s->output != NULL && strcmp(s->output, "-") != 0))
        return false;
    fprintf(stderr, "heapdrift: %s is nothing for a terminal: use -o FILE\n", s->format);
    return true;
}

static int run(struct settings *s)
{
    if (s->options.holders && s->options.type_count == 0) {
        fputs("heapdrift: --holders needs a type: heapdrift tree --holders "
              "--type=MyApp.Order SNAPSHOT...\n",
              stderr);
        return EXIT_TROUBLE;
    }
    if (refuse_format(s))
        return EXIT_TROUBLE;
    s->read.reach_later = !s->options.reachable;
    return load_and_answer(s, "tree", show);
}

enum { MOST_LEVELS = 1000000 };

static const struct option options[] = {
    {"rows", 'n', GROUP_SHOWN, ON_TREE, COUNT(options.rows, 0, HD_DEFAULT_ROWS - 1),
     .help = "places shown; default 30, 0 for all"},
    {"type", 't', GROUP_SHOWN, ON_TREE, PATTERNS(types),
     .help = "only what hangs from types that match; repeatable"},
    {"holders", 0, GROUP_SHOWN, ON_TREE, FLAG(options.holders),
     .help = "what holds the types of --type: the way up, not down"},
    {"depth", 0, GROUP_SHOWN, ON_TREE, COUNT(options.tree_depth, 1, MOST_LEVELS),
     .argument = "D", .help = "levels below the top; default all"},
    {0}};

const struct command cmd_tree = {
    .name = "tree",
    .bit = ON_TREE,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT...",
    .summary = "who owns the memory, and its growth",
    .description =
        "The heap as a tree: roots, what they hold, and what that holds, each with all\n"
        "that would go with it. Of several snapshots the branch that grew most comes "
        "first.",
    .examples =
        {
            {"heapdrift tree app.gcdump", "where the memory is"},
            {"heapdrift tree before.gcdump after.gcdump", "and where its growth went"},
            {"heapdrift tree --type='MyApp.*' app.gcdump", "below some types only"},
            {"heapdrift tree --holders --type=String app.gcdump", "what holds the strings"},
        },
    .options = options,
    .run = run,
};
