#include "support/peer.h"

#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_MOVEMENTS = 16 };

struct peer {
    struct peer_script script;
    struct peer_log log;
    pthread_t thread;
    int listener, stream;
    int end[2]; /* closed on one side when the test is over */
    size_t played;
    struct bytes playing;
    int moving[MAX_MOVEMENTS]; /* streams of sessions with movements; -1: closed */
    bool collects;             /* a session that forces collections is open */
};

enum { HEADER = 20, SESSION = 0x1234, COLLECTION = 0x1235, FIRST_MOVEMENT = 0x2000 };

/* Waits for fd; false when the test is over. */
static bool await(struct peer *p, int fd, short events)
{
    struct pollfd both[] = {{.fd = fd, .events = events},
                            {.fd = p->end[0], .events = POLLIN}};
    for (;;) {
        if (poll(both, 2, -1) < 0 && errno != EINTR)
            return false;
        if (both[1].revents != 0)
            return false;
        if (both[0].revents != 0)
            return true;
    }
}

/* False if the client has disconnected or the test is over. */
static bool put(struct peer *p, int fd, const unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EAGAIN) {
            if (!await(p, fd, POLLOUT))
                return false;
            continue;
        }
        if (n < 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static bool get(struct peer *p, int fd, unsigned char *to, size_t size)
{
    while (size > 0) {
        ssize_t n = await(p, fd, POLLIN) ? read(fd, to, size) : -1;
        if (n <= 0)
            return false;
        to += n;
        size -= (size_t)n;
    }
    return true;
}

static void answer(struct peer *p, int fd, bool ok, uint64_t value, size_t size)
{
    unsigned char m[HEADER + 8] = "DOTNET_IPC_V1";
    m[14] = (unsigned char)(HEADER + size);
    m[16] = 0xFF;
    m[17] = ok ? 0 : 0xFF;
    for (size_t i = 0; i < size; i++)
        m[HEADER + i] = (unsigned char)(value >> (8 * i));
    put(p, fd, m, HEADER + size);
}

/* Rogue peers leave the connection open until the end of the test. */
static void play(struct peer *p, int fd)
{
    const struct peer_script *s = &p->script;
    size_t last = s->stream_count > 0 ? s->stream_count - 1 : 0;
    if (s->stream_count > 0)
        p->playing = s->streams[p->played < last ? p->played : last];
    p->played++;
    size_t first = p->playing.size - s->tail;
    if (s->habit == PEER_STOPS_SENDING || s->habit == PEER_DIES)
        first = s->cut < p->playing.size ? s->cut : p->playing.size;
    put(p, fd, p->playing.data, first);
    if (s->habit == PEER_DIES) {
        close(fd);
        return;
    }
    while (s->habit == PEER_SENDS_FOR_EVER && put(p, fd, s->answer.data, s->answer.size))
        continue;
    p->stream = fd;
}

/* True if the provider's keywords contain these. */
static bool asks_for(const unsigned char *payload, size_t size, const char *keywords)
{
    for (size_t i = 0; i + 8 <= size; i++)
        if (memcmp(payload + i, keywords, 8) == 0)
            return true;
    return false;
}

static bool has_walk(const unsigned char *payload, size_t size)
{
    return asks_for(payload, size, "\x01\x00\xd8\x01\0\0\0\0");
}

/* The same without a collection; no other provider. */
static bool has_walk_only(const unsigned char *payload, size_t size)
{
    return asks_for(payload, size, "\x01\x00\x58\x01\0\0\0\0");
}

static bool has_collection(const unsigned char *payload, size_t size)
{
    return asks_for(payload, size, "\x00\x00\x80\x00\0\0\0\0");
}

static bool has_movement(const unsigned char *payload, size_t size)
{
    return asks_for(payload, size, "\x01\x00\x40\x00\0\0\0\0");
}

/* A session that needs only the list of methods at its end: its provider is
 * "heapdrift-nothing". */
static bool has_nothing(const unsigned char *payload, size_t size)
{
    return asks_for(payload, size, "d\0r\0i\0f\0");
}

/* --- where objects move ------------------------------------------------------------ */

static struct bytes movement_of(const struct peer *p, size_t number)
{
    const struct peer_script *s = &p->script;
    return number < s->movement_count ? s->movements[number] : (struct bytes){0};
}

static void start_movement(struct peer *p, int fd)
{
    const struct peer_script *s = &p->script;
    size_t number = p->log.movements++;
    if (s->gc_moves == MOVEMENT_REFUSED || number >= MAX_MOVEMENTS) {
        answer(p, fd, false, 0x80131515, 4);
        close(fd);
        return;
    }
    p->moving[number] = fd;
    if (s->gc_moves == MOVEMENT_SILENT)
        return;
    struct bytes all = movement_of(p, number);
    answer(p, fd, true, FIRST_MOVEMENT + number, 8);
    put(p, fd, all.data, all.size / 2);
    for (size_t sent = 0; s->gc_moves == MOVEMENT_FLOOD && sent < s->flood;)
        sent += put(p, fd, s->answer.data, s->answer.size) ? s->answer.size : s->flood;
    if (s->gc_moves == MOVEMENT_CUT) {
        close(fd);
        p->moving[number] = -1;
    }
}

/* False if it is another session. */
static bool stop_movement(struct peer *p, uint64_t session)
{
    size_t number = (size_t)(session - FIRST_MOVEMENT);
    if (session < FIRST_MOVEMENT || number >= MAX_MOVEMENTS)
        return false;
    struct bytes all = movement_of(p, number);
    if (p->moving[number] < 0)
        return true;
    put(p, p->moving[number], all.data + all.size / 2, all.size - all.size / 2);
    close(p->moving[number]);
    p->moving[number] = -1;
    return true;
}

static void start(struct peer *p, int fd, unsigned command, bool walk)
{
    const struct peer_script *s = &p->script;
    unsigned newest = s->newest_command != 0 ? s->newest_command : 0x0206;
    if (s->habit == PEER_REFUSES || command > newest) {
        answer(p, fd, false, command > newest ? 0x80131385 : s->refusal, 4);
        close(fd);
        return;
    }
    if (s->wait_ms > 0)
        poll(NULL, 0, (int)s->wait_ms);
    answer(p, fd, true, SESSION, 8);
    p->log.sessions += walk;
    p->log.flushes += !walk;
    if (walk) {
        play(p, fd);
        return;
    }
    p->playing = (struct bytes){0};
    p->stream = fd;
}

/* A session that forces the collection: the walk is sent to the other, open one, then comes
 * the answer. */
static void collect(struct peer *p, int fd)
{
    int stream = p->stream;
    p->log.collections++;
    if (stream >= 0 && !p->script.never_walks) {
        p->stream = -1;
        play(p, stream);
    }
    p->collects = true;
    answer(p, fd, true, COLLECTION, 8);
    close(fd);
}

static void start_walk(struct peer *p, int fd, unsigned command)
{
    if (command > 0x0206) {
        answer(p, fd, false, 0x80131385, 4);
        close(fd);
        return;
    }
    p->log.sessions++;
    answer(p, fd, true, SESSION, 8);
    p->playing = (struct bytes){0};
    p->stream = fd;
}

static void stop(struct peer *p, int fd, const unsigned char *payload)
{
    bool is_collection = (payload[0] | payload[1] << 8) == COLLECTION;
    /* A runtime collects again when another session ends. */
    p->log.collections += p->collects && !is_collection;
    if (is_collection) {
        p->collects = false;
        answer(p, fd, true, COLLECTION, 8);
        close(fd);
        return;
    }
    if (stop_movement(p, payload[0] | (uint64_t)payload[1] << 8)) {
        answer(p, fd, true, SESSION, 8);
        close(fd);
        return;
    }
    p->log.stops++;
    if (p->script.habit == PEER_HONEST && p->stream >= 0) {
        size_t tail = p->playing.size > 0 ? p->script.tail : 0;
        put(p, p->stream, p->playing.data + p->playing.size - tail, tail);
    }
    if (p->stream >= 0)
        close(p->stream);
    p->stream = -1;
    answer(p, fd, true, SESSION, 8);
    close(fd);
}

/* Version, pid, a cookie, and strings: command line, system, architecture, assembly,
 * runtime. */
static void tell_process(struct peer *p, int fd)
{
    unsigned char m[256] = "DOTNET_IPC_V1";
    const char *strings[] = {"app", "Linux", "x64", "app", p->script.runtime};
    size_t size = HEADER + 4 + 8 + 16;
    for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
        m[size] = (unsigned char)(strlen(strings[i]) + 1);
        for (size_t k = 0; k < strlen(strings[i]); k++)
            m[size + 4 + 2 * k] = (unsigned char)strings[i][k];
        size += 4 + 2 * (strlen(strings[i]) + 1);
    }
    m[14] = (unsigned char)size;
    m[15] = (unsigned char)(size >> 8);
    m[16] = 0xFF;
    put(p, fd, m, size);
    close(fd);
}

