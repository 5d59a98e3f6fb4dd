/* path.h - the parts of a path, by its letters: nothing is looked up. */
#ifndef PATH_H
#define PATH_H

#include <stdbool.h>

/* What follows the last slash; all of a path that ends in one. */
const char *path_file_name(const char *path);

/* Also if it is nothing else. */
bool path_ends_in(const char *path, const char *end);

#endif
