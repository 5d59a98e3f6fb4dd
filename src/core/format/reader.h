/* reader.h - what an input format has to provide, and the lists of them.
 *
 * To add a format: write src/core/format/<family>/read_<name>.c that ends in a const struct
 * reader, and list it in reader.c, or in the list of its house, which reader.c names. */
#ifndef READER_H
#define READER_H

#include "base/input.h"
#include "heap/builder.h"

/* How sure a reader is that these are its bytes. The first that says YES has
 * them; only if none does, the first that says MAYBE. */
enum recognition { RECOGNISED_NO, RECOGNISED_MAYBE, RECOGNISED_YES };

/* What a format has in front of the name of a static variable. */
enum static_names { STATICS_NONE, STATICS_BY_CLASS, STATICS_BY_TYPE };

struct reader {
    const char *name;    /* "gcdump": `info`, JSON, docs/formats/<name>.md */
    const char *summary; /* one line for --help; NULL: known, but no snapshot */

    enum static_names statics;

    bool has_numbers; /* a file may hold several snapshots: builder.number says which */

    /* By the first bytes, decompressed; at most INPUT_HEAD_SIZE of them. */
    enum recognition (*recognises)(struct bytes head);

    /* Read the whole input into b. False and err when it cannot be used; err
     * has HD_NOT_A_SNAPSHOT if it turns out not to be of this format at all. */
    bool (*read)(struct input *in, struct builder *b, struct hd_error *err);
};

/* Number i of every known format, most specific first; NULL behind the last. */
const struct reader *reader_at(size_t i);

/* NULL when no reader wants it. */
const struct reader *reader_for(struct bytes head);

#endif
