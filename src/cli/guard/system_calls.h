/* system_calls.h - which system calls the process may still make: a filter of the kernel
 * (seccomp), put together by libseccomp. It does not know which files there are; an
 * argument that is a path cannot be looked at: landlock.h. */
#ifndef SYSTEM_CALLS_H
#define SYSTEM_CALLS_H

#include <stdbool.h>

/* Whether the kernel has filters, and whoever started this process does not hide them. */
bool system_calls_can_be_filtered(void);

/* What else than reading is allowed. */
enum system_call_use {
    CALLS_WRITE = 1,   /* files are opened to be written, renamed, removed */
    CALLS_LOCK = 2,    /* parts of files are locked, as SQLite does */
    CALLS_CONNECT = 4, /* sockets, to connect again to a server */
    CALLS_TALK = 8     /* over sockets that are connected */
};

/* From now on, for all threads and for good, what is not listed fails with EPERM, and
 * nothing ends the process: no network, no other program, no other process, no permission
 * is changed; files are opened to be read; and what uses adds up to. Without in_force the
 * filter is only made. False and errno if that fails. */
bool system_calls_filter(int uses, bool in_force);

/* The same for one that answers clients at the socket that it listens at: it accepts,
 * reads, writes, waits, and opens nothing at all. */
bool system_calls_only_serve(bool in_force);

#endif
