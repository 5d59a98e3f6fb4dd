/* run_tests - runs Criterion's tests, each in a forked process.
 *
 *     unit-tests [--filter PATTERN] [-jJOBS] [--timeout SECONDS] [--list] [--verbose]
 *
 * Replaces Criterion's runner, which starts a program for every test: with a sanitizer and
 * its 40 libraries that costs 80 ms of processor time, more than most tests. Headers and
 * macros are Criterion's. PATTERN is an extended shell pattern, matched against
 * "suite/test". --verbose prints the wall and processor time of each test.
 *
 * The timeout of a test limits the processor time of its process, so that it means the
 * same on a busy machine. Wall time only ends a test that hangs.
 *
 * A test passes only if its process ends as expected: Criterion's runner would pass a test
 * on which a sanitizer reports something. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <criterion/options.h>
#include <criterion/parameterized.h>

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* seconds of wall time; on an idle machine every test needs less than a tenth */
enum { HANG_SECONDS = 20 * 60 };

/* Exit statuses of a test's process; any other is a crash. */
enum { PASSED = 76, FAILED, SKIPPED };

struct run {
    const struct criterion_test *test;
    const struct criterion_suite *suite; /* NULL if the suite has no TestSuite() */
    void *param;                         /* NULL: no parameter */
    pid_t pid;
    struct timespec began;
};

struct runs {
    struct run *list;
    size_t len;
};

struct totals {
    unsigned tested, passed, failed, crashed;
};

/* Sections in which the linker collects Test() and TestSuite(). */
extern const struct criterion_test *const __start_cr_tst[], *const __stop_cr_tst[];
extern const struct criterion_suite *const __start_cr_sts[] __attribute__((weak));
extern const struct criterion_suite *const __stop_cr_sts[] __attribute__((weak));

/* --- what tests call ------------------------------------------------------------- */

/* The one test of this process. */
static struct {
    const struct run *run;
    jmp_buf leave;
    bool failed, skipped;
} now;

struct criterion_options criterion_options;

int cr_asprintf(char **text, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vasprintf(text, fmt, args);
    va_end(args);
    return len;
}

void cr_asprintf_free(char *text)
{
    free(text);
}

char *cr_translate_assert_msg(int message, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, message);
    const char *what = va_arg(args, const char *);
    if (message == CRITERION_ASSERT_MSG_EXPR_AS_STRINGS_FALSE) {
        const char *actual = va_arg(args, const char *),
                   *wanted = va_arg(args, const char *);
        cr_asprintf(&text, "%s is false: \"%s\" and \"%s\"", what,
                    actual != NULL ? actual : "(null)", wanted != NULL ? wanted : "(null)");
    } else if (message == CRITERION_ASSERT_MSG_FAIL) {
        cr_asprintf(&text, "it fails");
    } else {
        const char *is = message == CRITERION_ASSERT_MSG_IS_NULL       ? "is NULL"
                         : message == CRITERION_ASSERT_MSG_IS_NOT_NULL ? "is not NULL"
                                                                       : "is false";
        cr_asprintf(&text, "%s %s", what, is);
    }
    va_end(args);
    return text;
}

static void say(const struct run *run, const char *mark, const char *what)
{
    fprintf(stderr, "[%s] %s::%s: %s\n", mark, run->test->category, run->test->name, what);
}

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (stats->passed)
        return;
    fprintf(stderr, "[----] %s:%u: Assertion Failed\n[----]   %s\n", stats->file,
            stats->line, stats->message);
}

void cri_asserts_passed_incr(void)
{
}

void criterion_continue_test(void)
{
    now.failed = true;
}

void criterion_abort_test(void)
{
    now.failed = true;
    longjmp(now.leave, 1);
}

void criterion_skip_test(const char *fmt, ...)
{
    char why[1000];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof(why), fmt, args);
    va_end(args);
    say(now.run, "SKIP", why);
    now.skipped = true;
    longjmp(now.leave, 1);
}

static void call(void (*function)(void))
{
    if (function != NULL)
        function();
}

void criterion_internal_test_setup(void)
{
    if (now.run->suite != NULL)
        call(now.run->suite->data->init);
    call(now.run->test->data->init);
}

void criterion_internal_test_main(void (*test)(void))
{
    if (now.run->param != NULL)
        ((void (*)(void *))test)(now.run->param);
    else
        test();
}

void criterion_internal_test_teardown(void)
{
    call(now.run->test->data->fini);
    if (now.run->suite != NULL)
        call(now.run->suite->data->fini);
}

/* --- one test in a process --------------------------------------------------------- */

static double longest;

static void limit_time(const struct run *run)
{
    double seconds = run->test->data->timeout;
    if (seconds == 0 && run->suite != NULL)
        seconds = run->suite->data->timeout;
    if (seconds == 0)
        seconds = longest;
    struct rlimit processor;
    getrlimit(RLIMIT_CPU, &processor);
    if (seconds > 0)
        processor.rlim_cur = (rlim_t)seconds;
    setrlimit(RLIMIT_CPU, &processor);
    alarm((unsigned)fmax(seconds, HANG_SECONDS));
}

static _Noreturn void be_the_test(const struct run *run)
{
    now.run = run;
    limit_time(run);
    if (setjmp(now.leave) == 0)
        run->test->test();
    else if (setjmp(now.leave) == 0)
        criterion_internal_test_teardown();
    if (!now.failed && !now.skipped)
        exit(PASSED);
    /* A test that longjmp() left has freed no memory; LeakSanitizer would report that at
     * exit. */
    fflush(NULL);
    _exit(now.failed ? FAILED : SKIPPED);
}

