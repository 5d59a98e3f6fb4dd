#include "cli/live/process_lookup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* When a process began, in ticks of the kernel: with its number that is one process, see
 * proc(5). 0: it has ended, or cannot be seen. */
static uint64_t born(uint64_t pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
    FILE *f = fopen(path, "re");
    size_t len = f != NULL ? fread(line, 1, sizeof(line) - 1, f) : 0;
    if (f != NULL)
        fclose(f);
    line[len] = '\0';
    /* Its name may have anything in it; behind that is its state, and 19 more to go. */
    char *at = strrchr(line, ')');
    if (at == NULL || at[1] == '\0' || strchr("ZXx", at[2]) != NULL)
        return 0;
    for (int i = 0; at != NULL && i < 20; i++)
        at = strchr(at + 1, ' ');
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

static void describe(struct sighted *seen, const struct hd_process *p)
{
    *seen = (struct sighted){.pid = p->pid, .memory = p->memory};
    snprintf(seen->who, sizeof(seen->who), "%.100s (pid %" PRIu64 ")",
             p->name != NULL ? p->name : "dotnet", p->pid);
    snprintf(seen->host, sizeof(seen->host), "%s", p->host != NULL ? p->host : "");
    if (p->socket != NULL && strlen(p->socket) < sizeof(seen->socket))
        snprintf(seen->socket, sizeof(seen->socket), "%s", p->socket);
    snprintf(seen->started, sizeof(seen->started), "%s",
             p->started != NULL ? p->started : "");
    if (seen->memory == 0)
        seen->memory = HD_UNKNOWN;
    /* Of one that cannot be seen the number is that of another container. */
    if (seen->memory != HD_UNKNOWN)
        seen->born = born(seen->pid);
}

/* One that this list does not know, but whose socket is there. */
static enum process_lookup unseen_socket(struct sighted *seen, const char *socket,
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
static enum process_lookup judge(struct sighted *seen, const struct hd_process *p,
                                 struct hd_error *err)
{
    describe(seen, p);
    if (!p->is_denied)
        return SIGHT_THERE;
    err->status = HD_IO;
    snprintf(err->message, sizeof(err->message), "%.80s: %.150s", seen->who, p->problem);
    return SIGHT_DENIED;
}

static enum process_lookup choose(struct sighted *seen, const struct settings *s,
                                  bool by_name, const struct hd_processes *all,
                                  struct hd_error *err)
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

static bool is_same(const struct sighted *seen, const struct hd_process *p)
{
    return p->pid == seen->pid && p->socket != NULL &&
           strcmp(p->socket, seen->socket) == 0 &&
           (p->started == NULL || seen->started[0] == '\0' ||
            strcmp(p->started, seen->started) == 0);
}

/* One that is busy may not say what it is called, and another may be called the same. */
static enum process_lookup follow(struct sighted *seen, const struct hd_processes *all,
                                  struct hd_error *err)
{
    const struct sighted before = *seen;
    for (size_t i = 0; i < all->count; i++) {
        const struct hd_process *p = &all->all[i];
        if (!is_same(&before, p))
            continue;
        enum process_lookup what = judge(seen, p, err);
        snprintf(seen->who, sizeof(seen->who), "%s", before.who);
        return what;
    }
    if (before.born == 0 || born(before.pid) != before.born)
        return SIGHT_GONE;
    err->status = HD_IO;
    snprintf(err->message, sizeof(err->message),
             "runs, but its diagnostics socket is gone: %.160s", before.socket);
    return SIGHT_DENIED;
}

enum process_lookup sight(struct sighted *seen, const struct settings *s,
                          struct hd_error *err)
{
    struct hd_processes all;
    enum process_lookup what = SIGHT_GONE;
    hd_processes_find(&all);
    if (seen->pid != 0 && s->socket == NULL)
        what = follow(seen, &all, err);
    if (what == SIGHT_GONE && (s->process_id > 0 || s->socket != NULL))
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
