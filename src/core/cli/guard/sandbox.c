/* Limit by Landlock which files this process may open, and how; and by seccomp (libseccomp)
 * which system calls it may make. Files already open remain open. seccomp cannot check path
 * arguments, and Landlock checks only calls on files.
 *
 * O_PATH, O_TMPFILE, clone flags. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "cli/guard/sandbox.h"

#include "cli/guard/allocate.h"
#include "cli/guard/trust.h"
#include "cli/guard/used_files.h"
#include "heapdrift.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

/* C libraries may not have these yet; the numbers are the same on every processor. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* A sanitizer looks at its own process by another, and maps code; what counts which lines
 * run writes files at the end. Such builds make the rules, and do not put them in force. */
#if defined(HD_COUNTED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool is_only_made = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
static const bool is_only_made = true;
#else
static const bool is_only_made = false;
#endif
#else
static const bool is_only_made = false;
#endif

static bool not_in_force(const char *what, int error)
{
    fprintf(stderr,
            "heapdrift: cannot enable the sandbox (%s: %s); --no-sandbox runs without it\n",
            what, strerror(error));
    return false;
}

/* --- system calls -------------------------------------------------------- */

/* The uses that a command has for system calls; bits. */
enum {
    CALLS_ANY = 1,     /* for all except servers */
    CALLS_SERVE = 2,   /* only clients at a socket that it listens at */
    CALLS_READ = 4,    /* files are opened to be read only */
    CALLS_WRITE = 8,   /* or to be written, renamed, removed */
    CALLS_LOCK = 16,   /* parts of files are locked, as SQLite does */
    CALLS_TALK = 32,   /* over sockets that are connected */
    CALLS_CONNECT = 64 /* sockets, to connect again to a server */
};

/* With any arguments. More than the program needs with this C library on this processor:
 * another one reads with readv, or has stat. libseccomp leaves out calls that the processor
 * lacks. */
static const int for_any[] = {
    /* Open files, and metadata of files. */
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(preadv), SCMP_SYS(write),
    SCMP_SYS(writev), SCMP_SYS(pwrite64), SCMP_SYS(pwritev), SCMP_SYS(lseek),
    SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(dup3), SCMP_SYS(fadvise64), SCMP_SYS(stat),
    SCMP_SYS(lstat), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(statx),
    SCMP_SYS(statfs), SCMP_SYS(fstatfs), SCMP_SYS(access), SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
    SCMP_SYS(getdents64), SCMP_SYS(lgetxattr), SCMP_SYS(umask),
    /* Memory. */
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(mincore),
    SCMP_SYS(msync),
    /* Threads; creating them: below. */
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list),
    SCMP_SYS(set_tid_address), SCMP_SYS(rseq), SCMP_SYS(membarrier), SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(getcpu), SCMP_SYS(exit), SCMP_SYS(exit_group),
    /* Receiving signals, and waiting. */
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigsuspend), SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(sigaltstack), SCMP_SYS(pause), SCMP_SYS(restart_syscall), SCMP_SYS(poll),
    SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    /* Harmless queries. */
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(times), SCMP_SYS(getrusage), SCMP_SYS(sysinfo), SCMP_SYS(uname),
    SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid),
    SCMP_SYS(getpgrp), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    /* Rules can only become narrower; see also argument_rules. */
    SCMP_SYS(landlock_create_ruleset), SCMP_SYS(landlock_add_rule),
    SCMP_SYS(landlock_restrict_self)};

/* A temporary file next to the output that is renamed; Landlock limits the folders. */
static const int for_writers[] = {SCMP_SYS(open),     SCMP_SYS(openat),    SCMP_SYS(rename),
                                  SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(unlink),
                                  SCMP_SYS(unlinkat), SCMP_SYS(ftruncate), SCMP_SYS(fsync),
                                  SCMP_SYS(fdatasync)};

