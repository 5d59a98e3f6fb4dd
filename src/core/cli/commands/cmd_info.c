#include "cli/commands/answer.h"
#include "cli/commands/output.h"

#include <string.h>

static int info_run(struct settings *s)
{
    s->read.checksum = true;
    struct loaded l = load_snapshots(s);
    int status = EXIT_TROUBLE;
    if (s->operand_count == 0 && s->stored == NULL)
        fputs("heapdrift: info needs a snapshot: heapdrift info SNAPSHOT...\n", stderr);
    if (l.count > 0) {
        struct hd_report *report = hd_report_info(l.comparison);
        /* Sheets have no place for warnings. */
        bool is_sheet = strcmp(s->format, "csv") == 0 || strcmp(s->format, "tsv") == 0;
        if (output_report(s, report, !is_sheet) && l.failed == 0)
            status = output_status(s, report);
        hd_report_free(report);
    }
    loaded_free(&l);
    return status;
}

const struct command cmd_info = {
    .name = "info",
    .bit = ON_INFO,
    .purpose = FOR_FORMATS,
    .operands = "SNAPSHOT...",
    .summary = "what a file contains, and its problems",
    .description = "Show format, writer, time, process, objects, roots, generations, "
                   "checksum and all\n"
                   "warnings of each file.",
    .examples =
        {
            {"heapdrift info app.gcdump", "what it contains"},
            {"heapdrift info --format=json snapshots/", "a whole folder, for scripts"},
        },
    .least = 1,
    .most = SIZE_MAX,
    .run = info_run,
};
