/* The user to whom a process is charged. */
#define _GNU_SOURCE
#include "collect/proc.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Including invisible processes. */
Test(owner, is_the_user_of_a_process)
{
    cr_expect_eq(process_owner(getpid(), 1234), 1234);
    cr_expect_eq(process_owner(0, 1234), 1234);
}

static bool map_all(pid_t pid, const char *ids)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s_map", (int)pid, ids);
    FILE *map = fopen(path, "w");
    bool ok = map != NULL && fputs("0 100000 65536\n", map) >= 0;
    return map != NULL && fclose(map) == 0 && ok;
}

/* A user with 65,536 mapped ids, of which one has its own namespace, is still one user. */
Test(owner, is_the_creator_of_a_user_namespace)
{
    int ready[2], go[2];
    char byte = 'x';
    if (geteuid() != 0)
        cr_skip("takes root to map users");
    cr_assert(pipe(ready) == 0 && pipe(go) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        bool ok = setresgid(1234, 1234, 1234) == 0 && setresuid(1234, 1234, 1234) == 0 &&
                  unshare(CLONE_NEWUSER) == 0;
        ok = write(ready[1], ok ? "y" : "n", 1) == 1 && ok && read(go[0], &byte, 1) == 1 &&
             setresgid(5, 5, 5) == 0 && setresuid(5, 5, 5) == 0 &&
             unshare(CLONE_NEWUSER) == 0;
        ok = write(ready[1], ok ? "y" : "n", 1) == 1 && ok;
        while (ok)
            pause();
        _exit(1);
    }
    bool can = read(ready[0], &byte, 1) == 1 && byte == 'y' && map_all(pid, "uid") &&
               map_all(pid, "gid") && write(go[1], "x", 1) == 1 &&
               read(ready[0], &byte, 1) == 1 && byte == 'y';
    uint64_t owner = can ? process_owner(pid, 100005) : 0;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    if (!can)
        cr_skip("no user namespaces here");
    cr_expect_eq(owner, 1234, "%llu", (unsigned long long)owner);
}
