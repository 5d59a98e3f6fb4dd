#include "cli/live/collect_writers.h"

#include "cli/guard/temporary.h"
#include "cli/live/nameless.h"
#include "cli/terminal/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The target of hd_snapshot_write() that a store takes. */
#define DIGEST "digest"

/* --- failures ---------------------------------------------------------------------- */

/* Its socket goes with it, unless it was killed. */
static bool has_ended(const struct collecting *c)
{
    return c->who != NULL && hd_socket_is_gone(c->how.socket);
}

/* To the user, or to who wants to say it himself. */
static bool blame(const struct collecting *c, const char *name, const struct hd_error *err)
{
    if (c->failure == NULL) {
        print_error(name, err);
        return false;
    }
    *c->failure = *err;
    advise(c->failure);
    c->failure->topic = err->topic;
    return false;
}

static bool blame_for(const struct collecting *c, const char *name, enum hd_status status,
                      const char *what)
{
    struct hd_error err = {.status = status};
    snprintf(err.message, sizeof(err.message), "%s", what);
    return blame(c, name, &err);
}

static bool blame_end(const struct collecting *c, const char *end)
{
    char what[128];
    if (c->who != NULL)
        return blame_for(c, c->who, HD_CLOSED, end);
    snprintf(what, sizeof(what), "process %" PRIu64 " %s", c->harm.pid, end);
    return blame_for(c, NULL, HD_CLOSED, what);
}

/* What goes wrong with the process is told as it is, where there are several by its name;
 * what goes wrong with the file, by that of the file. */
static bool failed(const struct collecting *c, const struct hd_error *err)
{
    bool of_file = strncmp(err->message, "cannot write", strlen("cannot write")) == 0;
    if (err->status == HD_STOPPED && c->is_too_much)
        return blame_for(c, c->settings->output, HD_TOO_BIG,
                         "its heap does not fit into the memory limit, see --memory; the "
                         "process continues, and nothing was stored");
    if (err->status == HD_STOPPED && c->is_too_late)
        return blame_for(c, c->settings->output, HD_TIMED_OUT,
                         "took too long; the process continues, and nothing was stored");
    if (err->status == HD_STOPPED)
        return blame_for(c, c->who, HD_STOPPED,
                         "stopped; the process continues, and nothing was written");
    const char *end = of_file ? NULL : harm_done(&c->harm, err);
    if (end != NULL)
        return blame_end(c, end);
    if (!of_file && has_ended(c))
        return blame_for(c, c->who, HD_CLOSED, "has exited");
    return blame(c, of_file ? c->settings->output : c->who, err);
}

static bool take(struct collecting *c, FILE *to, struct hd_error *err)
{
    c->how.warm_up = c->following == NULL && !c->is_warm;
    c->harm = (struct harm){.pid = 0};
    /* Of several processes the last snapshot was another's. */
    if (c->who == NULL && c->collected.bytes > 0)
        c->how.expected_bytes = c->collected.bytes;
    bool ok = hd_collect(to, &c->how, &c->collected, err);
    if (c->progress)
        fputs("\r\033[K", stderr);
    return ok;
}

/* --- a snapshot of one ------------------------------------------------------------- */

/* What a core has is counted when it is read; garbage does not count. */
static void count(struct collecting *c, const struct hd_info *info)
{
    struct hd_collected *got = &c->collected;
    if (!c->settings->direct)
        return;
    got->objects = info->holds_garbage ? info->reachable_objects : info->objects;
    got->object_bytes = info->holds_garbage ? info->reachable_bytes : info->bytes;
}

/* What is left of it; not 0, which would be no limit. */
static uint64_t less_memory(uint64_t most, uint64_t used)
{
    return most > used ? most - used : 1;
}

/* A child that gave up its rights cannot ask a container for its name. */
static void set_origin(struct hd_snapshot *snap, const struct collecting *c)
{
    struct hd_origin origin = c->collected.origin;
    if (c->host != NULL && c->host[0] != '\0')
        snprintf(origin.host, sizeof(origin.host), "%s", c->host);
    hd_snapshot_set_origin(snap, &origin);
}

/* What a process knows of its types, where its memory may be read. A snapshot without full
 * names is as good as those of other tools, so nothing of this can fail it. */
struct full_names {
    FILE *core; /* NULL: none */
    struct hd_error err;
    double seconds;
};

