/* digest_parts.h - from the columns of a digest's file to heap/digest.h, checked: whatever
 * was forged, indexes are within their arrays and sums are those of the types. For
 * read_digest.c alone. */
#ifndef DIGEST_PARTS_H
#define DIGEST_PARTS_H

#include "format/digest/digest_columns.h"

struct digest_reading {
    struct builder *b;
    struct digest_columns columns;
    struct digest *digest;
    size_t type_count;
    bool wants_places;
    struct hd_error *err;
};

/* "a digest whose <what> do not fit each other". Always false. */
bool digest_refuse(struct digest_reading *r, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

/* A column that has to have count numbers below limit, each as it stands or NULL after
 * digest_refuse(). */
const uint64_t *digest_numbers_of(struct digest_reading *r, enum digest_group group,
                                  const char *name, size_t count, uint64_t limit);

/* Add so many units of an address. False if it goes beyond 64 bits. */
bool digest_add_units(uint64_t *sum, uint64_t more, uint64_t unit);

/* What no root reaches, by type and generation. */
bool digest_read_lost(struct digest_reading *r);

/* Places and who refers to whom. */
bool digest_read_places(struct digest_reading *r);
bool digest_read_sharing(struct digest_reading *r);

/* Since when objects are there; perhaps nothing. */
bool digest_read_ages(struct digest_reading *r);

/* Sixteen digits or fewer; otherwise if text is none such, or NULL. */
uint64_t digest_hex_of(const char *text, uint64_t otherwise);

/* Samples. */
bool digest_read_chains(struct digest_reading *r);
bool digest_read_survivors(struct digest_reading *r);

#endif
