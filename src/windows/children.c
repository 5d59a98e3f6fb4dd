/* What children.h asks for: a program that begins anew, in a job that ends with us. */
#include "collect/live/children.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <windows.h>

#define VARIABLE "HEAPDRIFT_ERRAND"

/* Whoever has the last handle of it takes all its processes along. It is never closed. */
static HANDLE job;

pid_t child_begin(const char *errand)
{
    enum { MOST = 32768 };
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION how = {.BasicLimitInformation.LimitFlags =
                                                    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    char *program = malloc(MOST);
    STARTUPINFOA start = {.cb = sizeof(start)};
    PROCESS_INFORMATION child;
    bool ok = program != NULL && GetModuleFileNameA(NULL, program, MOST) > 0;
    if (job == NULL)
        job = CreateJobObjectA(NULL, NULL);
    if (job != NULL)
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &how, sizeof(how));
    SetEnvironmentVariableA(VARIABLE, errand);
    ok = ok && CreateProcessA(program, GetCommandLineA(), NULL, NULL, TRUE,
                              CREATE_SUSPENDED, NULL, NULL, &start, &child);
    SetEnvironmentVariableA(VARIABLE, NULL);
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

const char *child_errand(void)
{
    return getenv(VARIABLE);
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
