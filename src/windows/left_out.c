/* Stubs for functions that read the memory of a process or query the kernel: they report
 * that this is unsupported. */
#include "base/error.h"
#include "collect/live/last_resort.h"
#include "collect/proc.h"

#include <sys/signalfd.h>
#include <unistd.h>

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

/* Only the server of a pipe can list its clients. */
size_t clients_find(const char *socket, struct hd_client clients[HD_MAX_CLIENTS])
{
    (void)socket, (void)clients;
    return 0;
}

/* --- closing a console ends the program --------------------------------------------- */

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
