#include "collect/direct_target.h"

#include "base/error.h"
#include "collect/origin.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

static bool find(struct target *found, const struct hd_collect_options *how,
                 struct arena *arena, struct hd_error *err)
{
    static const struct patience brief = {.silence_ms = 1000};
    if (how->socket != NULL)
        return target_at_socket(found, how->socket, &brief, arena, err);
    *found = (struct target){.socket = "", .pid = (pid_t)how->pid, .visible = how->pid > 0};
    if (how->pid > INT32_MAX)
        return fail(err, HD_IO, "there is no process %" PRIu64, how->pid);
    return true;
}

static void read_auxv(struct direct_target *t)
{
    char path[64], block[1024];
    ssize_t n;
    snprintf(path, sizeof(path), "/proc/%ld/auxv", (long)t->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read(fd, block, sizeof(block))) > 0)
        text_add(&t->auxv, block, (size_t)n);
    if (fd >= 0)
        close(fd);
}

bool direct_target_open(struct direct_target *t, const struct hd_collect_options *how,
                        struct hd_error *err)
{
    struct target found;
    struct proc proc;
    *t = (struct direct_target){0};
    if (!find(&found, how, &t->arena, err))
        return false;
    t->pid = found.pid;
    if (found.visible && proc_is_hidden(found.pid))
        return fail(err, HD_IO,
                    "process %ld is hidden from this user by /proc (hidepid): run "
                    "heapdrift as its user, or as root",
                    (long)found.pid);
    if (!found.visible)
        return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                          "the process is in another pid namespace, so its memory cannot "
                          "be read from here");
    if (!proc_read(&proc, found.pid, &t->arena))
        return fail(err, HD_IO, "there is no process %ld", (long)found.pid);
    t->start = proc.start;
    t->name = proc.short_name;
    t->arguments = proc.command;
    found.uid = proc.uid;
    t->origin = origin_of(&found);
    read_auxv(t);
    return true;
}

void direct_target_close(struct direct_target *t)
{
    text_free(&t->auxv);
    arena_free(&t->arena);
}

bool direct_target_is_same(const struct direct_target *t)
{
    struct arena scratch = {0};
    struct proc now;
    bool same = proc_read(&now, t->pid, &scratch) && now.start == t->start;
    arena_free(&scratch);
    return same;
}
