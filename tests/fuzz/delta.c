/* A digest as a delta, as in a store: zstd, and the checks of its output. Bytes changed by
 * an engine are hardly ever a frame, so frames are made from them. */
#include "fuzz/frame.h"
#include "fuzz/meter.h"
#include "fuzz/surfaces.h"

#include "fleet/store/store.h"

#include <stdlib.h>
#include <string.h>

enum { AS_IT_IS, MADE, CHANGED, WAYS, MAX_MEMORY = 32 << 20 };

/* Changes one byte; two others give its offset. */
static void change(struct hd_memory *delta, struct bytes by)
{
    if (by.size >= 3 && delta->size > 0)
        delta->bytes[(by.data[0] | (size_t)by.data[1] << 8) % delta->size] ^=
            (char)by.data[2];
}

void surface_delta(struct bytes input)
{
    struct frame f = frame_of(input);
    struct bytes base = frame_part(&f, 0), rest = frame_part(&f, 1);
    struct account account = {.limit = MAX_MEMORY};
    struct hd_memory delta = {0}, whole = {0};
    struct hd_error err = {0};
    unsigned how = f.head[0] % WAYS;
    meter_pause(); /* making the delta is not the tested surface */
    if (how != AS_IT_IS && !delta_make(rest, base, &delta))
        abort();
    if (how == CHANGED)
        change(&delta, frame_part(&f, 2));
    meter_go_on();
    struct bytes it =
        how == AS_IT_IS ? rest : (struct bytes){(unsigned char *)delta.bytes, delta.size};
    bool ok = delta_apply(it, base, &account, &whole, &err);
    if (ok != (err.message[0] == '\0') || strchr(err.message, '\n') != NULL)
        abort();
    if (how == MADE && (!ok || whole.size != rest.size ||
                        (rest.size > 0 && memcmp(whole.bytes, rest.data, rest.size) != 0)))
        abort();
    hd_memory_free(&delta);
    hd_memory_free(&whole);
}
