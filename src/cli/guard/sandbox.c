#include "cli/guard/sandbox.h"

#include "cli/commands/fleet_pages.h"
#include "cli/commands/output.h"
#include "cli/guard/landlock.h"
#include "cli/guard/system_calls.h"
#include "cli/guard/used_files.h"
#include "cli/live/run_facts.h"
#include "cli/terminal/messages.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A sanitizer looks at its own process by another, and maps code; what counts which lines
 * run writes files at the end. Such builds make the rules, and do not put them in force. */
#if defined(HD_COUNTED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool is_only_made = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
static const bool is_only_made = true;
#else
static const bool is_only_made = false;
#endif
#else
static const bool is_only_made = false;
#endif

enum {
    WITH_SANDBOX = ON_DIFF | ON_TOP | ON_ROOTS | ON_INFO | ON_CHECK | ON_CONVERT | ON_TREE |
                   ON_REPORT | ON_EXPLORE | ON_OBJECT | ON_STATICS
};

/* --- core dumps ------------------------------------------------------ */

/* Whether a file may be a core dump, which takes the pages that it lacks from the files of
 * its modules, wherever they are. Only what begins like any other snapshot surely is none:
 * what is packed has to be unpacked to know, and a pipe has to be read. */
static bool may_be_core(const char *path)
{
    static const char gcdump[] = "\x14\0\0\0!FastSerialization", bzip2[] = "BZh";
    struct stat st;
    char head[sizeof(gcdump) - 1];
    int fd =
        stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t len = fd >= 0 ? read(fd, head, sizeof(head)) : -1;
    bool is_text = len > 0 && memcmp(head, bzip2, sizeof(bzip2) - 1) != 0;
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; is_text && i < len; i++)
        is_text = isprint((unsigned char)head[i]) || isspace((unsigned char)head[i]);
    return !is_text &&
           (len < (ssize_t)sizeof(head) || memcmp(head, gcdump, sizeof(head)) != 0);
}

/* --- what is allowed ------------------------------------------------- */

struct box {
    const struct settings *settings;
    int version, rules;
    bool only_reading; /* the second set */
    bool has_store;
    const char *store;  /* its file; NULL: a server */
    bool store_is_read; /* it is open, and only read */
    bool is_wide;
    int error; /* the first that leaves the box half made; 0 */
};

/* What is not there, or is no place of a file system (a pipe), has no rule, and the command
 * finds out by itself. */
static bool has_no_rule(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP ||
           error == ENAMETOOLONG || error == EBADFD;
}

static bool allow(struct box *b, const char *path, int use)
{
    if (b->only_reading)
        use &= ~LANDLOCK_WRITE;
    if (landlock_allow(b->rules, b->version, path, use))
        return true;
    if (!has_no_rule(errno) && b->error == 0)
        b->error = errno;
    return false;
}

/* Files below any folder of the root but those of the kernel and of services, where
 * secrets are and no modules. */
static void allow_modules(struct box *b)
{
    static const char *const others[] = {".", "..", "proc", "sys", "dev", "run"};
    DIR *root = opendir("/");
    for (const struct dirent *e; root != NULL && (e = readdir(root)) != NULL;) {
        char path[NAME_MAX + 2];
        bool is_other = false;
        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
            is_other |= strcmp(e->d_name, others[i]) == 0;
        snprintf(path, sizeof(path), "/%s", e->d_name);
        if (!is_other)
            allow(b, path, LANDLOCK_READ);
    }
    if (root != NULL)
        closedir(root);
}

/* "app.core#2" is a part of app.core. */
static void allow_input(struct box *b, const char *path)
{
    char file[PATH_MAX];
    const char *mark = strrchr(path, '#');
    if (strcmp(path, "-") != 0 && !allow(b, path, LANDLOCK_READ) && mark != NULL &&
        mark - path < (ptrdiff_t)sizeof(file)) {
        snprintf(file, sizeof(file), "%.*s", (int)(mark - path), path);
        path = file;
        allow(b, path, LANDLOCK_READ);
    }
    b->is_wide |= !b->only_reading && may_be_core(path);
}

/* Each file by itself, since what lies in a folder may be a link to somewhere else. */
static void allow_inputs(struct box *b)
{
    const struct settings *s = b->settings;
    struct hd_inputs inputs = {.names_only = true};
    struct stat st;
    for (size_t i = 0; i < s->operand_count; i++) {
        hd_inputs_add(&inputs, s->operands[i], NULL);
        if (stat(s->operands[i], &st) == 0 && S_ISDIR(st.st_mode))
            allow(b, s->operands[i], LANDLOCK_LIST);
    }
    for (size_t i = 0; i < inputs.count; i++)
        if (inputs.all[i].error.status == HD_OK)
            allow_input(b, inputs.all[i].path);
    hd_inputs_free(&inputs);
}

/* Seeds of hash tables; which file it was that became shorter. That one stays open: else
 * it may be another one for the kernel, without a rule, when it is looked up again. */
