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

void memory_give_back_large(void)
{
}

uint64_t memory_usual_limit(uint64_t available)
{
    return available == HD_UNKNOWN ? 0 : available / 4 * 3 + 1;
}