/* Clients, time, memory. */
static const int for_servers[] = {SCMP_SYS(accept4),       SCMP_SYS(recvfrom),
                                  SCMP_SYS(sendto),        SCMP_SYS(shutdown),
                                  SCMP_SYS(close),         SCMP_SYS(poll),
                                  SCMP_SYS(ppoll),         SCMP_SYS(brk),
                                  SCMP_SYS(munmap),        SCMP_SYS(mremap),
                                  SCMP_SYS(madvise),       SCMP_SYS(futex),
                                  SCMP_SYS(rt_sigreturn),  SCMP_SYS(restart_syscall),
                                  SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),
                                  SCMP_SYS(exit),          SCMP_SYS(exit_group)};

/* To a server to which there is a connection. */
static const int for_talk[] = {SCMP_SYS(sendto), SCMP_SYS(recvfrom), SCMP_SYS(shutdown),
                               SCMP_SYS(getsockopt)};

/* To a server, and to those that know its address. Nobody is listened to. */
static const int for_connections[] = {
    SCMP_SYS(connect),  SCMP_SYS(sendmsg),     SCMP_SYS(recvmsg),     SCMP_SYS(sendmmsg),
    SCMP_SYS(recvmmsg), SCMP_SYS(getsockname), SCMP_SYS(getpeername), SCMP_SYS(setsockopt)};

static const struct {
    int uses;
    const int *calls;
    size_t count;
} call_lists[] = {
    {CALLS_ANY, for_any, sizeof(for_any) / sizeof(int)},
    {CALLS_SERVE, for_servers, sizeof(for_servers) / sizeof(int)},
    {CALLS_WRITE, for_writers, sizeof(for_writers) / sizeof(int)},
    {CALLS_TALK | CALLS_CONNECT, for_talk, sizeof(for_talk) / sizeof(int)},
    {CALLS_CONNECT, for_connections, sizeof(for_connections) / sizeof(int)},
};

/* O_TMPFILE is a bit of its own and O_DIRECTORY. */
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
#define SPECIAL_BITS 07000
#define THREAD (CLONE_VM | CLONE_THREAD | CLONE_SIGHAND)
#define NEW_SPACES                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
     CLONE_NEWPID | CLONE_NEWNET)

/* The bits of argument `number` that are in the mask equal the value. */
#define EQUAL(number, value)              \
    {                                     \
        (number), SCMP_CMP_EQ, (value), 0 \
    }
#define MASKED(number, mask, value)                   \
    {                                                 \
        (number), SCMP_CMP_MASKED_EQ, (mask), (value) \
    }

