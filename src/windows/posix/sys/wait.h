/* Exit status of a child: src/windows/children.c. */
#ifndef WINDOWS_SYS_WAIT_H
#define WINDOWS_SYS_WAIT_H

#include <sys/types.h>

#define WNOHANG 1

/* A crashed program has an exit status of the system, which is larger than ours. */
#define WIFEXITED(how) ((how) >= 0 && (how) <= 255)
#define WEXITSTATUS(how) (how)
#define WTERMSIG(how) (how)

/* Never waits. */
pid_t waitpid(pid_t child, int *how, int flags);

#endif
