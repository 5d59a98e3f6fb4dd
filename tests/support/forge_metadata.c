#include "support/forge_metadata.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A letter per column: 2 and 4 bytes, (s)trings, (g)uids, (b)lobs; rows of (t)ypes,
 * (f)ields, (m)ethods, (p)arameters; and of several tables, in capitals (below). */
static const char *const columns_of[FORGED_TABLES] = {
    [0x00] = "2sggg", [0x01] = "Rss",    [0x02] = "4ssTfm", [0x03] = "f",
    [0x04] = "2sb",   [0x06] = "422sbp", [0x08] = "22s",    [0x0A] = "Psb",
    [0x0B] = "2Cb",   [0x0C] = "AYb",    [0x1B] = "b",      [0x23] = "22224bssb",
    [0x29] = "tt",    [0x30] = "bgbg",   [0x31] = "db",     [0x33] = "22s",
    [0x36] = "mm",
};

static const struct {
    char letter;
    unsigned bits;
    unsigned char tables[8];
    size_t count;
} several[] = {
    {'R', 2, {0x00, 0x1A, 0x23, 0x01}, 4},
    {'T', 2, {0x02, 0x01, 0x1B}, 3},
    {'P', 3, {0x02, 0x01, 0x1A, 0x06, 0x1B}, 5},
    {'C', 2, {0x04, 0x08, 0x17}, 3},
    {'A', 5, {0x06, 0x04, 0x01, 0x02, 0x08, 0x0A, 0x23, 0x1B}, 8},
    {'Y', 3, {0x06, 0x0A}, 2},
};

static size_t width_of(const struct metadata_forge *f, char letter)
{
    static const struct {
        char letter;
        unsigned char table;
    } one[] = {{'t', 0x02}, {'f', 0x04}, {'m', 0x06}, {'p', 0x08}, {'d', 0x30}};
    if (letter == '2' || letter == '4')
        return letter == '2' ? 2 : 4;
    if (letter == 'm' && f->other_methods > 0xFFFF)
        return 4;
    for (size_t i = 0; i < sizeof(one) / sizeof(*one); i++)
        if (one[i].letter == letter)
            return f->tables[one[i].table].count > 0xFFFF ? 4 : 2;
    for (size_t i = 0; i < sizeof(several) / sizeof(*several); i++) {
        if (several[i].letter != letter)
            continue;
        for (size_t n = 0; n < several[i].count; n++)
            if (f->tables[several[i].tables[n]].count >= 1U << (16 - several[i].bits))
                return 4;
        return 2;
    }
    return f->wide_heaps ? 4 : 2;
}

uint32_t forge_metadata_row(struct metadata_forge *f, unsigned table,
                            const uint32_t columns[FORGED_COLUMNS])
{
    struct forged_rows *t = &f->tables[table];
    t->all = grow(t->all, t->count, &t->cap, sizeof(*t->all));
    memcpy(t->all[t->count], columns, sizeof(*t->all));
    return ++t->count;
}

#define ROW(f, table, ...) \
    forge_metadata_row((f), (table), (const uint32_t[FORGED_COLUMNS]){__VA_ARGS__})

uint32_t forge_string(struct metadata_forge *f, const char *s)
{
    if (f->strings.len == 0)
        text_add_char(&f->strings, '\0');
    if (s[0] == '\0')
        return 0;
    uint32_t at = (uint32_t)f->strings.len;
    text_add(&f->strings, s, strlen(s) + 1);
    return at;
}

uint32_t forge_blob(struct metadata_forge *f, const void *bytes, size_t size)
{
    if (f->blobs.len == 0)
        text_add_char(&f->blobs, '\0');
    uint32_t at = (uint32_t)f->blobs.len;
    if (size >= 0x80)
        text_add_char(&f->blobs, (char)(0x80 | size >> 8));
    text_add_char(&f->blobs, (char)(size & 0xFF));
    text_add(&f->blobs, bytes, size);
    return at;
}

uint32_t forge_type_def(struct metadata_forge *f, const char *space, const char *name)
{
    uint32_t text = forge_string(f, name);
    return ROW(f, 0x02, 0, text, forge_string(f, space), 0, f->tables[0x04].count + 1,
               f->tables[0x06].count + 1);
}

uint32_t forge_field(struct metadata_forge *f, const char *name, const char *signature,
                     size_t size)
{
    uint32_t text = forge_string(f, name);
    return ROW(f, 0x04, 0, text, forge_blob(f, signature, size));
}

uint32_t forge_type_ref(struct metadata_forge *f, uint32_t scope, const char *space,
                        const char *name)
{
    uint32_t text = forge_string(f, name);
    return ROW(f, 0x01, scope, text, forge_string(f, space));
}

void forge_nested(struct metadata_forge *f, uint32_t inner, uint32_t outer)
{
    ROW(f, 0x29, inner, outer);
}

void forge_constant(struct metadata_forge *f, uint32_t field, unsigned element,
                    uint64_t value, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    ROW(f, 0x0B, element, field << 2, forge_blob(f, bytes, size));
}

