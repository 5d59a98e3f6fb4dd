/* thread_freeze.h - a process stands still for a moment: every thread, by ptrace.
 *
 * Safe by construction: threads are seized (PTRACE_SEIZE), not stopped by a signal, so the
 * kernel lets go of all of them when the one that holds them ends, however that ends; no
 * SIGSTOP is left behind, the parent of the process is told nothing, and a process that
 * was stopped before stays so. A signal that is on its way to a thread when that is
 * stopped is looked at without being taken (WNOWAIT): it arrives afterwards, also where
 * nobody is left to pass it on. docs/collect.md.
 *
 * It must not know what is read meanwhile. */
#ifndef THREAD_FREEZE_H
#define THREAD_FREEZE_H

#include "base/clock.h"
#include "heapdrift.h"

#include <stdatomic.h>
#include <sys/types.h>

struct still_thread {
    pid_t id;
    int signal; /* that is on its way to it; 0 */
    bool stands, is_gone;
};

struct thread_freeze {
    pid_t pid;
    struct still_thread
        *threads; /* in the order of /proc/PID/task, those seen later last */
    size_t count, cap;
    uint64_t began_us; /* when the first was stopped, on clock_us() */
    atomic_bool is_unwanted;
};

/* What is done while it stands still; false and err, as usual. It runs in a thread of its
 * own, which holds the others, and ends soon when thread_freeze_is_unwanted(). */
struct meanwhile {
    bool (*work)(const struct thread_freeze *s, void *context, struct hd_error *err);
    void *context;
    /* Asked every 20 ms or so, in the thread of the caller; false: end. NULL: go on. */
    bool (*go_on)(void *context);
    void *go_on_context;
};

/* Stop every thread, and those that they start meanwhile, work, and let them run on.
 * *stood_us becomes the time for which they stood still. False, with all of them running,
 * if that failed or work did: HD_UNSUPPORTED says which right is missing, HD_TIMED_OUT that
 * a thread did not stop within half a second (it waits in the kernel for a disk, or for a
 * child that it vforked), HD_IO that the process has ended. */
bool thread_freeze_run(pid_t pid, const struct meanwhile *m, uint64_t *stood_us,
                       struct hd_error *err);

static inline bool thread_freeze_is_unwanted(const struct thread_freeze *s)
{
    return atomic_load_explicit(&s->is_unwanted, memory_order_relaxed);
}

/* A set of registers of one, by the type of its note (NT_PRSTATUS), size bytes of it; false
 * if the thread is gone, or has none. For the thread that works. */
bool thread_freeze_registers(const struct thread_freeze *s, size_t i, uint32_t set,
                             void *registers, size_t size);

#endif
