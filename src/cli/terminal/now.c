#include "cli/terminal/now.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

bool now(int64_t *seconds)
{
    const char *given = getenv("SOURCE_DATE_EPOCH");
    *seconds = (int64_t)time(NULL);
    if (given == NULL || given[0] == '\0')
        return true;
    char *end;
    errno = 0;
    *seconds = strtoll(given, &end, 10);
    if (errno == 0 && *end == '\0')
        return true;
    fprintf(stderr, "heapdrift: SOURCE_DATE_EPOCH=%s: must be seconds since 1970-01-01\n",
            given);
    return false;
}
