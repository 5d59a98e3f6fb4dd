/* What memory.h asks for. Windows has no control groups. */
#include "cli/guard/memory.h"

#include "heapdrift.h"

#include <windows.h>

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
    (void)root;
    (void)pid;
    return HD_UNKNOWN;
}

uint64_t memory_spare(const char *root, uint64_t pid)
{
    (void)pid;
    return memory_available(root);
}

bool memory_is_shared(const char *root, uint64_t pid)
{
    (void)root;
    (void)pid;
    return false;
}

void memory_kills_see(const char *root, uint64_t pid, struct memory_kills *kills)
{
    (void)root;
    (void)pid;
    *kills = (struct memory_kills){.in_group = HD_UNKNOWN, .in_system = HD_UNKNOWN};
}

bool memory_kills_rose(const char *root, const struct memory_kills *kills)
{
    (void)root;
    (void)kills;
    return false;
}

void memory_give_back_large(void)
{
}

uint64_t memory_usual_limit(uint64_t available)
{
    return available == HD_UNKNOWN ? 0 : available / 4 * 3 + 1;
}