static void allow_system(struct box *b)
{
    static const char maps[] = "/proc/self/maps";
    if (!b->only_reading)
        (void)!open(maps, O_RDONLY | O_CLOEXEC);
    allow(b, maps, LANDLOCK_READ);
    allow(b, "/dev/urandom", LANDLOCK_READ);
}

/* Curses looks for the terminal again when the snapshots are read, and for characters. */
static void allow_terminal(struct box *b)
{
    static const char *const folders[] = {"/etc/terminfo",     "/lib/terminfo",
                                          "/usr/lib/terminfo", "/usr/share/terminfo",
                                          "/usr/lib/locale",   "/usr/share/locale"};
    const char *told = getenv("TERMINFO"), *home = getenv("HOME");
    char path[PATH_MAX];
    if (b->settings->command->bit != ON_EXPLORE)
        return;
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        allow(b, folders[i], LANDLOCK_READ);
    if (told != NULL)
        allow(b, told, LANDLOCK_READ);
    if (home != NULL && snprintf(path, sizeof(path), "%s/.terminfo", home) > 0)
        allow(b, path, LANDLOCK_READ);
}

/* --- files of check -------------------------------------------------- */

static void allow_budgets(struct box *b)
{
    const struct settings *s = b->settings;
    if (s->command->bit != ON_CHECK || b->only_reading)
        return;
    allow(b, s->config != NULL ? s->config : used_files_config(s), LANDLOCK_READ);
    if (s->baseline != NULL)
        allow(b, s->baseline, LANDLOCK_READ);
}

/* --- output ---------------------------------------------------------- */

/* A file is written beside its place, and read by nobody; but who makes a temporary file
 * may read it, and who waits for its folder to be on the disk opens that. Devices and pipes
 * are written to as they are. */
static void allow_output(struct box *b, const char *path)
{
    struct stat st;
    if (path == NULL || strcmp(path, "-") == 0)
        return;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        allow(b, path, LANDLOCK_READ | LANDLOCK_WRITE);
        return;
    }
    char *target = output_target(path);
    if (target == NULL)
        return;
    char *slash = strrchr(target, '/');
    if (slash != NULL)
        slash[slash == target] = '\0';
    allow(b, slash != NULL ? target : ".", LANDLOCK_READ | LANDLOCK_LIST | LANDLOCK_WRITE);
    free(target);
}

/* explore exports where the user says, which nobody knows yet; report has a usual name. */
static bool writes_here(const struct settings *s)
{
    return s->command->bit == ON_EXPLORE ||
           (s->command->bit == ON_REPORT && s->output == NULL && isatty(STDOUT_FILENO));
}

/* What check appends to, on GitHub. */
static const char *summary_of(const struct settings *s)
{
    const char *summary = getenv("GITHUB_STEP_SUMMARY");
    return s->command->bit == ON_CHECK && summary != NULL && summary[0] != '\0' ? summary
                                                                                : NULL;
}

static bool writes(const struct settings *s)
{
    return s->output != NULL || s->baseline_write != NULL || summary_of(s) != NULL ||
           writes_here(s);
}

static void allow_outputs(struct box *b)
{
    const struct settings *s = b->settings;
    const char *summary = summary_of(s);
    if (writes_here(s))
        allow(b, ".", LANDLOCK_READ | LANDLOCK_LIST | LANDLOCK_WRITE);
    allow_output(b, s->output);
    allow_output(b, s->baseline_write);
    if (summary != NULL && !allow(b, summary, LANDLOCK_READ | LANDLOCK_WRITE))
        allow_output(b, summary);
}

/* --- a store --------------------------------------------------------- */

/* What libpq and the resolver read when they connect once more. */
static void allow_server(struct box *b)
{
    static const char *const below_home[] = {".pgpass", ".pg_service.conf", ".postgresql"};
    static const char *const told[] = {"PGPASSFILE", "PGSERVICEFILE", "PGSSLROOTCERT"};
    const char *home = getenv("HOME");
    char path[PATH_MAX];
    allow(b, "/etc", LANDLOCK_READ);
    for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
        if (getenv(told[i]) != NULL)
            allow(b, getenv(told[i]), LANDLOCK_READ);
    for (size_t i = 0; home != NULL && i < sizeof(below_home) / sizeof(*below_home); i++)
        if (snprintf(path, sizeof(path), "%s/%s", home, below_home[i]) < (int)sizeof(path))
            allow(b, path, LANDLOCK_READ);
}

/* Its log and what readers of that share may be looked at again. */
static void allow_open_store(struct box *b, const char *file)
{
    static const char *const beside[] = {"-wal", "-shm", "-journal"};
    char path[PATH_MAX];
    allow(b, file, LANDLOCK_READ);
    for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++)
        if (snprintf(path, sizeof(path), "%s%s", file, beside[i]) < (int)sizeof(path))
            allow(b, path, LANDLOCK_READ | LANDLOCK_WRITE);
}

