/* Commands of the house fleet in a build without it: they report that they are missing.
 * Also linked on Windows, which has no database. */
#include "cli/options/houses.h"
#include "cli/terminal/messages.h"
#include "heapdrift_fleet.h"

/* A build may set a name other than "this heapdrift". */
#ifndef BUILD_NAME
#define BUILD_NAME "this heapdrift"
#endif

static int refuse_command(struct settings *s)
{
    put_message(NULL, NULL, "%s is not in " BUILD_NAME, s->command->name);
    return EXIT_TROUBLE;
}

#define LEFT_OUT(word, its_bit, formats)                                               \
    static const struct command cmd_##word = {.name = #word,                           \
                                              .bit = its_bit,                          \
                                              .purpose = FOR_FLEETS,                   \
                                              .operands = "",                          \
                                              .summary = "not in " BUILD_NAME,         \
                                              .description = "Not in " BUILD_NAME ".", \
                                              .owns_format = formats,                  \
                                              .run = refuse_command}

LEFT_OUT(record, ON_RECORD, NULL);
LEFT_OUT(fleet, ON_FLEET, hd_format_is_for_fleet);
LEFT_OUT(store, ON_STORE, NULL);

const struct command *const fleet_commands[] = {&cmd_record, &cmd_fleet, &cmd_store, NULL};

static bool refuse_store(void)
{
    return put_message(NULL, "--store",
                       "there is no store in " BUILD_NAME
                       "; write a .digest, and store it with the `heapdrift record` of a "
                       "build that has one");
}

int sidecar_run(struct settings *s, bool is_once)
{
    (void)s, (void)is_once;
    refuse_store();
    return EXIT_TROUBLE;
}

bool stored_run_fetch(struct settings *s)
{
    return !settings_read_store(s) || refuse_store();
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

const char *metrics_address_problem(const char *address)
{
    (void)address;
    return "there is no metrics server in " BUILD_NAME;
}

void metrics_server_take_over(int count, char *const *arguments)
{
    (void)count, (void)arguments;
}
