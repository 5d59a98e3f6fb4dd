/* Classifies the memory of a process. Mappings have no names, so their kind follows from
 * the layouts of the collector, malloc and the kernel:
 *
 *  - the collector reserves one range, twice the memory of the machine or of its limit and
 *    at most 256 GiB, and makes parts accessible: adjacent blocks, some inaccessible, at
 *    least one with 64 MiB or more. It is the range of this kind with most memory in use:
 *    the runtime's reservation for code may be larger;
 *  - an arena of glibc's malloc begins at a multiple of 64 MiB, and its unused rest is
 *    inaccessible up to such a multiple (malloc/arena.c, HEAP_MAX_SIZE);
 *  - a stack is right above one or a few inaccessible pages;
 *  - the runtime maps compiled code twice, from a file in memory called doublemapper.
 *
 * Limits: docs/process.md. */
#include "collect/read_facts.h"

#include "base/alloc.h"
#include "collect/proc.h"
#include "heap/process_facts.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- kinds by layout --------------------------------------------------------------- */

static const uint64_t arena_size = (uint64_t)64 << 20, large = (uint64_t)64 << 20;

static bool is_unclassified(const struct memory_block *b)
{
    return b->kind == BLOCK_PRIVATE;
}

static uint64_t size_of(const struct memory_block *b)
{
    return b->end - b->start;
}

static bool is_large_reserve(const struct memory_block *b)
{
    return b->is_reserved && size_of(b) >= large;
}

/* Blocks without a gap between them, from `first` to before `end`. */
struct block_run {
    size_t first, end;
    size_t first_large, last_large; /* reserved blocks; or end */
    uint64_t size, bytes;
};

static struct block_run run_from(const struct memory_block *all, size_t count, size_t first)
{
    struct block_run r = {.first = first, .end = first};
    bool has_large = false;
    do {
        const struct memory_block *b = &all[r.end];
        if (is_large_reserve(b)) {
            r.first_large = has_large ? r.first_large : r.end;
            r.last_large = r.end;
            has_large = true;
        }
        r.size += size_of(b);
        r.bytes += b->bytes;
        r.end++;
    } while (r.end < count && is_unclassified(&all[r.end]) &&
             all[r.end].start == all[r.end - 1].end);
    if (!has_large)
        r.first_large = r.last_large = r.end;
    return r;
}

/* Blocks of an arena that begins with block i: the used one and the unused rest after it,
 * or one that is full, as several may be. 0 without one of at most `most` bytes. */
static size_t arena_at(const struct memory_block *all, size_t i, size_t end, uint64_t most)
{
    const struct memory_block *b = &all[i];
    if (b->is_reserved || b->start % arena_size != 0)
        return 0;
    if (b->end % arena_size == 0)
        return size_of(b) <= most;
    if (i + 1 == end || !b[1].is_reserved || size_of(&b[1]) >= arena_size)
        return 0;
    return b[1].end % arena_size == 0 && b[1].end - b->start <= most ? 2 : 0;
}

/* Arenas of a run. Blocks that a collector uses or decommitted may have the same layout, so
 * next to a large reserved block only two kinds count: arenas at the lower end of the run,
 * and those after the last such block that are not full, since the newest regions of large
 * objects are there, too. */
static void find_arenas(struct memory_block *all, const struct block_run *r)
{
    bool has_large = r->first_large < r->end, is_low_end = true;
    for (size_t i = r->first; i < r->end;) {
        size_t blocks = arena_at(all, i, r->end, has_large ? arena_size : UINT64_MAX);
        is_low_end = is_low_end && blocks > 0;
        if (has_large && !is_low_end && (i < r->last_large || blocks < 2))
            blocks = 0;
        for (size_t k = 0; k < blocks; k++)
            all[i + k].kind = BLOCK_ARENA;
        i += blocks > 0 ? blocks : 1;
    }
}

/* The kernel places mappings from the top down, so stacks may be right below the
 * reservation: a guard, and a block of 1 MiB or more, which tables after small gaps do not
 * have. Returns the block after the last such stack below the first large reserved block.
 */
