#include "collect/process_copy.h"

#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* For all threads together; and how often they are looked at. */
enum { TO_STOP_US = 500000, LOOK_AGAIN_US = 30 };

/* Iterations over the list of threads: each but the last found new ones. */
enum { MAX_ROUNDS = 1000 };

static void pause_us(long us)
{
    const struct timespec t = {.tv_nsec = us * 1000};
    nanosleep(&t, NULL);
}

/* --- which threads ---------------------------------------------------------------- */

/* Seizes new threads; *count is their number. A main thread that has ended before others
 * cannot be seized. */
static bool seize_new(struct thread_freeze *s, size_t *count, struct hd_error *err)
{
    size_t next = 0;
    bool ok = true;
    DIR *tasks = others_list_of(s->pid, "task");
    *count = 0;
    if (tasks == NULL)
        return fail(err, HD_IO, "the process has exited");
    for (const struct dirent *e; ok && (e = readdir(tasks)) != NULL;) {
        pid_t id = (pid_t)strtol(e->d_name, NULL, 10);
        size_t k = 0;
        /* The order of the list is constant: next is the expected index. */
        while (k < s->count && s->threads[(next + k) % s->count].id != id)
            k++;
        if (k < s->count)
            next = (next + k) % s->count + 1;
        if (id <= 0 || k < s->count)
            continue;
        if (ptrace(PTRACE_SEIZE, id, NULL, NULL) == 0) {
            s->threads = grow(s->threads, s->count, &s->cap, sizeof(*s->threads));
            s->threads[s->count++] = (struct frozen_thread){.id = id};
            ++*count;
        } else if (errno == ENOSYS) {
            ok = fail(err, HD_UNSUPPORTED, "there is no ptrace here, as under qemu-user");
        } else if (errno != ESRCH && !denied_has_ended(s->pid, id)) {
            ok = denied_fail(s->pid, err);
        }
    }
    closedir(tasks);
    return ok;
}

/* --- stopping --------------------------------------------------------------------- */

/* Updates the state of a thread. WNOWAIT leaves pending signals in place, so that they are
 * delivered even if we are killed. */
static void thread_freeze_look(struct frozen_thread *t)
{
    siginfo_t info = {0};
    const int any = WSTOPPED | WEXITED | __WALL | WNOHANG;
    if (waitid(P_PID, (id_t)t->id, &info, any | WNOWAIT) != 0) {
        t->is_gone = true;
    } else if (info.si_pid == 0) {
        return;
    } else if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) {
        bool is_signal = info.si_status >> 8 == 0;
        t->stands = true;
        t->signal = is_signal ? info.si_status : 0;
    } else {
        waitid(P_PID, (id_t)t->id, &info, any);
        t->is_gone = true;
    }
}

/* Stop those from the first on. */
static bool stop_from(struct thread_freeze *s, size_t first, uint64_t deadline,
                      struct hd_error *err)
{
    for (size_t i = first; i < s->count; i++)
        if (ptrace(PTRACE_INTERRUPT, s->threads[i].id, NULL, NULL) != 0)
            s->threads[i].is_gone = errno == ESRCH && !s->threads[i].stands;
    for (size_t i = first; i < s->count;) {
        struct frozen_thread *t = &s->threads[i];
        thread_freeze_look(t);
        if (t->stands || t->is_gone)
            i++;
        else if (clock_us() >= deadline)
            return fail(
                err, HD_TIMED_OUT,
                "thread %ld of the process does not stop: it is waiting in the kernel",
                (long)t->id);
        else
            pause_us(LOOK_AGAIN_US);
    }
    return true;
}

/* Seizing stops no thread. A stopped thread starts no other: if all listed threads had
 * stopped before the list was read, it is complete. */
static bool thread_freeze_begin(struct thread_freeze *s, struct hd_error *err)
{
    size_t count = 1, first = 0;
    bool ok = true;
    for (int round = 0; ok && count > 0 && round < MAX_ROUNDS; round++)
        ok = seize_new(s, &count, err);
    s->began_us = clock_us();
    for (int round = 0; ok && round < MAX_ROUNDS; round++) {
        ok = stop_from(s, first, s->began_us + TO_STOP_US, err);
        first = s->count;
        ok = ok && seize_new(s, &count, err);
        if (!ok || count > 0)
            continue;
        for (size_t i = 0; i < s->count; i++)
            if (s->threads[i].stands)
                return true;
        return fail(err, HD_IO, "the process has exited");
    }
    return ok && fail(err, HD_TIMED_OUT,
                      "the process starts threads faster than they can be stopped");
}

