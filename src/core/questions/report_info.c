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

struct hd_report *hd_report_processes(const struct hd_processes *processes)
{
    struct hd_report *r = report_new(HD_REPORT_PROCESSES, NULL);
    r->processes.count = processes->count;
    r->processes.all = arena_array(&r->arena, struct hd_process, processes->count);
    for (size_t i = 0; i < processes->count; i++) {
        struct hd_process *p = &r->processes.all[i];
        *p = processes->all[i];
        const char **const strings[] = {&p->name, &p->runtime,   &p->command,
                                        &p->user, &p->socket,    &p->problem,
                                        &p->host, &p->container, &p->started};
        report_keep(r, strings, sizeof(strings) / sizeof(*strings));
        p->uptime = p->started != NULL ? p->uptime : HD_UNKNOWN;
        p->memory = p->memory > 0 ? p->memory : HD_UNKNOWN;
    }
    report_publish(r);
    return r;
}
