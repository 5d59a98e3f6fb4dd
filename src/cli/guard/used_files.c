#include "cli/guard/used_files.h"

#include "cli/commands/output.h"
#include "cli/guard/allocate.h"
#include "cli/options/options.h"
#include "cli/terminal/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- where heapdrift.yml is ------------------------------------------------------ */

enum { CONFIG_PATH_SIZE = 4096 };

static const char *const names[] = {"heapdrift.yml", "heapdrift.yaml"};

static bool exists(const char *folder, const char *name)
{
    char path[CONFIG_PATH_SIZE];
    int len = snprintf(path, sizeof(path), "%s%s", folder, name);
    char link;
    /* A link that leads nowhere is there, too: what it should have led to counts. */
    return len < (int)sizeof(path) &&
           (access(path, F_OK) == 0 || readlink(path, &link, 1) > 0);
}

/* Whether whoever runs this may be asked to trust the folder above: it is of the same
 * owner, on the same file system, and not this one again, as above the root. */
static bool may_go_up(const char *folder, const struct stat *start)
{
    char path[CONFIG_PATH_SIZE];
    struct stat here, above;
    snprintf(path, sizeof(path), "%s.", folder);
    bool known = stat(path, &here) == 0;
    snprintf(path, sizeof(path), "%s..", folder);
    known = known && stat(path, &above) == 0;
    return known && above.st_uid == start->st_uid && above.st_dev == start->st_dev &&
           here.st_ino != above.st_ino;
}

/* The first is taken; of the others it is only told that they are there. */
static void meet(char path[CONFIG_PATH_SIZE], const char *folder, bool verbose)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!exists(folder, names[i]))
            continue;
        char met[CONFIG_PATH_SIZE];
        snprintf(met, sizeof(met), "%s%s", folder, names[i]);
        if (verbose) {
            begin_message(NULL, met);
            end_message(path[0] == '\0' ? ": the budget file in use"
                                        : ": not read; a closer file takes precedence");
        }
        if (path[0] == '\0')
            snprintf(path, CONFIG_PATH_SIZE, "%s", met);
    }
}

static void find_config(char path[CONFIG_PATH_SIZE], bool verbose)
{
    char folder[CONFIG_PATH_SIZE / 2] = "";
    struct stat start;
    path[0] = '\0';
    if (stat(".", &start) != 0)
        return;
    for (;;) {
        size_t len = strlen(folder);
        meet(path, folder, verbose);
        if ((path[0] != '\0' && !verbose) || exists(folder, ".git") ||
            !may_go_up(folder, &start) || len + 4 > sizeof(folder))
            return;
        memcpy(folder + len, "../", 4);
    }
}

/* --- which file it is -------------------------------------------------------------- */

/* A file, or where one would be made: then device and number are those of the folder. */
struct place {
    bool is_there, is_known; /* known: by device and number */
    uint64_t device, number;
    char *name; /* in the folder; NULL of what is there */
};

static struct place place_of_stat(const struct stat *st)
{
    return (struct place){.is_there = true,
                          .is_known = S_ISREG(st->st_mode),
                          .device = st->st_dev,
                          .number = st->st_ino};
}

static struct place place_in_folder(const char *path)
{
    struct stat st;
    struct place p = {0};
    char *target = output_target(path);
    if (target == NULL)
        return p;
    char *slash = strrchr(target, '/');
    const char *name = slash != NULL ? slash + 1 : target;
    p.name = zeroed(strlen(name) + 1, 1);
    strcpy(p.name, name);
    if (slash != NULL)
        slash[slash == target] = '\0';
    if (stat(slash != NULL ? target : ".", &st) == 0) {
        p.is_known = true;
        p.device = st.st_dev;
        p.number = st.st_ino;
    }
    free(target);
    return p;
}

static struct place place_of(const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return (struct place){0};
    return stat(path, &st) == 0 ? place_of_stat(&st) : place_in_folder(path);
}

/* "-" is standard input, and "app.nettrace#2" a part of app.nettrace. */
static struct place place_of_input(const char *path)
{
    struct stat st;
    const char *mark = strrchr(path, '#');
    if (strcmp(path, "-") == 0)
        return fstat(STDIN_FILENO, &st) == 0 ? place_of_stat(&st) : (struct place){0};
    struct place p = place_of(path);
    if (p.is_there || mark == NULL)
        return p;
    char *file = zeroed((size_t)(mark - path) + 1, 1);
    memcpy(file, path, (size_t)(mark - path));
    free(p.name);
    p = place_of(file);
    free(file);
    return p;
}

/* Of two that are not there one is made first, and is the other then: by its name, and
 * where a folder knows no case by that without it. */
static bool are_one(const struct place *a, const struct place *b)
{
    return a->is_known && b->is_known && a->is_there == b->is_there &&
           a->device == b->device && a->number == b->number &&
           (a->is_there || strcasecmp(a->name, b->name) == 0);
}

/* --- what is used ------------------------------------------------------------------ */

struct used_file {
    struct place place;
    const char *path;   /* of what is written, as it was named */
    const char *option; /* that names it; NULL: none */
    const char *what;   /* else: "is one of the snapshots" */
    bool is_read, is_written, is_input;
};

struct used_files {
    struct used_file *all;
    size_t count;
    char config[CONFIG_PATH_SIZE]; /* that was found */
    char *store;
};

static void add(struct used_files *u, struct used_file file)
{
    u->all = more(u->all, (u->count + 1) * sizeof(*u->all));
    u->all[u->count++] = file;
}

