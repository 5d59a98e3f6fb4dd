/* What needs a database: it is there, to say that it is not. */
#include "cli/live/metrics_server.h"
#include "cli/live/sidecar.h"
#include "cli/live/stored_run.h"

#include <stdio.h>

static int refuse_command(struct settings *s)
{
    fprintf(stderr, "heapdrift: %s is not in heapdrift for Windows\n", s->command->name);
    return EXIT_TROUBLE;
}

#define LEFT_OUT(word, its_bit)                                                        \
    const struct command cmd_##word = {.name = #word,                                  \
                                       .bit = its_bit,                                 \
                                       .purpose = FOR_FLEETS,                          \
                                       .operands = "",                                 \
                                       .summary = "not in heapdrift for Windows",      \
                                       .description = "Not in heapdrift for Windows.", \
                                       .run = refuse_command}

/* scripts/windows.mk finds them. */
LEFT_OUT_COMMANDS

int sidecar_run(const struct settings *s, bool is_once)
{
    (void)s, (void)is_once;
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

void metrics_server_take_over(int count, char *const *arguments)
{
    (void)count, (void)arguments;
}

bool stored_run_fetch(struct settings *s)
{
    if (settings_read_store(s))
        fputs("heapdrift: --store: there is no store in heapdrift for Windows\n", stderr);
    return !settings_read_store(s);
}

void stored_run_free(struct stored_run *r)
{
    (void)r;
}

void stored_run_add(const struct stored_run *r, struct hd_inputs *to)
{
    (void)r, (void)to;
}

const char *const *stored_run_words(const struct stored_run *r, size_t *count)
{
    (void)r;
    *count = 0;
    return NULL;
}

void hd_store_put_public_url(struct hd_sink to, const char *url)
{
    (void)to, (void)url;
}
