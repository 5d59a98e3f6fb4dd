/* What trust.h asks for: Windows asks the access lists of a file, and lets only
 * administrators make links. */
#include "cli/guard/trust.h"

#include <errno.h>

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

/* No file that is not there yet is known by its folder. */
int trust_open_folder(const char *path, char *name)
{
    (void)path;
    (void)name;
    errno = ENOSYS;
    return -1;
}

FILE *trust_fopen(const char *path, const char *mode)
{
    return fopen(path, mode[0] == 'a' ? "a" : "w");
}