static size_t after_stacks(const struct memory_block *all, const struct block_run *r)
{
    const uint64_t most_guard = 64 << 10, least_stack = 1 << 20;
    for (size_t i = r->first_large; i > r->first + 1; i--) {
        const struct memory_block *guard = &all[i - 2], *stack = &all[i - 1];
        if (is_unclassified(guard) && guard->is_reserved && size_of(guard) <= most_guard &&
            is_unclassified(stack) && !stack->is_reserved && size_of(stack) >= least_stack)
            return i;
    }
    return r->first;
}

/* Marks the reservation in run r, above the stacks at its lower end. Blocks before the
 * first reserved one are the collector's tables, unless they are too large; blocks after
 * the last large reserved one may be its newest regions, which begin at a multiple of 4
 * MiB, or the stack above it. */
static void mark_reservation(struct memory_block *all, const struct block_run *r)
{
    const uint64_t most_tables = (uint64_t)64 << 20, region = (uint64_t)4 << 20;
    size_t first = after_stacks(all, r);
    for (size_t i = first; i < r->end; i++) {
        struct memory_block *b = &all[i];
        bool is_ahead = i == first && !b->is_reserved && size_of(b) > most_tables;
        bool is_after = i > r->last_large && !b->is_reserved && b->start % region != 0;
        if (is_unclassified(b) && !is_ahead && !is_after)
            b->kind = BLOCK_GC;
    }
}

/* Finds arenas in all runs, and the reservation: the run with a large reserved block that
 * has most memory in use. The runtime's reservation for code is larger than that of a small
 * limit, but almost unused. */
static void find_runs(struct memory_block *all, size_t count)
{
    struct block_run best = {.bytes = 0}, r;
    for (size_t i = 0; i < count; i = r.end) {
        r = (struct block_run){.end = i + 1};
        if (!is_unclassified(&all[i]))
            continue;
        r = run_from(all, count, i);
        find_arenas(all, &r);
        if (r.first_large < r.end && r.bytes > best.bytes)
            best = r;
    }
    if (best.bytes > 0)
        mark_reservation(all, &best);
}

/* Marks blocks above guard pages. */
static void find_stacks(struct memory_block *all, size_t count)
{
    const uint64_t guard = 64 << 10, smallest = 64 << 10;
    for (size_t i = 1; i < count; i++) {
        const struct memory_block *below = &all[i - 1];
        bool is_guarded = below->is_reserved && below->end == all[i].start &&
                          (size_of(below) <= guard || below->kind == BLOCK_GC);
        if (is_unclassified(&all[i]) && !all[i].is_reserved && is_guarded &&
            size_of(&all[i]) >= smallest)
            all[i].kind = BLOCK_STACK;
    }
}

void blocks_classify(struct memory_block *all, size_t count)
{
    find_runs(all, count);
    find_stacks(all, count);
}

void blocks_sum(const struct memory_block *all, size_t count,
                struct hd_process_facts *facts)
{
    static const enum hd_fact fact_of[] = {
        [BLOCK_OF_FILE] = HD_FACT_OF_FILES, [BLOCK_SHARED] = HD_FACT_OF_SHARED,
        [BLOCK_CODE] = HD_FACT_OF_CODE,     [BLOCK_BRK] = HD_FACT_OF_BRK,
        [BLOCK_STACK] = HD_FACT_OF_STACKS,  [BLOCK_ARENA] = HD_FACT_OF_ARENAS,
        [BLOCK_PRIVATE] = HD_FACT_OF_SMALL, [BLOCK_GC] = HD_FACT_OF_GC};
    const uint64_t least_large = 1 << 20;
    uint64_t sum[HD_FACT_COUNT] = {0};
    bool has_gc = false;
    for (size_t i = 0; i < count; i++) {
        enum hd_fact f = fact_of[all[i].kind];
        if (f == HD_FACT_OF_SMALL && size_of(&all[i]) >= least_large)
            f = HD_FACT_OF_LARGE;
        sum[f] += all[i].bytes;
        has_gc |= all[i].kind == BLOCK_GC;
    }
    for (enum hd_fact f = HD_FACT_OF_GC; f <= HD_FACT_OF_SMALL; f++)
        if (f != HD_FACT_OF_GC || has_gc)
            hd_fact_set(facts, f, sum[f]);
    hd_fact_set(facts, HD_FACT_MAPPINGS, count);
}

