/* /proc of children of the test: their arguments, names, environment, and end. */
#include "collect/proc.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(proc, .timeout = 60);

enum { NOBODY = 1 << 22 };

/* A waiting shell with these arguments and this environment. */
static pid_t waiting(const char *const arguments[], const char *const environment[])
{
    int ready[2], input[2];
    char end;
    cr_assert_eq(pipe(ready), 0);
    cr_assert_eq(pipe(input), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(input[0], STDIN_FILENO);
        fcntl(ready[1], F_SETFD, FD_CLOEXEC);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execve("/bin/sh", (char **)(uintptr_t)arguments, (char **)(uintptr_t)environment);
        _exit(1);
    }
    close(ready[1]);
    cr_assert_eq(read(ready[0], &end, 1), 0); /* closed: it runs */
    close(ready[0]);
    return pid;
}

static void stop(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

Test(proc, a_program_run_by_the_host_is_named_by_its_assembly)
{
    static const struct {
        const char *arguments[6], *name, *command;
    } all[] = {
        {{"dotnet", "-c", "read x", "/srv/My.Shop.dll", "--port=1"},
         "My.Shop",
         "dotnet -c read x /srv/My.Shop.dll --port=1"},
        {{"/usr/bin/dotnet", "-c", "read x", "Shop.dll", "Other.dll"},
         "Shop",
         "/usr/bin/dotnet -c read x Shop.dll Other.dll"},
        {{"dotnet", "-c", "read x"}, "dotnet", "dotnet -c read x"},
        {{"/opt/shop/Shop", "-c", "read x", "a.dll"},
         "Shop",
         "/opt/shop/Shop -c read x a.dll"},
    };
    static const char *const none[] = {NULL};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct arena arena = {0};
        struct proc p;
        pid_t pid = waiting(all[i].arguments, none);
        cr_assert(proc_read(&p, pid, &arena));
        cr_expect_str_eq(p.name, all[i].name);
        cr_expect_str_eq(p.command, all[i].command);
        cr_expect_eq(p.uid, geteuid());
        cr_expect_eq(p.inner_pid, pid);
        cr_expect(p.same_files);
        cr_expect_not(p.ended);
        cr_expect_str_eq(p.folder, "/tmp");
        cr_expect_gt(p.resident, 0);
        cr_expect_lt(p.age, 60);
        stop(pid);
        arena_free(&arena);
    }
}

Test(proc, sockets_are_in_the_folder_of_the_processs_environment)
{
    static const char *const wait[] = {"sh", "-c", "read x", NULL};
    static const struct {
        const char *environment[4], *folder;
    } all[] = {
        {{"A=1", "TMPDIR=/srv/tmp", "B=2"}, "/srv/tmp"},
        {{"XTMPDIR=/srv/tmp"}, "/tmp"},
        {{"TMPDIR="}, "/tmp"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct arena arena = {0};
        struct proc p;
        pid_t pid = waiting(wait, all[i].environment);
        cr_assert(proc_read(&p, pid, &arena));
        cr_expect_str_eq(p.folder, all[i].folder, "%s", p.folder);
        stop(pid);
        arena_free(&arena);
    }
}

Test(proc, a_name_may_have_blanks_and_parentheses)
{
    struct arena arena = {0};
    struct proc p;
    prctl(PR_SET_NAME, "a) b (S 1 2");
    cr_assert(proc_read(&p, getpid(), &arena));
    cr_expect_str_eq(p.short_name, "a) b (S 1 2");
    cr_expect_gt(p.start, 0);
    arena_free(&arena);
}

Test(proc, an_ended_process_is_missing)
{
    struct arena arena = {0};
    struct proc p;
    siginfo_t how;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    cr_assert_eq(waitid(P_PID, (id_t)pid, &how, WEXITED | WNOWAIT), 0);
    cr_expect_not(proc_read(&p, pid, &arena));
    cr_expect(p.ended);
    cr_expect_eq(proc_memory(pid), 0);
    waitpid(pid, NULL, 0);
    cr_expect_not(proc_read(&p, NOBODY, &arena));
    cr_expect_eq(proc_memory(NOBODY), 0);
    cr_expect_null(proc_runtime(NOBODY, &arena));
    cr_expect_not(proc_is_hidden(NOBODY));
    cr_expect_not(proc_is_hidden(getpid()));
    cr_expect_not(proc_is_hidden(0));
    cr_expect_eq(proc_inner_thread(getpid(), getpid()), getpid());
    cr_expect_eq(proc_inner_thread(NOBODY, 7), 7);
    arena_free(&arena);
}

/* Maps a file with this name in a folder of a runtime. */
static void map_of_runtime(struct scratch *s, const char *version)
{
    char path[512];
    scratch_open(s);
    snprintf(path, sizeof(path), "%s", scratch_path(s, "Microsoft.NETCore.App"));
    cr_assert_eq(mkdir(path, 0700), 0);
    if (version != NULL) {
        snprintf(path, sizeof(path), "%s/%s", scratch_path(s, "Microsoft.NETCore.App"),
                 version);
        cr_assert_eq(mkdir(path, 0700), 0);
    }
    strncat(path, "/libcoreclr.so", sizeof(path) - strlen(path) - 1);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    cr_assert_eq(ftruncate(fd, 4096), 0);
    cr_assert_neq(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0), MAP_FAILED);
}

Test(proc, the_runtime_is_that_of_the_folder)
{
    struct scratch s = {0};
    struct arena arena = {0};
    map_of_runtime(&s, "10.0.12");
    const char *version = proc_runtime(getpid(), &arena);
    cr_assert_not_null(version);
    cr_expect_str_eq(version, "10.0.12");
    scratch_remove(&s);
    arena_free(&arena);
}

Test(proc, another_folder_is_not_a_version)
{
    struct scratch s = {0};
    struct arena arena = {0};
    map_of_runtime(&s, NULL);
    cr_expect_null(proc_runtime(getpid(), &arena));
    scratch_remove(&s);
    arena_free(&arena);
}

Test(proc, users_have_names_or_numbers)
{
    struct arena arena = {0};
    cr_expect_str_eq(proc_user(0).text, "root");
    cr_expect_str_eq(proc_user(3999999999u).text, "uid 3999999999");
    arena_free(&arena);
}

Test(proc, all_are_listed_once_and_rising)
{
    struct arena arena = {0};
    size_t count;
    int lacked = 0;
    bool found = false;
    const pid_t *all = proc_all(&count, &lacked, &arena);
    for (size_t i = 0; i < count; i++) {
        cr_assert(i == 0 || all[i - 1] < all[i]);
        found = found || all[i] == getpid();
    }
    cr_expect(found);
    cr_expect_eq(lacked, 0);
    arena_free(&arena);

    static const struct {
        int why;
        bool is_shortage;
    } whys[] = {{EMFILE, true}, {ENFILE, true},  {ENOMEM, true},  {EIO, true},
                {EINTR, true},  {ENOENT, false}, {EACCES, false}, {ESRCH, false}};
    for (size_t i = 0; i < sizeof(whys) / sizeof(*whys); i++)
        cr_expect_eq(proc_is_shortage(whys[i].why), whys[i].is_shortage, "%s",
                     strerror(whys[i].why));
}
