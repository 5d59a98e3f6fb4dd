/* unshare() is an extension of Linux. */
#define _GNU_SOURCE
#include "collect/proc.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ID "3f2a91c0d2e14b5c6d7e8f901a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"

static void expect_container(const char *text, const char *id)
{
    char found[65] = "";
    cr_expect_eq(origin_container(text, found), id != NULL, "%s", text);
    cr_expect_str_eq(found, id != NULL ? id : "", "%s", text);
}

Test(origin, containers_are_found_in_the_group_names_of_engines)
{
    expect_container("0::/system.slice/docker-" ID ".scope\n", ID);
    expect_container("12:cpu:/docker/" ID "\n", ID);
    expect_container(
        "0::/kubepods.slice/kubepods-pod1234_56.slice/cri-containerd-" ID ".scope\n", ID);
    expect_container("0::/../libpod-" ID "/container\n", ID);
    expect_container("4:memory:/kubepods/besteffort/pod9f1e-22/" ID "\n", ID);
    expect_container("0::/kubepods-burstable-pod12_34.slice:cri-containerd:" ID "\n", ID);
    expect_container("3:pids:/k8s.io/" ID "\n", ID);
    expect_container("0::/machine.slice/libpod-" ID ".scope/container\n", ID);
    expect_container(
        "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope\n",
        ID);
    expect_container("0::/system.slice/crio-" ID ".scope\n", ID);
    expect_container("0::/\n", NULL);
    expect_container("0::/user.slice/user-1000.slice/session-2.scope\n", NULL);
    expect_container("0::/x" ID "\n", NULL);
    expect_container("0::/" ID "0\n", NULL);
    expect_container("", NULL);
}

static void expect_program(const char *arguments, size_t len, const char *program)
{
    char found[64];
    origin_program(arguments, len, found, sizeof(found));
    cr_expect_str_eq(found, program);
}

Test(origin, arguments_of_a_program_may_be_secret_and_stay_out)
{
    static const char host[] = "/usr/bin/dotnet\0exec\0/app/Shop.dll\0--key\0secret";
    static const char program[] = "/app/Shop\0--password=secret\0x.dll";
    static const char bare[] = "dotnet\0run\0--key=secret";
    expect_program(host, sizeof(host), "/usr/bin/dotnet /app/Shop.dll");
    expect_program(program, sizeof(program), "/app/Shop");
    expect_program(bare, sizeof(bare), "dotnet");
    expect_program("", 0, "");
}

Test(origin, a_program_that_is_too_long_is_unknown)
{
    char path[100];
    memset(path, 'a', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    expect_program(path, sizeof(path), "");
}

Test(origin, a_process_of_this_machine_is_told_from_every_other)
{
    struct target own = {.pid = getpid(), .visible = true};
    struct target parent = {.pid = getppid(), .visible = true};
    struct hd_origin a = origin_of(&own), b = origin_of(&own), c = origin_of(&parent);
    cr_expect_neq(a.instance, 0);
    cr_expect_eq(a.instance, b.instance);
    cr_expect_neq(a.instance, c.instance);
    cr_expect_eq(strlen(a.started), strlen("2026-11-22T00:51:24"));
    cr_expect_neq(a.program[0], '\0');
    cr_expect_str_eq(a.runtime, "", "no .NET here");
}

Test(origin, an_invisible_process_has_no_facts)
{
    struct target hidden = {.pid = getpid(), .visible = false};
    struct hd_origin o = origin_of(&hidden);
    cr_expect_eq(o.instance, 0);
    cr_expect_str_eq(o.host, "");
    cr_expect_str_eq(o.program, "");
}

/* A process on a machine with this name, or 0 if that is not allowed; kill it. */
static pid_t process_on(const char *host)
{
    int ready[2];
    char c = 'n';
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        bool ok = unshare(CLONE_NEWUTS) == 0 && sethostname(host, strlen(host)) == 0;
        ok = write(ready[1], ok ? "y" : "n", 1) == 1 && ok;
        if (ok)
            pause();
        _exit(!ok);
    }
    cr_assert(child > 0 && read(ready[0], &c, 1) == 1);
    if (c == 'y')
        return child;
    waitpid(child, NULL, 0);
    return 0;
}

static void expect_host(const char *host, const char *told)
{
    pid_t child = process_on(host);
    if (child == 0)
        cr_skip_test("nobody may make a machine here");
    struct target inside = {.pid = child, .visible = true};
    struct hd_origin o = origin_of(&inside);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect_str_eq(o.host, told, "%s", host);
}

Test(origin, the_host_of_a_container_is_its_own_not_ours)
{
    expect_host("shop-7d9f.example_1", "shop-7d9f.example_1");
}

/* It is written to logs and files: names that no resolver accepts are dropped. */
Test(origin, an_invalid_host_name_stays_unknown)
{
    expect_host("a b\n", "");
    expect_host("\x1b[31m", "");
}
