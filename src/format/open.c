#include "format/open.h"

#include "base/error.h"
#include "format/reader.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static const struct hd_read_options no_options;

static bool checksum(struct input *in, uint64_t *sum, struct hd_error *err)
{
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL)
        return fail(err, HD_IO, "out of memory");
    XXH3_64bits_reset(state);
    struct bytes block;
    bool ok;
    while ((ok = input_next(in, &block, err)) && block.size > 0)
        XXH3_64bits_update(state, block.data, block.size);
    *sum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return ok && input_rewind(in, err);
}

struct hd_snapshot *snapshot_read(struct input *in, const char *path,
                                  const struct hd_read_options *opt, struct hd_error *err)
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
    b.want_graph = !opt->tables_only;
    b.max_memory = opt->max_memory;
    if (opt->size_base > 0)
        b.size_base = opt->size_base;
    uint64_t sum = HD_UNKNOWN;
    if ((opt->checksum && !checksum(in, &sum, err)) || !reader->read(in, &b, err)) {
        builder_abandon(&b);
        return NULL;
    }
    b.snap->info.xxh3 = sum;
    struct hd_snapshot *snap = builder_finish(&b, err);
    if (snap != NULL && opt->drop_graph) {
        graph_free(snap->graph);
        input_close(snap->input);
        snap->graph = NULL;
        snap->input = NULL;
    }
    return snap;
}

/* Inside a zip stand other things too: only what is surely a snapshot counts. */
static bool is_snapshot(struct bytes head)
{
    const struct reader *reader = reader_for(head);
    return reader != NULL && reader->summary != NULL &&
           reader->recognises(head) == RECOGNISED_YES;
}

struct hd_snapshot *hd_snapshot_open(const char *path, const struct hd_read_options *opt,
                                     struct hd_error *err)
{
    if (opt == NULL)
        opt = &no_options;
    struct input_options how = {.wanted = is_snapshot, .max_memory = opt->max_memory};
    struct input *in = input_open(path, &how, err);
    return in != NULL ? snapshot_read(in, path, opt, err) : NULL;
}

struct hd_snapshot *hd_snapshot_from_memory(const void *data, size_t size,
                                            const struct hd_read_options *opt,
                                            struct hd_error *err)
{
    return snapshot_read(input_over(data, size), "-", opt != NULL ? opt : &no_options, err);
}

void hd_snapshot_close(struct hd_snapshot *snap)
{
    snapshot_free(snap);
}

const struct hd_info *hd_snapshot_info(const struct hd_snapshot *snap)
{
    return &snap->info;
}
