#include "cli/live/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool processes_find(struct hd_processes *processes)
{
    hd_processes_find(processes);
    if (processes->incomplete == NULL)
        return true;
    fprintf(stderr, "heapdrift: %s\n", processes->incomplete);
    hd_processes_free(processes);
    return false;
}

void processes_keep(struct hd_processes *processes, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < processes->count; i++)
        if (name == NULL || hd_process_goes_by(&processes->all[i], name))
            processes->all[kept++] = processes->all[i];
    processes->count = kept;
}

/* --- order ------------------------------------------------------------------------- */

static int by_words(const char *x, const char *y)
{
    if (x == NULL || y == NULL)
        return (x == NULL) - (y == NULL);
    return strcmp(x, y);
}

static int by_number(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

/* Behind HD_UNKNOWN, the largest number there is, comes 0. */
static int largest_first(uint64_t x, uint64_t y)
{
    return by_number(y + 1, x + 1);
}

static int by_pid(const void *a, const void *b)
{
    const struct hd_process *x = a, *y = b;
    int order = by_number(x->pid, y->pid);
    return order != 0 ? order : by_words(x->socket, y->socket);
}

static int by_name(const void *a, const void *b)
{
    const struct hd_process *x = a, *y = b;
    int order = by_words(x->name, y->name);
    return order != 0 ? order : by_pid(a, b);
}

static int by_memory(const void *a, const void *b)
{
    const struct hd_process *x = a, *y = b;
    int order = largest_first(x->memory, y->memory);
    return order != 0 ? order : by_pid(a, b);
}

static int by_uptime(const void *a, const void *b)
{
    const struct hd_process *x = a, *y = b;
    int order = largest_first(x->uptime, y->uptime);
    return order != 0 ? order : by_pid(a, b);
}

void processes_sort(struct hd_processes *processes, enum process_order order)
{
    static int (*const orders[])(const void *, const void *) = {[BY_PID] = by_pid,
                                                                [BY_NAME] = by_name,
                                                                [BY_MEMORY] = by_memory,
                                                                [BY_UPTIME] = by_uptime};
    if (processes->count > 0)
        qsort(processes->all, processes->count, sizeof(*processes->all), orders[order]);
}
