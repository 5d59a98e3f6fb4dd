#include "collect/commands/so_far.h"

#include "cli/commands/answer.h"
#include "cli/commands/commands.h"
#include "collect/live/children.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool watch_keeps_digests(const struct settings *s)
{
    return s->output != NULL && output_ends_in(s->output, ".digest");
}

void so_far_name(const struct settings *s, const char *folder, size_t number, char *path,
                 size_t size)
{
    char *digest =
        watch_keeps_digests(s) ? output_numbered(s->output, (uint32_t)number) : NULL;
    if (digest != NULL)
        snprintf(path, size, "%s", digest);
    else
        snprintf(path, size, "%s/%zu.gcdump", folder, number);
    free(digest);
}

/* --- in the child ------------------------------------------------------------ */

int so_far_print(const struct settings *all, const char *task)
{
    enum { PATH_SIZE = 2048 + 32 };
    static char names[HD_MAX_SNAPSHOTS][PATH_SIZE];
    char *folder;
    const char *paths[HD_MAX_SNAPSHOTS];
    const size_t count = strtoul(task, &folder, 10);
    struct settings s = *all;
    struct hd_error err = {0};
    if (count < 2 || count > HD_MAX_SNAPSHOTS || folder[0] != ' ')
        return EXIT_TROUBLE;
    for (size_t i = 0; i < count; i++) {
        so_far_name(all, folder + 1, i + 1, names[i], PATH_SIZE);
        paths[i] = names[i];
    }
    s.operands = paths;
    s.operand_count = count;
    s.quiet = s.no_progress = true;
    s.command = command_named("diff"); /* budgets are for the whole series */
    if (!s.command->prepare(&s))
        return EXIT_TROUBLE;
    struct loaded l = load_snapshots(&s);
    struct hd_report *report =
        l.failed == 0 ? s.command->ask(l.comparison, &s.options, &err) : NULL;
    if (report != NULL) {
        /* The most informative line: a type that grew, even if the first line asks for more
         * snapshots. */
        const struct hd_summary *summary = hd_report_model(report)->summary;
        const struct hd_line *line = &summary->verdict[0];
        for (size_t i = summary->verdict_len; i-- > 0;)
            if (summary->verdict[i].label != NULL &&
                strcmp(summary->verdict[i].label, "GREW") == 0)
                line = &summary->verdict[i];
        printf("%s %s", line->label, line->text);
    }
    hd_report_free(report);
    loaded_free(&l);
    return EXIT_DONE;
}

/* --- in the parent ----------------------------------------------------------- */

void so_far_begin(struct so_far *f, const struct collector *c, const char *folder,
                  size_t count)
{
    enum { MIN_SNAPSHOTS = 3, MIN_MS = 2000, CAPACITY = 2048 + 32 };
    char task[CAPACITY];
    bool has_time = c->options->on_enter || c->options->interval_ms >= MIN_MS;
    if (!(c->progress || c->lines) || !has_time || count < MIN_SNAPSHOTS ||
        count >= f->wanted || f->child > 0)
        return;
    snprintf(task, sizeof(task), SO_FAR "%zu %s", count, folder);
    f->asked = count;
    f->child = child_begin_anew(c->settings->words, task, &f->from);
}

void so_far_end(struct so_far *f)
{
    int how;
    if (f->child <= 0)
        return;
    kill(f->child, SIGKILL);
    waitpid(f->child, &how, 0);
    close(f->from);
    f->child = 0;
}

/* Whether there is news. */
static bool has_come(struct so_far *f)
{
    int how;
    if (f->child <= 0 || waitpid(f->child, &how, WNOHANG) == 0)
        return false;
    ssize_t size = read(f->from, f->words, sizeof(f->words) - 1);
    close(f->from);
    f->child = 0;
    f->words[size > 0 ? size : 0] = '\0';
    f->answered = size > 0 ? f->asked : 0;
    return size > 0;
}

void so_far_show(struct so_far *f, const struct collector *c, size_t count, double left)
{
    enum { USUAL_WIDTH = 80 };
    char line[sizeof(f->words) + 128];
    bool news = has_come(f);
    if (!c->progress) {
        if (news)
            put_message(NULL, NULL, "after %zu of %zu snapshots: %s", f->answered,
                        f->wanted, f->words);
        return;
    }
    unsigned width = style_for(&c->settings->style, stderr).width;
    size_t columns = (width > 0 ? width : USUAL_WIDTH) - 1, seen = 0;
    int used =
        c->options->on_enter
            ? snprintf(line, sizeof(line),
                       "watching: %zu snapshots; Enter takes another, Ctrl-D ends", count)
            : snprintf(line, sizeof(line),
                       "watching: %zu of %zu snapshots, the next in %.0f s", count,
                       f->wanted, ceil(left));
    if (f->answered > 0)
        snprintf(line + used, sizeof(line) - (size_t)used, "; after %zu: %s", f->answered,
                 f->words);
    /* A line that is written over has no second one: what is too much for it is cut. */
    char *end = line;
    while (*end != '\0' && (seen += ((unsigned char)*end & 0xc0) != 0x80) <= columns)
        end++;
    *end = '\0';
    fputs("\r\033[K", stderr);
    put_name(line);
}
