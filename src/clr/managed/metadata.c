/* Locates and reads the tables of metadata. */
#include "clr/managed/metadata.h"

#include "base/arrays.h"
#include "clr/process/pe_image.h"

#include <stdlib.h>
#include <string.h>

/* --- images -------------------------------------------------------------------- */

/* Locates the metadata of an image in memory: PE headers, the CLI header, the root.
 *
 * An image is mapped by section, or flat as its file; the location of the root shows which.
 * II.25. */

static struct memory_piece take_root(const struct pe_image *image, uint64_t address,
                                     uint32_t size, struct arena *a)
{
    const struct memory_piece none = {0};
    struct bytes there = memory_from(image->memory, address);
    if (there.size < 4 || memcmp(there.data, "BSJB", 4) != 0)
        return none;
    if (there.size >= size)
        return (struct memory_piece){address, size, there.data};
    /* In several pieces: determine the size before allocating. */
    uint64_t end = address + there.size;
    for (size_t more; end - address < size; end += more)
        if ((more = memory_from(image->memory, end).size) == 0)
            break;
    uint64_t whole = end - address < size ? end - address : size;
    unsigned char *copy = arena_alloc(a, (size_t)whole);
    bool before = memory_look_away(image->memory, true);
    bool ok = memory_copy(image->memory, address, copy, (size_t)whole);
    memory_look_away(image->memory, before);
    return ok ? (struct memory_piece){address, whole, copy} : none;
}

/* Computes the possible addresses of a directory or the CLI header, by section and flat;
 * returns their number. */
static size_t metadata_places_of(const struct pe_image *image, uint32_t relative,
                                 uint64_t at[2])
{
    uint32_t offset;
    bool is_both = pe_in_file(image, relative, &offset) && offset != relative;
    at[0] = image->base + relative;
    at[1] = is_both ? image->base + offset : 0;
    return is_both ? 2 : 1;
}

struct memory_piece metadata_of_image(const struct memory *memory, uint64_t base,
                                      uint64_t most, struct arena *a)
{
    enum { METADATA = 8 }; /* in the CLI header: address, size */
    const struct memory_piece none = {0};
    struct pe_image image;
    if (!pe_image_at(&image, memory, base))
        return none;
    struct pe_range header = pe_directory(&image, PE_CLI_HEADER);
    if (header.at == 0)
        return none;
    uint64_t headers[2], roots[2];
    size_t count = metadata_places_of(&image, header.at, headers);
    for (size_t i = 0; i < count; i++) {
        bool ok = true;
        uint32_t root = memory_u32(memory, headers[i] + METADATA, &ok);
        uint32_t size = memory_u32(memory, headers[i] + METADATA + 4, &ok);
        size_t root_count = metadata_places_of(&image, root, roots);
        for (size_t n = 0; ok && size <= most && n < root_count; n++) {
            struct memory_piece found = take_root(&image, roots[n], size, a);
            if (found.bytes != NULL)
                return found;
        }
    }
    return none;
}

/* --- metadata schema ----------------------------------------------------------- */

/* Which columns the tables of metadata have, and how wide they are (ECMA-335, II.22). It
 * must not know what they mean. The widths of all columns follow from the counts of rows
 * and three bits (II.24.2.6), so the schema is all that has to be known. */

struct metadata_reader {
    struct metadata *m;
    struct bytes tables; /* the stream; as its header has them: */
    uint32_t rows[64];
    uint32_t elsewhere[64]; /* rows of tables of the module that symbols are of */
    uint8_t wide_heaps;
};

/* Kinds of columns. TABLE(n) is a row of table n, CODED(n) one of several tables. */
enum { END, U2, U4, STRING, GUID, BLOB };
#define TABLE(n) (0x40 | (n))
#define CODED(n) (0x80 | (n))

