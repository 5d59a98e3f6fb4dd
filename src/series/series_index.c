#include "series/series_index.h"

#include "base/hash.h"

#include <string.h>

struct series_slot {
    struct series_row *row;
    UT_hash_handle hh;
};

struct series_index series_index_of(const struct series *s)
{
    struct series_index index = {0};
    for (size_t i = 0; i < s->row_count; i++) {
        struct series_slot *slot = arena_alloc(&index.arena, sizeof(*slot));
        slot->row = &s->rows[i];
        HASH_ADD_KEYPTR(hh, index.slots, slot->row->name, strlen(slot->row->name), slot);
    }
    return index;
}

struct series_row *series_row_named(const struct series_index *index, const char *name)
{
    struct series_slot *slot;
    HASH_FIND_STR(index->slots, name, slot);
    return slot != NULL ? slot->row : NULL;
}

void series_index_free(struct series_index *index)
{
    HASH_CLEAR(hh, index->slots);
    arena_free(&index->arena);
}
