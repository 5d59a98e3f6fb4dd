/* symbols.h - the program of a snapshot, or its separate symbols, to name the types that
 * the snapshot has by number: those of a Native AOT program. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "clr/process/aot_image.h"
#include "heap/snapshot.h"

/* Name the types of a snapshot, and what its source says of them, by a program that was
 * found in memory, all of whose types are known. */
void symbols_apply_image(const struct aot_image *image, struct hd_snapshot *snap);

#endif
