/* What sandbox.h asks for: nothing can be given up on Windows as it can on Linux. */
#include "cli/guard/sandbox.h"

#include <stdio.h>

bool sandbox_enter(struct settings *s)
{
    if (s->verbose)
        fprintf(stderr, "heapdrift: sandbox: none: %s\n",
                s->no_sandbox ? "--no-sandbox" : "not on Windows");
    return true;
}

bool sandbox_narrow(const struct settings *s)
{
    (void)s;
    return true;
}
