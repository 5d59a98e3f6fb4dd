/* Strings in a reply, whose length is not trusted; and connections to a slow, closed or
 * missing peer. */
#include "collect/ipc.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A reply with these bytes, in a buffer that contains an earlier string. */
static struct reply *reply_of(const void *bytes, size_t size)
{
    struct reply *r = calloc(1, sizeof(*r));
    memset(r->payload, 'x', sizeof(r->payload));
    memcpy(r->payload, bytes, size);
    r->size = size;
    return r;
}

static bool reads(const void *bytes, size_t size, const char *text, size_t end)
{
    struct reply *r = reply_of(bytes, size);
    struct text t = {0};
    size_t at = 0;
    bool ok = reply_string(r, &at, &t);
    cr_expect(!ok || at == end, "%zu", at);
    cr_expect(!ok || strcmp(text_string(&t), text) == 0, "%s", text_string(&t));
    text_free(&t);
    free(r);
    return ok;
}

Test(ipc, reads_a_string_of_its_declared_length)
{
    cr_expect(reads("\3\0\0\0h\0i\0\0\0", 10, "hi", 10));
    cr_expect(reads("\2\0\0\0h\0i\0", 8, "hi", 8), "the NUL is not needed");
    cr_expect(reads("\2\0\0\0h\0i\0j\0", 10, "hi", 8), "what follows is not of it");
    cr_expect(reads("\0\0\0\0", 4, "", 4));
    cr_expect(reads("\2\0\0\0\x3d\xd8\0\xde", 8, "\xf0\x9f\x98\x80", 8));
}

Test(ipc, refuses_a_string_that_is_longer_than_its_reply)
{
    static const char hi[] = "\3\0\0\0h\0i\0\0\0";
    for (size_t size = 0; size < 10; size++)
        cr_expect_not(reads(hi, size, "", 0), "%zu bytes of 10", size);
    cr_expect_not(reads("\4\0\0\0h\0i\0\0\0", 10, "", 0), "one more than there are");
    cr_expect_not(reads("\377\377\377\377h\0i\0\0\0", 10, "", 0));
    cr_expect_not(reads("\3\0\0\200h\0i\0\0\0", 10, "", 0), "its bytes wrap around");
}

/* A surrogate at the end must not read past the string. */
Test(ipc, keeps_to_the_string_where_half_a_character_ends_it)
{
    cr_expect(reads("\1\0\0\0\x3d\xd8\0\xde", 8, "\xed\xa0\xbd", 6));
}

/* If the first one does not fit, the earlier one is cleared. */
Test(ipc, replaces_the_string_that_was_read_before)
{
    struct reply *r = reply_of("\1\0\0\0a\0\1\0\0\0b\0\2\0\0\0c\0", 18);
    struct text t = {0};
    size_t at = 0;
    cr_expect(reply_string(r, &at, &t));
    cr_expect_str_eq(text_string(&t), "a");
    cr_expect(reply_string(r, &at, &t));
    cr_expect_str_eq(text_string(&t), "b");
    cr_expect_not(reply_string(r, &at, &t));
    cr_expect_eq(t.len, 0);
    text_free(&t);
    free(r);
}

/* --- connections -------------------------------------------------------------------- */

static const struct patience brief = {.silence_ms = 150};

static bool never(void *context)
{
    (void)context;
    return false;
}

static const struct patience stopped = {.silence_ms = 10000, .go_on = never};

/* Both ends of a connection, ours non-blocking. */
static void connect_pair(int ends[2])
{
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    cr_assert_eq(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
}

static void fill(int fd)
{
    static const char block[4096];
    while (send(fd, block, sizeof(block), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
        ;
}

static int errno_of(const char *path)
{
    errno = 0;
    int fd = transport.connect(path, &brief);
    cr_expect_eq(fd, -1, "%.40s", path);
    return errno;
}

Test(ipc, an_invalid_path_has_a_reason)
{
    char name[300] = "/tmp/", folder[300] = "/tmp/no-such-folder/";
    memset(name + 5, 'n', 200);
    memset(folder + strlen(folder), 'n', 100);
    cr_expect_eq(errno_of("relative"), EINVAL);
    cr_expect_eq(errno_of("relative/too"), EINVAL);
    cr_expect_eq(errno_of(name), ENAMETOOLONG, "through a folder the name is too long too");
    cr_expect_eq(errno_of(folder), ENOENT);
}

Test(ipc, waits_for_room_until_patience_ends)
{
    int ends[2];
    struct hd_error err = {0};
    struct request r = request_for(IPC_PROCESS_INFO);
    connect_pair(ends);
    fill(ends[0]);
    cr_expect_not(ipc_send(ends[0], &r, &brief, &err));
    cr_expect_eq(err.status, HD_TIMED_OUT);
    cr_expect_str_eq(err.message, "no response for 0.15 s");
    err = (struct hd_error){0};
    cr_expect_not(ipc_send(ends[0], &r, &stopped, &err));
    cr_expect_eq(err.status, HD_CANCELLED);
}

Test(ipc, a_time_limit_ends_patience_earlier)
{
    int ends[2];
    struct patience late = {.silence_ms = 60000, .deadline = clock_ms()};
    connect_pair(ends);
    cr_expect_eq(transport.await(ends[0], late.deadline, &late), READY_TIMED_OUT);
    struct reply *r = calloc(1, sizeof(*r));
    struct hd_error err = {0};
    uint64_t begin = clock_ms();
    cr_expect_not(ipc_receive(ends[0], r, &late, &err));
    cr_expect_eq(err.status, HD_TIMED_OUT);
    cr_expect_lt(clock_ms() - begin, 30000);
    free(r);
}

Test(ipc, a_closed_connection_means_that_the_process_has_ended)
{
    int ends[2];
    struct hd_error err = {0};
    struct request r = request_for(IPC_PROCESS_INFO);
    connect_pair(ends);
    close(ends[1]);
    cr_expect_not(ipc_send(ends[0], &r, &brief, &err));
    cr_expect_not_null(strstr(err.message, "has it exited?"), "%s", err.message);
    struct reply *reply = calloc(1, sizeof(*reply));
    err = (struct hd_error){0};
    cr_expect_not(ipc_receive(ends[0], reply, &brief, &err));
    cr_expect_not_null(strstr(err.message, "has it exited?"), "%s", err.message);
    free(reply);
}

/* A pipe is not a socket; a closed descriptor is invalid. */
Test(ipc, a_descriptor_that_is_not_a_connection_is_a_system_error)
{
    int ends[2];
    pid_t pid = 0;
    uid_t uid = 0;
    struct hd_error err = {0};
    struct request r = request_for(IPC_PROCESS_INFO);
    cr_assert_eq(pipe(ends), 0);
    cr_expect_not(transport.peer(ends[0], &pid, &uid));
    cr_expect_not(ipc_send(ends[1], &r, &brief, &err));
    cr_expect_str_eq(err.message, strerror(ENOTSOCK));
}

Test(ipc, a_request_has_its_length_and_two_units_for_characters_beyond_16_bits)
{
    static const unsigned char wanted[] =
        "DOTNET_IPC_V1\0\x20\0\4\0\0\0\4\0\0\0x\0\x3d\xd8\0\xde\0";
    struct request r = request_for(IPC_PROCESS_INFO);
    request_utf8(&r, "x\xf0\x9f\x98\x80");
    cr_assert_eq(r.len, 32);
    cr_expect_arr_eq(r.bytes, wanted, 32);
}
