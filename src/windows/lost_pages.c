/* What lost_pages.h asks for: what raises SIGBUS elsewhere is an exception here. A file
 * that is mapped cannot become shorter, but one on another machine may be gone. */
#include "cli/lost_pages.h"

#include "cli/settings.h"
#include "cli/temporary.h"

#include <stdio.h>
#include <windows.h>

static LONG WINAPI explain(EXCEPTION_POINTERS *what)
{
    static LONG is_said;
    if (what->ExceptionRecord->ExceptionCode != EXCEPTION_IN_PAGE_ERROR)
        return EXCEPTION_CONTINUE_SEARCH;
    /* Several threads may read that file. */
    if (InterlockedExchange(&is_said, 1) != 0)
        Sleep(INFINITE);
    fputs(
        "heapdrift: a snapshot, or a file that a core dump names: became shorter while it "
        "was read\n",
        stderr);
    temporary_remove();
    _exit(EXIT_TROUBLE);
}

void lost_pages_explain(void)
{
    SetUnhandledExceptionFilter(explain);
}
