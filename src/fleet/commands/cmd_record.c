/* Stores snapshots one after the other: each is opened, converted to a digest, stored and
 * closed before the next, so that a thousand need no more memory than one. */
#include "cli/commands/answer.h"
#include "cli/commands/json.h"
#include "cli/guard/allocate.h"
#include "cli/guard/sandbox.h"
#include "cli/guard/trust.h"
#include "cli/options/options.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"
#include "cli/terminal/progress.h"
#include "collect/live/children.h"
#include "fleet/agent/agent.h"
#include "fleet/agent/stored_run.h"
#include "heapdrift_store.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- output of record ---------------------------------------------------------
 *
 * Standard output of `record`: a line per snapshot immediately after it is stored, or one
 * JSON document at the end (docs/json-schema/heapdrift-record.json). */

struct record_output {
    json_t *snapshots, *thinned; /* NULL: text */
};

/* --- text ------------------------------------------------------------ */

static void put(struct hd_sink to, const char *s)
{
    to.write(to.context, s, strlen(s));
}

static double taken_of(const struct hd_snapshot *snap, const struct hd_recording *how)
{
    return how->taken > 0 ? how->taken : hd_time_taken(snap);
}

static const char *service_of(struct hd_snapshot *snap, const struct hd_recording *how)
{
    return how->run->service != NULL ? how->run->service : hd_run_of(snap).service;
}

/* With a single write, so that a killed process leaves no partial line. */
static void print_line(const char *path, struct hd_snapshot *snap,
                       const struct hd_recording *how, enum hd_recorded what)
{
    struct hd_memory line = {0};
    struct hd_sink to = hd_sink_memory(&line);
    hd_put_name(to, input_name(path));
    put(to, what == HD_RECORDED ? ": recorded: " : ": already recorded");
    if (what == HD_RECORDED) {
        char when[CLOCK_TEXT];
        hd_put_name(to, service_of(snap, how));
        if (how->run->build != NULL) {
            put(to, " ");
            hd_put_name(to, how->run->build);
        }
        if (how->run->host != NULL) {
            put(to, " on ");
            hd_put_name(to, how->run->host);
        }
        clock_text(taken_of(snap, how), when);
        put(to, ", ");
        put(to, when);
    }
    put(to, "\n");
    fwrite(line.bytes, 1, line.size, stdout);
    fflush(stdout);
    hd_memory_free(&line);
}

/* --- JSON ------------------------------------------------------------ */

/* snap NULL: it failed. */
static void add_to_document(struct record_output *t, const char *path,
                            struct hd_snapshot *snap, const struct hd_recording *how,
                            const char *result, const struct hd_error *err)
{
    static const char *const facts[] = {"service", "host",    "build", "pid",
                                        "taken",   "objects", "bytes"};
    json_t *o = json_made(json_object());
    json_member(o, "path", json_of_string(path));
    json_member(o, "result", json_string(result));
    for (size_t i = 0; snap == NULL && i < sizeof(facts) / sizeof(*facts); i++)
        json_member(o, facts[i], json_null());
    if (snap != NULL) {
        const struct hd_info *info = hd_snapshot_info(snap);
        char when[CLOCK_TEXT];
        clock_text(taken_of(snap, how), when);
        json_member(o, "service", json_of_string(service_of(snap, how)));
        json_member(o, "host", json_of_string(how->run->host));
        json_member(o, "build", json_of_string(how->run->build));
        json_member(o, "pid",
                    json_of_count(how->run->pid != HD_UNKNOWN ? how->run->pid : info->pid));
        json_member(o, "taken", json_string(when));
        json_member(o, "objects", json_of_count(info->objects));
        json_member(o, "bytes", json_of_count(info->bytes));
    }
    json_member(o, "error", json_of_string(err != NULL ? err->message : NULL));
    json_add(t->snapshots, o);
}

/* --- recording ------------------------------------------------------------------- */

/* Its own options begin with the names of a run, as those of a collected one. */
struct record_options {
    struct collect_options collect;
    bool follow;
};

