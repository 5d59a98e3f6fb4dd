#include "support/forge_symbols.h"

#include <string.h>

static void add(struct text *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        text_add_char(to, (char)(value >> 8 * i));
}

/* ECMA-335, II.23.2. */
static void add_unsigned(struct text *to, uint32_t n)
{
    if (n < 0x80) {
        text_add_char(to, (char)n);
    } else if (n < 0x4000) {
        text_add_char(to, (char)(0x80 | n >> 8));
        text_add_char(to, (char)n);
    } else {
        text_add_char(to, (char)(0xC0 | n >> 24));
        text_add_char(to, (char)(n >> 16));
        text_add_char(to, (char)(n >> 8));
        text_add_char(to, (char)n);
    }
}

static void add_signed(struct text *to, int32_t n)
{
    unsigned bits = n >= -64 && n < 64 ? 7 : n >= -8192 && n < 8192 ? 14 : 29;
    uint32_t low = (uint32_t)n & ((1U << (bits - 1)) - 1);
    uint32_t turned = low << 1 | (n < 0);
    if (bits == 7) {
        text_add_char(to, (char)turned);
    } else if (bits == 14) {
        text_add_char(to, (char)(0x80 | turned >> 8));
        text_add_char(to, (char)turned);
    } else {
        text_add_char(to, (char)(0xC0 | turned >> 24));
        text_add_char(to, (char)(turned >> 16));
        text_add_char(to, (char)(turned >> 8));
        text_add_char(to, (char)turned);
    }
}

void forge_symbols_id(struct metadata_forge *f, const unsigned char id[FORGED_ID])
{
    text_add(&f->symbols, id, FORGED_ID);
    add(&f->symbols, 0, 4);                     /* entry point */
    add(&f->symbols, 1 << 0x06 | 1 << 0x02, 8); /* other tables */
    add(&f->symbols, 4, 4);
    add(&f->symbols, f->other_methods, 4);
}

uint32_t forge_document(struct metadata_forge *f, char separator, const char *const *parts)
{
    struct text name = {0};
    text_add_char(&name, separator);
    for (; *parts != NULL; parts++)
        add_unsigned(&name, forge_blob(f, *parts, strlen(*parts)));
    const uint32_t row[FORGED_COLUMNS] = {forge_blob(f, name.data, name.len)};
    text_free(&name);
    return forge_metadata_row(f, 0x30, row);
}

void forge_points_begin(struct forged_points *p, uint32_t document)
{
    *p = (struct forged_points){.line = 0};
    add_unsigned(&p->blob, 0); /* local signature */
    if (document != 0)
        add_unsigned(&p->blob, document);
}

static void add_offset(struct forged_points *p, uint32_t offset)
{
    add_unsigned(&p->blob, p->has_points ? offset - p->offset : offset);
    p->offset = offset;
    p->has_points = true;
}

void forge_point(struct forged_points *p, uint32_t offset, uint32_t line, uint32_t lines)
{
    enum { COLUMN = 9, COLUMNS = 5 };
    add_offset(p, offset);
    add_unsigned(&p->blob, lines);
    if (lines == 0)
        add_unsigned(&p->blob, COLUMNS);
    else
        add_signed(&p->blob, -COLUMNS);
    if (p->has_line) {
        add_signed(&p->blob, (int32_t)(line - p->line));
        add_signed(&p->blob, 0);
    } else {
        add_unsigned(&p->blob, line);
        add_unsigned(&p->blob, COLUMN);
    }
    p->line = line;
    p->has_line = true;
}

void forge_hidden_point(struct forged_points *p, uint32_t offset)
{
    add_offset(p, offset);
    add_unsigned(&p->blob, 0);
    add_unsigned(&p->blob, 0);
}

void forge_points_document(struct forged_points *p, uint32_t document)
{
    add_unsigned(&p->blob, 0);
    add_unsigned(&p->blob, document);
}

void forge_method_points(struct metadata_forge *f, uint32_t document,
                         struct forged_points *p)
{
    const uint32_t row[FORGED_COLUMNS] = {document,
                                          forge_blob(f, p->blob.data, p->blob.len)};
    forge_metadata_row(f, 0x31, row);
    text_free(&p->blob);
}

void forge_state_machine(struct metadata_forge *f, uint32_t code, uint32_t method)
{
    const uint32_t row[FORGED_COLUMNS] = {code, method};
    forge_metadata_row(f, 0x36, row);
}

/* --- images ------------------------------------------------------------------------ */

static void put(struct text *t, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        t->data[at + i] = (char)(value >> 8 * i);
}

static void add_entry(struct text *to, const unsigned char *time, uint32_t type,
                      size_t size, size_t at)
{
    add(to, 0, 4);
    text_add(to, time, 4);
    add(to, 0, 4); /* version */
    add(to, type, 4);
    add(to, size, 4);
    add(to, 0, 4);
    add(to, at, 4);
}

void forge_debug_directory(struct text *image, const unsigned char id[FORGED_ID],
                           struct bytes embedded)
{
    enum { PE = 0x80, SECTION = 0x2000, RAW = 0x200, ENTRY = 28, GUID = 16, DEBUG = 6 };
    enum { CODE_VIEW = 2, EMBEDDED = 17, MAX_STORED = 0xFFFF };
    static const char path[] = "/build/Shop.pdb";
    static const unsigned char no_time[4];
    const bool has_file = embedded.size > 0;
    const size_t at = image->len, count = has_file ? 2 : 1;
    size_t view = at + ENTRY * count, view_size = 4 + GUID + 4 + sizeof(path);
    size_t blocks = (embedded.size + MAX_STORED - 1) / MAX_STORED;
    size_t file_size = 8 + embedded.size + 5 * blocks;
    add_entry(image, id + GUID, CODE_VIEW, view_size, view);
    if (has_file)
        add_entry(image, no_time, EMBEDDED, file_size, view + view_size);
    text_add_string(image, "RSDS");
    text_add(image, id, GUID);
    add(image, 1, 4);
    text_add(image, path, sizeof(path));
    if (has_file) {
        text_add_string(image, "MPDB");
        add(image, embedded.size, 4);
    }
    for (size_t done = 0; done < embedded.size;) {
        size_t left = embedded.size - done, part = left < MAX_STORED ? left : MAX_STORED;
        add(image, part == left, 1);
        add(image, part, 2);
        add(image, ~part, 2);
        text_add(image, embedded.data + done, part);
        done += part;
    }
    size_t section = PE + 24 + 0xF0;
    put(image, section + 8, image->len - RAW, 4);
    put(image, section + 16, image->len - RAW, 4);
    put(image, PE + 24 + 112 + 8 * DEBUG, SECTION + (at - RAW), 4);
    put(image, PE + 24 + 112 + 8 * DEBUG + 4, ENTRY * count, 4);
}
