#include "cli/guard/allocate.h"

#include "cli/guard/memory.h"
#include "cli/terminal/exit_hook.h"
#include "heapdrift.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Not exit(): this may be any thread, and pending output is incomplete. */
void no_memory(size_t wanted)
{
    const char *what = "";
    uint64_t limit = memory_process_limit(&what);
    exit_hook();
    fputs("heapdrift: out of memory", stderr);
    if (wanted > 0)
        fprintf(stderr, " (%zu bytes requested)", wanted);
    if (limit != HD_UNKNOWN)
        fprintf(stderr,
                ": %s limits this process to %" PRIu64
                " MiB; raise the limit, or use less memory: -j1, --tables-only, fewer "
                "snapshots",
                what, limit >> 20);
    fputs("\n", stderr);
    _exit(EXIT_TROUBLE);
}

void *more(void *items, size_t size)
{
    void *p = realloc(items, size > 0 ? size : 1);
    if (p == NULL)
        no_memory(size);
    return p;
}

void *zeroed(size_t count, size_t size)
{
    void *p = calloc(count > 0 ? count : 1, size);
    if (p == NULL)
        no_memory(count * size);
    return p;
}

void check_memory(size_t size)
{
    /* Through a volatile pointer: a compiler may drop an allocation that is not used. */
    void *volatile probe = more(NULL, size);
    free(probe);
}
