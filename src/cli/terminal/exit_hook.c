/* Handlers have no arguments: what they call can only be a variable of this file. */
#include "cli/terminal/exit_hook.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(void (*)(void)) before_them;

void exit_hook_before(void (*what)(void))
{
    atomic_store(&before_them, what);
}

void exit_hook(void)
{
    void (*what)(void) = atomic_exchange(&before_them, NULL);
    if (what != NULL)
        what();
}
