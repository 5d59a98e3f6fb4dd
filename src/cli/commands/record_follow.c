#include "cli/commands/record_follow.h"

#include "cli/live/children.h"
#include "cli/live/follow_folder.h"
#include "cli/live/storing.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct following_records {
    const struct settings *settings;
    record_function *record;
    struct collecting signals;
    bool store_is_away; /* which was said */
    double thinned;     /* when that was last; 0: never */
};

/* The first signal waits for the file in hand, a second one does not. */
static int status_of(struct following_records *f, pid_t child)
{
    enum { TICK_MS = 20 };
    int how = 0;
    pid_t ended;
    while ((ended = waitpid(child, &how, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        collecting_is_stopped(&f->signals, TICK_MS);
        if (f->signals.signalled > 1)
            kill(child, SIGKILL);
    }
    return how;
}

static enum followed take_apart(void *context, const char *path, const char *opened,
                                bool is_told)
{
    struct following_records *f = context;
    fflush(NULL);
    pid_t child = child_begin(path);
    if (child == 0)
        _exit(f->record(f->settings, path, opened, is_told, f->store_is_away));
    int how = child > 0 ? status_of(f, child) : 0;
    if (child < 0 || (WIFEXITED(how) && WEXITSTATUS(how) == RECORD_NOT_NOW)) {
        f->store_is_away |= child > 0;
        return FOLLOWED_NOT_NOW;
    }
    f->store_is_away = false;
    if (WIFSIGNALED(how) && f->signals.signalled < 2 && path != NULL) {
        begin_message(NULL, path);
        fprintf(stderr, ": reading it was ended by signal %d%s; it is not tried again\n",
                WTERMSIG(how), WTERMSIG(how) == SIGKILL ? ": possibly out of memory" : "");
    }
    return WIFEXITED(how) && WEXITSTATUS(how) == EXIT_DONE ? FOLLOWED : FOLLOWED_FAILED;
}

static void thin_at_times(void *context)
{
    struct following_records *f = context;
    const double day = 86400, now = seconds_now();
    if (f->settings->keep_seconds <= 0 || (f->thinned > 0 && now - f->thinned < day))
        return;
    if (take_apart(f, NULL, NULL, false) != FOLLOWED_NOT_NOW)
        f->thinned = now;
}

/* What is wrong with the store from the start will not change by itself. */
static bool store_can_be_opened(const struct settings *s)
{
    struct settings named = *s;
    bool is_away = false;
    named.store = store_url(s);
    struct store_queue q = storing_begin(&named);
    return storing_probe(&q, &is_away) || is_away;
}

int record_follow(const struct settings *s, record_function *record)
{
    struct following_records f = {
        .settings = s, .record = record, .signals = {.signals = -1}};
    struct follow_how how = {.folders = s->operands,
                             .count = s->operand_count,
                             .quiet = s->quiet,
                             .take = take_apart,
                             .rest = thin_at_times,
                             .context = &f};
    if (!store_can_be_opened(s) || !collecting_begin(&f.signals, s))
        return EXIT_TROUBLE;
    follow_folders(&how, &f.signals);
    collecting_end(&f.signals);
    return EXIT_DONE;
}
