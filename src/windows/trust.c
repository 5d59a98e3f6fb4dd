/* What trust.h asks for: Windows asks the access lists of a file, and lets only
 * administrators make links. */
#include "cli/guard/trust.h"

#include <fcntl.h>
#include <limits.h>

bool trust_user(unsigned user)
{
    (void)user;
    return true;
}

bool trust_allows(const char *path, enum trust_rule rule, char why[TRUST_REASON])
{
    (void)path;
    (void)rule;
    (void)why;
    return true;
}

/* Folders have no numbers here: files that are not there yet differ by their names. */
int trust_open_folder(const char *path, char *name)
{
    const char *last = path;
    for (const char *c = path; *c != '\0'; c++)
        if (*c == '/' || *c == '\\')
            last = c + 1;
    snprintf(name, PATH_MAX, "%s", last);
    return open("NUL", O_RDONLY);
}

FILE *trust_fopen(const char *path, const char *mode)
{
    return fopen(path, mode[0] == 'a' ? "a" : "w");
}
