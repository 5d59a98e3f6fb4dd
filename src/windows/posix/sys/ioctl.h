/* Only the size of a terminal. */
#ifndef WINDOWS_SYS_IOCTL_H
#define WINDOWS_SYS_IOCTL_H

#define TIOCGWINSZ 1

struct winsize {
    unsigned short ws_row, ws_col;
};

int ioctl(int fd, int request, struct winsize *size);

#endif