static const struct {
    int uses, call;
    struct scmp_arg_cmp argument;
} argument_rules[] = {
    {CALLS_READ, SCMP_SYS(open), MASKED(1, WRITING, 0)},
    {CALLS_READ, SCMP_SYS(openat), MASKED(2, WRITING, 0)},
    {CALLS_WRITE, SCMP_SYS(fchmod), MASKED(1, SPECIAL_BITS, 0)},
    /* Naming a file without a name (O_TMPFILE), through /proc; a second link to a named
     * file is not requested in this way. */
    {CALLS_WRITE, SCMP_SYS(linkat), EQUAL(4, AT_SYMLINK_FOLLOW)},
    /* Locks of POSIX on ranges of a file. */
    {CALLS_LOCK, SCMP_SYS(fcntl), EQUAL(1, F_GETLK)},
    {CALLS_LOCK, SCMP_SYS(fcntl), EQUAL(1, F_SETLK)},
    {CALLS_LOCK, SCMP_SYS(fcntl), EQUAL(1, F_SETLKW)},
    {CALLS_CONNECT, SCMP_SYS(socket), EQUAL(0, AF_UNIX)},
    {CALLS_CONNECT, SCMP_SYS(socket), EQUAL(0, AF_INET)},
    {CALLS_CONNECT, SCMP_SYS(socket), EQUAL(0, AF_INET6)},
    {CALLS_CONNECT, SCMP_SYS(socket), EQUAL(0, AF_NETLINK)},
    /* Threads of this process, in no namespace of their own. */
    {CALLS_ANY, SCMP_SYS(clone), MASKED(0, THREAD | NEW_SPACES, THREAD)},
    /* Nothing that was data becomes code. */
    {CALLS_ANY | CALLS_SERVE, SCMP_SYS(mmap), MASKED(2, PROT_EXEC, 0)},
    {CALLS_ANY | CALLS_SERVE, SCMP_SYS(mprotect), MASKED(2, PROT_EXEC, 0)},
    /* Terminals: size and modes. Not TIOCSTI, which types for the user. */
    {CALLS_ANY, SCMP_SYS(ioctl), EQUAL(1, TCGETS)},
    {CALLS_ANY, SCMP_SYS(ioctl), EQUAL(1, TCSETS)},
    {CALLS_ANY, SCMP_SYS(ioctl), EQUAL(1, TCSETSW)},
    {CALLS_ANY, SCMP_SYS(ioctl), EQUAL(1, TCSETSF)},
    {CALLS_ANY, SCMP_SYS(ioctl), EQUAL(1, TCSBRK)},
    {CALLS_ANY, SCMP_SYS(ioctl), EQUAL(1, TCFLSH)},
    {CALLS_ANY, SCMP_SYS(ioctl), EQUAL(1, TCXONC)},
    {CALLS_ANY, SCMP_SYS(ioctl), EQUAL(1, TIOCGWINSZ)},
    {CALLS_ANY, SCMP_SYS(ioctl), EQUAL(1, FIONREAD)},
    {CALLS_ANY, SCMP_SYS(ioctl), EQUAL(1, TIOCGPGRP)},
    {CALLS_ANY, SCMP_SYS(fcntl), EQUAL(1, F_DUPFD)},
    {CALLS_ANY, SCMP_SYS(fcntl), EQUAL(1, F_DUPFD_CLOEXEC)},
    {CALLS_ANY, SCMP_SYS(fcntl), EQUAL(1, F_GETFD)},
    {CALLS_ANY, SCMP_SYS(fcntl), EQUAL(1, F_SETFD)},
    {CALLS_ANY, SCMP_SYS(fcntl), EQUAL(1, F_GETFL)},
    {CALLS_ANY, SCMP_SYS(fcntl), EQUAL(1, F_SETFL)},
    /* Limits are asked for, not set; to have no new rights is asked for again. */
    {CALLS_ANY, SCMP_SYS(prlimit64), EQUAL(2, 0)},
    {CALLS_ANY, SCMP_SYS(prctl), EQUAL(0, PR_SET_NO_NEW_PRIVS)},
};

/* Errors are left as the kernel has them. A call of another processor's (32 bits) is as
 * unknown as any. A tree of comparisons is faster than a list of a hundred. */
static const struct {
    enum scmp_filter_attr what;
    uint32_t value;
} attributes[] = {{SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)},
                  {SCMP_FLTATR_CTL_TSYNC, 1},
                  {SCMP_FLTATR_CTL_OPTIMIZE, 2},
                  {SCMP_FLTATR_API_SYSRAWRC, 1}};

/* Keeps the first failure. */
static void sandbox_note(int *error, int status)
{
    if (status < 0 && *error == 0)
        *error = status;
}

static void add_rules(scmp_filter_ctx filter, int uses, int *error)
{
    for (size_t i = 0; i < sizeof(call_lists) / sizeof(*call_lists); i++)
        for (size_t k = 0; (uses & call_lists[i].uses) != 0 && k < call_lists[i].count; k++)
            sandbox_note(error, seccomp_rule_add_array(filter, SCMP_ACT_ALLOW,
                                                       call_lists[i].calls[k], 0, NULL));
    for (size_t i = 0; i < sizeof(argument_rules) / sizeof(*argument_rules); i++)
        if ((uses & argument_rules[i].uses) != 0)
            sandbox_note(error, seccomp_rule_add_array(filter, SCMP_ACT_ALLOW,
                                                       argument_rules[i].call, 1,
                                                       &argument_rules[i].argument));
    if ((uses & CALLS_ANY) == 0)
        return;
    /* A signal to itself, as raise() and abort() send it: glibc by the first, musl by the
     * second, which knows no process and so is for the first thread only. */
    const struct scmp_arg_cmp self = EQUAL(0, (uint64_t)getpid());
    sandbox_note(
        error, seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &self));
    sandbox_note(error,
                 seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tkill), 1, &self));
    /* The flags of clone3 are where no filter sees them; C libraries that find it missing
     * use clone. */
    sandbox_note(error, seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS),
                                               SCMP_SYS(clone3), 0, NULL));
}

