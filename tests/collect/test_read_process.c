/* Facts of processes that other tests of read_facts() lack: one that starts, one that ends,
 * and one with thread names that are not text. */
#include "collect/read_facts.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t sleeping_child(const char *name)
{
    int ready[2];
    char c;
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NAME, name);
        close(ready[0]);
        if (write(ready[1], "", 1) == 1)
            pause();
        _exit(0);
    }
    close(ready[1]);
    cr_assert_eq(read(ready[0], &c, 1), 1);
    close(ready[0]);
    return child;
}

Test(read_process, uptime_is_of_the_process)
{
    pid_t child = sleeping_child("young");
    struct hd_process_facts facts = read_facts(child), of_init = read_facts(1);
    cr_expect_lt(hd_fact(&facts, HD_FACT_UPTIME), 60);
    cr_expect_geq(hd_fact(&of_init, HD_FACT_UPTIME), hd_fact(&facts, HD_FACT_UPTIME));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

Test(read_process, a_zombie_has_no_memory)
{
    pid_t child = sleeping_child("dead");
    kill(child, SIGKILL);
    siginfo_t info;
    cr_assert_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    struct hd_process_facts facts = read_facts(child);
    cr_expect_eq(hd_fact(&facts, HD_FACT_RESIDENT), HD_UNKNOWN);
    cr_expect_eq(hd_fact(&facts, HD_FACT_OF_FILES), HD_UNKNOWN);
    waitpid(child, NULL, 0);
    facts = read_facts(child);
    cr_expect_eq(facts.known, 0);
}

Test(read_process, names_of_threads_are_text)
{
    pid_t child = sleeping_child("0123456789abcd\xc3\xa9");
    struct hd_process_facts facts = read_facts(child);
    cr_expect_str_eq(facts.threads[0].name, "0123456789abcd");
    cr_expect_eq(facts.threads[0].count, 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
