#include "format/open.h"

#include "base/alloc.h"
#include "base/error.h"
#include "format/reader.h"
#include "format/session.h"
#include "heap/borrow.h"
#include "heap/snapshot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const struct hd_read_options no_options;

static bool checksum(struct input *in, uint64_t *sum, struct hd_error *err)
{
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL)
        out_of_memory(sizeof(*state));
    XXH3_64bits_reset(state);
    struct bytes block;
    bool ok;
    while ((ok = input_next(in, &block, err)) && block.size > 0)
        XXH3_64bits_update(state, block.data, block.size);
    *sum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return ok && input_rewind(in, err);
}

/* Reads a file. Fails with the reader's error, or if the file was modified: then the whole
 * result is unreliable. */
static bool read_unchanged(const struct reader *reader, struct builder *b, struct input *in,
                           struct hd_error *err)
{
    struct hd_error why = {0};
    bool ok = reader->read(in, b, &why);
    if (!input_is_as_opened(in))
        return fail(err, HD_IO, "was modified while being read");
    if (!ok && err != NULL && err->status == HD_OK)
        *err = why;
    return ok;
}

/* After reading, only addresses are looked up; but if the file contains the objects, their
 * fields will be read again. */
static void forget_file(struct graph *g, struct input *in)
{
    if (g != NULL && g->fields != NULL && input_is_held(in))
        return;
    if (g != NULL && g->addresses != NULL && input_is_held(in)) {
        size_t bytes = array_bytes(g->node_count, sizeof(uint64_t));
        g->own_addresses = memcpy(alloc_resize(NULL, bytes), g->addresses, bytes);
        g->addresses = g->own_addresses;
    }
    input_forget(in);
}

/* A file may hold several snapshots, which are not the same one. */
static uint64_t sum_of_part(uint64_t sum, unsigned number)
{
    const uint64_t both[] = {sum, number};
    return number < 2 || sum == HD_UNKNOWN ? sum : XXH3_64bits(both, sizeof(both));
}

static struct hd_snapshot *read_with(struct input *in, const char *path,
                                     const struct hd_read_options *opt, bool graph_only,
                                     struct hd_error *err)
{
    struct builder b = builder_begin(in, path);
    const struct reader *reader = reader_for(input_head(in));
    if (reader == NULL) {
        fail(err, HD_NOT_A_SNAPSHOT,
             "not a heap snapshot: neither a gcdump, heap text nor a type table");
        builder_abandon(&b);
        return NULL;
    }
    b.snap->info.format = reader->name;
    size_t file_len;
    if (!input_is_entry(in))
        b.number = snapshot_number(path, &file_len);
    b.snap->number = b.number;
    if (b.number > 0 && !reader->has_numbers) {
        fail(err, HD_UNSUPPORTED, "#%u: a file of this format (%s) holds one snapshot only",
             b.number, reader->name);
        builder_abandon(&b);
        return NULL;
    }
    b.want_graph = !opt->tables_only;
    b.max_memory = opt->max_memory;
    b.threads = opt->threads;
    b.reach_later = opt->reach_later;
    b.across_builds = opt->across_builds;
    b.plain_names = opt->plain_names;
    b.redact = opt->redact;
    b.graph_only = graph_only;
    if (opt->size_base > 0)
        b.size_base = opt->size_base;
    if (opt->to_write)
        builder_keep_source(&b);
    uint64_t sum = HD_UNKNOWN;
    /* the checksum of a growing file would wait for its end */
    bool late = input_is_growing(in);
    if ((opt->checksum && !late && !checksum(in, &sum, err)) ||
        !read_unchanged(reader, &b, in, err) ||
        (opt->checksum && late && !(input_rewind(in, err) && checksum(in, &sum, err)))) {
        builder_abandon(&b);
        return NULL;
    }
    bool tables_only = !b.want_graph; /* the reader may still need a graph */
    b.snap->info.xxh3 = sum;
    if (b.digest == NULL)
        b.snap->info.source_xxh3 = sum_of_part(sum, b.number);
    b.snap->stamp = input_stamp(in);
    forget_file(b.graph, in);
    struct hd_snapshot *snap = builder_finish(&b, err);
    if (snap != NULL) {
        /* Memory of the input that only the graph needs is freed with it. */
        struct bytes all;
        if (snap->graph != NULL && snap->graph->fields != NULL &&
            input_is_held(snap->input) && input_all(snap->input, &all, NULL))
            snap->graph_bytes += all.size;
        snap->read = *opt;
        snap->read.tables_only = tables_only;
        /* reading again is part of another task */
        snap->read.progress = NULL;
    }
    if (snap != NULL && opt->symbols != NULL && !graph_only &&
        !opt->symbols->apply(opt->symbols, snap, err)) {
        snapshot_free(snap);
        return NULL;
    }
    return snap;
}