/* True if the kernel has filters, and the parent process does not hide them: without a
 * filter argument EFAULT means that one is possible. */
static bool calls_can_be_filtered(void)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0 && errno == EFAULT;
}

/* From now on, irrevocably and for all threads, calls that are not listed fail with EPERM;
 * the process is never killed. */
static bool filter_calls(int uses)
{
    /* libseccomp crashes without memory; a filter needs a fifth of this. */
    enum { MEMORY_FOR_FILTER = 1 << 20 };
    int error = 0;
    check_memory(MEMORY_FOR_FILTER);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (filter == NULL)
        return not_in_force("seccomp", ENOMEM);
    for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
        sandbox_note(&error,
                     seccomp_attr_set(filter, attributes[i].what, attributes[i].value));
    add_rules(filter, uses, &error);
    if (error == 0 && !is_only_made)
        error = seccomp_load(filter);
    seccomp_release(filter);
    return error == 0 || not_in_force("seccomp", -error);
}

/* --- files --------------------------------------------------------------- */

/* From the kernel's <linux/landlock.h>, of which Debian 12 has version 2. Sizes and values
 * are ABI: https://docs.kernel.org/userspace-api/landlock.html */
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

#define OPEN_TO_WRITE (UINT64_C(1) << 1)
#define REMOVE_FILE (UINT64_C(1) << 5)
#define MAKE_FILE (UINT64_C(1) << 8)
#define TRUNCATE_FILE (UINT64_C(1) << 14)
#define CONTROL_DEVICE (UINT64_C(1) << 15)

/* Rights for a file; for a folder, for everything below it. */
#define READ (UINT64_C(1) << 2)
#define LIST (UINT64_C(1) << 3)
#define WRITE (OPEN_TO_WRITE | TRUNCATE_FILE | MAKE_FILE | REMOVE_FILE)
#define OF_FILES (READ | OPEN_TO_WRITE | TRUNCATE_FILE | CONTROL_DEVICE)

/* Rights that a version supports: the lowest bits, some more in each. */
static uint64_t known_uses(int version)
{
    static const unsigned char bits[] = {0, 13, 14, 15, 15, 16};
    const int last = (int)sizeof(bits) - 1;
    return (UINT64_C(1) << bits[version < last ? version : last]) - 1;
}

/* One of two sets of rules: the second narrows the first to reading. */
struct box {
    const struct sandbox *sandbox;
    int version, rules;
    bool only_reading; /* the second set */
    bool has_store;
    const char *store;  /* its file; NULL: a server */
    bool store_is_read; /* it is open, and only read */
    bool is_wide;
    int error; /* the first that leaves the box half made; 0 */
};

static int landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, ASK_VERSION);
    return version > 0 ? (int)version : 0;
}

static int begin_rules(const struct box *b)
{
    struct rules_attributes a = {.files = READ | LIST};
    bool may_connect = b->has_store && b->store == NULL && !b->store_is_read;
    if (!b->only_reading) {
        a.files = known_uses(b->version);
        a.network =
            b->version >= NETWORK_VERSION && !may_connect ? BIND_AND_CONNECT_TCP : 0;
        a.scopes = b->version >= SCOPES_VERSION ? ABSTRACT_SOCKETS_AND_SIGNALS : 0;
    }
    size_t size = b->version >= SCOPES_VERSION ? sizeof(a)
                  : b->version >= NETWORK_VERSION
                      ? offsetof(struct rules_attributes, scopes)
                      : offsetof(struct rules_attributes, network);
    return (int)syscall(SYS_landlock_create_ruleset, &a, size, 0);
}

/* A missing path, or one outside file systems (a pipe), has no rule; the command reports
 * it. */
static bool has_no_rule(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP ||
           error == ENAMETOOLONG || error == EBADFD;
}

