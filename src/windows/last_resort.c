/* What last_resort.h asks for: a console that closes ends the program by itself. */
#include "cli/live/last_resort.h"

#include <sys/signalfd.h>
#include <unistd.h>

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