/* --- /proc/PID/smaps --------------------------------------------------------------- */

/* MAX_BLOCKS: reading more takes too long, a second or so. */
enum { MAX_BLOCKS = 1 << 16, READ_AT_ONCE = 256 << 10 };

struct smaps {
    struct memory_block *all;
    size_t count, cap;
};

static bool begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static enum block_kind kind_of(const char *flags, const char *name)
{
    bool is_shared = flags[3] == 's';
    if (strcmp(name, "[heap]") == 0)
        return BLOCK_BRK;
    if (begins(name, "[stack") || strstr(name, "pthread stack") != NULL)
        return BLOCK_STACK;
    if (begins(name, "[anon: glibc: malloc"))
        return BLOCK_ARENA;
    if (begins(name, "/memfd:doublemapper"))
        return BLOCK_CODE;
    if (is_shared &&
        (name[0] == '\0' || begins(name, "/memfd:") || begins(name, "/dev/shm/") ||
         begins(name, "/dev/zero") || begins(name, "/SYSV") || begins(name, "[anon_shmem")))
        return BLOCK_SHARED;
    if (name[0] != '\0' && !begins(name, "[anon"))
        return BLOCK_OF_FILE;
    return flags[2] == 'x' ? BLOCK_CODE : BLOCK_PRIVATE;
}

/* Parses "7f12-7f34 rw-p 00000000 00:00 0    /path", or "Rss:    12 kB" of the block. */
static void parse_line(struct smaps *s, char *line)
{
    struct memory_block b = {.bytes = 0};
    char flags[5] = "";
    int path = 0;
    if (isupper((unsigned char)line[0])) {
        bool counts = begins(line, "Rss:") || begins(line, "Swap:");
        if (counts && s->count > 0)
            s->all[s->count - 1].bytes +=
                1024 * (uint64_t)strtoull(strchr(line, ':') + 1, NULL, 10);
        return;
    }
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &b.start, &b.end, flags,
               &path) < 3 ||
        path == 0)
        return;
    b.is_reserved = flags[0] == '-' && flags[1] == '-' && flags[2] == '-';
    b.kind = kind_of(flags, line + path);
    s->all = grow(s->all, s->count, &s->cap, sizeof(*s->all));
    s->all[s->count++] = b;
}

/* False if part of the file cannot be read. */
static bool read_smaps(pid_t pid, struct smaps *s)
{
    int fd = others_open(pid, "smaps", O_RDONLY);
    char *buffer = fd >= 0 ? alloc_zeroed(READ_AT_ONCE + 1) : NULL;
    size_t kept = 0;
    ssize_t n = 0;
    while (buffer != NULL && s->count <= MAX_BLOCKS &&
           (n = read(fd, buffer + kept, READ_AT_ONCE - kept)) > 0) {
        char *line = buffer, *end;
        buffer[kept + (size_t)n] = '\0';
        for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            parse_line(s, line);
        }
        kept = strlen(line);
        kept = kept < READ_AT_ONCE ? kept : 0;
        memmove(buffer, line, kept);
    }
    free(buffer);
    if (fd >= 0)
        close(fd);
    return fd >= 0 && n == 0 && s->count > 0;
}

/* --- the rest of /proc ------------------------------------------------------------- */

