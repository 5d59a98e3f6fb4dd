/* Replaces collect/read_facts.c: counters of the system for a process. Windows does not
 * report the purpose of memory; the collector does (GC_COMMITTED). */
#include "collect/read_facts.h"

#include <windows.h>

#include <psapi.h>
#include <tlhelp32.h>

/* One snapshot of all processes has the threads of each. */
static void add_threads(DWORD pid, struct hd_process_facts *facts)
{
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    PROCESSENTRY32 one = {.dwSize = sizeof(one)};
    for (BOOL more = all != INVALID_HANDLE_VALUE && Process32First(all, &one); more;
         more = Process32Next(all, &one))
        if (one.th32ProcessID == pid)
            hd_fact_set(facts, HD_FACT_THREADS, one.cntThreads);
    if (all != INVALID_HANDLE_VALUE)
        CloseHandle(all);
}

static uint64_t ticks_of(FILETIME t)
{
    return (uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime;
}

static void add_uptime(HANDLE process, struct hd_process_facts *facts)
{
    const uint64_t per_second = 10000000;
    FILETIME created, exited, kernel, user, now;
    GetSystemTimeAsFileTime(&now);
    if (GetProcessTimes(process, &created, &exited, &kernel, &user) &&
        ticks_of(now) >= ticks_of(created))
        hd_fact_set(facts, HD_FACT_UPTIME,
                    (ticks_of(now) - ticks_of(created)) / per_second);
}

struct hd_process_facts read_facts(pid_t pid)
{
    struct hd_process_facts facts = {0};
    PROCESS_MEMORY_COUNTERS_EX m = {.cb = sizeof(m)};
    DWORD handles;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)pid);
    if (process == NULL)
        return facts;
    if (GetProcessMemoryInfo(process, (PROCESS_MEMORY_COUNTERS *)&m, sizeof(m))) {
        hd_fact_set(&facts, HD_FACT_RESIDENT, m.WorkingSetSize);
        hd_fact_set(&facts, HD_FACT_PRIVATE, m.PrivateUsage);
    }
    if (GetProcessHandleCount(process, &handles))
        hd_fact_set(&facts, HD_FACT_OTHERS, handles);
    add_uptime(process, &facts);
    CloseHandle(process);
    add_threads((DWORD)pid, &facts);
    return facts;
}
