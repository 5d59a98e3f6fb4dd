/* What sandbox.h asks for: nothing can be given up on Windows as it can on Linux. */
#include "cli/guard/sandbox.h"

#include <stdio.h>

bool sandbox_enter(struct sandbox *s)
{
    if (s->is_verbose)
        fprintf(stderr, "heapdrift: sandbox: none: %s\n",
                s->is_off ? "--no-sandbox" : "not on Windows");
    return true;
}

bool sandbox_narrow(const struct sandbox *s)
{
    (void)s;
    return true;
}
