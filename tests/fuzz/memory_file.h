/* memory_file.h - files without a disk, for functions with a path: one per number, whose
 * content is replaced each time. */
#ifndef MEMORY_FILE_H
#define MEMORY_FILE_H

#include "base/input.h"

enum { MEMORY_FILES = 4 };

/* Sets the content of file number i and returns its path. */
const char *memory_file(size_t i, struct bytes content);

#endif
