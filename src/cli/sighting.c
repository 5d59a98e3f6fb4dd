#include "cli/sighting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void describe(struct sighted *seen, const struct hd_process *p)
{
    *seen = (struct sighted){.pid = p->pid, .memory = p->memory};
    snprintf(seen->who, sizeof(seen->who), "%.100s (pid %" PRIu64 ")",
             p->name != NULL ? p->name : "dotnet", p->pid);
    snprintf(seen->host, sizeof(seen->host), "%s", p->host != NULL ? p->host : "");
    if (p->socket != NULL && strlen(p->socket) < sizeof(seen->socket))
        snprintf(seen->socket, sizeof(seen->socket), "%s", p->socket);
    if (seen->memory == 0)
        seen->memory = HD_UNKNOWN;
}

/* One that this list does not know, but whose socket is there. */
static enum sighting unseen_socket(struct sighted *seen, const char *socket,
                                   struct hd_error *err)
{
    if (access(socket, F_OK) != 0) {
        err->status = HD_IO;
        snprintf(err->message, sizeof(err->message), "%.200s: there is no such socket",
                 socket);
        return SIGHT_GONE;
    }
    *seen = (struct sighted){.memory = HD_UNKNOWN};
    snprintf(seen->who, sizeof(seen->who), "%.150s", socket);
    snprintf(seen->socket, sizeof(seen->socket), "%s", socket);
    return SIGHT_THERE;
}

static bool is_meant(const struct hd_process *p, const struct settings *s, bool by_name)
{
    if (by_name)
        return hd_process_goes_by(p, s->name);
    if (s->socket != NULL)
        return p->socket != NULL && strcmp(p->socket, s->socket) == 0;
    return s->process_id > 0 && p->pid == s->process_id;
}

/* What a process that is stopped or busy says is no reason to ask no more. */
static enum sighting judge(struct sighted *seen, const struct hd_process *p,
                           struct hd_error *err)
{
    describe(seen, p);
    if (!p->is_denied)
        return SIGHT_THERE;
    err->status = HD_IO;
    snprintf(err->message, sizeof(err->message), "%.80s: %.150s", seen->who, p->problem);
    return SIGHT_DENIED;
}

static enum sighting choose(struct sighted *seen, const struct settings *s, bool by_name,
                            const struct hd_processes *all, struct hd_error *err)
{
    const struct hd_process *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        if (is_meant(&all->all[i], s, by_name)) {
            found = &all->all[i];
            count++;
        }
    if (count == 1)
        return judge(seen, found, err);
    err->status = HD_USAGE;
    if (count > 1 && by_name)
        snprintf(err->message, sizeof(err->message),
                 "%zu processes are called %.80s; choose one with --process-id", count,
                 s->name);
    else if (count > 1)
        snprintf(err->message, sizeof(err->message),
                 "%zu processes have the number %" PRIu64
                 ", each in its own container; choose one with --diagnostic-port",
                 count, s->process_id);
    else
        snprintf(err->message, sizeof(err->message),
                 "there is no .NET process %" PRIu64
                 " with a diagnostics socket; see `heapdrift ps`",
                 s->process_id);
    return count > 1 ? SIGHT_SEVERAL : SIGHT_GONE;
}

enum sighting sight(struct sighted *seen, const struct settings *s, struct hd_error *err)
{
    struct hd_processes all;
    enum sighting what = SIGHT_GONE;
    hd_processes_find(&all);
    if (s->process_id > 0 || s->socket != NULL)
        what = choose(seen, s, false, &all, err);
    if (what == SIGHT_GONE && s->socket != NULL)
        what = unseen_socket(seen, s->socket, err);
    else if (what == SIGHT_GONE && s->name != NULL)
        what = choose(seen, s, true, &all, err);
    if (what == SIGHT_GONE && all.incomplete != NULL && s->socket == NULL) {
        snprintf(err->message, sizeof(err->message), "%s", all.incomplete);
        what = SIGHT_DENIED;
    }
    hd_processes_free(&all);
    return what;
}
