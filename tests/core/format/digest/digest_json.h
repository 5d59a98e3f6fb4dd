/* digest_json.h - the unpacked JSON in the file of a digest, for tests that change it. */
#ifndef DIGEST_JSON_H
#define DIGEST_JSON_H

#include "base/input.h"
#include "heapdrift.h"

#include <criterion/criterion.h>

/* The JSON of a snapshot; a heap is reduced first. */
static inline struct hd_memory digest_json_of(struct hd_snapshot *snap)
{
    struct hd_memory packed = {0}, json = {0};
    cr_assert(hd_snapshot_write(snap, "digest", hd_sink_memory(&packed), NULL, NULL));
    struct input_options how = {0};
    struct bytes all;
    struct input *in = input_unpack(packed.bytes, packed.size, &how, NULL);
    cr_assert(in != NULL && input_all(in, &all, NULL));
    struct hd_sink to = hd_sink_memory(&json);
    cr_assert_eq(to.write(to.context, all.data, all.size), 0);
    input_close(in);
    hd_memory_free(&packed);
    return json;
}

#endif
