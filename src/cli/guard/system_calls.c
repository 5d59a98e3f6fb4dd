/* O_TMPFILE, clone flags. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "cli/guard/system_calls.h"

#include "cli/guard/allocate.h"

#include <errno.h>
#include <stddef.h>

#if defined(__linux__)

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

/* --- what is allowed ----------------------------------------------------------------- */

/* Whatever the arguments are. More than the program needs with this C library on this
 * processor: another one reads with readv, or knows stat. What only the other has is left
 * out by libseccomp. */
static const int harmless[] = {
    /* Open files, and what lies where. */
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
    /* Threads; who may start them: below. */
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list),
    SCMP_SYS(set_tid_address), SCMP_SYS(rseq), SCMP_SYS(membarrier), SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(getcpu), SCMP_SYS(exit), SCMP_SYS(exit_group),
    /* Signals that come, and waiting. */
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigsuspend), SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(sigaltstack), SCMP_SYS(pause), SCMP_SYS(restart_syscall), SCMP_SYS(poll),
    SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    /* What anybody may know. */
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(times), SCMP_SYS(getrusage), SCMP_SYS(sysinfo), SCMP_SYS(uname),
    SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid),
    SCMP_SYS(getpgrp), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    /* Rules can only become narrower; see also allow_questions(). */
    SCMP_SYS(landlock_create_ruleset), SCMP_SYS(landlock_add_rule),
    SCMP_SYS(landlock_restrict_self)};

/* A file beside the output that gets its name; what of it where: landlock.h. */
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

/* Of terminals: how large, which modes. Not TIOCSTI, which types for the user. */
static const unsigned terminal_questions[] = {TCGETS,   TCSETS,   TCSETSW, TCSETSF,
                                              TCSBRK,   TCFLSH,   TCXONC,  TIOCGWINSZ,
                                              FIONREAD, TIOCGPGRP};

static const int descriptor_questions[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,
                                           F_SETFD, F_GETFL,         F_SETFL};

/* --- the filter ---------------------------------------------------------------------- */

struct filter {
    scmp_filter_ctx context;
    int error; /* negative: the first that went wrong */
};

static void add(struct filter *f, uint32_t action, int call, unsigned count,
                const struct scmp_arg_cmp *arguments)
{
    int status = seccomp_rule_add_array(f->context, action, call, count, arguments);
    if (status < 0 && f->error == 0)
        f->error = status;
}

static void allow(struct filter *f, const int *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(f, SCMP_ACT_ALLOW, calls[i], 0, NULL);
}

static void allow_where(struct filter *f, int call, struct scmp_arg_cmp argument)
{
    add(f, SCMP_ACT_ALLOW, call, 1, &argument);
}

/* The bits of the mask are those of value, in argument number n. */
static struct scmp_arg_cmp masked(unsigned n, uint64_t mask, uint64_t value)
{
    return SCMP_CMP64(n, SCMP_CMP_MASKED_EQ, mask, value);
}

/* O_TMPFILE is a bit of its own and O_DIRECTORY. */
static void allow_opening(struct filter *f, bool may_write)
{
    const uint64_t writing = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    const uint64_t special_bits = 07000;
    if (may_write) {
        allow(f, for_writers, sizeof(for_writers) / sizeof(*for_writers));
        allow_where(f, SCMP_SYS(fchmod), masked(1, special_bits, 0));
        /* A name for a file that has none (O_TMPFILE), by /proc; another name for one that
         * has is not asked for in this way. */
        allow_where(f, SCMP_SYS(linkat), SCMP_CMP64(4, SCMP_CMP_EQ, AT_SYMLINK_FOLLOW, 0));
    } else {
        allow_where(f, SCMP_SYS(open), masked(1, writing, 0));
        allow_where(f, SCMP_SYS(openat), masked(2, writing, 0));
    }
}

/* Threads of this process, in no namespace of their own. The flags of clone3 lie where no
 * filter sees them; C libraries that find it missing use clone. */
static void allow_threads(struct filter *f)
{
    const uint64_t wanted = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
    const uint64_t spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                            CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    allow_where(f, SCMP_SYS(clone), masked(0, wanted | spaces, wanted));
    add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0, NULL);
}

/* Nothing that was data becomes code. */
static void allow_memory(struct filter *f)
{
    allow_where(f, SCMP_SYS(mmap), masked(2, PROT_EXEC, 0));
    allow_where(f, SCMP_SYS(mprotect), masked(2, PROT_EXEC, 0));
}

static void allow_questions(struct filter *f)
{
    for (size_t i = 0; i < sizeof(terminal_questions) / sizeof(*terminal_questions); i++)
        allow_where(f, SCMP_SYS(ioctl),
                    SCMP_CMP64(1, SCMP_CMP_EQ, terminal_questions[i], 0));
    for (size_t i = 0; i < sizeof(descriptor_questions) / sizeof(int); i++)
        allow_where(f, SCMP_SYS(fcntl),
                    SCMP_CMP64(1, SCMP_CMP_EQ, (unsigned)descriptor_questions[i], 0));
    /* Limits are asked for, not set; to have no new rights is asked for again. */
    allow_where(f, SCMP_SYS(prlimit64), SCMP_CMP64(2, SCMP_CMP_EQ, 0, 0));
    allow_where(f, SCMP_SYS(prctl), SCMP_CMP64(0, SCMP_CMP_EQ, PR_SET_NO_NEW_PRIVS, 0));
}

