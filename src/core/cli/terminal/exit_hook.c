/* Handlers have no arguments: what they call can only be a variable of this file. */
#include "cli/terminal/exit_hook.h"

#include <stdatomic.h>
#include <stddef.h>

enum { FIRST, LAST, HOOKS };
static _Atomic(void (*)(void)) hooks[HOOKS];

void exit_hook_before(void (*what)(void))
{
    atomic_store(&hooks[FIRST], what);
}

void exit_hook_at_last(void (*what)(void))
{
    atomic_store(&hooks[LAST], what);
}

void exit_hook(void)
{
    for (int i = 0; i < HOOKS; i++) {
        void (*what)(void) = atomic_exchange(&hooks[i], NULL);
        if (what != NULL)
            what();
    }
}
