/* Implements trust.h, sandbox.h, memory.h and lost_pages.h. Windows has access lists for
 * files, permits links only for administrators, and lacks control groups; rights cannot be
 * dropped as on Linux. */
#include "cli/guard/memory.h"
#include "cli/guard/sandbox.h"
#include "cli/guard/trust.h"
#include "cli/terminal/exit_hook.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <windows.h>

bool trust_user(unsigned user)
{
    (void)user;
    return true;
}

bool trust_allows(const char *path, enum trust_rule rule, char why[TRUST_REASON])
{
    (void)path, (void)rule, (void)why;
    return true;
}

/* Folders have no numbers here: files that are not there yet differ by their names. */
int trust_open_folder(const char *path, char *name)
{
    const char *last = path;
    for (const char *c = path; *c != '\0'; c++)
        if (*c == '/' || *c == '\\')
            last = c + 1;
    snprintf(name, PATH_MAX, "%s", last);
    return open("NUL", O_RDONLY);
}

FILE *trust_fopen(const char *path, const char *mode)
{
    return fopen(path, mode[0] == 'a' ? "a" : "w");
}

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

uint64_t memory_available(const char *root)
{
    MEMORYSTATUSEX all = {.dwLength = sizeof(all)};
    (void)root;
    return GlobalMemoryStatusEx(&all) ? all.ullAvailPhys : HD_UNKNOWN;
}

uint64_t memory_process_limit(const char **what)
{
    (void)what;
    return HD_UNKNOWN;
}

uint64_t memory_resident(const char *root, uint64_t pid)
{
    (void)root, (void)pid;
    return HD_UNKNOWN;
}

uint64_t memory_limit(const char *root, uint64_t pid, uint64_t *used)
{
    (void)root, (void)pid;
    if (used != NULL)
        *used = HD_UNKNOWN;
    return HD_UNKNOWN;
}

uint64_t memory_spare(const char *root, uint64_t pid)
{
    (void)pid;
    return memory_available(root);
}

bool memory_is_shared(const char *root, uint64_t pid)
{
    (void)root, (void)pid;
    return false;
}

void memory_kills_see(const char *root, uint64_t pid, struct memory_kills *kills)
{
    (void)root, (void)pid;
    *kills = (struct memory_kills){.in_group = HD_UNKNOWN, .in_system = HD_UNKNOWN};
}

bool memory_kills_rose(const char *root, const struct memory_kills *kills)
{
    (void)root, (void)kills;
    return false;
}

void memory_give_back_large(void)
{
}

uint64_t memory_usual_limit(uint64_t available)
{
    return available == HD_UNKNOWN ? 0 : available / 4 * 3 + 1;
}

/* SIGBUS is an exception here. A mapped file cannot be truncated, but one on another
 * machine may disappear. */

static LONG WINAPI explain(EXCEPTION_POINTERS *what)
{
    enum { ADDRESS = 1 };
    static LONG is_said;
    const EXCEPTION_RECORD *e = what->ExceptionRecord;
    const void *address = (const void *)e->ExceptionInformation[ADDRESS];
    MEMORY_BASIC_INFORMATION page;
    /* Wine calls it an access that is not allowed, which reading a mapping never is. */
    if ((e->ExceptionCode != EXCEPTION_IN_PAGE_ERROR &&
         e->ExceptionCode != EXCEPTION_ACCESS_VIOLATION) ||
        VirtualQuery(address, &page, sizeof(page)) == 0 || page.Type != MEM_MAPPED)
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
