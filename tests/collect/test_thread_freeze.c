/* A process with many counting threads, frozen and released, also by readers that are
 * killed: it must continue to count, and get every signal sent to it. */
#include "collect/process_copy.h"

#include "support/random.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/procfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Processor seconds: the counting process occupies two processors. */
TestSuite(thread_freeze, .timeout = 300);

enum { COUNTERS = 12, KILLS = 100, MAX_ROUNDS = 6, FIRST_US = 4000 };

/* Memory shared by the process and the test. */
struct shared {
    atomic_ulong counts[COUNTERS]; /* one per thread */
    atomic_ulong signals;          /* received */
    atomic_ulong started;          /* threads that ran and ended */
    atomic_ulong stops;            /* made by a reader */
};

static struct shared *shared;
static pid_t counting;

static void sleep_us(long us)
{
    const struct timespec t = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

/* --- the process ------------------------------------------------------------------ */

static void on_signal(int number)
{
    (void)number;
    atomic_fetch_add(&shared->signals, 1);
}

/* Half of them calculate, half of them sleep now and then. */
static void *count(void *given)
{
    size_t i = (size_t)(uintptr_t)given;
    for (;;) {
        atomic_fetch_add(&shared->counts[i], 1);
        if (i % 2 == 0)
            sleep_us(100);
    }
    return NULL;
}

static void *come_and_go(void *given)
{
    (void)given;
    atomic_fetch_add(&shared->started, 1);
    return NULL;
}

static _Noreturn void run_process(void)
{
    struct sigaction how = {.sa_handler = on_signal, .sa_flags = (int)SA_RESTART};
    pthread_t thread;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigaction(SIGRTMIN + 5, &how, NULL);
    for (size_t i = 0; i < COUNTERS; i++)
        pthread_create(&thread, NULL, count, (void *)(uintptr_t)i);
    for (;;) {
        if (pthread_create(&thread, NULL, come_and_go, NULL) == 0)
            pthread_join(thread, NULL);
        sleep_us(200);
    }
}

static void begin(void)
{
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                  -1, 0);
    cr_assert_neq(shared, MAP_FAILED);
    fflush(NULL);
    counting = fork();
    if (counting == 0)
        run_process();
    while (atomic_load(&shared->started) < 3)
        sleep_us(1000);
}

static void end(void)
{
    kill(counting, SIGKILL);
    waitpid(counting, NULL, 0);
    munmap(shared, sizeof(*shared));
}

static unsigned long sum(void)
{
    unsigned long all = 0;
    for (size_t i = 0; i < COUNTERS; i++)
        all += atomic_load(&shared->counts[i]);
    return all;
}

/* True if every thread continues to count. */
static bool goes_on(void)
{
    unsigned long before[COUNTERS];
    for (size_t i = 0; i < COUNTERS; i++)
        before[i] = atomic_load(&shared->counts[i]);
    for (int wait = 0; wait < 5000; wait++) {
        size_t moved = 0;
        for (size_t i = 0; i < COUNTERS; i++)
            moved += atomic_load(&shared->counts[i]) != before[i];
        if (moved == COUNTERS)
            return true;
        sleep_us(1000);
    }
    return false;
}

/* The letter after "State:" or "TracerPid:". */
static char status_of(const char *word)
{
    char path[64], line[256];
    char found = '?';
    snprintf(path, sizeof(path), "/proc/%ld/status", (long)counting);
    FILE *f = fopen(path, "r");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL)
        if (strncmp(line, word, strlen(word)) == 0)
            found = line[strlen(word) + strspn(line + strlen(word), " \t")];
    if (f != NULL)
        fclose(f);
    return found;
}

/* --- stopping --------------------------------------------------------------------- */

/* Nothing changes while it is frozen. */
static bool look_twice(const struct thread_freeze *s, void *context, struct hd_error *err)
{
    unsigned long *moved = context;
    (void)err;
    unsigned long before = sum(), started = atomic_load(&shared->started);
    sleep_us(20000);
    *moved = sum() - before + atomic_load(&shared->started) - started;
    elf_gregset_t registers;
    cr_expect(thread_freeze_registers(s, 0, NT_PRSTATUS, &registers, sizeof(registers)));
    return true;
}

