/* How a snapshot gets from a process into a file. */
#include "collect/live/collector.h"

#include "cli/guard/memory.h"
#include "cli/guard/temporary.h"
#include "cli/terminal/clock.h"
#include "collect/live/anonymous_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The target of hd_snapshot_write() that a store takes. */
#define DIGEST "digest"

/* --- failures ---------------------------------------------------------------------- */

/* Reports an error to the user, or to the caller if it wants to. */
static bool collect_writers_blame(const struct collector *c, const char *name,
                                  const struct hd_error *err)
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

static bool blame_for(const struct collector *c, const char *name, enum hd_status status,
                      const char *what)
{
    struct hd_error err;
    set_error(&err, status, "%s", what);
    return collect_writers_blame(c, name, &err);
}

/* Prefixes file errors with the file name, and process errors with the process name if
 * there are several. */
static bool collect_writers_failed(const struct collector *c, const struct hd_error *err)
{
    const char *file = c->settings->output, *end = NULL;
    bool of_file = strncmp(err->message, "cannot write", strlen("cannot write")) == 0;
    char what[128];
    if (err->status == HD_CANCELLED && c->is_too_much)
        return blame_for(c, file, HD_TOO_BIG,
                         "its heap does not fit into the memory limit, see --memory; the "
                         "process continues, and nothing was stored");
    if (err->status == HD_CANCELLED && c->is_too_late)
        return blame_for(c, file, HD_TIMED_OUT,
                         "took too long; the process continues, and nothing was stored");
    if (err->status == HD_CANCELLED)
        return blame_for(c, c->who, HD_CANCELLED,
                         "stopped; the process continues, and nothing was written");
    if (of_file)
        return collect_writers_blame(c, file, err);
    end = collector_harm(&c->harm, err);
    if (end != NULL && c->who == NULL) {
        snprintf(what, sizeof(what), "process %" PRIu64 " %s", c->harm.pid, end);
        end = what;
    }
    /* A process removes its socket when it ends, unless it was killed. */
    if (end == NULL && c->who != NULL && hd_socket_is_gone(c->how.socket))
        end = "has exited";
    return end != NULL ? blame_for(c, c->who, HD_CLOSED, end)
                       : collect_writers_blame(c, c->who, err);
}

/* Erases the progress line; returns ok. */
static bool end_progress(const struct collector *c, bool ok)
{
    if (c->progress)
        fputs("\r\033[K", stderr);
    return ok;
}

static bool collect_writers_take(struct collector *c, FILE *to, struct hd_error *err)
{
    c->how.warm_up = c->gc_listener == NULL && !c->is_warm;
    c->harm = (struct harm){.pid = 0};
    /* If there are several processes, the last snapshot was another's. */
    if (c->who == NULL && c->collected.bytes > 0)
        c->how.expected_bytes = c->collected.bytes;
    return end_progress(c, hd_collect(to, &c->how, &c->collected, err));
}

/* Reports the longest stop of several tries. */
static bool copy_memory(struct collector *c, FILE *to, struct hd_error *err)
{
    uint64_t before = c->takes > 0 ? c->collected.paused_us : 0;
    bool ok = hd_collect_direct(to, &c->how, &c->collected, err);
    if (c->collected.paused_us < before)
        c->collected.paused_us = before;
    return end_progress(c, ok);
}

/* --- a snapshot of a process ------------------------------------------------------- */

/* Returns the rest; not 0, which means no limit. */
static uint64_t less_memory(uint64_t most, uint64_t used)
{
    return most > used ? most - used : 1;
}

/* Type information of the process, if its memory may be read. A snapshot without full names
 * is as good as those of other tools, so errors here never make it fail. */
struct full_names {
    FILE *core; /* or NULL */
    struct hd_error err;
    double seconds;
};

static struct full_names read_full_names(const struct collector *c)
{
    struct full_names names = {.core = anonymous_file_in_memory()};
    struct hd_collect_options how = c->how;
    double begin = seconds_now();
    /* A trace in memory and the snapshot each need this much. */
    if (c->most_bytes > 0)
        how.max_memory = less_memory(how.max_memory, 2 * c->collected.bytes);
    if (names.core != NULL && !hd_collect_types(names.core, &how, &names.err)) {
        fclose(names.core);
        names.core = NULL;
    }
    names.seconds = seconds_now() - begin;
    return names;
}

/* From its memory; a native AOT program also has them in its file, which more users may
 * read. */
