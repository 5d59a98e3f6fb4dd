/* collect --on-enter. */
#include "cli/commands/output.h"
#include "cli/live/collecting.h"
#include "cli/live/run_folder.h"
#include "cli/terminal/exit_hook.h"
#include "cli/terminal/temporary.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { FOLDER_SIZE = 1024, PATH_SIZE = FOLDER_SIZE + 32 };

struct requested {
    struct collecting *collecting;
    char folder[FOLDER_SIZE]; /* "": the files stay, by the name of -o */
    uint32_t count;           /* of snapshots, also of those that failed */
    bool failed;
};

/* --- the files ------------------------------------------------------------------------ */

static void name_file(const struct requested *r, uint32_t number, const char *suffix,
                      char *path, size_t size)
{
    if (r->folder[0] != '\0') {
        snprintf(path, size, "%s/%u%s", r->folder, number, suffix);
        return;
    }
    char *numbered = output_numbered(r->collecting->settings->output, number);
    snprintf(path, size, "%s", numbered != NULL ? numbered : "");
    free(numbered);
}

/* Who asks may have removed some himself, or have put a core beside one. By names that are
 * known, not by what the folder has: a handler of signals may not read folders. */
static void remove_files(const struct requested *r)
{
    char path[PATH_SIZE];
    if (r->folder[0] == '\0')
        return;
    for (uint32_t i = 1; i <= r->count; i++) {
        name_file(r, i, ".gcdump", path, sizeof(path));
        unlink(path);
        name_file(r, i, ".core", path, sizeof(path));
        unlink(path);
    }
    rmdir(r->folder);
}

/* Where the program ends at once, nobody comes back. */
static struct requested *at_work;

static void remove_at_once(void)
{
    temporary_remove();
    remove_files(at_work);
}

/* --- the series ----------------------------------------------------------------------- */

static void print_prompt(const struct requested *r)
{
    if (r->collecting->progress)
        fprintf(stderr, "\r\033[Kcollecting: Enter takes snapshot %u, Ctrl-D ends",
                r->count + 1);
}

static int collect_requested(struct requested *r)
{
    char path[PATH_SIZE];
    struct collecting *c = r->collecting;
    uint32_t most = c->settings->snapshot_count;
    collecting_follow(c);
    for (print_prompt(r); collecting_wait(c); print_prompt(r)) {
        name_file(r, ++r->count, ".gcdump", path, sizeof(path));
        bool taken = collecting_take(c, path, NULL) != EXIT_TROUBLE;
        r->failed = r->failed || !taken;
        printf("%s\n", taken ? path : "");
        fflush(stdout);
        if (c->stopped || ferror(stdout) != 0 || (most > 0 && r->count == most))
            break;
    }
    collecting_unfollow(c);
    if (c->progress)
        fputs("\r\033[K", stderr);
    if (c->stopped && r->folder[0] == '\0')
        fputs("heapdrift: stopped; snapshots collected so far are kept\n", stderr);
    if (r->count == 0 && !c->stopped)
        refuse("standard input ended before a snapshot was asked for");
    return r->failed || c->stopped || r->count == 0 ? EXIT_TROUBLE : EXIT_DONE;
}

int collect_on_request(struct collecting *c)
{
    struct requested r = {.collecting = c};
    bool is_temporary = c->settings->no_keep;
    int status = EXIT_TROUBLE;
    /* Whoever asked may be gone when the answer comes; the files still have to go. */
    signal(SIGPIPE, SIG_IGN);
    at_work = &r;
    exit_hook_before(remove_at_once);
    temporary_listen();
    /* Without a terminal it leaves the process group of who asks: whoever kills that whole
     * group leaves somebody who sees the end of standard input, and tidies up. */
    if (is_temporary && !isatty(STDIN_FILENO))
        setsid();
    if (!is_temporary || run_folder_make_temporary(r.folder, sizeof(r.folder))) {
        status = collect_requested(&r);
    } else {
        r.folder[0] = '\0';
        refuse("no folder for the snapshots: cannot write to $TMPDIR, /tmp or /dev/shm");
    }
    exit_hook_before(NULL);
    remove_files(&r);
    return status;
}