/* Locks of POSIX on ranges of a file. */
static void allow_locks(struct filter *f)
{
    static const int questions[] = {F_GETLK, F_SETLK, F_SETLKW};
    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
        allow_where(f, SCMP_SYS(fcntl),
                    SCMP_CMP64(1, SCMP_CMP_EQ, (unsigned)questions[i], 0));
}

/* To a server to which there is a connection. */
static void allow_talk(struct filter *f)
{
    static const int calls[] = {SCMP_SYS(sendto), SCMP_SYS(recvfrom), SCMP_SYS(shutdown),
                                SCMP_SYS(getsockopt)};
    allow(f, calls, sizeof(calls) / sizeof(*calls));
}

/* To a server, and to those that know its address. Nobody is listened to. */
static void allow_connections(struct filter *f)
{
    static const int calls[] = {SCMP_SYS(connect),     SCMP_SYS(sendmsg),
                                SCMP_SYS(recvmsg),     SCMP_SYS(sendmmsg),
                                SCMP_SYS(recvmmsg),    SCMP_SYS(getsockname),
                                SCMP_SYS(getpeername), SCMP_SYS(setsockopt)};
    static const int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
    allow(f, calls, sizeof(calls) / sizeof(*calls));
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
        allow_where(f, SCMP_SYS(socket),
                    SCMP_CMP64(0, SCMP_CMP_EQ, (unsigned)families[i], 0));
}

/* A signal to itself, as raise() and abort() send it: glibc by the first, musl by the
 * second, which knows no process and so is for the first thread only. */
static void allow_signals(struct filter *f)
{
    const struct scmp_arg_cmp self = SCMP_CMP64(0, SCMP_CMP_EQ, (uint64_t)getpid(), 0);
    allow_where(f, SCMP_SYS(tgkill), self);
    allow_where(f, SCMP_SYS(tkill), self);
}

/* Errors are left as the kernel has them. A call of another processor's (32 bits) is as
 * unknown as any. A tree of comparisons is faster than a list of a hundred. */
static void set_attributes(struct filter *f)
{
    static const struct {
        enum scmp_filter_attr what;
        uint32_t value;
    } all[] = {{SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)},
               {SCMP_FLTATR_CTL_TSYNC, 1},
               {SCMP_FLTATR_CTL_OPTIMIZE, 2},
               {SCMP_FLTATR_API_SYSRAWRC, 1}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        int status = seccomp_attr_set(f->context, all[i].what, all[i].value);
        if (status < 0 && f->error == 0)
            f->error = status;
    }
}

bool system_calls_can_be_filtered(void)
{
    /* Without a filter: EFAULT where there could be one. */
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0 && errno == EFAULT;
}

static bool begin_filter(struct filter *f)
{
    /* libseccomp crashes where it finds no memory; a filter takes a fifth of that. */
    enum { ROOM_FOR_FILTER = 1 << 20 };
    see_room(ROOM_FOR_FILTER);
    *f = (struct filter){.context = seccomp_init(SCMP_ACT_ERRNO(EPERM))};
    if (f->context == NULL)
        errno = ENOMEM;
    else
        set_attributes(f);
    return f->context != NULL;
}

static bool end_filter(struct filter *f, bool in_force)
{
    if (f->error == 0 && in_force)
        f->error = seccomp_load(f->context);
    seccomp_release(f->context);
    errno = -f->error;
    return f->error == 0;
}

bool system_calls_filter(int uses, bool in_force)
{
    struct filter f;
    if (!begin_filter(&f))
        return false;
    allow(&f, harmless, sizeof(harmless) / sizeof(*harmless));
    allow_opening(&f, (uses & CALLS_WRITE) != 0);
    if (uses & CALLS_LOCK)
        allow_locks(&f);
    if (uses & (CALLS_TALK | CALLS_CONNECT))
        allow_talk(&f);
    if (uses & CALLS_CONNECT)
        allow_connections(&f);
    allow_threads(&f);
    allow_memory(&f);
    allow_questions(&f);
    allow_signals(&f);
    return end_filter(&f, in_force);
}

bool system_calls_only_serve(bool in_force)
{
    struct filter f;
    if (!begin_filter(&f))
        return false;
    allow(&f, for_servers, sizeof(for_servers) / sizeof(*for_servers));
    allow_memory(&f);
    return end_filter(&f, in_force);
}

#else

bool system_calls_can_be_filtered(void)
{
    errno = ENOSYS;
    return false;
}

bool system_calls_only_serve(bool in_force)
{
    return system_calls_filter(0, in_force);
}

bool system_calls_filter(int uses, bool in_force)
{
    (void)uses;
    (void)in_force;
    errno = ENOSYS;
    return false;
}

#endif
