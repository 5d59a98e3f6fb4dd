/* Handlers have no arguments: what they call can only be a variable of this file. */
#include "cli/last_words.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(void (*)(void)) before_them;

void last_words_before(void (*what)(void))
{
    atomic_store(&before_them, what);
}

void last_words(void)
{
    void (*what)(void) = atomic_exchange(&before_them, NULL);
    if (what != NULL)
        what();
}