static void start(struct run *run)
{
    fflush(NULL);
    clock_gettime(CLOCK_MONOTONIC, &run->began);
    run->pid = fork();
    if (run->pid == 0)
        be_the_test(run);
    if (run->pid < 0) {
        perror("fork");
        exit(EXIT_FAILURE);
    }
}

static void count(struct totals *all, const struct run *run, int status)
{
    int wanted = run->test->data->signal;
    char what[100] = "";
    all->tested++;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(what, sizeof(what), "Timed out: it hangs");
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        snprintf(what, sizeof(what), "Timed out: it took more processor time than it may");
    else if (WIFSIGNALED(status) && WTERMSIG(status) != wanted)
        snprintf(what, sizeof(what), "CRASH! %s", strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status) && wanted != 0)
        snprintf(what, sizeof(what), "ended without %s", strsignal(wanted));
    else if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        all->tested--;
    else if (WIFEXITED(status) && WEXITSTATUS(status) == FAILED)
        snprintf(what, sizeof(what), "failed");
    else if (WIFEXITED(status) && WEXITSTATUS(status) != PASSED)
        snprintf(what, sizeof(what), "ended with status %d", WEXITSTATUS(status));
    else
        all->passed++;
    all->failed += what[0] != '\0';
    all->crashed += WIFSIGNALED(status) && what[0] != '\0';
    if (what[0] != '\0')
        say(run, "FAIL", what);
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void say_times(const struct run *run, const struct rusage *used)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double took = (double)(end.tv_sec - run->began.tv_sec) +
                  (double)(end.tv_nsec - run->began.tv_nsec) / 1e9;
    printf("%8.3f s %8.3f s  %s/%s\n", took,
           seconds_of(used->ru_utime) + seconds_of(used->ru_stime), run->test->category,
           run->test->name);
}

/* --- all of them --------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct criterion_test *x = ((const struct run *)a)->test;
    const struct criterion_test *y = ((const struct run *)b)->test;
    int order = strcmp(x->category, y->category);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static bool matches(const struct criterion_test *test, const char *pattern)
{
    char name[1000];
    snprintf(name, sizeof(name), "%s/%s", test->category, test->name);
    return pattern == NULL || fnmatch(pattern, name, FNM_EXTMATCH) == 0;
}

static void add(struct runs *all, struct run run)
{
    all->list = reallocarray(all->list, all->len + 1, sizeof(run));
    if (all->list == NULL)
        abort();
    all->list[all->len++] = run;
}

/* The tests that match, sorted by name, once per parameter. */
static struct runs choose(const char *pattern)
{
    struct runs all = {0};
    for (const struct criterion_test *const *t = __start_cr_tst; t < __stop_cr_tst; t++) {
        if (!matches(*t, pattern))
            continue;
        struct run run = {.test = *t};
        for (const struct criterion_suite *const *s = __start_cr_sts; s < __stop_cr_sts;
             s++)
            if (strcmp((*s)->name, (*t)->category) == 0)
                run.suite = *s;
        if ((*t)->data->kind_ == CR_TEST_NORMAL) {
            add(&all, run);
            continue;
        }
        struct criterion_test_params params = (*t)->data->param_();
        for (size_t i = 0; i < params.length; i++) {
            run.param = (char *)params.params + i * params.size;
            add(&all, run);
        }
    }
    qsort(all.list, all.len, sizeof(*all.list), by_name);
    return all;
}

/* Waits for a running test. Clears its pid, since a busy machine may reuse it for another
 * test. */
static struct run *await(const struct runs *all, int *status, struct rusage *used)
{
    for (;;) {
        pid_t pid = wait4(-1, status, 0, used);
        for (size_t i = 0; pid > 0 && i < all->len; i++)
            if (all->list[i].pid == pid) {
                all->list[i].pid = 0;
                return &all->list[i];
            }
        if (pid < 0 && errno != EINTR)
            abort();
    }
}

static struct totals run_all(const struct runs *all, unsigned long jobs, bool verbose)
{
    struct totals totals = {0};
    size_t started = 0, ended = 0;
    while (ended < all->len) {
        while (started < all->len && started - ended < jobs)
            start(&all->list[started++]);
        int status;
        struct rusage used;
        const struct run *run = await(all, &status, &used);
        ended++;
        count(&totals, run, status);
        if (verbose)
            say_times(run, &used);
    }
    return totals;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"filter", required_argument, NULL, 'f'},  {"jobs", required_argument, NULL, 'j'},
        {"timeout", required_argument, NULL, 't'}, {"list", no_argument, NULL, 'l'},
        {"verbose", no_argument, NULL, 'v'},       {0}};
    const char *pattern = NULL;
    bool list = false, verbose = false;
    unsigned long jobs = 1;
    for (int c; (c = getopt_long(argc, argv, "j:", options, NULL)) != -1;) {
        switch (c) {
        case 'f':
            pattern = optarg;
            break;
        case 'j':
            jobs = strtoul(optarg, NULL, 10);
            break;
        case 't':
            longest = strtod(optarg, NULL);
            break;
        case 'l':
            list = true;
            break;
        case 'v':
            verbose = true;
            break;
        default:
            return 2;
        }
    }
    struct runs all = choose(pattern);
    for (size_t i = 0; list && i < all.len; i++)
        printf("%s/%s\n", all.list[i].test->category, all.list[i].test->name);
    if (list)
        return 0;
    struct totals totals = run_all(&all, jobs > 0 ? jobs : 1, verbose);
    free(all.list);
    fprintf(stderr,
            "[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: %u\n",
            totals.tested, totals.passed, totals.failed, totals.crashed);
    return totals.failed > 0 || all.len == 0;
}
