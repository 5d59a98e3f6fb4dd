/* The heap of a process as its runtime streams it, discarded: the minimum time of any
 * collector.
 *
 *     bare-stream PID
 *
 * Sends the same request as heapdrift, reads as fast as possible, and writes to /dev/null
 * without parsing. From .NET 5 to 10 the answer to the start follows the walk, so the
 * session can be ended immediately; other runtimes are rejected. Prints bytes and seconds.
 */
#include "base/little_endian.h"
#include "collect/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAPACITY = 4 << 20, SILENCE_MS = 30000 };

static const struct patience patience = {.silence_ms = SILENCE_MS};

_Noreturn static void die(const struct hd_error *err)
{
    fprintf(stderr, "bare-stream: %s\n", err->message);
    exit(1);
}

/* Returns the session's number, as bytes; the stream follows. */
static int start(const struct target *t, uint64_t *id)
{
    struct hd_error err = {0};
    struct reply *reply = calloc(1, sizeof(*reply));
    for (int command = IPC_COLLECT_TRACING5; command > IPC_COLLECT_TRACING2; command--) {
        const struct request r =
            tracing_request((enum ipc_command)command, TRACING_HEAP, 0);
        int fd = target_connect(t, &patience, &err);
        if (fd < 0 || reply == NULL || !ipc_send(fd, &r, &patience, &err) ||
            !ipc_receive(fd, reply, &patience, &err))
            die(&err);
        if (reply->ok && reply->size >= 8) {
            *id = le_u64(reply->payload);
            free(reply);
            return fd;
        }
        close(fd);
    }
    fputs("bare-stream: not of .NET 5 to 10\n", stderr);
    exit(1);
}

static int stop(const struct target *t, uint64_t id)
{
    struct hd_error err = {0};
    struct request r = request_for(IPC_STOP_TRACING);
    request_put(&r, id, 8);
    int fd = target_connect(t, &patience, &err);
    if (fd < 0 || !ipc_send(fd, &r, &patience, &err))
        die(&err);
    return fd;
}

static uint64_t drain(int fd)
{
    unsigned char *capacity = malloc(CAPACITY);
    int nowhere = open("/dev/null", O_WRONLY);
    uint64_t bytes = 0;
    ssize_t n;
    while (capacity != NULL) {
        n = read(fd, capacity, CAPACITY);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            break;
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (n < 0 && poll(&ready, 1, SILENCE_MS) == 0)
            break;
        if (n > 0 && write(nowhere, capacity, (size_t)n) == n)
            bytes += (uint64_t)n;
    }
    close(nowhere);
    free(capacity);
    return bytes;
}

int main(int argc, char **argv)
{
    struct hd_error err = {0};
    struct arena arena = {0};
    struct target t;
    if (argc != 2) {
        fputs("usage: bare-stream PID\n", stderr);
        return 2;
    }
    if (!target_of_process(&t, (pid_t)strtol(argv[1], NULL, 10), &patience, &arena, &err))
        die(&err);
    uint64_t begin = clock_ms(), id = 0;
    int stream = start(&t, &id);
    int control = stop(&t, id);
    uint64_t bytes = drain(stream);
    printf("%" PRIu64 " bytes, %.3f s\n", bytes, (double)(clock_ms() - begin) / 1e3);
    close(control);
    close(stream);
    arena_free(&arena);
    return bytes == 0;
}
