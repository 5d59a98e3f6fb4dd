#include "heap/digest.h"

static void rename_all(type_id *types, size_t count, const type_id *row_of)
{
    for (size_t i = 0; types != NULL && i < count; i++)
        if (types[i] != NO_TYPE)
            types[i] = row_of[types[i]];
}

static uint64_t *add_numbers(const uint64_t *from, const type_id *row_of, size_t type_count,
                             size_t row_count, struct arena *a)
{
    if (from == NULL)
        return NULL;
    uint64_t *to = arena_array(a, uint64_t, row_count);
    for (size_t i = 0; i < type_count; i++)
        to[row_of[i]] += from[i];
    return to;
}

static struct hd_tally *add_lost(const struct hd_tally *from, const type_id *row_of,
                                 size_t type_count, size_t row_count, struct arena *a)
{
    enum { EACH = HD_GENERATION_COUNT };
    if (from == NULL)
        return NULL;
    struct hd_tally *to = arena_array(a, struct hd_tally, array_bytes(row_count, EACH));
    for (size_t i = 0; i < type_count; i++)
        for (size_t g = 0; g < EACH; g++) {
            to[(size_t)row_of[i] * EACH + g].count += from[i * EACH + g].count;
            to[(size_t)row_of[i] * EACH + g].bytes += from[i * EACH + g].bytes;
        }
    return to;
}

void digest_rename(struct digest *d, const type_id *row_of, size_t type_count,
                   size_t row_count, struct arena *a)
{
    rename_all(d->places.type, d->places.len, row_of);
    rename_all(d->chains.type, d->chains.link_count, row_of);
    rename_all(d->survivors.type, d->survivors.len, row_of);
    rename_all(d->ages.lost_type, d->ages.lost_len, row_of);
    d->retained = add_numbers(d->retained, row_of, type_count, row_count, a);
    d->chains.by_call_sites =
        add_numbers(d->chains.by_call_sites, row_of, type_count, row_count, a);
    d->lost = add_lost(d->lost, row_of, type_count, row_count, a);
}
