#include "cli/guard/used_files.h"

#include "cli/guard/allocate.h"
#include "cli/terminal/messages.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- which file it is -------------------------------------------------------------- */

/* What the name of a link at path stands for, from the folder of path. */
static char *beside(const char *path, const char *name)
{
    const char *slash = name[0] != '/' ? strrchr(path, '/') : NULL;
    size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    size_t size = folder + strlen(name) + 1;
    char *whole = malloc(size);
    if (whole != NULL)
        snprintf(whole, size, "%.*s%s", (int)folder, path, name);
    return whole;
}

char *file_target(const char *path)
{
    enum { MOST_LINKS = 40 };
    char *at = strdup(path);
    for (int i = 0; at != NULL && i < MOST_LINKS; i++) {
        char name[PATH_MAX];
        ssize_t len = readlink(at, name, sizeof(name) - 1);
        if (len < 0)
            return at;
        name[len] = '\0';
        char *next = beside(at, name);
        free(at);
        at = next;
    }
    if (at != NULL)
        errno = ELOOP;
    free(at);
    return NULL;
}

char *file_folder(const char *path)
{
    char *target = file_target(path);
    char *slash = target != NULL ? strrchr(target, '/') : NULL;
    if (slash == NULL) {
        char *here = target != NULL ? strdup(".") : NULL;
        free(target);
        return here;
    }
    slash[slash == target] = '\0';
    return target;
}

static struct file_identity identity_of_stat(const struct stat *st)
{
    return (struct file_identity){.is_there = true,
                                  .is_known = S_ISREG(st->st_mode),
                                  .device = st->st_dev,
                                  .number = st->st_ino};
}

static struct file_identity identity_in_folder(const char *path)
{
    struct stat st;
    struct file_identity p = {0};
    char *target = file_target(path);
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

static struct file_identity identity_of(const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return (struct file_identity){0};
    return stat(path, &st) == 0 ? identity_of_stat(&st) : identity_in_folder(path);
}

/* "-" is standard input, and "app.nettrace#2" a part of app.nettrace. */
static struct file_identity identity_of_input(const char *path)
{
    struct stat st;
    const char *mark = strrchr(path, '#');
    if (strcmp(path, "-") == 0)
        return fstat(STDIN_FILENO, &st) == 0 ? identity_of_stat(&st)
                                             : (struct file_identity){0};
    struct file_identity p = identity_of(path);
    if (p.is_there || mark == NULL)
        return p;
    char *file = zeroed((size_t)(mark - path) + 1, 1);
    memcpy(file, path, (size_t)(mark - path));
    free(p.name);
    p = identity_of(file);
    free(file);
    return p;
}

/* Of two that are not there one is made first, and is the other then: by its name, and
 * where a folder knows no case by that without it. */
static bool are_one(const struct file_identity *a, const struct file_identity *b)
{
    return a->is_known && b->is_known && a->is_there == b->is_there &&
           a->device == b->device && a->number == b->number &&
           (a->is_there || strcasecmp(a->name, b->name) == 0);
}

/* --- what must not be written ------------------------------------------------------ */

void used_files_add(struct used_files *u, struct used_file file)
{
    bool is_input = (file.use & FILE_INPUT) != 0;
    file.identity = is_input ? identity_of_input(file.path) : identity_of(file.path);
    u->all = more(u->all, (u->count + 1) * sizeof(*u->all));
    u->all[u->count++] = file;
}

static bool is_of(const struct used_file *f, const char *option)
{
    return f->option != NULL && strcmp(f->option, option) == 0;
}

/* A baseline is brought up to date, and what convert is given may change its format. */
static bool may_be_one(const struct used_files *u, const struct used_file *written,
                       const struct used_file *other)
{
    return (is_of(written, "baseline-write") && is_of(other, "baseline")) ||
           (u->inputs_may_change && (other->use & FILE_INPUT) != 0);
}

static void explain(const struct used_file *other, char why[USED_FILE_REASON])
{
    if (other->option != NULL)
        snprintf(why, USED_FILE_REASON, "is the file of --%s; name another file",
                 other->option);
    else
        snprintf(why, USED_FILE_REASON, "%s; name another file", other->what);
}

static bool is_apart(const struct used_files *u, const struct used_file *written)
{
    char why[USED_FILE_REASON];
    for (size_t i = 0; i < u->count; i++) {
        const struct used_file *other = &u->all[i];
        bool can_be_lost = (other->use & FILE_WRITTEN) != 0 || other->identity.is_there;
        if (other == written || !can_be_lost || may_be_one(u, written, other) ||
            !are_one(&written->identity, &other->identity))
            continue;
        explain(other, why);
        return trouble(written->path, why);
    }
    return true;
}

bool used_files_are_apart(const struct used_files *u)
{
    for (size_t i = 0; i < u->count; i++)
        if ((u->all[i].use & FILE_WRITTEN) != 0 && !is_apart(u, &u->all[i]))
            return false;
    return true;
}

bool used_files_have(const struct used_files *u, const char *path,
                     char why[USED_FILE_REASON])
{
    const struct used_file unknown = {0}, *written = &unknown;
    struct file_identity place = identity_of(path);
    bool found = false;
    for (size_t i = 0; i < u->count; i++)
        if ((u->all[i].use & FILE_WRITTEN) != 0 && strcmp(u->all[i].path, path) == 0)
            written = &u->all[i];
    for (size_t i = 0; !found && place.is_there && i < u->count; i++) {
        const struct used_file *other = &u->all[i];
        found = other != written && (other->use & FILE_READ) != 0 &&
                are_one(&place, &other->identity) && !may_be_one(u, written, other);
        if (found)
            explain(other, why);
    }
    free(place.name);
    return found;
}

void used_files_free(struct used_files *u)
{
    for (size_t i = 0; u != NULL && i < u->count; i++)
        free(u->all[i].identity.name);
    if (u != NULL)
        free(u->all);
    free(u);
}
