/* live_runtime.h - where the collector of a running process says that its heap may be
 * walked. Read without stopping it: the library does not move, and the variable neither. */
#ifndef LIVE_RUNTIME_H
#define LIVE_RUNTIME_H

#include "collect/address_space.h"

/* The address of gc_structures_invalid_cnt (32 bits); mem is /proc/PID/mem. 0 and err,
 * HD_UNSUPPORTED, if there is no .NET runtime in it, or one that is not known. */
uint64_t live_heap_count_address(pid_t pid, int mem, const struct address_space *space,
                                 struct hd_error *err);

#endif
