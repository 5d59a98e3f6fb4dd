/* forge_metadata.h - readable builders of the metadata of a .NET module, for tests.
 *
 *     struct metadata_forge f = {0};
 *     forge_type_def(&f, "Shop", "Store");
 *     forge_field(&f, "_items", "\x06\x1C", 2);
 *     struct bytes blob = forge_metadata_bytes(&f);
 *     ...
 *     forge_metadata_free(&f);
 *
 * Rows are numbered from 1, as in tokens. From ECMA-335; must not share code with the
 * reader. */
#ifndef FORGE_METADATA_H
#define FORGE_METADATA_H

#include "base/input.h"
#include "base/text.h"

enum { FORGED_TABLES = 0x37, FORGED_COLUMNS = 9 };

struct forged_rows {
    uint32_t (*all)[FORGED_COLUMNS]; /* malloc'd */
    uint32_t count;
    size_t cap;
};

struct metadata_forge {
    struct forged_rows tables[FORGED_TABLES];
    struct text strings, blobs, out;
    struct text symbols;    /* the stream #Pdb; empty: missing */
    uint32_t other_methods; /* rows of the module that symbols belongs to */
    bool wide_heaps;        /* indexes of 4 bytes */
    bool extra_data;        /* four bytes before the tables */
    const char *name;       /* of the stream with the tables; NULL: "#~" */
};

/* Columns in the order of the standard; returns the row. Strings and blobs are offsets. */
uint32_t forge_metadata_row(struct metadata_forge *f, unsigned table,
                            const uint32_t columns[FORGED_COLUMNS]);
uint32_t forge_string(struct metadata_forge *f, const char *s);
uint32_t forge_blob(struct metadata_forge *f, const void *bytes, size_t size);

/* A type, to be followed by its fields. */
uint32_t forge_type_def(struct metadata_forge *f, const char *space, const char *name);
uint32_t forge_field(struct metadata_forge *f, const char *name, const char *signature,
                     size_t size);
uint32_t forge_type_ref(struct metadata_forge *f, uint32_t scope, const char *space,
                        const char *name);
void forge_nested(struct metadata_forge *f, uint32_t inner, uint32_t outer);

/* A literal of element type I4 or similar, size bytes long. */
void forge_constant(struct metadata_forge *f, uint32_t field, unsigned element,
                    uint64_t value, size_t size);

/* An attribute of a type, with its constructor in another module. */
void forge_attribute(struct metadata_forge *f, uint32_t type_def, const char *space,
                     const char *name);

/* A method of the last type. */
uint32_t forge_method(struct metadata_forge *f, const char *name);

/* Rows of zeros, which make indexes into the table wide. */
void forge_rows(struct metadata_forge *f, unsigned table, uint32_t count);

/* Valid until the next change. */
struct bytes forge_metadata_bytes(struct metadata_forge *f);
void forge_metadata_free(struct metadata_forge *f);

/* The image of a module, metadata at the end: as a file, or mapped by section; text_free()
 * it. */
void forge_image(struct text *to, struct bytes metadata, bool is_mapped);

#endif
