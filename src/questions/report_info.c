/* What needs no answer of the analysis: facts of snapshots, and which processes there are.
 */
#include "report/report.h"

struct hd_report *hd_report_info(struct hd_comparison *c)
{
    struct hd_report *r = report_new(HD_REPORT_INFO, NULL);
    struct arena scratch = {0};
    struct hd_snapshot **snaps =
        arena_array(&scratch, struct hd_snapshot *, c->entry_count);
    const struct hd_info_entry **entries =
        arena_array(&scratch, const struct hd_info_entry *, c->entry_count);
    struct hd_snapshot nothing = {.weak_roots = HD_UNKNOWN};
    size_t count = 0;
    comparison_begin_any(c);
    for (size_t i = 0; i < c->entry_count; i++) {
        if (c->entries[i].skipped)
            continue;
        entries[count] = &c->entries[i];
        snaps[count] = entries[count]->snap != NULL ? entries[count]->snap : &nothing;
        count++;
    }
    report_add_snapshots(r, snaps, count);
    for (size_t i = 0; i < count; i++) {
        if (entries[i]->snap != NULL)
            continue;
        r->snapshots[i].info.path = report_string(r, entries[i]->path);
        r->snapshots[i].error = entries[i]->error;
    }
    comparison_end(c);
    arena_free(&scratch);
    report_publish(r);
    return r;
}

/* --- processes --------------------------------------------------------------------- */

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