enum coded {
    TYPE_DEF_OR_REF,
    HAS_CONSTANT,
    HAS_CUSTOM_ATTRIBUTE,
    HAS_FIELD_MARSHAL,
    HAS_DECL_SECURITY,
    MEMBER_REF_PARENT,
    HAS_SEMANTICS,
    METHOD_DEF_OR_REF,
    MEMBER_FORWARDED,
    IMPLEMENTATION,
    CUSTOM_ATTRIBUTE_TYPE,
    RESOLUTION_SCOPE,
    TYPE_OR_METHOD_DEF,
    CODED_KINDS
};

enum { NO_TABLE = 0xFF, MAX_CODED = 22 };

static const struct {
    uint8_t bits, len, tables[MAX_CODED];
} coded_kinds[CODED_KINDS] = {
    [TYPE_DEF_OR_REF] = {2, 3, {0x02, 0x01, 0x1B}},
    [HAS_CONSTANT] = {2, 3, {0x04, 0x08, 0x17}},
    [HAS_CUSTOM_ATTRIBUTE] = {5, 22, {0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00,
                                      0x0E, 0x17, 0x14, 0x11, 0x1A, 0x1B, 0x20, 0x23,
                                      0x26, 0x27, 0x28, 0x2A, 0x2C, 0x2B}},
    [HAS_FIELD_MARSHAL] = {1, 2, {0x04, 0x08}},
    [HAS_DECL_SECURITY] = {2, 3, {0x02, 0x06, 0x20}},
    [MEMBER_REF_PARENT] = {3, 5, {0x02, 0x01, 0x1A, 0x06, 0x1B}},
    [HAS_SEMANTICS] = {1, 2, {0x14, 0x17}},
    [METHOD_DEF_OR_REF] = {1, 2, {0x06, 0x0A}},
    [MEMBER_FORWARDED] = {1, 2, {0x04, 0x06}},
    [IMPLEMENTATION] = {2, 3, {0x26, 0x23, 0x27}},
    [CUSTOM_ATTRIBUTE_TYPE] = {3, 4, {NO_TABLE, NO_TABLE, 0x06, 0x0A}},
    [RESOLUTION_SCOPE] = {2, 4, {0x00, 0x1A, 0x23, 0x01}},
    [TYPE_OR_METHOD_DEF] = {1, 2, {0x02, 0x06}},
};

