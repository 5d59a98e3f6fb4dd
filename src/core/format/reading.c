/* A snapshot of a file that is still being written (hd_reading): a thread of its own reads
 * what has come, and waits. Whoever writes never waits for it. It is done in vain where the
 * file turns out to be none that can be read so; then the whole file is read again. */
#include "base/error.h"
#include "format/open.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

struct hd_reading {
    FILE *file;
    struct hd_read_options how;
    struct hd_error refused; /* how */
    struct hd_snapshot *snap;
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t came;
    uint64_t bytes;
    bool ended, begun_anew;
};

/* For input_growing(). */
static bool wait_for_more(void *from, uint64_t have, uint64_t *now)
{
    struct hd_reading *r = from;
    pthread_mutex_lock(&r->lock);
    while (r->bytes <= have && !r->ended && !r->begun_anew)
        pthread_cond_wait(&r->came, &r->lock);
    *now = r->bytes;
    bool ok = !r->begun_anew && r->bytes >= have;
    pthread_mutex_unlock(&r->lock);
    return ok;
}

/* By which it can be read again. */
static void find_path(const struct hd_reading *r, char *path, size_t size)
{
    snprintf(path, size, "/proc/self/fd/%d", fileno(r->file));
}

/* What went wrong will be said, if it still does, when the whole file is read. */
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
    pthread_cond_init(&r->came, NULL);
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
    pthread_cond_signal(&r->came);
    pthread_mutex_unlock(&r->lock);
}

void hd_reading_came(struct hd_reading *r, uint64_t bytes)
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
        /* The thread waits for what will never come. */
        pthread_mutex_lock(&r->lock);
        r->begun_anew = true;
        pthread_cond_signal(&r->came);
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
        fail(err, HD_STOPPED, "stopped");
    else if (snap == NULL)
        snap = hd_snapshot_open(path, &r->how, err);
    pthread_cond_destroy(&r->came);
    pthread_mutex_destroy(&r->lock);
    free(r);
    return snap;
}