Test(thread_freeze, no_thread_runs_while_frozen_and_all_run_afterwards)
{
    struct hd_error err = {0};
    unsigned long moved = 1;
    uint64_t stood;
    const struct meanwhile m = {.work = look_twice, .context = &moved};
    begin();
    for (int i = 0; i < 10; i++) {
        cr_assert(thread_freeze_run(counting, &m, &stood, &err), "%s", err.message);
        cr_expect_eq(moved, 0);
        cr_expect(stood >= 20000 && stood < 5000000);
        cr_assert(goes_on());
    }
    cr_expect_eq(status_of("TracerPid:"), '0');
    end();
}

static bool nap(const struct thread_freeze *s, void *context, struct hd_error *err)
{
    (void)s;
    (void)err;
    atomic_fetch_add(&shared->stops, 1);
    sleep_us(*(long *)context);
    return true;
}

static _Noreturn void read_for_ever(void)
{
    long us = 300;
    uint64_t stood;
    const struct meanwhile m = {.work = nap, .context = &us};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        thread_freeze_run(counting, &m, &stood, NULL);
}

static atomic_ulong sent;
static atomic_bool sends;

static void *send_signals(void *given)
{
    (void)given;
    while (atomic_load(&sends)) {
        if (sigqueue(counting, SIGRTMIN + 5, (union sigval){0}) == 0)
            atomic_fetch_add(&sent, 1);
        sleep_us(150);
    }
    return NULL;
}

static bool all_signals_arrive(void)
{
    for (int wait = 0; wait < 5000; wait++) {
        if (atomic_load(&shared->signals) == atomic_load(&sent))
            return true;
        sleep_us(1000);
    }
    return false;
}

Test(thread_freeze, the_process_continues_if_its_reader_is_killed_at_any_moment)
{
    struct random r = random_from(4711);
    pthread_t sender;
    begin();
    atomic_store(&sends, true);
    pthread_create(&sender, NULL, send_signals, NULL);
    /* A busy machine kills many before they freeze anything: more rounds follow, each with
     * twice the delay. */
    for (int i = 0; i < KILLS || (i < MAX_ROUNDS * KILLS && shared->stops <= KILLS / 4);
         i++) {
        pid_t reader = fork();
        if (reader == 0)
            read_for_ever();
        sleep_us((long)random_below(&r, FIRST_US << i / KILLS));
        kill(reader, SIGKILL);
        waitpid(reader, NULL, 0);
        cr_assert(goes_on(), "after kill %d", i);
        cr_assert_null(strchr("Tt", status_of("State:")));
        cr_assert_eq(status_of("TracerPid:"), '0');
    }
    atomic_store(&sends, false);
    pthread_join(sender, NULL);
    cr_expect(all_signals_arrive(), "%lu of %lu", atomic_load(&shared->signals),
              atomic_load(&sent));
    cr_expect_gt(atomic_load(&shared->stops), KILLS / 4);
    cr_expect_gt(atomic_load(&sent), 100);
    end();
}

/* The parent, which waits for stops, too, must not see any. */
Test(thread_freeze, the_parent_sees_no_stops)
{
    long us = 5000;
    uint64_t stood;
    const struct meanwhile m = {.work = nap, .context = &us};
    begin();
    pid_t reader = fork();
    if (reader == 0)
        _exit(!thread_freeze_run(counting, &m, &stood, NULL));
    int status = 1;
    for (int i = 0; i < 200; i++) {
        cr_assert_eq(waitpid(counting, NULL, WNOHANG | WUNTRACED | WCONTINUED), 0);
        sleep_us(200);
    }
    waitpid(reader, &status, 0);
    cr_expect_eq(status, 0);
    end();
}

