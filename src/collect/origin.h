/* origin.h - where a process runs, when it began, what was started.
 *
 * All of it is read from /proc, where anything may be missing: then it stays unknown.
 * Arguments of a program may be secrets, and so may its environment: of the arguments only
 * the program's own name is taken, of the environment the name of the host. */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "collect/target.h"

/* Facts about the process of a target; of one that is not visible, nothing. */
struct hd_origin origin_of(const struct target *t);

/* The id of the container in the text of /proc/PID/cgroup or mountinfo: the last run of 64
 * hexadecimal digits that is a name of its own. False without one. */
bool origin_container(const char *text, char id[65]);

/* "/usr/bin/dotnet /app/Shop.dll" of arguments that lie one behind the other, each with
 * its NUL; "" if it is longer than size. */
void origin_program(const char *arguments, size_t len, char *program, size_t size);

#endif
