#include "collect/copying.h"

#include "base/error.h"
#include "base/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- room ------------------------------------------------------------------------- */

/* Touch them, a part at a time. Kernels before 5.14 have no word for it: then it is done
 * by hand. */
static bool have_pages(const struct copy_room *room, bool (*go_on)(void *context),
                       void *context)
{
    enum { POPULATE_WRITE = 23 };
    const uint64_t part = (uint64_t)64 << 20;
    for (uint64_t at = 0; at < room->size; at += part) {
        uint64_t size = room->size - at < part ? room->size - at : part;
        if (go_on != NULL && !go_on(context))
            return false;
        if (madvise(room->bytes + at, (size_t)size, POPULATE_WRITE) == 0)
            continue;
        for (uint64_t page = 0; page < size; page += PAGE)
            *(volatile unsigned char *)(room->bytes + at + page) = 0;
    }
    return true;
}

bool copy_room_make(struct copy_room *room, uint64_t size, bool on_disk,
                    bool (*go_on)(void *context), void *context, struct hd_error *err)
{
    copy_room_free(room);
    int why = ftruncate(room->fd, (off_t)size) != 0 ? errno : 0;
    if (why == 0 && on_disk)
        why = posix_fallocate(room->fd, 0, (off_t)size);
    if (why != 0)
        return fail(err, HD_IO, "cannot write: %s", strerror(why));
    void *bytes =
        mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, room->fd, 0);
    if (bytes == MAP_FAILED)
        return fail(err, HD_IO, "no room for a copy: %s", strerror(errno));
    room->bytes = bytes;
    room->size = size;
    return have_pages(room, go_on, context) || fail(err, HD_STOPPED, "stopped");
}

void copy_room_free(struct copy_room *room)
{
    if (room->bytes != NULL)
        munmap(room->bytes, (size_t)room->size);
    room->bytes = NULL;
    room->size = 0;
}

/* --- copying ---------------------------------------------------------------------- */

enum { PART = 2 << 20, MOST_COPIERS = 8 };

/* A run, or a part of a long one. */
struct part {
    const struct run *run;
    uint64_t from, size, to;
};

struct job {
    const struct copying *what;
    const struct standstill *still;
    struct part *parts;
    size_t count;
    atomic_uint_fast64_t unreadable; /* the address of a page that was not there; 0 */
};

static bool copy_process(pid_t pid, const struct part *p, unsigned char *to)
{
    uint64_t done = 0;
    while (done < p->size) {
        struct iovec local = {to + done, (size_t)(p->size - done)};
        struct iovec remote = {(void *)(uintptr_t)(p->from + done),
                               (size_t)(p->size - done)};
        long n = syscall(SYS_process_vm_readv, (long)pid, &local, 1L, &remote, 1L, 0L);
        if (n <= 0)
            return false;
        done += (uint64_t)n;
    }
    return true;
}

static bool copy_shared(int fd, const struct part *p, unsigned char *to)
{
    uint64_t offset = p->run->area->offset + (p->from - p->run->area->start);
    uint64_t done = 0;
    while (done < p->size) {
        ssize_t n = pread(fd, to + done, (size_t)(p->size - done), (off_t)(offset + done));
        if (n <= 0)
            return false;
        done += (uint64_t)n;
    }
    return true;
}

static bool copy_part(void *context, size_t i)
{
    struct job *job = context;
    const struct part *p = &job->parts[i];
    unsigned char *to = job->what->room->bytes + p->to;
    if (standstill_is_unwanted(job->still) || clock_us() >= job->what->deadline)
        return false;
    bool ok = p->run->is_shared ? copy_shared(job->what->from->shared, p, to)
                                : copy_process(job->still->pid, p, to);
    if (!ok)
        atomic_store(&job->unreadable, p->from);
    return ok;
}

static void cut(struct job *job)
{
    const struct runs *runs = job->what->runs;
    uint64_t to = job->what->at;
    size_t cap = 0;
    for (size_t i = 0; i < runs->count; i++)
        for (uint64_t done = 0, size; done < runs->all[i].size; done += size, to += size) {
            size = runs->all[i].size - done;
            size = size < PART ? size : PART;
            job->parts = grow(job->parts, job->count, &cap, sizeof(*job->parts));
            job->parts[job->count++] =
                (struct part){&runs->all[i], runs->all[i].address + done, size, to};
        }
}

static unsigned copiers(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST_COPIERS ? MOST_COPIERS : (unsigned)n;
}

bool copy_runs(const struct copying *c, const struct standstill *still,
               struct hd_error *err)
{
    struct job job = {.what = c, .still = still};
    cut(&job);
    workers_run(job.count, copiers(), copy_part, &job);
    free(job.parts);
    uint64_t unreadable = atomic_load(&job.unreadable);
    if (standstill_is_unwanted(still))
        return fail(err, HD_STOPPED, "stopped");
    if (unreadable != 0)
        return fail(err, HD_IO, "its memory at 0x%llx cannot be read; has it ended?",
                    (unsigned long long)unreadable);
    return clock_us() < c->deadline ||
           fail_about(err, HD_ABOUT_SILENCE, HD_TIMED_OUT,
                      "its memory was not copied in time, so it runs on");
}