/* --- dumps ------------------------------------------------------------------------ */

static void refuse_dump(struct peer *p, int fd, unsigned command)
{
    const struct peer_script *s = &p->script;
    unsigned char m[512] = "DOTNET_IPC_V1";
    size_t units = s->refuses_for != NULL ? strlen(s->refuses_for) + 1 : 0;
    size_t size = HEADER + 4;
    m[17] = m[16] = 0xFF;
    for (size_t i = 0; i < 4; i++)
        m[HEADER + i] = (unsigned char)(s->refusal >> (8 * i));
    if (command == 0x0103 && units > 0) {
        m[size] = (unsigned char)units;
        for (size_t i = 0; i < units; i++)
            m[size + 4 + 2 * i] = (unsigned char)s->refuses_for[i];
        size += 4 + 2 * units;
    }
    m[14] = (unsigned char)size;
    m[15] = (unsigned char)(size >> 8);
    put(p, fd, m, size);
}

/* The path is ASCII, in units of two bytes. */
static void take_path(struct peer *p, const unsigned char *payload)
{
    size_t units = payload[0] | (size_t)payload[1] << 8;
    for (size_t i = 0; i < units && i < sizeof(p->log.dump_path); i++)
        p->log.dump_path[i] = (char)payload[4 + 2 * i];
    p->log.dump_type = payload[4 + 2 * units];
}

