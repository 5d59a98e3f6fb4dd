#include "collect/process_lock.h"

#include "base/error.h"
#include "collect/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

enum { TICK_MS = 100 };

bool process_lock_wait(pid_t pid, unsigned silence_ms, bool (*go_on)(void *context),
                       void *context, int *lock, struct hd_error *err)
{
    char path[64];
    uint64_t deadline = clock_ms() + silence_ms;
    snprintf(path, sizeof(path), "/proc/%ld", (long)pid);
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0) {
        bool is_over = errno != EWOULDBLOCK && errno != EINTR;
        if (is_over || clock_ms() >= deadline)
            return true;
        if (go_on != NULL && !go_on(context))
            return fail(err, HD_STOPPED, "stopped");
        poll(NULL, 0, TICK_MS);
    }
    return true;
}
