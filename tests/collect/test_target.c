/* Finding the socket of a process: this one, with sockets of all kinds in a TMPDIR. */
#include "collect/proc.h"

#include "support/outcome.h"
#include "support/peer.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

/* A socket file without a listener. */
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
    cr_expect_gt(p.resident, 1 << 20);
    cr_expect_lt(p.resident, (uint64_t)1 << 36);
    cr_expect_lt(p.age, 600);
    cr_expect(p.same_files);
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
    cr_expect_not_null(strstr(err.message, "nothing listens"), "%s", err.message);
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

/* --- strangers ------------------------------------------------------------------- */

/* A process of this user that listens at path, with a backlog of 8; kill it. */
static pid_t stranger_at(const char *path, uid_t uid)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    memcpy(to.sun_path, path, strlen(path) + 1);
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        bool ok = bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
                  (uid == geteuid() || setuid(uid) == 0) && listen(fd, 8) == 0;
        ok = write(ready[1], ok ? "y" : "n", 1) == 1 && ok;
        pause();
        _exit(!ok);
    }
    char c = 'n';
    cr_assert(read(ready[0], &c, 1) == 1 && c == 'y');
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void end_stranger(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* Another process has made a file in /tmp to be asked instead. */
Test(target, refuses_a_socket_with_the_name_of_another_process)
{
    struct target t;
    struct hd_error err = {0};
    const char *path = socket_named(getpid(), "-1-socket");
    pid_t child = stranger_at(path, geteuid());
    cr_expect_not(target_of_process(&t, getpid(), &brief, &scratch.arena, &err));
    cr_expect_not_null(strstr(err.message, "listens on"), "%s", err.message);
    /* A path given by the user is used. */
    err = (struct hd_error){0};
    cr_expect(target_at_socket(&t, path, &brief, &scratch.arena, &err), "%s", err.message);
    cr_expect_eq(t.pid, child);
    end_stranger(child);
    int fd = target_connect(&t, &brief, &err);
    cr_expect_lt(fd, 0);
}

static void another_listens_by_now(const struct target *t)
{
    struct hd_error err = {0};
    cr_expect_lt(target_connect(t, &brief, &err), 0);
    cr_expect_not_null(strstr(err.message, "another process is listening there now"), "%s",
                       err.message);
}

/* Between two requests another process may replace the socket. */
Test(target, sends_nothing_to_another_process_that_replaced_the_socket)
{
    struct target t;
    struct hd_error err = {0};
    const char *path = socket_named(getpid(), "-1-socket");
    pid_t first = stranger_at(path, geteuid());
    cr_assert(target_at_socket(&t, path, &brief, &scratch.arena, &err), "%s", err.message);
    end_stranger(first);
    unlink(path);
    pid_t second = stranger_at(path, geteuid());
    another_listens_by_now(&t);
    t.pid = second;
    t.start = proc_start(second);
    int fd = target_connect(&t, &brief, &err);
    cr_expect_geq(fd, 0, "%s", err.message);
    close(fd);
    /* A visible process is not the earlier, invisible one. */
    t = (struct target){.socket = t.socket, .pid = first, .uid = t.uid};
    another_listens_by_now(&t);
    end_stranger(second);
}

enum { NOBODY = 65534 };

Test(target, sends_nothing_to_another_user_that_replaced_the_socket)
{
    struct target t;
    struct hd_error err = {0};
    if (geteuid() != 0)
        cr_skip_test("takes root");
    const char *path = socket_named(getpid(), "-1-socket");
    pid_t child = stranger_at(path, NOBODY);
    cr_assert(target_at_socket(&t, path, &brief, &scratch.arena, &err), "%s", err.message);
    /* The kernel reports the user that called listen(). */
    cr_expect_eq(t.uid, NOBODY);
    t.uid = 0;
    another_listens_by_now(&t);
    end_stranger(child);
}

/* 0: refused with these words. Runs in a child, which drops root. */
static int refusal_for_nobody(const char *path, const char *words)
{
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        struct target t;
        struct hd_error err = {0};
        struct arena arena = {0};
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(3);
        bool ok = target_at_socket(&t, path, &brief, &arena, &err);
        _exit(ok ? 2 : strstr(err.message, words) == NULL);
    }
    int how = 0;
    waitpid(child, &how, 0);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

Test(target, trusts_no_other_user_as_owner_of_the_file_or_as_listener)
{
    if (geteuid() != 0)
        cr_skip_test("takes root");
    cr_assert_eq(chmod(scratch.folder, 0755), 0);
    const char *path = socket_named(getpid(), "-1-socket");
    pid_t root = stranger_at(path, 0);
    cr_assert_eq(chmod(path, 0777), 0);
    cr_expect_eq(refusal_for_nobody(path, "belongs to user root"), 0, "the file");
    /* It gives the file away, and still listens. */
    cr_assert_eq(chown(path, NOBODY, NOBODY), 0);
    cr_expect_eq(refusal_for_nobody(path, "belongs to user root"), 0, "who listens");
    end_stranger(root);
    unlink(path);
    pid_t nobody = stranger_at(path, NOBODY);
    cr_assert_eq(chown(path, NOBODY, NOBODY), 0);
    cr_expect_eq(refusal_for_nobody(path, ""), 2, "its own");
    cr_assert_eq(chown(path, 0, 0), 0);
    cr_assert_eq(chmod(path, 0777), 0);
    cr_expect_eq(refusal_for_nobody(path, "belongs to user root"), 0, "only the file");
    end_stranger(nobody);
}

/* --- sockets that take no connections ----------------------------------------------- */

enum { MANY = 30 };

/* Listens, with a full backlog; the process exits soon. */
static void block_at(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), client;
    memcpy(to.sun_path, path, strlen(path) + 1);
    cr_assert_eq(bind(listener, (struct sockaddr *)&to, sizeof(to)), 0);
    cr_assert_eq(listen(listener, 0), 0);
    do {
        client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        cr_assert_geq(client, 0);
    } while (connect(client, (struct sockaddr *)&to, sizeof(to)) == 0);
    cr_assert_eq(errno, EAGAIN);
}

