/* reader.h - the interface of an input format, and the lists of readers.
 *
 * To add a format: write src/core/format/<family>/read_<name>.c that ends in a const struct
 * reader, and list it in reader.c, or in the list of its house, which reader.c names. */
#ifndef READER_H
#define READER_H

#include "base/input.h"
#include "heap/builder.h"

/* Confidence of a reader that the bytes are in its format. The first YES wins; without one,
 * the first MAYBE. */
enum recognition { RECOGNISED_NO, RECOGNISED_MAYBE, RECOGNISED_YES };

/* The text before the name of a static variable in a format. */
enum static_names { STATICS_NONE, STATICS_BY_CLASS, STATICS_BY_TYPE };

struct reader {
    const char *name;    /* "gcdump": `info`, JSON, docs/formats/<name>.md */
    const char *summary; /* one line for --help; NULL: known, but no snapshot */

    enum static_names statics;

    bool has_numbers; /* a file may contain several snapshots: builder.number selects one */

    /* Decides by the first decompressed bytes, at most INPUT_HEAD_SIZE. */
    enum recognition (*recognises)(struct bytes head);

    /* Reads the whole input into b. False and err if it cannot be used; err has
     * HD_NOT_A_SNAPSHOT if it turns out not to be in this format at all. */
    bool (*read)(struct input *in, struct builder *b, struct hd_error *err);
};

/* Returns number i of all formats, most specific first; NULL after the last. */
const struct reader *reader_at(size_t i);

/* NULL if no reader recognises it. */
const struct reader *reader_for(struct bytes head);

#endif
