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

static bool is_root(const char *folder)
{
    char path[CONFIG_PATH_SIZE];
    struct stat here, above;
    snprintf(path, sizeof(path), "%s.", folder);
    bool known = stat(path, &here) == 0;
    snprintf(path, sizeof(path), "%s..", folder);
    known = known && stat(path, &above) == 0;
    return !known || (here.st_dev == above.st_dev && here.st_ino == above.st_ino);
}

bool find_config(char path[CONFIG_PATH_SIZE])
{
    char folder[CONFIG_PATH_SIZE / 2] = "";
    path[0] = '\0';
    for (;;) {
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
            if (!exists(folder, names[i]))
                continue;
            if (path[0] != '\0') {
                fprintf(stderr,
                        "heapdrift: both %s and %s%s are there; choose one with "
                        "--config=FILE\n",
                        path, folder, names[i]);
                return false;
            }
            snprintf(path, CONFIG_PATH_SIZE, "%s%s", folder, names[i]);
        }
        size_t len = strlen(folder);
        if (exists(folder, ".git") || is_root(folder) || len + 4 > sizeof(folder))
            return true;
        memcpy(folder + len, "../", 4);
    }
}
