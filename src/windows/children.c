/* Implements children.h: the program is executed again, in a job that ends with this
 * process. */
#include "collect/live/children.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <windows.h>

/* Closing the last handle kills all of its processes. It is never closed. */
static HANDLE job;

/* out: standard output of the child; NULL: inherited. */
static pid_t begin(const char *task, HANDLE out, DWORD how_urgent)
{
    enum { MAX_CHARS = 32768 };
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    char *program = malloc(MAX_CHARS);
    STARTUPINFOA start = {.cb = sizeof(start)};
    if (out != NULL) {
        start.dwFlags = STARTF_USESTDHANDLES;
        start.hStdOutput = out;
        start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    }
    PROCESS_INFORMATION child;
    bool ok = program != NULL && GetModuleFileNameA(NULL, program, MAX_CHARS) > 0;
    if (job == NULL)
        job = CreateJobObjectA(NULL, NULL);
    if (job != NULL)
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits,
                                sizeof(limits));
    SetEnvironmentVariableA(CHILD_TASK, task);
    ok = ok && CreateProcessA(program, GetCommandLineA(), NULL, NULL, TRUE,
                              CREATE_SUSPENDED | how_urgent, NULL, NULL, &start, &child);
    SetEnvironmentVariableA(CHILD_TASK, NULL);
    free(program);
    if (!ok) {
        errno = EAGAIN;
        return -1;
    }
    if (job != NULL)
        AssignProcessToJobObject(job, child.hProcess);
    ResumeThread(child.hThread);
    CloseHandle(child.hThread);
    return (pid_t)(intptr_t)child.hProcess;
}

pid_t child_begin(const char *task)
{
    return begin(task, NULL, 0);
}

pid_t child_begin_anew(const char *const *words, const char *task, int *from)
{
    enum { CAPACITY = 4096 };
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof(inherited), .bInheritHandle = TRUE};
    HANDLE out, in;
    (void)words;
    if (!CreatePipe(&in, &out, &inherited, CAPACITY))
        return -1;
    SetHandleInformation(in, HANDLE_FLAG_INHERIT, 0);
    pid_t child = begin(task, out, IDLE_PRIORITY_CLASS);
    CloseHandle(out);
    *from = child > 0 ? _open_osfhandle((intptr_t)in, _O_BINARY | _O_RDONLY) : -1;
    if (*from < 0)
        CloseHandle(in);
    return child;
}

const char *child_task(void)
{
    return getenv(CHILD_TASK);
}

pid_t waitpid(pid_t child, int *how, int flags)
{
    HANDLE process = (HANDLE)(intptr_t)child;
    DWORD status = 0;
    (void)flags;
    if (WaitForSingleObject(process, 0) == WAIT_TIMEOUT)
        return 0;
    GetExitCodeProcess(process, &status);
    CloseHandle(process);
    *how = (int)status;
    return child;
}

void child_collects(void)
{
}
