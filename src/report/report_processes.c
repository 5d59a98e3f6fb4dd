#include "report/report.h"

struct hd_report *hd_report_processes(const struct hd_processes *processes)
{
    struct hd_report *r = report_new(HD_REPORT_PROCESSES, NULL);
    r->processes.count = processes->count;
    r->processes.all = arena_array(&r->arena, struct hd_process, processes->count);
    for (size_t i = 0; i < processes->count; i++) {
        const struct hd_process *p = &processes->all[i];
        r->processes.all[i] = (struct hd_process){.pid = p->pid,
                                                  .name = report_string(r, p->name),
                                                  .runtime = report_string(r, p->runtime),
                                                  .command = report_string(r, p->command),
                                                  .user = report_string(r, p->user),
                                                  .socket = report_string(r, p->socket),
                                                  .problem = report_string(r, p->problem)};
    }
    report_publish(r);
    return r;
}
