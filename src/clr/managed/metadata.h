/* metadata.h - what a .NET module says of its types (ECMA-335, II.22 to 24).
 *
 * Rows are numbered from 1, as in tokens; 0 is none. Nothing in it is trusted: a row that
 * is not there, a string without an end, a heap that is cut read as empty. Indexes that are
 * to be sorted and are not (edit and continue, Reflection.Emit) are searched all the same.
 * Read only once opened. It must not know of the runtime's structures. */
#ifndef METADATA_H
#define METADATA_H

#include "clr/process/memory.h"

#include <stdbool.h>

enum metadata_table_number {
    METADATA_MODULE = 0x00,
    METADATA_TYPE_REF = 0x01,
    METADATA_TYPE_DEF = 0x02,
    METADATA_FIELD_PTR = 0x03,
    METADATA_FIELD = 0x04,
    METADATA_METHOD_DEF = 0x06,
    METADATA_MEMBER_REF = 0x0A,
    METADATA_CONSTANT = 0x0B,
    METADATA_CUSTOM_ATTRIBUTE = 0x0C,
    METADATA_TYPE_SPEC = 0x1B,
    METADATA_ASSEMBLY_REF = 0x23,
    METADATA_NESTED_CLASS = 0x29,
    METADATA_DOCUMENT = 0x30, /* from here on of symbols: sequence_points.c */
    METADATA_METHOD_DEBUG = 0x31,
    METADATA_STATE_MACHINE = 0x36,
    METADATA_TABLES = 0x37,
    METADATA_COLUMNS = 9 /* the most that a table has */
};

struct metadata_table {
    const unsigned char *rows;
    uint32_t count; /* of rows that are there */
    uint32_t row_size;
    uint8_t at[METADATA_COLUMNS], width[METADATA_COLUMNS]; /* of columns, in bytes */
    uint32_t *sorted; /* rows by their key, where they do not stand so; else NULL */
};

struct metadata {
    struct metadata_table tables[METADATA_TABLES];
    struct bytes strings, blobs;
    struct bytes symbols;        /* the stream #Pdb, of symbols only */
    struct memory_piece where;   /* all of it */
    const struct memory *memory; /* that it is part of; NULL: of none */
};

/* The name of a type as it stands there: nested ones have no namespace, generic ones a
 * backtick and a number. Never NULL. */
struct metadata_name {
    const char *space, *name;
};

/* blob begins with "BSJB" and must stay, and so must memory, which is told what is looked
 * at (memory.h); NULL: nobody is. False where there is nothing to be read. */
bool metadata_open(struct metadata *m, const struct memory_piece *blob,
                   const struct memory *memory, struct arena *a);

/* The metadata of an image that was loaded at base, by section or flat as the file; bytes
 * is NULL where there is none of at most that many bytes. Copied into a where it lies in
 * several pieces. */
struct memory_piece metadata_of_image(const struct memory *memory, uint64_t base,
                                      uint64_t most, struct arena *a);

struct metadata_name metadata_type_name(const struct metadata *m, uint32_t type_def);
struct metadata_name metadata_ref_name(const struct metadata *m, uint32_t type_ref);

/* The type that a nested one stands in; 0: it is not nested. */
uint32_t metadata_outer(const struct metadata *m, uint32_t type_def);
uint32_t metadata_ref_outer(const struct metadata *m, uint32_t type_ref); /* a TypeRef */

/* A method's name, the type that it is of, 0: of none, and where its code is, relative to
 * the image; 0: it has none. */
const char *metadata_method_name(const struct metadata *m, uint32_t method);
uint32_t metadata_method_type(const struct metadata *m, uint32_t method);
uint32_t metadata_method_code(const struct metadata *m, uint32_t method);

/* Fields of a type: places *first to the one before the returned, each of which is a row by
 * metadata_field(). */
uint32_t metadata_fields(const struct metadata *m, uint32_t type_def, uint32_t *first);
uint32_t metadata_field(const struct metadata *m, uint32_t place);
bool metadata_field_is_literal(const struct metadata *m, uint32_t field);
const char *metadata_field_name(const struct metadata *m, uint32_t field);
struct bytes metadata_field_signature(const struct metadata *m, uint32_t field);

/* The value of a literal field, extended to 64 bits by its sign; false: it has none. */
bool metadata_constant(const struct metadata *m, uint32_t field, uint64_t *value);

/* Whether a type has an attribute of this name in namespace System or below; its blob. */
bool metadata_has_attribute(const struct metadata *m, uint32_t type_def, const char *space,
                            const char *name, struct bytes *value);

/* Symbols: the sequence points of a method and their document, 0 if they name it; the name
 * of a document; and a blob that such a name refers to. */
struct bytes metadata_sequence_points(const struct metadata *m, uint32_t method,
                                      uint32_t *document);
/* The method that has the code of another one, which is async or an iterator; 0: none. */
uint32_t metadata_state_machine(const struct metadata *m, uint32_t method);
struct bytes metadata_document_name(const struct metadata *m, uint32_t document);
struct bytes metadata_blob(const struct metadata *m, uint32_t offset);

/* II.23.2: a compressed number at *at of a signature; false and at its end if cut. */
bool metadata_number(struct bytes signature, size_t *at, uint32_t *number);

/* A TypeDefOrRef of a signature: one of three tables and the row. */
enum metadata_table_number metadata_type_token(uint32_t coded, uint32_t *row);

#endif
