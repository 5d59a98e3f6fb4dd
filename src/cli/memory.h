/* memory.h - how much memory this process may expect to get. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdint.h>

/* Bytes available without swapping, in this container if there is one; 0 when the
 * system does not say. */
uint64_t available_memory(void);

#endif
