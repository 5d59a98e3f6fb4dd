/* Has the runtime write a core of its process: the dump command of the diagnostics protocol
 * (set 1; design-docs/ipc-protocol.md of dotnet/diagnostics), which starts createdump.
 *
 * We create the file and pass its name, so that it cannot be replaced and we can read it,
 * whatever the user of the process. createdump truncates it and keeps its mode. */
#include "base/error.h"
#include "base/text.h"
#include "clr/clr.h"
#include "collect/dump_file.h"
#include "collect/find_target.h"
#include "collect/proc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MS = 100 };

struct dump {
    const struct hd_collect_options *how;
    struct target target;
    struct dump_file file;
    struct patience patience;
    struct hd_collect_progress so_far;
};

static bool goes_on(void *context)
{
    struct dump *d = context;
    return d->how->go_on == NULL || d->how->go_on(d->how->context, &d->so_far);
}

/* --- the request --------------------------------------------------------------- */

/* Waits for the answer, which follows the end of writing. In the meantime the file
 * grows. */
static bool await_answer(struct dump *d, int fd, struct reply *reply, struct hd_error *err)
{
    enum { LONGEST_MS = 3000, TICK_MS = 20 };
    const struct patience unasked = {.silence_ms = TICK_MS};
    uint64_t last_growth = clock_ms(), now;
    for (;;) {
        enum ready how = transport.await(fd, clock_ms() + LOOK_MS, &d->patience);
        if (how == READY)
            return ipc_receive(fd, reply, &d->patience, err);
        if (how == READY_FAILED)
            return fail(err, HD_IO, "%s", strerror(errno));
        if (how == READY_STOPPED)
            break;
        uint64_t size = dump_file_size(&d->file);
        now = clock_ms();
        if (size != d->so_far.bytes)
            last_growth = now;
        d->so_far.bytes = size;
        if (now - last_growth >= d->patience.silence_ms)
            return fail_about(
                err, HD_ABOUT_SILENCE, HD_TIMED_OUT,
                "the runtime wrote nothing for %g s: it hangs, or is stopped. If it "
                "continues, it finishes the dump, which is discarded",
                (double)d->patience.silence_ms / 1e3);
    }
    /* The runtime creates the file by its name some time after the request: if it were
     * removed before that, it would be created again, unnoticed. */
    for (now = clock_ms();
         dump_file_size(&d->file) == 0 && clock_ms() < now + LONGEST_MS &&
         transport.await(fd, clock_ms() + TICK_MS, &unasked) == READY_TIMED_OUT;)
        continue;
    return fail(err, HD_CANCELLED, "stopped");
}

/* Since version 3 (.NET 8) a refusal has a reason. */
static bool dump_ask(struct dump *d, enum ipc_command command, enum hd_core_kind kind,
                     struct reply *reply, struct hd_error *err)
{
    enum { WITH_HEAP = 2, FULL = 4, NO_FLAGS = 0 };
    struct request r = request_for(command);
    request_utf8(&r, d->file.path);
    request_put(&r, kind == HD_CORE_FULL ? FULL : WITH_HEAP, 4);
    request_put(&r, NO_FLAGS, 4);
    int fd = target_connect(&d->target, &d->patience, err);
    bool ok =
        fd >= 0 && ipc_send(fd, &r, &d->patience, err) && await_answer(d, fd, reply, err);
    close_quietly(fd);
    return ok;
}

/* --- refusals ------------------------------------------------------------------ */

/* "...\n" of createdump: its lines become one, cut to whole words that a message has room
 * for. */
static void add_line(struct text *to, const struct text *said)
{
    enum { MAX_BYTES = 200 };
    static const char more[] = " ...";
    for (size_t i = 0; i < said->len; i++) {
        bool is_space = strchr(" \t\r\n", said->data[i]) != NULL;
        if (!is_space)
            text_add_char(to, said->data[i]);
        else if (to->len > 0 && to->data[to->len - 1] != ' ')
            text_add_char(to, ' ');
    }
    while (to->len > 0 && to->data[to->len - 1] == ' ')
        to->len--;
    if (to->len <= MAX_BYTES)
        return;
    to->len = MAX_BYTES - strlen(more);
    while (to->len > 0 && to->data[to->len] != ' ')
        to->len--;
    text_add_string(to, more);
}

