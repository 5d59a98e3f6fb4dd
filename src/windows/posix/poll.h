/* poll(): reason for a failed write, and available input. */
#ifndef WINDOWS_POLL_H
#define WINDOWS_POLL_H

#define POLLOUT 1
#define POLLERR 2
#define POLLIN 4

struct pollfd {
    int fd;
    short events, revents;
};

/* A console has input after any key, though reading waits for the line. */
int poll(struct pollfd *all, unsigned count, int timeout);

#endif
