/* The raw system calls of capabilities(7), without libcap: it would only make the masks. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "cli/guard/rights.h"

#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each with its reason. */
static const uint64_t to_collect =
    UINT64_C(1) << CAP_FOWNER |          /* an output keeps its mode */
    UINT64_C(1) << CAP_DAC_OVERRIDE |    /* to connect to a socket is to write to it */
    UINT64_C(1) << CAP_DAC_READ_SEARCH | /* folders of others on the way there */
    UINT64_C(1) << CAP_SETGID |
    UINT64_C(1) << CAP_SETUID |    /* to act as the target's user */
    UINT64_C(1) << CAP_SYS_PTRACE; /* /proc/PID/root, /proc/PID/mem, to stop it */

/* Also for programs started here. The kernel fails at the first number that it does not
 * have. */
static void bound_capabilities(uint64_t most)
{
    for (unsigned i = 0; i < 64 && prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
        if ((most >> i & 1) == 0)
            prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

static void limit_capabilities(uint64_t most)
{
    struct __user_cap_header_struct of = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (syscall(SYS_capget, &of, sets) != 0)
        return;
    for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
        sets[i].permitted &= (uint32_t)(most >> (32 * i));
        sets[i].effective &= sets[i].permitted;
        sets[i].inheritable = 0;
    }
    syscall(SYS_capset, &of, sets);
}

void rights_give_up(void)
{
    enum { NOBODY = 65534 };
    bound_capabilities(0);
    /* Fails where this user does not exist (a container) or cannot be chosen (a unit
     * without CAP_SETUID): then the process stays root, without capabilities. */
    bool ok = geteuid() == 0 && setgroups(0, NULL) == 0 &&
              setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
              setresuid(NOBODY, NOBODY, NOBODY) == 0;
    (void)ok;
    limit_capabilities(0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void rights_keep_for_collector(void)
{
    bound_capabilities(to_collect);
    limit_capabilities(to_collect);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void rights_forget_environment(const char *prefix)
{
    for (char **one = environ; one != NULL && *one != NULL; one++) {
        char *value = strchr(*one, '=');
        if (value != NULL && strncmp(*one, prefix, strlen(prefix)) == 0)
            explicit_bzero(value + 1, strlen(value + 1));
    }
}
