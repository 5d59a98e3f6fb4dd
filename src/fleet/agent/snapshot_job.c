/* One snapshot of a running process as a digest: by this process, by a child for it alone,
 * or by the child that follows the objects of the process. */
#include "cli/guard/trust.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"
#include "collect/live/anonymous_file.h"
#include "collect/live/children.h"
#include "fleet/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A digest has some hundred kilobytes; one larger than the whole queue is invalid. */
enum { MAX_RESULT = 64 << 20, TO_END_S = 2 };

void snapshot_job_run(struct collector *c, const char *who, struct snapshot_result *t)
{
    *t = (struct snapshot_result){.status = EXIT_TROUBLE};
    c->failure = &t->err;
    t->status = collector_take(c, who, &t->digest);
    c->failure = NULL;
    t->collected = c->collected;
}

/* --- in the child ------------------------------------------------------------------- */

bool snapshot_job_write(struct collector *c, const char *who, FILE *result)
{
    struct snapshot_result t;
    snapshot_job_run(c, who, &t);
    fflush(stderr);
    rewind(result);
    bool ok = ftruncate(fileno(result), 0) == 0 && fwrite(&t, sizeof(t), 1, result) == 1 &&
              (t.digest.size == 0 || fwrite(t.digest.bytes, t.digest.size, 1, result) == 1);
    hd_memory_free(&t.digest);
    return fflush(result) == 0 && ok;
}

/* --- in the parent ------------------------------------------------------------------ */

void snapshot_job_stop(struct snapshot_job *job)
{
    if (job->child > 0)
        kill(job->child, job->stops++ > 0 ? SIGKILL : SIGUSR1);
}

/* Starts a child for this snapshot only. False with errno. */
static bool begin_alone(struct snapshot_job *job, struct collector *c, const char *who)
{
    job->result = anonymous_file_in_memory();
    if (job->result == NULL)
        return false;
    job->child = child_begin_snapshot(c, NULL, 0);
    if (job->child == 0)
        _exit(snapshot_job_write(c, who, job->result) ? EXIT_DONE : EXIT_TROUBLE);
    if (job->child > 0)
        return true;
    int why = errno;
    fclose(job->result);
    errno = why;
    return false;
}

bool snapshot_job_begin(struct snapshot_job *job, struct collector *c, const char *who,
                        struct follower *follower)
{
    *job = (struct snapshot_job){.follower = follower};
    c->begin = seconds_now();
    job->give_up = c->begin + c->most_seconds + TO_END_S;
    bool ok = follower != NULL ? follower_take(follower, c, who) : begin_alone(job, c, who);
    if (!ok)
        *job = (struct snapshot_job){0};
    else if (follower != NULL)
        job->child = follower->child;
    return ok;
}

/* The child parsed untrusted input, so its result is checked like input. A permanent child
 * may still write, so only the initial size is read. */
static bool read_result(FILE *result, struct snapshot_result *t)
{
    struct stat st;
    char block[1 << 14];
    const struct hd_sink to = hd_sink_memory(&t->digest);
    int fd = fileno(result);
    /* The result precedes the digest. */
    bool ok = fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(*t) &&
              st.st_size <= MAX_RESULT &&
              pread(fd, t, sizeof(*t), 0) == (ssize_t)sizeof(*t);
    t->digest = (struct hd_memory){0};
    t->has_crashed = false;
    t->err.kind = NULL;
    t->err.message[sizeof(t->err.message) - 1] = '\0';
    if (!ok)
        return false;
    for (off_t done = (off_t)sizeof(*t), n; done < st.st_size; done += n) {
        off_t left = st.st_size - done, most = (off_t)sizeof(block);
        n = pread(fd, block, (size_t)(left < most ? left : most), done);
        if (n <= 0 || to.write(to.context, block, (size_t)n) != 0)
            return false;
    }
    return true;
}

/* True if the snapshot is finished: a follower reports it; a cancelled follower, like any
 * other child, has to exit. how: as of waitpid(2). */
