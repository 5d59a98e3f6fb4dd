/* The used functions for mapped files. */
#ifndef WINDOWS_SYS_MMAN_H
#define WINDOWS_SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

#define PROT_READ 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_FAILED ((void *)-1)

/* Maps a file for reading, from its beginning. MAP_FIXED over the mapping of the same file
 * only removes its pages from memory. */
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int munmap(void *address, size_t size);

#endif
