/* memfd_create, accept4. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "fleet/agent/agent.h"

#include "cli/guard/allocate.h"
#include "cli/guard/rights.h"
#include "cli/guard/sandbox.h"
#include "cli/guard/trust.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MAX_TEXT = 1 << 20,
    MAX_HEALTH = 2048,
    MAX_CLIENTS = 32,
    MAX_REQUEST = 4096,
    PATIENCE_MS = 5000, /* for a request, and again for its answer */
    PARTING_MS = 1000,  /* until a client has taken what it was sent */
    BACKLOG = 128
};

/* --- shared memory -------------------------------------------------------------------
 *
 * The watcher writes the inactive text, then makes it active. A reader that sees the same
 * number of turns before and after its copy has a consistent text. */

struct text_shared {
    char ill[MAX_HEALTH]; /* "": healthy */
    size_t size;
    char bytes[MAX_TEXT];
};

struct shared {
    _Atomic uint64_t turns;
    _Atomic int64_t beat_ms, due_ms; /* of seconds_now() */
    _Atomic int activity;
    struct text_shared texts[2]; /* pages that are never used are never there */
};

/* Descriptors of the restarted child, after the standard ones. */
enum { LISTENING = STDERR_FILENO + 1, MEMORY };
#define SERVER_NAME "heapdrift-metrics"
static bool may_begin_anew; /* this program is the one that executes itself, not a test */

struct metrics_server {
    const struct settings *settings;
    struct shared *shared;
    int memory; /* where that is; -1: in no file */
    int listening;
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* of a socket; "" TCP */
    char ill[MAX_HEALTH];
    pid_t child;
    double began; /* when that child did */
};

static int64_t now_ms(void)
{
    return (int64_t)(seconds_now() * 1e3);
}

void metrics_server_beat(struct metrics_server *m, enum watch_activity what, double seconds)
{
    int64_t now = now_ms();
    atomic_store(&m->shared->activity, (int)what);
    atomic_store(&m->shared->beat_ms, now);
    atomic_store(&m->shared->due_ms, now + (int64_t)(seconds * 1e3));
}

void metrics_server_say_ill(struct metrics_server *m, const char *why)
{
    snprintf(m->ill, sizeof(m->ill), "%s", why);
}

void metrics_server_publish(struct metrics_server *m, const char *text, size_t size)
{
    uint64_t turns = atomic_load(&m->shared->turns) + 1;
    struct text_shared *next = &m->shared->texts[turns % 2];
    while (size > MAX_TEXT || (size > 0 && text[size - 1] != '\n'))
        size = size > MAX_TEXT ? MAX_TEXT : size - 1;
    memcpy(next->bytes, text, size);
    memcpy(next->ill, m->ill, sizeof(next->ill));
    next->size = size;
    atomic_store(&m->shared->turns, turns);
}

/* Returns the current text, malloc'd after `headroom` free bytes, and the lines about
 * problems. */
static char *copy_text(const struct shared *shared, size_t headroom, size_t *size,
                       char ill[MAX_HEALTH])
{
    char *copy = NULL;
    uint64_t turns;
    do {
        turns = atomic_load(&shared->turns);
        const struct text_shared *current = &shared->texts[turns % 2];
        *size = current->size <= MAX_TEXT ? current->size : 0;
        copy = more(copy, headroom + *size);
        memcpy(copy + headroom, current->bytes, *size);
        memcpy(ill, current->ill, MAX_HEALTH);
        atomic_thread_fence(memory_order_acquire);
    } while (atomic_load(&shared->turns) != turns);
    ill[MAX_HEALTH - 1] = '\0';
    return copy;
}

/* --- a client ------------------------------------------------------------------------ */

enum client_state { CLIENT_NONE, CLIENT_ASKS, CLIENT_IS_ANSWERED, CLIENT_PARTS };

struct client {
    enum client_state state;
    int fd;
    int64_t since, until; /* milliseconds */
    size_t size;          /* of request so far */
    char request[MAX_REQUEST];
    char *answer;
    size_t left, sent;
};

static void drop(struct client *c)
{
    if (c->state != CLIENT_NONE)
        close(c->fd);
    free(c->answer);
    c->answer = NULL;
    c->state = CLIENT_NONE;
}

