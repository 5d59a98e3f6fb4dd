/* Reads facts about a process for the program: public functions. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "base/error.h"
#include "collect/others.h"
#include "collect/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

static const struct patience brief = {.silence_ms = 1000};

static bool is_pid(uint64_t pid)
{
    errno = ESRCH;
    return pid > 0 && pid <= INT32_MAX;
}

char *hd_process_file(uint64_t pid, const char *name, size_t *size)
{
    struct text t = {0};
    bool ok = is_pid(pid) && proc_read_file((pid_t)pid, name, &t);
    int why = errno;
    if (!ok)
        text_free(&t);
    else
        text_string(&t); /* ends it */
    *size = t.len;
    errno = why;
    return t.data;
}

uint64_t hd_process_start(uint64_t pid)
{
    return is_pid(pid) ? proc_start((pid_t)pid) : 0;
}

bool hd_socket_is_gone(const char *socket)
{
    struct look seen;
    return !others_look(socket, LOOK_NAME, &brief, &seen) &&
           (errno == ENOENT || errno == ENOTDIR || errno == ESRCH);
}

/* --- the program ----------------------------------------------------------- */

struct program_copy {
    pid_t pid;
    int to;
};

enum { PROGRAM_SECONDS = 10, PROGRAM_MEGABYTES = 1024 };

/* In a child: a file system that never answers must not stop us. */
static int copy_program(void *context, struct text *answer)
{
    const struct program_copy *c = context;
    static char block[1 << 16];
    size_t left = (size_t)PROGRAM_MEGABYTES << 20;
    (void)answer;
    int from = others_open_program(c->pid);
    ssize_t got = from >= 0 ? 1 : -1;
    while (got > 0 && (got = read(from, block, sizeof(block))) > 0) {
        if ((size_t)got > left) {
            errno = EFBIG;
            return -1;
        }
        left -= (size_t)got;
        for (ssize_t at = 0, put; at < got; at += put) {
            put = write(c->to, block + at, (size_t)(got - at));
            if (put < 0)
                return -1;
        }
    }
    errno = got < 0 ? errno : 0;
    return -1;
}

bool hd_process_program(uint64_t pid, FILE *to, struct hd_error *err)
{
    const struct patience ten = {.silence_ms = PROGRAM_SECONDS * 1000};
    struct program_copy c = {.pid = (pid_t)pid, .to = fileno(to)};
    const struct apart work = {.keeps = c.to, .work = copy_program, .context = &c};
    struct text answer = {0};
    int none;
    bool ok = is_pid(pid) && apart_run(&work, &ten, &answer, &none);
    int why = errno;
    text_free(&answer);
    return ok || fail(err,
                      why == EFBIG       ? HD_TOO_BIG
                      : why == ETIMEDOUT ? HD_TIMED_OUT
                                         : HD_IO,
                      "the program of process %" PRIu64 " cannot be read: %s", pid,
                      strerror(why));
}

/* --- control groups -------------------------------------------------------- */

struct group_files {
    const char *const *paths;
    size_t count;
};

/* Only files of control groups are the kernel's; the process may have mounted others over
 * them. */
static int read_group_files(const struct inside *at, void *context, struct text *answer)
{
    const long version_1 = 0x27e0eb, version_2 = 0x63677270;
    const struct group_files *g = context;
    struct statfs st;
    for (size_t i = 0; i < g->count; i++) {
        char text[HD_GROUP_FILE] = "";
        int fd = inside_open(&(struct inside){at->root, g->paths[i]}, O_PATH);
        bool is_of_kernel = fd >= 0 && fstatfs(fd, &st) == 0 &&
                            ((long)st.f_type == version_1 || (long)st.f_type == version_2);
        if (is_of_kernel && (fd = others_open_held(fd)) >= 0 &&
            read(fd, text, sizeof(text) - 1) < 0)
            text[0] = '\0';
        if (fd >= 0)
            close(fd);
        text_add(answer, text, sizeof(text));
    }
    errno = 0;
    return -1;
}

bool hd_process_group_files(uint64_t pid, const char *const *paths, size_t count,
                            char (*texts)[HD_GROUP_FILE])
{
    struct group_files g = {paths, count};
    const struct other_work work = {.work = read_group_files, .context = &g};
    struct text answer = {0};
    struct arena scratch = {0};
    struct proc proc;
    char root[64];
    int none;
    bool ok = is_pid(pid) && proc_read(&proc, (pid_t)pid, &scratch) && !proc.same_files;
    arena_free(&scratch);
    snprintf(root, sizeof(root), "/proc/%llu/root/", (unsigned long long)pid);
    ok = ok && others_run(root, &work, &brief, &answer, &none) &&
         answer.len == count * HD_GROUP_FILE;
    if (ok)
        memcpy(texts, answer.data, answer.len);
    text_free(&answer);
    return ok;
}
