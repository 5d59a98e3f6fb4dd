/* untold.h - why it was not told which objects of a snapshot are those of the one before,
 * where somebody listened to the collector and heard nothing that could be used.
 *
 * Files keep the name; one that a later version may have is no reason. */
#ifndef UNTOLD_H
#define UNTOLD_H

#include "heapdrift.h"

#include <stddef.h>

/* HD_UNTOLD_NOTHING: there is none of that name. */
enum hd_untold untold_named(const char *name, size_t len);

#endif