/* Room in front of a text for the lines of HTTP. */
enum { HEAD_CAPACITY = 256 };

/* Sends an answer, which becomes the client's; the body is after HEAD_CAPACITY bytes. */
static void answer_with(struct client *c, const char *status, const char *type,
                        const char *more_lines, char *answer, size_t size)
{
    int len = snprintf(answer, HEAD_CAPACITY,
                       "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\n"
                       "Content-Length: %zu\r\n%sConnection: close\r\n\r\n",
                       status, type, size, more_lines);
    memmove(answer + HEAD_CAPACITY - len, answer, (size_t)len);
    c->answer = answer;
    c->sent = HEAD_CAPACITY - (size_t)len;
    c->left = (size_t)len + size;
    c->state = CLIENT_IS_ANSWERED;
    c->until = now_ms() + PATIENCE_MS;
}

static void answer_line(struct client *c, const char *status, const char *more_lines,
                        const char *line)
{
    size_t size = strlen(line);
    char *answer = more(NULL, HEAD_CAPACITY + size + 1);
    snprintf(answer + HEAD_CAPACITY, size + 1, "%s", line);
    answer_with(c, status, "text/plain", more_lines, answer, size);
}

static void answer_health(struct client *c, const struct shared *shared,
                          bool is_alive_enough)
{
    static const char *const doing[] = {"waiting for the next snapshot",
                                        "looking for processes", "taking a snapshot",
                                        "writing to the store"};
    int64_t now = now_ms(), due = atomic_load(&shared->due_ms);
    int activity = atomic_load(&shared->activity);
    char line[MAX_HEALTH] = "";
    size_t size;
    if (now <= due && !is_alive_enough)
        free(copy_text(shared, 0, &size, line));
    else if (now > due)
        snprintf(line, sizeof(line), "watch hangs: %s, no sign of life for %.0f s\n",
                 activity >= WATCH_WAITS && activity <= WATCH_STORES ? doing[activity] : "",
                 (double)(now - atomic_load(&shared->beat_ms)) / 1e3);
    bool is_well = line[0] == '\0';
    answer_line(c, is_well ? "200 OK" : "503 Service Unavailable", "",
                is_well ? "ok\n" : line);
}

/* "GET /metrics?x HTTP/1.1": whether that is the path. */
static bool asks_for(const char *line, const char *path)
{
    const char *target = line + strlen("GET ");
    size_t len = strlen(path);
    return strncmp(target, path, len) == 0 && target[len] != '\0' &&
           strchr(" ?", target[len]) != NULL;
}

/* Answers a request that ends in an empty line, without body. */
static void answer_request(struct client *c, const struct shared *shared)
{
    const char *line_end = memchr(c->request, '\n', c->size);
    char line[MAX_REQUEST + 1], ill[MAX_HEALTH];
    size_t len = (size_t)(line_end - c->request), size;
    memcpy(line, c->request, len);
    line[len] = '\0';
    const char *version = strrchr(line, ' ');
    if (strlen(line) != len || version == NULL || strncmp(version, " HTTP/1.", 8) != 0) {
        answer_line(c, "400 Bad Request", "", "not an HTTP/1 request\n");
    } else if (strncmp(line, "GET ", 4) != 0) {
        answer_line(c, "405 Method Not Allowed", "Allow: GET\r\n", "GET only\n");
    } else if (asks_for(line, "/metrics")) {
        char *answer = copy_text(shared, HEAD_CAPACITY, &size, ill);
        answer_with(c, "200 OK", "text/plain; version=0.0.4", "", answer, size);
    } else if (asks_for(line, "/healthz") || asks_for(line, "/livez")) {
        answer_health(c, shared, asks_for(line, "/livez"));
    } else {
        answer_line(c, "404 Not Found", "",
                    "not found; there are /metrics, /healthz and /livez\n");
    }
}

/* True if at least a byte was transferred; drops the client on errors. */
static bool has_moved(struct client *c, ssize_t n)
{
    if (n > 0)
        return true;
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        drop(c);
    return false;
}

