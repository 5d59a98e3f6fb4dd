#include "cli/live/harm.h"

#include "cli/terminal/clock.h"

#include <time.h>

uint64_t harm_begin(struct harm *harm, uint64_t pid)
{
    *harm = (struct harm){.pid = pid};
    if (pid == 0)
        return HD_UNKNOWN;
    harm->born = hd_process_start(pid);
    memory_kills_see("", pid, &harm->kills);
    return memory_spare("", pid);
}

static bool has_ended(const struct harm *harm)
{
    return hd_process_start(harm->pid) != harm->born;
}

const char *harm_done(const struct harm *harm, const struct hd_error *err)
{
    const double most = 0.3;
    const struct timespec moment = {.tv_nsec = 10000000};
    if (harm->pid == 0 || harm->born == 0)
        return NULL;
    double until = seconds_now() + (err->status == HD_IO ? most : 0);
    while (!has_ended(harm) && seconds_now() < until)
        nanosleep(&moment, NULL);
    if (!has_ended(harm))
        return NULL;
    return memory_kills_rose("", &harm->kills)
               ? "was killed for lack of memory while the snapshot was taken"
               : "ended while the snapshot was taken";
}
