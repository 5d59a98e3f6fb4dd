#include "report/report.h"

struct hd_report *hd_report_info(const struct hd_info_entry *entries, size_t count)
{
    struct hd_report *r = report_new(REPORT_INFO, NULL);
    struct arena scratch = {0};
    struct hd_snapshot **snaps = arena_array(&scratch, struct hd_snapshot *, count);
    struct hd_snapshot nothing = {.weak_roots = HD_UNKNOWN};
    for (size_t i = 0; i < count; i++)
        snaps[i] = entries[i].snap != NULL ? entries[i].snap : &nothing;
    report_add_snapshots(r, snaps, count);
    for (size_t i = 0; i < count; i++) {
        if (entries[i].snap != NULL)
            continue;
        r->snapshots[i].info.path = report_string(r, entries[i].path);
        r->snapshots[i].error = entries[i].error;
    }
    arena_free(&scratch);
    return r;
}
