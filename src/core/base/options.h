/* options.h - option structs of callers who know less or more of them than we do.
 *
 * Each begins with a size_t, its size for the caller; 0 is what it was in version 0.1. New
 * members go to the end, where 0 must mean what was done before there was one. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "heapdrift.h"

/* Where a struct ends whose last member is that one: what version 0.1 had. */
#define OPTIONS_END(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* Copy theirs, of which version 0.1 had `first` bytes, to ours, which has `known`: zeros
 * where it ends before, HD_USAGE if it goes on with anything but zeros. theirs may be NULL:
 * all zeros. */
bool options_copy(void *ours, size_t known, size_t first, const void *theirs,
                  struct hd_error *err);

#endif
