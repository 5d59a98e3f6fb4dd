/* Snapshots into a store, one after the other: each is opened, made a digest, stored and
 * closed before the next, so that a thousand of them take no more memory than one. */
#include "cli/commands/json.h"
#include "cli/commands/load.h"
#include "cli/commands/record_follow.h"
#include "cli/guard/allocate.h"
#include "cli/guard/sandbox.h"
#include "cli/guard/trust.h"
#include "cli/live/open_store.h"
#include "cli/live/run_facts.h"
#include "cli/live/storing.h"
#include "cli/options/options.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"
#include "cli/terminal/progress.h"
#include "heapdrift_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* --- what record says --------------------------------------------------------
 *
 * What `record` says on standard output: a line per snapshot as soon as
 * it is stored, or one JSON document at the end (docs/json-schema/heapdrift-record.json).
 */

/* {0} is text. */
struct record_output {
    bool is_json;
    struct record_output_list *list;
};

struct record_output_list {
    json_t *snapshots, *thinned;
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

static void put_facts(struct hd_sink to, struct hd_snapshot *snap,
                      const struct hd_recording *how)
{
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

/* In one piece, at once: who is killed next leaves no half of it. */
static void print_line(const char *path, struct hd_snapshot *snap,
                       const struct hd_recording *how, enum hd_recorded what)
{
    struct hd_memory line = {0};
    struct hd_sink to = hd_sink_memory(&line);
    hd_put_name(to, input_name(path));
    put(to, what == HD_RECORDED ? ": recorded: " : ": already recorded");
    if (what == HD_RECORDED)
        put_facts(to, snap, how);
    put(to, "\n");
    fwrite(line.bytes, 1, line.size, stdout);
    fflush(stdout);
    hd_memory_free(&line);
}

/* --- JSON ------------------------------------------------------------ */

static struct record_output_list *list_of(struct record_output *t)
{
    if (t->list == NULL) {
        t->list = zeroed(1, sizeof(*t->list));
        t->list->snapshots = json_made(json_array());
        t->list->thinned = json_made(json_null());
    }
    return t->list;
}

static json_t *add(struct record_output *t, const char *path, const char *result)
{
    json_t *o = json_made(json_object());
    json_member(o, "path", json_of_string(path));
    json_member(o, "result", json_string(result));
    json_add(list_of(t)->snapshots, o);
    return o;
}

static void add_facts(json_t *o, struct hd_snapshot *snap, const struct hd_recording *how)
{
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

/* --- both ------------------------------------------------------------ */

static void record_output_add(struct record_output *t, const char *path,
                              struct hd_snapshot *snap, const struct hd_recording *how,
                              enum hd_recorded what)
{
    if (!t->is_json) {
        print_line(path, snap, how, what);
        return;
    }
    json_t *o = add(t, path, what == HD_RECORDED ? "recorded" : "already-recorded");
    add_facts(o, snap, how);
    json_member(o, "error", json_null());
}

static void record_output_failure(struct record_output *t, const char *path,
                                  const struct hd_error *err)
{
    static const char *const unknown[] = {"service", "host",    "build", "pid",
                                          "taken",   "objects", "bytes"};
    if (!t->is_json)
        return;
    json_t *o = add(t, path, "failed");
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
        json_member(o, unknown[i], json_null());
    json_member(o, "error", json_of_string(err->message));
}

static void record_output_thinned(struct record_output *t, const struct hd_thinned *done)
{
    if (!t->is_json) {
        printf("thinned out: %" PRIu64 " snapshot%s and %" PRIu64
               " series deleted, %" PRIu64 " snapshot%s kept\n",
               done->snapshots, done->snapshots == 1 ? "" : "s", done->series, done->left,
               done->left == 1 ? " is" : "s are");
        return;
    }
    json_t *o = json_made(json_object());
    json_member(o, "snapshots", json_of_count(done->snapshots));
    json_member(o, "series", json_of_count(done->series));
    json_member(o, "left", json_of_count(done->left));
    json_decref(list_of(t)->thinned);
    t->list->thinned = o;
}

/* Write the document, if it is one. store: its name. */
static void record_output_end(struct record_output *t, const char *store)
{
    if (!t->is_json)
        return;
    struct record_output_list *list = list_of(t);
    json_t *all = json_document("heapdrift-record", store);
    json_member(all, "snapshots", list->snapshots);
    json_member(all, "thinned", list->thinned);
    json_end(all);
    free(list);
    t->list = NULL;
}

/* --- recording ------------------------------------------------------------------- */

struct recording {
    struct settings *settings;
    struct hd_store *store;
    struct hd_inputs inputs;
    struct hd_ages *ages; /* of the snapshots of a series that come one after the other */
    bool *skipped;        /* of each input, as far as it is known: hd_inputs_claim() */
    struct progress *progress;
    struct record_output told;
    size_t failed, skips, left; /* left: not looked at, as the store is gone */
    const char *problem;        /* of the environment, told once */
    const char *opened;         /* by which name the only input is opened; NULL: its own */
    bool store_failed;          /* the store, and not the snapshot, is to blame */
    bool is_told;               /* that was said before */
    bool file_is_told;          /* what is wrong with the file was */
};

/* --- a snapshot ------------------------------------------------------ */

static double seconds_of(struct timespec t)
{
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* When the file was last written to, if it says nothing better: what copies it with its
 * times (cp -p, rsync, tar) keeps that. */
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

static void note_time(const struct recording *r, const char *path)
{
    if (r->settings->quiet)
        return;
    begin_message("note", input_name(path));
    end_message(strcmp(path, "-") == 0 ? ": has no timestamp; using the current time"
                                       : ": has no timestamp; using the file's");
}

static void note_problem(struct recording *r, const struct run_facts *facts)
{
    if (facts->problem == NULL || r->problem != NULL || r->settings->quiet)
        return;
    r->problem = facts->problem;
    fprintf(stderr, "heapdrift: note: %s\n", facts->problem);
}

static bool record(struct recording *r, const char *path, struct hd_snapshot *snap,
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
    r->store_failed |= !ok && !storing_is_for_ever(err);
    progress_hide(r->progress);
    if (ok) {
        note_problem(r, &facts);
        if (is_timeless && what == HD_RECORDED)
            note_time(r, path);
        record_output_add(&r->told, path, snap, &how, what);
    }
    run_facts_free(&facts);
    return ok;
}

static void fail_with(struct recording *r, const char *path, const struct hd_error *err)
{
    progress_hide(r->progress);
    r->failed++;
    if (r->store_failed ? !r->is_told : !r->file_is_told)
        print_error(path, err);
    record_output_failure(&r->told, path, err);
}

static void skip(struct recording *r, const char *path, const struct hd_error *err)
{
    progress_hide(r->progress);
    r->skips++;
    if (r->settings->quiet)
        return;
    begin_message("note", input_name(path));
    fputs(": skipped: ", stderr);
    end_message(err->message);
}

static bool is_no_snapshot(const struct hd_error *err)
{
    return err->status == HD_NOT_A_SNAPSHOT || err->status == HD_UNSUPPORTED;
}

static void record_input(struct recording *r, size_t i)
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
    r->skipped[i] = snap == NULL && input->from_folder && is_no_snapshot(&err);
    if (r->skipped[i])
        input->error = err;
    else if (snap == NULL || !record(r, input->path, snap, &err))
        fail_with(r, input->path, &err);
    hd_snapshot_close(snap);
}

/* Which files may be skipped shows when all others are known. */
static void settle(struct recording *r, size_t count)
{
    bool *before = zeroed(count, sizeof(*before));
    memcpy(before, r->skipped, count * sizeof(*before));
    hd_inputs_claim(r->inputs.all, count, r->skipped);
    for (size_t i = 0; i < count; i++) {
        const struct hd_input *input = &r->inputs.all[i];
        if (r->skipped[i])
            skip(r, input->path, &input->error);
        else if (before[i])
            fail_with(r, input->path, &input->error);
    }
    free(before);
}

static void record_inputs(struct recording *r)
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
    settle(r, r->inputs.count - r->left);
    free(r->skipped);
    if (r->left > 0)
        fprintf(stderr, "heapdrift: %zu more %s not processed\n", r->left,
                r->left == 1 ? "file was" : "files were");
}

/* --- the rest -------------------------------------------------------- */

static bool thin(struct recording *r)
{
    struct hd_thinned done;
    struct hd_error err = {0};
    if (r->settings->keep_seconds <= 0 || hd_store_is_lost(r->store))
        return true;
    if (!hd_store_thin(r->store, r->settings->keep_seconds, (double)time(NULL), &done,
                       &err)) {
        store_trouble(store_url(r->settings), &err);
        return false;
    }
    record_output_thinned(&r->told, &done);
    return true;
}

/* found: the name of the only operand, if that was found in a folder. */
static int record_operands(struct recording *r, const char *found)
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
    r->told.is_json = strcmp(s->format, "json") == 0;
    r->progress = progress_start(!s->no_progress && !s->quiet);
    r->ages = hd_ages_begin();
    record_inputs(r);
    hd_ages_end(r->ages);
    progress_stop(r->progress);
    bool thinned = thin(r);
    record_output_end(&r->told, hd_store_name(r->store));
    hd_inputs_free(&r->inputs);
    hd_store_close(r->store);
    return r->failed + r->left == 0 && thinned ? EXIT_DONE : EXIT_TROUBLE;
}

/* --- what appears in folders --------------------------------------------------------- */

/* path NULL: only thin out. */
static int record_apart(const struct settings *s, const char *path, const char *opened,
                        bool file_is_told, bool store_is_told)
{
    struct settings one = *s;
    struct recording r = {.settings = &one,
                          .opened = opened,
                          .is_told = store_is_told,
                          .file_is_told = file_is_told};
    struct hd_error err = {0};
    one.operands = &opened;
    one.operand_count = path != NULL;
    one.sandbox.inputs = one.operands;
    one.sandbox.input_count = one.operand_count;
    one.quiet |= file_is_told;
    one.no_progress = true;
    if (path != NULL)
        one.keep_seconds = 0;
    r.store = open_trusted_store(store_url(&one), HD_STORE_WRITE, &err);
    if (r.store == NULL && !r.is_told)
        store_trouble(store_url(&one), &err);
    if (r.store == NULL)
        return RECORD_NOT_NOW;
    int status = record_operands(&r, path);
    return r.store_failed || r.left > 0 ? RECORD_NOT_NOW
           : r.skips > 0                ? EXIT_TROUBLE
                                        : status;
}

/* --- the command --------------------------------------------------------------------- */

static bool can_follow(const struct settings *s)
{
    struct stat st;
    if (strcmp(s->format, "text") != 0)
        return refuse("--follow does not end, so it has no document: --format=text");
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

static bool is_right(const struct settings *s)
{
    size_t pipes = 0;
    for (size_t i = 0; i < s->operand_count; i++)
        pipes += strcmp(s->operands[i], "-") == 0;
    if (strcmp(s->format, "text") != 0 && strcmp(s->format, "json") != 0)
        fprintf(stderr, "heapdrift: --format=%s: record prints text or json\n", s->format);
    else if (s->follow)
        return can_follow(s);
    else if (s->operand_count == 0 && s->keep_seconds <= 0)
        fputs("heapdrift: record needs a snapshot: heapdrift record SNAPSHOT...\n", stderr);
    else if (pipes > 1)
        fputs("heapdrift: standard input can be given only once\n", stderr);
    else
        return true;
    return false;
}

static int run(struct settings *s)
{
    struct recording r = {.settings = s};
    if (!is_right(s))
        return EXIT_TROUBLE;
    if (s->follow)
        return record_follow(s, record_apart);
    r.store = open_store(s, HD_STORE_WRITE);
    return r.store != NULL ? record_operands(&r, NULL) : EXIT_TROUBLE;
}

static const struct option options[] = {
    {"format", 0, GROUP_OUTPUT, ON_RECORD, TEXT(FORMAT, format),
     .words = WORDS("text", "json"), .help = "text (default) or json"},
    {"follow", 0, GROUP_STORE, ON_RECORD, FLAG(follow),
     .help = "record what appears in folders, until SIGTERM"},
    {0}};

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
            {"heapdrift record --follow /egress", "what dotnet-monitor writes there"},
            {"heapdrift record --store=postgresql://heap@db/heap a.gcdump",
             "password in PGPASSFILE"},
        },
    .options = options,
    .run = run,
};
