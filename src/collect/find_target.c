#include "collect/find_target.h"

#include "base/error.h"
#include "base/little_endian.h"
#include "base/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
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

bool collect_goes_on(const struct hd_collect_options *how,
                     const struct hd_collect_progress *so_far)
{
    static const struct hd_collect_progress nothing_yet;
    return how->go_on == NULL ||
           how->go_on(how->context, so_far != NULL ? so_far : &nothing_yet);
}

/* --- which process ------------------------------------------------------------- */

/* A process that is busy walking its heap does not answer. */
static const struct patience brief = {.silence_ms = 1000};

bool find_target(struct target *t, const struct hd_collect_options *how,
                 struct arena *arena, struct hd_error *err)
{
    if (how->socket != NULL)
        return target_at_socket(t, how->socket, &brief, arena, err);
    if (how->pid > INT32_MAX)
        return fail(err, HD_IO, "no process %" PRIu64, how->pid);
    return target_of_process(t, (pid_t)how->pid, &brief, arena, err);
}

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

/* --- what a process says of itself --------------------------------------------- */

/* One connection, one request, one reply. */
static bool ask(const struct target *t, enum ipc_command command, struct reply *reply,
                const struct patience *p, struct hd_error *err)
{
    struct request r = request_for(command);
    int fd = target_connect(t, p, err);
    if (fd < 0)
        return false;
    bool ok = ipc_send(fd, &r, p, err) && ipc_receive(fd, reply, p, err);
    close(fd);
    return ok;
}

static const char *keep(struct text *t, struct arena *arena)
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
    info->command = ok ? keep(&t, arena) : NULL;
    ok = ok && reply_string(reply, &at, &ignored) && reply_string(reply, &at, &ignored);
    if (command != IPC_PROCESS_INFO) {
        ok = ok && reply_string(reply, &at, &t);
        info->name = ok ? keep(&t, arena) : NULL;
        ok = ok && reply_string(reply, &at, &t);
        /* "10.0.12+a1b2c3": the commit is of no use here. */
        t.len = ok ? strcspn(text_string(&t), "+") : 0;
        info->runtime = keep(&t, arena);
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
        answered = ask(t, commands[i], reply, p, err);
        if (!answered)
            break;
        done = reply->ok && decode(info, reply, commands[i], arena);
    }
    if (answered && !done)
        fail(err, HD_UNSUPPORTED, "%s", ipc_refusal(reply->refusal));
    free(reply);
    return done;
}
