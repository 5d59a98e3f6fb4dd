#define _GNU_SOURCE

/* An untrusted process at a diagnostics socket. Its answers are written before the
 * questions: each connection has the next part of the input, followed by the end of file.
 * So nothing waits, and no thread is needed. The linker replaces the functions that find
 * processes by those here (--wrap, tests/fuzz/fuzz.mk). */
#include "fuzz/meter.h"
#include "fuzz/questions.h"
#include "fuzz/surfaces.h"

#include "base/error.h"
#include "collect/dump_file.h"
#include "collect/find_target.h"
#include "collect/proc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 32 };

static struct {
    struct frame frame;
    size_t next;               /* part for the next connection */
    int ends[MAX_CONNECTIONS]; /* they also receive the requests */
    size_t count;
} peer;

bool __wrap_target_at_socket(struct target *t, const char *path, const struct patience *p,
                             struct arena *arena, struct hd_error *err);
int __wrap_target_connect(const struct target *t, const struct patience *p,
                          struct hd_error *err);
struct hd_origin __wrap_origin_of(const struct target *t);
size_t __wrap_clients_find(const char *socket, struct hd_client *clients);
bool __wrap_dump_file_open(struct dump_file *f, const struct target *t, FILE *to,
                           struct arena *arena, struct hd_error *err);

bool __wrap_target_at_socket(struct target *t, const char *path, const struct patience *p,
                             struct arena *arena, struct hd_error *err)
{
    (void)p, (void)arena, (void)err;
    *t = (struct target){.socket = path};
    return true;
}

static void send_all(int fd, struct bytes all)
{
    int capacity = (int)all.size + 4096;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &capacity, sizeof(capacity));
    ssize_t n = send(fd, all.data, all.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)n;
    shutdown(fd, SHUT_WR);
}

int __wrap_target_connect(const struct target *t, const struct patience *p,
                          struct hd_error *err)
{
    (void)t, (void)p;
    int both[2];
    if (peer.count == MAX_CONNECTIONS) {
        fail(err, HD_IO, "nobody listens any more");
        return -1;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, both) != 0)
        abort();
    send_all(both[0], frame_part(&peer.frame, peer.next++));
    peer.ends[peer.count++] = both[0];
    return both[1];
}

struct hd_origin __wrap_origin_of(const struct target *t)
{
    (void)t;
    return (struct hd_origin){.instance = 0};
}

size_t __wrap_clients_find(const char *socket, struct hd_client *clients)
{
    (void)socket, (void)clients;
    return 0;
}

bool __wrap_dump_file_open(struct dump_file *f, const struct target *t, FILE *to,
                           struct arena *arena, struct hd_error *err)
{
    (void)t, (void)arena, (void)err;
    *f = (struct dump_file){.path = "/tmp/core", .fd = dup(fileno(to))};
    return true;
}

static FILE *collected_file(void)
{
    static FILE *to;
    if (to == NULL && (to = fdopen(memfd_create("collected", MFD_CLOEXEC), "w+")) == NULL)
        abort();
    rewind(to);
    if (ftruncate(fileno(to), 0) != 0)
        abort();
    return to;
}

static void look_at(bool ok, const struct hd_error *err)
{
    if (!ok)
        question_check_error(err);
}

void surface_peer(struct bytes input)
{
    enum { SNAPSHOT, INFO, DUMP, WAYS };
    const struct hd_collect_options how = {
        .size = sizeof(how), .socket = "/peer", .silence_ms = 200};
    const struct target target = {.socket = "/peer"};
    const struct patience brief = {.silence_ms = 200};
    struct hd_error err = {0};
    struct hd_collected collected;
    struct process_info info;
    struct arena arena = {0};
    peer.frame = frame_of(input);
    peer.next = 0;
    meter_pause();
    FILE *to = collected_file();
    meter_go_on();
    switch (peer.frame.head[0] % WAYS) {
    case INFO:
        look_at(process_info_ask(&info, &target, &brief, &arena, &err), &err);
        break;
    case DUMP:
        look_at(hd_collect_core(to, HD_CORE_HEAP, &how, &collected, &err), &err);
        break;
    default:
        look_at(hd_collect(to, &how, &collected, &err), &err);
        break;
    }
    arena_free(&arena);
    while (peer.count > 0)
        close(peer.ends[--peer.count]);
}
