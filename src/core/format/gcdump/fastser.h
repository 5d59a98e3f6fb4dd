/* fastser.h - the FastSerialization container of .gcdump files.
 *
 * Strings, tags, objects with versioned types, labels and the table of forward references
 * at the end of the file. docs/formats/gcdump.md describes it. Must not depend on the
 * content. No recursion; an object reference is followed one step and no further. */
#ifndef FASTSER_H
#define FASTSER_H

#include "base/cursor.h"
#include "base/out.h"
#include "base/text.h"

/* --- writing ------------------------------------------------------------------- */

/* Writes the FastSerialization container: mirror of the reader below.
 *
 * Labels have 4 bytes, the only width that Microsoft's reader supports, so labelled data
 * must be below 4 GiB: the caller's duty. Must not depend on the content. Failures are
 * recorded in the out. */

enum { FASTSER_MAX_TYPES = 8, FASTSER_MAX_REGIONS = 4 };

/* The largest address, size or time in a field of 8 bytes. Microsoft's readers read it as a
 * signed integer and cast it in checked code (from dotnet-gcdump 10 on): a larger one makes
 * them reject the whole file. */
#define FASTSER_MAX_ADDRESS ((uint64_t)INT64_MAX)

struct fastser_write {
    struct out *out;
    uint64_t at; /* bytes written */
    struct {
        const char *name;
        uint32_t label;
    } types[FASTSER_MAX_TYPES];
    size_t type_count;
    uint32_t regions[FASTSER_MAX_REGIONS]; /* offset of the end of each */
    uint32_t region_count;
};

/* Writes the signature. */
struct fastser_write fastser_write_begin(struct out *out);
void fastser_put_bytes(struct fastser_write *f, const void *bytes, size_t len);
void fastser_put_u8(struct fastser_write *f, uint8_t value);
void fastser_put_u32(struct fastser_write *f, uint32_t value);
void fastser_put_i32(struct fastser_write *f, int32_t value);
void fastser_put_u64(struct fastser_write *f, uint64_t value); /* at most MAX_ADDRESS */
void fastser_put_f32(struct fastser_write *f, float value);

/* Writes UTF-8 as UTF-16 units; a lone surrogate may be encoded as three bytes, and invalid
 * bytes become U+FFFD (utf8_is_damaged). NULL is the null string. At most 2^31 - 1 units,
 * also the caller's duty. */
void fastser_put_string(struct fastser_write *f, const char *s);

/* Begins an object of a type, up to its fields; name must outlive f. Then write the fields,
 * then the end. */
void fastser_put_begin(struct fastser_write *f, const char *name, int32_t version,
                       int32_t min_reader);
void fastser_put_end(struct fastser_write *f);

/* Writes a reference to an object written before; label is f->at from before its begin. */
void fastser_put_reference(struct fastser_write *f, uint64_t label);
void fastser_put_null(struct fastser_write *f);

/* Begins an optional object that older readers skip; the object follows. */
uint32_t fastser_put_region(struct fastser_write *f);

/* Does the same without a tag, for readers that expect it. */
uint32_t fastser_put_untagged_region(struct fastser_write *f);
void fastser_put_region_end(struct fastser_write *f, uint32_t region);

/* Writes the data after the entry object. */
void fastser_put_trailer(struct fastser_write *f);

enum fastser_tag {
    TAG_NULL = 1,
    TAG_REFERENCE = 2,
    TAG_FORWARD_REFERENCE = 3,
    TAG_BEGIN = 4,
    TAG_BEGIN_PRIVATE = 5,
    TAG_END = 6,
    TAG_FORWARD_DEFINITION = 7,
    TAG_BYTE = 8,
    TAG_INT16 = 9,
    TAG_INT32 = 10,
    TAG_INT64 = 11,
    TAG_SKIP_REGION = 12,
    TAG_STRING = 13,
    TAG_BLOB = 14
};

struct fastser {
    struct cursor c;
    unsigned label_size;  /* 4 or 8; guessed 4 without a trailer */
    bool has_trailer;     /* the end of the file is well-formed */
    uint64_t forwards_at; /* offset of the first forward label */
    uint64_t forward_count;
};

/* Checks the signature, finds the label width from the end of the file, and
 * leaves the cursor at the entry object. */
struct fastser fastser_open(struct bytes file, struct hd_error *err);

/* The content of an object field. */
enum fastser_field {
    FIELD_FAILED,
    FIELD_NULL,
    FIELD_REFERENCE, /* to the object at type.label, defined before */
    FIELD_OBJECT     /* its fields follow, then fastser_end() */
};

struct fastser_type {
    uint64_t label; /* offset of the object's first tag */
    int32_t version, min_reader;
    char name[40]; /* cut if longer: no known type is */
};

enum fastser_field fastser_begin(struct fastser *f, struct fastser_type *type);

/* Does the same, but fails unless it is null or an object with this name that readers of
 * this version may read. */
enum fastser_field fastser_expect(struct fastser *f, const char *name, int32_t version,
                                  struct fastser_type *type);

/* Skips unknown tagged fields, up to and including the end of the object. */
bool fastser_end(struct fastser *f);

/* Consumes the next tag if it is this one. */
bool fastser_tag(struct fastser *f, enum fastser_tag tag);

/* Returns the offset of a forward reference; fails without a trailer. */
uint64_t fastser_forward(struct fastser *f, uint32_t index);

/* Reads a string as UTF-8 (lone surrogates as three bytes), appended to out, which may be
 * NULL. False for the null string, and on failure. */
bool fastser_string(struct fastser *f, struct text *out);

#endif
