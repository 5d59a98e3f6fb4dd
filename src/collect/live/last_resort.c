/* pipe2(), memrchr(). */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "collect/live/last_resort.h"

#include "cli/guard/temporary.h"
#include "cli/terminal/exit_hook.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Less than the second that is promised, and enough for a runtime to end a session. */
enum { LEAVE_MS = 800, TICK_MS = 50 };

static struct {
    pid_t process; /* of the thread; or 0 */
    pthread_t thread;
    int signals;
    int wake[2]; /* a byte: leaves was set; the end: last_resort_end() */
    atomic_bool is_agent, unsaved, leaves;
    atomic_int late; /* signal read by the thread instead of the program; or 0 */
    atomic_int last; /* signal read by either; or 0 */
} watch;

static bool is_ours(void)
{
    return watch.process == getpid();
}

/* --- the thread ---------------------------------------------------------------------- */

static bool is_readable(int fd, int wait_ms)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, wait_ms) > 0;
}

static int read_signal(int signals)
{
    struct signalfd_siginfo which;
    return read(signals, &which, sizeof(which)) == (ssize_t)sizeof(which)
               ? (int)which.ssi_signo
               : 0;
}

/* State of the main thread: R: running; D: waits for a disk, uninterruptible; S: waits. A
 * running agent reads its signals soon, unless the machine is overloaded. */
static bool is_waiting(void)
{
    char text[512];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
    if (fd >= 0)
        close(fd);
    const char *name_end = len > 0 ? memrchr(text, ')', (size_t)len) : NULL;
    int state = name_end != NULL && name_end + 2 < text + len ? name_end[2] : 'S';
    return state != 'D' && (state != 'R' || !atomic_load(&watch.is_agent));
}

/* The default of the signal, which every thread blocks. */
static void die_of(int number)
{
    static const char lost[] =
        "heapdrift: ended while snapshots waited for the store; these are lost\n";
    sigset_t set;
    if (atomic_load(&watch.unsaved))
        (void)!write(STDERR_FILENO, lost, sizeof(lost) - 1);
    exit_hook();
    temporary_remove();
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

/* Kills a program that does not read a signal in time, or does not stop. */
static void *last_resort_run(void *nothing)
{
    for (;;) {
        struct pollfd any[] = {{.fd = watch.signals, .events = POLLIN},
                               {.fd = watch.wake[0], .events = POLLIN}};
        int waited = 0;
        char byte;
        if (poll(any, 2, -1) <= 0)
            continue;
        do {
            if (is_readable(watch.wake[0], TICK_MS) && read(watch.wake[0], &byte, 1) <= 0)
                return nothing;
            waited += is_waiting() ? TICK_MS : 0;
        } while ((atomic_load(&watch.leaves) || is_readable(watch.signals, 0)) &&
                 waited < LEAVE_MS);
        if (waited < LEAVE_MS)
            continue;
        int number = read_signal(watch.signals), before = atomic_load(&watch.last);
        if (number != 0)
            atomic_store(&watch.last, number);
        if (number != 0 && before == 0 && atomic_load(&watch.unsaved))
            atomic_store(&watch.late, number);
        else if (number != 0 || atomic_load(&watch.leaves))
            die_of(atomic_load(&watch.last));
    }
}

/* --- the program --------------------------------------------------------------------- */

void last_resort_begin(int signals)
{
    if (is_ours() || signals < 0 || pipe2(watch.wake, O_CLOEXEC) != 0)
        return;
    watch.signals = signals;
    atomic_store(&watch.is_agent, false);
    atomic_store(&watch.unsaved, false);
    atomic_store(&watch.leaves, false);
    atomic_store(&watch.late, 0);
    atomic_store(&watch.last, 0);
    watch.process = getpid();
    if (pthread_create(&watch.thread, NULL, last_resort_run, NULL) == 0)
        return;
    watch.process = 0;
    close(watch.wake[0]);
    close(watch.wake[1]);
}

void last_resort_end(void)
{
    if (!is_ours())
        return;
    watch.process = 0;
    close(watch.wake[1]);
    pthread_join(watch.thread, NULL);
    close(watch.wake[0]);
}

int last_resort_signal(int signals)
{
    int number = is_ours() ? atomic_exchange(&watch.late, 0) : 0;
    if (number != 0)
        return number;
    number = read_signal(signals);
    if (number != 0)
        atomic_store(&watch.last, number);
    return number;
}

void last_resort_hold(bool unsaved)
{
    atomic_store(&watch.is_agent, true);
    atomic_store(&watch.unsaved, unsaved);
}

void last_resort_leave(bool leaves)
{
    static const char byte = 0;
    if (!is_ours())
        return;
    atomic_store(&watch.leaves, leaves);
    if (leaves)
        (void)!write(watch.wake[1], &byte, 1);
}
