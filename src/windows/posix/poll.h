/* Why a write has failed; and whether there is something to read. */
#ifndef WINDOWS_POLL_H
#define WINDOWS_POLL_H

#define POLLOUT 1
#define POLLERR 2
#define POLLIN 4

struct pollfd {
    int fd;
    short events, revents;
};

/* A console has something to read as soon as a key was pressed, though reading it waits for
 * the line. */
int poll(struct pollfd *all, unsigned count, int timeout);

#endif
