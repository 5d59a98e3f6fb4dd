/* metadata.h - metadata of the types in a .NET module (ECMA-335, II.22 to 24).
 *
 * Rows are numbered from 1, as in tokens; 0 is null. Input is not trusted: missing rows,
 * unterminated strings and truncated heaps are read as empty. Tables that should be sorted
 * and are not (edit and continue, Reflection.Emit) are searched correctly. Read-only after
 * opening. Must not depend on the runtime's structures. */
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
    METADATA_DOCUMENT = 0x30, /* from here on in symbols: sequence_points.c */
    METADATA_METHOD_DEBUG = 0x31,
    METADATA_STATE_MACHINE = 0x36,
    METADATA_TABLES = 0x37,
    METADATA_COLUMNS = 9 /* maximum of a table */
};

struct metadata_table {
    const unsigned char *rows;
    uint32_t count; /* existing rows */
    uint32_t row_size;
    uint8_t at[METADATA_COLUMNS], width[METADATA_COLUMNS]; /* of columns, in bytes */
    uint32_t *sorted; /* rows by key if the table is unsorted; else NULL */
};

struct metadata {
    struct metadata_table tables[METADATA_TABLES];
    struct bytes strings, blobs;
    struct bytes symbols;        /* stream #Pdb, in symbols only */
    struct memory_piece where;   /* the whole metadata */
    const struct memory *memory; /* that contains it; or NULL */
};

/* Name of a type as stored: nested types have no namespace, generic ones a backtick and a
 * number. Never NULL. */
struct metadata_name {
    const char *space, *name;
};

/* Opens metadata. blob begins with "BSJB" and must stay valid, and so must memory, which
 * records reads (memory.h); NULL: not recorded. False if unreadable. */
bool metadata_open(struct metadata *m, const struct memory_piece *blob,
                   const struct memory *memory, struct arena *a);

/* Finds the metadata of an image loaded at base, by section or flat as the file; bytes is
 * NULL if it is missing or exceeds `most` bytes. Copied to a if it is in several pieces. */
struct memory_piece metadata_of_image(const struct memory *memory, uint64_t base,
                                      uint64_t most, struct arena *a);

struct metadata_name metadata_type_name(const struct metadata *m, uint32_t type_def);
struct metadata_name metadata_ref_name(const struct metadata *m, uint32_t type_ref);

/* Returns the outer type of a nested one; 0: not nested. */
uint32_t metadata_outer(const struct metadata *m, uint32_t type_def);
uint32_t metadata_ref_outer(const struct metadata *m, uint32_t type_ref); /* a TypeRef */

/* Return a method's name; its type, or 0; and the offset of its code in the image, or 0. */
const char *metadata_method_name(const struct metadata *m, uint32_t method);
uint32_t metadata_method_type(const struct metadata *m, uint32_t method);
uint32_t metadata_method_code(const struct metadata *m, uint32_t method);

/* Returns the fields of a type: places from *first to before the result, to be mapped to
 * rows by metadata_field(). */
uint32_t metadata_fields(const struct metadata *m, uint32_t type_def, uint32_t *first);
uint32_t metadata_field(const struct metadata *m, uint32_t place);
bool metadata_field_is_literal(const struct metadata *m, uint32_t field);
const char *metadata_field_name(const struct metadata *m, uint32_t field);
struct bytes metadata_field_signature(const struct metadata *m, uint32_t field);

/* Reads the value of a literal field, sign-extended to 64 bits; false if missing. */
bool metadata_constant(const struct metadata *m, uint32_t field, uint64_t *value);

/* True if a type has an attribute of this name in namespace System or below; its blob. */
bool metadata_has_attribute(const struct metadata *m, uint32_t type_def, const char *space,
                            const char *name, struct bytes *value);

/* Symbols: the sequence points of a method and their document, 0 if the points name it; the
 * name of a document; and a blob that such a name refers to. */
struct bytes metadata_sequence_points(const struct metadata *m, uint32_t method,
                                      uint32_t *document);
/* Returns the method with the code of an async method or iterator, or 0. */
uint32_t metadata_state_machine(const struct metadata *m, uint32_t method);
struct bytes metadata_document_name(const struct metadata *m, uint32_t document);
struct bytes metadata_blob(const struct metadata *m, uint32_t offset);

/* II.23.2: reads a compressed number at *at of a signature; false and *at at the end if
 * truncated. */
bool metadata_number(struct bytes signature, size_t *at, uint32_t *number);

/* Decodes a TypeDefOrRef of a signature: one of three tables and the row. */
enum metadata_table_number metadata_type_token(uint32_t coded, uint32_t *row);

#endif