static struct full_names read_full_names(const struct collecting *c)
{
    struct full_names names = {.core = nameless_in_memory()};
    struct hd_collect_options how = c->how;
    double begin = seconds_now();
    /* A trace in memory, and what was made of it, take as much each. */
    if (c->most_bytes > 0)
        how.max_memory = less_memory(how.max_memory, 2 * c->collected.bytes);
    if (names.core != NULL && !hd_collect_types(names.core, &how, &names.err)) {
        fclose(names.core);
        names.core = NULL;
    }
    names.seconds = seconds_now() - begin;
    return names;
}

static void drop_full_names(struct full_names *names)
{
    if (names->core != NULL)
        fclose(names->core);
    names->core = NULL;
}

/* A native AOT program has them in its file, too, which more may read than its memory. */
static bool add_names_of_program(const struct collecting *c, struct hd_snapshot *snap)
{
    char path[64];
    FILE *program = hd_snapshot_info(snap)->is_native_aot ? nameless_in_memory() : NULL;
    if (program == NULL)
        return false;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(program));
    struct hd_symbols *symbols = hd_process_program(c->collected.pid, program, NULL)
                                     ? hd_symbols_open(path, NULL)
                                     : NULL;
    bool ok = symbols != NULL && hd_snapshot_add_symbols(snap, symbols, NULL);
    hd_symbols_close(symbols);
    fclose(program);
    return ok;
}

static void add_full_names(const struct collecting *c, struct hd_snapshot *snap,
                           struct full_names *names)
{
    double begin = seconds_now();
    bool ok =
        names->core != NULL && hd_snapshot_add_full_names(snap, names->core, &names->err);
    drop_full_names(names);
    bool by_program = !ok && add_names_of_program(c, snap);
    names->seconds += seconds_now() - begin;
    if (!c->settings->verbose)
        return;
    begin_message("note", c->settings->output);
    if (ok || by_program)
        fprintf(stderr, ": full names read from the %s of the process, in %.3f s\n",
                ok ? "memory" : "program", names->seconds);
    else
        fprintf(stderr, ": no full type names: %s\n", names->err.message);
}

/* Without a target it is looked at only. */
static struct hd_read_options how_to_read(const struct collecting *c, const char *target)
{
    struct hd_read_options how = c->settings->read;
    if (c->most_bytes > 0)
        how.max_memory = less_memory(how.max_memory, c->most_bytes);
    how.checksum = target != NULL && strcmp(target, DIGEST) == 0;
    how.to_write = target != NULL && !how.checksum;
    how.reach_later = !how.checksum;
    how.plain_names = true; /* as any other gcdump has them */
    /* With --all they say how many processes there are at the same time. */
    bool one_each = c->settings->all && c->settings->threads_given;
    how.threads = one_each ? 1 : c->settings->threads;
    return how;
}

/* target: what is made of it; NULL: it is looked at only. */
static void explain_nameless(const struct hd_snapshot *snap, const char *target,
                             struct hd_error *err)
{
    const char *excuse = snap == NULL ? nameless_excuse() : NULL;
    if (excuse != NULL)
        snprintf(err->message, sizeof(err->message), "%s needs %s%s",
                 target != NULL ? "a gcdump" : "reading it", excuse,
                 target != NULL ? "; write a trace instead (.nettrace)" : "");
}

/* --- a snapshot of a trace --------------------------------------------------------- */

/* A report does without. What is lost once is mostly lost for good, so it is said once. */
static void report_unfollowed(struct collecting *c, const struct hd_error *why)
{
    if (c->settings->quiet || (c->told_unfollowed && !c->settings->verbose))
        return;
    c->told_unfollowed = true;
    begin_message("note", c->label != NULL ? c->label : c->settings->output);
    fprintf(stderr, ": which objects survived is not known exactly: %s\n", why->message);
}

static void follow(struct collecting *c, struct hd_snapshot *snap)
{
    struct hd_error why = {0};
    if (c->following != NULL && !hd_following_snapshot(c->following, snap, &why))
        report_unfollowed(c, &why);
}

/* The trace is read while it comes, and what is left of that done while names are taken,
 * if they are wanted. taken: whether there is a trace, else the process is to blame, which
 * was said. NULL and err: what was read is. */
