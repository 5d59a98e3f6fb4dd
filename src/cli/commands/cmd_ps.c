#include "cli/commands/output.h"
#include "cli/live/processes.h"
#include "cli/options/options.h"

static int run(struct settings *s)
{
    if (s->operand_count > 0) {
        fputs("heapdrift: ps takes no operands\n", stderr);
        return EXIT_TROUBLE;
    }
    struct hd_processes processes;
    if (!processes_find(&processes))
        return EXIT_TROUBLE;
    processes_keep(&processes, s->name);
    processes_sort(&processes, s->process_order);
    struct hd_report *report = hd_report_processes(&processes);
    int status = output_report(s, report, false) ? EXIT_DONE : EXIT_TROUBLE;
    hd_report_free(report);
    hd_processes_free(&processes);
    return status;
}

static const struct option options[] = {
    {"name", 0, GROUP_PROCESS, ON_PS, TEXT(PROCESS, name), .old_letter = 'n',
     .help = "only processes with that name; * and ? are wildcards"},
    {"sort", 0, GROUP_SHOWN, ON_PS,
     CHOICE(process_order, BY_PID, "pid", "name", "memory", "uptime"), .argument = "KEY",
     .usual = "pid", .help = ""},
    {0}};

const struct command cmd_ps = {
    .name = "ps",
    .bit = ON_PS,
    .purpose = FOR_PROCESSES,
    .operands = "",
    .summary = "list .NET processes",
    .description = "List the .NET processes that snapshots can be taken of: id, name, "
                   "container, host,\n"
                   "memory, uptime, runtime version, user, command line. Root also sees "
                   "those of other\n"
                   "users and containers.",
    .examples =
        {
            {"heapdrift ps", "yours; with sudo also those of others"},
            {"heapdrift ps --name='Shop.*' --sort=memory",
             "some of them, the largest first"},
            {"heapdrift ps --format=csv", "for scripts"},
        },
    .options = options,
    .run = run,
};
