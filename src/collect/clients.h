/* clients.h - who else is connected to the diagnostics socket of a process.
 *
 * The kernel lists the Unix sockets of this network namespace, each with the path that it
 * is bound to and the inode of its other end (linux/unix_diag.h); the other end is an
 * entry of somebody's /proc/PID/fd. Nothing is sent to the process or to its clients.
 *
 * Nobody is found when the kernel does not answer, when the clients belong to another
 * user, or when they are in other namespaces; nor a tool that listens and has the runtime
 * connect (DOTNET_DiagnosticPorts). */
#ifndef CLIENTS_H
#define CLIENTS_H

#include "base/arena.h"
#include "heapdrift.h"

/* The processes that hold a connection to the socket at that path, without this one: by
 * pid, at most HD_MAX_CLIENTS of them. Returns how many. Takes a second at most, and
 * memory for 256 connections. socket is an absolute path, perhaps through
 * /proc/PID/root. */
size_t clients_find(const char *socket, struct hd_client clients[HD_MAX_CLIENTS]);

#endif
