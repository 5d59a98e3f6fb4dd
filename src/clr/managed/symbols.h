/* symbols.h - names the types of a Native AOT snapshot, which have only numbers, from the
 * program or its separate symbols. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "clr/process/aot_image.h"
#include "heap/snapshot.h"

/* Names the types of a snapshot, also in its source, by a program found in memory, which
 * has all types. */
void symbols_apply_image(const struct aot_image *image, struct hd_snapshot *snap);

#endif
