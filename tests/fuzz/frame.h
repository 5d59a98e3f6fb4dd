/* frame.h - an input of a harness, separated into parts: four bytes that choose the
 * question (questions.h), then the parts, with a mark between them. Arbitrary bytes are
 * also a frame, usually of one part, and the length of a part may change without adjusting
 * anything. */
#ifndef FRAME_H
#define FRAME_H

#include "base/input.h"

enum { FRAME_HEAD = 4, FRAME_PARTS = 4, FRAME_MARK_SIZE = 8 };
#define FRAME_MARK "<<next>>"

struct frame {
    unsigned char head[FRAME_HEAD]; /* zeros where the input is shorter */
    struct bytes parts[FRAME_PARTS];
    size_t count; /* at least 1; marks beyond the last part belong to it */
};

struct frame frame_of(struct bytes input);

/* Part number i, or an empty one. */
struct bytes frame_part(const struct frame *f, size_t i);

#endif
