/* Files of a process, as the program reads them: its own executable for comparison. */
#include "heapdrift.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_same(FILE *a, FILE *b)
{
    static char x[1 << 16], y[1 << 16];
    size_t got;
    rewind(a);
    do {
        got = fread(x, 1, sizeof(x), a);
        if (fread(y, 1, sizeof(y), b) != got || memcmp(x, y, got) != 0)
            return false;
    } while (got > 0);
    return true;
}

Test(process_files, the_program_of_a_process_is_copied)
{
    struct hd_error err = {0};
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    FILE *copy = tmpfile(), *own = fopen("/proc/self/exe", "rb");
    cr_assert(copy != NULL && own != NULL);
    cr_expect(hd_process_program((uint64_t)child, copy, &err), "%s", err.message);
    cr_expect(is_same(copy, own));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect_not(hd_process_program((uint64_t)child, copy, &err));
    cr_expect_eq(err.status, HD_IO);
    cr_expect_not(hd_process_program(0, copy, NULL));
    cr_expect_not(hd_process_program(UINT64_MAX, copy, NULL));
    fclose(copy);
    fclose(own);
}

/* A full file system, as memory that is too small. */
Test(process_files, a_copy_that_does_not_fit_fails)
{
    struct hd_error err = {0};
    FILE *full = fopen("/dev/full", "wb");
    cr_assert_not_null(full);
    cr_expect_not(hd_process_program((uint64_t)getpid(), full, &err));
    cr_expect_not_null(strstr(err.message, "No space left"), "%s", err.message);
    fclose(full);
}