static void serve(struct client *c, const struct shared *shared)
{
    char rest[MAX_REQUEST];
    if (c->state == CLIENT_PARTS)
        has_moved(c, recv(c->fd, rest, sizeof(rest), 0));
    if (c->state == CLIENT_ASKS) {
        ssize_t n = recv(c->fd, c->request + c->size, sizeof(c->request) - c->size, 0);
        if (!has_moved(c, n))
            return;
        c->size += (size_t)n;
        if (memmem(c->request, c->size, "\r\n\r\n", 4) != NULL ||
            memmem(c->request, c->size, "\n\n", 2) != NULL)
            answer_request(c, shared);
        else if (c->size == sizeof(c->request))
            answer_line(c, "431 Request Header Fields Too Large", "",
                        "the request is larger than 4 KiB\n");
    }
    /* At once: most answers fit into the buffers of the kernel. */
    if (c->state != CLIENT_IS_ANSWERED)
        return;
    ssize_t n = send(c->fd, c->answer + c->sent, c->left, MSG_NOSIGNAL);
    if (!has_moved(c, n))
        return;
    c->sent += (size_t)n;
    c->left -= (size_t)n;
    if (c->left > 0)
        return;
    /* Unread input would make the kernel discard the answer. */
    shutdown(c->fd, SHUT_WR);
    free(c->answer);
    c->answer = NULL;
    c->state = CLIENT_PARTS;
    c->until = now_ms() + PARTING_MS;
}

/* --- the process that answers -------------------------------------------------------- */

/* Accepts clients into free places, else in place of the oldest. Their request has usually
 * arrived already, so it is read before the next client may replace it; existing clients
 * are served again before all may be replaced. */
static void welcome(struct client *all, int listening, const struct shared *shared)
{
    for (int i = 0; i < MAX_CLIENTS / 2; i++) {
        int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        struct client *c = &all[0];
        for (size_t k = 1; k < MAX_CLIENTS && c->state != CLIENT_NONE; k++)
            if (all[k].state == CLIENT_NONE || all[k].since < c->since)
                c = &all[k];
        drop(c);
        *c = (struct client){.state = CLIENT_ASKS, .fd = fd, .since = now_ms()};
        c->until = c->since + PATIENCE_MS;
        serve(c, shared);
    }
}

_Noreturn static void answer_clients(int listening, const struct shared *shared)
{
    enum { TICK_MS = 500 };
    struct client *all = zeroed(MAX_CLIENTS, sizeof(*all));
    struct pollfd list[MAX_CLIENTS + 1] = {{.fd = listening, .events = POLLIN}};
    for (;;) {
        int64_t now = now_ms();
        /* poll() ignores negative descriptors. */
        for (size_t i = 0; i < MAX_CLIENTS; i++) {
            if (all[i].state != CLIENT_NONE && now > all[i].until)
                drop(&all[i]);
            list[i + 1] = (struct pollfd){
                .fd = all[i].state != CLIENT_NONE ? all[i].fd : -1,
                .events = all[i].state == CLIENT_IS_ANSWERED ? POLLOUT : POLLIN};
        }
        if (poll(list, MAX_CLIENTS + 1, TICK_MS) <= 0)
            continue;
        for (size_t i = 0; i < MAX_CLIENTS; i++)
            if (list[i + 1].revents != 0)
                serve(&all[i], shared);
        if (list[0].revents & (POLLHUP | POLLERR))
            _exit(EXIT_DONE);
        if (list[0].revents != 0)
            welcome(all, listening, shared);
    }
}

/* Changing the user clears PR_SET_PDEATHSIG. */
_Noreturn static void serve_strangers(const struct settings *s, pid_t watcher,
                                      const struct shared *shared)
{
    rights_give_up();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != watcher || !sandbox_enter_to_serve(s->no_sandbox))
        _exit(EXIT_TROUBLE);
    answer_clients(LISTENING, shared);
}

void metrics_server_take_over(int count, char *const *arguments)
{
    may_begin_anew = true;
    if (count < 2 || strcmp(arguments[0], SERVER_NAME) != 0)
        return;
    prctl(PR_SET_NAME, SERVER_NAME, 0, 0, 0);
    const struct settings s = {.no_sandbox = count > 2};
    const struct shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ, MAP_SHARED, MEMORY, 0);
    close(MEMORY);
    struct stat st;
    if (shared == MAP_FAILED || fstat(LISTENING, &st) != 0 || !S_ISSOCK(st.st_mode))
        _exit(EXIT_TROUBLE);
    serve_strangers(&s, (pid_t)strtol(arguments[1], NULL, 10), shared);
}