struct hd_snapshot *snapshot_read(struct input *in, const char *path,
                                  const struct hd_read_options *opt, struct hd_error *err)
{
    return read_with(in, path, opt, false, err);
}

/* A zip has other files, too: only certain snapshots count. */
static bool is_snapshot(struct bytes head)
{
    const struct reader *reader = reader_for(head);
    return reader != NULL && reader->summary != NULL &&
           reader->recognises(head) == RECOGNISED_YES;
}

/* True for files with a reader, even one that only explains what the file is. */
static bool may_be_read(struct bytes head)
{
    return reader_for(head) != NULL;
}

unsigned snapshot_number(const char *path, size_t *len)
{
    enum { MAX_DIGITS = 6 };
    const char *mark = strrchr(path, '#');
    *len = strlen(path);
    size_t digits = mark != NULL ? strspn(mark + 1, "0123456789") : 0;
    if (digits == 0 || digits > MAX_DIGITS || mark[1 + digits] != '\0' || mark == path ||
        mark[1] == '0' || access(path, F_OK) == 0)
        return 0;
    *len = (size_t)(mark - path);
    return (unsigned)strtoul(mark + 1, NULL, 10);
}

static struct input_options input_options_of(const struct hd_read_options *opt)
{
    return (struct input_options){.wanted = is_snapshot,
                                  .entry = opt->zip.entry,
                                  .may_be = may_be_read,
                                  .max_memory = opt->max_memory,
                                  .progress = opt->progress,
                                  .progress_context = opt->progress_context};
}

bool snapshot_session(const char *path, struct session *s, struct arena *a)
{
    return session_of_zip(path, is_snapshot, s, a);
}

/* Finds the file of a zip for "FILE#2", unless it is known, or FILE contains a single
 * snapshot, whose own number it is. */
static bool find_part(const char *path, struct hd_zip_part *part, struct hd_error *err)
{
    struct arena arena = {0};
    struct session s;
    size_t len;
    unsigned number = snapshot_number(path, &len);
    if (number == 0 || part->entry > 0)
        return true;
    bool ok = true;
    if (snapshot_session(arena_strdup(&arena, path, len), &s, &arena)) {
        ok = number <= s.count ||
             fail(err, HD_UNSUPPORTED, "#%u: a zip with %zu snapshots", number, s.count);
        const struct session_part *found = ok ? &s.all[number - 1] : NULL;
        if (found != NULL && found->error.status != HD_OK)
            ok = fail(err, found->error.status, "%s", found->error.message);
        else if (found != NULL)
            *part = (struct hd_zip_part){found->entry, s.order_is_unknown};
    }
    arena_free(&arena);
    return ok;
}

static struct input *open_path(const char *path, const struct hd_read_options *opt,
                               struct hd_error *err)
{
    struct input_options how = input_options_of(opt);
    struct text file = {0};
    size_t len;
    snapshot_number(path, &len);
    text_add(&file, path, len);
    struct input *in = input_open(text_string(&file), &how, err);
    text_free(&file);
    return in;
}

static struct input *find_and_open(const char *path, struct hd_read_options how)
{
    how.progress = NULL;
    return find_part(path, &how.zip, NULL) ? open_path(path, &how, NULL) : NULL;
}

enum static_names snapshot_static_names(const char *path, const struct hd_read_options *opt)
{
    struct stat st;
    struct text file = {0};
    size_t len;
    snapshot_number(path, &len);
    text_add(&file, path, len);
    bool regular = stat(text_string(&file), &st) == 0 && S_ISREG(st.st_mode);
    text_free(&file);
    struct input *in = regular ? find_and_open(path, *opt) : NULL;
    if (in == NULL)
        return STATICS_NONE;
    const struct reader *reader = reader_for(input_head(in));
    enum static_names names = reader != NULL ? reader->statics : STATICS_NONE;
    input_close(in);
    return names;
}

static bool has_changed(struct hd_error *err)
{
    return fail(err, HD_IO, "was modified after it was first read");
}

/* Opens the file of a snapshot again, if it is unchanged. */
static struct input *open_again(const struct hd_snapshot *snap, struct hd_error *err)
{
    struct input *in = open_path(snap->info.path, &snap->read, err);
    if (in == NULL)
        return NULL;
    struct file_stamp now = input_stamp(in);
    if (file_stamps_equal(&now, &snap->stamp))
        return in;
    input_close(in);
    has_changed(err);
    return NULL;
}

