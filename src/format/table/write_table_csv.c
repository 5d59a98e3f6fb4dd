/* The type table as CSV: mirror of read_table_csv.c. */
#include "base/csv.h"
#include "format/snapshot_writer.h"

#include <inttypes.h>

static bool write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                  struct hd_error *err)
{
    (void)l;
    if (!table_fits(snap, HD_UNKNOWN - 1, err))
        return false;
    struct text line = {0};
    out_string(o, "type,count,bytes\n");
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind != TYPE_OBJECT || type->tally[SELECT_ALL].count == 0)
            continue;
        text_clear(&line);
        csv_add_cell(&line, type->name);
        out_text(o, &line);
        out_printf(o, ",%" PRIu64 ",", type->tally[SELECT_ALL].count);
        if (type->tally[SELECT_ALL].bytes != HD_UNKNOWN)
            out_printf(o, "%" PRIu64, type->tally[SELECT_ALL].bytes);
        out_string(o, "\n");
    }
    text_free(&line);
    return true;
}

const struct snapshot_writer write_table_csv = {
    .name = "table-csv",
    .summary = "counts and bytes per type, for spreadsheets",
    .suffix = ".csv",
    .write = write,
};
