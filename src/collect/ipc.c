#include "collect/ipc.h"

#include "base/error.h"
#include "base/little_endian.h"
#include "base/utf16.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* How often the user is asked; and how soon a full backlog is tried again. */
enum { TICK_MS = 100, RETRY_MS = 10 };

static const char magic[14] = "DOTNET_IPC_V1";

/* struct ucred is GNU's; the layout is the kernel's. */
struct peer_credentials {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

static bool wants_to_go_on(const struct patience *p)
{
    return p->go_on == NULL || p->go_on(p->context);
}

/* When what begins now is given up. */
static uint64_t end_of_patience(const struct patience *p)
{
    uint64_t end = clock_ms() + p->silence_ms;
    return p->deadline != 0 && p->deadline < end ? p->deadline : end;
}

enum ready ipc_await(int fd, bool to_write, uint64_t deadline, const struct patience *p)
{
    for (;;) {
        if (!wants_to_go_on(p))
            return READY_STOPPED;
        uint64_t now = clock_ms();
        uint64_t left = deadline > now ? deadline - now : 0;
        struct pollfd poll_fd = {.fd = fd, .events = to_write ? POLLOUT : POLLIN};
        int n = poll(&poll_fd, 1, (int)(left < TICK_MS ? left : TICK_MS));
        if (n > 0)
            return READY;
        if (n < 0 && errno != EINTR)
            return READY_FAILED;
        if (n == 0 && left == 0)
            return READY_TIMED_OUT;
    }
}

/* --- connecting --------------------------------------------------------------- */

/* A path that is too long for an address is reached through its folder. *folder is to be
 * closed afterwards if it is not -1. */
static bool make_address(const char *path, struct sockaddr_un *to, int *folder)
{
    *folder = -1;
    *to = (struct sockaddr_un){.sun_family = AF_UNIX};
    const char *name = strrchr(path, '/');
    if (path[0] != '/' || name == NULL) {
        errno = EINVAL;
        return false;
    }
    if (strlen(path) < sizeof(to->sun_path)) {
        memcpy(to->sun_path, path, strlen(path) + 1);
        return true;
    }
    struct text parent = {0};
    text_add(&parent, path, (size_t)(name - path) + 1);
    *folder = open(text_string(&parent), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    text_free(&parent);
    if (*folder < 0)
        return false;
    int n =
        snprintf(to->sun_path, sizeof(to->sun_path), "/proc/self/fd/%d%s", *folder, name);
    if (n > 0 && (size_t)n < sizeof(to->sun_path))
        return true;
    close(*folder);
    errno = ENAMETOOLONG;
    return false;
}

/* Unix sockets connect at once, or not at all while the backlog is full. */
static bool connect_patiently(int fd, const struct sockaddr_un *to,
                              const struct patience *p)
{
    uint64_t deadline = end_of_patience(p);
    while (connect(fd, (const struct sockaddr *)to, sizeof(*to)) != 0) {
        if (errno == EISCONN)
            return true;
        if (errno != EAGAIN && errno != EINTR)
            return false;
        if (!wants_to_go_on(p) || clock_ms() >= deadline) {
            errno = clock_ms() >= deadline ? ETIMEDOUT : ECANCELED;
            return false;
        }
        poll(NULL, 0, RETRY_MS);
    }
    return true;
}

int ipc_connect(const char *path, const struct patience *p)
{
    struct sockaddr_un to;
    int folder;
    if (!make_address(path, &to, &folder))
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && !connect_patiently(fd, &to, p)) {
        int why = errno;
        close(fd);
        errno = why;
        fd = -1;
    }
    int why = errno;
    if (folder >= 0)
        close(folder);
    errno = why;
    return fd;
}

bool ipc_peer(int fd, pid_t *pid, uid_t *uid)
{
    struct peer_credentials who;
    socklen_t size = sizeof(who);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || size != sizeof(who))
        return false;
    *pid = who.pid;
    *uid = who.uid;
    return true;
}

/* --- requests ----------------------------------------------------------------- */

/* The total size stands behind the magic, in two bytes. */
enum { SIZE_AT = sizeof(magic) };

static void add(struct request *r, uint64_t n, size_t size)
{
    assert(r->len + size <= sizeof(r->bytes));
    le_put(r->bytes + r->len, n, size);
    r->len += size;
    le_put(r->bytes + SIZE_AT, r->len, 2);
}

struct request request_for(enum ipc_command command)
{
    struct request r = {0};
    memcpy(r.bytes, magic, sizeof(magic));
    r.len = sizeof(magic) + 2;
    add(&r, (unsigned)command >> 8, 1);
    add(&r, (unsigned)command & 0xFF, 1);
    add(&r, 0, 2);
    return r;
}

void request_u8(struct request *r, uint8_t n)
{
    add(r, n, 1);
}

void request_u32(struct request *r, uint32_t n)
{
    add(r, n, 4);
}

void request_u64(struct request *r, uint64_t n)
{
    add(r, n, 8);
}

void request_string(struct request *r, const char *ascii)
{
    size_t units = strlen(ascii) + 1;
    add(r, units, 4);
    for (size_t i = 0; i < units; i++)
        add(r, (unsigned char)ascii[i], 2);
}

/* What is no UTF-8 is told as it is, byte by byte. */
static uint32_t next_code(const unsigned char **at)
{
    size_t left = strlen((const char *)*at), len = utf8_length(*at, left);
    uint32_t code = len > 0 ? utf8_decode(*at, len) : **at;
    *at += len > 0 ? len : 1;
    return code;
}

