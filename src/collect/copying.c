#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "collect/copying.h"

#include "base/error.h"
#include "base/path.h"
#include "base/workers.h"
#include "collect/others.h"
#include "collect/proc.h"
#include "process/clr.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- room ---------------------------------------------------------------------- */

bool copy_room_make(struct copy_room *room, uint64_t size, struct hd_error *err)
{
    copy_room_free(room);
    if (ftruncate(room->fd, (off_t)size) != 0)
        return fail(err, HD_IO, "cannot write: %s", strerror(errno));
    void *bytes = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE, room->fd, 0);
    if (bytes == MAP_FAILED)
        return fail(err, HD_IO, "no room for a copy: %s", strerror(errno));
    room->bytes = bytes;
    room->size = size;
    return true;
}

/* Kernels before 5.14 have no word for it: then it is done by hand. */
static void touch(unsigned char *bytes, uint64_t size)
{
    enum { POPULATE_WRITE = 23 };
    if (madvise(bytes, (size_t)size, POPULATE_WRITE) == 0)
        return;
    for (uint64_t page = 0; page < size; page += PAGE)
        *(volatile unsigned char *)(bytes + page) = 0;
}

/* A write to a mapped page that the disk, or the memory of its file system, has no room for
 * ends the program. */
bool copy_room_fill(struct copy_room *room, uint64_t at, uint64_t size,
                    struct hd_error *err)
{
    int why = size > 0 ? posix_fallocate(room->fd, (off_t)at, (off_t)size) : 0;
    if (why != 0)
        return fail(err, HD_IO, "cannot write: %s", strerror(why));
    if (!room->lets_go)
        touch(room->bytes + at, size);
    return true;
}

void copy_room_let_go(const struct copy_room *room, uint64_t at, uint64_t size)
{
    if (room->lets_go)
        madvise(room->bytes + at, (size_t)size, MADV_DONTNEED);
}

bool copy_room_fill_runs(const struct copying *c, bool (*go_on)(void *context),
                         void *context, struct hd_error *err)
{
    const uint64_t part = (uint64_t)64 << 20;
    for (size_t i = 0; i < c->runs->count; i++)
        for (uint64_t done = 0; done < c->runs->all[i].size; done += part) {
            uint64_t size = c->runs->all[i].size - done, at;
            size = size < part ? size : part;
            at = c->at + c->runs->all[i].at + done;
            if (go_on != NULL && !go_on(context))
                return fail(err, HD_STOPPED, "stopped");
            if (!copy_room_fill(c->room, at, size, err))
                return false;
        }
    return true;
}

void copy_room_free(struct copy_room *room)
{
    if (room->bytes != NULL)
        munmap(room->bytes, (size_t)room->size);
    room->bytes = NULL;
    room->size = 0;
}

/* --- copying ------------------------------------------------------------------- */

uint64_t copy_from(int fd, unsigned char *to, uint64_t size, uint64_t from)
{
    uint64_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, to + done, (size_t)(size - done), (off_t)(from + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (uint64_t)n;
    }
    return done;
}

enum { PART = 2 << 20, MOST_COPIERS = 8 };

/* A run, or a part of a long one. */
struct part {
    const struct run *run;
    uint64_t from, size, to;
};

struct job {
    const struct copying *what;
    const struct thread_freeze *still;
    struct part *parts;
    size_t count;
    atomic_uint_fast64_t unreadable; /* the address of a page that was not there; 0 */
};

static bool copy_process(pid_t pid, const struct part *p, void *to)
{
    struct iovec local = {to, (size_t)p->size};
    while (local.iov_len > 0) {
        struct iovec remote = {.iov_len = local.iov_len};
        uint64_t there = p->from + p->size - local.iov_len;
        memcpy(&remote.iov_base, &there, sizeof(there));
        long n = syscall(SYS_process_vm_readv, (long)pid, &local, 1L, &remote, 1L, 0L);
        if (n <= 0)
            return false;
        local.iov_base = (unsigned char *)local.iov_base + n;
        local.iov_len -= (size_t)n;
    }
    return true;
}

static bool copy_shared(int fd, const struct part *p, unsigned char *to)
{
    uint64_t offset = p->run->area->offset + (p->from - p->run->area->start);
    return copy_from(fd, to, p->size, offset) == p->size;
}

static bool copy_part(void *context, size_t i)
{
    struct job *job = context;
    const struct part *p = &job->parts[i];
    unsigned char *to = job->what->room->bytes + p->to;
    if (thread_freeze_is_unwanted(job->still) || clock_us() >= job->what->deadline)
        return false;
    bool ok = p->run->is_shared ? copy_shared(job->what->from->shared, p, to)
                                : copy_process(job->still->pid, p, to);
    copy_room_let_go(job->what->room, p->to, p->size);
    if (!ok)
        atomic_store(&job->unreadable, p->from);
    return ok;
}

static void cut(struct job *job)
{
    const struct runs *runs = job->what->runs;
    size_t cap = 0;
    for (size_t i = 0; i < runs->count; i++)
        for (uint64_t done = 0, size; done < runs->all[i].size; done += size) {
            const struct run *run = &runs->all[i];
            size = run->size - done < PART ? run->size - done : PART;
            job->parts = grow(job->parts, job->count, &cap, sizeof(*job->parts));
            job->parts[job->count++] = (struct part){run, run->address + done, size,
                                                     job->what->at + run->at + done};
        }
}