static struct hd_snapshot *read_along(struct collecting *c, FILE *trace, const char *target,
                                      struct full_names *names, bool *taken,
                                      struct hd_error *err)
{
    const struct hd_read_options how = how_to_read(c, target);
    if (c->following != NULL)
        hd_following_before(c->following, &c->how);
    /* A stream without a buffer: what was written can be read. */
    setvbuf(trace, NULL, _IONBF, 0);
    c->reading = hd_reading_begin(trace, &how);
    *taken = take(c, trace, err) || failed(c, err);
    if (*taken && c->following != NULL)
        hd_following_after(c->following);
    if (*taken) {
        hd_reading_came(c->reading, c->collected.bytes);
        hd_reading_end(c->reading);
        if (names != NULL)
            *names = read_full_names(c);
    }
    struct hd_snapshot *snap = hd_reading_snapshot(c->reading, err);
    c->reading = NULL;
    if (snap != NULL)
        set_origin(snap, c);
    return snap;
}

static struct hd_snapshot *take_snapshot(struct collecting *c, FILE *trace,
                                         const char *target, struct hd_error *err)
{
    struct full_names names = {.core = NULL};
    bool taken;
    struct hd_snapshot *snap = read_along(c, trace, target, &names, &taken, err);
    if (taken && snap == NULL) {
        explain_nameless(snap, target, err);
        blame(c, c->settings->output, err);
    }
    if (snap != NULL) {
        add_full_names(c, snap, &names);
        follow(c, snap);
        hd_snapshot_set_ages(snap, c->ages);
    }
    drop_full_names(&names);
    return snap;
}

/* Half of the memory for a trace that takes some, half for what is made of it: per object
 * both take as much, whatever the process says of its size. */
static uint64_t most_of_trace(const struct collecting *c, FILE *trace)
{
    uint64_t most = c->settings->read.max_memory;
    return most > 1 && nameless_is_in_memory(trace) ? most / 2 : 0;
}

/* The trace goes with it. */
static bool write_taken(struct collecting *c, FILE *trace, const char *target,
                        struct hd_sink to, struct hd_error *err)
{
    c->most_bytes = most_of_trace(c, trace);
    struct hd_snapshot *snap = take_snapshot(c, trace, target, err);
    bool ok = snap != NULL && hd_snapshot_write(snap, target, to, NULL, err);
    if (snap != NULL && !ok)
        blame(c, c->settings->output, err);
    hd_snapshot_close(snap);
    fclose(trace);
    return ok;
}

static bool write_gcdump(const void *thing, const struct settings *s, FILE *to,
                         struct hd_error *err)
{
    struct collecting *c = *(struct collecting *const *)thing;
    FILE *trace = temporary_nameless(s->output);
    if (trace == NULL)
        return trouble(s->output, strerror(errno));
    return write_taken(c, trace, "gcdump", hd_sink_file(to), err);
}

/* --- a trace ----------------------------------------------------------------------- */

/* Of a series it is read all the same, to follow its objects. Nothing of that fails it. */
static bool take_followed(struct collecting *c, FILE *trace)
{
    struct hd_error why = {0};
    bool taken;
    struct hd_snapshot *snap = read_along(c, trace, NULL, NULL, &taken, &why);
    if (snap != NULL)
        follow(c, snap);
    bool kept = snap != NULL && hd_following_write(trace, snap, &why);
    hd_snapshot_close(snap);
    if (taken && !kept)
        report_unfollowed(c, &why);
    return taken;
}

static bool write_trace(const void *thing, const struct settings *s, FILE *to,
                        struct hd_error *err)
{
    /* What is collected is told behind the file. */
    struct collecting *c = *(struct collecting *const *)thing;
    struct stat st;
    (void)s;
    if (c->following != NULL && fstat(fileno(to), &st) == 0 && S_ISREG(st.st_mode))
        return take_followed(c, to);
    return take(c, to, err) || failed(c, err);
}

/* --- a core ------------------------------------------------------------------------ */

/* Of several takes the longest stop counts. */
static bool copy_memory(struct collecting *c, FILE *to, struct hd_error *err)
{
    uint64_t before = c->takes > 0 ? c->collected.stood_still_us : 0;
    bool ok = hd_collect_direct(to, &c->how, &c->collected, err);
    if (c->collected.stood_still_us < before)
        c->collected.stood_still_us = before;
    if (c->progress)
        fputs("\r\033[K", stderr);
    return ok;
}

