/* What the kernel says of itself and of control groups, in which containers and units of
 * systemd live. Of these there are two versions, and both may be there:
 * https://docs.kernel.org/admin-guide/cgroup-v2.html#memory
 * https://docs.kernel.org/admin-guide/cgroup-v1/memory.html */
#include "cli/guard/memory.h"

#include "heapdrift.h"

#include <inttypes.h>
#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_SIZE = PATH_MAX + 256 };

/* A version: where its groups are, and what their files are called. */
struct version {
    const char *controller; /* in /proc/self/cgroup */
    const char *mount, *most, *used, *cache;
};

/* Of the page cache what was not used of late is given back when memory is needed: the
 * dumps that a build has just written are no reason not to read them. */
static const struct version versions[] = {
    {"", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file %" SCNu64},
    {"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file %" SCNu64},
};

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

/* A number of the file of a group. */
static bool read_of(const char *group, const char *file, const char *format, uint64_t *n)
{
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof(path), "%s/%s", group, file);
    return read_number(path, format, n);
}

static uint64_t less(uint64_t from, uint64_t n)
{
    return from > n ? from - n : 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What a group may still take; its "max" is no number where there is no limit. */
static uint64_t left_in(const char *group, const struct version *v)
{
    uint64_t most, used, cache = 0;
    if (!read_of(group, v->most, "%" SCNu64, &most) ||
        !read_of(group, v->used, "%" SCNu64, &used))
        return HD_UNKNOWN;
    read_of(group, "memory.stat", v->cache, &cache);
    return less(most, less(used, cache));
}

/* Whether a line "4:cpu,memory:/path" is about the controller; then that path, else NULL.
 */
static char *path_of_line(char *line, const char *controller)
{
    char *list = strchr(line, ':'), *path = list != NULL ? strchr(list + 1, ':') : NULL;
    if (path == NULL)
        return NULL;
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    for (char *rest = list + 1, *name; (name = strsep(&rest, ",")) != NULL;)
        if (strcmp(name, controller) == 0)
            return path;
    return NULL;
}

/* The smallest of what is asked of a process's group and those around it: what is mounted
 * may be the whole tree, or, in a container, one group as if it were all. */
static uint64_t
smallest_of_groups(const char *root, const char *process, const struct version *v,
                   uint64_t (*ask)(const char *group, const struct version *v))
{
    char line[PATH_SIZE], group[PATH_SIZE];
    uint64_t left = HD_UNKNOWN;
    snprintf(group, sizeof(group), "%s/proc/%s/cgroup", root, process);
    FILE *f = fopen(group, "r");
    if (f == NULL)
        return HD_UNKNOWN;
    char *path = NULL;
    while (path == NULL && fgets(line, sizeof(line), f) != NULL)
        path = path_of_line(line, v->controller);
    fclose(f);
    while (path != NULL) {
        int len = snprintf(group, sizeof(group), "%s%s%s", root, v->mount, path);
        if (len < (int)sizeof(group))
            left = smaller(left, ask(group, v));
        char *last = strrchr(path, '/');
        if (last == NULL)
            break;
        *last = '\0';
    }
    return left;
}

static uint64_t left_in_system(const char *root)
{
    char path[PATH_SIZE];
    uint64_t kib;
    snprintf(path, sizeof(path), "%s/proc/meminfo", root);
    if (read_number(path, "MemAvailable: %" SCNu64 " kB", &kib))
        return kib * 1024;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : HD_UNKNOWN;
}

static const struct process_limit {
    int resource;
    const char *what;
    const char *used; /* in /proc/self/statm, in pages */
} process_limits[] = {
    {RLIMIT_AS, "ulimit -v", "%" SCNu64},
    {RLIMIT_DATA, "ulimit -d", "%*u %*u %*u %*u %*u %" SCNu64},
};

static uint64_t limit_of(const struct process_limit *l)
{
    struct rlimit limit;
    bool is_one = getrlimit(l->resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_one ? (uint64_t)limit.rlim_cur : HD_UNKNOWN;
}

uint64_t memory_process_limit(const char **what)
{
    uint64_t least = HD_UNKNOWN;
    for (size_t i = 0; i < sizeof(process_limits) / sizeof(*process_limits); i++) {
        uint64_t limit = limit_of(&process_limits[i]);
        if (limit < least)
            *what = process_limits[i].what;
        least = smaller(least, limit);
    }
    return least;
}

static uint64_t left_to_process(const char *root)
{
    char path[PATH_SIZE];
    long page = sysconf(_SC_PAGESIZE);
    uint64_t left = HD_UNKNOWN;
    snprintf(path, sizeof(path), "%s/proc/self/statm", root);
    for (size_t i = 0; i < sizeof(process_limits) / sizeof(*process_limits); i++) {
        uint64_t limit = limit_of(&process_limits[i]), pages = 0;
        if (limit == HD_UNKNOWN)
            continue;
        read_number(path, process_limits[i].used, &pages);
        left = smaller(left, less(limit, page > 0 ? pages * (uint64_t)page : 0));
    }
    return left;
}

uint64_t memory_available(const char *root)
{
    uint64_t left = smaller(left_in_system(root), left_to_process(root));
    for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++)
        left = smaller(left, smallest_of_groups(root, "self", &versions[i], left_in));
    return left;
}

/* Version 1 writes a number beyond all memory where there is no limit. */
static uint64_t most_of(const char *group, const struct version *v)
{
    const uint64_t beyond = (uint64_t)1 << 60;
    uint64_t most;
    return read_of(group, v->most, "%" SCNu64, &most) && most < beyond ? most : HD_UNKNOWN;
}

/* Of a process, the smallest of what is asked of each of its groups, and of what a process
 * in another container sees as its own. */
static uint64_t smallest_of(const char *root, uint64_t pid,
                            uint64_t (*ask)(const char *group, const struct version *v))
{
    char process[24], group[PATH_SIZE];
    uint64_t least = HD_UNKNOWN;
    snprintf(process, sizeof(process), "%" PRIu64, pid);
    for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
        least = smaller(least, smallest_of_groups(root, process, &versions[i], ask));
        snprintf(group, sizeof(group), "%s/proc/%s/root%s", root, process,
                 versions[i].mount);
        least = smaller(least, ask(group, &versions[i]));
    }
    return least;
}

uint64_t memory_limit(const char *root, uint64_t pid)
{
    return smallest_of(root, pid, most_of);
}

static uint64_t left_of(const char *group, const struct version *v)
{
    return most_of(group, v) != HD_UNKNOWN ? left_in(group, v) : HD_UNKNOWN;
}

uint64_t memory_left(const char *root, uint64_t pid)
{
    return smallest_of(root, pid, left_of);
}

uint64_t memory_resident(const char *root, uint64_t pid)
{
    char path[PATH_SIZE];
    uint64_t pages;
    snprintf(path, sizeof(path), "%s/proc/%" PRIu64 "/statm", root, pid);
    return read_number(path, "%*u %" SCNu64, &pages)
               ? pages * (uint64_t)sysconf(_SC_PAGESIZE)
               : HD_UNKNOWN;
}

void memory_give_back_large(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
}

/* Two threads share it: the one that reads a snapshot while it comes, and the one that
 * waits. */
void memory_keep_little(void)
{
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

/* musl gives pages back when they are freed. */
void memory_give_back(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

uint64_t memory_usual_limit(uint64_t available)
{
    if (available == HD_UNKNOWN)
        return 0;
    uint64_t most = available / 4 * 3;
    return most > 0 ? most : 1;
}
