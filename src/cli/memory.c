#include "cli/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool read_number(const char *path, const char *format, uint64_t *n)
{
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return false;
    char line[128];
    bool found = false;
    while (!found && fgets(line, sizeof(line), f) != NULL)
        found = sscanf(line, format, n) == 1;
    fclose(f);
    return found;
}

/* What a container may still take; its "max" is no number where there is no limit. */
static bool left_in_container(uint64_t *bytes)
{
    uint64_t most, used;
    if (!read_number("/sys/fs/cgroup/memory.max", "%" SCNu64, &most) ||
        !read_number("/sys/fs/cgroup/memory.current", "%" SCNu64, &used))
        return false;
    *bytes = most > used ? most - used : 0;
    return true;
}

uint64_t available_memory(void)
{
    uint64_t bytes = 0, kib, container;
    if (read_number("/proc/meminfo", "MemAvailable: %" SCNu64 " kB", &kib)) {
        bytes = kib * 1024;
    } else {
        long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
        bytes = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
    }
    if (left_in_container(&container) && (bytes == 0 || container < bytes))
        bytes = container > 0 ? container : 1; /* 0 would be no limit */
    return bytes;
}
