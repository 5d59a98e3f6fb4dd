#include "collect/find_target.h"

#include "base/error.h"
#include "base/little_endian.h"
#include "collect/read_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- options ------------------------------------------------------------------- */

enum { DEFAULT_SILENCE_MS = 30000 };

bool collect_options_copy(struct hd_collect_options *how,
                          const struct hd_collect_options *theirs, struct hd_error *err)
{
    if (!options_copy(how, sizeof(*how), OPTIONS_END(struct hd_collect_options, context),
                      theirs, err))
        return false;
    how->silence_ms = how->silence_ms > 0 ? how->silence_ms : DEFAULT_SILENCE_MS;
    return true;
}

bool collect_goes_on(void *how)
{
    static const struct hd_collect_progress nothing_yet;
    const struct hd_collect_options *asked = how;
    return asked->go_on == NULL || asked->go_on(asked->context, &nothing_yet);
}

struct patience collect_patience(struct hd_collect_options *how)
{
    return (struct patience){
        .silence_ms = how->silence_ms, .go_on = collect_goes_on, .context = how};
}

struct hd_process_facts collect_facts(const struct hd_collect_options *how, pid_t pid)
{
    struct hd_process_facts facts = read_facts(pid);
    if (how->add_limits != NULL && facts.known != 0)
        how->add_limits(how->context, (uint64_t)pid, &facts);
    return facts;
}

/* --- processes ----------------------------------------------------------------- */

/* A process that is busy walking its heap does not answer. */
static const struct patience brief = {.silence_ms = 1000};

static int by_number(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return (x > y) - (x < y);
}

pid_t *proc_rising(pid_t *all, size_t count, struct arena *arena)
{
    pid_t *kept = arena_array(arena, pid_t, count);
    if (count > 0) {
        memcpy(kept, all, count * sizeof(*kept));
        qsort(kept, count, sizeof(*kept), by_number);
    }
    free(all);
    return kept;
}

bool target_fail(const char *socket, struct hd_error *err)
{
    if (errno == ECONNREFUSED)
        return fail(err, HD_IO, "nothing listens on %s: its process has exited", socket);
    if (errno == ETIMEDOUT)
        return fail(err, HD_TIMED_OUT,
                    "%s accepts no connections: the process hangs, or is stopped", socket);
    if (errno == ECANCELED)
        return fail(err, HD_CANCELLED, "stopped");
    return fail(err, HD_IO, "%s: %s", socket, strerror(errno));
}

/* --- facts reported by the runtime ------------------------------------------------ */

/* Opens a connection for one request and one reply. */
static bool find_target_ask(const struct target *t, enum ipc_command command,
                            struct reply *reply, const struct patience *p,
                            struct hd_error *err)
{
    struct request r = request_for(command);
    int fd = target_connect(t, p, err);
    if (fd < 0)
        return false;
    bool ok = ipc_send(fd, &r, p, err) && ipc_receive(fd, reply, p, err);
    close(fd);
    return ok;
}

static const char *find_target_keep(struct text *t, struct arena *arena)
{
    return t->len > 0 ? arena_strdup(arena, text_string(t), t->len) : NULL;
}

/* ProcessInfo3 begins with a version; then all have pid, a cookie of 16 bytes, command
 * line, system, architecture; 2 and 3 add entry assembly and runtime version. */
static bool decode(struct process_info *info, const struct reply *reply,
                   enum ipc_command command, struct arena *arena)
{
    enum { PID = 8, COOKIE = 16 };
    size_t at = command == IPC_PROCESS_INFO3 ? 4 : 0;
    if (reply->size < at + PID + COOKIE)
        return false;
    *info = (struct process_info){.pid = le_u64(reply->payload + at)};
    at += PID + COOKIE;
    struct text t = {0}, ignored = {0};
    bool ok = reply_string(reply, &at, &t);
    info->command = ok ? find_target_keep(&t, arena) : NULL;
    ok = ok && reply_string(reply, &at, &ignored) && reply_string(reply, &at, &ignored);
    if (command != IPC_PROCESS_INFO) {
        ok = ok && reply_string(reply, &at, &t);
        info->name = ok ? find_target_keep(&t, arena) : NULL;
        ok = ok && reply_string(reply, &at, &t);
        /* "10.0.12+a1b2c3": the commit is of no use here. */
        t.len = ok ? strcspn(text_string(&t), "+") : 0;
        info->runtime = find_target_keep(&t, arena);
    }
    text_free(&t);
    text_free(&ignored);
    return ok;
}

