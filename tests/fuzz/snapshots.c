/* Snapshots: each part is read, and the readable ones are a series. */
#include "fuzz/questions.h"
#include "fuzz/surfaces.h"

static struct hd_snapshot *open_bytes(size_t number, struct bytes part,
                                      const struct hd_read_options *how,
                                      struct hd_error *err)
{
    (void)number;
    return hd_snapshot_from_memory(part.data, part.size, how, err);
}

void surface_snapshots(struct bytes input)
{
    struct frame f = frame_of(input);
    question_ask_parts(&f, input.size, open_bytes);
}