static void add_full_names(const struct collector *c, struct hd_snapshot *snap,
                           struct full_names *names)
{
    char path[64];
    double begin = seconds_now();
    struct hd_symbols *symbols = NULL;
    bool ok =
        names->core != NULL && hd_snapshot_add_full_names(snap, names->core, &names->err);
    if (names->core != NULL)
        fclose(names->core);
    names->core = NULL;
    bool is_native = !ok && hd_snapshot_info(snap)->is_native_aot;
    FILE *program = is_native ? anonymous_file_in_memory() : NULL;
    if (program != NULL && hd_process_program(c->collected.pid, program, NULL)) {
        anonymous_file_path(program, path, sizeof(path));
        symbols = hd_symbols_open(path, NULL);
    }
    bool by_program = symbols != NULL && hd_snapshot_add_symbols(snap, symbols, NULL);
    hd_symbols_close(symbols);
    if (program != NULL)
        fclose(program);
    if (c->settings->verbose && (ok || by_program))
        put_message("note", c->settings->output,
                    "full names read from the %s of the process, in %.3f s",
                    ok ? "memory" : "program", names->seconds + seconds_now() - begin);
    else if (c->settings->verbose)
        put_message("note", c->settings->output, "no full type names: %s",
                    names->err.message);
}

/* Without a target it is looked at only. */
static struct hd_read_options how_to_read(const struct collector *c, const char *target)
{
    struct hd_read_options how = c->settings->read;
    if (c->most_bytes > 0)
        how.max_memory = less_memory(how.max_memory, c->most_bytes);
    how.checksum = target != NULL && strcmp(target, DIGEST) == 0;
    how.to_write = target != NULL && !how.checksum;
    how.reach_later = !how.checksum;
    how.plain_names = true; /* as any other gcdump has them */
    /* With --all, threads is the number of concurrent processes. */
    bool one_each = c->options->all && c->options->threads_given;
    how.threads = one_each ? 1 : c->settings->threads;
    return how;
}

/* Writes the snapshot in the target format, and closes it; NULL: the error is in err. */
static bool write_snapshot(const struct collector *c, struct hd_snapshot *snap,
                           const char *target, struct hd_sink to, struct hd_error *err)
{
    const char *excuse = snap == NULL ? anonymous_file_excuse() : NULL;
    bool ok = snap != NULL && hd_snapshot_write(snap, target, to, NULL, err);
    if (excuse != NULL)
        snprintf(err->message, sizeof(err->message),
                 "a gcdump needs %s; write a trace instead (.nettrace)", excuse);
    if (!ok)
        collect_writers_blame(c, c->settings->output, err);
    hd_snapshot_close(snap);
    return ok;
}

/* A child that gave up its rights cannot ask a container for its name. */
static void set_origin(struct hd_snapshot *snap, const struct collector *c)
{
    struct hd_origin origin = c->collected.origin;
    if (c->host != NULL && c->host[0] != '\0')
        snprintf(origin.host, sizeof(origin.host), "%s", c->host);
    hd_snapshot_set_origin(snap, &origin);
}

/* --- a snapshot of a trace --------------------------------------------------------- */

/* Reports that survivors are unknown, which a report does not need. The reason is usually
 * permanent, so it is reported once. */
static void report_unfollowed(struct collector *c, const struct hd_error *why)
{
    if (c->settings->quiet || (c->unfollowed_reported && !c->settings->verbose))
        return;
    c->unfollowed_reported = true;
    put_message("note", c->label != NULL ? c->label : c->settings->output,
                "which objects survived is not known exactly: %s", why->message);
}

/* Says once that names of methods are missing: samples wait for them, so a later snapshot
 * may have all. */
static void report_unnamed(struct collector *c)
{
    const struct hd_error *why = hd_gc_listener_sites_error(c->gc_listener);
    if (why->status == HD_OK || c->settings->quiet || c->unnamed_reported)
        return;
    c->unnamed_reported = true;
    put_message("note", c->label != NULL ? c->label : c->settings->output,
                "which code allocated is not known: %s", why->message);
}

