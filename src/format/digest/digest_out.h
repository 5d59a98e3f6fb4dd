/* digest_out.h - the members of a digest's file as they are written: groups, plain values,
 * and columns, whose numbers are coded so that they pack (digest_columns.h). For
 * write_digest.c alone, which says what they are. */
#ifndef DIGEST_OUT_H
#define DIGEST_OUT_H

#include "base/out.h"
#include "format/digest/digest_columns.h"

struct digest_out {
    const struct hd_snapshot *snap;
    const struct digest *digest; /* perhaps without anything */
    struct out *o;
    bool begun;    /* the group has a member */
    type_id *kept; /* types that are written: those that something is of */
    size_t kept_count;
    type_id *number_of; /* of each type, in the file */
    uint64_t unit;      /* of the addresses that are written */
};

void digest_put_number(struct out *o, uint64_t n); /* null for HD_UNKNOWN */
void digest_put_string(struct out *o, const char *s);

/* Members stand between these. */
void digest_begin_group(struct digest_out *w, enum digest_group group);
void digest_end_group(struct digest_out *w);

/* The name of a member whose value the caller writes. */
void digest_put_name(struct digest_out *w, const char *name);

void digest_member_number(struct digest_out *w, const char *name, uint64_t n);
void digest_member_string(struct digest_out *w, const char *name, const char *s);
void digest_member_truth(struct digest_out *w, const char *name, bool truth);
void digest_member_real(struct digest_out *w, const char *name, double x);

/* 16 digits: numbers beyond what doubles hold exactly. */
void digest_member_hex(struct digest_out *w, const char *name, uint64_t n);

/* A column: number i of count by a function, which gets context. */
typedef uint64_t digest_column_of(const struct digest_out *w, const void *context,
                                  size_t i);
void digest_column(struct digest_out *w, const char *name, size_t count,
                   digest_column_of *of, const void *context);

/* Context is an array of what the name says. */
digest_column_of digest_number_8, digest_number_32, digest_number_64, digest_tally_count,
    digest_tally_bytes;

digest_column_of digest_id_32;      /* "none" of ids is null */
digest_column_of digest_type_32;    /* types, by the numbers that they have in the file */
digest_column_of digest_by_type_64; /* an array by type, of those that are written */
digest_column_of digest_rise_32;    /* of ascending numbers the differences */
digest_column_of digest_back_32; /* of what stands behind another one how far; 0: of none */
digest_column_of digest_length_32; /* between the offsets of lists in one array */

#endif
