/* The browser in the terminal (explore/): ask what diff or top would, and show it. */
#include "cli/commands/answer.h"
#include "cli/explore/explore.h"
#include "cli/explore/terminal.h"
#include "cli/guard/used_files.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Redraws only after an event or a new size. */
static void explore_show(struct explore *e, struct grid *g, bool happened)
{
    unsigned width, height;
    terminal_size(&width, &height);
    if (!happened && width == e->width && height == e->height)
        return;
    explore_draw(e, g, width, height);
    terminal_show(g);
}

static void browse(struct explore *e)
{
    struct grid g = {0};
    int ended = 0;
    bool happened = true;
    while (!e->quit && ended == 0) {
        bool is_made = explore_is_made(e);
        explore_show(e, &g, happened);
        struct press press = terminal_key(&ended);
        explore_press(e, press);
        if (e->copied.size > 0)
            terminal_copy(e->copied.bytes);
        hd_memory_free(&e->copied);
        happened = press.key != PRESS_NOTHING || !is_made;
    }
    terminal_end();
    grid_free(&g);
    /* The default action of the signal. */
    if (ended != 0) {
        signal(ended, SIG_DFL);
        raise(ended);
    }
}

static bool is_used(const struct settings *s, const char *path, char *why)
{
    return used_files_have(s->used, path, why);
}

static int explore(struct settings *s, const struct loaded *l)
{
    struct hd_error err = {0};
    bool app_only = s->options.app_only;
    const char *no_color = getenv("NO_COLOR");
    bool colors =
        s->style.color == COLOR_ALWAYS ||
        (s->style.color == COLOR_AUTO && (no_color == NULL || no_color[0] == '\0'));
    /* Everything that there is, in one question. */
    s->options.app_only = false;
    s->options.rows = 0;
    s->options.tree = true;
    struct hd_report *report =
        (l->count > 1 ? hd_report_diff : hd_report_top)(l->comparison, &s->options, &err);
    if (report == NULL)
        return output_answer(s, l, NULL, &err);
    loaded_hide_progress(l);
    if (!s->quiet)
        output_warnings(report);
    if (!terminal_begin(colors)) {
        hd_report_free(report);
        return EXIT_TROUBLE;
    }
    struct explore e;
    explore_begin(&e, l->comparison, report, &s->options);
    e.keeps = is_used;
    e.settings = s;
    if (app_only)
        explore_press(&e, (struct press){.key = 'a'});
    browse(&e);
    explore_end(&e);
    hd_report_free(report);
    return EXIT_DONE;
}

static int explore_run(struct settings *s)
{
    if (!terminal_is_there())
        return EXIT_TROUBLE;
    s->read.reach_later = !s->options.reachable;
    return load_and_answer(s, explore);
}

const struct command cmd_explore = {
    .name = "explore",
    .bit = ON_EXPLORE,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT...",
    .summary = "browse a heap in the terminal",
    .description =
        "Browse the heap in the terminal, starting with the findings of `heapdrift diff`.\n"
        "Enter leads from a suspect to its place in the dominator tree, to its objects, "
        "and\n"
        "to one object with its root chain, the objects that it refers to, and those that\n"
        "refer to it. ? lists the keys.",
    .examples =
        {
            {"heapdrift explore snapshots/", "what grew in a series, down to its objects"},
            {"heapdrift explore app.gcdump", "the contents of a single heap"},
        },
    .least = 1,
    .most = HD_MAX_SNAPSHOTS,
    .run = explore_run,
};
