/* Measures the cost of a snapshot for the process, by the size of its runtime's buffer.
 *
 *   buffer-cost PID MIB one|two
 *
 * One heap walk in one session, or, with .NET 10, in two (src/collect/session.h). Prints
 * on one line: peak growth of the process in MiB; objects; milliseconds of pause; lost
 * events. Waiting threads are not disturbed, but the kernel's peak size of the process is
 * reset. */
#include "base/quantity.h"
#include "collect/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SILENCE_MS = 200000 };

/* A line of /proc/PID/status in MiB. */
static uint64_t mib_of(pid_t pid, const char *key)
{
    char path[64], line[256];
    uint64_t kib = 0;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            kib = strtoull(line + strlen(key), NULL, 10);
    if (file != NULL)
        fclose(file);
    return kib / 1024;
}

static void reset_peak(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/clear_refs", (int)pid);
    FILE *file = fopen(path, "we");
    if (file == NULL || fputs("5\n", file) < 0 || fclose(file) != 0)
        perror(path);
}

static bool take(const struct target *t, struct session_buffer *buffer)
{
    const struct hd_collect_options p = {.silence_ms = SILENCE_MS};
    struct hd_collected r = {0};
    struct hd_error err = {0};
    FILE *to = tmpfile();
    reset_peak(t->pid);
    uint64_t before = mib_of(t->pid, "VmRSS:");
    bool ok = to != NULL && session_collect(t, &p, buffer, to, &r, &err);
    uint64_t most = mib_of(t->pid, "VmHWM:");
    if (ok)
        printf("%" PRIu64 " %" PRIu64 " %.1f %" PRIu64 "\n", most - before, r.objects,
               (double)r.paused_us / 1e3, r.events_lost);
    else
        fprintf(stderr, "buffer-cost: %s\n", err.message);
    if (to != NULL)
        fclose(to);
    return ok;
}

int main(int argc, char **argv)
{
    const struct patience patience = {.silence_ms = SILENCE_MS};
    struct hd_error err = {0};
    struct arena arena = {0};
    struct target t;
    if (argc != 4) {
        fputs("usage: buffer-cost PID MIB one|two\n", stderr);
        return 2;
    }
    struct session_buffer buffer = {.mb = (uint32_t)strtoul(argv[2], NULL, 10),
                                    .is_alone = strcmp(argv[3], "one") == 0};
    bool ok =
        target_of_process(&t, (pid_t)strtol(argv[1], NULL, 10), &patience, &arena, &err);
    if (!ok)
        fprintf(stderr, "buffer-cost: %s\n", err.message);
    ok = ok && take(&t, &buffer);
    arena_free(&arena);
    return ok ? 0 : 1;
}
