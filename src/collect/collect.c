/* Snapshots of running processes, as the program sees them: find a process, ask it, take
 * its heap. The parts are target (sockets), ipc (messages) and session (a heap walk). */
#include "base/error.h"
#include "base/workers.h"
#include "collect/find_target.h"
#include "collect/proc.h"
#include "collect/session.h"
#include "heap/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A process that is busy walking its heap does not answer. */
static const struct patience brief = {.silence_ms = 1000};

/* Mute sockets are waited for side by side, and so long in all; from then on each has a
 * moment. */
enum { SIDE_BY_SIDE = 32, ALL_MS = 3000, MIN_WAIT_MS = 100 };

/* --- processes ----------------------------------------------------------------- */

struct hd_processes_memory {
    struct arena arena;
};

/* Answer of a process to the query for its facts. */
struct collect_answer {
    const struct found *from;
    bool known;
    struct process_info info;
    struct hd_origin origin;
    struct arena arena; /* of its strings */
    struct hd_error err;
};

struct collect_request {
    struct collect_answer *all;
    const struct turn *turns;
    uint64_t deadline;
};

static bool ask_one(void *context, size_t i)
{
    struct collect_request *asking = context;
    const struct turn *turn = &asking->turns[i];
    struct collect_answer *a = &asking->all[turn->which];
    /* Processes that answer do so immediately: always allow a minimum, however many others
     * timed out. */
    uint64_t now = clock_ms(), last = now + brief.silence_ms;
    struct patience p = {.silence_ms = brief.silence_ms, .deadline = now + MIN_WAIT_MS};
    if (asking->deadline > p.deadline)
        p.deadline = asking->deadline < last ? asking->deadline : last;
    if (a->from->problem == NULL && turn_is_over(turn))
        fail(&a->err, HD_IO,
             "was not asked: too many processes of its user do not respond");
    else if (a->from->problem == NULL)
        a->known = process_info_ask(&a->info, &a->from->target, &p, &a->arena, &a->err);
    if (a->err.status == HD_TIMED_OUT)
        atomic_fetch_add(turn->late, 1);
    a->origin = origin_of(&a->from->target);
    return true;
}

/* Copies a string to the arena; NULL for "" and NULL. */
static const char *kept(const char *s, struct arena *arena)
{
    return s != NULL && s[0] != '\0' ? arena_strdup(arena, s, strlen(s)) : NULL;
}

/* Uses facts from /proc first, then those of the runtime. Before its program starts, a
 * runtime does not report arguments; the kernel does. */
static void collect_describe(struct hd_process *to, const struct collect_answer *a,
                             struct arena *arena)
{
    const struct found *from = a->from;
    const struct process_info *info = &a->info;
    const struct proc *proc = from->target.proc;
    *to = (struct hd_process){.pid = (uint64_t)from->target.pid,
                              .name = proc != NULL ? proc->name : NULL,
                              .command = proc != NULL ? proc->command : NULL,
                              .user = from->user,
                              .owner = from->owner,
                              .socket = from->target.socket,
                              .problem = from->problem,
                              .is_denied = from->is_denied,
                              .runtime = kept(a->origin.runtime, arena),
                              .host = kept(a->origin.host, arena),
                              .container = kept(a->origin.container, arena),
                              .started = kept(a->origin.started, arena),
                              .uptime = HD_UNKNOWN,
                              .memory = HD_UNKNOWN};
    if (proc != NULL && to->started != NULL)
        to->uptime = proc->age;
    if (proc != NULL && proc->resident > 0)
        to->memory = proc->resident;
    if (from->problem != NULL)
        return;
    if (a->known) {
        bool starts = info->command != NULL && to->command != NULL &&
                      strchr(to->command, ' ') != NULL && proc->exe != NULL &&
                      strcmp(proc->exe, info->command) == 0;
        to->name = info->name != NULL ? kept(info->name, arena) : to->name;
        to->command =
            info->command != NULL && !starts ? kept(info->command, arena) : to->command;
        to->runtime = info->runtime != NULL ? kept(info->runtime, arena) : to->runtime;
    } else if (a->err.status == HD_TIMED_OUT) {
        to->problem = "does not respond: it is stopped, or busy with another request";
    } else if (a->err.status != HD_UNSUPPORTED) {
        to->problem = kept(a->err.message, arena);
    }
}

