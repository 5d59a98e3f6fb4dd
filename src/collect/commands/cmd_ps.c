#include "cli/commands/output.h"
#include "cli/options/options.h"
#include "collect/live/collector.h"

#include <stdlib.h>
#include <string.h>

/* --- order ------------------------------------------------------------------------- */

static int by_words(const char *x, const char *y)
{
    if (x == NULL || y == NULL)
        return (x == NULL) - (y == NULL);
    return strcmp(x, y);
}

static int by_pid(const void *a, const void *b)
{
    const struct hd_process *x = a, *y = b;
    int order = (x->pid > y->pid) - (x->pid < y->pid);
    return order != 0 ? order : by_words(x->socket, y->socket);
}

static int cmd_ps_by_name(const void *a, const void *b)
{
    const struct hd_process *x = a, *y = b;
    int order = by_words(x->name, y->name);
    return order != 0 ? order : by_pid(a, b);
}

/* Unknown values, the largest number, sort after 0. */
static int largest_first(const void *a, const void *b, uint64_t x, uint64_t y)
{
    int order = (y + 1 > x + 1) - (y + 1 < x + 1);
    return order != 0 ? order : by_pid(a, b);
}

static int by_memory(const void *a, const void *b)
{
    const struct hd_process *x = a, *y = b;
    return largest_first(a, b, x->memory, y->memory);
}

static int by_uptime(const void *a, const void *b)
{
    const struct hd_process *x = a, *y = b;
    return largest_first(a, b, x->uptime, y->uptime);
}

/* --- the command ------------------------------------------------------------------- */

static int cmd_ps_run(struct settings *s)
{
    const struct collect_options *o = s->own;
    static int (*const orders[])(const void *, const void *) = {[BY_PID] = by_pid,
                                                                [BY_NAME] = cmd_ps_by_name,
                                                                [BY_MEMORY] = by_memory,
                                                                [BY_UPTIME] = by_uptime};
    if (s->operand_count > 0) {
        fputs("heapdrift: ps takes no operands\n", stderr);
        return EXIT_TROUBLE;
    }
    struct hd_processes processes;
    if (!collector_find(&processes, o->name))
        return EXIT_TROUBLE;
    if (processes.count > 0)
        qsort(processes.all, processes.count, sizeof(*processes.all), orders[o->order]);
    processes.name = o->name;
    struct hd_report *report = hd_report_processes(&processes);
    int status = output_report(s, report, false) ? EXIT_DONE : EXIT_TROUBLE;
    hd_report_free(report);
    hd_processes_free(&processes);
    return status;
}

OPTIONS_OF(struct collect_options);

static const struct option options[] = {
    {"name", 0, GROUP_PROCESS, ON_PS, TEXT(PROCESS, own.name), .old_letter = 'n',
     .help = "only processes with that name; * and ? are wildcards"},
    {"sort", 0, GROUP_SHOWN, ON_PS,
     CHOICE(own.order, BY_PID, "pid", "name", "memory", "uptime"), .argument = "KEY",
     .usual = "pid", .help = ""},
    {.more = collect_rows}};

const struct command cmd_ps = {
    .name = "ps",
    .bit = ON_PS,
    .purpose = FOR_PROCESSES,
    .operands = "",
    .summary = "list .NET processes",
    .description = "List the .NET processes that snapshots can be taken of: id, name, "
                   "container, host,\n"
                   "memory, uptime, runtime version, user, command line. Root also sees "
                   "those of other\n"
                   "users and containers.",
    .examples =
        {
            {"heapdrift ps", "your processes; with sudo also those of other users"},
            {"heapdrift ps --name='Shop.*' --sort=memory",
             "some processes, the largest first"},
            {"heapdrift ps --format=csv", "for scripts"},
        },
    .options = options,
    .own_size = sizeof(struct collect_options),
    .run = cmd_ps_run,
};
