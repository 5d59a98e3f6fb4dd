/* fastser_write.h - the FastSerialization container, written: mirror of fastser.h.
 *
 * Labels have 4 bytes, the only width that Microsoft's reader knows, so all that is
 * labelled must lie below 4 GiB: the caller sees to that. It does not know what is
 * stored. Failures stay in the out. */
#ifndef FASTSER_WRITE_H
#define FASTSER_WRITE_H

#include "base/out.h"

enum { FASTSER_MOST_TYPES = 8, FASTSER_MOST_REGIONS = 4 };

struct fastser_write {
    struct out *out;
    uint64_t at; /* bytes written */
    struct {
        const char *name;
        uint32_t label;
    } types[FASTSER_MOST_TYPES];
    size_t type_count;
    uint32_t regions[FASTSER_MOST_REGIONS]; /* where each ends */
    uint32_t region_count;
};

/* Writes the signature. */
struct fastser_write fastser_write_begin(struct out *out);

void fastser_put_bytes(struct fastser_write *f, const void *bytes, size_t len);
void fastser_put_u8(struct fastser_write *f, uint8_t value);
void fastser_put_u32(struct fastser_write *f, uint32_t value);
void fastser_put_i32(struct fastser_write *f, int32_t value);
void fastser_put_u64(struct fastser_write *f, uint64_t value);
void fastser_put_f32(struct fastser_write *f, float value);

/* UTF-8 as UTF-16 units; a lone surrogate may stand as three bytes, and what is neither
 * becomes U+FFFD (utf8_is_damaged). NULL is the null string. At most 2^31 - 1 units, which
 * is for the caller to see to, too. */
void fastser_put_string(struct fastser_write *f, const char *s);

/* An object of a type, up to its fields; name must live as long as f. Then the fields,
 * then the end. */
void fastser_put_begin(struct fastser_write *f, const char *name, int32_t version,
                       int32_t min_reader);
void fastser_put_end(struct fastser_write *f);

/* An object that was written before; label is f->at from before its begin. */
void fastser_put_reference(struct fastser_write *f, uint64_t label);
void fastser_put_null(struct fastser_write *f);

/* An optional object that older readers jump over: the object stands in between. */
uint32_t fastser_put_region(struct fastser_write *f);

/* The same without a tag in front, for readers that know that it is there. */
uint32_t fastser_put_untagged_region(struct fastser_write *f);
void fastser_put_region_end(struct fastser_write *f, uint32_t region);

/* What stands behind the entry object. */
void fastser_put_trailer(struct fastser_write *f);

#endif