/* With -v, a line about what the process did since the snapshot before. */
static void report_activity(struct collector *c)
{
    const struct hd_activity *a = hd_gc_listener_activity(c->gc_listener);
    const uint32_t *n = a->collections;
    const char *between = ": ";
    if (!c->settings->verbose || a->seconds <= 0)
        return;
    begin_message("note", c->label != NULL ? c->label : c->settings->output);
    fputs(": since the snapshot before, ", stderr);
    if (a->allocated != HD_UNKNOWN)
        fprintf(stderr, "%.2f MiB/s allocated",
                (double)a->allocated / 1048576 / a->seconds);
    for (size_t i = 0; i < a->site_count; i++, between = ", ") {
        fprintf(stderr, "%s%.0f %% ", between, 100 * a->sites[i].share);
        put_name(a->sites[i].method != NULL ? a->sites[i].method
                                            : "(framework and packages)");
    }
    fprintf(stderr,
            "%s%" PRIu32 " gen0, %" PRIu32 " gen1, %" PRIu32
            " gen2 collections, stopped for %.1f %% of the time\n",
            a->allocated != HD_UNKNOWN ? "; " : "", n[0], n[1], n[2],
            100 * a->collecting / a->seconds);
}

static void follow(struct collector *c, struct hd_snapshot *snap)
{
    struct hd_error why = {0};
    if (c->gc_listener == NULL)
        return;
    if (!hd_gc_listener_snapshot(c->gc_listener, snap, &why))
        report_unfollowed(c, &why);
    report_unnamed(c);
    report_activity(c);
}

/* Reads the trace while it arrives, and the rest while names are read, if requested. taken:
 * false without a trace, after an error of the process that was already reported. NULL and
 * err: reading failed. */
static struct hd_snapshot *read_along(struct collector *c, FILE *trace, const char *target,
                                      struct full_names *names, bool *taken,
                                      struct hd_error *err)
{
    const struct hd_read_options how = how_to_read(c, target);
    if (c->gc_listener != NULL)
        hd_gc_listener_before(c->gc_listener, &c->how);
    /* A stream without a buffer: what was written can be read. */
    setvbuf(trace, NULL, _IONBF, 0);
    c->reading = hd_reading_begin(trace, &how);
    *taken = collect_writers_take(c, trace, err) || collect_writers_failed(c, err);
    if (*taken && c->gc_listener != NULL)
        hd_gc_listener_after(c->gc_listener);
    if (*taken) {
        hd_reading_arrived(c->reading, c->collected.bytes);
        hd_reading_end(c->reading);
        if (names != NULL)
            *names = read_full_names(c);
        /* Following the collector redraws the progress line. */
        end_progress(c, true);
    }
    struct hd_snapshot *snap = hd_reading_snapshot(c->reading, err);
    c->reading = NULL;
    if (snap != NULL)
        set_origin(snap, c);
    return snap;
}

/* Closes the trace. A trace in memory gets half of the memory, the snapshot the other half:
 * they need the same per object, whatever size the process reports. */
static bool write_taken(struct collector *c, FILE *trace, const char *target,
                        struct hd_sink to, struct hd_error *err)
{
    struct full_names names = {.core = NULL};
    uint64_t most = c->settings->read.max_memory, bytes;
    bool taken, takes_memory = anonymous_file_is_in_memory(trace, &bytes);
    c->most_bytes = most > 1 && takes_memory ? most / 2 : 0;
    struct hd_snapshot *snap = read_along(c, trace, target, &names, &taken, err);
    if (snap != NULL) {
        add_full_names(c, snap, &names);
        follow(c, snap);
        hd_snapshot_set_ages(snap, c->ages);
    }
    if (names.core != NULL)
        fclose(names.core);
    bool ok = taken && write_snapshot(c, snap, target, to, err);
    fclose(trace);
    return ok;
}

/* --- a trace ----------------------------------------------------------------------- */

/* A series is parsed too, to follow its objects; errors in that do not make it fail.
 * Appends the survivor data to the trace. */
static bool write_trace(const void *thing, const struct settings *s, FILE *to,
                        struct hd_error *err)
{
    struct collector *c = *(struct collector *const *)thing;
    struct hd_error why = {0};
    struct stat st;
    bool taken;
    (void)s;
    bool is_file = fstat(fileno(to), &st) == 0 && S_ISREG(st.st_mode);
    if (c->gc_listener == NULL || !is_file) {
        taken = collect_writers_take(c, to, err) || collect_writers_failed(c, err);
        if (taken && is_file) /* without it the trace is as good as those of other tools */
            hd_gc_listener_write(to, NULL, &c->collected.origin, NULL);
        return taken;
    }
    struct hd_snapshot *snap = read_along(c, to, NULL, NULL, &taken, &why);
    if (snap != NULL)
        follow(c, snap);
    bool kept = snap != NULL && hd_gc_listener_write(to, snap, &c->collected.origin, &why);
    hd_snapshot_close(snap);
    if (taken && !kept)
        report_unfollowed(c, &why);
    return taken;
}

