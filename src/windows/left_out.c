/* What needs a database, reads the memory of a process, or looks into the kernel: it is
 * there, to say that it is not. */
#include "base/error.h"
#include "cli/options/houses.h"
#include "collect/clients.h"
#include "collect/live/last_resort.h"

#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int refuse_command(struct settings *s)
{
    fprintf(stderr, "heapdrift: %s is not in heapdrift for Windows\n", s->command->name);
    return EXIT_TROUBLE;
}

#define LEFT_OUT(word, its_bit)                                                          \
    static const struct command cmd_##word = {.name = #word,                             \
                                              .bit = its_bit,                            \
                                              .purpose = FOR_FLEETS,                     \
                                              .operands = "",                            \
                                              .summary = "not in heapdrift for Windows", \
                                              .description =                             \
                                                  "Not in heapdrift for Windows.",       \
                                              .run = refuse_command}

LEFT_OUT(record, ON_RECORD);
LEFT_OUT(fleet, ON_FLEET);
LEFT_OUT(store, ON_STORE);

const struct command *const fleet_commands[] = {&cmd_record, &cmd_fleet, &cmd_store, NULL};

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

/* --- the memory of processes: the runtime is asked, and knows enough ------------------ */

static bool refuse_memory(struct hd_error *err)
{
    return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                      "the memory of processes is only read on Linux");
}

bool hd_collect_direct(FILE *to, const struct hd_collect_options *opt,
                       struct hd_collected *collected, struct hd_error *err)
{
    (void)to, (void)opt;
    *collected = (struct hd_collected){0};
    return refuse_memory(err);
}

bool hd_collect_types(FILE *to, const struct hd_collect_options *opt, struct hd_error *err)
{
    (void)to, (void)opt;
    return refuse_memory(err);
}

bool hd_snapshot_add_full_names(struct hd_snapshot *snap, FILE *core, struct hd_error *err)
{
    (void)snap, (void)core;
    return refuse_memory(err);
}

bool hd_process_program(uint64_t pid, FILE *to, struct hd_error *err)
{
    (void)pid, (void)to;
    return fail(err, HD_UNSUPPORTED, "programs are only read on Linux");
}

/* Who else is connected to a pipe only its server can ask. */
size_t clients_find(const char *socket, struct hd_client clients[HD_MOST_CLIENTS])
{
    (void)socket, (void)clients;
    return 0;
}

/* --- a console that closes ends the program by itself -------------------------------- */

void last_resort_begin(int signals)
{
    (void)signals;
}

void last_resort_end(void)
{
}

int last_resort_signal(int signals)
{
    struct signalfd_siginfo which;
    return signals >= 0 && read(signals, &which, sizeof(which)) > 0 ? (int)which.ssi_signo
                                                                    : 0;
}

void last_resort_leave(bool leaves)
{
    (void)leaves;
}
