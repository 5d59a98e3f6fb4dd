/* Loaded into the program by LD_PRELOAD: at its end it attempts what an attacker in its process
 * would attempt, and prints for each "tried NAME: yes", or "no" and the reason, to stderr.
 * Dangerous attempts are made in a child process if one can be started. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A path in the folder of the test, which contains "victim". */
static const char *below(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof(path), "%s/%s", getenv("REFUSED_FOLDER"), name);
    return path;
}

static int try_read(void) { return open("/etc/passwd", O_RDONLY); }
static int try_list(void) { return open("/", O_RDONLY | O_DIRECTORY); }
static int try_create(void) { return open(below("created"), O_WRONLY | O_CREAT, 0600); }
static int try_write(void) { return open(below("victim"), O_WRONLY); }
static int try_truncate(void) { return truncate(below("victim"), 0); }
static int try_mkdir(void) { return mkdir(below("folder"), 0700); }
static int try_link(void) { return symlink("victim", below("link")); }
static int try_chmod(void) { return chmod(below("victim"), 0600); }
static int try_owner(void) { return chown(below("victim"), getuid(), getgid()); }
static int try_remove(void) { return unlink(below("victim")); }
static int try_tcp(void) { return socket(AF_INET, SOCK_STREAM, 0); }
static int try_unix(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static int try_pair(void)
{
    int two[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, two);
}
static int try_fork(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return child < 0 ? -1 : waitpid(child, NULL, 0) == child ? 0 : -1;
}
static int try_signal(void) { return kill(getppid(), 0); }
static int try_trace(void) { return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL); }
static int try_peek(void)
{
    int from = 1, to = 0;
    struct iovec a = {&to, sizeof(to)}, b = {&from, sizeof(from)};
    return process_vm_readv(getpid(), &a, 1, &b, 1, 0) < 0 ? -1 : 0;
}
static int try_code(void)
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? -1 : 0;
}
static int try_memory_file(void) { return memfd_create("x", 0); }
static int try_limit(void)
{
    struct rlimit r;
    return getrlimit(RLIMIT_CORE, &r) != 0 ? -1 : setrlimit(RLIMIT_CORE, &r);
}
static int try_dumpable(void) { return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }
/* Without an environment, or that program would repeat all attempts. */
static int try_program(void)
{
    char *const none[] = {NULL};
    execle("/bin/true", "true", (char *)NULL, none);
    return -1;
}

/* Forbidden on most systems anyway. */
static int try_mount(void)
{
    const char *folder = getenv("REFUSED_FOLDER");
    return mount("none", folder, "tmpfs", 0, NULL) < 0 ? -1 : umount2(folder, MNT_DETACH);
}
static int try_namespace(void) { return unshare(CLONE_NEWUSER); }
static int try_type(void) { return ioctl(STDERR_FILENO, TIOCSTI, "x"); }
static int try_keys(void) { return (int)syscall(SYS_keyctl, 0, -3, 1); }
static int try_bpf(void) { return (int)syscall(SYS_bpf, 0, NULL, 0); }
static int try_ring(void)
{
    char parameters[256] = {0};
    return (int)syscall(SYS_io_uring_setup, 1, parameters);
}

/* Must continue to work. */
static int try_input(void) { return open(getenv("REFUSED_INPUT"), O_RDONLY); }
static void *nothing(void *x) { return x; }
static int try_thread(void)
{
    pthread_t t;
    errno = pthread_create(&t, NULL, nothing, NULL);
    return errno != 0 ? -1 : pthread_join(t, NULL);
}

static const struct {
    const char *name;
    int (*attempt)(void);
} all[] = {{"input", try_input},
           {"thread", try_thread},
           {"read", try_read},
           {"list", try_list},
           {"create", try_create},
           {"write", try_write},
           {"truncate", try_truncate},
           {"mkdir", try_mkdir},
           {"link", try_link},
           {"chmod", try_chmod},
           {"owner", try_owner},
           {"remove", try_remove},
           {"tcp", try_tcp},
           {"unix", try_unix},
           {"pair", try_pair},
           {"fork", try_fork},
           {"signal", try_signal},
           {"trace", try_trace},
           {"peek", try_peek},
           {"code", try_code},
           {"memory-file", try_memory_file},
           {"limit", try_limit},
           {"dumpable", try_dumpable},
           {"program", try_program},
           {"mount", try_mount},
           {"namespace", try_namespace},
           {"type", try_type},
           {"keys", try_keys},
           {"bpf", try_bpf},
           {"ring", try_ring}};

static int attempt(int (*what)(void))
{
    int how = 0;
    pid_t child = what == try_trace || what == try_program ? fork() : -1;
    if (child == 0)
        _exit(what() < 0 ? errno : 0);
    if (child < 0)
        return what() < 0 ? errno : 0;
    return waitpid(child, &how, 0) == child && WIFEXITED(how) ? WEXITSTATUS(how) : EINTR;
}

__attribute__((destructor)) static void try_all(void)
{
    unsetenv("LD_PRELOAD");
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        int why = attempt(all[i].attempt);
        char line[128];
        int len = snprintf(line, sizeof(line), "tried %s: %s%s\n", all[i].name,
                           why == 0 ? "yes" : "no ", why == 0 ? "" : strerrorname_np(why));
        (void)!write(STDERR_FILENO, line, (size_t)len);
    }
}
