/* Finding the socket of a process: this one, with sockets of all kinds in a TMPDIR. */
#include "collect/target.h"

#include "support/peer.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scratch scratch;
static const struct patience brief = {.silence_ms = 500};

static void open_scratch(void)
{
    scratch_open(&scratch);
    setenv("TMPDIR", scratch.folder, 1);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(target, .init = open_scratch, .fini = remove_scratch, .timeout = 30);

static const char *socket_named(long number, const char *rest)
{
    return scratch_path(
        &scratch, arena_printf(&scratch.arena, "dotnet-diagnostic-%ld%s", number, rest));
}

/* A file that nobody listens at. */
static void leave_behind(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    memcpy(to.sun_path, path, strlen(path) + 1);
    cr_assert_eq(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    close(fd);
}

static const struct peer_script honest;

Test(target, proc_knows_this_process)
{
    struct proc p;
    cr_assert(proc_read(&p, getpid(), &scratch.arena));
    cr_expect_eq(p.pid, getpid());
    cr_expect_eq(p.uid, geteuid());
    cr_expect_gt(p.start, 0);
    cr_expect(p.same_files);
    /* Criterion names its processes itself. */
    cr_expect_not_null(p.short_name);
    cr_expect_not_null(strstr(p.command, p.name), "%s", p.command);
    cr_expect_not(proc_read(&p, 0, &scratch.arena));
    cr_expect_not(proc_read(&p, INT32_MAX, &scratch.arena));
}

Test(target, skips_what_dead_processes_left_and_takes_what_listens)
{
    struct target t;
    struct hd_error err = {0};
    leave_behind(socket_named(getpid(), "-1-socket"));
    scratch_file(&scratch, "dotnet-diagnostic-1-2-socket", "", 0);
    cr_expect_not(target_of_process(&t, getpid(), &brief, &scratch.arena, &err));
    cr_expect_not_null(strstr(err.message, "nobody listens"), "%s", err.message);
    const char *path = socket_named(getpid(), "-2-socket");
    struct peer *peer = peer_start(path, &honest);
    err = (struct hd_error){0};
    cr_expect(target_of_process(&t, getpid(), &brief, &scratch.arena, &err), "%s",
              err.message);
    cr_expect_str_eq(t.socket, path);
    cr_expect_eq(t.pid, getpid());
    cr_expect(t.visible);
    peer_stop(peer);
}

Test(target, takes_names_that_were_cut)
{
    struct target t;
    struct hd_error err = {0};
    cr_assert_geq(getpid(), 10);
    const char *rests[] = {"-17", "-", ""};
    for (size_t i = 0; i < 4; i++) {
        const char *path = i < 3 ? socket_named(getpid(), rests[i])
                                 : socket_named((long)getpid() / 10, "");
        struct peer *peer = peer_start(path, &honest);
        cr_expect(target_of_process(&t, getpid(), &brief, &scratch.arena, &err), "%s: %s",
                  path, err.message);
        peer_stop(peer);
        unlink(path);
    }
}

/* Somebody who makes a file in /tmp to be asked in place of another. */
Test(target, refuses_another_process_behind_the_name)
{
    struct target t;
    struct hd_error err = {0};
    const char *path = socket_named(getpid(), "-1-socket");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    memcpy(to.sun_path, path, strlen(path) + 1);
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        bool ok = bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0 && listen(fd, 8) == 0;
        ok = write(ready[1], "x", 1) == 1 && ok;
        pause();
        _exit(!ok);
    }
    char c;
    cr_assert_eq(read(ready[0], &c, 1), 1);
    cr_expect_not(target_of_process(&t, getpid(), &brief, &scratch.arena, &err));
    cr_expect_not_null(strstr(err.message, "listens at"), "%s", err.message);
    /* Named outright it is what it is. */
    err = (struct hd_error){0};
    cr_expect(target_at_socket(&t, path, &brief, &scratch.arena, &err), "%s", err.message);
    cr_expect_eq(t.pid, child);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    int fd = target_connect(&t, &brief, &err);
    cr_expect_lt(fd, 0);
}

Test(target, reaches_sockets_by_paths_too_long_for_an_address)
{
    char name[130];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    const char *folder = scratch_folder(&scratch, name);
    const char *path = scratch_path(&scratch, "short");
    struct peer *peer = peer_start(path, &honest);
    char *longer = arena_printf(&scratch.arena, "%s/socket", folder);
    cr_assert_eq(rename(path, longer), 0);
    int fd = ipc_connect(longer, &brief);
    cr_expect_geq(fd, 0);
    close(fd);
    peer_stop(peer);
}