/* A file has no rights of folders, and versions before the third have fewer. */
static bool allow_at(struct box *b, int folder, const char *path, uint64_t use)
{
    struct stat st;
    struct path_attributes a = {.parent = openat(folder, path, O_PATH | O_CLOEXEC)};
    bool ok = a.parent >= 0 && fstat(a.parent, &st) == 0;
    if (ok) {
        a.allowed = (b->only_reading ? use & ~WRITE : use) & known_uses(b->version);
        if ((a.allowed & OPEN_TO_WRITE) != 0 && !S_ISREG(st.st_mode) &&
            !S_ISDIR(st.st_mode))
            a.allowed |= CONTROL_DEVICE & known_uses(b->version);
        if (!S_ISDIR(st.st_mode))
            a.allowed &= OF_FILES;
        ok = syscall(SYS_landlock_add_rule, b->rules, RULE_PATH_BENEATH, &a, 0) == 0;
    }
    int why = ok ? 0 : errno;
    if (a.parent >= 0)
        close(a.parent);
    if (!ok && !has_no_rule(why) && b->error == 0)
        b->error = why;
    return ok;
}

static bool allow(struct box *b, const char *path, uint64_t use)
{
    return allow_at(b, AT_FDCWD, path, use);
}

static void allow_below(struct box *b, const char *folder, const char *const *names,
                        size_t count)
{
    char path[PATH_MAX];
    for (size_t i = 0; folder != NULL && i < count; i++)
        if (snprintf(path, sizeof(path), "%s/%s", folder, names[i]) < (int)sizeof(path))
            allow(b, path, READ);
}

/* Allows the folder of a file that is created there. */
static void allow_folder(struct box *b, const char *path)
{
    char name[NAME_MAX + 1];
    int folder = trust_open_folder(path, name);
    if (folder < 0)
        return;
    allow_at(b, folder, ".", READ | LIST | WRITE);
    close(folder);
}

/* True if a file may be a core dump, whose missing pages are read from the files of its
 * modules, wherever they are. Only other snapshots with a known head are certainly not:
 * packed files would have to be unpacked, and pipes read. */
static bool may_be_core(const char *path)
{
    static const char gcdump[] = "\x14\0\0\0!FastSerialization", bzip2[] = "BZh";
    struct stat st;
    char head[sizeof(gcdump) - 1];
    int fd =
        stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t len = fd >= 0 ? read(fd, head, sizeof(head)) : -1;
    bool is_text = len > 0 && memcmp(head, bzip2, sizeof(bzip2) - 1) != 0;
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; is_text && i < len; i++)
        is_text = isprint((unsigned char)head[i]) || isspace((unsigned char)head[i]);
    return !is_text &&
           (len < (ssize_t)sizeof(head) || memcmp(head, gcdump, sizeof(head)) != 0);
}

/* Allows files below any folder of the root except those of the kernel and of services,
 * which have secrets and no modules. */
static void allow_modules(struct box *b)
{
    static const char *const others[] = {".", "..", "proc", "sys", "dev", "run"};
    DIR *root = opendir("/");
    for (const struct dirent *e; root != NULL && (e = readdir(root)) != NULL;) {
        char path[NAME_MAX + 2];
        bool is_other = false;
        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
            is_other |= strcmp(e->d_name, others[i]) == 0;
        snprintf(path, sizeof(path), "/%s", e->d_name);
        if (!is_other)
            allow(b, path, READ);
    }
    if (root != NULL)
        closedir(root);
}

/* "app.core#2" is a part of app.core. */
static void allow_input(struct box *b, const char *path)
{
    char file[PATH_MAX];
    const char *mark = strrchr(path, '#');
    if (strcmp(path, "-") != 0 && !allow(b, path, READ) && mark != NULL &&
        mark - path < (ptrdiff_t)sizeof(file)) {
        snprintf(file, sizeof(file), "%.*s", (int)(mark - path), path);
        path = file;
        allow(b, path, READ);
    }
    b->is_wide |= !b->only_reading && may_be_core(path);
}