void snapshot_release_graph(struct hd_snapshot *snap)
{
    enum { SMALL_GRAPH = 8 << 20, SMALL_SHARE = 8 };
    /* All small ones together are at most half of the memory. */
    uint64_t share =
        snap->beside > SMALL_SHARE / 2 ? 2 * (uint64_t)snap->beside : SMALL_SHARE;
    if (snap->graph == NULL || !snap->may_drop || snap->pins > 0)
        return;
    uint64_t limit = snap->read.max_memory, bytes = snap->graph_bytes;
    if (bytes <= SMALL_GRAPH && (limit == 0 || bytes <= limit / share))
        return;
    /* Reachability is preserved, a bit per node, to avoid another walk. */
    snap->reachable = snap->graph->reachable;
    snap->graph->reachable = NULL;
    graph_free(snap->graph);
    snap->graph = NULL;
    if (!input_can_reopen(snap->input))
        return;
    input_close(snap->input);
    snap->input = NULL;
}

/* Returns the input from which to read a graph again; the snapshot no longer has one. */
static struct input *read_input(struct hd_snapshot *snap, struct hd_error *err)
{
    struct input *in = snap->input;
    if (in == NULL)
        return open_again(snap, err);
    snap->input = NULL;
    if (input_rewind(in, err))
        return in;
    input_close(in);
    return NULL;
}

bool snapshot_need_graph(struct hd_snapshot *snap, struct hd_error *err)
{
    bool dropped = snap->info.has_graph && !snap->read.tables_only && snap->graph == NULL;
    if (!dropped && snap->graph != NULL && input_is_stale(snap->input))
        return has_changed(err);
    if (!dropped || snap->info.objects == 0)
        return true;
    struct hd_read_options again = snap->read;
    again.checksum = false;
    struct input *in = read_input(snap, err);
    struct hd_snapshot *fresh =
        in != NULL ? read_with(in, snap->info.path, &again, true, err) : NULL;
    if (fresh == NULL)
        return false;
    /* Detects changes that no timestamp shows: analyses rely on these. */
    bool same = fresh->type_count == snap->type_count &&
                fresh->info.objects == snap->info.objects &&
                fresh->info.bytes == snap->info.bytes && fresh->graph != NULL &&
                fresh->node_count == snap->node_count &&
                fresh->edge_count == snap->edge_count;
    if (same) {
        snap->graph = fresh->graph;
        snapshot_rename_graph(snap, snap->graph);
        snap->graph->reachable = snap->reachable;
        snap->reachable = NULL;
        snap->input = fresh->input;
        fresh->graph = NULL;
        fresh->input = NULL;
    }
    snapshot_free(fresh);
    return same || has_changed(err);
}

bool snapshot_need_reach(struct hd_snapshot *snap, struct hd_error *err)
{
    if (reach_is_known(snap))
        return true;
    if (!snapshot_need_graph(snap, err))
        return false;
    if (snap->graph != NULL)
        reach_find(snap);
    return true;
}

static bool checksum_of_file(const struct hd_snapshot *snap, uint64_t *sum)
{
    struct bytes all;
    /* Bytes from a pipe, or from the caller, have no other copy. */
    if (snap->input != NULL && !input_can_reopen(snap->input)) {
        bool ok = input_all(snap->input, &all, NULL);
        *sum = ok ? XXH3_64bits(all.data, all.size) : HD_UNKNOWN;
        return ok;
    }
    struct input *in = open_again(snap, NULL);
    bool ok = in != NULL && checksum(in, sum, NULL);
    if (in != NULL)
        input_close(in);
    return ok;
}

bool snapshot_checksum(const struct hd_snapshot *snap, uint64_t *sum)
{
    *sum = snap->digest != NULL ? snap->digest->source_xxh3 : snap->info.source_xxh3;
    if (*sum != HD_UNKNOWN)
        return true;
    *sum = snap->info.xxh3;
    bool ok = *sum != HD_UNKNOWN || checksum_of_file(snap, sum);
    *sum = sum_of_part(*sum, snap->number);
    return ok;
}

bool hd_path_is_snapshot(const char *path)
{
    struct input *in = find_and_open(path, no_options);
    bool is_one = in != NULL && is_snapshot(input_head(in));
    input_close(in);
    return is_one;
}

bool read_options_copy(struct hd_read_options *ours, const struct hd_read_options *theirs,
                       struct hd_error *err)
{
    return options_copy(ours, sizeof(*ours),
                        OPTIONS_END(struct hd_read_options, progress_context), theirs, err);
}

struct hd_snapshot *hd_snapshot_open(const char *path, const struct hd_read_options *opt,
                                     struct hd_error *err)
{
    struct hd_read_options how;
    if (!read_options_copy(&how, opt, err) || !find_part(path, &how.zip, err))
        return NULL;
    struct input *in = open_path(path, &how, err);
    struct hd_snapshot *snap = in != NULL ? snapshot_read(in, path, &how, err) : NULL;
    if (snap != NULL && how.zip.has_no_order && snap->info.time == NULL)
        warnings_add(&snap->warnings, WARN_ORDER_UNKNOWN, 0);
    return snap;
}

