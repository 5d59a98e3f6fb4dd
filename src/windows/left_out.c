/* What needs a database: it is there, to say that it is not. */
#include "cli/live/metrics_server.h"
#include "cli/live/sidecar.h"

#include <stdio.h>

static int refuse_command(struct settings *s)
{
    fprintf(stderr, "heapdrift: %s is not in heapdrift for Windows\n", s->command->name);
    return EXIT_TROUBLE;
}

#define LEFT_OUT(word, its_bit, its_purpose)                                           \
    const struct command cmd_##word = {.name = #word,                                  \
                                       .bit = its_bit,                                 \
                                       .purpose = its_purpose,                         \
                                       .operands = "",                                 \
                                       .summary = "not in heapdrift for Windows",      \
                                       .description = "Not in heapdrift for Windows.", \
                                       .run = refuse_command}

LEFT_OUT(record, ON_RECORD, FOR_FLEETS);
LEFT_OUT(fleet, ON_FLEET, FOR_FLEETS);

static int refuse_store(void)
{
    fputs(
        "heapdrift: --store: there is no store in heapdrift for Windows; write a .digest, "
        "and store it with `heapdrift record` on Linux\n",
        stderr);
    return EXIT_TROUBLE;
}

const char *metrics_address_problem(const char *address)
{
    (void)address;
    return "";
}

int sidecar_run(const struct settings *s)
{
    (void)s;
    return refuse_store();
}

int sidecar_collect(const struct settings *s)
{
    (void)s;
    return refuse_store();
}