static const uint8_t schema[METADATA_TABLES][METADATA_COLUMNS + 1] = {
    [0x00] = {U2, STRING, GUID, GUID, GUID},
    [0x01] = {CODED(RESOLUTION_SCOPE), STRING, STRING},
    [0x02] = {U4, STRING, STRING, CODED(TYPE_DEF_OR_REF), TABLE(0x04), TABLE(0x06)},
    [0x03] = {TABLE(0x04)},
    [0x04] = {U2, STRING, BLOB},
    [0x05] = {TABLE(0x06)},
    [0x06] = {U4, U2, U2, STRING, BLOB, TABLE(0x08)},
    [0x07] = {TABLE(0x08)},
    [0x08] = {U2, U2, STRING},
    [0x09] = {TABLE(0x02), CODED(TYPE_DEF_OR_REF)},
    [0x0A] = {CODED(MEMBER_REF_PARENT), STRING, BLOB},
    [0x0B] = {U2, CODED(HAS_CONSTANT), BLOB},
    [0x0C] = {CODED(HAS_CUSTOM_ATTRIBUTE), CODED(CUSTOM_ATTRIBUTE_TYPE), BLOB},
    [0x0D] = {CODED(HAS_FIELD_MARSHAL), BLOB},
    [0x0E] = {U2, CODED(HAS_DECL_SECURITY), BLOB},
    [0x0F] = {U2, U4, TABLE(0x02)},
    [0x10] = {U4, TABLE(0x04)},
    [0x11] = {BLOB},
    [0x12] = {TABLE(0x02), TABLE(0x14)},
    [0x13] = {TABLE(0x14)},
    [0x14] = {U2, STRING, CODED(TYPE_DEF_OR_REF)},
    [0x15] = {TABLE(0x02), TABLE(0x17)},
    [0x16] = {TABLE(0x17)},
    [0x17] = {U2, STRING, BLOB},
    [0x18] = {U2, TABLE(0x06), CODED(HAS_SEMANTICS)},
    [0x19] = {TABLE(0x02), CODED(METHOD_DEF_OR_REF), CODED(METHOD_DEF_OR_REF)},
    [0x1A] = {STRING},
    [0x1B] = {BLOB},
    [0x1C] = {U2, CODED(MEMBER_FORWARDED), STRING, TABLE(0x1A)},
    [0x1D] = {U4, TABLE(0x04)},
    [0x1E] = {U4, U4},
    [0x1F] = {U4},
    [0x20] = {U4, U2, U2, U2, U2, U4, BLOB, STRING, STRING},
    [0x21] = {U4},
    [0x22] = {U4, U4, U4},
    [0x23] = {U2, U2, U2, U2, U4, BLOB, STRING, STRING, BLOB},
    [0x24] = {U4, TABLE(0x23)},
    [0x25] = {U4, U4, U4, TABLE(0x23)},
    [0x26] = {U4, STRING, BLOB},
    [0x27] = {U4, U4, STRING, STRING, CODED(IMPLEMENTATION)},
    [0x28] = {U4, U4, STRING, CODED(IMPLEMENTATION)},
    [0x29] = {TABLE(0x02), TABLE(0x02)},
    [0x2A] = {U2, U2, CODED(TYPE_OR_METHOD_DEF), STRING},
    [0x2B] = {CODED(METHOD_DEF_OR_REF), BLOB},
    [0x2C] = {TABLE(0x2A), CODED(TYPE_DEF_OR_REF)},
    [0x30] = {BLOB, GUID, BLOB, GUID},
    [0x31] = {TABLE(0x30), BLOB},
    [0x32] = {TABLE(0x06), TABLE(0x35), TABLE(0x33), TABLE(0x34), U4, U4},
    [0x33] = {U2, U2, STRING},
    [0x34] = {STRING, BLOB},
    [0x35] = {TABLE(0x35), BLOB},
    [0x36] = {TABLE(0x06), TABLE(0x06)},
};

static uint32_t rows_of(const struct metadata_reader *o, unsigned table)
{
    return o->rows[table] > o->elsewhere[table] ? o->rows[table] : o->elsewhere[table];
}

static uint8_t width_of(const struct metadata_reader *o, uint8_t kind)
{
    enum { WIDE_STRINGS = 1, WIDE_GUIDS = 2, WIDE_BLOBS = 4 };
    if (kind & CODED(0)) {
        unsigned n = kind & 0x7FU;
        uint64_t most = 0;
        for (unsigned i = 0; i < coded_kinds[n].len; i++) {
            uint8_t table = coded_kinds[n].tables[i];
            if (table != NO_TABLE && rows_of(o, table) > most)
                most = rows_of(o, table);
        }
        return most < 1U << (16 - coded_kinds[n].bits) ? 2 : 4;
    }
    if (kind & TABLE(0))
        return rows_of(o, kind & 0x3FU) <= UINT16_MAX ? 2 : 4;
    uint8_t wide = kind == STRING ? WIDE_STRINGS
                   : kind == GUID ? WIDE_GUIDS
                   : kind == BLOB ? WIDE_BLOBS
                                  : 0;
    return kind == U4 || (o->wide_heaps & wide) ? 4 : 2;
}

/* --- tables -------------------------------------------------------------------- */