static void add_input(const struct settings *s, const char *path)
{
    const char *what =
        s->command->bit == ON_FLEET ? "is one of the parts" : "is one of the snapshots";
    add(s->used, (struct used_file){.place = place_of_input(path),
                                    .what = what,
                                    .is_read = true,
                                    .is_input = true});
}

static void add_read(struct used_files *u, const char *path, const char *what)
{
    add(u, (struct used_file){.place = place_of(path), .what = what, .is_read = true});
}

static void add_options(const struct settings *s)
{
    for (size_t i = 0; i < s->file_count; i++) {
        const struct option_file *f = &s->files[i];
        bool is_read = f->kind == OPTION_FILE_READ;
        if (f->kind != OPTION_STORE)
            add(s->used, (struct used_file){.place = place_of(f->path),
                                            .path = f->path,
                                            .option = f->option,
                                            .is_read = is_read,
                                            .is_written = !is_read});
    }
}

/* "file:PATH?wait=5" or PATH; a server is no file that there is. */
static void add_store(const struct settings *s)
{
    static const char scheme[] = "file:";
    bool reads = settings_read_store(s) || s->command->bit == ON_FLEET;
    bool by_default = s->command->bit == ON_RECORD || reads;
    if (s->store == NULL && !by_default)
        return;
    const char *path = store_url(s);
    if (strncmp(path, scheme, sizeof(scheme) - 1) == 0)
        path += sizeof(scheme) - 1;
    size_t len = strcspn(path, "?");
    s->used->store = zeroed(len + 1, 1);
    memcpy(s->used->store, path, len);
    add(s->used, (struct used_file){.place = place_of(s->used->store),
                                    .path = s->used->store,
                                    .what = "is the store",
                                    .is_read = true,
                                    .is_written = !reads || s->save});
}

static void add_found(const struct settings *s)
{
    struct used_files *u = s->used;
    const char *summary = getenv("GITHUB_STEP_SUMMARY");
    bool judges = s->command->bit == ON_CHECK || s->command->bit == ON_WATCH;
    if (judges && s->config == NULL)
        find_config(u->config,
                    s->verbose && (s->command->bit == ON_CHECK || s->budget_count > 0));
    if (u->config[0] != '\0')
        add_read(u, u->config, "is the budget file of this check");
    if (judges && summary != NULL && summary[0] != '\0')
        add(u, (struct used_file){.place = place_of(summary),
                                  .path = summary,
                                  .what = "is GITHUB_STEP_SUMMARY",
                                  .is_written = true});
}

/* --- what must not be written ------------------------------------------------------ */

static bool is_of(const struct used_file *f, const char *option)
{
    return f->option != NULL && strcmp(f->option, option) == 0;
}

/* A baseline is brought up to date, and what convert is given may change its format. */
static bool may_be_one(const struct settings *s, const struct used_file *written,
                       const struct used_file *other)
{
    return (is_of(written, "baseline-write") && is_of(other, "baseline")) ||
           (s->command->bit == ON_CONVERT && other->is_input);
}

static void explain(const struct used_file *other, char why[USED_FILE_REASON])
{
    if (other->option != NULL)
        snprintf(why, USED_FILE_REASON, "is the file of --%s; name another file",
                 other->option);
    else
        snprintf(why, USED_FILE_REASON, "%s; name another file", other->what);
}

static bool is_apart(const struct settings *s, const struct used_file *written)
{
    char why[USED_FILE_REASON];
    for (size_t i = 0; i < s->used->count; i++) {
        const struct used_file *other = &s->used->all[i];
        bool can_be_lost = other->is_written || other->place.is_there;
        if (other == written || !can_be_lost || may_be_one(s, written, other) ||
            !are_one(&written->place, &other->place))
            continue;
        explain(other, why);
        return trouble(written->path, why);
    }
    return true;
}

bool used_files_begin(struct settings *s)
{
    s->used = zeroed(1, sizeof(*s->used));
    add_options(s);
    add_store(s);
    add_found(s);
    for (size_t i = 0; i < s->operand_count; i++)
        add_input(s, s->operands[i]);
    for (size_t i = 0; i < s->argument_file_count; i++)
        add_read(s->used, s->argument_files[i], "holds arguments of this command");
    for (size_t i = 0; i < s->used->count; i++)
        if (s->used->all[i].is_written && !is_apart(s, &s->used->all[i]))
            return false;
    return true;
}

const char *used_files_config(const struct settings *s)
{
    return s->used->config;
}

void used_files_add(const struct settings *s, const char *path)
{
    add_input(s, path);
}

bool used_files_have(const struct settings *s, const char *path, char why[USED_FILE_REASON])
{
    const struct used_file unknown = {0}, *written = &unknown;
    struct place place = place_of(path);
    bool found = false;
    for (size_t i = 0; i < s->used->count; i++)
        if (s->used->all[i].is_written && strcmp(s->used->all[i].path, path) == 0)
            written = &s->used->all[i];
    for (size_t i = 0; !found && place.is_there && i < s->used->count; i++) {
        const struct used_file *other = &s->used->all[i];
        found = other != written && other->is_read && are_one(&place, &other->place) &&
                !may_be_one(s, written, other);
        if (found)
            explain(other, why);
    }
    free(place.name);
    return found;
}

void used_files_free(struct used_files *used)
{
    for (size_t i = 0; used != NULL && i < used->count; i++)
        free(used->all[i].place.name);
    if (used != NULL) {
        free(used->all);
        free(used->store);
    }
    free(used);
}