bool thread_freeze_registers(const struct thread_freeze *s, size_t i, uint32_t set,
                             void *registers, size_t size)
{
    struct iovec to = {registers, size};
    return s->threads[i].stands &&
           syscall(SYS_ptrace, (long)PTRACE_GETREGSET, (long)s->threads[i].id, (long)set,
                   &to) == 0 &&
           to.iov_len >= size;
}

/* --- resuming ------------------------------------------------------------------------ */

static void let_go(struct frozen_thread *t)
{
    if (t->stands)
        syscall(SYS_ptrace, (long)PTRACE_DETACH, (long)t->id, 0L, (long)t->signal);
    t->is_gone = t->is_gone || t->stands;
    t->stands = false;
}

/* Resumes stopped threads first: one that did not stop in time may be slow. The kernel
 * releases the rest when this thread ends. */
static uint64_t thread_freeze_end(struct thread_freeze *s)
{
    const int tries = 20;
    for (size_t i = 0; i < s->count; i++)
        let_go(&s->threads[i]);
    uint64_t stood = s->began_us > 0 ? clock_us() - s->began_us : 0;
    for (int k = 0; k < tries; k++) {
        bool all_are_gone = true;
        for (size_t i = 0; i < s->count; i++)
            all_are_gone &= s->threads[i].is_gone;
        if (all_are_gone)
            break;
        pause_us(LOOK_AGAIN_US);
        for (size_t i = 0; i < s->count; i++) {
            if (!s->threads[i].is_gone)
                thread_freeze_look(&s->threads[i]);
            let_go(&s->threads[i]);
        }
    }
    return stood;
}

/* --- the thread that holds them --------------------------------------------------- */

struct thread_freeze_holder {
    struct thread_freeze frozen;
    const struct meanwhile *what;
    struct hd_error err;
    bool ok;
    uint64_t frozen_us;
    atomic_bool is_done; /* all run again */
    int done;            /* becomes readable at the end: wakes the caller */
};

static void *hold(void *given)
{
    struct thread_freeze_holder *h = given;
    h->ok = thread_freeze_begin(&h->frozen, &h->err) &&
            h->what->work(&h->frozen, h->what->context, &h->err);
    h->frozen_us = thread_freeze_end(&h->frozen);
    free(h->frozen.threads);
    atomic_store(&h->is_done, true);
    eventfd_write(h->done, 1);
    return NULL;
}

bool thread_freeze_run(pid_t pid, const struct meanwhile *m, uint64_t *frozen_us,
                       struct hd_error *err)
{
    enum { TICK_MS = 20 };
    struct thread_freeze_holder h = {.frozen = {.pid = pid}, .what = m};
    pthread_t thread;
    sigset_t stops, all, before, own;
    *frozen_us = 0;
    h.done = eventfd(0, EFD_CLOEXEC);
    if (h.done < 0)
        return fail(err, HD_IO, "%s", strerror(errno));
    /* Ctrl-Z would leave the process frozen with us, until `fg`. */
    sigemptyset(&stops);
    sigaddset(&stops, SIGTSTP);
    sigaddset(&stops, SIGTTIN);
    sigaddset(&stops, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stops, &before);
    /* All signals that can be blocked are blocked in the tracing thread and its threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &own);
    int why = pthread_create(&thread, NULL, hold, &h);
    pthread_sigmask(SIG_SETMASK, &own, NULL);
    if (why != 0)
        fail(&h.err, HD_IO, "no thread: %s", strerror(why));
    struct pollfd ended = {.fd = h.done, .events = POLLIN};
    while (why == 0 && !atomic_load(&h.is_done) && poll(&ended, 1, TICK_MS) <= 0)
        if (m->go_on != NULL && !m->go_on(m->go_on_context))
            atomic_store(&h.frozen.is_unwanted, true);
    if (why == 0)
        pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(h.done);
    *frozen_us = h.frozen_us;
    if (!h.ok && err != NULL && err->status == HD_OK)
        *err = h.err;
    return h.ok;
}
