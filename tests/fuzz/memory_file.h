/* memory_file.h - a file without a disk, for what takes a path: one per number, whose
 * content is replaced each time. */
#ifndef MEMORY_FILE_H
#define MEMORY_FILE_H

#include "base/input.h"

enum { MEMORY_FILES = 4 };

/* The path of file number i, which has these bytes now. */
const char *memory_file(size_t i, struct bytes content);

#endif
