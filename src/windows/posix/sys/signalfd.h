/* Reads blocked signals. */
#ifndef WINDOWS_SYS_SIGNALFD_H
#define WINDOWS_SYS_SIGNALFD_H

#include <signal.h>
#include <stdint.h>

#define SFD_NONBLOCK 0
#define SFD_CLOEXEC 0

struct signalfd_siginfo {
    uint32_t ssi_signo;
};

int signalfd(int fd, const sigset_t *set, int flags);

#endif
