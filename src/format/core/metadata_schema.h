/* metadata_schema.h - which columns the tables of metadata have, and how wide they are
 * (ECMA-335, II.22). It must not know what they mean. */
#ifndef METADATA_SCHEMA_H
#define METADATA_SCHEMA_H

#include "format/core/metadata.h"

/* As the header of the tables has them. */
struct metadata_counts {
    uint32_t rows[64];
    uint8_t wide_heaps;
};

/* Set the columns and the size of a row of a table; number is below METADATA_TABLES. */
void metadata_columns(struct metadata_table *t, unsigned number,
                      const struct metadata_counts *counts);

#endif