static bool fill_core(struct collecting *c, FILE *to, struct hd_error *err)
{
    enum hd_core_kind kind = c->settings->core == CORE_FULL ? HD_CORE_FULL : HD_CORE_HEAP;
    if (c->settings->direct)
        return copy_memory(c, to, err);
    bool ok = hd_collect_core(to, kind, &c->how, &c->collected, err);
    if (c->progress)
        fputs("\r\033[K", stderr);
    return ok;
}

/* What it has says whether it is whole. NULL and err where it cannot be read. */
static struct hd_snapshot *open_core(struct collecting *c, FILE *core, const char *target,
                                     struct hd_error *err)
{
    char path[64];
    struct hd_read_options how = how_to_read(c, target);
    if (c->settings->memory_given)
        how.max_memory = less_memory(how.max_memory, nameless_memory(core));
    nameless_path(core, path, sizeof(path));
    struct hd_snapshot *snap = hd_snapshot_open(path, &how, err);
    explain_nameless(snap, target, err);
    c->collected.complete = snap != NULL && hd_snapshot_info(snap)->complete;
    return snap;
}

/* One that lacks something, or that was taken while objects were being moved, is taken
 * again: the next moment is another one. */
static bool should_try_again(const struct collecting *c, const struct hd_snapshot *snap,
                             const struct hd_error *err)
{
    bool bad = snap == NULL ? err->topic == HD_ABOUT_COLLECTION : !c->collected.complete;
    return bad && c->takes < c->settings->tries && !c->stopped;
}

/* What `info` will say of the file. */
static void report_lacks(const struct collecting *c, struct hd_snapshot *snap)
{
    if (!c->settings->quiet)
        output_warnings_of(snap, c->settings->output);
}

static bool empty(FILE *core, struct hd_error *err)
{
    rewind(core);
    if (ftruncate(fileno(core), 0) == 0)
        return true;
    snprintf(err->message, sizeof(err->message), "cannot write: %s", strerror(errno));
    err->status = HD_IO;
    return false;
}

/* Others may read a core that heapdrift cannot, so it stays. */
static void report_unread(struct collecting *c, struct hd_error *err)
{
    c->unread = err->status == HD_UNSUPPORTED || err->status == HD_BAD_FORMAT ||
                err->status == HD_NOT_A_SNAPSHOT;
    c->unchecked = !c->unread;
    if (!c->unread && c->settings->quiet)
        return;
    advise(err);
    begin_message(c->unread ? NULL : "note", c->settings->output);
    fputs(c->unread ? ": written, but cannot be read back" : ": not checked", stderr);
    if (c->takes > 1)
        fprintf(stderr, " (%u attempts)", c->takes);
    fputs(": ", stderr);
    end_message(err->message);
}

static bool take_core(struct collecting *c, FILE *to, struct hd_error *err)
{
    struct hd_snapshot *snap = NULL;
    struct hd_error why;
    do {
        hd_snapshot_close(snap);
        why = (struct hd_error){0};
        if ((c->takes > 0 && !empty(to, err)) || !fill_core(c, to, err))
            return failed(c, err);
        c->takes++;
        snap = open_core(c, to, NULL, &why);
    } while (should_try_again(c, snap, &why));
    if (snap != NULL)
        report_lacks(c, snap);
    else
        report_unread(c, &why);
    hd_snapshot_close(snap);
    return true;
}

static bool copy_file(FILE *from, FILE *to)
{
    char block[1 << 16];
    size_t n = 1;
    rewind(from);
    while (n > 0 && (n = fread(block, 1, sizeof(block), from)) > 0)
        n = fwrite(block, 1, n, to) == n ? n : 0;
    return fflush(to) == 0 && !ferror(to) && !ferror(from);
}

/* A pipe can be neither read back nor emptied. */
static bool write_core(const void *thing, const struct settings *s, FILE *to,
                       struct hd_error *err)
{
    struct collecting *c = *(struct collecting *const *)thing;
    struct stat st;
    if (fstat(fileno(to), &st) == 0 && S_ISREG(st.st_mode))
        return take_core(c, to, err);
    FILE *core = temporary_nameless(s->output);
    if (core == NULL)
        return trouble(s->output, strerror(errno));
    bool ok = take_core(c, core, err);
    if (ok && !copy_file(core, to))
        ok = trouble(s->output, strerror(errno));
    fclose(core);
    return ok;
}