/* Columns that are read, and those by which tables are sorted. */
enum {
    TYPE_REF_SCOPE = 0,
    TYPE_REF_NAME = 1,
    TYPE_REF_SPACE = 2,
    TYPE_DEF_NAME = 1,
    TYPE_DEF_SPACE = 2,
    TYPE_DEF_FIELDS = 4,
    TYPE_DEF_METHODS = 5,
    FIELD_FLAGS = 0,
    FIELD_NAME = 1,
    FIELD_SIGNATURE = 2,
    METHOD_CODE = 0,
    METHOD_NAME = 3,
    MEMBER_REF_CLASS = 0,
    CONSTANT_TYPE = 0,
    CONSTANT_PARENT = 1,
    CONSTANT_VALUE = 2,
    ATTRIBUTE_PARENT = 0,
    ATTRIBUTE_TYPE = 1,
    ATTRIBUTE_VALUE = 2,
    NESTED_INNER = 0,
    NESTED_OUTER = 1,
    DOCUMENT_NAME = 0,
    DEBUG_DOCUMENT = 0,
    DEBUG_POINTS = 1,
    MACHINE_CODE = 0,
    MACHINE_METHOD = 1
};

/* --- opening ------------------------------------------------------------------- */

/* Records reads; cells, strings and blobs individually, since constants and arguments of
 * attributes are among them. */
static inline void see(const struct metadata *m, const unsigned char *bytes, size_t size)
{
    if (m->memory != NULL)
        memory_note(m->memory, m->where.address + (uint64_t)(bytes - m->where.bytes), size);
}

/* Locates the rows of each table; a truncated table has the existing ones. */
static void place_tables(struct metadata_reader *o, size_t at)
{
    for (unsigned n = 0; n < METADATA_TABLES; n++) {
        struct metadata_table *t = &o->m->tables[n];
        for (unsigned c = 0; c < METADATA_COLUMNS && schema[n][c] != END; c++) {
            t->at[c] = (uint8_t)t->row_size;
            t->width[c] = width_of(o, schema[n][c]);
            t->row_size += t->width[c];
        }
        size_t left = o->tables.size - at;
        if (t->row_size == 0) { /* a number without a table */
            at = o->rows[n] == 0 ? at : o->tables.size;
            continue;
        }
        size_t there = left / t->row_size;
        t->count = o->rows[n] < there ? o->rows[n] : (uint32_t)there;
        t->rows = o->tables.data + at;
        uint64_t size = (uint64_t)o->rows[n] * t->row_size;
        at = size < left ? at + (size_t)size : o->tables.size;
    }
}

/* In the stream #Pdb: an id of 20 bytes, u32, a bit for each table, and counts of rows. */
static void read_elsewhere(struct metadata_reader *o)
{
    enum { VALID = 24, COUNTS = 32 };
    struct bytes s = o->m->symbols;
    if (s.size < COUNTS)
        return;
    uint64_t valid = le_u64(s.data + VALID);
    size_t at = COUNTS;
    for (unsigned n = 0; n < 64 && s.size - at >= 4; n++)
        if (valid >> n & 1) {
            o->elsewhere[n] = le_u32(s.data + at);
            at += 4;
        }
}

static bool read_header(struct metadata_reader *o)
{
    enum { HEAP_SIZES = 6, VALID = 8, COUNTS = 24, EXTRA_DATA = 0x40 };
    if (o->tables.size < COUNTS)
        return false;
    read_elsewhere(o);
    o->wide_heaps = o->tables.data[HEAP_SIZES];
    uint64_t valid = le_u64(o->tables.data + VALID);
    size_t at = COUNTS;
    for (unsigned n = 0; n < 64; n++) {
        if (!(valid >> n & 1))
            continue;
        if (o->tables.size - at < 4)
            return false;
        o->rows[n] = le_u32(o->tables.data + at);
        at += 4;
    }
    see(o->m, o->tables.data, at);
    if (o->wide_heaps & EXTRA_DATA)
        at += o->tables.size - at < 4 ? o->tables.size - at : 4;
    place_tables(o, at);
    return true;
}

