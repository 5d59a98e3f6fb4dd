/* What lost_pages.h asks for: what raises SIGBUS elsewhere is an exception here. A file
 * that is mapped cannot become shorter, but one on another machine may be gone. */
#include "cli/guard/lost_pages.h"

#include "cli/terminal/exit_hook.h"

#include <stdbool.h>
#include <stdio.h>
#include <windows.h>

/* Wine calls it an access that is not allowed, which reading a mapping never is. */
static bool is_of_file(const EXCEPTION_RECORD *e)
{
    MEMORY_BASIC_INFORMATION page;
    if (e->ExceptionCode != EXCEPTION_IN_PAGE_ERROR &&
        e->ExceptionCode != EXCEPTION_ACCESS_VIOLATION)
        return false;
    enum { ADDRESS = 1 };
    const void *address = (const void *)e->ExceptionInformation[ADDRESS];
    return VirtualQuery(address, &page, sizeof(page)) != 0 && page.Type == MEM_MAPPED;
}

static LONG WINAPI explain(EXCEPTION_POINTERS *what)
{
    static LONG is_said;
    if (!is_of_file(what->ExceptionRecord))
        return EXCEPTION_CONTINUE_SEARCH;
    /* Several threads may read that file. */
    if (InterlockedExchange(&is_said, 1) != 0)
        Sleep(INFINITE);
    exit_hook();
    fputs("heapdrift: a snapshot, or a file that a core dump names: was truncated while "
          "being read\n",
          stderr);
    _exit(EXIT_TROUBLE);
}

void lost_pages_explain(void)
{
    SetUnhandledExceptionFilter(explain);
}
