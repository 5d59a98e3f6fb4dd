/* fastser.h - the FastSerialization container of .gcdump files.
 *
 * Strings, tags, objects with versioned types, labels and the table of forward
 * references at the end of the file. docs/formats/gcdump.md describes it. It does
 * not know what is stored. No reading recurses; an object reference is followed
 * one step and no further. */
#ifndef FASTSER_H
#define FASTSER_H

#include "base/cursor.h"
#include "base/text.h"

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
    bool has_trailer;     /* the end of the file is where it should be */
    uint64_t forwards_at; /* offset of the first forward label */
    uint64_t forward_count;
};

/* Checks the signature, finds the label width from the end of the file, and
 * leaves the cursor at the entry object. */
struct fastser fastser_open(struct bytes file, struct hd_error *err);

/* What stands in an object field. */
enum fastser_field {
    FIELD_FAILED,
    FIELD_NULL,
    FIELD_REFERENCE, /* to the object at type.label, defined before */
    FIELD_OBJECT     /* its fields follow, then fastser_end() */
};

struct fastser_type {
    uint64_t label; /* offset of the object's first tag */
    int32_t version, min_reader;
    char name[40]; /* cut if longer: no type that we know is */
};

enum fastser_field fastser_begin(struct fastser *f, struct fastser_type *type);

/* The same, failing unless it is null or an object of that name that readers of
 * version may read. */
enum fastser_field fastser_expect(struct fastser *f, const char *name, int32_t version,
                                  struct fastser_type *type);

/* Skip tagged fields that are not known, up to and with the end of the object. */
bool fastser_end(struct fastser *f);

/* Consume the next tag if it is this one. */
bool fastser_tag(struct fastser *f, enum fastser_tag tag);

/* Offset that a forward reference stands for; fails without a trailer. */
uint64_t fastser_forward(struct fastser *f, uint32_t index);

/* A string as UTF-8 (lone surrogates as three bytes), appended to out, which may
 * be NULL. False for the null string, and on failure. */
bool fastser_string(struct fastser *f, struct text *out);

#endif
