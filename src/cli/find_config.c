#include "cli/find_config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"heapdrift.yml", "heapdrift.yaml"};

static bool exists(const char *folder, const char *name)
{
    char path[CONFIG_PATH_SIZE];
    int len = snprintf(path, sizeof(path), "%s%s", folder, name);
    return len < (int)sizeof(path) && access(path, F_OK) == 0;
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

bool find_config(char path[CONFIG_PATH_SIZE])
{
    char folder[CONFIG_PATH_SIZE / 2] = "";
    struct stat start;
    path[0] = '\0';
    if (stat(".", &start) != 0)
        return true;
    for (;;) {
        size_t len = strlen(folder);
        bool both = exists(folder, names[0]) && exists(folder, names[1]);
        for (size_t i = 0; path[0] == '\0' && i < sizeof(names) / sizeof(*names); i++)
            if (exists(folder, names[i]))
                snprintf(path, CONFIG_PATH_SIZE, "%s%s", folder, names[i]);
        if (both)
            fprintf(stderr,
                    "heapdrift: both %s%s and %s%s are there; choose one with "
                    "--config=FILE\n",
                    folder, names[0], folder, names[1]);
        if (path[0] != '\0')
            return !both;
        if (exists(folder, ".git") || !may_go_up(folder, &start) ||
            len + 4 > sizeof(folder))
            return true;
        memcpy(folder + len, "../", 4);
    }
}
