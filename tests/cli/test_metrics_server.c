/* /metrics and /healthz over a socket: answers, and dropped clients. */
#include "fleet/agent/agent.h"

#include "cli/guard/sandbox.h"
#include "cli/terminal/clock.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* As in metrics_server.h. */
enum { CLIENTS = 32, REQUEST = 4096, PATIENCE_S = 5, TEXT = 1 << 20 };

static struct scratch scratch;
static const char *path;
static const struct settings settings = {.quiet = true};
static struct metrics_server *server;

/* Replaces the one of sandbox.c: answers do not depend on permissions. */
bool sandbox_enter_to_serve(bool is_off)
{
    return !is_off;
}

static void begin(void)
{
    scratch_open(&scratch);
    path = scratch_path(&scratch, "metrics");
    server = metrics_server_begin(&settings, path);
    cr_assert_not_null(server);
}

static void end(void)
{
    metrics_server_end(server);
    cr_expect_neq(access(path, F_OK), 0);
    scratch_remove(&scratch);
}

TestSuite(metrics_server, .init = begin, .fini = end);

static int client(void)
{
    const struct timeval most = {.tv_sec = 4 * PATIENCE_S};
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert(fd >= 0 && strlen(path) < sizeof(to.sun_path));
    strcpy(to.sun_path, path);
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)), 0);
    cr_assert_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    cr_assert_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* Reads until the server closes; the text lives as long as the folder. */
static const char *heard(int fd)
{
    char *text = arena_alloc(&scratch.arena, 2 * TEXT);
    size_t len = 0;
    ssize_t n;
    while ((n = recv(fd, text + len, 2 * TEXT - 1 - len, 0)) > 0)
        len += (size_t)n;
    cr_expect_eq(n, 0, "it is not closed");
    text[len] = '\0';
    close(fd);
    return text;
}

static const char *answer(const char *request)
{
    int fd = client();
    say(fd, request);
    return heard(fd);
}

static void expect(const char *request, const char *status, const char *body)
{
    const char *text = answer(request), *found = strstr(text, "\r\n\r\n");
    cr_expect_eq(strncmp(text, status, strlen(status)), 0, "%s", text);
    cr_assert_not_null(found, "%s", text);
    cr_expect_str_eq(found + 4, body, "%s", text);
}

Test(metrics_server, answers_requests_of_two_paths)
{
    metrics_server_publish(server, "old 1\n", 6);
    metrics_server_publish(server, "new 22\n", 7);
    expect("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK", "new 22\n");
    expect("GET /metrics?a=b HTTP/1.0\n\n", "HTTP/1.1 200 OK", "new 22\n");
    expect("GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK", "ok\n");
    expect("GET /metric HTTP/1.1\r\n\r\n", "HTTP/1.1 404",
           "not found; there are /metrics, /healthz and /livez\n");
    expect("GET /metricsx HTTP/1.1\r\n\r\n", "HTTP/1.1 404",
           "not found; there are /metrics, /healthz and /livez\n");
    expect("POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 405", "GET only\n");
    expect("GET /metrics\r\n\r\n", "HTTP/1.1 400", "not an HTTP/1 request\n");
    const char *text = answer("GET /metrics HTTP/1.1\r\n\r\n");
    cr_expect_not_null(strstr(text, "\r\nContent-Length: 7\r\n"), "%s", text);
    cr_expect_not_null(strstr(text, "version=0.0.4"), "%s", text);
}

Test(metrics_server, answers_a_request_in_pieces)
{
    int fd = client();
    const char *const pieces[] = {"GET /hea", "lthz HTTP/1.1\r", "\n\r", "\n"};
    for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
        say(fd, pieces[i]);
        usleep(20000);
    }
    cr_expect_not_null(strstr(heard(fd), "\r\n\r\nok\n"));
}

Test(metrics_server, refuses_a_request_that_does_not_end)
{
    char request[REQUEST + 1];
    memset(request, 'a', REQUEST);
    request[REQUEST] = '\0';
    expect(request, "HTTP/1.1 431", "the request is larger than 4 KiB\n");
}

Test(metrics_server, reports_a_hanging_watcher)
{
    metrics_server_beat(server, WATCH_STORES, -1);
    usleep(2000);
    expect("GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 503",
           "watch hangs: writing to the store, no sign of life for 0 s\n");
    metrics_server_beat(server, WATCH_STORES, 60);
    expect("GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK", "ok\n");
}

Test(metrics_server, leaves_whole_lines_out_of_a_text_that_is_too_long)
{
    enum { LINE = 1000 };
    char *text = arena_alloc(&scratch.arena, TEXT + LINE);
    for (size_t i = 0; i < TEXT + LINE; i++)
        text[i] = i % LINE == LINE - 1 ? '\n' : 'a';
    metrics_server_publish(server, text, TEXT + LINE);
    const char *body = strstr(answer("GET /metrics HTTP/1.1\r\n\r\n"), "\r\n\r\n");
    cr_assert_not_null(body);
    cr_expect_eq(strlen(body + 4), TEXT / LINE * LINE);
}

/* One sends nothing, one half a request. */
Test(metrics_server, drops_clients_that_are_late)
{
    double before = seconds_now();
    int mute = client(), slow = client();
    say(slow, "GET /metrics HTTP/1.1\r\n");
    cr_expect_str_eq(heard(mute), "");
    cr_expect_str_eq(heard(slow), "");
    cr_expect_geq(seconds_now() - before, PATIENCE_S);
}

Test(metrics_server, drops_the_oldest_of_too_many)
{
    int fd[CLIENTS + 1];
    for (size_t i = 0; i < CLIENTS; i++) {
        fd[i] = client();
        usleep(2000);
    }
    expect("GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK", "ok\n");
    cr_expect_str_eq(heard(fd[0]), "");
    say(fd[1], "GET /healthz HTTP/1.1\r\n\r\n");
    cr_expect_not_null(strstr(heard(fd[1]), "\r\n\r\nok\n"));
    for (size_t i = 2; i < CLIENTS; i++)
        close(fd[i]);
}

Test(metrics_server, lists_services_without_snapshots)
{
    metrics_server_say_ill(server, "no snapshot of Shop\n");
    metrics_server_publish(server, "a 1\n", 4);
    expect("GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 503", "no snapshot of Shop\n");
    expect("GET /livez HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK", "ok\n");
    metrics_server_say_ill(server, "");
    metrics_server_publish(server, "a 2\n", 4);
    expect("GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK", "ok\n");
}
