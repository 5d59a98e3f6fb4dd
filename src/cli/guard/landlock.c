/* O_PATH. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "cli/guard/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(__linux__) && defined(SYS_landlock_create_ruleset)

/* Of the kernel's <linux/landlock.h>, of which Debian 12's stops at version 2. Sizes and
 * values are for good: https://docs.kernel.org/userspace-api/landlock.html */
struct rules_attributes {
    uint64_t files, network, scopes; /* what is refused unless a rule allows it */
};

struct path_attributes {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

enum { ASK_VERSION = 1, RULE_PATH_BENEATH = 1 };
enum { NETWORK_VERSION = 4, SCOPES_VERSION = 6 };
enum { BIND_AND_CONNECT_TCP = 3, ABSTRACT_SOCKETS_AND_SIGNALS = 3 };

#define FILE_EXECUTE (UINT64_C(1) << 0)
#define FILE_WRITE (UINT64_C(1) << 1)
#define FILE_READ (UINT64_C(1) << 2)
#define FOLDER_READ (UINT64_C(1) << 3)
#define FOLDER_REMOVE_FILE (UINT64_C(1) << 5)
#define FOLDER_MAKE_FILE (UINT64_C(1) << 8)
#define FILE_TRUNCATE (UINT64_C(1) << 14)
#define DEVICE_CONTROL (UINT64_C(1) << 15)

/* What that version knows of files: the lowest bits, some more in each. */
static uint64_t known_uses(int version)
{
    static const unsigned char bits[] = {0, 13, 14, 15, 15, 16};
    const int last = (int)sizeof(bits) - 1;
    return (UINT64_C(1) << bits[version < last ? version : last]) - 1;
}

int landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, ASK_VERSION);
    return version > 0 ? (int)version : 0;
}

int landlock_rules(int version, bool only_reading, bool may_connect)
{
    struct rules_attributes a = {.files = FILE_READ | FOLDER_READ};
    if (!only_reading) {
        a.files = known_uses(version);
        a.network = version >= NETWORK_VERSION && !may_connect ? BIND_AND_CONNECT_TCP : 0;
        a.scopes = version >= SCOPES_VERSION ? ABSTRACT_SOCKETS_AND_SIGNALS : 0;
    }
    size_t size = version >= SCOPES_VERSION    ? sizeof(a)
                  : version >= NETWORK_VERSION ? offsetof(struct rules_attributes, scopes)
                                               : offsetof(struct rules_attributes, network);
    return (int)syscall(SYS_landlock_create_ruleset, &a, size, 0);
}

/* A file has no rights of folders, and versions before the third know fewer. */
static uint64_t allowed_uses(int version, int use, mode_t mode)
{
    uint64_t all = known_uses(version), allowed = 0;
    if (use & LANDLOCK_READ)
        allowed |= FILE_READ;
    if (use & LANDLOCK_LIST)
        allowed |= FOLDER_READ;
    if (use & LANDLOCK_WRITE)
        allowed |= FILE_WRITE | FILE_TRUNCATE | FOLDER_MAKE_FILE | FOLDER_REMOVE_FILE;
    if (S_ISDIR(mode))
        return allowed & all;
    if ((use & LANDLOCK_WRITE) && !S_ISREG(mode))
        allowed |= DEVICE_CONTROL;
    return allowed & all & (FILE_READ | FILE_WRITE | FILE_TRUNCATE | DEVICE_CONTROL);
}

bool landlock_allow(int rules, int version, const char *path, int use)
{
    struct stat st;
    struct path_attributes a = {.parent = open(path, O_PATH | O_CLOEXEC)};
    if (a.parent < 0)
        return false;
    bool ok = fstat(a.parent, &st) == 0;
    if (ok) {
        a.allowed = allowed_uses(version, use, st.st_mode);
        ok = syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &a, 0) == 0;
    }
    int why = errno;
    close(a.parent);
    errno = why;
    return ok;
}

bool landlock_enforce(int rules)
{
    bool ok = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    int why = errno;
    close(rules);
    errno = why;
    return ok;
}

#else

int landlock_version(void)
{
    errno = ENOSYS;
    return 0;
}

int landlock_rules(int version, bool only_reading, bool may_connect)
{
    (void)version;
    (void)only_reading;
    (void)may_connect;
    errno = ENOSYS;
    return -1;
}

bool landlock_allow(int rules, int version, const char *path, int use)
{
    (void)rules;
    (void)version;
    (void)path;
    (void)use;
    errno = ENOSYS;
    return false;
}

bool landlock_enforce(int rules)
{
    (void)rules;
    errno = ENOSYS;
    return false;
}

#endif