/* The root: signature, versions, length and text of the version, flags, streams. */
static bool find_streams(struct metadata_reader *o, struct bytes blob)
{
    enum { VERSION_LENGTH = 12, VERSION = 16, MAX_NAME = 32 };
    if (blob.size < VERSION || memcmp(blob.data, "BSJB", 4) != 0)
        return false;
    uint32_t version = le_u32(blob.data + VERSION_LENGTH);
    if (version > blob.size - VERSION || blob.size - VERSION - version < 4)
        return false;
    size_t at = VERSION + version;
    uint16_t count = le_u16(blob.data + at + 2);
    at += 4;
    for (uint16_t i = 0; i < count; i++) {
        if (blob.size - at < 8)
            return false;
        const unsigned char *header = blob.data + at;
        const char *name = (const char *)header + 8;
        size_t left = blob.size - at - 8;
        size_t len = strnlen(name, left < MAX_NAME ? left : MAX_NAME);
        if (len == left || len == MAX_NAME)
            return false;
        /* Truncated at the end of the memory. */
        struct bytes stream = bytes_within(blob, le_u32(header), le_u32(header + 4));
        if (strcmp(name, "#~") == 0 || strcmp(name, "#-") == 0)
            o->tables = stream;
        else if (strcmp(name, "#Strings") == 0)
            o->m->strings = stream;
        else if (strcmp(name, "#Blob") == 0)
            o->m->blobs = stream;
        else if (strcmp(name, "#Pdb") == 0)
            o->m->symbols = stream;
        size_t step = 8 + (len + 4) / 4 * 4;
        at = step < blob.size - at ? at + step : blob.size;
    }
    see(o->m, blob.data, at);
    return o->tables.data != NULL;
}

/* --- cells --------------------------------------------------------------------- */

static uint32_t cell(const struct metadata *m, unsigned table, uint32_t row,
                     unsigned column)
{
    const struct metadata_table *t = &m->tables[table];
    if (row == 0 || row > t->count)
        return 0;
    const unsigned char *p = t->rows + (size_t)(row - 1) * t->row_size + t->at[column];
    see(m, p, t->width[column]);
    return t->width[column] == 2 ? le_u16(p) : le_u32(p);
}

/* A loader takes names of 1023 bytes; so a heap without an end costs no more. */
static const char *string_at(const struct metadata *m, uint32_t offset)
{
    enum { MAX_STRING = 2048 };
    if (offset >= m->strings.size)
        return "";
    const char *s = (const char *)m->strings.data + offset;
    size_t left = m->strings.size - offset, most = left < MAX_STRING ? left : MAX_STRING;
    size_t len = strnlen(s, most);
    if (len == most)
        return "";
    see(m, m->strings.data + offset, len + 1);
    return s;
}

static struct bytes blob_at(const struct metadata *m, uint32_t offset)
{
    size_t at = offset;
    uint32_t size;
    if (offset == 0 || offset >= m->blobs.size || !metadata_number(m->blobs, &at, &size) ||
        size > m->blobs.size - at)
        return (struct bytes){0};
    see(m, m->blobs.data + offset, at - offset + size);
    return (struct bytes){m->blobs.data + at, size};
}

bool metadata_number(struct bytes s, size_t *at, uint32_t *number)
{
    size_t left = *at < s.size ? s.size - *at : 0;
    const unsigned char *p = left > 0 ? s.data + *at : NULL;
    size_t len = left == 0 ? 0 : p[0] < 0x80 ? 1 : p[0] < 0xC0 ? 2 : p[0] < 0xE0 ? 4 : 0;
    *number = 0;
    if (len == 0 || len > left) {
        *at = s.size;
        return false;
    }
    *number = len == 1 ? p[0] : p[0] & (len == 2 ? 0x3F : 0x1F);
    for (size_t i = 1; i < len; i++)
        *number = *number << 8 | p[i];
    *at += len;
    return true;
}

