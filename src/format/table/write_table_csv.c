/* The type table as CSV: mirror of read_table_csv.c. */
#include "base/csv.h"
#include "format/snapshot_writer.h"

#include <inttypes.h>

/* Names with what a terminal or a build server would obey do not come back as they were. */
static bool is_written_out(const char *name)
{
    struct text plain = {0}, visible = {0};
    csv_add_clean(&plain, name);
    text_add_visible(&visible, plain.data, plain.len, true);
    bool same = visible.len == plain.len;
    text_free(&plain);
    text_free(&visible);
    return !same;
}

static bool write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                  struct hd_error *err)
{
    if (!table_fits(snap, HD_UNKNOWN - 1, err))
        return false;
    static const char *const titles[] = {"type", "count", "bytes"};
    struct csv_writer csv = {.out = o};
    uint64_t written_out = 0;
    CSV_TITLES(&csv, titles);
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind != TYPE_OBJECT || type->tally[SELECT_ALL].count == 0)
            continue;
        written_out += is_written_out(type->name);
        csv_cell(&csv, type->name);
        csv_number(&csv, type->tally[SELECT_ALL].count);
        csv_number(&csv, type->tally[SELECT_ALL].bytes);
        csv_end_row(&csv);
    }
    if (written_out > 0)
        losses_add(l, "names", "%" PRIu64 " with control characters, written as escapes",
                   written_out);
    return true;
}

const struct snapshot_writer write_table_csv = {
    .name = "table-csv",
    .summary = "counts and bytes per type, for spreadsheets",
    .suffix = ".csv",
    .write = write,
};
