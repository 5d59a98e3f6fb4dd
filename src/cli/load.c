#include "cli/load.h"

#include "cli/allocate.h"
#include "cli/messages.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* --- reading ------------------------------------------------------------- */

/* Threads take the next file until none is left. Which one reads what changes nothing:
 * every file has its own slot for its snapshot or error. */
struct pool {
    const struct settings *settings;
    struct loaded *l;
    struct progress *progress;
    pthread_mutex_t lock;
    size_t next;
    size_t at_once;
    uint64_t kept; /* bytes of graphs that wait for their report */
    unsigned each; /* threads for one file: what files side by side leave over */
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t size_of(const char *path)
{
    struct stat st;
    return path != NULL && stat(path, &st) == 0 && S_ISREG(st.st_mode)
               ? (uint64_t)st.st_size
               : 0;
}

static bool is_large(const char *path)
{
    enum { LARGE = 64 << 20 };
    return size_of(path) >= LARGE;
}

/* Half of the memory is for graphs that wait, half for those that are being read. */
static uint64_t for_waiting(const struct pool *p)
{
    return p->at_once > 1 ? p->settings->read.max_memory / 2 : 0;
}

/* With threads a graph stays if there is room, so that no file is read twice. One thread
 * is sparing: the first is used at once; the last waits, and is read again unless that
 * takes longer than its memory is worth. */
static void keep_or_drop(struct pool *p, size_t i)
{
    const struct hd_info_entry *entry = &p->l->all[i];
    uint64_t bytes = hd_snapshot_graph_memory(entry->snap);
    bool keep = i == 0 || (i + 1 == p->l->count && is_large(entry->path));
    if (p->at_once > 1) {
        pthread_mutex_lock(&p->lock);
        keep = p->kept + bytes <= for_waiting(p);
        p->kept += keep ? bytes : 0;
        pthread_mutex_unlock(&p->lock);
    }
    if (!keep)
        hd_snapshot_drop_graph(entry->snap);
}

static void load_one(struct pool *p, size_t i)
{
    struct hd_info_entry *entry = &p->l->all[i];
    struct hd_read_options how = p->settings->read;
    how.max_memory = (how.max_memory - for_waiting(p)) / p->at_once;
    how.drop_graph = how.drop_later = p->l->count > 1;
    how.threads = p->each;
    how.progress = p->progress != NULL ? progress_tell : NULL;
    how.progress_context = p->progress;
    progress_file(p->progress, i + 1, entry->path);
    double start = seconds();
    entry->snap = hd_snapshot_open(entry->path, &how, &entry->error);
    if (entry->snap == NULL) {
        advise(&entry->error);
        return;
    }
    keep_or_drop(p, i);
    if (!p->settings->verbose)
        return;
    const struct hd_info *info = hd_snapshot_info(entry->snap);
    flockfile(stderr);
    begin_message(NULL, input_name(entry->path));
    fprintf(stderr, ": %s, %" PRIu64 " objects, read in %.3f s\n", info->format,
            info->objects, seconds() - start);
    funlockfile(stderr);
}

/* What was too large for a share of the memory gets all of it, one after the other. */
static void load_large_ones_again(struct pool *p)
{
    if (p->at_once == 1)
        return;
    bool dropped = false;
    p->at_once = 1;
    for (size_t i = 0; i < p->l->count; i++) {
        struct hd_info_entry *entry = &p->l->all[i];
        if (entry->error.status != HD_TOO_BIG || strcmp(entry->path, "-") == 0)
            continue;
        for (size_t k = 0; !dropped && k < p->l->count; k++)
            if (p->l->all[k].snap != NULL)
                hd_snapshot_drop_graph(p->l->all[k].snap);
        dropped = true;
        entry->error = (struct hd_error){0};
        load_one(p, i);
        if (entry->snap != NULL)
            hd_snapshot_drop_graph(entry->snap);
    }
}

static void *work(void *arg)
{
    struct pool *p = arg;
    for (;;) {
        pthread_mutex_lock(&p->lock);
        size_t i = p->next++;
        pthread_mutex_unlock(&p->lock);
        if (i >= p->l->count)
            return NULL;
        load_one(p, i);
    }
}

static void load_all(struct pool *p)
{
    pthread_t threads[MOST_THREADS];
    size_t started = 0, wanted = p->settings->threads;
    wanted = wanted < p->l->count ? wanted : p->l->count;
    p->at_once = wanted > 0 ? wanted : 1;
    p->each = p->settings->threads / (unsigned)p->at_once;
    pthread_mutex_init(&p->lock, NULL);
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, p) == 0)
        started++;
    work(p);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    load_large_ones_again(p);
    pthread_mutex_destroy(&p->lock);
}

