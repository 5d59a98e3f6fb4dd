#include "report/report.h"

static struct hd_process copy(struct hd_report *r, const struct hd_process *p)
{
    return (struct hd_process){.pid = p->pid,
                               .name = report_string(r, p->name),
                               .runtime = report_string(r, p->runtime),
                               .command = report_string(r, p->command),
                               .user = report_string(r, p->user),
                               .socket = report_string(r, p->socket),
                               .problem = report_string(r, p->problem),
                               .host = report_string(r, p->host),
                               .container = report_string(r, p->container),
                               .started = report_string(r, p->started),
                               .uptime = p->started != NULL ? p->uptime : HD_UNKNOWN,
                               .memory = p->memory > 0 ? p->memory : HD_UNKNOWN,
                               .is_denied = p->is_denied};
}

struct hd_report *hd_report_processes(const struct hd_processes *processes)
{
    struct hd_report *r = report_new(HD_REPORT_PROCESSES, NULL);
    r->processes.count = processes->count;
    r->processes.all = arena_array(&r->arena, struct hd_process, processes->count);
    for (size_t i = 0; i < processes->count; i++)
        r->processes.all[i] = copy(r, &processes->all[i]);
    report_publish(r);
    return r;
}
