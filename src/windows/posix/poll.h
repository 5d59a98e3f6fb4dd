/* Why a write has failed. */
#ifndef WINDOWS_POLL_H
#define WINDOWS_POLL_H

#define POLLOUT 1
#define POLLERR 2

struct pollfd {
    int fd;
    short events, revents;
};

int poll(struct pollfd *one, unsigned count, int timeout);

#endif
