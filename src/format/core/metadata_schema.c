/* The widths of all columns follow from the counts of rows and three bits (II.24.2.6), so
 * the schema below is all that has to be known. */
#include "format/core/metadata_schema.h"

/* --- the schema ------------------------------------------------------------------------
 */

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

enum { NO_TABLE = 0xFF, MOST_CODED = 22 };

static const struct {
    uint8_t bits, len, tables[MOST_CODED];
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
};

static uint8_t width_of(const struct metadata_counts *counts, uint8_t kind)
{
    enum { WIDE_STRINGS = 1, WIDE_GUIDS = 2, WIDE_BLOBS = 4 };
    if (kind & CODED(0)) {
        unsigned n = kind & 0x7FU;
        uint64_t most = 0;
        for (unsigned i = 0; i < coded_kinds[n].len; i++) {
            uint8_t table = coded_kinds[n].tables[i];
            if (table != NO_TABLE && counts->rows[table] > most)
                most = counts->rows[table];
        }
        return most < 1U << (16 - coded_kinds[n].bits) ? 2 : 4;
    }
    if (kind & TABLE(0))
        return counts->rows[kind & 0x3FU] <= UINT16_MAX ? 2 : 4;
    switch (kind) {
    case U2:
        return 2;
    case STRING:
        return counts->wide_heaps & WIDE_STRINGS ? 4 : 2;
    case GUID:
        return counts->wide_heaps & WIDE_GUIDS ? 4 : 2;
    case BLOB:
        return counts->wide_heaps & WIDE_BLOBS ? 4 : 2;
    default:
        return 4;
    }
}

void metadata_columns(struct metadata_table *t, unsigned number,
                      const struct metadata_counts *counts)
{
    t->row_size = 0;
    for (unsigned c = 0; c < METADATA_COLUMNS && schema[number][c] != END; c++) {
        t->at[c] = (uint8_t)t->row_size;
        t->width[c] = width_of(counts, schema[number][c]);
        t->row_size += t->width[c];
    }
}