enum metadata_table_number metadata_type_token(uint32_t coded, uint32_t *row)
{
    static const enum metadata_table_number tables[] = {
        METADATA_TYPE_DEF, METADATA_TYPE_REF, METADATA_TYPE_SPEC, METADATA_TABLES};
    *row = coded >> 2;
    return tables[coded & 3];
}

/* --- tables that are searched -------------------------------------------------- */

/* Key of a table that should be sorted by it. */
struct metadata_key {
    const struct metadata *m;
    unsigned table, column;
    uint32_t wanted;
};

static uint32_t row_at(const struct metadata_key *k, size_t i)
{
    const uint32_t *sorted = k->m->tables[k->table].sorted;
    return sorted != NULL ? sorted[i] : (uint32_t)i + 1;
}

static bool key_before(const void *all, size_t i, const void *wanted)
{
    (void)all;
    const struct metadata_key *k = wanted;
    return cell(k->m, k->table, row_at(k, i), k->column) < k->wanted;
}

/* Returns the first index with the key, in its order, or the number of rows. */
static size_t find_key(const struct metadata_key *k)
{
    size_t count = k->m->tables[k->table].count;
    size_t i = search_first(NULL, 0, count, key_before, k);
    if (i < count && cell(k->m, k->table, row_at(k, i), k->column) == k->wanted)
        return i;
    return count;
}

struct keyed {
    uint32_t key, row;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    return x->key != y->key ? compare_numbers(x->key, y->key)
                            : compare_numbers(x->row, y->row);
}

static void sort_table(struct metadata *m, unsigned table, unsigned column, struct arena *a)
{
    struct metadata_table *t = &m->tables[table];
    bool is_sorted = true;
    for (uint32_t row = 2; row <= t->count && is_sorted; row++)
        is_sorted = cell(m, table, row - 1, column) <= cell(m, table, row, column);
    if (is_sorted)
        return;
    struct keyed *all = alloc_resize(NULL, array_bytes(t->count, sizeof(*all)));
    for (uint32_t row = 1; row <= t->count; row++)
        all[row - 1] = (struct keyed){cell(m, table, row, column), row};
    qsort(all, t->count, sizeof(*all), by_key);
    t->sorted = arena_array(a, uint32_t, t->count);
    for (uint32_t i = 0; i < t->count; i++)
        t->sorted[i] = all[i].row;
    free(all);
}

bool metadata_open(struct metadata *m, const struct memory_piece *blob,
                   const struct memory *memory, struct arena *a)
{
    *m = (struct metadata){.where = *blob, .memory = memory};
    struct metadata_reader o = {.m = m};
    if (memory != NULL)
        memory_hold(memory, blob->address, blob->size);
    if (!find_streams(&o, (struct bytes){blob->bytes, (size_t)blob->size}) ||
        !read_header(&o))
        return false;
    sort_table(m, METADATA_NESTED_CLASS, NESTED_INNER, a);
    sort_table(m, METADATA_CONSTANT, CONSTANT_PARENT, a);
    sort_table(m, METADATA_CUSTOM_ATTRIBUTE, ATTRIBUTE_PARENT, a);
    sort_table(m, METADATA_STATE_MACHINE, MACHINE_METHOD, a);
    return true;
}

/* --- types --------------------------------------------------------------------- */

struct metadata_name metadata_type_name(const struct metadata *m, uint32_t row)
{
    return (struct metadata_name){
        string_at(m, cell(m, METADATA_TYPE_DEF, row, TYPE_DEF_SPACE)),
        string_at(m, cell(m, METADATA_TYPE_DEF, row, TYPE_DEF_NAME))};
}

struct metadata_name metadata_ref_name(const struct metadata *m, uint32_t row)
{
    return (struct metadata_name){
        string_at(m, cell(m, METADATA_TYPE_REF, row, TYPE_REF_SPACE)),
        string_at(m, cell(m, METADATA_TYPE_REF, row, TYPE_REF_NAME))};
}

