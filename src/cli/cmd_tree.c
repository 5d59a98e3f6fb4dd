#include "cli/output.h"

#include <string.h>
#include <unistd.h>

static int show(const struct settings *s, const struct loaded *l)
{
    struct hd_error err = {0};
    struct hd_report *report = hd_report_tree(l->comparison, &s->options, &err);
    return output_answer(s, l, report, &err);
}

static int refuse_count(size_t count)
{
    fprintf(stderr, "heapdrift: tree looks at 1 to %d snapshots, not %zu\n",
            HD_MAX_SNAPSHOTS, count);
    return EXIT_TROUBLE;
}

/* Of a terminal it would make a mess. */
static bool refuse_format(const struct settings *s)
{
    bool binary = false;
    for (size_t i = 0; hd_format_name(i) != NULL; i++)
        binary |= hd_format_is_binary(i) && strcmp(hd_format_name(i), s->format) == 0;
    if (!binary || !isatty(STDOUT_FILENO) ||
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
    size_t too_many = surely_more_than(HD_MAX_SNAPSHOTS, s);
    if (too_many > 0)
        return refuse_count(too_many);
    s->read.reach_later = !s->options.reachable;
    struct loaded l = load_snapshots(s);
    int status = EXIT_TROUBLE;
    if (l.failed == 0 && (l.count == 0 || l.count > HD_MAX_SNAPSHOTS))
        refuse_count(l.count);
    else if (l.failed == 0 && take_iterations_for(s, &l))
        status = show(s, &l);
    loaded_free(&l);
    return status;
}

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
    .run = run,
};