Test(thread_freeze, one_that_was_stopped_stays_so)
{
    unsigned long moved = 1;
    uint64_t stood;
    const struct meanwhile m = {.work = look_twice, .context = &moved};
    begin();
    kill(counting, SIGSTOP);
    waitpid(counting, NULL, WUNTRACED);
    cr_assert(thread_freeze_run(counting, &m, &stood, NULL));
    /* It stops again as soon as a busy machine schedules it. */
    for (int i = 0; i < 1000 && status_of("State:") != 'T'; i++)
        sleep_us(10000);
    sleep_us(10000);
    cr_expect_eq(status_of("State:"), 'T');
    cr_expect_eq(status_of("TracerPid:"), '0');
    kill(counting, SIGCONT);
    cr_expect(goes_on());
    end();
}

static bool stop_now(void *context)
{
    return atomic_load(&((struct shared *)context)->stops) == 0;
}

static bool until_unwanted(const struct thread_freeze *s, void *context,
                           struct hd_error *err)
{
    (void)context;
    (void)err;
    atomic_fetch_add(&shared->stops, 1);
    while (!thread_freeze_is_unwanted(s))
        sleep_us(1000);
    return true;
}

Test(thread_freeze, ends_when_it_is_unwanted)
{
    uint64_t stood;
    const struct meanwhile m = {
        .work = until_unwanted, .go_on = stop_now, .go_on_context = NULL};
    struct meanwhile own = m;
    begin();
    own.go_on_context = shared;
    cr_assert(thread_freeze_run(counting, &own, &stood, NULL));
    cr_expect_lt(stood, 1000000);
    cr_expect(goes_on());
    end();
}

Test(thread_freeze, an_ended_or_traced_process_is_refused)
{
    long us = 500000;
    uint64_t stood;
    struct hd_error err = {0};
    const struct meanwhile m = {.work = nap, .context = &us};
    begin();
    pid_t other = fork();
    if (other == 0)
        _exit(!thread_freeze_run(counting, &m, &stood, NULL));
    while (atomic_load(&shared->stops) == 0)
        sleep_us(500);
    cr_expect_not(thread_freeze_run(counting, &m, &stood, &err));
    cr_expect_eq(err.status, HD_UNSUPPORTED);
    cr_expect_not_null(strstr(err.message, "already traced by "), "%s", err.message);
    waitpid(other, NULL, 0);
    end();
    err = (struct hd_error){0};
    cr_expect_not(thread_freeze_run(counting, &m, &stood, &err));
    cr_expect_eq(err.status, HD_IO);
    cr_expect_str_eq(err.message, "the process has exited");
}

/* --- reasons ---------------------------------------------------------------------- */

static const char *said(struct denied_facts f)
{
    static struct hd_error err;
    err = (struct hd_error){0};
    cr_expect_not(denied_report(&f, &err));
    cr_expect_eq(err.status, HD_UNSUPPORTED);
    cr_expect_lt(strlen(err.message), sizeof(err.message) - 1);
    return err.message;
}

Test(thread_freeze, the_missing_right_is_named)
{
    const struct denied_facts root = {.can_ptrace = true, .ptrace_scope = -1};
    struct denied_facts f = {.ptrace_scope = 1};
    cr_expect_not_null(strstr(said(f), "ptrace_scope is 1: run heapdrift as root"));
    cr_expect_not_null(strstr(said(f), "sysctl kernel.yama.ptrace_scope=0"));
    f.ptrace_scope = 2;
    cr_expect_null(strstr(said(f), "sysctl"));
    f.ptrace_scope = 3;
    cr_expect_not_null(strstr(said(f), "until the next boot"));
    f = (struct denied_facts){.ptrace_scope = 0, .user = "alice"};
    cr_expect_not_null(strstr(said(f), "belongs to user alice"));
    f = root;
    f.is_filtered = true;
    cr_expect_not_null(strstr(said(f), "--cap-add=SYS_PTRACE"));
    f = root;
    f.is_other_users = true;
    cr_expect_not_null(strstr(said(f), "another user namespace"));
    f = root;
    strcpy(f.tracer, "gdb (pid 812)");
    cr_expect_not_null(strstr(said(f), "it is already traced by gdb (pid 812)"));
    cr_expect_not_null(strstr(said(root), "PR_SET_DUMPABLE"));
}