struct recorder {
    struct settings *settings;
    double keep_seconds; /* from its options; 0: no thinning */
    struct hd_store *store;
    struct hd_inputs inputs;
    struct hd_ages *ages; /* of consecutive snapshots of a series */
    bool *skipped;        /* per input, as far as known: hd_inputs_claim() */
    struct progress *progress;
    struct record_output output;
    size_t failed, skips, left; /* left: not processed, since the store is lost */
    const char *problem;        /* with the environment, reported once */
    const char *opened;         /* path for opening the only input; NULL: its own */
    bool store_failed;          /* the store, and not the snapshot, is to blame */
    bool is_reported;           /* already reported */
    bool file_is_reported;      /* a problem with the file was reported */
};

/* --- a snapshot ------------------------------------------------------ */

static double seconds_of(struct timespec t)
{
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns the modification time of the file, if the snapshot has no time: copies with times
 * (cp -p, rsync, tar) keep it. */
static double time_of_file(const char *path)
{
    struct stat st;
    char file[4096];
    const char *mark = strrchr(path, '#');
    if (strcmp(path, "-") == 0)
        return seconds_utc();
    if (stat(path, &st) == 0)
        return seconds_of(st.st_mtim);
    int len =
        mark != NULL ? snprintf(file, sizeof(file), "%.*s", (int)(mark - path), path) : 0;
    return len > 0 && len < (int)sizeof(file) && stat(file, &st) == 0
               ? seconds_of(st.st_mtim)
               : NAN;
}

static bool record(struct recorder *r, const char *path, struct hd_snapshot *snap,
                   struct hd_error *err)
{
    struct run_facts facts;
    enum hd_recorded what;
    run_facts_of_snapshot(&facts, r->settings, snap);
    struct hd_recording how = {.size = sizeof(how), .run = &facts.run};
    hd_snapshot_set_ages(snap, r->ages);
    bool is_timeless = !isfinite(hd_time_taken(snap));
    if (is_timeless)
        how.taken = time_of_file(r->opened != NULL ? r->opened : path);
    bool ok = hd_store_record(r->store, snap, &how, &what, err);
    r->store_failed |= !ok && !store_error_is_permanent(err);
    progress_hide(r->progress);
    if (ok) {
        if (facts.problem != NULL && r->problem == NULL && !r->settings->quiet) {
            r->problem = facts.problem;
            fprintf(stderr, "heapdrift: note: %s\n", facts.problem);
        }
        if (is_timeless && what == HD_RECORDED && !r->settings->quiet) {
            begin_message("note", input_name(path));
            end_message(strcmp(path, "-") == 0
                            ? ": has no timestamp; using the current time"
                            : ": has no timestamp; using the file's");
        }
        if (r->output.snapshots == NULL)
            print_line(path, snap, &how, what);
        else
            add_to_document(&r->output, path, snap, &how,
                            what == HD_RECORDED ? "recorded" : "already-recorded", NULL);
    }
    run_facts_free(&facts);
    return ok;
}

static void fail_with(struct recorder *r, const char *path, const struct hd_error *err)
{
    progress_hide(r->progress);
    r->failed++;
    if (r->store_failed ? !r->is_reported : !r->file_is_reported)
        print_error(path, err);
    if (r->output.snapshots != NULL)
        add_to_document(&r->output, path, NULL, NULL, "failed", err);
}

static void record_input(struct recorder *r, size_t i)
{
    struct hd_input *input = &r->inputs.all[i];
    struct hd_read_options how = r->settings->read;
    struct hd_error err = input->error;
    const char *path = r->opened != NULL ? r->opened : input->path;
    how.zip = input->zip;
    how.checksum = true;
    how.plain_names = true; /* so that all of a store line up */
    how.threads = r->settings->threads;
    how.progress = progress_report;
    how.progress_context = r->progress;
    struct hd_snapshot *snap =
        err.status == HD_OK ? hd_snapshot_open(path, &how, &err) : NULL;
    r->skipped[i] = snap == NULL && input->from_folder &&
                    (err.status == HD_NOT_A_SNAPSHOT || err.status == HD_UNSUPPORTED);
    if (r->skipped[i])
        input->error = err;
    else if (snap == NULL || !record(r, input->path, snap, &err))
        fail_with(r, input->path, &err);
    hd_snapshot_close(snap);
}

/* Which files may be skipped shows when all others are known. */
static void record_settle(struct recorder *r, size_t count)
{
    bool *before = zeroed(count, sizeof(*before));
    memcpy(before, r->skipped, count * sizeof(*before));
    hd_inputs_claim(r->inputs.all, count, r->skipped);
    for (size_t i = 0; i < count; i++) {
        const struct hd_input *input = &r->inputs.all[i];
        if (before[i] && !r->skipped[i])
            fail_with(r, input->path, &input->error);
        if (!r->skipped[i])
            continue;
        progress_hide(r->progress);
        r->skips++;
        if (r->settings->quiet)
            continue;
        begin_message("note", input_name(input->path));
        fputs(": skipped: ", stderr);
        end_message(input->error.message);
    }
    free(before);
}

static void record_inputs(struct recorder *r)
{
    r->skipped = zeroed(r->inputs.count, sizeof(*r->skipped));
    for (size_t i = 0; i < r->inputs.count; i++) {
        progress_files(r->progress, r->inputs.count, 0);
        progress_file(r->progress, i + 1, r->inputs.all[i].path);
        record_input(r, i);
        if (hd_store_is_lost(r->store)) {
            r->left = r->inputs.count - i - 1;
            break;
        }
    }
    progress_hide(r->progress);
    record_settle(r, r->inputs.count - r->left);
    free(r->skipped);
    if (r->left > 0)
        fprintf(stderr, "heapdrift: %zu more %s not processed\n", r->left,
                r->left == 1 ? "file was" : "files were");
}

/* --- the rest -------------------------------------------------------- */

static bool thin(struct recorder *r)
{
    struct hd_thinned done;
    struct hd_error err = {0};
    if (r->keep_seconds <= 0 || hd_store_is_lost(r->store))
        return true;
    if (!hd_store_thin(r->store, r->keep_seconds, (double)time(NULL), &done, &err)) {
        store_trouble(store_url(r->settings), &err);
        return false;
    }
    if (r->output.snapshots == NULL) {
        printf("thinned out: %" PRIu64 " snapshot%s and %" PRIu64
               " series deleted, %" PRIu64 " snapshot%s kept\n",
               done.snapshots, done.snapshots == 1 ? "" : "s", done.series, done.left,
               done.left == 1 ? " is" : "s are");
        return true;
    }
    r->output.thinned = json_made(json_object());
    json_member(r->output.thinned, "snapshots", json_of_count(done.snapshots));
    json_member(r->output.thinned, "series", json_of_count(done.series));
    json_member(r->output.thinned, "left", json_of_count(done.left));
    return true;
}

/* found: the name of the only operand, if that was found in a folder. */
static int record_operands(struct recorder *r, const char *found)
{
    struct settings *s = r->settings;
    if (!sandbox_enter_with_store(&s->sandbox, hd_store_file(r->store)) ||
        !load_symbols(s)) {
        hd_store_close(r->store);
        return EXIT_TROUBLE;
    }
    for (size_t i = 0; i < s->operand_count; i++)
        hd_inputs_add(&r->inputs, s->operands[i], NULL);
    if (found != NULL) {
        r->inputs.all[0].from_folder = true;
        r->inputs.all[0].path = found;
    }
    if (strcmp(s->format, "json") == 0)
        r->output.snapshots = json_made(json_array());
    r->progress = progress_start(!s->no_progress && !s->quiet);
    r->ages = hd_ages_begin();
    record_inputs(r);
    hd_ages_end(r->ages);
    progress_stop(r->progress);
    bool thinned = thin(r);
    if (r->output.snapshots != NULL) {
        json_t *all = json_document("heapdrift-record", hd_store_name(r->store));
        json_member(all, "snapshots", r->output.snapshots);
        json_member(all, "thinned",
                    r->output.thinned != NULL ? r->output.thinned : json_null());
        json_end(all);
    }
    hd_inputs_free(&r->inputs);
    hd_store_close(r->store);
    return r->failed + r->left == 0 && thinned ? EXIT_DONE : EXIT_TROUBLE;
}

/* --- what appears in folders ---------------------------------------------------------
 *
 * Each file that appears is recorded by a process of its own, with the rights to that file
 * and the store only, so that one that is too large for this machine, or that crashes a
 * reader, costs itself. */

enum { RECORD_NOT_NOW = 64 }; /* an exit status: the store is to blame, which may pass */

/* Runs in a child per file: records it, or thins the store if path is NULL. Opens it by the
 * other name. Problems already reported for the file or store are not repeated. */
static int record_apart(const struct settings *s, const char *path, const char *opened,
                        bool file_is_reported, bool store_is_reported)
{
    struct settings one = *s;
    const struct record_options *own = s->own;
    struct recorder r = {.settings = &one,
                         .keep_seconds = path == NULL ? own->collect.keep_seconds : 0,
                         .opened = opened,
                         .is_reported = store_is_reported,
                         .file_is_reported = file_is_reported};
    struct hd_error err = {0};
    one.operands = &opened;
    one.operand_count = path != NULL;
    one.sandbox.inputs = one.operands;
    one.sandbox.input_count = one.operand_count;
    one.quiet |= file_is_reported;
    one.no_progress = true;
    r.store = open_trusted_store(store_url(&one), HD_STORE_WRITE, &err);
    if (r.store == NULL && !r.is_reported)
        store_trouble(store_url(&one), &err);
    if (r.store == NULL)
        return RECORD_NOT_NOW;
    int status = record_operands(&r, path);
    return r.store_failed || r.left > 0 ? RECORD_NOT_NOW
           : r.skips > 0                ? EXIT_TROUBLE
                                        : status;
}

struct following_records {
    const struct settings *settings;
    struct collector signals;
    bool store_is_away; /* already reported */
    double thinned;     /* time of the last thinning; 0: never */
};

/* The first signal waits for the file in hand, a second one does not. */
static int exit_of(struct following_records *f, pid_t child)
{
    enum { TICK_MS = 20 };
    int how = 0;
    pid_t ended;
    while ((ended = waitpid(child, &how, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        collector_is_stopped(&f->signals, TICK_MS);
        if (f->signals.signalled > 1)
            kill(child, SIGKILL);
    }
    return how;
}

static enum followed take_apart(void *context, const char *path, const char *opened,
                                bool is_reported)
{
    struct following_records *f = context;
    fflush(NULL);
    pid_t child = child_begin(path);
    if (child == 0)
        _exit(record_apart(f->settings, path, opened, is_reported, f->store_is_away));
    int how = child > 0 ? exit_of(f, child) : 0;
    if (child < 0 || (WIFEXITED(how) && WEXITSTATUS(how) == RECORD_NOT_NOW)) {
        f->store_is_away |= child > 0;
        return FOLLOWED_NOT_NOW;
    }
    f->store_is_away = false;
    if (WIFSIGNALED(how) && f->signals.signalled < 2 && path != NULL) {
        begin_message(NULL, path);
        fprintf(stderr, ": reading it was ended by signal %d%s; not trying again",
                WTERMSIG(how), WTERMSIG(how) == SIGKILL ? ": possibly out of memory" : "");
    }
    return WIFEXITED(how) && WEXITSTATUS(how) == EXIT_DONE ? FOLLOWED : FOLLOWED_FAILED;
}

static void thin_at_times(void *context)
{
    struct following_records *f = context;
    const struct record_options *own = f->settings->own;
    const double day = 86400, now = seconds_now();
    if (own->collect.keep_seconds <= 0 || (f->thinned > 0 && now - f->thinned < day))
        return;
    if (take_apart(f, NULL, NULL, false) != FOLLOWED_NOT_NOW)
        f->thinned = now;
}

static int record_follow(const struct settings *s)
{
    struct following_records f = {.settings = s, .signals = {.signals = -1}};
    struct follow_how how = {.folders = s->operands,
                             .count = s->operand_count,
                             .quiet = s->quiet,
                             .take = take_apart,
                             .rest = thin_at_times,
                             .context = &f};
    struct settings named = *s;
    bool is_away = false;
    named.store = store_url(s);
    struct store_queue q = store_writer_begin(&named);
    /* Initial problems with the store are permanent. */
    if ((!store_writer_probe(&q, &is_away) && !is_away) || !collector_begin(&f.signals, s))
        return EXIT_TROUBLE;
    follow_folders(&how, &f.signals);
    collector_end(&f.signals);
    return EXIT_DONE;
}

/* --- the command --------------------------------------------------------------------- */

static bool can_follow(const struct settings *s)
{
    struct stat st;
    if (strcmp(s->format, "text") != 0)
        return refuse("--follow does not end, so it cannot be combined with --format=json");
    if (s->operand_count == 0)
        return refuse("--follow needs a folder: heapdrift record --follow DIR...");
    for (size_t i = 0; i < s->operand_count; i++)
        if (strcmp(s->operands[i], "-") == 0 ||
            (stat(s->operands[i], &st) == 0 && !S_ISDIR(st.st_mode)))
            return trouble(s->operands[i], "--follow needs folders");
        else if (!trust_check(s->operands[i], TRUST_LINKS))
            return false;
    return true;
}

static int record_run(struct settings *s)
{
    const struct record_options *own = s->own;
    struct recorder r = {.settings = s, .keep_seconds = own->collect.keep_seconds};
    size_t pipes = 0;
    for (size_t i = 0; i < s->operand_count; i++)
        pipes += strcmp(s->operands[i], "-") == 0;
    if (strcmp(s->format, "text") != 0 && strcmp(s->format, "json") != 0)
        fprintf(stderr, "heapdrift: --format=%s: record prints text or json\n", s->format);
    else if (own->follow)
        return can_follow(s) ? record_follow(s) : EXIT_TROUBLE;
    else if (s->operand_count == 0 && r.keep_seconds <= 0)
        refuse("record needs a snapshot: heapdrift record SNAPSHOT...");
    else if (pipes > 1)
        refuse("standard input can be given only once");
    else if ((r.store = open_store(s, HD_STORE_WRITE)) != NULL)
        return record_operands(&r, NULL);
    return EXIT_TROUBLE;
}

OPTIONS_OF(struct record_options);

static const struct option options[] = {
    {"format", 0, GROUP_OUTPUT, ON_RECORD, TEXT(FORMAT, s.format),
     .words = WORDS("text", "json"), .help = "text (default) or json"},
    {"follow", 0, GROUP_STORE, ON_RECORD, FLAG(own.follow),
     .help = "record new files in folders, until SIGTERM"},
    {.more = collect_rows}};

const struct command cmd_record = {
    .name = "record",
    .bit = ON_RECORD,
    .purpose = FOR_FLEETS,
    .operands = "SNAPSHOT...",
    .summary = "store snapshots for months",
    .description =
        "Reduce snapshots to digests and store them, each completely or not at all. "
        "Recording\n"
        "a snapshot again changes nothing. The store is an SQLite file or a PostgreSQL\n"
        "database, whose tables can be queried with SQL. --keep without snapshots only "
        "thins\n"
        "out. Keep passwords in PGPASSFILE, not in the URL.",
    .examples =
        {
            {"heapdrift record --build=4.2 app.gcdump", "to heapdrift.db"},
            {"heapdrift record --keep=90d dumps/", "a folder, then thin out"},
            {"heapdrift record --follow /egress", "snapshots by dotnet-monitor"},
            {"heapdrift record --store=postgresql://heap@db/heap a.gcdump",
             "password in PGPASSFILE"},
        },
    .options = options,
    .own_size = sizeof(struct record_options),
    .run = record_run,
};
