/* text_pieces.h - the type table of a heap text, by several threads.
 *
 * The text is cut into pieces, at the line ends next to equal parts. Each is read block by
 * block into memory that is used again, and adds up to sections of its own; put together
 * in order, they are what one thread would have found. Nothing grows with the file or
 * with a line. It does not say what is wrong with a text: it only finds that something is.
 */
#ifndef TEXT_PIECES_H
#define TEXT_PIECES_H

#include "format/text/text_marks.h"
#include "heap/builder.h"

struct text_pieces_options {
    unsigned threads;                 /* 0 is 1 */
    size_t skip;                      /* bytes at the beginning: a byte order mark */
    uint64_t least_bytes;             /* of a piece; 0: so many that a thread is worth it */
    const struct text_marker *marker; /* NULL: the best */
};

/* Read in, which stands at the beginning. False if it must be read again record by record,
 * since something is wrong with it or with reading it; b is as it was then, in is not. */
bool text_pieces_read(struct input *in, struct builder *b,
                      const struct text_pieces_options *how);

#endif
