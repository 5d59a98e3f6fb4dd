/* Finds other clients of a socket: children of this process. */

#include "collect/proc.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scratch scratch;

/* Some kernels do not list Unix sockets; clients cannot be found then. */
static bool kernel_lists_sockets(void)
{
    struct {
        struct nlmsghdr head;
        struct unix_diag_req body;
    } ask = {.head = {.nlmsg_len = sizeof(ask),
                      .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                      .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
             .body = {.sdiag_family = AF_UNIX, .udiag_states = UINT32_MAX}};
    struct nlmsghdr head = {.nlmsg_type = NLMSG_ERROR};
    unsigned char answer[16384];
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd >= 0 && send(fd, &ask, sizeof(ask), 0) > 0 &&
        recv(fd, answer, sizeof(answer), 0) >= (ssize_t)sizeof(head))
        memcpy(&head, answer, sizeof(head));
    if (fd >= 0)
        close(fd);
    return head.nlmsg_type == SOCK_DIAG_BY_FAMILY;
}

static void open_scratch(void)
{
    scratch_open(&scratch);
    if (!kernel_lists_sockets())
        cr_skip_test("the kernel does not list Unix sockets");
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(clients, .init = open_scratch, .fini = remove_scratch, .timeout = 30);

/* --- a server and its clients ------------------------------------------------------ */

static struct sockaddr_un address_of(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    cr_assert_lt(strlen(path), sizeof(to.sun_path));
    memcpy(to.sun_path, path, strlen(path) + 1);
    return to;
}

static int listen_at(const char *path)
{
    struct sockaddr_un to = address_of(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    cr_assert_eq(listen(fd, 16), 0);
    return fd;
}

static int connect_to(const char *path)
{
    struct sockaddr_un to = address_of(path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

struct child {
    pid_t pid;
    int end; /* of the server */
};

/* A connected process with this name in its arguments. */
static struct child client(int listener, const char *path, const char *name)
{
    struct child c = {.pid = fork()};
    if (c.pid == 0) {
        connect_to(path);
        execl("/bin/sleep", name, "60", (char *)NULL);
        _exit(1);
    }
    c.end = accept(listener, NULL, NULL);
    cr_assert_geq(c.end, 0);
    /* Waits until the program runs: the kernel sets the short name before the arguments,
     * and a process without arguments is identified by its short name. */
    struct proc proc = {0};
    do {
        usleep(1000);
        cr_assert(proc_read(&proc, c.pid, &scratch.arena));
    } while (proc.short_name == NULL || strcmp(proc.short_name, "sleep") != 0 ||
             strcmp(proc.name, "sleep") == 0);
    return c;
}

static void end(struct child c)
{
    kill(c.pid, SIGKILL);
    waitpid(c.pid, NULL, 0);
    close(c.end);
}

static void expect_clients(const char *path, size_t count, const struct child *all)
{
    struct hd_client found[HD_MAX_CLIENTS];
    cr_assert_eq(clients_find(path, found), count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(found[i].pid, (uint64_t)all[i].pid);
}

Test(clients, are_found_by_pid_and_name_without_this_process)
{
    const char *path = scratch_path(&scratch, "dotnet-diagnostic-7-1-socket");
    const char *other = scratch_path(&scratch, "dotnet-diagnostic-7-2-socket");
    int listener = listen_at(path), other_listener = listen_at(other);
    struct hd_client found[HD_MAX_CLIENTS];
    expect_clients(path, 0, NULL);
    int own = connect_to(path), own_end = accept(listener, NULL, NULL);
    cr_assert_geq(own_end, 0);
    expect_clients(path, 0, NULL);
    close(own);
    close(own_end);
    struct child one = client(listener, path, "/opt/tools/monitor");
    struct child stranger = client(other_listener, other, "stranger");
    struct child two = client(listener, path, "agent");
    expect_clients(path, 2, (struct child[]){one, two});
    clients_find(path, found);
    cr_expect_str_eq(found[0].name, "monitor");
    cr_expect_str_eq(found[1].name, "agent");
    expect_clients(other, 1, &stranger);
    end(one);
    expect_clients(path, 1, &two);
    end(two);
    end(stranger);
    expect_clients(path, 0, NULL);
    close(listener);
    close(other_listener);
}

Test(clients, are_found_through_links_and_through_proc)
{
    const char *folder = scratch_folder(&scratch, "real");
    const char *link = scratch_path(&scratch, "link");
    const char *path = arena_printf(&scratch.arena, "%s/socket", folder);
    cr_assert_eq(symlink(folder, link), 0);
    int listener = listen_at(path);
    struct child c = client(listener, path, "c");
    expect_clients(arena_printf(&scratch.arena, "%s/socket", link), 1, &c);
    expect_clients(arena_printf(&scratch.arena, "/proc/%ld/root%s", (long)getpid(), path),
                   1, &c);
    /* The file is deleted, the name remains; the same name in another folder is another
     * socket. */
    unlink(path);
    expect_clients(path, 1, &c);
    expect_clients(scratch_path(&scratch, "socket"), 0, NULL);
    end(c);
    close(listener);
}

Test(clients, are_named_in_printable_characters_and_not_too_long)
{
    const char *path = scratch_path(&scratch, "socket");
    int listener = listen_at(path);
    struct hd_client found[HD_MAX_CLIENTS];
    struct child c = client(listener, path, "a\x1b[2J\nb\xFFü\xC2\x9B");
    cr_assert_eq(clients_find(path, found), 1);
    cr_expect_str_eq(found[0].name, "a?[2J?b\xEF\xBF\xBDü??");
    end(c);
    char name[200];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    c = client(listener, path, name);
    cr_assert_eq(clients_find(path, found), 1);
    cr_expect_eq(strlen(found[0].name), sizeof(found[0].name) - 1);
    end(c);
    close(listener);
}

Test(clients, are_four_at_most)
{
    enum { MANY = HD_MAX_CLIENTS + 2 };
    const char *path = scratch_path(&scratch, "socket");
    int listener = listen_at(path);
    struct child all[MANY];
    for (size_t i = 0; i < MANY; i++)
        all[i] = client(listener, path, "c");
    expect_clients(path, HD_MAX_CLIENTS, all);
    for (size_t i = 0; i < MANY; i++)
        end(all[i]);
    close(listener);
}