/* --- a snapshot of the memory ------------------------------------------------------ */

/* In memory, or where there is not so much and nobody said how much it may be, in a
 * nameless file. */
static FILE *take_memory(struct collecting *c, const struct settings *s,
                         struct hd_error *err)
{
    struct hd_error too_big = {0};
    FILE *core = nameless_in_memory();
    bool ok = core != NULL && copy_memory(c, core, &too_big);
    if (!ok && core != NULL && (too_big.status != HD_TOO_BIG || s->memory_given))
        *err = too_big;
    if (!ok && core != NULL)
        fclose(core);
    if (ok || err->status != HD_OK)
        return ok ? core : NULL;
    core = temporary_nameless(s->output);
    if (core == NULL) {
        blame_for(c, s->output, HD_IO, strerror(errno));
        return NULL;
    }
    if (copy_memory(c, core, err))
        return core;
    fclose(core);
    return NULL;
}

/* The core goes with it. */
static bool convert(struct collecting *c, FILE *core, struct hd_snapshot *snap,
                    const char *target, struct hd_sink to, struct hd_error *err)
{
    bool ok = snap != NULL;
    if (ok) {
        set_origin(snap, c);
        count(c, hd_snapshot_info(snap));
        report_lacks(c, snap);
        ok = hd_snapshot_write(snap, target, to, NULL, err);
    }
    hd_snapshot_close(snap);
    fclose(core);
    if (!ok)
        blame(c, c->settings->output, err);
    return ok;
}

static bool write_memory(struct collecting *c, const char *target, struct hd_sink to,
                         struct hd_error *err)
{
    for (;;) {
        struct hd_error why = {0};
        FILE *core = take_memory(c, c->settings, err);
        if (core == NULL)
            return err->status != HD_OK && failed(c, err);
        c->takes++;
        struct hd_snapshot *snap = open_core(c, core, target, &why);
        if (!should_try_again(c, snap, &why)) {
            *err = why;
            return convert(c, core, snap, target, to, err);
        }
        hd_snapshot_close(snap);
        fclose(core);
    }
}

static bool write_direct(const void *thing, const struct settings *s, FILE *to,
                         struct hd_error *err)
{
    (void)s;
    return write_memory(*(struct collecting *const *)thing, "gcdump", hd_sink_file(to),
                        err);
}

/* --- a digest ---------------------------------------------------------------------- */

/* The heap itself is on no disk on the way. */
static bool take_digest(struct collecting *c, struct hd_sink to, struct hd_error *err)
{
    const struct settings *s = c->settings;
    if (!s->direct) {
        FILE *trace = nameless_in_memory();
        return trace != NULL ? write_taken(c, trace, DIGEST, to, err)
                             : blame_for(c, s->output, HD_IO, strerror(errno));
    }
    return write_memory(c, DIGEST, to, err);
}

bool collect_digest(struct collecting *c, struct hd_memory *digest)
{
    struct hd_error err = {0};
    return take_digest(c, hd_sink_memory(digest), &err);
}

static bool write_digest(const void *thing, const struct settings *s, FILE *to,
                         struct hd_error *err)
{
    (void)s;
    return take_digest(*(struct collecting *const *)thing, hd_sink_file(to), err);
}

/* --- which ------------------------------------------------------------------------- */

bool collect_writes_core(const struct settings *s, const char *path)
{
    return s->core != CORE_NONE || output_ends_in(path, ".core") ||
           output_ends_in(path, ".dmp");
}

bool collect_can_retry(const struct settings *s)
{
    bool is_core = s->core != CORE_NONE ||
                   (s->target != NULL && strcmp(s->target, "core") == 0) ||
                   (s->output != NULL && collect_writes_core(s, s->output));
    return !s->tries_given || s->direct || is_core ||
           refuse("--tries is about --direct and core dumps: what a runtime loses on the "
                  "way it loses again");
}

struct output_how collect_writer(const struct settings *s, const char *path)
{
    struct output_how how = {.write = write_gcdump, .tells = true};
    how.is_private = collect_writes_core(s, path);
    if (how.is_private)
        how.write = write_core;
    else if (output_ends_in(path, ".digest"))
        how.write = write_digest;
    else if (s->direct)
        how.write = write_direct;
    else if (output_ends_in(path, ".nettrace"))
        how.write = write_trace;
    return how;
}