/* A single-file program has no separate runtime for reading its heap. */
static bool refused(const struct reply *reply, enum hd_core_kind kind, struct hd_error *err)
{
    struct text said = {0}, line = {0};
    size_t at = 4;
    if (reply->size > at && reply_string(reply, &at, &said))
        add_line(&line, &said);
    const char *words = text_string(&line);
    bool is_single =
        strstr(words, "single-file") != NULL || strstr(words, "single file") != NULL;
    if (kind == HD_CORE_HEAP && is_single)
        fail(err, HD_UNSUPPORTED,
             "a single-file program: the runtime can only write a full dump, --core=full");
    else if (line.len > 0)
        fail(err, HD_UNSUPPORTED, "the runtime wrote no dump: %s", words);
    else
        fail(err, HD_UNSUPPORTED, "the runtime wrote no dump: %s (0x%08" PRIX32 ")",
             reply->refusal == IPC_FAILED ? "its createdump failed"
                                          : ipc_refusal(reply->refusal),
             (uint32_t)reply->refusal);
    text_free(&said);
    text_free(&line);
    return false;
}

/* --- complete dump ---------------------------------------------------------------- */

/* Tries commands from the newest to the first that the runtime supports. */
static bool dump(struct dump *d, enum hd_core_kind kind, struct hd_error *err)
{
    struct reply *reply = alloc_zeroed(sizeof(*reply));
    bool answered = false, is_too_new = true;
    for (int command = IPC_DUMP3; is_too_new && command >= IPC_DUMP; command--) {
        answered = dump_ask(d, (enum ipc_command)command, kind, reply, err);
        is_too_new = answered && reply_is_too_new(reply);
    }
    bool ok = answered && (reply->ok || refused(reply, kind, err));
    free(reply);
    return ok;
}

bool hd_collect_core(FILE *to, enum hd_core_kind kind, const struct hd_collect_options *opt,
                     struct hd_collected *collected, struct hd_error *err)
{
    struct hd_collect_options how;
    if (!collect_options_copy(&how, opt, err))
        return false;
    struct arena arena = {0};
    struct dump d = {.how = &how, .file = {.fd = -1}};
    struct hd_origin origin = {.instance = 0};
    int lock = -1;
    d.patience =
        (struct patience){.silence_ms = how.silence_ms, .go_on = goes_on, .context = &d};
    *collected = (struct hd_collected){0};
    bool ok = find_target(&d.target, &how, &arena, err);
    if (ok)
        origin = origin_of(&d.target);
    if (ok && origin.runtime[0] != '\0' && runtime_is_too_old(origin.runtime))
        ok = fail(err, HD_UNSUPPORTED,
                  "its runtime is .NET %s; core dumps need " RUNTIME_OLDEST_READ
                  " or later; take a gcdump with `heapdrift collect`",
                  origin.runtime);
    if (ok && runtime_is_of_others(origin.runtime, processor_here()))
        ok = fail(err, HD_UNSUPPORTED,
                  "its runtime is .NET %s; core dumps on %s need a later version; take a "
                  ".gcdump",
                  origin.runtime, processor_here()->name);
    ok = ok &&
         (!d.target.visible || process_lock_wait(d.target.pid, &d.patience, &lock, err));
    if (ok && d.target.visible)
        origin.facts = collect_facts(&how, d.target.pid);
    ok = ok && dump_file_open(&d.file, &d.target, to, &arena, err) && dump(&d, kind, err) &&
         dump_file_copy_to(&d.file, to, err);
    if (ok)
        *collected = (struct hd_collected){.pid = (uint64_t)d.target.pid,
                                           .bytes = dump_file_size(&d.file),
                                           .origin = origin};
    dump_file_close(&d.file);
    close_quietly(lock);
    arena_free(&arena);
    return ok;
}
