/* symbols.h - the program of a snapshot, or its separate symbols, to name the types that
 * the snapshot has by number: those of a Native AOT program. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "heap/snapshot.h"
#include "process/aot_image.h"

/* Name the types of a snapshot; what its source says of them, too. False and HD_USAGE: they
 * are of another build, since most of the numbers are those of no type. A snapshot without
 * such types is left as it is. */
bool symbols_apply(const struct hd_symbols *s, struct hd_snapshot *snap,
                   struct hd_error *err);

/* The same by a program that was found in memory, all of whose types are known. */
void symbols_apply_image(const struct aot_image *image, struct hd_snapshot *snap);

#endif