/* --- what is to be read -------------------------------------------------- */

/* Operands that do not exist keep their place, as an entry with an error. */
static struct hd_error *expand(struct loaded *l, const struct settings *s)
{
    struct hd_error *errors = zeroed(s->operand_count, sizeof(*errors));
    size_t *end = zeroed(s->operand_count, sizeof(*end));
    for (size_t i = 0; i < s->operand_count; i++) {
        hd_inputs_add(&l->inputs, s->operands[i], &errors[i]);
        end[i] = l->inputs.count;
    }
    l->all = zeroed(l->inputs.count + s->operand_count, sizeof(*l->all));
    for (size_t i = 0, from = 0; i < s->operand_count; i++) {
        for (; from < end[i]; from++)
            l->all[l->count++].path = l->inputs.all[from].path;
        if (errors[i].status != HD_OK)
            l->all[l->count++] =
                (struct hd_info_entry){.path = s->operands[i], .error = errors[i]};
    }
    free(end);
    return errors;
}

static bool may_be_skipped(const struct loaded *l, const struct hd_info_entry *entry)
{
    if (entry->error.status != HD_NOT_A_SNAPSHOT && entry->error.status != HD_UNSUPPORTED)
        return false;
    for (size_t i = 0; i < l->inputs.count; i++)
        if (l->inputs.all[i].path == entry->path)
            return l->inputs.all[i].from_folder;
    return false;
}

static bool lies_in(const char *path, const char *folder, size_t len)
{
    bool slash = len > 0 && folder[len - 1] == '/';
    return strncmp(path, folder, len) == 0 && (slash || path[len] == '/');
}

/* True for a folder of which nothing is left. */
static bool is_bare_folder(const struct loaded *l, const char *operand)
{
    size_t len = strlen(operand), found = 0, left = 0;
    for (size_t i = 0; i < l->inputs.count; i++)
        found +=
            l->inputs.all[i].from_folder && lies_in(l->inputs.all[i].path, operand, len);
    for (size_t i = 0; i < l->count; i++)
        left += lies_in(l->all[i].path, operand, len);
    return found > 0 && left == 0;
}

/* Take out what a folder holds beside snapshots; count what is left and broken. */
static void sort_out(struct loaded *l, const struct settings *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        struct hd_info_entry *entry = &l->all[i];
        if (entry->snap == NULL && may_be_skipped(l, entry)) {
            if (s->quiet)
                continue;
            begin_message("note", input_name(entry->path));
            fprintf(stderr, ": skipped: %s\n", entry->error.message);
            continue;
        }
        if (entry->snap == NULL) {
            l->failed++;
            print_error(entry->path, &entry->error);
        }
        l->all[kept++] = *entry;
    }
    l->count = kept;
    static const struct hd_error bare = {.message = "a folder without snapshots"};
    for (size_t i = 0; i < s->operand_count; i++) {
        if (!is_bare_folder(l, s->operands[i]))
            continue;
        l->failed++;
        print_error(s->operands[i], &bare);
    }
}

static bool standard_input_twice(const struct settings *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->operand_count; i++)
        n += strcmp(s->operands[i], "-") == 0;
    if (n > 1)
        fputs("heapdrift: standard input can be given only once\n", stderr);
    return n > 1;
}

