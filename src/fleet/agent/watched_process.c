#include "fleet/agent/agent.h"

#include "cli/guard/allocate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- which one ------------------------------------------------------------------ */

void agent_process_free(struct agent_process *seen)
{
    free(seen->command);
    *seen = (struct agent_process){0};
}

/* Checks the folder first: without free descriptors, its file cannot be opened either. */
bool agent_process_has_ended(const struct agent_process *seen)
{
    char path[64];
    struct stat st;
    if (seen->born == 0)
        return hd_socket_is_gone(seen->socket);
    snprintf(path, sizeof(path), "/proc/%" PRIu64, seen->pid);
    if (lstat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return true;
    errno = 0;
    uint64_t born = hd_process_start(seen->pid);
    return born != seen->born &&
           (born != 0 || (errno != EMFILE && errno != ENFILE && errno != ENOMEM));
}

bool agent_process_is_ending(const struct agent_process *seen)
{
    return agent_process_has_ended(seen) || hd_socket_is_gone(seen->socket);
}

/* The name of a socket has pid and start in it where the runtime chose the name. */
bool agent_process_is(const struct agent_process *seen, const struct hd_process *p)
{
    if (p->pid != seen->pid || p->socket == NULL || strcmp(p->socket, seen->socket) != 0)
        return false;
    uint64_t born = seen->born != 0 ? hd_process_start(p->pid) : 0;
    return born == 0 || born == seen->born;
}

/* --- which one is next ------------------------------------------------------------- */

/* A command line in words: the program, its assembly if that follows, and the rest. */
struct agent_process_command {
    const char *program, *assembly, *rest; /* assembly may be NULL */
    size_t program_len, assembly_len;
};

static struct agent_process_command command_of(const char *line)
{
    static const char suffix[] = ".dll";
    struct agent_process_command c = {.program = line, .program_len = strcspn(line, " ")};
    const char *next = line + c.program_len;
    next += *next == ' ';
    size_t len = strcspn(next, " "), end = sizeof(suffix) - 1;
    if (len > end && memcmp(next + len - end, suffix, end) == 0) {
        c.assembly = next;
        c.assembly_len = len;
        next += len + (next[len] == ' ');
    }
    c.rest = next;
    return c;
}

static bool ends_with(const char *a, size_t len, const char *b, size_t end)
{
    return len >= end && memcmp(a + len - end, b, end) == 0 &&
           (len == end || a[len - end - 1] == '/');
}

/* The runtime reports its program with a path, and the assembly of an apphost; the kernel,
 * used if a runtime is too busy to answer, omits both. */
static bool has_same_command(const struct agent_process *a, const struct agent_process *b)
{
    if (a->command == NULL || b->command == NULL || a->command[0] == '\0')
        return false;
    struct agent_process_command x = command_of(a->command), y = command_of(b->command);
    bool both = x.assembly != NULL && y.assembly != NULL;
    return (ends_with(x.program, x.program_len, y.program, y.program_len) ||
            ends_with(y.program, y.program_len, x.program, x.program_len)) &&
           (!both || (x.assembly_len == y.assembly_len &&
                      memcmp(x.assembly, y.assembly, x.assembly_len) == 0)) &&
           strcmp(x.rest, y.rest) == 0;
}

static bool agent_process_is_better(const struct agent_process *a,
                                    const struct agent_process *b,
                                    const struct agent_process *last)
{
    bool first = has_same_command(a, last), second = has_same_command(b, last);
    return a->is_denied != b->is_denied ? b->is_denied
           : first != second            ? first
           : a->born != b->born         ? a->born > b->born
                                        : a->pid > b->pid;
}

static bool is_of_same_service(const struct agent_process *last,
                               const struct agent_process *next)
{
    if (last->is_declared || next->is_declared)
        return last->is_declared == next->is_declared &&
               strcmp(last->service, next->service) == 0;
    return has_same_command(last, next) ||
           (last->unit[0] != '\0' && strcmp(last->unit, next->unit) == 0) ||
           last->command == NULL || next->command == NULL;
}

size_t agent_process_choose(const struct agent_process *all, size_t count,
                            const struct agent_process *last, bool are_one_service)
{
    size_t best = count;
    bool is_first = last->who[0] == '\0';
    for (size_t i = 0; i < count; i++) {
        if (!is_first && !are_one_service && !is_of_same_service(last, &all[i]))
            continue;
        if (best == count || agent_process_is_better(&all[i], &all[best], last))
            best = i;
    }
    return best;
}

/* --- its snapshots ------------------------------------------------------------------ */

const char *watch_failure_name(enum watch_failure why)
{
    static const char *const names[WATCH_FAILURES] = {[WATCH_FINE] = "none",
                                                      [WATCH_DENIED] = "denied",
                                                      [WATCH_NO_SOCKET] = "no-socket",
                                                      [WATCH_TOO_LARGE] = "too-large",
                                                      [WATCH_BUSY] = "host-busy",
                                                      [WATCH_SILENT] = "timeout",
                                                      [WATCH_TOO_MUCH] = "memory",
                                                      [WATCH_ENDED] = "exited",
                                                      [WATCH_NEAR_LIMIT] = "near-limit",
                                                      [WATCH_CRASHED] = "crashed",
                                                      [WATCH_OTHER] = "other"};
    return why < WATCH_FAILURES ? names[why] : names[WATCH_OTHER];
}

bool watched_process_failed(struct watched_process *w, enum watch_failure why)
{
    bool is_news = (w->reported_mask & 1U << why) == 0;
    w->reported_mask |= 1U << why;
    w->failures[why]++;
    w->last_failure = why;
    return is_news;
}

void watched_process_succeeded(struct watched_process *w)
{
    w->taken++;
    w->cost = 0;
    w->failed_in_row = 0;
    w->last_failure = WATCH_FINE;
    w->reported_mask = 0;
}

/* --- when ----------------------------------------------------------------------------- */

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014. */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void schedule_begin(struct watched_process *w)
{
    w->seed = mixed(w->process.pid);
    for (const char *c = w->process.host; *c != '\0'; c++)
        w->seed = mixed(w->seed ^ (unsigned char)*c);
}

double schedule_share(const struct watched_process *w, uint64_t number)
{
    return (double)(mixed(w->seed + number) >> 11) / (double)(UINT64_C(1) << 53);
}

double schedule_until_first(const struct watched_process *w, double interval)
{
    return interval / 10 * schedule_share(w, 0);
}

double schedule_until_next(const struct watched_process *w, double interval)
{
    enum { MAX_DOUBLED = 2 };
    const double share = 20;
    double wait = interval * (0.95 + 0.1 * schedule_share(w, w->attempts));
    if (w->share != NULL && w->failed_in_row > 1)
        wait = ldexp(wait, w->failed_in_row > MAX_DOUBLED ? MAX_DOUBLED : 1);
    return fmax(wait, share * w->cost);
}

double schedule_due(const struct watched_process *w)
{
    bool has_given_one = w->taken > 0 && w->cost == 0;
    return w->share == NULL || has_given_one ? w->due : fmax(w->due, w->share->rest);
}

struct watched_process *schedule_pick(struct watched_process *const *all, size_t count,
                                      double now)
{
    struct watched_process *next = NULL;
    double used_by_next = 0;
    for (size_t i = 0; i < count; i++) {
        double used = all[i]->share != NULL ? all[i]->share->used : 0;
        if (!all[i]->is_there || schedule_due(all[i]) > now ||
            (next != NULL &&
             (used != used_by_next ? used > used_by_next : all[i]->due >= next->due)))
            continue;
        next = all[i];
        used_by_next = used;
    }
    return next;
}

double schedule_next_due(struct watched_process *const *all, size_t count)
{
    double next = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (all[i]->is_there)
            next = fmin(next, schedule_due(all[i]));
    return next;
}

/* --- divided by user ------------------------------------------------------------------ */

struct time_share *time_share_of(struct time_shares *s, uint64_t owner, double now)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i]->owner == owner)
            return s->all[i];
    /* Free shares without processes. */
    size_t left = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i]->process_count == 0 && s->all[i]->rest <= now)
            free(s->all[i]);
        else
            s->all[left++] = s->all[i];
    s->count = left;
    s->all = more(s->all, (s->count + 1) * sizeof(struct time_share *));
    struct time_share *added = zeroed(1, sizeof(*added));
    *added = (struct time_share){.owner = owner, .used = s->turn};
    return s->all[s->count++] = added;
}

void time_share_succeeded(struct time_shares *s, struct time_share *of, double seconds)
{
    s->turn = fmax(s->turn, of->used);
    of->used = s->turn + seconds;
    of->failed -= of->failed > 0;
}

void time_share_failed(struct time_shares *s, struct time_share *of, double seconds,
                       double now)
{
    enum { MAX_FAILED = 5 };
    const double share = 20;
    s->turn = fmax(s->turn, of->used);
    of->used = s->turn + seconds;
    of->failed += of->failed < MAX_FAILED;
    of->rest = now + seconds * fmin(ldexp(1, (int)of->failed) - 1, share - 1);
}

void time_shares_free(struct time_shares *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->all[i]);
    free(s->all);
    *s = (struct time_shares){0};
}