/* Each file separately, since an entry of a folder may be a link to elsewhere. */
static void allow_inputs(struct box *b)
{
    const struct sandbox *s = b->sandbox;
    struct hd_inputs inputs = {.names_only = true};
    struct stat st;
    for (size_t i = 0; i < s->input_count; i++) {
        hd_inputs_add(&inputs, s->inputs[i], NULL);
        if (stat(s->inputs[i], &st) == 0 && S_ISDIR(st.st_mode))
            allow(b, s->inputs[i], LIST);
    }
    for (size_t i = 0; i < inputs.count; i++)
        if (inputs.all[i].error.status == HD_OK)
            allow_input(b, inputs.all[i].path);
    hd_inputs_free(&inputs);
}

/* An output is written to a temporary file in the same folder and never read; but creating
 * a temporary file needs the right to read it, and syncing its folder opens that. Devices
 * and pipes are written directly; so are appended files. */
static void allow_output(struct box *b, const struct used_file *f)
{
    struct stat st;
    if (strcmp(f->path, "-") == 0)
        return;
    bool is_there = stat(f->path, &st) == 0;
    bool stays = (f->use & FILE_APPENDED) != 0 || (is_there && !S_ISREG(st.st_mode));
    if (!stays || (!allow(b, f->path, READ | WRITE) && (f->use & FILE_APPENDED) != 0))
        allow_folder(b, f->path);
}

/* Allows the files of the command line, except inputs and stores. */
static void allow_named(struct box *b)
{
    const struct used_files *files = b->sandbox->files;
    for (size_t i = 0; i < files->count; i++) {
        const struct used_file *f = &files->all[i];
        if ((f->use & (FILE_INPUT | FILE_STORE | FILE_DONE)) != 0)
            continue;
        if ((f->use & FILE_WRITTEN) != 0)
            allow_output(b, f);
        else if (!b->only_reading)
            allow(b, f->path, READ);
    }
    if (b->sandbox->writes_here)
        allow(b, ".", READ | LIST | WRITE);
}

/* Files that libpq and the resolver read when they reconnect. */
static void allow_server(struct box *b)
{
    static const char *const below_home[] = {".pgpass", ".pg_service.conf", ".postgresql"};
    static const char *const variables[] = {"PGPASSFILE", "PGSERVICEFILE", "PGSSLROOTCERT"};
    allow(b, "/etc", READ);
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        if (getenv(variables[i]) != NULL)
            allow(b, getenv(variables[i]), READ);
    allow_below(b, getenv("HOME"), below_home, sizeof(below_home) / sizeof(*below_home));
}

/* SQLite creates and removes files next to its own, and syncs the folder. The log of an
 * open store, and the shared memory of its readers, may be reopened. */
static void allow_store(struct box *b)
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    char name[NAME_MAX + 1], path[NAME_MAX + 16];
    if (!b->has_store || (b->store == NULL && b->store_is_read))
        return;
    allow(b, SANDBOX_PODINFO, READ);
    if (b->store == NULL) {
        allow_server(b);
        return;
    }
    if (!b->store_is_read) {
        allow_folder(b, b->store);
        return;
    }
    int folder = trust_open_folder(b->store, name);
    if (folder < 0)
        return;
    allow_at(b, folder, name, READ);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        snprintf(path, sizeof(path), "%s%s", name, suffixes[i]);
        allow_at(b, folder, path, READ | WRITE);
    }
    close(folder);
}

/* Seeds of hash tables; which file it was that became shorter. That one stays open: else
 * it may be another one for the kernel, without a rule, when it is looked up again. Curses
 * looks for the terminal again when the snapshots are read, and for characters. */
static void allow_system(struct box *b)
{
    static const char maps[] = "/proc/self/maps";
    static const char *const terminals[] = {"/etc/terminfo",     "/lib/terminfo",
                                            "/usr/lib/terminfo", "/usr/share/terminfo",
                                            "/usr/lib/locale",   "/usr/share/locale"};
    static const char *const of_user[] = {".terminfo"};
    if (!b->only_reading)
        (void)!open(maps, O_RDONLY | O_CLOEXEC);
    allow(b, maps, READ);
    allow(b, "/dev/urandom", READ);
    if (!b->sandbox->has_terminal)
        return;
    for (size_t i = 0; i < sizeof(terminals) / sizeof(*terminals); i++)
        allow(b, terminals[i], READ);
    if (getenv("TERMINFO") != NULL)
        allow(b, getenv("TERMINFO"), READ);
    allow_below(b, getenv("HOME"), of_user, 1);
}

