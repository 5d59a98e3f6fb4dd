/* pack.h - bytes as gzip: the other way round than unpack.h. */
#ifndef PACK_H
#define PACK_H

#include "base/out.h"

/* The same bytes give the same file: no name, no time. */
void pack_gzip(const void *bytes, size_t size, struct out *to);

#endif