void hd_processes_find(struct hd_processes *processes)
{
    struct hd_processes_memory *memory = alloc_zeroed(sizeof(*memory));
    struct arena scratch = {0};
    size_t count;
    const char *incomplete;
    struct found *found = targets_find(&count, &incomplete, &brief, &memory->arena);
    struct collect_request asking = {
        .all = arena_array(&scratch, struct collect_answer, count),
        .deadline = clock_ms() + ALL_MS};
    *processes =
        (struct hd_processes){.all = arena_array(&memory->arena, struct hd_process, count),
                              .count = count,
                              .incomplete = incomplete,
                              .memory = memory};
    uint64_t *owners = arena_array(&scratch, uint64_t, count);
    for (size_t i = 0; i < count; i++) {
        asking.all[i].from = &found[i];
        owners[i] = found[i].owner;
    }
    asking.turns = turns_of(owners, count, &scratch);
    workers_run(count, SIDE_BY_SIDE, ask_one, &asking);
    for (size_t i = 0; i < count; i++) {
        collect_describe(&processes->all[i], &asking.all[i], &memory->arena);
        arena_free(&asking.all[i].arena);
    }
    arena_free(&scratch);
}

void hd_processes_free(struct hd_processes *processes)
{
    if (processes->memory != NULL)
        arena_free(&processes->memory->arena);
    free(processes->memory);
    *processes = (struct hd_processes){0};
}

/* --- by name ------------------------------------------------------------------- */

static bool collect_matches(const char *name, const char *pattern)
{
    bool is_pattern = strpbrk(pattern, "*?") != NULL;
    return name != NULL &&
           (is_pattern ? names_match(pattern, name) : strcmp(pattern, name) == 0);
}

/* The kernel's name is what others show: the first 15 characters of the program's. */
bool hd_process_goes_by(const struct hd_process *process, const char *name)
{
    if (collect_matches(process->name, name))
        return true;
    struct arena scratch = {0};
    struct proc proc;
    bool same = process->pid <= INT32_MAX &&
                proc_read(&proc, (pid_t)process->pid, &scratch) &&
                collect_matches(proc.short_name, name);
    arena_free(&scratch);
    return same;
}

/* The first that contains it, else the nearest. */
const char *hd_process_meant(const struct hd_processes *processes, const char *name)
{
    const char **names = alloc_zeroed((processes->count + 1) * sizeof(*names));
    const char *meant = NULL;
    size_t n = 0;
    for (size_t i = 0; i < processes->count && meant == NULL; i++) {
        const char *its = processes->all[i].name;
        if (its == NULL)
            continue;
        names[n++] = its;
        size_t len = strlen(name);
        for (const char *at = its; len > 0 && strlen(at) >= len && meant == NULL; at++)
            meant = strncasecmp(at, name, len) == 0 ? its : NULL;
    }
    meant = meant != NULL ? meant : hd_nearest_word(name, names);
    free(names);
    return meant;
}

uint64_t hd_process_named(const char *name, struct hd_error *err)
{
    struct hd_processes all;
    struct text pids = {0};
    uint64_t pid = 0;
    size_t n = 0;
    hd_processes_find(&all);
    for (size_t i = 0; i < all.count; i++) {
        char number[32];
        if (!hd_process_goes_by(&all.all[i], name))
            continue;
        pid = all.all[i].pid;
        snprintf(number, sizeof(number), "%s%llu", n++ > 0 ? ", " : "",
                 (unsigned long long)pid);
        text_add_string(&pids, number);
    }
    if (all.incomplete != NULL)
        fail(err, HD_IO, "%s", all.incomplete);
    else if (n == 0 && hd_process_meant(&all, name) != NULL)
        fail(err, HD_USAGE, "no .NET process is called %s; did you mean %s?", name,
             hd_process_meant(&all, name));
    else if (n == 0)
        fail_about(err, HD_ABOUT_NAMES, HD_USAGE, "no .NET process is called %s", name);
    else if (n > 1)
        fail_about(err, HD_ABOUT_PID, HD_USAGE,
                   "%zu processes are called %s: %s; choose one", n, name,
                   text_string(&pids));
    bool found = n == 1 && all.incomplete == NULL;
    text_free(&pids);
    hd_processes_free(&all);
    return found ? pid : 0;
}

/* --- a snapshot ---------------------------------------------------------------- */

/* Natively compiled programs and odd types may lack a few; a session without the names
 * that another client keeps lacks nearly all. */
static bool lacks_names(const struct hd_collected *r)
{
    return r->unnamed > r->types / 100;
}

static bool start_again(FILE *to, long from, struct hd_error *err)
{
    if (from < 0 || fflush(to) != 0 || fseek(to, from, SEEK_SET) != 0 ||
        ftruncate(fileno(to), from) != 0)
        return fail(err, HD_IO, "cannot write: %s", strerror(errno));
    return true;
}