/* SQLite makes and removes files beside its own, and waits until the folder is written. */
static void allow_store(struct box *b)
{
    if (!b->has_store || (b->store == NULL && b->store_is_read))
        return;
    allow(b, RUN_FACTS_PODINFO, LANDLOCK_READ);
    if (b->store == NULL) {
        allow_server(b);
        return;
    }
    char *target = output_target(b->store);
    if (b->store_is_read && target != NULL)
        allow_open_store(b, target);
    if (b->store_is_read) {
        free(target);
        return;
    }
    char *slash = target != NULL ? strrchr(target, '/') : NULL;
    if (slash != NULL)
        slash[slash == target] = '\0';
    allow(b, slash != NULL ? target : ".", LANDLOCK_READ | LANDLOCK_LIST | LANDLOCK_WRITE);
    free(target);
}

static int uses_of(const struct box *b)
{
    int uses = writes(b->settings) ? CALLS_WRITE : 0;
    if (b->has_store)
        uses |= b->store != NULL   ? CALLS_WRITE | CALLS_LOCK
                : b->store_is_read ? CALLS_TALK
                                   : CALLS_CONNECT;
    return uses;
}

/* --- in force -------------------------------------------------------- */

static bool not_in_force(const char *what, int error)
{
    fprintf(stderr,
            "heapdrift: cannot enable the sandbox (%s: %s); --no-sandbox runs without it\n",
            what, strerror(error));
    return false;
}

/* One of the two sets of rules. */
static bool enforce_files(struct box *b)
{
    b->rules = landlock_rules(b->version, b->only_reading,
                              b->has_store && b->store == NULL && !b->store_is_read);
    if (b->rules < 0)
        return not_in_force("Landlock", errno);
    allow_inputs(b);
    allow_budgets(b);
    allow_outputs(b);
    allow_store(b);
    allow_system(b);
    allow_terminal(b);
    if (b->settings->symbols != NULL && !b->only_reading)
        allow(b, b->settings->symbols, LANDLOCK_READ);
    if (b->is_wide)
        allow_modules(b);
    if (b->error != 0 || is_only_made)
        close(b->rules);
    else if (!landlock_enforce(b->rules))
        b->error = errno;
    return b->error == 0 || not_in_force("Landlock", b->error);
}

static void print_state(const struct settings *s, int version, bool calls)
{
    if (!s->verbose)
        return;
    fputs("heapdrift: sandbox: ", stderr);
    if (s->no_sandbox || is_only_made)
        fputs(s->no_sandbox ? "none: --no-sandbox" : "none: not in this build", stderr);
    else if (version == 0 && !calls)
        fputs("none: this system has neither Landlock nor seccomp", stderr);
    else if (version == 0)
        fputs("seccomp; no Landlock here", stderr);
    else
        fprintf(stderr, "Landlock %d%s", version,
                calls ? ", seccomp" : "; no seccomp here");
    fputs("\n", stderr);
}

static bool enter(struct settings *s, struct box *b)
{
    bool again = s->sandbox_is_entered; /* calls are refused then, and filters among them */
    bool calls = !s->no_sandbox && !again && system_calls_can_be_filtered();
    b->settings = s;
    b->version = s->no_sandbox ? 0 : again ? s->sandbox_version : landlock_version();
    if (b->version > 0 && !enforce_files(b))
        return false;
    if (calls && !system_calls_filter(uses_of(b), !is_only_made))
        return not_in_force("seccomp", errno);
    s->sandbox_version = b->version;
    s->sandbox_is_wide = b->version > 0 && b->is_wide;
    s->sandbox_is_entered = true;
    if (again)
        return true;
    print_state(s, b->version, calls);
    return true;
}

bool sandbox_enter(struct settings *s)
{
    struct box b = {0};
    bool reads_parts =
        s->command->bit == ON_FLEET && s->merge && !fleet_pages_are_wanted(s);
    return ((s->command->bit & WITH_SANDBOX) == 0 && !reads_parts) || enter(s, &b);
}

bool sandbox_enter_with_store(struct settings *s, const char *file)
{
    struct box b = {.has_store = true, .store = file};
    return enter(s, &b);
}

bool sandbox_enter_to_read_store(struct settings *s, const char *file)
{
    struct box b = {.has_store = true, .store = file, .store_is_read = file == NULL};
    return enter(s, &b);
}

bool sandbox_narrow_to_store(const struct settings *s, const char *file)
{
    struct box b = {.settings = s,
                    .version = s->sandbox_version,
                    .has_store = true,
                    .store = file,
                    .store_is_read = true};
    return b.version == 0 || enforce_files(&b);
}

bool sandbox_enter_to_serve(const struct settings *s)
{
    bool calls = !s->no_sandbox && system_calls_can_be_filtered();
    return !calls || system_calls_only_serve(!is_only_made) ||
           not_in_force("seccomp", errno);
}

bool sandbox_narrow(const struct settings *s)
{
    struct box b = {.settings = s, .version = s->sandbox_version, .only_reading = true};
    return enforce_files(&b);
}