void forge_attribute(struct metadata_forge *f, uint32_t type_def, const char *space,
                     const char *name)
{
    uint32_t type = forge_type_ref(f, 2, space, name);
    uint32_t constructor =
        ROW(f, 0x0A, type << 3 | 1, forge_string(f, ".ctor"), forge_blob(f, "\x20\0\1", 3));
    ROW(f, 0x0C, type_def << 5 | 3, constructor << 3 | 3, forge_blob(f, "\1\0\0\0", 4));
}

uint32_t forge_method(struct metadata_forge *f, const char *name)
{
    return ROW(f, 0x06, 0, 0, 0, forge_string(f, name));
}

void forge_rows(struct metadata_forge *f, unsigned table, uint32_t count)
{
    while (count-- > 0)
        ROW(f, table, 0);
}

/* --- bytes -----------------------------------------------------------------------------
 */

static void add(struct text *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        text_add_char(to, (char)(value >> 8 * i));
}

static void add_tables(struct text *to, const struct metadata_forge *f)
{
    uint64_t valid = 0;
    for (unsigned n = 0; n < FORGED_TABLES; n++)
        valid |= (uint64_t)(f->tables[n].count > 0) << n;
    add(to, 0, 4);
    add(to, 2, 2);
    add(to, (f->wide_heaps ? 7U : 0U) | (f->extra_data ? 0x40U : 0U), 1);
    add(to, 1, 1);
    add(to, valid, 8);
    add(to, 0, 8);
    for (unsigned n = 0; n < FORGED_TABLES; n++)
        if (f->tables[n].count > 0)
            add(to, f->tables[n].count, 4);
    if (f->extra_data)
        add(to, 0xDEADBEEF, 4);
    for (unsigned n = 0; n < FORGED_TABLES; n++)
        for (uint32_t row = 0; row < f->tables[n].count; row++)
            for (size_t c = 0; columns_of[n][c] != '\0'; c++)
                add(to, f->tables[n].all[row][c], width_of(f, columns_of[n][c]));
}

struct bytes forge_metadata_bytes(struct metadata_forge *f)
{
    const char *names[] = {f->name != NULL ? f->name : "#~", "#Strings", "#Blob", "#Pdb"};
    struct text tables = {0};
    add_tables(&tables, f);
    const struct text *streams[] = {&tables, &f->strings, &f->blobs, &f->symbols};
    size_t at = 16 + 12 + 4;
    const int count = f->symbols.len > 0 ? 4 : 3;
    for (int i = 0; i < count; i++)
        at += 8 + (strlen(names[i]) + 4) / 4 * 4;
    f->out.len = 0;
    text_add(&f->out, "BSJB\1\0\1\0\0\0\0\0\x0C\0\0\0v4.0.30319\0\0\0\0", 30);
    add(&f->out, (uint64_t)count, 2);
    for (int i = 0; i < count; i++) {
        add(&f->out, at, 4);
        add(&f->out, streams[i]->len, 4);
        text_add(&f->out, names[i], strlen(names[i]));
        add(&f->out, 0, 4 - strlen(names[i]) % 4);
        at += streams[i]->len;
    }
    for (int i = 0; i < count; i++)
        text_add(&f->out, streams[i]->data, streams[i]->len);
    text_free(&tables);
    return (struct bytes){(const unsigned char *)f->out.data, f->out.len};
}

void forge_metadata_free(struct metadata_forge *f)
{
    for (unsigned n = 0; n < FORGED_TABLES; n++)
        free(f->tables[n].all);
    text_free(&f->strings);
    text_free(&f->blobs);
    text_free(&f->out);
    text_free(&f->symbols);
    *f = (struct metadata_forge){0};
}

/* --- images ----------------------------------------------------------------------------
 */

static void put(struct text *t, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        t->data[at + i] = (char)(value >> 8 * i);
}

void forge_image(struct text *to, struct bytes metadata, bool is_mapped)
{
    enum { PE = 0x80, SECTION = 0x2000, RAW = 0x200, ROOT = 0x48 };
    size_t content = is_mapped ? SECTION : RAW;
    while (to->len < content)
        text_add_char(to, '\0');
    put(to, 0, 0x5A4D, 2);
    put(to, 0x3C, PE, 4);
    put(to, PE, 0x4550, 4);
    put(to, PE + 6, 1, 2);      /* sections */
    put(to, PE + 20, 0xF0, 2);  /* size of the optional header */
    put(to, PE + 24, 0x20B, 2); /* 64 bits */
    put(to, PE + 24 + 112 + 112, SECTION, 4);
    size_t section = PE + 24 + 0xF0;
    put(to, section + 8, ROOT + metadata.size, 4);
    put(to, section + 12, SECTION, 4);
    put(to, section + 16, ROOT + metadata.size, 4);
    put(to, section + 20, RAW, 4);
    for (int i = 0; i < ROOT; i++) /* the CLI header */
        text_add_char(to, '\0');
    put(to, content + 8, SECTION + ROOT, 4);
    put(to, content + 12, metadata.size, 4);
    text_add(to, metadata.data, metadata.size);
}