void request_utf8(struct request *r, const char *s)
{
    enum { FIRST_OF_PAIRS = 0x10000 };
    size_t length_at = r->len;
    uint32_t units = 0;
    request_u32(r, 0);
    for (const unsigned char *at = (const unsigned char *)s; *at != '\0'; units++) {
        uint32_t high = next_code(&at), low = 0;
        bool is_pair = high >= FIRST_OF_PAIRS;
        if (is_pair)
            utf16_split(high, &high, &low);
        add(r, high, 2);
        if (is_pair)
            add(r, low, 2);
        units += is_pair;
    }
    add(r, 0, 2);
    le_put(r->bytes + length_at, units + 1, 4);
}

static bool not_ready(enum ready why, const struct patience *p, struct hd_error *err)
{
    if (why == READY_STOPPED)
        return fail(err, HD_STOPPED, "stopped");
    if (why == READY_TIMED_OUT)
        return fail(err, HD_TIMED_OUT, "no response for %g s", (double)p->silence_ms / 1e3);
    return fail(err, HD_IO, "%s", strerror(errno));
}

static bool closed_early(struct hd_error *err)
{
    return fail(err, HD_IO,
                "the process closed the connection without a response; has it exited?");
}

bool ipc_send(int fd, const struct request *r, const struct patience *p,
              struct hd_error *err)
{
    uint64_t deadline = end_of_patience(p);
    for (size_t done = 0; done < r->len;) {
        ssize_t n = send(fd, r->bytes + done, r->len - done, MSG_NOSIGNAL);
        if (n >= 0) {
            done += (size_t)n;
        } else if (errno == EAGAIN) {
            enum ready how = ipc_await(fd, true, deadline, p);
            if (how != READY)
                return not_ready(how, p, err);
        } else if (errno == EPIPE || errno == ECONNRESET) {
            return closed_early(err);
        } else if (errno != EINTR) {
            return fail(err, HD_IO, "%s", strerror(errno));
        }
    }
    return true;
}

/* --- replies ------------------------------------------------------------------ */

static bool read_all(int fd, unsigned char *to, size_t size, const struct patience *p,
                     struct hd_error *err)
{
    uint64_t deadline = end_of_patience(p);
    for (size_t done = 0; done < size;) {
        enum ready how = ipc_await(fd, false, deadline, p);
        if (how != READY)
            return not_ready(how, p, err);
        ssize_t n = read(fd, to + done, size - done);
        if (n == 0 || (n < 0 && errno == ECONNRESET))
            return closed_early(err);
        if (n > 0)
            done += (size_t)n;
        else if (errno != EAGAIN && errno != EINTR)
            return fail(err, HD_IO, "%s", strerror(errno));
    }
    return true;
}

bool ipc_receive(int fd, struct reply *reply, const struct patience *p,
                 struct hd_error *err)
{
    enum { FROM_SERVER = 0xFF, OK = 0x00, REFUSED = 0xFF };
    unsigned char h[IPC_HEADER_SIZE] = {0};
    if (!read_all(fd, h, sizeof(h), p, err))
        return false;
    size_t size = le_u16(h + SIZE_AT);
    unsigned set = h[SIZE_AT + 2], id = h[SIZE_AT + 3];
    if (memcmp(h, magic, sizeof(magic)) != 0 || size < sizeof(h) || set != FROM_SERVER ||
        (id != OK && id != REFUSED))
        return fail(err, HD_UNSUPPORTED,
                    "the peer does not speak the .NET diagnostics protocol");
    reply->ok = id == OK;
    reply->size = size - sizeof(h);
    if (!read_all(fd, reply->payload, reply->size, p, err))
        return false;
    if (!reply->ok)
        reply->refusal = reply->size >= 4 ? (int32_t)le_u32(reply->payload) : 0;
    return true;
}

const char *ipc_refusal(int32_t hresult)
{
    static const struct {
        uint32_t code;
        const char *words;
    } known[] = {
        {0x80131384, "the runtime does not understand the request"},
        {0x80131385, "the runtime is too old for the request"},
        {0x80131386, "the runtime speaks another version of the protocol"},
        {0x80131387, "the runtime failed without giving a reason"},
        {0x80131515, "the runtime does not support heap snapshots"},
        {0x80004005, "the runtime failed; it may have too many tracing sessions already"},
        {0x8013135B, "the runtime is not ready yet; try again in a moment"},
        {0x80131371, "the runtime has not started yet; try again in a moment"},
        {0x80070057, "the runtime rejected an argument of the request"},
        {0x8007007A, "the runtime's buffer is too small for the request"},
        {0x8007000E, "the process has no memory left for a tracing session"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (known[i].code == (uint32_t)hresult)
            return known[i].words;
    return "the runtime refused";
}

bool reply_string(const struct reply *reply, size_t *offset, struct text *to)
{
    text_clear(to);
    if (reply->size - *offset < 4)
        return false;
    uint32_t units = le_u32(reply->payload + *offset);
    *offset += 4;
    if (units > (reply->size - *offset) / 2)
        return false;
    const unsigned char *at = reply->payload + *offset;
    size_t used = 0;
    while (used < units && le_u16(at + 2 * used) != 0)
        used++;
    text_add_utf16(to, at, used, UTF16_LITTLE);
    *offset += (size_t)units * 2;
    return true;
}