/* --- a core ------------------------------------------------------------------------ */

/* Opens the core, which shows whether it is complete. NULL and err if it is unreadable. */
static struct hd_snapshot *open_core(struct collector *c, FILE *core, const char *target,
                                     struct hd_error *err)
{
    char path[64];
    struct hd_read_options how = how_to_read(c, target);
    uint64_t bytes;
    if (c->settings->memory_given && anonymous_file_is_in_memory(core, &bytes))
        how.max_memory = less_memory(how.max_memory, bytes);
    anonymous_file_path(core, path, sizeof(path));
    struct hd_snapshot *snap = hd_snapshot_open(path, &how, err);
    c->collected.complete = snap != NULL && hd_snapshot_info(snap)->complete;
    return snap;
}

/* One that lacks something, or that was taken while objects were being moved, is taken
 * again: the next moment is another one. */
static bool should_try_again(const struct collector *c, const struct hd_snapshot *snap,
                             const struct hd_error *err)
{
    bool bad = snap == NULL ? err->topic == HD_ABOUT_COLLECTION : !c->collected.complete;
    return bad && c->takes < c->options->tries && !c->stopped;
}

/* Others may read a core that heapdrift cannot, so it stays. */
static void report_unread(struct collector *c, struct hd_error *err)
{
    c->unread = err->status == HD_UNSUPPORTED || err->status == HD_BAD_FORMAT ||
                err->status == HD_NOT_A_SNAPSHOT;
    c->unchecked = !c->unread;
    if (!c->unread && c->settings->quiet)
        return;
    if (anonymous_file_excuse() != NULL)
        snprintf(err->message, sizeof(err->message), "reading it needs %s",
                 anonymous_file_excuse());
    advise(err);
    begin_message(c->unread ? NULL : "note", c->settings->output);
    fputs(c->unread ? ": written, but cannot be read back" : ": not checked", stderr);
    if (c->takes > 1)
        fprintf(stderr, " (%u attempts)", c->takes);
    fputs(": ", stderr);
    end_message(err->message);
}

static bool take_core(struct collector *c, FILE *to, struct hd_error *err)
{
    enum hd_core_kind kind = c->options->core == CORE_FULL ? HD_CORE_FULL : HD_CORE_HEAP;
    struct hd_snapshot *snap = NULL;
    struct hd_error why;
    do {
        hd_snapshot_close(snap);
        why = (struct hd_error){0};
        rewind(to);
        if (c->takes > 0 && ftruncate(fileno(to), 0) != 0) {
            set_error(err, HD_IO, "cannot write: %s", strerror(errno));
            return collect_writers_failed(c, err);
        }
        if (!(c->options->direct ? copy_memory(c, to, err)
                                 : end_progress(c, hd_collect_core(to, kind, &c->how,
                                                                   &c->collected, err))))
            return collect_writers_failed(c, err);
        c->takes++;
        snap = open_core(c, to, NULL, &why);
    } while (should_try_again(c, snap, &why));
    /* The warnings of `info` about the file. */
    if (snap != NULL && !c->settings->quiet)
        output_warnings_of(snap, c->settings->output);
    else if (snap == NULL)
        report_unread(c, &why);
    hd_snapshot_close(snap);
    return true;
}

/* A pipe can be neither read back nor truncated. */
static bool write_core(const void *thing, const struct settings *s, FILE *to,
                       struct hd_error *err)
{
    struct collector *c = *(struct collector *const *)thing;
    struct stat st;
    char block[1 << 16];
    size_t n = 1;
    if (fstat(fileno(to), &st) == 0 && S_ISREG(st.st_mode))
        return take_core(c, to, err);
    FILE *core = temporary_anonymous(s->output);
    if (core == NULL)
        return trouble(s->output, strerror(errno));
    bool ok = take_core(c, core, err);
    rewind(core);
    while (ok && n > 0 && (n = fread(block, 1, sizeof(block), core)) > 0)
        n = fwrite(block, 1, n, to) == n ? n : 0;
    if (ok && (fflush(to) != 0 || ferror(to) || ferror(core)))
        ok = trouble(s->output, strerror(errno));
    fclose(core);
    return ok;
}

