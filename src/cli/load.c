#include "cli/load.h"

#include "cli/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

void print_error(const char *path, const struct hd_error *err)
{
    fputs("heapdrift: ", stderr);
    if (path != NULL)
        fputs(strcmp(path, "-") == 0 ? "standard input" : path, stderr);
    if (err->where == HD_AT_LINE)
        fprintf(stderr, ":%" PRIu64 ": ", err->at);
    else if (err->where == HD_AT_BYTE)
        fprintf(stderr, ": byte 0x%" PRIx64 ": ", err->at);
    else if (path != NULL)
        fputs(": ", stderr);
    if (err->kind != NULL)
        fprintf(stderr, "%s: ", err->kind);
    fprintf(stderr, "%s\n", err->message);
}

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
    unsigned each; /* threads for one file: what files side by side leave over */
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool is_large(const char *path)
{
    enum { LARGE = 64 << 20 };
    struct stat st;
    return stat(path, &st) == 0 && st.st_size >= LARGE;
}

static void load_one(struct pool *p, size_t i)
{
    struct hd_info_entry *entry = &p->l->all[i];
    struct hd_read_options how = p->settings->read;
    /* As many snapshots as there are threads may be in memory at once. */
    how.max_memory /= p->at_once;
    how.threads = p->each;
    how.drop_graph = p->l->count > 1;
    /* The first is used at once. The last waits, and is read again unless that takes
     * longer than its memory is worth. */
    how.drop_later = i == 0 || (i + 1 == p->l->count && is_large(entry->path));
    progress_file(p->progress, i + 1, entry->path);
    double start = seconds();
    entry->snap = hd_snapshot_open(entry->path, &how, &entry->error);
    if (!p->settings->verbose || entry->snap == NULL)
        return;
    const struct hd_info *info = hd_snapshot_info(entry->snap);
    fprintf(stderr, "heapdrift: %s: %s, %" PRIu64 " objects, read in %.3f s\n", entry->path,
            info->format, info->objects, seconds() - start);
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
    pthread_mutex_destroy(&p->lock);
}

/* --- what is to be read -------------------------------------------------- */

static void *zeroed(size_t count, size_t size)
{
    void *p = calloc(count > 0 ? count : 1, size);
    if (p == NULL) {
        fputs("heapdrift: out of memory\n", stderr);
        exit(EXIT_TROUBLE);
    }
    return p;
}

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
            if (!s->quiet)
                fprintf(stderr, "heapdrift: note: %s: skipped: %s\n", entry->path,
                        entry->error.message);
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

struct loaded load_snapshots(const struct settings *s)
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
    pool.progress = progress_start(!s->no_progress && !s->quiet, openable.count);
    load_all(&pool);
    progress_stop(pool.progress);
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

void loaded_free(struct loaded *l)
{
    for (size_t i = 0; i < l->count; i++)
        hd_snapshot_close(l->all[i].snap);
    free(l->all);
    hd_inputs_free(&l->inputs);
    *l = (struct loaded){0};
}

bool count_can_be_compared(const struct loaded *l, const char *command)
{
    if (l->count >= 2 && l->count <= HD_MAX_SNAPSHOTS)
        return true;
    fprintf(stderr,
            "heapdrift: %s compares 2 to %d snapshots, not %zu; for one use `heapdrift "
            "top`\n",
            command, HD_MAX_SNAPSHOTS, l->count);
    return false;
}

bool take_iterations_for(struct settings *s, const struct loaded *l)
{
    if (s->iteration_count > 0 && s->iteration_count != l->count) {
        fprintf(stderr, "heapdrift: --iterations has %zu numbers for %zu snapshots\n",
                s->iteration_count, l->count);
        return false;
    }
    s->options.iterations = s->iteration_count > 0 ? s->iterations : NULL;
    return true;
}