uint32_t metadata_outer(const struct metadata *m, uint32_t type_def)
{
    struct metadata_key k = {m, METADATA_NESTED_CLASS, NESTED_INNER, type_def};
    size_t i = find_key(&k);
    if (type_def == 0 || i == m->tables[METADATA_NESTED_CLASS].count)
        return 0;
    return cell(m, METADATA_NESTED_CLASS, row_at(&k, i), NESTED_OUTER);
}

uint32_t metadata_ref_outer(const struct metadata *m, uint32_t type_ref)
{
    uint32_t scope = cell(m, METADATA_TYPE_REF, type_ref, TYPE_REF_SCOPE);
    enum { IN_TYPE_REF = 3 };
    return (scope & 3) == IN_TYPE_REF ? scope >> 2 : 0;
}

/* --- fields -------------------------------------------------------------------- */

/* If fields are not in the order of their types, a table of pointers is used. */
uint32_t metadata_field(const struct metadata *m, uint32_t place)
{
    bool is_pointed = m->tables[METADATA_FIELD_PTR].count > 0;
    return is_pointed ? cell(m, METADATA_FIELD_PTR, place, 0) : place;
}

uint32_t metadata_fields(const struct metadata *m, uint32_t type_def, uint32_t *first)
{
    uint32_t count = m->tables[METADATA_FIELD].count;
    bool is_last = type_def >= m->tables[METADATA_TYPE_DEF].count;
    uint32_t end =
        is_last ? count + 1 : cell(m, METADATA_TYPE_DEF, type_def + 1, TYPE_DEF_FIELDS);
    *first = cell(m, METADATA_TYPE_DEF, type_def, TYPE_DEF_FIELDS);
    if (end > count + 1)
        end = count + 1;
    if (*first == 0 || *first > end)
        *first = end;
    return end;
}

/* True for constants, which exist in metadata only. */
bool metadata_field_is_literal(const struct metadata *m, uint32_t field)
{
    enum { LITERAL = 0x40 };
    return cell(m, METADATA_FIELD, field, FIELD_FLAGS) & LITERAL;
}

const char *metadata_field_name(const struct metadata *m, uint32_t field)
{
    return string_at(m, cell(m, METADATA_FIELD, field, FIELD_NAME));
}

struct bytes metadata_field_signature(const struct metadata *m, uint32_t field)
{
    return blob_at(m, cell(m, METADATA_FIELD, field, FIELD_SIGNATURE));
}

bool metadata_constant(const struct metadata *m, uint32_t field, uint64_t *value)
{
    enum { I1 = 0x04, I2 = 0x06, I4 = 0x08, I8 = 0x0A };
    struct metadata_key k = {m, METADATA_CONSTANT, CONSTANT_PARENT, field << 2};
    size_t i = find_key(&k);
    if (i == m->tables[METADATA_CONSTANT].count)
        return false;
    uint32_t row = row_at(&k, i);
    unsigned type = cell(m, METADATA_CONSTANT, row, CONSTANT_TYPE) & 0xFF;
    struct bytes blob = blob_at(m, cell(m, METADATA_CONSTANT, row, CONSTANT_VALUE));
    if (blob.size == 0 || blob.size > 8)
        return false;
    *value = 0;
    for (size_t b = 0; b < blob.size; b++)
        *value |= (uint64_t)blob.data[b] << 8 * b;
    bool is_signed = type == I1 || type == I2 || type == I4 || type == I8;
    if (is_signed && blob.size < 8 && blob.data[blob.size - 1] & 0x80)
        *value |= UINT64_MAX << 8 * blob.size;
    return true;
}

/* --- methods ------------------------------------------------------------------- */

static bool method_before(const void *all, size_t i, const void *wanted)
{
    const struct metadata *m = all;
    return cell(m, METADATA_TYPE_DEF, (uint32_t)i + 1, TYPE_DEF_METHODS) <=
           *(const uint32_t *)wanted;
}