/* Irrevocably, for this thread and those that it starts. */
static bool enforce_files(struct box *b)
{
    b->rules = begin_rules(b);
    if (b->rules < 0)
        return not_in_force("Landlock", errno);
    allow_inputs(b);
    allow_named(b);
    allow_store(b);
    allow_system(b);
    if (b->is_wide)
        allow_modules(b);
    if (b->error == 0 && !is_only_made &&
        (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
         syscall(SYS_landlock_restrict_self, b->rules, 0) != 0))
        b->error = errno;
    close(b->rules);
    return b->error == 0 || not_in_force("Landlock", b->error);
}

/* --- in force ------------------------------------------------------------ */

static void print_state(const struct sandbox *s, bool calls)
{
    if (!s->is_verbose)
        return;
    fputs("heapdrift: sandbox: ", stderr);
    if (s->is_off || is_only_made)
        fputs(s->is_off ? "none: --no-sandbox" : "none: not in this build", stderr);
    else if (s->version == 0 && !calls)
        fputs("none: this system has neither Landlock nor seccomp", stderr);
    else if (s->version == 0)
        fputs("seccomp; no Landlock here", stderr);
    else
        fprintf(stderr, "Landlock %d%s", s->version,
                calls ? ", seccomp" : "; no seccomp here");
    fputs("\n", stderr);
}

static int uses_of(const struct box *b)
{
    bool writes = b->sandbox->writes_here || (b->has_store && b->store != NULL);
    const struct used_files *files = b->sandbox->files;
    for (size_t i = 0; i < files->count; i++)
        writes |= (files->all[i].use & (FILE_WRITTEN | FILE_STORE)) == FILE_WRITTEN;
    int uses = CALLS_ANY | (writes ? CALLS_WRITE : CALLS_READ);
    if (b->has_store)
        uses |= b->store != NULL   ? CALLS_LOCK
                : b->store_is_read ? CALLS_TALK
                                   : CALLS_CONNECT;
    return uses;
}

static bool enter(struct sandbox *s, struct box *b)
{
    bool again = s->is_entered; /* calls are refused then, and filters among them */
    bool calls = !s->is_off && !again && calls_can_be_filtered();
    b->sandbox = s;
    b->version = s->is_off ? 0 : again ? s->version : landlock_version();
    if ((b->version > 0 && !enforce_files(b)) || (calls && !filter_calls(uses_of(b))))
        return false;
    s->version = b->version;
    s->is_wide = b->version > 0 && b->is_wide;
    s->is_entered = true;
    if (!again)
        print_state(s, calls);
    return true;
}

bool sandbox_enter(struct sandbox *s)
{
    struct box b = {0};
    return enter(s, &b);
}

bool sandbox_enter_with_store(struct sandbox *s, const char *file)
{
    struct box b = {.has_store = true, .store = file};
    return enter(s, &b);
}

bool sandbox_enter_to_read_store(struct sandbox *s, const char *file)
{
    struct box b = {.has_store = true, .store = file, .store_is_read = file == NULL};
    return enter(s, &b);
}

bool sandbox_narrow_to_store(const struct sandbox *s, const char *file)
{
    struct box b = {.sandbox = s,
                    .version = s->version,
                    .has_store = true,
                    .store = file,
                    .store_is_read = true};
    return b.version == 0 || enforce_files(&b);
}

bool sandbox_enter_to_serve(bool is_off)
{
    return is_off || !calls_can_be_filtered() || filter_calls(CALLS_SERVE);
}

bool sandbox_narrow(const struct sandbox *s)
{
    struct box b = {.sandbox = s, .version = s->version, .only_reading = true};
    return enforce_files(&b);
}
