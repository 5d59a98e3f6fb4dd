#include "compare/opening.h"

#include "base/alloc.h"
#include "base/workers.h"
#include "format/open.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whoever opens which entry changes nothing: each has its own place. */
struct opening {
    struct hd_info_entry *entries;
    const struct hd_input *inputs;
    size_t count;
    const struct hd_read_options *how;
    size_t at_once;
    unsigned each; /* threads for one file: what files side by side leave over */
    pthread_mutex_t lock;
    uint64_t kept; /* bytes of graphs that wait for a question */
};

static bool is_large(const char *path)
{
    enum { LARGE = 64 << 20 };
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= LARGE;
}

/* Half of the memory is for graphs that wait, half for those that are being read; one after
 * the other, what those take that wait. */
static uint64_t for_waiting(const struct opening *o)
{
    uint64_t most = o->how->max_memory;
    return o->at_once > 1 || o->kept >= most ? most / 2 : o->kept;
}

static uint64_t graph_memory(const struct hd_snapshot *snap)
{
    return snap->graph != NULL ? snap->graph_bytes : 0;
}

/* With threads a graph stays if there is room, so that no file is read twice. One thread
 * is sparing: the first is used at once; the last waits, and is read again unless that
 * takes longer than its memory is worth. */
static void keep_or_drop(struct opening *o, size_t i)
{
    struct hd_info_entry *entry = &o->entries[i];
    uint64_t bytes = graph_memory(entry->snap);
    bool keep = i == 0 || (i + 1 == o->count && is_large(entry->path));
    pthread_mutex_lock(&o->lock);
    if (o->at_once > 1)
        keep = o->how->max_memory == 0 || o->kept + bytes <= for_waiting(o);
    o->kept += keep ? bytes : 0;
    pthread_mutex_unlock(&o->lock);
    if (!keep)
        snapshot_release_graph(entry->snap);
}

static bool may_be_skipped(const struct hd_input *input, const struct hd_error *err)
{
    return input->from_folder &&
           (err->status == HD_NOT_A_SNAPSHOT || err->status == HD_UNSUPPORTED);
}

static bool open_one(void *context, size_t i)
{
    struct opening *o = context;
    struct hd_info_entry *entry = &o->entries[i];
    struct hd_read_options how = *o->how;
    *entry = (struct hd_info_entry){.path = o->inputs[i].path, .error = o->inputs[i].error};
    if (entry->error.status != HD_OK) {
        entry->skipped = may_be_skipped(&o->inputs[i], &entry->error);
        return true;
    }
    how.max_memory = (how.max_memory - for_waiting(o)) / o->at_once;
    how.threads = o->each;
    if (how.file != NULL)
        how.file(how.progress_context, i, entry, false);
    entry->snap = hd_snapshot_open(entry->path, &how, &entry->error);
    if (entry->snap != NULL) {
        entry->snap->may_drop = o->count > 1;
        keep_or_drop(o, i);
    } else {
        entry->skipped = may_be_skipped(&o->inputs[i], &entry->error);
    }
    if (how.file != NULL)
        how.file(how.progress_context, i, entry, true);
    return true;
}

/* What was too large for a share of the memory gets all of it, one after the other. */
static void open_large_ones_again(struct opening *o)
{
    if (o->at_once == 1 && o->kept == 0)
        return;
    bool dropped = false;
    o->at_once = 1;
    for (size_t i = 0; i < o->count; i++) {
        struct hd_info_entry *entry = &o->entries[i];
        if (entry->error.status != HD_TOO_BIG || strcmp(entry->path, "-") == 0)
            continue;
        for (size_t k = 0; !dropped && k < o->count; k++)
            if (o->entries[k].snap != NULL)
                snapshot_release_graph(o->entries[k].snap);
        dropped = true;
        o->kept = 0;
        open_one(o, i);
        if (entry->snap != NULL)
            snapshot_release_graph(entry->snap);
    }
}

static void claim_what_is_missed(struct opening *o)
{
    bool *skipped = alloc_zeroed(o->count + 1);
    for (size_t i = 0; i < o->count; i++)
        skipped[i] = o->entries[i].skipped;
    hd_inputs_claim(o->inputs, o->count, skipped);
    for (size_t i = 0; i < o->count; i++)
        o->entries[i].skipped = skipped[i];
    free(skipped);
}

void open_all(struct hd_info_entry *entries, const struct hd_input *inputs, size_t count,
              const struct hd_read_options *how)
{
    struct opening o = {.entries = entries, .inputs = inputs, .count = count, .how = how};
    unsigned threads = how->threads > 0 ? how->threads : 1;
    o.at_once = count < threads ? (count > 0 ? count : 1) : threads;
    o.each = threads / (unsigned)o.at_once;
    pthread_mutex_init(&o.lock, NULL);
    workers_run(count, (unsigned)o.at_once, open_one, &o);
    open_large_ones_again(&o);
    claim_what_is_missed(&o);
    pthread_mutex_destroy(&o.lock);
}