/* "%%" is "%", as createdump has it. */
static void unescape(char *to, const char *from)
{
    for (; *from != '\0'; from += 1 + (from[0] == '%' && from[1] == '%'))
        *to++ = *from;
    *to = '\0';
}

static void dump(struct peer *p, int fd, unsigned command, const unsigned char *payload)
{
    const struct peer_script *s = &p->script;
    unsigned newest = s->newest_dump != 0 ? s->newest_dump : 0x0103;
    take_path(p, payload);
    if (command > newest) {
        answer(p, fd, false, 0x80131385, 4);
    } else if (s->habit == PEER_REFUSES) {
        refuse_dump(p, fd, command);
    } else {
        char path[sizeof(p->log.dump_path)];
        unescape(path, p->log.dump_path);
        if (s->begins_ms > 0)
            poll(NULL, 0, (int)s->begins_ms);
        FILE *to = s->dump.size > 0 ? fopen(path, "w") : NULL;
        if (to != NULL)
            fwrite(s->dump.data, 1, s->dump.size, to);
        if (to != NULL)
            fclose(to);
        if (s->wait_ms > 0)
            poll(NULL, 0, (int)s->wait_ms);
        answer(p, fd, true, 0, 4);
    }
    close(fd);
}

static void serve(struct peer *p, int fd)
{
    unsigned char header[HEADER], payload[1024];
    size_t size = 0;
    /* The client may connect without sending a request. */
    bool asked = get(p, fd, header, HEADER);
    if (asked)
        size = (size_t)(header[14] | header[15] << 8) - HEADER;
    if (!asked || size > sizeof(payload) || !get(p, fd, payload, size)) {
        close(fd);
        return;
    }
    unsigned command = (unsigned)(header[16] << 8 | header[17]);
    if (p->log.count < MAX_COMMANDS)
        p->log.commands[p->log.count++] = command;
    if (p->script.habit == PEER_SAYS_NOTHING) {
        p->stream = fd;
    } else if (p->script.habit == PEER_ANSWERS) {
        put(p, fd, p->script.answer.data, p->script.answer.size);
        p->stream = fd;
    } else if (p->script.habit == PEER_HANGS_UP) {
        close(fd);
    } else if (command >= 0x0101 && command <= 0x0103) {
        dump(p, fd, command, payload);
    } else if (command == 0x0201) {
        stop(p, fd, payload);
    } else if (command >= 0x0202 && command <= 0x0207 && has_movement(payload, size)) {
        start_movement(p, fd);
    } else if (command == 0x0408 && p->script.runtime != NULL) {
        tell_process(p, fd);
    } else if (command == 0x0206 && has_collection(payload, size)) {
        collect(p, fd);
    } else if (command >= 0x0206 && command <= 0x0207 && has_walk_only(payload, size)) {
        p->log.buffer_mb = payload[4] | (uint32_t)payload[5] << 8;
        start_walk(p, fd, command);
    } else if (command >= 0x0202 && command <= 0x0207) {
        bool walk = has_walk(payload, size) || has_nothing(payload, size);
        size_t at = command >= 0x0206 ? 4 : 0;
        if (walk)
            p->log.buffer_mb = payload[at] | (uint32_t)payload[at + 1] << 8;
        start(p, fd, command, walk);
    } else {
        answer(p, fd, false, 0x80131385, 4);
        close(fd);
    }
}

static void *run(void *arg)
{
    struct peer *p = arg;
    while (await(p, p->listener, POLLIN)) {
        int fd = accept(p->listener, NULL, NULL);
        if (fd >= 0)
            serve(p, fd);
    }
    return NULL;
}

struct peer *peer_start(const char *path, const struct peer_script *script)
{
    struct peer *p = alloc_zeroed(sizeof(*p));
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    p->script = *script;
    p->stream = -1;
    for (size_t i = 0; i < MAX_MOVEMENTS; i++)
        p->moving[i] = -1;
    p->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(path);
    memcpy(to.sun_path, path, strlen(path) + 1);
    if (pipe(p->end) != 0 || bind(p->listener, (struct sockaddr *)&to, sizeof(to)) != 0 ||
        listen(p->listener, 8) != 0 || pthread_create(&p->thread, NULL, run, p) != 0)
        abort();
    return p;
}

struct peer_log peer_stop(struct peer *p)
{
    close(p->end[1]);
    pthread_join(p->thread, NULL);
    struct peer_log log = p->log;
    if (p->stream >= 0)
        close(p->stream);
    for (size_t i = 0; i < MAX_MOVEMENTS; i++)
        if (p->moving[i] >= 0)
            close(p->moving[i]);
    close(p->listener);
    close(p->end[0]);
    free(p);
    return log;
}