struct hd_snapshot *snapshot_open_memory(const char *name, const void *data, size_t size,
                                         const struct hd_read_options *how,
                                         struct hd_error *err)
{
    struct input_options as = input_options_of(how);
    struct input *in = input_unpack(data, size, &as, err);
    return in != NULL ? snapshot_read(in, name, how, err) : NULL;
}

struct hd_snapshot *hd_snapshot_from_memory(const void *data, size_t size,
                                            const struct hd_read_options *opt,
                                            struct hd_error *err)
{
    struct hd_read_options how;
    return read_options_copy(&how, opt, err)
               ? snapshot_open_memory("-", data, size, &how, err)
               : NULL;
}

void hd_snapshot_close(struct hd_snapshot *snap)
{
    snapshot_free(snap);
}

const struct hd_info *hd_snapshot_info(const struct hd_snapshot *snap)
{
    return &snap->info;
}

/* --- a file that is still being written -------------------------------------------- */

/* A snapshot of a file that is still being written (hd_reading): a thread reads the bytes
 * as they arrive, and waits. The writer never waits for it. If the file cannot be read that
 * way, the work is lost, and the whole file is read again. */

struct hd_reading {
    FILE *file;
    struct hd_read_options how;
    struct hd_error refused; /* error of how */
    struct hd_snapshot *snap;
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t arrived;
    uint64_t bytes;
    bool ended, begun_anew;
};

/* Callback for input_growing(). */
static bool wait_for_more(void *from, uint64_t have, uint64_t *now)
{
    struct hd_reading *r = from;
    pthread_mutex_lock(&r->lock);
    while (r->bytes <= have && !r->ended && !r->begun_anew)
        pthread_cond_wait(&r->arrived, &r->lock);
    *now = r->bytes;
    bool ok = !r->begun_anew && r->bytes >= have;
    pthread_mutex_unlock(&r->lock);
    return ok;
}

/* Writes a path under which the file can be read again. */
static void find_path(const struct hd_reading *r, char *path, size_t size)
{
    snprintf(path, size, "/proc/self/fd/%d", fileno(r->file));
}

/* Errors are ignored: they will recur when the whole file is read. */
static void *read_along(void *context)
{
    struct hd_reading *r = context;
    char path[64];
    const struct growing_file file = {
        .more = wait_for_more, .from = r, .fd = fileno(r->file)};
    find_path(r, path, sizeof(path));
    r->snap = snapshot_read(input_growing(&file), path, &r->how, NULL);
    return NULL;
}

struct hd_reading *hd_reading_begin(FILE *file, const struct hd_read_options *how)
{
    struct hd_reading *r = alloc_zeroed(sizeof(*r));
    r->file = file;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->arrived, NULL);
    r->has_thread = read_options_copy(&r->how, how, &r->refused) && r->how.threads > 1 &&
                    pthread_create(&r->thread, NULL, read_along, r) == 0;
    return r;
}

static void report_progress(struct hd_reading *r, uint64_t bytes, bool end)
{
    pthread_mutex_lock(&r->lock);
    r->begun_anew = r->begun_anew || bytes < r->bytes;
    r->bytes = bytes;
    r->ended = r->ended || end;
    pthread_cond_signal(&r->arrived);
    pthread_mutex_unlock(&r->lock);
}

void hd_reading_arrived(struct hd_reading *r, uint64_t bytes)
{
    report_progress(r, bytes, false);
}

void hd_reading_end(struct hd_reading *r)
{
    report_progress(r, r->bytes, true);
}

struct hd_snapshot *hd_reading_snapshot(struct hd_reading *r, struct hd_error *err)
{
    char path[64];
    if (!r->ended) {
        /* wakes the thread, which waits for more bytes */
        pthread_mutex_lock(&r->lock);
        r->begun_anew = true;
        pthread_cond_signal(&r->arrived);
        pthread_mutex_unlock(&r->lock);
    }
    if (r->has_thread) {
        pthread_join(r->thread, NULL);
    } else if (r->ended && r->refused.status == HD_OK) {
        r->begun_anew = false; /* all is there: once is enough then, too */
        read_along(r);
    }
    struct hd_snapshot *snap = r->snap;
    if (snap != NULL && !r->ended) {
        hd_snapshot_close(snap);
        snap = NULL;
    }
    find_path(r, path, sizeof(path));
    if (r->refused.status != HD_OK)
        fail(err, r->refused.status, "%s", r->refused.message);
    else if (!r->ended)
        fail(err, HD_CANCELLED, "stopped");
    else if (snap == NULL)
        snap = hd_snapshot_open(path, &r->how, err);
    pthread_cond_destroy(&r->arrived);
    pthread_mutex_destroy(&r->lock);
    free(r);
    return snap;
}
