#include "format/text_usual.h"

#include <string.h>

void usual_begin(struct usual *u, struct section *section)
{
    memset(u->slots, 0, sizeof(u->slots));
    u->section = section;
    /* No slot may seem to hold the type of id 0; that of another id does not. */
    usual_slot_of(u, 0)->id = 1;
}

void usual_flush(struct usual *u)
{
    for (size_t i = 0; i < USUAL_SLOTS; i++) {
        struct usual_slot *slot = &u->slots[i];
        if (slot->count > 0)
            section_count_more(u->section, slot->number, slot->count, slot->bytes);
        slot->count = slot->bytes = 0;
    }
}

bool usual_sizes_have_letters(const struct usual *u)
{
    return (u->sizes & 0x4040404040404040) != 0;
}

/* The section gets the first object at once, so it knows the line, whatever comes there
 * before the slot is flushed. */
void usual_new_type(struct usual *u, struct usual_slot *slot, uint64_t id, uint64_t bytes,
                    uint64_t line)
{
    if (slot->count > 0)
        section_count_more(u->section, slot->number, slot->count, slot->bytes);
    *slot = (struct usual_slot){.id = id,
                                .number = section_count(u->section, id, 1, bytes, line)};
}