static bool has_ended(const struct snapshot_job *job, int *how)
{
    *how = EXIT_DONE;
    if (job->follower != NULL && job->stops == 0 && follower_has_answered(job->follower))
        return true;
    *how = EXIT_TROUBLE << 8;
    pid_t ended = waitpid(job->child, how, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return false;
    if (job->follower != NULL)
        job->follower->child = 0;
    return true;
}

bool snapshot_job_is_done(struct snapshot_job *job, struct snapshot_result *t)
{
    struct follower *f = job->follower;
    int how;
    if (seconds_now() > job->give_up) {
        snapshot_job_stop(job);
        job->give_up += TO_END_S;
    }
    if (!has_ended(job, &how))
        return false;
    FILE *result = f != NULL ? f->result : job->result;
    *t = (struct snapshot_result){.status = EXIT_TROUBLE};
    t->has_crashed = WIFSIGNALED(how) && job->stops == 0;
    if (t->has_crashed) {
        set_error(&t->err, HD_IO, "its collector process was killed (signal %d)%s",
                  WTERMSIG(how),
                  WTERMSIG(how) == SIGKILL ? ": possibly out of memory" : "");
    } else if (job->stops > 0 && !WIFEXITED(how)) {
        set_error(&t->err, HD_TIMED_OUT,
                  "took too long, and its collector process was killed");
    } else if (WEXITSTATUS(how) != EXIT_DONE || !read_result(result, t)) {
        t->has_crashed = true;
        t->status = EXIT_TROUBLE;
        set_error(&t->err, HD_IO, "its collector process failed");
    }
    if (t->status == EXIT_TROUBLE)
        hd_memory_free(&t->digest);
    if (f == NULL)
        fclose(result);
    else if (f->child == 0)
        follower_end(f);
    *job = (struct snapshot_job){0};
    return true;
}

/* --- one at a time on this host ------------------------------------------------------ */

#define FOLDER_OF_ROOT "/run/heapdrift"

/* Opens a lock file; flock() needs no write access. Must not block on a planted pipe, nor
 * follow a planted link, also in parent folders. */
static int open_lock(const char *path)
{
    const int how = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    char name[NAME_MAX + 1];
    struct stat st;
    int folder = trust_open_folder(path, name);
    if (folder < 0)
        return -1;
    int fd = openat(folder, name, how | O_CREAT, 0600);
    /* In a folder for all the kernel may refuse to "make" a file of another's
     * (fs.protected_regular), though it only has to be opened. */
    if (fd < 0 && errno == EACCES)
        fd = openat(folder, name, how);
    int why = errno;
    close(folder);
    errno = why;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    if (fd >= 0) {
        close(fd);
        errno = EINVAL;
    }
    return -1;
}

static int open_in(const char *folder, const char *name, char *path, size_t size)
{
    int length = snprintf(path, size, "%s/%s", folder, name);
    if (length > 0 && (size_t)length < size)
        return open_lock(path);
    errno = ENAMETOOLONG;
    return -1;
}

/* One for each user: a lock that all users share can be held by any user. */
static int open_usual(char *path, size_t size)
{
    struct stat st;
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
    char name[64];
    int fd = -1;
    /* systemd makes it for the unit of the agent. */
    if (geteuid() == 0)
        mkdir(FOLDER_OF_ROOT, 0755);
    if (geteuid() == 0 && lstat(FOLDER_OF_ROOT, &st) == 0 && S_ISDIR(st.st_mode) &&
        st.st_uid == 0 && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        fd = open_in(FOLDER_OF_ROOT, "heapdrift.lock", path, size);
    else if (geteuid() != 0 && runtime != NULL && runtime[0] == '/')
        fd = open_in(runtime, "heapdrift.lock", path, size);
    snprintf(name, sizeof(name), "heapdrift-%lu.lock", (unsigned long)geteuid());
    if (fd < 0 && temporary != NULL && temporary[0] == '/')
        fd = open_in(temporary, name, path, size);
    return fd >= 0 ? fd : open_in("/tmp", name, path, size);
}

enum host_lock_state host_lock_try(struct host_lock *lock)
{
    char usual[PATH_MAX];
    struct stat st, there;
    const char *path = lock->path != NULL ? lock->path : usual;
    int fd = lock->path != NULL ? open_lock(path) : open_usual(usual, sizeof(usual));
    if (fd < 0) {
        lock->why = errno == EPERM ? "it is a link of another user" : strerror(errno);
        return HOST_LOCK_NONE;
    }
    /* To open a file is to be able to lock it. Its group was chosen by its owner, and may.
     */
    if (fstat(fd, &st) != 0 || (st.st_uid != 0 && st.st_uid != geteuid()) ||
        (st.st_mode & S_IRWXO) != 0) {
        close(fd);
        lock->why = "other users can open this file and hold the lock for good, so the "
                    "lock is not awaited; make root or this user its owner, and chmod o=";
        return HOST_LOCK_NONE;
    }
    /* If the file was removed since it was opened, others would lock a different one. */
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && stat(path, &there) == 0 &&
        st.st_dev == there.st_dev && st.st_ino == there.st_ino) {
        lock->held = fd;
        return HOST_LOCKED;
    }
    close(fd);
    return HOST_LOCK_BUSY;
}

void host_lock_release(struct host_lock *lock)
{
    if (lock->held >= 0)
        close(lock->held);
    lock->held = -1;
}
