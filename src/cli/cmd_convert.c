#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the target ---------------------------------------------------------- */

static bool find_target(const struct settings *s, struct hd_target *target)
{
    for (size_t i = 0; hd_target(i, target); i++)
        if (s->target != NULL ? strcmp(s->target, target->name) == 0
                              : output_ends_in(s->output, target->suffix))
            return true;
    begin_message(NULL, s->output);
    fputs(": which format? use --to=FORMAT, or a name that ends in", stderr);
    for (size_t i = 0; hd_target(i, target); i++)
        fprintf(stderr, "%s %s (%s)", i > 0 ? "," : "", target->suffix, target->name);
    fputs("\n", stderr);
    return false;
}

static bool check(const struct settings *s, struct hd_target *target)
{
    if (s->operand_count != 1) {
        fprintf(stderr, "heapdrift: convert takes one snapshot, not %zu\n",
                s->operand_count);
        return false;
    }
    if (s->output == NULL) {
        fputs("heapdrift: convert needs a file to write: heapdrift convert IN -o OUT\n",
              stderr);
        return false;
    }
    if (!find_target(s, target))
        return false;
    if (target->binary && strcmp(s->output, "-") == 0 && isatty(STDOUT_FILENO)) {
        fprintf(stderr, "heapdrift: a %s is nothing for a terminal\n", target->name);
        return false;
    }
    return true;
}

/* --- converting ------------------------------------------------------------ */

struct conversion {
    struct hd_snapshot *snap;
    const struct hd_target *target;
    struct hd_losses *lost;
};

static bool write_snapshot(const void *thing, const struct settings *s, FILE *to,
                           struct hd_error *err)
{
    (void)s;
    const struct conversion *c = thing;
    return hd_snapshot_write(c->snap, c->target->name, hd_sink_file(to), c->lost, err);
}

static void tell_warnings(const struct loaded *l)
{
    struct hd_report *report = hd_report_info(l->comparison);
    output_warnings(report);
    hd_report_free(report);
}

static int convert(const struct settings *s, const struct loaded *l,
                   const struct hd_target *target)
{
    struct hd_snapshot *snap = hd_comparison_snapshot(l->comparison, 0);
    const struct hd_info *info = hd_snapshot_info(snap);
    if (target->needs_graph && !info->has_graph) {
        struct hd_error table = {0};
        snprintf(table.message, sizeof(table.message),
                 "a %s, which has no objects: it can become table-csv%s",
                 info->has_owners ? "digest" : "type table",
                 info->has_owners ? " or table-json" : ", table-json or digest");
        print_error(info->path, &table);
        return EXIT_TROUBLE;
    }
    if (!s->quiet)
        tell_warnings(l);
    struct hd_losses lost = {0};
    const struct conversion c = {snap, target, &lost};
    if (!output_file(s, s->output, (struct output_how){.write = write_snapshot}, &c))
        return EXIT_TROUBLE;
    for (size_t i = 0; i < lost.count && !s->quiet; i++) {
        begin_message("note", input_name(info->path));
        fprintf(stderr, ": %s: ", lost.all[i].what);
        end_message(lost.all[i].message);
    }
    if (!s->strict || (info->complete && !info->sampled))
        return EXIT_DONE;
    fputs("heapdrift: inconclusive: the snapshot is incomplete or sampled\n", stderr);
    return EXIT_INCONCLUSIVE;
}

static int run(struct settings *s)
{
    struct hd_target target;
    if (!check(s, &target))
        return EXIT_TROUBLE;
    s->read.to_write = true;
    s->read.tables_only = !target.takes_graph;
    /* So that it lines up with gcdumps of the same program. */
    bool is_digest = strcmp(target.name, "digest") == 0;
    s->read.reach_later = is_digest; /* it is found on the way */
    s->read.plain_names = is_digest || strcmp(target.name, "gcdump") == 0;
    struct loaded l = load_snapshots(s);
    int status = EXIT_TROUBLE;
    if (l.failed == 0 && l.count != 1)
        fprintf(stderr, "heapdrift: convert takes one snapshot, not %zu\n", l.count);
    else if (l.failed == 0)
        status = convert(s, &l, &target);
    loaded_free(&l);
    return status;
}

const struct command cmd_convert = {
    .name = "convert",
    .bit = ON_CONVERT,
    .purpose = FOR_FORMATS,
    .operands = "IN -o OUT",
    .summary = "a snapshot in another format",
    .description =
        "Write a snapshot as gcdump (.gcdump), digest (.digest), heap-text (.txt), "
        "table-csv\n"
        "(.csv) or table-json (.json). What the target cannot hold is told on standard "
        "error,\n"
        "a line each. -o - is standard output.",
    .examples =
        {
            {"heapdrift convert app.nettrace -o app.gcdump",
             "for PerfView and Visual Studio"},
            {"heapdrift convert app.gcdump -o app.digest",
             "all that analyses need, in kilobytes"},
            {"heapdrift convert app.gcdump -o app.csv", "types, counts and bytes"},
            {"heapdrift convert --to=heap-text app.gcdump -o - | less",
             "a line per object"},
        },
    .run = run,
};
