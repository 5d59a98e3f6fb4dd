/* The commands of the house fleet in a build without it: none, and no store. */
#include "cli/options/houses.h"
#include "cli/terminal/messages.h"

const struct command *const fleet_commands[] = {NULL};

bool stored_run_fetch(struct settings *s)
{
    return !settings_read_store(s) ||
           refuse("--store: this heapdrift was built without stores");
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

void metrics_server_take_over(int count, char *const *arguments)
{
    (void)count, (void)arguments;
}

const char *metrics_address_problem(const char *address)
{
    (void)address;
    return "this heapdrift was built without a metrics server";
}

int sidecar_run(const struct settings *s, bool is_once)
{
    (void)s, (void)is_once;
    refuse("--store: this heapdrift was built without stores");
    return EXIT_TROUBLE;
}
