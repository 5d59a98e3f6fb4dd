#include "collect/process_copy.h"

#include "base/error.h"
#include "collect/denied.h"
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

static void read_auxv(struct process_copy *c)
{
    char path[64], block[1024];
    ssize_t n;
    snprintf(path, sizeof(path), "/proc/%ld/auxv", (long)c->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read(fd, block, sizeof(block))) > 0)
        text_add(&c->auxv, block, (size_t)n);
    if (fd >= 0)
        close(fd);
}

/* Registers, layouts and the core that is written are those of one machine. */
static bool is_known_machine(struct hd_error *err)
{
#ifdef __x86_64__
    (void)err;
    return true;
#else
    return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                      "the memory of processes can only be read on x86-64");
#endif
}

bool process_copy_open(struct process_copy *c, const struct hd_collect_options *how,
                       struct hd_error *err)
{
    struct target found;
    struct proc proc;
    *c = (struct process_copy){
        .mem = -1, .pages = {.pages = -1, .shared = -1}, .room = {.fd = -1}};
    if (!is_known_machine(err) || !find(&found, how, &c->arena, err))
        return false;
    c->pid = found.pid;
    if (found.visible && proc_is_hidden(found.pid))
        return fail(err, HD_IO,
                    "process %ld is hidden from this user by /proc (hidepid): run "
                    "heapdrift as its user, or as root",
                    (long)found.pid);
    if (!found.visible)
        return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                          "the process is in another pid namespace, so its memory cannot "
                          "be read from here");
    if (!proc_read(&proc, found.pid, &c->arena))
        return fail(err, HD_IO, "there is no process %ld", (long)found.pid);
    c->start = proc.start;
    c->name = proc.short_name;
    c->arguments = proc.command;
    found.uid = proc.uid;
    c->origin = origin_of(&found);
    read_auxv(c);
    return true;
}

bool process_copy_look(struct process_copy *c, struct hd_error *err)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%ld/mem", (long)c->pid);
    c->mem = open(path, O_RDONLY | O_CLOEXEC);
    return (c->mem >= 0 && address_space_read(&c->space, c->pid, &c->arena)) ||
           denied_or_ended(c->pid, err);
}

bool process_copy_is_same(const struct process_copy *c, struct hd_error *err)
{
    struct arena scratch = {0};
    struct proc now;
    bool same = proc_read(&now, c->pid, &scratch) && now.start == c->start;
    arena_free(&scratch);
    return same || fail(err, HD_IO, "the process has ended");
}

struct core_content process_copy_content(const struct process_copy *c,
                                         const struct core_thread *threads, size_t count)
{
    return (struct core_content){.pid = c->pid,
                                 .name = c->name,
                                 .arguments = c->arguments,
                                 .auxv = {(unsigned char *)c->auxv.data, c->auxv.len},
                                 .space = &c->space,
                                 .images = &c->images,
                                 .runs = &c->runs,
                                 .threads = threads,
                                 .thread_count = count};
}

void process_copy_close(struct process_copy *c)
{
    copy_room_free(&c->room);
    if (c->mem >= 0)
        close(c->mem);
    page_source_close(&c->pages);
    runs_free(&c->runs);
    images_free(&c->images);
    text_free(&c->auxv);
    arena_free(&c->arena);
}
