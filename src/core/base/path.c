#include "base/path.h"

#include <string.h>

const char *path_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

bool path_ends_in(const char *path, const char *end)
{
    size_t len = strlen(path), tail = strlen(end);
    return len >= tail && strcmp(path + len - tail, end) == 0;
}
