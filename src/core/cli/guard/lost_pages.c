/* Whose pages they were is asked of the kernel, in the handler, so nobody has to keep a
 * list of mappings. Only functions that POSIX allows in handlers are called. */
#include "cli/guard/lost_pages.h"

#include "cli/terminal/exit_hook.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* --- which file it was ------------------------------------------------------------- */

struct maps {
    int fd;
    char buffer[4096];
    size_t at, len;
};

/* '\0' at the end. */
static char next_char(struct maps *m)
{
    if (m->at == m->len) {
        ssize_t n = read(m->fd, m->buffer, sizeof(m->buffer));
        m->at = 0;
        m->len = n > 0 ? (size_t)n : 0;
    }
    if (m->len == 0)
        return '\0';
    return m->buffer[m->at++];
}

/* A hexadecimal number and the character behind it. */
static uintptr_t next_number(struct maps *m)
{
    uintptr_t n = 0;
    for (;;) {
        char c = next_char(m);
        if (c >= '0' && c <= '9')
            n = n << 4 | (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            n = n << 4 | (uintptr_t)(c - 'a' + 10);
        else
            return n;
    }
}

/* A line is "START-END PERMISSIONS OFFSET DEVICE INODE    /PATH"; see proc_pid_maps(5).
 * Controls could move a terminal's cursor. */
static bool next_mapping(struct maps *m, uintptr_t address, char *path, size_t size,
                         bool *is_in)
{
    uintptr_t start = next_number(m), end = next_number(m);
    size_t len = 0;
    char c;
    while ((c = next_char(m)) != '\n' && c != '\0') {
        if ((len == 0 && c != '/') || len + 1 == size)
            continue;
        if ((unsigned char)c < 0x20 || c == 0x7F)
            c = '?';
        path[len++] = c;
    }
    path[len] = '\0';
    *is_in = len > 0 && start <= address && address < end;
    return c == '\n';
}

/* Where nobody tells, any file: without one no page of memory is lost. */
static bool find_file(uintptr_t address, char *path, size_t size)
{
    static const char some[] = "a snapshot, or a file that a core dump names";
    struct maps m = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    bool is_in = false;
    if (m.fd < 0) {
        memcpy(path, some, sizeof(some));
        return true;
    }
    while (!is_in && next_mapping(&m, address, path, size, &is_in))
        continue;
    close(m.fd);
    return is_in;
}

/* --- the handler ------------------------------------------------------------------- */

static void explain(int number, siginfo_t *info, void *context)
{
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    char path[4096];
    (void)context;
    if (info->si_code != BUS_ADRERR ||
        !find_file((uintptr_t)info->si_addr, path, sizeof(path))) {
        /* Something else, which happens again at once. */
        signal(number, SIG_DFL);
        return;
    }
    /* Several threads may read that file. */
    while (atomic_flag_test_and_set(&is_said))
        pause();
    exit_hook();
    const char *const words[] = {"heapdrift: ", path, ": was truncated while being read\n"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        (void)!write(STDERR_FILENO, words[i], strlen(words[i]));
    _exit(EXIT_TROUBLE);
}

void lost_pages_explain(void)
{
    struct sigaction act = {.sa_sigaction = explain, .sa_flags = SA_SIGINFO};
    sigemptyset(&act.sa_mask);
    sigaction(SIGBUS, &act, NULL);
}
