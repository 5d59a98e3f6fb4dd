#include "collect/live/children.h"

#include "cli/guard/rights.h"

#include <stddef.h>
#include <unistd.h>

pid_t child_begin(const char *errand)
{
    (void)errand;
    return fork();
}

const char *child_errand(void)
{
    return NULL;
}

void child_collects(void)
{
    rights_keep_for_collecting();
    rights_forget_environment("PG");
    rights_forget_environment("HEAPDRIFT_STORE");
}
