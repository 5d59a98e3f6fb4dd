/* Any bytes, through the same front door as a file: read whole and as tables only,
 * then reported on and converted to every format. What must hold of real and damaged
 * snapshots is checked by tests/sweep; here a crash, a leak or a hang is the finding. */
#include "support/rewritten.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere(void)
{
    static FILE *null;
    if (null == NULL && (null = fopen("/dev/null", "w")) == NULL)
        abort();
    return null;
}

static void check_error(const struct hd_error *err)
{
    if (err->status == HD_OK || err->message[0] == '\0' ||
        strchr(err->message, '\n') != NULL)
        abort();
}

static void write_all(struct hd_report *r, const struct hd_error *err)
{
    if (r == NULL) {
        check_error(err);
        return;
    }
    const char *format;
    for (size_t i = 0; (format = hd_format_name(i)) != NULL; i++) {
        struct hd_error lost = {0};
        if (!hd_report_write(r, format, NULL, hd_sink_file(nowhere()), &lost))
            check_error(&lost);
    }
    hd_report_free(r);
}

static void report(struct hd_snapshot *snap)
{
    static const char *const any = "*";
    struct hd_options opt = hd_default_options();
    struct hd_snapshot *twice[] = {snap, snap};
    struct hd_comparison *one = hd_comparison_of(&snap, 1, NULL),
                         *two = hd_comparison_of(twice, 2, NULL);
    struct hd_error err = {0};
    write_all(hd_report_info(one), &err);
    write_all(hd_report_top(one, &opt, &err), &err);
    err = (struct hd_error){0};
    write_all(hd_report_tree(one, &opt, &err), &err);
    err = (struct hd_error){0};
    write_all(hd_report_tree(two, &opt, &err), &err);
    err = (struct hd_error){0};
    write_all(hd_report_diff(two, &opt, &err), &err);
    err = (struct hd_error){0};
    opt.types = &any;
    opt.type_count = 1;
    write_all(hd_report_roots(one, &opt, &err), &err);
    hd_comparison_free(one);
    hd_comparison_free(two);
}

/* What was read is written, and that is read again; from gcdump to gcdump as it was. */
static void convert(struct hd_snapshot *snap)
{
    struct hd_target target;
    for (size_t i = 0; hd_target(i, &target); i++) {
        struct hd_error err = {0};
        char *bytes;
        size_t len;
        struct hd_snapshot *again = rewritten(snap, target.name, &bytes, &len, &err);
        if (again == NULL) {
            check_error(&err);
            if (err.status != HD_USAGE && err.status != HD_TOO_BIG)
                abort();
        } else if (strcmp(snap->info.format, "gcdump") == 0 && i == 0 &&
                   rewritten_gcdump_differs(snap, again) != NULL) {
            abort();
        }
        hd_snapshot_close(again);
        free(bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int tables_only = 0; tables_only < 2; tables_only++) {
        struct hd_read_options how = {.tables_only = tables_only != 0, .to_write = true};
        struct hd_error err = {0};
        struct hd_snapshot *snap = hd_snapshot_from_memory(data, size, &how, &err);
        if (snap != NULL) {
            report(snap);
            convert(snap);
        } else
            check_error(&err);
        hd_snapshot_close(snap);
    }
    return 0;
}