/* Moves descriptors to fixed numbers, via others, since they may already have each other's.
 * Closes everything else of the watcher: its files and the host lock, which this process
 * would hold as long as it lives. */
static void place_files(const struct metrics_server *m)
{
    enum { MAX_FDS = 1024 };
    int listening = fcntl(m->listening, F_DUPFD_CLOEXEC, MEMORY + 1);
    int memory = m->memory >= 0 ? fcntl(m->memory, F_DUPFD_CLOEXEC, MEMORY + 1) : -1;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
    }
    dup2(listening, LISTENING);
    if (memory >= 0)
        dup2(memory, MEMORY);
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = (memory >= 0 ? MEMORY : LISTENING) + 1;
         fd < (most > 0 && most < MAX_FDS ? (int)most : MAX_FDS); fd++)
        close(fd);
}

/* The child executes this program again, with only the shared memory: a fork would have a
 * copy of what the watcher has read (the store's password, heaps). */
static void begin_child(struct metrics_server *m)
{
    const pid_t watcher = getpid();
    char number[24], *const nothing[] = {NULL};
    char name[] = SERVER_NAME, open[] = "--no-sandbox";
    fflush(NULL);
    m->began = seconds_now();
    m->child = fork();
    if (m->child != 0)
        return;
    place_files(m);
    snprintf(number, sizeof(number), "%ld", (long)watcher);
    char *const arguments[] = {name, number, m->settings->no_sandbox ? open : NULL, NULL};
    if (may_begin_anew && m->memory >= 0)
        execve("/proc/self/exe", arguments, nothing);
    /* Without /proc, for one. */
    close(MEMORY);
    rights_forget_environment("");
    serve_strangers(m->settings, watcher, m->shared);
}

void metrics_server_keep(struct metrics_server *m)
{
    const double rest = 10;
    int how;
    if (m->child > 0 && waitpid(m->child, &how, WNOHANG) == m->child) {
        m->child = -1;
        fputs("heapdrift: warning: --listen: the process that serves requests has ended; "
              "restarting it\n",
              stderr);
    }
    if (m->child <= 0 && seconds_now() - m->began >= rest)
        begin_child(m);
}

/* --- where --------------------------------------------------------------------------- */

struct metrics_server_place {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un path;
    };
    socklen_t size;
};

/* Numbers only: a name may have several addresses, and asking for them would take a
 * resolver that the static program lacks. */
static bool parse_address(const char *address, struct metrics_server_place *p)
{
    char host[64], *end;
    *p = (struct metrics_server_place){.size = 0};
    if (address[0] == '/') {
        p->path.sun_family = AF_UNIX;
        p->size = sizeof(p->path);
        snprintf(p->path.sun_path, sizeof(p->path.sun_path), "%s", address);
        return strlen(address) < sizeof(p->path.sun_path);
    }
    const char *colon = strrchr(address, ':');
    if (colon == NULL || colon[1] < '0' || colon[1] > '9' ||
        (size_t)(colon - address) >= sizeof(host))
        return false;
    unsigned long number = strtoul(colon + 1, &end, 10);
    in_port_t port = htons((in_port_t)number);
    if (*end != '\0' || number > UINT16_MAX)
        return false;
    size_t len = (size_t)(colon - address);
    bool bracketed = len >= 2 && address[0] == '[' && colon[-1] == ']';
    snprintf(host, sizeof(host), "%.*s", (int)(bracketed ? len - 2 : len),
             address + (bracketed ? 1 : 0));
    if (len > 0 && !bracketed) {
        p->v4.sin_family = AF_INET;
        p->v4.sin_port = port;
        p->size = sizeof(p->v4);
        return inet_pton(AF_INET, host, &p->v4.sin_addr) == 1;
    }
    p->v6.sin6_family = AF_INET6;
    p->v6.sin6_port = port;
    p->size = sizeof(p->v6);
    return inet_pton(AF_INET6, len > 0 ? host : "::", &p->v6.sin6_addr) == 1;
}