static void begin_progress(struct pool *p)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < p->l->count; i++)
        bytes += size_of(p->l->all[i].path);
    progress_files(p->progress, p->l->count, bytes);
}

struct loaded load_snapshots(struct settings *s)
{
    struct loaded l = {0};
    if (standard_input_twice(s)) {
        l.failed = 1;
        return l;
    }
    struct hd_error *errors = expand(&l, s);
    /* Entries that already have an error are not opened: they stand for no file. */
    struct loaded openable = {.all = zeroed(l.count, sizeof(*l.all))};
    for (size_t i = 0; i < l.count; i++)
        if (l.all[i].error.status == HD_OK)
            openable.all[openable.count++] = l.all[i];
    struct pool pool = {.settings = s, .l = &openable};
    pool.progress = progress_start(!s->no_progress && !s->quiet);
    begin_progress(&pool);
    load_all(&pool);
    progress_hide(pool.progress);
    l.progress = pool.progress;
    s->options.progress = l.progress != NULL ? progress_tell : NULL;
    s->options.progress_context = l.progress;
    for (size_t i = 0, from = 0; i < l.count; i++)
        if (l.all[i].error.status == HD_OK)
            l.all[i] = openable.all[from++];
    free(openable.all);
    free(errors);
    sort_out(&l, s);
    struct hd_snapshot **snaps = loaded_snapshots(&l);
    hd_snapshots_share_names(snaps, l.count);
    free(snaps);
    return l;
}

struct hd_snapshot **loaded_snapshots(const struct loaded *l)
{
    struct hd_snapshot **snaps = zeroed(l->count, sizeof(struct hd_snapshot *));
    for (size_t i = 0; i < l->count; i++)
        snaps[i] = l->all[i].snap;
    return snaps;
}

void loaded_hide_progress(const struct loaded *l)
{
    progress_hide(l->progress);
}

void loaded_free(struct loaded *l)
{
    progress_stop(l->progress);
    for (size_t i = 0; i < l->count; i++)
        hd_snapshot_close(l->all[i].snap);
    free(l->all);
    hd_inputs_free(&l->inputs);
    *l = (struct loaded){0};
}

static bool can_be_compared(size_t count, const char *command)
{
    if (count >= 2 && count <= HD_MAX_SNAPSHOTS)
        return true;
    fprintf(stderr,
            "heapdrift: %s compares 2 to %d snapshots, not %zu; for one use `heapdrift "
            "top`\n",
            command, HD_MAX_SNAPSHOTS, count);
    return false;
}

bool count_can_be_compared(const struct loaded *l, const char *command)
{
    return can_be_compared(l->count, command);
}

size_t surely_more_than(size_t most, const struct settings *s)
{
    struct hd_inputs inputs = {0};
    size_t count = 0;
    for (size_t i = 0; i < s->operand_count; i++)
        hd_inputs_add(&inputs, s->operands[i], NULL);
    for (size_t i = 0; inputs.count > most && i < inputs.count; i++)
        count += !inputs.all[i].from_folder || hd_path_is_snapshot(inputs.all[i].path);
    hd_inputs_free(&inputs);
    return count > most ? count : 0;
}

bool few_enough_to_compare(const struct settings *s, const char *command)
{
    size_t count = surely_more_than(HD_MAX_SNAPSHOTS, s);
    return count == 0 || can_be_compared(count, command);
}

bool take_iterations_for(struct settings *s, const struct loaded *l)
{
    if (s->iteration_count > 0 && s->iteration_count != l->count) {
        fprintf(stderr, "heapdrift: --iterations has %zu number%s for %zu snapshot%s\n",
                s->iteration_count, s->iteration_count == 1 ? "" : "s", l->count,
                l->count == 1 ? "" : "s");
        return false;
    }
    s->options.iterations = s->iteration_count > 0 ? s->iterations : NULL;
    return true;
}
