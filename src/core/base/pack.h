/* pack.h - bytes as gzip or zstd: the other way round than unpack.h. */
#ifndef PACK_H
#define PACK_H

#include "base/out.h"

/* The same bytes give the same file: no name, no time. */
void pack_gzip(const void *bytes, size_t size, struct out *to);

/* The same, smaller and faster to read. The level is that of zstd's command, 1 to 19. */
void pack_zstd(const void *bytes, size_t size, const char *level, struct out *to);

#endif
