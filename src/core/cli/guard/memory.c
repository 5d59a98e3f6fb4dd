/* Read memory limits from the kernel and from control groups, which contain containers and
 * units of systemd. There are two versions of control groups, and both may be in use:
 * https://docs.kernel.org/admin-guide/cgroup-v2.html#memory
 * https://docs.kernel.org/admin-guide/cgroup-v1/memory.html */
#include "cli/guard/memory.h"

#include "cli/terminal/exit_hook.h"
#include "heapdrift.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_SIZE = PATH_MAX + 256 };

/* A version: the mount point of its groups, and the names of their files. */
struct version {
    const char *controller; /* in /proc/self/cgroup */
    const char *mount, *most, *used, *cache;
    const char
        *high; /* above it the kernel makes a group wait; NULL: not in this version */
    const char *kills; /* file with the number of processes that were killed for memory */
};

/* The inactive page cache counts as free, since the kernel reclaims it on demand: dumps
 * that a build has just written must not prevent reading them. */
static const struct version versions[] = {
    {"", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file %" SCNu64,
     "memory.high", "memory.events"},
    {"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file %" SCNu64, NULL, "memory.oom_control"},
};

enum { VERSIONS = sizeof(versions) / sizeof(*versions) };

/* Reads the number of the first line that has one. */
static bool number_in(const char *text, const char *format, uint64_t *n)
{
    bool found = sscanf(text, format, n) == 1;
    for (const char *line = text; !found && (line = strchr(line, '\n')) != NULL;)
        found = sscanf(++line, format, n) == 1;
    return found;
}

