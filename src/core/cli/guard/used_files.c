#include "cli/guard/used_files.h"

#include "cli/guard/allocate.h"
#include "cli/guard/trust.h"
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

static struct file_identity identity_of_stat(const struct stat *st)
{
    return (struct file_identity){.is_there = true,
                                  .is_known = S_ISREG(st->st_mode),
                                  .device = st->st_dev,
                                  .number = st->st_ino};
}

/* Links lead to the folder and the name, whether there is anything or not: it is made or
 * replaced, the links stay. */
static struct file_identity identity_of(const char *path)
{
    struct stat st;
    char name[PATH_MAX];
    if (strcmp(path, "-") == 0)
        return (struct file_identity){0};
    if (stat(path, &st) == 0)
        return identity_of_stat(&st);
    int folder = trust_open_folder(path, name);
    struct file_identity f = {.is_known = folder >= 0 && fstat(folder, &st) == 0};
    if (f.is_known) {
        f.device = st.st_dev;
        f.number = st.st_ino;
        f.name = zeroed(strlen(name) + 1, 1);
        strcpy(f.name, name);
    }
    if (folder >= 0)
        close(folder);
    return f;
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

/* Two outputs that do not exist yet may become one file: compare their names, ignoring
 * case, as their folder may. */
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

/* A baseline may be updated, and convert may change the format of a file. */
static bool may_be_one(const struct used_files *u, const struct used_file *written,
                       const struct used_file *other)
{
    return (u->inputs_may_change && (other->use & FILE_INPUT) != 0) ||
           (written->option != NULL && strcmp(written->option, "baseline-write") == 0 &&
            other->option != NULL && strcmp(other->option, "baseline") == 0);
}

static void used_files_explain(const struct used_file *other, char why[USED_FILE_REASON])
{
    if (other->option != NULL)
        snprintf(why, USED_FILE_REASON, "is the file of --%s; name another file",
                 other->option);
    else
        snprintf(why, USED_FILE_REASON, "%s; name another file", other->what);
}

bool used_files_are_apart(const struct used_files *u)
{
    char why[USED_FILE_REASON];
    for (size_t i = 0; i < u->count; i++) {
        const struct used_file *written = &u->all[i];
        for (size_t k = 0; (written->use & FILE_WRITTEN) != 0 && k < u->count; k++) {
            const struct used_file *other = &u->all[k];
            bool can_be_lost = (other->use & FILE_WRITTEN) != 0 || other->identity.is_there;
            if (other == written || !can_be_lost || may_be_one(u, written, other) ||
                !are_one(&written->identity, &other->identity))
                continue;
            used_files_explain(other, why);
            return trouble(written->path, why);
        }
    }
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
            used_files_explain(other, why);
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
