/* Work in a child process: its result, and its cancellation. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "collect/proc.h"

#include "support/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(apart, .init = open_scratch, .fini = remove_scratch, .timeout = 30);

static const struct patience brief = {.silence_ms = 300};

struct outcome {
    bool ok;
    int why, fd;
    uint64_t ms;
    struct text answer;
};

static struct outcome run(int (*work)(void *context, struct text *answer),
                          const struct patience *p)
{
    struct outcome o = {.fd = -1};
    const struct apart a = {.keeps = -1, .work = work};
    uint64_t begin = clock_ms();
    o.ok = apart_run(&a, p, &o.answer, &o.fd);
    o.why = errno;
    o.ms = clock_ms() - begin;
    cr_expect_lt(waitpid(-1, NULL, WNOHANG), 0, "no child is left");
    return o;
}

/* --- what comes back ------------------------------------------------------- */

static int give_much(void *context, struct text *answer)
{
    (void)context;
    for (int i = 0; i < 1 << 20; i++)
        text_add_char(answer, (char)i);
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

Test(apart, an_answer_and_a_descriptor_are_returned)
{
    struct outcome o = run(give_much, &brief);
    struct stat st, null;
    cr_assert(o.ok);
    cr_assert_eq(o.answer.len, 1 << 20);
    cr_expect_eq(o.answer.data[1000], (char)1000);
    cr_assert_geq(o.fd, 0);
    cr_expect(fstat(o.fd, &st) == 0 && stat("/dev/null", &null) == 0 &&
              st.st_rdev == null.st_rdev);
    cr_expect_neq(fcntl(o.fd, F_GETFD) & FD_CLOEXEC, 0);
    close(o.fd);
    text_free(&o.answer);
}

static int give_too_much(void *context, struct text *answer)
{
    (void)context;
    static const char block[1 << 16];
    while (answer->len <= APART_MAX_BYTES)
        text_add(answer, block, sizeof(block));
    errno = 0;
    return -1;
}

static int refuse(void *context, struct text *answer)
{
    (void)context, (void)answer;
    errno = ENOTDIR;
    return -1;
}

static int crash(void *context, struct text *answer)
{
    (void)context, (void)answer;
    raise(SIGKILL);
    return -1;
}

Test(apart, a_failure_has_its_reason)
{
    struct outcome o = run(refuse, &brief);
    cr_expect(!o.ok && o.why == ENOTDIR && o.fd == -1, "%d", o.why);
    o = run(crash, &brief);
    cr_expect(!o.ok && o.why == EIO, "%d", o.why);
    o = run(give_too_much, &brief);
    cr_expect(!o.ok && o.why == EIO && o.answer.len == 0, "%d", o.why);
}

/* --- what never comes ------------------------------------------------------ */

static int hang(void *context, struct text *answer)
{
    (void)context, (void)answer;
    while (getpid() > 0)
        pause();
    return -1;
}

static bool never(void *context)
{
    (void)context;
    return false;
}

Test(apart, a_hanging_child_is_given_up_in_time)
{
    const struct patience over = {.silence_ms = 60000, .deadline = 1};
    const struct patience unwanted = {.silence_ms = 60000, .go_on = never};
    struct outcome o = run(hang, &brief);
    cr_expect(!o.ok && o.why == ETIMEDOUT, "%d", o.why);
    cr_expect(o.ms >= 300 && o.ms < 5000, "%d", (int)o.ms);
    o = run(hang, &over);
    cr_expect(!o.ok && o.why == ETIMEDOUT && o.ms >= 100 && o.ms < 5000, "%d", (int)o.ms);
    o = run(hang, &unwanted);
    cr_expect(!o.ok && o.why == ECANCELED && o.ms < 5000, "%d", (int)o.ms);
}

/* --- paths ----------------------------------------------------------------- */

Test(apart, a_path_inside_of_another_root_is_known_by_its_form)
{
    static const char *const others[] = {"/proc/x/root/tmp",
                                         "/proc/0/root/tmp",
                                         "/proc/self/root/tmp",
                                         "/proc/7/rooted/tmp",
                                         "/proc/7/root",
                                         "/tmp/proc/7/root/x",
                                         "",
                                         "/proc/99999999999/root/x"};
    const char *inside = NULL;
    pid_t pid = 0;
    cr_expect(others_is_inside("/proc/4711/root/tmp/x", &pid, &inside));
    cr_expect_eq(pid, 4711);
    cr_expect_str_eq(inside, "/tmp/x");
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        cr_expect_not(others_is_inside(others[i], &pid, &inside), "%s", others[i]);
}

/* A file by a path through this process's own root. */
static const char *by_root(const char *name)
{
    return arena_printf(&scratch.arena, "/proc/%ld/root%s", (long)getpid(),
                        scratch_path(&scratch, name));
}

static int open_it(const struct inside *at, void *context, struct text *answer)
{
    (void)context, (void)answer;
    int held = inside_open(at, O_PATH);
    return held >= 0 ? others_open_held(held) : -1;
}

static int opened(const char *path)
{
    const struct other_work work = {.work = open_it};
    struct text none = {0};
    int fd;
    return others_run(path, &work, &brief, &none, &fd) ? fd : -1;
}

Test(apart, only_regular_files_are_opened)
{
    static const char *const names[] = {"pipe", "folder", "link", "none"};
    struct look seen;
    char c = 0;
    scratch_file(&scratch, "file", "x", 1);
    scratch_folder(&scratch, "folder");
    cr_assert_eq(mkfifo(scratch_path(&scratch, "pipe"), 0600), 0);
    cr_assert_eq(symlink("file", scratch_path(&scratch, "link")), 0);
    int fd = opened(by_root("file"));
    cr_expect(fd >= 0 && read(fd, &c, 1) == 1 && c == 'x');
    close(fd);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        cr_expect_eq(opened(by_root(names[i])), -1, "%s", names[i]);
    cr_expect(others_look(by_root("pipe"), LOOK_NAME, &brief, &seen));
    cr_expect(S_ISFIFO(seen.mode));
    cr_expect_not(others_look(by_root("pipe"), LOOK_SOCKET, &brief, &seen));
    cr_expect_eq(errno, ENOTSOCK);
}

Test(apart, rights_of_a_process_are_its_users)
{
    struct rights r;
    cr_assert(others_rights(getpid(), &r));
    cr_expect_eq(r.uid, geteuid());
    cr_expect_eq(r.gid, getegid());
    cr_expect_not(others_rights(INT32_MAX, &r));
}

static int count_descriptors(void *context, struct text *answer)
{
    int count = 0;
    (void)context;
    for (int fd = 0; fd < 1000; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    text_add(answer, &count, sizeof(count));
    errno = 0;
    return -1;
}

/* A child that cannot be killed would keep them indefinitely: a lock, or the pipe of a
 * shell. */
Test(apart, has_no_descriptor_of_ours)
{
    struct text answer = {0};
    int fd, ends[2], count = 0;
    cr_assert_eq(pipe(ends), 0);
    const struct apart a = {.keeps = ends[0], .work = count_descriptors};
    cr_assert(apart_run(&a, &brief, &answer, &fd));
    cr_assert_eq(answer.len, sizeof(count));
    memcpy(&count, answer.data, sizeof(count));
    cr_expect_eq(count, 2, "%d: what the work uses, and the answer", count);
    text_free(&answer);
    close(ends[0]);
    close(ends[1]);
}