static bool read_text(const char *path, char *text, size_t size)
{
    const int how = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
    int fd = open(path, how);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static bool read_number(const char *path, const char *format, uint64_t *n)
{
    char text[HD_GROUP_FILE];
    return read_text(path, text, sizeof(text)) && number_in(text, format, n);
}

static uint64_t less(uint64_t from, uint64_t n)
{
    return from > n ? from - n : 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Bytes of a group; HD_UNKNOWN if it has no such file. */
enum { LIMIT, USED, CACHE, HIGH, FIGURES, ALL_FIGURES = (int)VERSIONS * FIGURES };
typedef char texts_of_group[FIGURES][HD_GROUP_FILE];

struct figures {
    uint64_t n[FIGURES];
};

/* Returns the file of each figure; for memory.high, if missing, that of the limit. */
static const char *memory_file_of(const struct version *v, size_t i)
{
    const char *files[FIGURES] = {v->most, v->used, "memory.stat", v->high};
    return files[i] != NULL ? files[i] : v->most;
}

static struct figures figures_in(const struct version *v, texts_of_group texts)
{
    struct figures f;
    for (size_t i = 0; i < FIGURES; i++)
        if (!number_in(texts[i], i == CACHE ? v->cache : "%" SCNu64, &f.n[i]))
            f.n[i] = HD_UNKNOWN;
    return f;
}

static struct figures read_group(const char *group, const struct version *v)
{
    char path[PATH_SIZE + 64];
    texts_of_group texts;
    for (size_t i = 0; i < FIGURES; i++) {
        snprintf(path, sizeof(path), "%s/%s", group, memory_file_of(v, i));
        read_text(path, texts[i], sizeof(texts[i]));
    }
    return figures_in(v, texts);
}

/* --- figures of a group -------------------------------------------------------------- */

/* Without a limit version 1 has a number beyond all memory, version 2 "max". */
static uint64_t most_of(const struct figures *f)
{
    const uint64_t beyond = (uint64_t)1 << 60;
    return f->n[LIMIT] < beyond ? f->n[LIMIT] : HD_UNKNOWN;
}

/* Without reclaimable caches. */
static uint64_t used_of(const struct figures *f)
{
    uint64_t cache = f->n[CACHE] != HD_UNKNOWN ? f->n[CACHE] : 0;
    return f->n[USED] != HD_UNKNOWN ? less(f->n[USED], cache) : HD_UNKNOWN;
}

/* Returns the bytes left to a group. */
static uint64_t left_of(const struct figures *f)
{
    return most_of(f) == HD_UNKNOWN || used_of(f) == HD_UNKNOWN
               ? HD_UNKNOWN
               : less(f->n[LIMIT], used_of(f));
}

/* The same with memory.high if it is less: a process that waits there waits with all
 * threads stopped. */
static uint64_t spare_of(const struct figures *f)
{
    struct figures high = *f;
    high.n[LIMIT] = f->n[HIGH];
    return smaller(left_of(f), left_of(&high));
}

/* --- the groups of a process --------------------------------------------------------- */

/* Returns the path of a line "4:cpu,memory:/path" about the controller, else NULL. */
static char *path_of_line(char *line, const char *controller)
{
    char *list = strchr(line, ':'), *path = list != NULL ? strchr(list + 1, ':') : NULL;
    if (path == NULL)
        return NULL;
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    for (char *rest = list + 1, *name; (name = strsep(&rest, ",")) != NULL;)
        if (strcmp(name, controller) == 0)
            return path;
    return NULL;
}

/* This process. */
enum { SELF = 0 };

/* Returns the group of a process, from the root of the hierarchy on; NULL if it is not
 * visible: a group outside our view has a path with "..", which has another meaning here.
 * text is its buffer. */
static char *path_of_process(const char *root, uint64_t pid, const struct version *v,
                             char text[PATH_SIZE])
{
    char name[PATH_SIZE];
    snprintf(name, sizeof(name), "%s/proc/%" PRIu64 "/cgroup", root, pid);
    if (pid == SELF)
        snprintf(name, sizeof(name), "%s/proc/self/cgroup", root);
    char *path = NULL, *rest = read_text(name, text, PATH_SIZE) ? text : NULL;
    for (char *line; path == NULL && (line = strsep(&rest, "\n")) != NULL;)
        path = path_of_line(line, v->controller);
    return path != NULL && strstr(path, "/..") == NULL ? path : NULL;
}

/* A query to groups, its smallest result, and the group with it. */
struct smallest {
    uint64_t (*ask)(const struct figures *f);
    uint64_t answer;
    struct figures of;
};

static void ask_group(struct smallest *s, const struct figures *f)
{
    uint64_t answer = s->ask(f);
    if (answer < s->answer) {
        s->answer = answer;
        s->of = *f;
    }
}

/* Asks a process's group and those around it: what is mounted may be the whole tree, or,
 * in a container, one group as if it were all. */
static void ask_groups(const char *root, uint64_t pid, const struct version *v,
                       struct smallest *s)
{
    char text[PATH_SIZE], group[PATH_SIZE];
    char *path = path_of_process(root, pid, v, text);
    while (path != NULL) {
        int len = snprintf(group, sizeof(group), "%s%s%s", root, v->mount, path);
        if (len < (int)sizeof(group)) {
            const struct figures f = read_group(group, v);
            ask_group(s, &f);
        }
        char *last = strrchr(path, '/');
        if (last == NULL)
            break;
        *last = '\0';
    }
}

static uint64_t left_in_system(const char *root)
{
    char path[PATH_SIZE];
    uint64_t kib;
    snprintf(path, sizeof(path), "%s/proc/meminfo", root);
    if (read_number(path, "MemAvailable: %" SCNu64 " kB", &kib))
        return kib * 1024;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : HD_UNKNOWN;
}

static const struct process_limit {
    int resource;
    const char *what;
    const char *used; /* in /proc/self/statm, in pages */
} process_limits[] = {
    {RLIMIT_AS, "ulimit -v", "%" SCNu64},
    {RLIMIT_DATA, "ulimit -d", "%*u %*u %*u %*u %*u %" SCNu64},
};

/* Returns the smallest limit, and in *left the smallest rest. */
static uint64_t process_limit(const char *root, const char **what, uint64_t *left)
{
    char path[PATH_SIZE];
    struct rlimit limit;
    uint64_t least = HD_UNKNOWN;
    snprintf(path, sizeof(path), "%s/proc/self/statm", root);
    *left = HD_UNKNOWN;
    for (size_t i = 0; i < sizeof(process_limits) / sizeof(*process_limits); i++) {
        uint64_t pages = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
        if (getrlimit(process_limits[i].resource, &limit) != 0 ||
            limit.rlim_cur == RLIM_INFINITY)
            continue;
        read_number(path, process_limits[i].used, &pages);
        *left = smaller(*left, less(limit.rlim_cur, pages * page));
        *what = limit.rlim_cur < least ? process_limits[i].what : *what;
        least = smaller(least, limit.rlim_cur);
    }
    return least;
}

uint64_t memory_process_limit(const char **what)
{
    uint64_t left;
    return process_limit("", what, &left);
}

uint64_t memory_available(const char *root)
{
    uint64_t left;
    const char *what = NULL;
    process_limit(root, &what, &left);
    struct smallest s = {.ask = left_of, .answer = smaller(left, left_in_system(root))};
    for (size_t i = 0; i < VERSIONS; i++)
        ask_groups(root, SELF, &versions[i], &s);
    return s.answer;
}

/* Reads the groups that a process in another container has mounted as its own, one of each
 * version: both together, as each access to a container costs a process. In a test's own
 * folder they are read directly. */
static void read_own_groups(const char *root, uint64_t pid, struct figures own[VERSIONS])
{
    char paths[ALL_FIGURES][PATH_SIZE];
    texts_of_group texts[VERSIONS] = {0};
    const char *files[ALL_FIGURES];
    for (size_t i = 0; i < ALL_FIGURES; i++) {
        const struct version *v = &versions[i / FIGURES];
        snprintf(paths[i], sizeof(paths[i]), "%s/%s", v->mount,
                 memory_file_of(v, i % FIGURES));
        files[i] = paths[i];
    }
    if (root[0] == '\0' && !hd_process_group_files(pid, files, ALL_FIGURES, texts[0]))
        memset(texts, 0, sizeof(texts));
    for (size_t i = 0; i < VERSIONS; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s/proc/%" PRIu64 "/root%s", root, pid,
                 versions[i].mount);
        own[i] = root[0] == '\0' ? figures_in(&versions[i], texts[i])
                                 : read_group(paths[i], &versions[i]);
    }
}

/* Asks all groups of a process. */
static struct smallest smallest_of(const char *root, uint64_t pid,
                                   uint64_t (*ask)(const struct figures *f))
{
    struct smallest s = {.ask = ask, .answer = HD_UNKNOWN};
    struct figures own[VERSIONS];
    read_own_groups(root, pid, own);
    for (size_t i = 0; i < VERSIONS; i++) {
        ask_groups(root, pid, &versions[i], &s);
        ask_group(&s, &own[i]);
    }
    return s;
}

uint64_t memory_limit(const char *root, uint64_t pid, uint64_t *used)
{
    struct smallest s = smallest_of(root, pid, most_of);
    if (used != NULL)
        *used = s.answer != HD_UNKNOWN ? used_of(&s.of) : HD_UNKNOWN;
    return s.answer;
}

uint64_t memory_left(const char *root, uint64_t pid)
{
    return smallest_of(root, pid, left_of).answer;
}

uint64_t memory_spare(const char *root, uint64_t pid)
{
    return smaller(left_in_system(root), smallest_of(root, pid, spare_of).answer);
}

/* The whole hierarchy may be one group: the system's group has no limit. */
bool memory_is_shared(const char *root, uint64_t pid)
{
    char text[PATH_SIZE], own_text[PATH_SIZE];
    for (size_t i = 0; i < VERSIONS; i++) {
        const struct version *v = &versions[i];
        const char *path = path_of_process(root, pid, v, text);
        const char *own = path_of_process(root, SELF, v, own_text);
        struct smallest s = {.ask = left_of, .answer = HD_UNKNOWN};
        if (path == NULL || own == NULL || strcmp(path, own) != 0)
            continue;
        ask_groups(root, pid, v, &s);
        if (s.answer != HD_UNKNOWN)
            return true;
    }
    return false;
}

/* --- processes that were killed ------------------------------------------------------ */

static const char kills_format[] = "oom_kill %" SCNu64;

static uint64_t kills_in(const char *path)
{
    uint64_t n;
    return read_number(path, kills_format, &n) ? n : HD_UNKNOWN;
}

/* That file is longer than those of groups. */
static uint64_t kills_in_system(const char *root)
{
    char path[PATH_SIZE], line[256];
    uint64_t n = HD_UNKNOWN;
    snprintf(path, sizeof(path), "%s/proc/vmstat", root);
    FILE *file = fopen(path, "re");
    while (file != NULL && n == HD_UNKNOWN && fgets(line, sizeof(line), file) != NULL)
        if (sscanf(line, kills_format, &n) != 1)
            n = HD_UNKNOWN;
    if (file != NULL)
        fclose(file);
    return n;
}

void memory_kills_see(const char *root, uint64_t pid, struct memory_kills *kills)
{
    char text[PATH_SIZE];
    *kills =
        (struct memory_kills){.in_group = HD_UNKNOWN, .in_system = kills_in_system(root)};
    for (size_t i = 0; i < VERSIONS && kills->in_group == HD_UNKNOWN; i++) {
        const struct version *v = &versions[i];
        const char *path = path_of_process(root, pid, v, text);
        int len = path != NULL ? snprintf(kills->path, sizeof(kills->path), "%s%s%s/%s",
                                          root, v->mount, path, v->kills)
                               : -1;
        if (len >= 0 && len < (int)sizeof(kills->path))
            kills->in_group = kills_in(kills->path);
    }
}

/* A group may vanish with its last process. */
bool memory_kills_rose(const char *root, const struct memory_kills *kills)
{
    uint64_t now = kills->in_group != HD_UNKNOWN ? kills_in(kills->path) : HD_UNKNOWN;
    if (now != HD_UNKNOWN)
        return now > kills->in_group;
    now = kills_in_system(root);
    return now != HD_UNKNOWN && kills->in_system != HD_UNKNOWN && now > kills->in_system;
}

uint64_t memory_resident(const char *root, uint64_t pid)
{
    char path[PATH_SIZE];
    uint64_t pages;
    snprintf(path, sizeof(path), "%s/proc/%" PRIu64 "/statm", root, pid);
    return read_number(path, "%*u %" SCNu64, &pages)
               ? pages * (uint64_t)sysconf(_SC_PAGESIZE)
               : HD_UNKNOWN;
}

#ifdef __GLIBC__

/* The first of malloc's memory, in huge pages: faults of small ones were a third of a
 * comparison of six small snapshots. malloc retains it when freed. The kernel may refuse
 * the advice, and a process limit the memory, of which only touched pages count. */
enum { HUGE_HEAP = 32 << 20 };
static char *huge_heap;

/* The threshold is above the top pad, or the first free() would trim it. Memory may be
 * from elsewhere than brk (ulimit -d, another malloc). */
void memory_give_back_large(void)
{
    const char *before = sbrk(0);
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 2 * HUGE_HEAP);
    mallopt(M_TOP_PAD, HUGE_HEAP);
    void *volatile first = malloc(1 << 20); /* more than is there: grows by the top pad */
    free(first);
    char *begin = (char *)sbrk(0) - HUGE_HEAP;
    if (begin >= before) {
        huge_heap = begin;
        (void)madvise(huge_heap, HUGE_HEAP, MADV_HUGEPAGE);
    }
    mallopt(M_TOP_PAD, 1 << 20);
}

void memory_give_back(void)
{
    malloc_trim(0);
}

/* Two threads share the arena: the one that reads a snapshot while it is received, and the
 * one that waits. The kernel would fill huge pages up again. */
void memory_keep_little(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
    if (huge_heap != NULL)
        (void)madvise(huge_heap, HUGE_HEAP, MADV_NOHUGEPAGE);
    memory_give_back();
}

#else

void memory_give_back_large(void)
{
}

void memory_keep_little(void)
{
}

/* musl returns pages when they are freed. */
void memory_give_back(void)
{
}

#endif

uint64_t memory_usual_limit(uint64_t available)
{
    if (available == HD_UNKNOWN)
        return 0;
    uint64_t most = available / 4 * 3;
    return most > 0 ? most : 1;
}

/* --- files that become shorter ----------------------------------------------- */

/* The file of the lost page is found in the handler, through the kernel, so the program
 * need not keep a list of mappings. Only functions that POSIX allows in handlers are
 * called. */

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

/* Reads a hexadecimal number and the character after it. */
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

/* Without /proc, any file is assumed: only files can lose pages. */
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
        /* Another fault, which occurs again immediately. */
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