bool process_info_ask(struct process_info *info, const struct target *t,
                      const struct patience *p, struct arena *arena, struct hd_error *err)
{
    static const enum ipc_command commands[] = {IPC_PROCESS_INFO3, IPC_PROCESS_INFO2,
                                                IPC_PROCESS_INFO};
    struct reply *reply = alloc_zeroed(sizeof(*reply));
    bool answered = false, done = false;
    *info = (struct process_info){0};
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands) && !done; i++) {
        answered = find_target_ask(t, commands[i], reply, p, err);
        if (!answered)
            break;
        done = reply->ok && decode(info, reply, commands[i], arena);
    }
    if (answered && !done)
        fail(err, HD_UNSUPPORTED, "%s", ipc_refusal(reply->refusal));
    free(reply);
    return done;
}

/* --- one that waits at its start ----------------------------------------------- */

/* Before its program runs, a runtime reports no arguments, only its own file. The
 * environment does not change later. */
static bool is_waiting(const struct target *t, struct arena *arena)
{
    struct process_info info;
    return process_info_ask(&info, t, &brief, arena, NULL) && info.command != NULL &&
           t->proc->exe != NULL && strcmp(t->proc->exe, info.command) == 0;
}

static bool resume(const struct target *t, struct hd_error *err)
{
    struct reply *reply = alloc_zeroed(sizeof(*reply));
    bool ok = find_target_ask(t, IPC_RESUME, reply, &brief, err) &&
              (reply->ok || fail(err, HD_UNSUPPORTED, "%s", ipc_refusal(reply->refusal)));
    free(reply);
    return ok;
}

/* Otherwise its walk would be waited for until the patience ends. Resumed, it needs a
 * moment until there is a heap to walk. */
static bool is_running(const struct target *t, struct hd_collect_options *how,
                       struct arena *arena, struct hd_error *err)
{
    const struct timespec a_moment = {.tv_nsec = 50000000};
    if (t->proc == NULL || !t->proc->is_to_wait || !is_waiting(t, arena))
        return true;
    const char *port = t->proc->port;
    if (!how->resume && port == NULL)
        return fail_about(err, HD_ABOUT_RESUME, HD_IO,
                          "the process is suspended at its start "
                          "(DOTNET_DefaultDiagnosticPortSuspend)");
    if (how->resume && !resume(t, err))
        return err == NULL || err->status == HD_OK;
    bool waits = true;
    for (uint64_t end = clock_ms() + how->silence_ms;
         how->resume && waits && clock_ms() < end && collect_goes_on(how);) {
        nanosleep(&a_moment, NULL);
        waits = is_waiting(t, arena);
    }
    if (!waits)
        return err == NULL || err->status == HD_OK;
    return fail(err, HD_IO,
                port == NULL ? "the process is still suspended at its start"
                             : "the process is suspended at its start until the tool that "
                               "listens at %.200s resumes it (DOTNET_DiagnosticPorts; "
                               "with ,nosuspend there it starts without it)",
                port);
}

/* --- which process ------------------------------------------------------------- */

bool find_target(struct target *t, struct hd_collect_options *how, struct arena *arena,
                 struct hd_error *err)
{
    if (how->socket == NULL && how->pid > INT32_MAX)
        return fail(err, HD_IO, "no process %" PRIu64, how->pid);
    bool found = how->socket != NULL
                     ? target_at_socket(t, how->socket, &brief, arena, err)
                     : target_of_process(t, (pid_t)how->pid, &brief, arena, err);
    return found && is_running(t, how, arena, err);
}

/* --- turns ------------------------------------------------------------------------- */

/* Sockets per user and search: mute ones, which cost two seconds together, and all. A
 * machine has fewer. */
enum { MAX_LATE = 32, MAX_ASKED = 2000 };

static int by_payer(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return (x->which > y->which) - (x->which < y->which);
}

static int find_target_by_place(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->which > y->which) - (x->which < y->which);
}

struct turn *turns_of(const uint64_t *owners, size_t count, struct arena *arena)
{
    struct turn *all = arena_array(arena, struct turn, count);
    atomic_uint *late = arena_array(arena, atomic_uint, count);
    for (size_t i = 0; i < count; i++)
        all[i] = (struct turn){.which = i, .owner = owners[i]};
    if (count > 0)
        qsort(all, count, sizeof(*all), by_payer);
    for (size_t i = 0; i < count; i++) {
        bool is_first = i == 0 || all[i - 1].owner != all[i].owner;
        atomic_init(&late[i], 0);
        all[i].number = is_first ? 0 : all[i - 1].number + 1;
        all[i].late = is_first ? &late[i] : all[i - 1].late;
    }
    if (count > 0)
        qsort(all, count, sizeof(*all), find_target_by_place);
    return all;
}

bool turn_is_over(const struct turn *turn)
{
    return turn->number >= MAX_ASKED || atomic_load(turn->late) >= MAX_LATE;
}