/* --- a snapshot of the memory ------------------------------------------------------ */

/* Copies to memory or, if that is insufficient and its limit is not set, to an anonymous
 * file. NULL after printing the error. */
static FILE *take_memory(struct collector *c, struct hd_error *err)
{
    const char *name = c->settings->output;
    struct hd_error too_big = {0};
    FILE *core = anonymous_file_in_memory();
    if (core != NULL && copy_memory(c, core, &too_big))
        return core;
    if (core != NULL)
        fclose(core);
    if (core != NULL && (too_big.status != HD_TOO_BIG || c->settings->memory_given)) {
        *err = too_big;
        collect_writers_failed(c, err);
        return NULL;
    }
    core = temporary_anonymous(name);
    if (core == NULL) {
        blame_for(c, name, HD_IO, strerror(errno));
        return NULL;
    }
    if (copy_memory(c, core, err))
        return core;
    collect_writers_failed(c, err);
    fclose(core);
    return NULL;
}

/* Counts the objects when the core is read; without garbage. */
static bool write_memory(struct collector *c, const char *target, struct hd_sink to,
                         struct hd_error *err)
{
    struct hd_snapshot *snap = NULL;
    FILE *core = NULL;
    do {
        hd_snapshot_close(snap);
        if (core != NULL)
            fclose(core);
        *err = (struct hd_error){0};
        core = take_memory(c, err);
        if (core == NULL)
            return false;
        c->takes++;
        snap = open_core(c, core, target, err);
    } while (should_try_again(c, snap, err));
    if (snap != NULL) {
        const struct hd_info *info = hd_snapshot_info(snap);
        set_origin(snap, c);
        c->collected.objects =
            info->holds_garbage ? info->reachable_objects : info->objects;
        c->collected.object_bytes =
            info->holds_garbage ? info->reachable_bytes : info->bytes;
        if (!c->settings->quiet)
            output_warnings_of(snap, c->settings->output);
    }
    bool ok = write_snapshot(c, snap, target, to, err);
    fclose(core);
    return ok;
}

/* --- as a gcdump, as a digest ------------------------------------------------------ */

/* With a digest the heap itself is never on a disk. */
static bool write_as(struct collector *c, const char *target, struct hd_sink to,
                     struct hd_error *err)
{
    const char *name = c->settings->output;
    if (c->options->direct)
        return write_memory(c, target, to, err);
    bool is_digest = strcmp(target, DIGEST) == 0;
    FILE *trace = is_digest ? anonymous_file_in_memory() : temporary_anonymous(name);
    return trace != NULL ? write_taken(c, trace, target, to, err)
                         : blame_for(c, name, HD_IO, strerror(errno));
}

bool collect_digest(struct collector *c, struct hd_memory *digest)
{
    struct hd_error err = {0};
    return write_as(c, DIGEST, hd_sink_memory(digest), &err);
}

static bool write_result(const void *thing, const struct settings *s, FILE *to,
                         struct hd_error *err)
{
    const char *target = output_ends_in(s->output, ".digest") ? DIGEST : "gcdump";
    return write_as(*(struct collector *const *)thing, target, hd_sink_file(to), err);
}

/* --- which ------------------------------------------------------------------------- */

bool collect_writes_core(const struct settings *s, const char *path)
{
    const struct collect_options *o = s->own;
    return o->core != CORE_NONE || output_ends_in(path, ".core") ||
           output_ends_in(path, ".dmp");
}

bool collect_can_retry(const struct settings *s)
{
    const struct collect_options *o = s->own;
    bool is_core = o->core != CORE_NONE ||
                   (o->target != NULL && strcmp(o->target, "core") == 0) ||
                   (s->output != NULL && collect_writes_core(s, s->output));
    return !o->tries_given || o->direct || is_core ||
           refuse("--tries works with --direct and --core only: events that the runtime "
                  "drops would be dropped again");
}

struct output_how collect_writer(const struct settings *s, const char *path)
{
    const struct collect_options *o = s->own;
    bool is_core = collect_writes_core(s, path);
    bool is_trace = !is_core && !o->direct && output_ends_in(path, ".nettrace");
    return (struct output_how){.write = is_core    ? write_core
                                        : is_trace ? write_trace
                                                   : write_result,
                               .tells = true,
                               .is_private = is_core};
}