uint32_t metadata_method_type(const struct metadata *m, uint32_t method)
{
    return (uint32_t)search_first(m, 0, m->tables[METADATA_TYPE_DEF].count, method_before,
                                  &method);
}

uint32_t metadata_method_code(const struct metadata *m, uint32_t method)
{
    return cell(m, METADATA_METHOD_DEF, method, METHOD_CODE);
}

const char *metadata_method_name(const struct metadata *m, uint32_t method)
{
    return string_at(m, cell(m, METADATA_METHOD_DEF, method, METHOD_NAME));
}

/* --- attributes ---------------------------------------------------------------- */

/* Returns the type of an attribute's constructor, in this module or another. */
static struct metadata_name attribute_name(const struct metadata *m, uint32_t constructor)
{
    enum { METHOD_DEF = 2, MEMBER_REF = 3, PARENT_TYPE_REF = 1 };
    uint32_t row = constructor >> 3;
    if ((constructor & 7) == METHOD_DEF)
        return metadata_type_name(m, metadata_method_type(m, row));
    if ((constructor & 7) == MEMBER_REF) {
        uint32_t parent = cell(m, METADATA_MEMBER_REF, row, MEMBER_REF_CLASS);
        if ((parent & 7) == PARENT_TYPE_REF)
            return metadata_ref_name(m, parent >> 3);
    }
    return (struct metadata_name){"", ""};
}

bool metadata_has_attribute(const struct metadata *m, uint32_t type_def, const char *space,
                            const char *name, struct bytes *value)
{
    enum { PARENT_TYPE_DEF = 3, MAX_LOOKED_AT = 64 };
    struct metadata_key k = {m, METADATA_CUSTOM_ATTRIBUTE, ATTRIBUTE_PARENT,
                             type_def << 5 | PARENT_TYPE_DEF};
    size_t first = find_key(&k), count = m->tables[METADATA_CUSTOM_ATTRIBUTE].count;
    for (size_t i = first; i < count && i - first < MAX_LOOKED_AT; i++) {
        uint32_t row = row_at(&k, i);
        if (cell(m, METADATA_CUSTOM_ATTRIBUTE, row, ATTRIBUTE_PARENT) != k.wanted)
            return false;
        struct metadata_name made_by =
            attribute_name(m, cell(m, METADATA_CUSTOM_ATTRIBUTE, row, ATTRIBUTE_TYPE));
        if (strcmp(made_by.name, name) != 0 || strcmp(made_by.space, space) != 0)
            continue;
        *value = blob_at(m, cell(m, METADATA_CUSTOM_ATTRIBUTE, row, ATTRIBUTE_VALUE));
        return true;
    }
    return false;
}

/* --- symbols ------------------------------------------------------------------- */

struct bytes metadata_sequence_points(const struct metadata *m, uint32_t method,
                                      uint32_t *document)
{
    *document = cell(m, METADATA_METHOD_DEBUG, method, DEBUG_DOCUMENT);
    return blob_at(m, cell(m, METADATA_METHOD_DEBUG, method, DEBUG_POINTS));
}

uint32_t metadata_state_machine(const struct metadata *m, uint32_t method)
{
    struct metadata_key k = {m, METADATA_STATE_MACHINE, MACHINE_METHOD, method};
    size_t i = find_key(&k);
    if (method == 0 || i == m->tables[METADATA_STATE_MACHINE].count)
        return 0;
    return cell(m, METADATA_STATE_MACHINE, row_at(&k, i), MACHINE_CODE);
}

struct bytes metadata_document_name(const struct metadata *m, uint32_t document)
{
    return blob_at(m, cell(m, METADATA_DOCUMENT, document, DOCUMENT_NAME));
}

struct bytes metadata_blob(const struct metadata *m, uint32_t offset)
{
    return blob_at(m, offset);
}