static void add_status(pid_t pid, struct hd_process_facts *facts)
{
    static const struct {
        enum hd_fact fact;
        const char *word;
        uint64_t unit;
    } words[] = {
        {HD_FACT_RESIDENT, "\nVmRSS:", 1024}, {HD_FACT_PRIVATE, "\nRssAnon:", 1024},
        {HD_FACT_FILES, "\nRssFile:", 1024},  {HD_FACT_SHARED, "\nRssShmem:", 1024},
        {HD_FACT_SWAPPED, "\nVmSwap:", 1024}, {HD_FACT_THREADS, "\nThreads:", 1}};
    struct text t = {0};
    if (proc_read_file(pid, "status", &t))
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
            uint64_t n = proc_number(text_string(&t), words[i].word, 0, 10);
            if (n != HD_UNKNOWN)
                hd_fact_set(facts, words[i].fact, n * words[i].unit);
        }
    text_free(&t);
}

/* Counts descriptors by the names of their targets, which are not opened. */
static void add_descriptors(pid_t pid, struct hd_process_facts *facts)
{
    enum { MAX_DESCRIPTORS = 1 << 16 };
    DIR *folder = others_list_of(pid, "fd");
    uint64_t sum[HD_FACT_COUNT] = {0};
    char to[64];
    size_t count = 0;
    if (folder == NULL)
        return;
    for (struct dirent *d; count < MAX_DESCRIPTORS && (d = readdir(folder)) != NULL;
         count++) {
        if (!isdigit((unsigned char)d->d_name[0]))
            continue;
        ssize_t n = readlinkat(dirfd(folder), d->d_name, to, sizeof(to) - 1);
        to[n > 0 ? n : 0] = '\0';
        sum[begins(to, "socket:")                  ? HD_FACT_SOCKETS
            : begins(to, "pipe:")                  ? HD_FACT_PIPES
            : to[0] == '/' && !begins(to, "/dev/") ? HD_FACT_REGULAR
                                                   : HD_FACT_OTHERS]++;
    }
    closedir(folder);
    for (enum hd_fact f = HD_FACT_SOCKETS; f <= HD_FACT_OTHERS && count < MAX_DESCRIPTORS;
         f++)
        hd_fact_set(facts, f, sum[f]);
}

/* Costs a read per thread, so names of more than MAX_NAMED threads stay unknown. */
static void add_threads(pid_t pid, struct hd_process_facts *facts)
{
    enum { MAX_NAMED = 512 };
    struct thread_tally names = {.count = 0};
    struct text t = {0};
    DIR *folder =
        hd_fact(facts, HD_FACT_THREADS) <= MAX_NAMED ? others_list_of(pid, "task") : NULL;
    for (struct dirent *d; folder != NULL && (d = readdir(folder)) != NULL;) {
        char path[300];
        snprintf(path, sizeof(path), "task/%.20s/comm", d->d_name);
        if (!isdigit((unsigned char)d->d_name[0]) || !proc_read_file(pid, path, &t))
            continue;
        if (t.len > 0 && t.data[t.len - 1] == '\n')
            t.len--;
        thread_tally_add(&names, text_string(&t));
    }
    if (folder != NULL)
        closedir(folder);
    text_free(&t);
    thread_tally_put(&names, facts);
}

/* The sums in /proc/PID/status are inexact by up to some dozens of pages per processor,
 * because processors update them lazily. Mappings are counted page by page. */
static void add_mappings(const struct smaps *maps, struct hd_process_facts *facts)
{
    uint64_t all = 0, swapped = hd_fact(facts, HD_FACT_SWAPPED);
    blocks_classify(maps->all, maps->count);
    blocks_sum(maps->all, maps->count, facts);
    for (size_t i = 0; i < maps->count; i++)
        all += maps->all[i].bytes;
    if (swapped == HD_UNKNOWN || swapped > all)
        swapped = 0;
    hd_fact_set(facts, HD_FACT_RESIDENT, all - swapped);
}

struct hd_process_facts read_facts(pid_t pid)
{
    struct hd_process_facts facts = {0};
    struct smaps maps = {0};
    uint64_t start = proc_start(pid);
    if (start != 0)
        hd_fact_set(&facts, HD_FACT_UPTIME, proc_age(start));
    add_status(pid, &facts);
    add_descriptors(pid, &facts);
    add_threads(pid, &facts);
    if (read_smaps(pid, &maps))
        add_mappings(&maps, &facts);
    free(maps.all);
    return facts;
}
