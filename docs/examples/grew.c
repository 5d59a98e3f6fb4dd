/* What grew from the first snapshot to the last, and what holds it.
 *
 *     cc grew.c $(pkg-config --cflags --libs heapdrift) -o grew
 *     ./grew before.gcdump after.gcdump */
#include <heapdrift.h>

#include <stdlib.h>

static void complain(const char *path, const struct hd_error *err)
{
    fprintf(stderr, "%s: %s\n", path, err->message);
}

static void tell_warnings(const struct hd_report *report)
{
    size_t count;
    const struct hd_warning *all = hd_report_warnings(report, &count);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s: %s\n", all[i].code, all[i].message);
}

/* The answer as Markdown, in memory: for a ticket, a mail, a database. */
static bool tell(struct hd_snapshot **snaps, size_t count)
{
    struct hd_error err = {0};
    struct hd_options ask = hd_default_options();
    struct hd_memory page = {0};
    ask.rows = 5;
    struct hd_report *report = hd_report_diff(snaps, count, &ask, &err);
    bool ok = report != NULL;
    if (ok) {
        tell_warnings(report);
        ok = hd_report_write(report, "md", NULL, hd_sink_memory(&page), &err);
    }
    if (ok)
        printf("%zu suspects, %zu bytes of Markdown\n\n%s", hd_report_suspects(report),
               page.size, page.bytes);
    else
        complain("comparison", &err);
    hd_memory_free(&page);
    hd_report_free(report);
    return ok;
}

static void end_without_memory(size_t wanted)
{
    fprintf(stderr, "out of memory (%zu bytes wanted)\n", wanted);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    struct hd_snapshot *snaps[HD_MAX_SNAPSHOTS] = {0};
    struct hd_read_options how = {.size = sizeof(how), .max_memory = UINT64_C(4) << 30};
    size_t count = 0;
    bool ok = argc > 2 && argc <= HD_MAX_SNAPSHOTS + 1;
    hd_set_out_of_memory(end_without_memory);
    if (!ok)
        fprintf(stderr, "usage: grew SNAPSHOT SNAPSHOT... (heapdrift %s)\n", hd_version());
    for (int i = 1; ok && i < argc; i++) {
        struct hd_error err = {0};
        snaps[count] = hd_snapshot_open(argv[i], &how, &err);
        ok = snaps[count++] != NULL;
        if (!ok)
            complain(argv[i], &err);
    }
    ok = ok && tell(snaps, count);
    for (size_t i = 0; i < count; i++)
        hd_snapshot_close(snaps[i]);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
