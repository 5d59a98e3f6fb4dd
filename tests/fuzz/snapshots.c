/* Snapshots: each part is read, and what could be read is one series. */
#include "fuzz/questions.h"
#include "fuzz/surfaces.h"

void surface_snapshots(struct bytes input)
{
    struct frame f = frame_of(input);
    struct hd_read_options how = question_reading(f.head, input.size);
    struct hd_snapshot *snaps[FRAME_PARTS];
    size_t count = 0;
    for (size_t i = 0; i < f.count; i++) {
        struct bytes part = frame_part(&f, i);
        struct hd_error err = {0};
        snaps[count] = hd_snapshot_from_memory(part.data, part.size, &how, &err);
        if (snaps[count] != NULL)
            count++;
        else
            question_check_error(&err);
    }
    if (count > 0)
        question_ask(f.head, snaps, count);
    while (count > 0)
        hd_snapshot_close(snaps[--count]);
}