/* The last moment before the heap is asked for: what the process takes without that is read
 * here, too. It is asked for its runtime only where that matters. */
static bool plan_buffer(const struct target *t, const struct hd_collect_options *opt,
                        struct session_buffer *buffer, struct hd_process_facts *taken,
                        struct hd_error *err)
{
    struct buffer_facts facts = {.left = HD_UNKNOWN, .expected = opt->expected_bytes};
    struct arena arena = {0};
    struct process_info info = {0};
    if (opt->memory_left != NULL)
        facts.left = opt->memory_left(opt->context, t->visible ? (uint64_t)t->pid : 0);
    if (t->visible) {
        facts.memory = proc_memory(t->pid);
        *taken = collect_facts(opt, t->pid);
    }
    if (buffer_plan(buffer, &facts, NULL) && buffer->is_alone)
        return true;
    if (process_info_ask(&info, t, &brief, &arena, NULL))
        facts.runtime = info.runtime;
    bool ok = buffer_plan(buffer, &facts, err);
    arena_free(&arena);
    return ok;
}

/* A runtime that forces no collection by a session apart is asked in one session. */
static bool collect_walk(const struct target *t, const struct hd_collect_options *how,
                         struct session_buffer *buffer, FILE *to,
                         struct hd_collected *result, struct hd_error *err)
{
    long from = ftell(to);
    if (session_collect(t, how, buffer, to, result, err))
        return buffer_was_enough(buffer, result, err);
    if (!buffer->is_in_vain || !start_again(to, from, err))
        return false;
    *err = (struct hd_error){0};
    buffer->is_alone = true;
    return session_collect(t, how, buffer, to, result, err) &&
           buffer_was_enough(buffer, result, err);
}

/* While another client has a session, a runtime sends the name of a type only once. It
 * resets that when the keyword for types is disabled, which does not happen while that
 * client has it enabled. */
static bool collect_named(const struct target *t, const struct hd_collect_options *how,
                          FILE *to, struct hd_collected *result,
                          struct hd_process_facts *facts, struct hd_error *err)
{
    enum { LONGEST_MS = 2000 };
    struct session_buffer buffer;
    struct hd_collect_options shorter = *how;
    struct hd_error why = {0};
    long from = ftell(to);
    /* Errors of the warm-up must not prevent the snapshot. */
    if (shorter.silence_ms > LONGEST_MS)
        shorter.silence_ms = LONGEST_MS;
    if (how->warm_up)
        session_flush(t, &shorter, NULL);
    if (!plan_buffer(t, how, &buffer, facts, err) ||
        !collect_walk(t, how, &buffer, to, result, err))
        return false;
    if (how->keep_names || !lacks_names(result))
        return true;
    if (!session_flush(t, how, &why) && why.status != HD_CANCELLED)
        return true; /* an incomplete snapshot is better than none */
    /* Facts of the first attempt remain: a session adds native memory. */
    struct hd_process_facts later = {0};
    if (!plan_buffer(t, how, &buffer, &later, &why))
        return true;
    return start_again(to, from, err) && collect_walk(t, how, &buffer, to, result, err);
}

bool hd_collect(FILE *to, const struct hd_collect_options *opt,
                struct hd_collected *collected, struct hd_error *err)
{
    struct hd_collect_options how;
    if (!collect_options_copy(&how, opt, err))
        return false;
    const struct patience patience = collect_patience(&how);
    struct arena arena = {0};
    struct target target;
    struct hd_origin origin = {.instance = 0};
    int lock = -1;
    *collected = (struct hd_collected){0};
    bool ok = find_target(&target, &how, &arena, err);
    /* Before the walk: afterwards the process may have ended. */
    if (ok)
        origin = origin_of(&target);
    ok = ok && (!target.visible || process_lock_wait(target.pid, &patience, &lock, err)) &&
         collect_named(&target, &how, to, collected, &origin.facts, err);
    close_quietly(lock);
    if (ok && fflush(to) != 0)
        ok = fail(err, HD_IO, "cannot write: %s", strerror(errno));
    if (ok) {
        collected->pid = (uint64_t)target.pid;
        collected->origin = origin;
        collected->other_client = lacks_names(collected);
    } else {
        *collected = (struct hd_collected){0};
    }
    if (ok && collected->other_client)
        collected->client_count = clients_find(target.socket, collected->clients);
    arena_free(&arena);
    return ok;
}
