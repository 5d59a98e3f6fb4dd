#include "collect/proc.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A runtime has 64 sessions at most, each a connection. */
enum { MAX_CONNECTIONS = 256, MAX_MS = 1000 };

/* The socket file, by path and inode, and its clients. */
struct clients_search {
    const char *path; /* as its process sees it */
    uint32_t inode, device;
    bool has_inode;
    uint32_t peers[MAX_CONNECTIONS]; /* inodes of the clients' ends */
    size_t peer_count;
    uint64_t deadline;
};

/* --- the kernel's list ------------------------------------------------------------- */

/* All connected sockets: by path the kernel cannot be asked. */
static bool clients_ask(int fd)
{
    enum { ESTABLISHED = 1 };
    struct {
        struct nlmsghdr head;
        struct unix_diag_req body;
    } request = {
        .head = {.nlmsg_len = sizeof(request),
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .body = {.sdiag_family = AF_UNIX,
                 .udiag_states = 1U << ESTABLISHED,
                 .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_VFS | UDIAG_SHOW_PEER}};
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    return sendto(fd, &request, sizeof(request), 0, (const struct sockaddr *)&kernel,
                  sizeof(kernel)) == (ssize_t)sizeof(request);
}

/* Advances to the next message or attribute; both are aligned to 4. */
static void step_over(const unsigned char **at, size_t *left, size_t length)
{
    size_t step = (length + 3) & ~(size_t)3;
    step = step < *left ? step : *left;
    *at += step;
    *left -= step;
}

/* A path may be relative, or contain a link: then the inode decides. On an overlay file
 * system the inode may differ: then the path decides. */
static void read_socket(struct clients_search *s, const unsigned char *at, size_t size)
{
    enum { HEAD = NLMSG_ALIGN(sizeof(struct nlattr)) };
    bool ours = false, connected = false;
    uint32_t peer = 0;
    while (size >= HEAD) {
        struct nlattr a;
        struct unix_diag_vfs vfs;
        memcpy(&a, at, sizeof(a));
        if (a.nla_len < HEAD || a.nla_len > size)
            return;
        const unsigned char *value = at + HEAD;
        size_t len = a.nla_len - (size_t)HEAD;
        if (a.nla_type == UNIX_DIAG_NAME) {
            size_t name_len = strnlen((const char *)value, len);
            ours |= name_len > 0 && name_len == strlen(s->path) &&
                    memcmp(value, s->path, name_len) == 0;
        } else if (a.nla_type == UNIX_DIAG_VFS && len >= sizeof(vfs)) {
            memcpy(&vfs, value, sizeof(vfs));
            ours |= s->has_inode && vfs.udiag_vfs_ino == s->inode &&
                    vfs.udiag_vfs_dev == s->device;
        } else if (a.nla_type == UNIX_DIAG_PEER && len >= sizeof(peer)) {
            memcpy(&peer, value, sizeof(peer));
            connected = true;
        }
        step_over(&at, &size, a.nla_len);
    }
    if (ours && connected && s->peer_count < MAX_CONNECTIONS)
        s->peers[s->peer_count++] = peer;
}

/* False at the end of the list. */
static bool read_messages(struct clients_search *s, const unsigned char *at, size_t size)
{
    enum { HEAD = NLMSG_HDRLEN, FIXED = NLMSG_ALIGN(sizeof(struct unix_diag_msg)) };
    while (size >= HEAD) {
        struct nlmsghdr h;
        memcpy(&h, at, sizeof(h));
        if (h.nlmsg_len < HEAD || h.nlmsg_len > size || h.nlmsg_type != SOCK_DIAG_BY_FAMILY)
            return false;
        if (h.nlmsg_len >= HEAD + FIXED)
            read_socket(s, at + HEAD + FIXED, h.nlmsg_len - (size_t)HEAD - FIXED);
        step_over(&at, &size, h.nlmsg_len);
    }
    return true;
}

/* The inodes of the other ends. The kernel answers in pieces of 32 KiB at most. */
static void find_peers(struct clients_search *s)
{
    enum { PIECE = 32 * 1024 };
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return;
    unsigned char *piece = alloc_zeroed(PIECE);
    bool more = clients_ask(fd);
    while (more) {
        uint64_t now = clock_ms();
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, s->deadline > now ? (int)(s->deadline - now) : 0) <= 0)
            break;
        ssize_t n = recv(fd, piece, PIECE, 0);
        more = n > 0 ? read_messages(s, piece, (size_t)n) : n < 0 && errno == EINTR;
        more = more && clock_ms() < s->deadline;
    }
    free(piece);
    close(fd);
}

/* --- processes of the clients ------------------------------------------------------- */

static bool holds_peer(const struct clients_search *s, pid_t pid)
{
    static const char socket[] = "socket:[";
    char link[64];
    DIR *dir = others_list_of(pid, "fd");
    if (dir == NULL)
        return false;
    bool found = false;
    const struct dirent *entry;
    while (!found && (entry = readdir(dir)) != NULL) {
        ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);
        if (n <= 0)
            continue;
        link[n] = '\0';
        uint64_t inode = strncmp(link, socket, strlen(socket)) == 0
                             ? strtoull(link + strlen(socket), NULL, 10)
                             : UINT64_MAX;
        for (size_t i = 0; i < s->peer_count; i++)
            found |= s->peers[i] == inode;
        if (clock_ms() >= s->deadline)
            break;
    }
    closedir(dir);
    return found;
}

/* Names of processes are untrusted. */
static void name_client(struct hd_client *c, pid_t pid, struct arena *arena)
{
    struct proc proc;
    struct text name = {0};
    *c = (struct hd_client){.pid = (uint64_t)pid};
    if (proc_read(&proc, pid, arena) && proc.name != NULL)
        text_add_utf8(&name, proc.name, strlen(proc.name));
    size_t len = 0;
    while (len < name.len) {
        size_t n = utf8_length((const unsigned char *)name.data + len, name.len - len);
        if (n == 0 || len + n >= sizeof(c->name))
            break;
        uint32_t code = utf8_decode((const unsigned char *)name.data + len, n);
        memcpy(c->name + len, name.data + len, n);
        if (code < ' ' || code == 0x7F)
            c->name[len] = '?';
        else if (code > 0x7F && code < 0xA0)
            memset(c->name + len, '?', n);
        len += n;
    }
    text_free(&name);
}

/* Devices are in the kernel's own numbering: 12 bits and 20. */
size_t clients_find(const char *socket, struct hd_client clients[HD_MAX_CLIENTS])
{
    enum { MINOR_BITS = 20 };
    static const struct patience brief = {.silence_ms = MAX_MS};
    struct clients_search s = {.path = socket, .deadline = clock_ms() + MAX_MS};
    struct arena arena = {0};
    struct look seen;
    pid_t pid;
    size_t count = 0, n = 0;
    s.has_inode = others_look(socket, LOOK_NAME, &brief, &seen);
    s.inode = (uint32_t)seen.inode;
    s.device = (uint32_t)(major(seen.device) << MINOR_BITS | minor(seen.device));
    others_is_inside(socket, &pid, &s.path);
    find_peers(&s);
    const pid_t *all = s.peer_count > 0 ? proc_all(&n, NULL, &arena) : NULL;
    for (size_t i = 0; i < n && count < HD_MAX_CLIENTS && clock_ms() < s.deadline; i++)
        if (all[i] != getpid() && holds_peer(&s, all[i]))
            name_client(&clients[count++], all[i], &arena);
    arena_free(&arena);
    return count;
}