static void block_many(void)
{
    for (int i = 0; i < MANY; i++)
        block_at(socket_named(getpid(), arena_printf(&scratch.arena, "-9%d-socket", i)));
}

static const struct patience short_one = {.silence_ms = 100};

Test(target, does_not_wait_for_each_of_many_sockets_that_take_no_connections)
{
    struct target t;
    struct hd_error err = {0};
    block_many();
    uint64_t began = clock_ms();
    cr_expect_not(target_of_process(&t, getpid(), &short_one, &scratch.arena, &err));
    cr_expect_eq(err.status, HD_TIMED_OUT, "%s", err.message);
    cr_expect_lt((double)(clock_ms() - began),
                 MANY * short_one.silence_ms / 2.0 * outcome_busy());
}

/* The honest one is tried last. */
Test(target, finds_a_process_after_many_sockets_that_accept_no_connections)
{
    struct target t;
    struct hd_error err = {0};
    const char *path = socket_named(getpid(), "-1-socket");
    struct peer *peer = peer_start(path, &honest);
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    cr_assert_eq(utimensat(AT_FDCWD, path, long_ago, 0), 0);
    block_many();
    uint64_t began = clock_ms();
    cr_expect(target_of_process(&t, getpid(), &short_one, &scratch.arena, &err), "%s",
              err.message);
    cr_expect_str_eq(t.socket, path);
    cr_expect_lt((double)(clock_ms() - began),
                 MANY * short_one.silence_ms / 2.0 * outcome_busy());
    peer_stop(peer);
}

Test(target, asks_all_sockets_side_by_side)
{
    size_t count, found = 0;
    const char *incomplete = "";
    const char *path = socket_named(getpid(), "-1-socket");
    struct peer *peer = peer_start(path, &honest);
    block_many();
    uint64_t began = clock_ms();
    struct found *all = targets_find(&count, &incomplete, &brief, &scratch.arena);
    /* Sequentially they would exceed the patience for all of them. */
    cr_expect_lt((double)(clock_ms() - began), 2.0 * brief.silence_ms * outcome_busy());
    for (size_t i = 0; i < count; i++)
        found += strcmp(all[i].target.socket, path) == 0 && all[i].problem == NULL;
    cr_expect_eq(found, 1);
    cr_expect_null(incomplete);
    peer_stop(peer);
}

/* --- names that are too long --------------------------------------------------------- */

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
    int fd = transport.connect(longer, &brief);
    cr_expect_geq(fd, 0);
    close(fd);
    peer_stop(peer);
}