const char *metrics_address_problem(const char *address)
{
    struct metrics_server_place p;
    return parse_address(address, &p)
               ? ""
               : "an address such as :9464, 127.0.0.1:9464, [::1]:9464, or a path";
}

static int listen_at(const struct metrics_server_place *p)
{
    const int on = 1, off = 0;
    struct stat st;
    int fd = socket(p->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    /* Remove the socket of a watcher that was killed, and no other file. */
    if (p->any.sa_family == AF_UNIX && lstat(p->path.sun_path, &st) == 0 &&
        S_ISSOCK(st.st_mode)) {
        int other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (other >= 0 && connect(other, &p->any, p->size) != 0 && errno == ECONNREFUSED)
            unlink(p->path.sun_path);
        if (other >= 0)
            close(other);
    }
    if (p->any.sa_family != AF_UNIX)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (p->any.sa_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (bind(fd, &p->any, p->size) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

/* --- from begin to end --------------------------------------------------------------- */

/* In a file of its own, which only the watcher may write to from then on. */
static void share_memory(struct metrics_server *m)
{
    const int may_only_read = 0x10; /* F_SEAL_FUTURE_WRITE, Linux 5.1 */
    m->memory = memfd_create("heapdrift-metrics", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (m->memory >= 0 && ftruncate(m->memory, sizeof(*m->shared)) != 0) {
        close(m->memory);
        m->memory = -1;
    }
    m->shared = mmap(NULL, sizeof(*m->shared), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_NORESERVE | (m->memory < 0 ? MAP_ANONYMOUS : 0),
                     m->memory, 0);
    if (m->shared == MAP_FAILED)
        no_memory(sizeof(*m->shared));
    if (m->memory >= 0)
        fcntl(m->memory, F_ADD_SEALS, may_only_read);
}

struct metrics_server *metrics_server_begin(const struct settings *s, const char *address)
{
    const double first = 60;
    bool is_path = address[0] == '/';
    struct metrics_server_place p;
    if (is_path && !trust_check(address, TRUST_LINKS))
        return NULL;
    parse_address(address, &p);
    int listening = listen_at(&p);
    /* ":9464" is all of this machine, also where that has no IPv6. */
    if (listening < 0 && address[0] == ':' && errno == EAFNOSUPPORT) {
        struct metrics_server_place v4 = {
            .v4 = {.sin_family = AF_INET, .sin_port = p.v6.sin6_port},
            .size = sizeof(v4.v4)};
        listening = listen_at(&v4);
    }
    if (listening < 0) {
        trouble(address, strerror(errno));
        return NULL;
    }
    struct metrics_server *m = zeroed(1, sizeof(*m));
    m->settings = s;
    m->listening = listening;
    snprintf(m->path, sizeof(m->path), "%s", is_path ? address : "");
    share_memory(m);
    metrics_server_beat(m, WATCH_LOOKS, first);
    if (!s->quiet) {
        begin_message(NULL, "metrics");
        fputs(": ", stderr);
        put_name(m->path);
        /* The port that the kernel chose for 0, too. */
        p = (struct metrics_server_place){.size = sizeof(p.v6)};
        if (!is_path && getsockname(listening, &p.any, &p.size) == 0)
            fprintf(stderr, "http://%.*s:%u/metrics",
                    (int)(strrchr(address, ':') - address), address,
                    ntohs(p.any.sa_family == AF_INET ? p.v4.sin_port : p.v6.sin6_port));
        fputs("\n", stderr);
    }
    begin_child(m);
    return m;
}

/* The child has another user id, which a unit without CAP_KILL cannot signal: it ends when
 * the listening socket is shut down or, failing that, when we end. */
void metrics_server_end(struct metrics_server *m)
{
    enum { MAX_LOOKS = 100, EACH_MS = 10 };
    if (m == NULL)
        return;
    if (m->child > 0) {
        shutdown(m->listening, SHUT_RDWR);
        kill(m->child, SIGKILL);
        for (int i = 0; i < MAX_LOOKS && waitpid(m->child, NULL, WNOHANG) == 0; i++)
            poll(NULL, 0, EACH_MS);
    }
    if (m->path[0] != '\0')
        unlink(m->path);
    close(m->listening);
    if (m->memory >= 0)
        close(m->memory);
    munmap(m->shared, sizeof(*m->shared));
    free(m);
}
