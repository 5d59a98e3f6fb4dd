#include "cli/options/find_config.h"

#include "cli/terminal/messages.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
            end_message(path[0] == '\0' ? ": the budgets that count"
                                        : ": not read; a nearer file counts");
        }
        if (path[0] == '\0')
            snprintf(path, CONFIG_PATH_SIZE, "%s", met);
    }
}

void find_config(char path[CONFIG_PATH_SIZE], bool verbose)
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
