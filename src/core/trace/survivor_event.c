#include "trace/nettrace.h"

#include "base/little_endian.h"

#include <string.h>

/* Events of the runtime have 64 KiB at most, and who reads them may know no more. */
enum { PART_HEAD = 8, MAX_OF_PART = 60 * 1024 - PART_HEAD };

/* --- values -------------------------------------------------------------------------- */

static void put_number(struct text *t, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        text_add_char(t, (char)(unsigned char)(value >> 8 * i));
}

static void put_wide(struct text *t, const char *ascii)
{
    do
        put_number(t, (unsigned char)*ascii, 2);
    while (*ascii++ != '\0');
}

static void put_varuint(struct text *t, uint64_t value)
{
    for (; value > 0x7F; value >>= 7)
        put_number(t, (value & 0x7F) | 0x80, 1);
    put_number(t, value, 1);
}

/* --- blocks -------------------------------------------------------------------------- */

/* to begins at that offset of the file. What is in it, with the head of a block of events,
 * is used up. */
static void put_block(struct text *to, uint64_t at, const char *name, uint64_t time,
                      struct text *rows)
{
    enum { VERSION = 2, HEAD = 20, COMPRESSED = 1 };
    text_add(to, "\5\5\1", 3);
    put_number(to, VERSION, 4);
    put_number(to, VERSION, 4);
    put_number(to, strlen(name), 4);
    text_add_string(to, name);
    put_number(to, 6, 1);
    put_number(to, HEAD + rows->len, 4);
    while ((at + to->len) % 4 != 0)
        put_number(to, 0, 1);
    put_number(to, HEAD, 2);
    put_number(to, COMPRESSED, 2);
    put_number(to, time, 8);
    put_number(to, time, 8);
    text_add(to, rows->data, rows->len);
    put_number(to, 6, 1);
    text_free(rows);
}

enum { METADATA = 1, CAPTURE = 2, THREAD = 4, SIZE = 128 };

static void put_definition(struct text *rows, uint32_t number)
{
    enum { INFORMATIONAL = 4 };
    struct text record = {0};
    put_number(&record, number, 4);
    put_wide(&record, TOLD_EVENT_PROVIDER);
    put_number(&record, TOLD_EVENT_ID, 4);
    put_wide(&record, "Same");
    put_number(&record, 0, 8); /* keywords */
    put_number(&record, 1, 4); /* version */
    put_number(&record, INFORMATIONAL, 4);
    put_number(&record, 0,
               4); /* fields: as those of the runtime itself none are described */
    put_number(rows, SIZE, 1);
    put_varuint(rows, 0); /* time */
    put_varuint(rows, record.len);
    text_add(rows, record.data, record.len);
    text_free(&record);
}

/* A row counts from one of zeros. No thread has its number: a system's begin at 1, and end
 * long before. */
static void put_event(struct text *rows, const struct survivor_event_place *place,
                      uint32_t part, uint32_t parts, struct bytes told)
{
    enum { NO_THREAD = INT32_MAX };
    put_number(rows, METADATA | CAPTURE | THREAD | SIZE, 1);
    put_varuint(rows, place->definition);
    put_varuint(rows, part); /* the first has number 1 */
    put_varuint(rows, NO_THREAD);
    put_varuint(rows, 0); /* processor */
    put_varuint(rows, NO_THREAD);
    put_varuint(rows, place->time);
    put_varuint(rows, PART_HEAD + told.size);
    put_number(rows, part, 4);
    put_number(rows, parts, 4);
    text_add(rows, told.data, told.size);
}

void survivor_event_put(struct text *to, const struct survivor_event_place *place,
                        const char *told, size_t len)
{
    enum { END = 1 };
    struct text rows = {0};
    uint32_t parts = (uint32_t)((len + MAX_OF_PART - 1) / MAX_OF_PART);
    put_definition(&rows, place->definition);
    put_block(to, place->at, "MetadataBlock", place->time, &rows);
    for (uint32_t i = 0; i < parts; i++) {
        size_t begin = (size_t)i * MAX_OF_PART;
        size_t size = len - begin < MAX_OF_PART ? len - begin : MAX_OF_PART;
        const struct bytes part = {(const unsigned char *)told + begin, size};
        put_event(&rows, place, i, parts, part);
        put_block(to, place->at, "EventBlock", place->time, &rows);
    }
    put_number(to, END, 1);
}

/* --- reading ------------------------------------------------------------------------- */

void survivor_event_add(struct survivor_event *t, struct bytes payload, uint64_t most,
                        struct account *account)
{
    size_t size = payload.size - PART_HEAD;
    if (t->damaged || payload.size <= PART_HEAD || le_u32(payload.data) != t->next ||
        le_u32(payload.data + 4) <= t->next ||
        (t->next > 0 && le_u32(payload.data + 4) != t->parts) || size > most ||
        t->told.len > most - size) {
        t->damaged = true;
        return;
    }
    t->parts = le_u32(payload.data + 4);
    t->next++;
    account_charge(account, size);
    text_add(&t->told, payload.data + PART_HEAD, size);
}

bool survivor_event_is_whole(const struct survivor_event *t)
{
    return !t->damaged && t->next > 0 && t->next == t->parts;
}

void survivor_event_free(struct survivor_event *t, struct account *account)
{
    account_release(account, t->told.len);
    text_free(&t->told);
}