static unsigned copiers(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST_COPIERS ? MOST_COPIERS : (unsigned)n;
}

bool copy_runs(const struct copying *c, const struct thread_freeze *still,
               struct hd_error *err)
{
    struct job job = {.what = c, .still = still};
    cut(&job);
    workers_run(job.count, copiers(), copy_part, &job);
    free(job.parts);
    uint64_t unreadable = atomic_load(&job.unreadable);
    if (thread_freeze_is_unwanted(still))
        return fail(err, HD_STOPPED, "stopped");
    if (unreadable != 0)
        return fail(err, HD_IO, "cannot read its memory at 0x%llx; has it exited?",
                    (unsigned long long)unreadable);
    return clock_us() < c->deadline ||
           fail_about(err, HD_ABOUT_SILENCE, HD_TIMED_OUT,
                      "its memory was not copied in time; the process continues");
}

/* --- images -------------------------------------------------------------------- */

/* Of one area: a program with everything in one file may have 200 MiB. */
static const uint64_t most = (uint64_t)1 << 30;

static bool is_image(const char *path, const char *program)
{
    return runtime_library_is(path) || path_ends_in(path, ".dll") ||
           path_ends_in(path, ".exe") || strcmp(path, program) == 0;
}

void images_find(struct images *images, const struct address_space *space, pid_t pid)
{
    char link[64], program[PATH_MAX];
    snprintf(link, sizeof(link), "/proc/%ld/exe", (long)pid);
    ssize_t len = readlink(link, program, sizeof(program) - 1);
    program[len > 0 ? len : 0] = '\0';
    images->count = 0;
    images->size = 0;
    for (size_t i = 0; i < space->count; i++) {
        const struct area *a = &space->areas[i];
        uint64_t size = a->end - a->start;
        if (!a->readable || !area_is_of_file(a) || size > most ||
            !is_image(a->path, program))
            continue;
        images->all = grow(images->all, images->count, &images->cap, sizeof(*images->all));
        images->all[images->count++] = (struct image_piece){a, size, images->size};
        images->size += size;
    }
}

/* Opens (O_PATH) the file of an area below the root of its process, if it is still that
 * file. */
static int hold_file(int root, const struct area *a)
{
    struct stat st;
    int held = inside_open(&(struct inside){root, a->path}, O_PATH);
    if (held < 0 ||
        (fstat(held, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_ino == a->inode))
        return held;
    close(held);
    return -1;
}

struct visit {
    const struct images *images;
    unsigned char *to; /* NULL: only see which are there */
};

/* Answers with a byte per image: true if its file exists and, with `to`, was copied. */
static int visit_files(const struct inside *at, void *context, struct text *answer)
{
    const struct visit *v = context;
    for (size_t i = 0; i < v->images->count; i++) {
        const struct image_piece *p = &v->images->all[i];
        int file = hold_file(at->root, p->area);
        if (file >= 0 && v->to != NULL)
            file = others_open_held(file);
        if (file >= 0 && v->to != NULL)
            copy_from(file, v->to + p->at, p->size, p->area->offset);
        text_add_char(answer, file >= 0 ? 1 : 0);
        if (file >= 0)
            close(file);
    }
    errno = 0;
    return -1;
}

/* Works in a child, since a file system may never answer. The room is a shared mapping. */
static void visit_images(struct visit *v, pid_t pid, const struct patience *p,
                         struct text *is_there)
{
    const struct other_work work = {.work = visit_files, .context = v};
    char root[64];
    int none;
    snprintf(root, sizeof(root), "/proc/%ld/root/", (long)pid);
    others_run(root, &work, p, is_there, &none);
    while (is_there->len < v->images->count)
        text_add_char(is_there, false);
}

void images_leave_to_disk(struct images *images, pid_t pid, const struct patience *p)
{
    struct visit v = {.images = images};
    struct text is_there = {0};
    struct arena scratch = {0};
    struct proc proc;
    size_t len = 0;
    bool shares_files = proc_read(&proc, pid, &scratch) && proc.same_files;
    arena_free(&scratch);
    if (!shares_files)
        return;
    visit_images(&v, pid, p, &is_there);
    images->size = 0;
    for (size_t i = 0; i < images->count; i++) {
        struct image_piece piece = images->all[i];
        if (is_there.data[i] && path_ends_in(piece.area->path, ".dll"))
            piece.size = piece.area->offset == 0 ? PAGE : 0;
        piece.at = images->size;
        images->size += piece.size;
        if (piece.size > 0)
            images->all[len++] = piece;
    }
    images->count = len;
    text_free(&is_there);
}

/* Where the file is gone the process still has its pages. */
void images_copy(struct images *images, pid_t pid, struct copy_room *room, uint64_t at,
                 const struct patience *p)
{
    struct visit v = {images, room->bytes + at};
    struct text is_there = {0};
    int mem = others_open(pid, "mem", O_RDONLY);
    visit_images(&v, pid, p, &is_there);
    for (size_t i = 0; mem >= 0 && i < images->count; i++)
        if (!is_there.data[i])
            copy_from(mem, v.to + images->all[i].at, images->all[i].size,
                      images->all[i].area->start);
    text_free(&is_there);
    if (mem >= 0)
        close(mem);
}

void images_free(struct images *images)
{
    free(images->all);
    *images = (struct images){0};
}
