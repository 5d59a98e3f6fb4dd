/* What the library uses of mapped files. */
#ifndef WINDOWS_SYS_MMAN_H
#define WINDOWS_SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

#define PROT_READ 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_FAILED ((void *)-1)

/* Files only, for reading, from their beginning. With MAP_FIXED, over the mapping of the
 * same file: its pages go out of memory, which is what that is done for. */
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int munmap(void *address, size_t size);

#endif
