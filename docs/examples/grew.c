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

/* The rows as data, and the whole answer as Markdown in memory: for a ticket, a mail, a
 * database. */
static bool tell(struct hd_comparison *c)
{
    struct hd_error err = {0};
    struct hd_options ask = hd_default_options();
    struct hd_memory page = {0};
    ask.rows = 5;
    struct hd_report *report = hd_report_diff(c, &ask, &err);
    bool ok =
        report != NULL && hd_report_write(report, "md", NULL, hd_sink_memory(&page), &err);
    if (ok) {
        const struct hd_model *m = hd_report_model(report);
        for (size_t i = 0; i < m->warning_count; i++)
            fprintf(stderr, "%s: %s\n", m->warnings[i].code, m->warnings[i].message);
        for (size_t i = 0; i < m->diff->suspect_count; i++)
            printf("suspect %zu: %s\n", m->diff->suspects[i].rank,
                   m->diff->suspects[i].title);
        printf("%zu suspects, %zu bytes of Markdown\n\n%s", m->diff->suspect_count,
               page.size, page.bytes);
    } else {
        complain("comparison", &err);
    }
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
    struct hd_inputs inputs = {0};
    struct hd_read_options how = {.size = sizeof(how), .max_memory = UINT64_C(4) << 30};
    size_t count = 0;
    hd_set_out_of_memory(end_without_memory);
    if (argc < 3) {
        fprintf(stderr, "usage: grew SNAPSHOT SNAPSHOT... (heapdrift %s)\n", hd_version());
        return EXIT_FAILURE;
    }
    /* What cannot be opened stands in its place with its error. */
    for (int i = 1; i < argc; i++)
        hd_inputs_add(&inputs, argv[i], NULL);
    struct hd_comparison *c = hd_comparison_open(inputs.all, inputs.count, &how);
    const struct hd_info_entry *entries = hd_comparison_entries(c, &count);
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].snap != NULL || entries[i].skipped)
            continue;
        complain(entries[i].path, &entries[i].error);
        ok = false;
    }
    ok = ok && tell(c);
    hd_comparison_free(c);
    hd_inputs_free(&inputs);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
